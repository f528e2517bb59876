"""Skip-grams with negative samples: sparse embeddings, SparseAdam, pairs made by a generator, vectors saved as text."""

import collections
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

random.seed(2)
corpus = [[f"w{int(random.paretovariate(0.8)) % 200}" for _ in range(15)] for _ in range(300)]
counts = collections.Counter(word for sentence in corpus for word in sentence)
vocabulary = {word: i for i, (word, _) in enumerate(counts.most_common())}
frequencies = np.array([counts[word] for word in vocabulary], dtype=np.float64) ** 0.75


class Pairs(IterableDataset):
    def __iter__(self):
        for sentence in corpus:
            ids = [vocabulary[word] for word in sentence]
            for i, center in enumerate(ids):
                for j in range(max(0, i - 2), min(len(ids), i + 3)):
                    if i != j:
                        yield center, ids[j]


class SkipGram(nn.Module):
    def __init__(self, size, dim=64):
        super().__init__()
        self.u, self.v = nn.Embedding(size, dim, sparse=True), nn.Embedding(size, dim, sparse=True)
        nn.init.uniform_(self.u.weight, -0.5 / dim, 0.5 / dim)
        nn.init.zeros_(self.v.weight)

    def forward(self, center, context, negative):
        u, v, n = self.u(center), self.v(context), self.v(negative)
        positive = nn.functional.logsigmoid((u * v).sum(1))
        other = nn.functional.logsigmoid(-torch.bmm(n, u.unsqueeze(2)).squeeze(2)).sum(1)
        return -(positive + other).mean()


model = SkipGram(len(vocabulary))
optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=1e-3)
weights = torch.tensor(frequencies / frequencies.sum())
for batch, (center, context) in enumerate(DataLoader(Pairs(), batch_size=128)):
    negative = torch.multinomial(weights, len(center) * 5, replacement=True).view(len(center), 5)
    optimizer.zero_grad()
    loss = model(center, context, negative)
    loss.backward()
    optimizer.step()
    if batch % 2 == 0:
        print(batch, round(loss.item(), 4))
    if batch == 8:
        break
with open("vectors.txt", "w") as out:
    for word, vector in zip(vocabulary, model.u.weight.detach().numpy()):
        out.write(word + " " + " ".join(f"{x:.5f}" for x in vector) + "\n")
