"""Networks of torch.nn for graphs, points and sets that the rules had not seen; new_vision.py lists them.

Graphs have their nodes in one list and edges as pairs of indices.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

# ---- graphs: messages along edges ----


def mlp(*sizes: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in zip(sizes, sizes[1:], strict=False):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class MessagePassing(nn.Module):
    """Gilmer et al., 2017: messages are added up with index_add."""

    def __init__(self) -> None:
        super().__init__()
        self.message, self.update = mlp(16 * 2 + 4, 32, 16), nn.GRUCell(16, 16)
        self.start, self.head = nn.Linear(7, 16), nn.Linear(16, 3)

    def forward(self, nodes: Tensor, edges: Tensor, features: Tensor) -> Tensor:
        h = self.start(nodes)
        source, target = edges
        for _ in range(2):
            message = self.message(torch.cat([h[source], h[target], features], dim=-1))
            received = torch.zeros_like(h).index_add(0, target, message)
            h = self.update(received, h)
        return self.head(h)


class GraphConvolution(nn.Module):
    """Kipf and Welling, 2017, with degrees counted and messages scattered."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(7, 16, bias=False), nn.Linear(16, 16, bias=False)])
        self.head = nn.Linear(16, 4)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        source, target = edges[0], edges[1]
        degree = torch.zeros(nodes.shape[0]).scatter_add_(0, target, torch.ones(target.shape[0]))
        weight = degree.clamp(min=1).pow(-0.5)
        weight = weight[source] * weight[target]
        for layer in self.layers:
            h = layer(nodes)
            message = h.index_select(0, source) * weight.unsqueeze(-1)
            out = torch.zeros(h.shape[0], h.shape[1])
            out = out.scatter_add(0, target.unsqueeze(-1).expand_as(message), message)
            nodes = functional.relu(out)
        return self.head(nodes)


class EdgeAttention(nn.Module):
    """A softmax over the edges of each node. Velickovic et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.project, self.score = nn.Linear(7, 16), nn.Linear(32, 1)
        self.head = nn.Linear(16, 3)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        h = self.project(nodes)
        source, target = edges
        scores = functional.leaky_relu(self.score(torch.cat([h[source], h[target]], -1)), 0.2).squeeze(-1)
        highest = torch.full((nodes.shape[0],), -1e9).scatter_reduce(0, target, scores.detach(), reduce="amax")
        weights = (scores - highest[target]).exp()
        total = torch.zeros(nodes.shape[0]).index_add(0, target, weights)
        weights = weights / (total[target] + 1e-9)
        out = torch.zeros_like(h).index_add(0, target, h[source] * weights.unsqueeze(-1))
        return self.head(functional.elu(out))


class SageMean(nn.Module):
    """Hamilton et al., 2017: the mean of the neighbours by scatter_reduce, rows of length one."""

    def __init__(self) -> None:
        super().__init__()
        self.own = nn.ModuleList([nn.Linear(7, 16), nn.Linear(16, 16)])
        self.others = nn.ModuleList([nn.Linear(7, 16), nn.Linear(16, 16)])
        self.head = nn.Linear(16, 4)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        source, target = edges
        for own, others in zip(self.own, self.others, strict=True):
            picked = nodes[source]
            index = target[:, None].expand(-1, picked.shape[1])
            mean = torch.zeros_like(nodes).scatter_reduce(0, index, picked, reduce="mean", include_self=False)
            nodes = functional.normalize(functional.relu(own(nodes) + others(mean)), dim=-1)
        return self.head(nodes)


class Isomorphism(nn.Module):
    """Xu et al., 2019, with batch norm, and a sum over the nodes of each graph."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Linear(size, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 16)) for size in (7, 16)
        )
        self.epsilon = nn.Parameter(torch.zeros(2))
        self.head = nn.Linear(16, 2)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        batch, count = nodes.shape[:2]
        h = nodes.flatten(0, 1)
        source, target = edges
        for index, layer in enumerate(self.layers):
            around = torch.zeros_like(h)
            around.index_add_(0, target, h[source])
            h = layer((1 + self.epsilon[index]) * h + around)
        return self.head(h.view(batch, count, -1).sum(1))


class ContinuousFilter(nn.Module):
    """Distances in radial functions filter the features of neighbours. Schuett et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds = nn.Embedding(10, 16)
        self.register_buffer("centers", torch.linspace(0, 5, 12))
        self.filters, self.mix = mlp(12, 16, 16), mlp(16, 16, 16)
        self.head = nn.Linear(16, 1)

    def forward(self, kinds: Tensor, positions: Tensor) -> Tensor:
        x = self.kinds(kinds)
        distance = (positions[:, :, None] - positions[:, None]).pow(2).sum(-1).add(1e-6).sqrt()
        radial = torch.exp(-10 * (distance[..., None] - self.centers) ** 2)
        cutoff = 0.5 * (torch.cos(distance * math.pi / 5) + 1) * (distance < 5)
        weights = self.filters(radial) * cutoff.unsqueeze(-1)
        x = x + self.mix((x[:, None] * weights).sum(2))
        return self.head(functional.softplus(x) - math.log(2.0)).sum(1)


class EdgeConv(nn.Module):
    """Features of the nearest neighbours in feature space. Wang et al., 2019."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Sequential(nn.Conv2d(6, 16, 1, bias=False), nn.BatchNorm2d(16), nn.LeakyReLU(0.2))
        self.two = nn.Sequential(nn.Conv2d(32, 24, 1, bias=False), nn.BatchNorm2d(24), nn.LeakyReLU(0.2))
        self.head = nn.Linear(24, 5)

    def edges(self, x: Tensor) -> Tensor:
        inner = -2 * torch.matmul(x.transpose(2, 1), x)
        square = torch.sum(x**2, dim=1, keepdim=True)
        nearest = (-square - inner - square.transpose(2, 1)).topk(k=6, dim=-1)[1]
        batch, size, count = x.shape
        base = torch.arange(0, batch).view(-1, 1, 1) * count
        index = (nearest + base).view(-1)
        rows = x.transpose(2, 1).contiguous()
        feature = rows.view(batch * count, -1)[index, :].view(batch, count, 6, size)
        rows = rows.view(batch, count, 1, size).repeat(1, 1, 6, 1)
        return torch.cat((feature - rows, rows), dim=3).permute(0, 3, 1, 2).contiguous()

    def forward(self, x: Tensor) -> Tensor:
        x = self.one(self.edges(x)).max(dim=-1, keepdim=False)[0]
        x = self.two(self.edges(x)).max(dim=-1, keepdim=False)[0]
        return self.head(functional.adaptive_max_pool1d(x, 1).squeeze(-1))


class SetAbstraction(nn.Module):
    """Groups of points around some of them. Qi et al., 2017, with the first points as centers."""

    def __init__(self) -> None:
        super().__init__()
        self.local = mlp(3 + 3, 16, 24)
        self.head = mlp(24, 16, 4)

    def forward(self, points: Tensor) -> Tensor:
        centers = points[:, :8]
        distance = torch.cdist(centers, points)
        index = distance.topk(5, largest=False, sorted=False).indices
        expanded = points.unsqueeze(1).expand(-1, 8, -1, -1)
        near = torch.gather(expanded, 2, index.unsqueeze(-1).expand(-1, -1, -1, 3))
        local = torch.cat([near, near - centers.unsqueeze(2)], dim=-1)
        return self.head(self.local(local).amax(2).amax(1))


class SetTransformer(nn.Module):
    """Lee et al., 2019: attention of learned points to a set."""

    def __init__(self) -> None:
        super().__init__()
        self.points = nn.Parameter(torch.randn(1, 4, 16))
        self.start = nn.Linear(3, 16)
        self.down, self.up = (nn.MultiheadAttention(16, 4, batch_first=True) for _ in range(2))
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.start(x)
        seen, _ = self.down(self.points.repeat(x.size(0), 1, 1), x, x)
        x = self.norm(x + self.up(x, seen, seen, need_weights=False)[0])
        return self.head(x.mean(1))
