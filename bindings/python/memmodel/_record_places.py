"""Where in the program something happens: the innermost line of Python outside of torch."""

from __future__ import annotations

import ast
import inspect
import os
import sys
import sysconfig
import textwrap
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

import torch

_OWN = f"{Path(__file__).parent}{os.sep}"
_OURS = [f"{Path(torch.__file__).parent}{os.sep}", _OWN, "<"]
_PACKAGES = tuple(f"{folder}{os.sep}" for folder in ("site-packages", "dist-packages"))
_STANDARD = f"{sysconfig.get_path('stdlib')}{os.sep}"


def here() -> str:
    """Such as "train.py:12", or "transformers/trainer.py:900, called from train.py:12"."""
    return place_of(_frames(sys._getframe(1)))


def in_engine() -> bool:
    """Whether autograd's engine calls, and not a function of the program that it calls, such as a hook."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame is None or frame.f_code.co_name == "_engine_run_backward"


def raises() -> bool:
    """Whether the program reads a condition for which it then raises an error."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame is not None and frame.f_lineno in _refusals(frame.f_code)


@cache
def _refusals(code: CodeType) -> frozenset[int]:
    """Lines of the conditions, but for negated ones, for which a function raises."""
    try:
        lines, first = inspect.getsourcelines(code)
        body = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError):
        return frozenset()
    tests = [branch.test for branch in ast.walk(body)
             if isinstance(branch, ast.If) and isinstance(branch.body[0], ast.Raise)]  # fmt: skip
    plain = [test for test in tests if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))]
    begin = max(first, 1) - 1  # of a module 0
    return frozenset(begin + line for test in plain for line in range(test.lineno, (test.end_lineno or 0) + 1))


def skip(file: str) -> None:
    """The folder of a file has no lines of the program."""
    _OURS.append(f"{Path(file).parent}{os.sep}")


def _frames(frame: FrameType | None) -> Iterator[tuple[str, int]]:
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back


def place_of(frames: Iterable[tuple[str, int]]) -> str:
    """The same of files and lines, the innermost first."""
    inner = ""
    for file, line in frames:
        name, of_package = _named(file)
        if name and not of_package:
            place = f"{name}:{line}"
            return f"{inner}, called from {place}" if inner else place
        if name:
            inner = inner or f"{name}:{line}"
    return inner


@cache
def _named(file: str) -> tuple[str, bool]:
    """What to call a file, "" if it is torch's, Python's or ours, and whether it is a package's."""
    if file.startswith(tuple(_OURS)):
        return "", True
    if not any(mark in file for mark in _PACKAGES):
        return ("", True) if file.startswith(_STANDARD) else (Path(file).name, False)
    return file.split("site-packages" + os.sep)[-1].split("dist-packages" + os.sep)[-1], True
