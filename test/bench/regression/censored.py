"""What rows of runs that ended early are worth: made tables, with these rows dropped and used as lower limits.

usage: censored.py [--tables N]

A table: peaks in bytes by a law in `dim` and `batch`, with noise; the points that need up to 16 GB were measured, 8 of
them at random, and up to 8 of those above were killed when they had 70 to 100 % of what they need, or of the 16 GB.
Errors are mean relative ones at 64 points that need 16 to 96 GB. Prints the table of doc/guide/fitting.md.
"""

from __future__ import annotations

import argparse
import itertools
import math
from typing import NamedTuple

import memmodel
import numpy as np
import pandas

CAPACITY = 16e9
FARTHEST = 6 * CAPACITY
ROWS = 8
TESTED = 64
DIFFERENCE = 0.01  # of an error, from which on one is better

LAWS = {
    "volume": lambda dim, batch: 5e8 + 950 * batch * dim**3,
    "two sums": lambda dim, batch: 3e8 + 2.4e3 * dim**3 + 610 * batch * dim**3,
    "attention": lambda dim, batch: 1e9 + 4.1e6 * batch * dim + 2.6e4 * batch * dim**2,
    "workspace": lambda dim, batch: 4e8 + 700 * batch * dim**3 + 1.5e5 * dim**2,
}


class Rows(NamedTuple):
    points: np.ndarray
    peaks: np.ndarray
    status: list[str]

    def columns(self) -> dict[str, object]:
        return {"dim": self.points[:, 0], "batch": self.points[:, 1], "peak": self.peaks, "status": self.status}

    def measured(self) -> Rows:
        kept = [row for row, status in enumerate(self.status) if not status]
        return Rows(self.points[kept], self.peaks[kept], [""] * len(kept))


def points_between(law, least: float, most: float) -> np.ndarray:
    grid = np.array(list(itertools.product(range(16, 513, 8), (1, 2, 3, 4, 6, 8, 12, 16))), float)
    needs = law(grid[:, 0], grid[:, 1])
    return grid[(needs > least) & (needs <= most)]


def draw(law, noise: float, seed: int) -> Rows:
    random = np.random.RandomState(seed)

    def some(points: np.ndarray, count: int) -> np.ndarray:
        return points[random.permutation(len(points))[:count]]

    done = some(points_between(law, 0, CAPACITY), ROWS)
    killed = some(points_between(law, CAPACITY, 2 * CAPACITY), ROWS)
    peaks = law(*done.T) * np.exp(noise * random.standard_normal(len(done)))
    reached = np.minimum(law(*killed.T), CAPACITY) * random.uniform(0.7, 1, len(killed))
    status = [""] * len(done) + ["oom"] * len(killed)
    return Rows(np.concatenate([done, killed]), np.concatenate([peaks, reached]), status)


def error(rows: Rows, loss: str, tested: np.ndarray, needs: np.ndarray) -> float:
    model = memmodel.fit(pandas.DataFrame(rows.columns()), "peak", ["dim", "batch"], loss=loss, capacity=CAPACITY)
    found = model.evaluate({"dim": tested[:, 0], "batch": tested[:, 1]})
    return float(np.mean(np.abs(np.asarray(found) - needs) / needs))


def compare(loss: str, noise: float, tables: int) -> str:
    dropped, used = [], []
    for law, seed in itertools.product(LAWS.values(), range(tables)):
        rows = draw(law, noise, seed)
        tested = points_between(law, CAPACITY, FARTHEST)
        tested = tested[np.random.RandomState(seed).permutation(len(tested))[:TESTED]]
        needs = law(*tested.T)
        dropped.append(error(rows.measured(), loss, tested, needs))
        used.append(error(rows, loss, tested, needs))
    gains = np.array(dropped) - np.array(used)
    better, worse = int(np.sum(gains > DIFFERENCE)), int(np.sum(gains < -DIFFERENCE))
    means = f"{100 * math.fsum(dropped) / len(dropped):.1f} % | {100 * math.fsum(used) / len(used):.1f} %"
    return f"| {loss} | {100 * noise:.0f} % | {means} | {better} of {len(gains)} | {worse} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=8, help="of each law")
    options = parser.parse_args()
    print("| loss | noise | dropped | used | better | worse |\n|---|---|---|---|---|---|")
    for loss, noise in itertools.product(("relative", "squared"), (0.01, 0.05)):
        print(compare(loss, noise, options.tables), flush=True)


if __name__ == "__main__":
    main()
