"""Ctrl-C while a pool's futures are waited for.

Python raises KeyboardInterrupt between any two steps of the main thread, those of `concurrent.futures.wait` among them
(_AcquireFutures): with futures locked that nobody unlocks any more, the threads that compute them can never set their
results, and the pool's shutdown waits for these threads for ever. Where it is held it comes when it is looked for.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def held() -> Iterator[Callable[[], None]]:
    """In the block SIGINT waits for a call of what is given, or for the block's end; then the handler that was there
    before does what it does. Threads other than the main one are sent none, and what is ignored stays so."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: None
        return
    handler: Callable[[int, FrameType | None], object] = before
    sent: list[tuple[int, FrameType | None]] = []

    def look() -> None:
        if sent:
            last = sent.pop()
            sent.clear()
            handler(*last)

    signal.signal(signal.SIGINT, lambda number, frame: sent.append((number, frame)))
    try:
        yield look
    finally:
        signal.signal(signal.SIGINT, before)
        look()
