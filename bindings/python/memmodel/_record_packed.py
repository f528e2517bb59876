"""Recurrent layers of packed sequences, whose steps are as long as values say: the operators that torch runs for them.

aten/src/ATen/native/RNN.cpp, PackedLayer, ReversedPackedLayer and the cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import _VF

from memmodel._record_files import Put

Hidden = tuple[Any, ...]
Cell = Callable[[Any, Hidden, Sequence[Any]], Hidden]


def patch_packed(put: Put) -> None:
    for name, (cell, gates) in CELLS.items():
        put(_VF, name, _layer(getattr(_VF, name), cell, gates))
    put(_VF, "_pack_padded_sequence", lambda padded, lengths, batch_first: _Packed.apply(
        padded, _sizes_of_steps(lengths.tolist()), batch_first))  # fmt: skip
    put(_VF, "_pad_packed_sequence", lambda data, sizes, *form: _padded(data, sizes.tolist(), *form))


def _sizes_of_steps(lengths: list[int]) -> list[int]:
    if sorted(lengths, reverse=True) != lengths or lengths[-1:] < [1]:
        raise RuntimeError("lengths of sequences to pack must be sorted in decreasing order, and above 0; "
                           "pack_padded_sequence() sorts them itself with enforce_sorted=False")  # fmt: skip
    return [sum(length > step for length in lengths) for step in range(lengths[0])]


class _Packed(torch.autograd.Function):  # type: ignore[misc]
    """aten/src/ATen/native/PackedSequence.cpp, _pack_padded_sequence() and its backward pass"""

    @staticmethod
    def forward(context: Any, padded: Any, sizes: list[int], batch_first: bool) -> Any:  # noqa: FBT001  torch's
        context.sizes, context.shape, context.batch_first = sizes, padded.shape, batch_first
        sizes_made = torch.tensor(sizes)
        context.mark_non_differentiable(sizes_made)
        steps, parts, begin = padded.transpose(0, 1) if batch_first else padded, [], 0
        for end in range(1, len(sizes) + 1):
            if end == len(sizes) or sizes[end] != sizes[begin]:
                part = steps[begin:end, : sizes[begin]].contiguous()
                parts.append(part.view(-1, *part.shape[2:]))
                begin = end
        return torch.cat(parts), sizes_made

    @staticmethod
    def backward(context: Any, gradient: Any, _: Any) -> Any:
        first, second, *rest = context.shape
        shape = (second, first, *rest) if context.batch_first else context.shape
        made, offset = torch.zeros(shape, dtype=gradient.dtype, device=gradient.device), 0
        for step, size in enumerate(context.sizes):
            made[step].narrow(0, 0, size).copy_(gradient.narrow(0, offset, size))
            offset += size
        return made.transpose(0, 1) if context.batch_first else made, None, None


def _padded(data: Any, sizes: list[int], batch_first: bool, value: float, total: int) -> Any:  # noqa: FBT001  torch's
    """aten/src/ATen/native/PackedSequence.cpp, _pad_packed_sequence()"""
    padded = torch.full((max(total, len(sizes)), sizes[0], *data.shape[1:]), value, dtype=data.dtype,
                        device=data.device)  # fmt: skip
    offset = begin = 0
    for step in range(1, len(sizes) + 1):
        if step < len(sizes) and sizes[step] == sizes[begin]:
            continue
        rows, batch = step - begin, sizes[begin]
        part = data.narrow(0, offset, rows * batch).view(rows, batch, *data.shape[1:])
        padded.narrow(0, begin, rows).narrow(1, 0, batch).copy_(part)
        offset, begin = offset + rows * batch, step
    lengths = torch.tensor([sum(size > place for size in sizes) for place in range(sizes[0])])
    return (padded.transpose(0, 1) if batch_first else padded), lengths


def _layer(of_padded: Any, cell: Cell, parts: int) -> Any:
    def layer(*given: Any) -> Any:
        if len(given) != 9 or not isinstance(given[3], (list, tuple)) or given[0].is_cuda:  # of padded sequences
            return of_padded(*given)
        data, batch_sizes, hidden, parameters, biases, layers, dropout, training, both = given
        first = tuple(hidden) if isinstance(hidden, (list, tuple)) else (hidden,)
        if parts == LSTM_PARTS and first[0].shape != first[1].shape:  # projections
            return of_padded(*given)
        each = len(parameters) // (layers * (2 if both else 1))
        weights = [parameters[at : at + each] for at in range(0, len(parameters), each)]
        output, last = _stacked(
            cell, data, batch_sizes.tolist(), first, weights if biases else [[*some, None, None] for some in weights],
            directions=2 if both else 1, dropout=dropout if training else 0.0)  # fmt: skip
        return (output, *last)

    return layer


def _stacked(cell: Cell, data: Any, sizes: list[int], first: Hidden, weights: list[Any], *, directions: int,
             dropout: float) -> tuple[Any, Hidden]:  # fmt: skip
    ends: list[Hidden] = []
    starts = list(zip(*(part.unbind(0) for part in first)))
    for at in range(0, len(weights), directions):
        outputs = []
        for turn, run in zip(range(directions), (_forwards, _backwards)):
            output, end = run(cell, data, sizes, starts[at + turn], weights[at + turn])
            outputs.append(output)
            ends.append(end)
        data = torch.cat(outputs, -1) if directions == 2 else outputs[0]
        del outputs, output
        if dropout and at + directions < len(weights):
            data = torch.dropout(data, dropout, True)  # noqa: FBT003  torch's
    return data, tuple(torch.stack(parts, 0) for parts in zip(*ends))


def _forwards(cell: Cell, data: Any, sizes: list[int], hidden: Hidden, weights: Any) -> tuple[Any, Hidden]:
    inputs, offset, before = torch.nn.functional.linear(data, weights[0], weights[2]), 0, sizes[0]
    outputs, ended = [], []
    for size in sizes:
        step = inputs.narrow(0, offset, size)
        offset += size
        if size < before:
            ended.append(_rows(hidden, size, before - size))
            hidden = _rows(hidden, 0, size)
        before = size
        hidden = cell(step, hidden, weights)
        outputs.append(hidden[0])
    ended.append(hidden)
    return torch.cat(outputs, 0), _joined(ended[::-1])


def _backwards(cell: Cell, data: Any, sizes: list[int], first: Hidden, weights: Any) -> tuple[Any, Hidden]:
    inputs, offset, before = torch.nn.functional.linear(data, weights[0], weights[2]), sum(sizes), sizes[-1]
    hidden, outputs = _rows(first, 0, before), []
    for size in reversed(sizes):
        if size > before:
            hidden = _joined([hidden, _rows(first, before, size - before)])
        offset -= size
        before = size
        hidden = cell(inputs.narrow(0, offset, size), hidden, weights)
        outputs.append(hidden[0])
    return torch.cat(outputs[::-1], 0), hidden


def _rows(hidden: Hidden, start: int, count: int) -> Hidden:
    return tuple(part.narrow(0, start, count) for part in hidden)


def _joined(several: list[Hidden]) -> Hidden:
    return tuple(torch.cat(parts, 0) for parts in zip(*several)) if len(several) > 1 else several[0]


# ---- cells: step has the products of the input already ----


def _of_hidden(hidden: Any, weights: Any) -> Any:
    return torch.nn.functional.linear(hidden, weights[1], weights[3])


def _lstm(step: Any, hidden: Hidden, weights: Any) -> Hidden:
    gates = _of_hidden(hidden[0], weights).add_(step)
    ingate, forget, cell, outgate = gates.unsafe_chunk(4, 1)
    del gates
    ingate, forget, cell, outgate = ingate.sigmoid_(), forget.sigmoid_(), cell.tanh_(), outgate.sigmoid_()
    state = (forget * hidden[1]).add_(ingate * cell)
    return outgate * state.tanh(), state


def _gru(step: Any, hidden: Hidden, weights: Any) -> Hidden:
    of_input, of_hidden = step.unsafe_chunk(3, 1), _of_hidden(hidden[0], weights).unsafe_chunk(3, 1)
    reset = of_hidden[0].add_(of_input[0]).sigmoid_()
    update = of_hidden[1].add_(of_input[1]).sigmoid_()
    new = of_input[2].add(of_hidden[2].mul_(reset)).tanh_()
    return ((hidden[0] - new).mul_(update).add_(new),)


def _tanh(step: Any, hidden: Hidden, weights: Any) -> Hidden:
    return (_of_hidden(hidden[0], weights).add_(step).tanh(),)


def _relu(step: Any, hidden: Hidden, weights: Any) -> Hidden:
    return (_of_hidden(hidden[0], weights).add_(step).relu(),)


LSTM_PARTS, PARTS = 2, 1  # of what is handed from step to step
CELLS: dict[str, tuple[Cell, int]] = {
    "lstm": (_lstm, LSTM_PARTS), "gru": (_gru, PARTS), "rnn_tanh": (_tanh, PARTS), "rnn_relu": (_relu, PARTS),
}  # fmt: skip
