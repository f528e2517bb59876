"""Record how much memory training steps of PyTorch on CPU need, over sizes and batches: tables to fit formulas to.

    python test/frameworks/record_peaks.py                  # all networks
    python test/frameworks/record_peaks.py NAME...          # only these

Three steps with Adam a point. The profiler sees every allocation, so that the peak of the allocator's live bytes is
known to the byte. What the tables hold is described in test/data/pytorch_peaks/README.md.
"""

from __future__ import annotations

import csv
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import plain_models as plain
import torch
from record_steps import Workload, collect, provenance, train
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

TABLES = Path(__file__).resolve().parents[1] / "data" / "pytorch_peaks"
BATCHES = (1, 2, 4, 8, 16, 32)


class Network(NamedTuple):
    make: Callable[[], nn.Module]
    size: str  # what `sizes` are called
    sizes: tuple[int, ...]
    inputs: Callable[[int, int], Tensor]  # of a size and a batch


def images(channels: int, dimensions: int) -> Callable[[int, int], Tensor]:
    return lambda size, batch: torch.rand(batch, channels, *[size] * dimensions)


def tokens(size: int, batch: int) -> Tensor:
    return torch.randint(0, 100, (batch, size))


SIDES = (32, 48, 64, 96, 128)
NETWORKS = {
    "unet2d": Network(plain.UNet2d, "side", SIDES, images(1, 2)),
    "resnet": Network(plain.ResNet, "side", SIDES, images(3, 2)),
    "vgg": Network(plain.vgg, "side", SIDES, images(3, 2)),
    "mobile_blocks": Network(plain.MobileNet, "side", SIDES, images(3, 2)),
    "alexnet": Network(plain.alexnet, "side", (64, 96, 128, 160, 224), images(3, 2)),
    "net3d": Network(plain.net3d, "edge", (16, 24, 32, 48, 64), images(1, 3)),
    "decoder_only": Network(plain.Decoder, "length", (8, 16, 24, 32, 48, 64), tokens),
    "gru_classifier": Network(plain.GruClassifier, "length", (8, 16, 32, 48, 64, 96), tokens),
}


def square(prediction: Tensor, target: Tensor) -> Tensor:
    return (prediction - target).square().mean()


def peak(network: Network, size: int, batch: int) -> int:
    """The greatest number of live bytes in three steps, the network, its gradients and the optimizer among them."""
    torch.manual_seed(0)
    gc.collect()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        model = network.make()
        x = network.inputs(size, batch)
        target = torch.zeros(())
        train(Workload(model, x, target, square), torch.optim.Adam(model.parameters()))
    events, _ = collect(profiler)
    return max(event.total for event in events) - (events[0].total - events[0].size)


def record(name: str) -> None:
    network = NETWORKS[name]
    made = provenance()
    with (TABLES / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {name} of test/frameworks/plain_models.py: three steps, Adam, float32, mean of squares\n")
        file.write(f"# torch {made['torch']}, oneDNN {made['onednn']}, {made['cpu']}, {made['isa']}, ")
        file.write(f"{made['threads']} threads\n")
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([network.size, "batch", "peak_bytes"])
        for size in network.sizes:
            rows.writerows([size, batch, peak(network, size, batch)] for batch in BATCHES)


def main() -> None:
    torch.set_num_threads(2)
    TABLES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or NETWORKS:
        record(name)


if __name__ == "__main__":
    main()
