"""The networks whose training steps are recorded.

The 3D U-Net is the one of the case study (examples/case-study/unet3d_torch.py); the small image classifier is here.
"""

from __future__ import annotations

import sys
from pathlib import Path

from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "case-study"))

from unet3d_torch import UNet3D

__all__ = ["CNN", "UNet3D"]


class CNN(nn.Module):
    """Images of 3x50x50: two convolutions, each with ReLU and pooling, then two dense layers; ten classes."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution0 = nn.Conv2d(3, 32, 3, padding="same")
        self.convolution1 = nn.Conv2d(32, 64, 3, padding="same")
        self.pool = nn.MaxPool2d(2)
        self.dense = nn.Linear(64 * 12 * 12, 500)
        self.logits = nn.Linear(500, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.convolution0(x)
        x = functional.relu(x)
        x = self.pool(x)
        x = self.convolution1(x)
        x = functional.relu(x)
        x = self.pool(x)
        x = x.flatten(1)
        x = self.dense(x)
        x = functional.relu(x)
        x = self.logits(x)
        return x
