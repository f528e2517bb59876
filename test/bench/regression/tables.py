"""The tables and how they are split."""

from __future__ import annotations

import csv
import math
import pathlib
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


def memory(name: str) -> Table:
    """Peaks of a 3D U-Net by side of image and batch: the mean of each point that the case study measured."""
    with (CASE_STUDY / f"{name}_samples.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    rows = [row for row in rows if row.get("status", "ok") == "ok"]
    peaks: dict[tuple[float, float], list[float]] = {}
    for row in rows:
        peaks.setdefault((float(row["dim"]), float(row["batch"])), []).append(float(row["peak_bytes"]))
    return Table(name, ["dim", "batch"], np.array(list(peaks)), np.array([np.mean(peak) for peak in peaks.values()]))
