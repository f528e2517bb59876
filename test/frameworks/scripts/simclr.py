"""SimCLR: two views of each image, NT-Xent, LARS written here, checkpoints of all that is needed to go on."""

import math
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset
from torchvision import models, transforms


class LARS(optim.Optimizer):
    def __init__(self, params, lr, weight_decay=1e-6, momentum=0.9, eta=0.001):
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "eta": eta})

    @torch.no_grad()
    def step(self):
        for g in self.param_groups:
            for p in g["params"]:
                dp = p.grad
                if dp is None:
                    continue
                if p.ndim != 1:
                    dp = dp.add(p, alpha=g["weight_decay"])
                    param_norm, update_norm = torch.norm(p), torch.norm(dp)
                    one = torch.ones_like(param_norm)
                    q = torch.where(
                        param_norm > 0.0, torch.where(update_norm > 0, g["eta"] * param_norm / update_norm, one), one
                    )
                    dp = dp.mul(q)
                state = self.state[p]
                if "mu" not in state:
                    state["mu"] = torch.zeros_like(p)
                mu = state["mu"]
                mu.mul_(g["momentum"]).add_(dp)
                p.add_(mu, alpha=-g["lr"])


class Views(Dataset):
    def __init__(self, count):
        self.images = torch.rand(count, 3, 40, 40)
        self.transform = transforms.Compose([
            transforms.RandomResizedCrop(32), transforms.RandomHorizontalFlip(), transforms.ColorJitter(0.4, 0.4, 0.4),
            transforms.RandomGrayscale(0.2), transforms.Normalize([0.5] * 3, [0.25] * 3),
        ])  # fmt: skip

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.transform(self.images[i]), self.transform(self.images[i])


def nt_xent(a, b, temperature=0.5):
    z = F.normalize(torch.cat([a, b]), dim=1)
    similarity = z @ z.t() / temperature
    similarity.masked_fill_(torch.eye(len(z), dtype=torch.bool), float("-inf"))
    targets = torch.cat([torch.arange(len(a), len(z)), torch.arange(len(a))])
    return F.cross_entropy(similarity, targets)


backbone = models.resnet18(weights=None, num_classes=64)
backbone.fc = nn.Sequential(nn.Linear(512, 128), nn.ReLU(), nn.Linear(128, 64))
optimizer = LARS(backbone.parameters(), lr=0.3)
loader = DataLoader(Views(40), batch_size=10, shuffle=True, drop_last=True)
path = Path("checkpoint.pth")
start = 0
if path.is_file():
    ckpt = torch.load(path, map_location="cpu")
    start = ckpt["epoch"]
    backbone.load_state_dict(ckpt["model"])
for epoch in range(start, 2):
    for step, (x1, x2) in enumerate(loader, start=epoch * len(loader)):
        optimizer.param_groups[0]["lr"] = 0.3 * 0.5 * (1 + math.cos(math.pi * step / (2 * len(loader))))
        loss = nt_xent(backbone(x1), backbone(x2))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.4f}")
    torch.save({"epoch": epoch + 1, "model": backbone.state_dict(), "optimizer": optimizer.state_dict()}, path)
