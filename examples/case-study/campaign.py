"""Measure the peak memory of real trainings over a grid of image sizes and batch sizes.

    campaign.py                            # Keras, then PyTorch, into build/demo/measured
    campaign.py keras --output DIRECTORY   # only Keras
    campaign.py torch --repeat 3           # three rows for each point

Every point is a process of its own, run by `memmodel run`. Points come smallest first; what is expected to need more
than the limit is left out, as told by the points measured so far. Each finished point is a row of
DIRECTORY/FRAMEWORK_samples.csv at once, so that after an interruption the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import machine

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent

GB = 10**9
SPARE = 1 * GB  # left to the rest of the machine
BASE_BYTES = 1 * GB  # a process that has imported its framework, and its optimizer's memory
OUTPUT_BYTES = 1291.125  # Eq. 1: all layer outputs, bytes for each voxel and image with 16 filters
SECONDS_PER_VOXEL = 30e-6  # two cores at work; a first guess, as are the bytes
ENOUGH_TO_FIT = 3  # measured points before they take the place of the guess
EXIT_LIMIT = 124  # of `memmodel run`: it ended the command for its size
EXIT_KILLED = 128 + signal.SIGKILL


@dataclass(frozen=True)
class Framework:
    """A script to measure, and how far."""

    packages: tuple[str, ...]
    environment: dict[str, str]
    dims: tuple[int, ...]
    batches: tuple[int, ...]
    limit: float  # GB, predicted


FRAMEWORKS = {
    "keras": Framework(
        packages=("keras", "tensorflow-cpu", "numpy"),
        environment={"TF_ENABLE_ONEDNN_OPTS": "1"},
        dims=(32, 48, 64, 80, 96, 112, 128, 144),
        batches=(1, 2, 4, 8, 16, 32, 64),
        limit=14,
    ),
    "torch": Framework(
        packages=("torch", "numpy"), environment={}, dims=(32, 48, 64, 80, 96), batches=(1, 2, 4, 8), limit=8
    ),
}


@dataclass(frozen=True)
class Sample:
    """A row of the table. Of a training that was killed the peak is the last that was seen, or empty."""

    dim: int
    batch: int
    filters: int
    framework: str
    peak_bytes: int | None
    seconds: float
    status: str

    @property
    def voxels(self) -> int:
        return self.dim**3 * self.batch

    def row(self) -> str:
        values = (getattr(self, field.name) for field in fields(self))
        return ",".join("" if value is None else str(value) for value in values)

    @staticmethod
    def parse(row: str) -> Sample:
        dim, batch, filters, framework, peak, seconds, outcome = row.split(",")
        peak_bytes = int(peak) if peak else None
        return Sample(int(dim), int(batch), int(filters), framework, peak_bytes, float(seconds), outcome)


class Table:
    """Samples in a CSV file, which is complete at every moment: a new one takes its place with each sample."""

    def __init__(self, path: Path, provenance: list[str]) -> None:
        self.path = path
        self.head = [f"# {line}" for line in provenance] + [",".join(field.name for field in fields(Sample))]
        self.samples: list[Sample] = []
        if path.exists():
            self.read()

    def read(self) -> None:
        lines = self.path.read_text().splitlines()
        if lines[: len(self.head)] != self.head:
            sys.exit(f"{self.path} was measured on another machine or with other versions; choose another --output")
        self.samples = [Sample.parse(line) for line in lines[len(self.head) :]]

    def add(self, sample: Sample) -> None:
        self.samples.append(sample)
        draft = self.path.with_suffix(".tmp")
        draft.write_text("\n".join([*self.head, *(sample.row() for sample in self.samples)]) + "\n")
        draft.replace(self.path)

    def count(self, dim: int, batch: int) -> int:
        return sum((sample.dim, sample.batch) == (dim, batch) for sample in self.samples)


def line(samples: list[Sample], value: Callable[[Sample], float], guess: tuple[float, float]) -> Callable[[int], float]:
    """How a value grows with the number of voxels: the line through the samples, or a guess of (base, slope)."""
    finished = [sample for sample in samples if sample.status == "ok"]
    base, slope = guess
    if len({sample.voxels for sample in finished}) >= ENOUGH_TO_FIT:
        slope, base = statistics.linear_regression([s.voxels for s in finished], [value(s) for s in finished])
    return lambda voxels: max(0.0, base + slope * voxels)


class Campaign:
    """One framework's grid."""

    def __init__(self, name: str, options: argparse.Namespace) -> None:
        self.name = name
        self.framework = FRAMEWORKS[name]
        self.options = options
        self.python = options.python or TOP / f"build/venv/{name}/bin/python"
        self.script = HERE / f"train_{name}.py"
        self.scratch = options.curves / name
        self.scratch.mkdir(parents=True, exist_ok=True)
        options.output.mkdir(parents=True, exist_ok=True)
        self.table = Table(options.output / f"{name}_samples.csv", self.provenance())

    def provenance(self) -> list[str]:
        code = "import sys, importlib.metadata as m; print(sys.version.split()[0], *map(m.version, sys.argv[1:]))"
        output = subprocess.run(
            [self.python, "-c", code, *self.framework.packages], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        versions = ", ".join(map(" ".join, zip(("Python", *self.framework.packages), output.split())))
        environment = " ".join(f"{name}={value}" for name, value in self.framework.environment.items())
        return [
            f"3D U-Net, {self.options.filters} filters, three training steps on CPU; {versions}",
            f"job: {self.script.name}: 4 poolings, transposed decoder, batch normalisation, Adam, "
            "binary cross-entropy, float32, random input",
            "peak_bytes: of the whole process, the kernel's high-water mark as `memmodel run` reads it; "
            "every row is a process of its own",
            f"status: ok, or killed (above {self.options.guard:g} GB, or by the system)",
            f"environment: {environment or 'nothing set'}",
            *machine.describe(),
        ]

    def points(self) -> Iterator[tuple[int, int]]:
        """What is still to be measured, smallest first, all points once before any of them again."""
        grid = [(dim, batch) for dim in self.framework.dims for batch in self.framework.batches]
        grid.sort(key=lambda point: (point[0] ** 3 * point[1], point))
        for repeat in range(self.options.repeat):
            yield from (point for point in grid if self.table.count(*point) <= repeat)

    def expected_bytes(self) -> Callable[[int], float]:
        guess = (BASE_BYTES, OUTPUT_BYTES * self.options.filters / 16)
        return line(self.table.samples, lambda sample: sample.peak_bytes or 0, guess)

    def fits(self, dim: int, batch: int) -> bool:
        limit = (self.options.limit or self.framework.limit) * GB
        return self.expected_bytes()(dim**3 * batch) <= limit

    def run(self) -> None:
        for dim, batch in self.points():
            if self.fits(dim, batch):
                self.progress(f"dim {dim}, batch {batch}")
                self.table.add(self.measure(dim, batch))
        self.progress("done")
        if sys.stderr.isatty():
            print(file=sys.stderr)

    def measure(self, dim: int, batch: int) -> Sample:
        """Train once. Whatever ends it for its size is a result; any other failure ends the campaign."""
        sizes = {"dim": dim, "batch": batch, "filters": self.options.filters}
        arguments = [word for name, value in sizes.items() for word in (f"--{name}", str(value))]
        limit = self.wait_for_memory(self.expected_bytes()(dim**3 * batch))
        curve = self.scratch / f"{dim}_{batch}.dat"
        start = time.monotonic()
        code, report = run_measured(
            [self.options.memmodel, "run", "--json", "--limit", str(limit), "-o", curve, "--"]
            + [self.python, self.script, *arguments],
            self.framework.environment,
            curve.with_suffix(".log"),
        )
        seconds = report["seconds"] if report else time.monotonic() - start
        if code not in (0, EXIT_LIMIT, EXIT_KILLED, -signal.SIGKILL):
            sys.exit(f"\n{self.script.name} {' '.join(arguments)} failed ({code}): see {curve.with_suffix('.log')}")
        peak = report["peak"] if report else None
        outcome = "killed" if code else "ok"
        return Sample(dim, batch, self.options.filters, self.name, peak, round(seconds, 1), outcome)

    def wait_for_memory(self, expected: float) -> int:
        """Wait until the machine has room; how many bytes the training may take at most."""
        while (available := machine.memory("MemAvailable")) < expected + SPARE:
            self.progress(f"waiting for {(expected + SPARE) / GB:.1f} GB of free memory")
            time.sleep(5)
        return min(int(self.options.guard * GB), available - SPARE // 2)

    def progress(self, what: str) -> None:
        """A bar on stderr with the time left: by the expected seconds of what is left, not by the number of points."""
        seconds = line(self.table.samples, lambda sample: sample.seconds, (10, SECONDS_PER_VOXEL))
        left = [point for point in self.points() if self.fits(*point)]
        done = len(self.table.samples)
        minutes = sum(seconds(dim**3 * batch) for dim, batch in left) / 60
        total = max(1, done + len(left))
        bar = "#" * (30 * done // total)
        text = f"{self.name} [{bar:-<30}] {done}/{total}, about {minutes:.0f} min left: {what}"
        show(text)


def show(text: str) -> None:
    """On a terminal each text takes the place of the one before."""
    if sys.stderr.isatty():
        print(f"\r{text:<100}", end="", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr)


def run_measured(
    command: list[str | Path], environment: dict[str, str], log: Path
) -> tuple[int, dict[str, Any] | None]:
    """Exit code of `memmodel run`, and its report: None if it was killed itself."""
    with log.open("w") as errors:
        process = subprocess.Popen(
            command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        try:
            output = process.communicate()[0].splitlines()
        except BaseException:
            process.terminate()  # which `memmodel run` passes on to the training
            process.wait()
            raise
    return process.returncode, json.loads(output[-1]) if output else None


def go_first() -> None:
    """When memory runs out, the system ends this campaign's processes, the largest first, before any other."""
    Path("/proc/self/oom_score_adj").write_text("1000")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("framework", nargs="*", help="keras, torch (default: both)")
    parser.add_argument("--output", type=Path, default=TOP / "build/demo/measured", help="folder of the tables")
    parser.add_argument("--curves", type=Path, default=TOP / "build/campaign", help="folder of memory curves and logs")
    parser.add_argument("--repeat", type=int, default=1, help="rows for each point (default: 1)")
    parser.add_argument("--filters", type=int, default=16, help="filters of the network's first block (default: 16)")
    parser.add_argument("--limit", type=float, help="GB that a point may be expected to need (keras: 14, torch: 8)")
    parser.add_argument("--guard", type=float, default=16, help="GB above which a training is killed (default: 16)")
    parser.add_argument("--python", type=Path, help="interpreter (default: that of build/venv/FRAMEWORK)")
    parser.add_argument("--memmodel", type=Path, default=TOP / "build/bin/memmodel", help="the command-line tool")
    options = parser.parse_args()
    if unknown := set(options.framework) - set(FRAMEWORKS):
        parser.error(f"no such framework: {', '.join(sorted(unknown))}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    go_first()
    try:
        for name in options.framework or FRAMEWORKS:
            Campaign(name, options).run()
    except KeyboardInterrupt:
        sys.exit("\ninterrupted; the same command goes on from here")


if __name__ == "__main__":
    main()
