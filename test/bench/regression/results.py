"""What was measured, kept as lines of JSON, so that a run goes on where another stopped.

A line is one method on one table: the error of every split, and medians of the processor's seconds and the size of the
formula.
Files lie in results/ beside this one, and begin with the machine on which they were begun.
"""

from __future__ import annotations

import json
import os
import pathlib
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import methods
import numpy as np
from tables import Part

FOLDER = pathlib.Path(__file__).parent / "results"


class Result(NamedTuple):
    """Of one method on one table: the error of each split, and medians over the splits."""

    errors: list[float]
    seconds: float
    nodes: float

    @property
    def median(self) -> float:
        return float(np.median(self.errors))

    def first(self, splits: int) -> Result:
        return self._replace(errors=self.errors[:splits])


Error = Callable[[Part, np.ndarray], float]


def processor() -> str:
    try:
        with pathlib.Path("/proc/cpuinfo").open(encoding="ascii") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def machine() -> str:
    versions = f"Python {platform.python_version()}, numpy {np.__version__}"
    return f"{processor()}, {os.cpu_count()} processors, one used; {versions}"


def processor_seconds() -> float:
    """Of this process and of those that it started and that ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def judge(method: methods.Method, parts: Iterable[Part], error: Error) -> Result:
    errors, seconds, nodes = [], [], []
    for part in parts:
        start = processor_seconds()
        try:
            outcome = method(part)
        except ValueError:  # a method that cannot do this table
            return Result([float("nan")], float("nan"), float("nan"))
        seconds.append(processor_seconds() - start)
        errors.append(error(part, outcome.predictions))
        nodes.append(outcome.nodes)
    return Result(errors, float(np.median(seconds)), float(np.median(nodes)))


def label(method: str, results: Iterable[Result]) -> str:
    """Its name, and how many splits it was given if others were given more."""
    few = method in methods.LONG and any(len(result.errors) == methods.FEW_SPLITS for result in results)
    return f"{method} ({methods.FEW_SPLITS} splits)" if few else method


class Store:
    """The results of one part of the bench, by table and method."""

    def __init__(self, part: str) -> None:
        self.path = FOLDER / f"{part}.jsonl"
        self.results: dict[tuple[str, str], Result] = {}
        self.machine = machine()
        if self.path.exists():
            self.read()

    def read(self) -> None:
        with self.path.open(encoding="utf-8") as file:
            self.machine = json.loads(next(file))["machine"]
            for line in map(json.loads, file):
                numbers = [[float("nan") if e is None else e for e in line["errors"]]]
                numbers += [float("nan") if line[name] is None else line[name] for name in ("seconds", "nodes")]
                self.results[line["table"], line["method"]] = Result(*numbers)

    def write(self) -> None:
        """All of it to a new file in the old one's place: a run that is stopped leaves one or the other."""
        FOLDER.mkdir(exist_ok=True)
        new = self.path.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            for line in ({"machine": self.machine}, *self.lines()):
                file.write(json.dumps(line) + "\n")
        new.replace(self.path)

    def lines(self) -> Iterator[dict[str, object]]:
        for (table, method), result in self.results.items():
            errors = [None if np.isnan(e) else float(f"{e:.6g}") for e in result.errors]
            seconds, nodes = (
                None if np.isnan(number) else float(f"{number:.4g}") for number in (result.seconds, result.nodes)
            )
            yield {"table": table, "method": method, "errors": errors, "seconds": seconds, "nodes": nodes}

    def measure(
        self, table: str, chosen: dict[str, methods.Method], parts: Callable[[], Iterable[Part]], error: Error
    ) -> None:
        """What is not there yet, and all of our own, which may have changed."""
        for name, method in chosen.items():
            if (table, name) in self.results and not name.startswith(methods.OURS):
                continue
            try:
                self.results[table, name] = judge(
                    method, islice(parts(), methods.FEW_SPLITS if name in methods.LONG else None), error
                )
            except ImportError as missing:
                print(f"{name} left out: {missing}", file=sys.stderr)
                continue
            self.write()

    def of_methods(self, chosen: Iterable[str]) -> dict[str, dict[str, Result]]:
        """Of each method that has any, its results by table."""
        by_method = {
            name: {table: result for (table, method), result in self.results.items() if method == name}
            for name in chosen
        }
        return {name: of_tables for name, of_tables in by_method.items() if of_tables}
