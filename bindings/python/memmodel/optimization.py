"""What has to be done so that a job is within so many bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memmodel import _call, _ffi, _limits
from memmodel.estimation import _checked, job_of
from memmodel.network import Network
from memmodel.progress import Observer
from memmodel.quantity import format_bytes


class OptimizationStep(NamedTuple):
    """A technique, and what it gave.

    technique: "no_reuse", "reuse", "reorder", "recompute", "tile" or "batch". applied: whether it needs less than what
    was before. peak: bytes of the job after it. overhead: time or multiplications that it adds, 0.1 is 10 %. detail:
    what was chosen, or why nothing was.
    """

    technique: str
    applied: bool
    peak: int
    overhead: float
    detail: str


def _step(step: _ffi.OptimizationStep) -> OptimizationStep:
    technique = _call.word(_ffi.Technique, step.technique)
    return OptimizationStep(technique, bool(step.applied), step.peak, step.overhead, _call.decoded(step.detail))


class Optimization:
    """What optimize() found. `print(optimization)` shows it as a paragraph.

    verdict: "fits" or "exceeds". metric: the bytes that a training's peaks are of, such as "process"; None of an
    inference, which is planned. overhead: time or multiplications that all steps add, 0.1 is 10 %. batch: value of the
    symbol "batch"; None if there is none. checkpoint: as estimate() takes it.
    """

    def __init__(self, handle: _ffi.OptimizationHandle, budget: int) -> None:
        result = _ffi.optimization_get_result(handle)
        self.budget = budget
        self.verdict = _call.word(_ffi.Verdict, result.verdict)
        self.metric = _call.word(_ffi.Metric, result.metric) if result.metric else None
        self.peak: int = result.peak
        self.overhead: float = result.overhead
        self.batch: int | None = result.batch or None
        self.checkpoint = _call.decoded(result.checkpoint)
        self.summary = _call.decoded(result.summary)
        count = _ffi.optimization_step_count(handle)
        self.steps = tuple(_step(_ffi.optimization_get_step(handle, index)) for index in range(count))

    def __str__(self) -> str:
        return self.summary

    def __repr__(self) -> str:
        peak, budget = format_bytes(self.peak), format_bytes(self.budget)
        return f"<Optimization: peak {peak}, {self.verdict} {budget}, overhead {self.overhead:.1%}>"


def optimize(
    network: Network,
    budget: int | str,
    *,
    progress: Observer | None = None,
    symbols: Mapping[str, int] | None = None,
    **job: Any,
) -> Optimization:
    """What brings a job within a budget: reuse of memory, another order, recomputation, tiles, a smaller batch, in this
    order and no more of them than it takes.

    Takes what estimate() takes; with mode="inference" the bytes are those of the network's Schedule and its weights.
    budget: bytes, or a text such as "16GiB"; of a training those of `metric`. progress: called now and then with a
    Progress; a true result ends the call.

    >>> found = memmodel.optimize(net, "16GiB", batch=64, dim=224)
    >>> print(found)
    """
    asked = job_of(symbols, {**job, "budget": budget})
    with _checked(network)._lock.reading():
        found = _ffi.optimize(network._handle, asked, _limits.new_context(progress))
    return Optimization(found, asked.budget)
