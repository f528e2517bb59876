"""Accelerate: a text classifier in bf16, trackers, schedules, checkpoints that are resumed from."""

import math
import os

import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AlbertConfig, AlbertForSequenceClassification, get_scheduler


def collate(rows):
    tokens = torch.nn.utils.rnn.pad_sequence([torch.tensor(row["ids"]) for row in rows], batch_first=True)
    return {"input_ids": tokens, "attention_mask": (tokens > 0).long(), "labels": torch.tensor([r["label"] for r in rows])}


def main():
    accelerator = Accelerator(
        mixed_precision="bf16", cpu=True, log_with="tensorboard", project_config=ProjectConfiguration("project")
    )
    accelerator.init_trackers("classification", config={"lr": 5e-4})
    data = [{"ids": list(range(1, 8 + i % 24)), "label": i % 2} for i in range(60)]
    train = DataLoader(data[:48], shuffle=True, collate_fn=collate, batch_size=8)
    evaluation = DataLoader(data[48:], collate_fn=collate, batch_size=5)
    model = AlbertForSequenceClassification(
        AlbertConfig(vocab_size=64, embedding_size=32, hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                     intermediate_size=128, max_position_embeddings=64)
    )  # fmt: skip
    no_decay = ["bias", "LayerNorm.weight"]
    groups = [
        {"params": [p for n, p in model.named_parameters() if not any(d in n for d in no_decay)], "weight_decay": 0.01},
        {"params": [p for n, p in model.named_parameters() if any(d in n for d in no_decay)], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=5e-4)
    steps = 2 * math.ceil(len(train))
    scheduler = get_scheduler("linear", optimizer, num_warmup_steps=2, num_training_steps=steps)
    model, optimizer, train, evaluation, scheduler = accelerator.prepare(model, optimizer, train, evaluation, scheduler)
    progress, completed = tqdm(range(steps), disable=not accelerator.is_local_main_process), 0
    for epoch in range(2):
        model.train()
        for batch in train:
            loss = model(**batch).loss
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            completed += 1
            progress.update(1)
            accelerator.log({"loss": loss.item()}, step=completed)
            if completed % 2 == 0:
                accelerator.save_state(os.path.join("project", f"step_{completed}"))
        model.eval()
        losses, hits = [], []
        for batch in evaluation:
            with torch.no_grad():
                outputs = model(**batch)
            guesses, labels = accelerator.gather_for_metrics((outputs.logits.argmax(-1), batch["labels"]))
            hits.append(guesses == labels)
            losses.append(accelerator.gather_for_metrics(outputs.loss.repeat(5)))
        print("accuracy", torch.cat(hits).float().mean().item(), "loss", torch.cat(losses).mean().item())
    accelerator.load_state("project/step_2")
    accelerator.wait_for_everyone()
    accelerator.unwrap_model(model).save_pretrained("final", save_function=accelerator.save)
    accelerator.end_training()


if __name__ == "__main__":
    main()
