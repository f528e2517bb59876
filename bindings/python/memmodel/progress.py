"""How far a call is that takes long: what every `progress=` is called with."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from memmodel import _call, _ffi


class Progress(NamedTuple):
    """How far a call is.

    stage: what it does now, such as "simulations". done: of that, so far. total: at most; None if not known. seconds:
    since the call began. best: the best answer so far, bytes of a plan or a job, error of a formula; None: none yet.
    """

    stage: str
    done: int
    total: int | None
    seconds: float
    best: float | None


Observer = Callable[[Progress], object]


def _progress(given: _ffi.Progress) -> Progress:
    return Progress(
        _call.decoded(given.stage),
        given.done,
        None if given.total < 0 else given.total,
        given.seconds,
        None if math.isnan(given.best) else given.best,
    )


def set_progress(context: _call.Handle, observer: Observer | None) -> None:
    """Who is called by what runs on a context from now on; a true result ends the call."""
    if observer is not None and not callable(observer):
        raise TypeError(f"progress: a callable is needed, not {_call.kind_of(observer)}")

    def call(given: _ffi.Progress) -> object:
        return observer(_progress(given)) if observer else None

    handle = _call.instance_of(context, _ffi.ContextHandle, "context")
    _ffi.context_set_progress(handle, call if observer else None)
