"""Finds the shared library and refuses one that this package was not made for.

Looked at in this order: the file or folder that MEMMODEL_LIBRARY names, what the wheel brought, the system.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

NAMES = ("libmemmodel.so.0", "libmemmodel.so", "libmemmodel.0.dylib", "libmemmodel.dylib", "memmodel.dll")
PACKAGE = Path(__file__).resolve().parent


def _within(folder: Path) -> Iterator[str]:
    for name in NAMES:
        if (folder / name).is_file():
            yield str(folder / name)


def _named() -> Iterator[str]:
    """What MEMMODEL_LIBRARY says; then nothing else is tried."""
    named = Path(os.environ["MEMMODEL_LIBRARY"])
    found = _within(named) if named.is_dir() else iter([str(named)])
    yield next(found, str(named / NAMES[0]))


def _candidates() -> Iterator[str]:
    """Paths and names to load, the best first."""
    if os.environ.get("MEMMODEL_LIBRARY"):
        yield from _named()
        return
    for folder in (PACKAGE, PACKAGE / "lib", *PACKAGE.parent.glob(".*memmodel*.libs")):
        yield from _within(folder)
    yield ctypes.util.find_library("memmodel") or NAMES[0]


def _numbers(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def _fits(version: str, wanted: str) -> bool:
    """Within a major version later minor ones add only; before 1.0 each minor version is a world of its own."""
    (major, minor), (wanted_major, wanted_minor) = _numbers(version), _numbers(wanted)
    return major == wanted_major and (minor == wanted_minor if major == 0 else minor >= wanted_minor)


def _version(library: ctypes.CDLL) -> str:
    function = library.memmodel_version
    function.restype = ctypes.c_char_p
    return bytes(function()).decode()


class Library:
    """The loaded library, once for calls that keep Python's lock (short ones) and once for those that release it."""

    def __init__(self, wanted: str) -> None:
        self.path = next(_candidates())
        try:
            self.blocking = ctypes.CDLL(self.path)
            self.short: ctypes.CDLL = ctypes.PyDLL(self.path)
            self.version = _version(self.blocking)
        except (OSError, AttributeError) as problem:
            raise ImportError(
                f"memmodel cannot load its library ({problem}); MEMMODEL_LIBRARY can name the file libmemmodel.so.0"
            ) from None
        if not _fits(self.version, wanted):
            raise ImportError(
                f"this memmodel package is for libmemmodel {wanted}, but {self.path} is version {self.version}: "
                f"install both in one version, or name another library by MEMMODEL_LIBRARY (Python: {sys.executable})"
            )

    def bind(self, name: str, result: Any, *arguments: Any, blocking: bool = False) -> Callable[..., Any]:
        """A function with its types; one that the library lacks (an older one of its kind) says so when called."""
        try:
            # By item: a function object of its own, so that nobody else's types change.
            function = (self.blocking if blocking else self.short)[name]
        except AttributeError:
            return self._missing(name)
        function.restype = result
        function.argtypes = arguments
        return function

    def _missing(self, name: str) -> Callable[..., Any]:
        def missing(*_: Any) -> Any:
            raise NotImplementedError(f"{self.path}, version {self.version}, has no {name}()")

        return missing
