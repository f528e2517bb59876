"""What has to be done so that a job is within so many bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memmodel import _call, _ffi
from memmodel.estimation import _checked, _job
from memmodel.network import Network
from memmodel.quantity import format_bytes, parse_bytes


class BudgetStep(NamedTuple):
    """A means, and what it gave.

    means: "apart", "reuse", "order", "recompute", "tile" or "batch". taken: whether it needs less than what was before.
    peak: bytes of the job after it. extra: time or multiplications that it adds, 0.1 is 10 %. what: what was chosen, or
    why nothing was.
    """

    means: str
    taken: bool
    peak: int
    extra: float
    what: str


class Budget:
    """What within() found. `print(budget)` shows it as a paragraph.

    measure: the bytes that a training's peaks are of, such as "process"; None of an inference, which is planned.
    """

    def __init__(self, handle: _ffi.BudgetHandle, budget: int) -> None:
        result = _ffi.budget_result(handle)
        self.budget = budget
        self.fits = bool(result.fits)
        self.measure = _ffi.Measure(result.measure).name.lower() if result.measure else None
        self.peak: int = result.peak
        self.extra: float = result.extra
        self.batch: int | None = result.batch or None
        self.checkpoint = _call.decoded(result.checkpoint)
        self.text: str = _ffi.budget_text(handle)
        steps = [_ffi.budget_step(handle, index) for index in range(_ffi.budget_step_count(handle))]
        self.steps = tuple(
            BudgetStep(
                _ffi.BudgetMeans(step.means).name.lower(),
                bool(step.taken),
                step.peak,
                step.extra,
                _call.decoded(step.what),
            )
            for step in steps
        )

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        verdict = "within" if self.fits else "above"
        return f"<Budget {format_bytes(self.peak)}, {verdict} {format_bytes(self.budget)}, {self.extra:.1%} more time>"


def within(
    network: Network,
    budget: int | str,
    *,
    measure: str | int | _ffi.Measure = "default",
    symbols: Mapping[str, int] | None = None,
    **job: Any,
) -> Budget:
    """What brings a job within a budget: reuse of memory, another order, recomputation, tiles, a smaller batch, in this
    order and no more of them than it takes.

    Takes what estimate() takes; with inference=True the bytes are those of the network's Schedule and its weights.
    budget: bytes, or a text such as "16GiB". measure: as in solve(), of a training.

    >>> found = memmodel.within(net, "16GiB", batch=64, dim=224)
    >>> print(found)
    """
    fields = {name: job.pop(name) for name in set(job) & _ffi.Job.__annotations__.keys()}
    asked = _job(symbols, job, measure=measure, **fields)
    limit = parse_bytes(budget, "budget")
    with _checked(network)._turns.reading():
        return Budget(_ffi.budget_new(network._handle, asked, limit), limit)
