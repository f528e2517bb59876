"""Models to judge by, as in models.py: written and measured before a rule was changed for them."""

from __future__ import annotations

import torch
from models import Case, Residual, convolution, image, tokens
from torch import nn


class SqueezeExcite(nn.Module):
    def __init__(self, width: int, narrow: int) -> None:
        super().__init__()
        self.down, self.up = nn.Conv2d(width, narrow, 1), nn.Conv2d(narrow, width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate = nn.functional.adaptive_avg_pool2d(x, 1)
        return x * torch.sigmoid(self.up(torch.relu(self.down(gate))))


class MobileBlock(nn.Module):
    def __init__(self, given: int, wide: int, filters: int, stride: int, activation: type[nn.Module]) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            convolution(given, wide, 1),
            activation(),
            convolution(wide, wide, 5, stride, wide),
            activation(),
            SqueezeExcite(wide, wide // 4),
            convolution(wide, filters, 1),
        )
        self.residual = stride == 1 and given == filters

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.residual else self.layers(x)


def mobile(activation: type[nn.Module]) -> nn.Module:
    return nn.Sequential(
        convolution(3, 16, 3, 2),
        activation(),
        MobileBlock(16, 64, 24, 2, activation),
        MobileBlock(24, 96, 24, 1, activation),
        MobileBlock(24, 96, 40, 2, activation),
        MobileBlock(40, 160, 40, 1, activation),
        convolution(40, 240, 1),
        activation(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(240, 100),
    )


class Detector(nn.Module):
    """A pyramid of features, enlarged and added, with a head on each level."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(convolution(3, 32, 3, 2), nn.SiLU())
        self.stages = nn.ModuleList(
            nn.Sequential(convolution(a, b, 3, 2), nn.SiLU(), convolution(b, b, 3), nn.SiLU())
            for a, b in ((32, 64), (64, 128), (128, 256))
        )
        self.flat = nn.ModuleList(nn.Conv2d(width, 64, 1) for width in (64, 128, 256))
        self.head = nn.Sequential(nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 3 * 85, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x, levels = self.stem(x), []
        for stage, flat in zip(self.stages, self.flat):
            x = stage(x)
            levels.append(flat(x))
        for i in (1, 0):
            levels[i] = levels[i] + nn.functional.interpolate(levels[i + 1], scale_factor=2.0, mode="nearest")
        found = [self.head(level).flatten(2).transpose(1, 2).sigmoid() for level in levels]
        return torch.cat(found, 1)


class Volume(nn.Module):
    """A U-Net of three dimensions that is enlarged by interpolation, with residual blocks."""

    def __init__(self) -> None:
        super().__init__()

        def block(given: int, filters: int) -> nn.Module:
            return nn.Sequential(
                nn.Conv3d(given, filters, 3, padding=1, bias=False),
                nn.BatchNorm3d(filters),
                nn.ReLU(),
                nn.Conv3d(filters, filters, 3, padding=1, bias=False),
                nn.BatchNorm3d(filters),
                nn.ReLU(),
            )

        self.down = nn.ModuleList((block(2, 12), block(12, 24), block(24, 48)))
        self.up = nn.ModuleList((block(72, 24), block(36, 12)))
        self.last = nn.Conv3d(12, 3, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = self.down[0](x)
        second = self.down[1](nn.functional.max_pool3d(first, 2))
        x = self.down[2](nn.functional.max_pool3d(second, 2))
        x = self.up[0](torch.cat([nn.functional.interpolate(x, scale_factor=2.0), second], 1))
        x = self.up[1](torch.cat([nn.functional.interpolate(x, scale_factor=2.0), first], 1))
        return self.last(x).softmax(1)


class Rms(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Rotary(nn.Module):
    """A decoder's block with rotated positions, grouped keys and a gated feed-forward part."""

    def __init__(self, width: int, heads: int, groups: int) -> None:
        super().__init__()
        size = width // heads
        self.first, self.second, self.heads, self.groups = Rms(width), Rms(width), heads, groups
        self.query, self.out = nn.Linear(width, width, False), nn.Linear(width, width, False)
        self.key, self.value = nn.Linear(width, groups * size, False), nn.Linear(width, groups * size, False)
        self.gate, self.grow = nn.Linear(width, 3 * width, False), nn.Linear(width, 3 * width, False)
        self.shrink = nn.Linear(3 * width, width, False)

    def split(self, x: torch.Tensor, heads: int) -> torch.Tensor:
        return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)

    def rotate(self, x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
        a, b = x.chunk(2, -1)
        return x * cosine + torch.cat([-b, a], -1) * sine

    def forward(self, x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
        y = self.first(x)
        query = self.rotate(self.split(self.query(y), self.heads), cosine, sine)
        key = self.rotate(self.split(self.key(y), self.groups), cosine, sine)
        value = self.split(self.value(y), self.groups)
        key, value = (z.repeat_interleave(self.heads // self.groups, 1) for z in (key, value))
        y = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(x.shape))
        y = self.second(x)
        return x + self.shrink(nn.functional.silu(self.gate(y)) * self.grow(y))


class Llama(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.norm, self.last = nn.Embedding(1000, 192), Rms(192), nn.Linear(192, 1000, False)
        self.blocks = nn.ModuleList(Rotary(192, 6, 2) for _ in range(3))
        angles = torch.arange(256)[:, None] / 10000 ** (torch.arange(0, 32, 2)[None] / 32)
        self.register_buffer("cosine", angles.cos().repeat(1, 2))
        self.register_buffer("sine", angles.sin().repeat(1, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        x = self.words(x)
        for block in self.blocks:
            x = block(x, self.cosine[:length], self.sine[:length])
        return self.last(self.norm(x))


class Translation(nn.Module):
    """torch.nn.Transformer's decoder, which attends to the encoder's output."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(500, 128)
        encoder = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
        decoder = nn.TransformerDecoderLayer(128, 4, 256, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(encoder, 2, enable_nested_tensor=False)
        self.decoder, self.last = nn.TransformerDecoder(decoder, 2), nn.Linear(128, 500)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.last(self.decoder(self.words(y), self.encoder(self.words(x))))


class Bert(nn.Module):
    """Normalised after each part, with a mask; a length that is a number."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(800, 128), nn.Embedding(64, 128), nn.LayerNorm(128)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(128, 4, 512, activation="gelu", batch_first=True) for _ in range(3)
        )
        self.pool, self.last = nn.Linear(128, 128), nn.Linear(128, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.words(x) + self.places(torch.arange(x.shape[1])))
        for layer in self.layers:
            y = layer(y)
        return self.last(torch.tanh(self.pool(y[:, 0])))


class Speech(nn.Module):
    """Convolutions over time, then a GRU in both directions."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(80, 128, 3, 1, 1),
            nn.GELU(),
            nn.Conv1d(128, 128, 3, 2, 1),
            nn.GELU(),
            *(
                Residual(nn.Sequential(nn.Conv1d(128, 128, 3, padding=2**i, dilation=2**i), nn.BatchNorm1d(128)))
                for i in range(3)
            ),
        )
        self.gru, self.last = nn.GRU(128, 96, 2, batch_first=True, bidirectional=True), nn.Linear(192, 40)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.gru(self.layers(x).transpose(1, 2))[0]).log_softmax(-1)


class Segmenter(nn.Module):
    """Dilated convolutions side by side, enlarged to the size of the image."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(convolution(3, 32, 3, 2), nn.ReLU(), convolution(32, 64, 3, 2), nn.ReLU())
        self.branches = nn.ModuleList(nn.Conv2d(64, 32, 3, padding=d, dilation=d) for d in (1, 3, 6))
        self.join, self.last = nn.Sequential(convolution(128, 64, 1), nn.ReLU()), nn.Conv2d(64, 21, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.stem(x)
        whole = y.mean((2, 3), keepdim=True).expand(-1, -1, y.shape[2], y.shape[3])[:, :32]
        y = self.join(torch.cat([*(branch(y) for branch in self.branches), whole], 1))
        return nn.functional.interpolate(self.last(y), x.shape[2:], mode="bilinear", align_corners=False)


class Generator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.start = nn.Linear(64, 128 * 16)
        self.layers = nn.Sequential(
            nn.ConvTranspose2d(128, 64, 4, 2, 1), nn.BatchNorm2d(64), nn.LeakyReLU(0.2),
            nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.BatchNorm2d(32), nn.LeakyReLU(0.2),
            nn.ReflectionPad2d(1), nn.Conv2d(32, 16, 3), nn.PReLU(), nn.Conv2d(16, 3, 3, padding=1), nn.Tanh(),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(self.start(x).reshape(-1, 128, 4, 4))


class Preact(nn.Module):
    """Normalised before each convolution; shuffles its channels."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.BatchNorm2d(width), nn.BatchNorm2d(width)
        self.conv, self.deep = nn.Conv2d(width, width, 1, groups=2), nn.Conv2d(width, width, 3, padding=1, groups=width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv(torch.relu(self.first(x)))
        y = y.reshape(y.shape[0], 2, -1, *y.shape[2:]).transpose(1, 2).reshape(x.shape)
        return x + self.deep(torch.relu(self.second(y)))


def preact() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 48, 3, 2, 1), Preact(48), Preact(48), nn.AvgPool2d(2), Preact(48), nn.AdaptiveMaxPool2d(1),
        nn.Flatten(), nn.Linear(48, 10),
    )  # fmt: skip


def mlp() -> nn.Module:
    return nn.Sequential(
        nn.Linear(300, 2048), nn.BatchNorm1d(2048), nn.ReLU(), nn.Dropout(0.3), nn.Linear(2048, 1024), nn.ELU(),
        nn.Linear(1024, 300), nn.Softplus(),
    )  # fmt: skip


class Stacked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.layers = nn.Embedding(1000, 96), nn.LSTM(96, 128, 3, batch_first=True, bidirectional=True)
        self.last = nn.Linear(256, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.layers(self.words(x))[0].mean(1))


def pair() -> dict[str, tuple[torch.Tensor, tuple[str, ...]]]:
    return {
        "x": (torch.zeros(2, 9, dtype=torch.int64), ("batch", "length")),
        "z": (torch.zeros(2, 7, dtype=torch.int64), ("batch", "words")),
    }


FIXED = (torch.zeros(4, 48, dtype=torch.int64), ())

CASES = {
    "mobile_hardswish": Case(lambda: mobile(nn.Hardswish), {"x": image(3, 160, 160)}, {"batch": 4}, traced=True),
    "mobile_silu": Case(lambda: mobile(nn.SiLU), {"x": image(3, 160, 160)}, {"batch": 4}),
    "detector": Case(Detector, {"x": image(3, 192, 192)}, {"batch": 2}),
    "detector_old": Case(Detector, {"x": image(3, 192, 192)}, {"batch": 2}, opset=11, traced=True),
    "volume": Case(Volume, {"x": image(2, 32, 32, 32)}, {"batch": 2}, opset=21),
    "llama": Case(Llama, {"x": tokens()}, {"batch": 4, "length": 96}),
    "translation": Case(Translation, pair(), {"batch": 4, "length": 60, "words": 40}, opset=19),
    "bert_fixed": Case(Bert, {"x": FIXED}, {}, opset=14, traced=True),
    "bert_new": Case(Bert, {"x": FIXED}, {}, opset=20),
    "speech": Case(Speech, {"x": image(80, 300)}, {"batch": 4}, opset=15, traced=True),
    "segmenter": Case(Segmenter, {"x": image(3, 128, 128)}, {"batch": 4}),
    "generator": Case(Generator, {"x": image(64)}, {"batch": 32}, opset=13, traced=True),
    "preact": Case(preact, {"x": image(3, 96, 96)}, {"batch": 8}, opset=9, traced=True),
    "mlp": Case(mlp, {"x": image(300)}, {"batch": 256}, opset=21),
    "lstm_old": Case(Stacked, {"x": tokens()}, {"batch": 8, "length": 40}, opset=12, traced=True),
}
