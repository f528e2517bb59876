"""Experiment trackers that the training uses: MLflow and Weights & Biases. One that has no run going on is left alone,
and none is imported that the training has not imported itself.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping

PREFIX = "memmodel"
Values = Mapping[str, int | str | None]


def _numbers(values: Values) -> dict[str, float]:
    return {name: float(value) for name, value in values.items() if isinstance(value, int)}


def _texts(values: Values) -> dict[str, str]:
    return {name: value for name, value in values.items() if isinstance(value, str) and value}


def _mlflow(values: Values) -> None:
    """Metrics "memmodel/..." and tags "memmodel....", of the run that is active."""
    mlflow = sys.modules["mlflow"]
    if mlflow.active_run() is None:
        return
    mlflow.log_metrics({f"{PREFIX}/{name}": value for name, value in _numbers(values).items()})
    mlflow.set_tags({f"{PREFIX}.{name}": text for name, text in _texts(values).items()})


def _wandb(values: Values) -> None:
    """Of the run's summary, which leaves the steps of its log alone."""
    run = sys.modules["wandb"].run
    if run is not None:
        known = {**_numbers(values), **_texts(values)}
        run.summary.update({f"{PREFIX}/{name}": value for name, value in known.items()})


TRACKERS: dict[str, Callable[[Values], None]] = {"mlflow": _mlflow, "wandb": _wandb}


def track(values: Values) -> None:
    """Hands values to those that are in use. One that fails is one warning, and the others have them."""
    for name, hand_over in TRACKERS.items():
        if name in sys.modules:
            try:
                hand_over({key: value for key, value in values.items() if value is not None})
            except Exception as error:
                first = (str(error).strip().splitlines() or [""])[0]
                text = f"memmodel: {name} did not take the memory's numbers: {type(error).__name__}: {first}"
                warnings.warn(text, UserWarning, stacklevel=2)
