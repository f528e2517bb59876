"""Trainer of transformers: GPT-2, fp16 with a scaler, accumulated gradients, checkpointing, resuming."""
# needs: accelerate
# bytes: 124439808 parameters x 16

import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

data = [{"input_ids": torch.randint(50000, (128,)), "labels": torch.randint(50000, (128,))} for _ in range(24)]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        max_steps=3,
        fp16=True,
        gradient_checkpointing=True,
        logging_steps=1,
        save_steps=3,
        warmup_steps=1,
        optim="adamw_torch_fused",
        report_to=[],
    )
    trainer = Trainer(GPT2LMHeadModel(GPT2Config()), arguments, train_dataset=data)
    print(trainer.train().metrics)
    print(trainer.evaluate(data[:8]))
    arguments.max_steps = 4
    print(trainer.train(resume_from_checkpoint=True).global_step)
