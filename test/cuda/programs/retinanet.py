"""RetinaNet of torchvision: anchors, focal loss, a frozen trunk; then detection with thresholds."""
# bytes: 37969539 parameters x 4

import torch
import torchvision

torch.manual_seed(0)
model = torchvision.models.detection.retinanet_resnet50_fpn(weights=None, weights_backbone=None, num_classes=91).cuda()
for parameter in model.backbone.body.parameters():
    parameter.requires_grad_(False)
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
for _ in range(3):
    images = list(torch.rand(2, 3, 320, 320, device="cuda"))
    targets = [
        {"boxes": torch.tensor([[20.0, 30, 150, 200]], device="cuda"), "labels": torch.tensor([5], device="cuda")}
    ] * 2
    loss = sum(model(images, targets).values())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
model.eval()
with torch.no_grad():
    print([len(one["boxes"]) for one in model(images)])
