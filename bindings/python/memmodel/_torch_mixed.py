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
HALF = re.compile(r"\b(bf16|fp16)\s*=\s*True\b")  # of deepspeed


@contextmanager
def computed_in(module: nn.Module, data: str | None) -> Iterator[None]:
    """Within, a module has its parameters in the type that a strategy computes in and casts what it is called with."""
    name = _type_of(data or "")
    if not name:
        yield
        return
    dtype = getattr(torch, name)
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


def _type_of(data: str) -> str | None:
    """`param_dtype` of fsdp, bf16 or fp16 of deepspeed."""
    if data.lstrip().startswith("deepspeed"):
        half = HALF.search(data)
        return {"bf16": "bfloat16", "fp16": "float16"}[half[1]] if half else None
    found = PARAM_DTYPE.search(data)
    return found[1] if found else None


def _cast(handed: Any, dtype: torch.dtype) -> Any:
    """MixedPrecisionPolicy(cast_forward_inputs=True), which is the default."""

    def one(value: Any) -> Any:
        is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
        return value.to(dtype) if is_float else value

    return tree_map(one, handed)
