"""Record every allocation of real PyTorch training steps on CPU, as ground truth for the simulated step.

    python test/frameworks/record_steps.py                  # all cases, each in a process of its own
    python test/frameworks/record_steps.py NAME...          # only these
    python test/frameworks/record_steps.py --list

The profiler with profile_memory=True runs around the construction of the model and all steps, so it sees the
allocator's running total from zero, and the peak of a step is known to the byte. What the files hold is described in
test/data/pytorch_steps/README.md.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from networks import CNN, UNet3D
from torch import Tensor, nn
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile, record_function

FORMAT = 1
STEPS = 3
PATH_NAMES = 3  # innermost operator names kept of an event
RECORDINGS = Path(__file__).resolve().parents[1] / "data" / "pytorch_steps"

Loss = Callable[[Tensor, Tensor], Tensor]

OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "sgd": partial(torch.optim.SGD, lr=0.01),
    "momentum": partial(torch.optim.SGD, lr=0.01, momentum=0.9),
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
}


@dataclass(frozen=True)
class Case:
    """One recorded run; `optimizer` is None for inference."""

    network: str
    batch: int
    optimizer: str | None
    filters: int | None = None
    voxels: int | None = None
    upsampling: bool = False
    threads: int = 2

    @property
    def name(self) -> str:
        parts = [self.network]
        if self.network == "unet3d":
            parts += [f"f{self.filters}", f"v{self.voxels}"]
        parts += [f"b{self.batch}", self.optimizer or "inference"]
        parts += ["upsampling"] if self.upsampling else []
        parts += [f"t{self.threads}"] if self.threads != 2 else []
        return "_".join(parts)


def all_cases() -> list[Case]:
    """Every case there is a recording of."""
    unet = partial(Case, "unet3d", filters=8, voxels=32, batch=2)
    cases = [unet(optimizer="adam", filters=f, voxels=v, batch=b) for f in (8, 16) for v in (32, 48) for b in (2, 8)]
    cases += [unet(optimizer=optimizer) for optimizer in ("sgd", "momentum", "adamw", None)]
    cases += [unet(optimizer="adam", upsampling=True), unet(optimizer="adam", threads=1)]
    cases += [Case("cnn", 64, optimizer) for optimizer in ("sgd", "momentum", "adam", "adamw", None)]
    cases += [Case("cnn", 16, "adam"), Case("cnn", 64, "adam", threads=1)]
    return cases


class Workload(NamedTuple):
    """What a step works on."""

    model: nn.Module
    x: Tensor
    target: Tensor
    loss_function: Loss


def unet_workload(case: Case) -> Workload:
    shape = (case.batch, 1, case.voxels, case.voxels, case.voxels)
    model = UNet3D(filters=case.filters, upsampling=case.upsampling)
    return Workload(model, torch.rand(shape), torch.rand(shape), functional.binary_cross_entropy)


def cnn_workload(case: Case) -> Workload:
    images = torch.rand(case.batch, 3, 50, 50)
    return Workload(CNN(), images, torch.randint(0, 10, (case.batch,)), functional.cross_entropy)


WORKLOADS = {"unet3d": unet_workload, "cnn": cnn_workload}


def train(work: Workload, optimizer: torch.optim.Optimizer) -> None:
    """The loop that people write; each name stays bound until its statement of the next step has completed."""
    model, x, target, loss_function = work
    for step in range(STEPS):
        with record_function(f"step {step + 1}"):
            y = model(x)
            loss = loss_function(y, target)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


def infer(work: Workload) -> None:
    """Prediction in a loop: the last prediction is still there while the next is made."""
    model, x, _, _ = work
    with torch.no_grad():
        for step in range(STEPS):
            with record_function(f"step {step + 1}"):
                y = model(x)  # noqa: F841 -- the name is what keeps it alive


class Event(NamedTuple):
    """One allocation (positive) or release (negative), as the profiler saw it."""

    time: int
    size: int
    total: int
    path: str


Span = tuple[int, int]


def walk(roots: list[Any]) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """Nodes of the profiler's event tree, each with the operators that it ran in."""
    stack = [(node, ()) for node in reversed(roots)]
    while stack:
        node, path = stack.pop()
        yield node, path
        inner = path if node.name.startswith("step ") else (*path, node.name)
        stack += [(child, inner) for child in reversed(node.children)]


def collect(profiler: profile) -> tuple[list[Event], list[Span]]:
    """Events in the order in which they happened, and when each step began and ended."""
    events, spans = [], []
    for node, path in walk(profiler.profiler.kineto_results.experimental_event_tree()):
        if node.tag.name == "Allocation":
            memory = node.extra_fields
            events.append(
                Event(node.start_time_ns, memory.alloc_size, memory.total_allocated, " > ".join(path[-PATH_NAMES:]))
            )
        elif node.name.startswith("step "):
            spans.append((node.start_time_ns, node.end_time_ns))
    events.sort(key=lambda event: event.time)
    return events, sorted(spans)


def check_totals(events: list[Event]) -> None:
    """The allocator's own total must follow from the sizes, or an event was lost or put out of order."""
    total = 0
    for index, event in enumerate(events):
        total += event.size
        if total != event.total:
            raise RuntimeError(f"event {index} ({event.path}): total {event.total}, sum of sizes {total}")


def run_profiled(case: Case) -> tuple[profile, dict[str, int]]:
    """Build and run the case under the profiler; also the bytes of what is alive between steps by design."""
    torch.manual_seed(0)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        work = WORKLOADS[case.network](case)
        gc.collect()
        if case.optimizer is None:
            work.model.eval()
            infer(work)
        else:
            train(work, OPTIMIZERS[case.optimizer](work.model.parameters()))
    return profiler, held_bytes(work)


def held_bytes(work: Workload) -> dict[str, int]:
    return {
        "parameters": sum(tensor.nbytes for tensor in work.model.parameters()),
        "buffers": sum(tensor.nbytes for tensor in work.model.buffers()),
        "input": work.x.nbytes,
        "target": work.target.nbytes,
    }


def record(case: Case) -> dict[str, Any]:
    """The recording of one case, in the form of the files."""
    torch.set_num_threads(case.threads)
    profiler, held = run_profiled(case)
    events, spans = collect(profiler)
    check_totals(events)
    names = {name: index for index, name in enumerate(dict.fromkeys(event.path for event in events))}
    return {
        "format": FORMAT,
        "case": asdict(case),
        "provenance": provenance(),
        "bytes": held,
        "names": list(names),
        "setup": [[event.size, names[event.path]] for event in events if event.time < spans[0][0]],
        "steps": [step_record(events, span, names) for span in spans],
    }


def step_record(events: list[Event], span: Span, names: dict[str, int]) -> dict[str, Any]:
    inside = [event for event in events if span[0] <= event.time <= span[1]]
    return {
        "start": inside[0].total - inside[0].size,
        "peak": max(event.total for event in inside),
        "events": [[event.size, names[event.path]] for event in inside],
    }


def provenance() -> dict[str, Any]:
    """What the sizes may depend on. No date and no host: the same machine gives the same bytes."""
    onednn = re.search(r"MKL-DNN v(\S+)", torch.__config__.show())
    return {
        "torch": torch.__version__,
        "onednn": onednn.group(1) if onednn else None,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpu": cpu_model(),
        "isa": torch.backends.cpu.get_cpu_capability(),
        "threads": torch.get_num_threads(),
        "caches": cache_sizes(),
    }


def cpu_model() -> str:
    match = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return match.group(1) if match else "unknown"


def cache_sizes() -> dict[str, str]:
    """Data caches of the first core, as the kernel tells them."""
    sizes = {}
    for cache in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        if (cache / "type").read_text().strip() != "Instruction":
            sizes["L" + (cache / "level").read_text().strip()] = (cache / "size").read_text().strip()
    return sizes


def write(recording: dict[str, Any], path: Path) -> None:
    """Compact and without a time stamp, so that the same recording is the same file."""
    text = json.dumps(recording, separators=(",", ":")) + "\n"
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def record_here(case: Case, folder: Path) -> None:
    recording = record(case)
    write(recording, folder / f"{case.name}.json.gz")
    peaks = ", ".join(f"{step['peak']:,}" for step in recording["steps"])
    print(f"{case.name}: peaks {peaks}", flush=True)


def record_each_in_its_own_process(names: list[str], folder: Path) -> None:
    for name in names:
        subprocess.run([sys.executable, __file__, "--here", "--output", str(folder), name], check=True)


def main() -> None:
    cases = {case.name: case for case in all_cases()}
    parser = argparse.ArgumentParser(description="Record every allocation of PyTorch training steps.")
    parser.add_argument("name", nargs="*", help="cases to record (default: all)")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    parser.add_argument("--here", action="store_true", help="record in this process")
    parser.add_argument("--output", type=Path, default=RECORDINGS, help="folder of the recordings")
    options = parser.parse_args()
    names = options.name or list(cases)
    if unknown := set(names) - set(cases):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    if options.list:
        print("\n".join(names))
    elif options.here:
        for name in names:
            record_here(cases[name], options.output)
    else:
        record_each_in_its_own_process(names, options.output)


if __name__ == "__main__":
    main()
