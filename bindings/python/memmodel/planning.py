"""Buffers with known lifetimes, placed in as little memory as can be."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from memmodel import _call, _ffi
from memmodel._turns import Turns
from memmodel.network import Network
from memmodel.quantity import format_bytes
from memmodel.samples import _context
from memmodel.trace import Trace


class Place(NamedTuple):
    """A buffer of a plan and where it lies; `offset` is None as long as the plan is not solved."""

    name: str
    offset: int | None
    bytes: int
    lower: int
    upper: int
    alignment: int


class PlanResult(NamedTuple):
    """What a plan came to.

    status: "optimal", "feasible", "limit", "cancelled", "infeasible" or "unsolved". peak: bytes that the arena needs.
    lower_bound: no plan needs less. total: without reuse. nodes, seconds: what the search took.
    """

    status: str
    peak: int
    lower_bound: int
    total: int
    nodes: int
    seconds: float

    @property
    def gap(self) -> float:
        """How much more than the lower bound the plan takes, as a fraction."""
        return (self.peak - self.lower_bound) / self.lower_bound if self.lower_bound else 0.0


class Plan:
    """Buffers, and once solved their offsets in one arena.

    >>> plan = memmodel.Plan()
    >>> plan.add(1024, 0, 2, name="x")
    >>> plan.add(4096, 1, 3, name="y", alignment=64)
    >>> plan.solve().peak
    """

    __slots__ = ("__weakref__", "_handle", "_turns")

    def __init__(self) -> None:
        self._own(_ffi.plan_new(_context()))

    def _own(self, handle: _ffi.PlanHandle) -> None:
        self._handle = handle
        self._turns = Turns()

    @classmethod
    def _of(cls, handle: _ffi.PlanHandle) -> Plan:
        plan = cls.__new__(cls)
        plan._own(handle)
        return plan

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        """From CSV with the columns id, lower, upper and size: see doc/formats.md, "Buffers"."""
        return cls._of(_ffi.plan_read(_context(), path))

    @classmethod
    def of_trace(cls, trace: Trace) -> Plan:
        """The blocks of a trace, simulated or recorded."""
        if not isinstance(trace, Trace):
            raise TypeError(f"trace: a Trace is needed, not {_call.kind_of(trace)}")
        return cls._of(_ffi.plan_from_trace(trace._handle))

    @classmethod
    def of_network(
        cls,
        network: Network,
        *,
        without: Iterable[str] = (),
        alignment: int = 1,
        parameters: bool = False,
        symbols: Mapping[str, int] | None = None,
        **sizes: int,
    ) -> Plan:
        """The buffers of a network's forward pass, solved: those of a Schedule with the same arguments.

        >>> memmodel.Plan.of_network(net, batch=1, dim=144).result.peak
        """
        from memmodel.scheduling import Schedule  # which makes plans

        return Schedule(
            network, without=without, alignment=alignment, parameters=parameters, symbols=symbols, **sizes
        ).plan

    def add(
        self,
        bytes: int,
        lower: int,
        upper: int,
        *,
        name: str = "",
        alignment: int = 1,
        offset: int | None = None,
        gaps: Iterable[tuple[int, int]] = (),
        shares: int | None = None,
        displacement: int = 0,
    ) -> int:
        """Add a buffer that is in use from `lower` up to, not including, `upper`; returns its number.

        offset: where it has to lie, anywhere unless given. gaps: moments (begin, end) at which others may have its
        memory. shares: number of a buffer whose memory it uses, from `displacement` on.
        """
        with self._turns.writing():
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
            self._try(buffer, gaps, shares, displacement)
            self._add(self._handle, buffer, gaps, shares, displacement)
        return number

    @staticmethod
    def _add(
        handle: _ffi.PlanHandle,
        buffer: _ffi.PlanBuffer,
        gaps: list[tuple[int, int]],
        shares: int | None,
        displacement: int,
    ) -> None:
        number = _ffi.plan_buffer_count(handle)
        _ffi.plan_add(handle, buffer)
        for begin, end in gaps:
            _ffi.plan_gap(handle, number, begin, end)
        if shares is not None:
            _ffi.plan_share(handle, number, shares, displacement)

    def _try(
        self,
        buffer: _ffi.PlanBuffer,
        gaps: list[tuple[int, int]],
        shares: int | None,
        displacement: int,
    ) -> None:
        """Raise what is wrong with a buffer before the plan has any of it."""
        if not gaps and shares is None:
            return
        plan = _ffi.plan_new(_context())
        if shares is not None:
            base = _ffi.plan_place(self._handle, shares)
            _ffi.plan_add(plan, _ffi.PlanBuffer(bytes=base.bytes, lower=base.lower, upper=base.upper))
        self._add(plan, buffer, gaps, None if shares is None else 0, displacement)

    def solve(
        self,
        capacity: int = 0,
        *,
        nodes: int = 0,
        seconds: float = 0.0,
        progress: Callable[[_ffi.PlanResult], object] | None = None,
    ) -> PlanResult:
        """Place all buffers in as little memory as can be, or in no more than `capacity` bytes.

        nodes: most placements to try, a million unless given; the answer is the same on every machine. seconds: most
        time, which makes it depend on the machine. progress: called now and then; a true return stops the search, and
        the best plan so far is kept.
        """
        options = _ffi.PlanOptions(capacity=capacity, nodes=nodes, seconds=seconds, progress=progress)
        with self._turns.writing():
            _ffi.plan_solve(self._handle, options)
            return self.result

    @property
    def result(self) -> PlanResult:
        """What the plan came to when it was solved last."""
        result = _ffi.plan_result(self._handle)
        status = _ffi.plan_status_name(result.status) or ""
        return PlanResult(
            status, result.peak, result.lower_bound, result.total, result.nodes, result.seconds
        )

    def __len__(self) -> int:
        return _ffi.plan_buffer_count(self._handle)

    def __getitem__(self, index: int) -> Place:
        position = int(_call.int64(index, "index"))
        if not -len(self) <= position < len(self):
            raise IndexError(f"buffer {index} of {len(self)}")
        with self._turns.reading():
            place = _ffi.plan_place(self._handle, position % len(self))
            return Place(
                _call.decoded(place.name),
                None if place.offset < 0 else place.offset,
                place.bytes,
                place.lower,
                place.upper,
                place.alignment,
            )

    def __iter__(self) -> Iterator[Place]:
        return (self[index] for index in range(len(self)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """As CSV: what was read with the column offset, or the buffers' columns."""
        with self._turns.reading():
            _ffi.plan_write(self._handle, path)

    def to_c(self, name: str) -> str:
        """The solved plan as a table in C, for programs with memmodel_arena.h."""
        with self._turns.reading():
            return _ffi.plan_to_c(self._handle, name)

    def to_svg(self) -> str:
        """A picture: time across, offsets up."""
        with self._turns.reading():
            return _ffi.plan_to_svg(self._handle)

    def _repr_svg_(self) -> str | None:
        return self.to_svg() if self.result.status != "unsolved" else None

    def __repr__(self) -> str:
        result = self.result
        found = f", {format_bytes(result.peak)}, {result.status}" if result.status != "unsolved" else ""
        return f"<Plan of {len(self)} buffers{found}>"
