"""How long Python keeps what the calls of a forward pass make.

A value goes after its last use, when the frames that it was handed to have ended, and when the names that it was bound
to are bound anew or their frame has ended: the latest of these.
"""

from __future__ import annotations

import ast
import linecache
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Any

from memmodel._torch_export import Call, Place, Value

ASSIGNMENT = re.compile(r"(?<![=!<>+*/@-])[-+*/@]?=(?!=)")
TARGETS = re.compile(r"^[\w., \[\]()*]+$")
CALL = re.compile(r"^\w[\w.]*\(")
ANNOTATION = re.compile(r"^(\w+) *: *[\w., |\[\]]+$")
CALLED = re.compile(r"([\w.\]]+)\(")
FUNCTION = re.compile(
    r"(F|torch|functional|nn\.functional|math)\.|(len|range|int|str|tuple|list|zip|enumerate|isinstance)$"
)

# An output object has no call of its own: what its maker has in variables of these names is taken for its fields.
OUTPUT = re.compile(r"outputs?$")
FIELD = re.compile(r"^(last_hidden_states?|pooled_output|pooler_output|sequence_output)$")


@cache
def targets(text: str) -> tuple[str, ...]:
    """Names that the statement on a line binds; none for a return."""
    if text.startswith("return"):
        return ()
    left = ASSIGNMENT.split(text, maxsplit=1)
    left[0] = ANNOTATION.sub(r"\1", left[0].rstrip())
    if len(left) != 2 or not TARGETS.match(left[0]) or CALL.match(left[0]):
        return ()
    return tuple(name for name in re.split(r"[\s,()*]+", left[0]) if name)


@cache
def calls_of_modules(text: str) -> int:
    """How many modules the first line of a statement can call; at least one."""
    return max(1, sum(not FUNCTION.match(name) for name in CALLED.findall(text)))


@cache
def _functions(file: str) -> list[ast.FunctionDef]:
    """Functions of a source file; none if it cannot be read."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _spans(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


@cache
def _function_at(file: str, line: int) -> ast.FunctionDef | None:
    """The innermost function around a line."""
    around = [node for node in _functions(file) if _spans(node, line)]
    return max(around, key=lambda node: node.lineno, default=None)


@cache
def in_loop(file: str, line: int) -> bool:
    function = _function_at(file, line)
    return function is not None and any(
        isinstance(node, (ast.For, ast.While)) and _spans(node, line) for node in ast.walk(function)
    )


@cache
def aliases(file: str, line: int) -> tuple[tuple[int, str, str], ...]:
    """`residual = x` makes no call: such lines of the function around a line, with both names."""
    function = _function_at(file, line)
    if function is None:
        return ()
    return tuple(
        (node.lineno, node.targets[0].id, node.value.id)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Name)
    )


@dataclass
class Statement:
    """A run of calls with one line of a frame, deeper frames included. In a loop each turn is a run of its own."""

    line: int
    first: int
    last: int
    names: tuple[str, ...]
    modules: int  # that its line can call
    called: int = 0  # frames that it has begun


@dataclass
class Frame:
    key: tuple[str, str, str]  # file, function, module
    path: str
    first: int
    last: int = -1
    statements: list[Statement] = field(default_factory=list)

    def bound_again(self, name: str, statement: int) -> int:
        """The call after which a name of a statement stands for something else."""
        later = (other for other in self.statements[statement + 1 :] if name in other.names)
        return next((other.last for other in later), self.last)

    def held_by_alias(self, name: str, number: int) -> int:
        """The call until which other names hold what a statement has bound to `name`; -1: there are none."""
        line, later = self.statements[number].line, self.statements[number + 1 :]
        known = aliases(self.key[0], line)
        end = -1
        for place, alias, source in known:
            rebound = any(name in other.names and line < other.line < place for other in later)
            if source == name and place > line and not rebound:
                end = max(end, self._alias_ends(place, alias, later, known))
        return end

    def _alias_ends(
        self, place: int, alias: str, later: Sequence[Statement], known: Sequence[tuple[int, str, str]]
    ) -> int:
        ends = [other.last for other in later if alias in other.names and other.line > place]
        for again, name, _ in known:
            if name == alias and again > place:
                ends += [other.first - 1 for other in later if other.line > again][:1]
        return min(ends, default=self.last)


def _key(place: Place) -> tuple[str, str, str]:
    return place.file, place.function, place.module


def _known(calls: Sequence[Call]) -> Iterator[tuple[Place, ...]]:
    """Where each call is; one without a trace belongs where its neighbour is."""
    known = next((call.places for call in calls if call.places), ())
    for call in calls:
        known = call.places or known
        yield known


def _continued(stack: Sequence[Frame], places: Sequence[Place]) -> int:
    """How many of the open frames go on: the same function of the same module, called from the same line."""
    count = 0
    while count < min(len(stack), len(places)) and stack[count].key == _key(places[count]):
        if count and stack[count - 1].statements[-1].line != places[count - 1].line:
            break
        count += 1
    return count


def frames_of(calls: Sequence[Call]) -> list[Frame]:
    """Every forward frame, in the order of their beginnings."""
    stack: list[Frame] = []
    frames: list[Frame] = []
    for index, places in enumerate(_known(calls)):
        for frame in stack[_continued(stack, places) :]:
            frame.last = index - 1
        del stack[_continued(stack, places) :]
        old = len(stack)
        for place in places[old:]:
            stack.append(Frame(_key(place), place.path, index))
            frames.append(stack[-1])
        for depth, (frame, place) in enumerate(zip(stack, places, strict=True)):
            _extend(frame, place, index, begins=old <= depth + 1 < len(stack))
    for frame in stack:
        frame.last = len(calls) - 1
    return frames


def _extend(frame: Frame, place: Place, index: int, *, begins: bool) -> None:
    """`begins`: the call is the first of a frame that this line calls."""
    last = frame.statements[-1] if frame.statements else None
    turn = begins and last and last.called == last.modules and in_loop(place.file, place.line)
    if last and last.line == place.line and not turn:
        last.last = index
    else:
        last = Statement(place.line, index, index, targets(place.text), calls_of_modules(place.text))
        frame.statements.append(last)
    last.called += begins


def values_in(argument: Any) -> Iterator[Value]:
    if isinstance(argument, Value):
        yield argument
    elif isinstance(argument, list):
        for part in argument:
            yield from values_in(part)


@dataclass
class Lifetimes:
    """Calls by the call after which the lifetime of their results ends; `outputs` stands for: never in this step."""

    ends: list[int]
    last_use: list[int]
    frames: list[Frame]


class _Ends:
    def __init__(self, calls: Sequence[Call], outputs: Sequence[Value]) -> None:
        self.calls = calls
        self.frames = frames_of(calls)
        index = {call.name: position for position, call in enumerate(calls)}
        self.uses: list[list[int]] = [[] for _ in calls]
        for position, call in enumerate(calls):
            for value in values_in(list(call.arguments.values())):
                if value.name in index:
                    self.uses[index[value.name]].append(position)
        self.last_use = [max(uses, default=position) for position, uses in enumerate(self.uses)]
        self.end = list(self.last_use)
        self.returned = {index[value.name] for value in outputs if value.name in index}
        for position in self.returned:
            self.uses[position].append(len(calls))
            self.end[position] = len(calls)

    def until(self, position: int, end: int) -> None:
        self.end[position] = max(self.end[position], end)

    def is_member(self, position: int) -> bool:
        return "getitem" in self.calls[position].target

    def arguments(self, frame: Frame) -> None:
        """The caller's arguments hold what was made before a frame and is used in it."""
        for position in range(frame.first):
            if any(frame.first <= use <= frame.last for use in self.uses[position]):
                self.until(position, frame.last)

    def names(self, frame: Frame, number: int, fields: dict[int, int]) -> None:
        statement = frame.statements[number]
        if not statement.names:
            return
        inside = range(statement.first, statement.last + 1)
        results = [position for position in inside if any(use > statement.last for use in self.uses[position])]
        if len(statement.names) > 1:
            results += [position for position in inside if self.is_member(position) and not self.uses[position]]
            if any(self.is_member(position) for position in results):
                self.members(frame, number, results)
                return
        if OUTPUT.search(statement.names[0]):
            results += [position for position in inside if fields.get(position, statement.last + 1) <= statement.last]
        kept = len(set(results) - self.returned)
        if kept == len(set(results)) == len(statement.names) > 1:
            self.each_its_own(frame, number, results)
            return
        # `x, skips = f(x)`: one of the names holds several
        choose = max if kept > len(statement.names) > 1 else min
        end = choose(frame.bound_again(name, number) for name in statement.names)
        end = max(end, *(frame.held_by_alias(name, number) for name in statement.names))
        for position in results or [statement.last]:
            self.until(position, end)

    def each_its_own(self, frame: Frame, number: int, results: Sequence[int]) -> None:
        """`q, k = turn(q, k)`: a function gives as many as there are names, in the order in which it makes them."""
        for position, name in zip(sorted(results), frame.statements[number].names, strict=True):
            self.until(position, max(frame.bound_again(name, number), frame.held_by_alias(name, number)))

    def members(self, frame: Frame, number: int, results: Sequence[int]) -> None:
        """`o, h = f(x)`: the lifetime of each ends when its own name is bound again."""
        names = frame.statements[number].names
        for position in results:
            member = self.calls[position].arguments.get("1", 0) if self.is_member(position) else 0
            name = names[min(member, len(names) - 1)]
            self.until(position, frame.bound_again(name, number))

    def fields(self) -> dict[int, int]:
        """Values under names that output objects use for a field, with the end of their frame."""
        found = {}
        for frame in self.frames:
            for number, statement in enumerate(frame.statements):
                name = statement.names[0] if statement.names else ""
                rebound = any(name in later.names for later in frame.statements[number + 1 :])
                if FIELD.match(name) and frame.last > statement.last and not rebound:
                    found[statement.last] = frame.last
        return found


def lifetimes_of(calls: Sequence[Call], outputs: Sequence[Value]) -> Lifetimes:
    ends = _Ends(calls, outputs)
    fields = ends.fields()
    for frame in ends.frames:
        ends.arguments(frame)
        for number in range(len(frame.statements)):
            ends.names(frame, number, fields)
    return Lifetimes(_seen(calls, ends), ends.last_use, ends.frames)


def _seen(calls: Sequence[Call], ends: _Ends) -> list[int]:
    """Ends of lifetimes as they were seen while the calls were traced, where they were."""
    seen = [position for position, call in enumerate(calls) if call.made]
    made = list(accumulate((calls[position].made for position in seen), max))
    found = list(ends.end)
    for position in set(seen) - ends.returned:
        released = calls[position].released
        last = seen[bisect_right(made, released) - 1] if released else len(calls)
        found[position] = max(last, ends.last_use[position])
    return found
