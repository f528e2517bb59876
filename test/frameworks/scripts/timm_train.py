"""As timm's train.py: mixup, soft targets, a moving average of the model, a scheduler of its own, autocast, checkpoints."""

import time

import timm
import torch
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import create_scheduler_v2
from timm.utils import AverageMeter, ModelEmaV2, accuracy
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = timm.create_model("resnet10t", num_classes=10).to(device).to(memory_format=torch.channels_last)
model_ema = ModelEmaV2(model, decay=0.99)
optimizer = create_optimizer_v2(model, opt="lamb", lr=5e-3, weight_decay=0.02)
scheduler, epochs = create_scheduler_v2(optimizer, sched="cosine", num_epochs=2, warmup_epochs=1)
mixup = Mixup(mixup_alpha=0.2, cutmix_alpha=1.0, label_smoothing=0.1, num_classes=10)
criterion = SoftTargetCrossEntropy().to(device)

images, labels = torch.randn(40, 3, 64, 64), torch.randint(0, 10, (40,))
train = DataLoader(TensorDataset(images[:32], labels[:32]), batch_size=16, shuffle=True, drop_last=True)
val = DataLoader(TensorDataset(images[32:], labels[32:]), batch_size=8)

updates = 0
for epoch in range(2):
    model.train()
    losses, begin = AverageMeter(), time.time()
    for x, y in train:
        x, y = mixup(x.to(device), y.to(device))
        x = x.contiguous(memory_format=torch.channels_last)
        with torch.autocast(device.type, dtype=torch.bfloat16):
            loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        model_ema.update(model)
        updates += 1
        losses.update(loss.item(), x.size(0))
        scheduler.step_update(num_updates=updates, metric=losses.avg)
    model_ema.module.eval()
    top1 = AverageMeter()
    with torch.no_grad():
        for x, y in val:
            output = model_ema.module(x.to(device))
            top1.update(accuracy(output, y.to(device), topk=(1, 5))[0].item(), x.size(0))
    print(f"epoch {epoch} loss {losses.avg:.3f} top1 {top1.avg:.2f} in {time.time() - begin:.1f} s")
    scheduler.step(epoch + 1, top1.avg)
    torch.save({"epoch": epoch, "state_dict": model.state_dict(), "ema": model_ema.state_dict()}, "last.pth.tar")
