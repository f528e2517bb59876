"""A mixture of experts by hand: a loop over experts with where(), index_add_ and counts read by the host."""

import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self, width=512, hidden=1024, count=8, chosen=2):
        super().__init__()
        self.router, self.chosen = nn.Linear(width, count, bias=False), chosen
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, hidden), nn.SiLU(), nn.Linear(hidden, width)) for _ in range(count)
        )

    def forward(self, x):
        flat = x.flatten(0, 1)
        weights, places = self.router(flat).softmax(-1).topk(self.chosen)
        out = torch.zeros_like(flat)
        for number, expert in enumerate(self.experts):
            token, which = torch.where(places == number)
            if token.numel() == 0:
                continue
            out.index_add_(0, token, expert(flat[token]) * weights[token, which, None])
        return out.view_as(x)


model = nn.Sequential(nn.Embedding(8000, 512), Experts(), Experts(), nn.Linear(512, 8000)).cuda()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    ids = torch.randint(8000, (8, 256), device="cuda")
    loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
