"""Values that kernels refuse in a run: given ones are looked at, others computed where that is little work.

The words are those of the kernels, aten/src/ATen/native: LossNLL.cpp, LossMultiMargin.cpp, Embedding.cpp,
TensorAdvancedIndexing.cpp and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch.utils._pytree import tree_map_only

from memmodel._torch_checks import Refused
from memmodel._torch_values import Values, tensors_of


class Call(NamedTuple):
    """Of fake tensors."""

    operator: Any
    args: Sequence[Any]
    kwargs: Mapping[str, Any]


def check_values(values: Values, notes: dict[str, str], call: Call) -> None:
    """notes: gets what cannot be decided."""
    name = _name(call.operator)
    for index, choice, count in _choices(name, call.args):
        _check_indices(values, name, call.args, index, choice, count)
    for place in TRIALS[name].places if name in TRIALS else ():
        if len(call.args) > place and isinstance(call.args[place], torch.Tensor):
            _try(values, notes, call, place)


def _name(operator: Any) -> str:
    return str(operator._schema.name.removeprefix("aten::"))


# ---- indices ----


def _classes(x: Any, *_: Any) -> int:
    return int(x.shape[1 if x.dim() > 1 else 0])


def _rows(x: Any, *_: Any) -> int:
    return int(x.shape[0])


def _along(x: Any, axis: int, *_: Any) -> int:
    return int(x.shape[axis]) if x.dim() else 1


def _elements(x: Any, *_: Any) -> int:
    return int(x.numel())


class Choice(NamedTuple):
    """Where the indices stand, how many there are to choose from, and what is said of another."""

    place: int
    count: Callable[..., int]
    said: str
    least: int | None = 0  # None: from the end, as well


NO_TARGET = "Target {index} is out of bounds."
NOT_THERE = "index {index} is out of bounds for dimension {axis} with size {count}"
NOT_IN_SELF = "index out of range in self: {index}, there are {count} to choose from"
TOO_HIGH = "argument #2 'target' is out of range: {index} of {count}"
NO_ELEMENT = "out of range: tried to access index {index} on a tensor of {count} elements."
CHOICES: dict[str, Choice] = {
    **dict.fromkeys(("nll_loss_forward", "nll_loss2d_forward"), Choice(1, _classes, NO_TARGET)),
    "multi_margin_loss": Choice(1, _classes, "target out of range: {index} of {count}"),
    "multilabel_margin_loss_forward": Choice(1, _classes, TOO_HIGH, -1),
    **dict.fromkeys(("embedding", "embedding_renorm_"), Choice(1, _rows, NOT_IN_SELF)),
    **dict.fromkeys(("index_select", "index_reduce", "index_reduce_"), Choice(2, _along, NOT_IN_SELF)),
    **dict.fromkeys(("gather", "scatter", "scatter_", "scatter_add", "scatter_add_", "scatter_reduce",
                     "scatter_reduce_", "index_add", "index_add_", "index_copy", "index_copy_"),
                    Choice(2, _along, NOT_THERE)),
    **dict.fromkeys(("index_fill", "index_fill_"), Choice(2, _along, NOT_THERE, None)),
    **dict.fromkeys(("take", "put", "put_"), Choice(1, _elements, NO_ELEMENT, None)),
}  # fmt: skip
BY_BRACKETS = ("index", "index_put", "index_put_")  # x[indices]


def _choices(name: str, args: Sequence[Any]) -> Iterator[tuple[Any, Choice, int]]:
    """Indices, what is known of them, and how many there are to choose from."""
    choice = CHOICES.get(name)
    if choice and len(args) > choice.place:
        yield args[choice.place], choice, choice.count(*args)
    for axis, index in enumerate(args[1] if name in BY_BRACKETS else ()):
        if isinstance(index, torch.Tensor) and index.dtype not in (torch.bool, torch.uint8):
            yield index, Choice(axis, _along, NOT_THERE, None), int(args[0].shape[axis])


def _check_indices(values: Values, name: str, args: Sequence[Any], index: Any, choice: Choice, count: int) -> None:
    found = values.of_what_was_handed(index) if isinstance(index, torch.Tensor) and index.numel() else None
    if found is None:
        return
    wrong = found[(found < (-count if choice.least is None else choice.least)) | (found >= count)]
    wrong = wrong[wrong != args[4]] if name.startswith("nll_loss") else wrong
    if wrong.numel():
        axis = choice.place if name in BY_BRACKETS else args[1]
        axis = axis % max(args[0].dim(), 1) if isinstance(axis, int) else axis
        raise Refused(f"{name}: {choice.said.format(index=int(wrong[0]), axis=axis, count=count)}")


# ---- numbers ----

UNIT = frozenset(("sigmoid", "sigmoid_", "_softmax", "hardsigmoid", "rand", "zeros", "ones"))
POSITIVE = UNIT | frozenset(("exp", "exp_", "relu", "relu_", "softplus", "abs", "abs_", "square"))
PASSED_ON = frozenset(("clone", "_to_copy", "cat", "stack", "index", "index_select", "gather", "mean", "amax", "amin"))


class Trial(NamedTuple):
    """Of a kernel that is called with the values of one place, and with zeros for other tensors."""

    places: tuple[int, ...]
    taken: frozenset[str] | None = None  # results of these operators are always taken; None: nothing is noted


TRIALS: dict[str, Trial] = {
    "binary_cross_entropy": Trial((0, 1), UNIT),
    "bernoulli": Trial((0,), UNIT),
    "bernoulli_": Trial((1,), UNIT),
    "multinomial": Trial((0,), POSITIVE),
    "normal": Trial((1,), POSITIVE),
    "poisson": Trial((0,), POSITIVE),
    **dict.fromkeys(("masked_scatter", "masked_scatter_"), Trial((1,))),
    **dict.fromkeys(("_embedding_bag", "_embedding_bag_forward_only"), Trial((1, 2))),
    **dict.fromkeys(("max_unpool2d", "max_unpool3d"), Trial((1,))),
    **dict.fromkeys(("_linalg_check_errors", "_assert_async"), Trial((0,))),
}


def _try(values: Values, notes: dict[str, str], call: Call, place: int) -> None:
    name, given = _name(call.operator), call.args[place]
    taken = TRIALS[name].taken
    if taken and _is_made_by(taken, values, given):
        return
    found = values.of_little_work(given)
    if found is not None:
        _call(call, place, found)
    if taken and values.maker(given) and (found is None or values.depend(given)):
        notes[f"values may be refused: {name}"] = (
            f"{name} ends a run with an error where its values are not what it takes, and nothing here (a sigmoid, a "
            "softmax) sees to it that they are: answered as if it took them in every step"
        )


def _call(call: Call, place: int, found: Any) -> None:
    def zeros(tensor: Any) -> Any:
        return torch.zeros(tuple(tensor.shape), dtype=tensor.dtype, device=found.device)

    args, kwargs = tree_map_only(torch.Tensor, zeros, (list(call.args), dict(call.kwargs)))
    args[place] = found
    with torch.no_grad():
        try:
            call.operator(*args, **kwargs)
        except (RuntimeError, IndexError) as error:
            raise Refused(f"{_name(call.operator)}: {str(error).splitlines()[0]}") from error


def _is_made_by(taken: frozenset[str], values: Values, fake: Any) -> bool:
    """Or of such, by what only moves them."""
    entry = values.maker(fake)
    if entry is None:
        return False
    name = _name(entry.operator)
    if name in ("clamp", "clamp_") and len(entry.args) > 1 and entry.args[1] is not None:
        most = entry.args[2] if len(entry.args) > 2 else None
        return bool(entry.args[1] >= 0 and (taken is not UNIT or (most is not None and most <= 1)))
    if name in PASSED_ON or entry.operator.is_view:
        moved = [tensor for tensor in tensors_of(entry.args) if tensor.is_floating_point()]
        return bool(moved) and all(_is_made_by(taken, values, tensor) for tensor in moved)
    return name in taken
