"""A training loop on tensors without memory: each operator as it is called, the lifetime of each storage."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import (
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedOperatorException,
)
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_map_only
from torch.utils.weak import WeakIdKeyDictionary

from memmodel import _ffi
from memmodel._record_calls import DEVICE, Call, Schema, schema_of
from memmodel._record_events import Events
from memmodel._record_layouts import laid_out
from memmodel._record_modules import BACKWARD, Modules
from memmodel._record_repeats import Repeats
from memmodel._record_sizes import SIZED, sized
from memmodel._record_sparse import MAKING as MAKING_SPARSE
from memmodel._record_sparse import RULES as SPARSE
from memmodel._record_sparse import run_sparse
from memmodel._record_values import Values, follow

REAL = (torch.Tensor, nn.Parameter)


class UnknownOperator(RuntimeError):
    """An operator without a shape function: register() gives it one."""


def register(operator: str, shapes: Callable[..., Any]) -> None:
    """The shapes of what an operator of an extension returns, where it has not said them to PyTorch itself. shapes: a
    function of the operator's arguments that makes tensors of the same shapes. As `torch.library.register_fake()`.

    >>> memmodel.torch.register("extension::gather", lambda x, index: x.new_empty(len(index), x.shape[1]))
    """
    torch.library.register_fake(operator, shapes)


def _is_unknown(error: RuntimeError) -> bool:
    return isinstance(error, UnsupportedOperatorException) or "no fake impl registered" in str(error)


class Fakes(FakeTensorMode):  # type: ignore[misc]
    """Tensors keep their mode when they are copied; a device is never touched."""

    avoid_device_init = True
    # Without what keeps torch.compile away from it, at each operator: nothing is compiled here.
    __torch_dispatch__ = inspect.unwrap(FakeTensorMode.__torch_dispatch__)

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __deepcopy__(self, memo: Any) -> Fakes:
        return self

    def __copy__(self) -> Fakes:
        return self

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._twins = WeakIdKeyDictionary()  # of real tensors: what they were as they were seen, and their fakes

    def of(self, tensor: Any) -> Any:
        """The fake of a real tensor, as long as that lives and stays what it is."""
        seen = tensor.dtype, tensor.shape, _place_of(tensor)
        before, fake = self._twins.get(tensor, (None, None))
        if before != seen:
            fake = self.from_tensor(tensor, static_shapes=True)
            self._twins[tensor] = seen, fake
        return fake

    def forget(self, tensor: Any) -> None:
        """Its weak reference, which torch.utils.swap_tensors() refuses."""
        memo = self.fake_tensor_converter.meta_converter.tensor_memo
        for key in [key for key, value in memo.items() if value is tensor]:
            del memo[key]
        for real in [real for real, (_, fake) in self._twins.items() if fake is tensor]:
            del self._twins[real]


def _place_of(tensor: Any) -> Any:
    """Of what has one storage."""
    if tensor.layout != torch.strided:
        return None
    return tensor.untyped_storage()._cdata, tensor.storage_offset(), tensor.stride()


class Storages:
    """Those that are alive: each is seen once, and when it goes."""

    def __init__(self, events: Events, values: Values) -> None:
        self._events, self._values = events, values
        self._alive: dict[int, weakref.ref[Any]] = {}
        self._twins: dict[int, weakref.ref[Any]] = {}  # fakes of real tensors, which are seen themselves

    def new(self, tensor: Any) -> int | None:
        """The storage, if it was not seen before."""
        try:
            storage = tensor.untyped_storage()
        except (NotImplementedError, RuntimeError):  # a sparse tensor: its parts have storages
            return None
        key = int(storage._cdata)
        if key in self._alive or key in self._twins or tensor.device.type == "meta":
            return None
        self._alive[key] = weakref.ref(storage, lambda _: self._gone(key))
        return key

    def twin(self, fake: Any) -> None:
        storage = fake.untyped_storage()
        key = int(storage._cdata)
        if key not in self._twins and key not in self._alive:
            self._twins[key] = weakref.ref(storage, lambda _: self._twin_gone(key))

    def _gone(self, key: int) -> None:
        del self._alive[key]
        self._values.forget(key)
        self._events.release(key)

    def _twin_gone(self, key: int) -> None:
        del self._twins[key]
        self._values.forget(key)


class Recorder(TorchDispatchMode):  # type: ignore[misc]
    """Stands above the mode of fakes."""

    version: tuple[int, ...] = ()  # of PyTorch, where it decides what operators return

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __init__(self, events: Events, values: Values, fakes: Fakes, modules: Modules) -> None:
        super().__init__()
        self.events, self.values, self.fakes, self.modules = events, values, fakes, modules
        self.storages = Storages(events, values)
        self.repeats = Repeats(fakes, SIZED)
        self.sparse = False  # whether a sparse tensor was there
        self.held: list[Any] = []  # storages that an operator that runs leaves, but not before it has its results

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if operator is DEVICE:
            return args[0].device if isinstance(args[0], FakeTensor) else operator(*args)
        kwargs = kwargs or {}
        schema = schema_of(operator)
        if schema.name == "mkldnn_rnn_layer":  # not `train`, its last argument, decides about a workspace
            args = (*args[:-1], torch.is_grad_enabled())
        tensors: list[Any] = []
        key = self.repeats.key(schema, args, kwargs, tensors)
        if key is None and any(map(_is_real, chain(args, kwargs.values()))):
            if schema.lifts and _is_foreign(args[0]):
                return self.arrived(args[0])
            args, kwargs = self._faked(schema, args, kwargs)
            tensors = []
            key = self.repeats.key(schema, args, kwargs, tensors)
        if schema.name in SPARSE and (self.sparse or schema.name in MAKING_SPARSE):
            result = run_sparse(self, operator, args, kwargs)
            if result is not NotImplemented:
                return result
        self.events.check(kwargs.get("device"))
        self.modules.entered()
        if key is None:
            result, like = self._run(schema, args, kwargs), None
        else:
            result, like = self.repeats.run(key, tensors, partial(self._ask, operator, args, kwargs),
                                            partial(self.repeats.key, schema, args, kwargs, []))  # fmt: skip
        call = Call(schema, args, kwargs, result)
        backward = self.modules.phase == BACKWARD
        follow(self.values, call, backward=backward, large=like is not None and like.large)
        made = [None if tensor is None else self.storages.new(tensor) for tensor in call.outputs]
        self.events.run(call, made, like)
        self.held.clear()
        return result

    def ran(self, operator: Any, *args: Any, **kwargs: Any) -> Any:
        """What an operator consists of, as if the program called it."""
        return self.__torch_dispatch__(operator, (), args, kwargs)

    def _run(self, schema: Schema, args: Any, kwargs: Any) -> Any:
        rule = SIZED.get(schema.name)
        return rule(self, schema.operator, args, kwargs) if rule else self._ask(schema.operator, args, kwargs)

    def _ask(self, operator: Any, args: Any, kwargs: Any) -> Any:
        try:
            return laid_out(schema_of(operator).name, operator(*args, **kwargs), args)
        except DynamicOutputShapeException:
            return sized(self, operator, args, kwargs)
        except RuntimeError as error:
            if not _is_unknown(error):
                raise
            raise UnknownOperator(
                f"{operator._schema.name}: PyTorch does not know the shapes that it returns; say them by "
                f'memmodel.torch.register("{operator._schema.name}", lambda ...: torch.empty(...))'
            ) from None

    # ---- real tensors ----

    def _faked(self, schema: Schema, args: Any, kwargs: Any) -> Any:
        def fake(tensor: Any) -> Any:
            if not _is_stored(tensor):
                return tensor
            return self.fake(_as_plain(tensor), noted=not schema.lifts)

        return tree_map_only(torch.Tensor, fake, (args, kwargs))

    def fake(self, tensor: Any, *, noted: bool = True) -> Any:
        """The fake of a real tensor, which is in memory besides; its values are known if they are few."""
        if noted and not _is_foreign(tensor):
            self.see(tensor, "before", _ffi.Category.INPUTS)
        made = self.fakes.of(tensor)
        if noted:
            self.storages.twin(made)
        if not self.values.known(made):
            with _disable_current_modes(), torch.no_grad():
                give = self.values.lend if isinstance(tensor, nn.Parameter) else self.values.keep
                give(made, tensor.detach().cpu())
        return made

    def arrived(self, tensor: Any) -> Any:
        """A tensor in memory that no allocator of torch gave: of numpy, of a worker, of a file."""
        made = tensor if isinstance(tensor, FakeTensor) else self.fake(tensor, noted=False)
        self.storages.twin(made)
        return made

    def loaded(self, tensor: Any) -> Any:
        """A tensor in memory that was made outside of the modes, and that PyTorch counts from now on."""
        made = tensor if isinstance(tensor, FakeTensor) else self.fake(tensor, noted=False)
        self.see(made, "input", _ffi.Category.INPUTS)
        return made

    def see(self, tensor: Any, role: str, category: int) -> None:
        """A tensor that no operator made."""
        storage = self.storages.new(tensor)
        if storage is not None:
            self.events.allocate(storage, tensor, role, category)


def _is_real(value: Any) -> bool:
    """Whether an argument is a tensor with memory, or a list with one."""
    if isinstance(value, (list, tuple)):
        return any(map(_is_stored, value))
    return _is_stored(value)


def _is_stored(value: Any) -> bool:
    """A tensor with memory, also of a class of parameters that changes no operator, as bitsandbytes' Params4bit."""
    kind = type(value)
    if kind in REAL:
        return True
    return issubclass(kind, nn.Parameter) and kind.__torch_dispatch__ is nn.Parameter.__torch_dispatch__


def _as_plain(tensor: Any) -> Any:
    if type(tensor) in REAL:
        return tensor
    with _disable_current_modes(), torch._C.DisableTorchFunctionSubclass():
        return tensor.as_subclass(torch.Tensor)


def _is_foreign(tensor: Any) -> bool:
    return type(tensor) in REAL and tensor.layout == torch.strided and not tensor.untyped_storage().resizable()
