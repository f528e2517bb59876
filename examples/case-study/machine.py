"""What a measurement has to say about the machine that it was made on, and how much memory that machine has left."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

VECTOR_FLAGS = re.compile(r"avx|fma|amx|sse4|asimd|sve")


def describe() -> list[str]:
    """Lines for the head of a table of measurements."""
    return [
        f"machine: {cpu_field('model name')}, {os.cpu_count()} cores, {memory('MemTotal') / 1e9:.1f} GB, "
        f"{platform.system()} {platform.release()} {platform.machine()}",
        f"vector instructions: {' '.join(filter(VECTOR_FLAGS.match, cpu_field('flags').split()))}",
    ]


def memory(field: str) -> int:
    """A field of /proc/meminfo, such as MemAvailable, in bytes."""
    return int(find(Path("/proc/meminfo"), rf"{field}:\s*(\d+) kB")) * 1024


def cpu_field(field: str) -> str:
    """A field of the first processor in /proc/cpuinfo."""
    return find(Path("/proc/cpuinfo"), rf"{field}\s*: (.*)")


def find(path: Path, line: str) -> str:
    match = re.search(f"^{line}$", path.read_text(), re.MULTILINE)
    return match.group(1) if match else "0"
