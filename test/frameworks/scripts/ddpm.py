"""Denoising diffusion by hand: a small U-Net with time embeddings and attention, sampled from at the end."""

import math

import torch
import torch.nn.functional as F
from torch import nn

T = 100
betas = torch.linspace(1e-4, 0.02, T)
alphas = torch.cumprod(1 - betas, 0)


def time_embedding(t, dim):
    half = dim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half) / half)
    angles = t[:, None].float() * freqs[None]
    return torch.cat([angles.sin(), angles.cos()], -1)


class Block(nn.Module):
    def __init__(self, inside, outside, dim):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(4, inside), nn.GroupNorm(4, outside)
        self.conv1 = nn.Conv2d(inside, outside, 3, padding=1)
        self.conv2 = nn.Conv2d(outside, outside, 3, padding=1)
        self.time = nn.Linear(dim, outside)
        self.skip = nn.Conv2d(inside, outside, 1) if inside != outside else nn.Identity()

    def forward(self, x, t):
        h = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(t))[:, :, None, None]
        return self.skip(x) + self.conv2(F.silu(self.norm2(h)))


class UNet(nn.Module):
    def __init__(self, c=16, dim=32):
        super().__init__()
        self.dim = dim
        self.inp, self.out = nn.Conv2d(3, c, 3, padding=1), nn.Conv2d(c, 3, 3, padding=1)
        self.down, self.middle, self.up = Block(c, 2 * c, dim), Block(2 * c, 2 * c, dim), Block(3 * c, c, dim)
        self.attention = nn.MultiheadAttention(2 * c, 4, batch_first=True)

    def forward(self, x, t):
        t = time_embedding(t, self.dim)
        x0 = self.inp(x)
        h = self.middle(self.down(F.avg_pool2d(x0, 2), t), t)
        b, c, height, width = h.shape
        flat = h.flatten(2).transpose(1, 2)
        h = h + self.attention(flat, flat, flat)[0].transpose(1, 2).view(b, c, height, width)
        return self.out(self.up(torch.cat([x0, F.interpolate(h, scale_factor=2)], 1), t))


model = UNet()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
images = torch.rand(64, 3, 16, 16) * 2 - 1
for epoch in range(2):
    for x in images.split(16):
        t = torch.randint(0, T, (len(x),))
        noise = torch.randn_like(x)
        a = alphas[t].view(-1, 1, 1, 1)
        loss = F.mse_loss(model(a.sqrt() * x + (1 - a).sqrt() * noise, t), noise)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        print(f"loss {loss.item():.4f}")

with torch.no_grad():
    x = torch.randn(4, 3, 16, 16)
    for i in reversed(range(T)):
        noise = model(x, torch.full((4,), i))
        x = (x - betas[i] / (1 - alphas[i]).sqrt() * noise) / (1 - betas[i]).sqrt()
        if i:
            x += betas[i].sqrt() * torch.randn_like(x)
