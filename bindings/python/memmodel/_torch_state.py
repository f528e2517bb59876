"""What code keeps between its calls besides tensors: attributes of modules and of their classes, what a loss encloses,
and variables of a file that methods name.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum
from types import FunctionType, MethodType
from typing import Any

import torch
from torch import nn

PLAIN = (type(None), bool, int, float, complex, str, bytes, Enum, torch.dtype, torch.device)
LISTS = (list, tuple, set, frozenset, deque)
CONTAINERS = (*LISTS, dict, itertools.count)
MANY = 100  # elements of a container that are looked at
DEEP = 4
OF_TORCH = ("_parameters", "_buffers", "_modules")


def state_of(step: nn.Module) -> dict[str, Any]:
    """By name, as values that can be compared."""
    known: dict[int, Any] = {}
    return {name: _copy(value, DEEP, known) for name, value in _variables(step)}


def changed_in(step: nn.Module, before: Mapping[str, Any]) -> list[str]:
    """Names of what differs."""
    now = state_of(step)
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


# ---- where it is kept ----


def _variables(step: nn.Module) -> Iterator[tuple[str, Any]]:
    kinds: dict[type, None] = {}
    for path, part in itertools.islice(step.named_modules(), 1, None):
        where = path.removeprefix("model").removeprefix(".")
        yield from _attributes(part, f"{where}." if where else "")
        kinds |= dict.fromkeys(type(part).__mro__)
    loss = getattr(step, "loss", None)
    if loss is not None and not isinstance(loss, nn.Module):
        yield from _of_callable(loss)
        kinds |= dict.fromkeys(type(loss).__mro__)
    for kind in kinds:
        yield from _of_class(kind)


def _attributes(part: Any, where: str) -> Iterator[tuple[str, Any]]:
    return ((where + name, value) for name, value in vars(part).items() if name not in OF_TORCH)


def _of_class(kind: type) -> Iterator[tuple[str, Any]]:
    if kind.__module__.partition(".")[0] in ("torch", "builtins", "functools", "memmodel"):
        return
    for name, value in vars(kind).items():
        if isinstance(value, FunctionType):
            yield from _of_function(value)
        elif not name.startswith("__"):
            yield f"{kind.__qualname__}.{name}", value


def _of_callable(loss: Any) -> Iterator[tuple[str, Any]]:
    while hasattr(loss, "func"):  # functools.partial
        loss = loss.func
    if isinstance(loss, MethodType):
        yield from _attributes(loss.__self__, "loss.")
        loss = loss.__func__
    if hasattr(loss, "__dict__"):
        yield from _attributes(loss, "loss.")
    if isinstance(loss, FunctionType):
        yield from _of_function(loss)


def _of_function(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Plain variables that it encloses or that are of its file; others are many, and of other code."""
    file, code = function.__globals__, function.__code__
    named = {f"{function.__module__}.{name}": file[name] for name in code.co_names if name in file}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # empty
            named[f"{function.__qualname__}.{name}"] = cell.cell_contents
    yield from ((name, value) for name, value in named.items() if isinstance(value, (*PLAIN, *CONTAINERS)))


# ---- as it can be compared ----


def _copy(value: Any, depth: int, known: dict[int, Any]) -> Any:
    """Tensors, modules and functions are all alike: they are compared elsewhere."""
    if isinstance(value, PLAIN):
        return value
    if id(value) not in known:
        known[id(value)] = type(value)  # for what contains itself
        known[id(value)] = _contents(value, depth - 1, known) if depth else type(value)
    return known[id(value)]


def _contents(value: Any, depth: int, known: dict[int, Any]) -> Any:
    if isinstance(value, itertools.count):
        return repr(value)
    if isinstance(value, dict):
        value = [part for pair in value.items() for part in pair]
    if isinstance(value, LISTS):
        return len(value), [_copy(part, depth, known) for part in itertools.islice(value, MANY)]
    if isinstance(value, (torch.Tensor, nn.Module, type, FunctionType)) or not hasattr(value, "__dict__"):
        return type(value)
    return type(value), [(name, _copy(part, depth, known)) for name, part in vars(value).items()]
