"""SPEC files in TOML: tables of known keys and what their values may be; errors name the file, the line and the key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from memmodel.errors import MemmodelError
from memmodel.quantity import parse_bytes

Check = Callable[[Any], str | None]  # what would do, or None for a value that does


class SpecError(ValueError):
    """A file that cannot be used; one line says where, what is wrong, and what would do."""


def text_value(value: Any) -> str | None:
    return None if isinstance(value, str) and value else "a text"


def count_value(value: Any) -> str | None:
    fits = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return None if fits else "a whole number above 0"


def number_value(value: Any) -> str | None:
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
    return None if fits else "a number above 0"


def size_value(value: Any) -> str | None:
    fits = count_value(value) is None
    if isinstance(value, str):
        with suppress(ValueError, MemmodelError):
            fits = parse_bytes(value) > 0
    return None if fits else 'a size such as "16GiB"'


def words_value(value: Any) -> str | None:
    fits = isinstance(value, list) and value and all(isinstance(word, str) for word in value)
    return None if fits or (isinstance(value, str) and value) else "a command, a text or a list of words"


def _is_level(value: Any) -> bool:
    return isinstance(value, (int, float, str)) and not isinstance(value, bool)


def levels_value(value: Any) -> str | None:
    fits = _is_level(value) or (isinstance(value, list) and value and all(_is_level(each) for each in value))
    return None if fits else 'a list of numbers or texts, or "FROM:TO:STEP"'


MAX_LEVELS = 1_000_000


def levels_of(value: Any) -> list[int | float | str]:
    """[1, 2, 4], "1:9:2" (with both ends), or one value."""
    if isinstance(value, list):
        return value
    if not isinstance(value, str) or ":" not in value:
        return [value]
    try:
        first, last, *more = (int(part) for part in value.split(":"))
        step = more[0] if more else 1
        if len(more) > 1 or step < 1 or last < first:
            raise ValueError
    except ValueError:
        raise SpecError(f"{value!r} is no range such as '32:144:16': from, to and step") from None
    levels = range(first, last + 1, step)
    if len(levels) > MAX_LEVELS:
        raise SpecError(f"{value!r} are {len(levels):,} values; {MAX_LEVELS:,} are the most")
    return list(levels)


class Spec:
    """A file that has been read. `tables` of [name] headers, each {key: value}; "" are the keys above all of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "no text in UTF-8"
            raise SpecError(f"{path}: {reason}") from None
        self.tables = self._parsed()

    def _parsed(self) -> dict[str, dict[str, Any]]:
        try:
            import tomllib
        except ImportError:  # Python 3.10
            raise SpecError(f"{self.path}: TOML is read by Python 3.11 and newer") from None
        try:
            made = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"line (\d+)", str(error))
            where = f":{found.group(1)}" if found else ""
            raise SpecError(f"{self.path}{where}: no TOML: {error}") from None
        tables: dict[str, dict[str, Any]] = {"": {}}
        for name, value in made.items():
            if isinstance(value, dict):
                tables[name] = value
            else:
                tables[""][name] = value
        return tables

    # ---- errors ----

    def line_of(self, table: str, key: str | None = None) -> int:
        """Of a key, or of the table's header; 1 where it is written in a way that is not looked for."""
        current, name = "", None if key is None else re.escape(key)
        inline = re.compile(rf"\s*{re.escape(table)}\s*(\.\s*{name}\s*)?=")
        own = re.compile(rf"\s*[\"']?{name}[\"']?\s*=")
        for number, line in enumerate(self.text.splitlines(), 1):
            header = re.match(r"\s*\[\s*[\"']?([^\]\"']+?)[\"']?\s*\]", line)
            if header:
                current = header.group(1)
                if name is None and current == table:
                    return number
            elif name and ((current == table and own.match(line)) or (not current and table and inline.match(line))):
                return number
        return 1

    def error(self, table: str, key: str | None, what: str) -> SpecError:
        named = ".".join(part for part in (table, key) if part)
        return SpecError(f"{self.path}:{self.line_of(table, key)}: {named}: {what}")

    # ---- what is known ----

    def check(self, known: Mapping[str, Mapping[str, Check] | Check]) -> None:
        """Raises SpecError where a table or a key is unknown, or a value is not what it may be. A table whose keys are
        the user's own has one Check for all."""
        for table, keys in self.tables.items():
            if table not in known:
                raise self.error(table, None, f"no such table; there are {_listed(name for name in known if name)}")
            checks = known[table]
            for key, value in keys.items():
                self._check_key(table, key, value, checks)

    def _check_key(self, table: str, key: str, value: Any, checks: Mapping[str, Check] | Check) -> None:
        check = checks if callable(checks) else checks.get(key)
        if check is None:
            assert not callable(checks)
            near = get_close_matches(key, list(checks), 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {_listed(checks)}"
            raise self.error(table, key, f"no such key; {hint}")
        wanted = check(value)
        if wanted is not None:
            raise self.error(table, key, f"{wanted} is needed, not {value!r}")

    def levels(self, table: str) -> dict[str, list[Any]]:
        """Of a table of ranges and lists."""
        made = {}
        for key, value in self.tables.get(table, {}).items():
            try:
                made[key] = levels_of(value)
            except SpecError as error:
                raise self.error(table, key, str(error)) from None
        return made


def _listed(names: Any) -> str:
    return ", ".join(names)
