"""What to compute again in the backward pass, so that a job fits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from memmodel import _call, _ffi
from memmodel._turns import Turns
from memmodel.estimation import _checked, _job
from memmodel.network import Network
from memmodel.quantity import format_bytes, parse_bytes
from memmodel.samples import _context


class RecomputationPoint(NamedTuple):
    """A point of the curve: peak bytes, extra time as a part of a step's (0.1 is 10 %), and what is wrapped for it.

    checkpoint: as estimate() takes it. scopes: names of the modules to wrap in torch.utils.checkpoint, "h.0..3" of
    several that one call runs. groups: for each of these the names of its modules, in the order of their calls.
    """

    peak: int
    extra: float
    checkpoint: str
    scopes: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]


class Recomputation:
    """What recompute() found: the advice, and the curve between peak and time as a sequence of its points.

    measure: the bytes that all peaks are of, such as "process".
    """

    def __init__(self, handle: _ffi.RecomputationHandle, budget: int) -> None:
        result = _ffi.recomputation_result(handle)
        self.json = _ffi.recomputation_to_json(handle)
        self.svg = _ffi.recomputation_to_svg(handle)
        self.budget = budget
        self.measure: str = _ffi.Measure(result.measure).name.lower()
        self.before: int = result.before
        self.least: int = result.least
        self.simulations: int = result.simulations
        self.fits = bool(result.fits)
        self.settled = bool(result.settled)
        self.curve: tuple[RecomputationPoint, ...] = tuple(
            RecomputationPoint(
                point["peak"],
                point["extra"],
                point["checkpoint"],
                tuple(point["scopes"]),
                tuple(tuple(group) for group in point["groups"]),
            )
            for point in json.loads(self.json)["curve"]
        )
        self.advice: RecomputationPoint = self.curve[result.point]

    @property
    def peak(self) -> int:
        """As advised."""
        return self.advice.peak

    @property
    def extra(self) -> float:
        """Time of the advice, as a part of a step's."""
        return self.advice.extra

    @property
    def checkpoint(self) -> str:
        """The advice, as estimate() takes it."""
        return self.advice.checkpoint

    @property
    def scopes(self) -> tuple[str, ...]:
        """Names of the modules to wrap, "h.0..3" of several in one call."""
        return self.advice.scopes

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Of each of the scopes, the modules that one call of torch.utils.checkpoint runs, in their order."""
        return self.advice.groups

    def __len__(self) -> int:
        return len(self.curve)

    def __iter__(self) -> Iterator[RecomputationPoint]:
        return iter(self.curve)

    def __getitem__(self, index: int) -> RecomputationPoint:
        return self.curve[index]

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        beyond = "" if self.fits else f", above the budget of {format_bytes(self.budget)}"
        return (
            f"<Recomputation {format_bytes(self.before)} to {format_bytes(self.peak)}{beyond}, "
            f"{self.extra:.1%} more time: {self.checkpoint or 'nothing wrapped'}>"
        )


def recompute(
    network: Network,
    budget: int | str = 0,
    *,
    simulations: int = 0,
    costs: Mapping[str, float] | None = None,
    progress: Callable[[int, int], object] | None = None,
    measure: str | int | _ffi.Measure = "default",
    symbols: Mapping[str, int] | None = None,
    **job: Any,
) -> Recomputation:
    """Which modules to wrap in torch.utils.checkpoint so that a training is within a budget and takes least time.

    Takes what estimate() takes of trainings with "pytorch". budget: bytes, or a text such as "16GiB"; as little as can
    be unless given. costs: of running layers or scopes forward, by name, such as measured seconds; their operations
    unless given. simulations: most of them, 2,000 unless given. progress: called with the number of simulations and the
    least peak; a true return stops the search. measure: as in solve().

    >>> found = memmodel.recompute(net, "16GiB", batch=64, dim=224)
    >>> print(found.checkpoint, found.extra)
    """
    fields = {name: job.pop(name) for name in set(job) & _ffi.Job.__annotations__.keys()}
    asked = _job(symbols, job, measure=measure, **fields)
    limit = parse_bytes(budget, "budget")
    if costs is not None and not isinstance(costs, Mapping):
        raise TypeError(f"costs: a mapping is needed, not {_call.kind_of(costs)}")
    with _checked(network)._turns.reading():
        handle = _ffi.recomputation_new(network._handle)
        for name, cost in (costs or {}).items():
            _ffi.recomputation_cost(handle, name, cost)
        if progress is not None:
            _ffi.recomputation_observe(handle, progress)
        _ffi.recomputation_solve(handle, asked, limit, simulations)
        return Recomputation(handle, limit)


class ChainStep(NamedTuple):
    """A step of a chain's schedule: "forward", "keep" (the input), "save" (all) or "backward" of a block; bytes in use
    during it, and held after it."""

    operation: str
    block: int
    held: int
    peak: int


class ChainResult(NamedTuple):
    """What a chain came to; least and most: the least peak of any schedule, and that with nothing computed twice."""

    peak: int
    least: int
    most: int
    cost: float
    least_cost: float

    @property
    def extra(self) -> float:
        """Cost of what is computed again, as a part of all others."""
        return self.cost / self.least_cost - 1 if self.least_cost else 0.0


class Chain:
    """Blocks one after the other, run forward and backward within a budget at the least cost.

    >>> chain = memmodel.Chain(output=4)
    >>> for _ in range(12):
    ...     chain.add(2**20, 16 * 2**20, forward_cost=1, backward_cost=2)
    >>> chain.solve("80MiB").cost
    """

    __slots__ = ("__weakref__", "_handle", "_turns")

    def __init__(self, output: int) -> None:
        """output: bytes of what the last block makes, such as a loss."""
        self._handle = _ffi.chain_new(_context(), output)
        self._turns = Turns()

    def add(
        self,
        input: int,
        saved: int,
        *,
        forward_cost: float = 1.0,
        backward_cost: float = 2.0,
        forward_bytes: int = 0,
        backward_bytes: int = 0,
        name: str = "",
    ) -> None:
        """A block at the end. input: bytes that a checkpoint keeps. saved: bytes for its backward pass besides, its
        output included. forward_bytes, backward_bytes: besides, while it runs."""
        block = _ffi.ChainBlock(
            name=name, input=input, saved=saved, forward_bytes=forward_bytes, backward_bytes=backward_bytes,
            forward_cost=forward_cost, backward_cost=backward_cost,
        )  # fmt: skip
        with self._turns.writing():
            _ffi.chain_add(self._handle, block)

    def solve(self, budget: int | str, *, slots: int = 0) -> ChainResult:
        """The schedule of least cost within `budget` bytes, each size rounded up to one of 500 `slots` of it."""
        with self._turns.writing():
            _ffi.chain_solve(self._handle, parse_bytes(budget, "budget"), slots)
            return self.result

    @property
    def result(self) -> ChainResult:
        """What the chain came to when it was solved last."""
        result = _ffi.chain_result(self._handle)
        return ChainResult(result.peak, result.least, result.most, result.cost, result.least_cost)

    @property
    def steps(self) -> list[ChainStep]:
        """The schedule; none if the chain is not solved."""
        with self._turns.reading():
            found = (_ffi.chain_step(self._handle, i) for i in range(_ffi.chain_step_count(self._handle)))
            return [
                ChainStep(_ffi.ChainOperation(step.operation).name.lower(), step.block, step.held, step.peak)
                for step in found
            ]

    def __repr__(self) -> str:
        steps = len(self.steps)
        return f"<Chain, {steps} steps, {format_bytes(self.result.peak)}>" if steps else "<Chain>"
