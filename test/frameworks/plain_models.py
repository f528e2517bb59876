"""Networks of torch.nn alone, as people write them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def mlp() -> nn.Module:
    return nn.Sequential(
        nn.Flatten(), nn.Linear(192, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10)
    )


def vgg() -> nn.Module:
    layers: list[nn.Module] = []
    channels = 3
    for width in (16, 16, 0, 32, 32, 0):
        if width == 0:
            layers.append(nn.MaxPool2d(2))
            continue
        layers += [nn.Conv2d(channels, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
        channels = width
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(512, 64), nn.ReLU(True), nn.Linear(64, 10)
    )


class Residual(nn.Module):
    """A basic or bottleneck block."""

    def __init__(self, channels: int, width: int, stride: int, bottleneck: bool) -> None:
        super().__init__()
        out = width * 4 if bottleneck else width
        sizes = [(channels, width, 1, 1), (width, width, 3, stride), (width, out, 1, 1)]
        if not bottleneck:
            sizes = [(channels, width, 3, stride), (width, width, 3, 1)]
        self.convs = nn.ModuleList(nn.Conv2d(i, o, k, s, k // 2, bias=False) for i, o, k, s in sizes)
        self.norms = nn.ModuleList(nn.BatchNorm2d(o) for _, o, _, _ in sizes)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut: nn.Module | None = None
        if stride != 1 or channels != out:
            self.shortcut = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x: Tensor) -> Tensor:
        identity = x
        for conv, norm in zip(self.convs[:-1], self.norms[:-1], strict=True):
            x = self.relu(norm(conv(x)))
        out = self.norms[-1](self.convs[-1](x))
        if self.shortcut is not None:
            identity = self.shortcut(identity)
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, bottleneck: bool = False) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 7, 2, 3, bias=False)
        self.norm = nn.BatchNorm2d(16)
        self.relu = nn.ReLU(inplace=True)
        self.pool = nn.MaxPool2d(3, 2, 1)
        widths = (8, 16, 16) if bottleneck else (16, 32, 32)
        channels, blocks = 16, []
        for index, width in enumerate(widths):
            blocks.append(Residual(channels, width, 1 + index % 2, bottleneck))
            channels = width * 4 if bottleneck else width
        self.blocks = nn.Sequential(*blocks)
        self.average = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(channels, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        x = self.norm(x)
        x = self.relu(x)
        x = self.pool(x)
        x = self.blocks(x)
        x = self.average(x)
        x = torch.flatten(x, 1)
        return self.head(x)


class DenseLayer(nn.Module):
    def __init__(self, channels: int, growth: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)
        self.conv = nn.Conv2d(channels, growth, 3, padding=1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        new = self.conv(functional.relu(self.norm(x)))
        return torch.cat([x, new], 1)


class DenseNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.body = nn.Sequential(*[DenseLayer(16 + 8 * index, 8) for index in range(4)])
        self.norm = nn.BatchNorm2d(48)
        self.head = nn.Linear(48, 10)

    def forward(self, x: Tensor) -> Tensor:
        features = self.body(self.stem(x))
        features = functional.relu(self.norm(features), inplace=True)
        features = functional.adaptive_avg_pool2d(features, 1).flatten(1)
        return self.head(features)


def double_conv(channels: int, width: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(channels, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
        nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
    )  # fmt: skip


class UNet2d(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2, self.down3 = double_conv(1, 8), double_conv(8, 16), double_conv(16, 32)
        self.up2, self.up1 = double_conv(48, 16), double_conv(24, 8)
        self.pool = nn.MaxPool2d(2)
        self.upsample = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.out = nn.Conv2d(8, 3, 1)

    def forward(self, x: Tensor) -> Tensor:
        first = self.down1(x)
        second = self.down2(self.pool(first))
        x = self.down3(self.pool(second))
        x = self.up2(torch.cat([self.upsample(x), second], dim=1))
        x = self.up1(torch.cat([self.upsample(x), first], dim=1))
        return self.out(x)


def autoencoder() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU(), nn.ConvTranspose2d(16, 8, 2, 2),
        nn.LeakyReLU(0.1), nn.ConvTranspose2d(8, 1, 2, 2), nn.Sigmoid(),
    )  # fmt: skip


class MixerBlock(nn.Module):
    def __init__(self, patches: int, width: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.across = nn.Sequential(nn.Linear(patches, 2 * patches), nn.GELU(), nn.Linear(2 * patches, patches))
        self.within = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        turned = self.norm1(x).transpose(1, 2)
        x = x + self.across(turned).transpose(1, 2)
        return x + self.within(self.norm2(x))


class Mixer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 8, 8)
        self.blocks = nn.Sequential(*[MixerBlock(16, 32) for _ in range(3)])
        self.norm, self.head = nn.LayerNorm(32), nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = self.norm(self.blocks(x))
        return self.head(x.mean(dim=1))


class RecurrentLanguage(nn.Module):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 24)
        self.recurrent = getattr(nn, kind)(24, 32, num_layers=2, batch_first=True)
        self.head = nn.Linear(32, 100)

    def forward(self, input_ids: Tensor) -> Tensor:
        x = self.table(input_ids)
        x, _ = self.recurrent(x)
        return self.head(x)


class GruClassifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 16)
        self.gru = nn.GRU(16, 24, batch_first=True, bidirectional=True)
        self.dropout, self.head = nn.Dropout(0.2), nn.Linear(48, 5)

    def forward(self, input_ids: Tensor) -> Tensor:
        x = self.table(input_ids)
        out, state = self.gru(x)
        out = self.dropout(out[:, -1])
        return self.head(out)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 32)
        self.positions = nn.Parameter(torch.zeros(1, 40, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 100)

    def forward(self, input_ids: Tensor) -> Tensor:
        x = self.table(input_ids) + self.positions[:, : input_ids.shape[1]]
        x = self.encoder(x)
        return self.head(x)


class Inverted(nn.Module):
    """Expansion, depthwise convolution, projection."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        wide = 4 * channels
        self.skip = stride == 1 and channels == out
        self.body = nn.Sequential(
            nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(inplace=True),
            nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False), nn.BatchNorm2d(wide), nn.Hardswish(),
            nn.Conv2d(wide, out, 1, bias=False), nn.BatchNorm2d(out),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x) if self.skip else self.body(x)


class MobileNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, 2, 1, bias=False)
        self.blocks = nn.Sequential(Inverted(8, 8, 1), Inverted(8, 16, 2), Inverted(16, 16, 1))
        self.head = nn.Linear(16, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.blocks(self.stem(x))
        return self.head(x.mean((2, 3)))


# ---- to judge by ----


def alexnet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 16, 11, 4, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2), nn.Conv2d(16, 32, 5, padding=2),
        nn.ReLU(inplace=True), nn.MaxPool2d(3, 2), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Dropout(), nn.Linear(128, 64), nn.ReLU(inplace=True),
        nn.Linear(64, 10),
    )  # fmt: skip


class Inception(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU())
        self.one = nn.Conv2d(16, 8, 1)
        self.three = nn.Sequential(nn.Conv2d(16, 8, 1), nn.ReLU(), nn.Conv2d(8, 12, 3, padding=1))
        self.five = nn.Sequential(nn.Conv2d(16, 4, 1), nn.ReLU(), nn.Conv2d(4, 8, 5, padding=2))
        self.pool = nn.Sequential(nn.MaxPool2d(3, 1, 1), nn.Conv2d(16, 4, 1))
        self.head = nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        branches = [self.one(x), self.three(x), self.five(x), self.pool(x)]
        x = functional.relu(torch.cat(branches, 1))
        x = functional.avg_pool2d(x, 4)
        return self.head(x.flatten(2).max(-1)[0])


class SqueezeExcite(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 16, 3, 2, 1), nn.GroupNorm(4, 16)
        self.down, self.up = nn.Linear(16, 4), nn.Linear(4, 16)
        self.head = nn.Linear(16, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = functional.silu(self.norm(self.conv(x)))
        scale = functional.relu(self.down(x.mean((2, 3))))
        scale = torch.sigmoid(self.up(scale))
        x = x * scale[:, :, None, None]
        return self.head(x.mean((2, 3)))


def conv1d() -> nn.Module:
    return nn.Sequential(
        nn.Conv1d(4, 16, 5, padding=2), nn.BatchNorm1d(16), nn.ELU(), nn.MaxPool1d(2), nn.Conv1d(16, 16, 3, stride=2),
        nn.PReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(16, 6),
    )  # fmt: skip


def generator() -> nn.Module:
    return nn.Sequential(
        nn.ConvTranspose2d(16, 32, 4, 1, 0, bias=False), nn.BatchNorm2d(32), nn.ReLU(True),
        nn.ConvTranspose2d(32, 16, 4, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(True),
        nn.ConvTranspose2d(16, 3, 4, 2, 1, bias=False), nn.Tanh(),
    )  # fmt: skip


class BiLstm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 16)
        self.lstm = nn.LSTM(16, 24, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1)
        self.head = nn.Linear(48, 7)

    def forward(self, input_ids: Tensor) -> Tensor:
        out, (hidden, cell) = self.lstm(self.table(input_ids))
        return self.head(out)


class Seq2Seq(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(100, 16), nn.Embedding(100, 16)
        self.encoder, self.decoder = nn.GRU(16, 24, batch_first=True), nn.GRU(16, 24, batch_first=True)
        self.head = nn.Linear(24, 100)

    def forward(self, input_ids: Tensor, decoder_input_ids: Tensor) -> Tensor:
        _, state = self.encoder(self.source(input_ids))
        out, _ = self.decoder(self.target(decoder_input_ids), state)
        return self.head(out)


class DecoderBlock(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in (q, k, v))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        y = y.transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(y)
        return x + self.mlp(self.norm2(x))


class Decoder(nn.Module):
    """A small GPT with a tied output layer."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.positions = nn.Embedding(100, 32), nn.Embedding(64, 32)
        self.blocks = nn.ModuleList(DecoderBlock(32, 4) for _ in range(2))
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, 100, bias=False)
        self.head.weight = self.table.weight

    def forward(self, input_ids: Tensor) -> Tensor:
        positions = torch.arange(input_ids.shape[1])
        x = self.table(input_ids) + self.positions(positions)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def net3d() -> nn.Module:
    return nn.Sequential(
        nn.Conv3d(1, 8, 3, padding=1), nn.InstanceNorm3d(8), nn.LeakyReLU(0.1, inplace=True), nn.MaxPool3d(2),
        nn.Conv3d(8, 16, 3, padding=1), nn.BatchNorm3d(16), nn.ReLU(), nn.Upsample(scale_factor=2, mode="trilinear"),
        nn.Conv3d(16, 2, 1),
    )  # fmt: skip


def first_of(output: Any) -> Tensor:
    """The prediction among what a model returns."""
    if isinstance(output, Tensor):
        return output
    if isinstance(output, dict):
        output = list(output.values())
    return first_of(output[0])
