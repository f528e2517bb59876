"""
Calls of torch.autograd.Function in an exported graph. Export lays their forward() out as ordinary operators; the eager
run makes one node that keeps what save_for_backward() was given. Nodes of the graph are marked while they are traced.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import torch
from torch.autograd.function import FunctionCtx, _SingleLevelFunction
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing
from torch.utils._python_dispatch import TorchDispatchMode

from memmodel._torch_versions import annotate

INSIDE, HANDED, SAVED, RETURNED = (f"memmodel function {word}" for word in ("inside", "handed", "saved", "returned"))
MARKS = (HANDED, SAVED, RETURNED)
CALL = "memmodel.function"


def _bytes(tensor: Any) -> int:
    """Of its storage; where the batch is a symbol, as it was given. Nothing is asked of the symbol."""
    size = tensor.untyped_storage().nbytes()
    return size if isinstance(size, int) else int(size.node.hint)


class _Live(TorchDispatchMode):  # type: ignore[misc]
    """Peak of the bytes that operators have made and not released yet."""

    def __init__(self, there: Sequence[Any]) -> None:
        super().__init__()
        self.there = {tensor.untyped_storage()._cdata for tensor in there}
        self.views: dict[int, int] = {}
        self.now = self.peak = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = function(*args, **(kwargs or {}))
        for tensor in made if isinstance(made, (list, tuple)) else [made]:
            if isinstance(tensor, torch.Tensor):
                self._hold(tensor)
        self.peak = max(self.peak, self.now)
        return made

    def _hold(self, tensor: Any) -> None:
        key, size = tensor.untyped_storage()._cdata, _bytes(tensor)
        if key in self.there:
            return
        self.now += 0 if self.views.get(key) else size
        self.views[key] = self.views.get(key, 0) + 1
        weakref.finalize(tensor, self._drop, key, size)

    def _drop(self, key: int, size: int) -> None:
        self.views[key] -= 1
        self.now -= 0 if self.views[key] else size


def _workspace(cls: Any, context: Any, saved: Sequence[Any], results: Sequence[Any]) -> float:
    """Bytes that backward() takes beside the gradients it returns, against those of the first result."""
    with disable_proxy_modes_tracing(), torch.no_grad():
        saved, gradients = [tensor.detach() for tensor in saved], [torch.empty_like(tensor) for tensor in results]
        given = SimpleNamespace(saved_tensors=tuple(saved), needs_input_grad=context.needs_input_grad)
        given.__dict__.update(getattr(context, "__dict__", {}))
        with _Live([*saved, *gradients]) as live:
            returned = cls.backward(given, *gradients)
        made = [part for part in (returned if isinstance(returned, tuple) else [returned]) if part is not None]
        extra = max(live.peak - sum(map(_bytes, made)), 0)
        return float(extra / _bytes(results[0]))


def _mark(mark: str, number: int, tensors: Sequence[Any]) -> None:
    with annotate({mark: number}):
        for tensor in tensors:
            torch.ops.aten._assert_tensor_metadata(tensor)


class Marks:
    """What is known of each call, by its number: what its backward() takes."""

    def __init__(self) -> None:
        self.numbers = itertools.count(1)
        self.workspaces: dict[int, float] = {}
        self.running: list[int] = []
        self.saved: list[Any] = []

    def call(self, original: Callable[..., Any], cls: Any, args: Any, kwargs: Any) -> Any:
        handed = [part for part in args if isinstance(part, torch.Tensor)]
        if self.running or not torch.is_grad_enabled() or not any(part.requires_grad for part in handed):
            return original(*args, **kwargs)
        number, self.saved = next(self.numbers), []
        _mark(HANDED, number, handed)
        self.running.append(number)
        try:
            with annotate({INSIDE: number}):
                result = original(*args, **kwargs)
        finally:
            self.running.pop()
        results = [
            part for part in (result if isinstance(result, tuple) else [result]) if isinstance(part, torch.Tensor)
        ]
        _mark(RETURNED, number, results)
        try:
            self.workspaces[number] = _workspace(cls, results[0].grad_fn, self.saved, results)
        except Exception:  # whatever a user's backward() needs that is not there
            self.workspaces[number] = 0
        return result

    def save(self, tensors: Sequence[Any]) -> None:
        if self.running:
            self.saved = [tensor for tensor in tensors if isinstance(tensor, torch.Tensor)]
            _mark(SAVED, self.running[-1], self.saved)


@contextmanager
def functions_marked() -> Iterator[Marks]:
    marks = Marks()
    save = FunctionCtx.save_for_backward

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return marks.call(super(_SingleLevelFunction, cls).apply, cls, args, kwargs)

    def save_for_backward(self: Any, *tensors: Any) -> None:
        marks.save(tensors)
        save(self, *tensors)

    try:  # what Function.apply() calls, which a module may have taken hold of long before
        _SingleLevelFunction.apply = classmethod(apply)
        FunctionCtx.save_for_backward = save_for_backward
        yield marks
    finally:
        del _SingleLevelFunction.apply
        FunctionCtx.save_for_backward = save
