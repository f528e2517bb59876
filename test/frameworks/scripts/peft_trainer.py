"""LoRA by peft under the Trainer of transformers: a classifier whose head is trained as well, merged at the end."""

import torch
from peft import LoraConfig, get_peft_model
from transformers import RobertaConfig, RobertaForSequenceClassification, Trainer, TrainingArguments

torch.manual_seed(0)
rows = [
    {"input_ids": torch.randint(3, 200, (24,)), "attention_mask": torch.ones(24, dtype=torch.long), "labels": i % 3}
    for i in range(40)
]
base = RobertaForSequenceClassification(
    RobertaConfig(vocab_size=200, hidden_size=64, num_hidden_layers=3, num_attention_heads=4, intermediate_size=128,
                  max_position_embeddings=40, num_labels=3)
)  # fmt: skip
model = get_peft_model(
    base,
    LoraConfig(task_type="SEQ_CLS", r=4, lora_alpha=8, lora_dropout=0.1, target_modules=["query", "value"], use_dora=False),
)
trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
print(f"{trainable} of {sum(p.numel() for p in model.parameters())} are trained")
trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="lora", per_device_train_batch_size=8, gradient_accumulation_steps=2, learning_rate=1e-3, max_steps=4,
        logging_steps=1, save_steps=2, report_to="none", use_cpu=True, label_names=["labels"],
    ),
    train_dataset=rows,
)  # fmt: skip
trainer.train()
model.save_pretrained("lora/final")
merged = model.merge_and_unload()
print(merged(torch.randint(3, 200, (2, 24))).logits.shape)
