"""Laying out text, for all back ends."""

from __future__ import annotations

import re
import textwrap

from generate.model import Note

WIDTH = 120


def flow(text: str) -> str:
    """Lines joined into paragraphs, which stay apart by an empty line; items of a list keep a line each."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = re.split(r"\n\s*(?=- )", paragraph)
        paragraphs.append("\n".join(" ".join(line.split()) for line in lines))
    return "\n\n".join(paragraphs)


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


def split_sentence(text: str) -> tuple[str, str]:
    """What stands before the first full stop that ends a sentence, and what comes after it."""
    first, _, rest = re.sub(r"(?<=[\w)\"'`\]%])\.(?=$|\s+[A-Z\"`])", "\0", text, count=1).partition("\0")
    return first, rest.strip()


def summary(text: str) -> str:
    """What something is, in a few words: its first sentence up to a colon."""
    return re.split(r":\s|\n", split_sentence(text)[0])[0]


def remarks(note: Note) -> list[str]:
    """What the tags of a comment say and its words do not, as sentences."""
    text = note.get("text", "")
    found = []
    if "unit" in note and note["unit"] not in text:
        found.append(f"In {note['unit']}.")
    if "length" in note and not all(f"`{part.strip()}`" in text for part in note["length"].split(",")):
        found.append("Elements: " + ", ".join(f"`{part.strip()}`" for part in note["length"].split(",")) + ".")
    if note.get("nullable") and "NULL" not in text and "default" not in note:
        found.append("May be NULL.")
    if note.get("transfer") == "full" and not re.search(r"reference|memmodel_free", text):
        found.append("The caller owns it.")
    if "default" in note:
        found.append(f"Default: {note['default']}.")
    if "since" in note:
        found.append(f"Since {note['since']}.")
    return found


def described(note: Note) -> str:
    """The words and the remarks of a comment."""
    text, further = note.get("text", ""), remarks(note)
    return " ".join([sentence(text), *further]).strip() if further else text
