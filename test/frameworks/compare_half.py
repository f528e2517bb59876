"""Hold predictions for networks in float32 and bfloat16 against trainings of them that run here, event by event.

    python test/frameworks/compare_half.py FOLDER [NAME...]     # networks of half_networks.py, records what is missing
    python test/frameworks/compare_half.py FOLDER --judged      # those that no rule was written on
    python test/frameworks/compare_half.py FOLDER NAME --show   # the first event that differs

ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 keeps oneDNN from AMX; FOLDER belongs to one setting. Recorded on two threads.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import os
import traceback
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import memmodel
import memmodel.torch
import torch
from compare_models import Result, first_difference, in_order, line_of, predicted_events, recorded_events, show
from half_networks import FIRST, JUDGED
from models import Model
from record_steps import STEPS, collect, provenance, step_record
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile, record_function

THREADS, BATCH = 2, 3
WAYS = {
    "float32": {},
    "autocast": {"precision": "bfloat16"},
    "bfloat16": {"dtype": torch.bfloat16},
    "last": {"channels_last": True},
    "last_autocast": {"channels_last": True, "precision": "bfloat16"},
}
IMAGES = (4, 5)  # dimensions


@dataclass(frozen=True)
class Run:
    """A network, and in which way it is trained."""

    network: Model
    name: str
    dtype: torch.dtype = torch.float32
    precision: str | None = None
    channels_last: bool = False

    def moved(self, x: Tensor) -> Tensor:
        x = x.to(self.dtype) if x.is_floating_point() else x
        return x.contiguous(memory_format=self.order(x.dim())) if self.channels_last and x.dim() in IMAGES else x

    @staticmethod
    def order(dims: int) -> torch.memory_format:
        return torch.channels_last if dims == IMAGES[0] else torch.channels_last_3d

    def work(self) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
        torch.manual_seed(0)
        model = self.network.make().train().to(self.dtype)
        args, kwargs = self.network.inputs(BATCH)
        args = tuple(self.moved(x) for x in args)
        if self.channels_last:
            model = model.to(memory_format=self.order(images(args, kwargs)[0].dim()))
        return model, args, {name: self.moved(x) for name, x in kwargs.items()}


def images(args: Sequence[Any], kwargs: dict[str, Any]) -> list[Tensor]:
    return [x for x in (*args, *kwargs.values()) if x.dim() in IMAGES]


def runs(networks: dict[str, Model]) -> list[Run]:
    found = []
    for name, network in networks.items():
        for way, options in WAYS.items():
            if "last" not in way or images(*network.inputs(BATCH)):
                found.append(Run(network, f"{name}.{way}", **options))
    return found


RUNS = {run.name: run for run in runs(FIRST | JUDGED)}


class Squares(nn.Module):
    def forward(self, y: Any) -> Tensor:
        y = y if isinstance(y, Tensor) else y[0]
        return y.float().square().mean()


def train(run: Run, mark: Any) -> None:
    model, args, kwargs = run.work()
    loss_function = Squares()
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(STEPS):
        with mark(f"step {step + 1}"):
            with torch.autocast("cpu", torch.bfloat16, enabled=run.precision is not None):
                y = model(*args, **kwargs)
                loss = loss_function(y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


def record(run: Run) -> dict[str, Any]:
    torch.set_num_threads(THREADS)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        train(run, record_function)
    events, spans = collect(profiler)
    offset = events[0].total - events[0].size
    events = [event._replace(total=event.total - offset) for event in events]
    names = {name: index for index, name in enumerate(dict.fromkeys(event.path for event in events))}
    return {
        "provenance": provenance(),
        "names": list(names),
        "steps": [step_record(events, span, names) for span in spans],
    }


def isa_here() -> str | None:
    return "avx512" if "AMX" not in os.environ.get("ONEDNN_MAX_CPU_ISA", "AMX") else None


def estimated(run: Run) -> memmodel.Report:
    model, args, kwargs = run.work()
    return memmodel.torch.estimate(
        model, args, kwargs, loss=Squares(), precision=run.precision, isa=isa_here(), intra_op_threads=THREADS,
        steps=STEPS,
    )  # fmt: skip


def replayed(run: Run) -> list[int]:
    """The same loop on tensors without memory."""
    torch.set_num_threads(THREADS)
    with memmodel.torch.record(steps=0, isa=isa_here(), intra_op_threads=THREADS) as found:
        train(run, lambda _: found.step())
    return list(found.report().step_peaks[:STEPS])


def compare(name: str, folder: Path, shown: bool) -> tuple[Result, Result]:
    run = RUNS[name]
    path = folder / f"{run.name}.json.gz"
    if path.exists():
        recording = json.loads(gzip.decompress(path.read_bytes()))
    else:
        recording = record(run)
        path.write_bytes(gzip.compress(json.dumps(recording, separators=(",", ":")).encode(), mtime=0))
    peaks = [step["peak"] for step in recording["steps"]]
    estimate, replay = Result(run.name, run.name, recorded=peaks), Result(run.name, run.name, recorded=peaks)
    try:
        report = estimated(run)
        estimate.predicted, estimate.unmodelled = report.step_peaks, report.unmodelled
        steps = predicted_events(report.trace) if report.engine == "rules" else []  # a recording has peaks alone
        for step, events in enumerate(steps):
            one, other = in_order(events), in_order(recorded_events(recording, step))
            estimate.parts.append(first_difference(one, other))
            estimate.counts.append(len(other))
            if shown and estimate.parts[-1] is not None and all(part is None for part in estimate.parts[:-1]):
                print(f"{run.name}, step {step + 1}: event, predicted, recorded")
                show(one, other, estimate.parts[-1])
    except Exception as error:
        estimate.refused = f"{type(error).__name__}: {error}".replace("\n", " ")
    try:
        replay.predicted = replayed(run)
    except Exception as error:
        replay.refused = f"{type(error).__name__}: {error}".replace("\n", " ")
    return estimate, replay


def compare_apart(run: Run, folder: Path, shown: bool) -> tuple[Result, Result] | None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as apart:
        try:
            return apart.submit(compare, run.name, folder, shown).result()
        except Exception:
            traceback.print_exc()
            return None


def share(results: Sequence[Result]) -> str:
    """How many of them are exact, with the worst error."""
    answered = [result for result in results if not result.refused]
    exact = sum(result.exact for result in answered)
    worst = max((result.error for result in answered), default=0.0)
    return f"{exact} of {len(results)} exact, worst {100 * worst:.2f} %, refused {len(results) - len(answered)}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Hold predictions in bfloat16 against trainings that run here.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("name", nargs="*", help="beginnings of names (default: all)")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--judged", action="store_true", help="the networks that no rule was written on")
    parser.add_argument("--sums", action="store_true", help="print the sums alone")
    parser.add_argument("--show", action="store_true", help="show the first event that differs")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = [
        run for run in runs(JUDGED if options.judged else FIRST)
        if run.name.split(".")[1] in options.ways
        and (not options.name or any(run.name.startswith(name) for name in options.name))
    ]  # fmt: skip
    found: list[tuple[Run, Result, Result]] = []
    for run in chosen:
        if pair := compare_apart(run, options.folder, options.show):
            found.append((run, *pair))
            if not options.sums:
                print(f"{line_of(pair[0])}\n   record {line_of(pair[1])}", flush=True)
    for way in options.ways:
        of_way = [entry for entry in found if entry[0].name.endswith(f".{way}")]
        print(f"{way}: estimate {share([e[1] for e in of_way])}; record {share([e[2] for e in of_way])}")


if __name__ == "__main__":
    main()
