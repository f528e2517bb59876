"""Trainer of transformers: text classification, fp32, evaluation with metrics, saving, two loader workers."""
# needs: accelerate
# bytes: 66955010 parameters x 16

import tempfile

import torch
from torch.utils.data import Dataset
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments


class Texts(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        ids = torch.randint(5, 30000, (64,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": index % 2}


def metrics(predictions):
    return {"accuracy": (predictions.predictions.argmax(-1) == predictions.label_ids).mean()}


with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        per_device_train_batch_size=8,
        num_train_epochs=1,
        logging_steps=1,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        dataloader_num_workers=2,
        report_to=[],
    )
    trainer = Trainer(
        DistilBertForSequenceClassification(DistilBertConfig()),
        arguments,
        train_dataset=Texts(),
        eval_dataset=Texts(),
        compute_metrics=metrics,
    )
    print(trainer.train())
    print(trainer.predict(Texts()).metrics)
