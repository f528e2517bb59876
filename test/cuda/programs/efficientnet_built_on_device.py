"""EfficientNet-B0 and RegNet built on the device, where their widths come from tensors and rounding; RMSprop."""
# bytes: 10784590 parameters x 8 (5288548 + 5495976 and more; weight, gradient)

import torch
import torchvision

with torch.device("cuda"):
    models = [torchvision.models.efficientnet_b0(), torchvision.models.regnet_x_400mf()]
for model in models:
    optimizer = torch.optim.RMSprop(model.parameters(), momentum=0.9)
    for _ in range(3):
        out = model(torch.randn(8, 3, 128, 128, device="cuda"))
        out.logsumexp(1).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    print(type(model).__name__, sum(p.numel() for p in model.parameters()))
