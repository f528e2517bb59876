"""Loops with Accelerate, or any loop in PyTorch.

>>> with memmodel.integrations.accelerate.watch(model, optimizer, budget="16GiB") as watcher:
...     for batch in loader:
...         ...
...         optimizer.step()
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from memmodel.integrations._watcher import Hooked, MemoryWarning, Watcher

__all__ = ["MemoryWarning", "watch"]


@contextmanager
def watch(model: Any, optimizer: Any, **options: Any) -> Iterator[Watcher]:
    """The prediction before the first forward pass of the model, the measurement after the optimizer's second step.
    Takes what Watcher takes; model and optimizer may be those that Accelerator.prepare() returns."""
    watcher = Watcher(**options)
    inner = getattr(optimizer, "optimizer", optimizer)
    hooked = watcher.guard(Hooked, watcher, model, lambda: inner)
    handle = inner.register_step_post_hook(lambda *_: watcher.after())
    try:
        yield watcher
    finally:
        handle.remove()
        if hooked:
            hooked.remove()
        watcher.end()
