"""What Prometheus is told: counts of all workers, kept in memory that they share with the process that started them.

Each worker writes to a row that is its own. A worker that takes the place of one that ended goes on with its row, so
that no total falls.
"""

from __future__ import annotations

import itertools
import os
from bisect import bisect_left
from collections.abc import Iterator
from multiprocessing.context import SpawnContext
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

ROWS = 64
PATHS = ("/mutate", "/filter", "other")
STATUSES = (0, 200, 400, 404, 405, 408, 413, 500, 503)  # 0: the reply was not taken in time
BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1, 5)  # seconds, of the histogram

# a row's cells
PROCESS, HELD, CONNECTIONS, SECONDS = range(4)
BUCKETS = 4
REQUESTS = BUCKETS + len(BOUNDS) + 1
REQUEST_CELLS = {key: REQUESTS + i for i, key in enumerate(itertools.product(PATHS, STATUSES))}
WIDTH = REQUESTS + len(REQUEST_CELLS)


class Counts:
    """The rows. It goes to the workers as it is; each of them calls claim()."""

    def __init__(self, context: SpawnContext) -> None:
        self.cells = context.RawArray("d", ROWS * WIDTH)
        self.lock = context.Lock()
        self.row = 0

    def claim(self) -> None:
        """Takes a row of no worker that is still there, for this process."""
        with self.lock:
            free = (row for row in range(0, ROWS * WIDTH, WIDTH) if not is_alive(int(self.cells[row + PROCESS])))
            self.row = next(free)
            self.cells[self.row + PROCESS] = os.getpid()
            self.set(HELD, 0)
            self.set(CONNECTIONS, 0)

    def set(self, cell: int, value: float) -> None:
        self.cells[self.row + cell] = value

    def add(self, cell: int, value: float) -> None:
        self.cells[self.row + cell] += value

    def answered(self, path: str, status: int, seconds: float) -> None:
        self.add(REQUEST_CELLS[path, status], 1)
        self.add(BUCKETS + bisect_left(BOUNDS, seconds), 1)
        self.add(SECONDS, seconds)

    def total(self, cell: int) -> float:
        return float(sum(self.cells[cell::WIDTH]))

    def alive(self, cell: int) -> float:
        """Of the workers that are there now."""
        rows = zip(self.cells[PROCESS::WIDTH], self.cells[cell::WIDTH], strict=True)
        return float(sum(value for process, value in rows if is_alive(int(process))))

    def processes(self) -> list[int]:
        """Of the workers, and this one."""
        return [os.getpid(), *(int(process) for process in self.cells[PROCESS::WIDTH] if is_alive(int(process)))]


def is_alive(process: int) -> bool:
    return process > 0 and Path(f"/proc/{process}").exists()


class Totals(Collector):
    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    def collect(self) -> Iterator[Metric]:
        yield self.requests()
        yield self.seconds()
        held, connections = self.counts.alive(HELD), self.counts.alive(CONNECTIONS)
        yield GaugeMetricFamily("memmodel_held_bytes", "bodies that are being read", held)
        yield GaugeMetricFamily("memmodel_connections", "open connections of clients", connections)
        yield from of_processes(self.counts.processes())

    def requests(self) -> Metric:
        family = CounterMetricFamily("memmodel_requests", "requests answered", labels=["path", "status"])
        for (path, status), cell in REQUEST_CELLS.items():
            if count := self.counts.total(cell):
                family.add_metric([path, str(status)], count)
        return family

    def seconds(self) -> Metric:
        counts = [self.counts.total(BUCKETS + i) for i in range(len(BOUNDS) + 1)]
        bounds = [*(str(float(bound)) for bound in BOUNDS), "+Inf"]
        buckets = list(zip(bounds, itertools.accumulate(counts), strict=True))
        text = "from the end of the headers to the end of the reply"
        return HistogramMetricFamily("memmodel_request_seconds", text, buckets, self.counts.total(SECONDS))


def of_processes(processes: list[int]) -> Iterator[Metric]:
    """Sums over processes, by their names in Prometheus' own client."""
    ticks = pages = 0
    for process in processes:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()  # proc(5): from the third on
        ticks += int(fields[11]) + int(fields[12])
        pages += int(fields[21])
    seconds, resident = ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")
    yield CounterMetricFamily("process_cpu_seconds", "of the server and its workers", seconds)
    yield GaugeMetricFamily("process_resident_memory_bytes", "of the server and its workers", resident)
    yield GaugeMetricFamily("memmodel_workers", "worker processes", len(processes) - 1)


def registry_of(counts: Counts) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(Totals(counts))
    return registry
