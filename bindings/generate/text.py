"""Laying out text, for all back ends."""

from __future__ import annotations

import textwrap

WIDTH = 120


def wrap(text: str, indent: str = "", width: int = WIDTH, hanging: str = "") -> str:
    """Paragraphs and lists as lines of at most `width`; `hanging` goes before all lines of an item but its first."""
    lines: list[str] = []
    for line in text.split("\n"):
        further = indent + hanging + ("  " if line.startswith("- ") else "")
        lines += textwrap.wrap(
            line,
            width,
            initial_indent=indent if line else "",
            subsequent_indent=further,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return "\n".join(lines)


def title(name: str) -> str:
    """A public name without its prefix."""
    return name.removeprefix("memmodel_")


def sentence(text: str) -> str:
    """With a full stop, if it has none."""
    return text if not text or text[-1] in ".!?:" else text + "."


def first_sentence(text: str) -> str:
    """What stands before the first full stop that ends a sentence."""
    line = text.split("\n")[0]
    for end in range(len(line)):
        if line[end] in ".:" and (end + 1 == len(line) or (line[end + 1] == " " and line[end + 2 : end + 3].isupper())):
            return line[:end]
    return line
