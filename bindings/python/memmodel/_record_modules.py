"""Which module, which pass and which line an operator belongs to, also in the backward pass."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import ExitStack
from itertools import chain, count
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as hooks
from torch.optim import optimizer as optimizers
from torch.utils.weak import WeakTensorKeyDictionary

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

    def __init__(self) -> None:
        self.found: Callable[[nn.Module], None]  # is handed each model that is called for the first time
        self._names: weakref.WeakKeyDictionary[nn.Module, str] = weakref.WeakKeyDictionary()
        self._owners = WeakTensorKeyDictionary()  # of parameters: names of their modules
        self._models: set[str] = set()
        self._first = ""  # of those that have parameters: its parts have their own names alone
        self._open: list[tuple[nn.Module, str]] = []
        self._nodes: dict[int, Place] = {}
        self._stepping = 0
        self._roots: weakref.WeakSet[nn.Module] = weakref.WeakSet()
        self.phase = FORWARD
        self.node = -1  # of autograd: that an operator makes, or in the backward pass runs for
        self.made = -1  # that it makes, of gradients as well where they are to have gradients
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
            self._name_parts(module)
            self.found(module)
        name = self._names.get(module)
        if name is None:
            self._name_parts(self._open[0][0] if self._open else module)
            name = self._names.setdefault(module, type(module).__name__)
        self._open.append((module, name))

    def _leave(self, module: nn.Module, *_: Any) -> None:
        while self._open:  # those inside that raised are left as well
            if self._open.pop()[0] is module:
                return

    def _name_parts(self, root: nn.Module) -> None:
        """Parts of a model by their own names, the model itself by its class; of a second model after that."""
        name = self._names.get(root) or self._new_name(type(root).__name__)
        if not self._first and any(True for _ in root.parameters()):
            self._first = name
        within = "" if name == self._first else f"{name}."
        for part_name, part in root.named_modules():
            self._names.setdefault(part, f"{within}{part_name}" if part_name else name)
            for tensor in chain(part.parameters(recurse=False), part.buffers(recurse=False)):
                if tensor not in self._owners:
                    self._owners[tensor] = self._names[part]

    def _new_name(self, name: str) -> str:
        """Such as Sequential_2, where another model is called Sequential."""
        numbered = (f"{name}_{number}" for number in count(2))
        found = next(text for text in chain([name], numbered) if text not in self._models)
        self._models.add(found)
        return found

    def owner(self, parameter: Any) -> str:
        """The name of the module that has it; "" if none was called."""
        return str(self._owners.get(parameter, ""))

    def own(self, parameter: Any, name: str) -> None:
        if name:
            self._owners[parameter] = name

    def disown(self, parameter: Any) -> str:
        """The name, without a reference to the parameter."""
        return str(self._owners.pop(parameter, ""))

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
        self.made = torch._C._autograd._get_sequence_nr() - 1 if torch.is_grad_enabled() else -1
        node = torch._C._current_autograd_node()
        if node is not None:
            self.phase, self.node = BACKWARD, _sequence(node)
            self.place = self._nodes.get(self.node) or Place("", "")
            return
        self.phase = OPTIMIZER if self._stepping else FORWARD
        self.place = Place(self._open[-1][1] if self._open else "", here())
        self.node = self.made
        if self.node >= 0:
            self._nodes[self.node] = self.place
            if len(self._nodes) > RECENT:
                del self._nodes[next(iter(self._nodes))]


def _sequence(node: Any) -> int:
    return int(node._sequence_nr())
