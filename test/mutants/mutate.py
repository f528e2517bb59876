"""Finds places in C files where a small change of the program is possible, and writes programs that hold all of them.

A mutant is one such change. All are compiled at once: `a < b` becomes `(mutant_runs(7) ? (a <= b) : (a < b))`, and the
number in the environment chooses the one that runs (mutant schemata: Untch, Offutt, Harrold, ISSTA 1993).
"""

from __future__ import annotations

import dataclasses
import json
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

from clang.cindex import Cursor, CursorKind, Index, TranslationUnit, TypeKind

REPLACEMENTS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
    "&&": "||", "||": "&&",
    "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "|=": "&=", "&=": "|=",
}
ARITHMETIC = {
    TypeKind.BOOL, TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG,
    TypeKind.CHAR_S, TypeKind.SCHAR, TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG, TypeKind.FLOAT,
    TypeKind.DOUBLE, TypeKind.ENUM,
}
ONLY_INTEGERS = {"%", "<<", ">>", "&", "|", "|=", "&="}
REALS = {TypeKind.FLOAT, TypeKind.DOUBLE}


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change: the text from `start` to `end` of a file is replaced by `text`."""

    path: str
    function: str
    line: int
    start: int
    end: int
    change: str
    text: str
    is_statement: bool = False

    @property
    def name(self) -> str:
        """Where it is and what it does, whatever stands in the lines above."""
        return f"{self.path}, {self.function}(): {self.change}"

    def overlaps(self, other: Mutant) -> bool:
        """Whether both change a part of the text."""
        return self.path == other.path and self.start < other.end and other.start < self.end


@dataclasses.dataclass(frozen=True)
class Source:
    """A parsed file, with the extents of macros used in it, in which nothing is changed."""

    path: str
    function: str
    bytes: bytes
    macros: list[tuple[int, int]]

    def text(self, start: int, end: int) -> str:
        return self.bytes[start:end].decode()

    def in_macro(self, start: int, end: int) -> bool:
        return any(first <= start and end <= last and (first, last) != (start, end) for first, last in self.macros)


def compile_arguments(build: Path) -> dict[str, list[str]]:
    """What each file is compiled with: its defines and folders of headers, from the build's compile_commands.json."""
    found = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(command["command"])
        kept = [word for word in words if word.startswith(("-I", "-D", "-std", "-m"))]
        found[str((Path(command["directory"]) / command["file"]).resolve())] = kept
    return found


def compiler_headers() -> str:
    """The folder of gcc's own headers, which libclang does not bring."""
    asked = subprocess.run(["gcc", "-print-file-name=include"], check=True, capture_output=True, text=True)
    return asked.stdout.strip()


def mutants_of(root: Path, path: Path, arguments: list[str], build: Path) -> list[Mutant]:
    """All mutants of one file."""
    folders = [f"-I{(build / word[2:]).resolve()}" if word.startswith("-I") else word for word in arguments]
    options = TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    unit = Index.create().parse(str(path), args=[*folders, "-isystem", compiler_headers()], options=options)
    whole = Source(str(path.relative_to(root)), "", path.read_bytes(), list(_macro_extents(unit, path)))
    found: list[Mutant] = []
    for cursor in unit.cursor.get_children():
        if cursor.kind == CursorKind.FUNCTION_DECL and cursor.is_definition() and _in_file(cursor, path):
            source = dataclasses.replace(whole, function=cursor.spelling)
            for child in cursor.get_children():
                if child.kind == CursorKind.COMPOUND_STMT:
                    _walk(source, child, found)
    return distinct(sorted(set(found), key=lambda mutant: (mutant.start, mutant.end, mutant.change)))


def _in_file(cursor: Cursor, path: Path) -> bool:
    return cursor.location.file is not None and Path(cursor.location.file.name) == path


def _macro_extents(unit: TranslationUnit, path: Path) -> Iterator[tuple[int, int]]:
    for cursor in unit.cursor.get_children():
        if cursor.kind == CursorKind.MACRO_INSTANTIATION and _in_file(cursor, path):
            yield cursor.extent.start.offset, cursor.extent.end.offset


def _walk(source: Source, cursor: Cursor, found: list[Mutant]) -> None:
    children = list(cursor.get_children())
    if cursor.kind == CursorKind.VAR_DECL:
        children = _initializer(source, cursor, children)
    if cursor.kind == CursorKind.CASE_STMT:
        children = children[1:]
    if cursor.kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR):
        found.extend(_operator(source, cursor, children))
    if cursor.kind == CursorKind.IF_STMT:
        found.extend(_condition(source, children[0]))
    if cursor.kind == CursorKind.COMPOUND_STMT:
        for child in children:
            found.extend(_statement(source, child))
    if cursor.kind == CursorKind.INTEGER_LITERAL:
        found.extend(_number(source, cursor))
    for child in children:
        _walk(source, child, found)


def _initializer(source: Source, cursor: Cursor, children: list[Cursor]) -> list[Cursor]:
    """What a local variable begins with: nothing of its type, and nothing of what the compiler must know."""
    text = source.text(cursor.extent.start.offset, cursor.extent.end.offset)
    if cursor.storage_class.name == "STATIC" or "=" not in text:
        return []
    start = cursor.extent.start.offset + text.index("=")
    return [child for child in children if child.extent.start.offset > start]


def _changed(source: Source, cursor: Cursor, change: str, text: str) -> Iterator[Mutant]:
    start, end = cursor.extent.start.offset, cursor.extent.end.offset
    original = source.text(start, end)
    if start >= end or source.in_macro(start, end) or "#" in original:
        return
    replaced = f"(mutant_runs(@) ? ({text}) : ({original}))"
    yield Mutant(source.path, source.function, cursor.extent.start.line, start, end, change, replaced)


def _operator(source: Source, cursor: Cursor, children: list[Cursor]) -> Iterator[Mutant]:
    if len(children) != 2:
        return
    left, right = children
    between = source.text(left.extent.end.offset, right.extent.start.offset)
    sign = between.strip()
    if sign not in REPLACEMENTS:
        return
    kinds = {child.type.get_canonical().kind for child in children}
    other = REPLACEMENTS[sign]
    if not kinds <= ARITHMETIC and sign not in ("==", "!=", "&&", "||"):
        return
    if other in ONLY_INTEGERS and kinds & REALS:
        return
    start, end = cursor.extent.start.offset, cursor.extent.end.offset
    sides = source.text(start, left.extent.end.offset), source.text(right.extent.start.offset, end)
    text = between.replace(sign, other).join(sides)
    shown = " ".join(source.text(start, end).split())
    yield from _changed(source, cursor, f"{sign} becomes {other} in: {shown[:80]}", text)


def _condition(source: Source, condition: Cursor) -> Iterator[Mutant]:
    shown = source.text(condition.extent.start.offset, condition.extent.end.offset)
    if shown.startswith("!"):
        return
    yield from _changed(source, condition, f"negated: {' '.join(shown.split())[:80]}", f"!({shown})")


def _statement(source: Source, statement: Cursor) -> Iterator[Mutant]:
    if statement.kind not in (CursorKind.CALL_EXPR, CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
                              CursorKind.UNARY_OPERATOR):
        return
    start, end = statement.extent.start.offset, statement.extent.end.offset
    text = source.text(start, end)
    if source.in_macro(start, end) or not text or source.text(end, end + 1) != ";":
        return
    shown = " ".join(text.split())[:80]
    yield Mutant(source.path, source.function, statement.extent.start.line, start, end + 1, f"removed: {shown}",
                 f"if (!mutant_runs(@)) {{ {text}; }}", True)


def _number(source: Source, cursor: Cursor) -> Iterator[Mutant]:
    shown = source.text(cursor.extent.start.offset, cursor.extent.end.offset)
    if shown.isdigit() or shown.startswith("0x"):
        yield from _changed(source, cursor, f"{shown} becomes {shown} + 1", f"{shown} + 1")


def distinct(mutants: list[Mutant]) -> list[Mutant]:
    """The same with a number behind those that have one name."""
    seen: dict[str, int] = {}
    named = []
    for mutant in mutants:
        seen[mutant.name] = seen.get(mutant.name, 0) + 1
        again = seen[mutant.name]
        named.append(mutant if again == 1 else dataclasses.replace(mutant, change=f"{mutant.change} ({again})"))
    return named


def write(root: Path, mutants: dict[int, Mutant]) -> None:
    """Changes the files below `root`: each mutant becomes a choice that its number makes."""
    for path in sorted({mutant.path for mutant in mutants.values()}):
        text = (root / path).read_bytes()
        here = [(number, mutant) for number, mutant in mutants.items() if mutant.path == path]
        for number, mutant in sorted(here, key=lambda item: item[1].start, reverse=True):
            text = text[:mutant.start] + mutant.text.replace("@", str(number), 1).encode() + text[mutant.end:]
        (root / path).write_bytes(text)
