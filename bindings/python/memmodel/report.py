"""The answer: how much memory a job needs, and which layer takes it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

from memmodel import _call, _ffi, _limits, _optional
from memmodel.quantity import format_bytes
from memmodel.trace import Trace


class Peak(NamedTuple):
    """Peak bytes: of live tensors, reserved by the framework's allocator, and of the process (None if not modelled)."""

    live: int
    reserved: int
    process: int | None


@dataclass(frozen=True)
class Layer:
    """A row of the per-layer table. `symbolic_shape` is the shape in symbols; `peak_by_category` what is live at the
    peak."""

    name: str
    op: str
    shape: str
    symbolic_shape: str
    activation_count: int
    output_bytes: int
    parameter_count: int
    trainable_count: int
    parameter_bytes: int
    multiply_adds: int
    peak_bytes: int
    peak_by_category: dict[str, int]


class Change(NamedTuple):
    """A change of the job, such as "optimizer sgd" or "batch 32", the peaks of the changed job, and its saving."""

    name: str
    live: int
    reserved: int
    process: int | None
    saving: int


class Line(NamedTuple):
    """A line of a recorded program, such as "train.py:12": bytes that it allocated and that are live at the peak, and
    by how much that grows with each step at least (0 where it does not in each)."""

    line: str
    peak_bytes: int
    growth_bytes: int


class Unmodelled(NamedTuple):
    """An operator that the framework's rules do not know, and the bytes of its outputs."""

    op: str
    bytes: int


CATEGORIES = tuple(_ffi.category_name(category) or "" for category in _ffi.Category)


def _change(row: _ffi.ReportChange) -> Change:
    process = None if row.process < 0 else row.process
    return Change(_call.decoded(row.name), row.live, row.reserved, process, row.saving)


def _layer(row: _ffi.ReportLayer) -> Layer:
    fields = {name: getattr(row, name) for name in Layer.__dataclass_fields__ if name != "peak_by_category"}
    texts = {name: _call.decoded(fields[name]) for name in ("name", "op", "shape", "symbolic_shape")}
    return Layer(**{**fields, **texts}, peak_by_category=dict(zip(CATEGORIES, row.peak_by_category, strict=False)))


class Report:
    """What estimate() found. Immutable.

    >>> report = memmodel.estimate(net, batch=8)
    >>> report.peak.live, report.peak_location
    """

    def __init__(self, handle: _ffi.ReportHandle, ask: Callable[[], _ffi.ReportHandle] | None = None) -> None:
        self._handle = _call.instance_of(handle, _ffi.ReportHandle, "handle")
        self._ask = ask
        self._result = _ffi.report_get_result(self._handle)

    @cached_property
    def _with_changes(self) -> _ffi.ReportHandle:
        """The same report with its changes, which take an estimate each: made when they are first asked for."""
        return self._ask() if self._ask else self._handle

    @cached_property
    def peak(self) -> Peak:
        """Peak over all steps."""
        peak = self._result
        return Peak(peak.live, peak.reserved, None if peak.process < 0 else peak.process)

    @property
    def engine(self) -> str:
        """What answered: "rules" for a network, "trace", "tensors without memory" or "simulated GPU" for what record()
        recorded."""
        return _call.decoded(self._result.engine)

    @property
    def metric(self) -> str:
        """The bytes that changes save, and that a budget limits: "live", "reserved" or "process"."""
        return _call.word(_ffi.Metric, self._result.metric)

    @property
    def budget(self) -> int | None:
        """Of the job; None without one."""
        return self._result.budget or None

    @property
    def verdict(self) -> str | None:
        """Whether the peak is within the budget: "fits", "exceeds", "uncertain" where the budget lies in the
        `interval`, or "unknown" where the bytes that it limits are not modelled; None without a budget."""
        return _call.word(_ffi.Verdict, self._result.verdict) if self._result.verdict else None

    @property
    def interval(self) -> tuple[int, int] | None:
        """Bytes of `metric` between which a training takes with a probability of 90 %, by the errors of recorded ones
        of its kind; None where none were recorded."""
        return (self._result.peak_low, self._result.peak_high) if self._result.interval_runs else None

    @property
    def headroom(self) -> int | None:
        """The budget less the peak; below 0 so much is missing; None where this is not known."""
        return self._result.headroom if self.verdict in ("fits", "exceeds", "uncertain") else None

    @cached_property
    def _judged(self) -> _ffi.ReportResult:
        """The result with what would make the job fit, which takes some estimates where it does not."""
        return _ffi.report_get_result(self._with_changes) if self.verdict in ("exceeds", "uncertain") else self._result

    @property
    def summary(self) -> str:
        """The verdict as a sentence, such as "takes 71.4 GiB of 79.6 GiB, fits with 8.2 GiB left"; of a job that does
        not fit also the largest batch that does, and the cheapest change that makes it fit. "" without a budget."""
        return _call.decoded(self._judged.summary)

    @property
    def cheapest_change(self) -> str | None:
        """Of a job that does not fit: the change, one of `what_if`, that makes it fit at the least cost."""
        return _call.decoded(self._judged.cheapest_change) or None

    @property
    def max_batch(self) -> int | None:
        """Of a job that does not fit: the largest batch that does, 0 if none. None where it is not known."""
        return None if self._judged.max_batch < 0 else self._judged.max_batch

    @property
    def process_peak(self) -> int | None:
        """Peak bytes of the process (RSS, the kernel's high-water mark); None where they are not modelled."""
        return self.peak.process

    @property
    def peak_location(self) -> str:
        """Where the peak is reached, such as "conv_1 (conv), backward pass of step 2"; "" for the textbook."""
        return _call.decoded(self._result.peak_location)

    @property
    def step_peaks(self) -> list[int]:
        """Live bytes at the peak of each step."""
        return [_ffi.report_step_peak(self._handle, index) for index in range(self._result.step_count)]

    @property
    def categories(self) -> dict[str, int]:
        """Bytes by category at the peak."""
        return {name: _ffi.report_category_bytes(self._handle, index) for index, name in enumerate(CATEGORIES)}

    @cached_property
    def layers(self) -> list[Layer]:
        """A row a layer, in the order of the forward pass."""
        count = _ffi.report_layer_count(self._handle)
        return [_layer(_ffi.report_get_layer(self._handle, index)) for index in range(count)]

    def by_module(self, depth: int = 2) -> list[Layer]:
        """A row for each module, the one that holds most at the peak first: of the first `depth` parts of the names of
        layers, where a number belongs to the part before it ("transformer.h.0" is 2 deep); 0: each layer. What no
        layer owns has rows of its own, so that `peak_bytes` add up to the peak of live tensors.

        >>> for module in report.by_module(2)[:5]:
        ...     print(module.name, memmodel.format_bytes(module.peak_bytes))
        """
        rolled_up = _ffi.report_by_module(self._handle, depth, _limits.new_context())
        return [_layer(_ffi.report_get_layer(rolled_up, i)) for i in range(_ffi.report_layer_count(rolled_up))]

    @cached_property
    def lines(self) -> list[Line]:
        """Lines of a recorded program that allocated, those that hold most at the peak first; of a network none."""
        rows = map(partial(_ffi.report_get_line, self._handle), range(_ffi.report_line_count(self._handle)))
        return [Line(_call.decoded(row.line), row.peak_bytes, row.growth_bytes) for row in rows]

    @cached_property
    def total(self) -> Layer:
        """Sums over all layers."""
        return _layer(_ffi.report_get_total(self._handle))

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
        return _call.decoded(self._result.assumptions)

    @cached_property
    def what_if(self) -> list[Change]:
        """What changes of the job would save, the largest saving first; each is estimated in full, on first use. Rules
        alone know that, of a network: else NotImplementedError.
        """
        if self.engine != "rules":
            raise NotImplementedError(f"what_if: asked of rules, of a network; this report is of {self.engine}")
        count = _ffi.report_change_count(self._with_changes)
        return [_change(_ffi.report_get_change(self._with_changes, index)) for index in range(count)]

    @property
    def unmodelled(self) -> list[Unmodelled]:
        """Operators that were estimated by their outputs alone."""
        count = _ffi.report_unmodelled_count(self._handle)
        found = (_ffi.report_get_unmodelled(self._handle, index) for index in range(count))
        return [Unmodelled(_call.decoded(one.op), one.bytes) for one in found]

    @property
    def validated(self) -> bool:
        """Whether the bytes of such jobs were compared with measurements; False for the device "cuda"."""
        return bool(self._result.validated)

    @property
    def warning(self) -> str:
        """What makes the bytes doubtful besides: a version of the framework that is newer than the rules; or ""."""
        return _call.decoded(self._result.warning)

    @property
    def trace(self) -> Trace | None:
        """All events of the simulated steps; None for the textbook."""
        handle = _ffi.report_trace(self._handle)
        return None if handle is None else Trace(handle)

    def to_json(self) -> str:
        handle = self._with_changes if self.verdict in ("exceeds", "uncertain") else self._handle
        return _ffi.report_to_json(handle, _limits.new_context())

    def to_html(self) -> str:
        """A page for a browser, with a timeline to look around in; it needs no other file.

        >>> pathlib.Path("report.html").write_text(report.to_html())
        """
        return _ffi.report_to_html(self._with_changes, _limits.new_context())

    def to_frame(self) -> Any:
        """A pandas frame with a row a layer, and a column a category for what is live at the peak."""
        rows = [
            {name: value for name, value in vars(layer).items() if name != "peak_by_category"}
            | {f"peak {category}": size for category, size in layer.peak_by_category.items()}
            for layer in self.layers
        ]
        return _optional.need("pandas", "Report.to_frame()").DataFrame(rows)

    def __repr__(self) -> str:
        peak = self.peak
        numbers = [f"{format_bytes(peak.live)} live", f"{format_bytes(peak.reserved)} reserved"]
        if peak.process is not None:
            numbers.append(f"{format_bytes(peak.process)} in the process")
        location = f"at {self.peak_location}" if self.peak_location else ""
        judged = _call.decoded(self._result.summary)
        parts = [f"peak {', '.join(numbers)}", location, *self.reservations(), judged]
        return f"<Report: {'; '.join(part for part in parts if part)}>"

    def reservations(self) -> list[str]:
        """What has to be known of the numbers: operators that are not modelled, a device that was not measured."""
        operators = ", ".join(f"{one.op} ({format_bytes(one.bytes)})" for one in self.unmodelled)
        notes = [] if self.engine == "rules" else [f"by {self.engine}"]
        notes += [f"not modelled, estimated by their outputs alone: {operators}"] if operators else []
        if self.warning:
            notes.append(self.warning)
        if not self.validated:
            notes.append("not validated: not compared with measured bytes on such a device")
        return notes

    def _repr_html_(self) -> str | None:
        return html("report", self)


def html(function: str, value: object) -> str | None:
    """A table for notebooks, by memmodel._html where that is installed."""
    try:
        module = importlib.import_module("memmodel._html")
    except ImportError:
        return None
    return str(getattr(module, function)(value))
