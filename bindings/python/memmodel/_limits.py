"""What calls of the library may use: limits for everything made within a `with` block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from memmodel import _ffi
from memmodel.progress import Observer, set_progress
from memmodel.quantity import parse_bytes

_chosen: ContextVar[_ffi.Limits | None] = ContextVar("memmodel limits", default=None)
_noting: ContextVar[Callable[[_ffi.ContextHandle], object] | None] = ContextVar("memmodel contexts", default=None)
NONE = 2**63 - 1


def _count(value: float | None) -> int:
    """0 stands for the default, and infinity for no limit."""
    return 0 if value is None else NONE if value == inf else int(value)


def _size(value: float | str | None) -> int:
    return parse_bytes(value) if isinstance(value, str) else _count(value)


@contextmanager
def limits(
    *,
    memory_bytes: float | str | None = None,
    input_bytes: float | str | None = None,
    nodes: float | None = None,
    layers: float | None = None,
    seconds: float | None = None,
) -> Iterator[None]:
    """
    What calls may use of memory (1 GiB unless given), of a file (256 MiB), of work (10 000 000 000 nodes), of layers
    (1 000 000) and of time (no limit): of networks, tables and models that are made in the block, and of estimates.
    A call that would go beyond raises LimitError.

        with memmodel.limits(memory_bytes="4GiB", seconds=10):
            network = memmodel.onnx.load(path)

    `math.inf` is no limit. What is not given is as by default, also within another block.
    """
    given = _ffi.Limits(
        memory_bytes=_size(memory_bytes),
        input_bytes=_size(input_bytes),
        nodes=_count(nodes),
        layers=_count(layers),
        seconds=0.0 if seconds is None else seconds,
    )
    _ffi.context_set_limits(_ffi.context_new(None), given)  # refuses what is below 0
    token = _chosen.set(given)
    try:
        yield
    finally:
        _chosen.reset(token)


@contextmanager
def noted(note: Callable[[_ffi.ContextHandle], object]) -> Iterator[None]:
    """What is called with each context that is made in the block, so that another thread may cancel it."""
    token = _noting.set(note)
    try:
        yield
    finally:
        _noting.reset(token)


def new_context(progress: Observer | None = None) -> _ffi.ContextHandle:
    """A context with the limits of the block that runs."""
    context = _ffi.context_new(None)
    given = _chosen.get()
    if given is not None:
        _ffi.context_set_limits(context, given)
    if progress is not None:
        set_progress(context, progress)
    note = _noting.get()
    if note is not None:
        note(context)
    return context
