"""QLoRA by hand: weights in 4 bits with a scale for each block of 64, unpacked in each product."""

import torch
from torch import nn
from torch.nn import functional


class Quantized(torch.autograd.Function):
    @staticmethod
    def unpack(packed, scale, shape):
        high, low = packed >> 4, packed & 15
        values = torch.stack([high, low], -1).view(-1, 64).to(torch.bfloat16) - 8
        return (values * scale[:, None]).view(shape)

    @staticmethod
    def forward(ctx, x, packed, scale, shape):
        ctx.save_for_backward(packed, scale)
        ctx.shape = shape
        return x @ Quantized.unpack(packed, scale, shape).T

    @staticmethod
    def backward(ctx, grad):
        return grad @ Quantized.unpack(*ctx.saved_tensors, ctx.shape), None, None, None


class Linear(nn.Module):
    def __init__(self, enters, leaves, rank=16):
        super().__init__()
        weight = torch.randn(leaves, enters, device="cuda") / enters**0.5
        blocks = weight.view(-1, 64)
        scale = blocks.abs().amax(1) / 7
        whole = (blocks / scale[:, None]).round().clamp(-8, 7).add(8).to(torch.uint8).view(-1, 2)
        self.register_buffer("packed", whole[:, 0] << 4 | whole[:, 1])
        self.register_buffer("scale", scale.bfloat16())
        self.shape = weight.shape
        self.a = nn.Parameter(torch.randn(rank, enters, device="cuda", dtype=torch.bfloat16) / enters**0.5)
        self.b = nn.Parameter(torch.zeros(leaves, rank, device="cuda", dtype=torch.bfloat16))

    def forward(self, x):
        return Quantized.apply(x, self.packed, self.scale, self.shape) + functional.linear(
            functional.linear(x, self.a), self.b
        )


class Block(nn.Module):
    def __init__(self, width=2048):
        super().__init__()
        self.norm, self.up, self.down = (
            nn.RMSNorm(width, device="cuda"),
            Linear(width, 4 * width),
            Linear(4 * width, width),
        )

    def forward(self, x):
        return x + self.down(functional.silu(self.up(self.norm(x).bfloat16())))


model = nn.Sequential(*[Block() for _ in range(8)])
print(torch.cuda.memory_allocated(), "bytes of", sum(p.nbytes for p in [*model.parameters(), *model.buffers()]))
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    x = torch.randn(2, 512, 2048, device="cuda", dtype=torch.bfloat16)
    loss = model(x).float().square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
