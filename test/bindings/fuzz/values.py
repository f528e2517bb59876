"""Values for random calls: right ones by what a parameter is annotated with, and wrong ones of every kind."""

from __future__ import annotations

import array
import ctypes
import inspect
import math
import os
import re
from collections.abc import Callable
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import memmodel
from memmodel import _call, _ffi

try:
    import numpy
except ImportError:  # the package works without it, and so does this
    numpy = None  # type: ignore[assignment]

NAMES = ["batch", "dim", "image", "truth", "peak_bytes", "conv1", "relu1", "x", "scope.0", "weight"]
CHOICES = ["pytorch", "textbook", "cpu", "adam", "sgd", "avx2", "avx512", "slots", "relu", "same", "float32", "process"]
FORMULAS = ["batch*2", "dim^2*batch", "floor(dim/2)", "log(dim)", "1", "dim/0", "((((", "1e999", "-dim", "q"]
FILES = ["network.json", "model.json", "samples.csv", "missing.json", "folder", ""]
ODD_TEXTS = ["", "a\0b", "\ud800", "é" * 40, "x" * 100_000, "%s%n", " ", "\n", '{"format": "memmodel', "[" * 2000]
INTEGERS = [0, 1, 2, 3, 4, 8, 16, 33, 64, -1, -2, -1000]
EDGES = [2**31 - 1, 2**31, -(2**31) - 1, 2**32, 2**53, 2**63 - 1, -(2**63), 2**63, 2**64 + 5, -(2**64), 10**400]
DOUBLES = [0.0, 1.0, 0.5, 0.95, 32.0, 64.5, -1.0, 1e9, 1e300, 5e-324, math.inf, -math.inf, math.nan]

# What makes a call take as long as it says: nothing that is longer than a case may take.
BRIEF: dict[str, list[Any]] = {
    "interval_seconds": [0.0, 0.001, 0.5, -1.0, 5e-324, math.inf, -math.inf, math.nan],
    "max_evaluations": [1, 100, 1000, -1, -(2**63)],
}

# What makes a call succeed, by the name of a parameter or of a field; without it few layers would ever be built.
SENSIBLE: dict[str, list[Any]] = {
    "filters": [4, 8],
    "units": [4],
    "kernel": [[3], [1], [2]],
    "stride": [[1], [2]],
    "groups": [1, 2],
    "hidden_size": [4],
    "num_embeddings": [10],
    "embedding_dim": [8],
    "rows": [[0, 1]],
    "parts": [2],
    "axis": [0, 1, -1],
    "axes": [[1], [0, 2, 1, 3], [2]],
    "first": [1],
    "last": [-1, 3],
    "dims": [[2, -1], [8, 8], [-1]],
    "size": [[2], [4]],
    "sizes": [[1, 2], [2, 2]],
    "heads": [2],
    "scale": [[2.0], [2]],
    "x": [0, 1, 2, 4, 5],
    "a": [0, 4],
    "b": [0, 4],
    "tensor": [0, 3, 4],
    "query": [4],
    "key": [4],
    "value": [4],
    "mask": [-1000],
    "role": ["weight", "bias"],
    "outputs": [[_ffi.Shape(dims=[2, 3], rank=2)]],
    "tensors": [[1, 2], [2, 2]],
    "q": [1],
    "level": [0.95, 0.5],
    "input": ["dim", "batch", 0, 1],
    "inputs": [[32.0, 4.0]],
    "columns": [[[32.0, 64.0], [1.0, 2.0]], ["dim", "batch"]],
    "data": [{"dim": [32.0], "batch": 2}, {"dim": 64, "batch": 4}, [[32.0, 2.0]]],
    "budget": ["16GiB", 10**9],
    "symbol": ["batch"],
    "kind": [1, 2, 3],
    "output_size": [[2, 2], [4]],
    "column": ["dim", "peak_bytes", 0],
    "path": ["network.json", "model.json", "samples.csv"],
    "pid": [os.getpid()],
    "table": ["samples.csv", {"x": [1, 2, 3, 4, 5], "y": [3, 5, 7, 9, 12]}],
    "input_bytes": [8],
    "saved_bytes": [16],
    "seed": [7],
    "fraction": [0.5],
    "count": [10],
    "capacity": [4],
}


class Raises:
    """Fails whatever is asked of it."""

    def _fail(self, *_: Any) -> Any:
        raise RuntimeError("asked too much")

    __index__ = __float__ = __iter__ = __len__ = __fspath__ = __bool__ = _fail


class Lies:
    """A number that is a text."""

    def __index__(self) -> Any:
        return "7"  # noqa: PLE0305  (the lie)

    def __float__(self) -> Any:
        return "7"

    def __len__(self) -> int:
        return 2**40


def arrays(random: Random) -> list[Any]:
    """Arrays of every type, shape and order that numpy knows."""
    if numpy is None:
        return [array.array("d", [1.0, 2.0])]
    base = numpy.arange(12.0)
    still = numpy.arange(2.0)
    still.flags.writeable = False
    kinds = ["f8", "f4", "i8", "i4", "u1", "c16", ">f8", "U3", "O", "M8[s]", "?"]
    return [
        numpy.array([32.0, 4.0]),
        numpy.zeros(2, dtype=random.choice(kinds)),
        base[::6],
        base[::-6],
        base.reshape(3, 4),
        base.reshape(3, 4)[:, 1],
        numpy.asfortranarray(base.reshape(2, 6)),
        numpy.zeros(0),
        numpy.float64(4.0),
        numpy.int64(2**62),
        numpy.array(7.0),
        numpy.broadcast_to(numpy.float64(3.0), (1000,)),
        numpy.frombuffer(b"\0" * 17, dtype="u1")[1:17].view("f8"),
        numpy.ma.masked_array([1.0, 2.0], mask=[True, False]),
        still,
    ]


def buffers() -> list[Any]:
    return [
        array.array("d", [32.0, 4.0]),
        array.array("i", [1, 2]),
        memoryview(array.array("d", [1.0, 2.0, 3.0, 4.0]))[::2],
        memoryview(b"12345678"),
        (ctypes.c_double * 2)(32.0, 4.0),
        (ctypes.c_int * 2)(1, 2),
        bytearray(b"12345678"),
    ]


def objects() -> list[Any]:
    return [None, True, object(), Raises(), Lies(), len, int, print, ..., Decimal("1.5"), Fraction(1, 3), 1j, Path("x")]


def containers(random: Random) -> list[Any]:
    nested: list[Any] = []
    for _ in range(100):
        nested = [nested]
    return [
        [],
        [1, 2, 3],
        (32, 4),
        [32.0, None],
        ["dim", "batch"],
        {"dim": 64, "batch": 4},
        {1: 2},
        {1, 2},
        range(10**15),
        iter([1.0, 2.0]),
        [1.0] * random.choice([9, 33, 5000]),
        nested,
        b"bytes",
    ]


def wrong(random: Random, pool: Pool) -> Any:
    """A value that hardly anything should take."""
    sources: list[Callable[[], list[Any]]] = [
        objects,
        buffers,
        lambda: containers(random),
        lambda: arrays(random),
        lambda: ODD_TEXTS,
        lambda: EDGES,
        lambda: DOUBLES,
        pool.anything,
    ]
    return random.choice(random.choice(sources)())


def text(random: Random) -> str:
    return random.choice(random.choice([NAMES, NAMES, CHOICES, FORMULAS, FILES, ODD_TEXTS]))


def numbers(random: Random) -> Any:
    """A list of a few numbers, or the same as a buffer."""
    values = [random.choice(DOUBLES[:8]) for _ in range(random.choice([0, 1, 2, 2, 2, 3, 12]))]
    return random.choice([values, tuple(values), array.array("d", values), [int(value) for value in values]])


def observer(random: Random) -> Callable[..., Any]:
    """A callback that ends what calls it, in one way or another."""
    calls = [0]

    def observe(*_: Any) -> Any:
        calls[0] += 1
        if calls[0] < 3:
            return 0
        if random.random() < 0.3:
            raise RuntimeError("enough")
        return 1

    return observe


class Pool:
    """Live objects of one case, by the name of their class; some of them are closed or worn out by then."""

    def __init__(self) -> None:
        self.by_class: dict[str, list[Any]] = {}

    def add(self, value: Any) -> None:
        name = type(value).__name__
        if isinstance(value, _call.Struct) and hasattr(memmodel, name):
            name = f"struct {name}"  # the class of this name is another one
        kept = self.by_class.setdefault(name, [])
        if len(kept) < 12:
            kept.append(value)

    def anything(self) -> list[Any]:
        return [value for values in self.by_class.values() for value in values] or [None]

    def instances(self, owner: type) -> list[Any]:
        return [value for value in self.by_class.get(owner.__name__, []) if isinstance(value, owner)]

    def of(self, names: list[str]) -> list[Any]:
        return [value for name in names for value in self.by_class.get(name, [])]


def struct(random: Random, kind: type[_call.Struct], pool: Pool) -> Any:
    """An options struct with a few fields set, mostly to what fits them."""
    fields = [name for name, *_ in kind._fields_ if name in kind._converters]
    made = kind()
    chosen = random.sample(fields, min(len(fields), random.randrange(3)))
    needed = [name for name in fields if name in SENSIBLE and random.random() < 0.7]
    for name in dict.fromkeys(chosen + needed):
        value = field(random, name, {entry[0]: entry[1] for entry in kind._fields_}[name], pool)
        try:
            setattr(made, name, value)
        except Exception as problem:
            if not isinstance(problem, (TypeError, ValueError, OverflowError, RuntimeError, MemoryError)):
                raise
    return made


def field(random: Random, name: str, kind: Any, pool: Pool) -> Any:
    if name in BRIEF:
        return random.choice(BRIEF[name])
    if random.random() < 0.15:
        return wrong(random, pool)
    if name in SENSIBLE and random.random() < 0.7:
        return random.choice(SENSIBLE[name])
    if kind is ctypes.c_char_p:
        return text(random)
    if kind is ctypes.c_double:
        return random.choice([*DOUBLES, 0.001])
    if kind is ctypes.POINTER(ctypes.c_char_p):
        return random.sample(NAMES + FORMULAS, 2)
    if isinstance(kind, type) and issubclass(kind, ctypes.Array):
        return [random.choice(INTEGERS) for _ in range(random.choice([0, 1, 2, 3, 8, 9]))]
    if inspect.isclass(kind) and hasattr(kind, "contents") and issubclass(kind._type_, _call.Struct):
        several = [struct(random, kind._type_, pool) for _ in range(random.randrange(3))]
        return random.choice([several, *several])
    return random.choice(INTEGERS)


WORD = re.compile(r"\w+")


def enums() -> dict[str, type[IntEnum]]:
    return {name: kind for name, kind in vars(_ffi).items() if inspect.isclass(kind) and issubclass(kind, IntEnum)}


def structs() -> dict[str, type[_call.Struct]]:
    return {name: kind for name, kind in vars(_ffi).items() if inspect.isclass(kind) and issubclass(kind, _call.Struct)}


ENUMS, STRUCTS = enums(), structs()


def right(random: Random, name: str, annotation: str, pool: Pool) -> Any:
    """A value of the kind that a parameter asks for; often, not always, one that is also sensible."""
    words = WORD.findall(annotation)
    if "Optional" in words and "Callable" not in words and random.random() < 0.3:
        return None
    if name in BRIEF:
        return random.choice(BRIEF[name])
    live = pool.of(words)
    if name in SENSIBLE and not live and random.random() < 0.6:
        return random.choice(SENSIBLE[name])
    candidates: list[Callable[[], Any]] = []
    if live:
        candidates += [lambda: random.choice(live)] * 3
    candidates += [lambda kind=STRUCTS[word]: struct(random, kind, pool) for word in words if word in STRUCTS]
    candidates += [lambda kind=ENUMS[word]: random.choice(list(kind)) for word in words if word in ENUMS]
    if "Callable" in words:
        return observer(random)
    if "int" in words:
        candidates.append(lambda: random.choice(INTEGERS))
    if "float" in words:
        candidates.append(lambda: random.choice(DOUBLES))
    if "str" in words:
        candidates.append(lambda: text(random))
    if "bool" in words:
        candidates.append(lambda: random.random() < 0.5)
    if not candidates:
        candidates = [lambda: numbers(random), lambda: random.choice(arrays(random)), lambda: random.sample(NAMES, 2)]
    return random.choice(candidates)()
