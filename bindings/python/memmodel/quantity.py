"""Sizes as people write them: "16GiB", "1.5 GB"."""

from __future__ import annotations

from memmodel import _call, _ffi
from memmodel.errors import MemmodelError


def parse_bytes(value: int | str, name: str = "bytes") -> int:
    """A number of bytes: an int, or a text such as "16GiB", "16Gi" or "16 GB" (K, M, G, T and P are powers of 1024; KB,
    MB, ... of 1000). A text without a unit is bytes; "16" is refused, since 16 GiB are meant."""
    if not isinstance(value, str):
        return int(_call.int64(value, name))
    try:
        return int(_ffi.context_parse_bytes(_ffi.context_new(None), value))
    except MemmodelError as error:
        raise ValueError(f"{name}: {error.message}") from None


def format_bytes(count: int) -> str:
    """1682723016 is "1.57 GiB"."""
    number, unit = float(count), 0
    names = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
    while abs(number) >= 1024 and unit < len(names) - 1:
        number, unit = number / 1024, unit + 1
    return f"{number:.{2 if unit else 0}f} {names[unit]}"
