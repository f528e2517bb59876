"""Record what the cases of cases.py take on a GPU, as ground truth for the device "cuda". Needs PyTorch with CUDA.

    python test/frameworks/record_cuda.py                        # all cases, each in a process of its own
    python test/frameworks/record_cuda.py --minutes 20 NAME...   # these, until the time is over
    python test/frameworks/record_cuda.py --jobs 12              # so many at once, without what the device holds
    python test/frameworks/record_cuda.py --dry-run NAME...      # the same on a CPU: nothing is counted or kept
    python test/frameworks/record_cuda.py --compare --events     # what was kept against the library: compare_cuda.py

Each file holds, of one case on one GPU: what the device held before CUDA began, with its context and after the steps,
unless other cases ran beside it; the peaks of each step as torch.cuda's allocator counts them, allocated and reserved;
and the allocator's actions during the last step. A case that fails, for want of memory too, is named and passed over.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import multiprocessing
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import compare_cuda
import torch
from cases import CASES, Case, optimizer_of
from record_models import RECORDINGS as NETWORKS
from record_models import add_checkpoints, inputs_of, loss_of, model_of, target_of

RECORDINGS = Path(__file__).resolve().parents[1] / "data" / "pytorch_cuda"
STEPS = 3
MOST_ACTIONS = 1_000_000
ACTIONS = ("alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap")


# ---- the device ----


def device_bytes() -> int:
    """Of the whole device, by the driver; it must be ours alone."""
    query = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "--id=0"]
    return int(subprocess.run(query, check=True, capture_output=True, text=True).stdout) << 20


class Gpu:
    """What PyTorch counts, step by step; what the device holds if it is ours alone."""

    name = "cuda"

    def __init__(self, alone: bool) -> None:
        self.alone = alone
        self.before = self.device_bytes()
        torch.zeros(1, device=self.name)
        torch.cuda.synchronize()
        self.context = self.device_bytes()
        gc.collect()
        torch.cuda.empty_cache()

    def device_bytes(self) -> int | None:
        return device_bytes() if self.alone else None

    def begin(self, step: int) -> None:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        if step == STEPS:
            torch.cuda.memory._record_memory_history(max_entries=MOST_ACTIONS, stacks="python", context=None)

    def end(self, step: int) -> dict[str, Any]:
        torch.cuda.synchronize()
        counted = {"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved()}
        if step == STEPS:
            counted["actions"] = list(actions(torch.cuda.memory._snapshot()["device_traces"][0]))
            torch.cuda.memory._record_memory_history(enabled=None)
        return counted

    def about(self) -> dict[str, Any]:
        properties = torch.cuda.get_device_properties(0)
        return {
            "gpu": properties.name,
            "capability": f"{properties.major}.{properties.minor}",
            "processors": properties.multi_processor_count,
            "memory": properties.total_memory,
            "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version(),
            "device_before": self.before,
            "device_with_context": self.context,
            "device_after": self.device_bytes(),
        }


class Dry:
    """A CPU in its place, to see that the cases run."""

    name = "cpu"

    def begin(self, step: int) -> None:
        pass

    def end(self, step: int) -> dict[str, Any]:
        return {"allocated": 0, "reserved": 0}

    def about(self) -> dict[str, Any]:
        return {"gpu": "none"}


def actions(trace: list[dict[str, Any]]) -> Iterator[tuple[int, int, int]]:
    """Kind, bytes and address: in steps of 512 from the lowest, so that they compress."""
    known = [action for action in trace if action["action"] in ACTIONS]
    lowest = min((action["addr"] for action in known), default=0)
    for action in known:
        yield ACTIONS.index(action["action"]), action["size"], (action["addr"] - lowest) // 512


# ---- a case ----


def moved(value: Any, device: str) -> Any:
    """With the tensors in it on the device."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, tuple | list):
        return type(value)(moved(item, device) for item in value)
    if isinstance(value, dict):
        return {name: moved(item, device) for name, item in value.items()}
    return value


def autocast(case: Any, device: str) -> AbstractContextManager[Any]:
    return torch.autocast(device, getattr(torch, case.precision)) if case.precision else nullcontext()


def train(case: Any, model: Any, work: Any, loss_function: Callable[[Any], Any], device: Gpu | Dry) -> list[Any]:
    """The loop of record_models.py; names stay bound from one step to the next."""
    args, kwargs = work
    optimizer = optimizer_of(case.optimizer or "sgd", model.parameters())
    steps = []
    for step in range(1, STEPS + 1):
        device.begin(step)
        for _ in range(case.accumulate):
            with autocast(case, device.name):
                y = model(*args, **kwargs)
                loss = loss_function(y)
            loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=not case.keep_gradients)
        steps.append(device.end(step))
    return steps


def predict(case: Case, model: Any, work: Any, device: Gpu | Dry) -> list[Any]:
    args, kwargs = work
    steps = []
    with torch.set_grad_enabled(case.autograd):
        for step in range(1, STEPS + 1):
            device.begin(step)
            with autocast(case, device.name):
                y = model(*args, **kwargs)  # noqa: F841 -- the name is what keeps it alive
            steps.append(device.end(step))
    return steps


def record(case: Case, device: Gpu | Dry) -> dict[str, Any]:
    torch.manual_seed(0)
    target = moved(target_of(case), device.name)
    model = model_of(case).to(device.name)
    work = moved(inputs_of(case), device.name)
    if case.checkpoint:
        add_checkpoints(model, case.checkpoint)
    if case.optimizer is None:
        del target
        steps = predict(case, model, work, device)
    else:
        loss = loss_of(case, target)
        del target
        gc.collect()
        steps = train(case, model, work, loss, device)
    return recording_of(asdict(case), steps, device)


def recording_of(case: dict[str, Any], steps: list[Any], device: Gpu | Dry) -> dict[str, Any]:
    versions = {"torch": torch.__version__, "python": platform.python_version()}
    return {
        "format": "memmodel-cuda-recording",
        "case": case,
        "made_by": versions | device.about(),
        "steps": steps,
    }


def describe(name: str, recording: dict[str, Any]) -> str:
    peaks = ", ".join(f"{step['allocated']:,} of {step['reserved']:,}" for step in recording["steps"])
    return f"{name} on {recording['made_by']['gpu']}: {peaks}"


@dataclass(frozen=True)
class Maker:
    """Makes a recording by its name, in a file."""

    record: Callable[[str, Gpu], dict[str, Any]]
    folder: Path
    alone: bool  # on the device

    def __call__(self, name: str) -> None:
        recording = self.record(name, Gpu(self.alone))
        gpu = "".join(letter for letter in recording["made_by"]["gpu"].lower() if letter.isalnum())
        with gzip.GzipFile(self.folder / f"{name}.{gpu}.json.gz", "wb", mtime=0) as file:
            file.write(json.dumps(recording, separators=(",", ":")).encode())
        print(describe(name, recording), flush=True)


def each_in_its_own_process(names: list[str], make: Maker, minutes: float, jobs: int) -> int:
    """How many failed. Each begins CUDA anew, after the fork; what is imported already is shared."""
    make.folder.mkdir(parents=True, exist_ok=True)
    fork = multiprocessing.get_context("fork")
    end = time.monotonic() + 60 * minutes
    waiting, running = names[::-1], {}
    failed = 0
    while running or (waiting and time.monotonic() < end):
        while waiting and len(running) < jobs and time.monotonic() < end:
            name = waiting.pop()
            process = fork.Process(target=make, args=(name,))
            process.start()
            running[process.sentinel] = name, process
        for sentinel in wait(list(running)):
            name, process = running.pop(sentinel)
            process.join()
            if process.exitcode:
                print(f"failed: {name}, exit code {process.exitcode}", flush=True)
                failed += 1
    if waiting:
        print(f"time is over: {len(waiting)} from {waiting[-1]} on are left out", flush=True)
    return failed


# ---- the command ----


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="cases to record (default: all)")
    parser.add_argument("--output", type=Path, default=RECORDINGS, help="folder of the recordings")
    parser.add_argument("--networks", type=Path, default=NETWORKS, help="of --compare: folder of the networks")
    parser.add_argument("--minutes", type=float, default=24 * 60, help="no case begins after so many")
    parser.add_argument("--jobs", type=int, default=1, help="cases that run at once (default: 1)")
    parser.add_argument("--dry-run", action="store_true", help="run the cases on the CPU and keep nothing")
    parser.add_argument("--compare", action="store_true", help="hold what was kept against the library's answers")
    parser.add_argument("--events", action="store_true", help="of --compare: and say where the actions differ")
    options = parser.parse_args()
    if unknown := set(options.name) - set(CASES):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    return options


def main() -> int:
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # looking for a GPU must not begin CUDA before a fork
    options = parse()
    names = options.name or list(CASES)
    if options.compare:
        compare_cuda.compare(compare_cuda.recordings_of(options.output), options.networks, options.events)
    elif options.dry_run:
        for name in names:
            print(describe(name, record(CASES[name], Dry())), flush=True)
    elif not torch.cuda.is_available():
        print("record_cuda.py: this PyTorch sees no GPU; --dry-run needs none", file=sys.stderr)
        return 1
    else:
        make = Maker(lambda name, gpu: record(CASES[name], gpu), options.output, alone=options.jobs == 1)
        return 1 if each_in_its_own_process(names, make, options.minutes, options.jobs) else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
