"""Draws the pictures of doc/guide/fitting.md from measured tables.

usage: plots.py DIRECTORY
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import matplotlib as mpl
import memmodel
import numpy as np
import tables
from sklearn.ensemble import RandomForestRegressor
from tables import Part, Peaks

mpl.use("Agg")
from matplotlib import pyplot  # noqa: E402

LEARNT, LEFT_OUT, FORMULA, OTHER = "#1f77b4", "#ff7f0e", "#333333", "#c0392b"
GIGA, LEVEL = 1e9, 0.95


def fit(part: Part) -> memmodel.Model:
    table = {name: part.x[:, i] for i, name in enumerate(part.columns)}
    return memmodel.fit({**table, "peak": part.y}, "peak")


def named(part: Part, x: np.ndarray) -> dict[str, np.ndarray]:
    return {name: x[:, i] for i, name in enumerate(part.columns)}


def bounds(model: memmodel.Model, part: Part, x: np.ndarray) -> np.ndarray:
    rows = (dict(zip(part.columns, row, strict=True)) for row in x.tolist())
    return np.array([model.predict(row, level=LEVEL).upper for row in rows])


def work(peaks: Peaks, x: np.ndarray) -> np.ndarray:
    return x[:, 0] ** peaks.dimensions * x[:, 1]


def panel(axes: Any, title: str, xlabel: str = "voxels times batch") -> None:
    axes.set(xscale="log", yscale="log", title=title, xlabel=xlabel, ylabel="peak, GB")
    axes.legend(frameon=False, fontsize=8)
    axes.grid(alpha=0.2)


def relative(predictions: np.ndarray, measured: np.ndarray) -> str:
    return f"{np.abs(predictions / measured - 1).mean():.1%}"


def draw_good(peaks: Peaks) -> Any:
    """A formula of 26 points; the others, and what single runs say."""
    part = tables.split(peaks.table, 0, 0.3)
    model = fit(part)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.8))
    predicted = model.evaluate(named(part, part.test_x))
    left.plot(work(peaks, part.x), part.y / GIGA, "o", color=LEARNT, label="learnt from", ms=4)
    left.plot(work(peaks, part.test_x), part.test_y / GIGA, "o", color=LEFT_OUT, label="left out", ms=5)
    left.plot(work(peaks, part.test_x), predicted / GIGA, "x", color=FORMULA, label="what the formula says of them")
    upper = bounds(model, part, part.test_x)
    left.plot(work(peaks, part.test_x), upper / GIGA, "_", color=OTHER, ms=12, label="bound, 95 %")
    panel(left, f"points left out: {relative(predicted, part.test_y)} off")
    for x, runs in zip(peaks.x, peaks.runs, strict=True):
        spread = 100 * (np.array(runs) / model.evaluate({n: [v] for n, v in zip(peaks.columns, x, strict=True)}) - 1)
        right.plot(np.full(len(runs), work(peaks, x[None])), spread, ".", color=FORMULA, ms=4)
    right.axhline(0, color=LEARNT, lw=1)
    right.set(xscale="log", title="every run, against the formula", xlabel="voxels times batch", ylabel="%")
    right.grid(alpha=0.2)
    return figure


def polynomial(x: np.ndarray) -> np.ndarray:
    size, batch = x[:, 0] / 64, x[:, 1] / 8
    return np.column_stack([size**i * batch**j for i in range(4) for j in range(3)])


def draw_overfit(peaks: Peaks) -> Any:
    """Twelve coefficients of any sign, of fourteen points, against a formula with as many as the rows can tell."""
    part = tables.split(peaks.table, 0, 0.62)
    free = np.linalg.lstsq(polynomial(part.x) / part.y[:, None], np.ones(len(part.y)), rcond=None)[0]
    model = fit(part)
    figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for axes, predict, name in (
        (panels[0], lambda x: polynomial(x) @ free, "12 coefficients of any sign"),
        (panels[1], lambda x: model.evaluate(named(part, x)), "the formula of memmodel fit"),
    ):
        for x, y, colour, label in (
            (part.x, part.y, LEARNT, f"{len(part.y)} learnt from"),
            (part.test_x, part.test_y, LEFT_OUT, f"{len(part.test_y)} left out"),
        ):
            told = f"{label}: {relative(predict(x), y)} off"
            axes.plot(work(peaks, x), 100 * (predict(x) / y - 1), "o", color=colour, label=told, ms=5)
        axes.axhline(0, color=FORMULA, lw=0.8)
        axes.set_yscale("symlog", linthresh=10)
        axes.set(xscale="log", title=name, xlabel="voxels times batch", ylabel="error, %")
        axes.legend(frameon=False, fontsize=9)
        axes.grid(alpha=0.2)
    return figure


def draw_extrapolation(peaks: Peaks) -> Any:
    """Learnt from points of at most a sixteenth of the largest work."""
    small = peaks.work <= peaks.work.max() / 16
    x, y = peaks.table.x, peaks.table.y
    part = Part(peaks.columns, x[small], y[small], x[~small], y[~small])
    model = fit(part)
    forest = RandomForestRegressor(200, random_state=1).fit(part.x, part.y)
    figure, axes = pyplot.subplots(figsize=(5.2, 3.9))
    axes.axvspan(work(peaks, part.x).max(), peaks.work.max() * 1.2, color="#eeeeee")
    axes.plot(work(peaks, part.x), part.y / GIGA, "o", color=LEARNT, ms=4, label="learnt from")
    axes.plot(work(peaks, part.test_x), part.test_y / GIGA, "o", color=LEFT_OUT, ms=5, label="measured, beyond")
    said = model.evaluate(named(part, part.test_x))
    axes.plot(
        work(peaks, part.test_x), said / GIGA, "x", color=FORMULA, label=f"formula: {relative(said, part.test_y)} off"
    )
    upper = bounds(model, part, part.test_x)
    axes.plot(work(peaks, part.test_x), upper / GIGA, "_", color=OTHER, ms=12, label="its bound, 95 %")
    trees = forest.predict(part.test_x)
    label = f"random forest: {relative(trees, part.test_y)} off"
    axes.plot(work(peaks, part.test_x), trees / GIGA, "^", color="#2ca02c", ms=4, label=label)
    panel(axes, "beyond the samples", "voxels times batch")
    return figure


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    keras = next(tables.all_peaks())
    for name, draw in (("good", draw_good), ("overfit", draw_overfit), ("extrapolation", draw_extrapolation)):
        figure = draw(keras)
        figure.tight_layout()
        figure.savefig(folder / f"fitting-{name}.png", dpi=80, metadata={"Software": None})


if __name__ == "__main__":
    main()
