"""Peaks of memory: how far formulas are off on points left out at random, and on points larger than any they saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import memmodel
import methods
import numpy as np
import scipy.stats
import tables
from results import Result, Store, label
from simulated import FIRST, SECOND, simulated_peaks
from tables import Part, Peaks

SPLITS = tuple(range(20))
SEED, REPEATS = 1, 2000  # of the bootstrap
LEAST_REPETITIONS = 10  # that tell how large the noise is
SMALL = 4  # points with at most this part of the largest product of size and batch are learnt from


def mape(part: Part, predictions: np.ndarray) -> float:
    return float(np.abs(predictions / part.test_y - 1).mean())


def random_parts(peaks: Peaks) -> Iterable[Part]:
    return (tables.split(peaks.table, seed, 0.3) for seed in SPLITS)


def small_points(peaks: Peaks) -> np.ndarray:
    return peaks.work <= peaks.work.max() / SMALL


def larger_parts(peaks: Peaks) -> list[Part]:
    small = small_points(peaks)
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
        "memmodel sim., batch of 1": with_simulation(known, basis="user", terms=["simulated", "equal(batch, 1)"]),
        "memmodel sim. and inputs": with_simulation(known),
    }


# ---- noise ----


class Noise(NamedTuple):
    spread: float  # standard deviation of a run relative to the mean of its point
    floor: float  # how far means of runs are off the mean of all runs there could be, on average
    least: float  # 95 % interval of that
    most: float


def repetitions(peaks: Peaks) -> int:
    return sum(len(runs) - 1 for runs in peaks.runs)


def deviations(runs: list[float]) -> np.ndarray:
    """Of runs from the mean of their point, as large as those of runs that are not in it."""
    return (np.array(runs) / np.mean(runs) - 1) * np.sqrt(len(runs) / (len(runs) - 1))


def floor_of(random: np.random.Generator, runs: list[list[float]], drawn: Iterable[int]) -> float:
    """Points are measured again: each of them as often, with deviations of any of the points drawn."""
    pool = np.concatenate([deviations(runs[i]) for i in drawn if len(runs[i]) > 1])
    return float(np.mean([abs(1 / (1 + random.choice(pool, len(runs[i])).mean()) - 1) for i in drawn]))


def noise(peaks: Peaks) -> Noise:
    """By bootstrap of points and of the deviations of their runs."""
    free = repetitions(peaks)
    if free < LEAST_REPETITIONS:
        return Noise(*4 * [float("nan")])
    squares = sum(((np.array(runs) / np.mean(runs) - 1) ** 2).sum() for runs in peaks.runs)
    random = np.random.default_rng(SEED)
    count = len(peaks.runs)
    floors = [floor_of(random, peaks.runs, random.integers(0, count, count)) for _ in range(REPEATS)]
    return Noise(float(np.sqrt(squares / free)), float(np.mean(floors)), *np.quantile(floors, [0.025, 0.975]))


def lack_of_fit(peaks: Peaks, spread: float) -> str:
    """Whether means of runs are further off a formula of all points than runs of one point are off each other."""
    table = peaks.table
    columns = dict(zip(table.columns, table.x.T, strict=True))
    model = memmodel.fit({**columns, "peak": table.y}, "peak")
    free = len(table.y) - next(entry.term_count for entry in model.front if entry.selected)
    counts = np.array([len(runs) for runs in peaks.runs])
    squares = (model.evaluate({name: columns[name] for name in model.inputs}) / table.y - 1) ** 2
    ratio, within = (counts * squares).sum() / free / spread**2, repetitions(peaks)
    shared = np.sqrt(max(0, squares.sum() / free - spread**2 * np.mean(1 / counts)))
    return (
        f"Beyond that all runs of a point are off the formula of all points by the same {shared:.2%} (standard "
        f"deviation): F({free}, {within}) = {ratio:.1f}, p = {scipy.stats.f.sf(ratio, free, within):.1g}"
    )


def describe_noise(peaks: Peaks, of: Noise) -> str:
    count = repetitions(peaks)
    described = f"{peaks.name}: {len(peaks.runs)} points, {len(peaks.runs) + count} runs"
    if np.isnan(of.spread):
        return described + (", too few repetitions to tell the noise" if count else ", the same bytes in every run")
    return (
        f"{described}; one run is {of.spread:.2%} off its mean (from {count} repetitions), so that the true means "
        f"would have a MAPE of {of.floor:.2%} ({of.least:.2%} to {of.most:.2%})"
    )


def print_noise(peaks: Peaks) -> None:
    of = noise(peaks)
    print(describe_noise(peaks, of))
    if np.isnan(of.spread):
        return
    large = np.nonzero(~small_points(peaks))[0]
    larger = peaks._replace(name="larger points alone", x=peaks.x[large], runs=[peaks.runs[i] for i in large])
    print(f"... {lack_of_fit(peaks, of.spread)}\n... {describe_noise(larger, noise(larger))}")


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
    for peaks in everything:
        print_noise(peaks)
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
