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
MOST_KERNEL_ROWS = 1000  # of kernel ridge, whose grid takes hours beyond


class Outcome(NamedTuple):
    predictions: np.ndarray
    nodes: float = math.nan  # of methods whose formula nobody reads
    formula: str = ""


Method = Callable[[Part], Outcome]


def our_fit(**options: Any) -> Method:
    def method(part: Part) -> Outcome:
        table = {name: part.x[:, i] for i, name in enumerate(part.columns)}
        model = memmodel.fit({**table, "the target": part.y}, "the target", **options)
        rows = {name: part.test_x[:, i] for i, name in enumerate(part.columns) if name in model.inputs}
        nodes = next((entry.nodes for entry in model.front if entry.chosen), math.nan)
        return Outcome(model.evaluate(rows), nodes, model.formula())

    return method


def on_logarithms(method: Method) -> Method:
    """The same of the target's logarithm."""

    def of_logarithms(part: Part) -> Outcome:
        if part.y.min() <= 0:
            raise ValueError("not all targets are positive")
        outcome = method(part._replace(y=np.log(part.y)))
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
    if len(part.y) > MOST_KERNEL_ROWS:
        raise ValueError("too many rows")
    grid = {"kernelridge__alpha": np.logspace(-4, 0, 5), "kernelridge__gamma": np.logspace(-3, 0, 4)}
    centre = part.y.mean()
    model = GridSearchCV(make_pipeline(StandardScaler(), KernelRidge(kernel="rbf")), grid, cv=5)
    return Outcome(model.fit(part.x, part.y - centre).predict(part.test_x) + centre)


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

    model = SymbolicRegressor(
        population_size=500, generations=20, parsimony_coefficient=0.01, metric="rmse", random_state=SEED
    ).fit(part.x, part.y)
    return Outcome(np.nan_to_num(model.predict(part.test_x)), len(model._program.program))


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
    return Outcome(np.array(json.loads(ran.stdout)))


def forest() -> Any:
    return RandomForestRegressor(200, random_state=SEED, n_jobs=1)


def extra_trees() -> Any:
    return ExtraTreesRegressor(200, random_state=SEED, n_jobs=1)


def scaled(model: Any) -> Any:
    return make_pipeline(StandardScaler(), model)


TABLES: dict[str, Method] = {
    "memmodel": our_fit(loss="squared"),
    "straight line": straight_line,
    "ridge": scikit(lambda: scaled(RidgeCV(np.logspace(-3, 3, 13)))),
    "lasso": scikit(lambda: scaled(LassoCV(cv=5, random_state=SEED))),
    "kernel ridge": kernel_ridge,
    "random forest": scikit(forest),
    "extra trees": scikit(extra_trees),
    "operon-10": operon(10),
    "operon-50": operon(50),
    "gplearn": gplearn,
}

MEMORY: dict[str, Method] = {
    "memmodel": our_fit(),
    "memmodel any sign": our_fit(basis="general", loss="relative"),
    "straight line": straight_line,
    "kernel ridge log": on_logarithms(kernel_ridge),
    "random forest": scikit(forest),
    "random forest log": on_logarithms(scikit(forest)),
    "extra trees": scikit(extra_trees),
    "extra trees log": on_logarithms(scikit(extra_trees)),
    "operon-50": operon(50),
    "operon-50 log": on_logarithms(operon(50)),
    "gplearn": gplearn,
    "Extra-P": extra_p,
}

warnings.filterwarnings("ignore")
