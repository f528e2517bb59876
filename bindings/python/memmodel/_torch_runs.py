"""Whether an exported graph calls what an eager run of the step calls: both are run without memory and compared.

They are compared below autograd, where composite operators have become those that they are made of, by the names of
the operators that make tensors and the sizes of what these make. The step is run several times on end, as each is
answered as the first.
"""

from __future__ import annotations

import gc
import itertools
import random
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import free_symbols, free_unbacked_symbols
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map_only

from memmodel._record_calls import DEVICE, schema_of
from memmodel._record_repeats import Repeats
from memmodel._torch_backward import Backward, hooks_of
from memmodel._torch_checks import Refused, quiet
from memmodel._torch_eager import IN_NUMPY, array_of, one_hot, told_as_in_a_run
from memmodel._torch_kernels import Call, check_values
from memmodel._torch_lifetime_ends import clear_caches_of_fakes
from memmodel._torch_state import changed_in, state_of
from memmodel._torch_values import Entry, Values, tensors_of


class Made(NamedTuple):
    """An operator, and the sizes of the tensors that it makes."""

    operator: str
    sizes: tuple[tuple[int, ...], ...]

    def __str__(self) -> str:
        sizes = ", ".join(str(list(size)) for size in self.sizes)
        return f"{self.operator} of {sizes}"


# ---- a run ----

RUNS = 3  # the state of a module that changes from call to call is seen to do so

ASSERTIONS = ("aten._assert", "aten.sym_", "prim.", "profiler.")
COPIES_OF_NUMBERS = ("aten.lift_fresh", "aten.detach", "aten.alias")


def _makes_tensors(operator: Any, results: Sequence[Any]) -> bool:
    name = str(operator)
    return bool(results) and not operator.is_view and not name.startswith((*ASSERTIONS, *COPIES_OF_NUMBERS))


def _depends_on_values(operator: Any, args: Sequence[Any]) -> bool:
    """What it answers, or the size of that. Indices in brackets choose as many as there are, masks not."""
    if operator is torch.ops.aten.index.Tensor:
        return any(tensor.dtype in (torch.bool, torch.uint8) for tensor in tensors_of(args[1]))
    return torch.Tag.data_dependent_output in operator.tags or torch.Tag.dynamic_output_shape in operator.tags


class _Listed(TorchDispatchMode):  # type: ignore[misc]
    """Lists what is called, and answers what depends on values."""

    def __init__(self, mode: FakeTensorMode) -> None:
        super().__init__()
        self.mode = mode
        self.repeats = Repeats(mode, apart=())
        self.values = Values()
        self.runs: list[list[Made]] = [[]]
        self.alive: list[list[weakref.ref[Any]]] = [[]]  # what was made in each run
        self.notes: dict[str, str] = {}  # names and texts of differences

    def begin(self) -> None:
        """Another run."""
        self.runs.append([])
        self.alive.append([])

    def fake(self, real: Any, *, depends: bool = False) -> Any:
        """Of a tensor that is there before the run."""
        fake = self.mode.from_tensor(real)
        self.values.hand(fake, real, depends=depends)
        return fake

    def __torch_dispatch__(
        self, operator: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if operator is DEVICE and isinstance(args[0], FakeTensor):
            return args[0].device
        kwargs = kwargs or {}
        self._note((args, kwargs))
        if len(self.runs) == 1:
            with _disable_current_modes():
                check_values(self.values, self.notes, Call(operator, args, kwargs))
        depends = _depends_on_values(operator, args)
        result = self._by_values(operator, args, kwargs) if depends else self._by_sizes(operator, args, kwargs)
        results = tensors_of(result)
        self.values.entries.append(Entry(operator, args, kwargs, results, done=depends))
        self.alive[-1] += [weakref.ref(tensor) for tensor in results]
        if _makes_tensors(operator, results):
            self.runs[-1].append(Made(str(operator), tuple(tuple(map(int, tensor.shape)) for tensor in results)))
        return result

    def _by_sizes(self, operator: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
        schema, ask = schema_of(operator), partial(operator, *args, **kwargs)
        tensors: list[Any] = []
        key = self.repeats.key(schema, args, kwargs, tensors)
        if key is None:
            return ask()
        result, _ = self.repeats.run(key, tensors, ask, partial(self.repeats.key, schema, args, kwargs, []))
        return result

    def _by_values(self, operator: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
        given = tree_map_only(torch.Tensor, self.values.of, (args, kwargs))
        with _disable_current_modes(), torch.no_grad():
            result = operator(*given[0], **given[1])
        return tree_map_only(torch.Tensor, partial(self.fake, depends=self.values.depend((args, kwargs))), result)

    def _note(self, given: Any) -> None:
        """Tensors that the module neither has nor is handed, and those that no network has."""
        for tensor in tensors_of(given):
            if tensor.layout != torch.strided:
                self.notes["unlike a run: sparse"] = SPARSE
            if isinstance(tensor, FakeTensor) or tensor.is_meta:
                continue
            if tensor.requires_grad and tensor.is_leaf:
                self.notes["parameter of no module"] = PARAMETER_OF_NO_MODULE
            elif not tensor.untyped_storage().resizable():
                self.notes["memory of NumPy"] = MEMORY_OF_NUMPY


PARAMETER_OF_NO_MODULE = (
    "a tensor that requires gradients is none of the parameters that the module lists (a module in a plain list?): "
    "its gradient is not answered"
)
SPARSE = "a sparse tensor takes the bytes of its parts, and is answered as if it had all elements"
MEMORY_OF_NUMPY = (
    "the forward function computes in NumPy, in memory that is none of PyTorch's allocator's: what comes of it is "
    "counted as if it were, and is of the values that were handed over"
)


@contextmanager
def _answered(listed: _Listed) -> Iterator[None]:
    """Arrays are made of the values, where there are any; and what PyTorch makes in another way without memory, as a
    run makes it. No mode for functions: modules ask whether there is one, and do without fused operators then.
    """

    def patched(function: Any) -> Any:
        def in_numpy(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if not isinstance(tensor, FakeTensor):
                return function(tensor, *args, **kwargs)
            listed.notes["memory of NumPy"] = MEMORY_OF_NUMPY
            return array_of(function, (tensor, *args), listed.values.of)

        return mock.patch.object(torch.Tensor, function.__name__, in_numpy)

    with ExitStack() as patches:
        for function in IN_NUMPY:
            patches.enter_context(patched(function))
        patches.enter_context(mock.patch.object(nn.functional, "one_hot", one_hot))
        yield


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


def warn_of(unlike: Sequence[Difference]) -> None:
    for found in unlike:
        warnings.warn(f"memmodel.torch: {found.text}", stacklevel=3)


@dataclass
class Run:
    """One run, those that followed it, and what was noted."""

    made: list[Made]
    later: list[list[Made]]
    values: Values
    notes: dict[str, str] = field(default_factory=dict)


def _run_of(step: nn.Module, handed: Any, listed: _Listed) -> None:
    trained = {name for name, tensor in step.named_parameters(remove_duplicate=False) if tensor.requires_grad}
    tensors = dict(step.named_parameters(remove_duplicate=False)) | dict(step.named_buffers(remove_duplicate=False))
    fakes = {name: listed.fake(tensor, depends=name in trained) for name, tensor in tensors.items()}
    given = tree_map_only(torch.Tensor, listed.fake, handed)
    before, backward = dict(fakes), Backward()
    drawn = _random_numbers()
    with backward.hooks_noted(listed.notes):
        for number in range(RUNS):
            if number:
                listed.begin()
                torch.clear_autocast_cache()  # a step leaves torch.autocast()
            if number == RUNS - 1:
                state = state_of(step)
            with listed, _answered(listed):
                _, loss = torch.func.functional_call(step, fakes, given)
            backward.check(loss)
            del loss
    changed = changed_in(step, state)
    if changed:
        listed.notes[f"changes in each step: {', '.join(changed[:3])}"] = CHANGES.format(", ".join(changed))
    if drawn != _random_numbers():
        listed.notes["random numbers"] = DRAWN
    for name in sorted(name for name in before if fakes[name] is not before[name]):
        listed.notes["bound anew"] = f"{name.removeprefix('model.')} {BOUND_ANEW}"


DRAWN = "random numbers of Python or NumPy are drawn while the module runs: others may decide otherwise"
BOUND_ANEW = "is bound anew by each run: it is answered as if what it was bound to before the first stayed"
CHANGES = f"{{}} changes in each step: {RUNS} were looked at, and what it decides about later ones is not answered"
COUNTING = "a buffer that steps change decides what is called, or sizes: " + CHANGES.partition(": ")[2]
GROWS = (
    "what a run makes is still kept after the next (a list that grows?): each step is answered as if it kept as much "
    "as the one before"
)


def _random_numbers() -> tuple[Any, ...]:
    """Where the generators outside of torch are."""
    numpy = sys.modules.get("numpy")
    return random.getstate(), numpy and [str(part) for part in numpy.random.get_state()]


def _grows(listed: _Listed) -> bool:
    """Of what is made in a run that is not the first, something is there after the next."""
    listed.values.entries.clear()
    listed.values.handed.clear()
    if not _alive(listed.alive[1]):
        return False
    gc.collect()  # what refers to itself
    return _alive(listed.alive[1])


def _alive(tensors: Sequence[weakref.ref[Any]]) -> bool:
    return any(tensor() is not None for tensor in tensors)


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
    if len(listed.runs) > 2 and _grows(listed):
        listed.notes["kept by each run"] = GROWS
    return Run(listed.runs[0], listed.runs[1:], listed.values, listed.notes)


def set_sizes(step: nn.Module, handed: Any, program: Any) -> None:
    """Those that depend on values; left as they are if the graph cannot be run without memory."""
    with _without_traces(step), suppress(Exception):
        _listed(partial(_graph_of, program, step, handed))


RANDOM = "; random numbers decide about it, and others may decide otherwise"
CHANGING = "values of parameters decide what is called, or sizes: what is answered is of the values that they have now"
DECIDED_BY_RANDOM = "random numbers decide what is called, or sizes: others may decide otherwise"


class _Parting(NamedTuple):
    """What one run calls, and the other in its place; the operator of either."""

    one: str
    other: str
    operator: str


def _parting(run: Sequence[Made], other: Sequence[Made]) -> _Parting | None:
    for pair in itertools.zip_longest(run, other):
        if pair[0] != pair[1]:
            here, there = (str(made or "nothing more") for made in pair)
            return _Parting(here, there, (pair[0] or pair[1]).operator)
    return None


def _unlike_a_run(run: Run, graph: Run) -> Iterator[Difference]:
    parting = _parting(run.made, graph.made)
    if parting:
        text = f"a run calls {parting.one} where {parting.other} is answered"
        yield Difference(f"unlike a run: {parting.operator}", text + RANDOM * run.values.random)
    elif run.values.random:
        yield Difference("decided by random numbers", DECIDED_BY_RANDOM)


def _unlike_the_first(run: Run) -> Iterator[Difference]:
    for number, made in enumerate(run.later, 2):
        parting = _parting(made, run.made)
        if parting:
            text = f"step {number} calls {parting.one} where the first calls {parting.other}: answered as the first"
            yield Difference(f"unlike the first step: {parting.operator}", text)
            return


def differences(step: nn.Module, handed: Any, program: Any) -> list[Difference]:
    """Where the graph parts from eager runs of the step, and what these do that no graph has."""
    with _without_traces(step):
        try:
            run = _listed(partial(_run_of, step, handed))
            graph = _listed(partial(_graph_of, program, step, handed))
        except Refused:
            raise
        except Exception as error:  # whatever is said to tensors without memory
            said = (str(error) or type(error).__name__).splitlines()[0]
            return [Difference("not compared with a run", f"what is answered could not be compared with a run: {said}")]
    found = [*_unlike_a_run(run, graph), *_unlike_the_first(run)]
    training = getattr(step, "loss", None) is not None
    if training and run.values.changing:
        found.append(Difference("decided by parameters", CHANGING))
    if run.values.counting:
        found.append(Difference("decided by buffers", COUNTING))
    hooks = hooks_of(step) if training else ""
    if hooks:
        run.notes.setdefault("hooks of gradients", hooks)
    return found + [Difference(name, text) for name, text in run.notes.items()]
