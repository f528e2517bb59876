"""ResNet-50, channels_last, autocast to float16 with a gradient scaler, an average of the weights."""
# bytes: 25557032 parameters x 16 (weight, gradient, momentum, average)

import torch
import torchvision
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

model = torchvision.models.resnet50().to("cuda", memory_format=torch.channels_last)
average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.999))
optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4, nesterov=True)
scaler = torch.amp.GradScaler("cuda")
for _ in range(3):
    images = torch.randn(16, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.randint(1000, (16,), device="cuda")
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cuda", torch.float16):
        loss = functional.cross_entropy(model(images), labels, label_smoothing=0.1)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    average.update_parameters(model)
    print(f"loss {loss.item():.3f}, scale {scaler.get_scale()}")
