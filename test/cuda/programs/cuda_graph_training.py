"""CUDA graphs: a whole training step captured, replayed; and make_graphed_callables for a part of a model."""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(4096, 2048), nn.Dropout(0.2), nn.ReLU(), nn.Linear(2048, 1024)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(640, 4096, device="cuda"), torch.randn(640, 1024, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
optimizer.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
print("captured", torch.cuda.memory_allocated() >> 20, torch.cuda.memory_reserved() >> 20)
for _ in range(3):
    x.copy_(torch.randn(640, 4096))
    graph.replay()
    print(loss.item())
first, second = nn.Linear(4096, 4096).cuda(), nn.Linear(4096, 1024).cuda()
first = torch.cuda.make_graphed_callables(first, (torch.randn(640, 4096, device="cuda", requires_grad=True),))
optimizer = torch.optim.AdamW([*first.parameters(), *second.parameters()], capturable=True)
for _ in range(3):
    optimizer.zero_grad(set_to_none=True)
    nn.functional.mse_loss(second(first(x)), y).backward()
    optimizer.step()
print("end", torch.cuda.memory_allocated() >> 20)
