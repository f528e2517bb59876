"""How often measurements stay below the upper bound, beside the level it was asked for.

usage: coverage.py [--splits N] [--level P] [--rules NAME,...] [--tables NAME,...]

Random splits of 70 % to 30 %: real peaks of memory (each point once, with the mean of what was measured; and all rows,
the points held out whole), twelve real tables of other kinds under squared errors, and simulated peaks with known
noise.
Coverage and excess over all rows of all splits; "bad" are splits of which less than 80 % of the rows are covered.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import NamedTuple

import memmodel
import numpy as np
import tables
from tables import Table

RULES = ("larger", "held_out", "student", "jackknife_plus")
RANDOM = 20260101


class Case(NamedTuple):
    """Tables to split; of simulated ones a new one each time."""

    name: str
    loss: str
    tables: Iterator[Table]


def all_rows(peaks: tables.Peaks) -> Table:
    repeats = [len(runs) for runs in peaks.runs]
    x = np.repeat(peaks.x, repeats, axis=0)
    return Table(f"{peaks.name}, all rows", peaks.columns, x, np.concatenate(peaks.runs))


def simulated(noise: float, steps: bool) -> Iterator[Table]:
    """36 of the points of a grid: bytes of a 3D network, with an allocator's rounding or without."""
    random = np.random.RandomState(RANDOM)
    batch, dim = (axis.ravel() for axis in np.meshgrid(2.0 ** np.arange(7), np.linspace(32, 144, 15)))
    while True:
        voxel = 10 ** random.uniform(-4, -3)
        activations = voxel * batch * dim**3 + voxel * random.uniform(2, 40) * batch * dim**2
        if steps:
            pool = random.uniform(0.05, 0.25) * activations
            activations = 2 * np.ceil((activations - pool) / 2) + 2 ** np.ceil(np.log2(np.maximum(pool, 1)))
        bytes_ = random.uniform(200, 2500) + activations + 10 ** random.uniform(-3, -1.5) * dim**2
        rows = random.permutation(len(dim))[:36]
        y = (bytes_ * np.exp(noise * random.randn(len(dim))))[rows]
        name = f"simulated, {noise:.0%} noise{', steps' if steps else ''}"
        yield Table(name, ["dim", "batch"], np.column_stack([dim, batch])[rows], y)


def repeated(table: Table) -> Iterator[Table]:
    while True:
        yield table


def cases() -> list[Case]:
    found = []
    for peaks in tables.all_peaks():
        found += [Case(peaks.name, "relative", repeated(peaks.table))]
        if len(peaks.runs) < sum(len(runs) for runs in peaks.runs):
            found += [Case(f"{peaks.name}, all rows", "relative", repeated(all_rows(peaks)))]
    for noise, steps in ((0.01, False), (0.03, False), (0.03, True)):
        made = simulated(noise, steps)
        found += [Case(next(made).name, "relative", made)]
    return found + [Case(name, "squared", repeated(tables.pmlb(name))) for name in sorted(tables.published())]


def split(table: Table, seed: int, whole_points: bool) -> np.ndarray:
    """Which rows are for training."""
    _, points = np.unique(table.x, axis=0, return_inverse=True)
    units = points.ravel() if whole_points else np.arange(len(table.y))
    order = np.random.RandomState(seed).permutation(units.max() + 1)
    return ~np.isin(units, order[: math.ceil(0.3 * len(order))])


def bounds(table: Table, training: np.ndarray, loss: str, level: float, rule: str) -> np.ndarray:
    kept = [i for i in range(table.x.shape[1]) if np.ptp(table.x[training, i]) > 0]
    columns = {table.columns[i]: table.x[training, i] for i in kept}
    model = memmodel.fit({**columns, "the target": table.y[training]}, "the target", loss=loss)
    used = [table.columns.index(name) for name in model.inputs]
    rows = table.x[~training][:, used]
    if rule == "larger":
        return np.asarray(model.predict(rows, level=level).upper)
    return np.array([model.bound(level=level, rule=rule, **dict(zip(model.inputs, row))).upper for row in rows])


def judge(case: Case, splits: int, level: float, rule: str) -> str:
    covered, excess, rows = [], [], 0
    for seed in range(splits):
        table = next(case.tables)
        training = split(table, seed, case.name.endswith("all rows"))
        upper, truth = bounds(table, training, case.loss, level, rule), table.y[~training]
        covered.append(truth <= upper)
        # Of relative errors a share of the truth, else of the target's standard deviation.
        excess.append((upper - truth) / (truth if case.loss == "relative" else table.y.std()))
        rows = int(training.sum())
    bad = np.mean([part.mean() < 0.8 for part in covered])
    return f"{rows:6} {np.concatenate(covered).mean():9.1%} {bad:6.1%} {np.median(np.concatenate(excess)):8.1%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--rules", default="larger", help=f"some of {','.join(RULES)}")
    parser.add_argument("--tables", help="only those whose names begin so, with commas; all unless given")
    options = parser.parse_args()
    head = f"{options.splits} splits, level {options.level:.0%}"
    print(f"{head}; excess: median, of the truth, or of the standard deviation")
    for rule in options.rules.split(","):
        print(f"\n{rule:32} {'rows':>6} {'coverage':>9} {'bad':>6} {'excess':>8}")
        for case in cases():
            if not options.tables or case.name.startswith(tuple(options.tables.split(","))):
                print(f"{case.name:32} {judge(case, options.splits, options.level, rule)}", flush=True)


if __name__ == "__main__":
    main()
