"""Where in the program something happens: the innermost line of Python outside of torch."""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import cache
from pathlib import Path
from types import FrameType

import torch

_OURS = (f"{Path(torch.__file__).parent}{os.sep}", f"{Path(__file__).parent}{os.sep}", "<")
_PACKAGES = tuple(f"{folder}{os.sep}" for folder in ("site-packages", "dist-packages"))
_STANDARD = f"{sysconfig.get_path('stdlib')}{os.sep}"


def here() -> str:
    """Such as "train.py:12", or "transformers/trainer.py:900, called from train.py:12"."""
    frame: FrameType | None = sys._getframe(1)
    inner = ""
    while frame is not None:
        name, of_package = _named(frame.f_code.co_filename)
        if name and not of_package:
            place = f"{name}:{frame.f_lineno}"
            return f"{inner}, called from {place}" if inner else place
        if name:
            inner = inner or f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return inner


@cache
def _named(file: str) -> tuple[str, bool]:
    """What to call a file, "" if it is torch's, Python's or ours, and whether it is a package's."""
    if file.startswith(_OURS):
        return "", True
    if not any(mark in file for mark in _PACKAGES):
        return ("", True) if file.startswith(_STANDARD) else (Path(file).name, False)
    return file.split("site-packages" + os.sep)[-1].split("dist-packages" + os.sep)[-1], True
