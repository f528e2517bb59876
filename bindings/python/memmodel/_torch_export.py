"""What torch.export finds in a module's step, as plain calls: operator, arguments, results, and where Python was."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch._export.non_strict_utils import _clean_dynamic_markers
from torch.utils import checkpoint
from torch.utils._pytree import tree_leaves

from memmodel._torch_checks import (
    Refused,
    check_loss,
    check_types,
    compiled_functions_refused,
    differentiations_noted,
    failures_unprinted,
)
from memmodel._torch_eager import LEAF, as_in_a_run, known_size, sizes_are_known, with_known_sizes, with_values
from memmodel._torch_functions import CALL as FUNCTION
from memmodel._torch_functions import HANDED, INSIDE, MARKS, RETURNED, SAVED, functions_marked
from memmodel._torch_lifetime_ends import ATTRIBUTE, CACHED, KEY, MADE, RELEASED, lifetime_ends_marked, mark_cached
from memmodel._torch_runs import Difference, as_they_were, differences, set_sizes
from memmodel._torch_storages import identity
from memmodel._torch_versions import annotate, preserve_node_meta

SAME_MODULE = re.compile(r"\.forward\(")  # in a line: what it calls is not called as a module
PLACE = re.compile(r'^\s*File "(.*)", line (\d+), in (.*)$')
NOWHERE = "_empty_nn_module_stack_from_metadata_hook"  # module of the sizes that torch.export itself asks for


def tensors_in(value: Any, depth: int = 8) -> list[Any]:
    """The tensors that an object keeps alive: of sequences, mappings and plain attributes, in their order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if depth == 0 or value is None or isinstance(value, (str, bytes, int, float, complex, type, nn.Module)):
        return []
    if isinstance(value, Mapping):
        value = list(value.values())
    elif not isinstance(value, (list, tuple)):
        value = list(getattr(value, "__dict__", {}).values())
    return [tensor for part in value for tensor in tensors_in(part, depth - 1)]


def loss_in(output: Any) -> Any:
    """The loss that a model gives itself: `output.loss`, or an output that is a single number; else None."""
    loss = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
    if isinstance(loss, torch.Tensor):
        return loss
    return output if isinstance(output, torch.Tensor) and output.numel() == 1 else None


class Step(nn.Module):  # type: ignore[misc]
    """The forward half of a step, with the names that the user's loop binds."""

    def __init__(self, model: nn.Module, loss: Callable[..., Any] | None) -> None:
        super().__init__()
        self.model = model
        self.loss = loss

    def forward(self, args: Sequence[Any], kwargs: Mapping[str, Any], target: Any = None) -> Any:
        y = self.model(*args, **kwargs)
        loss = None if self.loss is None else self.loss(y) if target is None else self.loss(y, target)
        if self.loss is not None:
            check_loss(loss)
        with annotate({END: 1}):  # what is still there now, the names `y` and `loss` hold
            torch.ops.aten._assert_tensor_metadata(torch.empty(0))
        returned = tensors_in(y)
        mark_cached([*returned, *tensors_in(loss)])
        return returned, loss


END = "memmodel end"


@dataclass(frozen=True)
class Place:
    """A frame of a forward function: file, line, function, the text of the line, and the module it is of."""

    file: str
    line: int
    function: str
    text: str
    module: str  # a call of it: with a number behind @ if it is not the first
    path: str  # name of the module


@dataclass(frozen=True)
class Value:
    """A result of a call, or an input: referred to by the arguments of later calls. `index` -1: all results."""

    name: str
    index: int = -1


@dataclass
class Call:
    name: str
    target: str
    arguments: dict[str, Any]
    results: list[Any]  # a fake tensor each; None for what is none
    places: tuple[Place, ...]
    checkpoint: int = 0  # which call of torch.utils.checkpoint it is in, counted from 1; 0: none
    function: int = 0  # the same of torch.autograd.Function
    made: int = 0  # how many nodes there were when its tensor was made, and when Python released it; 0: not known
    released: int = 0
    cached: int = 0  # the same of when a cache that keeps it until the next step was filled; 0: none does
    tensor_lists: frozenset[str] = frozenset()


@dataclass
class Given:
    """A tensor that is there before the step. kind: "parameter", "buffer", "input" or "constant"."""

    kind: str
    name: str  # in the module; of inputs in the graph
    tensor: Any
    values: list[str] = field(default_factory=list)  # its names in the graph
    real: Any = None  # of inputs: what was handed over, without symbols


@dataclass
class Program:
    given: list[Given]
    calls: list[Call]
    outputs: list[Value]
    loss: Value | None
    reentrant: frozenset[int]  # checkpoints that are
    traced: bool = False  # it knew that it was traced, and may have made masks for that
    cached: list[Value] = field(default_factory=list)  # kept until the next step, as outputs are
    bound: dict[str, str] = field(default_factory=dict)  # by output that the model itself keeps: the call before that
    unlike: Sequence[Difference] = ()  # where eager runs call something else, or do what no graph has


# ---- the graph ----


def _places(node: Any) -> tuple[Place, ...]:
    """
    One per forward function, outermost first, each with its module where the trace has it; none for what no source
    says.
    """
    modules = [(key, path) for key, (path, _) in (node.meta.get("nn_module_stack") or {}).items()]
    if (NOWHERE, NOWHERE) in modules:
        return ()
    lines = (node.meta.get("stack_trace") or "").split("\n")
    found = []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        match = PLACE.match(line)
        if match:
            found.append((*match.groups(), "" if PLACE.match(below) else below.strip()))
    places, depth = [], 0
    for file, number, function, text in found:
        module = modules[min(depth, len(modules) - 1)] if modules else ("", "")
        places.append(Place(file, int(number), function, text, *module))
        depth += not SAME_MODULE.search(text)
    return tuple(places)


def _encoded(value: Any) -> Any:
    if isinstance(value, torch.fx.Node):
        number = known_size(value.meta.get("val"))
        return number if type(number) is int else Value(value.name)
    if isinstance(value, (list, tuple)):
        return [_encoded(part) for part in value]
    return value


def _results(node: Any) -> list[Any]:
    value = node.meta.get("val")
    return list(map(with_known_sizes, value)) if isinstance(value, (list, tuple)) else [with_known_sizes(value)]


def _arguments(node: Any) -> dict[str, Any]:
    """Arguments by the names of the operator's schema, without those at their default."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return {str(index): _encoded(value) for index, value in enumerate(node.args)}
    given = {argument.name: _encoded(value) for argument, value in zip(schema.arguments, node.args, strict=False)}
    given |= {name: _encoded(value) for name, value in node.kwargs.items()}
    return {
        argument.name: given[argument.name]
        for argument in schema.arguments
        if argument.name in given and not _is_default(argument, given[argument.name])
    }


def _is_default(argument: Any, value: Any) -> bool:
    if not argument.has_default_value():
        return False
    default = argument.default_value
    return type(default) is type(value) and bool(default == value)


def _calls(graph_module: Any, names: dict[str, Any]) -> Iterator[Call]:
    """Calls in order; those of a region without gradients between calls that switch them off and on."""
    for node in graph_module.graph.nodes:
        if node.op == "get_attr":
            names[node.name] = getattr(graph_module, node.target)
        if node.op != "call_function":
            continue
        target = str(node.target)
        if _custom(node, LEAF):
            yield Call(
                node.name, REQUIRES_GRAD, {"self": _encoded(node.args[0])}, [node.args[0].meta["val"]], _places(node)
            )
            continue
        if any(_custom(node, mark) for mark in (HELD, END, ATTRIBUTE)) or any(_custom(node, mark) for mark in MARKS):
            continue
        if "wrap_with_set_grad_enabled" in target:
            yield _switch(f"{node.name}_begin", bool(node.args[0]), _places(node))
            yield from _region(node, node.args[1:], names)
            yield _switch(f"{node.name}_end", not node.args[0], _places(node))
            yield _results_of_region(node, node.args[1:], names)
            continue
        if "wrap_with_autocast" in target and (node.args[0] != "cpu" or not node.args[2]):
            yield from _region(node, node.args[4:], names)
            yield _results_of_region(node, node.args[4:], names)
            continue
        if "_set_grad_enabled" in target:
            yield _switch(node.name, bool(node.args[0]), _places(node))
            continue
        call = Call(node.name, target, _arguments(node), _results(node), _places(node), _checkpoint_of(node))
        call.function = _custom(node, INSIDE)
        call.made, call.released, call.cached = _custom(node, MADE), _custom(node, RELEASED), _custom(node, CACHED)
        yield call


REQUIRES_GRAD = "memmodel.requires_grad"
SWITCH = "memmodel.set_grad_enabled"
ASSERTION = "_assert_tensor_metadata"


def _switch(name: str, enabled: bool, places: tuple[Place, ...]) -> Call:
    return Call(name, SWITCH, {"enabled": int(enabled)}, [], places)


def _inside(node: Any, name: str) -> str:
    return f"{node.name}_{name}"


def _handed_to(graph: Any, values: Sequence[Any]) -> dict[str, Any]:
    """What a graph of its own is called with, by its own names."""
    inputs = [place.name for place in graph.nodes if place.op == "placeholder"]
    return dict(zip(inputs, map(_encoded, values), strict=True))


def _region(node: Any, handed: Sequence[Any], names: Mapping[str, Any]) -> Iterator[Call]:
    """The block of torch.no_grad() or torch.autocast(): a graph of its own, laid out in place. Its values have the name
    of the node before theirs.
    """
    inner, *values = handed
    renamed = _handed_to(names[inner.name].graph, values)
    for call in _calls(names[inner.name], {}):
        original, call.name = call.name, _inside(node, call.name)
        call.arguments = {name: _renamed(value, renamed) for name, value in call.arguments.items()}
        call.places = call.places or _places(node)
        renamed[original] = Value(call.name)
        call.checkpoint = call.checkpoint or _checkpoint_of(node)
        yield call


def _results_of_region(node: Any, handed: Sequence[Any], names: Mapping[str, Any]) -> Call:
    """What it hands on: values of its own, or of what it was handed."""
    inner, *values = handed
    graph = names[inner.name].graph
    renamed = {place.name: Value(_inside(node, place.name)) for place in graph.nodes if place.op == "call_function"}
    renamed |= _handed_to(graph, values)
    output = next(place for place in graph.nodes if place.op == "output")
    results = _renamed(_encoded(list(output.args[0])), renamed)
    return Call(node.name, "memmodel.tuple", {"values": results}, _results(node), _places(node))


def _renamed(value: Any, names: Mapping[str, Any]) -> Any:
    if isinstance(value, Value):
        return names.get(value.name, value)
    if isinstance(value, list):
        return [_renamed(part, names) for part in value]
    return value


# ---- torch.utils.checkpoint ----

CHECKPOINT, HELD, BOUND = "memmodel checkpoint", "memmodel held", "memmodel bound"
HOLD = "memmodel.hold"


def _custom(node: Any, key: str) -> int:
    return int((node.meta.get("custom") or {}).get(key, 0))


def _checkpoint_of(node: Any) -> int:
    return _custom(node, CHECKPOINT)


def _mark_assertions(calls: Sequence[Call]) -> None:
    """They stand before the call that they are about, with the marks of the one before."""
    for call, following in reversed(list(itertools.pairwise(calls))):
        if ASSERTION in call.target:
            call.checkpoint = following.checkpoint


def _with_held(calls: Sequence[Call], graph_module: Any, reentrant: set[int]) -> list[Call]:
    """What checkpoint() is handed is kept, also what nothing inside uses; what the function of a reentrant one has
    bound is kept longer.
    """
    held: dict[int, list[Value]] = {}
    bound: set[tuple[int, str]] = set()
    for node in graph_module.graph.nodes:
        if number := _custom(node, HELD):
            held.setdefault(number, []).append(Value(node.args[0].name))
        if number in reentrant and _custom(node, BOUND):
            bound.add((number, node.args[0].name))
    used: dict[int, set[str]] = {}
    last = {}
    for position, call in enumerate(calls):
        used.setdefault(call.checkpoint, set()).update(_names_in(call.arguments))
        last[call.checkpoint] = position
    found = list(calls)
    for number, position in sorted(last.items(), reverse=True, key=lambda item: item[1]):
        values = [
            value for value in held.get(number, ()) if value.name not in used[number] or (number, value.name) in bound
        ]
        if values:
            call = Call(f"checkpoint_{number}", HOLD, {"values": values}, [], calls[position].places, number)
            found.insert(position + 1, call)
    return found


@contextmanager
def _checkpoints_marked() -> Iterator[set[int]]:
    """What torch.utils.checkpoint calls runs once, as it is, and its nodes say of which call they are. Gives the calls
    with use_reentrant=True.
    """
    numbers = itertools.count(1)
    reentrant: set[int] = set()

    @contextmanager
    def marked(function: Any, *handed: Any) -> Iterator[int]:
        number = next(numbers)
        for values, mark in (
            (handed, {HELD: number}),
            (getattr(function, "args", ()), {HELD: number, BOUND: number}),
            (getattr(function, "keywords", ()), {HELD: number, BOUND: number}),
        ):
            with annotate(mark):
                for tensor in tensors_in(values):
                    torch.ops.aten._assert_tensor_metadata(tensor)
        with annotate({CHECKPOINT: number}):
            yield number

    def around(function: Any, _0: Any, _1: Any, _2: Any, _3: Any, _4: Any, *args: Any, **kwargs: Any) -> Iterator[None]:
        with marked(function, args, kwargs):
            yield

    class Reentrant:
        @staticmethod
        def apply(function: Callable[..., Any], _: bool, *args: Any) -> Any:
            with marked(function, args) as number:
                reentrant.add(number)
                return function(*args)

    patches = {"_checkpoint_without_reentrant_generator": around, "CheckpointFunction": Reentrant}
    originals = {name: getattr(checkpoint, name) for name in patches}
    try:
        for name, patch in patches.items():
            setattr(checkpoint, name, patch)
        with preserve_node_meta():
            yield reentrant
    finally:
        for name, original in originals.items():
            setattr(checkpoint, name, original)


# ---- torch.autograd.Function ----


@dataclass
class _Function:
    """Values that a call of a Function was handed, saved and returned; and the fake tensors that it returned."""

    handed: list[Value] = field(default_factory=list)
    saved: list[Value] = field(default_factory=list)
    returned: list[Value] = field(default_factory=list)
    fakes: list[Any] = field(default_factory=list)


def _functions(graph_module: Any) -> dict[int, _Function]:
    found: dict[int, _Function] = {}
    for node in graph_module.graph.nodes:
        for mark, words in ((HANDED, "handed"), (SAVED, "saved"), (RETURNED, "returned")):
            if number := _custom(node, mark):
                function = found.setdefault(number, _Function())
                getattr(function, words).append(Value(node.args[0].name))
                if mark == RETURNED:
                    function.fakes.append(node.args[0].meta["val"])
    return found


def _node_of(number: int, function: _Function, workspace: float, last: Call) -> Call:
    """What stands for the node of a call of a Function, behind the last of its operators."""
    values = {"returned": function.returned, "handed": function.handed, "saved": function.saved}
    arguments: dict[str, Any] = {name: list(part) for name, part in values.items() if part}
    arguments |= {"results": len(function.returned), "inputs": len(function.handed), "workspace": workspace}
    places = last.places[:-1] or last.places
    return Call(f"function_{number}", FUNCTION, arguments, function.fakes, places, last.checkpoint)


def _with_functions(
    calls: Sequence[Call], graph_module: Any, workspaces: Mapping[int, float]
) -> tuple[list[Call], dict[str, Any]]:
    """Their operators run without gradients, and a node follows them. With it: what their results are called now."""
    functions = _functions(graph_module)
    found: list[Call] = []
    renamed: dict[str, Any] = {}
    before = 0
    last = {call.function: position for position, call in enumerate(calls)}
    for position, (call, following) in enumerate(itertools.zip_longest(calls, calls[1:])):
        number = call.function if call.function in functions else 0
        call.arguments = {name: _renamed(value, renamed) for name, value in call.arguments.items()}
        if number and number != before:
            found.append(_switch(f"function_{number}_begin_{position}", False, call.places))
        found.append(call)
        before = number
        if not number or (following and following.function == number):
            continue
        found.append(_switch(f"function_{number}_end_{position}", True, call.places))
        if position < last[number]:
            continue
        node = _node_of(number, functions[number], workspaces.get(number, 0), call)
        node.arguments = {name: _renamed(value, renamed) for name, value in node.arguments.items()}
        found.append(node)
        renamed |= {value.name: Value(node.name, index) for index, value in enumerate(functions[number].returned)}
    return found, renamed


# ---- what is there before ----


def _plain_attributes(module: nn.Module) -> Iterator[tuple[str, Any]]:
    """Tensors in ordinary attributes of modules, which no list of parameters or buffers has."""
    for name, part in module.named_modules():
        for key, value in vars(part).items():
            if key.startswith("_"):
                continue
            for tensor in tensors_in(value, 3) if isinstance(value, (torch.Tensor, list, tuple, dict)) else []:
                yield f"{name}.{key}".strip("."), tensor


def _residents(step: Step) -> dict[Any, Given]:
    """Parameters and buffers by their objects, other tensors of the module by their elements: each once."""
    found: dict[Any, Given] = {}
    sources = (
        ("parameter", step.named_parameters(remove_duplicate=False)),
        ("buffer", step.named_buffers(remove_duplicate=False)),
        ("constant", _plain_attributes(step)),
    )
    for kind, tensors in sources:
        for name, tensor in tensors:
            if tensor.is_sparse or not (tensor.numel() or tensor.requires_grad) or id(tensor) in found:
                continue
            key = identity(tensor) if kind == "constant" else id(tensor)
            found.setdefault(key, Given(kind, name.removeprefix("model."), tensor))
    return found


def _match_placeholders(program: Any, step: Step, handed: Any, residents: dict[Any, Given]) -> list[Given]:
    """Which value of the graph is which tensor; inputs and constants that only the graph has are added."""
    state = dict(step.named_parameters(remove_duplicate=False)) | dict(step.named_buffers(remove_duplicate=False))
    fakes = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
    given = list(residents.values())
    inputs: dict[Any, Given] = {}
    specs = program.graph_signature.input_specs
    names = [spec.arg.name for spec in specs if spec.kind.name == "USER_INPUT"]
    leaves = dict(zip(names, tree_leaves((handed, {})), strict=True))
    for spec in specs:
        name = spec.arg.name
        tensor = state.get(spec.target, program.constants.get(spec.target)) if spec.target else None
        if name in leaves:
            if isinstance(fakes[name], torch.Tensor):
                key = identity(leaves[name])  # one tensor may be handed over twice
                inputs.setdefault(key, Given("input", name, fakes[name], real=leaves[name])).values.append(name)
        elif isinstance(tensor, torch.Tensor):
            known = residents.get(id(tensor) if spec.target in state else identity(tensor))
            if known:
                known.values.append(name)
            else:
                given.append(Given("constant", spec.target, tensor, [name]))
    return [*given, *inputs.values()]


def _replaced(graph: Any, step: Step) -> set[str]:
    """Attributes that a forward function binds: what they were before goes then, and so in the first step alone."""
    paths = {id(part): name.removeprefix("model").strip(".") for name, part in step.named_modules()}
    bound = [node.meta["custom"] for node in graph.nodes if _custom(node, ATTRIBUTE)]
    return {f"{paths[marks[ATTRIBUTE]]}.{marks[KEY]}".strip(".") for marks in bound if marks[ATTRIBUTE] in paths}


LITERAL = "aten.lift_fresh_copy.default"


def _is_literal(given: Given, calls: Sequence[Call]) -> bool:
    """torch.tensor(3) in a forward function: the eager run has no other tensor than the one that the call makes."""
    if given.kind != "constant" or not given.values:
        return False
    users = [call for call in calls if any(name in _names_in(call.arguments) for name in given.values)]
    return bool(users) and all(call.target == LITERAL for call in users)


def _is_unseen(given: Given, replaced: set[str]) -> bool:
    return given.kind == "constant" and not given.values and given.name in replaced


def _names_in(arguments: Mapping[str, Any]) -> set[str]:
    """Of the values that a call's arguments are, at any depth."""
    found: set[str] = set()
    waiting = list(arguments.values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, Value):
            found.add(value.name)
        elif isinstance(value, list):
            waiting += value
    return found


GETITEM = "<built-in function getitem>"
BROADCAST = "aten.broadcast_tensors.default"


def _as_made(value: Value, calls: Sequence[Call]) -> Value:
    """The value by its first name: a loss that broadcasts its arguments gives the model's output another one."""
    by_name = {call.name: call for call in calls}
    while (call := by_name.get(value.name)) and call.target == GETITEM:
        source = by_name.get(call.arguments["0"].name)
        if source is None or source.target != BROADCAST:
            return value
        first = source.arguments["tensors"][call.arguments["1"]]
        if not isinstance(first, Value) or first.name not in by_name or _shapes(call) != _shapes(by_name[first.name]):
            return value
        value = first
    return value


def _shapes(call: Call) -> list[tuple[Any, ...]]:
    return [tuple(fake.shape) for fake in call.results if isinstance(fake, torch.Tensor)]


WAYS: tuple[Callable[[], AbstractContextManager[None]], ...] = (as_in_a_run, with_values, nullcontext)


def _exported(step: Step, handed: tuple[Any, ...], dynamic_shapes: Any) -> tuple[Any, bool]:
    """What a run computes; where that depends on what export cannot know, as much as it says of itself."""
    errors: list[Exception] = []
    differentiated: list[str] = []
    programs: list[tuple[Any, bool]] = []
    for way in WAYS:
        try:
            with (
                way(), lifetime_ends_marked(), compiled_functions_refused(), differentiations_noted(differentiated),
                failures_unprinted(),
            ):  # fmt: skip
                program = torch.export.export(step, handed, dynamic_shapes=dynamic_shapes, strict=False)
        except Refused:
            raise
        except Exception as error:  # whatever export says
            errors.append(error)
            continue
        finally:
            for tensor in tensors_in(handed):
                _clean_dynamic_markers(tensor)  # export itself does so where it gets to its end
        programs.append((program, way is nullcontext))
        if not sizes_are_known(program.graph):
            set_sizes(step, handed, program)
        if sizes_are_known(program.graph):
            return programs[-1]
    if not programs and differentiated:
        raise RuntimeError(f"{differentiated[0]} ({errors[0]})") from errors[0]
    if not programs:
        raise errors[0]
    return programs[0]


def _held_at_the_end(graph: Any, calls: Sequence[Call], known: Sequence[Any]) -> list[Value]:
    """What an object that the model returns keeps in places of its own, such as the lengths of a cache, and what its
    modules keep in attributes, functools.lru_cache() of results.
    """
    end = next((_custom(node, MADE) for node in graph.nodes if _custom(node, END)), 0)
    names = {value.name for value in known if value is not None}
    held = [_as_made(Value(call.name), calls) for call in calls if call.released > end > 0 and not call.cached]
    return [value for value in dict.fromkeys(held) if value.name not in names]


def _bound_in_the_model(graph: Any, calls: Sequence[Call], held: Sequence[Value]) -> dict[str, str]:
    """Attributes that modules keep, by the call after which they are bound."""
    names = {call.name for call in calls}
    found = {}
    last = ""
    for node in graph.nodes:
        last = node.name if node.name in names else last
        if _custom(node, ATTRIBUTE):
            found[node.args[0].name] = last
    return {value.name: found[value.name] for value in held if value.name in found}


TRACED = (
    "memmodel.torch: the module could be traced only as code that knows that it is traced; where it asks for that, or "
    "for values, a run may take another branch than the one that is answered"
)


def export(step: Step, handed: tuple[Any, ...], dynamic_shapes: Any = None) -> Program:
    """Calls of `step(*handed)`, in the mode that its modules are in."""
    with as_they_were(step), _checkpoints_marked() as reentrant, functions_marked() as marks:
        program, traced = _exported(step, handed, dynamic_shapes)
    check_types(program.graph_module)
    if traced:
        warnings.warn(TRACED, stacklevel=2)
    unlike = differences(step, handed, program)
    given = _match_placeholders(program, step, handed, _residents(step))
    names: dict[str, Any] = {}
    calls = list(_calls(program.graph_module, names))
    _mark_assertions(calls)
    calls, renamed = _with_functions(calls, program.graph_module, marks.workspaces)
    calls = _with_held(calls, program.graph_module, reentrant)
    output = next(node for node in program.graph.nodes if node.op == "output")
    replaced = _replaced(program.graph, step)
    given = [tensor for tensor in given if not _is_literal(tensor, calls) and not _is_unseen(tensor, replaced)]
    returned = _renamed(_encoded(list(output.args[0])), renamed)
    loss = returned[-1] if step.loss is not None else None
    outputs = returned[:-1] if step.loss is not None else returned
    outputs = [_as_made(value, calls) for value in outputs if isinstance(value, Value)]
    held = _held_at_the_end(program.graph, calls, [*outputs, loss])
    bound = _bound_in_the_model(program.graph, calls, held)
    outputs += held
    kept = {value.name for value in [*outputs, loss] if value is not None}
    cached = [Value(call.name) for call in calls if call.cached and call.name not in kept]
    return Program(given, calls, outputs, loss, frozenset(reentrant), traced, cached, bound, unlike)
