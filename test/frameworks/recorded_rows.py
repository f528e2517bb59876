"""Rows of published trainings, each recorded in a process of its own, and what is off by kind."""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def in_own_process(record: Callable[[Row], int], row: Row, seconds: int) -> dict[str, Any]:
    """Its peak; a row that fails or hangs leaves the others alone."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        signal.alarm(seconds)
        try:
            result = {"peak": record(row)}
        except BaseException as error:  # whatever it is, it is told
            result = {"error": f"{type(error).__name__}: {error}"[:200]}
        os.write(writing, json.dumps(result).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": f"no answer in {seconds} s"}


def options_of(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--results", type=Path, help="file of JSON lines that is gone on with")
    parser.add_argument("--seconds", type=int, default=300, help="of one row, at most")
    parser.add_argument("names", nargs="*", help="parts of the rows' names; all unless given")
    return parser.parse_args()


def recorded(
    rows: list[Row], name: str, record: Callable[[Row], int], options: argparse.Namespace
) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Each row that is asked for with what came of it; `name` is the field that it is named by."""
    done = {}
    if options.results and options.results.exists():
        done = {line[name]: line for line in map(json.loads, options.results.read_text().splitlines())}
    for row in rows:
        if options.names and not any(part in row[name] for part in options.names):
            continue
        result = done.get(row[name]) or {name: row[name]} | in_own_process(record, row, options.seconds)
        if options.results and row[name] not in done:
            with options.results.open("a") as file:
                file.write(json.dumps(result) + "\n")
        yield row, result


def print_errors(off: list[tuple[str, float]]) -> None:
    """Of each kind, and of all."""
    kinds: dict[str, list[float]] = defaultdict(list)
    for kind, error in off:
        kinds[kind].append(error)
    for kind, errors in [*sorted(kinds.items()), ("all", [error for _, error in off])]:
        sizes = sorted(map(abs, errors))
        if sizes:
            print(
                f"{kind:20} {len(errors):4}  median {statistics.median(errors):+6.1%}  without sign"
                f" {statistics.median(sizes):5.1%}, 95th percentile {sizes[int(0.95 * (len(sizes) - 1))]:5.1%}"
            )


def compare(
    description: str,
    data: Path,
    name: str,
    record: Callable[[Row], int],
    unit: float,
    title: Callable[[Row], str],
    kind: Callable[[Row], str],
) -> None:
    """Prints each row of `data`, whose `memory` is in `unit` bytes, beside what was recorded, and what is off."""
    options = options_of(description)
    warnings.filterwarnings("ignore")
    off = []
    for row, result in recorded(json.loads(data.read_text())["rows"], name, record, options):
        if "peak" in result:
            taken = result["peak"] / unit
            off.append((kind(row), taken / row["memory"] - 1))
            print(f"{title(row):66} published {row['memory']:6.2f}, recorded {taken:6.2f} GB", flush=True)
        else:
            print(f"{title(row):66} {result['error']}", flush=True)
    print_errors(off)
