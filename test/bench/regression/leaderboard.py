"""How well formulas predict rows they were not fitted to, beside other methods.

usage: leaderboard.py [--methods NAME,...] [--parts published,check,unseen,drawn,memory,simulated,coverage]

Twelve real tables by test R2, on the splits of a published study, whose numbers for 21 methods stand beside, and on ten
others; real tables that no rule was chosen by; many that a rule draws; peaks of memory by test MAPE; and how often
measurements stay below the upper bounds. Everything on one core. What is in results/ is not measured again, but for our
own.
"""

from __future__ import annotations

import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

from collections.abc import Iterable  # noqa: E402

import coverage  # noqa: E402
import drawn  # noqa: E402
import memory  # noqa: E402
import methods  # noqa: E402
import numpy as np  # noqa: E402
import tables  # noqa: E402
import unseen  # noqa: E402
from results import Result, Store, label, machine  # noqa: E402
from tables import SPLITS, Part, Table  # noqa: E402

ByMethod = dict[str, dict[str, Result]]
PARTS = (*SPLITS, "unseen", "drawn", "memory", "simulated", "coverage")
LARGE = 1500  # rows, from which on tables nobody has seen are split half as often
LEAST_TOLD, MOST_TOLD = 0.05, 0.9999  # R2 of the best method, of tables that are drawn
SMALL = 1000  # rows to learn from, of a board without the large ones


def r2(part: Part, predictions: np.ndarray) -> float:
    return float(1 - ((part.test_y - predictions) ** 2).sum() / ((part.test_y - part.test_y.mean()) ** 2).sum())


def rank(value: float, others: Iterable[float]) -> int:
    return 1 + sum(other > value for other in others)


def measure(store: Store, chosen: dict[str, methods.Method], table: Table, seeds: Iterable[int]) -> None:
    store.measure(table.name, chosen, lambda: (tables.split(table, seed) for seed in seeds), r2)


def print_tables(results: ByMethod, names: Iterable[str], best: dict[str, float] | None = None) -> None:
    """Of each table every method's R2."""
    names = list(names)
    width = max(len(table) for table in names)
    heads = [*results, "best published"] if best else list(results)
    print(f"{'':{width}} " + " ".join(f"{head[:14]:>14}" for head in heads))
    for table in names:
        values = [of[table].median if table in of else np.nan for of in results.values()]
        values += [best[table]] if best else []
        print(f"{table:{width}} " + " ".join(" " * 14 if np.isnan(value) else f"{value:14.3f}" for value in values))


def print_worst(results: ByMethod) -> None:
    if not {"memmodel", "straight line"} <= results.keys():
        return
    ours, line = results["memmodel"], results["straight line"]
    differences = {table: ours[table].median - line[table].median for table in ours.keys() & line.keys()}
    table = min(differences, key=differences.__getitem__)
    print(f"\nmemmodel less the straight line, on the table where that is least: {differences[table]:+.3f}, {table}")


def summary(name: str, medians: list[float], ranks: list[float], seconds: str = "", nodes: str = "") -> str:
    mean = np.mean(np.maximum(medians, 0))
    return f"{name:26} {np.median(medians):7.3f} {mean:7.3f} {np.mean(ranks):6.2f} {seconds:>9} {nodes:>6}"


def print_summaries(
    results: ByMethod, names: list[str], ranks: dict[str, list[float]], more: list[tuple[float, str]]
) -> None:
    """Of methods that have all the tables, the best rank first."""
    print(f"\n{'':26} {'median':>7} {'mean':>7} {'rank':>6} {'seconds':>9} {'nodes':>6}")
    lines = list(more)
    for method, of_tables in results.items():
        medians = [of_tables[table].median for table in names]
        seconds = max(of_tables[table].seconds for table in names)
        nodes = np.median([of_tables[table].nodes for table in names])
        size = "" if np.isnan(nodes) else f"{nodes:.0f}"
        shown = label(method, (of_tables[table] for table in names))
        line = summary(shown, medians, ranks[method], f"{seconds:.2f}", size)
        lines.append((float(np.mean(ranks[method])), line))
    print("\n".join(line for _, line in sorted(lines)))


def complete(results: ByMethod, names: Iterable[str]) -> ByMethod:
    return {
        method: of
        for method, of in results.items()
        if all(table in of and not np.isnan(of[table].median) for table in names)
    }


def ranks_among(medians: dict[str, float], reference: dict[str, dict[str, float]]) -> list[float]:
    """Among the 21 published methods, itself left out."""
    return [rank(value, reference[table].values()) for table, value in medians.items()]


def of_first_splits(results: ByMethod) -> ByMethod:
    """As if all methods had been given as few splits as those that take long."""
    return {
        method: {table: result.first(methods.FEW_SPLITS) for table, result in of.items()}
        for method, of in results.items()
    }


def print_published(results: ByMethod, reference: dict[str, dict[str, float]], more: list[tuple[float, str]]) -> None:
    ranks = {
        method: ranks_among({table: of[table].median for table in reference}, reference)
        for method, of in results.items()
    }
    print_summaries(results, list(reference), ranks, more)


def published_board(chosen: dict[str, methods.Method], splits: str) -> None:
    """The twelve tables of the published study, on its splits or on others."""
    reference = tables.published()
    store = Store(splits)
    for name in reference:
        measure(store, chosen, tables.pmlb(name), SPLITS[splits])
    results = store.of_methods(chosen)
    print(f"\nTest R2 on the {splits} splits: median of ten. {store.machine}\n")
    print_tables(results, reference, {table: max(others.values()) for table, others in reference.items()})
    more = []
    if splits == "published":
        for method in next(iter(reference.values())):
            medians = {table: others[method] for table, others in reference.items()}
            of_method = ranks_among(medians, reference)
            more.append((float(np.mean(of_method)), summary(f"{method} (published)", [*medians.values()], of_method)))
    print_published(complete(results, reference), reference, more)
    print(f"\nOf the first {methods.FEW_SPLITS} splits alone")
    print_published(of_first_splits(complete(results, reference)), reference, [])
    if splits != "published":
        print("Ranks are among the published results, which are of other splits.")
    print_worst(results)


def print_unseen(title: str, results: ByMethod, shown: list[str]) -> None:
    if not results or not shown:
        return
    ranks: dict[str, list[float]] = {method: [] for method in results}
    for table in shown:
        medians = {method: of[table].median for method, of in results.items()}
        for method, value in medians.items():
            ranks[method].append(rank(value, medians.values()))
    print(f"\n{title}; ranks are among these methods")
    print_summaries(results, shown, ranks, [])


def unseen_board(chosen: dict[str, methods.Method]) -> None:
    """Tables that no rule was chosen by; ranks are among the methods that have all."""
    store = Store("unseen")
    rows = {}
    for table in unseen.tables():
        rows[table.name] = 0.75 * len(table.y)
        measure(store, chosen, table, range(5 if len(table.y) > LARGE else 10))
    names, everything = list(rows), store.of_methods(chosen)
    print(
        f"\nTest R2 on tables that no rule was chosen by: median of ten splits, of large ones five. {store.machine}\n"
    )
    print_tables(everything, names)
    small = [table for table in names if rows[table] <= SMALL]
    for title, shown in (("all", names), (f"of at most {SMALL} rows to learn from", small)):
        print_unseen(f"{len(shown)} tables, {title}", complete(everything, shown), shown)
        few = of_first_splits(complete(everything, shown))
        print_unseen(f"{len(shown)} tables, {title}, the first {methods.FEW_SPLITS} splits alone", few, shown)
    print_worst(everything)


def drawn_board(chosen: dict[str, methods.Method]) -> None:
    """Many tables; those that no method tells anything of, or all of, are left out."""
    store = Store("drawn")
    for title, draw in drawn.HALVES.items():
        names = []
        for table in draw():
            names.append(table.name)
            measure(store, chosen, table, range(methods.FEW_SPLITS))
        results = complete(store.of_methods(chosen), names)
        best = {name: max(of[name].median for of in results.values()) for name in names}
        told = [name for name in names if LEAST_TOLD < best[name] < MOST_TOLD]
        print_unseen(f"{len(told)} of {len(names)} tables drawn, {title}, {methods.FEW_SPLITS} splits", results, told)


def pick(known: dict[str, methods.Method], wanted: str | None) -> dict[str, methods.Method]:
    names = wanted.split(",") if wanted else list(known)
    return {name: method for name, method in known.items() if name in names}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", help="only these, by their names, with commas; all unless given")
    parser.add_argument(
        "--parts", default="published,check,unseen,drawn,memory,simulated,coverage", help="only these parts"
    )
    options = parser.parse_args()
    print(f"This machine: {machine()}")
    parts = options.parts.split(",")
    for splits in (name for name in SPLITS if name in parts):
        published_board(pick(methods.TABLES, options.methods), splits)
    if "unseen" in parts:
        unseen_board(pick(methods.TABLES, options.methods))
    if "drawn" in parts:
        drawn_board(pick(methods.TABLES, options.methods))
    if "memory" in parts:
        memory.boards(pick(methods.MEMORY, options.methods))
    if "simulated" in parts:
        memory.simulated_boards(pick(methods.MEMORY, options.methods))
    if "coverage" in parts:
        coverage.board()


if __name__ == "__main__":
    main()
