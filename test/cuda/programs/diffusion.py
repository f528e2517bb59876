"""A small diffusion model: U-Net with attention and time embedding, noise schedule on the device, then sampling."""

import math

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, enters, leaves):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(8, enters), nn.SiLU(), nn.Conv2d(enters, leaves, 3, padding=1))
        self.time = nn.Linear(256, leaves)
        self.second = nn.Sequential(nn.GroupNorm(8, leaves), nn.SiLU(), nn.Conv2d(leaves, leaves, 3, padding=1))
        self.skip = nn.Conv2d(enters, leaves, 1) if enters != leaves else nn.Identity()

    def forward(self, x, time):
        return self.second(self.first(x) + self.time(time)[:, :, None, None]) + self.skip(x)


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.attention = nn.GroupNorm(8, width), nn.MultiheadAttention(width, 4, batch_first=True)

    def forward(self, x, _):
        y = self.norm(x).flatten(2).transpose(1, 2)
        return x + self.attention(y, y, y, need_weights=False)[0].transpose(1, 2).view_as(x)


class UNet(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.enter, self.leave = nn.Conv2d(3, width, 3, padding=1), nn.Conv2d(width, 3, 3, padding=1)
        self.embed = nn.Sequential(nn.Linear(128, 256), nn.SiLU(), nn.Linear(256, 256))
        self.down = nn.ModuleList([Residual(width, width), Residual(width, 2 * width), Residual(2 * width, 4 * width)])
        self.middle = nn.ModuleList([Residual(4 * width, 4 * width), Attention(4 * width)])
        self.up = nn.ModuleList(
            [Residual(8 * width, 2 * width), Residual(4 * width, width), Residual(2 * width, width)]
        )

    def forward(self, x, t):
        rates = torch.exp(-math.log(10000) * torch.arange(64, device=x.device) / 64)
        time = self.embed(torch.cat([torch.sin(t[:, None] * rates), torch.cos(t[:, None] * rates)], 1))
        x, kept = self.enter(x), []
        for block in self.down:
            x = block(x, time)
            kept.append(x)
            x = nn.functional.avg_pool2d(x, 2)
        for block in self.middle:
            x = block(x, time)
        for block in self.up:
            x = block(torch.cat([nn.functional.interpolate(x, scale_factor=2), kept.pop()], 1), time)
        return self.leave(x)


device = "cuda"
model = UNet().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
alphas = (1 - torch.linspace(1e-4, 0.02, 1000, device=device)).cumprod(0)
for step in range(3):
    images, noise = torch.randn(8, 3, 64, 64, device=device), torch.randn(8, 3, 64, 64, device=device)
    t = torch.randint(0, 1000, (8,), device=device)
    a = alphas[t][:, None, None, None]
    loss = nn.functional.mse_loss(model(a.sqrt() * images + (1 - a).sqrt() * noise, t), noise)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.item(), alphas[500].item())
with torch.inference_mode():
    x = torch.randn(4, 3, 64, 64, device=device)
    for t in reversed(range(0, 1000, 250)):
        noise = model(x, torch.full((4,), t, device=device))
        x = (x - (1 - alphas[t]).sqrt() * noise) / alphas[t].sqrt()
print((x.clamp(-1, 1) * 127.5 + 127.5).byte().cpu().numpy().shape)
