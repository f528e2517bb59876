"""Where in the program something happens: the innermost line of Python outside of torch."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType

import torch

_OURS = (f"{Path(torch.__file__).parent}{os.sep}", f"{Path(__file__).parent}{os.sep}", "<")
_PACKAGES = tuple(f"{folder}{os.sep}" for folder in ("site-packages", "dist-packages", f"lib{os.sep}python3"))


def here() -> str:
    """Such as "train.py:12", or "transformers/trainer.py:900, called from train.py:12"."""
    frame: FrameType | None = sys._getframe(1)
    inner = ""
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_OURS):
            if not _of_a_package(name):
                place = f"{Path(name).name}:{frame.f_lineno}"
                return f"{inner}, called from {place}" if inner else place
            inner = inner or f"{_within(name)}:{frame.f_lineno}"
        frame = frame.f_back
    return inner


def _of_a_package(name: str) -> bool:
    return any(mark in name for mark in _PACKAGES)


def _within(name: str) -> str:
    return name.split("site-packages" + os.sep)[-1].split("dist-packages" + os.sep)[-1]
