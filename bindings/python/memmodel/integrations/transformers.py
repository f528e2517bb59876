"""Hugging Face's Trainer.

>>> Trainer(..., callbacks=[memmodel.integrations.transformers.MemoryCallback(budget="16GiB", samples="runs.csv")])
"""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from memmodel.integrations._watcher import Hooked, MemoryWarning, Watcher

__all__ = ["MemoryCallback", "MemoryWarning"]


def _optimizer(given: Any) -> Any:
    """The one inside of Accelerate's."""
    return getattr(given, "optimizer", given) or "adamw"


class MemoryCallback(TrainerCallback):  # type: ignore[misc]  # without its package it is of any type
    """The prediction and the verdict before the first step, the measurement beside it after the second, and a warning
    before a step whose batch will not fit. Takes what Watcher takes: budget, gpu, samples, and a job's fields.
    `report` is that of memmodel.torch.estimate()."""

    def __init__(self, **options: Any) -> None:
        self.watcher = Watcher(**options)
        self._hooked: Hooked | None = None

    @property
    def report(self) -> Any:
        return self.watcher.report

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        model, optimizer = kwargs.get("model"), kwargs.get("optimizer")
        if model is not None:
            self._hooked = self.watcher.guard(Hooked, self.watcher, model, lambda: _optimizer(optimizer))

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.watcher.after()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.watcher.end()
        if self._hooked:
            self._hooked.remove()
