"""Trainer of transformers: ViT on images of numpy, checkpointed gradients, cosine schedule, predictions at the end."""

import numpy as np
import torch
from transformers import DefaultDataCollator, Trainer, TrainingArguments, ViTConfig, ViTForImageClassification

rng = np.random.default_rng(1)


class Pictures(torch.utils.data.Dataset):
    def __init__(self, count):
        self.pixels = rng.random((count, 3, 32, 32), dtype=np.float32)
        self.labels = rng.integers(0, 4, count)

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, i):
        picture = (self.pixels[i] - 0.5) / 0.5
        return {"pixel_values": torch.from_numpy(picture), "labels": int(self.labels[i])}


model = ViTForImageClassification(
    ViTConfig(hidden_size=48, num_hidden_layers=3, num_attention_heads=4, intermediate_size=96, image_size=32, patch_size=8,
              num_labels=4)
)  # fmt: skip
model.gradient_checkpointing_enable()
arguments = TrainingArguments(
    output_dir="vit", per_device_train_batch_size=8, num_train_epochs=2, lr_scheduler_type="cosine", warmup_steps=1,
    optim="adamw_torch", save_strategy="no", logging_steps=5, report_to="none", use_cpu=True, remove_unused_columns=False,
    dataloader_drop_last=True,
)  # fmt: skip
trainer = Trainer(model, arguments, data_collator=DefaultDataCollator(), train_dataset=Pictures(36))
trainer.train()
output = trainer.predict(Pictures(10))
print((output.predictions.argmax(-1) == output.label_ids).mean())
np.save("predictions.npy", output.predictions)
