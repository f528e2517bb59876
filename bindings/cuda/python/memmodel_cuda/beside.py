"""
Computes an operator on the CPU, beside the device, on the device's own memory.

Simulated device memory can be read and written by the host at its address, so a tensor of the device has an alias on
the CPU that shares its bytes. CPU kernels are called directly: no mode, no autograd, no autocast sees them.
"""

import torch

from memmodel_cuda import knowledge

_C = torch._C
_CPU = _C.DispatchKeySet(_C.DispatchKey.CPU)
_cpu = torch.device("cpu")
_generators = []
_SEED = 0x5EED


def kernel_of(name):
    """The operator's CPU kernel, or None."""
    try:
        call = _C._dispatch_get_computed_kernel_for_dispatch_key(name, _C.DispatchKey.CPU).call_boxed
    except (RuntimeError, AttributeError):
        return None
    return lambda *args, **kwargs: call(_CPU, *args, **kwargs)


_empty = kernel_of("aten::empty.memory_format")
_set = kernel_of("aten::set_.source_Storage_storage_offset")
_copy = kernel_of("aten::copy_")
_clone = kernel_of("aten::clone")


def alias(tensor):
    """A CPU tensor on the same bytes; valid as long as the tensor is."""
    if not tensor.is_cuda:
        return tensor
    memory = _C._construct_storage_from_data_pointer(tensor.data_ptr(), _cpu, knowledge.span(tensor))
    empty = _empty([0], dtype=tensor.dtype, device=_cpu)
    return _set(empty, memory, 0, list(tensor.shape), list(tensor.stride()))


def copy(to, source):
    """Into the memory of a tensor of any device."""
    return _copy(alias(to), alias(source))


def clone(tensor):
    return _clone(alias(tensor))


def generator():
    """Our own, so that the program's random numbers on the CPU stay as they are."""
    if not _generators:
        _generators.append(torch.Generator().manual_seed(_SEED))
    return _generators[0]


class Aliases:
    """Arguments of an operator, with aliases in place of tensors of the device: one for each tensor."""

    def __init__(self):
        self._of = {}

    def of(self, value):
        if isinstance(value, torch.Tensor):
            return self._of_tensor(value)
        if isinstance(value, (list, tuple)):
            return [self.of(item) for item in value]
        if isinstance(value, torch.device):
            return _cpu
        if isinstance(value, torch.Generator):
            return generator()
        return value

    def _of_tensor(self, tensor):
        found = self._of.get(id(tensor))
        if found is None:
            found = self._of[id(tensor)] = alias(tensor)
        return found
