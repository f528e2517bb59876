"""The 3D U-Net of the case study in PyTorch: the topology of IntelAI/unet (3D/model.py), channels first.

Which tensors Python keeps alive is part of what is measured, so forward is written the plain way: a name holds its
tensor until the statement that binds the name again has completed, and a caller's name holds an argument until the
call has returned.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ConvolutionBlock(nn.Module):
    """Twice: convolution 3x3x3 with bias, batch normalisation, ReLU; both convolutions have the same width."""

    def __init__(self, channels: int, filters: int) -> None:
        super().__init__()
        self.convolution0 = nn.Conv3d(channels, filters, 3, padding=1)
        self.norm0 = nn.BatchNorm3d(filters)
        self.relu0 = nn.ReLU()
        self.convolution1 = nn.Conv3d(filters, filters, 3, padding=1)
        self.norm1 = nn.BatchNorm3d(filters)
        self.relu1 = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        x = self.convolution0(x)
        x = self.norm0(x)
        x = self.relu0(x)
        x = self.convolution1(x)
        x = self.norm1(x)
        x = self.relu1(x)
        return x


class UNet3D(nn.Module):
    """3D U-Net whose sigmoid gives one mask; `depth` poolings, so every edge of the input is a multiple of 2**depth."""

    def __init__(self, filters: int = 16, depth: int = 4, channels: int = 1, upsampling: bool = False) -> None:
        super().__init__()
        widths = [filters * 2**level for level in range(depth + 1)]
        inputs = [channels, *widths]
        self.encoder = nn.ModuleList(ConvolutionBlock(inputs[level], widths[level]) for level in range(depth))
        self.pool = nn.MaxPool3d(2)
        self.bottleneck = ConvolutionBlock(inputs[depth], widths[depth])
        self.up = nn.ModuleList()
        self.decoder = nn.ModuleList()
        for level in reversed(range(depth)):
            below, width = widths[level + 1], widths[level]
            if upsampling:
                self.up.append(nn.Upsample(scale_factor=2, mode="nearest"))
            else:
                self.up.append(nn.ConvTranspose3d(below, width, 2, stride=2))
            self.decoder.append(ConvolutionBlock((below if upsampling else width) + width, width))
        self.prediction = nn.Conv3d(filters, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        skips = []
        for block in self.encoder:
            x = block(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bottleneck(x)
        for up, block in zip(self.up, self.decoder, strict=True):
            x = up(x)
            x = torch.cat([x, skips.pop()], dim=1)
            x = block(x)
        x = self.prediction(x)
        return torch.sigmoid(x)
