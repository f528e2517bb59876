"""Training loops with sparse tensors: gradients of embeddings, their optimizers, products with a sparse matrix. Indices
are arithmetic, so that as many of them meet in every run."""

import torch
from torch import nn
from torch.nn import functional as F

STEPS = 3


def rows(count, factor, step, size):
    return torch.arange(count) * (factor + step) % size


class SkipGram(nn.Module):
    def __init__(self):
        super().__init__()
        self.center = nn.Embedding(4000, 48, sparse=True)
        self.context = nn.Embedding(4000, 48, sparse=True)

    def forward(self, center, near, far):
        x = self.center(center)
        near = (x * self.context(near)).sum(1)
        far = torch.bmm(self.context(far), x.unsqueeze(2)).squeeze(2)
        return -(F.logsigmoid(near).mean() + F.logsigmoid(-far).mean())


def skip_gram(optimizer):
    model = SkipGram()
    optimizer = optimizer(model.parameters())
    for step in range(STEPS):
        loss = model(rows(300, 37, step, 200), rows(300, 91, step, 4000), rows(1500, 331, step, 4000).view(300, 5))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def skip_gram_by_sgd():
    skip_gram(lambda parameters: torch.optim.SGD(parameters, 0.1))


def skip_gram_by_momentum():
    skip_gram(lambda parameters: torch.optim.SGD(parameters, 0.1, momentum=0.9))


def skip_gram_by_sparse_adam():
    skip_gram(torch.optim.SparseAdam)


def skip_gram_by_adagrad():
    skip_gram(torch.optim.Adagrad)


def bag_of_words(mode):
    bag, top = nn.EmbeddingBag(5000, 40, sparse=True, mode=mode), nn.Linear(40, 6)
    optimizers = torch.optim.SparseAdam(bag.parameters()), torch.optim.Adam(top.parameters())
    for step in range(STEPS):
        loss = F.cross_entropy(top(bag(rows(128 * 9, 17, step, 700).view(128, 9))), rows(128, 1, step, 6))
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()


def bag_of_sums():
    bag_of_words("sum")


def bag_of_means():
    bag_of_words("mean")


class Factors(nn.Module):
    """Of a matrix of users and things, each with a bias of its own."""

    def __init__(self):
        super().__init__()
        sizes = (900, 24), (900, 1), (1600, 24), (1600, 1)
        self.tables = nn.ModuleList(nn.Embedding(*size, sparse=True) for size in sizes)

    def forward(self, user, thing):
        u, bias_u, t, bias_t = (table(index) for table, index in zip(self.tables, (user, user, thing, thing)))
        return (u * t).sum(1) + bias_u.squeeze(1) + bias_t.squeeze(1)


def factors_of_a_matrix():
    model = Factors()
    optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=0.01)
    for step in range(STEPS):
        for part in range(2):
            loss = F.mse_loss(model(rows(500, 7 + part, step, 300), rows(500, 13, step, 1600)), torch.ones(500))
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def tagger_with_a_dense_part():
    words, layer, top = nn.Embedding(3000, 32, sparse=True, padding_idx=0), nn.Linear(32, 64), nn.Linear(64, 9)
    dense = torch.optim.AdamW([*layer.parameters(), *top.parameters()])
    sparse = torch.optim.SGD(words.parameters(), 0.5)
    for step in range(STEPS):
        y = top(torch.tanh(layer(words(rows(16 * 40, 5, step, 3000).view(16, 40)))))
        loss = F.cross_entropy(y.flatten(0, 1), rows(640, 1, step, 9))
        loss.backward()
        for optimizer in (dense, sparse):
            optimizer.step()
            optimizer.zero_grad()


def tied_words():
    """The same table twice: two sparse gradients are added."""
    words, top = nn.Embedding(2500, 56, sparse=True), nn.Linear(112, 2)
    optimizers = torch.optim.Adagrad(words.parameters()), torch.optim.SGD(top.parameters(), 0.1)
    for step in range(STEPS):
        pairs = torch.cat([words(rows(400, 3, step, 1000)), words(rows(400, 8, step, 2500))], 1)
        loss = F.cross_entropy(top(pairs), rows(400, 1, step, 2))
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()


def graph(nodes, edges):
    to = torch.arange(nodes).repeat(edges)
    places = torch.stack([to, (to * 7 + torch.arange(edges * nodes) // nodes * 13) % nodes])
    return torch.sparse_coo_tensor(places, torch.full((edges * nodes,), 1 / edges), (nodes, nodes)).coalesce()


def graph_convolutions():
    near, x = graph(1100, 5), torch.randn(1100, 30)
    first, second = nn.Linear(30, 72), nn.Linear(72, 4)
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()])
    for step in range(STEPS):
        y = torch.sparse.mm(near, second(F.dropout(torch.relu(torch.sparse.mm(near, first(x))), 0.5)))
        optimizer.zero_grad()
        F.cross_entropy(y, rows(1100, 1, step, 4)).backward()
        optimizer.step()


SPARSE_LOOPS = {
    loop.__name__: loop
    for loop in (
        skip_gram_by_sgd, skip_gram_by_momentum, skip_gram_by_sparse_adam, skip_gram_by_adagrad, bag_of_sums,
        bag_of_means, factors_of_a_matrix, tagger_with_a_dense_part, tied_words, graph_convolutions,
    )
}  # fmt: skip
