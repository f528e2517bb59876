"""Keras' model.fit() on TensorFlow's CPU back end.

>>> model.fit(x, y, callbacks=[memmodel.integrations.keras.MemoryCallback(budget="16GiB", samples="runs.csv")])
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import keras

import memmodel.keras
from memmodel.integrations._reporter import MemoryWarning, Reporter, process_peak

__all__ = ["MemoryCallback", "MemoryWarning"]


def _resident_bytes() -> int | None:
    """Of the process now; None where nothing says so."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def _rows_of(adapter: Any) -> int | None:
    """Rows of a batch by what feeds fit(): a single batch may have less than was asked for."""
    if getattr(adapter, "num_batches", None) == 1 and getattr(adapter, "has_partial_batch", False):
        return int(adapter.partial_batch_size)
    size = getattr(adapter, "batch_size", None)
    return None if size is None else int(size)


def _rows_in_fit() -> int | None:
    """Callbacks hear nothing of batches from Keras: what fit() iterates over knows, and it is among their callers."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        adapter = getattr(frame.f_locals.get("epoch_iterator"), "data_adapter", None)
        if adapter is not None:
            return _rows_of(adapter)
        frame = frame.f_back
    return None


def _check_backend() -> None:
    if keras.backend.backend() != "tensorflow":
        raise NotImplementedError(f"Keras on {keras.backend.backend()} is not modelled, TensorFlow is")
    import tensorflow

    if tensorflow.config.list_logical_devices("GPU"):
        raise NotImplementedError("TensorFlow on a GPU is not modelled, the CPU is")


class MemoryCallback(keras.callbacks.Callback):  # type: ignore[misc]  # without its package it is of any type
    """The prediction and the verdict before the first step, the measured peak of the process beside it after the
    second. A model that its first step builds is predicted before the second. `report` is that of
    memmodel.keras.estimate().

    budget: bytes, or a text such as "16GiB". samples: path of a CSV table that gets a row. log: what is called with a
    line; print unless given. batch_size: rows of a batch; those of fit() unless given. job: what
    memmodel.keras.estimate() takes besides, such as sizes of unknown dimensions.
    """

    def __init__(
        self,
        *,
        budget: int | str | None = None,
        samples: str | os.PathLike[str] | None = None,
        log: Callable[[str], object] = print,
        batch_size: int | None = None,
        **job: Any,
    ) -> None:
        super().__init__()
        self._reporter = Reporter(budget=budget, samples=samples, log=log)
        self._batch_size, self._job = batch_size, job
        self._rows: int | None = None
        self._base: int | None = None
        self._steps = 0

    @property
    def report(self) -> Any:
        return self._reporter.report

    # ---- before ----

    def _begin(self) -> None:
        _check_backend()
        self._base = _resident_bytes()
        self._rows = self._batch_size or _rows_in_fit()
        if self._rows is None:
            raise ValueError("batch_size: fit() does not say it; MemoryCallback(batch_size=...) does")

    def _predict(self) -> None:
        job = {"budget": self._reporter.budget, "base_bytes": self._base, **self._job}
        assert self._rows is not None
        self._reporter.announce(memmodel.keras.estimate(self.model, self._rows, **job))

    def on_train_begin(self, logs: Any = None) -> None:
        self._reporter.report, self._steps = None, 0
        self._reporter.guard(self._begin)

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        if self._reporter.report is None and self._steps < 2 and (self.model.built or self._steps == 1):
            self._reporter.guard(self._predict)

    # ---- after ----

    def _compare(self) -> None:
        report = self._reporter.report
        if report is not None and self._rows is not None:
            shapes = [tensor.shape[1:] for tensor in self.model.inputs]
            elements = [math.prod(shape) for shape in shapes if None not in shape]
            predicted = report.peak.process or report.peak.live
            size = {"batch": self._rows, "elements": self._rows * max(elements, default=0)}
            self._reporter.compare(predicted, process_peak(), **size)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._steps += 1
        if self._steps == 2:
            self._reporter.guard(self._compare)

    def on_train_end(self, logs: Any = None) -> None:
        if self._steps == 1:
            self._reporter.guard(self._compare)
