"""The headers as the compiler sees them, through libclang.

They may include each other, <stddef.h> and <stdint.h> only; for these two there are stand-ins in include/, so that the
result does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from clang.cindex import Cursor, Diagnostic, Index, TranslationUnit
from clang.cindex import CursorKind as Kind

from generate.problems import Place, Problems

__all__ = ["Cursor", "Kind", "Source", "TARGETS"]

TARGETS = {"64": "x86_64-linux-gnu", "32": "i386-linux-gnu"}
STAND_INS = Path(__file__).resolve().parent / "include"


# Headers without the library: inline code for programs that never link it.
APART = {"memmodel_arena.h"}


class Source:
    """The umbrella header and all it includes, compiled for one target."""

    def __init__(self, include: Path, bits: str, problems: Problems) -> None:
        self.include = include.resolve()
        arguments = ["-std=c11", f"--target={TARGETS[bits]}", "-nostdinc", f"-isystem{STAND_INS}", f"-I{self.include}"]
        options = TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        self.unit = Index.create().parse(
            "all.c", arguments, [("all.c", '#include "memmodel.h"\n')], options=options
        )
        for diagnostic in self.unit.diagnostics:
            if diagnostic.severity >= Diagnostic.Error:
                problems.add(self.place(diagnostic), diagnostic.spelling, "C11 with <stddef.h> and <stdint.h>")

    def place(self, thing: Cursor | Diagnostic) -> Place:
        location = thing.location
        return Place(self.header(location.file.name) if location.file else "memmodel.h", location.line)

    def header(self, name: str) -> str:
        path = Path(name).resolve()
        return path.relative_to(self.include).as_posix() if path.is_relative_to(self.include) else name

    def cursors(self) -> Iterator[Cursor]:
        """What our headers declare at their top level, in the order of declaration."""
        for cursor in self.unit.cursor.get_children():
            file = cursor.location.file
            if file and Path(file.name).resolve().is_relative_to(self.include):
                yield cursor

    def headers(self) -> list[str]:
        """Names of the headers in the order in which they are first included."""
        names = [self.header(each.include.name) for each in self.unit.get_includes()]
        return [name for name in dict.fromkeys(names) if name.startswith("memmodel/")]

    def unseen(self) -> list[str]:
        """Headers that nobody includes, though they are of the library."""
        there = {path.relative_to(self.include).as_posix() for path in self.include.rglob("*.h")}
        return sorted(there - self.seen() - APART)

    def seen(self) -> set[str]:
        return {self.header(each.include.name) for each in self.unit.get_includes()}

    def text(self, header: str) -> str:
        return (self.include / header).read_text(encoding="utf-8")
