"""Peaks of memory: how far formulas are off on points left out at random, and on points larger than any they saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import methods
import numpy as np
import tables
from results import Result, Store, label
from simulated import FIRST, SECOND, simulated_peaks
from tables import Part, Peaks

SPLITS = tuple(range(20))
SMALL = 4  # points with at most this part of the largest product of size and batch are learnt from


def mape(part: Part, predictions: np.ndarray) -> float:
    return float(np.abs(predictions / part.test_y - 1).mean())


def random_parts(peaks: Peaks) -> Iterable[Part]:
    return (tables.split(peaks.table, seed, 0.3) for seed in SPLITS)


def larger_parts(peaks: Peaks) -> list[Part]:
    small = peaks.work <= peaks.work.max() / SMALL
    x, y = peaks.table.x, peaks.table.y
    return [Part(peaks.columns, x[small], y[small], x[~small], y[~small])]


# ---- with the simulated peak ----


def with_simulation(known: dict[tuple[float, ...], float], **options: Any) -> methods.Method:
    """Our fit, offered the peak that a simulation says for each point."""
    fit = methods.our_fit(**options)

    def method(part: Part) -> methods.Outcome:
        x, test_x = (
            np.column_stack([rows, [known[tuple(row)] for row in rows.tolist()]]) for rows in (part.x, part.test_x)
        )
        return fit(part._replace(columns=[*part.columns, "simulated"], x=x, test_x=test_x))

    return method


def simulating(chosen: dict[str, methods.Method], known: dict[tuple[float, ...], float]) -> dict[str, methods.Method]:
    if "memmodel" not in chosen or not known:
        return {}
    return {
        "memmodel simulated": with_simulation(known, basis="user", terms=["simulated"]),
        "memmodel sim. and inputs": with_simulation(known),
    }


# ---- noise ----


def noise(peaks: Peaks) -> tuple[float, float]:
    """Standard deviation of a run relative to the mean of its point, and how far means of runs are off on average."""
    free = sum(len(runs) - 1 for runs in peaks.runs)
    if free == 0:
        return float("nan"), float("nan")
    squares = sum(((np.array(runs) / np.mean(runs) - 1) ** 2).sum() for runs in peaks.runs)
    spread = float(np.sqrt(squares / free))
    return spread, float(np.mean([spread * np.sqrt(2 / np.pi / len(runs)) for runs in peaks.runs]))


def describe_noise(peaks: Peaks) -> str:
    spread, floor = noise(peaks)
    runs = sum(len(of) for of in peaks.runs)
    if np.isnan(spread):
        return f"{peaks.name}: {len(peaks.runs)} points, the same bytes in every run"
    return (
        f"{peaks.name}: {len(peaks.runs)} points, {runs} runs; one run is {spread:.2%} off its mean (from "
        f"{runs - len(peaks.runs)} repetitions), so that a perfect formula would have a MAPE of {floor:.2%}"
    )


# ---- the boards ----


def print_board(
    title: str,
    everything: list[Peaks],
    of: dict[str, dict[str, Result]],
    show: Callable[[Result], float],
    form: str = "{:14.2%}",
) -> None:
    print(f"\n{title}\n")
    print(f"{'':26} " + " ".join(f"{peaks.name[-14:]:>14}" for peaks in everything))
    for method, results in of.items():
        values = [show(results[peaks.name]) if peaks.name in results else np.nan for peaks in everything]
        print(
            f"{label(method, results.values()):26} "
            + " ".join(" " * 14 if np.isnan(value) else form.format(value) for value in values)
        )


def print_boards(title: str, everything: list[Peaks], names: list[str], inside: Store, beyond: Store) -> None:
    random = inside.of_methods(names)
    print_board(f"{title}: test MAPE, 20 splits of 70 % to 30 %: the median", everything, random, lambda r: r.median)
    print_board("... and the worst split", everything, random, lambda result: max(result.errors))
    print_board("... and seconds of a fit", everything, random, lambda result: result.seconds, "{:14.3f}")
    print_board("... and nodes of the formula", everything, random, lambda result: result.nodes, "{:14.0f}")
    print_board(
        "Test MAPE of the points larger than a quarter of the largest, fitted to the others", everything,
        beyond.of_methods(names), lambda result: result.median,
    )  # fmt: skip


def boards(chosen: dict[str, methods.Method]) -> None:
    everything, simulated = list(tables.all_peaks()), tables.simulated_peaks()
    inside, beyond = Store("memory"), Store("memory_larger")
    for peaks in everything:
        both = chosen | simulating(chosen, simulated.get(peaks.name, {}))
        inside.measure(peaks.name, both, lambda peaks=peaks: random_parts(peaks), mape)
        beyond.measure(peaks.name, both, lambda peaks=peaks: larger_parts(peaks), mape)
    names = [*chosen, *simulating(chosen, {(): 0.0})]
    print(f"\nPeaks of memory. {inside.machine}\n")
    print("\n".join(describe_noise(peaks) for peaks in everything))
    print_boards("Measured", everything, names, inside, beyond)


def simulated_boards(chosen: dict[str, methods.Method]) -> None:
    """Of networks that were simulated: peaks that no measurement blurs."""
    inside, beyond = Store("simulated"), Store("simulated_larger")
    for title, half in (("Simulated, rules may follow them", FIRST), ("Simulated, to judge by", SECOND)):
        everything = list(simulated_peaks(half))
        for peaks in everything:
            inside.measure(peaks.name, chosen, lambda peaks=peaks: random_parts(peaks), mape)
            beyond.measure(peaks.name, chosen, lambda peaks=peaks: larger_parts(peaks), mape)
        print_boards(title, everything, list(chosen), inside, beyond)
