"""Sparse tensors whose indices are made unique: how many remain depends on their values."""

import warnings

import torch

from memmodel_cuda import beside, knowledge, made_up
from memmodel_cuda.quiet import quiet

_C = torch._C


def install():
    """The library that holds the kernel; it must be kept."""
    library = _C._dispatch_library("IMPL", "aten", "SparseCUDA")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library.impl("_coalesce", "SparseCUDA", _coalesce)
    return library


def _coalesce(tensor):
    indices, values = tensor._indices(), tensor._values()
    count = indices.size(1)
    scratch = [torch.empty_like(indices[0]) for _ in range(3)]  # flat indices, their order, where each begins
    with quiet():
        found = _on_cpu(tensor, indices, values)
        level = min(knowledge.level(indices), knowledge.level(values)) if found is not None else 0
        if found is not None:
            count = found._indices().size(1)
        if knowledge.level(indices) != knowledge.KNOWN and count:
            made_up.note_size(f"coalescing takes all {count} indices")
        new = indices.new_empty([indices.size(0), count]), values.new_empty([count, *values.shape[1:]])
        if found is not None:
            _write(new[0], found._indices(), knowledge.level(indices))
            _write(new[1], found._values(), level)
    del scratch
    return torch.ops.aten._sparse_coo_tensor_unsafe(*new, tensor.shape, is_coalesced=True)


def _on_cpu(tensor, indices, values):
    """The same on the CPU if the indices are known; the values may not be."""
    if knowledge.level(indices) == knowledge.UNKNOWN or not knowledge.is_small(indices):
        return None
    if not knowledge.is_small(values):
        values, shape = torch.ones(indices.size(1), device="cpu"), tensor.shape[: tensor.sparse_dim()]
    else:
        values, shape = beside.alias(values), tensor.shape
    return torch.sparse_coo_tensor(beside.alias(indices), values, shape, check_invariants=False).coalesce()


def _write(to, values, level):
    if to.shape == values.shape and level:
        beside.copy(to, values)
        knowledge.mark(to, level)
