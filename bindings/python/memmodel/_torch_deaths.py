"""When Python lets go of what a forward function makes.

The function runs while it is traced, on tensors without memory. What holds one of them then, a name, a frame, an object
that is returned, holds it in a run as well; but for autograd, which keeps nothing here. Nodes of the graph are marked
with how many nodes there were when their tensor was made, and when it went.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from torch._subclasses import FakeTensor
from torch.autograd.graph import saved_tensors_hooks
from torch.fx.experimental import proxy_tensor

MADE, GONE = "memmodel made", "memmodel gone"


def _mark(node: Any, mark: str) -> None:
    node.meta["custom"] = {**(node.meta.get("custom") or {}), mark: len(node.graph.nodes)}


def _watch(tensor: FakeTensor, node: Any) -> None:
    _mark(node, MADE)
    weakref.finalize(tensor, _mark, node, GONE).atexit = False


def _nothing(_: Any) -> None:
    return None


@contextmanager
def deaths_marked() -> Iterator[None]:
    track = proxy_tensor.set_proxy_slot

    def track_and_watch(value: Any, tracer: Any, proxy: Any) -> None:
        track(value, tracer, proxy)
        if isinstance(value, FakeTensor) and proxy.proxy.node.op == "call_function":
            _watch(value, proxy.proxy.node)

    with mock.patch.object(proxy_tensor, "set_proxy_slot", track_and_watch), saved_tensors_hooks(_nothing, _nothing):
        yield
