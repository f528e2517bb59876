"""Record output shapes and parameter counts of random layers, as ground truth for shape inference.

    python test/frameworks/record_shapes.py > test/data/network_shapes/layers.csv

A layer that PyTorch refuses has no output, nor has one whose output is empty, which PyTorch refuses for some kernels
only. Numbers of several dimensions are joined by "x"; test/unit/test_network_shapes.c builds the same layers.
"""

from __future__ import annotations

import csv
import random
import sys

import torch
from torch import nn

COLUMNS = (
    "op", "input", "filters", "kernel", "stride", "dilation", "pad", "output_padding", "groups", "ceil_mode", "output",
    "parameters",
)  # fmt: skip
CONVOLUTIONS = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}
TRANSPOSED = {1: nn.ConvTranspose1d, 2: nn.ConvTranspose2d, 3: nn.ConvTranspose3d}
MAXIMA = {1: nn.MaxPool1d, 2: nn.MaxPool2d, 3: nn.MaxPool3d}
MEANS = {1: nn.AvgPool1d, 2: nn.AvgPool2d, 3: nn.AvgPool3d}
EACH = 150


def numbers(choose: random.Random, rank: int, least: int, most: int) -> tuple[int, ...]:
    return tuple(choose.randint(least, most) for _ in range(rank))


def random_layer(choose: random.Random, op: str) -> tuple[dict[str, object], nn.Module, tuple[int, ...]]:
    """A row, its module and the shape of its input."""
    rank, groups = choose.randint(1, 3), choose.choice([1, 1, 1, 2, 3])
    channels, filters = groups * choose.randint(1, 4), groups * choose.randint(1, 5)
    kernel, stride = numbers(choose, rank, 1, 5), numbers(choose, rank, 1, 4)
    dilation, pad = numbers(choose, rank, 1, 3), numbers(choose, rank, 0, 2)
    output_padding, ceil_mode = numbers(choose, rank, 0, 2), choose.random() < 0.6
    least = 5 if op == "mean_pool" else 1  # avg_pool3d alone refuses inputs that only padding makes large enough
    shape = (choose.randint(1, 3), channels, *numbers(choose, rank, least, 14))
    row: dict[str, object] = {"op": op, "input": shape, "kernel": kernel, "stride": stride}
    pooling = {"stride": stride, "padding": pad, "ceil_mode": ceil_mode}
    module: nn.Module
    if op in ("conv", "conv_transpose"):
        row |= {"filters": filters, "dilation": dilation, "pad": pad, "groups": groups}
    else:
        row |= {"pad": pad, "ceil_mode": int(ceil_mode)}
    if op == "conv":
        module = CONVOLUTIONS[rank](channels, filters, kernel, stride, pad, dilation, groups)
    elif op == "conv_transpose":
        row |= {"output_padding": output_padding}
        module = TRANSPOSED[rank](channels, filters, kernel, stride, pad, output_padding, groups, True, dilation)
    elif op == "max_pool":
        row |= {"dilation": dilation}
        module = MAXIMA[rank](kernel, dilation=dilation, **pooling)
    else:
        module = MEANS[rank](kernel, **pooling)
    return row, module, shape


def text(value: object) -> str:
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)


def record(choose: random.Random, op: str) -> dict[str, str]:
    row, module, shape = random_layer(choose, op)
    try:
        output = module(torch.zeros(shape))
        row["output"] = tuple(output.shape) if output.numel() else ""
    except RuntimeError:
        row["output"] = ""
    row["parameters"] = sum(p.numel() for p in module.parameters())
    return {key: text(value) for key, value in row.items()}


def main() -> None:
    choose = random.Random(1)
    print(f"# PyTorch {torch.__version__.split('+')[0]} CPU; written by", end=" ")
    print("test/frameworks/record_shapes.py")
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for op in ("conv", "conv_transpose", "max_pool", "mean_pool"):
        for _ in range(EACH):
            writer.writerow(record(choose, op))


main()
