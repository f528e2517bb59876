"""Draws the case study: pictures and one self-contained report from the results.json that the demo has written.

usage: plot.py RESULTS.json OUTPUT_DIRECTORY [--recording STEPS.json.gz]
"""

from __future__ import annotations

import argparse
import base64
import gzip
import html
import json
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)
import memmodel.plot  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import LogLocator, StrMethodFormatter  # noqa: E402

GIB = 2**30
MIB = 2**20
PREDICTORS = {
    "analytic": ("Eq. 1 + Eq. 2", "#c44e52", "x"),
    "simulated": ("simulated step", "#8172b3", "^"),
    "fitted": ("fitted formula", "#55a868", "o"),
}
MAX_LAYERS = 40

Results = dict[str, Any]


def measured_against_predicted(results: Results) -> Figure:
    """Every sample with each predictor; the fitted value is that of a fit which has not seen the sample."""
    figure, axes = plt.subplots(figsize=(7.2, 6))
    points = [point for point in results["points"] if point["fitted"] is not None]
    measured = [point["measured"] / GIB for point in points]
    for key, (label, colour, marker) in PREDICTORS.items():
        error = results["test_mape"][key]
        predicted = [point[key] / GIB for point in points]
        axes.plot(measured, predicted, marker, color=colour, ms=6, alpha=0.85, label=f"{label}: {error:.1%}")
    ends = [min(measured) * 0.8, max(measured) * 1.25]
    axes.plot(ends, ends, color="#444444", lw=1, label="exact")
    axes.set(xscale="log", yscale="log", xlabel="measured peak of the process, GiB", ylabel="predicted, GiB")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter("")
    axes.set_title("Peak memory of 3D U-Net training")
    axes.grid(True, which="both", alpha=0.25)
    axes.legend(title="median test error (MAPE)")
    return figure


def layer_bars(results: Results) -> Figure:
    """The layers that hold the most at the peak, by what they hold it for."""
    rows = [SimpleNamespace(**layer) for layer in results["network"]["layers"]]
    title = f"Who holds memory at the peak\n({results['network']['peak_location']})"
    figure: Figure = memmodel.plot.layers(rows, max_layers=MAX_LAYERS, title=title).figure
    return figure


def recorded_step(path: Path) -> list[int]:
    """Live bytes after each event of the second recorded step."""
    step = json.loads(gzip.decompress(path.read_bytes()))["steps"][1]
    return list(accumulate((event[0] for event in step["events"]), initial=step["start"]))[1:]


def memory_over_a_step(results: Results) -> Figure:
    """Live bytes, event by event: simulated, and recorded in the real framework."""
    timeline = results["timeline"]
    figure, axes = plt.subplots(figsize=(9, 4.6))
    simulated = [value / MIB for value in timeline["simulated"]]
    axes.step(range(len(simulated)), simulated, where="post", color="#8172b3", lw=1.4, label="simulated")
    if timeline.get("measured"):
        measured = [value / MIB for value in timeline["measured"]]
        label = "recorded in PyTorch"
        axes.step(range(len(measured)), measured, where="post", color="#222222", lw=0.8, ls="--", label=label)
    top = axes.get_ylim()[1]
    for phase in timeline["phases"]:
        axes.axvline(phase["event"], color="#999999", lw=0.8, ls=":")
        axes.text(phase["event"], top, f" {phase['name']}", va="top", fontsize=8, color="#555555")
    axes.set(xlabel="allocation and release events", ylabel="live, MiB")
    axes.set_title(f"Memory over one training step: {timeline['case']}", fontsize=11)
    axes.grid(True, alpha=0.25)
    axes.legend(loc="upper right")
    return figure


PICTURES = {
    "measured-against-predicted": (measured_against_predicted, "Measured against predicted"),
    "layers": (layer_bars, "Per layer"),
    "step": (memory_over_a_step, "Over one step"),
}


def save(figure: Figure, directory: Path, name: str) -> None:
    if figure.get_layout_engine() is None:
        figure.tight_layout()
    for suffix in ("png", "svg"):
        figure.savefig(directory / f"{name}.{suffix}", dpi=130, metadata={"Date": None} if suffix == "svg" else None)
    plt.close(figure)


# ---- the page ----

STYLE = """
:root { --text: #1d2129; --page: #fbfbfc; --card: #fff; --line: #dfe3e8; --code: #f0f2f4; --good: #2e8b4f; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e7eb; --page: #14171b; --card: #1c2026; --line: #343a43; --code: #262b33; --good: #55b87a; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 0; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem; }
h1, h2, p { overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child, td.text { text-align: left; }
th { position: sticky; top: 0; background: var(--card); }
code { background: var(--code); padding: .1rem .3rem; overflow-wrap: anywhere; }
img { max-width: 100%; background: #fff; border-radius: 8px; }
.scroll { max-height: 32rem; overflow: auto; background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  margin: 1rem 0; width: fit-content; max-width: 100%; }
.scroll:focus-visible { outline: 2px solid var(--good); }
.answer { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--good);
  padding: .6rem 1rem; border-radius: 6px; }
@media (max-width: 40rem) { th, td { padding: .25rem .4rem; } main { padding: 1rem .7rem; } }
"""


def cell(value: Any) -> str:
    kind = ' class="text"' if isinstance(value, str) else ""
    return f"<td{kind}>{html.escape(value if isinstance(value, str) else f'{value:,}')}</td>"


def table(head: list[str], rows: list[list[Any]], name: str) -> str:
    """It scrolls within its box, also by keyboard; `name` is what screen readers call it."""
    lines = ["<tr>" + "".join(f'<th scope="col">{html.escape(text)}</th>' for text in head) + "</tr>"]
    lines += ["<tr>" + "".join(cell(value) for value in row) + "</tr>" for row in rows]
    box = f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(name)}">'
    return f"{box}<table>\n" + "\n".join(lines) + "\n</table></div>"


def picture(directory: Path, name: str, title: str) -> str:
    data = base64.b64encode((directory / f"{name}.png").read_bytes()).decode()
    return f'<img alt="{html.escape(title)}" src="data:image/png;base64,{data}">'


def accuracy_table(study: Results) -> str:
    splits = study["splits"]
    rows = []
    for key, (label, _, _) in PREDICTORS.items():
        errors = sorted(split[key] for split in splits)
        rows.append([label, f"{study['test_mape'][key]:.2%}", f"{errors[0]:.2%}", f"{errors[-1]:.2%}"])
    note = f"<p>{study['coverage']:.1%} of the unseen measurements lie below the 95 % upper prediction bound.</p>"
    return table(["predictor", "median test MAPE", "best split", "worst split"], rows, "Errors of predictors") + note


def layer_table(results: Results) -> str:
    rows = [
        [layer["name"], layer["op"], layer["shape"], layer["parameter_count"], layer["activation_count"],
         layer["multiply_adds"], layer["peak_bytes"]]
        for layer in [*results["network"]["layers"], results["network"]["total"]]
    ]  # fmt: skip
    head = ["layer", "operator", "output", "parameters", "activations", "multiply-adds", "bytes at the peak"]
    return table(head, rows, "Layers")


def formula_table(results: Results) -> str:
    textbook = results["textbook"]
    rows = [[name, formula["text"]] for name, formula in textbook["formulas"].items()]
    return table(["bytes of", "formula"], rows, "Formulas") + f"<p>where {html.escape(textbook['assumptions'])}</p>"


def simulation_table(results: Results) -> str:
    rows = [
        [case["case"], case["measured"], case["predicted"], f"{case['predicted'] / case['measured'] - 1:+.3%}"]
        for case in results["pytorch_simulation"]
    ]
    return table(["case", "measured peak, bytes", "simulated", "difference"], rows, "Steps of PyTorch")


def answer(results: Results) -> str:
    example = results["example"]
    return (
        f'<p class="answer">A volume of {example["dim"]}³ with batch {example["batch"]} is predicted to take '
        f"<b>{example['value'] / GIB:.2f} GiB</b>, with a {example['level']:.0%} upper prediction bound of "
        f"{example['upper'] / GIB:.2f} GiB. In {example['budget'] / GIB:.0f} GiB the largest batch at that size is "
        f"<b>{example['max_batch']}</b>.</p>"
    )


def page(results: Results, directory: Path) -> str:
    pictures = {name: picture(directory, name, title) for name, (_, title) in PICTURES.items()}
    sections = [
        ("The answer", answer(results)),
        ("Measured against predicted", pictures["measured-against-predicted"] + accuracy_table(results)),
        ("The same in PyTorch", f"<p>{results['torch']['samples']} points.</p>" + accuracy_table(results["torch"])),
        ("The fitted formula", f"<p>peak_bytes = <code>{html.escape(results['formula'])}</code></p>"),
        ("Closed formulas of the network", formula_table(results)),
        ("Real steps of PyTorch, to the byte", simulation_table(results)),
        ("Memory over one step", pictures["step"]),
        ("Who holds it", pictures["layers"]),
        ("Layer by layer", layer_table(results)),
    ]
    body = "\n".join(f"<h2>{title}</h2>\n{content}" for title, content in sections)
    lead = (
        f"<p>{results['samples']} points from {results['trainings']} measured trainings of a 3D U-Net "
        f"({html.escape(results['provenance'])}); formulas are fitted to 70 % of them and tested on the other 30 %, "
        f"{len(results['splits'])} times.</p>"
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>libmemmodel: 3D U-Net</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">\n'
        f"<style>{STYLE}</style></head><body><main>\n<h1>How much memory does training a 3D U-Net need?</h1>\n"
        f"{lead}\n{body}\n</main></body></html>\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="results.json of the demo")
    parser.add_argument("directory", type=Path, help="where pictures and report.html go")
    parser.add_argument("--recording", type=Path, help="the same step, recorded in the real framework")
    arguments = parser.parse_args()
    results = json.loads(arguments.results.read_text())
    if arguments.recording:
        results["timeline"]["measured"] = recorded_step(arguments.recording)
    plt.rcParams["svg.hashsalt"] = "libmemmodel"
    for name, (draw, _) in PICTURES.items():
        save(draw(results), arguments.directory, name)
    (arguments.directory / "report.html").write_text(page(results, arguments.directory))


if __name__ == "__main__":
    main()
