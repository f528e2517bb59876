"""Pipeline parallel: two stages, the 1F1B schedule, eight micro-batches."""
# run: torchrun --nproc-per-node=2
# gpus: 2

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B

rank = int(os.environ["LOCAL_RANK"])
device = torch.device("cuda", rank)
torch.cuda.set_device(device)
dist.init_process_group("nccl", device_id=device)
model = nn.Sequential(*[nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True) for _ in range(3)]).to(device)
stage = PipelineStage(model, rank, 2, device)
schedule = Schedule1F1B(stage, 8, loss_fn=nn.functional.mse_loss)
optimizer = torch.optim.Adam(model.parameters())
for step in range(3):
    x, y = torch.randn(16, 64, 512, device=device), torch.randn(16, 64, 512, device=device)
    losses = []
    schedule.step(x) if rank == 0 else schedule.step(target=y, losses=losses)
    optimizer.step()
    optimizer.zero_grad()
    print(step, rank, [loss.item() for loss in losses][:1])
dist.destroy_process_group()
