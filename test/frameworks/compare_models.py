"""Hold the predictions for the networks of models.py against their recordings, and show where they part.

    python test/frameworks/compare_models.py                    # a line a case, and sums of both halves
    python test/frameworks/compare_models.py NAME... --show     # the first event that differs, with what is around it
    python test/frameworks/compare_models.py --record           # their loops by memmodel.torch.record()
    python test/frameworks/compare_models.py --keep             # also keep the exported networks beside the recordings

With --kept the networks are those that were kept: torch is not needed then.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import memmodel

RECORDINGS = Path(__file__).resolve().parents[1] / "data" / "pytorch_models"
AROUND = 6
SEALED = (
    "new transformers, judging",
    "variants of transformers, judging",
    "vision, judging",
)  # left alone, and told by sums alone, until rules are done


@dataclass
class Event:
    bytes: int
    what: str


@dataclass
class Result:
    name: str
    model: str
    recorded: list[int] = field(default_factory=list)
    predicted: list[int] = field(default_factory=list)
    parts: list[int | None] = field(default_factory=list)  # first event that differs, by step
    counts: list[int] = field(default_factory=list)
    unmodelled: list[memmodel.report.Unmodelled] = field(default_factory=list)
    refused: str = ""

    @property
    def error(self) -> float:
        """Greatest relative error of a step's peak."""
        pairs = zip(self.predicted, self.recorded, strict=True)
        return max((abs(p - r) / r for p, r in pairs), default=1.0)

    @property
    def exact(self) -> bool:
        return not self.refused and self.predicted == self.recorded

    @property
    def same_events(self) -> bool:
        return self.exact and not any(part is not None for part in self.parts)


def load(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def recorded_events(recording: dict[str, Any], step: int) -> list[Event]:
    names = recording["names"]
    return [Event(size, names[place]) for size, place in recording["steps"][step]["events"]]


def predicted_events(trace: memmodel.Trace) -> list[list[Event]]:
    steps: dict[int, list[Event]] = {}
    for event in trace:
        steps.setdefault(event.step, []).append(Event(event.bytes, f"{event.phase} {event.layer}: {event.role}"))
    return [steps[step] for step in sorted(steps) if step > 0]


def in_order(events: Sequence[Event]) -> list[Event]:
    """Releases that follow one another without an allocation in between have no order that matters."""
    ordered: list[Event] = []
    run: list[Event] = []
    for event in events:
        if event.bytes < 0:
            run.append(event)
            continue
        ordered += sorted(run, key=lambda released: released.bytes)
        ordered.append(event)
        run = []
    return ordered + sorted(run, key=lambda released: released.bytes)


def first_difference(predicted: Sequence[Event], recorded: Sequence[Event]) -> int | None:
    for index, (one, other) in enumerate(zip(predicted, recorded, strict=False)):
        if one.bytes != other.bytes:
            return index
    return None if len(predicted) == len(recorded) else min(len(predicted), len(recorded))


def show(predicted: Sequence[Event], recorded: Sequence[Event], at: int) -> None:
    for index in range(max(0, at - AROUND), at + AROUND + 4):
        one = predicted[index] if index < len(predicted) else Event(0, "")
        other = recorded[index] if index < len(recorded) else Event(0, "")
        mark = ">" if index == at else " "
        print(f"  {mark} {index:5d} {one.bytes:10d} {other.bytes:10d}  {one.what[-58:]:58s} | {other.what[-70:]}")


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    """What a job says of a case."""
    mode = mode_of(case["optimizer"], case.get("autograd", False))
    options = {"optimizer": case["optimizer"] or "none", "mode": mode}
    options |= {"precision": case["precision"]} if case.get("precision") else {}
    options |= {"checkpoint": checkpoint_of(case)} if case.get("checkpoint") else {}
    options |= {"gradient_accumulation": case["accumulate"]} if case.get("accumulate", 1) > 1 else {}
    return options | ({"keep_gradients": True} if case.get("keep_gradients") else {})


def mode_of(optimizer: str | None, autograd: bool) -> str:
    """Without an optimizer a case is of predictions; with autograd on they keep what a backward pass would need."""
    return "training" if optimizer else "forward" if autograd else "inference"


def checkpoint_of(case: dict[str, Any]) -> str:
    option = "(use_reentrant=True)" if case.get("reentrant") else ""
    return ",".join(pattern + option for pattern in case["checkpoint"].split(","))


def machine_of(provenance: dict[str, Any]) -> str:
    """PyTorch knows no name for processors with AMX; their second cache tells them."""
    isa = provenance["isa"].lower()
    return "amx" if isa == "avx512" and provenance["caches"]["L2"] == "2048K" else isa


def estimate_of(network: memmodel.Network, recording: dict[str, Any]) -> memmodel.Report:
    provenance = recording["provenance"]
    return memmodel.estimate(
        network,
        framework="pytorch",
        isa=machine_of(provenance),
        intra_op_threads=provenance["threads"],
        steps=len(recording["steps"]),
        **options_of(recording["case"]),
    )


def exported(name: str) -> memmodel.Network:
    """The network of a case, exported now."""
    import memmodel.torch
    import torch
    from cases import CASES
    from record_models import add_checkpoints, inputs_of, loss_of, model_of, target_of

    case = CASES[name]
    torch.manual_seed(0)
    loss = loss_of(case, target_of(case)) if case.optimizer else None
    args, kwargs = inputs_of(case)
    model = model_of(case)
    if case.checkpoint:
        add_checkpoints(model, case.checkpoint, reentrant=case.reentrant)
    return memmodel.torch.from_module(
        model, args, kwargs, loss=loss, mode=mode_of(case.optimizer, case.autograd), symbolic=False,
        precision=case.precision,
    )  # fmt: skip


def recorded_here(name: str, recording: dict[str, Any]) -> list[int]:
    """Peaks of the same loop on tensors without memory, less the target, which was there before its recording began."""
    import memmodel.torch
    import torch
    from cases import CASES
    from record_models import run, target_apart

    torch.set_num_threads(1)  # target_apart() forks
    torch.manual_seed(0)
    target = target_apart(CASES[name])
    provenance = recording["provenance"]
    with memmodel.torch.record(steps=0, isa=machine_of(provenance), intra_op_threads=provenance["threads"]) as found:
        run(CASES[name], target, lambda _: found.step())
    before = 0 if target is None else target.nbytes
    return [peak - before for peak in found.report().step_peaks[: len(recording["steps"])]]  # after them is a rest


def network_of(name: str, options: argparse.Namespace) -> memmodel.Network:
    path = options.folder / f"{name}.network.json.gz"
    if options.kept or (options.missing and path.exists()):
        return memmodel.Network.from_json(gzip.decompress(path.read_bytes()).decode(), name=name)
    network = exported(name)
    if options.keep or options.missing:
        text = json.dumps(json.loads(network.to_json()), separators=(",", ":")) + "\n"
        path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    return network


def compare(name: str, options: argparse.Namespace) -> Result:
    recording = load(options.folder / f"{name}.recording.json.gz")
    result = Result(name, recording["case"]["model"], recorded=[step["peak"] for step in recording["steps"]])
    try:
        if options.record:
            with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as apart:  # some models keep tensors
                result.predicted = apart.submit(recorded_here, name, recording).result()
            return result
        report = estimate_of(network_of(name, options), recording)
    except Exception as error:
        result.refused = f"{type(error).__name__}: {error}"
        if options.show:
            traceback.print_exc()
        return result
    result.predicted = report.step_peaks
    result.unmodelled = report.unmodelled
    for step, events in enumerate(predicted_events(report.trace)):
        one, other = in_order(events), in_order(recorded_events(recording, step))
        result.parts.append(first_difference(one, other))
        result.counts.append(len(other))
        if options.show and result.parts[-1] is not None and not any(part is not None for part in result.parts[:-1]):
            print(f"{name}, step {step + 1}: event, predicted, recorded")
            show(one, other, result.parts[-1])
    return result


def line_of(result: Result) -> str:
    if result.refused:
        return f"{result.name:58s} refused: {result.refused[:150]}"
    peaks = " ".join(f"{p}/{r}" for p, r in zip(result.predicted, result.recorded, strict=True))
    parts = " ".join(
        "same" if part is None else f"{part}/{count}" for part, count in zip(result.parts, result.counts, strict=True)
    )
    unmodelled = ", ".join(sorted(entry.op for entry in result.unmodelled))
    events = f"  events {parts}  {unmodelled}" if result.parts else ""
    return f"{result.name:58s} {100 * result.error:8.4f} %  {peaks}{events}"


def sums_of(title: str, results: Sequence[Result]) -> str:
    errors = sorted(result.error for result in results if not result.refused) or [1.0]
    events = f", event by event {sum(r.same_events for r in results)}" if any(r.parts for r in results) else ""
    return (
        f"{title}: {len(results)} cases, exact in every step {sum(r.exact for r in results)}{events}, "
        f"95th percentile {100 * errors[int(0.95 * (len(errors) - 1))]:.3f} %, "
        f"worst {100 * errors[-1]:.3f} %, refused {sum(bool(r.refused) for r in results)}"
    )


def unmodelled_names(results: Sequence[Result]) -> list[tuple[str, int]]:
    """Operators without a rule, by the number of networks that have them."""
    models: dict[str, set[str]] = {}
    for result in results:
        for entry in result.unmodelled:
            models.setdefault(entry.op, set()).add(result.model)
    return Counter({name: len(where) for name, where in models.items()}).most_common()


def main() -> None:
    parser = argparse.ArgumentParser(description="Hold predictions for whole networks against their recordings.")
    parser.add_argument("name", nargs="*", help="cases, or beginnings of their names (default: all)")
    parser.add_argument("--show", action="store_true", help="show the first event that differs")
    parser.add_argument("--keep", action="store_true", help="keep the exported networks")
    parser.add_argument("--missing", action="store_true", help="export, and keep, only networks that were not kept")
    parser.add_argument("--record", action="store_true", help="run the loops by memmodel.torch.record(); peaks alone")
    parser.add_argument("--kept", action="store_true", help="take the networks that were kept")
    parser.add_argument("--group", help='only this group of halves.json, such as "working"')
    parser.add_argument("--judge", action="store_true", help="only the sealed halves, and of these only the sums")
    parser.add_argument("--unmodelled", type=Path, help="write the operators without a rule there")
    parser.add_argument("--folder", type=Path, default=RECORDINGS, help="folder of the recordings")
    options = parser.parse_args()
    names = sorted(path.name.removesuffix(".recording.json.gz") for path in options.folder.glob("*.recording.json.gz"))
    halves = json.loads((RECORDINGS / "halves.json").read_text())
    names = [name for name in names if not options.name or any(name.startswith(given) for given in options.name)]
    names = [name for name in names if not options.group or name in halves[options.group]]
    has_network = {path.name.removesuffix(".network.json.gz") for path in options.folder.glob("*.network.json.gz")}
    names = [name for name in names if not options.kept or name in has_network]
    sealed = {name for group in SEALED for name in halves.get(group, ())}
    names = [name for name in names if (name in sealed) == options.judge]
    options.show = options.show and not options.judge
    results = []
    for name in names:
        results.append(compare(name, options))
        if not options.judge:
            print(line_of(results[-1]), flush=True)
    for group, members in halves.items():
        if found := [result for result in results if result.name in members]:
            print(sums_of(group, found))
    if options.unmodelled:
        lines = [f"{count:3d} {name}" for name, count in unmodelled_names(results)]
        options.unmodelled.write_text("\n".join(lines) + "\n")
    sys.exit(0)


if __name__ == "__main__":
    main()
