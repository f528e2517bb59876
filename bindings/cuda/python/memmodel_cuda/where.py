"""Where in the program we are: the innermost frame of Python outside torch."""

import os
import sys
from pathlib import Path

_skipped = [str(Path(__file__).parent) + os.sep, "<"]
_packages = ("site-packages" + os.sep, "dist-packages" + os.sep)


def skip(folder):
    """Frames of files in that folder are skipped."""
    _skipped.append(str(folder) + os.sep)


def here():
    """Such as "train.py:12", or "transformers/trainer.py:900, called from train.py:12"."""
    inner = _first(sys._getframe(1), _of_torch)
    if inner is None:
        return "no line of Python (a thread of torch)"
    text = _text(inner)
    if _of_package(inner):
        outer = _first(inner, lambda frame: _of_torch(frame) or _of_package(frame))
        if outer is not None:
            text += ", called from " + _text(outer)
    return text


def _first(frame, passed_over):
    while frame is not None and passed_over(frame):
        frame = frame.f_back
    return frame


def _of_torch(frame):
    return frame.f_code.co_filename.startswith(tuple(_skipped))


def _of_package(frame):
    return any(mark in frame.f_code.co_filename for mark in _packages)


def _text(frame):
    name = frame.f_code.co_filename
    for mark in _packages:
        if mark in name:
            return f"{name.split(mark)[-1]}:{frame.f_lineno}"
    return f"{Path(name).name}:{frame.f_lineno}"
