"""Fine-tuning a ViT of timm: layer decay, a new head, batches accumulated, EMA, best checkpoint, summary as csv."""

import argparse
import json
import logging
from pathlib import Path

import timm
import torch
import torch.nn.functional as F
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import CheckpointSaver, ModelEmaV3, update_summary
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO)
log = logging.getLogger("train")
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--accumulate", type=int, default=2)
parser.add_argument("--output", type=Path, default=Path("output"))


def validate(model, loader):
    model.eval()
    loss = correct = count = 0
    with torch.inference_mode():
        for x, y in loader:
            logits = model(x)
            loss += F.cross_entropy(logits, y, reduction="sum").item()
            correct += (logits.argmax(-1) == y).sum().item()
            count += y.numel()
    return {"loss": loss / count, "top1": 100 * correct / count}


def main():
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    (args.output / "args.json").write_text(json.dumps(vars(args), default=str))
    model = timm.create_model(
        "vit_tiny_patch16_224", img_size=48, patch_size=8, embed_dim=48, depth=3, num_heads=3, num_classes=7, drop_path_rate=0.1
    )
    model.reset_classifier(5)
    optimizer = create_optimizer_v2(model, "adamw", lr=1e-3, weight_decay=0.05, layer_decay=0.75)
    scheduler = CosineLRScheduler(optimizer, t_initial=args.epochs, warmup_t=1, lr_min=1e-6)
    ema = ModelEmaV3(model, decay=0.9)
    saver = CheckpointSaver(model, optimizer, args=None, model_ema=ema, checkpoint_dir=str(args.output), max_history=1)
    data = TensorDataset(torch.randn(48, 3, 48, 48), torch.randint(0, 5, (48,)))
    train, val = DataLoader(data, 8, shuffle=True), DataLoader(data, 16)
    for epoch in range(args.epochs):
        model.train()
        optimizer.zero_grad()
        for i, (x, y) in enumerate(train):
            loss = F.cross_entropy(model(x), y, label_smoothing=0.1) / args.accumulate
            loss.backward()
            if (i + 1) % args.accumulate == 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                ema.update(model, step=i)
                log.info("epoch %d batch %d loss %.4f lr %.2e", epoch, i, loss.item(), optimizer.param_groups[0]["lr"])
        metrics = validate(ema.module, val)
        scheduler.step(epoch + 1, metrics["top1"])
        update_summary(epoch, {"loss": float(loss)}, metrics, str(args.output / "summary.csv"), write_header=epoch == 0)
        saver.save_checkpoint(epoch, metric=metrics["top1"])


if __name__ == "__main__":
    main()
