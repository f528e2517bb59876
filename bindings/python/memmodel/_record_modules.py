"""Which module, which pass and which line an operator belongs to, also in the backward pass."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as hooks
from torch.optim import optimizer as optimizers

from memmodel._record_places import here

FORWARD, BACKWARD, OPTIMIZER = "forward", "backward", "optimizer"
RECENT = 1 << 20  # nodes whose place is kept


class Place:
    """A module, a line."""

    __slots__ = ("layer", "line")

    def __init__(self, layer: str, line: str) -> None:
        self.layer, self.line = layer, line


class Modules:
    """Follows calls of modules and steps of optimizers, and the nodes of autograd that were made in them."""

    def __init__(self, found: Callable[[nn.Module], None]) -> None:
        """found: is handed each model that is called for the first time."""
        self._found = found
        self._names: weakref.WeakKeyDictionary[nn.Module, dict[nn.Module, str]] = weakref.WeakKeyDictionary()
        self._open: list[tuple[nn.Module, str]] = []
        self._nodes: dict[int, Place] = {}
        self._stepping = 0
        self._roots: weakref.WeakSet[nn.Module] = weakref.WeakSet()
        self.phase = FORWARD
        self.node = -1  # of autograd: that an operator makes, or in the backward pass runs for
        self.place = Place("", "")

    # ---- calls of modules ----

    def follow(self, stack: ExitStack) -> None:
        for handle in (
            hooks.register_module_forward_pre_hook(self._enter),
            hooks.register_module_forward_hook(self._leave, always_call=True),
            optimizers.register_optimizer_step_pre_hook(self._begin_step),
        ):
            stack.callback(handle.remove)

    def _enter(self, module: nn.Module, _: Any) -> None:
        if not self._open and module not in self._roots:
            self._roots.add(module)
            self._found(module)
        root = self._open[0][0] if self._open else module
        self._open.append((module, self._name(root, module)))

    def _leave(self, module: nn.Module, *_: Any) -> None:
        while self._open:  # those inside that raised are left as well
            if self._open.pop()[0] is module:
                return

    def _name(self, root: nn.Module, module: nn.Module) -> str:
        names = self._names.get(root)
        if names is None or module not in names:
            names = {part: name for name, part in root.named_modules()}
            self._names[root] = names
        return names.get(module, type(module).__name__)

    # ---- steps of optimizers ----

    def _begin_step(self, *_: Any) -> None:
        self._stepping += 1

    def end_step(self) -> bool:
        """Whether it was that of the outermost optimizer: one may call another's."""
        self._stepping = max(0, self._stepping - 1)
        return self._stepping == 0

    # ---- operators ----

    def entered(self) -> None:
        """An operator runs: where it belongs."""
        node = torch._C._current_autograd_node()
        if node is not None:
            self.phase, self.node = BACKWARD, _sequence(node)
            self.place = self._nodes.get(self.node) or Place("", "")
            return
        self.phase = OPTIMIZER if self._stepping else FORWARD
        self.place = Place(self._open[-1][1] if self._open else "", here())
        self.node = torch._C._autograd._get_sequence_nr() - 1 if torch.is_grad_enabled() else -1
        if self.node >= 0:
            self._nodes[self.node] = self.place
            if len(self._nodes) > RECENT:
                del self._nodes[next(iter(self._nodes))]


def _sequence(node: Any) -> int:
    return int(node._sequence_nr())
