"""A variational autoencoder with transposed convolutions; images of a loader with pinned memory and two workers."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 32, 4, 2, 1),
            nn.ReLU(),
            nn.Conv2d(32, 64, 4, 2, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(64 * 49, 40),
        )
        self.decoder = nn.Sequential(
            nn.Linear(20, 64 * 49),
            nn.Unflatten(1, (64, 7, 7)),
            nn.ConvTranspose2d(64, 32, 4, 2, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(32, 1, 4, 2, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, 1)
        z = mean + torch.randn_like(mean) * (log_variance / 2).exp()
        return self.decoder(z), -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum()


def main():
    loader = DataLoader(
        TensorDataset(torch.rand(192, 1, 28, 28)), batch_size=64, shuffle=True, num_workers=2, pin_memory=True
    )
    model = VAE().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    total = torch.zeros((), device="cuda")
    for (batch,) in loader:
        images = batch.cuda(non_blocking=True)
        out, divergence = model(images)
        loss = nn.functional.binary_cross_entropy(out, images, reduction="sum") + divergence
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    print("mean loss", (total / len(loader.dataset)).item())


if __name__ == "__main__":
    main()
