"""Step peaks of loops recorded for a GPU against torch.cuda.max_memory_allocated() where they run on a simulated one.

    memmodel run --gpu h100 -- build/venv/cuda/bin/python test/frameworks/compare_gpu_loops.py --measure FILE [NAME...]
    build/venv/cuda/bin/python test/frameworks/compare_gpu_loops.py [--against FILE] [NAME...]

The loops are those of loops.py with "cuda" as the default device. The second command, for which any build of PyTorch
will do, prints a row a loop: recorded peaks, measured peaks, the largest difference, and what is not modelled. Behind
`memmodel run --gpu h100 --` it records on the simulated GPU itself, by its allocator's history.
"""

import argparse
import contextlib
import gc
import json
import os
import sys
import warnings
from functools import partial
from pathlib import Path

import torch
from loops import LOOPS
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils.data import RandomSampler

GPU = "h100"
MEASURED = Path(__file__).resolve().parents[1] / "data/pytorch_loops/gpu_peaks.json"
warnings.filterwarnings("ignore")


@contextlib.contextmanager
def on_gpu():
    """Samplers draw on the CPU, whatever the default device is."""
    iterate = RandomSampler.__iter__

    def drawn(sampler):
        with torch.device("cpu"):
            order = list(iterate(sampler))
        return iter(order)

    RandomSampler.__iter__ = drawn
    torch.set_default_device("cuda")
    try:
        yield
    finally:
        torch.set_default_device(None)
        RandomSampler.__iter__ = iterate


# ---- measured ----


def peaks_of(loop):
    found = []

    def stepped(*_):
        found.append(torch.cuda.max_memory_allocated())
        torch.cuda.reset_peak_memory_stats()

    hook = register_optimizer_step_post_hook(stepped)
    with on_gpu():
        loop()
    hook.remove()
    return found or [torch.cuda.max_memory_allocated()]


def apart(peaks):
    """Called in a process of its own: what libraries keep is not the next one's. An error as a text where it fails."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.close(read)
        try:
            torch.manual_seed(0)
            found = peaks()
        except Exception as error:
            found = f"{type(error).__name__}: {str(error).splitlines()[0][:150]}"
        with os.fdopen(write, "w") as file:
            json.dump(found, file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.wait()
    return json.loads(text) if text else "the process died"


def measure(names, path):
    peaks = {}
    for name in names:
        found = apart(partial(peaks_of, LOOPS[name]))
        print(f"{name:28} {found}", flush=True)
        if isinstance(found, list):
            peaks[name] = found
    path.write_text(json.dumps({"torch": torch.__version__, "gpu": GPU, "peaks": peaks}, indent=1) + "\n")


# ---- compared ----


def recorded(name, version):
    import memmodel.torch

    torch.manual_seed(0)
    gc.collect()
    job = {"gpu": GPU, "framework_version": version}
    with contextlib.redirect_stdout(None), memmodel.torch.record(steps=0, **job) as recording, on_gpu():
        LOOPS[name]()
    report = recording.report()
    return report.step_peaks, [operator.op for operator in report.unmodelled]


def row(name, measured, version):
    """Prints it; whether the peaks are equal."""
    found = apart(partial(recorded, name, version))
    if isinstance(found, str):
        raise RuntimeError(found)
    peaks, unmodelled = found
    mine = peaks[: len(measured)]
    worst = max((abs(a / b - 1) for a, b in zip(mine, measured)), default=0)
    print(f"{name:28} {mine} {measured} {worst:8.3%} {unmodelled[:3]}", flush=True)
    return mine == measured


def compare(names, kept):
    equal = 0
    for name in names:
        if name not in kept["peaks"]:
            print(f"{name:28} not measured")
            continue
        try:
            equal += row(name, kept["peaks"][name], kept["torch"])
        except Exception as error:
            print(f"{name:28} failed: {type(error).__name__}: {str(error).splitlines()[0][:150]}", flush=True)
    print(f"{equal} of {len(names)} exact")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", type=Path, metavar="FILE", help="measure, and keep the peaks")
    parser.add_argument("--against", type=Path, default=MEASURED, metavar="FILE", help="measured peaks")
    parser.add_argument("names", nargs="*", metavar="NAME", help="loops (default: all)")
    options = parser.parse_args()
    names = options.names or list(LOOPS)
    if options.measure:
        measure(names, options.measure)
    else:
        compare(names, json.loads(options.against.read_text()))


if __name__ == "__main__":
    sys.exit(main())
