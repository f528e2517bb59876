"""What a step is differentiated of: the model's own loss, one by its name, or a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_map_only

from memmodel import _torch_export

Loss = Callable[..., Any] | str | None


def _first(output: Any) -> torch.Tensor:
    return next(tensor for tensor in _torch_export.tensors_in(output) if tensor.is_floating_point())


def _own(output: Any) -> Any:
    """What a model without a given loss is trained with: its own loss, else the sum of its first result."""
    loss = _torch_export.loss_in(output)
    return _first(output).sum() if loss is None else loss


def _cross_entropy(output: Any, target: Any) -> Any:
    x = _first(output)
    if x.dim() == 3:  # a class for each word
        return nn.functional.cross_entropy(x.reshape(-1, x.shape[-1]), target.reshape(-1))
    return nn.functional.cross_entropy(x, target)


def _mean_squares(output: Any, target: Any) -> Any:
    return nn.functional.mse_loss(_first(output), target)


NAMED: dict[str, Callable[[Any, Any], Any]] = {"cross_entropy": _cross_entropy, "mse": _mean_squares}


def _result(model: nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]) -> torch.Tensor:
    """The first result, without its numbers where they do not decide about it; the model is left as it was."""
    state = dict(model.named_parameters()) | {name: buffer.clone() for name, buffer in model.named_buffers()}
    with torch.no_grad(), torch.random.fork_rng():
        try:
            with FakeTensorMode(allow_non_fake_inputs=True) as mode:
                given = tree_map_only(torch.Tensor, mode.from_tensor, (state, tuple(args), dict(kwargs)))
                return _first(torch.func.functional_call(model, *given))
        except Exception:  # whatever a tensor without numbers is refused with
            return _first(torch.func.functional_call(model, state, tuple(args), dict(kwargs)))


def _target(name: str, x: torch.Tensor) -> torch.Tensor:
    """Of the shape that the loss wants, one for each prediction."""
    if name == "mse":
        return torch.zeros(tuple(x.shape), device=x.device)
    classes = x.shape[:-1] if x.dim() == 3 else x.shape[:1] + x.shape[2:]
    return torch.zeros(tuple(classes), dtype=torch.int64, device=x.device)


def loss_of(
    loss: Loss, target: Any, model: nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function of the model's output, and what it takes besides."""
    if loss is None:
        if target is not None:
            raise ValueError("target: there is no loss that takes it; give one")
        return _own, ()
    if callable(loss):
        return loss, () if target is None else (target,)
    if loss not in NAMED:
        raise ValueError(f"loss: {loss!r} is none of {', '.join(NAMED)}; give a function of the model's output")
    return NAMED[loss], (_target(loss, _result(model, args, kwargs)) if target is None else target,)
