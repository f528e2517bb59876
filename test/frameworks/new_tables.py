"""Networks of torch.nn for tables, agents and comparisons that the rules had not seen; new_vision.py lists them."""

from __future__ import annotations

import math
from typing import Any

import torch
from new_graphs import mlp
from torch import Tensor, nn
from torch.nn import functional

# ---- tables and recommendation ----


class WideAndDeep(nn.Module):
    """Cheng et al., 2016: bags of categories in two ways."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.deep = nn.EmbeddingBag(50, 1, mode="sum"), nn.EmbeddingBag(50, 8, mode="max")
        self.mean = nn.EmbeddingBag(50, 8, mode="mean", padding_idx=0)
        self.net = mlp(8 + 8 + 5, 16, 1)

    def forward(self, categories: Tensor, numbers: Tensor) -> Tensor:
        deep = torch.cat([self.deep(categories), self.mean(categories), numbers.log1p()], dim=1)
        return self.wide(categories) + self.net(deep)


class CrossNetwork(nn.Module):
    """Wang et al., 2021."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(20, 4) for _ in range(3))
        self.cross = nn.ModuleList(nn.Linear(17, 17) for _ in range(3))
        self.deep, self.head = mlp(17, 16, 8), nn.Linear(25, 1)

    def forward(self, numbers: Tensor, fields: Tensor) -> Tensor:
        embedded = [table(fields[:, index]) for index, table in enumerate(self.tables)]
        x0 = x = torch.hstack([numbers, *embedded])
        for layer in self.cross:
            x = torch.addcmul(x, x0, layer(x))
        return self.head(torch.cat([x, self.deep(x0)], dim=-1))


class TwoTower(nn.Module):
    """Users and items meet in a product, others of the batch are what is false."""

    def __init__(self) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(60, 16, max_norm=None), nn.Embedding(40, 16)
        self.user, self.item = mlp(16, 24, 12), mlp(16, 24, 12)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, user: Tensor, item: Tensor, labels: Tensor | None = None) -> Any:
        u = functional.normalize(self.user(self.users(user)), p=2, dim=-1)
        i = functional.normalize(self.item(self.items(item)), p=2, dim=-1)
        logits = self.scale.exp() * u @ i.t()
        if labels is None:
            return logits
        target = torch.arange(logits.size(0))
        return {"logits": logits,
                "loss": (functional.cross_entropy(logits, target) + functional.cross_entropy(logits.t(), target)) / 2}


class SequentialRecommender(nn.Module):
    """Attention over what was chosen before. Kang and McAuley, 2018; ranked pair by pair in its own loss."""

    def __init__(self) -> None:
        super().__init__()
        self.items, self.places = nn.Embedding(80, 16, padding_idx=0), nn.Embedding(12, 16)
        self.norm, self.attention = nn.LayerNorm(16, eps=1e-8), nn.MultiheadAttention(16, 2, 0.2)
        self.one, self.two = nn.Conv1d(16, 16, 1), nn.Conv1d(16, 16, 1)

    def forward(self, before: Tensor, better: Tensor, worse: Tensor, labels: Tensor | None = None) -> Any:
        x = self.items(before) * 4.0 + self.places(torch.arange(before.shape[1]))
        x = functional.dropout(x, 0.2, self.training)
        x = x * (before != 0).unsqueeze(-1)
        length = before.shape[1]
        mask = ~torch.tril(torch.ones((length, length), dtype=torch.bool))
        y = x.transpose(0, 1)
        y = self.norm(y) + self.attention(self.norm(y), y, y, attn_mask=mask)[0]
        x = y.transpose(0, 1)
        x = x + self.two(functional.relu(self.one(x.transpose(-1, -2)))).transpose(-1, -2)
        positive, negative = (x * self.items(better)).sum(-1), (x * self.items(worse)).sum(-1)
        if labels is None:
            return positive
        loss = -functional.logsigmoid(positive - negative).mean()
        return {"logits": positive, "loss": loss}


class AttentiveTable(nn.Module):
    """Features are chosen step by step with a sparse maximum. Arik and Pfister, 2021."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(12)
        self.features = nn.ModuleList(nn.Linear(12, 32) for _ in range(2))
        self.choose = nn.ModuleList(nn.Sequential(nn.Linear(8, 12, bias=False), nn.BatchNorm1d(12)) for _ in range(2))
        self.head = nn.Linear(8, 3)

    @staticmethod
    def sparse_max(x: Tensor) -> Tensor:
        x = x - x.max(dim=-1, keepdim=True)[0]
        ordered = torch.sort(x, descending=True, dim=-1)[0]
        sums = ordered.cumsum(-1)
        places = torch.arange(1, x.size(-1) + 1)
        support = (1 + places * ordered) > sums
        size = support.sum(dim=-1, keepdim=True)
        tau = (sums.gather(-1, size - 1) - 1) / size
        return torch.clamp(x - tau, min=0)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(x)
        prior = torch.ones(x.shape)
        told, total = torch.zeros(x.shape[0], 8), 0
        for feature, choose in zip(self.features, self.choose, strict=True):
            mask = self.sparse_max(choose(told) * prior)
            prior = prior * (1.3 - mask)
            out = functional.glu(feature(mask * x))
            total = total + functional.relu(out[:, :8])
            told = out[:, 8:]
        return self.head(total)


class FeatureTokens(nn.Module):
    """Each number and category a token. Gorishniy et al., 2021."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(6, 16)), nn.Parameter(torch.randn(6, 16))
        self.token, self.table = nn.Parameter(torch.randn(16)), nn.Embedding(30, 16)
        self.register_buffer("offsets", torch.tensor([0, 10, 20]))
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.one, self.two, self.norm = nn.Linear(16, 64), nn.Linear(32, 16), nn.LayerNorm(16)
        self.head = nn.Sequential(nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 3))

    def forward(self, numbers: Tensor, categories: Tensor) -> Tensor:
        x = torch.cat([
            self.token.expand(numbers.size(0), 1, -1), numbers.unsqueeze(-1) * self.weight + self.bias,
            self.table(categories + self.offsets),
        ], dim=1)  # fmt: skip
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        x = x + self.out(functional.scaled_dot_product_attention(q[:, None], k[:, None], v[:, None]).squeeze(1))
        a, b = self.one(self.norm(x)).chunk(2, dim=-1)
        x = x + self.two(a * functional.relu(b))
        return self.head(x[:, 0])


# ---- losses, agents, and others ----


class Triplet(nn.Module):
    """Three images through one network, two of them closer. Its own loss."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 8, 3), nn.PReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(8, 16, 3), nn.PReLU(), nn.MaxPool2d(2, 2),
            nn.Flatten(), nn.Linear(16 * 5 * 5, 16),
        )  # fmt: skip

    def forward(self, anchor: Tensor, near: Tensor, far: Tensor, labels: Tensor | None = None) -> Any:
        a, n, f = self.net(anchor), self.net(near), self.net(far)
        if labels is None:
            return torch.stack([functional.pairwise_distance(a, n), functional.pairwise_distance(a, f)], dim=1)
        return {"logits": a, "loss": functional.triplet_margin_loss(a, n, f, margin=1.0)}


class Contrastive(nn.Module):
    """Two views of a batch, each other's answer. Chen et al., 2020."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.project = nn.Sequential(nn.Linear(16, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 8))

    def forward(self, first: Tensor, second: Tensor, labels: Tensor | None = None) -> Any:
        z = torch.cat([self.project(self.net(x).flatten(1)) for x in (first, second)], dim=0)
        similarity = functional.cosine_similarity(z.unsqueeze(1), z.unsqueeze(0), dim=2) / 0.5
        if labels is None:
            return similarity
        count = first.shape[0]
        own = torch.eye(2 * count, dtype=torch.bool)
        similarity = similarity.masked_fill(own, -9e15)
        target = torch.arange(2 * count).roll(count)
        return {"logits": similarity, "loss": functional.cross_entropy(similarity, target)}


class Distilled(nn.Module):
    """A student that follows a frozen teacher, softly. Hinton et al., 2015."""

    def __init__(self) -> None:
        super().__init__()
        self.teacher = nn.Sequential(nn.Flatten(), nn.Linear(192, 64), nn.ReLU(), nn.Linear(64, 10))
        self.teacher.requires_grad_(False)
        self.student = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(128, 10))

    def forward(self, image: Tensor, labels: Tensor | None = None) -> Any:
        with torch.no_grad():
            soft = self.teacher(image)
        logits = self.student(image)
        if labels is None:
            return logits
        kl = functional.kl_div(
            functional.log_softmax(logits / 4, dim=1), functional.softmax(soft / 4, dim=1), reduction="batchmean"
        )
        return {"logits": logits, "loss": 0.7 * kl * 16 + 0.3 * functional.cross_entropy(logits, labels)}


class ActorCritic(nn.Module):
    """A clipped step of a policy with a value and its entropy. Schulman et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(4, 8, 4, 2), nn.ReLU(), nn.Conv2d(8, 16, 3, 2), nn.ReLU(), nn.Flatten(),
                                  nn.Linear(16 * 16, 32), nn.ReLU())  # fmt: skip
        self.policy, self.value = nn.Linear(32, 5), nn.Linear(32, 1)

    def forward(self, image: Tensor, advantage: Tensor, old: Tensor, labels: Tensor | None = None) -> Any:
        x = self.body(image)
        logits, value = self.policy(x), self.value(x).squeeze(-1)
        if labels is None:
            return logits, value
        log_p = functional.log_softmax(logits, dim=-1)
        chosen = log_p.gather(1, labels.unsqueeze(-1)).squeeze(-1)
        ratio = torch.exp(chosen - old)
        clipped = torch.clamp(ratio, 0.8, 1.2) * advantage
        policy_loss = -torch.min(ratio * advantage, clipped).mean()
        entropy = -(log_p.exp() * log_p).sum(-1).mean()
        return {"logits": logits, "loss": policy_loss + 0.5 * (value - advantage).pow(2).mean() - 0.01 * entropy}


class Dueling(nn.Module):
    """Wang et al., 2016, with a target network and the Huber loss."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.slow = mlp(8, 32, 32), mlp(8, 32, 32)
        self.slow.requires_grad_(False)
        self.advantage, self.value = nn.Linear(32, 4), nn.Linear(32, 1)

    def q(self, body: nn.Module, x: Tensor) -> Tensor:
        h = functional.relu(body(x))
        advantage = self.advantage(h)
        return self.value(h) + advantage - advantage.mean(dim=1, keepdim=True)

    def forward(self, state: Tensor, after: Tensor, labels: Tensor | None = None) -> Any:
        q = self.q(self.body, state)
        if labels is None:
            return q
        with torch.no_grad():
            best = self.q(self.body, after).argmax(dim=1, keepdim=True)
            target = 0.99 * self.q(self.slow, after).gather(1, best)
        return {"logits": q, "loss": functional.huber_loss(q.gather(1, labels.unsqueeze(1) % 4), target)}


class GaussianPolicy(nn.Module):
    """A squashed sample of a normal distribution and its likelihood. Haarnoja et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.mean, self.log_std = mlp(8, 32, 32), nn.Linear(32, 3), nn.Linear(32, 3)

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor]:
        h = torch.relu(self.body(state))
        mean, log_std = self.mean(h), torch.clamp(self.log_std(h), min=-20, max=2)
        std = log_std.exp()
        z = mean + std * torch.randn_like(mean)
        action = torch.tanh(z)
        log_p = -((z - mean) ** 2) / (2 * std**2) - log_std - math.log(math.sqrt(2 * math.pi))
        log_p = log_p - torch.log(1 - action.pow(2) + 1e-6)
        return action, log_p.sum(-1, keepdim=True)


class MixtureDensity(nn.Module):
    """Bishop, 1994: the likelihood of a mixture is its loss."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = nn.Sequential(nn.Linear(4, 24), nn.Tanh()), nn.Linear(24, 3 * 5)

    def forward(self, x: Tensor, y: Tensor, labels: Tensor | None = None) -> Any:
        pi, mu, log_sigma = self.head(self.body(x)).chunk(3, dim=-1)
        if labels is None:
            return mu
        log_pi = torch.log_softmax(pi, dim=-1)
        z = (y - mu) * torch.exp(-log_sigma)
        log_likelihood = log_pi - 0.5 * z.square() - log_sigma - 0.5 * math.log(2 * math.pi)
        return {"logits": mu, "loss": -torch.logsumexp(log_likelihood, dim=-1).mean()}


class HyperNetwork(nn.Module):
    """Weights that another network makes. Ha et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.codes, self.maker = nn.Parameter(torch.randn(2, 6)), mlp(6, 24, 16 * 16 + 16)
        self.start, self.head = nn.Linear(10, 16), nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.start(x)
        for code in self.codes:
            made = self.maker(code)
            weight, bias = made[:256].view(16, 16), made[256:]
            x = torch.tanh(functional.linear(x, weight, bias))
        return self.head(x)


class Modulation(nn.Module):
    """An image is looked at as a question says. Perez et al., 2018."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.gru = nn.Embedding(50, 12), nn.GRU(12, 16, batch_first=True)
        self.film, self.conv, self.norm = nn.Linear(16, 32), nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16, affine=False)
        self.pair, self.head = nn.Bilinear(16, 16, 8), nn.Linear(8, 5)

    def forward(self, image: Tensor, question: Tensor) -> Tensor:
        _, h = self.gru(self.words(question))
        h = h[-1]
        gamma, beta = self.film(h).split(16, dim=1)
        x = self.norm(self.conv(image))
        x = functional.relu(gamma[:, :, None, None] * x + beta[:, :, None, None])
        x = torch.logsumexp(x, dim=(2, 3))
        return self.head(self.pair(x, h))


class Prototypes(nn.Module):
    """Distances to the means of examples. Snell et al., 2017."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                                 nn.Conv2d(8, 8, 3, padding=1), nn.CELU(), nn.MaxPool2d(2), nn.Flatten())  # fmt: skip

    def forward(self, support: Tensor, query: Tensor) -> Tensor:
        b, shots = support.shape[:2]
        means = self.net(support.flatten(0, 1)).unflatten(0, (b, shots)).mean(1)
        return -torch.cdist(self.net(query), means) ** 2


class Landmarks(nn.Module):
    """Kernels between inputs and learned points, with a solved system of equations."""

    def __init__(self) -> None:
        super().__init__()
        self.points, self.body = nn.Parameter(torch.randn(6, 4)), mlp(10, 16, 4)
        self.head = nn.Linear(6, 2)

    def kernel(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.exp(-0.5 * (a.unsqueeze(1) - b.unsqueeze(0)).pow(2).sum(-1))

    def forward(self, x: Tensor) -> Tensor:
        x = self.body(x)
        inner = self.kernel(self.points, self.points) + 1e-3 * torch.eye(6)
        root = torch.linalg.cholesky(inner)
        return self.head(torch.linalg.solve_triangular(root, self.kernel(x, self.points).t(), upper=False).t())


class Maxout(nn.Module):
    """Goodfellow et al., 2013, with other activations that are seldom seen."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.three = nn.Linear(20, 48), nn.Linear(16, 32), nn.Linear(32, 16)
        acts = [nn.Softsign(), nn.Tanhshrink(), nn.LogSigmoid(), nn.Hardshrink(0.1), nn.Threshold(0.1, 0)]
        self.acts = nn.ModuleList(acts)
        self.norm, self.dropout, self.head = nn.BatchNorm1d(16), nn.AlphaDropout(0.1), nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.one(x).view(-1, 16, 3).max(-1)[0]
        x = self.dropout(self.norm(x))
        x = self.two(x)
        x = sum(act(x) for act in self.acts)
        x = functional.softmin(self.three(x), dim=1)
        return self.head(x)
