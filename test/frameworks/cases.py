"""What is recorded: a network, a batch size, an optimizer, a loss, and the options of the loop.

    python test/frameworks/cases.py > test/data/pytorch_models/halves.json

Nothing here was chosen by its outcome: turns, and draws with fixed seeds. Each group has a half to work on and one to
judge by.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import torch
from models import JUDGING, WORKING
from models import MODELS as OLD
from new_models import LOSS_ONLY, NEW
from new_transformers import NEW_TRANSFORMERS
from new_vision import VISION
from torch import nn

MODELS = OLD | NEW | NEW_TRANSFORMERS | VISION


@dataclass(frozen=True)
class Case:
    model: str
    batch: int
    optimizer: str | None  # as a job has it, "sgd(momentum=0.9)"; None: predictions
    loss: str
    autograd: bool = False  # predictions with grad mode on; else under torch.no_grad()
    precision: str | None = None  # of torch.autocast around the model and the loss
    accumulate: int = 1
    keep_gradients: bool = False  # zero_grad(set_to_none=False)
    checkpoint: str | None = None  # names of modules with torch.utils.checkpoint around their calls, as a job has them
    reentrant: bool = False  # checkpoint(..., use_reentrant=True)
    frozen: str | None = None  # "half": of the parameters, the first; "body": all but the last two

    @property
    def name(self) -> str:
        words = [self.model, str(self.batch), plain(self.optimizer or "inference"), self.loss]
        words += [word for word in ("autograd", "keep_gradients", "checkpoint", "reentrant") if getattr(self, word)]
        words += [f"{word}-{value}" for word in ("precision", "frozen") if (value := getattr(self, word))]
        words += [f"accumulate-{self.accumulate}"] if self.accumulate > 1 else []
        return "_".join(words)


def plain(text: str) -> str:
    """As a part of a file's name."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


# ---- optimizers ----

CLASSES = {name.lower(): name for name in ("SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad",
                                           "Adadelta", "Adafactor")}  # fmt: skip
SHORT = {"momentum": "sgd(momentum=0.9)"}


def optimizer_of(text: str, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
    """Such as "sgd(momentum=0.9, nesterov)": a word alone is true."""
    name, _, options = SHORT.get(text, text).rstrip(")").partition("(")
    settings: dict[str, Any] = {"lr": 0.01} if name == "sgd" else {}
    for option in filter(None, options.replace(" ", "").split(",")):
        key, _, value = option.partition("=")
        settings[key] = json.loads(value.lower()) if value else True
    made: Callable[..., torch.optim.Optimizer] = getattr(torch.optim, CLASSES[name])
    return made(parameters, **settings)


# ---- trainings and predictions as most people have them ----


def turns(names: Iterable[str]) -> list[Case]:
    """Two trainings each, with turns of batch, optimizer and loss; every third also predicts."""
    found = []
    kinds = ["adam", "sgd", "adamw", "momentum"]
    for index, name in enumerate(names):
        found.append(Case(name, 2 + index % 3, kinds[index % 4], ("cross_entropy", "square")[index % 2]))
        found.append(Case(name, 4 + index % 2, kinds[(index + 1) % 4], ("square", "cross_entropy")[index % 2]))
        if index % 3 == 0:
            found.append(Case(name, 3, None, "none"))
    return found


def drawn(name: str) -> list[Case]:
    """Two trainings of a network, with batch, optimizer and loss drawn."""
    random = Random(name)
    losses = ["cross_entropy", "square", "binary", "smooth", *(["own"] if MODELS[name].labels else [])]
    return [
        Case(name, batch, random.choice(["adam", "sgd", "adamw", "momentum"]), loss_for(name, random.choice(losses)))
        for batch in random.sample([2, 3, 4, 5, 6], 2)
    ]


def loss_for(name: str, loss: str) -> str:
    return "own" if name in LOSS_ONLY else loss


# ---- variants of the loop ----

KINDS: dict[str, dict[str, Any]] = {
    "no_grad": {"optimizer": None, "loss": "none"},
    "autograd": {"optimizer": None, "loss": "none", "autograd": True},
    "frozen half": {"frozen": "half"},
    "frozen body": {"frozen": "body"},
    "accumulate 2": {"accumulate": 2},
    "accumulate 4": {"accumulate": 4},
    "keep gradients": {"keep_gradients": True},
    "bfloat16": {"precision": "bfloat16"},
    "bfloat16, Adam": {"precision": "bfloat16", "optimizer": "adam"},
    "bfloat16, predictions": {"precision": "bfloat16", "optimizer": None, "loss": "none"},
    "checkpoint": {"checkpoint": "blocks"},
    "checkpoint, Adam": {"checkpoint": "blocks", "optimizer": "adam"},
} | {
    text: {"optimizer": text}
    for text in (
        "sgd(momentum=0.9, nesterov)",
        "adamw(amsgrad)",
        "adam(amsgrad, weight_decay=0.01)",
        "nadam",
        "radam",
        "adamax",
        "rmsprop",
        "rmsprop(centered, momentum=0.9)",
        "adagrad",
        "adadelta",
        "adafactor",
        "adam(foreach)",
        "sgd(momentum=0.9, foreach)",
        "adamw(fused)",
        "sgd(fused)",
    )
}

REENTRANT: dict[str, dict[str, Any]] = {
    "checkpoint, reentrant": {"checkpoint": "blocks", "reentrant": True},
    "checkpoint, reentrant, bfloat16": {"checkpoint": "blocks", "reentrant": True, "precision": "bfloat16"},
}
LOOPS = {kind: change for kind, change in KINDS.items() if kind != change.get("optimizer")} | REENTRANT
OPTIMIZERS = (
    "sgd(weight_decay=0.01, maximize)",
    "sgd(momentum=0.9, dampening=0.1)",
    "sgd(momentum=0.9, weight_decay=0.01, nesterov)",
    "sgd(momentum=0.9, nesterov, fused)",
    "adam(maximize)",
    "adam(amsgrad, fused)",
    "adamw(amsgrad, foreach)",
    "nadam(weight_decay=0.01, decoupled_weight_decay)",
    "nadam(foreach)",
    "radam(weight_decay=0.01)",
    "adamax(maximize)",
    "rmsprop(centered, foreach)",
    "rmsprop(momentum=0.9, weight_decay=0.01)",
    "adagrad(weight_decay=0.01)",
    "adagrad(foreach)",
    "adagrad(fused)",
    "adadelta(weight_decay=0.01, maximize)",
    "adafactor(maximize)",
    "adafactor(foreach)",
)


# Layers of transformers by the names that they have in nearly all of them, and those without any
LAYERS = "*layers.?,*layer.?,*.h.?,h.?,*blocks.?,*block.?,*stages.?"
NO_LAYERS = ("flaubert_for_question_answering_simple", "patchtsmixer", "perceiver", "xlm_with_lm_head_model")


def blocks_of(name: str) -> str:
    """Names of the modules that a network's checkpoints are put around; none: it has no such cases."""
    return MODELS[name].blocks or (LAYERS if name in NEW_TRANSFORMERS and name not in NO_LAYERS else "")


def mixed(name: str) -> list[Case]:
    """Three variants of a network: two of the loop, one of the optimizer."""
    random = Random(f"mixed, {name}")
    loops = [kind for kind, change in LOOPS.items() if "checkpoint" not in change or blocks_of(name)]
    changes = [LOOPS[kind] for kind in random.sample(loops, 2)] + [{"optimizer": random.choice(OPTIMIZERS)}]
    found = []
    for change in changes:
        case = Case(
            name,
            random.choice([2, 3, 4]),
            random.choice(["adam", "sgd", "adamw", "momentum"]),
            loss_for(name, random.choice(["cross_entropy", "square"])),
        )
        case = replace(case, **change)
        found.append(replace(case, checkpoint=blocks_of(name)) if case.checkpoint else case)
    return found


def one_each(names: Iterable[str], count: int) -> list[Case]:
    """A variant each of so many of the networks."""
    random = Random("one each")
    return [random.choice(mixed(name)) for name in random.sample(list(names), count)]


def variants(kind: str, names: list[str], count: int, seed: str = "") -> list[Case]:
    """Networks, batch sizes, optimizers and losses, drawn: half as many where only the optimizer is another."""
    change = KINDS[kind]
    names = [name for name in names if "checkpoint" not in change or MODELS[name].blocks]
    random = Random(seed + kind)
    found = []
    for name in random.sample(names, count // 2 if kind == change.get("optimizer") else count):
        optimizer = random.choice(["adam", "sgd", "adamw", "momentum"])
        case = Case(
            name, random.choice([2, 3, 4]), optimizer, loss_for(name, random.choice(["cross_entropy", "square"]))
        )
        case = replace(case, **change)
        found.append(replace(case, checkpoint=MODELS[name].blocks) if case.checkpoint else case)
    return found


# ---- halves ----


HALVES = ("working", "judging")


def half_of(name: str) -> str:
    return "judging" if hashlib.sha256(name.encode()).digest()[0] % 2 else "working"


def by_half(title: str, cases: Iterable[Case], key: Callable[[Case], str]) -> dict[str, list[Case]]:
    cases = list(cases)
    return {f"{title}, {half}": [case for case in cases if half_of(key(case)) == half] for half in HALVES}


def groups() -> dict[str, list[Case]]:
    """All cases of a new network are in the same half, so that one to judge by stays unseen."""
    found = {"working": turns(WORKING), "judging": turns(JUDGING)}
    known = set(found["working"] + found["judging"])
    several = [case for kind in KINDS for case in variants(kind, [*WORKING, *JUDGING], 8) if case not in known]
    found |= by_half("variants", several, lambda case: case.name)
    found |= by_half("new networks", (case for name in NEW for case in drawn(name)), lambda case: case.model)
    found |= by_half("new transformers", (drawn(name)[0] for name in NEW_TRANSFORMERS), lambda case: case.model)
    found |= by_half("vision", (drawn(name)[0] for name in VISION), lambda case: case.model)
    several = [case for kind in KINDS for case in variants(kind, list(NEW), 4, "new networks, ")]
    found |= by_half("variants of new networks", several, lambda case: case.model)
    varied = {case.model for group, cases in found.items() if group.startswith("variants") for case in cases}
    several = [case for name in [*OLD, *NEW] if name not in varied for case in mixed(name)]
    found |= by_half("variants of the rest", several, lambda case: case.model)
    several = [*one_each(NEW_TRANSFORMERS, 75), *one_each(VISION, 75)]
    found |= by_half("variants of transformers", several, lambda case: case.model)
    several = [replace(case, reentrant=True) for case in [*found["variants, working"], *found["variants, judging"]]]
    return found | {"reentrant checkpoints": [case for case in several if case.checkpoint and is_called_plainly(case)]}


def is_called_plainly(case: Case) -> bool:
    """False where a block is called with keywords, which checkpoint() refuses with use_reentrant=True."""
    return case.model != "transformer_encoder"


GROUPS = groups()
CASES = {case.name: case for cases in GROUPS.values() for case in cases}

if __name__ == "__main__":
    print(json.dumps({group: [case.name for case in cases] for group, cases in GROUPS.items()}, indent=1))
