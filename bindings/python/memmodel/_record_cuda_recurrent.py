"""Recurrent layers on a GPU: one call of cuDNN, which a build without CUDA lacks. What cuDNN works in and keeps is the
library's part. PyTorch: aten/src/ATen/native/RNN.cpp, native/cudnn/RNN.cpp.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from memmodel._record_mode import Recorder

MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}  # cudnnRNNMode_t
CUDNN_TYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def register(library: Any) -> None:
    for kind in MODES:
        library.impl(f"{kind}.input", partial(_of_batch, kind), "AutogradCUDA")
        library.impl(f"{kind}.data", partial(_of_packed, kind), "AutogradCUDA")


def is_acceptable(tensor: Any) -> bool:
    """torch.backends.cudnn.is_acceptable()"""
    return bool(tensor.device.type == "cuda" and tensor.dtype in CUDNN_TYPES)


def mode_of(name: str) -> int:
    """torch.backends.cudnn.rnn.get_cudnn_mode()"""
    return MODES[name.lower()]


# ---- forward ----


def _of_batch(
    kind: str, x: Any, hidden: Any, weights: Any, biases: Any, layers: int, dropout: float, train: Any,
    bidirectional: Any, batch_first: Any,
) -> Any:  # fmt: skip
    return _run(kind, x, [], hidden, weights, biases, layers, dropout, train, bidirectional, batch_first)


def _of_packed(
    kind: str, data: Any, sizes: Any, hidden: Any, weights: Any, biases: Any, layers: int, dropout: float, train: Any,
    bidirectional: Any,
) -> Any:  # fmt: skip
    return _run(kind, data, sizes.tolist(), hidden, weights, biases, layers, dropout, train, bidirectional, False)


def _run(
    kind: str, x: Any, sizes: Any, hidden: Any, weights: Any, biases: Any, layers: int, dropout: float, train: Any,
    bidirectional: Any, batch_first: Any,
) -> Any:  # fmt: skip
    output, cells = hidden if kind == "lstm" else (hidden, None)
    projected = 0 if cells is None or output.size(2) == cells.size(2) else output.size(2)
    width = output.size(2) if cells is None else cells.size(2)
    each = len(weights) // (layers * (2 if bidirectional else 1))
    results = torch.ops.aten._cudnn_rnn(
        x, list(weights), each, _flat(weights), output, cells, MODES[kind], width, projected, layers, batch_first,
        dropout, train, bidirectional, sizes, None)  # fmt: skip
    return results[:3] if kind == "lstm" else results[:2]


def _flat(weights: Any) -> Any:
    """The buffer that they lie in; a new one if they do not lie in one."""
    if len({weight.untyped_storage()._cdata for weight in weights}) == 1:
        return weights[0].detach().view(-1)
    elements = sum(weight.numel() for weight in weights)
    return torch.empty(elements, dtype=weights[0].dtype, device=weights[0].device)


# ---- below autograd, where the shape function is another or there is none ----


def forward(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """The result lies with its sequence first."""
    output, *others = operator(*args, **kwargs)
    batch_first, sizes, aten = args[10], args[14], torch.ops.aten
    if batch_first and not sizes:
        shape = output.size(1), output.size(0), output.size(2)
        turned = aten.empty.memory_format(shape, dtype=output.dtype, device=output.device)
        output = aten.transpose.int(turned, 0, 1)
    return output, *others


def flatten_weight(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    """The weights become parts of one buffer."""
    weights, aten = args[0], torch.ops.aten
    elements = sum(weight.numel() for weight in weights)
    flat = aten.empty.memory_format((elements,), dtype=weights[0].dtype, device=weights[0].device)
    place = 0
    for weight in weights:
        recorder.held.append(weight.untyped_storage())
        shape, strides = weight.shape, weight.contiguous().stride()
        aten.set_.source_Storage_storage_offset(weight, flat.untyped_storage(), place, shape, strides)
        place += weight.numel()
    return flat


def backward(recorder: Recorder, operator: Any, args: Any, kwargs: Any) -> Any:
    x, weights, _, _, output, cells = args[:6]
    batch_first, mask, aten = args[14], args[21], torch.ops.aten
    turned = aten.transpose.int(x, 0, 1) if batch_first and not args[18] else x
    of_x = aten.empty_like.default(turned, memory_format=torch.contiguous_format)
    if turned is not x:
        of_x = aten.transpose.int(of_x, 0, 1)
    states = [None if state is None else aten.empty_like.default(state) for state in (output, cells)]
    return of_x, *states, _parts(weights) if mask[3] else []


def _parts(weights: Any) -> list[Any]:
    """Gradients of the weights, in one buffer."""
    with_elements = [weight.numel() for weight in weights]
    flat = torch.ops.aten.empty.memory_format((sum(with_elements),), dtype=weights[0].dtype, device=weights[0].device)
    parts = torch.ops.aten.split_with_sizes.default(flat, with_elements)
    return [torch.ops.aten.view.default(part, weight.shape) for part, weight in zip(parts, weights)]
