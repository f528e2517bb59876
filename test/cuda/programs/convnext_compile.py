"""A small ConvNeXt through torch.compile, AdamW."""

import torch
import torchvision

model = torchvision.models.convnext_tiny(num_classes=10)
model.features = model.features[:2]
model.classifier = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(96, 10))
model = torch.compile(model.cuda())
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
for step in range(3):
    loss = torch.nn.functional.cross_entropy(model(torch.randn(4, 3, 64, 64).cuda()), torch.arange(4).cuda())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step, loss.item())
