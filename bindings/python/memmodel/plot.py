"""Pictures: measured against predicted, memory by layer, over a step, over an input with its bound. Needs matplotlib.

Every function draws on `ax`, or on a new figure, and returns the Axes:

>>> memmodel.plot.layers(report).figure.savefig("layers.png")
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from memmodel import _ffi
from memmodel._colours import CATEGORIES, colour
from memmodel._optional import need
from memmodel.model import Model
from memmodel.predictions import Predictions
from memmodel.quantity import format_bytes, parse_bytes
from memmodel.recomputation import Recomputation
from memmodel.report import Layer, Report
from memmodel.samples import samples_of
from memmodel.trace import Event, Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
BLUE, GREEN, RED, GREY = "#4c72b0", "#55a868", "#c44e52", "#777777"
MAX_NAME = 36


# ---- axes and units ----


def _axes(ax: Axes | None, width: float, height: float) -> Axes:
    if ax is not None:
        return ax
    need("matplotlib", "memmodel.plot")
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def _unit(largest: float, target: str = "bytes") -> tuple[float, str]:
    """What to divide by, and what an axis then counts in; only bytes are divided."""
    if "bytes" not in target.lower():
        return 1.0, ""
    power = 0
    while power + 1 < len(UNITS) and largest >= 1024 ** (power + 1):
        power += 1
    return float(1024**power), UNITS[power]


def _label(text: str, unit: str) -> str:
    return f"{text}, {unit}" if unit else text


def _short(name: str) -> str:
    """A long name without its middle: both the scope and the layer say something."""
    if len(name) <= MAX_NAME:
        return name
    kept = (MAX_NAME - 1) // 2
    return f"{name[:kept]}…{name[-kept:]}"


def _legend_beside(ax: Axes, **options: Any) -> None:
    """To the right of the axes, where no data is."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False, fontsize=9, **options)


def _plain_ticks(ax: Axes) -> None:
    """1, 2, 5, 10, ... instead of powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())


# ---- measured against predicted ----


def _triples(table: Any, predicted: Model | Sequence[float], level: float) -> list[tuple[float, float, float]]:
    """Measured, predicted and, of a model, the upper bound; rows with a missing number are left out."""
    if isinstance(predicted, Model):
        samples = samples_of(table)
        points = cast(Predictions, predicted.predict({name: samples[name] for name in predicted.inputs}, level=level))
        rows = zip(samples[predicted.target], points.value, points.upper)
    else:
        measured, values = list(table), list(predicted)
        if len(measured) != len(values):
            raise ValueError(f"predicted: {len(measured)} values are needed, not {len(values)}")
        rows = zip(measured, values, values)
    kept = [(float(real), float(value), float(upper)) for real, value, upper in rows]
    kept = [row for row in kept if all(0 < value < math.inf for value in row)]
    if not kept:
        raise ValueError("table: no row has a measurement and a prediction above 0")
    return kept


def measured(
    table: Any,
    predicted: Model | Sequence[float],
    *,
    level: float = 0.95,
    target: str | None = None,
    label: str | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Measured values against predicted ones, with a band as wide as the mean relative error.

    table: what fit() takes, predicted by a Model, whose upper bounds are drawn too; or measured values, and `predicted`
    a sequence as long.

    >>> memmodel.plot.measured("runs.csv", model)
    """
    triples = _triples(table, predicted, level)
    name = target or (predicted.target if isinstance(predicted, Model) else "bytes")
    scale, unit = _unit(max(max(triple) for triple in triples), name)
    x, y, top = ([value / scale for value in column] for column in zip(*triples))
    error = sum(abs(a / b - 1) for a, b in zip(y, x)) / len(x)
    ax = _axes(ax, 6.4, 5.6)
    ends = [min(*x, *y) * 0.8, max(*x, *top) * 1.25]
    ax.fill_between(ends, [end * (1 - error) for end in ends], [end * (1 + error) for end in ends],
                    color=GREY, alpha=0.22, lw=0, label=f"mean error, ± {error:.1%}")  # fmt: skip
    ax.plot(ends, ends, color=GREY, lw=1, label="exact")
    if isinstance(predicted, Model):
        ax.vlines(x, y, top, color=BLUE, lw=1, alpha=0.5, label=f"up to the bound, {level:.0%}")
    ax.plot(x, y, "o", color=BLUE, ms=5, alpha=0.85, label=label or f"{len(x)} measurements")
    ax.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    ax.set_xlabel(_label(f"measured {name}", unit))
    ax.set_ylabel(_label(f"predicted {name}", unit))
    ax.set_title(title or "Measured against predicted")
    _plain_ticks(ax)
    ax.grid(True, which="both", alpha=0.25)
    ax.legend(loc="upper left", fontsize=9)
    return ax


# ---- by layer ----


def layers(
    report: Report | Sequence[Layer], *, max_layers: int = 40, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """What each layer holds at the peak, by category; the largest `max_layers`, in the order of the network.

    >>> memmodel.plot.layers(report, max_layers=20)
    """
    rows = [layer for layer in (report.layers if isinstance(report, Report) else report) if layer.peak_bytes > 0]
    largest = sorted(rows, key=lambda layer: -layer.peak_bytes)[:max_layers]
    shown = [layer for layer in rows if any(layer is one for one in largest)]
    scale, unit = _unit(max((layer.peak_bytes for layer in shown), default=0))
    ax = _axes(ax, 10, 0.24 * len(shown) + 1.5)
    positions = range(len(shown))
    left = [0.0] * len(shown)
    for category in dict.fromkeys([*CATEGORIES, *(name for layer in shown for name in layer.peak_by_category)]):
        widths = [layer.peak_by_category.get(category, 0) / scale for layer in shown]
        if any(widths):
            ax.barh(positions, widths, left=left, color=colour(category), label=category)
            left = [a + b for a, b in zip(left, widths)]
    ax.set_yticks(positions, [_short(layer.name) for layer in shown], fontsize=8)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlabel(f"live at the peak, {unit}")
    ax.set_title(title or _layers_title(report, len(shown), len(rows)), fontsize=11)
    ax.grid(True, axis="x", alpha=0.25)
    ax.set_axisbelow(True)
    if shown:
        _legend_beside(ax)
    return ax


def _layers_title(report: Report | Sequence[Layer], shown: int, rows: int) -> str:
    title = "Who holds memory at the peak" + (f": the {shown} largest of {rows} layers" if shown < rows else "")
    location = report.peak_location if isinstance(report, Report) else ""
    return f"{title}\n{location}" if location else title


# ---- memory against time ----


def recomputation(found: Recomputation, *, title: str | None = None, ax: Axes | None = None) -> Axes:
    """The curve between peak and overhead that recompute() found, with its selected point and its budget.

    >>> memmodel.plot.recomputation(memmodel.recompute(net, "16GiB", batch=64, dim=224))
    """
    scale, unit = _unit(found.peak_baseline)
    overhead, peak = [100 * point.overhead for point in found], [point.peak / scale for point in found]
    ax = _axes(ax, 7, 4.6)
    ax.step(overhead, peak, where="post", color=BLUE, lw=1.2, label=f"{len(found)} sets of segments")
    ax.plot(overhead, peak, "o", color=BLUE, ms=3)
    ax.plot([100 * found.overhead], [found.peak / scale], "o", color=RED, ms=8,
            label=f"selected: {format_bytes(found.peak)} for {found.overhead:.1%}")  # fmt: skip
    if found.budget:
        ax.axhline(found.budget / scale, color=RED, ls="--", lw=1, label=f"budget, {format_bytes(found.budget)}")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("overhead of a step, %")
    ax.set_ylabel(_label("peak", unit))
    ax.set_title(title or "Peak against time")
    ax.grid(True, alpha=0.25)
    ax.legend(fontsize=9)
    return ax


# ---- over a step ----


def _by_category(events: Sequence[Event]) -> dict[str, list[int]]:
    """Bytes live after each event, by category."""
    present = {event.category for event in events}
    names = [name for name in CATEGORIES if name in present] + sorted(present - set(CATEGORIES))
    live = dict.fromkeys(names, 0)
    curves: dict[str, list[int]] = {name: [] for name in names}
    for event in events:
        live[event.category] += event.bytes
        for name in names:
            curves[name].append(live[name])
    return curves


def _phases(events: Sequence[Event]) -> list[tuple[int, str]]:
    """Where each part of the step begins, and what it is called."""
    starts: list[tuple[int, str]] = []
    position = 0
    for phase, group in itertools.groupby(events, key=lambda event: event.phase):
        starts.append((position, phase))
        position += len(list(group))
    return starts


def step(
    source: Report | Trace,
    *,
    number: int | None = None,
    recorded: Iterable[int] | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Live bytes by category, allocation by allocation, with the parts of the step marked.

    number: of the step, from 1; unless given, the one with the peak. recorded: live bytes after each event of a real
    run of that step, drawn as a line over it.

    >>> memmodel.plot.step(report)
    """
    trace = source.trace if isinstance(source, Report) else source
    if trace is None:
        raise ValueError("source: this report has no events; the textbook counts, it does not simulate")
    everything = list(trace)
    if not everything:
        raise ValueError("source: a trace without events")
    wanted = max(everything, key=lambda event: event.live).step if number is None else number
    here = [index for index, event in enumerate(everything) if event.step == wanted]
    if not here:
        raise ValueError(f"number: {wanted} is not a step of this trace")
    events = everything[here[0] : here[-1] + 1]
    scale, unit = _unit(max(event.live for event in events))
    ax = _axes(ax, 10, 4.8)
    before = _by_category(everything[: here[-1] + 1])
    curves = {name: [size / scale for size in curve[here[0] :]] for name, curve in before.items()}
    ax.stackplot(range(len(events)), *curves.values(), labels=list(curves), colors=[colour(name) for name in curves],
                 step="post", lw=0)  # fmt: skip
    # An outline, because a peak of a single event is narrower than what an area shows.
    ax.step(range(len(events)), [event.live / scale for event in events], where="post", color="#333333", lw=0.6)
    if recorded is not None:
        values = [size / scale for size in recorded]
        ax.step(range(len(values)), values, where="post", color="black", lw=0.9, ls="--", label="recorded")
    _mark_peak(ax, events, scale)
    _mark_phases(ax, _phases(events), len(events))
    ax.set_xlabel("allocations and releases, in order")
    ax.set_ylabel(f"live, {unit}")
    ax.set_title(title or f"Memory over step {wanted}", fontsize=11)
    ax.set_xlim(0, len(events) - 1 or 1)
    ax.grid(True, alpha=0.25)
    _legend_beside(ax, reverse=True)
    return ax


def _mark_peak(ax: Axes, events: Sequence[Event], scale: float) -> None:
    place = max(range(len(events)), key=lambda index: events[index].live)
    top = events[place].live
    where = f"  {format_bytes(top)}" + (f", {_short(events[place].layer)}" if events[place].layer else "")
    late = place > 0.6 * len(events)
    ax.plot([place], [top / scale], "v", color="black", ms=6)
    ax.annotate(where + "  ", (place, top / scale), fontsize=8, ha="right" if late else "left", va="bottom")
    ax.set_ylim(0, top / scale * 1.22)


def _mark_phases(ax: Axes, phases: Sequence[tuple[int, str]], count: int) -> None:
    """Lines where parts begin, and their names along the top; a part too short for its name has none."""
    ends = [start for start, _ in phases[1:]] + [count]
    for (start, name), end in zip(phases, ends):
        if start:
            ax.axvline(start, color=GREY, lw=0.8, ls=":")
        if end - start > 0.011 * count * len(name):
            middle = (start + end) / 2
            ax.text(middle, 0.985, name, transform=ax.get_xaxis_transform(), ha="center", va="top", fontsize=8)


# ---- over an input ----


def _values(model: Model, input: str, values: Iterable[float] | None) -> list[float]:
    if input not in model.inputs:
        raise ValueError(f"input: {input!r} is none of {', '.join(model.inputs)}")
    if values is not None:
        return sorted(float(value) for value in values)
    about = _ffi.model_get_input(model._handle, model.inputs.index(input))
    width = about.max - about.min
    low, high = max(about.min - 0.25 * width, min(about.min, 1.0)), about.max + 0.5 * width
    chosen = [low + (high - low) * index / 200 for index in range(201)]
    if about.is_whole:
        return [float(value) for value in sorted({round(value) for value in chosen})]
    return chosen


def bound(
    model: Model,
    input: str,
    *,
    values: Iterable[float] | None = None,
    level: float = 0.95,
    budget: int | float | str | None = None,
    title: str | None = None,
    ax: Axes | None = None,
    **inputs: float,
) -> Axes:
    """Prediction and upper bound over one input, the others held; the range of the training data is shaded.

    values: of the input; unless given, the training range and half of it on top. budget: drawn as a line, with the
    largest value that fits.

    >>> memmodel.plot.bound(model, "batch", dim=128, budget="16GiB")
    """
    x = _values(model, input, values)
    points = cast(Predictions, model.predict({**inputs, input: x}, level=level))
    limit = parse_bytes(budget) if isinstance(budget, str) else budget
    finite = [value for value in points.upper if math.isfinite(value)]
    scale, unit = _unit(max([*finite, limit or 0.0]), model.target)
    y, top = points.value / scale, points.upper / scale
    ax = _axes(ax, 7.6, 5)
    low, high = model.domain[input]
    ax.axvspan(low, high, color=GREY, alpha=0.14, lw=0, label=f"training data, {low:g} to {high:g}")
    ax.fill_between(x, y, top, color=BLUE, alpha=0.2, lw=0)
    ax.plot(x, top, color=BLUE, lw=1.2, ls="--", label=f"upper bound, {level:.1%}".replace(".0%", "%"))
    ax.plot(x, y, color=BLUE, lw=2, label="prediction")
    if limit is not None:
        _mark_budget(ax, model, input, limit, level, scale, unit, inputs)
    held = ", ".join(f"{name} {value:g}" for name, value in inputs.items())
    ax.set_title(title or f"{model.target} over {input}" + (f" at {held}" if held else ""))
    ax.set_xlabel(input)
    ax.set_ylabel(_label(model.target, unit))
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(bottom=0)
    ax.grid(True, alpha=0.25)
    ax.legend(loc="upper left", fontsize=9)
    return ax


def _mark_budget(
    ax: Axes, model: Model, input: str, limit: float, level: float, scale: float, unit: str, inputs: Mapping[str, float]
) -> None:
    largest = model.predict_max(input, limit, level=level, **inputs)
    text = f"{limit / scale:g} {unit}".strip()
    fits = f"{input} up to {largest}" if largest else "nothing fits"
    ax.axhline(limit / scale, color=RED, lw=1.2, label=f"budget {text}: {fits}")
    if largest:
        ax.plot([largest], [limit / scale], "v", color=RED, ms=7, clip_on=True)
