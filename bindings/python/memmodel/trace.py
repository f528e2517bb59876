"""Memory events of the steps of a job: simulated, or recorded from a real run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from memmodel import _call, _ffi, _limits, _optional


class Event(NamedTuple):
    """An allocation (positive `bytes`) or a release. live: bytes after it. role: of the memory, such as "weight"."""

    bytes: int
    live: int
    role: str
    layer: str
    block: int
    step: int
    category: str
    phase: str


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

    def to_perfetto(self) -> str:
        """JSON that https://ui.perfetto.dev opens; a microsecond of its clock is one event."""
        return _ffi.trace_to_perfetto(self._handle, _limits.new_context())

    def to_frame(self) -> Any:
        """A pandas frame with a row an event."""
        return _optional.need("pandas", "Trace.to_frame()").DataFrame(list(self), columns=Event._fields)

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} events>"
