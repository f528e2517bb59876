"""A Python process on simulated GPUs, as `memmodel run --gpu` starts one."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import torch

from memmodel import _call, _ffi, _limits
from memmodel._exceptions import NotFoundError
from memmodel.errors import MemmodelError
from memmodel.quantity import format_bytes

DRIVER = Path("/dev/nvidiactl")
SHOWN = 12  # notes
WORDS = {_ffi.DeviceNoteKind.UNANSWERED: "not simulated", _ffi.DeviceNoteKind.PROFILE: "by a rule"}


def run_on_device(
    gpu: str,
    count: int,
    arguments: list[str],
    *,
    rank: tuple[int, int] | None,
    required: bool,
    capacity: int | None = None,
) -> int | None:
    """The exit code of this Python with those arguments on so many GPUs of that kind; None where there can be none, and
    that was not required. rank: which process it is, and of how many; the others are not run. capacity: of its memory,
    which never ends where none is given; 0 is the GPU's own."""
    reason = _obstacle()
    if not reason:
        try:
            device = _device(gpu, count, capacity)
        except NotFoundError as error:
            reason = str(error)
    if reason and required:
        sys.exit(f"python -m memmodel.torch: no simulated GPU: {reason}")
    if reason:
        return None
    done = subprocess.run([sys.executable, *arguments], env=_environment(device) | _of_rank(rank), check=False)
    for text in [*_usages(device, count), *_notes(device)]:
        print(f"memmodel: {text}")
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _obstacle() -> str:
    if torch.version.cuda is None:
        return "this PyTorch is a build without CUDA; `pip install torch` from PyPI gives the other on Linux"
    if DRIVER.exists():
        return "this machine has a driver of NVIDIA's"
    return ""


def _device(gpu: str, count: int, capacity: int | None) -> _ffi.DeviceHandle:
    options = _ffi.DeviceOptions(gpu=gpu, count=count, overcommit=int(capacity is None), capacity=capacity or 0)
    device = _ffi.device_new(_limits.new_context(), options)
    for folder in _folders():
        _ffi.device_add_libraries(device, str(folder))
    return device


def _folders() -> Iterator[Path]:
    """Where NVIDIA's libraries lie that this Python would load."""
    for packages in map(Path, sys.path):
        yield from sorted(packages.glob("nvidia/*/lib"))
        yield from packages.glob("torch/lib")


def _environment(device: _ffi.DeviceHandle) -> dict[str, str]:
    lines = _ffi.device_environment(device).splitlines()
    return os.environ | dict(line.split("=", 1) for line in lines)


def _of_rank(rank: tuple[int, int] | None) -> dict[str, str]:
    """As torchrun says it to a process, which here is the only one on its machine."""
    if rank is None:
        return {}
    number, size = map(str, rank)
    return {"WORLD_SIZE": size, "MEMMODEL_CUDA_WORLD_SIZE": size, "RANK": number, "LOCAL_RANK": "0",
            "LOCAL_WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}  # fmt: skip


def _usages(device: _ffi.DeviceHandle, count: int) -> Iterator[str]:
    """Of several GPUs, what each held at most, with what other processes than the recorded one had there."""
    several = range(count) if count > 1 else ()
    for number, usage in ((number, _ffi.device_get_usage(device, number)) for number in several):
        if usage.peak:
            beyond = ": exceeds" if usage.peak > usage.capacity else ""
            most, capacity = format_bytes(usage.peak), format_bytes(usage.capacity)
            yield f"gpu {number}: {most} of {capacity} at most, of all processes{beyond}"


def _notes(device: _ffi.DeviceHandle) -> Iterator[str]:
    """Of what the libraries made up themselves; the recording has the values."""
    shown = 0
    for number in itertools.count():
        try:
            note = _ffi.device_get_note(device, number)
        except MemmodelError:
            return
        if note.kind in WORDS and shown < SHOWN:
            shown += 1
            yield f"{WORDS[note.kind]}: {_call.decoded(note.text)}"
