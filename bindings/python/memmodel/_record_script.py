"""python -m memmodel.torch [OPTION...] train.py ARGUMENTS: memory of a training script as it is."""

from __future__ import annotations

import argparse
import os
import runpy
import shutil
import sys
import traceback
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from memmodel import _call, _ffi, _limits
from memmodel._device_run import run_on_device
from memmodel._record_device import on_simulated_gpu
from memmodel._record_max import EXCEEDS, max_of_script
from memmodel.errors import MemmodelError
from memmodel.quantity import format_bytes, parse_bytes

DEVICE, FAKE = "simulated-gpu", "fake-tensors"  # engines
MAX_LINES, SHARE_OF_PEAK = 5, 0.05  # of the program's lines, those that are printed
USAGE = "python -m memmodel.torch [OPTION...] (SCRIPT | -m MODULE) [ARGUMENT...]"


def options_of(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m memmodel.torch", usage=USAGE, allow_abbrev=False,
        description="Runs a training script without its data's memory and says how much memory each step takes.",
        epilog="Exit code: 3 if the budget is exceeded; 1 if the script raised; that of sys.exit() if it ended so.",
    )  # fmt: skip
    parser.add_argument("--gpu", metavar="NAME[:COUNT]", help="run on a GPU that is not there, such as h100")
    parser.add_argument(
        "--engine", choices=(DEVICE, FAKE),
        help="what stands for the GPU: a simulated one, which needs a build of PyTorch with CUDA, or tensors without "
        "memory (default: the first that can)",
    )  # fmt: skip
    parser.add_argument("--device", choices=("cpu", "cuda"), help="whose memory it is (default: cuda with --gpu)")
    parser.add_argument(
        "--budget", type=_size, metavar="BYTES", help="what it may take, such as 40GiB (default: the memory of the GPU)"
    )
    parser.add_argument("--steps", type=_positive, default=3, metavar="N", help="steps to run (default: 3)")
    parser.add_argument("--world-size", type=_positive, metavar="N", help="run as one process of so many")
    parser.add_argument("--rank", type=int, default=0, metavar="K", help="which one of them (default: 0)")
    parser.add_argument(
        "--max", metavar="NAME", help="the largest number of the script's option NAME, such as batch-size, that fits"
    )
    parser.add_argument("--json", type=_from_here, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--html", type=_from_here, metavar="FILE", help="write the report as a page")
    parser.add_argument(
        "--out-of-memory", action="store_true", help="what does not fit the GPU, or the budget, raises "
        "torch.OutOfMemoryError in the script, which may catch it (default: the script goes on as if it fitted)",
    )  # fmt: skip
    parser.add_argument("--strict", action="store_true", help="stop where the script reads a value that is not known")
    parser.add_argument(
        "--write-files", action="store_true", help="let the script write its files, which it does not else"
    )
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="run a module")
    parser.add_argument("script", nargs=argparse.REMAINDER, metavar="SCRIPT", help="script to run, and its arguments")
    options = parser.parse_args(arguments)
    options.command = options.module if options.module is not None else options.script
    if not options.command:
        parser.error("which script? " + USAGE)
    if options.module is None and not Path(options.command[0]).is_file():
        parser.error(f"no such script: {options.command[0]}")
    if options.device == "cpu" and options.gpu:
        parser.error(f"--device cpu: a run on the CPU has no GPU, and --gpu {options.gpu} asks for one")
    if options.engine == DEVICE and not options.gpu:
        parser.error(f"--engine {DEVICE}: which GPU? --gpu h100, for one")
    if options.device == "cuda" and not options.gpu:
        parser.error("--device cuda: which GPU? --gpu h100, for one")
    if options.world_size and (not options.gpu or options.engine == FAKE):
        parser.error("--world-size: several processes run on simulated GPUs alone, with --gpu")
    if options.world_size and not 0 <= options.rank < options.world_size:
        parser.error(f"--rank {options.rank}: 0 or above, and below --world-size {options.world_size}")
    if options.out_of_memory and not options.gpu:
        parser.error("--out-of-memory: which GPU? --gpu h100, for one; a CPU raises nothing of the kind")
    options.gpu_kind, options.gpu_count = _kind_and_count(parser, options.gpu)
    if _has_several(options) and options.engine == FAKE:
        parser.error("--gpu: several GPUs are simulated ones, which need a build of PyTorch with CUDA")
    if _has_several(options) and options.world_size and (options.json or options.html):
        parser.error("--json, --html: a report of several GPUs and processes is printed, not written")
    return options


def _has_several(options: argparse.Namespace) -> bool:
    return bool(options.gpu_count > 1)


def _kind_and_count(parser: argparse.ArgumentParser, gpu: str | None) -> tuple[str | None, int]:
    """Of "h100:4"."""
    if not gpu:
        return None, 0
    try:
        found = _ffi.device_get_properties(_limits.new_context(), gpu)
    except MemmodelError as error:
        parser.error(f"--gpu: {error}")
    return _call.decoded(found.kind), found.count


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: a whole number, 1 or more, is needed")
    return int(text)


def _from_here(text: str) -> Path:
    """The script may change the folder."""
    return Path(text).absolute()


def _size(text: str) -> str:
    try:
        parse_bytes(text, "--budget")
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def on_several_gpus(options: argparse.Namespace) -> None:
    """One process of many on simulated devices, in place of this process, of which no report is made."""
    program = shutil.which("memmodel")
    if program is None:
        sys.exit("python -m memmodel.torch: the command `memmodel`, which simulates GPUs, is not on the PATH")
    command = [program, "run", "--gpu", options.gpu, "--stop-after", str(options.steps)]
    if options.budget:
        command += ["--capacity", options.budget]
    if options.world_size:
        command += ["--world-size", str(options.world_size), "--rank", str(options.rank)]
    command += ["--strict"] if options.strict else []
    python = [sys.executable, "-m"] if options.module is not None else [sys.executable]
    os.execv(program, [*command, "--", *python, *options.command])


def on_one_gpu(options: argparse.Namespace, arguments: list[str]) -> int | None:
    """In a process on a simulated GPU; None where there can be none, and none has to be."""
    rank = (options.rank, options.world_size) if options.world_size else None
    required = options.engine == DEVICE or rank is not None or _has_several(options)
    capacity = parse_bytes(options.budget or 0, "--budget") if options.out_of_memory else None
    own = ["-m", "memmodel.torch", *arguments]
    return run_on_device(options.gpu_kind, options.gpu_count, own, rank=rank, required=required, capacity=capacity)


def run_script(options: argparse.Namespace) -> None:
    """As Python would, in this process."""
    sys.argv = list(options.command)
    sys.dont_write_bytecode = True
    if options.module is not None:
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(options.command[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(Path(options.command[0]).resolve().parent)
        runpy.run_path(options.command[0], run_name="__main__")


def recorded(options: argparse.Namespace) -> tuple[Any, int]:
    """The recording, and the exit code of the script."""
    from memmodel.recording import record

    job = {"budget": options.budget, "gpu": options.gpu_kind, "out_of_memory": options.out_of_memory}
    code = 0
    with record(steps=options.steps, strict=options.strict, write_files=options.write_files, **job) as recording:
        try:
            with recording._files.followed() if recording._files else nullcontext():
                run_script(options)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
        except Exception as error:
            _print_error()
            code = EXCEEDS if options.out_of_memory and isinstance(error, torch.OutOfMemoryError) else 1
    return recording, code


def _print_error() -> None:
    """As Python prints it, without the frames of this program."""
    kind, error, trace = sys.exc_info()
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith((str(Path(__file__).parent), "<frozen")):
        trace = trace.tb_next
    traceback.print_exception(kind, error, trace)


def say_others(recording: Any) -> None:
    """Of several GPUs the report is the fullest one's."""
    if len(recording.gpus) > 1:
        print(f"memmodel: that is gpu {recording.fullest}, the fullest of {len(recording.gpus)} that the script used")
    for gpu in recording.gpus if len(recording.gpus) > 1 else ():
        peak = recording.report(gpu).peak
        print(f"memmodel: gpu {gpu}: {format_bytes(peak.live)} live at most, {format_bytes(peak.reserved)} reserved")


def say(recording: Any, report: Any, *, out_of_memory: bool = False) -> None:
    peaks = ", ".join(format_bytes(peak) for peak in report.step_peaks[: recording.steps])
    steps = f"{recording.steps} step" + "s" * (recording.steps != 1)
    print(f"\nmemmodel: {steps} on {recording.gpu or 'the CPU'} ({recording.engine})")
    print(f"memmodel: peak of each step: {peaks or 'none was ended'}")
    if recording.gpu and not report.peak.live:
        print("memmodel: the script put nothing on the GPU")
    if report.peak_location:
        print(f"memmodel: {format_bytes(report.peak.live)} live at most, in {report.peak_location}")
    if report.peak.process:
        held = f"{format_bytes(report.peak.reserved)} reserved, {format_bytes(report.peak.process)} with CUDA's context"
        whole = f"the process takes {format_bytes(report.peak.process)}"
        print(f"memmodel: {held if recording.gpu else whole}")
    say_others(recording)
    for line in report.lines[:MAX_LINES]:
        if line.peak_bytes >= SHARE_OF_PEAK * report.peak.live:
            print(f"memmodel: {format_bytes(line.peak_bytes)} of them from {line.line}")
    for line in report.lines:
        if line.growth_bytes:
            print(f"memmodel: memory grows by {format_bytes(line.growth_bytes)} with each step at {line.line}")
    for operator in report.unmodelled:
        print(f"memmodel: not modelled: {operator.op}")
    for value in recording.assumed:
        effect = ", which a size came of" if value.sized else ""
        often = f", read {value.count} times" if value.count > 1 else ""
        made = f" is {value.value}" if value.value else ""
        print(f"memmodel: assumed: {value.what}{made} at {value.line}{often}{effect}")
    if report.verdict:
        print(f"memmodel: {report.summary}")
    if recording.gpu and report.verdict == "exceeds":
        why = ", as that counts what its allocator keeps, too" if out_of_memory else "; --out-of-memory raises it"
        print(f"memmodel: the script went on where PyTorch raises torch.OutOfMemoryError{why}")


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    options = options_of(arguments)
    if options.max:
        return max_of_script(arguments, options.command, options.max)
    if _has_several(options) and options.world_size:
        on_several_gpus(options)
    try:
        if options.gpu and options.engine != FAKE and not on_simulated_gpu():
            ended = on_one_gpu(options, arguments)
            if ended is not None:
                return ended
        recording, code = recorded(options)
    except MemmodelError as error:  # such as a GPU without a profile
        sys.exit(f"python -m memmodel.torch: {error}")
    report = recording.report()
    say(recording, report, out_of_memory=options.out_of_memory)
    if code == EXCEEDS and report.verdict != "exceeds":
        print("memmodel: the script ended in torch.OutOfMemoryError: it does not fit")
    for path, text in ((options.json, report.to_json), (options.html, report.to_html)):
        if path:
            path.write_text(text(), encoding="utf-8")
    return code or (EXCEEDS if report.verdict == "exceeds" else 0)
