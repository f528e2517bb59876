"""Groups of some of the ranks: how many they are NCCL asks the others, who may not be there."""

import functools
import inspect

from memmodel_cuda import library


def install(c10d):
    """`c10d` is torch.distributed.distributed_c10d."""
    c10d.new_group = _of_ranks(c10d, c10d.new_group)
    c10d.split_group = _of_parts(c10d, c10d.split_group)


def _said(c10d, parts, make):
    """The library knows of the part that this rank is in."""
    mine = next((ranks for ranks in parts if c10d.get_rank() in ranks), None)
    if mine:
        library.split(len(mine), mine.index(c10d.get_rank()))
    try:
        return make()
    finally:
        library.split(0, 0)


def _of_ranks(c10d, real):
    signature = inspect.signature(real)

    @functools.wraps(real)
    def new_group(*args, **kwargs):
        ranks = signature.bind_partial(*args, **kwargs).arguments.get("ranks")
        parts = [] if ranks is None else [sorted(ranks)]
        return _said(c10d, parts, lambda: real(*args, **kwargs))

    return new_group


def _of_parts(c10d, real):
    @functools.wraps(real)
    def split_group(parent_pg=None, split_ranks=None, *args, **kwargs):
        of_parent = c10d.get_process_group_ranks(parent_pg or c10d.group.WORLD)
        parts = [[of_parent[place] for place in places] for places in split_ranks or ()]
        return _said(c10d, parts, lambda: real(parent_pg, split_ranks, *args, **kwargs))

    return split_group
