"""The same recorded trainings by PyTorch's own MemTracker under fake tensors and by memmodel.torch: errors and seconds.

    python test/frameworks/compare_memtracker.py [--group GROUP]... [--every COUNT] [--lines]

Each is handed a module that is there and asked for the greatest peak of the steps. A case runs in a process of its own,
both answers in the same; imports are not counted, and seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import compare_models
import memmodel.torch
import record_models
import torch
from cases import CASES, Case, optimizer_of
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker

STEPS = 2  # the second is as all that follow
ISA = "avx2"  # of the recordings


def tracked(case: Case) -> tuple[float, float]:
    """Peak of MemTracker, and how long it took."""
    target = record_models.target_of(case)
    with FakeTensorMode(allow_non_fake_inputs=True):
        model = record_models.model_of(case)
        args, kwargs = record_models.inputs_of(case)
        loss_function = record_models.loss_of(case, target)
        optimizer = optimizer_of(case.optimizer or "", model.parameters())
        begun = time.process_time()
        tracker = MemTracker()
        tracker.track_external(model, optimizer, *args, *kwargs.values())
        with tracker:
            for _ in range(STEPS):
                tracker.reset_mod_stats()
                y = model(*args, **kwargs)
                loss = loss_function(y)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
        snapshot = tracker.get_tracker_snapshot("peak")
    return snapshot[torch.device("cpu")]["Total"], time.process_time() - begun


def estimated(case: Case) -> tuple[float, float]:
    target = record_models.target_of(case)
    model = record_models.model_of(case)
    args, kwargs = record_models.inputs_of(case)
    loss = record_models.loss_of(case, target)
    begun = time.process_time()
    job = {"optimizer": case.optimizer, "isa": ISA, "intra_op_threads": 2}
    report = memmodel.torch.estimate(model, args, kwargs, loss=loss, **job)
    return max(report.step_peaks), time.process_time() - begun


ASKED: dict[str, Callable[[Case], tuple[float, float]]] = {"MemTracker": tracked, "memmodel.torch": estimated}


def recording_of(name: str) -> Path:
    return compare_models.RECORDINGS / f"{name}.recording.json.gz"


def answers(name: str) -> dict[str, Any]:
    """Relative error and seconds by who was asked; None where there was no answer."""
    recording = compare_models.load(recording_of(name))
    truth = max(step["peak"] for step in recording["steps"])
    found: dict[str, Any] = {}
    for who, ask in ASKED.items():
        torch.manual_seed(0)
        try:
            peak, seconds = ask(CASES[name])
            found[who] = [abs(peak - truth) / truth, seconds]
        except Exception:
            traceback.print_exc()
            found[who] = None
    return found


def in_its_own_process(name: str) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile() as file:
        child = os.fork()
        if child == 0:
            Path(file.name).write_text(json.dumps(answers(name)))
            os._exit(0)
        os.waitpid(child, 0)
        text = Path(file.name).read_text()
    found: dict[str, Any] = json.loads(text) if text else dict.fromkeys(ASKED)
    return found


def row_of(who: str, results: list[dict[str, Any]]) -> str:
    given = [result[who] for result in results if result[who]]
    if not given:
        return f"| {who} | 0 | {len(results)} |"
    errors = sorted(error for error, _ in given)
    seconds = sorted(time for _, time in given)
    refused = len(results) - len(given)
    return (
        f"| {who} | {len(given)} | {refused} | {100 * statistics.median(errors):.3f} % | "
        f"{100 * errors[int(0.95 * (len(errors) - 1))]:.2f} % | {100 * errors[-1]:.1f} % | "
        f"{sum(error == 0 for error in errors)} | {statistics.median(seconds):.2f} s | {seconds[-1]:.1f} s |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="MemTracker under fake tensors on recorded trainings.")
    parser.add_argument("--group", action="append", help="of halves.json (default: all networks with a plain loop)")
    parser.add_argument("--every", type=int, default=1, help="only every so many-th case")
    parser.add_argument("--lines", action="store_true", help="also a line a case")
    options = parser.parse_args()
    groups = json.loads((compare_models.RECORDINGS / "halves.json").read_text())
    wanted = options.group or [group for group in groups if "variants" not in group]
    names = [name for group in wanted for name in groups[group] if CASES[name].optimizer]
    names = [name for name in names if recording_of(name).exists()]
    results = []
    for name in names[:: options.every]:
        results.append(in_its_own_process(name))
        if options.lines:
            print(name, json.dumps(results[-1]), flush=True)
    print("| | cases | refused | median | 95th percentile | worst | exact | median time | longest |")
    print("|---|---|---|---|---|---|---|---|---|")
    for who in ASKED:
        print(row_of(who, results))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
