"""Trainer of transformers: a class of its own with weighted loss, token labels, early stopping, the best model loaded."""

import torch
from datasets import Dataset
from torch import nn
from transformers import (
    BertConfig,
    BertForTokenClassification,
    EarlyStoppingCallback,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(3)
tags = ["O", "B", "I"]


def rows(count):
    for i in range(count):
        length = 12 + i % 9
        yield {
            "input_ids": [(i * 31 + j * 17) % 400 for j in range(length)],
            "attention_mask": [1] * length,
            "labels": [(i + j) % 3 for j in range(length)],
        }


def pad(features):
    width = max(len(f["input_ids"]) for f in features)
    fill = {"input_ids": 0, "attention_mask": 0, "labels": -100}
    return {
        key: torch.tensor([f[key] + [value] * (width - len(f[key])) for f in features]) for key, value in fill.items()
    }


class WeightedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        criterion = nn.CrossEntropyLoss(weight=torch.tensor([0.2, 1.0, 1.0], device=outputs.logits.device))
        loss = criterion(outputs.logits.view(-1, len(tags)), labels.view(-1))
        return (loss, outputs) if return_outputs else loss


def metrics(prediction):
    guesses, kept = prediction.predictions.argmax(-1), prediction.label_ids != -100
    return {"accuracy": (guesses == prediction.label_ids)[kept].mean().item()}


train, test = (Dataset.from_list(list(rows(count))) for count in (48, 16))
model = BertForTokenClassification(
    BertConfig(vocab_size=400, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96,
               num_labels=len(tags), id2label=dict(enumerate(tags)))
)  # fmt: skip
args = TrainingArguments(
    "tagging", eval_strategy="epoch", save_strategy="epoch", load_best_model_at_end=True, metric_for_best_model="accuracy",
    per_device_train_batch_size=16, num_train_epochs=3, weight_decay=0.01, report_to="none", use_cpu=True,
    disable_tqdm=True, save_total_limit=1, logging_strategy="epoch",
)  # fmt: skip
trainer = WeightedTrainer(
    model, args, data_collator=pad, train_dataset=train, eval_dataset=test, compute_metrics=metrics,
    callbacks=[EarlyStoppingCallback(early_stopping_patience=1)],
)  # fmt: skip
trainer.train()
trainer.save_state()
trainer.log_metrics("eval", trainer.evaluate())
