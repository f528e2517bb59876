"""Operators that are called again with the same shapes: PyTorch's mode of fakes is asked once what they give.

A call is like another where operator, numbers and words are the same, and dtype, shape, strides, offset and device of
each tensor. What PyTorch's own cache refuses (values, sizes that follow from them, tensors that get another shape) is
asked each time: torch/_subclasses/fake_tensor.py, _validate_cache_key().
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from torch._subclasses.fake_tensor import FakeTensor

from memmodel._record_calls import Schema, tensors_in
from memmodel._record_values import SMALL_BYTES

MOST = 1 << 16  # calls that are kept
META = torch.device("meta")
PLAIN = frozenset((int, float, bool, complex, str, type(None), torch.dtype, torch.device, torch.layout,
                   torch.memory_format))  # fmt: skip
REFUSED = frozenset((torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape, torch.Tag.inplace_view))
SPACES = ("aten::", "prims::")
NEW, SHARED = -1, -2  # instead of a tensor's place: a storage that is made, one of several tensors


class _Unlike(Exception):
    """A call that is like no other."""


class Output(NamedTuple):
    """One result. of: the tensor among the arguments that it is, or that it is a view of, or NEW."""

    of: int
    same: bool
    shape: Any = ()
    stride: Any = ()
    offset: int = 0
    dtype: Any = None
    device: Any = None
    conjugate: bool = False
    negative: bool = False


class Like:
    """What calls that are alike give. large: whether a tensor that they make or are given has more bytes than any whose
    values are kept. The rest belongs to the recording: numbers of the operator by its name, which of the results are on
    the recorded device, and their sizes, by which of them are new."""

    __slots__ = ("here", "kind", "large", "numbers", "outputs", "sizes")

    def __init__(self, outputs: list[Output | None], kind: Any, *, large: bool) -> None:
        self.outputs, self.kind, self.large = outputs, kind, large
        self.numbers: dict[str, int] = {}
        self.here: list[bool] | None = []  # None: of what is made and read nothing is there
        self.sizes: dict[tuple[bool, ...], Any] = {}


class Repeats:
    """By what was called with what. apart: names of operators that are never alike."""

    def __init__(self, fakes: Any, apart: Iterable[str]) -> None:
        self._fakes, self._apart = fakes, frozenset(apart)
        self._known: dict[Any, Like | None] = {}
        self._repeatable: dict[Schema, bool] = {}
        self._states: dict[Any, dict[str, Any]] = {}  # attributes of fakes, by device
        self._guard = (torch._C._set_warn_deprecated_on_mutable_data_ptr if fakes._allow_unsafe_data_ptr_access
                       else torch._C._set_throw_on_mutable_data_ptr)  # fmt: skip

    def run(self, key: Any, tensors: list[Any], ask: Callable[[], Any], again: Callable[[], Any]) -> Any:
        """What ask() gives, or would, and what else is known of such calls. key: key() of the call with these tensors;
        again: for the same key afterwards, which differs if a tensor has got another shape."""
        like = self._known.get(key)
        if like is not None:
            return self._again(like, tensors), like
        result = ask()
        if key not in self._known:
            like = self._known[key] = _learned(tensors, result) if again() == key else None
        return result, like

    def key(self, schema: Schema, args: Any, kwargs: Any, tensors: list[Any]) -> Any:
        """Equal to those of calls that are alike; None if there are none. tensors: gets those of the arguments."""
        repeatable = self._repeatable.get(schema)
        if repeatable is None:
            repeatable = self._repeatable[schema] = _is_repeatable(schema) and schema.name not in self._apart
        if not repeatable:
            return None
        if len(self._known) >= MOST:
            self._known.clear()
        try:
            parts = self._parts(args, tensors)
            named = (*kwargs, *self._parts(kwargs.values(), tensors)) if kwargs else ()
        except _Unlike:
            return None
        return schema, torch.get_default_dtype(), torch.is_inference_mode_enabled(), parts, named

    def _parts(self, values: Iterable[Any], tensors: list[Any]) -> tuple[Any, ...]:
        parts: list[Any] = []
        for value in values:
            kind = type(value)
            if kind is FakeTensor:
                if value.constant is not None or value.fake_mode is not self._fakes or value.layout != torch.strided:
                    raise _Unlike
                tensors.append(value)
                parts.append((value.shape, value.stride(), value.dtype, value.fake_device, value.storage_offset(),
                              value.is_conj(), value.is_neg()))  # fmt: skip
            elif kind in PLAIN:
                parts += kind, value
            elif kind in (list, tuple):
                parts.append(self._parts(value, tensors))
            else:
                raise _Unlike
        return tuple(parts)

    def _again(self, like: Like, tensors: list[Any]) -> Any:
        made: list[Any] = []
        with torch._C._DisableTorchDispatch():
            for output in like.outputs:
                if output is None:
                    made.append(None)
                elif output.same:
                    made.append(tensors[output.of])
                else:
                    made.append(self._fake(_meta(output, tensors), output.device))
        return made[0] if like.kind is None else like.kind(made)

    def _fake(self, meta: Any, device: Any) -> Any:
        """FakeTensor(self._fakes, meta, device), which sets each attribute anew."""
        state = self._states.get(device)
        if state is None:
            fake = FakeTensor(self._fakes, meta, device)
            self._states[device] = dict(fake.__dict__)
            return fake
        fake = torch.Tensor._make_subclass(FakeTensor, meta, False, dispatch_device=True,
                                           device_for_backend_keys=device)  # fmt: skip
        self._guard(fake)
        fake.__dict__.update(state)
        return fake


def _meta(output: Output, tensors: list[Any]) -> Any:
    if output.of == NEW:
        meta = torch.empty_strided(output.shape, output.stride, dtype=output.dtype, device=META)
    else:
        meta = torch.empty_strided((0,), (1,), dtype=output.dtype, device=META)
        meta.set_(tensors[output.of].untyped_storage(), output.offset, output.shape, output.stride)
    if output.conjugate:
        torch._C._set_conj(meta, True)
    if output.negative:
        torch._C._set_neg(meta, True)
    return meta


def _is_repeatable(schema: Schema) -> bool:
    return schema.qualified.startswith(SPACES) and not schema.lifts and not REFUSED.intersection(schema.operator.tags)


def _learned(tensors: list[Any], result: Any) -> Like | None:
    """None where a call like this one is to be asked again."""
    many = type(result) in (list, tuple)
    results = result if many else [result]
    storages: dict[int, int] = {}
    for index, tensor in enumerate(tensors):
        key = tensor.untyped_storage()._cdata
        storages[key] = SHARED if key in storages else index
    try:
        outputs = [_output(tensors, storages, value) for value in results]
    except _Unlike:
        return None
    large = any(tensor.nbytes > SMALL_BYTES for tensor in [*tensors, *tensors_in(result)])
    return Like(outputs, type(result) if many else None, large=large)


def _output(tensors: list[Any], storages: dict[int, int], value: Any) -> Output | None:
    if value is None:
        return None
    if type(value) is not FakeTensor or value.constant is not None or value.layout != torch.strided:
        raise _Unlike
    storage = value.untyped_storage()
    of = storages.get(storage._cdata, NEW)
    if of >= 0 and tensors[of] is value:
        return Output(of, same=True)
    if value.requires_grad or getattr(value, "_is_param", False):
        raise _Unlike
    output = Output(of, False, value.shape, value.stride(), value.storage_offset(), value.dtype, value.fake_device,
                    value.is_conj(), value.is_neg())  # fmt: skip
    if of == SHARED or (of == NEW and (output.offset or storage.nbytes() != _bytes_of(output))):
        raise _Unlike
    if of == NEW:
        storages[storage._cdata] = SHARED  # by a second result
    return output


def _bytes_of(output: Output) -> int:
    with torch._C._DisableTorchDispatch():
        return int(_meta(output, []).untyped_storage().nbytes())
