"""Record every allocation of three steps of each network in models.py, on CPU, as ground truth for memmodel.torch.

    python test/frameworks/record_models.py                 # all cases, each in a process of its own
    python test/frameworks/record_models.py NAME...         # only these
    python test/frameworks/record_models.py --rotate 3      # the day's three, for a check that goes round
    python test/frameworks/record_models.py --list

What the files hold is described in test/data/pytorch_models/README.md.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import importlib
import importlib.util
import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import torch
from cases import CASES, MODELS, Case, optimizer_of
from plain_models import first_of
from record_steps import FORMAT, STEPS, check_totals, collect, provenance, step_record, write
from torch import Tensor, nn
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.checkpoint import checkpoint

RECORDINGS = Path(__file__).resolve().parents[1] / "data" / "pytorch_models"
THREADS = 2

Work = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]  # a module, and what it is called with


class Against(nn.Module):
    """A loss of the prediction against a target that is there before."""

    def __init__(self, function: Callable[[Tensor, Tensor], Tensor], target: Tensor) -> None:
        super().__init__()
        self.function = function
        self.target = target

    def forward(self, y: Any) -> Tensor:
        prediction = first_of(y)
        if self.target.dim() == 1 and prediction.dim() == 3:
            prediction = prediction.reshape(-1, prediction.shape[-1])
        return self.function(prediction, self.target)


class Square(nn.Module):
    def forward(self, y: Any) -> Tensor:
        return first_of(y).pow(2).mean()


class Own(nn.Module):
    def forward(self, y: Any) -> Tensor:
        loss: Tensor = y["loss"]
        return loss


AGAINST = {
    "cross_entropy": functional.cross_entropy,
    "binary": functional.binary_cross_entropy_with_logits,
    "smooth": functional.smooth_l1_loss,
}


def target_of(case: Case, shape: torch.Size | None = None) -> Tensor | None:
    """Of the shape of the model's prediction, which is made in a run that is over before the recording begins; for
    cross entropy classes: over the last dimension of three, else over the second, the channels of an image."""
    if case.loss not in AGAINST:
        return None
    shape = shape or shape_of_prediction(case)
    if case.loss != "cross_entropy":
        return torch.zeros(shape)
    shape = (shape.numel() // shape[-1],) if len(shape) == 3 else (shape[0], *shape[2:])
    return torch.zeros(shape, dtype=torch.int64)


def shape_of_prediction(case: Case) -> torch.Size:
    model = MODELS[case.model].make()
    with torch.no_grad():
        args, kwargs = MODELS[case.model].inputs(case.batch)
        return first_of(model(*args, **kwargs)).shape


def loss_of(case: Case, target: Tensor | None) -> Callable[[Any], Tensor]:
    """The target is new memory, so that the recording sees it made."""
    if target is None:
        return Own() if case.loss == "own" else Square()
    return Against(AGAINST[case.loss], target.clone())


def inputs_of(case: Case) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """With labels where the model makes its own loss of them."""
    args, kwargs = MODELS[case.model].inputs(case.batch)
    kind = MODELS[case.model].labels
    if case.loss != "own" or not kind:
        return args, kwargs
    if kind == "class":
        labels = torch.zeros(case.batch, dtype=torch.int64)
    elif kind == "tokens":
        labels = torch.zeros_like(kwargs["input_ids"])
    elif kind == "words":
        labels = torch.randint(1, 20, (case.batch, 4))
    else:
        labels = kwargs[kind].clone()
    return args, kwargs | {"labels": labels}


# ---- the options of a case ----


def model_of(case: Case) -> nn.Module:
    """In the mode that it is recorded in, without its checkpoints."""
    model = MODELS[case.model].make()
    model.train(case.optimizer is not None)
    parameters = list(model.parameters())
    trained = {None: 0, "half": len(parameters) // 2, "body": len(parameters) - 2}[case.frozen]
    for parameter in parameters[:trained]:
        parameter.requires_grad_(False)
    return model


def add_checkpoints(model: nn.Module, patterns: str, *, reentrant: bool = False) -> None:
    """Around the outermost modules of these names; in the way of transformers where its layers know about it."""
    outermost = named_so(model, patterns)
    layers = {name for name, module in model.named_modules() if knows_of_checkpoints(module)}
    if layers == set(outermost):
        model.gradient_checkpointing_enable({"use_reentrant": reentrant})
        return
    for module in outermost.values():
        module.forward = partial(checkpoint, module.forward, use_reentrant=reentrant)


def named_so(model: nn.Module, patterns: str) -> dict[str, nn.Module]:
    """The outermost modules of these names."""
    found = {name: module for name, module in model.named_modules() if matches(name, patterns)}
    return {name: module for name, module in found.items() if not any(name.startswith(f"{n}.") for n in found)}


def in_use(model: nn.Module, patterns: str) -> str:
    """Those of the patterns that name one of them: a job refuses any other."""
    names = named_so(model, patterns)
    return ",".join(pattern for pattern in patterns.split(",") if any(matches(name, pattern) for name in names))


def knows_of_checkpoints(module: nn.Module) -> bool:
    return any(kind.__name__ == "GradientCheckpointingLayer" for kind in type(module).__mro__)


def matches(name: str, patterns: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns.split(","))


def autocast(case: Case) -> AbstractContextManager[Any]:
    return torch.autocast("cpu", torch.bfloat16) if case.precision == "bfloat16" else nullcontext()


# ---- the loops ----


def train(
    case: Case,
    work: Work,
    loss_function: Callable[[Any], Tensor],
    optimizer: torch.optim.Optimizer,
    mark: Callable[[str], AbstractContextManager[Any]],
) -> None:
    """The loop that people write; each name stays bound until its statement of the next step has completed."""
    model, args, kwargs = work
    for step in range(STEPS):
        with mark(f"step {step + 1}"):
            for _ in range(case.accumulate):
                with autocast(case):
                    y = model(*args, **kwargs)
                    loss = loss_function(y)
                loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=not case.keep_gradients)


def predict(case: Case, work: Work, mark: Callable[[str], AbstractContextManager[Any]]) -> None:
    model, args, kwargs = work
    with torch.set_grad_enabled(case.autograd):
        for step in range(STEPS):
            with mark(f"step {step + 1}"), autocast(case):
                y = model(*args, **kwargs)  # noqa: F841 -- the name is what keeps it alive


def run(case: Case, target: Tensor | None, mark: Callable[[str], AbstractContextManager[Any]]) -> Case:
    """All of a case, each step in `mark`; the case with the checkpoints that its model has."""
    model = model_of(case)
    args, kwargs = inputs_of(case)
    if case.checkpoint:
        case = replace(case, checkpoint=in_use(model, case.checkpoint))
        add_checkpoints(model, case.checkpoint, reentrant=case.reentrant)
    if case.optimizer is None:
        predict(case, (model, args, kwargs), mark)
    else:
        loss = loss_of(case, target)
        gc.collect()
        train(case, (model, args, kwargs), loss, optimizer_of(case.optimizer, model.parameters()), mark)
    return case


def target_apart(case: Case) -> Tensor | None:
    """Its shape is found in another process: some models keep tensors for all that are made later."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as elsewhere:
        return target_of(case, elsewhere.submit(shape_of_prediction, case).result())


def record(case: Case) -> dict[str, Any]:
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    target = target_apart(case)
    gc.collect()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        case = run(case, target, record_function)
    return recording_of(case, profiler)


def recording_of(case: Case, profiler: profile) -> dict[str, Any]:
    """In the form of record_steps.py. What was alive before the profiler began is in no total."""
    events, spans = collect(profiler)
    offset = events[0].total - events[0].size
    events = [event._replace(total=event.total - offset) for event in events]
    check_totals(events)
    names = {name: index for index, name in enumerate(dict.fromkeys(event.path for event in events))}
    return {
        "format": FORMAT,
        "case": asdict(case),
        "provenance": provenance(),
        "names": list(names),
        "steps": [step_record(events, span, names) for span in spans],
    }


def record_here(case: Case, folder: Path) -> None:
    recording = record(case)
    write(recording, folder / f"{case.name}.recording.json.gz")
    peaks = ", ".join(f"{step['peak']:,}" for step in recording["steps"])
    print(f"{case.name}: peaks {peaks}", flush=True)


def record_each_in_its_own_process(names: list[str], folder: Path) -> None:
    """Forked from this one, which has the packages and no more: it computes nothing."""
    for package in ("transformers.modeling_utils", "transformers.models.auto.modeling_auto", "monai.networks.nets"):
        if importlib.util.find_spec(package.split(".")[0]):
            importlib.import_module(package)
    for name in names:
        child = os.fork()
        if child == 0:
            try:
                record_here(CASES[name], folder)
            except Exception:
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)


def days_cases(names: list[str], count: int) -> list[str]:
    """Others every day, all of them in turn, of all kinds."""
    names = Random(0).sample(names, len(names))
    first = datetime.date.today().toordinal() * count % len(names)
    return (names + names)[first : first + count]


def main() -> None:
    parser = argparse.ArgumentParser(description="Record every allocation of PyTorch training steps.")
    parser.add_argument("name", nargs="*", help="cases to record (default: all)")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    parser.add_argument("--rotate", type=int, metavar="COUNT", help="only so many cases, others every day")
    parser.add_argument("--missing", action="store_true", help="only cases without a recording")
    parser.add_argument("--output", type=Path, default=RECORDINGS, help="folder of the recordings")
    options = parser.parse_args()
    names = options.name or list(CASES)
    if unknown := set(names) - set(CASES):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    if options.rotate:
        names = days_cases(names, options.rotate)
    if options.missing:
        names = [name for name in names if not (options.output / f"{name}.recording.json.gz").exists()]
    if options.list:
        print("\n".join(names))
    else:
        options.output.mkdir(parents=True, exist_ok=True)
        record_each_in_its_own_process(names, options.output)


if __name__ == "__main__":
    main()
