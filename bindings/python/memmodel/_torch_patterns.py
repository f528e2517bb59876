"""Names of modules as strategies and plans have them."""

from __future__ import annotations

import re

from torch import nn


def pattern_of(names: list[str], module: nn.Module) -> str:
    """Names of modules with a * for numbers, where that names no others."""
    found = []
    for name in names:
        pattern = re.sub(r"(?<![^.])\d+(?![^.])", "*", name)
        others = re.compile(re.escape(pattern).replace(r"\*", "[^.]*"))
        alike = [other for other, _ in module.named_modules() if others.fullmatch(other)]
        text = pattern if set(alike) <= set(names) else name
        if text not in found:
            found.append(text)
    return ", ".join(found)
