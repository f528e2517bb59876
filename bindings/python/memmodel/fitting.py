"""From a table of measurements to a formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memmodel import _call, _ffi
from memmodel.errors import MemmodelError
from memmodel.estimation import _checked, estimate
from memmodel.model import Model
from memmodel.network import Network
from memmodel.progress import Observer, set_progress
from memmodel.quantity import parse_bytes
from memmodel.samples import Samples, _context, samples_of

LAYER_OUTPUTS = "layer outputs"


def _names(values: Sequence[str] | None, name: str) -> Sequence[str] | None:
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name}: a sequence of names is needed, not {_call.kind_of(values)}")
    return values


def _first_value(samples: Samples, symbol: str) -> int:
    """A number to report with: the formula does not depend on it."""
    try:
        column = samples[symbol]
    except MemmodelError as problem:
        raise type(problem)(f"network: its symbol '{symbol}' is no numeric column of the samples") from None
    return int(column[0]) if len(column) and 1 <= column[0] < 9e15 else 1


def network_term(network: Network, samples: Samples) -> str:
    """The bytes of a network's layer outputs as a formula in its symbols."""
    symbols = {name: _first_value(samples, name) for name in _checked(network).symbols}
    return estimate(network, framework="textbook", symbols=symbols).formula(LAYER_OUTPUTS)


def fit(
    table: Any,
    target: str | None = None,
    inputs: Sequence[str] | None = None,
    *,
    weight_column: str | None = None,
    terms: Sequence[str] = (),
    network: Network | None = None,
    basis: str | int | _ffi.FitBasis = "posynomial",
    loss: str | int | _ffi.FitLoss = "default",
    max_terms: int = 0,
    quantile: float = 0.0,
    increasing: Sequence[str] = (),
    decreasing: Sequence[str] = (),
    non_negative: bool = False,
    units: Mapping[str, str] | None = None,
    max_exponent: float = 0.0,
    integer_exponents: bool = False,
    change_points: int = 0,
    search: bool = False,
    seed: int = 0,
    max_evaluations: int = 0,
    progress: Observer | None = None,
    threads: int = 0,
    selection: str | int | _ffi.FitSelection = "default",
    capacity: float | str = 0.0,
) -> Model:
    """Fit a formula to measurements: Samples, the path of a CSV file, a pandas frame, or columns by name.

    target: column to predict, the last numeric one unless given. inputs: columns to predict it from, all other numeric
    ones unless given. weight_column: it says how much a row counts. loss: "relative" errors, of a target above 0 by
    terms above 0, which is the default; "squared", of numbers of any sign; "mape", "log_ratio", "absolute" or
    "pinball". basis: "posynomial", "general", "user" (only `terms`); the loss says which unless given. terms: formulas
    in the inputs, offered besides the basis; `network` offers the bytes of its layer outputs. max_terms: besides the
    constant.

    What is known of the formula: increasing, decreasing: inputs with which it never falls, or never rises.
    non_negative: nowhere below 0. units: of columns, such as {"peak": "B"}: no sums of unlike things. max_exponent,
    integer_exponents: of the powers. change_points=1: at one value of one input it may change. quantile: of the loss
    "pinball".

    selection: "one_standard_error", the smallest formula within one standard error of the best, is the default of
    positive terms; "description_length" that of others.

    Rows whose status says that the run ended early ("oom"; of `memmodel run` "limit", "signal 9", "exit 1") are lower
    limits. capacity: what those had that ended for lack of memory; what each reached unless given.

    search: formulas of any shape are tried, too, at most `max_evaluations`. progress: called now and then with a
    Progress; a true result ends the call with CancelledError.

    >>> model = memmodel.fit("runs.csv", "peak_bytes", ["dim", "batch"])
    """
    samples = samples_of(table)
    offered = _call.several(_names(terms, "terms") or (), "terms")
    if network is not None:
        offered.append(network_term(network, samples))
    options = _ffi.FitOptions(
        target=target,
        inputs=_names(inputs, "inputs"),
        weight_column=weight_column,
        terms=offered or None,
        basis=basis,
        loss=loss,
        max_terms=max_terms,
        quantile=quantile,
        increasing=_names(increasing, "increasing") or None,
        decreasing=_names(decreasing, "decreasing") or None,
        non_negative=bool(non_negative),
        units=[f"{column}={unit}" for column, unit in _call.mapping(units, "units").items()] or None,
        max_exponent=max_exponent,
        integer_exponents=bool(integer_exponents),
        change_points=change_points,
        selection=selection,
        search=bool(search),
        seed=seed,
        max_evaluations=max_evaluations,
        threads=threads,
        capacity=float(parse_bytes(capacity, "capacity")) if isinstance(capacity, str) else capacity,
    )
    context = _context(progress)
    with samples._lock.reading():
        model = Model(_ffi.fit(samples._handle, options, context))
    set_progress(context, None)  # the model keeps it
    if isinstance(capacity, str) and model.unit is None:
        raise ValueError(f"capacity: the unit of {model.target} is not known; give a number in it")
    return model
