"""Seq2SeqTrainer of transformers: T5, evaluation that generates, predictions."""

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, T5Config, T5ForConditionalGeneration


class Pairs(Dataset):
    def __init__(self, count):
        self.source = torch.randint(2, 300, (count, 24))
        self.target = torch.randint(2, 300, (count, 12))

    def __len__(self):
        return len(self.source)

    def __getitem__(self, i):
        return {"input_ids": self.source[i], "labels": self.target[i]}


def compute_metrics(prediction):
    tokens, labels = prediction
    width = min(tokens.shape[1], labels.shape[1])
    return {"exact": float(np.mean(tokens[:, :width] == labels[:, :width]))}


config = T5Config(
    vocab_size=300, d_model=48, d_kv=12, d_ff=96, num_layers=2, num_heads=4, decoder_start_token_id=0, pad_token_id=0
)
model = T5ForConditionalGeneration(config)
arguments = Seq2SeqTrainingArguments(
    output_dir="t5", per_device_train_batch_size=8, per_device_eval_batch_size=8, max_steps=4, eval_strategy="steps",
    eval_steps=2, predict_with_generate=True, generation_max_length=10, save_strategy="no", logging_steps=1,
    report_to="none", use_cpu=True, optim="adafactor",
)  # fmt: skip
trainer = Seq2SeqTrainer(
    model=model, args=arguments, train_dataset=Pairs(48), eval_dataset=Pairs(10), compute_metrics=compute_metrics
)
trainer.train()
print(trainer.predict(Pairs(4)).predictions.shape)
