"""
Computes an operator on the CPU, beside the device, on the device's own memory.

Simulated device memory can be read and written by the host at its address, so a tensor of the device has an alias on
the CPU that shares its bytes. CPU kernels are called directly: no mode, no autograd, no autocast sees them.
"""

import torch

from memmodel_cuda import dispatcher, knowledge
from memmodel_cuda.quiet import quiet

_C = torch._C
_cpu = torch.device("cpu")
_generators = []
_aliases = {}  # the range of a device's addresses stays mapped, so an alias outlives its tensor
_ALIASES = 1 << 14  # so many are kept
_SEED = 0x5EED


def kernel_of(name):
    """The operator's CPU kernel, or None."""
    try:
        return dispatcher.kernel(name, _C.DispatchKey.CPU)
    except (RuntimeError, AttributeError):
        return None


_empty = kernel_of("aten::empty.memory_format")
_set = kernel_of("aten::set_.source_Storage_storage_offset")
_copy = kernel_of("aten::copy_")


def alias(tensor):
    """A CPU tensor on the same bytes."""
    if not tensor.is_cuda:
        return tensor
    if tensor.numel() == 0:
        return _new_alias(tensor)
    if tensor.is_conj() or tensor.is_neg():
        return _turned(tensor)
    key = tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()
    found = _aliases.get(key)
    if found is None:
        if len(_aliases) >= _ALIASES:
            _aliases.clear()
        found = _aliases[key] = _new_alias(tensor)
    return found


def _new_alias(tensor):
    memory = _C._construct_storage_from_data_pointer(tensor.data_ptr(), _cpu, knowledge.span(tensor))
    empty = _empty([0], dtype=tensor.dtype, device=_cpu)
    return _set(empty, memory, 0, list(tensor.shape), list(tensor.stride()))


def _turned(tensor):
    """Of a view that stands for the conjugate or the negative of what is in memory."""
    found = _new_alias(tensor)
    with quiet():
        found = torch._conj(found) if tensor.is_conj() else found
        return torch._neg_view(found) if tensor.is_neg() else found


def copy(to, source):
    """Into the memory of a tensor of any device."""
    return _copy(alias(to), alias(source))


def generator():
    """Our own, so that the program's random numbers on the CPU stay as they are."""
    if not _generators:
        _generators.append(torch.Generator().manual_seed(_SEED))
    return _generators[0]


def argument(value):
    """An argument of an operator, with aliases in place of tensors of the device."""
    if isinstance(value, torch.Tensor):
        return alias(value)
    if isinstance(value, (list, tuple)):
        return [argument(item) for item in value]
    if isinstance(value, torch.device):
        return _cpu
    return generator() if isinstance(value, torch.Generator) else value
