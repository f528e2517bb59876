"""Step peaks of recorded loops against what PyTorch's allocator does when they run, by its profiler.

    build/venv/zoo/bin/python test/frameworks/compare_loops.py [--write FILE] [NAME...]

Prints a row a loop: recorded peaks, real peaks, largest difference, seconds of the recording. --write keeps real ones.
"""

import argparse
import gc
import json
import tempfile
import time
import warnings
from pathlib import Path

import memmodel.torch
import torch
from loops import LOOPS
from memmodel._torch_calls import this_isa
from sparse_loops import SPARSE_LOOPS
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.profiler import ProfilerActivity, profile, record_function

warnings.filterwarnings("ignore")

ALL = LOOPS | SPARSE_LOOPS


def _mark(*_):
    with record_function("memmodel step"):
        pass


def real_events(loop):
    """Bytes allocated (or, below 0, released), None where a step of an optimizer ends, in the order of time."""
    gc.collect()
    hook = register_optimizer_step_post_hook(_mark)
    try:
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
            loop()
            gc.collect()
    finally:
        hook.remove()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiled.export_chrome_trace(str(path))
        events = json.loads(path.read_text())["traceEvents"]
    found = []
    for event in sorted((event for event in events if "ts" in event), key=lambda event: event["ts"]):
        if event.get("name") == "[memory]":
            found.append(event["args"]["Bytes"])
        elif event.get("name") == "memmodel step":
            found.append(None)
    return found


def peaks(events):
    """Of each step, the last rest left out."""
    live, found, peak = 0, [], 0
    for bytes in events:
        if bytes is None:
            found.append(peak)
            peak = live
        else:
            live += bytes
            peak = max(peak, live)
    return found or [peak]


def compare(name):
    random_seed()
    begin = time.perf_counter()
    with memmodel.torch.record(steps=0) as recording:
        ALL[name]()
    report = recording.report()
    seconds = time.perf_counter() - begin
    random_seed()
    real = peaks(real_events(ALL[name]))
    return report, real, seconds


def random_seed():
    torch.manual_seed(0)


def row(name):
    """Prints it; the real peaks, and whether the recorded ones are equal."""
    report, real, seconds = compare(name)
    mine = report.step_peaks[: len(real)]
    worst = max((abs(a / b - 1) for a, b in zip(mine, real)), default=0)
    unmodelled = [operator.op for operator in report.unmodelled]
    print(f"{name:28} {mine} {real} {worst:8.3%} {seconds:.1f} s {unmodelled[:3]}", flush=True)
    return real, mine == real


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", metavar="FILE", help="keep the real peaks")
    parser.add_argument("names", nargs="*", metavar="NAME", help="loops (default: all)")
    options = parser.parse_args()
    torch.set_num_threads(2)
    found = {}
    for name in options.names or LOOPS:
        try:
            found[name] = row(name)
        except Exception as error:
            print(f"{name:28} failed: {type(error).__name__}: {str(error).splitlines()[0][:150]}", flush=True)
    print(f"{sum(equal for _, equal in found.values())} of {len(options.names or LOOPS)} exact")
    if options.write:
        kept = {"torch": torch.__version__, "isa": this_isa(), "threads": torch.get_num_threads(),
                "peaks": {name: real for name, (real, _) in found.items()}}  # fmt: skip
        Path(options.write).write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
