"""Hold what was recorded on GPUs against the library's answers: peaks, and the allocator's actions one by one. The
recorders are record_cuda.py and record_cuda_networks.py. Needs the library alone, no framework.

    python test/frameworks/compare_cuda.py                       # peaks: how many are exact, median, 90th percentile
    python test/frameworks/compare_cuda.py --events              # and where the events of each case differ first
    python test/frameworks/compare_cuda.py --show 9 NAME         # the first nine differences of a case
    python test/frameworks/compare_cuda.py --half working        # half of the cases, by a hash of their names
    python test/frameworks/compare_cuda.py --peaks               # all runs of peaks.csv, without events
    python test/frameworks/compare_cuda.py --peaks --table usual --networks FOLDER

The networks of cuda_networks.py are in the folders of their tables, those of `usual` where that script has put them.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from math import isnan, nan
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import memmodel

DATA = Path(__file__).resolve().parents[1] / "data"
RECORDINGS = DATA / "pytorch_cuda"
NETWORKS = DATA / "pytorch_models"
GPUS = ("rtx3060", "rtx3090", "rtx4060", "rtx4090", "a100", "h100", "h200", "v100", "l40s", "a10", "a40", "l4")
ALLOC, FREE = 0, 1  # of record_cuda.ACTIONS: the second is when the program lets go
STEPS = 3
VERSION = "2.11"  # of PyTorch, where a recording does not say


def half_of(name: str) -> str:
    return "judging" if hashlib.sha256(name.encode()).digest()[0] % 2 else "working"


# ---- the library's answer ----


def network_of(name: str, case: dict[str, Any], networks: Path) -> memmodel.Network | None:
    """Of a case of cases.py by its name; of a network of cuda_networks.py in the folder of its table."""
    path = networks / f"{name}.network.json.gz"
    if "table" in case:
        path = networks / case["table"] / f"{case['network'].replace('/', '_')}.json.gz"
        if not path.exists():
            path = DATA / case["table"] / "networks" / path.name
    if not path.exists():
        return None
    with gzip.open(path) as file:
        return memmodel.Network.from_json(file.read().decode())


def mode_of(case: dict[str, Any]) -> str:
    if case["optimizer"]:
        return "training"
    return "forward" if case.get("autograd") else "inference"


def checkpoint_of(case: dict[str, Any]) -> str | None:
    names: str | None = case.get("checkpoint")
    return f"{names}(use_reentrant=True)" if names and case.get("reentrant") else names


def estimate(network: memmodel.Network, case: dict[str, Any], gpu: str, version: str = VERSION) -> memmodel.Report:
    """The report of a recorded run; the GPU by its name, such as "NVIDIA A100-SXM4-40GB"."""
    words = gpu.lower().replace(" ", "")
    return memmodel.estimate(
        network, framework="pytorch", framework_version=version, device="cuda",
        gpu=next(name for name in GPUS if name in words), optimizer=case["optimizer"], mode=mode_of(case),
        precision=case["precision"], steps=STEPS,
        gradient_accumulation=case.get("accumulate", 1), keep_gradients=case.get("keep_gradients", False),
        checkpoint=checkpoint_of(case), **dict.fromkeys(network.symbols, case["batch"]),
    )  # fmt: skip


# ---- event by event ----


class Event(NamedTuple):
    bytes: int  # negative: released
    where: str = ""


class Difference(NamedTuple):
    recorded: list[int]
    simulated: list[Event]
    after: str  # where the simulation was before it


def recorded_events(recording: dict[str, Any]) -> list[Event]:
    actions = recording["steps"][-1]["actions"]
    return [Event(size if kind == ALLOC else -size) for kind, size, _ in actions if kind in (ALLOC, FREE)]


def simulated_events(report: memmodel.Report) -> list[Event]:
    return [
        Event(event.bytes, f"{event.phase} {event.layer} {event.role}")
        for event in report.trace or ()
        if event.step == STEPS and event.bytes
    ]


def in_order(events: Iterable[Event]) -> Iterator[Event]:
    """Releases that follow one another as a set."""
    for released, group in groupby(events, lambda event: event.bytes < 0):
        together = list(group)
        yield from sorted(together) if released else together


def differences(recording: dict[str, Any], report: memmodel.Report) -> list[Difference]:
    recorded = [event.bytes for event in in_order(recorded_events(recording))]
    simulated = list(in_order(simulated_events(report)))
    matcher = SequenceMatcher(None, recorded, [event.bytes for event in simulated], autojunk=False)
    return [
        Difference(recorded[i:j], simulated[k:m], simulated[k - 1].where if k else "")
        for kind, i, j, k, m in matcher.get_opcodes()
        if kind != "equal"
    ]


# ---- cases ----


@dataclass(frozen=True)
class Compared:
    """The report of a case, and its errors: predicted over recorded, less one."""

    name: str
    report: memmodel.Report
    recording: dict[str, Any]
    live: float
    reserved: float
    process: float  # not a number where the device was not ours alone


def error(predicted: int, recorded: int | None) -> float:
    return predicted / recorded - 1 if recorded else nan


def compared(name: str, recording: dict[str, Any], networks: Path) -> Compared | None:
    """None without a network."""
    network = network_of(name, recording["case"], networks)
    if network is None:
        return None
    made_by, steps = recording["made_by"], recording["steps"]
    report = estimate(network, recording["case"], made_by["gpu"], made_by.get("torch", VERSION))
    live, reserved = (max(step[key] for step in steps) for key in ("allocated", "reserved"))
    process = made_by["device_after"] - made_by["device_before"] if made_by.get("device_after") else None
    peak = report.peak
    errors = error(peak.live, live), error(peak.reserved, reserved), error(peak.process, process)
    return Compared(name, report, recording, *errors)


def load(path: Path) -> tuple[str, dict[str, Any]]:
    """Its name is CASE.GPU.json.gz."""
    with gzip.open(path) as file:
        return path.name.removesuffix(".json.gz").rsplit(".", 1)[0], json.loads(file.read())


def recordings_of(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    return (load(path) for path in sorted(folder.glob("*.json.gz")))


def peaks_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of peaks.csv as recordings without actions."""
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            steps = [{key: int(row[f"{key}_{step}"]) for key in ("allocated", "reserved")} for step in (1, 2, 3)]
            device = {key: int(row[key]) if row[key] else None for key in ("device_before", "device_after")}
            yield (
                row["name"],
                {
                    "case": json.loads(row["case"]),
                    "steps": steps,
                    "made_by": {"gpu": "NVIDIA H200", **device},
                },
            )


def summary(errors: Iterable[float]) -> str:
    ordered = sorted(abs(error) for error in errors if not isnan(error))
    if not ordered:
        return "none"
    exact = sum(error == 0 for error in ordered)
    rare = ordered[int(0.9 * (len(ordered) - 1))]
    return (
        f"exact in {exact} of {len(ordered)}, median {median(ordered):.3%}, 90th percentile {rare:.2%}, "
        f"worst {ordered[-1]:.1%}"
    )


def describe(case: Compared, events: bool) -> str:
    line = f"{case.name}: live {case.live:+.3%} reserved {case.reserved:+.3%} process {case.process:+.2%}"
    if not events:
        return line
    found = differences(case.recording, case.report)
    if not found:
        return f"{line}: every event"
    first = found[0]
    return (
        f"{line}: {len(found)} differences, first {first.recorded[:4]} not "
        f"{[event.bytes for event in first.simulated[:4]]} after [{first.after}]"
    )


def print_differences(case: Compared, count: int) -> None:
    print(describe(case, events=False))
    for difference in differences(case.recording, case.report)[:count]:
        print(f"  recorded {difference.recorded[:12]} after [{difference.after}]")
        for event in difference.simulated[:6]:
            print(f"           not {event.bytes} [{event.where}]")


# ---- the command ----


def compare(cases: Iterable[tuple[str, dict[str, Any]]], networks: Path, events: bool = False, show: int = 0) -> None:
    found = []
    for name, recording in cases:
        case = compared(name, recording, networks)
        if case is None:
            continue
        found.append(case)
        if show:
            print_differences(case, show)
        else:
            print(describe(case, events), flush=True)
    for kind in ("live", "reserved", "process"):
        print(f"{kind}: {summary(getattr(case, kind) for case in found)}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="cases (default: all that have a network)")
    parser.add_argument("--recordings", type=Path, default=RECORDINGS, help="folder of the recordings")
    parser.add_argument("--networks", type=Path, default=NETWORKS, help="folder of the networks")
    parser.add_argument("--half", choices=("working", "judging"), help="half of the cases, by a hash of the name")
    parser.add_argument("--table", choices=("xmem", "schedtune", "usual"), help="networks of this table alone")
    parser.add_argument("--peaks", action="store_true", help="all runs of peaks.csv, not the recordings with actions")
    parser.add_argument("--events", action="store_true", help="say where the events differ")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="the first N differences of each case")
    return parser.parse_args()


def main() -> None:
    options = parse()
    cases = peaks_of(options.recordings / "peaks.csv") if options.peaks else recordings_of(options.recordings)
    chosen = (
        (name, recording)
        for name, recording in cases
        if (not options.name or name in options.name)
        and options.half in (None, half_of(name))
        and options.table in (None, recording["case"].get("table"))
    )
    compare(chosen, options.networks, options.events, options.show)


if __name__ == "__main__":
    main()
