"""Whether an exported graph calls what an eager run of the step calls: both are run without memory and compared.

They are compared below autograd, where composite operators have become those that they are made of, by the names of
the operators that make tensors and the sizes of what these make. A value that a branch or a size depends on is computed
from the tensors that were handed over, with what it is made of and no more.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import free_symbols, free_unbacked_symbols
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map_only

from memmodel._torch_eager import quiet, told_as_in_a_run
from memmodel._torch_lifetime_ends import clear_caches_of_fakes


class Made(NamedTuple):
    """An operator, and the sizes of the tensors that it makes."""

    operator: str
    sizes: tuple[tuple[int, ...], ...]

    def __str__(self) -> str:
        sizes = ", ".join(str(list(size)) for size in self.sizes)
        return f"{self.operator} of {sizes}"


class NoValues(RuntimeError):
    """Something depends on values, and there are none: a tensor has no memory."""


# ---- values ----


@dataclass
class _Entry:
    """A call that was listed, of fake tensors."""

    operator: Any
    args: Any
    kwargs: Any
    results: list[Any]
    done: bool = False  # with real tensors


def _tensors(value: Any) -> list[Any]:
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _storage(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata)


class _Values:
    """Real tensors behind fake ones, as far as they were asked for."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self.found: dict[int, Any] = {}  # by the fake tensor's id, which the entries keep
        self.handed: list[Any] = []
        self.random = False  # a value that was asked for depends on random numbers

    def hand(self, fake: Any, real: Any) -> None:
        self.found[id(fake)] = real
        self.handed.append(fake)

    def of(self, fake: Any) -> Any:
        if not isinstance(fake, FakeTensor):
            return fake
        if id(fake) not in self.found:
            for entry in self._needed(fake):
                self._run(entry)
        if id(fake) not in self.found or self.found[id(fake)].is_meta:
            raise NoValues("a value of a tensor without memory is needed")
        return self.found[id(fake)]

    def _needed(self, fake: Any) -> list[_Entry]:
        """In the order of their calls: what makes the tensor, and what writes into any that is needed for that."""
        wanted, storages, needed = {id(fake)}, {_storage(fake)}, []
        for entry in reversed(self.entries):
            writes = entry.operator._schema.is_mutable and any(_storage(x) in storages for x in _tensors(entry.args))
            if not writes and not any(id(result) in wanted for result in entry.results):
                continue
            if entry.done:
                continue
            needed.append(entry)
            used = _tensors((entry.args, entry.kwargs))
            wanted |= {id(tensor) for tensor in used}
            storages |= {_storage(tensor) for tensor in used}
        return needed[::-1]

    def _run(self, entry: _Entry) -> None:
        self.random = self.random or torch.Tag.nondeterministic_seeded in entry.operator.tags
        if entry.operator._schema.is_mutable:
            self._keep_originals(entry)
        args, kwargs = tree_map_only(FakeTensor, self._given, (entry.args, entry.kwargs))
        with _disable_current_modes(), torch.no_grad():
            results = entry.operator(*args, **kwargs)
        self.found |= {id(fake): real for fake, real in zip(entry.results, _tensors(results), strict=True)}
        entry.done = True

    def _given(self, fake: Any) -> Any:
        if id(fake) not in self.found:
            raise NoValues("a value of a tensor that was made elsewhere is needed")
        return self.found[id(fake)]

    def _keep_originals(self, entry: _Entry) -> None:
        """What was handed over is not written into."""
        handed = {id(fake) for fake in self.handed}
        for fake in _tensors((entry.args, entry.kwargs)):
            if id(fake) in handed:
                with _disable_current_modes(), torch.no_grad():
                    self.found[id(fake)] = self.found[id(fake)].detach().clone()
                self.handed = [other for other in self.handed if other is not fake]


# ---- a run ----

ASSERTIONS = ("aten._assert", "aten.sym_", "prim.", "profiler.")
COPIES_OF_NUMBERS = ("aten.lift_fresh", "aten.detach", "aten.alias")


def _makes_tensors(operator: Any, results: Sequence[Any]) -> bool:
    name = str(operator)
    return bool(results) and not operator.is_view and not name.startswith((*ASSERTIONS, *COPIES_OF_NUMBERS))


class _Listed(TorchDispatchMode):  # type: ignore[misc]
    """Lists what is called, and answers what depends on values."""

    def __init__(self, mode: FakeTensorMode) -> None:
        super().__init__()
        self.mode = mode
        self.values = _Values()
        self.made: list[Made] = []

    def fake(self, real: Any) -> Any:
        """Of a tensor that is there before the run."""
        fake = self.mode.from_tensor(real)
        self.values.hand(fake, real)
        return fake

    def __torch_dispatch__(
        self, operator: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        depends = torch.Tag.data_dependent_output in operator.tags or torch.Tag.dynamic_output_shape in operator.tags
        result = self._by_values(operator, args, kwargs) if depends else operator(*args, **kwargs)
        results = _tensors(result)
        self.values.entries.append(_Entry(operator, args, kwargs, results, done=depends))
        if _makes_tensors(operator, results):
            self.made.append(Made(str(operator), tuple(tuple(map(int, tensor.shape)) for tensor in results)))
        return result

    def _by_values(self, operator: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
        given = tree_map_only(torch.Tensor, self.values.of, (args, kwargs))
        with _disable_current_modes(), torch.no_grad():
            result = operator(*given[0], **given[1])
        return tree_map_only(torch.Tensor, self.fake, result)


@contextmanager
def as_they_were(module: nn.Module) -> Iterator[None]:
    """Attributes of its modules, and what lists and dicts among them hold, are afterwards what they were before."""
    before = [(vars(part), dict(vars(part))) for part in module.modules()]
    containers = [
        (value, value.copy())
        for _, attributes in before
        for value in attributes.values()
        if isinstance(value, (dict, list, set))
    ]
    try:
        yield
    finally:
        for now, then in before:
            now.clear()
            now.update(then)
        for container, content in containers:
            container.clear()
            (container.extend if isinstance(container, list) else container.update)(content)


@contextmanager
def _without_traces(module: nn.Module) -> Iterator[None]:
    """Nothing is left of a run without memory, in the module or in a cache."""
    with as_they_were(module):
        yield
    clear_caches_of_fakes()


class Difference(NamedTuple):
    """What the report says of it, in short, and what the user is warned of."""

    name: str
    text: str


@dataclass
class Run:
    made: list[Made]
    random: bool


def _run_of(step: nn.Module, handed: Any, listed: _Listed) -> None:
    state = dict(step.named_parameters(remove_duplicate=False)) | dict(step.named_buffers(remove_duplicate=False))
    fakes, given = tree_map_only(torch.Tensor, listed.fake, (state, handed))
    with listed:
        torch.func.functional_call(step, fakes, given)


class _Sized(torch.fx.Interpreter):  # type: ignore[misc]
    """Runs a graph; afterwards what depends on values has the sizes that came of them."""

    def run(self, *args: Any, **kwargs: Any) -> Any:
        self.sized: dict[Any, Any] = {}
        result = super().run(*args, **kwargs)
        for node, value in self.sized.items():
            node.meta["val"] = value
        return result

    def run_node(self, node: Any) -> Any:
        result = super().run_node(node)
        value = tree_map_only(torch.Tensor, lambda tensor: list(tensor.shape), node.meta.get("val"))
        symbols = {symbol for size in tree_leaves(value) for symbol in free_symbols(size)}
        if symbols and symbols == {symbol for size in tree_leaves(value) for symbol in free_unbacked_symbols(size)}:
            self.sized[node] = result
        return result


def _graph_of(program: Any, step: nn.Module, handed: Any, listed: _Listed) -> None:
    """The exported graph, called with the same."""
    state = dict(step.named_parameters(remove_duplicate=False)) | dict(step.named_buffers(remove_duplicate=False))
    state |= program.constants
    leaves = iter(tree_leaves((handed, {})))
    specs = program.graph_signature.input_specs
    values = [next(leaves) if spec.kind.name == "USER_INPUT" else state[spec.target] for spec in specs]
    given = tree_map_only(torch.Tensor, listed.fake, values)
    with listed:
        _Sized(program.graph_module).run(*given)


def _listed(run: Callable[[_Listed], None]) -> Run:
    fakes = FakeTensorMode(allow_non_fake_inputs=True)
    listed = _Listed(fakes)
    with told_as_in_a_run(), quiet("torch._subclasses.fake_tensor"), fakes:
        run(listed)
    return Run(listed.made, listed.values.random)


def set_sizes(step: nn.Module, handed: Any, program: Any) -> None:
    """Those that depend on values; left as they are if the graph cannot be run without memory."""
    with _without_traces(step), suppress(Exception):
        _listed(partial(_graph_of, program, step, handed))


RANDOM = "; random numbers decide about it, and others may decide otherwise"


def difference(step: nn.Module, handed: Any, program: Any) -> Difference | None:
    """Where the graph parts from an eager run of the step; None if it does not."""
    with _without_traces(step):
        try:
            run = _listed(partial(_run_of, step, handed))
            graph = _listed(partial(_graph_of, program, step, handed))
        except Exception as error:  # whatever is said to tensors without memory
            said = (str(error) or type(error).__name__).splitlines()[0]
            return Difference("not compared with a run", f"what is answered could not be compared with a run: {said}")
    for one, other in itertools.zip_longest(run.made, graph.made):
        if one != other:
            text = f"a run calls {one or 'nothing more'} where {other or 'nothing more'} is answered"
            return Difference(f"unlike a run: {(one or other).operator}", text + RANDOM * run.random)
    return None
