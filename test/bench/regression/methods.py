"""What is compared: each method takes a split and gives predictions of its test rows, and the size of its formula.

Settings are those that a careful user would choose knowing nothing of the table: what a method tunes, it tunes by
cross-validation on the training rows. Operon runs with the fitting of constants that its default leaves out, at its
usual length and at one that is as easy to read as our formulas.
"""

from __future__ import annotations

import math
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


def scikit(make: Callable[[], Any], *, logarithm: bool = False) -> Method:
    def method(part: Part) -> Outcome:
        model = make().fit(part.x, np.log(part.y) if logarithm else part.y)
        predicted = np.asarray(model.predict(part.test_x), float)
        return Outcome(np.exp(predicted) if logarithm else predicted)

    return method


def straight_line(part: Part) -> Outcome:
    model = LinearRegression().fit(part.x, part.y)
    return Outcome(model.predict(part.test_x), 1 + 4 * part.x.shape[1])


def kernel_ridge() -> Any:
    grid = {"kernelridge__alpha": np.logspace(-4, 1, 6), "kernelridge__gamma": np.logspace(-3, 1, 5)}
    return GridSearchCV(make_pipeline(StandardScaler(), KernelRidge(kernel="rbf")), grid, cv=5)


def operon(length: int, *, logarithm: bool = False) -> Method:
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
        model.fit(part.x, np.log(part.y) if logarithm else part.y)
        predicted = np.nan_to_num(model.predict(part.test_x))
        return Outcome(np.exp(np.clip(predicted, -700, 700)) if logarithm else predicted, model.model_.Length)

    return method


def gplearn(part: Part) -> Outcome:
    from gplearn.genetic import SymbolicRegressor

    model = SymbolicRegressor(
        population_size=1000, generations=20, parsimony_coefficient=0.01, metric="rmse", random_state=SEED
    ).fit(part.x, part.y)
    return Outcome(np.nan_to_num(model.predict(part.test_x)), len(model._program.program))


def forest() -> Any:
    return RandomForestRegressor(1000, random_state=SEED, n_jobs=1)


def extra_trees() -> Any:
    return ExtraTreesRegressor(1000, random_state=SEED, n_jobs=1)


def scaled(model: Any) -> Any:
    return make_pipeline(StandardScaler(), model)


TABLES: dict[str, Method] = {
    "memmodel": our_fit(loss="squared"),
    "straight line": straight_line,
    "ridge": scikit(lambda: scaled(RidgeCV(np.logspace(-3, 3, 13)))),
    "lasso": scikit(lambda: scaled(LassoCV(cv=5, random_state=SEED))),
    "kernel ridge": scikit(kernel_ridge),
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
    "random forest": scikit(forest),
    "random forest log": scikit(forest, logarithm=True),
    "extra trees": scikit(extra_trees),
    "extra trees log": scikit(extra_trees, logarithm=True),
    "operon-50": operon(50),
    "operon-50 log": operon(50, logarithm=True),
}

warnings.filterwarnings("ignore")
