"""Values behind tensors without memory: computed when they are asked for, with what they are made of and no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map_only

from memmodel._torch_checks import Refused


class NoValues(RuntimeError):
    """Something depends on values, and there are none: a tensor has no memory."""


@dataclass
class Entry:
    """A call that was listed, of fake tensors."""

    operator: Any
    args: Any
    kwargs: Any
    results: list[Any]
    done: bool = False  # with real tensors


def tensors_of(value: Any) -> list[Any]:
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _storage(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata)


class Values:
    """Real tensors behind fake ones, as far as they were asked for."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.found: dict[int, Any] = {}  # by the fake tensor's id, which the entries keep
        self.handed: list[Any] = []
        self.depending: set[int] = set()  # by the same: on what the optimizer changes
        self.random = False  # a value that was asked for depends on random numbers
        self.changing = False  # one depends on what the optimizer changes

    def hand(self, fake: Any, real: Any, *, depends: bool = False) -> None:
        self.found[id(fake)] = real
        self.handed.append(fake)
        if depends:
            self.depending.add(id(fake))

    def depend(self, given: Any) -> bool:
        """On what the optimizer changes."""
        return any(id(tensor) in self.depending for tensor in tensors_of(given))

    def of(self, fake: Any) -> Any:
        if not isinstance(fake, FakeTensor):
            return fake
        for entry in self._needed(fake):
            self._run(entry)
        self.changing = self.changing or id(fake) in self.depending
        if id(fake) not in self.found or self.found[id(fake)].is_meta:
            raise NoValues("a value of a tensor without memory is needed")
        return self.found[id(fake)]

    def of_what_was_handed(self, fake: Any) -> Any:
        """Its values if they are those of a tensor that was handed over, or whole numbers made of such; else None."""
        needed = self._needed(fake) if isinstance(fake, FakeTensor) else []
        used = [fake, *tensors_of([(entry.args, entry.kwargs) for entry in needed])]
        made = [result for entry in needed for result in entry.results]
        random = any(torch.Tag.nondeterministic_seeded in entry.operator.tags for entry in needed)
        if random or self.depend(used) or any(x.is_floating_point() or x.is_complex() for x in made):
            return None
        try:
            return self.of(fake)
        except NoValues:
            return None

    def _needed(self, fake: Any) -> list[Entry]:
        """In the order of their calls: what makes the tensor, and what writes into any that is needed for that."""
        wanted, storages, needed = {id(fake)}, {_storage(fake)}, []
        for entry in reversed(self.entries):
            writes = entry.operator._schema.is_mutable and any(_storage(x) in storages for x in tensors_of(entry.args))
            if not writes and not any(id(result) in wanted for result in entry.results):
                continue
            if entry.done:
                continue
            needed.append(entry)
            used = tensors_of((entry.args, entry.kwargs))
            wanted |= {id(tensor) for tensor in used}
            storages |= {_storage(tensor) for tensor in used}
        return needed[::-1]

    def _run(self, entry: Entry) -> None:
        self.random = self.random or torch.Tag.nondeterministic_seeded in entry.operator.tags
        if entry.operator._schema.is_mutable:
            self._keep_originals(entry)
        args, kwargs = tree_map_only(FakeTensor, self._given, (entry.args, entry.kwargs))
        with _disable_current_modes(), torch.no_grad():
            results = entry.operator(*args, **kwargs)
        self.found |= {id(fake): real for fake, real in zip(entry.results, tensors_of(results), strict=True)}
        entry.done = True
        if self.depend((entry.args, entry.kwargs)):
            written = tensors_of(entry.args) if entry.operator._schema.is_mutable else []
            self.depending |= {id(fake) for fake in (*entry.results, *written)}

    def _given(self, fake: Any) -> Any:
        if id(fake) not in self.found:
            raise NoValues("a value of a tensor that was made elsewhere is needed")
        return self.found[id(fake)]

    def _keep_originals(self, entry: Entry) -> None:
        """What was handed over is not written into."""
        handed = {id(fake) for fake in self.handed}
        for fake in tensors_of((entry.args, entry.kwargs)):
            if id(fake) in handed:
                with _disable_current_modes(), torch.no_grad():
                    self.found[id(fake)] = self.found[id(fake)].detach().clone()
                self.handed = [other for other in self.handed if other is not fake]


# ---- values that a kernel refuses ----


def _classes(x: Any, *_: Any) -> int:
    return int(x.shape[1 if x.dim() > 1 else 0])


def _along(x: Any, axis: int, *_: Any) -> int:
    return int(x.shape[axis]) if x.dim() else 1


# Operators by where their indices stand, what these are called, and how many there are to choose from.
INDICES: dict[str, tuple[int, str, Callable[..., int]]] = {
    **dict.fromkeys(("nll_loss_forward", "nll_loss2d_forward"), (1, "Target", _classes)),
    "embedding": (1, "index", lambda weight, *_: int(weight.shape[0])),
    **dict.fromkeys(("gather", "index_select", "scatter", "scatter_", "scatter_add", "scatter_add_"),
                    (2, "index", _along)),
}  # fmt: skip


def check_values(values: Values, operator: Any, args: Sequence[Any]) -> None:
    """Those that were handed over, or are made of what was: in a run kernels look at them."""
    name = operator._schema.name.removeprefix("aten::")
    if name == "binary_cross_entropy":
        found = values.of_what_was_handed(args[1])
        if found is not None and bool(((found < 0) | (found > 1)).any()):
            raise Refused("binary_cross_entropy: all elements of target should be between 0 and 1")
    if name in INDICES and len(args) > INDICES[name][0]:
        _check_indices(values, name, args)


def _check_indices(values: Values, name: str, args: Sequence[Any]) -> None:
    place, word, count_of = INDICES[name]
    index, count = args[place], count_of(*args)
    found = values.of_what_was_handed(index) if isinstance(index, torch.Tensor) and index.numel() else None
    if found is None:
        return
    wrong = found[(found < 0) | (found >= count)]
    wrong = wrong[wrong != args[4]] if word == "Target" else wrong
    if wrong.numel():
        raise Refused(f"{name}: {word} {int(wrong[0])} is out of bounds: there are {count} to choose from")
