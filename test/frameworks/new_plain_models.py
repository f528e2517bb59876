"""Networks of torch.nn that the rules had not seen, as people write them; new_models.py has the rest."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

# ---- sequences ----


class WaveNet(nn.Module):
    """Gated dilated convolutions with skip connections. van den Oord et al., 2016."""

    def __init__(self) -> None:
        super().__init__()
        self.start = nn.Conv1d(4, 16, 1)
        self.filters = nn.ModuleList(nn.Conv1d(16, 16, 2, dilation=2**i, padding=2**i) for i in range(4))
        self.gates = nn.ModuleList(nn.Conv1d(16, 16, 2, dilation=2**i, padding=2**i) for i in range(4))
        self.mixes = nn.ModuleList(nn.Conv1d(16, 16, 1) for _ in range(4))
        self.end = nn.Sequential(nn.ReLU(), nn.Conv1d(16, 16, 1), nn.ReLU(), nn.Conv1d(16, 4, 1))

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[-1]
        x = self.start(x)
        skips = torch.zeros_like(x)
        for filtered, gate, mix in zip(self.filters, self.gates, self.mixes, strict=True):
            out = torch.tanh(filtered(x)[..., :length]) * torch.sigmoid(gate(x)[..., :length])
            out = mix(out)
            skips = skips + out
            x = x + out
        return self.end(skips)


class Chomp(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def forward(self, x: Tensor) -> Tensor:
        return x[:, :, : -self.size].contiguous()


class TemporalBlock(nn.Module):
    def __init__(self, channels: int, out: int, dilation: int) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.utils.parametrizations.weight_norm(nn.Conv1d(channels, out, 3, padding=2 * dilation, dilation=dilation)),
            Chomp(2 * dilation), nn.ReLU(), nn.Dropout(0.2),
            nn.utils.parametrizations.weight_norm(nn.Conv1d(out, out, 3, padding=2 * dilation, dilation=dilation)),
            Chomp(2 * dilation), nn.ReLU(), nn.Dropout(0.2),
        )  # fmt: skip
        self.down = nn.Conv1d(channels, out, 1) if channels != out else None
        self.relu = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        out = self.net(x)
        residual = x if self.down is None else self.down(x)
        return self.relu(out + residual)


class Tcn(nn.Module):
    """Bai, Kolter and Koltun, 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.Sequential(TemporalBlock(3, 16, 1), TemporalBlock(16, 16, 2), TemporalBlock(16, 24, 4))
        self.head = nn.Linear(24, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.blocks(x)[:, :, -1])


class AttentionSeq2Seq(nn.Module):
    """A decoder of single cells that looks back at the encoder. Bahdanau et al., 2015."""

    def __init__(self) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(100, 16), nn.Embedding(100, 16)
        self.encoder = nn.GRU(16, 24, batch_first=True, bidirectional=True)
        self.cell = nn.GRUCell(16 + 48, 24)
        self.query, self.key, self.score = nn.Linear(24, 24), nn.Linear(48, 24, bias=False), nn.Linear(24, 1)
        self.head = nn.Linear(24, 100)

    def forward(self, input_ids: Tensor, decoder_input_ids: Tensor) -> Tensor:
        memory, last = self.encoder(self.source(input_ids))
        keys = self.key(memory)
        state = last[0]
        outputs = []
        for position in range(decoder_input_ids.shape[1]):
            scores = self.score(torch.tanh(keys + self.query(state).unsqueeze(1))).squeeze(-1)
            weights = functional.softmax(scores, dim=-1)
            context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
            token = self.target(decoder_input_ids[:, position])
            state = self.cell(torch.cat([token, context], dim=-1), state)
            outputs.append(self.head(state))
        return torch.stack(outputs, dim=1)


class TextCnn(nn.Module):
    """Kim, 2014."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 24, padding_idx=0)
        self.convolutions = nn.ModuleList(nn.Conv2d(1, 8, (size, 24)) for size in (2, 3, 4))
        self.dropout, self.head = nn.Dropout(0.5), nn.Linear(24, 4)

    def forward(self, input_ids: Tensor) -> Tensor:
        x = self.table(input_ids).unsqueeze(1)
        x = [functional.relu(convolution(x)).squeeze(3) for convolution in self.convolutions]
        x = [functional.max_pool1d(part, part.size(2)).squeeze(2) for part in x]
        return self.head(self.dropout(torch.cat(x, 1)))


class CellLstm(nn.Module):
    """A stack of LSTM cells in a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LSTMCell(6, 20), nn.LSTMCell(20, 20)
        self.head = nn.Linear(20, 3)

    def forward(self, x: Tensor) -> Tensor:
        h1 = c1 = h2 = c2 = torch.zeros(x.shape[0], 20)
        outputs = []
        for part in x.split(1, dim=1):
            h1, c1 = self.first(part.squeeze(1), (h1, c1))
            h2, c2 = self.second(h1, (h2, c2))
            outputs.append(self.head(h2))
        return torch.stack(outputs, dim=1)


class SpeechCtc(nn.Module):
    """Convolutions over a spectrogram, a recurrent stack and its own CTC loss. Amodei et al., 2016."""

    def __init__(self) -> None:
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv2d(1, 8, (11, 5), (2, 2), (5, 2)), nn.BatchNorm2d(8), nn.Hardtanh(0, 20),
            nn.Conv2d(8, 8, (5, 5), (2, 1), (2, 2)), nn.BatchNorm2d(8), nn.Hardtanh(0, 20),
        )  # fmt: skip
        self.recurrent = nn.LSTM(8 * 4, 24, num_layers=2, bidirectional=True)
        self.norm, self.head = nn.LayerNorm(48), nn.Linear(48, 28)

    def forward(self, x: Tensor, labels: Tensor | None = None) -> dict[str, Tensor]:
        x = self.convolutions(x)
        x = x.flatten(1, 2).permute(2, 0, 1)
        x, _ = self.recurrent(x)
        x = functional.log_softmax(self.head(self.norm(x)), dim=-1)
        if labels is None:
            return {"logits": x}
        frames = torch.full((x.shape[1],), x.shape[0], dtype=torch.int64)
        lengths = torch.full((x.shape[1],), labels.shape[1], dtype=torch.int64)
        return {"loss": functional.ctc_loss(x, labels, frames, lengths), "logits": x}


class MemoryNetwork(nn.Module):
    """Three hops over a memory of sentences. Sukhbaatar et al., 2015."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(100, 20) for _ in range(4))
        self.register_buffer("positions", torch.rand(6, 20))

    def forward(self, story: Tensor, query: Tensor) -> Tensor:
        u = self.tables[0](query).sum(1)
        for hop in range(3):
            memory = (self.tables[hop](story) * self.positions).sum(2)
            weights = torch.softmax(torch.einsum("bsd,bd->bs", memory, u), -1)
            answer = (self.tables[hop + 1](story) * self.positions).sum(2)
            u = u + (answer * weights.unsqueeze(-1)).sum(1)
        return u @ self.tables[3].weight.t()


class GatedMlp(nn.Module):
    """Spatial gating in place of attention. Liu et al., 2021."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 32)
        self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(2))
        self.inward = nn.ModuleList(nn.Linear(32, 96) for _ in range(2))
        self.gates = nn.ModuleList(nn.LayerNorm(48) for _ in range(2))
        self.spatial = nn.ModuleList(nn.Conv1d(16, 16, 1) for _ in range(2))
        self.outward = nn.ModuleList(nn.Linear(48, 32) for _ in range(2))
        self.head = nn.Linear(32, 100)

    def forward(self, input_ids: Tensor) -> Tensor:
        x = self.table(input_ids)
        for norm, inward, gate, spatial, outward in zip(
            self.norms, self.inward, self.gates, self.spatial, self.outward, strict=True
        ):
            u, v = functional.gelu(inward(norm(x))).chunk(2, dim=-1)
            x = x + outward(u * (spatial(gate(v)) + 1))
        return self.head(x)


class LinearAttention(nn.Module):
    """Attention whose cost grows with the length, not its square. Katharopoulos et al., 2020."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 32)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(32), nn.LayerNorm(32), nn.LayerNorm(32)
        self.q, self.k, self.v, self.out = (nn.Linear(32, 32) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 32))
        self.head = nn.Linear(32, 100)

    def attention(self, x: Tensor) -> Tensor:
        q, k, v = (part(x).unflatten(-1, (4, 8)).transpose(1, 2) for part in (self.q, self.k, self.v))
        q, k = functional.elu(q) + 1, functional.elu(k) + 1
        state = torch.einsum("bhnd,bhne->bhde", k, v)
        scale = 1 / (torch.einsum("bhnd,bhd->bhn", q, k.sum(2)) + 1e-6)
        y = torch.einsum("bhnd,bhde,bhn->bhne", q, state, scale)
        return self.out(y.transpose(1, 2).flatten(2))

    def forward(self, input_ids: Tensor) -> Tensor:
        x = self.table(input_ids)
        x = x + self.attention(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        return self.head(self.norm3(x))


# ---- images ----


class Siamese(nn.Module):
    """Two images through one network; the distance between them is judged."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 7), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 4), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(32 * 16, 64), nn.Sigmoid(),
        )  # fmt: skip
        self.head = nn.Linear(64, 2)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        one = self.body(first)
        other = self.body(second)
        return self.head(torch.abs(one - other))


class FeaturePyramid(nn.Module):
    """Top-down pathway with lateral connections, and a head for classes and boxes on each level. Lin et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(inplace=True))
        self.stages = nn.ModuleList(
            nn.Sequential(nn.Conv2d(16 * 2**i, 32 * 2**i, 3, 2, 1), nn.BatchNorm2d(32 * 2**i), nn.ReLU(inplace=True))
            for i in range(3)
        )
        self.lateral = nn.ModuleList(nn.Conv2d(32 * 2**i, 24, 1) for i in range(3))
        self.smooth = nn.ModuleList(nn.Conv2d(24, 24, 3, padding=1) for _ in range(3))
        self.classes, self.boxes = nn.Conv2d(24, 6, 3, padding=1), nn.Conv2d(24, 4, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        features = []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        pyramid = [self.lateral[2](features[2])]
        for level in (1, 0):
            above = functional.interpolate(pyramid[0], scale_factor=2.0, mode="nearest")
            pyramid.insert(0, self.lateral[level](features[level]) + above)
        pyramid = [smooth(level) for smooth, level in zip(self.smooth, pyramid, strict=True)]
        heads = [torch.cat([self.classes(level), self.boxes(level)], dim=1) for level in pyramid]
        return torch.cat([head.flatten(2) for head in heads], dim=2).transpose(1, 2)


class GanPair(nn.Module):
    """A generator and the judge of what it makes, spectrally normalized."""

    def __init__(self) -> None:
        super().__init__()
        norm = nn.utils.parametrizations.spectral_norm
        self.generator = nn.Sequential(
            nn.Linear(16, 64 * 4 * 4), nn.Unflatten(1, (64, 4, 4)), nn.BatchNorm2d(64), nn.ReLU(),
            nn.Upsample(scale_factor=2), nn.Conv2d(64, 32, 3, padding=1), nn.BatchNorm2d(32, 0.8), nn.LeakyReLU(0.2),
            nn.Upsample(scale_factor=2), nn.Conv2d(32, 3, 3, padding=1), nn.Tanh(),
        )  # fmt: skip
        self.judge = nn.Sequential(
            norm(nn.Conv2d(3, 16, 4, 2, 1)), nn.LeakyReLU(0.2, inplace=True), nn.Dropout2d(0.25),
            norm(nn.Conv2d(16, 32, 4, 2, 1)), nn.LeakyReLU(0.2, inplace=True), nn.Flatten(), nn.Linear(32 * 16, 2),
        )  # fmt: skip

    def forward(self, noise: Tensor) -> Tensor:
        image = self.generator(noise)
        return self.judge(image)


class Capsules(nn.Module):
    """Routing by agreement. Sabour, Frosst and Hinton, 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.primary = nn.Conv2d(1, 16, 9), nn.Conv2d(16, 32, 9, 2)
        self.weight = nn.Parameter(0.01 * torch.randn(1, 4 * 36, 5, 12, 8))

    @staticmethod
    def squash(x: Tensor) -> Tensor:
        squared = (x**2).sum(-1, keepdim=True)
        return squared / (1 + squared) * x / (squared.sqrt() + 1e-8)

    def forward(self, x: Tensor) -> Tensor:
        x = functional.relu(self.conv(x))
        x = self.primary(x).view(x.shape[0], 4 * 36, 8)
        votes = (self.weight @ self.squash(x)[:, :, None, :, None]).squeeze(-1)
        logits = torch.zeros(x.shape[0], 4 * 36, 5, 1)
        for _ in range(2):
            coupling = functional.softmax(logits, dim=2)
            outputs = self.squash((coupling * votes).sum(dim=1, keepdim=True))
            logits = logits + (votes * outputs).sum(dim=-1, keepdim=True)
        return outputs.squeeze(1).norm(dim=-1)


class MaskedConv2d(nn.Conv2d):
    def __init__(self, kind: str, *args: int, **options: int) -> None:
        super().__init__(*args, **options)
        mask = torch.ones_like(self.weight)
        middle = self.kernel_size[0] // 2
        mask[:, :, middle, middle + (kind == "B") :] = 0
        mask[:, :, middle + 1 :] = 0
        self.register_buffer("mask", mask)

    def forward(self, x: Tensor) -> Tensor:
        return self._conv_forward(x, self.weight * self.mask, self.bias)


def pixel_cnn() -> nn.Module:
    """van den Oord et al., 2016."""
    return nn.Sequential(
        MaskedConv2d("A", 1, 16, 7, padding=3), nn.BatchNorm2d(16), nn.ReLU(True),
        MaskedConv2d("B", 16, 16, 7, padding=3), nn.BatchNorm2d(16), nn.ReLU(True), nn.Conv2d(16, 32, 1),
    )  # fmt: skip


class SuperResolution(nn.Module):
    """Sub-pixel convolution. Shi et al., 2016."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 32, 5, padding=2), nn.Conv2d(32, 16, 3, padding=1)
        self.conv3, self.shuffle = nn.Conv2d(16, 3 * 9, 3, padding=1), nn.PixelShuffle(3)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.tanh(self.conv1(x))
        x = torch.tanh(self.conv2(x))
        return torch.clamp(self.shuffle(self.conv3(x)), 0.0, 1.0)


class SpatialTransformer(nn.Module):
    """An image that is turned before it is classified. Jaderberg et al., 2015."""

    def __init__(self) -> None:
        super().__init__()
        self.localization = nn.Sequential(
            nn.Conv2d(1, 8, 7), nn.MaxPool2d(2, stride=2), nn.ReLU(True),
            nn.Conv2d(8, 10, 5), nn.MaxPool2d(2, stride=2), nn.ReLU(True),
        )  # fmt: skip
        self.turn = nn.Sequential(nn.Linear(90, 32), nn.ReLU(True), nn.Linear(32, 6))
        self.conv1, self.conv2, self.drop = nn.Conv2d(1, 10, 5), nn.Conv2d(10, 20, 5), nn.Dropout2d()
        self.fc1, self.fc2 = nn.Linear(320, 50), nn.Linear(50, 10)

    def forward(self, x: Tensor) -> Tensor:
        theta = self.turn(self.localization(x).view(-1, 90)).view(-1, 2, 3)
        grid = functional.affine_grid(theta, list(x.size()), align_corners=False)
        x = functional.grid_sample(x, grid, align_corners=False)
        x = functional.relu(functional.max_pool2d(self.conv1(x), 2))
        x = functional.relu(functional.max_pool2d(self.drop(self.conv2(x)), 2))
        x = functional.dropout(functional.relu(self.fc1(x.view(-1, 320))), training=self.training)
        return functional.log_softmax(self.fc2(x), dim=1)


class Hourglass(nn.Module):
    """Down and up again with sums on the way. Newell, Yang and Deng, 2016."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 7, 2, 3)
        self.down = nn.ModuleList(self.unit() for _ in range(3))
        self.side = nn.ModuleList(self.unit() for _ in range(3))
        self.up = nn.ModuleList(self.unit() for _ in range(3))
        self.head = nn.Conv2d(16, 8, 1)

    @staticmethod
    def unit() -> nn.Module:
        return nn.Sequential(
            nn.BatchNorm2d(16), nn.ReLU(inplace=True), nn.Conv2d(16, 8, 1), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
            nn.Conv2d(8, 16, 3, padding=1),
        )  # fmt: skip

    def level(self, x: Tensor, depth: int) -> Tensor:
        side = self.side[depth](x.clone())
        low = self.down[depth](functional.max_pool2d(x, 2))
        if depth + 1 < len(self.down):
            low = self.level(low, depth + 1)
        return side + functional.interpolate(self.up[depth](low), scale_factor=2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.level(self.stem(x), 0))


class Vae(nn.Module):
    """Kingma and Welling, 2014, with its own loss."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU())
        self.mean, self.log_variance = nn.Linear(64, 8), nn.Linear(64, 8)
        self.decoder = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 784), nn.Sigmoid())

    def forward(self, x: Tensor, labels: Tensor | None = None) -> dict[str, Tensor]:
        hidden = self.encoder(x)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
        y = self.decoder(z)
        if labels is None:
            return {"logits": y}
        rebuilt = functional.binary_cross_entropy(y, x.view(-1, 784), reduction="sum")
        divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
        return {"loss": rebuilt + divergence, "logits": y}


class Shuffle(nn.Module):
    """Split, depthwise convolution, and channels shuffled. Ma et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 24, 3, 2, 1, bias=False), nn.BatchNorm2d(24), nn.ReLU(inplace=True))
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(12, 12, 1, bias=False), nn.BatchNorm2d(12), nn.ReLU(inplace=True),
                nn.Conv2d(12, 12, 3, padding=1, groups=12, bias=False), nn.BatchNorm2d(12),
                nn.Conv2d(12, 12, 1, bias=False), nn.BatchNorm2d(12), nn.ReLU(inplace=True),
            ) for _ in range(3)
        )  # fmt: skip
        self.head = nn.Linear(24, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = functional.max_pool2d(self.stem(x), 3, 2, 1)
        for block in self.blocks:
            left, right = x.chunk(2, dim=1)
            x = torch.cat((left, block(right)), dim=1)
            batch, channels, height, width = x.size()
            x = x.view(batch, 2, channels // 2, height, width).transpose(1, 2).contiguous()
            x = x.view(batch, channels, height, width)
        return self.head(x.mean([2, 3]))


class Attended(nn.Module):
    """Channel and spatial attention. Woo et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.InstanceNorm2d(16, affine=True), nn.Mish())
        self.shared = nn.Sequential(nn.Conv2d(16, 4, 1, bias=False), nn.ReLU(), nn.Conv2d(4, 16, 1, bias=False))
        self.spatial = nn.Conv2d(2, 1, 7, padding=3, bias=False)
        self.pool, self.head = nn.AdaptiveMaxPool2d((2, 2)), nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        average, largest = functional.adaptive_avg_pool2d(x, 1), functional.adaptive_max_pool2d(x, 1)
        x = torch.sigmoid(self.shared(average) + self.shared(largest)) * x
        planes = torch.cat([x.mean(1, keepdim=True), x.max(1, keepdim=True)[0]], dim=1)
        x = torch.sigmoid(self.spatial(planes)) * x
        return self.head(self.pool(x).flatten(1))


def video() -> nn.Module:
    """Factorized, dilated and grouped convolutions in three dimensions."""
    return nn.Sequential(
        nn.Conv3d(3, 16, (1, 3, 3), (1, 2, 2), (0, 1, 1)), nn.BatchNorm3d(16), nn.ReLU(),
        nn.Conv3d(16, 16, (3, 1, 1), padding=(1, 0, 0), groups=4), nn.BatchNorm3d(16), nn.ReLU(),
        nn.Conv3d(16, 24, 3, padding=2, dilation=2), nn.GELU(), nn.AvgPool3d((1, 2, 2)),
        nn.Conv3d(24, 24, 3, padding=1, groups=24), nn.Conv3d(24, 32, 1), nn.AdaptiveAvgPool3d(1), nn.Flatten(),
        nn.Linear(32, 6),
    )  # fmt: skip


def volume_decoder() -> nn.Module:
    return nn.Sequential(
        nn.Conv3d(1, 8, 4, 2, 1), nn.GroupNorm(2, 8), nn.SiLU(), nn.Conv3d(8, 16, 4, 2, 1), nn.GroupNorm(4, 16),
        nn.SiLU(), nn.ConvTranspose3d(16, 8, 4, 2, 1), nn.LeakyReLU(0.01), nn.ConvTranspose3d(8, 8, 2, 2, groups=2),
        nn.Softplus(), nn.Conv3d(8, 2, 1),
    )  # fmt: skip


# ---- tables and graphs ----


class Dlrm(nn.Module):
    """Bags of categories, dense features, and their products. Naumov et al., 2019."""

    def __init__(self) -> None:
        super().__init__()
        self.bags = nn.ModuleList(nn.EmbeddingBag(200, 16, mode="sum") for _ in range(3))
        self.bottom = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(16 + 6, 32), nn.ReLU(), nn.Linear(32, 2))
        self.register_buffer("pairs", torch.triu_indices(4, 4, 1))

    def forward(self, dense: Tensor, categories: Tensor) -> Tensor:
        x = self.bottom(dense)
        rows = [bag(categories[:, index]) for index, bag in enumerate(self.bags)]
        stacked = torch.stack([x, *rows], dim=1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))
        return self.top(torch.cat([x, products[:, self.pairs[0], self.pairs[1]]], dim=1))


class DeepFm(nn.Module):
    """Factorization machine and perceptron on the same embeddings. Guo et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.table = nn.Embedding(300, 1), nn.Embedding(300, 12)
        self.bias = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(
            nn.Linear(8 * 12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1)
        )

    def forward(self, fields: Tensor) -> Tensor:
        x = self.table(fields)
        squares = x.sum(dim=1).pow(2) - x.pow(2).sum(dim=1)
        first = self.linear(fields).sum(dim=1) + self.bias
        y = first + 0.5 * squares.sum(1, keepdim=True) + self.mlp(x.flatten(1))
        return torch.cat([y, -y], dim=1)


class DenseGraph(nn.Module):
    """Graph attention over dense adjacency matrices. Velickovic et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.ModuleList([nn.Linear(7, 16, bias=False), nn.Linear(16, 16, bias=False)])
        self.source = nn.ParameterList(torch.randn(16, 1) for _ in range(2))
        self.target = nn.ParameterList(torch.randn(16, 1) for _ in range(2))
        self.head = nn.Linear(16, 4)

    def forward(self, nodes: Tensor, adjacency: Tensor) -> Tensor:
        x = nodes
        for weight, source, target in zip(self.weight, self.source, self.target, strict=True):
            h = weight(x)
            scores = functional.leaky_relu(h @ source + (h @ target).transpose(1, 2), 0.2)
            scores = torch.where(adjacency > 0.5, scores, -9e15 * torch.ones_like(scores))
            attention = functional.dropout(functional.softmax(scores, dim=-1), 0.1, training=self.training)
            x = functional.elu(torch.matmul(attention, h))
        return self.head(x.max(dim=1).values)


class PointNet(nn.Module):
    """Points without order, with a learned turn of the cloud. Qi et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = nn.Sequential(nn.Conv1d(3, 16, 1), nn.BatchNorm1d(16), nn.ReLU())
        self.matrix = nn.Linear(16, 9)
        self.features = nn.Sequential(
            nn.Conv1d(3, 32, 1), nn.BatchNorm1d(32), nn.ReLU(), nn.Conv1d(32, 64, 1), nn.BatchNorm1d(64), nn.ReLU()
        )
        self.head = nn.Sequential(nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 8))

    def forward(self, x: Tensor) -> Tensor:
        turn = self.matrix(torch.max(self.turn(x), 2, keepdim=True)[0].view(-1, 16))
        turn = turn.view(-1, 3, 3) + torch.eye(3)
        x = torch.bmm(x.transpose(2, 1), turn).transpose(2, 1)
        return self.head(torch.max(self.features(x), 2)[0])


class TabularResidual(nn.Module):
    """Gorishniy et al., 2021, with products of two views of the same row."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(20, 32)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.BatchNorm1d(32), nn.Linear(32, 64), nn.SELU(), nn.AlphaDropout(0.1), nn.Linear(64, 32))
            for _ in range(2)
        )
        self.together = nn.Bilinear(32, 20, 16)
        self.head = nn.Sequential(nn.LayerNorm(16), nn.Softsign(), nn.Linear(16, 3))

    def forward(self, row: Tensor) -> Tensor:
        x = self.first(row)
        for block in self.blocks:
            x = x + block(x)
        return self.head(self.together(x, row))
