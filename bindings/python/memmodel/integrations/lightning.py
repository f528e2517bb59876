"""Lightning's Trainer.

>>> Trainer(callbacks=[memmodel.integrations.lightning.MemoryCallback(gpu="h100")])
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:  # the package's older name
    from pytorch_lightning.callbacks import Callback

from memmodel.integrations._watcher import MemoryWarning, Watcher

__all__ = ["MemoryCallback", "MemoryWarning"]


@contextmanager
def _silent(module: Any) -> Iterator[None]:
    """What a step logs is no part of it."""
    names = [name for name in ("log", "log_dict") if name not in vars(module)]
    for name in names:
        object.__setattr__(module, name, lambda *args, **kwargs: None)
    try:
        yield
    finally:
        for name in names:
            object.__delattr__(module, name)


class _Step(torch.nn.Module):  # type: ignore[misc, unused-ignore]  # without its package it is of any type
    """training_step() as a module: its result is the loss."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module

    def forward(self, batch: Any) -> torch.Tensor:
        with _silent(self.module):
            result = self.module.training_step(batch, 0)
        loss: torch.Tensor = result["loss"] if isinstance(result, dict) else result
        return loss


class MemoryCallback(Callback):  # type: ignore[misc]  # without its package it is of any type
    """As memmodel.integrations.transformers.MemoryCallback."""

    def __init__(self, **options: Any) -> None:
        self.watcher = Watcher(**options)

    @property
    def report(self) -> Any:
        return self.watcher.report

    def _optimizer(self, trainer: Any) -> Any:
        optimizers = trainer.optimizers
        return getattr(optimizers[0], "optimizer", optimizers[0]) if optimizers else "none"

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        if self.watcher.report is None and not self.watcher.broken:
            step = _Step(pl_module)
            step.train(pl_module.training)
            self.watcher.before(step, (batch,), None, optimizer=self._optimizer(trainer))
        else:
            self.watcher.before(pl_module, (batch,))

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        self.watcher.after()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self.watcher.end()
