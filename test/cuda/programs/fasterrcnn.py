"""Faster R-CNN of torchvision: images of different sizes, proposals, non-maximum suppression; then detection."""
# bytes: 41755286 parameters x 4

import torch
import torchvision

torch.manual_seed(0)
model = torchvision.models.detection.fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None, num_classes=91).cuda()
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], 0.005, momentum=0.9)
for _ in range(3):
    images = [torch.rand(3, 300, 400).cuda(), torch.rand(3, 333, 250).cuda()]
    targets = [
        {
            "boxes": torch.tensor([[10.0, 20, 110, 220], [50, 50, 200, 150]]).cuda(),
            "labels": torch.tensor([1, 2]).cuda(),
        },
        {"boxes": torch.tensor([[30.0, 40, 120, 180]]).cuda(), "labels": torch.tensor([3]).cuda()},
    ]
    losses = model(images, targets)
    loss = sum(losses.values())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print({name: round(value.item(), 3) for name, value in losses.items()})
model.eval()
with torch.no_grad():
    found = model(images)
print([len(one["boxes"]) for one in found])
