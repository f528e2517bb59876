"""Step peaks of whole scripts, recorded unchanged, against what PyTorch's allocator does when they run.

    PYTHON test/frameworks/compare_scripts.py [--measure] [NAME...]

PYTHON has what the scripts import: lightning, accelerate, peft, trl, timm, datasets, diffusers, MONAI, scikit-learn,
tensorboard. Prints a row a script: recorded peaks, real peaks, largest difference, seconds of the recording; and what
is left in its folder. --measure runs them really before, and keeps those peaks.
"""

import argparse
import contextlib
import gc
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEPS = 3
SCRIPTS = Path(os.environ.get("SCRIPTS", Path(__file__).parent / "scripts"))
MEASURED = Path(os.environ.get("PEAKS", Path(__file__).resolve().parents[1] / "data/pytorch_scripts/peaks.json"))
PROGRAM = "import sys; sys.path.insert(0, {folder!r}); import compare_scripts; compare_scripts.run({script!r})"


class Stop(BaseException):
    pass


def run(script):
    """In a process of its own: the script with real tensors, its step peaks printed at the end."""
    from compare_loops import _mark, peaks, real_events
    from torch.optim.optimizer import register_optimizer_step_post_hook

    steps = []

    def stop(*_):
        steps.append(None)
        if len(steps) == STEPS:
            _mark()
            raise Stop

    def program():
        handle = register_optimizer_step_post_hook(stop)
        sys.argv, sys.path[0] = [script], str(Path(script).parent)
        try:
            with contextlib.suppress(Stop):
                runpy.run_path(script, run_name="__main__")
        finally:
            handle.remove()
            gc.collect()

    found = peaks(real_events(program))
    print("\nreal peaks", json.dumps(found[:STEPS]))


def real(script):
    program = PROGRAM.format(folder=str(Path(__file__).parent), script=str(script))
    done = in_folder([sys.executable, "-c", program])
    words = [line for line in done.stdout.splitlines() if line.startswith("real peaks")]
    if not words:
        raise RuntimeError(f"real run: {last_line(done.stderr)}")
    return json.loads(words[-1].removeprefix("real peaks"))


def recorded(script, *options):
    """The report as JSON, what is assumed for sizes, what is left in the folder."""
    with tempfile.TemporaryDirectory() as kept:
        path = Path(kept) / "report.json"
        command = [sys.executable, "-m", "memmodel.torch", "--steps", str(STEPS), "--json", str(path), *options]
        done = in_folder([*command, str(script)])
        if done.returncode or not path.exists():
            raise RuntimeError(last_line(done.stderr))
        report = json.loads(path.read_text())
    said = [line.removeprefix("memmodel: ") for line in done.stdout.splitlines() if line.startswith("memmodel: ")]
    return report, [line for line in said if "a size came of" in line or "not modelled" in line], done.left


def script_of(name):
    return SCRIPTS / f"{name}.py"


def in_folder(command):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
        done.left = sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*"))
    return done


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    if os.environ.get("VERBOSE"):
        print(text)
    return lines[-1][:300] if lines else "nothing"


def compare(name, peaks):
    """Prints a row; whether all peaks are equal."""
    begin = time.perf_counter()
    report, said, left = recorded(script_of(name))
    seconds = time.perf_counter() - begin
    mine = report["step_peaks"][: len(peaks)]
    worst = max((abs(a / b - 1) for a, b in zip(mine, peaks)), default=0)
    print(f"{name:24} {mine} {peaks} {worst:8.3%} {seconds:.0f} s", flush=True)
    for line in said + [f"written: {path}" for path in left]:
        print(f"    {line}", flush=True)
    return mine == peaks


def measure(names):
    """Real peaks, kept beside those that are there."""
    import torch
    from memmodel._torch_calls import this_isa

    kept = json.loads(MEASURED.read_text()) if MEASURED.exists() else {"peaks": {}}
    kept |= {"torch": torch.__version__, "isa": this_isa(), "threads": torch.get_num_threads()}
    for name in names:
        try:
            kept["peaks"][name] = real(script_of(name))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{name:24} failed: {error}", flush=True)
        MEASURED.write_text(json.dumps(kept, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", action="store_true", help="run them really, and keep the peaks")
    parser.add_argument("names", nargs="*", metavar="NAME", help="scripts (default: all)")
    options = parser.parse_args()
    names = options.names or sorted(path.stem for path in SCRIPTS.glob("*.py"))
    if options.measure:
        measure(names)
    peaks, equal = json.loads(MEASURED.read_text())["peaks"], 0
    for name in names:
        try:
            equal += compare(name, peaks.get(name, []))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{name:24} failed: {error}", flush=True)
    print(f"{equal} of {len(names)} exact")


if __name__ == "__main__":
    main()
