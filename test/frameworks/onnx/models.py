"""Models that are exported to ONNX and measured: each a module, the shapes of its inputs, and what is symbolic."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch
from torch import nn


@dataclasses.dataclass
class Case:
    module: Callable[[], nn.Module]
    inputs: dict[str, tuple[torch.Tensor, tuple[str, ...]]]  # name: example, names of the leading symbolic dimensions
    values: dict[str, int]  # of the symbols, when it is measured
    opset: int = 18
    traced: bool = False  # by the older exporter, which keeps the length of a recurrence symbolic


def image(*shape: int) -> tuple[torch.Tensor, tuple[str, ...]]:
    return torch.zeros(2, *shape), ("batch",)


def tokens() -> tuple[torch.Tensor, tuple[str, ...]]:
    return torch.zeros(2, 9, dtype=torch.int64), ("batch", "length")


class Residual(nn.Module):
    def __init__(self, inner: nn.Module, shortcut: nn.Module | None = None) -> None:
        super().__init__()
        self.inner, self.shortcut = inner, shortcut or nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.inner(x) + self.shortcut(x))


def convolution(given: int, filters: int, kernel: int = 3, stride: int = 1, groups: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(given, filters, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(filters)
    )


def resnet() -> nn.Module:
    layers: list[nn.Module] = [convolution(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    given = 64
    for stage, count in enumerate((3, 4, 6, 3)):
        for block in range(count):
            width, stride = 64 << stage, 2 if block == 0 and stage else 1
            inner = nn.Sequential(
                convolution(given, width, 1),
                nn.ReLU(),
                convolution(width, width, 3, stride),
                nn.ReLU(),
                convolution(width, 4 * width, 1),
            )
            layers.append(Residual(inner, convolution(given, 4 * width, 1, stride) if block == 0 else None))
            given = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(given, 1000))


class Inverted(nn.Module):
    def __init__(self, given: int, filters: int, stride: int, growth: int) -> None:
        super().__init__()
        wide = given * growth
        self.layers = nn.Sequential(
            convolution(given, wide, 1),
            nn.ReLU6(),
            convolution(wide, wide, 3, stride, wide),
            nn.ReLU6(),
            convolution(wide, filters, 1),
        )
        self.residual = given == filters and stride == 1

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.residual else self.layers(x)


def mobilenet() -> nn.Module:
    layers: list[nn.Module] = [convolution(3, 32, 3, 2), nn.ReLU6()]
    given = 32
    plan = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
    for growth, filters, count, stride in plan:
        for i in range(count):
            layers.append(Inverted(given, filters, stride if i == 0 else 1, growth))
            given = filters
    layers += [convolution(given, 1280, 1), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000)]
    return nn.Sequential(*layers)


def vgg() -> nn.Module:
    layers: list[nn.Module] = []
    given = 3
    for filters, count in ((64, 2), (128, 2), (256, 3), (512, 3)):
        for _ in range(count):
            layers += [nn.Conv2d(given, filters, 3, padding=1), nn.ReLU()]
            given = filters
        layers.append(nn.MaxPool2d(2))
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(2048, 256), nn.ReLU(), nn.Linear(256, 10)
    )


class Dense(nn.Module):
    def __init__(self, given: int, growth: int, count: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.BatchNorm2d(given + i * growth), nn.ReLU(), nn.Conv2d(given + i * growth, growth, 3, padding=1)
            )
            for i in range(count)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = torch.cat([x, layer(x)], 1)
        return x


def densenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, 2, 1),
        Dense(32, 16, 6),
        nn.Conv2d(128, 64, 1),
        nn.AvgPool2d(2),
        Dense(64, 16, 8),
        nn.Conv2d(192, 96, 1),
        nn.AvgPool2d(2),
        Dense(96, 16, 8),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(224, 10),
    )


class UNet(nn.Module):
    def __init__(self, rank: int, widths: tuple[int, ...]) -> None:
        super().__init__()
        conv = (nn.Conv2d, nn.Conv3d)[rank - 2]
        transposed = (nn.ConvTranspose2d, nn.ConvTranspose3d)[rank - 2]
        self.pool = (nn.MaxPool2d, nn.MaxPool3d)[rank - 2](2)
        norm = (nn.InstanceNorm2d, nn.InstanceNorm3d)[rank - 2]

        def twice(given: int, filters: int) -> nn.Sequential:
            return nn.Sequential(
                conv(given, filters, 3, padding=1),
                norm(filters, affine=True),
                nn.LeakyReLU(),
                conv(filters, filters, 3, padding=1),
                nn.ReLU(),
            )

        self.down = nn.ModuleList(twice(a, b) for a, b in zip((1, *widths), widths))
        self.up = nn.ModuleList(transposed(b, a, 2, 2) for a, b in zip(widths, widths[1:]))
        self.join = nn.ModuleList(twice(2 * a, a) for a in widths[:-1])
        self.last = conv(widths[0], 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kept = []
        for level, down in enumerate(self.down):
            x = down(x if level == 0 else self.pool(x))
            kept.append(x)
        for level in reversed(range(len(self.up))):
            x = self.join[level](torch.cat([self.up[level](x), kept[level]], 1))
        return torch.sigmoid(self.last(x))


class Block(nn.Module):
    """A transformer's block, written out."""

    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.grow, self.shrink = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.heads, self.causal = heads, causal

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.reshape(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.first(x)
        query, key, value = self.split(self.query(y)), self.split(self.key(y)), self.split(self.value(y))
        scores = query @ key.transpose(-1, -2) / (query.shape[-1] ** 0.5)
        if self.causal:
            length = x.shape[1]
            scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1), -1e9)
        y = (scores.softmax(-1) @ value).transpose(1, 2).reshape(x.shape)
        x = x + self.out(y)
        return x + self.shrink(nn.functional.gelu(self.grow(self.second(x))))


class Transformer(nn.Module):
    def __init__(self, width: int, heads: int, blocks: int, words: int, causal: bool) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(512, width)
        self.blocks = nn.Sequential(*(Block(width, heads, causal) for _ in range(blocks)))
        self.last = nn.Linear(width, words if causal else width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.blocks(self.words(x) + self.places(torch.arange(x.shape[1]))))


class Patches(nn.Module):
    """A vision transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = nn.Conv2d(3, 192, 16, 16)
        self.token = nn.Parameter(torch.zeros(1, 1, 192))
        self.places = nn.Parameter(torch.zeros(1, 197, 192))
        self.blocks = nn.Sequential(*(Block(192, 3, False) for _ in range(6)))
        self.last = nn.Linear(192, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.last(self.blocks(x)[:, 0])


class Recurrent(nn.Module):
    def __init__(self, kind: type[nn.Module], both: bool) -> None:
        super().__init__()
        self.words = nn.Embedding(2000, 128)
        self.layers = kind(128, 256, 2, batch_first=True, bidirectional=both)
        self.last = nn.Linear(512 if both else 256, 2000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.layers(self.words(x))[0])


class ConvNext(nn.Module):
    class Layer(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.deep = nn.Conv2d(width, width, 7, padding=3, groups=width)
            self.norm, self.grow, self.shrink = (
                nn.LayerNorm(width),
                nn.Linear(width, 4 * width),
                nn.Linear(4 * width, width),
            )

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.shrink(nn.functional.gelu(self.grow(self.norm(self.deep(x).permute(0, 2, 3, 1)))))
            return x + y.permute(0, 3, 1, 2)

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(3, 48, 4, 4)]
        for given, width in ((48, 96), (96, 192)):
            layers += [ConvNext.Layer(given), ConvNext.Layer(given), nn.Conv2d(given, width, 2, 2)]
        self.layers = nn.Sequential(*layers, ConvNext.Layer(192))
        self.last = nn.Linear(192, 100)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.layers(x).mean((2, 3)))


STEPS = {"batch": 16, "length": 50}

CASES = {
    "resnet": Case(resnet, {"x": image(3, 224, 224)}, {"batch": 4}),
    "mobilenet": Case(mobilenet, {"x": image(3, 224, 224)}, {"batch": 4}),
    "vgg": Case(vgg, {"x": image(3, 64, 64)}, {"batch": 8}),
    "densenet": Case(densenet, {"x": image(3, 64, 64)}, {"batch": 8}),
    "unet2d": Case(lambda: UNet(2, (16, 32, 64, 128)), {"x": image(1, 96, 96)}, {"batch": 4}),
    "unet3d": Case(lambda: UNet(3, (8, 16, 32)), {"x": image(1, 32, 32, 32)}, {"batch": 2}),
    "convnext": Case(ConvNext, {"x": image(3, 128, 128)}, {"batch": 4}),
    "vit": Case(Patches, {"x": image(3, 224, 224)}, {"batch": 4}),
    "encoder": Case(lambda: Transformer(256, 4, 4, 1000, False), {"x": tokens()}, {"batch": 8, "length": 128}),
    "decoder": Case(lambda: Transformer(256, 4, 4, 1000, True), {"x": tokens()}, {"batch": 4, "length": 160}),
    "lstm": Case(
        lambda: Recurrent(nn.LSTM, False), {"x": tokens()}, {"batch": 16, "length": 50}, opset=17, traced=True
    ),
    "bilstm": Case(
        lambda: Recurrent(nn.LSTM, True), {"x": tokens()}, {"batch": 16, "length": 50}, opset=17, traced=True
    ),
    "gru": Case(lambda: Recurrent(nn.GRU, False), {"x": tokens()}, STEPS, opset=17, traced=True),
}
