"""ViT-B/16 with activation checkpointing of its blocks, autocast to bfloat16, AdamW."""
# bytes: 86567656 parameters x 16 (weight, gradient, two moments)

import torch
import torchvision
from torch.utils.checkpoint import checkpoint_sequential

device = torch.device("cuda")
model = torchvision.models.vit_b_16().to(device)
layers = model.encoder.layers
model.encoder.layers = torch.nn.Identity()
model.encoder.layers.forward = lambda x: checkpoint_sequential(layers, 4, x, use_reentrant=False)
model.encoder.add_module("blocks", layers)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
for step in range(3):
    with torch.autocast("cuda", torch.bfloat16):
        out = model(torch.randn(8, 3, 224, 224, device=device))
        loss = torch.nn.functional.cross_entropy(out, torch.randint(0, 1000, (8,), device=device))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    scheduler.step()
    print(step, float(loss), scheduler.get_last_lr())
