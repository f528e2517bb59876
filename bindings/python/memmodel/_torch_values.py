"""Values behind tensors without memory: computed when they are asked for, with what they are made of and no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map_only


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

    def written(self) -> list[Any]:
        """Tensors that it writes into."""
        parameters = self.operator._schema.arguments
        given = {parameter.name: value for parameter, value in zip(parameters, self.args)} | dict(self.kwargs)
        return tensors_of([given.get(p.name) for p in parameters if p.alias_info and p.alias_info.is_write])


NUMBERS = (int, float, str, type(None), torch.dtype)


def tensors_of(value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    if type(value) in (tuple, list):
        return [tensor for part in value for tensor in tensors_of(part)]
    if isinstance(value, NUMBERS):
        return []
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def _storage(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata)


MUCH_WORK = 1 << 24  # elements: a second or so


class Values:
    """Real tensors behind fake ones, as far as they were asked for."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.found: dict[int, Any] = {}  # by the fake tensor's id, which the entries keep
        self.handed: list[Any] = []
        self.depending: set[int] = set()  # by the same: on what the optimizer changes
        self.random = False  # a value that was asked for depends on random numbers
        self.changing = False  # one depends on what the optimizer changes
        self.counting = False  # one depends on what was handed over and is written into

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

    def of_little_work(self, fake: Any) -> Any:
        """Its values, whatever they depend on; None if they are random, not there, or much work."""
        needed = self._needed(fake)
        random = any(torch.Tag.nondeterministic_seeded in entry.operator.tags for entry in needed)
        if random or sum(result.numel() for entry in needed for result in entry.results) > MUCH_WORK:
            return None
        before = self.changing, self.counting
        try:
            return self.of(fake)
        except NoValues:
            return None
        finally:
            self.changing, self.counting = before

    def maker(self, fake: Any) -> Entry | None:
        """The last call whose result it is."""
        return next((e for e in reversed(self.entries) if any(result is fake for result in e.results)), None)

    def _needed(self, fake: Any) -> list[Entry]:
        """In the order of their calls: what makes the tensor, and what writes into any that is needed for that."""
        wanted, storages, needed = {id(fake)}, {_storage(fake)}, []
        for entry in reversed(self.entries):
            writes = any(_storage(x) in storages for x in entry.written())
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
        self._keep_originals(entry)
        args, kwargs = tree_map_only(FakeTensor, self._given, (entry.args, entry.kwargs))
        with _disable_current_modes(), torch.no_grad():
            results = entry.operator(*args, **kwargs)
        self.found |= {id(fake): real for fake, real in zip(entry.results, tensors_of(results), strict=True)}
        entry.done = True
        if self.depend((entry.args, entry.kwargs)):
            self.depending |= {id(fake) for fake in (*entry.results, *entry.written())}

    def _given(self, fake: Any) -> Any:
        if id(fake) not in self.found:
            raise NoValues("a value of a tensor that was made elsewhere is needed")
        return self.found[id(fake)]

    def _keep_originals(self, entry: Entry) -> None:
        """What was handed over is not written into."""
        handed = {id(fake) for fake in self.handed}
        for fake in entry.written():
            if id(fake) in handed:
                self.counting = True
                with _disable_current_modes(), torch.no_grad():
                    self.found[id(fake)] = self.found[id(fake)].detach().clone()
                self.handed = [other for other in self.handed if other is not fake]
