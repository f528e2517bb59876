"""Buffers with known lifetimes, placed in as little memory as can be."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from memmodel import _call, _ffi, _limits
from memmodel._rwlock import ReadWriteLock
from memmodel.network import Network
from memmodel.progress import Observer, set_progress
from memmodel.quantity import format_bytes, parse_bytes
from memmodel.samples import _context
from memmodel.trace import Trace


class Buffer(NamedTuple):
    """A buffer of a plan and where it lies; `offset` is None as long as the plan is not solved."""

    name: str
    offset: int | None
    bytes: int
    lower: int
    upper: int
    alignment: int


class PlanResult(NamedTuple):
    """The result of a plan.

    status: "optimal", "feasible", "limit", "cancelled", "infeasible", or "none" before it is solved. peak: bytes that
    the arena needs. lower_bound: no plan needs less. total_bytes: without reuse. node_count: placements that the search
    tried, for so many seconds.
    """

    status: str
    peak: int
    lower_bound: int
    total_bytes: int
    node_count: int
    seconds: float

    @property
    def gap(self) -> float:
        """How much more than the lower bound the plan takes, as a fraction."""
        return (self.peak - self.lower_bound) / self.lower_bound if self.lower_bound else 0.0


def plan_options(budget: int | str, max_nodes: int, max_seconds: float) -> _ffi.PlanOptions:
    """How to search for a plan."""
    return _ffi.PlanOptions(budget=parse_bytes(budget, "budget"), max_nodes=max_nodes, max_seconds=max_seconds)


class Plan:
    """Buffers, and once solved their offsets in one arena.

    >>> plan = memmodel.Plan()
    >>> plan.add_buffer(1024, 0, 2, name="x")
    >>> plan.add_buffer(4096, 1, 3, name="y", alignment=64)
    >>> plan.solve().peak
    """

    __slots__ = ("__weakref__", "_frozen", "_handle", "_lock")

    def __init__(self) -> None:
        self._own(_ffi.plan_new(_context()))

    def _own(self, handle: _ffi.PlanHandle, frozen: bool = False) -> None:
        self._handle = handle
        self._frozen = frozen
        self._lock = ReadWriteLock()

    @classmethod
    def _of(cls, handle: _ffi.PlanHandle, frozen: bool = False) -> Plan:
        plan = cls.__new__(cls)
        plan._own(handle, frozen)
        return plan

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """From CSV with the columns id, lower, upper and size: see doc/guide/formats.md, "Buffers"."""
        return cls._of(_ffi.plan_load(_context(), path))

    @classmethod
    def from_csv(cls, text: str, *, name: str = "plan") -> Plan:
        """The same from a text; errors call it `name`."""
        return cls._of(_ffi.plan_from_csv(_context(), name, text))

    @classmethod
    def from_trace(cls, trace: Trace) -> Plan:
        """The blocks of a trace, simulated or recorded."""
        if not isinstance(trace, Trace):
            raise TypeError(f"trace: a Trace is needed, not {_call.kind_of(trace)}")
        return cls._of(_ffi.plan_from_trace(_context(), trace._handle))

    @classmethod
    def from_network(cls, network: Network, **schedule: Any) -> Plan:
        """The buffers of a network's forward pass, solved: the plan of a Schedule with the same arguments.

        >>> memmodel.Plan.from_network(net, batch=1, dim=144).result.peak
        """
        from memmodel.scheduling import Schedule  # which makes plans

        return Schedule(network, **schedule).plan

    def add_buffer(
        self,
        bytes: int,
        lower: int,
        upper: int,
        *,
        name: str = "",
        alignment: int = 1,
        offset: int | None = None,
        gaps: Iterable[tuple[int, int]] = (),
        base: int | None = None,
        displacement: int = 0,
    ) -> int:
        """Add a buffer that is in use from `lower` up to, not including, `upper`; returns its number.

        offset: where it has to lie, anywhere unless given. gaps: holes (begin, end) in its live range, in which
        others may have its memory. base: number of a buffer that it is an alias of, from its byte `displacement` on.
        """
        with self._changing():
            number = len(self)
            buffer = _ffi.PlanBuffer(
                name=name,
                bytes=bytes,
                lower=lower,
                upper=upper,
                alignment=alignment,
                offset=0 if offset is None else offset,
                fixed=int(offset is not None),
            )
            gaps = list(gaps)
            self._try(buffer, gaps, base, displacement)
            self._add(self._handle, buffer, gaps, base, displacement)
        return number

    @staticmethod
    def _add(
        handle: _ffi.PlanHandle,
        buffer: _ffi.PlanBuffer,
        gaps: list[tuple[int, int]],
        base: int | None,
        displacement: int,
    ) -> None:
        number = _ffi.plan_buffer_count(handle)
        _ffi.plan_add_buffer(handle, buffer)
        for begin, end in gaps:
            _ffi.plan_add_gap(handle, number, begin, end)
        if base is not None:
            _ffi.plan_add_alias(handle, number, base, displacement)

    def _try(
        self,
        buffer: _ffi.PlanBuffer,
        gaps: list[tuple[int, int]],
        base: int | None,
        displacement: int,
    ) -> None:
        """Raise what is wrong with a buffer before the plan has any of it."""
        if not gaps and base is None:
            return
        plan = _ffi.plan_new(_context())
        if base is not None:
            own = _ffi.plan_get_buffer(self._handle, base)
            _ffi.plan_add_buffer(plan, _ffi.PlanBuffer(bytes=own.bytes, lower=own.lower, upper=own.upper))
        self._add(plan, buffer, gaps, None if base is None else 0, displacement)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        if self._frozen:
            raise TypeError("plan: the plan of a schedule or a tiling does not change; these take its options")
        with self._lock.writing():
            yield

    def solve(
        self,
        budget: int | str = 0,
        *,
        max_nodes: int = 0,
        max_seconds: float = 0.0,
        progress: Observer | None = None,
    ) -> PlanResult:
        """Place all buffers in as little memory as can be, or in no more than `budget` bytes, or a text such as "2MiB".

        max_nodes: placements to try, a million unless given; the answer is the same on every machine. max_seconds: of
        the clock, which makes it depend on the machine. progress: called now and then with a Progress; a true result
        ends the search, and the best plan so far is kept. A budget that no plan is within is no error: the status says
        "infeasible".
        """
        options = plan_options(budget, max_nodes, max_seconds)
        with self._changing():
            set_progress(self._handle.context, progress)
            try:
                _ffi.plan_solve(self._handle, options)
            finally:
                set_progress(self._handle.context, None)
            return self.result

    @property
    def result(self) -> PlanResult:
        """The result of the last solve()."""
        result = _ffi.plan_get_result(self._handle)
        return PlanResult(
            _call.word(_ffi.SearchStatus, result.status),
            result.peak,
            result.lower_bound,
            result.total_bytes,
            result.node_count,
            result.seconds,
        )

    def __len__(self) -> int:
        return _ffi.plan_buffer_count(self._handle)

    def __getitem__(self, index: int) -> Buffer:
        position = int(_call.int64(index, "index"))
        if not -len(self) <= position < len(self):
            raise IndexError(f"buffer {index} of {len(self)}")
        with self._lock.reading():
            buffer = _ffi.plan_get_buffer(self._handle, position % len(self))
            return Buffer(
                _call.decoded(buffer.name),
                None if buffer.offset < 0 else buffer.offset,
                buffer.bytes,
                buffer.lower,
                buffer.upper,
                buffer.alignment,
            )

    def __iter__(self) -> Iterator[Buffer]:
        return (self[index] for index in range(len(self)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """As CSV: what was read with the column offset, or the buffers' columns."""
        with self._lock.reading():
            _ffi.plan_save(self._handle, path)

    def to_c(self, name: str) -> str:
        """The solved plan as a table in C, for programs with memmodel_arena.h."""
        with self._lock.reading():
            return _ffi.plan_to_c(self._handle, name, _limits.new_context())

    def to_svg(self) -> str:
        """A picture: time across, offsets up."""
        with self._lock.reading():
            return _ffi.plan_to_svg(self._handle, _limits.new_context())

    def _repr_svg_(self) -> str | None:
        return self.to_svg() if self.result.status != "none" else None

    def __repr__(self) -> str:
        result = self.result
        found = f", {format_bytes(result.peak)}, {result.status}" if result.status != "none" else ""
        return f"<Plan of {len(self)} buffers{found}>"
