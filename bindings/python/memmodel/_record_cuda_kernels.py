"""Operators that choose their kernel by their device, where a build without CUDA has only the choice of a CPU.

PyTorch: aten/src/ATen/native/transformers/attention.cpp, scaled_dot_product_attention; cuda/sdp_utils.cpp,
select_sdp_backend. The kernels' own memory is the library's part.
"""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from memmodel import _record_cuda_recurrent
from memmodel._record_cuda_names import Gpu

AMPERE, HOPPER, BLACKWELL = (8, 0), (9, 0), (10, 0)
WIDEST = 256  # head that flash attention and cuDNN take
FLASH_ALIGNMENT = 8  # elements
MASK_ALIGNMENT = 8  # elements of a row of the mask
USUAL, LARGE = 128, 192  # heads of cuDNN's
INFINITE = float("inf")


def register(gpu: Gpu, stack: ExitStack) -> None:
    """Above autograd, so that each way there leads through it."""
    library = torch.library.Library("aten", "IMPL")  # noqa: TOR901  it goes with the recording
    stack.callback(library._destroy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a kernel is replaced
        library.impl("scaled_dot_product_attention", partial(attention, gpu), "AutogradCUDA")
        _record_cuda_recurrent.register(library)


# ---- attention ----


def attention(
    gpu: Gpu, query: Any, key: Any, value: Any, mask: Any = None, dropout: float = 0.0, causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    aten, given = torch.ops.aten, (query, key, value)
    backends = torch.backends.cuda
    keeps = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in given)
    if backends.cudnn_sdp_enabled() and _prefers_cudnn(gpu, *given, mask, dropout):
        return aten._scaled_dot_product_cudnn_attention(
            *given, _added(mask, query), keeps, dropout, causal, False, scale=scale)[0]  # fmt: skip
    if backends.flash_sdp_enabled() and _can_flash(gpu, *given, mask):
        return _flash(*given, dropout, causal, scale)
    if backends.mem_efficient_sdp_enabled() and _can_be_efficient(gpu, *given, enable_gqa):
        bias = _aligned(_added(mask, query), query, key)
        return aten._scaled_dot_product_efficient_attention(
            *given, bias, keeps, dropout, causal, scale=scale)[0]  # fmt: skip
    return aten._scaled_dot_product_attention_math(
        *given, _added(mask, query), dropout, causal, scale=scale, enable_gqa=enable_gqa)[0]  # fmt: skip


def _is_half(tensor: Any) -> bool:
    return tensor.dtype in (torch.float16, torch.bfloat16)


def _are_narrow_halves(*given: Any) -> bool:
    return all(_is_half(tensor) and tensor.dim() == 4 and tensor.stride(-1) == 1 and tensor.size(-1) <= WIDEST
               for tensor in given)  # fmt: skip


def _prefers_cudnn(gpu: Gpu, query: Any, key: Any, value: Any, mask: Any, dropout: float) -> bool:
    """check_prefer_cudnn_attention: since 2.11 on Hopper and the first Blackwell; no dropout since 2.12."""
    if gpu.version < (2, 11) or gpu.capability not in (HOPPER, BLACKWELL) or (dropout and gpu.version >= (2, 12)):
        return False
    if not _are_narrow_halves(query, key, value) or query.size(2) == 1:
        return False
    if any(tensor.size(-1) % FLASH_ALIGNMENT for tensor in (query, key, value)):
        return False
    if mask is not None and mask.requires_grad:
        return False
    widths = query.size(-1), value.size(-1)
    return gpu.version < (2, 14) or max(widths) <= USUAL or widths in ((WIDEST, WIDEST), (LARGE, USUAL))


def _can_flash(gpu: Gpu, query: Any, key: Any, value: Any, mask: Any) -> bool:
    return (gpu.capability >= AMPERE and mask is None and _are_narrow_halves(query, key, value)
            and query.size(-1) == value.size(-1))  # fmt: skip


def _flash(query: Any, key: Any, value: Any, dropout: float, causal: bool, scale: float | None) -> Any:
    width = query.size(-1)
    padding = -width % FLASH_ALIGNMENT
    scale = width**-0.5 if scale is None else scale
    given = [functional.pad(tensor, (0, padding)) if padding else tensor for tensor in (query, key, value)]
    result = torch.ops.aten._scaled_dot_product_flash_attention(*given, dropout, causal, False, scale=scale)[0]
    return result[..., :width] if padding else result


def _can_be_efficient(gpu: Gpu, query: Any, key: Any, value: Any, grouped: bool) -> bool:
    """use_mem_efficient_attention. Heads of key and value are shared in float32 only since 2.15."""
    if query.dim() != 4 or (grouped and query.size(1) != key.size(1) and gpu.version < (2, 15)):
        return False
    alignment = 1 if not _is_half(query) and gpu.capability < AMPERE else 8 if _is_half(query) else 4
    return bool(query.size(-1) % alignment == 0 and value.size(-1) % alignment == 0 and query.size(-1) == key.size(-1))


def _added(mask: Any, query: Any) -> Any:
    """A condition as what is added to scores: convert_boolean_attn_mask."""
    if mask is None or mask.dtype != torch.bool:
        return mask
    infinite = torch.scalar_tensor(-INFINITE, dtype=query.dtype, device=query.device)
    return torch.where(mask, torch.scalar_tensor(0.0, dtype=query.dtype, device=query.device), infinite)


def _aligned(mask: Any, query: Any, key: Any) -> Any:
    """preprocess_mask: padded in memory, one for each head."""
    if mask is None:
        return None
    length = mask.size(-1)
    if length % MASK_ALIGNMENT:
        mask = functional.pad(mask, (0, -length % MASK_ALIGNMENT))[..., :length]
    return mask.expand(query.size(0), query.size(1), query.size(2), key.size(2))
