"""accelerate: prepare(), accumulate(), bf16, gather_for_metrics, saving and loading the state."""

import tempfile

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

set_seed(1)
accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=2)
model = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 4096), nn.GELU(), nn.Linear(4096, 10))
loader = DataLoader(TensorDataset(torch.randn(100, 1024), torch.randint(10, (100,))), batch_size=16, shuffle=True)
model, optimizer, loader = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), loader)
for x, y in loader:
    with accelerator.accumulate(model):
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
right = []
model.eval()
for x, y in loader:
    with torch.no_grad():
        found, wanted = accelerator.gather_for_metrics((model(x).argmax(-1), y))
    right.append((found == wanted).float().mean().item())
accelerator.print(loss.item(), sum(right) / len(right))
with tempfile.TemporaryDirectory() as folder:
    accelerator.save_state(folder)
    accelerator.load_state(folder)
