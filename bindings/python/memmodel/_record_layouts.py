"""Layouts of results that operators without memory give otherwise than those that run, and that decide on copies.

Each rule gives a tensor that is laid out as the result. "CPU" are those of kernels of the CPU alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._prims_common import suggest_memory_format

Rule = Callable[..., Any]
EMPTY = torch.ops.aten.empty_like.default


def laid_out(name: str, result: Any, args: Any) -> Any:
    """The result of an operator, in the layout in which it is when it runs."""
    rule = LAYOUTS.get(name) or CPU.get(name)
    first = result[0] if isinstance(result, tuple) else result
    if rule is None or first is None or (name in CPU and first.device.type != "cpu"):
        return result
    layout = rule(*args)
    if layout.stride() == first.stride():
        return result
    empty = torch.ops.aten.empty_strided.default
    made = empty(first.shape, layout.stride(), dtype=first.dtype, device=first.device)
    return (made, *result[1:]) if isinstance(result, tuple) else made


def _rows(tensor: Any) -> Any:
    return EMPTY(tensor, memory_format=torch.contiguous_format)


def _as_it_lies(tensor: Any) -> Any:
    """In rows, or with the channels last as the tensor has them."""
    return EMPTY(tensor, memory_format=suggest_memory_format(tensor))


def _of_second(rule: Rule) -> Rule:
    """Backward passes are handed the gradient first."""
    return lambda _, tensor, *__: rule(tensor)


def _of_operands(gradient: Any, tensor: Any) -> Any:
    """As any operator element by element: after the gradient, which comes first."""
    return torch.ops.aten.mul.Tensor(gradient, tensor)


def _normalized(tensor: Any, *others: Any) -> Any:
    """In rows unless all lie densely. aten/src/ATen/native/Normalization.cpp, batch_norm_cpu()"""
    dense = all(each.is_contiguous(memory_format=suggest_memory_format(each)) for each in (tensor, *others))
    return _as_it_lies(tensor) if dense else _rows(tensor)


# aten/src/ATen/native/Loss.cpp, layer_norm.cpp: LEGACY_CONTIGUOUS_MEMORY_FORMAT
LAYOUTS: dict[str, Rule] = dict.fromkeys(
    ("mse_loss_backward", "smooth_l1_loss_backward", "huber_loss_backward", "native_layer_norm_backward"),
    _of_second(_rows),
)
CPU: dict[str, Rule] = {
    "native_batch_norm": lambda tensor, *_: _normalized(tensor),
    "_native_batch_norm_legit": lambda tensor, *_: _normalized(tensor),
    "native_batch_norm_backward": lambda gradient, tensor, *_: _normalized(tensor, gradient),
    "log_sigmoid_forward": _rows,  # Activation.cpp
    "glu_backward": _of_second(_rows),  # GatedLinearUnit.cpp
    "roll": lambda tensor, *_: _as_it_lies(tensor),
    "channel_shuffle": lambda tensor, *_: _as_it_lies(tensor),
    **dict.fromkeys(("reflection_pad2d_backward", "replication_pad2d_backward"), _of_second(_as_it_lies)),
    "elu_backward": lambda gradient, *rest: _of_operands(gradient, rest[-1]),
    **dict.fromkeys(("hardswish_backward", "softplus_backward", "hardtanh_backward", "hardsigmoid_backward"),
                    lambda gradient, tensor, *_: _of_operands(gradient, tensor)),
}  # fmt: skip
