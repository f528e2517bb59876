"""Writes lib/report/error_table.h: how far measurements of recorded trainings lay from what is predicted of them.

    ./run python test/frameworks/error_table.py lib/report/error_table.h build/release/examples/networks/unet3d
    ./run python test/frameworks/error_table.py --check lib/report/error_table.h build/release/examples/networks/unet3d

A row is a kind of job: framework, device, bytes, and whether the network is a CNN or a transformer. Its two factors are
the ends of a split-conformal interval: of n ratios of measured to predicted bytes, in order, the floor(0.05 (n + 1))-th
and the ceil(0.95 (n + 1))-th. A new training of the same kind lies between them with a probability of at least 90 %,
whatever the distribution of errors is, as far as it is like those that were recorded. Nothing is calibrated by them
before.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import compare_cuda
import compare_models
import cuda_tables
import memmodel

TAIL = 0.05  # on each side
ROOT = Path(__file__).resolve().parents[2]
KEPT = SimpleNamespace(folder=compare_models.RECORDINGS, kept=True, keep=False, missing=False, record=False, show=False)


class Error(NamedTuple):
    device: str
    metric: str
    kind: str
    ratio: float  # measured over predicted
    source: str


def of_gpu_tables() -> Iterator[Error]:
    """xMem's table: an RTX 3060 and 4060. Its bytes are those above the context: what the allocator reserves."""
    table = cuda_tables.TABLES["xmem"]
    networks = cuda_tables.Networks(table.path.parent / "networks")
    for one in cuda_tables.answers(table.rows(table.path), networks, "a100", table.held):
        if one.judged:
            kind = networks.load(one.row.model).kind
            yield Error("cuda", "reserved", kind, one.row.measured / one.answer.reserved, "xmem")


def of_an_h200() -> Iterator[Error]:
    """Networks of usual sizes alone: of small ones the peak is cuDNN's workspaces or the context."""
    for name, recording in compare_cuda.peaks_of(compare_cuda.RECORDINGS / "peaks.csv"):
        case = recording["case"]
        if "table" not in case:
            continue
        compared = compare_cuda.compared(name, recording, compare_cuda.NETWORKS)
        if compared is None:
            continue
        kind = compare_cuda.network_of(name, case, compare_cuda.NETWORKS).kind
        for metric in ("live", "reserved", "process"):
            off = getattr(compared, metric)
            if not math.isnan(off):
                yield Error("cuda", metric, kind, 1 / (1 + off), "pytorch_cuda")


def of_recorded_models() -> Iterator[Error]:
    """Live bytes on a CPU: whole networks, small."""
    for halves in json.loads((compare_models.RECORDINGS / "halves.json").read_text()).values():
        for name in halves:
            path = compare_models.RECORDINGS / f"{name}.network.json.gz"
            recorded = compare_models.RECORDINGS / f"{name}.recording.json.gz"
            if not path.exists() or not recorded.exists():
                continue
            result = compare_models.compare(name, KEPT)
            if result.refused:
                continue
            kind = memmodel.Network.from_json(gzip.decompress(path.read_bytes()).decode()).kind
            yield Error("cpu", "live", kind, max(result.recorded) / max(result.predicted), "pytorch_models")


def of_processes(unet3d: memmodel.Network) -> Iterator[Error]:
    """High-water marks of PyTorch's process: 3D U-Nets."""
    with (ROOT / "examples/case-study/data/torch_samples.csv").open() as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    for row in rows:
        if row["status"] != "ok":
            continue
        sizes = {"batch": int(row["batch"]), "dim": int(row["dim"])}
        report = memmodel.estimate(unet3d, isa="avx2", optimizer="adam", **sizes)
        yield Error("cpu", "process", "cnn", int(row["peak_bytes"]) / report.peak.process, "case-study")


def interval(ratios: list[float]) -> tuple[float, float] | None:
    """None of so few that no rank has that probability."""
    ordered = sorted(ratios)
    low = math.floor(TAIL * (len(ordered) + 1))
    high = math.ceil((1 - TAIL) * (len(ordered) + 1))
    return None if low < 1 or high > len(ordered) else (ordered[low - 1], ordered[high - 1])


HEAD = """/*
 * How far measurements of recorded trainings lay from what is predicted of them. Made by
 * test/frameworks/error_table.py, which says how; run it again where rules or recordings have changed.
 *
 * framework, device, metric, kind of network, runs, measured over predicted at 5 % and at 95 %, folders of test/data
 */
static const struct error_row error_rows[] = {
"""


def rows(errors: Iterator[Error]) -> Iterator[str]:
    kinds: dict[tuple[str, str, str], list[Error]] = defaultdict(list)
    for error in errors:
        if error.kind:
            kinds[error.device, error.metric, error.kind].append(error)
    for (device, metric, kind), found in sorted(kinds.items()):
        ends = interval([error.ratio for error in found])
        sources = ", ".join(sorted({error.source for error in found}))
        if ends:
            yield (
                f'    {{"pytorch", "{device}", MEMMODEL_METRIC_{metric.upper()}, "{kind}", {len(found)}, '
                f'{ends[0]:.4f}, {ends[1]:.4f}, "{sources}"}},\n'
            )


def all_errors(unet3d: memmodel.Network) -> Iterator[Error]:
    yield from of_gpu_tables()
    yield from of_an_h200()
    yield from of_recorded_models()
    yield from of_processes(unet3d)


def table_of(program: str) -> str:
    """`program` is the example that describes a 3D U-Net."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "unet3d.json"
        subprocess.run([program, "--loss", "-o", path], check=True, stdout=subprocess.DEVNULL)
        unet3d = memmodel.Network.load(path)
    return HEAD + "".join(rows(all_errors(unet3d))) + "};\n"


def words_of(text: str) -> list[str]:
    """Without what clang-format moves."""
    return text.replace("{", " { ").replace("}", " } ").replace(",", " , ").split()


def main(*words: str) -> None:
    check = words[0] == "--check"
    table, program = words[check:]
    made = table_of(program)
    if not check:
        Path(table).write_text(made)
    elif words_of(made) != words_of(Path(table).read_text()):
        sys.exit(f"{table} is not what the recordings give now:\n{made}")


if __name__ == "__main__":
    main(*sys.argv[1:])
