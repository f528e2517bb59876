"""Mamba by transformers, without its own kernels; Lion by hand."""
# bytes: 129135360 parameters x 12

import torch
from transformers import MambaConfig, MambaForCausalLM


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-4):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                moment = self.state[p].setdefault("moment", torch.zeros_like(p))
                p.add_(torch.sign(moment * 0.9 + p.grad * 0.1), alpha=-group["lr"])
                moment.mul_(0.99).add_(p.grad, alpha=0.01)


model = MambaForCausalLM(MambaConfig(num_hidden_layers=24)).cuda()
optimizer = Lion(model.parameters())
for _ in range(3):
    ids = torch.randint(50000, (2, 64), device="cuda")
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
