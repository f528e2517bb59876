"""A graph network: sparse adjacency, scatter, sampled neighbours by unique; LBFGS in the end."""

import torch
from torch import nn

nodes, edges = 5000, 40000
places = torch.randint(nodes, (2, edges), device="cuda")
adjacency = torch.sparse_coo_tensor(places, torch.ones(edges, device="cuda"), (nodes, nodes)).coalesce().to_sparse_csr()
features, labels = torch.randn(nodes, 128, device="cuda"), torch.randint(7, (nodes,), device="cuda")
first, second = nn.Linear(128, 64).cuda(), nn.Linear(64, 7).cuda()
optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], 0.01)
for _ in range(3):
    hidden = (adjacency @ first(features)).relu()
    loss = nn.functional.cross_entropy(adjacency @ second(hidden), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
seeds = torch.arange(64, device="cuda")
around = torch.cat([seeds, places[1][torch.isin(places[0], seeds)]])
chosen, back = around.unique(return_inverse=True)
print(chosen.numel() <= nodes, features[chosen].shape[1], back.shape == around.shape)
degrees = torch.zeros(nodes, device="cuda").scatter_add_(0, places[0], torch.ones(edges, device="cuda"))
print("mean degree", degrees.mean().item())
optimizer = torch.optim.LBFGS(second.parameters(), max_iter=4)


def closure():
    optimizer.zero_grad()
    value = nn.functional.cross_entropy(second(hidden.detach()), labels)
    value.backward()
    return value


print(optimizer.step(closure).item())
