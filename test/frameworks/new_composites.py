"""Networks of torch.nn for images and volumes that the rules had not seen; new_vision.py lists them."""

from __future__ import annotations

import math
from typing import Any

import torch
from new_graphs import mlp
from torch import Tensor, nn
from torch.nn import functional

# ---- generative ----


class ConvVae(nn.Module):
    """Its own loss: reconstruction and divergence."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.LeakyReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.LeakyReLU()
        )
        self.mean, self.deviation = nn.Linear(16 * 49, 8), nn.Linear(16 * 49, 8)
        self.start = nn.Linear(8, 16 * 49)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(16, 8, 3, 2, 1, output_padding=1), nn.LeakyReLU(),
            nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Sigmoid(),
        )  # fmt: skip

    def forward(self, image: Tensor, labels: Tensor | None = None) -> Any:
        x = torch.flatten(self.encoder(image), start_dim=1)
        mu, log_var = self.mean(x), self.deviation(x)
        z = torch.randn_like(log_var) * torch.exp(0.5 * log_var) + mu
        made = self.decoder(self.start(z).view(-1, 16, 7, 7))
        if labels is None:
            return made
        reconstruction = functional.mse_loss(made, image)
        kld = torch.mean(-0.5 * torch.sum(1 + log_var - mu**2 - log_var.exp(), dim=1), dim=0)
        return {"logits": made, "loss": reconstruction + 0.01 * kld}


class VectorQuantizer(nn.Module):
    """Codes through which gradients go straight. van den Oord et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 8, 4, 2, 1))
        self.table = nn.Embedding(32, 8)
        self.decoder = nn.Sequential(nn.ConvTranspose2d(8, 16, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(16, 3, 4, 2, 1))

    def forward(self, image: Tensor, labels: Tensor | None = None) -> Any:
        z = self.encoder(image).permute(0, 2, 3, 1).contiguous()
        flat = z.view(-1, 8)
        distances = (
            torch.sum(flat**2, dim=1, keepdim=True)
            + torch.sum(self.table.weight**2, dim=1)
            - 2 * torch.matmul(flat, self.table.weight.t())
        )
        indices = torch.argmin(distances, dim=1).unsqueeze(1)
        encodings = torch.zeros(indices.shape[0], 32).scatter_(1, indices, 1)
        quantized = torch.matmul(encodings, self.table.weight).view(z.shape)
        apart = functional.mse_loss(quantized.detach(), z) * 0.25 + functional.mse_loss(quantized, z.detach())
        quantized = z + (quantized - z).detach()
        made = self.decoder(quantized.permute(0, 3, 1, 2).contiguous())
        if labels is None:
            return made
        return {"logits": made, "loss": apart + functional.mse_loss(made, image)}


class HingeGan(nn.Module):
    """Both sides of a step on the discriminator, which is normalized spectrally."""

    def __init__(self) -> None:
        super().__init__()
        normed = nn.utils.parametrizations.spectral_norm
        self.generator = nn.Sequential(
            nn.Linear(12, 16 * 16), nn.Unflatten(1, (16, 4, 4)), nn.Upsample(scale_factor=2),
            nn.Conv2d(16, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(True), nn.Upsample(scale_factor=2),
            nn.Conv2d(8, 3, 3, padding=1), nn.Tanh(),
        )  # fmt: skip
        self.judge = nn.Sequential(
            normed(nn.Conv2d(3, 8, 4, 2, 1)), nn.LeakyReLU(0.1, True), normed(nn.Conv2d(8, 16, 4, 2, 1)),
            nn.LeakyReLU(0.1, True), nn.Flatten(), normed(nn.Linear(256, 1)),
        )  # fmt: skip

    def forward(self, noise: Tensor, image: Tensor) -> Tensor:
        with torch.no_grad():
            made = self.generator(noise)
        real, false = self.judge(image), self.judge(made.detach())
        return functional.relu(1.0 - real) + functional.relu(1.0 + false)


class TimeEmbedding(nn.Module):
    def forward(self, t: Tensor) -> Tensor:
        frequencies = torch.exp(torch.arange(8) * -(math.log(10000) / 7))
        angles = t[:, None] * frequencies[None, :]
        return torch.cat((angles.sin(), angles.cos()), dim=-1)


class DiffusionBlock(nn.Module):
    def __init__(self, channels: int, out: int) -> None:
        super().__init__()
        self.one = nn.Sequential(nn.GroupNorm(4, channels), nn.SiLU(), nn.Conv2d(channels, out, 3, padding=1))
        self.time = nn.Sequential(nn.SiLU(), nn.Linear(32, out * 2))
        self.norm = nn.GroupNorm(4, out)
        self.two = nn.Sequential(nn.SiLU(), nn.Dropout(0.1), nn.Conv2d(out, out, 3, padding=1))
        self.skip = nn.Conv2d(channels, out, 1) if channels != out else nn.Identity()

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        h = self.one(x)
        scale, shift = self.time(t)[:, :, None, None].chunk(2, dim=1)
        h = self.norm(h) * (scale + 1) + shift
        return self.two(h) + self.skip(x)


class PixelAttention(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(1, channels)
        self.qkv, self.out = nn.Conv2d(channels, channels * 3, 1, bias=False), nn.Conv2d(channels, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        b, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, 3, 2, c // 2, h * w).unbind(1)
        weights = torch.einsum("bhdi,bhdj->bhij", q * (c // 2) ** -0.5, k).softmax(dim=-1)
        out = torch.einsum("bhij,bhdj->bhid", weights, v)
        return x + self.out(out.permute(0, 1, 3, 2).reshape(b, c, h, w))


class Denoiser(nn.Module):
    """A U-Net that predicts noise. Ho et al., 2020."""

    def __init__(self) -> None:
        super().__init__()
        self.time = nn.Sequential(TimeEmbedding(), nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 32))
        self.start = nn.Conv2d(3, 16, 7, padding=3)
        self.down = nn.ModuleList([DiffusionBlock(16, 16), DiffusionBlock(16, 32)])
        self.shrink = nn.ModuleList([nn.Conv2d(16, 16, 4, 2, 1), nn.Conv2d(32, 32, 4, 2, 1)])
        self.middle, self.attention = DiffusionBlock(32, 32), PixelAttention(32)
        self.up = nn.ModuleList([DiffusionBlock(64, 16), DiffusionBlock(32, 16)])
        self.end = nn.Conv2d(16, 3, 1)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        t = self.time(t)
        x = self.start(x)
        kept = []
        for block, shrink in zip(self.down, self.shrink, strict=True):
            x = block(x, t)
            kept.append(x)
            x = shrink(x)
        x = self.attention(self.middle(x, t))
        for block in self.up:
            x = functional.interpolate(x, scale_factor=2, mode="nearest")
            x = block(torch.cat((x, kept.pop()), dim=1), t)
        return self.end(x)


class Coupling(nn.Module):
    def __init__(self, mask: Tensor) -> None:
        super().__init__()
        self.register_buffer("mask", mask)
        self.scale = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(), nn.Linear(32, 8), nn.Tanh())
        self.shift = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(), nn.Linear(32, 8))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        kept = x * self.mask
        s, t = self.scale(kept) * (1 - self.mask), self.shift(kept) * (1 - self.mask)
        return kept + (1 - self.mask) * (x * torch.exp(s) + t), s.sum(dim=1)


class RealNvp(nn.Module):
    """Dinh et al., 2017: the likelihood is what it gives."""

    def __init__(self) -> None:
        super().__init__()
        mask = torch.arange(8) % 2.0
        self.flows = nn.ModuleList(Coupling(mask if index % 2 else 1 - mask) for index in range(4))

    def forward(self, x: Tensor, labels: Tensor | None = None) -> Any:
        log_det = torch.zeros(x.shape[0])
        for flow in self.flows:
            x, more = flow(x)
            log_det += more
        if labels is None:
            return x
        prior = -0.5 * (x**2 + math.log(2 * math.pi)).sum(1)
        return {"logits": x, "loss": -(prior + log_det).mean()}


class GlowStep(nn.Module):
    """Kingma and Dhariwal, 2018: activations normalized, channels mixed, affine coupling of halves."""

    def __init__(self) -> None:
        super().__init__()
        self.logs, self.bias = nn.Parameter(torch.zeros(1, 12, 1, 1)), nn.Parameter(torch.zeros(1, 12, 1, 1))
        self.weight = nn.Parameter(torch.linalg.qr(torch.randn(12, 12))[0])
        self.net = nn.Sequential(
            nn.Conv2d(6, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 1), nn.ReLU(), nn.Conv2d(16, 12, 3, padding=1)
        )

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor]:
        x = functional.pixel_unshuffle(image, 2)
        x = (x + self.bias) * torch.exp(self.logs)
        x = functional.conv2d(x, self.weight.view(12, 12, 1, 1))
        one, two = x.chunk(2, 1)
        out = self.net(one)
        shift, scale = out[:, 0::2], torch.sigmoid(out[:, 1::2] + 2)
        two = (two + shift) * scale
        return torch.cat([one, two], 1), torch.log(scale).flatten(1).sum(1) + self.logs.sum()


class MaskedLinear(nn.Linear):
    def __init__(self, size: int, out: int) -> None:
        super().__init__(size, out)
        self.register_buffer("mask", torch.tril(torch.ones(out, size)))

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.mask * self.weight, self.bias)


class MaskedAutoregressive(nn.Module):
    """Papamakarios et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.three = MaskedLinear(10, 24), MaskedLinear(24, 24), MaskedLinear(24, 20)

    def forward(self, x: Tensor) -> Tensor:
        mean, log = self.three(torch.relu(self.two(torch.relu(self.one(x))))).chunk(2, dim=-1)
        u = (x - mean) * (-log).exp()
        return u.flip(dims=(1,))


class Modulated(nn.Module):
    """A style scales the weights of a grouped convolution. Karras et al., 2020."""

    def __init__(self) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.randn(1, 16, 4, 4))
        self.mapping = mlp(8, 16, 16)
        self.weights = nn.ParameterList([torch.randn(16, 16, 3, 3), torch.randn(8, 16, 3, 3)])
        self.styles = nn.ModuleList([nn.Linear(16, 16), nn.Linear(16, 16)])
        self.noise, self.rgb = nn.Parameter(torch.zeros(1)), nn.Conv2d(8, 3, 1)

    def forward(self, z: Tensor) -> Tensor:
        w = self.mapping(z * torch.rsqrt(torch.mean(z**2, dim=1, keepdim=True) + 1e-8))
        x = self.start.repeat(z.shape[0], 1, 1, 1)
        for weight, style in zip(self.weights, self.styles, strict=True):
            batch, channels, height, width = x.shape
            weights = weight[None] * style(w)[:, None, :, None, None]
            weights = weights * torch.rsqrt((weights**2).sum(dim=(2, 3, 4), keepdim=True) + 1e-8)
            _, _, *sizes = weights.shape
            weights = weights.reshape(batch * weight.shape[0], *sizes)
            x = functional.conv2d(x.reshape(1, -1, height, width), weights, padding=1, groups=batch)
            x = x.reshape(-1, weight.shape[0], height, width)
            x = functional.leaky_relu(x + self.noise * torch.randn(batch, 1, height, width), 0.2)
            x = functional.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        return self.rgb(x)


# ---- images ----


class DenseSuperResolution(nn.Module):
    """Residual channel attention with pixel shuffle. Zhang et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Conv2d(3, 16, 3, padding=1)
        self.bodies = nn.ModuleList(
            nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.PReLU(), nn.Conv2d(16, 16, 3, padding=1))
            for _ in range(3)
        )
        self.gates = nn.ModuleList(
            nn.Sequential(
                nn.AdaptiveAvgPool2d(1), nn.Conv2d(16, 4, 1), nn.ReLU(True), nn.Conv2d(4, 16, 1), nn.Sigmoid()
            )
            for _ in range(3)
        )
        self.tail = nn.Sequential(nn.Conv2d(16, 64, 3, padding=1), nn.PixelShuffle(2), nn.Conv2d(16, 3, 3, padding=1))

    def forward(self, x: Tensor) -> Tensor:
        x = start = self.head(x)
        for body, gate in zip(self.bodies, self.gates, strict=True):
            res = body(x)
            x = x + res.mul(0.1) * gate(res)
        x += start
        return self.tail(x)


class SegNet(nn.Module):
    """Indices of the maxima say where values go back. Badrinarayanan et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True))
        self.two = nn.Sequential(nn.Conv2d(16, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(inplace=True))
        self.back = nn.Sequential(nn.Conv2d(24, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True))
        self.head = nn.Conv2d(16, 4, 3, padding=1)
        self.pool, self.unpool = nn.MaxPool2d(2, 2, return_indices=True), nn.MaxUnpool2d(2, 2)

    def forward(self, x: Tensor) -> Tensor:
        x, first = self.pool(self.one(x))
        x, second = self.pool(self.two(x))
        x = self.back(self.unpool(x, second))
        return self.head(self.unpool(x, first))


class AttentionGate(nn.Module):
    def __init__(self, gate: int, channels: int, inner: int) -> None:
        super().__init__()
        self.gate = nn.Sequential(nn.Conv2d(gate, inner, 1), nn.BatchNorm2d(inner))
        self.skip = nn.Sequential(nn.Conv2d(channels, inner, 1), nn.BatchNorm2d(inner))
        self.psi = nn.Sequential(nn.Conv2d(inner, 1, 1), nn.BatchNorm2d(1), nn.Sigmoid())
        self.relu = nn.ReLU(inplace=True)

    def forward(self, g: Tensor, x: Tensor) -> Tensor:
        psi = self.relu(self.gate(g) + self.skip(x))
        psi = self.psi(psi)
        return x * psi


def convolutions(channels: int, out: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels, out, 3, padding=1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True),
        nn.Conv2d(out, out, 3, padding=1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True),
    )  # fmt: skip


class GatedUNet(nn.Module):
    """Odd sizes are padded before the skip is joined. Oktay et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.inc, self.down1, self.down2 = convolutions(1, 8), convolutions(8, 16), convolutions(16, 32)
        self.up1, self.up2 = nn.ConvTranspose2d(32, 16, 2, stride=2), nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.gate1, self.gate2 = AttentionGate(16, 16, 8), AttentionGate(8, 8, 4)
        self.conv1, self.conv2 = convolutions(32, 16), convolutions(16, 8)
        self.outc = nn.Conv2d(8, 3, 1)

    def join(self, x: Tensor, skip: Tensor, gate: nn.Module) -> Tensor:
        diff_y, diff_x = skip.size()[2] - x.size()[2], skip.size()[3] - x.size()[3]
        x = functional.pad(x, [diff_x // 2, diff_x - diff_x // 2, diff_y // 2, diff_y - diff_y // 2])
        return torch.cat([gate(x, skip), x], dim=1)

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.inc(x)
        x2 = self.down1(functional.max_pool2d(x1, 2))
        x3 = self.down2(functional.max_pool2d(x2, 2))
        x = self.conv1(self.join(self.up1(x3), x2, self.gate1))
        x = self.conv2(self.join(self.up2(x), x1, self.gate2))
        return self.outc(x)


class PyramidPooling(nn.Module):
    """Zhao et al., 2017, with dilated convolutions and an auxiliary head in its own loss."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU())
        self.dilated = nn.Sequential(nn.Conv2d(16, 24, 3, padding=2, dilation=2), nn.BatchNorm2d(24), nn.ReLU())
        self.pools = nn.ModuleList(
            nn.Sequential(nn.AdaptiveAvgPool2d(size), nn.Conv2d(24, 6, 1, bias=False), nn.ReLU()) for size in (1, 2, 3)
        )
        self.head = nn.Sequential(nn.Conv2d(42, 16, 3, padding=1), nn.Dropout2d(0.1), nn.Conv2d(16, 4, 1))

    def forward(self, x: Tensor) -> Tensor:
        size = x.shape[-2:]
        x = self.dilated(self.stem(x))
        out = [x]
        for pool in self.pools:
            out.append(functional.interpolate(pool(x), x.shape[-2:], mode="bilinear", align_corners=True))
        return functional.interpolate(self.head(torch.cat(out, 1)), size=size, mode="bilinear", align_corners=False)


class Detector(nn.Module):
    """A dense detector over two levels with its focal loss. Lin et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.GroupNorm(4, 16), nn.ReLU())
        self.two = nn.Sequential(nn.Conv2d(16, 16, 3, 2, 1), nn.GroupNorm(4, 16), nn.ReLU())
        self.classes = nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 3 * 4, 3, padding=1))
        self.boxes = nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 3 * 4, 3, padding=1))

    def forward(self, image: Tensor, labels: Tensor | None = None) -> Any:
        levels = [self.one(image)]
        levels.append(self.two(levels[0]))
        logits = torch.cat([self.classes(x).permute(0, 2, 3, 1).reshape(x.size(0), -1, 4) for x in levels], 1)
        boxes = torch.cat([self.boxes(x).permute(0, 2, 3, 1).reshape(x.size(0), -1, 4) for x in levels], 1)
        if labels is None:
            return logits, boxes
        target = functional.one_hot(labels, 4).float()[:, None].expand_as(logits)
        p = torch.sigmoid(logits)
        loss = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
        p_t = p * target + (1 - p) * (1 - target)
        loss = (0.25 * target + 0.75 * (1 - target)) * loss * ((1 - p_t) ** 2)
        return {"logits": logits, "loss": loss.mean() + functional.smooth_l1_loss(boxes, torch.zeros_like(boxes))}


class KeyPoints(nn.Module):
    """Heat maps whose expected place is the answer. Sun et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, 16, 5, 2, 2), nn.ReLU6(), nn.MaxPool2d(3, 2, 1), nn.Conv2d(16, 24, 3, padding=1), nn.ReLU6(),
            nn.ConvTranspose2d(24, 5, 4, 2, 1),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        heat = self.net(x)
        b, n, h, w = heat.shape
        weights = functional.softmax(heat.view(b, n, -1), dim=2).view(b, n, h, w)
        ys, xs = torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")
        return torch.stack([(weights * xs).sum(dim=(2, 3)), (weights * ys).sum(dim=(2, 3))], dim=-1)


class FlowWarp(nn.Module):
    """One image is moved onto another by a field that is smoothed in its own loss."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(2, 16, 3, padding=1), nn.ELU(), nn.Conv2d(16, 2, 3, padding=1))

    def forward(self, first: Tensor, second: Tensor, labels: Tensor | None = None) -> Any:
        flow = 0.1 * torch.tanh(self.net(torch.cat([first, second], dim=1)))
        theta = torch.eye(2, 3).unsqueeze(0).repeat(first.size(0), 1, 1)
        grid = functional.affine_grid(theta, list(first.shape), align_corners=False)
        moved = functional.grid_sample(
            first, grid + flow.permute(0, 2, 3, 1), padding_mode="border", align_corners=False
        )
        if labels is None:
            return moved, flow
        dx, dy = (flow[..., 1:] - flow[..., :-1]).abs().mean(), (flow[:, :, 1:] - flow[:, :, :-1]).abs().mean()
        return {"logits": moved, "loss": functional.l1_loss(moved, second) + 0.1 * (dx + dy)}


class Involution(nn.Module):
    """A kernel of its own for each place, by unfold. Li et al., 2021."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.reduce = nn.Sequential(nn.Conv2d(16, 8, 1), nn.BatchNorm2d(8), nn.ReLU())
        self.span, self.unfold = nn.Conv2d(8, 9 * 4, 1), nn.Unfold(3, 1, 1, 1)
        self.head = nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        weight = self.span(self.reduce(x))
        b, c, h, w = weight.shape
        weight = weight.view(b, 4, 9, h, w).unsqueeze(2)
        out = self.unfold(x).view(b, 4, 4, 9, h, w)
        out = (weight * out).sum(dim=3).view(b, 16, h, w)
        return self.head(out.mean(dim=[2, 3]))


class Patches(nn.Module):
    """Patches are taken, transformed, and put back with fold."""

    def __init__(self) -> None:
        super().__init__()
        self.net = mlp(4 * 4 * 3, 32, 4 * 4 * 3)

    def forward(self, x: Tensor) -> Tensor:
        patches = functional.unfold(x, kernel_size=4, stride=2, padding=1)
        patches = self.net(patches.transpose(1, 2)).transpose(1, 2)
        return functional.fold(patches, (16, 16), kernel_size=4, stride=2, padding=1) / 4


class AxialAttention(nn.Module):
    """Rows, then columns. Ho et al., 2019."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 2, 2)
        self.rows, self.columns = (nn.MultiheadAttention(16, 2, batch_first=True) for _ in range(2))
        self.head = nn.Conv2d(16, 4, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        b, c, h, w = x.shape
        rows = x.permute(0, 2, 3, 1).reshape(b * h, w, c)
        rows = rows + self.rows(rows, rows, rows, need_weights=False)[0]
        columns = rows.view(b, h, w, c).transpose(1, 2).reshape(b * w, h, c)
        columns = columns + self.columns(columns, columns, columns)[0]
        return self.head(columns.view(b, w, h, c).permute(0, 3, 2, 1))


class Coordinates(nn.Module):
    """Their own coordinates as channels (Liu et al., 2018), blurred when they shrink, old pools and norms."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Conv2d(5, 16, 3, padding=1)
        self.register_buffer("blur", torch.tensor([1.0, 2, 1]).outer(torch.tensor([1.0, 2, 1])).div(16)[None, None])
        self.norm, self.pool = nn.LocalResponseNorm(5), nn.LPPool2d(2, 2)
        self.two, self.head = nn.Conv2d(16, 16, 3, groups=4, padding=1), nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Tensor:
        b, _, h, w = x.shape
        ys = torch.linspace(-1, 1, h).view(1, 1, h, 1).expand(b, 1, h, w)
        xs = torch.linspace(-1, 1, w).view(1, 1, 1, w).expand(b, 1, h, w)
        x = self.norm(functional.relu(self.one(torch.cat([x, xs, ys], 1))))
        x = functional.conv2d(functional.pad(x, (1, 1, 1, 1), mode="reflect"), self.blur.expand(16, 1, 3, 3), stride=2,
                              groups=16)  # fmt: skip
        x = self.pool(functional.rrelu(self.two(x), training=self.training))
        return self.head(functional.adaptive_max_pool2d(x, 1).flatten(1))


class Octave(nn.Module):
    """Features of two resolutions that exchange. Chen et al., 2019."""

    def __init__(self) -> None:
        super().__init__()
        self.start = nn.Conv2d(3, 16, 3, padding=1)
        self.low = nn.Conv2d(3, 8, 3, padding=1)
        self.hh, self.hl = nn.Conv2d(16, 16, 3, padding=1), nn.Conv2d(16, 8, 3, padding=1)
        self.lh, self.ll = nn.Conv2d(8, 16, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.head = nn.Linear(24, 4)

    def forward(self, x: Tensor) -> Tensor:
        high, low = self.start(x), self.low(functional.avg_pool2d(x, 2))
        high, low = (
            functional.relu(self.hh(high) + functional.interpolate(self.lh(low), scale_factor=2, mode="nearest")),
            functional.relu(self.ll(low) + self.hl(functional.avg_pool2d(high, 2))),
        )
        return self.head(torch.cat([high.mean((2, 3)), low.mean((2, 3))], dim=1))


class Slots(nn.Module):
    """Slots compete for places. Locatello et al., 2020."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, 16, 5, 2, 2), nn.ReLU(), nn.Conv2d(16, 16, 5, 2, 2), nn.ReLU())
        self.norm, self.slot_norm = nn.LayerNorm(16), nn.LayerNorm(16)
        self.mu, self.sigma = nn.Parameter(torch.randn(1, 1, 16)), nn.Parameter(torch.rand(1, 1, 16))
        self.q, self.k, self.v = (nn.Linear(16, 16, bias=False) for _ in range(3))
        self.cell, self.head = nn.GRUCell(16, 16), nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(self.encoder(x).flatten(2).transpose(1, 2))
        b = x.shape[0]
        mu, sigma = self.mu.expand(b, 3, -1), self.sigma.expand(b, 3, -1)
        slots = torch.normal(mu, sigma.abs().detach())
        k, v = self.k(x), self.v(x)
        for _ in range(2):
            before = slots
            q = self.q(self.slot_norm(slots))
            weights = (torch.einsum("bid,bjd->bij", q, k) * 0.25).softmax(dim=1) + 1e-8
            weights = weights / weights.sum(dim=-1, keepdim=True)
            updates = torch.einsum("bjd,bij->bid", v, weights)
            slots = self.cell(updates.reshape(-1, 16), before.reshape(-1, 16)).reshape(b, -1, 16)
        return self.head(slots)


# ---- volumes and videos ----


class VolumeUNet(nn.Module):
    """Instance norm, strided and transposed convolutions. Isensee et al., 2021."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = self.block(1, 8, 1), self.block(8, 16, 2)
        self.up, self.out = nn.ConvTranspose3d(16, 8, 2, 2, bias=False), self.block(16, 8, 1)
        self.head, self.deep = nn.Conv3d(8, 3, 1), nn.Conv3d(16, 3, 1)

    @staticmethod
    def block(channels: int, out: int, stride: int) -> nn.Sequential:
        return nn.Sequential(
            nn.Conv3d(channels, out, 3, stride, 1), nn.InstanceNorm3d(out, affine=True), nn.LeakyReLU(inplace=True),
            nn.Conv3d(out, out, 3, 1, 1), nn.InstanceNorm3d(out, affine=True), nn.LeakyReLU(inplace=True),
        )  # fmt: skip

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = self.one(x)
        low = self.two(x)
        return self.head(self.out(torch.cat((self.up(low), x), 1))), self.deep(low)


class VideoConvolutions(nn.Module):
    """Convolutions of space and time with pools of both. Tran et al., 2015."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv3d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool3d((1, 2, 2), (1, 2, 2)),
            nn.Conv3d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool3d(2, 2),
            nn.Conv3d(16, 16, (3, 1, 1), padding=(1, 0, 0)), nn.ReLU(), nn.AvgPool3d(2),
            nn.Flatten(), nn.Linear(16 * 2 * 9, 32), nn.Dropout(0.5), nn.Linear(32, 6),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


class ConvLstm(nn.Module):
    """Gates are convolutions. Shi et al., 2015."""

    def __init__(self) -> None:
        super().__init__()
        self.gates = nn.Conv2d(3 + 8, 32, 3, padding=1)
        self.head = nn.Conv2d(8, 3, 1)

    def forward(self, x: Tensor) -> Tensor:
        b, length, _, height, width = x.shape
        h, c = torch.zeros(b, 8, height, width), torch.zeros(b, 8, height, width)
        outputs = []
        for step in range(length):
            i, f, o, g = torch.split(self.gates(torch.cat([x[:, step], h], dim=1)), 8, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            outputs.append(self.head(h))
        return torch.stack(outputs, 1)


class RadianceField(nn.Module):
    """Colours and densities along rays. Mildenhall et al., 2020."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = mlp(3 + 24, 32, 32), mlp(32 + 27, 32, 32)
        self.density, self.colour = nn.Linear(32, 1), nn.Sequential(nn.Linear(32 + 3, 16), nn.ReLU(), nn.Linear(16, 3))

    def encode(self, x: Tensor) -> Tensor:
        return torch.cat([x, *(f(2.0**i * x) for i in range(4) for f in (torch.sin, torch.cos))], -1)

    def forward(self, origins: Tensor, directions: Tensor) -> Tensor:
        depth = torch.linspace(2.0, 6.0, 12)
        points = origins[:, None, :] + directions[:, None, :] * depth[:, None]
        encoded = self.encode(points)
        h = self.one(encoded)
        h = self.two(torch.cat([h, encoded], -1))
        sigma = functional.relu(self.density(h)).squeeze(-1)
        rgb = torch.sigmoid(self.colour(torch.cat([h, directions[:, None].expand_as(points)], -1)))
        steps = torch.cat([depth[1:] - depth[:-1], torch.tensor([1e10])])
        alpha = 1.0 - torch.exp(-sigma * steps)
        light = torch.cumprod(torch.cat([torch.ones(alpha.shape[0], 1), 1.0 - alpha + 1e-10], -1), -1)[:, :-1]
        weights = alpha * light
        return torch.sum(weights[..., None] * rgb, -2)


class Siren(nn.Module):
    """Sine layers. Sitzmann et al., 2020."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 32), nn.Linear(32, 32), nn.Linear(32, 32)])
        self.last = nn.Linear(32, 3)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = torch.sin(30 * layer(x))
        return self.last(x)
