"""Which configuration to measure next."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from memmodel import _call, _ffi, _limits
from memmodel.samples import Samples, samples_of


class Advice(NamedTuple):
    """What to measure next, one row after the other.

    design: a table of the inputs, the cost, and the expected mean relative error of a prediction once the row is
    measured. expected_error: the same with the samples there are. needed_count: samples in all that probably give the
    target error; None if no number does, as the noise alone is more.
    """

    design: Samples
    expected_error: float
    needed_count: int | None


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
    target_error: float = 0.0,
    noise: float = 0.0,
    count: int = 0,
) -> Advice:
    """Advise what to measure next, so that a formula fitted to all samples predicts best where it is asked.

    samples: what was measured so far, as fit() takes it; None: nothing yet. target: its column, the last numeric one
    unless given. domain: of each input its numbers, a sequence, a range or a text such as "32:144:16", from, to and
    step; all combinations may be measured. candidates: a table of the configurations in place of the domain. cost: of a
    measurement, a formula in the inputs or "prediction". target_error: wanted mean relative error of a prediction, 0.03
    unless given. noise: assumed relative standard deviation of repeated measurements. count: configurations to advise,
    10 unless given.

    >>> memmodel.advise("runs.csv", "peak_bytes", {"dim": range(32, 145, 16), "batch": [1, 2, 4]}).design
    """
    if (domain is None) == (candidates is None):
        raise TypeError("advise: a domain is needed, or candidates, and not both")
    options = _ffi.AdviseOptions(
        target=target,
        domain=[_levels(name, values) for name, values in _call.mapping(domain, "domain").items()] or None,
        cost=cost,
        target_error=target_error,
        noise=noise,
        count=count,
        candidates=None if candidates is None else samples_of(candidates)._handle,
    )
    measured = None if samples is None else samples_of(samples)._handle
    result, design = _ffi.advise(measured, options, _limits.new_context())
    needed = result.needed_count
    return Advice(Samples._of(design), result.expected_error, needed if needed >= 0 else None)
