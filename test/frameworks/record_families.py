"""Record small networks that between them use every family of layers, as ground truth for the simulated step.

    python test/frameworks/record_families.py                  # all, each in a process of its own
    python test/frameworks/record_families.py NAME...          # only these

The files are those of record_steps.py. test/unit/test_pytorch_families.c builds the same networks; forward is written
so that each name is bound again, or deleted, by the statement after which its tensor is not used any more.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import record_steps
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile

FOLDER = Path(__file__).resolve().parents[1] / "data" / "pytorch_families"


class Decoder(nn.Module):
    """One block of a GPT-2 style decoder, with its embedding and its head."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(200, 32)
        self.positions = nn.Parameter(torch.zeros(24, 32))
        self.norm0 = nn.LayerNorm(32)
        self.qkv = nn.Linear(32, 96)
        self.out = nn.Linear(32, 32)
        self.norm1 = nn.LayerNorm(32)
        self.up = nn.Linear(32, 128)
        self.down = nn.Linear(128, 32)
        self.norm2 = nn.LayerNorm(32)
        self.head = nn.Linear(32, 200, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        x = self.tokens(x)
        x = x + self.positions
        h = x
        x = self.norm0(x)
        x = self.qkv(x)
        q, k, v = x.split(32, dim=2)
        del x
        q = q.view(4, 24, 4, 8)
        q = q.transpose(1, 2)
        k = k.view(4, 24, 4, 8)
        k = k.transpose(1, 2)
        v = v.view(4, 24, 4, 8)
        v = v.transpose(1, 2)
        x = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        del q, k, v
        x = x.transpose(1, 2)
        x = x.reshape(4, 24, 32)
        x = self.out(x)
        x = h + x
        h = x
        x = self.norm1(x)
        x = self.up(x)
        x = functional.gelu(x)
        x = self.down(x)
        x = h + x
        del h
        x = self.norm2(x)
        x = self.head(x)
        x = x.view(-1, 200)
        return x


class Residual(nn.Module):
    """A strided residual block with in-place activations, after a stem without bias."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.norm0 = nn.BatchNorm2d(16)
        self.first = nn.Conv2d(16, 32, 3, 2, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(32)
        self.second = nn.Conv2d(32, 32, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(32)
        self.shortcut = nn.Conv2d(16, 32, 1, 2, bias=False)
        self.norm3 = nn.BatchNorm2d(32)
        self.head = nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        x = self.norm0(x)
        x = functional.relu_(x)
        x = functional.max_pool2d(x, 3, 2, 1)
        h = x
        x = self.first(x)
        x = self.norm1(x)
        x = functional.relu_(x)
        x = self.second(x)
        x = self.norm2(x)
        h = self.shortcut(h)
        h = self.norm3(h)
        x += h
        del h
        x = functional.relu_(x)
        x = functional.adaptive_avg_pool2d(x, 1)
        x = x.flatten(1)
        x = self.head(x)
        return x


class Recurrent(nn.Module):
    """Embedding, a recurrent layer, the last output, a linear layer."""

    def __init__(self, layer: nn.Module, width: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(100, 16)
        self.layer = layer
        self.head = nn.Linear(width, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.tokens(x)
        x, h = self.layer(x)
        x = x[:, -1]
        x = self.head(x)
        return x


class Chain(nn.Module):
    """Layers in a row; plain functions among them."""

    def __init__(self, *layers: Any) -> None:
        super().__init__()
        self.parts = nn.ModuleList(layer for layer in layers if isinstance(layer, nn.Module))
        self.layers = layers

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


IN_PLACE = [nn.ReLU, nn.LeakyReLU, nn.ELU, nn.SELU, nn.SiLU, nn.Hardswish, nn.Hardsigmoid, nn.ReLU6, nn.Mish]


def activations() -> Chain:
    plain = [
        nn.GELU(),
        nn.GELU("tanh"),
        nn.Sigmoid(),
        nn.Tanh(),
        nn.Softplus(),
        torch.exp,
        torch.log,
        torch.sqrt,
        torch.square,
        torch.abs,
        torch.neg,
        nn.PReLU(8),
        nn.PReLU(1),
        nn.Softmax(-1),
        nn.LogSoftmax(-1),
    ]
    return Chain(nn.Conv1d(8, 8, 1), *[kind() for kind in IN_PLACE], *plain)


def activations_in_place() -> Chain:
    """Each after a convolution, whose output nobody else needs."""
    return Chain(*[layer for kind in IN_PLACE for layer in (nn.Conv1d(8, 8, 1), kind(inplace=True))])


def norms() -> Chain:
    return Chain(
        nn.Conv2d(3, 16, 3),
        nn.GroupNorm(4, 16),
        nn.InstanceNorm2d(16, affine=True),
        nn.InstanceNorm2d(16),
        nn.BatchNorm2d(16, affine=False),
        nn.BatchNorm2d(16, track_running_stats=False),
        nn.LayerNorm((14, 14)),
        nn.RMSNorm(14),
        lambda x: x.flatten(1),
        nn.BatchNorm1d(16 * 14 * 14),
        nn.Linear(16 * 14 * 14, 8),
    )


def pools() -> Chain:
    return Chain(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.AvgPool2d(2),
        nn.MaxPool2d(3, 1, 1),
        nn.Upsample(scale_factor=2),
        nn.Upsample(scale_factor=2, mode="bilinear"),
        nn.Upsample(scale_factor=3, mode="bicubic"),
        nn.AdaptiveAvgPool2d(5),
        nn.AdaptiveMaxPool2d(4),
        nn.ReflectionPad2d(1),
        nn.ReplicationPad2d(1),
        nn.ConstantPad2d(1, 0.0),
        nn.Dropout(0.3),
        nn.Dropout2d(0.3),
        lambda x: x[:, :, 1:-1, 2:-2],
        lambda x: x.mean((2, 3)),
        nn.Linear(8, 4),
    )


def volumes() -> Chain:
    return Chain(
        nn.Conv3d(1, 4, 3, padding=1),
        nn.Upsample(scale_factor=2, mode="trilinear"),
        nn.AvgPool3d(2),
        nn.MaxPool3d(2),
        lambda x: x.amax((2, 3, 4)),
        nn.Linear(4, 4),
    )


class Arithmetic(nn.Module):
    """Operators on two tensors, with and without broadcasting."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(16, 32)
        self.second = nn.Linear(16, 32)
        self.row = nn.Parameter(torch.rand(32))
        self.column = nn.Parameter(torch.rand(8, 1))

    def forward(self, x: Tensor) -> Tensor:
        h = self.second(x)
        x = self.first(x)
        x = x - h
        x = x * h
        x = x / self.row
        x = torch.maximum(x, h)
        x = torch.minimum(x, self.column)
        x *= h
        del h
        x = x + self.row
        x = x - self.column
        x += self.row
        x = torch.cat([x, x], dim=1)
        x = x.transpose(0, 1)
        x = x.sum(1)
        x = x.expand(3, 64)
        return x


class Products(nn.Module):
    """Matrix products, folded and batched, and attention by its definition."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(16, 24))
        self.left = nn.Parameter(torch.rand(6, 10))
        self.plain = nn.Linear(24, 24, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        x = x @ self.weight
        x = self.left @ x
        x = self.plain(x)
        h = x.transpose(-1, -2)
        h = x @ h
        x = h @ x
        del h
        x = x.view(4, 6, 3, 8)
        x = x.transpose(1, 2)
        x = functional.scaled_dot_product_attention(x, x, x, dropout_p=0.1)
        x = x.transpose(1, 2)
        x = x.reshape(4, 144)
        return x


def dice(y: Tensor, target: Tensor) -> Tensor:
    return 1 - 2 * (y * target).sum() / (y.sum() + target.sum())


def floats(*shape: int) -> Tensor:
    return torch.rand(shape)


def classes(count: int, *shape: int) -> Tensor:
    return torch.randint(0, count, shape)


Workload = Callable[[], tuple[nn.Module, Tensor, Tensor, Callable[[Tensor, Tensor], Tensor]]]


def with_loss(name: str) -> Workload:
    """A network whose only point is its loss over 40,000 numbers: parallel sums begin at 32,768."""
    functions = {"dice": dice, "nll": functional.nll_loss, "cross_entropy_2d": functional.cross_entropy}
    loss = functions.get(name) or getattr(functional, name)
    if name in ("nll", "cross_entropy_2d"):
        return lambda: (nn.Conv1d(3, 10, 1), floats(4, 3, 1000), classes(10, 4, 1000), loss)
    after = nn.Sigmoid() if name == "binary_cross_entropy" else None
    return lambda: (
        Chain(nn.Conv1d(2, 10, 1), *([after] if after else [])),
        floats(4, 2, 1000),
        floats(4, 10, 1000),
        loss,
    )


LOSSES = [
    "dice",
    "nll",
    "cross_entropy_2d",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
]

mse = functional.mse_loss
cross_entropy = functional.cross_entropy
WORKLOADS: dict[str, tuple[str, Workload]] = {
    "decoder": ("adamw", lambda: (Decoder(), classes(200, 4, 24), classes(200, 96), cross_entropy)),
    "residual": ("momentum", lambda: (Residual(), floats(4, 3, 64, 64), classes(10, 4), cross_entropy)),
    "lstm": (
        "adam",
        lambda: (
            Recurrent(nn.LSTM(16, 24, 2, bidirectional=True, batch_first=True), 48),
            classes(100, 5, 15),
            classes(5, 5),
            cross_entropy,
        ),
    ),
    "gru": (
        "adam",
        lambda: (
            Recurrent(nn.GRU(16, 24, 2, bidirectional=True, batch_first=True), 48),
            classes(100, 5, 15),
            classes(5, 5),
            cross_entropy,
        ),
    ),
    "rnn": (
        "sgd",
        lambda: (Recurrent(nn.RNN(16, 24, batch_first=True), 24), classes(100, 5, 15), classes(5, 5), cross_entropy),
    ),
    "activations": ("sgd", lambda: (activations(), floats(4, 8, 100), floats(4, 8, 100), mse)),
    "activations_in_place": ("sgd", lambda: (activations_in_place(), floats(4, 8, 100), floats(4, 8, 100), mse)),
    "norms": ("adam", lambda: (norms(), floats(4, 3, 16, 16), floats(4, 8), mse)),
    "pools": ("sgd", lambda: (pools(), floats(2, 3, 16, 16), floats(2, 4), mse)),
    "volumes": ("sgd", lambda: (volumes(), floats(2, 1, 12, 12, 12), floats(2, 4), mse)),
    "arithmetic": ("sgd", lambda: (Arithmetic(), floats(8, 16), floats(3, 64), mse)),
    "products": ("sgd", lambda: (Products(), floats(4, 10, 16), floats(4, 144), mse)),
} | {f"loss_{name}": ("sgd", with_loss(name)) for name in LOSSES}


def record(name: str) -> dict[str, Any]:
    optimizer, workload = WORKLOADS[name]
    torch.set_num_threads(2)
    torch.manual_seed(0)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        work = record_steps.Workload(*workload())
        gc.collect()
        record_steps.train(work, record_steps.OPTIMIZERS[optimizer](work.model.parameters()))
    events, spans = record_steps.collect(profiler)
    record_steps.check_totals(events)
    names = {path: index for index, path in enumerate(dict.fromkeys(event.path for event in events))}
    return {
        "format": record_steps.FORMAT,
        "case": {"network": name, "optimizer": optimizer},
        "provenance": record_steps.provenance(),
        "names": list(names),
        "setup": [[event.size, names[event.path]] for event in events if event.time < spans[0][0]],
        "steps": [record_steps.step_record(events, span, names) for span in spans],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Record small networks of every family of layers.")
    parser.add_argument("name", nargs="*", help="networks to record (default: all)")
    parser.add_argument("--here", action="store_true", help="record in this process")
    options = parser.parse_args()
    names = options.name or list(WORKLOADS)
    if unknown := set(names) - set(WORKLOADS):
        parser.error(f"no such network: {', '.join(sorted(unknown))}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names:
        if not options.here:
            subprocess.run([sys.executable, __file__, "--here", name], check=True)
            continue
        recording = record(name)
        record_steps.write(recording, FOLDER / f"{name}.json.gz")
        print(name, [step["peak"] for step in recording["steps"]], flush=True)


if __name__ == "__main__":
    main()
