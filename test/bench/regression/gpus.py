"""How far formulas are off on peaks of GPUs that others measured: SchedTune's of one GPU, and xMem's of CNNs.

usage: ./run python test/bench/regression/gpus.py

Ten splits of 70 % to 30 %, and points with more than a quarter of the largest work, learnt from the others.
"""

from __future__ import annotations

import csv
import pathlib
from typing import NamedTuple

import memmodel
import numpy as np
from tables import ROOT, Part, Table, split

SPLITS = 10
SMALL = 4  # points with at most this part of the largest work are learnt from
GPU = ("Pipelines/CUDA cores", "2496")  # the one of SchedTune's whose rows are taken


class Peaks(NamedTuple):
    table: Table
    work: np.ndarray  # what grows with the size of a training


def rows_of(path: pathlib.Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def numbers(rows: list[dict[str, str]], columns: dict[str, str], target: str) -> tuple[np.ndarray, np.ndarray]:
    return np.array([[float(row[name]) for name in columns.values()] for row in rows]), np.array(
        [float(row[target]) for row in rows]
    )


def schedtune() -> Peaks:
    columns = {name: name for name in ("activations", "parameters", "input")} | {"batch": "batchsize"}
    rows = [row for row in rows_of(ROOT / "test/data/schedtune/model_stats.csv") if row[GPU[0]] == GPU[1]]
    x, y = numbers(rows, columns, "peak mem usage")
    return Peaks(Table("SchedTune, one GPU", list(columns), x, y), x[:, 0])


def xmem() -> Peaks:
    columns = {"batch": "batch_size", "dnnmem": "dnnmem_bytes", "schedtune": "schedtune_bytes"}
    rows = [row for row in rows_of(ROOT / "test/data/xmem/xmem_runs.csv") if row["family"] == "CNN"]
    rows = [row for row in rows if row["real_oom"] == "false" and all(row[name] for name in columns.values())]
    x, y = numbers(rows, columns, "ground_bytes")
    return Peaks(Table("xMem, CNNs", list(columns), x, y), x[:, 2])


def error(part: Part) -> float:
    table = {name: part.x[:, i] for i, name in enumerate(part.columns)}
    model = memmodel.fit({**table, "peak": part.y}, "peak")
    known = {name: part.test_x[:, i] for i, name in enumerate(part.columns) if name in model.inputs}
    return float(np.abs(model.evaluate(known) / part.test_y - 1).mean())


def larger(peaks: Peaks) -> Part:
    _, columns, x, y = peaks.table
    small = peaks.work <= peaks.work.max() / SMALL
    return Part(columns, x[small], y[small], x[~small], y[~small])


def main() -> None:
    for peaks in (schedtune(), xmem()):
        errors = [error(split(peaks.table, seed, 0.3)) for seed in range(SPLITS)]
        median, worst, beyond = (100 * share for share in (np.median(errors), max(errors), error(larger(peaks))))
        told = f"median {median:.1f} %, worst {worst:.1f} %, larger {beyond:.1f} %"
        print(f"{peaks.table.name}, {len(errors)} splits: {told}")


if __name__ == "__main__":
    main()
