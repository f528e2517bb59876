"""Trainer of transformers: sentences of all lengths grouped by it, label smoothing, a callback, own optimizer."""

import random

import torch
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

random.seed(0)
data = [
    {"input_ids": [random.randrange(5, 500) for _ in range(random.randint(5, 60))], "label": random.randrange(2)}
    for _ in range(80)
]


def collate(rows):
    longest = max(len(row["input_ids"]) for row in rows)
    tokens = torch.zeros(len(rows), longest, dtype=torch.long)
    for i, row in enumerate(rows):
        tokens[i, : len(row["input_ids"])] = torch.tensor(row["input_ids"])
    return {
        "input_ids": tokens,
        "attention_mask": (tokens != 0).long(),
        "labels": torch.tensor([row["label"] for row in rows]),
    }


class Watch(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if state.is_world_process_zero and "loss" in (logs or {}):
            print(f"{state.global_step}: {logs['loss']:.4f}")


model = DistilBertForSequenceClassification(
    DistilBertConfig(vocab_size=500, dim=48, n_layers=2, n_heads=4, hidden_dim=96, max_position_embeddings=64)
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
arguments = TrainingArguments(
    output_dir="lengths", per_device_train_batch_size=8, num_train_epochs=2, train_sampling_strategy="group_by_length",
    label_smoothing_factor=0.1, logging_steps=2, save_strategy="epoch", report_to="none", use_cpu=True,
    dataloader_num_workers=2, remove_unused_columns=False,
)  # fmt: skip
trainer = Trainer(
    model, arguments, train_dataset=data, data_collator=collate, callbacks=[Watch()],
    optimizers=(optimizer, torch.optim.lr_scheduler.LinearLR(optimizer)),
)  # fmt: skip
trainer.train()
