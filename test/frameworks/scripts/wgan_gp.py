"""Wasserstein GAN with gradient penalty: five steps of the critic for one of the generator."""

import itertools
import os

import numpy as np
import torch
import torch.nn as nn
from torch import autograd
from torch.utils.data import DataLoader, TensorDataset

LAMBDA, CRITIC_ITERS, Z = 10, 5, 64
os.makedirs("images", exist_ok=True)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()

        def block(inside, outside, normalize=True):
            layers = [nn.Linear(inside, outside)]
            if normalize:
                layers.append(nn.BatchNorm1d(outside, 0.8))
            layers.append(nn.LeakyReLU(0.2, inplace=True))
            return layers

        self.model = nn.Sequential(*block(Z, 128, normalize=False), *block(128, 256), nn.Linear(256, 784), nn.Tanh())

    def forward(self, z):
        return self.model(z).view(z.shape[0], 1, 28, 28)


critic = nn.Sequential(
    nn.Flatten(), nn.Linear(784, 256), nn.LeakyReLU(0.2, inplace=True), nn.Linear(256, 128), nn.LeakyReLU(0.2), nn.Linear(128, 1)
)
generator = Generator()


def gradient_penalty(real, fake):
    alpha = torch.tensor(np.random.random((real.size(0), 1, 1, 1)), dtype=torch.float32)
    interpolates = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    scores = critic(interpolates)
    gradients = autograd.grad(
        outputs=scores, inputs=interpolates, grad_outputs=torch.ones_like(scores), create_graph=True, retain_graph=True
    )[0]
    return ((gradients.view(gradients.size(0), -1).norm(2, dim=1) - 1) ** 2).mean()


optimizer_G = torch.optim.Adam(generator.parameters(), lr=1e-4, betas=(0.0, 0.9))
optimizer_D = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
loader = DataLoader(TensorDataset(torch.rand(320, 1, 28, 28) * 2 - 1), 32, shuffle=True)
for i, (real,) in zip(itertools.count(), loader):
    optimizer_D.zero_grad()
    z = torch.tensor(np.random.normal(0, 1, (real.shape[0], Z)), dtype=torch.float)
    fake = generator(z).detach()
    d_loss = critic(fake).mean() - critic(real).mean() + LAMBDA * gradient_penalty(real.data, fake.data)
    d_loss.backward()
    optimizer_D.step()
    if i % CRITIC_ITERS == 0:
        optimizer_G.zero_grad()
        g_loss = -critic(generator(z)).mean()
        g_loss.backward()
        optimizer_G.step()
        np.save(f"images/{i}.npy", generator(z).detach().cpu().numpy())
    print(f"[{i}] D {d_loss.item():.3f} G {g_loss.item():.3f}")
