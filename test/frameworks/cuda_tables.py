"""Hold device-level peaks of GPU trainings that others measured against the library's, row by row.

    python test/frameworks/cuda_tables.py xmem                                   # test/data/xmem, networks beside it
    python test/frameworks/cuda_tables.py schedtune
    python test/frameworks/cuda_tables.py timm --table PATH --networks FOLDER    # networks by cuda_networks.py

A device-level figure is what the caching allocator holds of the device at its peak and what lies outside of it: the
context, loaded kernels, the libraries' own memory. The latter is one number a device, here fitted to the rows of all
other models (the median of what is missing), so that no model is judged by itself.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import pickle
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import median

import memmodel
from memmodel import _ffi

DATA = Path(__file__).resolve().parents[1] / "data"
MIB = 1 << 20
STEPS = 4
VERSION = "2.6"  # of PyTorch in xMem's runs; the other tables do not say, and cuBLAS worked alike in all before 2.9


@dataclass(frozen=True)
class Row:
    """A measured run, and what other tools said of it."""

    family: str
    model: str
    batch: int
    optimizer: str
    gpu: str
    capacity: int  # of the device; 0: not known
    measured: int
    ran_out: bool  # of memory, so that `measured` is no peak
    held: bool = False  # gradients, through the next forward pass: zero_grad() between it and the backward pass
    doubtful: bool = False  # no more than a smaller batch took: the run had ended before its peak
    others: dict[str, float] = field(default_factory=dict)
    others_out: dict[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    reserved: int
    live: int
    out: bool  # of memory


@dataclass
class Judged:
    row: Row
    answer: Answer
    offset: float = 0.0
    slope: float = 1.0

    @property
    def bytes(self) -> float:
        return self.slope * self.answer.reserved + self.offset

    @property
    def judged(self) -> bool:
        """Whether there is a peak to hold the answer against, and an answer."""
        return not self.row.ran_out and not self.answer.out

    @property
    def error(self) -> float:
        return self.bytes / self.row.measured - 1


# ---- tables ----

OTHER_TOOLS = ("xmem", "dnnmem", "schedtune", "llmem")


def xmem_rows(table: Path) -> Iterator[Row]:
    with table.open() as runs, (table.parent / "xmem_sources.csv").open() as sources:
        for run, source in zip(csv.DictReader(runs), csv.DictReader(sources), strict=True):
            yield Row(
                family=run["family"],
                model=run["model"],
                batch=int(run["batch_size"]),
                optimizer=run["optimizer"].lower(),
                gpu=run["gpu"].removeprefix("NVIDIA GeForce ").replace(" ", "").lower(),
                capacity=int(run["total_gpu_memory"]),
                measured=int(run["ground_bytes"]),
                ran_out=run["real_oom"] == "true",
                held=run["zero_grad_mode"] == "1",
                others={tool: float(run[f"{tool}_bytes"]) for tool in OTHER_TOOLS if run[f"{tool}_bytes"]},
                others_out={tool: source[f"{tool}_oom"].lower() == "true" for tool in OTHER_TOOLS},
            )


def schedtune_rows(table: Path) -> Iterator[Row]:
    """The optimizer is not stated; with momentum the peaks of small batches are nearer than without."""
    with table.open() as lines:
        for run in csv.DictReader(lines):
            yield Row(
                family="torchvision",
                model=run["model"],
                batch=int(run["batchsize"]),
                optimizer="momentum",
                gpu=f"{run['SM count']} multiprocessors, {run['Memory bandwidth (GB/s)']} GB/s",
                capacity=0,
                measured=int(float(run["peak mem usage"]) * MIB),
                ran_out=False,
            )


TIMM_CARD = 40_536  # MiB
TIMM_LIMIT = 38_000  # at it and above, the run met the limit of the card


def timm_rows(table: Path) -> Iterator[Row]:
    """A run that ended out of memory has a figure, too: what it held by then."""
    most: dict[str, int] = {}
    with table.open() as lines:
        runs = sorted(csv.DictReader(lines), key=lambda run: int(run["batch_size"]))
    for run in runs:
        peak, model = int(float(run["peak_mib"])), run["model"]
        yield Row(
            family="timm",
            model=model,
            batch=int(run["batch_size"]),
            optimizer="momentum",
            gpu="a100",
            capacity=TIMM_CARD * MIB,
            measured=peak * MIB,
            ran_out=peak >= TIMM_LIMIT,
            doubtful=peak <= most.get(model, 0),
            others={"fake tensors": float(run["faketensor_backward_mb"] or 0) * MIB},
        )
        most[model] = max(most.get(model, 0), peak)


@dataclass(frozen=True)
class Table:
    rows: Callable[[Path], Iterator[Row]]
    path: Path | None
    held: int = 0  # bytes of the device that no run can have
    line: bool = False  # fit a line, not only what is outside the allocator


TABLES = {
    "xmem": Table(xmem_rows, DATA / "xmem" / "xmem_runs.csv", held=256 * MIB),
    "schedtune": Table(schedtune_rows, DATA / "schedtune" / "model_stats.csv", line=True),
    "timm": Table(timm_rows, None, held=1750 * MIB, line=True),
}

# ---- our answers ----


class Networks:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.load = lru_cache(maxsize=4)(self._load)

    def _path(self, model: str) -> Path:
        return self.folder / f"{model.replace('/', '_')}.json.gz"

    def __contains__(self, model: str) -> bool:
        return self._path(model).exists()

    def _load(self, model: str) -> memmodel.Network:
        return memmodel.Network.from_json(gzip.decompress(self._path(model).read_bytes()).decode(), name=model)


def with_gradients_held(trace: memmodel.Trace) -> memmodel.Trace:
    """The same steps with zero_grad() after the forward pass, as a snapshot of PyTorch's allocator says it."""
    history: list[tuple[int, int]] = []
    waiting: list[tuple[int, int]] = []
    phase = ""
    for event in trace:
        change = (event.block, event.bytes)
        if event.phase == "backward" != phase:
            history += waiting
            waiting = []
        phase = event.phase
        held = event.bytes < 0 and event.category == "gradients" and phase == "optimizer"
        (waiting if held else history).append(change)
    actions = [
        {"action": action, "addr": (block + 1) << 36, "size": abs(size), "stream": 0}
        for block, size in history
        for action in (["alloc"] if size > 0 else ["free_requested", "free_completed"])
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot.pickle"
        path.write_bytes(pickle.dumps({"segments": [], "device_traces": [actions]}, protocol=4))
        return memmodel.Trace.load(path)


def answer_of(network: memmodel.Network, row: Row, gpu: str, held: int) -> Answer:
    """What a run takes, on a device of that size: the allocator gives back what is unused before it gives up."""
    job = {"framework_version": VERSION, "optimizer": row.optimizer, "gpu": gpu, "steps": STEPS}
    report = memmodel.estimate(network, batch=row.batch, **job)
    trace = report.trace
    assert trace is not None
    if row.held:
        trace = with_gradients_held(trace)
    options = _ffi.ReplayOptions(allocator="cuda_caching", capacity=row.capacity - held if row.capacity else 0)
    result = _ffi.replay_get_result(_ffi.trace_replay(trace._handle, options, None))
    return Answer(result.peak_reserved, result.peak_requested, result.oom_event >= 0)


def answers(rows: Iterable[Row], networks: Networks, gpu: str, held: int) -> Iterator[Judged]:
    for row in sorted(rows, key=lambda row: row.model):
        if row.model in networks:
            yield Judged(row, answer_of(networks.load(row.model), row, gpu, held))


# ---- what is outside the allocator ----


def fit_offset(known: Sequence[Judged]) -> tuple[float, float]:
    return median(judged.row.measured - judged.answer.reserved for judged in known), 1.0


def fit_line(known: Sequence[Judged]) -> tuple[float, float]:
    """The line of the least relative errors: weighted least squares, with weights that make them absolute ones."""
    offset, slope = fit_offset(known)
    for _ in range(50):
        sums = [0.0] * 5
        for judged in known:
            x, y = float(judged.answer.reserved), float(judged.row.measured)
            weight = 1 / (y * max(abs(slope * x + offset - y), 1e-4 * y))
            for index, term in enumerate((1.0, x, x * x, y, x * y)):
                sums[index] += weight * term
        one, x1, x2, y1, xy = sums
        slope = (one * xy - x1 * y1) / (one * x2 - x1 * x1)
        offset = (y1 - slope * x1) / one
    return offset, slope


def calibrate(judged: Sequence[Judged], line: bool) -> None:
    """By device, each model by what the others say."""
    fit = fit_line if line else fit_offset
    devices: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        devices[one.row.gpu].append(one)
    for found in devices.values():
        sound = [one for one in found if one.judged and not one.row.doubtful]
        for model in {one.row.model for one in found}:
            offset, slope = fit([one for one in sound if one.row.model != model])
            for one in found:
                if one.row.model == model:
                    one.offset, one.slope = offset, slope


# ---- what comes of it ----


def percent(errors: Sequence[float]) -> str:
    """Median, 95th percentile and worst of some relative errors."""
    if not errors:
        return "none"
    ordered = sorted(abs(error) for error in errors)
    high = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return f"median {median(ordered):6.2%}  95th {high:6.1%}  worst {ordered[-1]:6.1%}  n {len(ordered)}"


def print_rows(judged: Sequence[Judged]) -> None:
    for one in judged:
        row = one.row
        out = ("ran out" if row.ran_out else "fitted") if row.ran_out != one.answer.out else ""
        print(
            f"{row.model:28s} {row.optimizer:8s} {row.batch:4d} {row.gpu:9s} measured {row.measured // MIB:6d} "
            f"live {one.answer.live // MIB:6d} reserved {one.answer.reserved // MIB:6d} "
            f"answer {one.bytes / MIB:7.0f} {one.error:+7.1%} {out}"
        )


def print_calibration(judged: Sequence[Judged]) -> None:
    """What is added for each device: least and most over the models that were held out."""
    for gpu in sorted({one.row.gpu for one in judged}):
        found = [one for one in judged if one.row.gpu == gpu]
        offsets = [one.offset / MIB for one in found]
        slopes = [one.slope for one in found]
        line = f" + {min(slopes):.3f} to {max(slopes):.3f} of reserved bytes" if max(slopes) != 1 else ""
        print(f"{gpu}: {min(offsets):.0f} to {max(offsets):.0f} MiB{line}")


def print_errors(found: Sequence[Judged]) -> None:
    judged = [one for one in found if one.judged]
    print(f"  memmodel      {percent([one.error for one in judged])}")
    if any(one.row.doubtful for one in judged):
        sound = [one for one in judged if not one.row.doubtful]
        print(f"    where a smaller batch took less: {percent([one.error for one in sound])}")
    for tool in sorted({tool for one in found for tool in one.row.others}):
        rows = [one.row for one in found if tool in one.row.others and not one.row.ran_out]
        rows = [row for row in rows if not row.others_out.get(tool)]
        print(f"  {tool:13s} {percent([row.others[tool] / row.measured - 1 for row in rows])}")


def print_memory(found: Sequence[Judged]) -> None:
    """Who was right about whether a run ends out of memory; what is doubtful may have."""
    known = [one for one in found if not one.row.doubtful]
    if not any(one.row.capacity for one in known):
        return
    wrong = sum(one.answer.out != one.row.ran_out for one in known)
    print(f"  out of memory or not: {wrong} of {len(known)} wrong ({wrong / len(known):.1%})")
    for tool in sorted({tool for one in known for tool in one.row.others if tool in one.row.others_out}):
        rows = [one.row for one in known if tool in one.row.others]
        wrong = sum(row.others_out[tool] != row.ran_out for row in rows)
        print(f"    {tool}: {wrong} of {len(rows)} ({wrong / len(rows):.1%})")


def print_sums(judged: Sequence[Judged]) -> None:
    for family in sorted({one.row.family for one in judged}):
        found = [one for one in judged if one.row.family == family]
        print(f"\n{family}: {len(found)} runs of {len({one.row.model for one in found})} models")
        print_errors(found)
        print_memory(found)


def print_models(judged: Sequence[Judged]) -> None:
    models: dict[str, list[float]] = defaultdict(list)
    for one in judged:
        if one.judged:
            models[one.row.model].append(one.error)
    for model, errors in sorted(models.items(), key=lambda item: median(item[1])):
        print(f"{model:40s} median {median(errors):+7.1%} of {len(errors)}: {' '.join(f'{e:+.1%}' for e in errors)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--table", dest="path", type=Path, help="another file than the one in test/data")
    parser.add_argument("--networks", type=Path, help="folder of the networks; default: networks beside the table")
    parser.add_argument("--gpu", default="a100", help="whose kernels run (default: a100)")
    parser.add_argument("--rows", action="store_true", help="print each run")
    parser.add_argument("--models", action="store_true", help="print each model")
    options = parser.parse_args()
    table = TABLES[options.table]
    path = options.path or table.path
    if path is None:
        parser.error(f"{options.table}: --table is needed, the table is not part of the project")
    networks = Networks(options.networks or path.parent / "networks")
    rows = list(table.rows(path))
    judged = list(answers(rows, networks, options.gpu, table.held))
    if not judged:
        parser.error(f"no networks in {networks.folder}: make them with cuda_networks.py")
    calibrate(judged, table.line)
    if options.rows:
        print_rows(judged)
    if options.models:
        print_models(judged)
    print_calibration(judged)
    print_sums(judged)
    missing = sorted({row.model for row in rows if row.model not in networks})
    if missing:
        print(f"\nwithout a network: {', '.join(missing)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
