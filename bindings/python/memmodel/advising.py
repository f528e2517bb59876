"""Which configuration to measure next."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from memmodel import _call, _ffi, _limits
from memmodel.samples import Samples, samples_of


class Advice(NamedTuple):
    """What to measure next, one row after the other.

    advised: a table of the inputs, `cost`, and `error`, the expected mean relative error of a prediction once the row
    is measured. error: the same with the samples there are. needed: samples in all that probably give the wanted
    accuracy; None if no number does, as the noise alone is more.
    """

    advised: Samples
    error: float
    needed: int | None


def _levels(name: str, values: Any) -> str:
    """An input and what it may be, as the library reads it."""
    if isinstance(values, str):
        return f"{name}={values}"
    if isinstance(values, numbers.Real):
        values = [values]
    if not isinstance(values, Iterable):
        raise TypeError(f"domain: numbers of {name} are needed, not {_call.kind_of(values)}")
    return f"{name}=" + ",".join(repr(_call.double(value, f"domain[{name!r}]")) for value in values)


def advise(
    samples: Any = None,
    target: str | None = None,
    domain: Mapping[str, Any] | None = None,
    *,
    candidates: Any = None,
    cost: str | None = None,
    accuracy: float = 0.0,
    noise: float = 0.0,
    count: int = 0,
) -> Advice:
    """Advise what to measure next, so that a formula fitted to all samples predicts best where it is asked.

    samples: what was measured so far, as fit() takes it; None: nothing yet. target: its column, the last numeric one
    unless given. domain: of each input its numbers, a sequence, a range or a text such as "32:144:16", from, to and
    step; all combinations may be measured. candidates: a table of the configurations in place of the domain. cost: of a
    measurement, a formula in the inputs or "prediction". accuracy: wanted mean relative error, 0.03 unless given.
    noise: relative error of a measurement. count: configurations to advise, 10 unless given.

    >>> memmodel.advise("runs.csv", "peak_bytes", {"dim": range(32, 145, 16), "batch": [1, 2, 4]}).advised
    """
    if (domain is None) == (candidates is None):
        raise TypeError("advise: a domain is needed, or candidates, and not both")
    options = _ffi.AdviseOptions(
        target=target,
        domain=[_levels(name, values) for name, values in _call.mapping(domain, "domain").items()] or None,
        cost=cost,
        accuracy=accuracy,
        noise=noise,
        count=count,
    )
    measured = None if samples is None else samples_of(samples)._handle
    listed = None if candidates is None else samples_of(candidates)._handle
    table, error, needed = _ffi.advise(_limits.new_context(), measured, listed, options)
    return Advice(Samples._of(table), error, needed if needed >= 0 else None)
