"""Training loops as people write them, each of three steps on the CPU: what record() is compared on."""

import copy
import itertools
import random

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset, TensorDataset

STEPS = 3
LOOPS = {}


def loop(function):
    LOOPS[function.__name__] = function
    return function


def mlp(inputs=64, hidden=256, outputs=10, dropout=0.1):
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, hidden), nn.LayerNorm(hidden),
        nn.ReLU(), nn.Linear(hidden, outputs),
    )  # fmt: skip


def cnn(outputs=10):
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, stride=2),
        nn.GroupNorm(4, 32), nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, outputs),
    )  # fmt: skip


def batch(size=32, width=64, classes=10):
    return torch.randn(size, width), torch.randint(0, classes, (size,))


def images(size=8, side=32, classes=10):
    return torch.randn(size, 3, side, side), torch.randint(0, classes, (size,))


# ---- order and accumulation ----


@loop
def zero_grad_first():
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    for _ in range(STEPS):
        x, y = batch()
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


@loop
def gradients_set_to_zero():
    model = mlp()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(STEPS):
        x, y = batch()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)


@loop
def accumulation_of_four():
    model = cnn()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(STEPS):
        for _ in range(4):
            x, y = images()
            (F.cross_entropy(model(x), y) / 4).backward()
        optimizer.step()
        optimizer.zero_grad()


@loop
def losses_in_a_list():
    model, losses = mlp(), []
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(STEPS):
        x, y = batch()
        loss = F.cross_entropy(model(x), y)
        losses.append(loss)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def evaluation_between_steps():
    model = cnn()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    for _ in range(STEPS):
        x, y = images()
        model.train()
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        model.eval()
        with torch.no_grad():
            correct = (model(images(32)[0]).argmax(1) == torch.zeros(32, dtype=torch.long)).sum().item()
        assert correct >= 0
        optimizer.step()


@loop
def resident_data():
    x, y = torch.randn(2000, 64), torch.randint(0, 10, (2000,))
    model = mlp()
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(STEPS):
        rows = slice(step * 100, step * 100 + 100)
        loss = F.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def random_rows():
    x, y = torch.randn(1000, 64), torch.randint(0, 10, (1000,))
    model = mlp()
    optimizer = torch.optim.Adam(model.parameters())
    order = torch.randperm(1000)
    for step in range(STEPS):
        rows = order[step * 64 : step * 64 + 64]
        loss = F.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def loader_of_tensors():
    loader = DataLoader(TensorDataset(torch.randn(96, 64), torch.randint(0, 10, (96,))), batch_size=32, shuffle=True)
    model = mlp()
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Made(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return torch.rand(3, 32, 32), index % 10


@loop
def loader_of_images():
    model = cnn()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in DataLoader(Made(), batch_size=8, drop_last=True):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# ---- more than one model ----


@loop
def moving_average():
    model = mlp()
    average = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(STEPS):
        x, y = batch()
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for mine, other in zip(average.parameters(), model.parameters()):
                mine.mul_(0.99).add_(other, alpha=0.01)


@loop
def distillation():
    teacher, student = mlp(hidden=512).eval().requires_grad_(False), mlp(hidden=128)
    optimizer = torch.optim.Adam(student.parameters())
    for _ in range(STEPS):
        x, y = batch()
        with torch.no_grad():
            soft = F.softmax(teacher(x) / 2, -1)
        out = student(x)
        loss = F.cross_entropy(out, y) + F.kl_div(F.log_softmax(out / 2, -1), soft, reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def adversarial():
    makes = nn.Sequential(nn.Linear(16, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, 64), nn.Tanh())
    judges = nn.Sequential(nn.Linear(64, 128), nn.LeakyReLU(0.2), nn.Linear(128, 1))
    one, other = torch.optim.Adam(makes.parameters()), torch.optim.Adam(judges.parameters())
    for _ in range(STEPS):
        real, fake = torch.randn(32, 64), makes(torch.randn(32, 16))
        loss = F.binary_cross_entropy_with_logits(judges(real), torch.ones(32, 1))
        loss = loss + F.binary_cross_entropy_with_logits(judges(fake.detach()), torch.zeros(32, 1))
        other.zero_grad()
        loss.backward()
        other.step()
        loss = F.binary_cross_entropy_with_logits(judges(fake), torch.ones(32, 1))
        one.zero_grad()
        loss.backward()
        one.step()


@loop
def gradient_penalty():
    critic = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 1))
    optimizer = torch.optim.RMSprop(critic.parameters())
    for _ in range(STEPS):
        x = torch.randn(32, 64, requires_grad=True)
        (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
        loss = critic(x).mean() + ((slope.norm(2, dim=1) - 1) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def sharpness_aware():
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    for _ in range(STEPS):
        x, y = batch()
        F.cross_entropy(model(x), y).backward()
        norm = torch.norm(torch.stack([p.grad.norm(2) for p in model.parameters()]))
        moved = {}
        with torch.no_grad():
            for p in model.parameters():
                moved[p] = p.grad * (0.05 / (norm + 1e-12))
                p.add_(moved[p])
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        with torch.no_grad():
            for p in model.parameters():
                p.sub_(moved[p])
        optimizer.step()
        optimizer.zero_grad()


@loop
def momentum_contrast():
    query = mlp(outputs=32)
    key = copy.deepcopy(query).requires_grad_(False)
    queue = F.normalize(torch.randn(32, 256), dim=0)
    optimizer = torch.optim.SGD(query.parameters(), 0.1)
    for step in range(STEPS):
        x = torch.randn(16, 64)
        q = F.normalize(query(x), dim=1)
        with torch.no_grad():
            k = F.normalize(key(x + 0.1 * torch.randn_like(x)), dim=1)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ queue.clone()], 1)
        loss = F.cross_entropy(logits / 0.07, torch.zeros(16, dtype=torch.long))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        queue[:, step * 16 : step * 16 + 16] = k.T


@loop
def actor_and_critic():
    policy, value = mlp(8, 64, 4, 0.0), mlp(8, 64, 1, 0.0)
    optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], 1e-3)
    for _ in range(STEPS):
        states = torch.randn(64, 8)
        chosen = torch.distributions.Categorical(logits=policy(states))
        actions = chosen.sample()
        rewards = torch.randn(64)
        advantage = rewards - value(states).squeeze(-1)
        loss = -(chosen.log_prob(actions) * advantage.detach()).mean() + advantage.pow(2).mean()
        loss = loss - 0.01 * chosen.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        optimizer.step()


@loop
def deep_q():
    online = mlp(8, 64, 4, 0.0)
    target = copy.deepcopy(online)
    optimizer = torch.optim.Adam(online.parameters())
    memory = [(torch.randn(8), random.randrange(4), random.random(), torch.randn(8)) for _ in range(100)]
    for step in range(STEPS):
        rows = random.sample(memory, 32)
        s, n = torch.stack([row[0] for row in rows]), torch.stack([row[3] for row in rows])
        a, r = torch.tensor([row[1] for row in rows]), torch.tensor([row[2] for row in rows])
        with torch.no_grad():
            wanted = r + 0.99 * target(n).max(1).values
        loss = F.smooth_l1_loss(online(s).gather(1, a[:, None]).squeeze(1), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 2 == 0:
            target.load_state_dict(online.state_dict())


# ---- precision, clipping, schedules ----


@loop
def autocast_bfloat16():
    model = mlp()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(STEPS):
        x, y = batch()
        with torch.autocast("cpu", torch.bfloat16):
            loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def clipped_by_norm():
    model = cnn()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(STEPS):
        x, y = images()
        optimizer.zero_grad()
        F.cross_entropy(model(x), y, label_smoothing=0.1).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


@loop
def clipped_by_value():
    model = mlp()
    optimizer = torch.optim.Adagrad(model.parameters())
    for _ in range(STEPS):
        x, y = batch()
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()


@loop
def scheduled():
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, nesterov=True, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=10)
    for _ in range(STEPS):
        x, y = batch()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        schedule.step()
        assert loss.item() > 0


@loop
def plateau():
    model = mlp()
    optimizer = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
    for _ in range(STEPS):
        x, y = batch()
        optimizer.zero_grad()
        loss = F.mse_loss(model(x)[:, 0], y.float())
        loss.backward()
        optimizer.step()
        schedule.step(loss)


@loop
def mixup():
    model = cnn()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(STEPS):
        x, y = images()
        share, order = random.random(), torch.randperm(len(x))
        out = model(share * x + (1 - share) * x[order])
        loss = share * F.cross_entropy(out, y) + (1 - share) * F.cross_entropy(out, y[order])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def channels_last():
    model = cnn().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    for _ in range(STEPS):
        x, y = images()
        loss = F.cross_entropy(model(x.to(memory_format=torch.channels_last)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def double_precision():
    model = mlp().double()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(STEPS):
        x, y = batch()
        loss = F.cross_entropy(model(x.double()), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# ---- optimizers ----


def with_optimizer(make, steps=STEPS):
    model = mlp(dropout=0.0)
    optimizer = make(model)
    x, y = batch()
    for _ in range(steps):
        def closure():
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            return loss

        optimizer.step(closure)


@loop
def lbfgs():
    with_optimizer(lambda model: torch.optim.LBFGS(model.parameters(), max_iter=4, history_size=5))


@loop
def rprop():
    with_optimizer(lambda model: torch.optim.Rprop(model.parameters()))


@loop
def averaged_sgd():
    with_optimizer(lambda model: torch.optim.ASGD(model.parameters()))


@loop
def adafactor():
    with_optimizer(lambda model: torch.optim.Adafactor(model.parameters()))


@loop
def foreach_adam():
    with_optimizer(lambda model: torch.optim.Adam(model.parameters(), foreach=True, amsgrad=True))


@loop
def fused_adamw():
    with_optimizer(lambda model: torch.optim.AdamW(model.parameters(), fused=True))


@loop
def groups_of_parameters():
    with_optimizer(
        lambda model: torch.optim.AdamW([{"params": model[0].parameters(), "lr": 1e-4},
                                         {"params": model[6].parameters(), "weight_decay": 0.0}])
    )  # fmt: skip


class Lion(torch.optim.Optimizer):
    def __init__(self, parameters, lr=1e-4, betas=(0.9, 0.99)):
        super().__init__(parameters, {"lr": lr, "betas": betas})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["average"] = torch.zeros_like(p)
                update = state["average"].mul(group["betas"][0]).add(p.grad, alpha=1 - group["betas"][0]).sign_()
                p.add_(update, alpha=-group["lr"])
                state["average"].mul_(group["betas"][1]).add_(p.grad, alpha=1 - group["betas"][1])
        return loss


@loop
def written_optimizer():
    with_optimizer(lambda model: Lion(model.parameters()))


@loop
def by_hand():
    model = mlp()
    for _ in range(STEPS):
        x, y = batch()
        F.cross_entropy(model(x), y).backward()
        with torch.no_grad():
            for p in model.parameters():
                p.sub_(0.1 * p.grad)
                p.grad = None


@loop
def functional():
    w = torch.randn(64, 10, requires_grad=True)
    for _ in range(STEPS):
        x, y = batch()
        (slope,) = torch.autograd.grad(F.cross_entropy(x @ w, y), w)
        w = (w - 0.1 * slope).detach().requires_grad_()


# ---- what models do ----


@loop
def checkpointed():
    model = mlp(hidden=512)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(STEPS):
        x, y = batch()
        h = x
        for part in model:
            h = checkpoint(part, h, use_reentrant=False)
        optimizer.zero_grad()
        F.cross_entropy(h, y).backward()
        optimizer.step()


@loop
def frozen_backbone():
    backbone, head = cnn(32), nn.Linear(32, 10)
    backbone.requires_grad_(False).eval()
    optimizer = torch.optim.AdamW(head.parameters())
    for _ in range(STEPS):
        x, y = images()
        loss = F.cross_entropy(head(backbone(x)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def shared_branches():
    trunk, one, other = nn.Linear(64, 256), nn.Linear(256, 10), nn.Linear(256, 10)
    optimizer = torch.optim.Adam(itertools.chain(trunk.parameters(), one.parameters(), other.parameters()))
    for _ in range(STEPS):
        x, y = batch()
        h = torch.relu(trunk(x))
        loss = F.cross_entropy(one(h), y) + F.cross_entropy(other(h), y) + 0.01 * h.pow(2).mean() + h.abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def siamese():
    model = mlp(outputs=32)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(STEPS):
        loss = F.triplet_margin_loss(*(model(torch.randn(16, 64)) for _ in range(3)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def encoder_of_transformers():
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2)
    head = nn.Linear(64, 10)
    optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()])
    for _ in range(STEPS):
        x, y = torch.randn(8, 32, 64), torch.randint(0, 10, (8,))
        loss = F.cross_entropy(head(model(x).mean(1)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def attention_by_hand():
    q, k, v = nn.Linear(64, 64), nn.Linear(64, 64), nn.Linear(64, 64)
    optimizer = torch.optim.AdamW([*q.parameters(), *k.parameters(), *v.parameters()])
    for _ in range(STEPS):
        x = torch.randn(4, 48, 64)
        scores = q(x) @ k(x).transpose(1, 2) / 8
        scores = scores.masked_fill(torch.triu(torch.ones(48, 48, dtype=torch.bool), 1), float("-inf"))
        loss = (scores.softmax(-1) @ v(x)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def scaled_attention():
    model = nn.MultiheadAttention(64, 4, batch_first=True)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(STEPS):
        x = torch.randn(4, 48, 64)
        out, _ = model(x, x, x, need_weights=False)
        loss = out.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def embeddings_and_lstm():
    embedding, model, head = nn.Embedding(500, 32), nn.LSTM(32, 64, batch_first=True), nn.Linear(64, 500)
    optimizer = torch.optim.Adam([*embedding.parameters(), *model.parameters(), *head.parameters()])
    for _ in range(STEPS):
        tokens = torch.randint(0, 500, (8, 21))
        out, _ = model(embedding(tokens[:, :-1]))
        loss = F.cross_entropy(head(out).flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def gated_recurrence():
    model, head = nn.GRU(32, 64, 2), nn.Linear(64, 10)
    optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()])
    for _ in range(STEPS):
        out, _ = model(torch.randn(20, 8, 32))
        loss = F.cross_entropy(head(out[-1]), torch.randint(0, 10, (8,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def truncated_backpropagation():
    cell, head = nn.LSTMCell(32, 64), nn.Linear(64, 10)
    optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], 0.1)
    h, c = torch.zeros(8, 64), torch.zeros(8, 64)
    for _ in range(STEPS):
        h, c = h.detach(), c.detach()
        loss = 0
        for _ in range(5):
            h, c = cell(torch.randn(8, 32), (h, c))
            loss = loss + F.cross_entropy(head(h), torch.randint(0, 10, (8,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def volumes():
    model = nn.Sequential(
        nn.Conv3d(1, 8, 3, padding=1), nn.InstanceNorm3d(8), nn.PReLU(), nn.Conv3d(8, 16, 3, stride=2, padding=1),
        nn.PReLU(), nn.ConvTranspose3d(16, 8, 2, 2), nn.Conv3d(8, 2, 1),
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(STEPS):
        x, y = torch.randn(2, 1, 16, 16, 16), torch.randint(0, 2, (2, 16, 16, 16))
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def u_net():
    down, middle = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
    up, out = nn.ConvTranspose2d(32, 16, 2, 2), nn.Conv2d(32, 2, 3, padding=1)
    parts = nn.ModuleList([down, middle, up, out])
    optimizer = torch.optim.Adam(parts.parameters())
    for _ in range(STEPS):
        x, y = torch.randn(4, 3, 32, 32), torch.randint(0, 2, (4, 32, 32))
        a = F.relu(down(x))
        b = F.relu(middle(F.max_pool2d(a, 2)))
        loss = F.cross_entropy(out(torch.cat([a, up(b)], 1)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def depthwise():
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.Hardswish(inplace=True),
        nn.Conv2d(32, 32, 3, 1, 1, groups=32, bias=False), nn.BatchNorm2d(32), nn.ReLU6(inplace=True),
        nn.Conv2d(32, 64, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10),
    )  # fmt: skip
    optimizer = torch.optim.RMSprop(model.parameters(), momentum=0.9)
    for _ in range(STEPS):
        x, y = images()
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def diffusion():
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.GroupNorm(8, 32), nn.SiLU(), nn.Conv2d(32, 3, 3, padding=1)
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters())
    shares = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 100), 0)
    for _ in range(STEPS):
        x = torch.randn(4, 3, 32, 32)
        noise, when = torch.randn_like(x), torch.randint(0, 100, (4,))
        share = shares[when][:, None, None, None]
        loss = F.mse_loss(model(share.sqrt() * x + (1 - share).sqrt() * noise), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def variational():
    encode, decode = nn.Linear(64, 32), nn.Linear(16, 64)
    optimizer = torch.optim.Adam([*encode.parameters(), *decode.parameters()])
    for _ in range(STEPS):
        x = torch.rand(32, 64)
        mean, spread = encode(x).chunk(2, -1)
        z = mean + torch.randn_like(mean) * (0.5 * spread).exp()
        loss = F.binary_cross_entropy_with_logits(decode(z), x, reduction="sum")
        loss = loss - 0.5 * (1 + spread - mean.pow(2) - spread.exp()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def masked_loss():
    model = nn.Sequential(nn.Embedding(100, 32), nn.Linear(32, 100))
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(STEPS):
        tokens = torch.randint(0, 100, (8, 32))
        mask = torch.rand(8, 32) < 0.15
        logits = model(tokens.masked_fill(mask, 1))
        loss = F.cross_entropy(logits[mask], tokens[mask])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def experts():
    gate, parts = nn.Linear(32, 4), nn.ModuleList(mlp(32, 64, 32, 0.0) for _ in range(4))
    optimizer = torch.optim.Adam([*gate.parameters(), *parts.parameters()])
    for _ in range(STEPS):
        x = torch.randn(40, 32)
        weights, chosen = gate(x).softmax(-1).topk(2, -1)
        out = torch.zeros_like(x)
        for index, part in enumerate(parts):
            out = out + part(x) * (weights * (chosen == index)).sum(-1, keepdim=True)
        loss = out.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def detection_like():
    model = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 5, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    for _ in range(STEPS):
        out = model(torch.randn(2, 3, 32, 32)).flatten(2).transpose(1, 2)
        boxes, scores = out[..., :4].sigmoid(), out[..., 4]
        best = scores.topk(10, 1).indices
        boxes = boxes.gather(1, best[..., None].expand(-1, -1, 4))
        loss = F.l1_loss(boxes, torch.rand(2, 10, 4))
        loss = loss + F.binary_cross_entropy_with_logits(scores, torch.zeros_like(scores))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def low_rank_adapters():
    base = nn.Linear(128, 128).requires_grad_(False)
    down, up = nn.Linear(128, 8, bias=False), nn.Linear(8, 128, bias=False)
    optimizer = torch.optim.AdamW([*down.parameters(), *up.parameters()])
    for _ in range(STEPS):
        x = torch.randn(16, 128)
        loss = (base(x) + 2 * up(down(x))).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def hooks_on_gradients():
    model = mlp()
    for p in model.parameters():
        p.register_hook(lambda slope: slope * 0.5)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(STEPS):
        x, y = batch()
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


@loop
def weights_averaged():
    model = mlp()
    average = torch.optim.swa_utils.AveragedModel(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(STEPS):
        x, y = batch()
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        average.update_parameters(model)


@loop
def metrics_by_numpy():
    model, seen = mlp(), []
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(STEPS):
        x, y = batch()
        out = model(x)
        loss = F.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen.append((out.detach().argmax(1).numpy() == y.numpy()).mean())
        print(f"{loss:.3f} {seen[-1]:.2f}")


@loop
def growing_sequences():
    model = nn.Sequential(nn.Embedding(100, 32), nn.Linear(32, 100))
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(STEPS):
        tokens = torch.randint(0, 100, (4, 16 * (step + 1)))
        loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def padded_batches():
    embedding, head = nn.Embedding(50, 16, padding_idx=0), nn.Linear(16, 2)
    optimizer = torch.optim.Adam([*embedding.parameters(), *head.parameters()])
    for step in range(STEPS):
        rows = [torch.randint(1, 50, (length + step,)) for length in (5, 9, 12)]
        tokens = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        mask = (tokens != 0).float()[..., None]
        loss = F.cross_entropy(head((embedding(tokens) * mask).sum(1) / mask.sum(1)), torch.tensor([0, 1, 0]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def speech_with_ctc():
    encoder, head = nn.Linear(24, 40), nn.Linear(40, 12)
    optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()])
    for step in range(STEPS):
        scores = head(F.gelu(encoder(torch.randn(30 + step, 5, 24)))).log_softmax(-1)
        texts, lengths = torch.randint(1, 12, (5, 8)), torch.tensor([8, 3, 5, 7, 4], dtype=torch.int32)
        loss = F.ctc_loss(scores, texts, torch.full((5,), len(scores)), lengths)
        loss = loss + F.ctc_loss(scores, texts[:, :4].flatten(), [20] * 5, [4] * 5, reduction="sum", zero_infinity=True)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def cut_at_places_in_a_tensor():
    body, norm = nn.Linear(16, 24), nn.BatchNorm1d(24, momentum=None)
    optimizer = torch.optim.SGD([*body.parameters(), *norm.parameters()], lr=0.1, momentum=0.9)
    for _ in range(STEPS):
        first, _, last = torch.tensor_split(norm(body(torch.randn(32, 16))), torch.tensor([7, 15]), dim=1)
        loss = first.square().mean() + last.tensor_split(torch.tensor(3), 1)[1].abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def batches_of_a_worker():
    images = TensorDataset(torch.randn(24, 3, 20, 20), torch.randint(0, 4, (24,)))
    model = nn.Sequential(nn.Flatten(), nn.Linear(1200, 16), nn.ReLU(), nn.Linear(16, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in DataLoader(images, batch_size=8, num_workers=1):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@loop
def copies_of_batches():
    model, kept = nn.Linear(300, 8), {"x": torch.randn(40, 300)}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        batch = copy.deepcopy(kept)
        loss = model(batch["x"][:, :300]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        del batch
