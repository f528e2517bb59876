"""DeepSpeed ZeRO stage 2 in bfloat16 on two GPUs, its own Adam, activation checkpoints."""
# run: torchrun --nproc-per-node=2
# gpus: 2

import deepspeed
import torch
from transformers import GPT2Config, GPT2LMHeadModel

settings = {
    "train_micro_batch_size_per_gpu": 4,
    "gradient_accumulation_steps": 1,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "torch_adam": True}},
    "bf16": {"enabled": True},
    "gradient_clipping": 1.0,
    "zero_optimization": {"stage": 2, "reduce_bucket_size": 50000000, "allgather_bucket_size": 50000000},
}
deepspeed.init_distributed()
with deepspeed.zero.Init(enabled=settings["zero_optimization"]["stage"] == 3, config_dict_or_path=settings):
    model = GPT2LMHeadModel(GPT2Config())
model.gradient_checkpointing_enable()
engine, optimizer, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=settings)
for step in range(3):
    ids = torch.randint(50000, (4, 256), device=engine.device)
    loss = engine(input_ids=ids, labels=ids).loss
    engine.backward(loss)
    engine.step()
    print(step, engine.global_rank, loss.item(), torch.cuda.memory_allocated() >> 20, "MiB")
engine.destroy()
torch.distributed.destroy_process_group()
