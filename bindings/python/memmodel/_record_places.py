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


def _caller() -> FrameType | None:
    """The innermost frame that is none of ours; None where a thread of autograd's has no others."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame


def in_engine() -> bool:
    """Whether autograd's engine calls, and not a function of the program that it calls, such as a hook."""
    frame = _caller()
    return frame is None or frame.f_code.co_name == "_engine_run_backward"


def harmless_answer() -> bool | None:
    """The answer to a condition for which the program raises no error; None where it raises for neither."""
    frame = _caller()
    return None if frame is None else _harmless(frame.f_code).get(frame.f_lineno)


@cache
def _harmless(code: CodeType) -> dict[int, bool]:
    """Of a function, by the lines of its conditions."""
    try:
        lines, first = inspect.getsourcelines(code)
        body = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError):
        return {}
    found: dict[int, bool] = {}
    for statement in ast.walk(body):
        if isinstance(statement, ast.Assert):
            test, harmless = statement.test, True
        elif isinstance(statement, ast.If) and isinstance(statement.body[0], ast.Raise):
            test, harmless = statement.test, False
        else:
            continue
        negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        begin = max(first, 1) - 1  # of a module 0
        lines_of_test = range(begin + test.lineno, begin + (test.end_lineno or test.lineno) + 1)
        found.update(dict.fromkeys(lines_of_test, harmless != negated))
    return found


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
