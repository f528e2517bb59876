"""How well formulas predict rows they were not fitted to, beside other methods.

usage: leaderboard.py [--methods NAME,...] [--splits published,check,memory] [--formulas]

Twelve real tables by test R2, on the splits of a published study, whose numbers for 21 methods stand beside, and on ten
others; and peaks of memory by test MAPE. Everything on one core.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import platform
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import methods  # noqa: E402
import numpy as np  # noqa: E402
import tables  # noqa: E402
from tables import SPLITS, Part, Table  # noqa: E402

MEMORY_SPLITS = tuple(range(20))


class Result(NamedTuple):
    """Of one method on one table: the error of each split, and medians over the splits."""

    errors: list[float]
    seconds: float
    nodes: float

    @property
    def median(self) -> float:
        return float(np.median(self.errors))


def r2(part: Part, predictions: np.ndarray) -> float:
    return float(1 - ((part.test_y - predictions) ** 2).sum() / ((part.test_y - part.test_y.mean()) ** 2).sum())


def mape(part: Part, predictions: np.ndarray) -> float:
    return float(np.abs(predictions / part.test_y - 1).mean())


def judge(
    method: methods.Method, parts: Iterable[Part], error: Callable[[Part, np.ndarray], float], formulas: bool
) -> Result:
    errors, seconds, nodes = [], [], []
    for part in parts:
        start = time.perf_counter()
        outcome = method(part)
        seconds.append(time.perf_counter() - start)
        errors.append(error(part, outcome.predictions))
        nodes.append(outcome.nodes)
        if formulas and outcome.formula:
            print(f"    {errors[-1]:.3f}  {outcome.formula}")
    return Result(errors, float(np.median(seconds)), float(np.median(nodes)))


def rank(value: float, others: Iterable[float]) -> int:
    return 1 + sum(other > value for other in others)


def summary(name: str, medians: list[float], ranks: list[float], seconds: str = "", nodes: str = "") -> str:
    mean = np.mean(np.maximum(medians, 0))
    return f"{name:24} {np.median(medians):7.3f} {mean:7.3f} {np.mean(ranks):6.2f} {seconds:>9} {nodes:>6}"


def ranks_among(medians: dict[str, float], reference: dict[str, dict[str, float]]) -> list[float]:
    """Among the 21 published methods, itself left out."""
    return [rank(value, reference[table].values()) for table, value in medians.items()]


def print_tables(results: dict[str, dict[str, Result]], reference: dict[str, dict[str, float]]) -> None:
    """Of each table every method's R2."""
    names = list(results)
    width = max(len(table) for table in reference)
    print(f"{'':{width}} " + " ".join(f"{name[:16]:>16}" for name in (*names, "best published")))
    for table, others in reference.items():
        values = [results[name][table].median for name in names] + [max(others.values())]
        print(f"{table:{width}} " + " ".join(f"{value:16.3f}" for value in values))


def leaderboard(chosen: dict[str, methods.Method], splits: str, formulas: bool) -> None:
    reference = tables.published()
    results: dict[str, dict[str, Result]] = {name: {} for name in chosen}
    for name in reference:
        table = tables.pmlb(name)
        for method, fit in chosen.items():
            parts = (tables.split(table, seed) for seed in SPLITS[splits])
            if formulas:
                print(f"  {method}, {name}")
            results[method][name] = judge(fit, parts, r2, formulas)
    print(f"\nTest R2 on the {splits} splits: median of ten\n")
    print_tables(results, reference)
    print(f"\n{'':24} {'median':>7} {'mean':>7} {'rank':>6} {'seconds':>9} {'nodes':>6}")
    lines = []
    for method, of_tables in results.items():
        medians = {table: result.median for table, result in of_tables.items()}
        seconds = max(result.seconds for result in of_tables.values())
        nodes = np.median([result.nodes for result in of_tables.values()])
        size = "" if np.isnan(nodes) else f"{nodes:.0f}"
        ranks = ranks_among(medians, reference)
        lines.append((np.mean(ranks), summary(method, list(medians.values()), ranks, f"{seconds:.2f}", size)))
    if splits != "published":
        print("Ranks are among the published results, which are of other splits.")
    for method in next(iter(reference.values())) if splits == "published" else ():
        medians = {table: others[method] for table, others in reference.items()}
        ranks = ranks_among(medians, reference)
        lines.append((np.mean(ranks), summary(f"{method} (published)", list(medians.values()), ranks)))
    print("\n".join(line for _, line in sorted(lines)))
    if {"memmodel", "straight line"} <= results.keys():
        worst = min(results["memmodel"][table].median - results["straight line"][table].median for table in reference)
        print(f"\nmemmodel less the straight line, on the table where that is least: {worst:+.3f}")


def memory_board(chosen: dict[str, methods.Method], table: Table, formulas: bool) -> None:
    print(f"\nPeak memory of a 3D U-Net, {table.name}: test MAPE, {len(table.y)} rows, 20 splits of 70 % to 30 %\n")
    print(f"{'':24} {'median':>8} {'worst':>8} {'seconds':>9}")
    for name, fit in chosen.items():
        parts = (tables.split(table, seed, 0.3) for seed in MEMORY_SPLITS)
        result = judge(fit, parts, mape, formulas)
        print(f"{name:24} {100 * result.median:7.2f}% {100 * max(result.errors):7.2f}% {result.seconds:9.2f}")


def pick(known: dict[str, methods.Method], wanted: str | None) -> dict[str, methods.Method]:
    names = wanted.split(",") if wanted else list(known)
    return {name: method for name, method in known.items() if name in names}


def processor() -> str:
    try:
        with pathlib.Path("/proc/cpuinfo").open(encoding="ascii") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", help="only these, by their names, with commas; all unless given")
    parser.add_argument("--splits", default="published,check,memory", help="only these parts")
    parser.add_argument("--formulas", action="store_true", help="print every formula")
    options = parser.parse_args()
    print(f"{processor()}, one core; Python {platform.python_version()}, numpy {np.__version__}")
    parts = options.splits.split(",")
    for splits in (name for name in SPLITS if name in parts):
        leaderboard(pick(methods.TABLES, options.methods), splits, options.formulas)
    for name in ("keras", "torch") if "memory" in parts else ():
        memory_board(pick(methods.MEMORY, options.methods), tables.memory(name), options.formulas)


if __name__ == "__main__":
    main()
