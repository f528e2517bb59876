"""Record what PyTorch takes inside single products of bfloat16 matrices on a CPU, beside their results.

    python test/frameworks/record_products.py --count 900 --seed 11 > test/data/pytorch_products/products_avx512.csv

What a line holds is described in test/data/pytorch_products/README.md.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile

ROUND = (16, 32, 48, 64, 80, 96, 128, 160, 192, 256, 384, 512, 768, 1024, 2048, 3072, 4096)
SMALL, ODD = (1, 2, 3, 4, 7, 10, 16, 17), (10, 49, 50, 65, 100, 129, 196, 197, 577, 1000)
BATCHES = (2, 3, 4, 6, 8, 12, 16, 24, 32)
THREADS = (1, 1, 2, 2, 3, 4, 6, 8, 16)
SMALLEST, LARGEST, LARGEST_OPERAND = 16**3, 2**29, 2**22  # multiplications; elements


class Product(NamedTuple):
    call: str
    batch: int
    rows: int
    summed: int
    columns: int
    transposed: tuple[bool, bool]


def draw_size(draw: random.Random) -> int:
    kind = draw.random()
    if kind < 0.6:
        return draw.choice(SMALL if kind < 0.2 else ROUND if kind < 0.45 else ODD)
    return int(2 ** draw.uniform(1, 11))


def draw_product(draw: random.Random) -> Product:
    while True:
        call = draw.choice(("mm", "mm", "mm", "bmm", "bmm", "linear", "mv"))
        batch = draw.choice(BATCHES) if call == "bmm" else 1
        rows, summed = draw_size(draw), draw_size(draw)
        columns = 1 if call == "mv" else draw_size(draw)
        first = call != "linear" and draw.random() < 0.5
        second = call == "linear" or (call != "mv" and draw.random() < 0.5)
        largest = batch * max(rows * summed, summed * columns, rows * columns)
        if SMALLEST < batch * rows * summed * columns < LARGEST and largest < LARGEST_OPERAND:
            return Product(call, batch, rows, summed, columns, (first, second))


def operand(batch: int, rows: int, columns: int, transposed: bool) -> Tensor:
    if transposed:
        return torch.ones(batch, columns, rows, dtype=torch.bfloat16).transpose(1, 2)
    return torch.ones(batch, rows, columns, dtype=torch.bfloat16)


def call_of(product: Product) -> Callable[[], Tensor]:
    a = operand(product.batch, product.rows, product.summed, product.transposed[0])
    b = operand(product.batch, product.summed, product.columns, product.transposed[1])
    if product.call == "bmm":
        return lambda: torch.bmm(a, b)
    if product.call == "mv":
        return lambda: torch.mv(a[0], b[0, :, 0])
    if product.call == "linear":
        bias = torch.ones(product.columns, dtype=torch.bfloat16)
        return lambda: torch.nn.functional.linear(a[0], b[0].t(), bias)
    return lambda: torch.mm(a[0], b[0])


def allocations(call: Callable[[], Any]) -> list[int]:
    """Bytes of what was allocated; negative: released."""
    call()  # the first call of a kernel fills caches
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        result = call()
    found: list[tuple[int, int]] = []

    def walk(node: Any) -> None:
        if node.tag.name == "Allocation":
            found.append((node.start_time_ns, node.extra_fields.alloc_size))
        for child in node.children:
            walk(child)

    for root in profiler.profiler.kineto_results.experimental_event_tree():
        walk(root)
    del result
    return [size for _, size in sorted(found)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=900)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    print("threads,call,batch,rows,summed,columns,first_transposed,second_transposed,scratchpad")
    for _ in range(options.count):
        product, threads = draw_product(draw), draw.choice(THREADS)
        torch.set_num_threads(threads)
        result, scratchpad, released = allocations(call_of(product))
        assert result == 2 * product.batch * product.rows * product.columns and released == -scratchpad
        flags = ",".join(str(int(flag)) for flag in product.transposed)
        print(threads, *product[:5], flags, scratchpad, sep=",")


if __name__ == "__main__":
    main()
