"""Where tensors that are there before a step lie in memory: their strides, and which of them share a storage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch


@dataclass
class Lies:
    """Of one tensor. `within`: which of the others has its storage, by number; -1: its own. `base`: it has no other."""

    strides: tuple[Any, ...] | None  # None: row-major
    within: int = -1
    base: Base | None = None


@dataclass
class Base:
    """A storage that no tensor covers: how many bytes, as a shape; one object for all that lie in it."""

    sizes: tuple[Any, ...]


def identity(tensor: Any) -> tuple[Any, ...]:
    """The same for tensors that are the same elements."""
    storage = storage_of(tensor)
    if storage is None:
        return (id(tensor),)
    return storage._cdata, tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype


def storage_of(tensor: Any) -> Any:
    """None of a tensor without a storage of its own, such as a sparse one."""
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return None


def lies_of(tensors: Sequence[Any], shown: Sequence[Any]) -> list[Lies]:
    """Of real tensors; `shown` are the same with symbols for sizes, where there are some."""
    symbols = {symbol for fake in shown for size in fake.shape for symbol in _symbols(size)}
    found = [
        Lies(None if storage_of(real) is None or real.is_contiguous() else _strides(real, fake, symbols))
        for real, fake in zip(tensors, shown, strict=True)
    ]
    members: dict[int, list[int]] = {}
    for index, real in enumerate(tensors):
        storage = storage_of(real)
        if storage is not None and real.numel():
            members.setdefault(storage._cdata, []).append(index)
    for numbers in members.values():
        _place(numbers, tensors, shown, found)
    return found


def _symbols(size: Any) -> Any:
    return () if isinstance(size, int) else size.node.expr.free_symbols


def _strides(real: Any, shown: Any, symbols: set[Any]) -> tuple[Any, ...]:
    """A stride that is no product of sizes, as that of a slice, is what it is."""
    return tuple(
        stride if symbols.issuperset(_symbols(stride)) else number
        for stride, number in zip(shown.stride(), real.stride(), strict=True)
    )


def _place(numbers: Sequence[int], tensors: Sequence[Any], shown: Sequence[Any], found: list[Lies]) -> None:
    size = storage_of(tensors[numbers[0]]).nbytes()
    whole = [number for number in numbers if _is_dense(tensors[number]) and _bytes(tensors[number]) == size]
    if whole:
        for number in numbers:
            found[number].within = whole[0] if number != whole[0] else -1
        return
    if _reach(tensors[numbers[0]]) == size and len(numbers) == 1:  # expanded, or with gaps
        return
    if _are_parts([tensors[number] for number in numbers], size):
        return
    base = Base(_sizes_of_base(size, shown[numbers[0]], tensors[numbers[0]]))
    for number in numbers:
        found[number].base = base


def _bytes(tensor: Any) -> int:
    return int(tensor.numel() * tensor.element_size())


def _is_dense(tensor: Any) -> bool:
    return bool(torch.ops.aten.is_non_overlapping_and_dense.default(tensor))


def _reach(tensor: Any) -> int:
    """Bytes from its first element to its last."""
    steps = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return int((steps + 1) * tensor.element_size())


def _are_parts(tensors: Sequence[Any], size: int) -> bool:
    """Each a stretch of its own, and together all of the storage: as good as storages of their own."""
    if not all(_is_dense(tensor) for tensor in tensors) or sum(map(_bytes, tensors)) != size:
        return False
    begins = sorted((tensor.storage_offset() * tensor.element_size(), _bytes(tensor)) for tensor in tensors)
    ends = [begin + length for begin, length in begins]
    return all(begin == end for (begin, _), end in zip(begins[1:], ends, strict=False))


def _sizes_of_base(size: int, shown: Any, real: Any) -> tuple[Any, ...]:
    """In bytes; rows of the tensor where these make up the storage, so that it grows with their number."""
    if all(isinstance(part, int) for part in shown.shape):
        return (size,)
    row = real.stride()[0] * real.element_size()
    if isinstance(shown.shape[0], int) or real.shape[0] * row != size:
        raise ValueError("a part of a larger tensor has a size of its own: it is no symbol")
    return (shown.shape[0], row)
