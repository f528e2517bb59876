"""Recomputation in PyTorch, as it was found: the modules that memmodel.recompute() names run by
torch.utils.checkpoint, several in one call where it says so, and the peak is recorded.

    python test/frameworks/recomputed.py              # all networks, half way to the least, as a table
    python test/frameworks/recomputed.py gpt2 0.9     # one, and how far to go
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import cases
import compare_models
import memmodel
import memmodel.torch
import record_models
from models import Model, hugging_face, image, tokens
from torch import Tensor, cat, nn

Segments = Sequence[Sequence[str]]  # names of modules that one call of checkpoint() runs


class UNet3d(nn.Module):
    """3-D U-Net: two convolutions a level, each with batch norm and ReLU; after Çiçek et al., arXiv:1606.06650."""

    def __init__(self, filters: int = 8, depth: int = 3) -> None:
        super().__init__()
        widths = [filters * 2**level for level in range(depth + 1)]
        self.encoder = nn.ModuleList(self.level(a, b) for a, b in zip([1, *widths], widths[:-1]))
        self.pool = nn.MaxPool3d(2)
        self.bottleneck = self.level(widths[-2], widths[-1])
        self.up = nn.ModuleList(nn.ConvTranspose3d(2 * w, w, 2, 2) for w in reversed(widths[:-1]))
        self.decoder = nn.ModuleList(self.level(2 * w, w) for w in reversed(widths[:-1]))
        self.mask = nn.Conv3d(filters, 2, 1)

    @staticmethod
    def level(channels: int, filters: int) -> nn.Module:
        parts: list[nn.Module] = []
        for width in (channels, filters):
            parts += [nn.Conv3d(width, filters, 3, padding=1), nn.BatchNorm3d(filters), nn.ReLU(inplace=True)]
        return nn.Sequential(*parts)

    def forward(self, x: Tensor) -> Tensor:
        skips = []
        for level in self.encoder:
            x = level(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bottleneck(x)
        for up, level in zip(self.up, self.decoder):
            x = level(cat([up(x), skips.pop()], 1))
        mask: Tensor = self.mask(x)
        return mask


class Bottleneck(nn.Module):
    """As torchvision.models.resnet has it, with its ReLU called three times."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, channels, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += x
        return self.relu(out)


class ResNet(nn.Sequential):
    def __init__(self, blocks: int = 4, channels: int = 32, width: int = 16) -> None:
        stem = (nn.Conv2d(3, channels, 7, 2, 3, bias=False), nn.BatchNorm2d(channels), nn.ReLU(inplace=True))
        head = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 5))
        super().__init__(*stem, *(Bottleneck(channels, width) for _ in range(blocks)), *head)


def checkpointed(make: Callable[[], nn.Module], segments: Segments) -> nn.Module:
    """A model with segments of its modules in calls of checkpoint()."""
    model = make()
    memmodel.torch.apply_checkpointing(model, segments)
    return model


TEXT = {"vocab_size": 400, "hidden_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4,
        "intermediate_size": 384}  # fmt: skip

# Large enough that activations, not parameters, make the peak.
NETWORKS: dict[str, tuple[Model, str]] = {
    "gpt2": (
        Model(
            hugging_face("GPT2LMHeadModel", "GPT2Config", vocab_size=400, n_embd=96, n_layer=3, n_head=4,
                         n_positions=128),
            tokens(96),
        ),
        "cross_entropy",
    ),
    "bert": (
        Model(
            hugging_face("BertForSequenceClassification", "BertConfig", **TEXT, max_position_embeddings=128,
                         num_labels=3),
            tokens(96),
        ),
        "square",
    ),
    "vit": (
        Model(
            hugging_face("ViTForImageClassification", "ViTConfig", hidden_size=96, num_hidden_layers=3,
                         num_attention_heads=4, intermediate_size=384, image_size=64, patch_size=8, num_labels=5),
            image(3, 64, 64),
        ),
        "square",
    ),
    "unet3d": (Model(UNet3d, image(1, 32, 32, 32)), "cross_entropy"),
    "resnet": (Model(ResNet, image(3, 64, 64)), "square"),
}  # fmt: skip
BATCH = {"gpt2": 8, "bert": 8, "vit": 8, "unet3d": 2, "resnet": 8}
CASES = {name: cases.Case(f"recomputed {name}", BATCH[name], "adam", loss) for name, (_, loss) in NETWORKS.items()}
cases.MODELS.update({f"recomputed {name}": model for name, (model, _) in NETWORKS.items()})


@dataclass(frozen=True)
class Followed:
    """What was found, and what was recorded of it."""

    name: str
    budget: int
    peak_baseline: int
    recorded_baseline: int
    predicted: int
    recorded: int
    overhead: float
    checkpoint: str

    @property
    def error(self) -> float:
        return abs(self.predicted / self.recorded - 1)


def apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """In a process of its own: a recording sees what was alive before."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as elsewhere:
        return elsewhere.submit(work, *arguments).result()


def peaks_of(case: cases.Case, segments: Segments) -> tuple[dict[str, Any], list[int]]:
    """Of each recorded step, with what it was recorded with."""
    model = cases.MODELS[case.model]
    cases.MODELS[case.model] = replace(model, make=partial(checkpointed, model.make, segments))
    recording = record_models.record(case)
    return recording["provenance"], [step["peak"] for step in recording["steps"]]


def recomputation_for(
    case: cases.Case, provenance: dict[str, Any], share: float, max_simulations: int
) -> memmodel.Recomputation:
    """For a budget so far from the baseline to the smallest peak."""
    cases.CASES["recomputed"] = case
    network = compare_models.exported("recomputed")
    search = partial(
        memmodel.recompute, network, max_simulations=max_simulations, framework="pytorch", metric="live",
        optimizer=case.optimizer, isa=compare_models.machine_of(provenance), intra_op_threads=provenance["threads"],
    )  # fmt: skip
    found = search()
    return search(int(found.peak_baseline - share * (found.peak_baseline - found.min_peak)))


def follow(name: str, share: float, max_simulations: int = 400) -> Followed:
    case = CASES[name]
    provenance, before = apart(peaks_of, case, ())
    found = apart(recomputation_for, case, provenance, share, max_simulations)
    _, peaks = apart(peaks_of, case, found.segments)
    return Followed(
        name, found.budget, found.peak_baseline, max(before), found.peak, max(peaks), found.overhead, found.checkpoint
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Do in PyTorch what memmodel.recompute() finds.")
    parser.add_argument("name", nargs="?", choices=NETWORKS)
    parser.add_argument("share", nargs="?", type=float, default=0.5, help="0: the baseline; 1: the smallest peak")
    options = parser.parse_args()
    print("network       baseline     budget    predicted     recorded    error   overhead  checkpoint")
    for name in [options.name] if options.name else NETWORKS:
        made = follow(name, options.share)
        print(f"{name:8s} {made.peak_baseline:11,} {made.budget:12,} {made.predicted:12,} {made.recorded:12,} "
              f"{made.error:8.4%} {made.overhead:8.1%}  {made.checkpoint}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
