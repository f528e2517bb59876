"""The library of the simulated device in this process, through ctypes."""

import ctypes
import os
import sys

MARKED = 512  # bytes to one of marks()
UNANSWERED, MADE_UP, ASSUMED, PROFILE = range(4)  # enum ledger_note_kind


def _open():
    path = os.environ.get("MEMMODEL_CUDA_LIBRARY")
    try:
        return ctypes.CDLL(path or None)
    except OSError:
        return ctypes.CDLL(None)


def _function(name, *arguments):
    function = getattr(_library, name, None)
    if function is not None:
        function.restype = None
        function.argtypes = arguments
    return function


_library = _open()
_allocated = _function("memmodel_cuda_allocated", ctypes.c_int, ctypes.c_int64)
_note = _function("memmodel_cuda_note", ctypes.c_int, ctypes.c_char_p)
_followed = _function("memmodel_cuda_followed", ctypes.c_int)
_split = _function("memmodel_cuda_split", ctypes.c_int, ctypes.c_int)
_marks = _function("memmodel_cuda_marks", ctypes.c_void_p, ctypes.c_void_p)
if _marks:
    _marks.restype = ctypes.c_void_p


def allocated(device, peak):
    """The most that the framework's tensors took of a device."""
    if _allocated:
        _allocated(device, peak)


def note(kind, text):
    if _note:
        _note(kind, text.encode("utf-8", "replace"))
    if os.environ.get("MEMMODEL_CUDA_VERBOSE") or not _note:
        sys.stderr.write(f"memmodel: {text}\n")


def followed(yes):
    """Until the next call, what this thread reads from the device is noted here, so the library need not."""
    if _followed:
        _followed(1 if yes else 0)


def split(size, rank):
    """What this thread splits from a communicator until the next call has so many ranks, and this is which of them."""
    if _split:
        _split(size, rank)


def marks():
    """Marks of places of device memory (followed.c), the address where they start, and the number of the last."""
    start, count = ctypes.c_size_t(), ctypes.c_size_t()
    found = _marks(ctypes.byref(start), ctypes.byref(count)) if _marks else None
    if not found:
        return bytearray(2), 0, 1
    return memoryview((ctypes.c_ubyte * (count.value + 1)).from_address(found)).cast("B"), start.value, count.value


def flush_stdio():
    ctypes.CDLL(None).fflush(None)
