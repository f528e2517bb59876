"""A small training, to be measured: with PyTorch where it is, on a GPU where there is one; else it holds memory alone.

usage: train.py [--batch-size N] [--epochs N]
"""

import argparse


def train(torch, batch, epochs):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(32 * 64 * 64, 10)
    ).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        images = torch.zeros(batch, 3, 64, 64, device=device)
        classes = torch.zeros(batch, dtype=torch.int64, device=device)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), classes).backward()
        optimizer.step()


def hold(batch, epochs):
    """What the outputs of the convolution above would take."""
    for _ in range(epochs):
        bytearray(b"\1") * (batch * 32 * 64 * 64 * 4)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=2)
    given = parser.parse_args()
    try:
        import torch
    except ImportError:
        hold(given.batch_size, given.epochs)
    else:
        train(torch, given.batch_size, given.epochs)


if __name__ == "__main__":
    main()
