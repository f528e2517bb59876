"""
Values that no computation wrote, made up where the program reads them: finite, in the range of their type.

Losses fall from one optimizer step, or one reading at the same line, to the next; a bool is true, unless it asks for
something that is not finite; an array of floats falls gently from 1; integers are 1 alone and 0 in arrays (an index
that is always in range). What was made up once is written to the device, so that it reads the same again.
"""

import math
import os
import threading
from collections import Counter

import torch

from memmodel_cuda import beside, knowledge, library, steps, where

_FALL = 0.98  # of a loss, from one reading to the next
_LEAST = 1e-30  # of a loss
_PATIENCE = 64  # readings of a condition at one line, before it is answered the other way now and then
_readings = Counter()
_expected = threading.local()  # .depth: an operator reads what we replace


class MadeUpValue(RuntimeError):
    """The program read a value that the simulated GPU did not compute (MEMMODEL_CUDA_STRICT)."""


class expected:
    """What is read in here is read by an operator whose result we replace: nothing is said."""

    def __enter__(self):
        _expected.depth = getattr(_expected, "depth", 0) + 1

    def __exit__(self, *_):
        _expected.depth -= 1


def note(nbytes, how):
    """Says that the program reads what is not known. With MEMMODEL_CUDA_STRICT it raises."""
    if getattr(_expected, "depth", 0):
        return
    text = f"made-up value of {nbytes} byte{'' if nbytes == 1 else 's'} ({how}) at {where.here()}"
    library.note(library.MADE_UP, text)
    _refuse(text)


def note_size(what):
    """Says that a size follows from what is not known."""
    text = f"size assumed: {what} at {where.here()}"
    library.note(library.ASSUMED, text)
    _refuse(text)


def _refuse(text):
    if os.environ.get("MEMMODEL_CUDA_STRICT", "0") not in ("", "0"):
        raise MadeUpValue("the simulated GPU computed no such value: " + text)


def invent(tensor):
    """Fills a small tensor of unknown values, and keeps in mind that they are made up."""
    values = beside.alias(tensor)
    found = knowledge.guess(tensor)
    if values.dtype == torch.bool:
        values.fill_(bool(found.value) if found and found.kind == "value" else condition())
    elif values.is_floating_point() or values.is_complex():
        _fall(values, found)
    else:
        values.fill_(_whole(values, found))
    knowledge.written(tensor, knowledge.PLAUSIBLE)


def condition():
    """True, and at a line that asks for it again and again the other answer now and then."""
    line = where.here()
    _readings[line] += 1
    return _readings[line] < _PATIENCE or _readings[line] % 2 == 0


def _whole(values, found):
    if found and found.kind == "value":
        return int(found.value)
    return 1 if values.numel() == 1 else 0


def _fall(values, found):
    if found and found.kind == "value":
        values.fill_(found.value)
        return
    start = math.log(found.value) if found and found.kind == "loss" else 1.0
    if values.numel() != 1:
        falling = torch.arange(values.numel(), dtype=torch.float32, device="cpu").add_(1).reciprocal_()
        values.copy_(falling.view(values.shape))
        return
    line = where.here()
    _readings[line] += 1
    values.fill_(start * max(_LEAST, _FALL ** (steps.count() + _readings[line] - 1)))
