"""Segmentation: DeepLabv3 with an auxiliary head, ignored pixels, a confusion matrix by bincount."""
# bytes: 42001066 parameters x 12

import torch
import torchvision
from torch.nn import functional

model = torchvision.models.segmentation.deeplabv3_resnet50(
    weights=None, weights_backbone=None, aux_loss=True, num_classes=21
).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
matrix = torch.zeros(21, 21, dtype=torch.long, device="cuda")
for _ in range(3):
    images, labels = torch.rand(4, 3, 256, 256, device="cuda"), torch.randint(0, 22, (4, 256, 256), device="cuda")
    labels[labels == 21] = 255
    out = model(images)
    loss = functional.cross_entropy(out["out"], labels, ignore_index=255) + 0.5 * functional.cross_entropy(
        out["aux"], labels, ignore_index=255
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    kept = labels != 255
    matrix += torch.bincount(21 * labels[kept] + out["out"].argmax(1)[kept], minlength=441).view(21, 21)
    shares = matrix.diag() / (matrix.sum(0) + matrix.sum(1) - matrix.diag()).clamp(min=1)
    print(loss.item(), shares.mean().item())
