"""Whether known formulas are found again: a check of the search.

usage: known.py [--noise 0,0.001,0.01] [--rows N] [--evaluations N] [--only NAME,...] [--results FILE]

Feynman's equations (feynman.csv) and laws with numbers in them (laws.csv) on inputs drawn from their published ranges,
and S. Strogatz's systems of two differential equations along trajectories from their published beginnings. To the
target of the rows of the fit normal noise is added, of that share of its root mean square. Accurate: R2 > 0.999 on
rows not seen, without noise. Exact: with its numbers fitted again to rows without noise the found formula has no error
left (1e-8), of laws none either on rows up to a quarter of each range above it, and none of its terms vanishes then.
Trajectories have 400 points, of which 300 are fitted. Results are added to a file of JSON lines, and what is there is
not done again.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import math
import os
import pathlib
import re
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import memmodel  # noqa: E402
import numpy as np  # noqa: E402
from scipy.optimize import least_squares  # noqa: E402

HERE = pathlib.Path(__file__).parent
TEST_ROWS = 1000
POINTS = 400  # of the trajectories of one system
ACCURATE = 0.999
EXACT = 1e-8
MOST_NUMBERS = 24  # none of the equations has so many: a formula with more is none of them
BEYOND = 1.25  # of the ranges of laws: a curve of one input with many numbers may look exact inside

# Shares of accurate and of exact formulas in per cent, by noise 0, 0.001 and 0.01: W. La Cava and others, "Contemporary
# symbolic regression methods and their relative performance", 2021 (cavalab/srbench, docs/csv/groundtruth.csv), with
# 10,000 rows and up to 8 hours; and PhySO, which is told the units (WassimTenachi/PhySO, benchmarking).
PUBLISHED = {
    "feynman": {
        "Operon": ((86.2, 16.6), (81.9, 0.3), (0.0, 0.1)),
        "GP-GOMEA": ((71.6, 26.8), (72.8, 1.6), (math.nan, 0.0)),
        "AIFeynman": ((78.5, 55.8), (9.7, 1.5), (0.0, 0.0)),
        "DSR": ((25.0, 19.7), (math.nan, 16.8), (17.2, 8.4)),
        "gplearn": ((32.8, 16.3), (math.nan, 15.8), (14.2, 13.2)),
        "PhySO": ((66.9, 58.4), (63.4, 58.4), (64.8, 57.9)),
    },
    "strogatz": {
        "Operon": ((92.9, 11.4), (92.9, 0.0), (math.nan, 0.0)),
        "GP-GOMEA": ((71.4, 29.5), (math.nan, 0.9), (math.nan, 0.0)),
        "AIFeynman": ((35.7, 27.1), (math.nan, 13.7), (math.nan, 0.8)),
        "DSR": ((math.nan, 19.6), (math.nan, 18.8), (math.nan, 16.1)),
    },
    "laws": {},
}
NOISES = (0.0, 0.001, 0.01)

FUNCTIONS = {name: getattr(np, name) for name in ("sqrt", "exp", "sin", "cos", "tanh", "arcsin", "log")}
FUNCTIONS |= {"ln": np.log, "pi": np.pi, "cot": lambda x: 1 / np.tan(x)}


class Equation(NamedTuple):
    group: str
    name: str
    formula: str
    inputs: list[str]
    draw: Callable[[np.random.Generator, int], np.ndarray]  # rows of inputs
    beyond: Callable[[np.random.Generator, int], np.ndarray]  # where an exact formula must be exact, too

    def value(self, x: np.ndarray) -> np.ndarray:
        names = {name: x[:, i] for i, name in enumerate(self.inputs)}
        return np.asarray(eval(self.formula, {"__builtins__": {}}, FUNCTIONS | names), float)  # noqa: S307


# ---- the equations ----


def listed(group: str) -> Iterator[Equation]:
    with (HERE / f"{group}.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            ranges = [item.split() for item in row["ranges"].split("; ")]
            low, high = (np.array([float(item[k]) for item in ranges]) for k in (1, 2))

            def draw(random: np.random.Generator, rows: int, low: Any = low, high: Any = high) -> np.ndarray:
                return low + (high - low) * random.random((rows, len(low)))

            def beyond(random: np.random.Generator, rows: int, low: Any = low, high: Any = high) -> np.ndarray:
                return low + BEYOND * (high - low) * random.random((rows, len(low)))

            names = [item[0] for item in ranges]
            yield Equation(group, row["name"], row["formula"], names, draw, beyond if group == "laws" else draw)


# S. H. Strogatz: Nonlinear dynamics and chaos; as simulated in lacava/ode-strogatz: dx/dt, dy/dt, and where the four
# trajectories begin: a point and how far around it, or points.
SYSTEMS: dict[str, tuple[str, str, Any]] = {
    "bacres": ("20 - x - x*y/(1 + 0.5*x**2)", "10 - x*y/(1 + 0.5*x**2)", ((5, 10), (1, 0.3))),
    "barmag": ("0.5*sin(x - y) - sin(x)", "0.5*sin(y - x) - sin(y)", ((math.pi, math.pi), (1.8, 1.8))),
    "glider": ("-0.05*x**2 - sin(y)", "x - cos(y)/x", ((5, 0), (1, 0.3))),
    "lv": ("3*x - 2*x*y - x**2", "2*y - x*y - y**2", [(1, 3), (4, 1), (8, 2), (3, 3)]),
    "predprey": ("x*(4 - x - y/(1 + x))", "y*(x/(1 + x) - 0.075*y)", ((5, 10), (1, 0.3))),
    "shearflow": ("cot(y)*cos(x)", "(cos(y)**2 + 0.1*sin(y)**2)*sin(x)", ((0, 0.8), (1.8, 0.4))),
    "vdp": ("10*(y - (x**3/3 - x))", "-x/10", ((0.5, 0.5), (0.5, 0.5))),
}


def trajectories(slopes: tuple[str, str], begin: Any, random: np.random.Generator, rows: int) -> np.ndarray:
    """Points of four trajectories of 10 seconds, ten a second, by the method of Runge and Kutta."""
    parts = []
    code = [compile(text, "slope", "eval") for text in slopes]

    def slope(point: np.ndarray) -> np.ndarray:
        names = {"x": point[0], "y": point[1]}
        return np.array([eval(part, {"__builtins__": {}}, FUNCTIONS | names) for part in code], float)  # noqa: S307

    for index in range(4):
        middle = begin[index] if isinstance(begin, list) else begin[0] + random.uniform(-1, 1, 2) * begin[1]
        point, step, steps = np.array(middle, float), 0.002, 5000
        path = []
        for _ in range(steps):
            path.append(point)
            a = slope(point)
            b = slope(point + step / 2 * a)
            c = slope(point + step / 2 * b)
            point = point + step / 6 * (a + 2 * b + 2 * c + slope(point + step * c))
        parts.append(np.array(path)[::50])
    points = np.concatenate(parts)
    return points[random.permutation(len(points))[:rows]]


def strogatz() -> Iterator[Equation]:
    for name, (first, second, begin) in SYSTEMS.items():
        for index, formula in enumerate((first, second)):

            def draw(random: np.random.Generator, rows: int, slopes: Any = (first, second), at: Any = begin) -> Any:
                return trajectories(slopes, at if isinstance(at, list) else np.array(at, float), random, rows)

            yield Equation("strogatz", f"{name}{index + 1}", formula, ["x", "y"], draw, draw)


# ---- exactness ----


class Numbers(ast.NodeTransformer):
    """Numbers become parameters, but for exponents."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        node.left = self.visit(node.left)
        if not isinstance(node.op, ast.Pow):
            node.right = self.visit(node.right)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        self.values.append(float(node.value))
        return ast.parse(f"p[{len(self.values) - 1}]", mode="eval").body


def terms_of(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return [*terms_of(node.left), *terms_of(node.right)]
    return [node]


def is_exact(text: str, equation: Equation, x: np.ndarray, beyond: np.ndarray) -> bool:
    """Whether the formula with other numbers is right, also on other rows than these, and needs all of its terms."""
    inputs, y = [f"v{i}" for i in range(x.shape[1])], equation.value(x)
    tree = ast.parse(text.replace("math.", ""), mode="eval")
    numbers = Numbers()
    body = ast.fix_missing_locations(numbers.visit(tree)).body
    if len(numbers.values) > MOST_NUMBERS:
        return False
    size = math.sqrt(float((y**2).mean()))

    def run(node: ast.expr, x: np.ndarray = x) -> Callable[[np.ndarray], np.ndarray]:
        names = FUNCTIONS | {"min": np.minimum, "max": np.maximum, "pow": np.power}
        names |= {name: x[:, i] for i, name in enumerate(inputs)}
        code = compile(ast.fix_missing_locations(ast.Expression(node)), "formula", "eval")
        return lambda p: np.broadcast_to(eval(code, {"__builtins__": {}}, names | {"p": p}), len(x))  # noqa: S307

    whole, start = run(body), np.array(numbers.values)
    scale = np.where(start == 0, 1, np.abs(start))
    with np.errstate(all="ignore"):
        fitted = least_squares(
            lambda q: np.nan_to_num((whole(q * scale) - y) / size, nan=1e6, posinf=1e6, neginf=1e6),
            start / scale,
            method="lm" if len(y) >= len(start) else "trf",
            xtol=1e-15,
            ftol=1e-15,
            gtol=1e-15,
            max_nfev=400,
        )
        there = equation.value(beyond)
        off = (run(body, beyond)(fitted.x * scale) - there) / math.sqrt(float((there**2).mean()))
    if not all(math.sqrt(float((errors**2).mean())) < EXACT for errors in (fitted.fun, off)):
        return False
    parts = [run(term)(fitted.x * scale) for term in terms_of(body)]
    return all(np.ptp(part) > 1e-6 * size or np.ptp(part) == 0 for part in parts)


# ---- the bench ----


def judge(equation: Equation, noise: float, rows: int, evaluations: int) -> dict[str, Any]:
    random = np.random.default_rng(zlib.crc32(f"{equation.name} {noise} {rows}".encode()))
    if equation.group == "strogatz":
        rows = POINTS * 3 // 4
    x = equation.draw(random, POINTS if equation.group == "strogatz" else rows + TEST_ROWS)
    y = equation.value(x)
    noisy = y[:rows] + noise * math.sqrt(float((y**2).mean())) * random.standard_normal(rows)
    start = time.process_time()
    table = {f"v{i}": x[:rows, i] for i in range(x.shape[1])} | {"the target": noisy}
    model = memmodel.fit(table, "the target", loss="squared", search=True, max_evaluations=evaluations)
    seconds = time.process_time() - start
    inputs = {name: x[rows:, int(name[1:])] for name in model.inputs}
    predicted = model.evaluate(inputs)
    tested = y[rows:]
    r2 = 1 - float(((tested - predicted) ** 2).sum() / ((tested - tested.mean()) ** 2).sum())
    text = re.sub(r"\^", "**", model.formula())
    beyond = equation.beyond(random, TEST_ROWS) if equation.group != "strogatz" else x[rows:]
    exact = r2 > ACCURATE and is_exact(text, equation, x[rows:], beyond)
    return {"r2": round(r2, 9), "exact": bool(exact), "seconds": round(seconds, 2), "formula": model.formula()}


def read(path: pathlib.Path) -> dict[tuple[Any, ...], dict[str, Any]]:
    if not path.exists():
        return {}
    results = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {(r["group"], r["name"], r["noise"], r["rows"], r["evaluations"]): r for r in results}


def share(flags: list[bool]) -> str:
    return f"{100 * sum(flags) / len(flags):.1f}" if flags else "-"


def report(results: list[dict[str, Any]], rows: int, evaluations: int) -> None:
    def cell(number: float) -> str:
        return "-" if math.isnan(number) else f"{number:.1f}"

    for group, rivals in PUBLISHED.items():
        own = [r for r in results if r["group"] == group]
        seconds = sorted(r["seconds"] for r in own) or [0.0]
        fitted = POINTS * 3 // 4 if group == "strogatz" else rows
        print(f"\n{group}: {fitted} rows, {evaluations} formulas, median {seconds[len(seconds) // 2]:.1f} s")
        print(f"{'accurate % / exact %':<22}" + "".join(f"{f'noise {noise:g}':>16}" for noise in NOISES))
        cells = []
        for noise in NOISES:
            part = [r for r in own if r["noise"] == noise]
            cells.append(f"{share([r['r2'] > ACCURATE for r in part])} / {share([r['exact'] for r in part])}")
        print(f"{'memmodel':<22}" + "".join(f"{text:>16}" for text in cells))
        for name, rates in rivals.items():
            print(f"{name + ', published':<22}" + "".join(f"{f'{cell(a)} / {cell(e)}':>16}" for a, e in rates))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--noise", default=",".join(f"{noise:g}" for noise in NOISES))
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--evaluations", type=int, default=480000)
    parser.add_argument("--only", help="names of equations")
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "known.jsonl")
    options = parser.parse_args()
    done = read(options.results)
    equations = [*listed("feynman"), *strogatz(), *listed("laws")]
    for noise in [float(item) for item in options.noise.split(",")]:
        for equation in equations:
            key = (equation.group, equation.name, noise, options.rows, options.evaluations)
            if key in done or (options.only and equation.name not in options.only.split(",")):
                continue
            names = ("group", "name", "noise", "rows", "evaluations")
            done[key] = dict(zip(names, key, strict=True)) | judge(equation, noise, options.rows, options.evaluations)
            with options.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(done[key]) + "\n")
    chosen = [r for key, r in done.items() if key[3:] == (options.rows, options.evaluations)]
    report(chosen, options.rows, options.evaluations)


if __name__ == "__main__":
    main()
