"""FullyShardedDataParallel: wrapped layers, mixed precision, clipping, a whole state dictionary on rank 0."""
# run: torchrun --nproc-per-node=2
# gpus: 2

import functools
import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullStateDictConfig, MixedPrecision, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.models.gpt2.modeling_gpt2 import GPT2Block

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
half = torch.bfloat16
model = FSDP(
    GPT2LMHeadModel(GPT2Config()),
    device_id=torch.cuda.current_device(),
    use_orig_params=True,
    auto_wrap_policy=functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={GPT2Block}),
    mixed_precision=MixedPrecision(param_dtype=half, reduce_dtype=half, buffer_dtype=half),
)
print("sharded", torch.cuda.memory_allocated() >> 20, "MiB")
optimizer = torch.optim.AdamW(model.parameters())
for step in range(3):
    ids = torch.randint(50000, (4, 256), device="cuda")
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    norm = model.clip_grad_norm_(1.0)
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.item(), norm.item(), torch.cuda.memory_allocated() >> 20, "MiB")
with FSDP.state_dict_type(
    model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
):
    print(len(model.state_dict()), "tensors")
dist.destroy_process_group()
