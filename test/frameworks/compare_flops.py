"""Compare the multiply-adds of the networks of cases.py with those that torch.utils.flop_counter counts.

    python test/frameworks/compare_flops.py             # a line a network, and sums
    python test/frameworks/compare_flops.py NAME...
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback

import memmodel
import memmodel.torch
import torch
from cases import MODELS
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

BATCH = 2
TOLERANCE = 0.001


def counted(name: str) -> int:
    """By PyTorch, with attention and recurrences as the products that they are made of: no fast path, no oneDNN."""
    model = MODELS[name].make().eval()
    args, kwargs = MODELS[name].inputs(BATCH)
    counter = FlopCounterMode(display=False)
    with torch.backends.mkldnn.flags(enabled=False), sdpa_kernel(SDPBackend.MATH), counter:
        model(*args, **kwargs)
    return int(counter.get_total_flops()) // 2


def predicted(name: str) -> dict[str, int]:
    """Of each layer."""
    model = MODELS[name].make().eval()
    args, kwargs = MODELS[name].inputs(BATCH)
    network = memmodel.torch.from_module(model, args, kwargs, mode="inference", symbolic=False)
    report = memmodel.estimate(network, framework="pytorch", mode="inference")
    return {layer.name: layer.multiply_adds for layer in report.layers}


def compare(name: str) -> str:
    torch.manual_seed(0)
    try:
        real = counted(name)
        ours = sum(predicted(name).values())
    except Exception as error:
        traceback.print_exc()
        return f"refused {name}: {type(error).__name__}"
    off = (ours - real) / max(real, 1)
    return f"{'same   ' if abs(off) <= TOLERANCE else 'DIFFERS'} {name:36s} {ours:16d} {real:16d} {100 * off:+9.3f} %"


def in_own_process(name: str) -> str:
    """Some models keep tensors for all that are made later."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, compare(name).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as pipe:
        return pipe.read() or f"refused {name}: its process ended"


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare multiply-adds with those that PyTorch counts.")
    parser.add_argument("name", nargs="*", help="networks (default: all)")
    lines = []
    for name in parser.parse_args().name or MODELS:
        lines.append(in_own_process(name))
        print(lines[-1], flush=True)
    kinds = [line.split()[0] for line in lines]
    same, differ, refused = (kinds.count(kind) for kind in ("same", "DIFFERS", "refused"))
    print(f"{same} within {100 * TOLERANCE} %, {differ} not, {refused} refused")
    sys.exit("DIFFERS" in kinds)


if __name__ == "__main__":
    main()
