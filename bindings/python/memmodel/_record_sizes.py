"""Operators whose result has a size, or a value, that values decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_map_only

from memmodel import _record_cuda_recurrent

if TYPE_CHECKING:
    from memmodel._record_mode import Recorder

Rule = Callable[["Recorder", Any, Any, Any], Any]


def _number(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    with _disable_current_modes():
        return recorder.values.number(args[0])


def _equal(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    with _disable_current_modes():
        one, other = (recorder.values.real(tensor) for tensor in args)
        if args[0].shape != args[1].shape:
            return False
        if one is None or other is None:
            return recorder.values.assume("equal()", False)
        return torch.equal(one, other)


def _count(recorder: Recorder, mask: Any, what: str) -> int:
    """Of what is not zero: an upper bound where it is not known."""
    with _disable_current_modes():
        real = recorder.values.real(mask)
        return int(real.count_nonzero()) if real is not None else recorder.values.assume(what, mask.numel(), sized=True)


def _nonzero(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    mask = args[0]
    size = _count(recorder, mask, "nonzero"), mask.dim()
    result = torch.ops.aten.empty.memory_format(size, dtype=torch.int64, device=mask.device)
    with _disable_current_modes():
        real = recorder.values.real(mask)
        if real is not None:
            recorder.values.keep(result, real.nonzero())
    return result


def _whether(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """Whether all or any are true: what the program goes on for, unless it is known."""
    result = operator(*args, **kwargs)
    if isinstance(result, torch.Tensor) and not recorder.values.known(args[0]):
        answer = recorder.values.assume_condition(f"{operator._overloadpacket.__name__}()")
        with _disable_current_modes():
            recorder.values.keep(result, torch.full(result.shape, answer, dtype=result.dtype, device="cpu"))
    return result


def _is_in(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """Values that are not known are none of those given: a text goes on, to as many tokens as it may have."""
    result = operator(*args, **kwargs)
    if not all(recorder.values.known(value) for value in args[:2] if isinstance(value, torch.Tensor)):
        inverted = bool(kwargs.get("invert", False))
        with _disable_current_modes():
            recorder.values.keep(result, torch.full(result.shape, inverted, device="cpu"))
            recorder.values.assume("isin()", inverted)
    return result


def _masked(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    source, mask = args[:2]
    with _disable_current_modes():
        shape = torch.broadcast_shapes(source.shape, mask.shape)
        real = recorder.values.real(mask)
        count = (int(real.expand(shape).count_nonzero()) if real is not None
                 else recorder.values.assume("masked_select", shape.numel(), sized=True))  # fmt: skip
    return torch.ops.aten.empty.memory_format((count,), dtype=source.dtype, device=source.device)


def _unique(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    source = args[0]
    with _disable_current_modes():
        if recorder.values.real(source) is not None:
            return sized(recorder, operator, args, kwargs)
    count = recorder.values.assume(operator._overloadpacket.__name__, source.numel(), sized=True)
    empty = torch.ops.aten.empty.memory_format
    return (empty((count,), dtype=source.dtype, device=source.device),
            empty(source.shape, dtype=torch.int64, device=source.device),
            empty((count,), dtype=torch.int64, device=source.device))  # fmt: skip


def _fills(source: Any, indices: Any, value: Any) -> bool:
    """x[mask] = number needs no places. aten/src/ATen/native/TensorAdvancedIndexingUtils.h, canDispatchToMaskedFill"""
    given = [index for index in indices if index is not None]
    masks = [index for index in given if index.dtype in (torch.bool, torch.uint8)]
    return value.numel() == 1 and value.device.type == "cpu" and len(given) == len(masks) == 1


def _by_masks(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """x[mask]: the mask becomes the places of what is not zero, as in a run."""
    if len(args) > 2 and _fills(*args[:3]):
        return args[0] if operator._schema.is_mutable else torch.ops.aten.clone.default(args[0])
    indices = []
    for index in args[1]:
        if isinstance(index, torch.Tensor) and index.dtype in (torch.bool, torch.uint8):
            with recorder:
                indices += torch.ops.aten.nonzero.default(index).unbind(1)
        else:
            indices.append(index)
    return operator(args[0], indices, *args[2:], **kwargs)


def sized(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """Run on the values that are known, and on ones for those that are not."""

    def real(tensor: Any) -> Any:
        value = recorder.values.real(tensor)
        if value is None:
            recorder.values.assume(operator._overloadpacket.__name__, "ones", sized=True)
            return torch.ones(tensor.shape, dtype=tensor.dtype, device="cpu")
        return value

    with _disable_current_modes(), torch.no_grad():
        results = operator(*tree_map_only(torch.Tensor, real, args), **tree_map_only(torch.Tensor, real, kwargs))
    device = next(tensor.device for tensor in args if isinstance(tensor, torch.Tensor))

    def fake(tensor: Any) -> Any:
        made = torch.ops.aten.empty.memory_format(tensor.shape, dtype=tensor.dtype, device=device)
        with _disable_current_modes():
            recorder.values.keep(made, tensor)
        return made

    return tree_map_only(torch.Tensor, fake, results)


def _longest(recorder: Recorder, lengths: Any, targets: Any) -> int:
    """The longest of several targets; as long as a padded one can be where it is not known."""
    if not isinstance(lengths, torch.Tensor):
        return max(lengths, default=0)
    with _disable_current_modes():
        real = recorder.values.real(lengths)
        if real is not None:
            return int(real.max())
    return int(recorder.values.assume("ctc_loss", targets.shape[-1], sized=True))


def _ctc_loss(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """The losses, and what leads to each place of each target twice over. aten/src/ATen/native/LossCTC.cpp"""
    log_probs, targets, _, lengths = args[:4]
    steps, batch = (log_probs.shape[0], log_probs.shape[1]) if log_probs.dim() == 3 else (log_probs.shape[0], 1)
    places = 2 * _longest(recorder, lengths, targets) + 1
    shapes = (batch,), (batch, steps, places)
    empty = torch.ops.aten.empty.memory_format
    return tuple(empty(shape, dtype=log_probs.dtype, device=log_probs.device) for shape in shapes)


def _attention_gradients(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """In rows of heads, however the operands lie. aten/src/ATen/native/transformers/attention.cpp"""
    aten, rows = torch.ops.aten, torch.contiguous_format
    made = [aten.empty_like.default(aten.transpose.int(tensor, 1, 2), memory_format=rows) for tensor in args[1:4]]
    return tuple(aten.transpose.int(tensor, 1, 2) for tensor in made)


def _efficient_attention(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """The generator's seed and offset are on the host where they are used, before 2.14 in any case.
    aten/src/ATen/native/transformers/cuda/attention.cu, _efficient_attention_forward()"""
    result, rows, seed, offset = operator(*args, **kwargs)
    dropout = args[5] if len(args) > 5 else kwargs.get("dropout_p", 0.0)
    if dropout or recorder.version < (2, 14):
        seed, offset = (torch.ops.aten.empty.memory_format((), dtype=torch.int64, device="cpu") for _ in range(2))
    return result, rows, seed, offset


def _of_a_storage(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """Its storage would stay in the cache of FakeTensorMode."""
    cached, recorder.fakes.cache_enabled = recorder.fakes.cache_enabled, False
    try:
        return operator(*args, **kwargs)
    finally:
        recorder.fakes.cache_enabled = cached


SIZED: dict[str, Rule] = {
    "_cudnn_rnn_flatten_weight": _record_cuda_recurrent.flatten_weight,
    "_cudnn_rnn": _record_cuda_recurrent.forward,
    "_cudnn_rnn_backward": _record_cuda_recurrent.backward,
    "_scaled_dot_product_efficient_attention": _efficient_attention,
    "_scaled_dot_product_flash_attention_for_cpu_backward": _attention_gradients,
    "_local_scalar_dense": _number,
    "_ctc_loss": _ctc_loss,
    "set_": _of_a_storage,
    "item": _number,
    "equal": _equal,
    "nonzero": _nonzero,
    "isin": _is_in,
    "masked_select": _masked,
    **dict.fromkeys(("all", "any", "_is_all_true", "_is_any_true"), _whether),
    **dict.fromkeys(("_unique2", "unique_dim", "unique_consecutive"), _unique),
    **dict.fromkeys(("index", "_unsafe_index", "index_put", "index_put_", "_index_put_impl_"), _by_masks),
}
