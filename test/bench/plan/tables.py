"""Passes on the lines that bench_plan prints and makes tables of them at the end. usage: tables.py < LINES"""

import json
import sys

MINIMALLOC_SECONDS = {  # M. D. Moffitt, slides of MiniMalloc (github.com/google/minimalloc, img/)
    "A": 4.910, "B": 3.661, "C": 0.637, "D": 2.674, "E": 3.717, "F": 5.358,
    "G": 1.181, "H": 1.808, "I": 3.908, "J": 0.883, "K": 0.628,
}  # fmt: skip


def show(title, head, rows):
    rows = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print(f"\n{title}\n")
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        print("  ".join([first.ljust(widths[0]), *cells]).rstrip())


def of_part(lines, part):
    return [line for line in lines if line["part"] == part]


def show_capacity(lines):
    rows = [
        [line["table"], line["buffers"], line["status"], line["nodes"], f"{line['ms'] / 1e3:.3f}"]
        + [MINIMALLOC_SECONDS[line["table"]]]
        for line in lines
    ]
    seconds = f"{sum(line['ms'] for line in lines) / 1e3:.3f}"
    others = f"{sum(MINIMALLOC_SECONDS.values()):.1f}"
    rows.append(["all", "", "", sum(line["nodes"] for line in lines), seconds, others])
    show(
        "Within 1048576 bytes: seconds of processor time, and those on MiniMalloc's slides",
        ["table", "buffers", "status", "nodes", "s", "MiniMalloc"],
        rows,
    )


def show_min_peak(lines):
    """Each program a column: ours, ours with more nodes, the baselines."""
    by_program = {}
    for line in lines:
        program = {"min_peak": "ours", "more": "ours, more nodes"}.get(line["part"]) or line.get("baseline")
        by_program.setdefault(program, {})[line["table"]] = line
    ours = by_program["ours"]
    bounds = [(line["table"], line["lower_bound"]) for line in lines if "lower_bound" in line]
    loads = {name: min(bound for table, bound in bounds if table == name) for name in ours}

    def row(name, cell):
        return [name, *(cell(table[name], loads[name]) if name in table else "" for table in by_program.values())]

    def rows(cell):
        return [row(name, cell) for name in ours]

    head = ["table", *by_program]
    show("Per cent above the greatest load", head, rows(lambda line, load: f"{100 * (line['peak'] / load - 1):.3f}"))
    show("Milliseconds of processor time", head, rows(lambda line, load: f"{line['ms']:.1f}"))


def show_rules(lines, whole):
    names = list(dict.fromkeys(line["without"] for line in lines))
    nodes = {(line["without"], line["table"]): line["nodes"] if is_solved(line) else "-" for line in lines}
    show(
        "Placements until all is within 1048576 bytes, without one rule; -: not within 2,000,000",
        ["without", *(line["table"] for line in whole)],
        [["none", *(line["nodes"] for line in whole)]]
        + [[name, *(nodes[name, line["table"]] for line in whole)] for name in names],
    )


def is_solved(line):
    return line["status"] in ("optimal", "feasible")


def main():
    lines = []
    for text in sys.stdin:
        print(text, end="", flush=True)
        lines.append(json.loads(text))
    whole = of_part(lines, "capacity")
    show_capacity(whole)
    show_min_peak(of_part(lines, "min_peak") + of_part(lines, "more") + of_part(lines, "baseline"))
    show_rules(of_part(lines, "rule"), whole)


main()
