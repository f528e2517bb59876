"""How often measurements stay below the upper bound, beside the level it was asked for.

usage: coverage.py [--splits N] [--level P] [--tables NAME,...] [--kinds peaks,simulated,moments,noise,four,real,beyond]

Random splits of 70 % to 30 %: real peaks of memory (each point once, with the mean of what was measured; and all rows,
the points held out whole), simulated peaks with an allocator's steps, greatest of several sums with and without a batch
that is another algorithm's, sums of powers with four kinds of noise at several sizes, sums of products of four inputs,
and twelve real tables of other kinds under squared errors. Of the last also what lies beyond: learnt from the rows with
the least three quarters of one input, asked for the others.

Coverage, and the excess of the median row, over all rows of all splits; "bad" are splits of which less than 80 % of the
rows are covered. What this build of the library measured is in results/coverage.jsonl and not measured again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import pathlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import memmodel
import numpy as np
import tables
from results import FOLDER, machine
from tables import Table

METHODS = ("default", "conformal", "student_t")
KINDS = ("peaks", "simulated", "moments", "noise", "four", "real", "beyond")
RANDOM = 20260101
SHARE = 0.3  # of rows or points that are held out
LEAST, MOST = 0.93, 0.98  # where the realised coverage of 95 % is to lie


class Split(NamedTuple):
    table: Table
    training: np.ndarray  # which rows are learnt from
    tested: np.ndarray
    terms: tuple[str, ...] = ()  # those of the law, where they are given


class Case(NamedTuple):
    """Splits of a table without end, or of a new table each time."""

    name: str
    kind: str
    loss: str
    splits: Callable[[], Iterator[Split]]


# ---- tables of which there is one ----


def all_rows(peaks: tables.Peaks) -> Table:
    repeats = [len(runs) for runs in peaks.runs]
    x = np.repeat(peaks.x, repeats, axis=0)
    return Table(f"{peaks.name}, all rows", peaks.columns, x, np.concatenate(peaks.runs))


def at_random(table: Table, whole_points: bool = False) -> Iterator[Split]:
    _, points = np.unique(table.x, axis=0, return_inverse=True)
    units = points.ravel() if whole_points else np.arange(len(table.y))
    seed = 0
    while True:
        order = np.random.RandomState(seed).permutation(units.max() + 1)
        tested = np.isin(units, order[: math.ceil(SHARE * len(order))])
        yield Split(table, ~tested, tested)
        seed += 1


def beyond(table: Table) -> Iterator[Split]:
    """Nine tenths of the rows with the least three quarters of an input, of which each takes its turn."""
    cuts = [np.quantile(column, 0.75) for column in table.x.T]
    inputs = [i for i, cut in enumerate(cuts) if (table.x[:, i] > cut).sum() >= 5]
    seed = 0
    while inputs:
        i = inputs[seed % len(inputs)]
        tested = table.x[:, i] > cuts[i]
        kept = np.random.RandomState(seed).random_sample(len(tested)) < 0.9
        yield Split(table, ~tested & kept, tested)
        seed += 1


def of_peaks() -> Iterator[Case]:
    for peaks in tables.all_peaks():
        yield Case(peaks.name, "peaks", "relative", lambda table=peaks.table: at_random(table))
        if len(peaks.runs) < sum(len(runs) for runs in peaks.runs):
            table = all_rows(peaks)
            yield Case(table.name, "peaks", "relative", lambda table=table: at_random(table, whole_points=True))


def of_real() -> Iterator[Case]:
    for name in sorted(tables.published()):
        table = tables.pmlb(name)
        yield Case(name, "real", "squared", lambda table=table: at_random(table))
    for name in sorted(tables.published()):
        table = tables.pmlb(name)
        if any(True for _ in beyond(table)):
            yield Case(f"{name}, beyond", "beyond", "squared", lambda table=table: beyond(table))


# ---- tables that are made ----


def first(x: np.ndarray, y: np.ndarray, name: str, rows: int) -> Split:
    training = np.arange(len(y)) < rows
    return Split(Table(name, ["dim", "batch"], x, y), training, ~training)


def simulated(name: str, noise: float, steps: bool) -> Iterator[Split]:
    """25 of 36 points of a grid: bytes of a 3D network, with an allocator's rounding or without."""
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
        yield first(np.column_stack([dim, batch])[rows], y, name, 25)


def greatest(name: str, noise: float, odd: bool) -> Iterator[Split]:
    """21 of 30 points: the greatest of three moments; if odd, at one batch the smaller sides need another share."""
    random = np.random.RandomState(RANDOM)
    batch, side = (axis.ravel() for axis in np.meshgrid(2.0 ** np.arange(6), np.array([32.0, 48, 64, 96, 128])))
    while True:
        moments = []
        for _ in range(3):
            base, image, each = 10 ** random.uniform(5, 7.5), 10 ** random.uniform(1, 3.5), 10 ** random.uniform(1, 2.5)
            moments.append(base + image * side**2 + each * batch * side**2)
        y = np.max(moments, axis=0)
        if odd:
            at = batch == 2.0 ** random.randint(0, 3)
            y = y * np.where(at & (side <= random.choice(side)), random.uniform(0.8, 1.3), 1)
        y = np.round(y) * np.exp(noise * random.randn(len(y)))
        rows = random.permutation(len(y))
        yield first(np.column_stack([side, batch])[rows], y[rows], name, 21)


def skewed(random: np.random.RandomState, count: int) -> np.ndarray:
    """Lognormal numbers, brought to mean 0 and deviation 1: none is below -0.8, one of a hundred above 4."""
    return (np.exp(random.randn(count)) - math.exp(0.5)) / math.sqrt((math.e - 1) * math.e)


NOISES: dict[str, Callable[[np.random.RandomState, int], np.ndarray]] = {
    "normal": lambda random, count: random.randn(count),
    "lognormal": skewed,
    "uniform": lambda random, count: random.uniform(-math.sqrt(3), math.sqrt(3), count),
    "heavy-tailed": lambda random, count: random.standard_t(3, count) / math.sqrt(3),
}


def noisy(name: str, noise: str, rows: int, loss: str) -> Iterator[Split]:
    """Sums of a constant and two products of powers, or for squared errors a plane and a bend; 5 % of noise."""
    random = np.random.RandomState(RANDOM)
    while True:
        a, b = (2 ** random.uniform(0, 6, rows + 40) for _ in range(2))
        if loss == "relative":
            powers = random.choice([1, 2, 3], 2), random.choice([0, 1, 2], 2)
            terms = [a / 8, b / 8, (a / 8) ** powers[0][0] * (b / 8) ** powers[1][0]]
            y = 1 + sum(10 ** random.uniform(-1, 1) * term for term in terms[1:])
            y *= np.maximum(1 + 0.05 * NOISES[noise](random, len(a)), 0.05)
        else:
            y = random.randn() * a + random.randn() * b + random.randn() * np.maximum(a - 20, 0)
            y += 0.3 * y.std() * NOISES[noise](random, len(a))
        yield first(np.column_stack([a, b]), y, name, rows)


def four_inputs(name: str, rows: int, given: bool) -> Iterator[Split]:
    """Sums of a constant and three products of up to four inputs, in which one may have a power; 5 % of noise."""
    random = np.random.RandomState(RANDOM)
    inputs = ["batch", "length", "layers", "width"]
    while True:
        x = 2 ** random.uniform(-3, 3, (rows + 40, len(inputs)))
        y, terms = np.ones(len(x)), []
        for _ in range(3):
            chosen = random.permutation(len(inputs))[: random.randint(1, len(inputs) + 1)]
            powers = np.where(np.arange(len(chosen)) == 0, random.choice([1, 1, 2, 3]), 1)
            terms.append("*".join(f"{inputs[i]}^{power}" for i, power in zip(chosen, powers)))
            y += 10 ** random.uniform(-1, 1) * np.prod(x[:, chosen] ** powers, axis=1)
        y *= np.maximum(1 + 0.05 * random.randn(len(y)), 0.05)
        training = np.arange(len(y)) < rows
        yield Split(Table(name, inputs, x, y), training, ~training, tuple(sorted(set(terms))) if given else ())


def of_made() -> Iterator[Case]:
    for noise, steps in ((0.01, False), (0.03, False), (0.03, True)):
        name = f"simulated, {noise:.0%} noise{', steps' if steps else ''}"
        made = name, noise, steps
        yield Case(name, "simulated", "relative", lambda made=made: simulated(*made))
    for name, noise, odd in (("moments", 0, False), ("moments, odd", 0, True), ("moments, 2% noise", 0.02, False)):
        yield Case(name, "moments", "relative", lambda given=(name, noise, odd): greatest(*given))
    for loss in ("relative", "squared"):
        for kind in NOISES:
            for rows in (13, 25, 50, 100):
                given = f"{kind}, {rows} rows, {loss}", kind, rows, loss
                yield Case(given[0], "noise", loss, lambda given=given: noisy(*given))
    for rows in (13, 20, 30, 50):
        for given in (False, True):
            name = f"four inputs, {rows} rows{', law given' if given else ''}"
            yield Case(name, "four", "relative", lambda case=(name, rows, given): four_inputs(*case))


# ---- measuring ----


def bounds(split: Split, loss: str, level: float) -> dict[str, np.ndarray]:
    """By every method that the model has, the bounds of the tested rows; and which are extrapolated."""
    table, x = split.table, split.table.x[split.training]
    kept = [i for i in range(x.shape[1]) if np.ptp(x[:, i]) > 0]
    columns = {table.columns[i]: x[:, i] for i in kept}
    known: dict[str, Any] = {"basis": "user", "terms": split.terms} if split.terms else {}
    model = memmodel.fit({**columns, "the target": table.y[split.training]}, "the target", loss=loss, **known)
    rows = table.x[split.tested][:, [table.columns.index(name) for name in model.inputs]]
    points = model.predict(rows, level=level)
    found = {"extrapolated": np.asarray(points.extrapolated), "default": np.asarray(points.upper)}
    for method in METHODS[1:]:
        try:
            found[method] = np.asarray(model.predict(rows, level=level, method=method).upper)
        except memmodel.MemmodelError:  # a method that this model does not have
            found[method] = np.full(len(rows), np.nan)
    return found


def summary(covered: list[np.ndarray], excess: list[np.ndarray]) -> dict[str, float]:
    bad = np.mean([part.mean() < 0.8 for part in covered])
    numbers = np.concatenate(covered).mean(), bad, np.median(np.concatenate(excess))
    return dict(zip(("coverage", "bad", "excess"), (float(f"{number:.4g}") for number in numbers)))


def judge(case: Case, count: int, level: float) -> dict[str, Any]:
    covered: dict[str, list[np.ndarray]] = {method: [] for method in METHODS}
    excess: dict[str, list[np.ndarray]] = {method: [] for method in METHODS}
    outside, rows = [], []
    for _, split in zip(range(count), case.splits()):
        truth, found = split.table.y[split.tested], bounds(split, case.loss, level)
        # Of relative errors a share of the truth, else of the target's standard deviation.
        scale = truth if case.loss == "relative" else split.table.y.std()
        outside.append((truth <= found["default"])[found["extrapolated"] != 0])
        rows.append(split.training.sum())
        for method in METHODS:
            covered[method].append(truth <= found[method])
            excess[method].append((found[method] - truth) / scale)
    beyond_box = np.concatenate(outside)
    share = float(f"{beyond_box.mean():.4g}") if len(beyond_box) else None
    return {
        "rows": int(np.median(rows)),
        **{method: summary(covered[method], excess[method]) for method in METHODS},
        "outside": {"rows": len(beyond_box), "coverage": share},
    }


# ---- what was measured ----


def build() -> str:
    """What tells one build of the library from another."""
    path = pathlib.Path(os.environ["MEMMODEL_LIBRARY"])
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


class Kept:
    """Lines of JSON, one a table; those of another build or of other options are measured again."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.path = FOLDER / "coverage.jsonl"
        self.options = options
        self.lines: dict[str, dict[str, Any]] = {}
        if self.path.exists():
            lines = map(json.loads, self.path.read_text(encoding="utf-8").splitlines()[1:])
            self.lines = {line["table"]: line for line in lines}

    def of(self, case: Case) -> dict[str, Any]:
        line = self.lines.get(case.name, {})
        if any(line.get(name) != value for name, value in self.options.items()):
            line = {"table": case.name, **self.options, **judge(case, self.options["splits"], self.options["level"])}
            self.lines[case.name] = line
            self.write()
        return line

    def write(self) -> None:
        FOLDER.mkdir(exist_ok=True)
        new = self.path.with_suffix(".new")
        lines = [{"machine": machine()}, *self.lines.values()]
        new.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        new.replace(self.path)


# ---- showing ----


def show(line: dict[str, Any]) -> str:
    cells = [f"{line['rows']:5}"]
    for method in METHODS:
        cells.append(f"{line[method]['coverage']:8.1%} {line[method]['bad']:5.1%} {line[method]['excess']:7.1%}")
    covered = line["outside"]["coverage"]
    return "  ".join(cells) + ("" if covered is None else f"  {covered:8.1%} {line['outside']['rows']:6}")


def board(splits: int = 200, level: float = 0.95, kinds: str = ",".join(KINDS), names: str = "") -> None:
    kept = Kept({"build": build(), "splits": splits, "level": level})
    print(f"\nUpper bounds of {level:.0%}, {splits} splits. {machine()}")
    print("Coverage; splits with less than 80 %; median excess, of the truth or (squared) of the standard deviation\n")
    head = "  ".join(f"{method:>22}" for method in METHODS)
    print(f"{'':32} {'rows':>5}  {head}  {'default, outside':>15}")
    missed = []
    for case in (*of_peaks(), *of_made(), *of_real()):
        if case.kind not in kinds.split(",") or not case.name.startswith(tuple(names.split(","))):
            continue
        line = kept.of(case)
        print(f"{case.name:32} {show(line)}", flush=True)
        if case.kind != "beyond" and not LEAST <= line["default"]["coverage"] <= MOST:
            missed.append(f"{case.name} {line['default']['coverage']:.1%}")
    if level == 0.95:
        print(f"\nNot within {LEAST:.0%} to {MOST:.0%} by the default method: {'; '.join(missed) or 'none'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--kinds", default=",".join(KINDS), help="only these")
    parser.add_argument("--tables", default="", help="only those whose names begin so, with commas")
    options = parser.parse_args()
    board(options.splits, options.level, options.kinds, options.tables)


if __name__ == "__main__":
    main()
