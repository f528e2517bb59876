"""Accelerate: a CNN with accumulated gradients, clipping, metrics that are gathered, and its state saved."""

import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def loaders(batch_size):
    images, labels = torch.randn(96, 3, 24, 24), torch.randint(0, 5, (96,))
    train = TensorDataset(images[:64], labels[:64])
    return DataLoader(train, batch_size, shuffle=True), DataLoader(TensorDataset(images[64:], labels[64:]), batch_size)


def training_function(args):
    accelerator = Accelerator(gradient_accumulation_steps=args.accumulate, mixed_precision=args.mixed_precision, cpu=True)
    set_seed(42)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(5)
    )
    model(torch.zeros(1, 3, 24, 24))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=20)
    train, evaluation = loaders(args.batch_size)
    model, optimizer, train, evaluation, scheduler = accelerator.prepare(
        model, optimizer, train, evaluation, scheduler
    )
    for epoch in range(args.epochs):
        model.train()
        for images, labels in train:
            with accelerator.accumulate(model):
                loss = F.cross_entropy(model(images), labels)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
        model.eval()
        correct = seen = 0
        for images, labels in evaluation:
            with torch.no_grad():
                predictions = model(images).argmax(dim=-1)
            predictions, labels = accelerator.gather_for_metrics((predictions, labels))
            correct += (predictions == labels).sum().item()
            seen += len(labels)
        accelerator.print(f"epoch {epoch}: {correct / seen:.2%}")
        accelerator.save_state(f"epoch_{epoch}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--mixed-precision", default="no", choices=["no", "bf16", "fp16"])
    training_function(parser.parse_args())


if __name__ == "__main__":
    main()
