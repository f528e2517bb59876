"""Exceptions: one class for each status of the library, made by the generated layer, under one base."""

from __future__ import annotations

from typing import ClassVar


class MemmodelError(Exception):
    """A call of the library failed.

    `status` is the number of enum memmodel_status, `message` one line in English, `object` the layer, column or file
    that was wrong ("" if none), `line` and `column` the place in the text that was read (0 if none).
    """

    status: int = 0
    by_status: ClassVar[dict[int, type[MemmodelError]]] = {}

    def __init__(self, message: str = "", *, object: str = "", line: int = 0, column: int = 0) -> None:
        self.message = message
        self.object = object
        self.line = line
        self.column = column
        super().__init__(message)

    def __init_subclass__(cls) -> None:
        MemmodelError.by_status[cls.status] = cls

    def __str__(self) -> str:
        place = self.object
        if self.line:
            place += f":{self.line}:{self.column}"
        return f"{place}: {self.message}" if place else self.message
