"""Bytes of a PyTorch process besides its tensors: three steps of a network so small that its tensors do not count.

    memmodel run -- build/venv/torch/bin/python test/frameworks/process_base.py
"""

import torch
from torch import nn

THREADS = 2
STEPS = 3


def main() -> None:
    torch.set_num_threads(THREADS)
    model = nn.Sequential(nn.Conv3d(1, 2, 3, padding=1), nn.BatchNorm3d(2), nn.ReLU(), nn.Conv3d(2, 1, 1))
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(STEPS):
        y = model(torch.rand(2, 1, 4, 4, 4))
        y.pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
