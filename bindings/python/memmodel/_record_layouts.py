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
    made = torch.ops.aten.empty_strided.default(
        first.shape, layout.stride(), dtype=first.dtype, device=first.device)  # fmt: skip
    return (made, *result[1:]) if isinstance(result, tuple) else made


def _dense(tensor: Any, *_: Any) -> Any:
    """Rows after rows, or with the channels last as the tensor has them."""
    return EMPTY(tensor, memory_format=suggest_memory_format(tensor))


def _of_second(_: Any, tensor: Any, *__: Any) -> Any:
    return _dense(tensor)


def _rows(_: Any, tensor: Any, *__: Any) -> Any:
    """aten/src/ATen/native/Loss.cpp and GatedLinearUnit.cpp: LEGACY_CONTIGUOUS_MEMORY_FORMAT"""
    return EMPTY(tensor, memory_format=torch.contiguous_format)


def _rows_of_first(tensor: Any, *_: Any) -> Any:
    """aten/src/ATen/native/Activation.cpp, log_sigmoid_forward_cpu()"""
    return EMPTY(tensor, memory_format=torch.contiguous_format)


def _of_operands(gradient: Any, tensor: Any, *_: Any) -> Any:
    """As any operator element by element: after the gradient, which comes first."""
    return torch.ops.aten.mul.Tensor(gradient, tensor)


def _of_elu(gradient: Any, *rest: Any) -> Any:
    return _of_operands(gradient, rest[-1])


def _normalized(tensor: Any, *_: Any) -> Any:
    """aten/src/ATen/native/Normalization.cpp, batch_norm_cpu()"""
    return _dense(tensor) if _is_dense(tensor) else EMPTY(tensor, memory_format=torch.contiguous_format)


def _normalized_backward(gradient: Any, tensor: Any, *_: Any) -> Any:
    dense = _is_dense(gradient) and _is_dense(tensor)
    return _dense(tensor) if dense else EMPTY(tensor, memory_format=torch.contiguous_format)


def _is_dense(tensor: Any) -> bool:
    return bool(tensor.is_contiguous(memory_format=suggest_memory_format(tensor)))


LAYOUTS: dict[str, Rule] = dict.fromkeys(("mse_loss_backward", "smooth_l1_loss_backward", "huber_loss_backward"), _rows)
CPU: dict[str, Rule] = {
    "native_batch_norm": _normalized,
    "_native_batch_norm_legit": _normalized,
    "native_batch_norm_backward": _normalized_backward,
    "log_sigmoid_forward": _rows_of_first,
    "glu_backward": _rows,
    "roll": _dense,
    "channel_shuffle": _dense,
    **dict.fromkeys(("reflection_pad2d_backward", "replication_pad2d_backward"), _of_second),
    "elu_backward": _of_elu,
    **dict.fromkeys(("hardswish_backward", "softplus_backward", "hardtanh_backward", "hardsigmoid_backward"),
                    _of_operands),
}  # fmt: skip
