"""Optuna: trials that cannot fit are pruned before they run.

>>> study = optuna.create_study(pruner=memmodel.integrations.optuna.MemoryPruner(estimate))

where estimate(params) is a report, as of memmodel.estimate(). The objective asks once it has its parameters:

>>> if trial.should_prune():
...     raise optuna.TrialPruned()
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from optuna.pruners import BasePruner, NopPruner

from memmodel.integrations._reporter import MemoryWarning

__all__ = ["MemoryPruner", "MemoryWarning"]


class MemoryPruner(BasePruner):  # type: ignore[misc]  # without its package it is of any type
    """Prunes a trial whose estimate does not fit its budget; others are `then`'s, another pruner. A trial is estimated
    once, the first time that it asks. `summaries` has the verdict of each in words, by its number. An error of the
    estimate is one warning, and such trials run."""

    def __init__(self, estimate: Callable[[Mapping[str, Any]], Any], then: BasePruner | None = None) -> None:
        self.summaries: dict[int, str] = {}
        self._estimate = estimate
        self._then = then or NopPruner()
        self._exceeding: dict[int, bool] = {}
        self._warned = False
        self._lock = threading.Lock()

    def _exceeds(self, trial: Any) -> bool:
        try:
            report = self._estimate(trial.params)
            self.summaries[trial.number] = report.summary
            return bool(report.verdict == "exceeds")
        except Exception as problem:  # noqa: BLE001  # a study is worth more than its pruner
            if not self._warned:
                warnings.warn(f"trials are not estimated: {problem}", MemoryWarning, stacklevel=2)
            self._warned = True
            return False

    def prune(self, study: Any, trial: Any) -> bool:
        with self._lock:
            if trial.number not in self._exceeding:
                self._exceeding[trial.number] = self._exceeds(trial)
        return self._exceeding[trial.number] or bool(self._then.prune(study, trial))
