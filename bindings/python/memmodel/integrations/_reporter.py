"""What all callbacks share, whatever they train with: a prediction is said, a measurement beside it, a row goes into a
table. Nothing in here may stop a training: what goes wrong is one warning, then silence.
"""

from __future__ import annotations

import os
import resource
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from memmodel.integrations._trackers import track
from memmodel.quantity import format_bytes, parse_bytes
from memmodel.report import Report
from memmodel.samples import Samples

Result = TypeVar("Result")


class MemoryWarning(UserWarning):
    """A step that may not fit, or a prediction that could not be made."""


def process_peak() -> int:
    """Of the process so far, by the kernel's high-water mark."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Reporter:
    """What is said of one training.

    budget: bytes, or a text such as "16GiB". samples: path of a CSV table that gets a row. log: what is called with a
    line; print unless given.
    """

    def __init__(
        self,
        *,
        budget: int | str | None = None,
        samples: str | os.PathLike[str] | None = None,
        log: Callable[[str], object] = print,
    ) -> None:
        self.budget = None if budget is None else parse_bytes(budget, "budget")
        self.samples, self.log = samples, log
        self.report: Report | None = None
        self.measured: int | None = None
        self.broken = False

    def guard(self, work: Callable[..., Result], *args: Any, **kwargs: Any) -> Result | None:
        """Its result; None where it fails, which is said once."""
        if self.broken:
            return None
        try:
            return work(*args, **kwargs)
        except Exception as error:
            self.broken = True
            first = (str(error).strip().splitlines() or [""])[0]
            text = f"memmodel: no memory is predicted here: {type(error).__name__}: {first}"
            warnings.warn(text, MemoryWarning, stacklevel=2)
            return None

    def announce(self, report: Report) -> None:
        """Before a step."""
        self.report = report
        peak = report.peak.process or report.peak.reserved
        self.log(f"memmodel: the training takes {format_bytes(peak)}, at {report.peak_location}")
        if report.summary:
            self.log(f"memmodel: {report.summary}")
        track({"predicted_bytes": peak, "budget_bytes": report.budget, "verdict": report.summary})

    def compare(self, predicted: int, measured: int, **inputs: int) -> None:
        """After it; inputs: of the row."""
        self.measured = measured
        self.log(f"memmodel: predicted {format_bytes(predicted)}, measured {format_bytes(measured)}")
        track({"predicted_bytes": predicted, "measured_bytes": measured})
        if self.samples is not None:
            Samples.append_to_file(self.samples, **inputs, predicted_bytes=predicted, peak_bytes=measured)
