"""DCGAN with spectral norm, a gradient penalty (second derivatives) and two optimizers."""

import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm

generator = nn.Sequential(
    nn.ConvTranspose2d(100, 256, 4, 1, 0),
    nn.BatchNorm2d(256),
    nn.ReLU(),
    nn.ConvTranspose2d(256, 128, 4, 2, 1),
    nn.BatchNorm2d(128),
    nn.ReLU(),
    nn.ConvTranspose2d(128, 64, 4, 2, 1),
    nn.BatchNorm2d(64),
    nn.ReLU(),
    nn.ConvTranspose2d(64, 3, 4, 2, 1),
    nn.Tanh(),
).cuda()
critic = nn.Sequential(
    spectral_norm(nn.Conv2d(3, 64, 4, 2, 1)),
    nn.LeakyReLU(0.2),
    spectral_norm(nn.Conv2d(64, 128, 4, 2, 1)),
    nn.LeakyReLU(0.2),
    nn.Flatten(),
    nn.Linear(128 * 64, 1),
).cuda()
first = torch.optim.Adam(generator.parameters(), 2e-4, betas=(0.5, 0.999))
second = torch.optim.Adam(critic.parameters(), 2e-4, betas=(0.5, 0.999))
for step in range(3):
    real = torch.rand(32, 3, 32, 32, device="cuda") * 2 - 1
    fake = generator(torch.randn(32, 100, 1, 1, device="cuda"))
    share = torch.rand(32, 1, 1, 1, device="cuda")
    mixed = (share * real + (1 - share) * fake.detach()).requires_grad_()
    (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    penalty = ((slope.flatten(1).norm(2, 1) - 1) ** 2).mean()
    loss = critic(fake.detach()).mean() - critic(real).mean() + 10 * penalty
    second.zero_grad()
    loss.backward()
    second.step()
    first.zero_grad()
    gain = -critic(fake).mean()
    gain.backward()
    first.step()
    print(f"[{step}] critic {loss.item():.3f} generator {gain.item():.3f} penalty {penalty.item():.3f}")
