"""The answer: how much memory a job needs, and which layer takes it."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from memmodel import _call, _ffi, _optional
from memmodel.quantity import format_bytes
from memmodel.trace import Trace


class Peak(NamedTuple):
    """Most bytes of live tensors, taken by the framework's allocator, and of the process (None if not modelled)."""

    live: int
    reserved: int
    process: int | None


@dataclass(frozen=True)
class Layer:
    """A row of the per-layer table; `peak` has bytes by category at the moment of the peak."""

    name: str
    op: str
    shape: str
    formula: str
    activations: int
    output_bytes: int
    parameters: int
    trainable: int
    parameter_bytes: int
    multiply_adds: int
    peak_bytes: int
    peak: dict[str, int]


class Unmodelled(NamedTuple):
    """An operator that the framework's rules do not know, and the bytes of its outputs."""

    op: str
    bytes: int


CATEGORIES = tuple(_ffi.category_name(category) or "" for category in _ffi.Category)


def _layer(row: _ffi.ReportLayer) -> Layer:
    fields = {name: getattr(row, name) for name in Layer.__dataclass_fields__ if name != "peak"}
    texts = {name: _call.decoded(fields[name]) for name in ("name", "op", "shape", "formula")}
    return Layer(**{**fields, **texts}, peak=dict(zip(CATEGORIES, row.peak, strict=True)))


class Report:
    """What estimate() found. Immutable.

    >>> report = memmodel.estimate(net, batch=8)
    >>> report.peak.live, report.moment
    """

    def __init__(self, handle: _ffi.ReportHandle) -> None:
        self._handle = _call.instance_of(handle, _ffi.ReportHandle, "handle")

    @cached_property
    def peak(self) -> Peak:
        """Peak over all steps."""
        peak = _ffi.report_peak(self._handle)
        return Peak(peak.live, peak.reserved, None if peak.process < 0 else peak.process)

    @property
    def moment(self) -> str:
        """Where the peak is reached, such as "conv_1, backward pass of step 2"; "" for the textbook."""
        return _ffi.report_moment(self._handle)

    @property
    def step_peaks(self) -> list[int]:
        """Live bytes at the peak of each step."""
        return [_ffi.report_step_peak(self._handle, step + 1) for step in range(_ffi.report_step_count(self._handle))]

    @property
    def categories(self) -> dict[str, int]:
        """Bytes by category at the moment of the peak."""
        return {name: _ffi.report_category(self._handle, index) for index, name in enumerate(CATEGORIES)}

    @cached_property
    def layers(self) -> list[Layer]:
        """A row a layer, in the order of the forward pass."""
        count = _ffi.report_layer_count(self._handle)
        return [_layer(_ffi.report_layer(self._handle, index)) for index in range(count)]

    @cached_property
    def total(self) -> Layer:
        """Sums over all layers."""
        return _layer(_ffi.report_total(self._handle))

    @property
    def formulas(self) -> dict[str, str]:
        """Closed formulas in the network's symbols, by what they count."""
        return {name: self.formula(name) for name in self._formula_names}

    @cached_property
    def _formula_names(self) -> list[str]:
        count = _ffi.report_formula_count(self._handle)
        return [_ffi.report_formula_name(self._handle, index) or "" for index in range(count)]

    def formula(self, name: str = "total", language: str | int | _ffi.Language = "text") -> str:
        """One formula as "text", "c", "python" or "latex"."""
        if name not in self._formula_names:
            raise KeyError(f"name: {name!r} is none of {', '.join(self._formula_names)}")
        return _ffi.report_formula(self._handle, self._formula_names.index(name), language) or ""

    @property
    def assumptions(self) -> str:
        """What the formulas take for granted, such as "dim is a multiple of 16"."""
        return _ffi.report_assumptions(self._handle)

    @property
    def unmodelled(self) -> list[Unmodelled]:
        """Operators that were estimated by their outputs alone."""
        found = []
        name, size = _ffi.report_unmodelled(self._handle, 0)
        while name is not None:
            found.append(Unmodelled(name, size))
            name, size = _ffi.report_unmodelled(self._handle, len(found))
        return found

    @property
    def trace(self) -> Trace | None:
        """All events of the simulated steps; None for the textbook."""
        handle = _ffi.report_trace(self._handle)
        return None if handle is None else Trace(handle)

    def to_json(self) -> str:
        return _ffi.report_to_json(self._handle, _ffi.context_new(None))

    def to_frame(self) -> Any:
        """A pandas frame with a row a layer, and a column a category for what is live at the peak."""
        rows = [
            {name: value for name, value in vars(layer).items() if name != "peak"}
            | {f"peak {category}": size for category, size in layer.peak.items()}
            for layer in self.layers
        ]
        return _optional.need("pandas", "Report.to_frame()").DataFrame(rows)

    def __repr__(self) -> str:
        peak = self.peak
        numbers = [f"{format_bytes(peak.live)} live", f"{format_bytes(peak.reserved)} reserved"]
        if peak.process is not None:
            numbers.append(f"{format_bytes(peak.process)} in the process")
        return f"<Report: peak {', '.join(numbers)}{f'; in {self.moment}' if self.moment else ''}>"

    def _repr_html_(self) -> str | None:
        return html("report", self)


def html(function: str, value: object) -> str | None:
    """A table for notebooks, by memmodel._html where that is installed."""
    try:
        module = importlib.import_module("memmodel._html")
    except ImportError:
        return None
    return str(getattr(module, function)(value))
