"""Tensor parallel by DTensor with sequence parallel norms, a parallel loss, on two GPUs."""
# run: torchrun --nproc-per-node=2
# gpus: 2

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)


class Block(nn.Module):
    def __init__(self, width=1024):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.blocks = nn.Embedding(16000, 1024), nn.ModuleList(Block() for _ in range(4))
        self.norm, self.head = nn.LayerNorm(1024), nn.Linear(1024, 16000)

    def forward(self, ids):
        x = self.words(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
mesh = init_device_mesh("cuda", (2,))
torch.manual_seed(0)
model = Model().cuda()
parallelize_module(
    model,
    mesh,
    {
        "words": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "head": ColwiseParallel(input_layouts=Shard(1), use_local_output=False),
    },
)
for block in model.blocks:
    parallelize_module(
        block,
        mesh,
        {
            "norm": SequenceParallel(),
            "up": ColwiseParallel(input_layouts=Shard(1)),
            "down": RowwiseParallel(output_layouts=Shard(1)),
        },
    )
print("sharded", torch.cuda.memory_allocated() >> 20, "MiB")
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
for step in range(3):
    ids = torch.randint(16000, (4, 256), device="cuda")
    with loss_parallel():
        loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.full_tensor().item() if hasattr(loss, "full_tensor") else loss.item())
dist.destroy_process_group()
