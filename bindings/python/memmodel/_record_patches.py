"""What of torch asks for memory that is not there, answered while a program is recorded, and as it was afterwards."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn import parameter
from torch.optim import optimizer
from torch.utils import _foreach_utils
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_map_only
from torch.utils.data import DataLoader, dataloader

from memmodel import _ffi
from memmodel._record_files import Files, Put
from memmodel._record_functions import patch_functions
from memmodel._record_mode import Recorder
from memmodel._record_saving import patch_saving


def patch(recorder: Recorder, stack: ExitStack, files: Files | None) -> None:
    """files: where what is written goes; None: where the program says."""

    def put(owner: Any, name: str, value: Any) -> None:
        stack.enter_context(mock.patch.object(owner, name, value, create=True))

    patch_functions(recorder.values, recorder.events, put)
    _tensors(recorder, put)
    _storages(recorder, put)
    _generator(recorder, put)
    _loaders(recorder, put)
    patch_saving(recorder, files, put)
    _foreach(stack)
    stack.enter_context(torch.autograd.set_multithreading_enabled(False))  # modes are the thread's
    stack.enter_context(torch.compiler.set_stance("force_eager"))


# ---- tensors ----


def _tensors(recorder: Recorder, put: Put) -> None:
    """No operators of ATen, but methods: what they give is made of values."""
    values = recorder.values
    deepcopy, to_text = torch.Tensor.__deepcopy__, torch.Tensor.__format__

    def array(tensor: Any, what: str) -> Any:
        with _disable_current_modes():
            return values.array(tensor, what)

    def numpy(tensor: Any, *, force: bool = False) -> Any:
        if tensor.requires_grad and not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if tensor.device.type != "cpu" and not force:
            raise TypeError(f"can't convert {tensor.device} device type tensor to numpy. "
                            "Use Tensor.cpu() to copy the tensor to host memory first.")
        found = array(tensor, "numpy()")
        with _disable_current_modes():
            return found.numpy()

    def as_array(tensor: Any, dtype: Any = None, **_: Any) -> Any:
        found = numpy(tensor)
        return found if dtype is None else found.astype(dtype)

    def tolist(tensor: Any) -> Any:
        found = array(tensor, "tolist()")
        with _disable_current_modes():
            return found.tolist()

    def text(tensor: Any, form: str) -> str:
        return format(tensor.item(), form) if tensor.dim() == 0 else to_text(tensor, form)

    def copied(tensor: Any, memo: Any) -> Any:
        if id(tensor) in memo:
            return memo[id(tensor)]
        copy = _copied(tensor, memo, deepcopy)
        with _disable_current_modes():
            known = values.real(tensor)
            if known is not None:
                values.keep(copy, known)
        return copy

    put(FakeTensor, "numpy", numpy)
    put(FakeTensor, "__array__", as_array)
    put(FakeTensor, "tolist", tolist)
    put(FakeTensor, "__format__", text)
    put(FakeTensor, "__deepcopy__", copied)
    put(FakeTensor, "pin_memory", lambda tensor, *_: tensor)
    put(FakeTensor, "is_pinned", lambda tensor, *_: False)
    put(FakeTensor, "record_stream", lambda tensor, *_: None)
    put(FakeTensor, "data_ptr", _address)
    put(FakeTensor, "as_subclass", lambda tensor, _: tensor)  # such as MONAI's, which differ by what they carry beside
    _lazy(recorder, put)
    swap = torch.utils.swap_tensors

    def swapped(one: Any, other: Any) -> Any:
        owners = [(tensor, recorder.modules.disown(tensor)) for tensor in (one, other)]
        for tensor in (one, other):
            recorder.fakes.forget(tensor)
        swap(one, other)
        for tensor, owner in owners:
            recorder.modules.own(tensor, owner)

    put(torch.utils, "swap_tensors", swapped)


def _lazy(recorder: Recorder, put: Put) -> None:
    """Parameters that wait for their shapes are real, and empty, until they have one."""
    for kind in (parameter.UninitializedParameter, parameter.UninitializedBuffer):
        make = kind.__new__

        def made(cls: Any, *args: Any, make: Any = make, **kwargs: Any) -> Any:
            with _disable_current_modes():
                return make(cls, *args, **kwargs)

        put(kind, "__new__", staticmethod(made))

    def materialize(lazy: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        with _disable_current_modes():
            device, dtype = device or lazy.data.device, dtype or lazy.data.dtype
        tensor = torch.empty(shape, device=device, dtype=dtype)
        if lazy.cls_to_become is nn.Parameter:
            tensor = nn.Parameter(tensor, lazy.requires_grad)
        torch.utils.swap_tensors(lazy, tensor)
        recorder.events.set_owner(lazy, _ffi.Category.PARAMETERS, recorder.modules.owner(lazy))

    put(parameter.UninitializedTensorMixin, "materialize", materialize)


def _copied(tensor: Any, memo: Any, deepcopy: Any) -> Any:
    """`constant`, a real tensor that FakeTensorMode keeps beside, would be copied as a fake."""
    constant, tensor.constant = tensor.constant, None
    try:
        if isinstance(tensor, nn.Parameter) or getattr(tensor, "_is_param", False):
            copy = nn.Parameter(tensor.detach().clone(memory_format=torch.preserve_format), tensor.requires_grad)
            memo[id(tensor)] = copy
            return copy
        return deepcopy(tensor, memo)
    finally:
        tensor.constant = constant


def _address(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata + tensor.storage_offset() * tensor.element_size())


def _storages(recorder: Recorder, put: Put) -> None:
    resize, address = torch.UntypedStorage.resize_, torch.UntypedStorage.data_ptr

    def resized(storage: Any, size: int) -> Any:
        result = resize(storage, size)
        recorder.events.resized(storage)
        return result

    put(torch.UntypedStorage, "resize_", resized)
    put(torch.UntypedStorage, "data_ptr", lambda self: self._cdata if self.device.type == "meta" else address(self))


def _generator(recorder: Recorder, put: Put) -> None:
    """Its state is a tensor that torch makes below its operators; checkpoints keep one until they are recomputed."""
    get, set_again = torch.get_rng_state, torch.set_rng_state

    def state() -> Any:
        with _disable_current_modes():
            real = get()
        made = torch.empty(real.shape, dtype=real.dtype, device="cpu")
        with _disable_current_modes(), torch._C.DisableTorchFunction():  # a default device is one of its modes
            recorder.values.keep(made, real)
        return made

    def restored(state: Any) -> None:
        with _disable_current_modes():
            set_again(recorder.values.real(state))

    for module in (torch, torch.random):
        put(module, "get_rng_state", state)
        put(module, "set_rng_state", restored)


# ---- loaders ----


def _loaders(recorder: Recorder, put: Put) -> None:
    """What workers would make is made here, outside the modes: that memory is theirs. Batches are in shared memory,
    which PyTorch counts where it is mapped: aten/src/ATen/MapAllocator.cpp."""
    make, begin, following = DataLoader.__init__, DataLoader.__iter__, dataloader._BaseDataLoaderIter.__next__
    of_workers = ("num_workers", "persistent_workers", "prefetch_factor", "timeout", "multiprocessing_context")

    def made(self: Any, dataset: Any, *args: Any, **kwargs: Any) -> None:
        workers = kwargs.get("num_workers", args[4] if len(args) > 4 else 0)
        kwargs = {name: value for name, value in kwargs.items() if name not in of_workers}
        make(self, dataset, *args[:4], *((0,) if len(args) > 4 else ()), *args[5:], **kwargs | {"pin_memory": False})
        self.num_workers = workers  # for who makes another loader of it, as accelerate does

    def begun(self: Any) -> Any:
        workers, self.num_workers = self.num_workers, 0
        try:
            with _disable_current_modes() if workers else nullcontext():
                iterator = begin(self)
        finally:
            self.num_workers = workers
        iterator._memmodel_apart = workers > 0
        return iterator

    def next_batch(self: Any) -> Any:
        if not getattr(self, "_memmodel_apart", False):
            return following(self)
        with _disable_current_modes():
            batch = following(self)
        return tree_map_only(torch.Tensor, recorder.loaded, batch)

    put(DataLoader, "__init__", made)
    put(DataLoader, "__iter__", begun)
    put(dataloader._BaseDataLoaderIter, "__next__", next_batch)


# ---- optimizers ----


def _foreach(stack: ExitStack) -> None:
    """Fakes are updated in groups where tensors are, as torch does it for DTensor."""
    for types in (optimizer._foreach_supported_types, _foreach_utils._foreach_supported_types):
        if FakeTensor not in types:
            types.append(FakeTensor)
            stack.callback(types.remove, FakeTensor)
