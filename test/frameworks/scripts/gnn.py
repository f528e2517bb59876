"""A graph network by index_add: messages along edges, a mask of training nodes, F1 by scikit-learn."""

import numpy as np
import torch
from sklearn.metrics import f1_score
from torch import nn
from torch.nn import functional as F


class GraphConv(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.linear, self.own = nn.Linear(inside, outside, bias=False), nn.Linear(inside, outside)

    def forward(self, x, edges, degree):
        source, target = edges
        messages = self.linear(x)[source]
        gathered = torch.zeros(len(x), messages.shape[1], dtype=x.dtype).index_add(0, target, messages)
        return gathered / degree.unsqueeze(1) + self.own(x)


class Network(nn.Module):
    def __init__(self, features, classes, hidden=64):
        super().__init__()
        self.first, self.second = GraphConv(features, hidden), GraphConv(hidden, classes)

    def forward(self, x, edges, degree):
        x = F.dropout(F.relu(self.first(x, edges, degree)), 0.5, self.training)
        return self.second(x, edges, degree)


rng = np.random.default_rng(0)
nodes, classes = 500, 4
edges = torch.from_numpy(rng.integers(0, nodes, (2, 3000)))
features = torch.from_numpy(rng.normal(size=(nodes, 32)).astype(np.float32))
labels = torch.from_numpy(rng.integers(0, classes, nodes))
train_mask = torch.from_numpy(rng.random(nodes) < 0.6)
degree = torch.bincount(edges[1], minlength=nodes).clamp(min=1).float()

model = Network(32, classes)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
history = []
for epoch in range(5):
    model.train()
    optimizer.zero_grad()
    out = model(features, edges, degree)
    loss = F.cross_entropy(out[train_mask], labels[train_mask])
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        predicted = model(features, edges, degree).argmax(dim=1)
    score = f1_score(labels[~train_mask].numpy(), predicted[~train_mask].numpy(), average="macro")
    history.append({"loss": float(loss), "f1": score})
print(history[-1])
np.savez("history.npz", loss=[h["loss"] for h in history], f1=[h["f1"] for h in history])
