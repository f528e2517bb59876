"""Random calls of memmodel's Python layers, in cases of a few calls, each of which can be repeated alone.

usage: calls.py --journal FILE [--seed N] [--first CASE] [--cases N] [--seconds S]

Before each call the journal says which it is, so that the parent can tell what a crash was about. A call may return or
raise one of the exceptions that the package documents; a wrong type must be answered with the argument's name.
"""

from __future__ import annotations

import argparse
import gc
import inspect
import mmap
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import memmodel
from memmodel import _call, _ffi
from memmodel.errors import MemmodelError
from values import SENSIBLE, Pool, observer, right, wrong

CALLS = 30
JOURNAL_BYTES = 4096
ALLOWED = (TypeError, ValueError, OverflowError, MemoryError, MemmodelError, NotImplementedError, LookupError)

# What a call of these would do is not of this package: memory from the caller's functions, commands that are run,
# waiting for one's own end.
LEFT_OUT = {"context_new", "function_pointer", "Monitor.run", "Monitor.join"}
# Nobody makes these but the package itself.
MADE_WITHIN = {"Dim", "Tensor", "Predictions"}

SAMPLES = "dim,batch,peak_bytes\n" + "".join(
    f"{dim},{batch},{1_000_000 + 40 * batch * dim**2}\n" for dim in (16, 32, 64) for batch in (1, 2, 4)
)


class Target(SimpleNamespace):
    """Something to call: its name, its parameters with annotations, and whether it is a method."""

    name: str
    function: Callable[..., Any]
    parameters: list[inspect.Parameter]


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return [one for one in inspect.signature(function).parameters.values() if one.name not in ("self", "cls")]


def low_targets() -> list[Target]:
    """Every function of the generated layer."""
    return [
        Target(name=name, function=function, parameters=parameters(function), owner=None)
        for name, function in sorted(vars(_ffi).items())
        if inspect.isfunction(function) and function.__module__ == _ffi.__name__
        if not name.startswith("_") and name not in LEFT_OUT
    ]


def methods(owner: type) -> list[Target]:
    """What a public class offers, and what Python itself asks of it."""
    asked = {"__repr__", "__len__", "__getitem__", "__iter__", "__contains__", "__eq__", "__hash__", "_repr_html_"}
    found = []
    for name, function in inspect.getmembers(owner):
        if (name.startswith("_") and name not in asked) or not inspect.isroutine(function):
            continue
        full = f"{owner.__name__}.{name}"
        if full in LEFT_OUT:
            continue
        try:
            wanted = parameters(function)
        except (TypeError, ValueError):
            continue
        bound = inspect.ismethod(function) or isinstance(inspect.getattr_static(owner, name), staticmethod)
        found.append(Target(name=full, function=function, parameters=wanted, owner=None if bound else owner))
    return found


def high_targets() -> list[Target]:
    """Every function and method that `import memmodel` shows."""
    found = []
    for name, item in sorted(vars(memmodel).items()):
        if name.startswith("_") or not getattr(item, "__module__", "").startswith("memmodel"):
            continue
        if inspect.isclass(item) and not issubclass(item, (BaseException, _call.Struct)):
            found += methods(item)
        if callable(item) and name not in MADE_WITHIN and not (isinstance(item, type) and issubclass(item, Exception)):
            found.append(Target(name=name, function=item, parameters=parameters(item), owner=None))
    return found


class Journal:
    """The call that is being made, where another process finds it after a crash."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(b"\0" * JOURNAL_BYTES)
        with path.open("r+b") as file:
            self.page = mmap.mmap(file.fileno(), JOURNAL_BYTES)

    def write(self, line: str) -> None:
        encoded = line.encode("utf-8", "backslashreplace")[: JOURNAL_BYTES - 1]
        self.page[: len(encoded) + 1] = encoded + b"\0"


def shown(value: Any) -> str:
    try:
        return f"{value!r:.120}"
    except Exception:
        return f"a {type(value).__name__} that cannot be shown"


def sources() -> dict[str, str]:
    """A small network, a table and a model fitted to it, as files."""
    context = _ffi.context_new(None)
    network = _ffi.network_new(context)
    batch = _ffi.network_symbol(network, "batch")
    x = _ffi.network_input(network, "image", "float32", [batch, 3, 8, 8])
    _ffi.network_input(network, "tokens", "int64", [batch, 8])
    _ffi.network_input(network, "sequence", "float32", [batch, 4, 8])
    _ffi.network_parameter(network, "table", "float32", [4, 3, 3, 3], True)
    x = _ffi.network_conv(network, x, _ffi.Conv(filters=4, kernel=[3]))
    _ffi.network_activation(network, x, _ffi.Activation(kind="relu"))
    model = _ffi.fit(_ffi.samples_from_csv(context, "samples", SAMPLES), None, None)
    texts = {"network.json": _ffi.network_to_json(network, None), "model.json": _ffi.model_to_json(model, None)}
    return {**texts, "samples.csv": SAMPLES}


def lay_out(files: dict[str, str]) -> None:
    """Nothing but these files and a folder in the working directory, which an earlier case may have written to."""
    for path in Path().iterdir():
        if path.is_file():
            path.unlink()
    Path("folder").mkdir(exist_ok=True)
    for name, text in files.items():
        Path(name).write_text(text)


def first_objects(random: Random) -> Pool:
    """What every case begins with: a few live objects of each kind."""
    pool = Pool()
    context = _ffi.context_new(None)
    for value in (context, _ffi.context_new(None), _ffi.network_new(context)):
        pool.add(value)
    pool.add(_ffi.network_load(context, "network.json"))
    pool.add(_ffi.model_load(context, "model.json"))
    pool.add(_ffi.samples_load(context, "samples.csv"))
    job = _ffi.Job(symbols=[_ffi.SymbolValue(name="batch", value=2)])
    if random.random() < 0.3:
        pool.add(_ffi.estimate(_ffi.network_load(context, "network.json"), job, None))
    pool.add(memmodel.Network.load("network.json"))
    pool.add(memmodel.Model.load("model.json"))
    pool.add(memmodel.Samples.load("samples.csv"))
    network = memmodel.Network()
    x = network.input("image", (network.symbol("batch"), 4, 8, 8))
    tokens, sequence = network.input("tokens", (2, 8), "int64"), network.input("sequence", (2, 4, 8))
    for value in (network, x, tokens, sequence):
        pool.add(value)
    if random.random() < 0.2:
        pool.add(memmodel.estimate(network, batch=2))
        pool.add(memmodel.estimate(network, batch=2).trace)
    return pool


def by_name(random: Random, pool: Pool) -> dict[str, Any]:
    """Sizes of a network, inputs of a model, columns of a table."""
    if random.random() < 0.7:
        return random.choice([{"batch": 2}, {"dim": 64, "batch": 4}, {"dim": 1, "batch": 2, "peak_bytes": 3}])
    return {name: random.choice([2, 64.0, wrong(random, pool)]) for name in random.sample(["dim", "batch", "q"], 2)}


def arguments(random: Random, target: Target, pool: Pool) -> tuple[list[Any], dict[str, Any], list[str]]:
    """Values for a call: by place, by name, and the names of the wrong ones."""
    placed: list[Any] = []
    named: dict[str, Any] = {}
    bad: list[str] = []
    chance = random.choice([0, 0, 0.15, 0.5])
    if target.owner is not None:
        placed.append(random.choice(pool.instances(target.owner)))
    for one in target.parameters:
        left_out = one.default is not one.empty and random.random() < (0.2 if one.name in SENSIBLE else 0.7)
        if one.kind is one.VAR_POSITIONAL or left_out:
            continue
        if one.kind is one.VAR_KEYWORD:
            named.update(by_name(random, pool))
            continue
        value = right(random, one.name, str(one.annotation), pool)
        if random.random() < chance:
            value = wrong(random, pool)
            bad.append(one.name)
        if target.name == "monitor_run" and one.name == "callback" and value is None:
            value = observer(random)  # without one it waits for its own end
        if one.kind is one.KEYWORD_ONLY:
            named[one.name] = value
        else:
            placed.append(value)
    return placed, named, bad


def look_at(value: Any, pool: Pool) -> None:
    """Read all of a result: what it points to must be there."""
    repr(value)
    if isinstance(value, _call.Struct):
        for name, *_ in value._fields_:
            repr(getattr(value, name))
    for item in value if type(value) is tuple else (value,):
        if isinstance(item, _call.Handle) or type(item).__module__.startswith("memmodel"):
            pool.add(item)
            for name, member in vars(type(item)).items():
                if not name.startswith("_") and hasattr(member, "__get__") and not callable(member):
                    getattr(item, name)


def chosen(problem: Exception) -> bool:
    place = traceback.extract_tb(problem.__traceback__)[-1]
    return Path(memmodel.__file__).parent in Path(place.filename).parents and (place.line or "").startswith("raise")


class Fuzzer:
    """Runs cases and keeps what was wrong with them, once a kind."""

    def __init__(self, seed: int, journal: Journal) -> None:
        self.seed, self.journal = seed, journal
        self.targets = low_targets() + 2 * high_targets()
        self.findings: dict[str, str] = {}
        self.calls = 0
        self.returned: set[str] = set()
        self.files = sources()
        SENSIBLE["text"] = list(self.files.values())

    def case(self, number: int) -> None:
        random = Random(f"{self.seed}:{number}")
        lay_out(self.files)
        pool = first_objects(random)
        for _ in range(CALLS):
            target = random.choice(self.targets)
            if target.owner is None or pool.instances(target.owner):
                self.call(random, number, target, pool)
        del pool
        if number % 50 == 0:
            gc.collect()

    def call(self, random: Random, number: int, target: Target, pool: Pool) -> None:
        try:
            placed, named, bad = arguments(random, target, pool)
        except Exception as problem:  # of a struct among them
            self.found(target, problem, f"arguments for {target.name}", number)
            return
        values = [shown(value) for value in placed] + [f"{name}={shown(value)}" for name, value in named.items()]
        text = f"{target.name}({', '.join(values)})"
        self.journal.write(f"--seed {self.seed} --case {number}: {text}")
        self.calls += 1
        try:
            look_at(target.function(*placed, **named), pool)
        except ALLOWED as problem:
            self.check_message(problem, bad, text, number)
        except RuntimeError as problem:  # of a callback or a hostile argument, or one that the package chose to raise
            if "enough" not in str(problem) and "asked too much" not in str(problem) and not chosen(problem):
                self.found(target, problem, text, number)
        except Exception as problem:
            self.found(target, problem, text, number)
        else:
            self.returned.add(target.name)

    def check_message(self, problem: Exception, bad: list[str], text: str, number: int) -> None:
        """One wrong type among right values: the message names that argument."""
        if not str(problem) and not isinstance(problem, MemoryError):
            self.findings.setdefault(f"no message: {text[:40]}", f"case {number}: {text}\n  {problem!r} says nothing")

    def found(self, target: Target, problem: Exception, text: str, number: int) -> None:
        place = traceback.extract_tb(problem.__traceback__)[-1]
        key = f"{target.name} {type(problem).__name__} {place.filename}:{place.lineno}"
        trace = "".join(traceback.format_exception(problem)[-4:])
        self.findings.setdefault(key, f"case {number}: {text}\n  {trace}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=10**9)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.set_int_max_str_digits(0)
    end = time.monotonic() + options.seconds
    fuzzer = Fuzzer(options.seed, Journal(options.journal))
    number = options.first
    while number < options.first + options.cases and time.monotonic() < end:
        fuzzer.case(number)
        number += 1
    print(f"{fuzzer.calls} calls in {number - options.first} cases, seed {options.seed}")
    if options.cases > 1:
        never = sorted({target.name for target in fuzzer.targets} - fuzzer.returned)
        print(f"{len(fuzzer.returned)} functions returned, {len(never)} never did: {' '.join(never)}")
    for finding in fuzzer.findings.values():
        print(f"\nFAILED {finding}")
    return 1 if fuzzer.findings else 0


if __name__ == "__main__":
    sys.exit(main())
