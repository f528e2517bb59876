"""Measured memory of a process and all its descendants."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from memmodel import _call, _ffi, _limits, _optional
from memmodel._rwlock import ReadWriteLock
from memmodel.quantity import format_bytes
from memmodel.report import html


class MonitorResult(NamedTuple):
    """All readings so far, in bytes and seconds; None where a metric is not available."""

    start_time: float
    seconds: float
    reading_count: int
    peak: int | None
    peak_sampled: int | None
    peak_process: int | None
    peak_pss: int | None
    peak_cgroup: int | None
    process_count: int
    exited: bool
    exit_code: int | None
    exit_signal: int
    peak_rss: int
    pss_seconds: float
    pss_readings: int
    own_cgroup: bool
    cgroup_limit: int | None
    out_of_memory: int | None


class Reading(NamedTuple):
    """The processes at one time. high_water: resident memory at its high-water mark since the reading before."""

    time: float
    previous_time: float
    rss: int | None
    high_water: int | None
    pss: int | None
    cgroup: int | None
    process_count: int
    exited: bool
    charge: int
    charge_high: int


def _available(struct: Any, names: Sequence[str]) -> dict[str, Any]:
    values = {name: getattr(struct, name) for name in names}
    flags = ("exited", "own_cgroup")
    return {name: None if value == -1 else bool(value) if name in flags else value for name, value in values.items()}


class Monitor:
    """Watches a process, this one unless given, and all its descendants, in a thread of its own.

    >>> with Monitor() as monitor:
    ...     train()
    >>> monitor.peak
    """

    def __init__(
        self,
        pid: int | None = None,
        *,
        interval_seconds: float = 0.0,
        max_points: int = 0,
        is_child: bool = False,
        pss: bool = False,
        cgroup: bool = False,
    ) -> None:
        """interval_seconds: between readings, 0.01 unless given. max_points: of the memory timeline. is_child: the
        monitor waits for the process.

        pss: look at what processes share at each reading, however slow that is. cgroup: make a control group for the
        process, where this is allowed, so that `result.peak_cgroup` is its own.
        """
        options = _ffi.MonitorOptions(
            interval_seconds=interval_seconds, max_points=max_points, is_child=is_child, pss=pss, cgroup=cgroup
        )
        self.pid = int(_call.int64(os.getpid() if pid is None else pid, "pid"))
        self._lock = ReadWriteLock()
        self._handle = _ffi.monitor_new(_limits.new_context(), self.pid, options)
        self._thread: threading.Thread | None = None

    @classmethod
    def run(cls, command: Sequence[str | os.PathLike[str]], *, interval_seconds: float = 0.0) -> Monitor:
        """Run a command to its end, watching it.

        >>> Monitor.run([sys.executable, "train.py"]).peak
        """
        words = [os.fspath(word) for word in command]
        pid = os.posix_spawnp(words[0], words, os.environ)
        monitor = cls(pid, interval_seconds=interval_seconds, is_child=True)
        monitor.start()
        monitor.join()
        return monitor

    # ---- watching ----

    def start(self) -> Monitor:
        """Take readings in a thread until the process ends, or stop()."""
        if self._running():
            raise RuntimeError("the monitor is running already")
        _call.address(self._handle, _ffi.MonitorHandle, "monitor")
        # The thread knows the handle, not the monitor: one that is not referenced any more stops.
        self._thread = threading.Thread(target=_watch, args=(self._handle,), name="memmodel monitor", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """End the readings; those taken stay."""
        if self._running():
            _ffi.monitor_stop(self._handle)
            self.join()

    def join(self) -> None:
        """Wait until the process ends."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _running(self) -> bool:
        """A thread of the parent does not live in a forked child."""
        return self._thread is not None and self._thread.is_alive()

    @contextmanager
    def _at_rest(self) -> Iterator[None]:
        """While the block runs no reading is taken."""
        with self._lock.writing():
            running = self._running()
            self.stop()
            try:
                yield
            finally:
                if running:
                    self.start()

    def read(self) -> Reading:
        """Take one reading now."""
        with self._at_rest():
            return Reading(**_available(_ffi.monitor_read(self._handle), Reading._fields))

    def __enter__(self) -> Monitor:
        self.read()
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.read()

    def close(self) -> None:
        """Stop, and give the memory back; what was measured is gone."""
        self.stop()
        self._handle.close()

    def __del__(self) -> None:
        if getattr(self, "_thread", None) is not None and self._running():
            _ffi.monitor_stop(self._handle)

    # ---- what was measured ----

    @property
    def result(self) -> MonitorResult:
        """The peaks so far."""
        with self._at_rest():
            return MonitorResult(**_available(_ffi.monitor_get_result(self._handle), MonitorResult._fields))

    @property
    def peak(self) -> int | None:
        """Peak of the resident memory of all processes together, pages that they share counted once, in bytes."""
        return self.result.peak

    @property
    def curve(self) -> Any:
        """Unix times and bytes, a row a point: a structured numpy array, or a list of pairs where there is no numpy."""
        with self._at_rest():
            points = _ffi.monitor_curve(self._handle)
            if not _optional.present("numpy"):
                return [(point.time, point.bytes) for point in points]
            numpy = _optional.need("numpy", "Monitor.curve")
            return numpy.frombuffer(points, dtype=[("time", "f8"), ("bytes", "i8")])

    def to_frame(self) -> Any:
        """The curve as a pandas frame."""
        return _optional.need("pandas", "Monitor.to_frame()").DataFrame(self.curve)

    @property
    def processes(self) -> list[int]:
        """Processes that the last reading saw alive."""
        with self._at_rest():
            count, _ = _ffi.monitor_processes(self._handle, 0)
            count, pids = _ffi.monitor_processes(self._handle, count)
            return list(pids[:count])

    def __repr__(self) -> str:
        result = self.result
        peak = "unknown" if result.peak is None else format_bytes(result.peak)
        return f"<Monitor of process {self.pid}: peak {peak} in {result.reading_count} readings>"

    def _repr_html_(self) -> str | None:
        return html("monitor", self)


def _watch(handle: _ffi.MonitorHandle) -> None:
    _ffi.monitor_run(handle, None)
