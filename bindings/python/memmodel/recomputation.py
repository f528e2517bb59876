"""What to recompute in the backward pass, so that a job fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memmodel import _call, _ffi, _limits
from memmodel._rwlock import ReadWriteLock
from memmodel.estimation import _checked, job_of
from memmodel.network import Network
from memmodel.progress import Observer, set_progress
from memmodel.quantity import format_bytes, parse_bytes
from memmodel.samples import _context


class RecomputationPoint(NamedTuple):
    """A point of the curve between peak and time.

    overhead: of a step's time, 0.1 is 10 %. checkpoint: as estimate() takes it. segments: for each call of
    torch.utils.checkpoint the names of the modules that it runs, in the order of their calls.
    """

    peak: int
    overhead: float
    checkpoint: str
    segments: tuple[tuple[str, ...], ...]


def _modules(handle: _ffi.RecomputationHandle, point: int, segment: int) -> Iterator[str]:
    index = 0
    while (name := _ffi.recomputation_segment_module(handle, point, segment, index)) is not None:
        yield name
        index += 1


def _point(handle: _ffi.RecomputationHandle, index: int) -> RecomputationPoint:
    point = _ffi.recomputation_get_point(handle, index)
    segments = (tuple(_modules(handle, index, segment)) for segment in range(point.segment_count))
    return RecomputationPoint(point.peak, point.overhead, _call.decoded(point.checkpoint), tuple(segments))


class Recomputation:
    """What recompute() found: the selected point, and the curve between peak and time as a sequence of its points.

    metric: the bytes that all peaks are of, such as "process". verdict: whether the selected point is within the
    budget, "fits" or "exceeds"; None without one. status: of the search, "converged", "limit" or "cancelled".
    peak_baseline: with nothing recomputed. min_peak: the smallest that was found.
    """

    def __init__(self, handle: _ffi.RecomputationHandle, budget: int) -> None:
        result = _ffi.recomputation_get_result(handle)
        self._json = _ffi.recomputation_to_json(handle, _limits.new_context())
        self._svg = _ffi.recomputation_to_svg(handle, _limits.new_context())
        self.budget = budget
        self.metric = _call.word(_ffi.Metric, result.metric)
        self.peak_baseline: int = result.peak_baseline
        self.min_peak: int = result.min_peak
        self.simulation_count: int = result.simulation_count
        self.verdict = _call.word(_ffi.Verdict, result.verdict) if result.verdict else None
        self.status = _call.word(_ffi.SearchStatus, result.status)
        self.curve = tuple(_point(handle, index) for index in range(_ffi.recomputation_point_count(handle)))
        self.selected_point: RecomputationPoint = self.curve[result.selected_point]

    @property
    def peak(self) -> int:
        """Of the selected point."""
        return self.selected_point.peak

    @property
    def overhead(self) -> float:
        """Of a step's time, at the selected point."""
        return self.selected_point.overhead

    @property
    def checkpoint(self) -> str:
        """The selected point as estimate() takes it."""
        return self.selected_point.checkpoint

    @property
    def segments(self) -> tuple[tuple[str, ...], ...]:
        """Of the selected point: the modules of each call of torch.utils.checkpoint, in their order."""
        return self.selected_point.segments

    def to_json(self) -> str:
        return self._json

    def to_svg(self) -> str:
        """A picture of the curve."""
        return self._svg

    def __len__(self) -> int:
        return len(self.curve)

    def __iter__(self) -> Iterator[RecomputationPoint]:
        return iter(self.curve)

    def __getitem__(self, index: int) -> RecomputationPoint:
        return self.curve[index]

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        beyond = f", exceeds {format_bytes(self.budget)}" if self.verdict == "exceeds" else ""
        return (
            f"<Recomputation: baseline {format_bytes(self.peak_baseline)}, peak {format_bytes(self.peak)}{beyond}, "
            f"overhead {self.overhead:.1%}: {self.checkpoint or 'nothing'}>"
        )


def _costs(costs: Mapping[str, float] | None) -> list[_ffi.LayerCost]:
    if costs is not None and not isinstance(costs, Mapping):
        raise TypeError(f"costs: a mapping is needed, not {_call.kind_of(costs)}")
    return [_ffi.LayerCost(name=name, cost=cost) for name, cost in (costs or {}).items()]


def recompute(
    network: Network,
    budget: int | str = 0,
    *,
    max_simulations: int = 0,
    costs: Mapping[str, float] | None = None,
    progress: Observer | None = None,
    symbols: Mapping[str, int] | None = None,
    **job: Any,
) -> Recomputation:
    """Which modules to run by torch.utils.checkpoint so that a training is within a budget at the smallest overhead.

    Takes what estimate() takes of trainings with "pytorch". budget: bytes of `metric`, or a text such as "16GiB"; the
    smallest peak unless given. costs: of running layers or scopes forward, by name, such as measured seconds; their
    operations unless given. max_simulations: 2,000 unless given. progress: called now and then with a Progress; a true
    result ends the search, and the best that was found is kept.

    >>> found = memmodel.recompute(net, "16GiB", batch=64, dim=224)
    >>> print(found.checkpoint, found.overhead)
    """
    asked = job_of(symbols, {**job, "budget": budget})
    options = _ffi.RecomputeOptions(costs=_costs(costs) or None, max_simulations=max_simulations)
    with _checked(network)._lock.reading():
        found = _ffi.recompute(network._handle, asked, options, _limits.new_context(progress))
    return Recomputation(found, asked.budget)


class ChainStep(NamedTuple):
    """A step of a chain's schedule, of a block: "forward", "forward_checkpoint", which keeps the input,
    "forward_save_all" or "backward". live: bytes after it. peak: bytes during it."""

    operation: str
    block: int
    live: int
    peak: int


class ChainResult(NamedTuple):
    """The result of a chain. min_peak: the smallest of any schedule. max_peak, min_cost: with nothing recomputed.

    status: "optimal", or "infeasible" where no schedule is within the budget: this one has the smallest peak then;
    "none" before the chain is solved.
    """

    peak: int
    min_peak: int
    max_peak: int
    cost: float
    min_cost: float
    status: str

    @property
    def overhead(self) -> float:
        """Cost of what is recomputed, as a fraction of all others."""
        return self.cost / self.min_cost - 1 if self.min_cost else 0.0


class Chain:
    """Blocks one after the other, run forward and backward within a budget at the smallest cost.

    >>> chain = memmodel.Chain(output=4)
    >>> for _ in range(12):
    ...     chain.add_block(2**20, 16 * 2**20, forward_cost=1, backward_cost=2)
    >>> chain.solve("80MiB").cost
    """

    __slots__ = ("__weakref__", "_handle", "_lock")

    def __init__(self, output: int) -> None:
        """output: bytes of what the last block makes, such as a loss."""
        self._handle = _ffi.chain_new(_context(), output)
        self._lock = ReadWriteLock()

    def add_block(
        self,
        input_bytes: int,
        saved_bytes: int,
        *,
        forward_cost: float = 1.0,
        backward_cost: float = 2.0,
        forward_workspace_bytes: int = 0,
        backward_workspace_bytes: int = 0,
        name: str = "",
    ) -> None:
        """A block at the end. input_bytes: what a checkpoint keeps. saved_bytes: for its backward pass besides, its
        output included. forward_workspace_bytes, backward_workspace_bytes: besides, while it runs."""
        block = _ffi.ChainBlock(
            name=name,
            input_bytes=input_bytes,
            saved_bytes=saved_bytes,
            forward_workspace_bytes=forward_workspace_bytes,
            backward_workspace_bytes=backward_workspace_bytes,
            forward_cost=forward_cost,
            backward_cost=backward_cost,
        )
        with self._lock.writing():
            _ffi.chain_add_block(self._handle, block)

    def solve(self, budget: int | str, *, slots: int = 0, progress: Observer | None = None) -> ChainResult:
        """The schedule of the smallest cost within `budget` bytes, each size rounded up to one of 500 `slots` of it.
        progress: called now and then with a Progress; a true result ends the call with CancelledError."""
        options = _ffi.ChainOptions(budget=parse_bytes(budget, "budget"), slots=slots)
        with self._lock.writing():
            set_progress(self._handle.context, progress)
            try:
                _ffi.chain_solve(self._handle, options)
            finally:
                set_progress(self._handle.context, None)
            return self.result

    @property
    def result(self) -> ChainResult:
        """The result of the last solve()."""
        result = _ffi.chain_get_result(self._handle)
        status = _call.word(_ffi.SearchStatus, result.status)
        return ChainResult(result.peak, result.min_peak, result.max_peak, result.cost, result.min_cost, status)

    @property
    def steps(self) -> list[ChainStep]:
        """The schedule; none if the chain is not solved."""
        with self._lock.reading():
            found = (_ffi.chain_get_step(self._handle, i) for i in range(_ffi.chain_step_count(self._handle)))
            return [
                ChainStep(_call.word(_ffi.ChainOperation, step.operation), step.block, step.live, step.peak)
                for step in found
            ]

    def __repr__(self) -> str:
        steps = len(self.steps)
        return f"<Chain, {steps} steps, {format_bytes(self.result.peak)}>" if steps else "<Chain>"
