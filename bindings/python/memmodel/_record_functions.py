"""Functions that read tensors below the operators that a recording sees, as the operators that they are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import _VF
from torch.nn import functional

from memmodel._record_events import Events
from memmodel._record_files import Put
from memmodel._record_packed import CELLS, patch_packed
from memmodel._record_values import Values

MEAN, SUM = 1, 2
ATTENTION = "scaled_dot_product_attention"
COMPOSED = ((functional, "linear"), (functional, ATTENTION), (torch._C._nn, "linear"), (torch._C._nn, ATTENTION),
            *((_VF, name) for name in CELLS))  # fmt: skip


def _composed(events: Events, real: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(real)
    def call(*args: Any, **kwargs: Any) -> Any:
        events.composed += 1
        try:
            return real(*args, **kwargs)
        finally:
            events.composed -= 1

    return call


def patch_functions(values: Values, events: Events, put: Put) -> None:
    split, of_losses = torch.tensor_split, torch.ctc_loss

    def parts(given: Any) -> Any:
        return given.tolist() if isinstance(given, torch.Tensor) else given

    def split_at(input: Any, *given: Any, **named: Any) -> Any:  # noqa: A002  torch's
        return split(input, *map(parts, given), **{name: parts(value) for name, value in named.items()})

    def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, *given: Any) -> Any:
        lengths = input_lengths, target_lengths
        if isinstance(input_lengths, torch.Tensor):
            if not all(map(values.known, lengths)):
                return of_losses(log_probs, targets, *lengths, *given)
            lengths = tuple(length.to("cpu", torch.int64) for length in lengths)
        return _ctc_loss(log_probs, targets, *map(parts, lengths), *given)

    for owner in (torch, torch.Tensor):
        put(owner, "tensor_split", split_at)
    put(torch, "ctc_loss", ctc_loss)
    put(torch, "_nested_tensor_from_mask_left_aligned", lambda *_: values.assume("sequences without padding", False))
    for owner, name in COMPOSED:
        put(owner, name, _composed(events, getattr(owner, name)))
    patch_packed(put)


def _ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
              reduction: int = MEAN, zero_infinity: bool = False) -> Any:  # fmt: skip  # noqa: FBT001,FBT002  torch's
    """Of lengths as numbers. aten/src/ATen/native/LossCTC.cpp, ctc_loss_impl()"""
    losses = torch._ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)[0]
    if zero_infinity:
        losses = torch.where(losses == torch.inf, torch.scalar_tensor(0.0, dtype=losses.dtype), losses)
    if reduction == MEAN:
        lengths = torch.tensor(target_lengths, dtype=losses.dtype, device=losses.device).clamp_min(1)
        return (losses / lengths).mean()
    return losses.sum() if reduction == SUM else losses
