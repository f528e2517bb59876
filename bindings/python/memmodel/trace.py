"""Memory events of the steps of a job: simulated, or recorded from a real run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from memmodel import _call, _ffi, _limits, _optional

if TYPE_CHECKING:
    from memmodel.report import Report


class Event(NamedTuple):
    """An allocation (positive `bytes`) or a release. live: bytes after it. role: of the memory, such as "weight". line:
    of a recorded program, where the memory was allocated, such as "train.py:12"."""

    bytes: int
    live: int
    role: str
    layer: str
    block: int
    step: int
    category: str
    phase: str
    line: str = ""


def _event(event: _ffi.TraceEvent) -> Event:
    return Event(
        bytes=event.bytes,
        live=event.live,
        role=_call.decoded(event.role),
        layer=_call.decoded(event.layer),
        block=event.block,
        step=event.step,
        category=_ffi.category_name(event.category) or "",
        phase=_call.word(_ffi.Phase, event.phase),
        line=_call.decoded(event.line),
    )


class Trace:
    """All events of a simulated or recorded run, in the order of time. Immutable.

    >>> peak = max(event.live for event in report.trace)
    """

    __slots__ = ("__weakref__", "_handle")

    def __init__(self, handle: _ffi.TraceHandle) -> None:
        self._handle = _call.instance_of(handle, _ffi.TraceHandle, "handle")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trace:
        """Read a recorded trace (JSON)."""
        return cls(_ffi.trace_load(_limits.new_context(), path))

    @classmethod
    def from_bytes(cls, content: bytes | bytearray | memoryview, *, name: str = "trace") -> Trace:
        """The same from the bytes of a file; errors call them `name`."""
        return cls(_ffi.trace_from_bytes(_limits.new_context(), name, content))

    def __len__(self) -> int:
        return _ffi.trace_event_count(self._handle)

    def __getitem__(self, index: int) -> Event:
        position = int(_call.int64(index, "index"))
        if not -len(self) <= position < len(self):
            raise IndexError(f"event {index} of {len(self)}")
        return _event(_ffi.trace_get_event(self._handle, position % len(self)))

    def __iter__(self) -> Iterator[Event]:
        return (_event(_ffi.trace_get_event(self._handle, index)) for index in range(len(self)))

    @property
    def live(self) -> list[int]:
        """Bytes live after each event."""
        return [_ffi.trace_get_event(self._handle, index).live for index in range(len(self))]

    def estimate(self, **job: Any) -> Report:
        """The report of this trace: what its allocator takes, whether it fits a budget, whose the peak is. Takes what
        memmodel.estimate() takes; device, gpu, allocator_settings, budget and metric count.

        >>> memmodel.Trace.load("snapshot.pickle").estimate(gpu="h200", budget="80GiB").verdict
        """
        from memmodel.estimation import estimate_trace  # knows this module

        return estimate_trace(self, **job)

    def to_perfetto(self) -> str:
        """JSON that https://ui.perfetto.dev opens; a microsecond of its clock is one event."""
        return _ffi.trace_to_perfetto(self._handle, _limits.new_context())

    def to_frame(self) -> Any:
        """A pandas frame with a row an event."""
        return _optional.need("pandas", "Trace.to_frame()").DataFrame(list(self), columns=Event._fields)

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} events>"
