"""Variational autoencoder as in PyTorch's examples, its batches made by workers."""

import argparse

import torch
import torch.utils.data
from torch import nn, optim
from torch.nn import functional as F


class Digits(torch.utils.data.Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.rand(1, 28, 28, generator=torch.Generator().manual_seed(index)), index % 10


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 400)
        self.fc21 = nn.Linear(400, 20)
        self.fc22 = nn.Linear(400, 20)
        self.fc3 = nn.Linear(20, 400)
        self.fc4 = nn.Linear(400, 784)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 784))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    bce = F.binary_cross_entropy(recon_x, x.view(-1, 784), reduction="sum")
    return bce - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())


def train(epoch, model, optimizer, loader, args):
    model.train()
    train_loss = 0
    for batch_idx, (data, _) in enumerate(loader):
        data = data.to(args.device)
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
        if batch_idx % args.log_interval == 0:
            print(f"Train Epoch: {epoch} [{batch_idx * len(data)}/{len(loader.dataset)}] {loss.item() / len(data):.6f}")


def test(model, loader, args):
    model.eval()
    with torch.no_grad():
        total = sum(loss_function(*[(r := model(x.to(args.device)))[0], x, *r[1:]]).item() for x, _ in loader)
    print(f"====> Test set loss: {total / len(loader.dataset):.4f}")


def main():
    parser = argparse.ArgumentParser(description="VAE example")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--log-interval", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.device = torch.device("cpu")
    torch.manual_seed(args.seed)
    options = {"batch_size": args.batch_size, "num_workers": 2, "pin_memory": False}
    train_loader = torch.utils.data.DataLoader(Digits(128), shuffle=True, **options)
    test_loader = torch.utils.data.DataLoader(Digits(64), shuffle=False, **options)
    model = VAE().to(args.device)
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(1, args.epochs + 1):
        train(epoch, model, optimizer, train_loader, args)
        test(model, test_loader, args)


if __name__ == "__main__":
    main()
