"""The tables and how they are split."""

from __future__ import annotations

import csv
import json
import math
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

ROOT = pathlib.Path(__file__).parents[3]
PMLB = ROOT / "test" / "data" / "pmlb"
CASE_STUDY = ROOT / "examples" / "case-study" / "data"

# The first ten seeds of the published study, so that its numbers can stand beside ours; and ten to check by.
SPLITS = {
    "published": (23654, 15795, 860, 5390, 29802, 21575, 11964, 11284, 22118, 6265),
    "check": tuple(range(10)),
}


class Table(NamedTuple):
    name: str
    columns: list[str]
    x: np.ndarray
    y: np.ndarray


class Part(NamedTuple):
    """One split of a table, without the columns that are constant in its training rows."""

    columns: list[str]
    x: np.ndarray
    y: np.ndarray
    test_x: np.ndarray
    test_y: np.ndarray


def split(table: Table, seed: int, test_share: float = 0.25) -> Part:
    """The rows that scikit-learn's train_test_split(test_size=test_share, random_state=seed) gives."""
    rows = len(table.y)
    order = np.random.RandomState(seed).permutation(rows)
    tested = math.ceil(test_share * rows)
    test, train = order[:tested], order[tested:]
    kept = [i for i in range(table.x.shape[1]) if np.ptp(table.x[train, i]) > 0]
    columns = [table.columns[i] for i in kept]
    return Part(columns, table.x[train][:, kept], table.y[train], table.x[test][:, kept], table.y[test])


def published() -> dict[str, dict[str, float]]:
    """Of each table the published R2 of each method."""
    with (PMLB / "srbench2021_published_r2.csv").open(encoding="utf-8") as file:
        return {
            row.pop("dataset"): {name: float(value) for name, value in row.items() if name not in ("rows", "features")}
            for row in csv.DictReader(file)
        }


def pmlb(name: str) -> Table:
    with (PMLB / f"{name}.tsv").open(encoding="utf-8") as file:
        head, *rows = csv.reader(file, delimiter="\t")
    numbers = np.array(rows, float)
    return Table(name, head[:-1], numbers[:, :-1], numbers[:, -1])


# ---- peaks of memory ----


class Peaks(NamedTuple):
    """Peaks of a network by size and batch: the mean of each point's runs, and the runs themselves."""

    name: str
    columns: list[str]
    x: np.ndarray
    runs: list[list[float]]

    @property
    def table(self) -> Table:
        return Table(self.name, self.columns, self.x, np.array([np.mean(runs) for runs in self.runs]))

    @property
    def work(self) -> np.ndarray:
        """What grows with the size of a point: voxels, pixels or words, times the batch."""
        return self.x[:, 0] ** self.dimensions * self.x[:, 1]

    @property
    def dimensions(self) -> int:
        return {"dim": 3, "edge": 3, "side": 2, "length": 1}[self.columns[0]]


def read_peaks(name: str, path: pathlib.Path) -> Peaks:
    with path.open(encoding="utf-8") as file:
        reader = csv.DictReader(line for line in file if not line.startswith("#"))
        rows = [row for row in reader if row.get("status", "ok") == "ok"]
        columns = list(reader.fieldnames or ())[:2]
    peaks: dict[tuple[float, ...], list[float]] = {}
    for row in rows:
        peaks.setdefault(tuple(float(row[column]) for column in columns), []).append(float(row["peak_bytes"]))
    return Peaks(name, columns, np.array(list(peaks)), list(peaks.values()))


def all_peaks() -> Iterator[Peaks]:
    """Of the case study the resident bytes of a process, some measured several times; else recorded live bytes."""
    yield read_peaks("Keras 3D U-Net", CASE_STUDY / "keras_samples.csv")
    yield read_peaks("PyTorch 3D U-Net", CASE_STUDY / "torch_samples.csv")
    for path in sorted((ROOT / "test" / "data" / "pytorch_peaks").glob("*.csv")):
        yield read_peaks(path.stem, path)


def simulated_peaks() -> dict[str, dict[tuple[float, ...], float]]:
    """Of the two tables of the case study what its program, named by CASE_STUDY, says without any measurement."""
    program = os.environ.get("CASE_STUDY", "")
    if not program:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        files = [CASE_STUDY / name for name in ("keras_samples.csv", "torch_samples.csv", "pytorch_steps.csv")]
        results = pathlib.Path(folder) / "results.json"
        subprocess.run([program, *files, results], check=True, stdout=subprocess.DEVNULL)
        study = json.loads(results.read_text(encoding="utf-8"))
    return {
        name: {(float(point["dim"]), float(point["batch"])): float(point["simulated"]) for point in points}
        for name, points in (("Keras 3D U-Net", study["points"]), ("PyTorch 3D U-Net", study["torch"]["points"]))
    }
