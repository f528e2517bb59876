"""Networks of torch.nn for sound, text and series that the rules had not seen; new_vision.py lists them."""

from __future__ import annotations

import math
from typing import Any

import torch
from new_graphs import mlp
from torch import Tensor, nn
from torch.nn import functional

# ---- sound ----


class ConformerBlock(nn.Module):
    """Half a feed-forward layer, attention, a convolution, and the other half. Gulati et al., 2020."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.first, self.second = (
            nn.Sequential(nn.LayerNorm(size), nn.Linear(size, size * 4), nn.SiLU(), nn.Dropout(0.1),
                          nn.Linear(size * 4, size), nn.Dropout(0.1))
            for _ in range(2)
        )  # fmt: skip
        self.attention_norm, self.attention = nn.LayerNorm(size), nn.MultiheadAttention(size, 4, 0.1, batch_first=True)
        self.norm, self.last = nn.LayerNorm(size), nn.LayerNorm(size)
        self.convolution = nn.Sequential(
            nn.Conv1d(size, size * 2, 1), nn.GLU(dim=1), nn.Conv1d(size, size, 7, padding=3, groups=size),
            nn.BatchNorm1d(size), nn.SiLU(), nn.Conv1d(size, size, 1),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        x = x + 0.5 * self.first(x)
        y = self.attention_norm(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        x = x + self.convolution(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return self.last(x + 0.5 * self.second(x))


class Conformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 8, 3, 2), nn.ReLU(), nn.Conv2d(8, 8, 3, 2), nn.ReLU())
        self.project = nn.Linear(8 * 4, 32)
        self.blocks = nn.ModuleList([ConformerBlock(32), ConformerBlock(32)])
        self.head = nn.Linear(32, 20)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x.unsqueeze(1)).transpose(1, 2)
        x = self.project(x.flatten(2))
        for block in self.blocks:
            x = block(x)
        return self.head(x).log_softmax(-1)


class Separator(nn.Module):
    """A U-Net over a waveform with an LSTM inside. Defossez et al., 2019."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList(
            nn.Sequential(nn.Conv1d(a, b, 8, 4), nn.ReLU(), nn.Conv1d(b, 2 * b, 1), nn.GLU(1))
            for a, b in ((1, 8), (8, 16))
        )
        self.lstm, self.mix = nn.LSTM(16, 16, num_layers=2, bidirectional=True), nn.Linear(32, 16)
        self.up = nn.ModuleList(
            nn.Sequential(nn.Conv1d(a, 2 * a, 3, padding=1), nn.GLU(1), nn.ConvTranspose1d(a, b, 8, 4))
            for a, b in ((16, 8), (8, 2))
        )

    def forward(self, x: Tensor) -> Tensor:
        skips = []
        for layer in self.down:
            x = layer(x)
            skips.append(x)
        x = x.permute(2, 0, 1)
        x, _ = self.lstm(x)
        x = self.mix(x).permute(1, 2, 0)
        for layer in self.up:
            skip = skips.pop()
            x = layer(x + skip[..., : x.shape[-1]])
        return x


class MaskedSeparation(nn.Module):
    """A learned filter bank with masks by dilated convolutions. Luo and Mesgarani, 2019; its loss is a ratio."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Conv1d(1, 16, 16, stride=8, bias=False)
        self.decoder = nn.ConvTranspose1d(16, 1, 16, stride=8, bias=False)
        self.norm = nn.GroupNorm(1, 16, eps=1e-8)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Conv1d(16, 24, 1), nn.PReLU(), nn.GroupNorm(1, 24),
                nn.Conv1d(24, 24, 3, padding=2**i, dilation=2**i, groups=24), nn.PReLU(), nn.Conv1d(24, 16, 1),
            )
            for i in range(3)
        )  # fmt: skip
        self.mask = nn.Conv1d(16, 32, 1)

    def forward(self, wave: Tensor, labels: Tensor | None = None) -> Any:
        encoded = functional.relu(self.encoder(wave))
        x = self.norm(encoded)
        for block in self.blocks:
            x = x + block(x)
        masks = torch.sigmoid(self.mask(x)).view(x.size(0), 2, 16, -1)
        parts = (masks * encoded.unsqueeze(1)).view(-1, 16, x.size(-1))
        made = self.decoder(parts).view(wave.size(0), 2, -1)
        if labels is None:
            return made
        target = wave.expand_as(made)
        scale = (made * target).sum(-1, keepdim=True) / (target.pow(2).sum(-1, keepdim=True) + 1e-8)
        noise = made - scale * target
        ratio = (scale * target).pow(2).sum(-1) / (noise.pow(2).sum(-1) + 1e-8)
        return {"logits": made, "loss": -10 * torch.log10(ratio + 1e-8).mean()}


class SoundEvents(nn.Module):
    """Convolutions and a recurrent layer, frames weighed by attention."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.GLU(dim=1), nn.AvgPool2d((2, 2)),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.GLU(dim=1), nn.AvgPool2d((1, 4)),
        )  # fmt: skip
        self.gru = nn.GRU(8 * 4, 16, batch_first=True, bidirectional=True)
        self.strong, self.weak = nn.Linear(32, 5), nn.Linear(32, 5)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = self.net(x).transpose(1, 2).flatten(2)
        x, _ = self.gru(x)
        strong = torch.sigmoid(self.strong(x))
        weights = torch.softmax(self.weak(x), dim=-1).clamp(min=1e-7, max=1)
        return (strong * weights).sum(1) / weights.sum(1), strong


class Spectrogram(nn.Module):
    """Magnitudes of a short-time Fourier transform as a filter bank of convolutions, in decibel."""

    def __init__(self) -> None:
        super().__init__()
        t = torch.arange(64) / 64
        waves = 2 * math.pi * t * torch.arange(33)[:, None]
        window = torch.hann_window(64)
        self.register_buffer("bank", torch.cat([waves.cos() * window, waves.sin() * window])[:, None])
        self.net = nn.Sequential(
            nn.Conv1d(33, 24, 3, padding=1), nn.BatchNorm1d(24), nn.Hardswish(), nn.AdaptiveAvgPool1d(4), nn.Flatten(),
            nn.Linear(96, 6),
        )  # fmt: skip

    def forward(self, wave: Tensor) -> Tensor:
        parts = functional.conv1d(wave, self.bank, stride=16)
        real, imaginary = parts.chunk(2, dim=1)
        power = real.square() + imaginary.square()
        decibel = 10.0 * torch.log10(torch.clamp(power, min=1e-10))
        return self.net((decibel - decibel.mean(dim=(1, 2), keepdim=True)) / 20)


# ---- text ----


class Transformer(nn.Module):
    """nn.Transformer with masks and positions."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.positions = nn.Embedding(100, 32, padding_idx=0), nn.Embedding(64, 32)
        self.net = nn.Transformer(32, 4, 1, 2, 64, 0.1, activation="gelu", batch_first=True, norm_first=True)
        self.head = nn.Linear(32, 100)

    def embed(self, ids: Tensor) -> Tensor:
        return self.table(ids) * math.sqrt(32) + self.positions(torch.arange(ids.shape[1]))

    def forward(self, input_ids: Tensor, decoder_input_ids: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(decoder_input_ids.shape[1])
        x = self.net(self.embed(input_ids), self.embed(decoder_input_ids), tgt_mask=mask, tgt_is_causal=True)
        return self.head(x)


class CaptionDecoder(nn.Module):
    """An image is described: convolutions, and nn.TransformerDecoder with the sequence first."""

    def __init__(self) -> None:
        super().__init__()
        self.eye = nn.Sequential(nn.Conv2d(3, 16, 4, 4), nn.ReLU(), nn.Conv2d(16, 32, 2, 2))
        self.table = nn.Embedding(100, 32)
        self.register_buffer("positions", torch.randn(64, 1, 32))
        layer = nn.TransformerDecoderLayer(32, 4, 64, 0.1)
        self.decoder = nn.TransformerDecoder(layer, 2, norm=nn.LayerNorm(32))
        self.head = nn.Linear(32, 100, bias=False)
        self.head.weight = self.table.weight

    def forward(self, image: Tensor, words: Tensor) -> Tensor:
        memory = self.eye(image).flatten(2).permute(2, 0, 1)
        x = self.table(words).transpose(0, 1)
        x = x + self.positions[: x.size(0)]
        length = x.size(0)
        mask = torch.triu(torch.full((length, length), float("-inf")), diagonal=1)
        return self.head(self.decoder(x, memory, tgt_mask=mask)).transpose(0, 1)


class PaddedEncoder(nn.Module):
    """A mask of padding, a learned class token, post-norm layers and a mean over what is no padding."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.token = nn.Embedding(100, 24), nn.Parameter(torch.randn(1, 1, 24))
        layer = nn.TransformerEncoderLayer(24, 3, 48, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(48, 4)

    def forward(self, input_ids: Tensor) -> Tensor:
        padding = input_ids.eq(2)
        x = torch.cat([self.token.expand(input_ids.shape[0], -1, -1), self.table(input_ids)], dim=1)
        mask = torch.cat([torch.zeros(input_ids.shape[0], 1, dtype=torch.bool), padding], dim=1)
        x = self.encoder(x, src_key_padding_mask=mask)
        kept = (~mask).unsqueeze(-1).float()
        mean = (x * kept).sum(1) / kept.sum(1).clamp(min=1)
        return self.head(torch.cat([x[:, 0], mean], dim=-1))


class Highway(nn.Module):
    """Words of letters: convolutions over them, highway layers, an LSTM. Kim et al., 2016."""

    def __init__(self) -> None:
        super().__init__()
        self.letters = nn.Embedding(30, 8)
        self.convolutions = nn.ModuleList(nn.Conv1d(8, 8 * k, k) for k in (2, 3))
        self.gates, self.plain = nn.Linear(40, 40), nn.Linear(40, 40)
        self.lstm, self.head = nn.LSTM(40, 24, num_layers=2, dropout=0.2, batch_first=True), nn.Linear(24, 50)

    def forward(self, letters: Tensor) -> Tensor:
        b, words, length = letters.shape
        x = self.letters(letters).view(b * words, length, -1).transpose(1, 2)
        x = torch.cat([torch.max(torch.tanh(convolution(x)), dim=2)[0] for convolution in self.convolutions], dim=1)
        gate = torch.sigmoid(self.gates(x))
        x = gate * functional.relu(self.plain(x)) + (1 - gate) * x
        out, _ = self.lstm(x.view(b, words, -1))
        return self.head(out)


class Reader(nn.Module):
    """Attention in both directions between a question and a text. Seo et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 16)
        self.encoder = nn.GRU(16, 8, batch_first=True, bidirectional=True)
        self.weight_c, self.weight_q, self.weight_cq = nn.Linear(16, 1), nn.Linear(16, 1), nn.Parameter(torch.randn(16))
        self.model, self.start = nn.LSTM(64, 8, batch_first=True, bidirectional=True), nn.Linear(80, 1)

    def forward(self, context: Tensor, question: Tensor) -> Tensor:
        c, q = self.encoder(self.table(context))[0], self.encoder(self.table(question))[0]
        s = self.weight_c(c) + self.weight_q(q).transpose(1, 2) + torch.bmm(c * self.weight_cq, q.transpose(1, 2))
        to_question = torch.bmm(functional.softmax(s, dim=2), q)
        b = functional.softmax(torch.max(s, dim=2)[0], dim=1).unsqueeze(1)
        to_context = torch.bmm(b, c).expand(-1, c.shape[1], -1)
        g = torch.cat([c, to_question, c * to_question, c * to_context], dim=2)
        m, _ = self.model(g)
        return self.start(torch.cat([g, m], dim=2)).squeeze(2)


class ConvSeq2Seq(nn.Module):
    """Gated convolutions with attention between them. Gehring et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(100, 24), nn.Embedding(100, 24)
        self.encode = nn.ModuleList(nn.utils.weight_norm(nn.Conv1d(24, 48, 3, padding=1)) for _ in range(2))
        self.decode = nn.ModuleList(nn.utils.weight_norm(nn.Conv1d(24, 48, 3)) for _ in range(2))
        self.head = nn.Linear(24, 100)

    def forward(self, input_ids: Tensor, decoder_input_ids: Tensor) -> Tensor:
        source = x = self.source(input_ids).transpose(1, 2)
        for layer in self.encode:
            x = (functional.glu(layer(functional.dropout(x, 0.1, self.training)), dim=1) + x) * math.sqrt(0.5)
        values = (x + source) * math.sqrt(0.5)
        y = self.target(decoder_input_ids).transpose(1, 2)
        for layer in self.decode:
            residual = y
            y = functional.glu(layer(functional.pad(y, (2, 0))), dim=1)
            weights = torch.softmax(torch.bmm(y.transpose(1, 2), x), dim=-1)
            y = (y + torch.bmm(weights, values.transpose(1, 2)).transpose(1, 2) + residual) * math.sqrt(0.5)
        return self.head(y.transpose(1, 2))


class PointerNetwork(nn.Module):
    """It points at its inputs. Vinyals et al., 2015."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.cell = nn.LSTM(2, 16, batch_first=True), nn.LSTMCell(2, 16)
        self.one, self.two, self.v = nn.Linear(16, 16, bias=False), nn.Linear(16, 16, bias=False), nn.Linear(16, 1)

    def forward(self, points: Tensor) -> Tensor:
        memory, (h, c) = self.encoder(points)
        h, c = h.squeeze(0), c.squeeze(0)
        given = points.new_zeros(points.shape[0], 2)
        mask = torch.zeros(points.shape[:2], dtype=torch.bool)
        pointers = []
        for _ in range(4):
            h, c = self.cell(given, (h, c))
            scores = self.v(torch.tanh(self.one(memory) + self.two(h).unsqueeze(1))).squeeze(-1)
            scores = scores.masked_fill(mask, float("-inf"))
            chosen = scores.argmax(dim=1)
            mask = mask.scatter(1, chosen.unsqueeze(1), True)
            given = points[torch.arange(points.shape[0]), chosen]
            pointers.append(functional.log_softmax(scores.clamp(min=-1e4), dim=-1))
        return torch.stack(pointers, dim=1)


class Retention(nn.Module):
    """Decays in place of a softmax. Sun et al., 2023."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 32)
        self.q, self.k, self.v, self.g, self.o = (nn.Linear(32, 32, bias=False) for _ in range(5))
        self.norm, self.group, self.head = nn.LayerNorm(32), nn.GroupNorm(4, 32), nn.Linear(32, 100)

    def forward(self, input_ids: Tensor) -> Tensor:
        x = self.table(input_ids)
        b, n, d = x.shape
        y = self.norm(x)
        q, k, v = (layer(y).view(b, n, 4, 8).transpose(1, 2) for layer in (self.q, self.k, self.v))
        gamma = 1 - torch.exp2(-5.0 - torch.arange(4.0))
        places = torch.arange(n)
        distance = (places[:, None] - places[None, :]).tril()
        decay = (gamma[:, None, None] ** distance).tril()
        out = ((q @ k.transpose(-1, -2)) * decay) @ v
        out = self.group(out.transpose(1, 2).reshape(b * n, d)).view(b, n, d)
        x = x + self.o(functional.silu(self.g(y)) * out)
        return self.head(x)


class Adapted(nn.Module):
    """Frozen weights with low-rank changes. Hu et al., 2022."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(24, 48), nn.Linear(48, 24)])
        for layer in self.layers:
            layer.requires_grad_(False)
        self.down = nn.ModuleList([nn.Linear(24, 4, bias=False), nn.Linear(48, 4, bias=False)])
        self.up = nn.ModuleList([nn.Linear(4, 48, bias=False), nn.Linear(4, 24, bias=False)])
        self.head = nn.Linear(24, 5)

    def forward(self, x: Tensor) -> Tensor:
        for layer, down, up in zip(self.layers, self.down, self.up, strict=True):
            result = layer(x)
            result += up(down(functional.dropout(x, 0.05, self.training))) * 2.0
            x = functional.gelu(result, approximate="tanh")
        return self.head(x)


# ---- series and states ----


class StateSpace(nn.Module):
    """A diagonal recurrence that is scanned step by step. Gu and Dao, 2023."""

    def __init__(self) -> None:
        super().__init__()
        self.start, self.head = nn.Linear(3, 16), nn.Linear(16, 3)
        self.log_a, self.d = nn.Parameter(torch.randn(16, 4)), nn.Parameter(torch.ones(16))
        self.to_b, self.to_c, self.to_delta = nn.Linear(16, 4), nn.Linear(16, 4), nn.Linear(16, 16)

    def forward(self, x: Tensor) -> Tensor:
        u = self.start(x)
        a = -torch.exp(self.log_a)
        delta = functional.softplus(self.to_delta(u))
        b, c = self.to_b(u), self.to_c(u)
        decay = torch.exp(torch.einsum("bld,dn->bldn", delta, a))
        entered = torch.einsum("bld,bln,bld->bldn", delta, b, u)
        state = torch.zeros(x.shape[0], 16, 4)
        ys = []
        for i in range(x.shape[1]):
            state = decay[:, i] * state + entered[:, i]
            ys.append(torch.einsum("bdn,bn->bd", state, c[:, i]))
        return self.head(torch.stack(ys, dim=1) + u * self.d)


class BasisExpansion(nn.Module):
    """Blocks that explain what is left of a series. Oreshkin et al., 2020."""

    def __init__(self) -> None:
        super().__init__()
        self.stacks = nn.ModuleList(mlp(24, 32, 32, 24 + 6) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        residual = x.flip(1)
        forecast = x[:, -1:]
        for stack in self.stacks:
            theta = stack(residual)
            residual = residual - theta[:, :24]
            forecast = forecast + theta[:, 24:]
        return forecast


class Probabilistic(nn.Module):
    """An LSTM that gives a distribution, with the likelihood as its loss. Salinas et al., 2020."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds, self.lstm = nn.Embedding(10, 4), nn.LSTM(1 + 4, 16, 2, batch_first=True)
        self.mean, self.scale = nn.Linear(16, 1), nn.Linear(16, 1)

    def forward(self, series: Tensor, kind: Tensor, labels: Tensor | None = None) -> Any:
        embedded = self.kinds(kind).unsqueeze(1).expand(-1, series.shape[1], -1)
        out, _ = self.lstm(torch.cat([series, embedded], dim=-1))
        mean, scale = self.mean(out), functional.softplus(self.scale(out)) + 1e-3
        if labels is None:
            return mean, scale
        loss = functional.gaussian_nll_loss(mean, series, scale.pow(2))
        return {"logits": mean, "loss": loss}


class PatchSeries(nn.Module):
    """Patches of each channel as tokens, normalized by instance. Nie et al., 2023."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.place = nn.Linear(8, 16), nn.Parameter(torch.zeros(1, 11, 16))
        layer = nn.TransformerEncoderLayer(16, 4, 32, 0.1, activation="gelu", batch_first=True, norm_first=True)
        self.encoder, self.head = nn.TransformerEncoder(layer, 1), nn.Linear(11 * 16, 6)

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(1, keepdim=True).detach()
        deviation = torch.sqrt(torch.var(x, dim=1, keepdim=True, unbiased=False) + 1e-5).detach()
        x = ((x - mean) / deviation).transpose(1, 2)
        patches = x.unfold(dimension=-1, size=8, step=4)
        b, c, n, p = patches.shape
        tokens = self.embed(patches.reshape(b * c, n, p)) + self.place
        out = self.head(self.encoder(tokens).flatten(1)).view(b, c, 6).transpose(1, 2)
        return out * deviation + mean


class Decomposed(nn.Module):
    """Trend by a moving mean and what is left, a linear map each. Zeng et al., 2023."""

    def __init__(self) -> None:
        super().__init__()
        self.mean = nn.AvgPool1d(5, 1)
        self.trend, self.rest = nn.Linear(24, 6), nn.Linear(24, 6)

    def forward(self, x: Tensor) -> Tensor:
        front, end = x[:, 0:1, :].repeat(1, 2, 1), x[:, -1:, :].repeat(1, 2, 1)
        trend = self.mean(torch.cat([front, x, end], dim=1).permute(0, 2, 1)).permute(0, 2, 1)
        rest = x - trend
        return (self.trend(trend.permute(0, 2, 1)) + self.rest(rest.permute(0, 2, 1))).permute(0, 2, 1)


class SkipRecurrent(nn.Module):
    """Convolution, two recurrences of different pace, and a linear part. Lai et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.gru, self.skip = nn.Conv2d(1, 12, (5, 6)), nn.GRU(12, 12), nn.GRU(12, 4)
        self.head, self.auto = nn.Linear(12 + 4 * 4, 6), nn.Linear(8, 1)

    def forward(self, x: Tensor) -> Tensor:
        b = x.size(0)
        c = functional.dropout(functional.relu(self.conv(x.view(-1, 1, 24, 6))), 0.2, self.training).squeeze(3)
        r = self.gru(c.permute(2, 0, 1).contiguous())[1].squeeze(0)
        s = c[:, :, -20:].contiguous().view(b, 12, 5, 4).permute(2, 0, 3, 1).contiguous().view(5, b * 4, 12)
        s = self.skip(s)[1].view(b, 16)
        linear = self.auto(x[:, -8:, :].permute(0, 2, 1).contiguous().view(-1, 8)).view(-1, 6)
        return torch.sigmoid(self.head(torch.cat((r, s), 1)) + linear)


class Ode(nn.Module):
    """Steps of Runge and Kutta through a small field. Chen et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.field = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 4))
        self.head = nn.Linear(4, 2)

    def derivative(self, t: float, y: Tensor) -> Tensor:
        return self.field(torch.cat([y, torch.full_like(y[:, :1], t)], dim=1))

    def forward(self, y: Tensor) -> Tensor:
        h = 0.25
        for step in range(4):
            t = step * h
            k1 = self.derivative(t, y)
            k2 = self.derivative(t + h / 2, y + h / 2 * k1)
            k3 = self.derivative(t + h / 2, y + h / 2 * k2)
            k4 = self.derivative(t + h, y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return self.head(y)


class TuringMachine(nn.Module):
    """A memory that is read and written by content. Graves et al., 2014."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.key = nn.LSTMCell(4 + 6, 16), nn.Linear(16, 6)
        self.erase, self.add, self.head = nn.Linear(16, 6), nn.Linear(16, 6), nn.Linear(22, 4)
        self.memory = nn.Parameter(torch.randn(8, 6) * 0.1)

    def forward(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        memory = self.memory.unsqueeze(0).repeat(b, 1, 1)
        read, h, c = torch.zeros(b, 6), torch.zeros(b, 16), torch.zeros(b, 16)
        outputs = []
        for t in range(x.shape[1]):
            h, c = self.cell(torch.cat([x[:, t], read], dim=1), (h, c))
            key = torch.tanh(self.key(h)).unsqueeze(1)
            weights = functional.softmax(functional.cosine_similarity(memory, key, dim=-1), dim=1).unsqueeze(-1)
            memory = memory * (1 - weights * torch.sigmoid(self.erase(h)).unsqueeze(1))
            memory = memory + weights * torch.tanh(self.add(h)).unsqueeze(1)
            read = (weights * memory).sum(1)
            outputs.append(self.head(torch.cat([h, read], dim=1)))
        return torch.stack(outputs, dim=1)
