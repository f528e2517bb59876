"""Comments of the headers: text, blocks (@param, @returns, ...) and the tags that bindings read (@unit, @length, ...).

doc/internals/conventions.md has the table of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from generate.model import Note
from generate.text import flow

# Each begins a part of a function's comment, which ends where the next begins.
BLOCKS = ("param", "returns", "threads", "complexity", "since", "blocking", "stability")
# Each says one thing about a parameter, a field or a result, within its text.
TAGS = {
    "unit": r"(\w+)",
    "length": r"(\*?\w+(?:\([^)]*\))?(?:, \*?\w+(?:\([^)]*\))?)?)",
    "transfer": r"(\w+)",
    "default": r"((?:\"[^\"]*\"|[^;@\"])+)",
    "nullable": r"()",
}

BLOCK = re.compile(r"@(" + "|".join(BLOCKS) + r")\b")
TAG = re.compile("|".join(rf"@{name}\b *(?P<{name}>{value})" for name, value in TAGS.items()))
PARAM = re.compile(r"\[(?P<direction>in|out|in,out)\]\s+(?P<name>\w+)\s+(?P<text>.*)", re.DOTALL)
ENUM = re.compile(r"\benum (memmodel_\w+)")
ERROR = re.compile(r"\bMEMMODEL_ERROR_\w+")
UNKNOWN = re.compile(r"@(\w+)")
TAKEN = "\0"  # where a tag was
DIRECTIONS = {"in": "in", "out": "out", "in,out": "inout"}


@dataclass
class Param:
    name: str
    direction: str
    note: Note


@dataclass
class Comment:
    """A comment, taken apart: `note` is what comes before the first block."""

    note: Note = field(default_factory=Note)
    params: list[Param] = field(default_factory=list)
    returns: Note | None = None
    blocks: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.note.get("text", "")


def plain(raw: str) -> str:
    """The text of a comment without its stars."""
    body = re.sub(r"^/\*\*<?|\*/$", "", raw.strip())
    return "\n".join(re.sub(r"^\s*\* ?", "", line).rstrip() for line in body.splitlines()).strip()


def note(text: str) -> Note:
    """A text without its tags, and what they say."""
    found = Note()

    def take(match: re.Match[str]) -> str:
        for name in TAGS:
            value = match[name]
            if value is None:
                continue
            if name == "nullable":
                found["nullable"] = True
            else:
                found[name] = value.strip().rstrip(".")  # type: ignore[literal-required]
        return TAKEN

    rest = flow(re.sub(rf"\s*{TAKEN}", "", TAG.sub(take, text)))
    rest = re.sub(r"^[;.,]\s+|;$", "", rest)
    # The full stop that only sets a few words apart from their tags.
    is_phrase = found and ". " not in rest and not rest.endswith("..")
    found["text"] = rest.removesuffix(".") if is_phrase else rest
    if match := ENUM.search(text):
        found["enum"] = match[1]
    return found


def parse(raw: str | None) -> Comment:
    comment = Comment()
    if not raw:
        return comment
    head, *rest = BLOCK.split(plain(raw))
    comment.note = note(head)
    for name, text in zip(rest[::2], rest[1::2]):
        add_block(comment, name, text.strip())
    leftover = BLOCK.sub("", TAG.sub("", plain(raw)))
    comment.mistakes += [f"@{word} is no tag" for word in UNKNOWN.findall(leftover)]
    return comment


def add_block(comment: Comment, name: str, text: str) -> None:
    if name == "param":
        add_param(comment, text)
    elif name in comment.blocks or (name == "returns" and comment.returns):
        comment.mistakes.append(f"@{name} is said twice")
    elif name == "returns":
        comment.returns = note(text)
        comment.errors = list(dict.fromkeys(ERROR.findall(text)))
    else:
        comment.blocks[name] = flow(text)


def add_param(comment: Comment, text: str) -> None:
    match = PARAM.fullmatch(text)
    if not match:
        comment.mistakes.append(f"@param {' '.join(text.split())[:40]} has no direction, name and text")
        return
    comment.params.append(Param(match["name"], DIRECTIONS[match["direction"]], note(match["text"])))
