"""Modules as a MixedPrecisionPolicy computes them: parameters and inputs in another type than they are kept in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_map

PARAM_DTYPE = re.compile(r"\bparam_dtype\s*=\s*(?:torch\.)?(bfloat16|float16)\b")


@contextmanager
def computed_in(module: nn.Module, data: str | None) -> Iterator[None]:
    """Within, a module has its parameters in the `param_dtype` of an fsdp strategy and casts what it is called with."""
    found = PARAM_DTYPE.search(data or "")
    if not found:
        yield
        return
    dtype = getattr(torch, found[1])
    kept = [(part, name, value) for part in module.modules() for name, value in part._parameters.items()]
    cast: dict[int, Any] = {}
    hook = module.register_forward_pre_hook(lambda _, args, kwargs: _cast((args, kwargs), dtype), with_kwargs=True)
    try:
        for part, name, value in kept:
            if value is not None and value.is_floating_point():
                cast.setdefault(id(value), nn.Parameter(value.detach().to(dtype), value.requires_grad))
                part._parameters[name] = cast[id(value)]
        yield
    finally:
        hook.remove()
        for part, name, value in kept:
            part._parameters[name] = value


def _cast(handed: Any, dtype: torch.dtype) -> Any:
    """MixedPrecisionPolicy(cast_forward_inputs=True), which is the default."""

    def one(value: Any) -> Any:
        is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
        return value.to(dtype) if is_float else value

    return tree_map(one, handed)
