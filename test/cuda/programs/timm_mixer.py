"""timm: a model, its optimizer with layer decay, scheduler, loss, augmentation and EMA, as its own train.py has it."""

import timm
import timm.data
import timm.loss
import timm.optim
import timm.scheduler
import timm.utils
import torch

model = timm.create_model("mixer_s32_224", pretrained=False, num_classes=100, drop_path_rate=0.1).cuda()
ema = timm.utils.ModelEmaV3(model, decay=0.99)
optimizer = timm.optim.create_optimizer_v2(model, opt="lamb", lr=1e-3, weight_decay=0.02)
scheduler, _ = timm.scheduler.create_scheduler_v2(optimizer, "cosine", num_epochs=3)
mixup = timm.data.Mixup(mixup_alpha=0.8, cutmix_alpha=1.0, num_classes=100)
criterion = timm.loss.SoftTargetCrossEntropy()
losses = timm.utils.AverageMeter()
for step in range(3):
    images, targets = mixup(torch.randn(8, 3, 224, 224, device="cuda"), torch.randint(100, (8,), device="cuda"))
    loss = criterion(model(images), targets)
    loss.backward()
    timm.utils.dispatch_clip_grad(model.parameters(), 0.1, mode="agc")
    optimizer.step()
    optimizer.zero_grad()
    ema.update(model, step=step)
    scheduler.step(step)
    losses.update(loss.item(), 8)
    top1, top5 = timm.utils.accuracy(model(images), targets.argmax(1), topk=(1, 5))
    print(step, losses.avg, top1.item(), top5.item())
