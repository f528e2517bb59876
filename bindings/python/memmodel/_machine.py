"""The machine that this runs on."""

from __future__ import annotations

from pathlib import Path


def native_isa() -> str:
    """The widest vector instructions of this machine that the rules know."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return "avx2"
    return "avx512" if " avx512f" in flags else "avx2"
