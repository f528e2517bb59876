"""Networks, described layer by layer."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from memmodel import _call, _ffi, _limits
from memmodel._layers import Layers
from memmodel._rwlock import ReadWriteLock
from memmodel.errors import MemmodelError
from memmodel.tensor import Dim, Dtype, Size, Tensor

Requirements: TypeAlias = Callable[[list[tuple[int, ...]]], Mapping[str, int]]


def _adapted(callback: Requirements) -> Callable[[list[_ffi.Shape], _ffi.CustomRequirements], int]:
    """A callback as the library calls it: shapes in, a struct to correct."""

    def call(inputs: list[_ffi.Shape], requirements: _ffi.CustomRequirements) -> int:
        for name, number in callback([tuple(shape.dims[: shape.rank]) for shape in inputs]).items():
            setattr(requirements, name, number)
        return 0

    return call


class Network(Layers):
    """A network. A method for each layer takes tensors and returns one; dimensions may be symbols.

    >>> net = Network()
    >>> x = net.input("image", (net.symbol("batch"), 3, 224, 224))
    >>> x = net.conv(x, filters=64, kernel=7, stride=2, padding=3)
    """

    def __init__(self, *, layout: str | int | _ffi.Layout = "channels_first") -> None:
        self._own(_ffi.network_new(_limits.new_context()))
        _ffi.network_set_layout(self._handle, layout)

    def _own(self, handle: _ffi.NetworkHandle) -> None:
        self._handle = handle
        self._lock = ReadWriteLock()

    @classmethod
    def _of(cls, handle: _ffi.NetworkHandle) -> Network:
        network = cls.__new__(cls)
        network._own(handle)
        return network

    # ---- dimensions ----

    def symbol(self, name: str) -> Dim:
        """A dimension whose value a query gives, such as "batch": the same one for the same name."""
        return Dim(self, self._call(_ffi.network_symbol, name))

    def expression(self, text: str) -> Size:
        """A dimension computed from symbols, such as "batch * floor(dim / 16)"; an int if it is constant."""
        return self._size(self._call(_ffi.network_expression, text))

    def _size(self, code: int) -> Size:
        return code if code >= 0 else Dim(self, code)

    @property
    def kind(self) -> str:
        """"cnn", "transformer", or "" for neither: by which errors of estimates are distinguished."""
        with self._lock.writing():
            return _ffi.network_kind(self._handle) or ""

    @property
    def symbols(self) -> list[str]:
        """Names of all symbols."""
        with self._lock.writing():
            count = _ffi.network_symbol_count(self._handle)
            return [_ffi.network_symbol_name(self._handle, index) or "" for index in range(count)]

    # ---- layers that take more from Python than from C ----

    def input(
        self,
        name: str,
        shape: Sequence[Size],
        dtype: Dtype = "float32",
        *,
        strides: Sequence[Size] | None = None,
        storage: Tensor | None = None,
    ) -> Tensor:
        """An input of the network. strides: row-major unless given. storage: an input or a tensor of parameters in
        whose memory it lies.

        >>> x = net.input("tokens", (net.symbol("batch"), 1024), "int64")
        """
        self._use_storage(strides, storage)
        return self._add(_ffi.network_input, name, dtype, self._dims(shape, "shape"))

    def parameter(
        self,
        name: str,
        shape: Sequence[Size],
        dtype: Dtype = "float32",
        *,
        trainable: bool = True,
        strides: Sequence[Size] | None = None,
        storage: Tensor | None = None,
    ) -> Tensor:
        """A tensor of parameters of its own, such as a class token; a buffer if it is not trainable. strides, storage:
        as those of an input, the storage of another tensor of parameters.
        """
        self._use_storage(strides, storage)
        return self._add(_ffi.network_parameter, name, dtype, self._dims(shape, "shape"), trainable)

    def _use_storage(self, strides: Sequence[Size] | None, storage: Tensor | None) -> None:
        if strides or storage is not None:
            holder = self._optional_tensor(storage, "storage")
            self._call(_ffi.network_use_storage, holder, self._dims(strides or (), "strides"))

    def permute(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """Axes in another order: one axis of the input for each axis of the output."""
        return self._add(_ffi.network_permute, self._tensor(x, "x"), axes)

    def custom(
        self,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Sequence[Size] | tuple[Sequence[Size], Dtype]],
        *,
        dtype: Dtype = "default",
        name: str | None = None,
        parameter_count: Size = 0,
        parameter_dtype: Dtype = "default",
        saved_bytes: Size = 0,
        forward_workspace_bytes: Size = 0,
        backward_workspace_bytes: Size = 0,
        multiply_adds: Size = 0,
        callback: Requirements | None = None,
        operation: str | None = None,
        attributes: str | None = None,
    ) -> Tensor:
        """An operator declared by what it holds: shapes of its outputs, trainable parameters, and bytes.

        With an `operation`, such as "aten.pow.Tensor_Scalar", it is an operator of a framework by the framework's own
        name; where that has a rule, it is run by it. `attributes`: what else it was called with, "dim=1 size=2,3".
        Inputs may be None where an optional one is missing; an output may be a pair of shape and dtype.

        `callback` is asked in each query where no expression says it: it gets the shapes of the inputs in numbers, and
        returns those of `parameter_count`, `saved_bytes`, `forward_workspace_bytes`, `backward_workspace_bytes` and
        `multiply_adds` that it knows better.

        >>> net.custom([x], [x.shape], callback=lambda shapes: {"saved_bytes": 8 * shapes[0][0]})
        """
        if callback is not None and not callable(callback):
            raise TypeError(f"callback: a callable is needed, not {_call.kind_of(callback)}")
        options = _ffi.Custom(
            name=name,
            outputs=[self._output_shape(shape, dtype, f"outputs[{index}]") for index, shape in enumerate(outputs)],
            parameter_dtype=parameter_dtype,
            parameter_count=self._dim(parameter_count, "parameter_count"),
            saved_bytes=self._dim(saved_bytes, "saved_bytes"),
            forward_workspace_bytes=self._dim(forward_workspace_bytes, "forward_workspace_bytes"),
            backward_workspace_bytes=self._dim(backward_workspace_bytes, "backward_workspace_bytes"),
            multiply_adds=self._dim(multiply_adds, "multiply_adds"),
            callback=None if callback is None else _adapted(callback),
            operation=operation,
            attributes=attributes,
        )
        codes = [
            self._optional_tensor(value, f"inputs[{index}]")
            for index, value in enumerate(_call.several(inputs, "inputs"))
        ]
        return self._add(_ffi.network_custom, codes, options)

    def use_parameter(self, role: str, tensor: Tensor) -> None:
        """Let the next layer use a tensor of parameters as its "weight", "bias", ... in place of one of its own.

        >>> net.use_parameter("weight", table)
        >>> net.linear(x, units=100, no_bias=True)
        """
        self._call(_ffi.network_use_parameter, role, self._tensor(tensor, "tensor"))

    def _output_shape(self, shape: Any, dtype: Dtype, name: str) -> _ffi.Shape:
        """From a shape, or a shape with its dtype."""
        if len(shape) == 2 and hasattr(shape[0], "__iter__"):
            shape, dtype = shape
        dims = self._dims(shape, name) or []
        return _ffi.Shape(dims=dims, rank=len(dims), dtype=dtype)

    # ---- what the host language does ----

    @contextlib.contextmanager
    def scope(self, name: str, *, checkpoint: bool | Literal["reentrant"] = False) -> Iterator[None]:
        """The layers made within belong to it, and their names begin with its own. With `checkpoint` they are
        recomputed in the backward pass, as by torch.utils.checkpoint, with "reentrant" as by its use_reentrant=True.

        >>> with net.scope("encoder.0"): x = net.conv(x, filters=16, kernel=3)
        """
        self._call(_ffi.network_push_scope, name)
        try:
            if checkpoint:
                mode = "reentrant" if checkpoint == "reentrant" else "non_reentrant"
                self._call(_ffi.network_checkpoint_scope, mode)
            yield
        finally:
            self._call(_ffi.network_pop_scope)

    def end_lifetime(self, tensor: Tensor) -> None:
        """Say that the program held `tensor` by a name until here."""
        self._call(_ffi.network_end_lifetime, self._tensor(tensor, "tensor"))

    def mark_output(self, tensor: Tensor) -> Tensor:
        """Name what the network returns. Without it: what no layer uses."""
        self._call(_ffi.network_mark_output, self._tensor(tensor, "tensor"))
        return tensor

    # ---- files ----

    def to_json(self) -> str:
        with self._lock.reading():
            return _ffi.network_to_json(self._handle, _limits.new_context())

    @classmethod
    def from_json(cls, text: str, *, name: str = "network") -> Network:
        return cls._of(_ffi.network_from_json(_limits.new_context(), name, text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network as JSON, atomically."""
        with self._lock.reading():
            _ffi.network_save(self._handle, path, _limits.new_context())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Network:
        """Read a network from a file."""
        return cls._of(_ffi.network_load(_limits.new_context(), path))

    def __reduce__(self) -> tuple[Any, ...]:
        return Network.from_json, (self.to_json(),)

    # ---- for the generated methods ----

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        with self._lock.writing():
            try:
                return function(self._handle, *arguments)
            except MemmodelError:
                _ffi.network_clear_error(self._handle)  # the failed call left it as it was
                raise

    def _add(self, function: Callable[..., int], *arguments: Any) -> Tensor:
        return Tensor(self, self._call(function, *arguments))

    def _tensor(self, value: Tensor, name: str) -> int:
        if not isinstance(value, Tensor):
            raise TypeError(f"{name}: a Tensor is needed, not {_call.kind_of(value)}")
        if value.network is not self:
            raise ValueError(f"{name}: a tensor of another network")
        return value.code

    def _optional_tensor(self, value: Tensor | None, name: str) -> int:
        return _ffi.TENSOR_NONE if value is None else self._tensor(value, name)

    def _tensors(self, values: Sequence[Tensor], name: str) -> list[int]:
        if isinstance(values, Tensor) or not hasattr(values, "__iter__"):
            raise TypeError(f"{name}: a sequence of tensors is needed, not {_call.kind_of(values)}")
        return [self._tensor(value, f"{name}[{index}]") for index, value in enumerate(_call.several(values, name))]

    def _dim(self, value: Size, name: str) -> int:
        """The code of a size. A plain negative number would be somebody's symbol."""
        if isinstance(value, Dim):
            if value.network is not self:
                raise ValueError(f"{name}: {value} is a dimension of another network")
            return value.code
        number = int(_call.int64(value, name))
        if number < 0 and number != -1:
            raise ValueError(f"{name}: {number} is negative")
        return _ffi.DIM_INFER if number == -1 else number

    def _dims(self, values: Sequence[Size] | None, name: str) -> list[int] | None:
        if values is None:
            return None
        if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
            raise TypeError(f"{name}: a sequence of sizes is needed, not {_call.kind_of(values)}")
        return [self._dim(value, f"{name}[{index}]") for index, value in enumerate(_call.several(values, name, 64))]

    # ---- looking ----

    def _shape(self, tensor: Tensor) -> tuple[tuple[Size, ...], _ffi.Dtype]:
        shape = self._call(_ffi.network_get_shape, self._tensor(tensor, "tensor"))
        dims = tuple(self._size(code) for code in shape.dims[: shape.rank])
        return dims, _ffi.Dtype(shape.dtype)

    def __len__(self) -> int:
        """Number of layers, inputs included."""
        return int(self._call(_ffi.network_layer_count))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<Network of {len(self)} layers in {', '.join(self.symbols) or 'no symbols'}>"
