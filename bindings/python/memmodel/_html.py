"""What notebooks show: small tables, readable on a light and on a dark page. Every text is escaped."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memmodel._colours import colour
from memmodel.quantity import format_bytes

if TYPE_CHECKING:
    from memmodel.model import Model, Prediction
    from memmodel.monitor import Monitor
    from memmodel.report import Layer, Report
    from memmodel.samples import Samples

MAX_LAYERS = 40
MAX_ROWS = 10

# Lines and shades are half transparent greys, and text keeps the page's colour: light and dark pages both do.
STYLE = """<style>
.memmodel { font: 13px/1.5 system-ui, sans-serif; max-width: 72rem; }
.memmodel table { border-collapse: collapse; margin: .4rem 0; font: inherit; color: inherit; }
.memmodel th, .memmodel td { padding: .1rem .7rem; text-align: right; border-bottom: 1px solid rgba(128,128,128,.3);
  white-space: nowrap; background: none; }
.memmodel th { font-weight: 600; }
.memmodel .text { text-align: left; max-width: 24rem; overflow: hidden; text-overflow: ellipsis; }
.memmodel tr.total td { font-weight: 600; border-bottom: none; }
.memmodel .bar { display: flex; height: .8rem; width: 100%; min-width: 8rem; }
.memmodel .bar i { display: block; height: 100%; }
.memmodel .key { display: inline-block; width: .8em; height: .8em; margin: 0 .35em 0 0; vertical-align: -.05em; }
.memmodel .keys span { margin-right: 1.1em; white-space: nowrap; }
.memmodel code { background: rgba(128,128,128,.15); padding: .1rem .3rem; overflow-wrap: anywhere; color: inherit; }
.memmodel .note { opacity: .75; }
</style>"""


def escape(text: object) -> str:
    return html.escape(str(text))


def number(value: float) -> str:
    """1234567.0 is 1,234,567; a missing one is a dash."""
    if isinstance(value, float) and not math.isfinite(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"


def page(*parts: str) -> str:
    return f'<div class="memmodel">{STYLE}{"".join(parts)}</div>'


def cells(values: Iterable[str], tag: str, texts: int) -> str:
    """The first `texts` cells are aligned as text; what is given is HTML already."""
    made = []
    for index, value in enumerate(values):
        kind = ' class="text"' if index < texts else ""
        made.append(f"<{tag}{kind}>{value}</{tag}>")
    return "".join(made)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], total: Sequence[str] = (), texts: int = 1) -> str:
    body = "".join(f"<tr>{cells(row, 'td', texts)}</tr>" for row in rows)
    if total:
        body += f'<tr class="total">{cells(total, "td", texts)}</tr>'
    return f"<table><thead><tr>{cells(map(escape, head), 'th', texts)}</tr></thead><tbody>{body}</tbody></table>"


# ---- reports ----


def bar(peak: dict[str, int], whole: int) -> str:
    """Categories side by side, `whole` bytes wide."""
    parts = []
    for category, size in peak.items():
        if size > 0 and whole > 0:
            title = escape(f"{category}: {format_bytes(size)}")
            style = f"width:{100 * size / whole:.2f}%;background:{colour(category)}"
            parts.append(f'<i title="{title}" style="{style}"></i>')
    return f'<div class="bar">{"".join(parts)}</div>'


def keys(categories: dict[str, int]) -> str:
    return "".join(
        f'<span><i class="key" style="background:{colour(name)}"></i>{escape(name)} {format_bytes(size)}</span>'
        for name, size in categories.items()
        if size > 0
    )


def layer_row(layer: Layer, widest: int) -> list[str]:
    numbers = [number(layer.parameter_count), number(layer.multiply_adds), format_bytes(layer.peak_bytes)]
    numbers = ["–" if text in ("0", "0 bytes") else text for text in numbers]
    texts = [f'<span title="{escape(layer.name)}">{escape(layer.name)}</span>', escape(layer.op), escape(layer.shape)]
    return [*texts, *numbers, bar(layer.peak_by_category, widest)]


def layer_table(report: Report) -> str:
    """The layers that hold the largest share, in the order of the forward pass."""
    largest = sorted(report.layers, key=lambda layer: -layer.peak_bytes)
    shown = {id(layer) for layer in largest[:MAX_LAYERS]}
    rows = [layer for layer in report.layers if id(layer) in shown]
    widest = max((layer.peak_bytes for layer in rows), default=0)
    head = ["layer", "operator", "output", "parameters", "multiply-adds", "at the peak", ""]
    text = table(head, (layer_row(layer, widest) for layer in rows), [*layer_row(report.total, 0)[:-1], ""], texts=3)
    left_out = largest[MAX_LAYERS:]
    if left_out:
        size = format_bytes(sum(layer.peak_bytes for layer in left_out))
        text += f'<div class="note">{len(left_out)} layers with less are not shown: {size} together</div>'
    return text


def report(value: Report) -> str:
    peak = value.peak
    numbers = [f"<b>{format_bytes(peak.live)}</b> live", f"<b>{format_bytes(peak.reserved)}</b> reserved"]
    if peak.process is not None:
        numbers.append(f"<b>{format_bytes(peak.process)}</b> in the process")
    place = value.peak_location
    location = f'<div class="note">peak at {escape(place)}</div>' if place else ""
    notes = "".join(f'<div class="note">{escape(note)}</div>' for note in value.reservations())
    categories = value.categories
    whole = sum(categories.values())
    keyed = f'<div class="keys">{keys(categories)}</div>'
    first = f"<div>Peak: {', '.join(numbers)}</div>"
    return page(first, location, bar(categories, whole), keyed, layer_table(value), notes)


# ---- models and tables ----


def quantity(value: float, target: str) -> str:
    """Of what a model predicts: in bytes, if it is bytes."""
    plain = number(value)
    return f"{plain} ({format_bytes(int(value))})" if "bytes" in target and math.isfinite(value) else plain


def model(value: Model) -> str:
    scores = value.scores
    formula = f"<div>{escape(value.target)} = <code>{escape(value.formula())}</code></div>"
    domain = [[escape(name), number(low), number(high)] for name, (low, high) in value.domain.items()]
    if not math.isnan(scores.loo_mape):
        errors = (
            f"leave-one-out error <b>{scores.loo_mape:.2%}</b>, training error {scores.training_mape:.2%}"
        )
    else:
        errors = (
            f"nested cross-validation error <b>{number(scores.nested_cv_error)}</b> (R2 {scores.r2:.3f}), "
            f"training error {number(scores.training_error)}"
        )
    errors += f"; {number(scores.sample_count)} samples, {number(scores.term_count)} terms"
    return page(formula, table(["input", "min", "max"], domain), f'<div class="note">{errors}</div>')


def prediction(value: Prediction) -> str:
    rows = [["prediction", number(value.value)], ["upper bound", number(value.upper)]]
    note = '<div class="note">extrapolated: the bound is not guaranteed</div>' if value.extrapolated else ""
    return page(table(["at this point", ""], rows), note)


def numeric_columns(value: Samples) -> dict[str, list[float]]:
    columns = {}
    for name in value.columns:
        try:
            columns[name] = [float(item) for item in value[name]]
        except ValueError:  # a column of texts
            continue
    return columns


def samples(value: Samples) -> str:
    """The first rows of the numeric columns, and what of the table that leaves out."""
    columns = numeric_columns(value)
    shown = min(len(value), MAX_ROWS)
    rows = [[number(column[index]) for column in columns.values()] for index in range(shown)]
    others = [name for name in value.columns if name not in columns]
    notes = [f"{len(value)} rows" + (f", the first {shown} shown" if shown < len(value) else "")]
    if others:
        notes.append(f"columns of text: {', '.join(others)}")
    return page(table(list(columns), rows, texts=0), f'<div class="note">{escape("; ".join(notes))}</div>')


def monitor(value: Monitor) -> str:
    return page(f"<code>{escape(repr(value))}</code>")
