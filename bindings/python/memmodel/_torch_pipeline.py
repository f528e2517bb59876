"""What a stage of a pipeline is called with: one part of a batch."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch.utils._pytree import tree_map

MICROBATCHES = re.compile(r"\bmicrobatches\s*=\s*(\d+)")


def first_part(handed: Any, pipeline: str | None) -> Any:
    """The first of the parts that a schedule cuts tensors into, along axis 0 as torch.tensor_split() does."""
    found = MICROBATCHES.search(pipeline or "")
    count = int(found[1]) if found else 1
    if count <= 1:
        return handed

    def one(value: Any) -> Any:
        whole = isinstance(value, torch.Tensor) and value.dim() > 0
        if whole and len(value) % count:
            raise ValueError(f"pipeline: {count} microbatches of a batch of {len(value)} are not alike")
        return value.tensor_split(count)[0].clone() if whole else value

    return tree_map(one, handed)
