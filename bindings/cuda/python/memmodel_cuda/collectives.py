"""
What a collective leaves is what this rank knows: the stand-in for NCCL takes the other ranks to hold the same, while
that is small (nccl_operations.c). Known values of one rank become plausible ones of several.
"""

import torch

from memmodel_cuda import dispatcher, knowledge

# Operators whose first argument is written, with the place of the one that is read.
_READ = {"allreduce_": 0, "allreduce_coalesced_": 0, "broadcast_": 0, "reduce_": 0, "_allgather_base_": 1,
         "allgather_": 1, "allgather_coalesced_": 1, "allgather_into_tensor_coalesced_": 1, "_reduce_scatter_base_": 1,
         "reduce_scatter_": 1, "reduce_scatter_tensor_coalesced_": 1, "alltoall_": 1, "alltoall_base_": 1,
         "gather_": 1, "gather_into_tensor_": 1, "scatter_": 1}  # fmt: skip
_RECEIVES = ("recv_", "recv_any_source_")
_HANDED_OVER = 1 << 12  # bytes: of a broadcast that really comes from its root (nccl_exchange.c)


def install():
    names = set(dispatcher.names())
    for base in (*_READ, *_RECEIVES):
        if "c10d::" + base in names:
            dispatcher.replace("c10d::" + base, _following(base))


def _following(base):
    real = dispatcher.kernel("c10d::" + base)

    def call(*args, **kwargs):
        level = _level(base, args)
        result = real(*args, **kwargs)
        for tensor in _tensors(args[0]):
            if level != knowledge.UNKNOWN and knowledge.is_small(tensor):
                knowledge.written(tensor, level)
            else:
                knowledge.forget(tensor)
        return result

    return call


def _level(base, args):
    """What is known of the result."""
    if base in _RECEIVES:
        return knowledge.UNKNOWN
    ranks, rank = _ranks(args)
    least = knowledge.PLAUSIBLE if ranks > 1 else knowledge.KNOWN
    if base == "broadcast_" and rank != args[2] and all(tensor.nbytes <= _HANDED_OVER for tensor in _tensors(args[0])):
        return least
    for tensor in _tensors(args[_READ[base]]):
        if not knowledge.is_small(tensor):
            return knowledge.UNKNOWN
        least = min(least, knowledge.level(tensor))
    return least


def _ranks(args):
    """How many ranks the group has, and this one's number in it."""
    for value in args:
        if isinstance(value, torch.ScriptObject):
            group = torch.distributed.ProcessGroup.unbox(value)
            return group.size(), group.rank()
    return 1, 0


def _tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
