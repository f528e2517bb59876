"""Macros of the headers: constants with their comments, which stand right above. libclang does not attach them."""

from __future__ import annotations

import re

from generate.comment import parse
from generate.facts import Facts
from generate.model import Constant
from generate.problems import Problems
from generate.source import Cursor, Kind, Source

# Not part of the API: include guards, the export macro, and keyword arguments of options, for C alone.
GUARD = re.compile(r"MEMMODEL_(\w+_)?H")
KEYWORDS = re.compile(r"\(&\(structmemmodel_\w+\)\{\.size=sizeof\(structmemmodel_\w+\),__VA_ARGS__\}\)")
NAMED_VALUES = {"INT64_MIN": -(2**63), "INT64_MAX": 2**63 - 1}
ALLOWED = "whole numbers, strings, and options as keyword arguments"


class Macros:
    def __init__(self, source: Source, facts: Facts, problems: Problems) -> None:
        self.source = source
        self.facts = facts
        self.problems = problems
        self.constants: list[Constant] = []
        self.places: dict[str, list[tuple[int, str]]] = {}

    def used_in(self, cursor: Cursor) -> list[str]:
        """Names of the macros in a declaration, but for those that every one has."""
        extent = cursor.extent
        uses = self.places.get(self.source.place(cursor).file, [])
        return [name for offset, name in uses if extent.start.offset <= offset < extent.end.offset]

    def read(self, cursor: Cursor) -> None:
        name = cursor.spelling
        if cursor.kind == Kind.MACRO_INSTANTIATION and name != "MEMMODEL_API":
            self.places.setdefault(self.source.place(cursor).file, []).append((cursor.location.offset, name))
        if cursor.kind != Kind.MACRO_DEFINITION or name == "MEMMODEL_API" or GUARD.fullmatch(name):
            return
        place = self.source.place(cursor)
        tokens = [token.spelling for token in cursor.get_tokens()][1:]
        if KEYWORDS.fullmatch("".join(tokens).removeprefix("(...)")):
            return
        value = evaluate(tokens)
        if value is None:
            self.problems.add(place, f"{name}: a macro that is no constant", ALLOWED)
            return
        self.facts.places[name] = place
        comment = parse(self.comment_above(place.file, place.line))
        self.constants.append(
            {
                "name": name,
                "text": comment.text,
                "since": comment.blocks.get("since", ""),
                "header": place.file,
                "line": place.line,
                "value": value,
            }
        )

    def comment_above(self, header: str, line: int) -> str | None:
        """The comment that ends on the line above; a run of constants may share one."""
        before = "\n".join(self.source.text(header).splitlines()[: line - 1])
        start = before.rfind("/**")
        return before[start:] if before.endswith("*/") and start >= 0 else None


def evaluate(tokens: list[str]) -> int | str | None:
    text = "".join(tokens)
    if re.fullmatch(r'"[^"\\]*"', text):
        return text[1:-1]
    text = text.strip("()")
    if text in NAMED_VALUES:
        return NAMED_VALUES[text]
    return int(text, 0) if re.fullmatch(r"-?(0x[0-9a-fA-F]+|[0-9]+)", text) else None
