"""When Python releases what a forward function makes.

The function runs while it is traced, on tensors without memory. What holds one of them then, a name, a frame, an object
that is returned, holds it in a run as well; but for autograd, which keeps nothing here. Nodes of the graph are marked
with how many nodes there were when their tensor was made, and when it was released; and what a functools.lru_cache is
left with, until it is filled anew in the next step, with how many there were when it was filled.
"""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch._subclasses import FakeTensor
from torch.autograd.graph import saved_tensors_hooks
from torch.fx.experimental import proxy_tensor

from memmodel._torch_versions import annotate

MADE, RELEASED, CACHED = "memmodel made", "memmodel released", "memmodel cached"
ATTRIBUTE, KEY = "memmodel attribute", "memmodel key"  # the id of the module, and what it calls it


def _mark(node: Any, mark: str, number: int = 0) -> None:
    node.meta["custom"] = {**(node.meta.get("custom") or {}), mark: number or len(node.graph.nodes)}


class _Watched:
    """Tensors that were made, and their nodes."""

    def __init__(self) -> None:
        self.made: list[tuple[weakref.ref[FakeTensor], Any]] = []
        self.caches: list[Any] = []  # that keep some of them

    def add(self, tensor: FakeTensor, node: Any) -> None:
        _mark(node, MADE)
        weakref.finalize(tensor, _mark, node, RELEASED).atexit = False
        self.made.append((weakref.ref(tensor), node))

    def mark_cached(self, returned: Sequence[Any]) -> None:
        known = {place for tensor in returned for place in _with_base(tensor)}
        alive = {id(tensor): node for seen, node in self.made if (tensor := seen()) is not None}
        if not alive.keys() - known:
            return
        for cache in _caches():
            kept = [alive[place] for place in _tensors_of(cache) if place in alive]
            self.caches += [cache] if kept else []
            for node in kept:
                _mark(node, CACHED, max(other.meta["custom"][MADE] for other in kept))


def _caches() -> list[Any]:
    """Of functools.lru_cache(), all that there are."""
    kind = functools._lru_cache_wrapper
    return [held for held in gc.get_referrers(kind) if type(held) is kind]


def _tensors_of(cache: Any) -> Iterator[int]:
    """Of its keys and of its results."""
    for held in gc.get_referents(cache):
        for part in held if type(held) in (tuple, list) else (held,):
            if isinstance(part, FakeTensor):
                yield from _with_base(part)


def clear_caches_of_fakes() -> None:
    """A run must not find tensors without memory there."""
    for cache in _caches():
        if any(True for _ in _tensors_of(cache)):
            cache.cache_clear()


def _with_base(tensor: Any) -> tuple[int, int]:
    return id(tensor), id(tensor._base)


def _nothing(_: Any) -> None:
    return None


_set_attribute = nn.Module.__setattr__


def _bind(module: nn.Module, name: str, value: Any) -> None:
    """Module.__setattr__(), with a node where a tensor that the forward function has made is bound."""
    _set_attribute(module, name, value)
    mode = proxy_tensor.get_proxy_mode()
    slot = proxy_tensor.get_proxy_slot(value, mode.tracer, None) if mode and isinstance(value, FakeTensor) else None
    if slot is not None and slot.proxy.node.op == "call_function":
        with annotate({ATTRIBUTE: id(module), KEY: name}):
            torch.ops.aten._assert_tensor_metadata(value)


_watching: list[_Watched] = []


def mark_cached(returned: Sequence[Any]) -> None:
    """The forward function is done; nobody but the names of these tensors and caches keeps what it has made."""
    if _watching:
        _watching[-1].mark_cached(returned)


@contextmanager
def lifetime_ends_marked() -> Iterator[None]:
    track = proxy_tensor.set_proxy_slot
    watched = _Watched()

    def track_and_watch(value: Any, tracer: Any, proxy: Any) -> None:
        track(value, tracer, proxy)
        if isinstance(value, FakeTensor) and proxy.proxy.node.op == "call_function":
            watched.add(value, proxy.proxy.node)

    _watching.append(watched)
    try:
        with (
            mock.patch.object(proxy_tensor, "set_proxy_slot", track_and_watch),
            mock.patch.object(nn.Module, "__setattr__", _bind),
            saved_tensors_hooks(_nothing, _nothing),
        ):
            yield
    finally:
        _watching.pop()
        for cache in watched.caches:
            cache.cache_clear()  # a run must not find tensors without memory there
