"""Rules of configuration files: which keys are known, and which values of them are modelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn


class ConfigError(ValueError):
    """A configuration asks for what is not modelled, or for what nobody knows."""


Table = Mapping[str, Any]
Rule = Callable[[Any], object]


def fail(key: str, what: str) -> NoReturn:
    raise ConfigError(f"{key}: {what}")


def only(*allowed: Any) -> Rule:
    """A key that may have these values; anything else is not modelled."""

    def checked(value: Any) -> str | None:
        given_as = value.lower() if isinstance(value, str) else value
        return None if given_as in allowed else f"{value!r} is not modelled; {' or '.join(map(repr, allowed))} is"

    return checked


def anything(value: Any) -> None:
    """Changes no memory, or is read elsewhere."""


OFF = only(False, None, "no", "none", "false", 0)
ONE = only(1)


def check(given: Table, known: Mapping[str, Rule], where: str) -> None:
    for key, value in given.items():
        if key not in known:
            fail(f"{where}{key}", f"nobody knows this key; known are {', '.join(sorted(known))}")
        wrong = known[key](value)
        if wrong:
            fail(f"{where}{key}", str(wrong))
