"""Record what the foreach and fused implementations of torch.optim allocate and release on CPU, gradients present.

    python test/frameworks/record_optimizers.py          # to test/data/pytorch_operators/optimizers_foreach.jsonl.gz
    python test/frameworks/record_optimizers.py NAME     # only this optimizer, printed

What a line holds is described in test/data/pytorch_operators/README.md.
"""

from __future__ import annotations

import gc
import gzip
import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile, record_function

OUTPUT = Path(__file__).resolve().parents[1] / "data" / "pytorch_operators" / "optimizers_foreach.jsonl.gz"
STEPS = 9
RECORDED = ("construct", "step_1", "step_2", "step_9")


class Case(NamedTuple):
    name: str  # of the class
    options: dict[str, Any]
    shapes: list[tuple[int, ...]]

    @property
    def job(self) -> str:
        """As a job has it."""
        return f"{self.name.lower()}({', '.join(f'{key}={value}' for key, value in self.options.items())})"


# ---- recording ----


def allocations(profiler: profile) -> Iterator[tuple[str, int, int]]:
    """Phase, bytes and address of each event, in order of time."""
    found: list[tuple[int, str, int, int]] = []

    def walk(node: Any, phase: str) -> None:
        if node.tag.name == "Allocation":
            found.append((node.start_time_ns, phase, node.extra_fields.alloc_size, node.extra_fields.ptr))
        for child in node.children:
            walk(child, node.name[2:] if node.name.startswith("##") else phase)

    for root in profiler.profiler.kineto_results.experimental_event_tree():
        walk(root, root.name[2:] if root.name.startswith("##") else "")
    return ((phase, size, pointer) for _, phase, size, pointer in sorted(found))


def events_of(profiler: profile, phase: str) -> list[int]:
    """Bytes of an allocation; -1 - n for a release of the phase's buffer n."""
    events: list[int] = []
    buffers: dict[int, int] = {}
    count = 0
    for where, size, pointer in allocations(profiler):
        if where != phase:
            continue
        if size > 0:
            buffers[pointer] = count
            count += 1
            events.append(size)
        else:
            events.append(-1 - buffers[pointer])
    return events


def parameters_of(case: Case) -> list[Tensor]:
    parameters = [torch.nn.Parameter(torch.full(shape, 0.5)) for shape in case.shapes]
    for parameter in parameters:
        parameter.grad = torch.full_like(parameter, 0.25)
    return parameters


def record(case: Case) -> dict[str, Any]:
    parameters = parameters_of(case)
    gc.collect()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        with record_function("##construct"):
            optimizer = getattr(torch.optim, case.name)(parameters, **case.options)
        for step in range(1, STEPS + 1):
            with record_function(f"##step_{step}"):
                optimizer.step()
    phases = {phase: events_of(profiler, phase) for phase in RECORDED}
    return {"optimizer": case.name.lower(), "job": case.job, "shapes": case.shapes, **phases}


# ---- cases ----

MAXIMIZE = ({}, {"maximize": True})
DECAY = ({}, {"weight_decay": 0.01})
DECOUPLED = (*DECAY, {"weight_decay": 0.01, "decoupled_weight_decay": True})
FOREACH: dict[str, tuple[tuple[dict[str, Any], ...], ...]] = {
    "SGD": (({}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}), DECAY, MAXIMIZE),
    "Adam": (({}, {"amsgrad": True}), DECOUPLED, MAXIMIZE),
    "AdamW": (({}, {"amsgrad": True}), ({}, {"weight_decay": 0}), MAXIMIZE),
    "NAdam": (DECOUPLED, MAXIMIZE),
    "RAdam": (DECOUPLED, MAXIMIZE),
    "Adamax": (DECAY, MAXIMIZE),
    "RMSprop": (({}, {"momentum": 0.9}), ({}, {"centered": True}), DECAY, MAXIMIZE),
    "Adagrad": (DECAY, MAXIMIZE),
    "Adadelta": (DECAY, MAXIMIZE),
    "Adafactor": (({}, {"weight_decay": 0}), MAXIMIZE),
}
FUSED = ("SGD", "Adam", "AdamW", "Adagrad")


def shapes_of(random: Random) -> list[tuple[int, ...]]:
    return [tuple(random.randint(1, 12) for _ in range(random.randint(1, 4))) for _ in range(random.randint(1, 4))]


def cases() -> Iterator[Case]:
    random = Random(0)
    for name, choices in FOREACH.items():
        for how in ("foreach", "fused") if name in FUSED else ("foreach",):
            for options in itertools.product(*choices):
                for _ in range(3):
                    merged = {key: value for part in options for key, value in part.items()}
                    yield Case(name, {how: True, **merged}, shapes_of(random))


def main() -> None:
    wanted = sys.argv[1:]
    lines = [json.dumps(record(case)) for case in cases() if not wanted or case.name in wanted]
    if wanted:
        print("\n".join(lines))
        return
    text = "\n".join(lines) + "\n"
    OUTPUT.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{len(lines)} optimizers")


if __name__ == "__main__":
    main()
