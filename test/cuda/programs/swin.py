"""Swin-T, AdamW with groups with and without weight decay, Mixup of torchvision."""
# bytes: 28288354 parameters x 16

import torch
import torchvision
from torchvision.transforms import v2

model = torchvision.models.swin_t().cuda().train()
decay = [p for p in model.parameters() if p.dim() > 1]
rest = [p for p in model.parameters() if p.dim() <= 1]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": rest, "weight_decay": 0}], lr=1e-3)
mix = v2.MixUp(num_classes=1000)
for step in range(3):
    images, labels = mix(torch.rand(8, 3, 224, 224, device="cuda"), torch.randint(1000, (8,), device="cuda"))
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    print(f"{step}: loss {loss:.4f} norm {norm:.4f}")
