"""Trainer of transformers: BERT, a dataset of dicts, evaluation and checkpoints while it trains."""

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Reviews(Dataset):
    def __init__(self, count, length=48):
        generator = torch.Generator().manual_seed(count)
        self.tokens = torch.randint(0, 1000, (count, length), generator=generator)
        self.labels = torch.randint(0, 3, (count,), generator=generator)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        tokens = self.tokens[index]
        return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens), "labels": self.labels[index]}


def compute_metrics(prediction):
    logits, labels = prediction
    return {"accuracy": float((np.argmax(logits, axis=-1) == labels).mean())}


config = BertConfig(
    vocab_size=1000, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, num_labels=3
)
trainer = Trainer(
    model=BertForSequenceClassification(config),
    args=TrainingArguments(
        output_dir="out", per_device_train_batch_size=8, num_train_epochs=1, learning_rate=5e-5, warmup_steps=2,
        eval_strategy="steps", eval_steps=2, save_strategy="steps", save_steps=2, logging_steps=1, report_to="none",
        use_cpu=True,
    ),
    train_dataset=Reviews(64), eval_dataset=Reviews(20), compute_metrics=compute_metrics,
)  # fmt: skip
trainer.train()
print(trainer.evaluate())
trainer.save_model("final")
