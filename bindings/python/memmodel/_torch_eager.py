"""The way that a run takes through a forward function, although the function is traced.

Libraries ask whether they are traced and then compute other things than in a run: attention masks that need not be
there, checks that are left out. The answer to what is asked from outside of torch is no. What they ask of values then,
such as whether a mask lets everything through, is computed: that value and what it is made of, no more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest import mock

import torch
from torch import _meta_registrations
from torch._functorch import config
from torch._subclasses import FakeTensor
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing, get_proxy_mode, get_proxy_slot
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes

from memmodel._torch_checks import Refused, quiet
from memmodel._torch_questions import answered_as_in_a_run
from memmodel._torch_versions import annotate, meta_grouped_mm, values_of_symbols

TRANSFORMERS = "transformers.utils.import_utils"  # also asks a tensor whether it is a real one


# ---- values ----

ABOUT_VALUES = tuple(
    getattr(torch.Tensor, name) for name in ("__bool__", "__int__", "__float__", "__index__", "item", "tolist")
)
IN_NUMPY = (torch.Tensor.numpy, torch.Tensor.__array__)
READING = frozenset((*ABOUT_VALUES, *IN_NUMPY))
DATA = torch.Tensor.data.__get__


def array_of(function: Any, args: Any, values_of: Callable[[Any], Any]) -> Any:
    """What NumPy is handed, of its own: what it writes is seen by no tensor."""
    if args[0].requires_grad:
        raise Refused("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    with _disable_current_modes(), torch.no_grad():
        return function(values_of(args[0]).detach().clone(), *args[1:])


ONE_HOT = functional.one_hot


def one_hot(indices: Any, num_classes: int = -1) -> Any:
    """As a run makes it; without memory PyTorch compares with a range. aten/src/ATen/native/Onehot.cpp, one_hot."""
    classes = int(indices.max()) + 1 if num_classes == -1 else num_classes
    zeros = torch.zeros((*indices.shape, classes), dtype=indices.dtype, device=indices.device)
    return zeros.scatter_(-1, indices.unsqueeze(-1), 1)


ASKING_FOR_GRADIENTS = (torch.Tensor.requires_grad_, torch.Tensor.requires_grad.__set__)  # of no parameter
LEAF = "memmodel leaf"


class _Values:
    """Real tensors behind the nodes of a graph that is being traced, as far as they were asked for."""

    def __init__(self, tracer: Any, fakes: FakeTensor) -> None:
        self.tracer = tracer
        self.found: dict[Any, Any] = {}
        converter = fakes.fake_mode.fake_tensor_converter.meta_converter
        for real, number in converter.describer.lookup_tensor.items():
            fake = converter.tensor_memo.get(number)
            slot = get_proxy_slot(fake, tracer, None) if fake is not None else None
            if slot is not None:
                self.found[slot.proxy.node] = real

    def of(self, fake: Any) -> Any:
        node = get_proxy_slot(fake, self.tracer).proxy.node
        needed = self._needed(node)
        for other in self.tracer.graph.nodes:
            if other in needed:
                self.found[other] = self._run(other)
        return self.found[node]

    def _needed(self, node: Any) -> set[Any]:
        """Nodes that were not run yet, with those that write into what they use."""
        needed: set[Any] = set()
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if node in needed or node in self.found:
                continue
            needed.add(node)
            waiting += node.all_input_nodes
            waiting += [user for user in node.users if user.op == "call_function" and _writes(user.target)]
        return needed

    def _run(self, node: Any) -> Any:
        if node.op == "get_attr":
            return getattr(self.tracer.root, node.target)
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), self.found.__getitem__)
        return node.target(*args, **kwargs)


def _writes(target: Any) -> bool:
    schema = getattr(target, "_schema", None)
    return schema is not None and bool(schema.is_mutable)


def _mark_leaf(tensor: FakeTensor, requires_grad: bool = True) -> None:
    if requires_grad and not tensor.requires_grad:
        with annotate({LEAF: 1}):
            torch.ops.aten._assert_tensor_metadata(tensor)


class _Answers(TorchFunctionMode):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.values: _Values | None = None

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if function == DATA and isinstance(args[0], FakeTensor):
            return args[0].detach()  # while it is traced x.data is a constant
        if function is torch.Tensor.__contains__:
            with self:
                return bool((args[1] == args[0]).any())
        if function is ONE_HOT:
            with self:
                return one_hot(*args, **kwargs)
        if function in ASKING_FOR_GRADIENTS and isinstance(args[0], FakeTensor):
            _mark_leaf(args[0], *args[1:], **kwargs)
        if function in READING and isinstance(args[0], FakeTensor):
            try:
                return self._answer(function, args, kwargs)
            except Refused:
                raise
            except Exception:  # no real tensors, or a call that only works while it is traced
                pass
        return function(*args, **kwargs)

    def _answer(self, function: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
        mode = get_proxy_mode()
        if self.values is None or self.values.tracer is not mode.tracer:
            self.values = _Values(mode.tracer, args[0])
        torch.ops.aten._assert_tensor_metadata(args[0])  # a use of it: nothing that the run computes is left out
        with _disable_current_modes(), disable_proxy_modes_tracing(), torch.no_grad():
            if function in IN_NUMPY:
                return array_of(function, args, self.values.of)
            return function(self.values.of(args[0]), *args[1:], **kwargs)


def _products_of_groups(*args: Any, **kwargs: Any) -> Any:
    """aten._grouped_mm takes float32 in a run on CPU; its form without memory refuses all but bfloat16."""
    names = ("mat_a", "mat_b", "scale_a", "scale_b", "offs", "bias", "scale_result", "out_dtype")
    named = dict(zip(names, args)) | kwargs
    a, b = named["mat_a"], named["mat_b"]
    if named.get("scale_a") is None and a.dtype == b.dtype == torch.float32:
        made = _meta_registrations._create_grouped_mm_output_tensor(a, b, named.get("offs"), named.get("out_dtype"))
        return made.to(named.get("out_dtype") or a.dtype)
    return meta_grouped_mm(*args, **kwargs)


class _Finder:
    """Finds a module as Python does, and hands it on when it is imported."""

    def __init__(self, name: str, then: Callable[[Any], None]) -> None:
        self._name, self._then = name, then

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self._name:
            return None
        found = next(filter(None, (
            finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self
        )), None)  # fmt: skip
        if found and found.loader:
            execute = found.loader.exec_module

            def executed(module: Any) -> None:
                execute(module)
                self._then(module)

            setattr(found.loader, "exec_module", executed)  # noqa: B010
        return found


@contextmanager
def with_module(name: str, then: Callable[[Any], None]) -> Iterator[None]:
    """Hands on the module, now or when the program imports it."""
    finder: Any = _Finder(name, then)
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        if finder in sys.meta_path:
            sys.meta_path.remove(finder)


def _real(patches: ExitStack, module: Any) -> None:
    """Of newer versions: no tensor is one without memory."""
    if hasattr(module, "is_fake_tensor"):
        patches.enter_context(mock.patch.object(module, "is_fake_tensor", lambda _: False))


@contextmanager
def told_as_in_a_run() -> Iterator[None]:
    """Without memory, but as kernels and questions about tracing answer with it."""
    with ExitStack() as patches:
        if meta_grouped_mm:
            patches.enter_context(mock.patch.object(_meta_registrations, meta_grouped_mm.__name__, _products_of_groups))
        patches.enter_context(answered_as_in_a_run())
        patches.enter_context(with_module(TRANSFORMERS, partial(_real, patches)))
        patches.enter_context(torch.random.fork_rng(devices=[]))
        yield


@contextmanager
def as_in_a_run() -> Iterator[None]:
    with told_as_in_a_run(), _Answers():
        yield


@contextmanager
def with_values() -> Iterator[None]:
    """Every operator runs for real as well; sizes that depend on values are those that come of it."""
    with (
        as_in_a_run(),
        config.patch(fake_tensor_propagate_real_tensors=True),
        quiet("torch.fx.experimental.symbolic_shapes"),  # warns of every value that it is given
    ):
        yield


def with_known_sizes(value: Any) -> Any:
    """The tensor with numbers for the sizes that values have decided about; what has none is as it was."""
    if not isinstance(value, torch.Tensor):
        return value
    sizes, strides = [known_size(size) for size in value.shape], [known_size(stride) for stride in value.stride()]
    if all(size is known for size, known in zip(value.shape, sizes, strict=True)):
        return value
    return torch.empty_strided(sizes, strides, dtype=value.dtype, device="meta")


def sizes_are_known(graph: Any) -> bool:
    values = [node.meta.get("val") for node in graph.nodes]
    tensors = [part for value in values for part in (value if isinstance(value, (list, tuple)) else [value])]
    sizes = [known_size(size) for part in tensors if isinstance(part, torch.Tensor) for size in part.shape]
    return not any(free_unbacked_symbols(size) for size in sizes if not isinstance(size, int))


def known_size(size: Any) -> Any:
    """A size that depends on values alone, as it was when every operator ran for real."""
    if not isinstance(size, torch.SymInt):
        return size
    found = size.node.expr.xreplace(values_of_symbols(size.node.shape_env))
    return int(found) if found.is_Integer else size
