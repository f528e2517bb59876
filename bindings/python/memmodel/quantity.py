"""Sizes as people write them: "16GiB", "1.5 GB"."""

from __future__ import annotations

import math
import re

from memmodel import _call

_UNITS = {
    "": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "kib": 2**10, "mib": 2**20, "gib": 2**30,
    "tib": 2**40, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
}  # fmt: skip
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+) *([A-Za-z]*)", re.ASCII)


def parse_bytes(value: int | str, name: str = "bytes") -> int:
    """A number of bytes: an int, or a text such as "16GiB" (K, M, G and T are powers of 1024; KB, MB, ... of 1000)."""
    if not isinstance(value, str):
        return int(_call.int64(value, name))
    match = _SIZE.fullmatch(value.strip())
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None:
        raise ValueError(f'{name}: {value!r:.60} is no size such as "16GiB"')
    return int(_call.int64(math.floor(float(match[1]) * unit), name))


def format_bytes(count: int) -> str:
    """1682723016 is "1.57 GiB"."""
    number, unit = float(count), 0
    names = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
    while abs(number) >= 1024 and unit < len(names) - 1:
        number, unit = number / 1024, unit + 1
    return f"{number:.{2 if unit else 0}f} {names[unit]}"
