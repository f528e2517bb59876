"""A 3-D U-Net with instance norm on volumes, Dice loss, and inference by windows over a larger volume."""

import torch
from torch import nn
from torch.nn import functional


def block(enters, leaves):
    return nn.Sequential(
        nn.Conv3d(enters, leaves, 3, padding=1, bias=False),
        nn.InstanceNorm3d(leaves, affine=True),
        nn.LeakyReLU(inplace=True),
        nn.Conv3d(leaves, leaves, 3, padding=1, bias=False),
        nn.InstanceNorm3d(leaves, affine=True),
        nn.LeakyReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, widths=(16, 32, 64, 128)):
        super().__init__()
        self.down = nn.ModuleList(block(a, b) for a, b in zip((1, *widths), widths))
        self.grow = nn.ModuleList(nn.ConvTranspose3d(a, b, 2, 2) for a, b in zip(widths[:0:-1], widths[-2::-1]))
        self.up = nn.ModuleList(block(2 * b, b) for b in widths[-2::-1])
        self.leave = nn.Conv3d(widths[0], 4, 1)

    def forward(self, x):
        kept = []
        for number, part in enumerate(self.down):
            x = part(functional.max_pool3d(x, 2) if number else x)
            kept.append(x)
        kept.pop()
        for grow, part in zip(self.grow, self.up):
            x = part(torch.cat([grow(x), kept.pop()], 1))
        return self.leave(x)


model = UNet().cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.99, nesterov=True)
for _ in range(3):
    volume, labels = torch.randn(2, 1, 64, 64, 64, device="cuda"), torch.randint(4, (2, 64, 64, 64), device="cuda")
    scores = model(volume)
    chosen = functional.one_hot(labels, 4).movedim(-1, 1).float()
    shares = scores.softmax(1)
    dice = 1 - 2 * (shares * chosen).sum((2, 3, 4)) / (shares.sum((2, 3, 4)) + chosen.sum((2, 3, 4)) + 1e-5)
    loss = functional.cross_entropy(scores, labels) + dice.mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
with torch.no_grad():
    whole, total = torch.randn(1, 1, 96, 96, 96, device="cuda"), torch.zeros(1, 4, 96, 96, 96, device="cuda")
    for corner in torch.cartesian_prod(*[torch.tensor([0, 32])] * 3).tolist():
        window = (..., *[slice(c, c + 64) for c in corner])
        total[window] += model(whole[window])
print(total.argmax(1).shape)
