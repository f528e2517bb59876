"""QLoRA by bitsandbytes: linear layers in 4 bits with two small matrices that learn, and its AdamW in 8 bits."""

import bitsandbytes as bnb
import torch
from torch import nn


class Adapted(nn.Module):
    def __init__(self, enters, leaves, rank=16):
        super().__init__()
        self.frozen = bnb.nn.Linear4bit(enters, leaves, bias=False, quant_type="nf4", compute_dtype=torch.bfloat16)
        self.a = nn.Linear(enters, rank, bias=False, dtype=torch.bfloat16)
        self.b = nn.Linear(rank, leaves, bias=False, dtype=torch.bfloat16)

    def forward(self, x):
        return self.frozen(x) + self.b(self.a(x))


model = nn.Sequential(*[Adapted(2048, 2048) for _ in range(8)]).cuda()
for layer in model:
    layer.frozen.weight.requires_grad_(False)
print(torch.cuda.memory_allocated() >> 20, "MiB")
optimizer = bnb.optim.AdamW8bit([p for p in model.parameters() if p.requires_grad])
for _ in range(3):
    loss = model(torch.randn(8, 512, 2048, device="cuda", dtype=torch.bfloat16)).float().square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
