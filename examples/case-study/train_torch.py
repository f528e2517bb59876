"""Three training steps of the 3D U-Net in PyTorch on CPU, the counterpart of train_keras.py."""

from __future__ import annotations

import argparse

import torch
from torch.nn import functional
from unet3d_torch import UNet3D

STEPS = 3


def train(dim: int, batch: int, filters: int) -> None:
    torch.manual_seed(0)
    shape = (batch, 1, dim, dim, dim)
    x = torch.rand(shape)
    target = torch.randint(0, 2, shape, dtype=torch.uint8).float()
    model = UNet3D(filters)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(STEPS):
        y = model(x)
        loss = functional.binary_cross_entropy(y, target)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def main() -> None:
    parser = argparse.ArgumentParser(description="Three training steps of the 3D U-Net in PyTorch on random input.")
    parser.add_argument("--dim", type=int, default=32, help="voxels along each edge, a multiple of 16 (default: 32)")
    parser.add_argument("--batch", type=int, default=1, help="images in the batch (default: 1)")
    parser.add_argument("--filters", type=int, default=16, help="filters of the first block (default: 16)")
    options = parser.parse_args()
    train(options.dim, options.batch, options.filters)


if __name__ == "__main__":
    main()
