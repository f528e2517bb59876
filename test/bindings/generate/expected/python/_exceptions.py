"""An exception for each status. Generated from include/memmodel/context.h: edit that."""

from __future__ import annotations

from memmodel.errors import MemmodelError

__all__ = [
    "NoMemoryError",
    "FullError",
]


class NoMemoryError(MemmodelError, MemoryError):
    """There is no memory. Free some."""

    status = -1


class FullError(MemmodelError):
    """The box is full. Take a larger one."""

    status = -2
