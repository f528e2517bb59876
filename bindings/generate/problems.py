"""What a header does wrong: where, what, and what is allowed instead. All problems are gathered and shown at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Place:
    file: str
    line: int


@dataclass(frozen=True, order=True)
class Problem:
    place: Place
    what: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.place.file}:{self.place.line}: {self.what}; allowed: {self.allowed}"


class Problems:
    """A list that is added to while reading goes on."""

    def __init__(self) -> None:
        self.found: set[Problem] = set()

    def add(self, place: Place, what: str, allowed: str) -> None:
        self.found.add(Problem(place, what, allowed))
