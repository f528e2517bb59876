"""What loss.backward() would say, and hooks that it would call: seen in a run without memory, which has its graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch import nn

from memmodel._torch_checks import Refused

WRITTEN = "modified by an inplace operation"
AGAIN = (
    "loss: the next step's backward() is trying to backward through the graph a second time, as the module keeps a "
    "tensor of this step with its graph; detach() what it keeps"
)
HOOKS = "hooks of gradients are called in the backward pass: what they make is not answered"


class Backward:
    """Of losses of runs that follow each other."""

    def __init__(self) -> None:
        self.before: set[Any] = set()  # nodes of the last loss that have saved something

    def check(self, loss: Any) -> None:
        saving = set()
        for node in _nodes_of(loss):
            if _saves(node):
                saving.add(node)
        if saving & self.before:
            raise Refused(AGAIN)
        self.before = saving

    @contextmanager
    def hooks_noted(self, notes: dict[str, str]) -> Iterator[None]:
        original = torch.Tensor.register_hook

        def register(tensor: Any, hook: Any) -> Any:
            notes["hooks of gradients"] = HOOKS
            return original(tensor, hook)

        with mock.patch.object(torch.Tensor, "register_hook", register):
            yield


def hooks_of(step: nn.Module) -> str:
    """Those that were there before: of parameters, and of modules."""
    parameters = any(p._backward_hooks or getattr(p, "_post_accumulate_grad_hooks", None) for p in step.parameters())
    modules = any(part._backward_hooks or part._backward_pre_hooks for part in step.modules())
    return HOOKS if parameters or modules else ""


def _nodes_of(loss: Any) -> Iterator[Any]:
    waiting = [getattr(loss, "grad_fn", None)]
    seen = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        yield node
        waiting += [following for following, _ in node.next_functions]


def _saves(node: Any) -> bool:
    """Whether it keeps tensors. Refused if one of them has changed since, unless a hook is to make it anew."""
    names = [name for name in dir(node) if name.startswith("_raw_saved_")]
    for name in names:
        saved = getattr(node, name)
        for part in saved if isinstance(saved, (tuple, list)) else [saved]:
            if getattr(part, "unpack_hook", None) is None:
                _unpack(node, name)
    return bool(names)


def _unpack(node: Any, name: str) -> None:
    try:
        getattr(node, "saved_tensors" if name == "_raw_saved_tensors" else name.removeprefix("_raw"), None)
    except RuntimeError as error:
        if WRITTEN in str(error):
            raise Refused(f"loss: {error}") from error
