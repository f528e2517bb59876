"""What is compared: each method takes a split and gives predictions of its test rows, and the size of its formula.

Settings are those that a careful user would choose knowing nothing of the table: what a method tunes, it tunes by
cross-validation on the training rows. Where targets are positive, methods may also fit their logarithm. Operon runs
with the fitting of constants that its default leaves out, at its usual length and at one that is as easy to read as our
formulas. Extra-P, which needs an older numpy than the others, runs in an environment of its own.
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import re
import subprocess
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import memmodel
import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LassoCV, LinearRegression, RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import Part

SEED = 1
OURS = "memmodel"  # methods whose names begin so are measured anew in every run
MOST_TUNING_ROWS = 1000  # of kernel ridge: of more, its grid takes hours
FEW_SPLITS = 3  # the first ones: all that methods which take long are given
LONG = ("gplearn", "gplearn log", "Extra-P")


class Outcome(NamedTuple):
    predictions: np.ndarray
    nodes: float = math.nan  # of methods whose formula nobody reads
    formula: str = ""


Method = Callable[[Part], Outcome]


def count_nodes(formula: str) -> int:
    """Its numbers, names and operators, as a tree has them."""
    return len(re.findall(r"[\d.]+(?:e[+-]?\d+)?|\w+|[-+*/^]", formula))


def our_fit(**options: Any) -> Method:
    def method(part: Part) -> Outcome:
        table = {name: part.x[:, i] for i, name in enumerate(part.columns)}
        model = memmodel.fit({**table, "the target": part.y}, "the target", **options)
        rows = {name: part.test_x[:, i] for i, name in enumerate(part.columns) if name in model.inputs}
        formula = model.formula()
        nodes = next((entry.node_count for entry in model.front if entry.selected), count_nodes(formula))
        return Outcome(model.evaluate(rows), nodes, formula)

    return method


def on_logarithms(method: Method, inputs: bool = False) -> Method:
    """The same of the target's logarithm; with `inputs` of theirs, too."""

    def of_logarithms(part: Part) -> Outcome:
        if part.y.min() <= 0 or (inputs and min(part.x.min(), part.test_x.min()) <= 0):
            raise ValueError("not all numbers are positive")
        part = part._replace(y=np.log(part.y))
        if inputs:
            part = part._replace(x=np.log(part.x), test_x=np.log(part.test_x))
        outcome = method(part)
        return outcome._replace(predictions=np.exp(np.clip(outcome.predictions, -700, 700)))

    return of_logarithms


def scikit(make: Callable[[], Any]) -> Method:
    def method(part: Part) -> Outcome:
        return Outcome(np.asarray(make().fit(part.x, part.y).predict(part.test_x), float))

    return method


def straight_line(part: Part) -> Outcome:
    model = LinearRegression().fit(part.x, part.y)
    return Outcome(model.predict(part.test_x), 1 + 4 * part.x.shape[1])


def kernel_ridge(part: Part) -> Outcome:
    grid = {"kernelridge__alpha": np.logspace(-4, 0, 5), "kernelridge__gamma": np.logspace(-3, 0, 4)}
    centre = part.y.mean()
    tuned = GridSearchCV(make_pipeline(StandardScaler(), KernelRidge(kernel="rbf")), grid, cv=5)
    drawn = np.arange(len(part.y))
    if len(drawn) > MOST_TUNING_ROWS:
        drawn = np.random.RandomState(SEED).permutation(drawn)[:MOST_TUNING_ROWS]
    model = tuned.fit(part.x[drawn], part.y[drawn] - centre).best_estimator_
    if len(drawn) < len(part.y):
        model.fit(part.x, part.y - centre)
    return Outcome(model.predict(part.test_x) + centre)


def operon(length: int) -> Method:
    def method(part: Part) -> Outcome:
        from pyoperon.sklearn import SymbolicRegressor

        model = SymbolicRegressor(
            allowed_symbols="add,sub,mul,div,constant,variable",
            objectives=["r2", "length"],
            optimizer_iterations=3,
            max_length=length,
            max_evaluations=30000,
            model_selection_criterion="mean_squared_error",
            n_threads=1,
            random_state=SEED,
        )
        model.fit(part.x, part.y)
        return Outcome(np.nan_to_num(model.predict(part.test_x)), model.model_.Length)

    return method


def gplearn(part: Part) -> Outcome:
    from gplearn.genetic import SymbolicRegressor

    # Its constants are between -1 and 1, its price of a node is in the unit of the target: all is brought to about 1.
    scale, units = part.y.std() or 1.0, np.abs(part.x).max(axis=0)
    model = SymbolicRegressor(
        population_size=500, generations=20, parsimony_coefficient=0.001, metric="rmse", random_state=SEED,
        function_set=("add", "sub", "mul", "div", "sqrt", "log"),
    ).fit(part.x / units, part.y / scale)  # fmt: skip
    return Outcome(np.nan_to_num(model.predict(part.test_x / units)) * scale, len(model._program.program))


def extra_p(part: Part) -> Outcome:
    """Its formulas are sums of products of powers and logarithms, as ours, with at most one term of each input."""
    python = os.environ.get("EXTRAP_PYTHON", "")
    if not python:
        raise ImportError("EXTRAP_PYTHON does not name a Python that has extrap")
    given = {"columns": part.columns, "x": part.x.tolist(), "y": part.y.tolist(), "test_x": part.test_x.tolist()}
    program = pathlib.Path(__file__).with_name("extra_p.py")
    ran = subprocess.run([python, program], input=json.dumps(given), capture_output=True, text=True, check=False)
    if ran.returncode:
        raise ValueError(ran.stderr)
    said = json.loads(ran.stdout)
    return Outcome(np.array(said["predictions"]), count_nodes(said["formula"]), said["formula"])


def forest() -> Any:
    return RandomForestRegressor(200, random_state=SEED, n_jobs=1)


def extra_trees() -> Any:
    return ExtraTreesRegressor(200, random_state=SEED, n_jobs=1)


def ridge() -> Any:
    return make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13)))


def lasso() -> Any:
    return make_pipeline(StandardScaler(), LassoCV(cv=5, random_state=SEED))


TABLES: dict[str, Method] = {
    "memmodel": our_fit(loss="squared"),
    "straight line": straight_line,
    "ridge": scikit(ridge),
    "lasso": scikit(lasso),
    "kernel ridge": kernel_ridge,
    "random forest": scikit(forest),
    "extra trees": scikit(extra_trees),
    "operon-10": operon(10),
    "operon-50": operon(50),
    "gplearn": gplearn,
    "Extra-P": extra_p,
}

MEMORY: dict[str, Method] = {
    "memmodel": our_fit(),
    "memmodel any sign": our_fit(basis="general", loss="relative"),
    "straight line": straight_line,
    "ridge": scikit(ridge),
    "ridge log-log": on_logarithms(scikit(ridge), inputs=True),
    "lasso": scikit(lasso),
    "lasso log-log": on_logarithms(scikit(lasso), inputs=True),
    "kernel ridge log": on_logarithms(kernel_ridge),
    "kernel ridge log-log": on_logarithms(kernel_ridge, inputs=True),
    "random forest": scikit(forest),
    "random forest log": on_logarithms(scikit(forest)),
    "extra trees": scikit(extra_trees),
    "extra trees log": on_logarithms(scikit(extra_trees)),
    "operon-50": operon(50),
    "operon-50 log": on_logarithms(operon(50)),
    "gplearn": gplearn,
    "gplearn log": on_logarithms(gplearn),
    "Extra-P": extra_p,
}

warnings.filterwarnings("ignore")
