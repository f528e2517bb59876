"""An operator as it was called: what it made, wrote and read, as its schema says."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import torch

DEVICE = torch.ops.prim.device.default  # asked for by autograd, of each gradient, and wherever a tensor is asked for it
DRAWING = ("normal_", "uniform_", "random_", "bernoulli_", "exponential_", "cauchy_", "geometric_", "log_normal_")
OVERWRITING = ("copy_", "fill_", "zero_", "_foreach_zero_", "_foreach_copy_", *DRAWING)


class Argument(NamedTuple):
    """Of an operator. overwritten: it is written without being read."""

    name: str
    of_tensors: bool
    written: bool
    overwritten: bool


class Schema:
    """What holds for each call of an operator."""

    def __init__(self, operator: Any) -> None:
        schema = operator._schema
        self.operator, self.name, self.overload = operator, operator._overloadpacket.__name__, operator._overloadname
        self.qualified = str(schema.name)  # such as aten::add
        self.mutable = bool(schema.is_mutable)
        self.lifts = self.qualified.startswith("aten::lift")
        self.arguments = [_argument(argument, self.name) for argument in schema.arguments]
        self.writes = any(argument.written for argument in self.arguments)


def _argument(argument: Any, operator: str) -> Argument:
    written = argument.alias_info is not None and argument.alias_info.is_write
    return Argument(argument.name, "Tensor" in str(argument.type), written,
                    written and (operator in OVERWRITING or argument.kwarg_only))  # fmt: skip


@cache
def schema_of(operator: Any) -> Schema:
    return Schema(operator)


class Call:
    """An operator with what it was called with and what it gave, all without memory."""

    def __init__(self, schema: Schema, args: Any, kwargs: Any, result: Any) -> None:
        self.schema, self.operator, self.name = schema, schema.operator, schema.name
        self.args, self.kwargs = args, kwargs
        self.outputs = [result] if isinstance(result, torch.Tensor) else _flat(result)  # None where there is none
        self._arguments: list[tuple[Argument, Any]] = []
        self._read: list[Any] | None = None

    @property
    def results(self) -> list[Any]:
        return [output for output in self.outputs if output is not None]

    @property
    def arguments(self) -> list[tuple[Argument, Any]]:
        """Those that were given, with their values."""
        if not self._arguments:
            named = [(argument, self.kwargs[argument.name]) for argument in self.schema.arguments
                     if argument.name in self.kwargs]  # fmt: skip
            self._arguments = [*zip(self.schema.arguments, self.args), *named]
        return self._arguments

    @property
    def written(self) -> list[Any]:
        if not self.schema.writes:
            return []
        return [tensor for argument, value in self.arguments if argument.written for tensor in tensors_in(value)]

    @property
    def read(self) -> list[Any]:
        if self._read is None:
            self._read = [tensor for argument, value in self.arguments if not argument.overwritten
                          for tensor in tensors_in(value)]  # fmt: skip
        return self._read


def tensors_in(value: Any) -> list[Any]:
    """Those of an argument or a result, which may be a list."""
    return [tensor for tensor in _flat(value) if tensor is not None]


def _flat(value: Any) -> list[Any]:
    """The same, with None in place of what is no tensor."""
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in _flat(item)]
    return [value if isinstance(value, torch.Tensor) else None]
