"""Style transfer as in PyTorch's tutorial: LBFGS changes an image so that features of a network agree."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    return torch.mm(features, features.t()).div(a * b * c * d)


class StyleLoss(nn.Module):
    def __init__(self, target_feature):
        super().__init__()
        self.target = gram_matrix(target_feature).detach()

    def forward(self, input):
        self.loss = F.mse_loss(gram_matrix(input), self.target)
        return input


class ContentLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


class Normalization(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.mean = torch.tensor(mean).view(-1, 1, 1)
        self.std = torch.tensor(std).view(-1, 1, 1)

    def forward(self, img):
        return (img - self.mean) / self.std


cnn = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
).eval()  # fmt: skip
content_img, style_img = torch.rand(1, 3, 48, 48), torch.rand(1, 3, 48, 48)
input_img = content_img.clone()
model, style_losses, content_losses = nn.Sequential(Normalization([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])), [], []
for i, layer in enumerate(cnn.children()):
    if isinstance(layer, nn.ReLU):
        layer = nn.ReLU(inplace=False)
    model.add_module(f"layer_{i}", layer)
    if i == 2:
        content_losses.append(ContentLoss(model(content_img).detach()))
        model.add_module("content_loss", content_losses[-1])
    if isinstance(layer, nn.Conv2d):
        style_losses.append(StyleLoss(model(style_img).detach()))
        model.add_module(f"style_loss_{i}", style_losses[-1])

input_img.requires_grad_(True)
model.eval()
model.requires_grad_(False)
optimizer = optim.LBFGS([input_img], max_iter=5)
run = [0]
while run[0] <= 15:

    def closure():
        with torch.no_grad():
            input_img.clamp_(0, 1)
        optimizer.zero_grad()
        model(input_img)
        style_score = sum(sl.loss for sl in style_losses) * 1000000
        content_score = sum(cl.loss for cl in content_losses)
        loss = style_score + content_score
        loss.backward()
        run[0] += 1
        if run[0] % 5 == 0:
            print(f"run {run}: style {style_score.item():4f} content {content_score.item():4f}")
        return style_score + content_score

    optimizer.step(closure)
with torch.no_grad():
    input_img.clamp_(0, 1)
