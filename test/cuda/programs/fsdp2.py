"""fully_shard on a model of the meta device, mixed precision, checkpointing of activations, a gathered state."""
# run: torchrun --nproc-per-node=2
# gpus: 2

import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import apply_activation_checkpointing
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn import TransformerEncoderLayer

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
mesh = init_device_mesh("cuda", (dist.get_world_size(),))
with torch.device("meta"):
    model = torch.nn.Sequential(*[TransformerEncoderLayer(1024, 16, 4096, batch_first=True) for _ in range(6)])
apply_activation_checkpointing(model, check_fn=lambda module: isinstance(module, TransformerEncoderLayer))
policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
for layer in model:
    fully_shard(layer, mesh=mesh, mp_policy=policy)
fully_shard(model, mesh=mesh, mp_policy=policy)
model.to_empty(device="cuda")
for parameter in model.parameters():
    torch.nn.init.normal_(parameter, std=0.02)
print("sharded", torch.cuda.memory_allocated(), "of", sum(p.numel() for p in model.parameters()) * 4)
optimizer = torch.optim.AdamW(model.parameters())
for step in range(3):
    loss = model(torch.randn(4, 256, 1024, device="cuda")).float().pow(2).mean()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.item(), norm.full_tensor().item())
state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
print(len(state))
dist.destroy_process_group()
