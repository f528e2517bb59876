"""A module's steps recorded, where no graph says what they do: torch.export refuses, or a run calls other operators."""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves, tree_map_only

from memmodel import _ffi, _limits
from memmodel._torch_checks import Refused, check_loss
from memmodel._torch_optimizers import OPTIMIZERS
from memmodel._torch_runs import Difference, as_they_were
from memmodel.estimation import job_of
from memmodel.recording import Recording, record
from memmodel.report import Report

# Of a job, what recordings take as well.
MACHINE = ("isa", "intra_op_threads", "budget", "metric", "gpu", "allocator_settings", "cublas_workspace")


@dataclass
class Loop:
    """What estimate() is asked, as the loop that it is about."""

    module: nn.Module
    loss: Callable[..., Any] | None
    handed: tuple[Any, ...]  # arguments by place and by name, then the target where there is one
    optimizer: Any
    mode: _ffi.Mode
    steps: int
    batches: int  # before each step of the optimizer
    keep_gradients: bool
    precision: Callable[[], AbstractContextManager[Any]]
    device: str

    def record(self, **options: Any) -> Recording:
        parts = [part for part in (self.module, self.loss) if isinstance(part, nn.Module)]
        with ExitStack() as stack:
            for part in parts:
                stack.enter_context(as_they_were(part))
            recording = stack.enter_context(record(steps=self.steps, **options))
            moved = self._move(parts)
            handed = tree_map_only(torch.Tensor, lambda tensor: recording.given(tensor).to(self.device), self.handed)
            optimizers = stack.enter_context(optimizers_of(self.optimizer, self.module, self.loss, moved))
            self._run(recording, handed, optimizers if self.mode == _ffi.Mode.TRAINING else [])
        return recording

    def _move(self, parts: Sequence[nn.Module]) -> dict[int, Any]:
        """To the device: its parameters there, by those that they were before. What is tied stays so, which a module
        sees to itself only where parameters have memory."""
        moved: dict[int, Any] = {}
        for part in parts if self.device != "cpu" else ():
            before = dict(part.named_parameters(remove_duplicate=False))
            first = {id(parameter): name for name, parameter in reversed(before.items()) if id(parameter) not in moved}
            tied = {name: parameter for name, parameter in before.items() if first.get(id(parameter)) != name}
            for name in tied:
                _put_parameter(part, name, None)
            part.to(self.device)
            after = dict(part.named_parameters())
            moved.update({key: after[name] for key, name in first.items()})
            for name, parameter in tied.items():
                _put_parameter(part, name, moved[id(parameter)])
        return moved

    def _run(self, recording: Recording, handed: tuple[Any, ...], optimizers: Sequence[Any]) -> None:
        args, kwargs, *target = handed
        while True:  # until as many steps are recorded
            with recording.step():
                for _ in range(self.batches):
                    with torch.set_grad_enabled(self.mode != _ffi.Mode.INFERENCE), self.precision():
                        y = self.module(*args, **kwargs)
                        loss: Any = self.loss(y, *target) if self.loss else None
                    if self.loss:
                        check_loss(loss)
                        loss.backward()
                for optimizer in optimizers:
                    optimizer.step()
                for optimizer in optimizers:
                    optimizer.zero_grad(set_to_none=not self.keep_gradients)


def _put_parameter(module: nn.Module, name: str, parameter: Any) -> None:
    owner, _, own = name.rpartition(".")
    module.get_submodule(owner)._parameters[own] = parameter


class Unfollowed(RuntimeError):
    """No graph says what the module does; an error that it comes of is its cause."""


def check_followed(module: nn.Module) -> None:
    """bitsandbytes' layers replace their weights in forward where they are plain tensors, as an export makes them: the
    module would keep what it was traced with."""
    for name, part in module.named_modules():
        if type(part).__module__.startswith("bitsandbytes."):
            raise Unfollowed(f"{name or 'module'}: the weights of bitsandbytes' {type(part).__name__} follow no export")


# beginnings of what a graph may differ in from a run, and a recording not
IN_A_RECORDING = ("unlike ", "not compared", "kept by each run", "bound anew", "hooks of", "parameter of no module")


def recorded_better(unlike: Sequence[Difference]) -> str:
    """What a recording would answer better; "" for nothing."""
    return next((found.text for found in unlike if found.name.startswith(IN_A_RECORDING)), "")


def asked_of_rules(loop: Loop, options: Mapping[str, Any]) -> str:
    """What no recording answers; "" for nothing."""
    asked = [f"{name}={value!r}" for name, value in options.items() if value not in (None, "cpu")]
    tensors = tree_leaves((loop.handed, list(loop.module.parameters())))
    elsewhere = {part.device.type for part in tensors if isinstance(part, torch.Tensor)} - {"cpu"}
    return ", ".join([*asked, *(f"tensors on {device!r}" for device in sorted(elsewhere))])


def recorded(loop: Loop, job: Mapping[str, Any], for_rules: Mapping[str, Any], error: Exception) -> Report:
    """for_rules: of the job, what only rules answer. error: why they do not."""
    alone = asked_of_rules(loop, for_rules)
    if alone:
        raise Refused(f"{error}; not recorded instead, as only rules answer {alone}") from error
    machine = {name: job[name] for name in MACHINE}
    try:
        recording = loop.record(**machine)
    except Exception as failed:  # whatever the module says to tensors without memory
        raise error.__cause__ or error from failed
    warnings.warn(f"memmodel.torch: recorded, as rules do not answer it: {error}", stacklevel=3)
    for value in recording.assumed:
        warnings.warn(f"memmodel.torch: assumed: {value.what} is {value.value} at {value.line}", stacklevel=3)
    report = _ffi.trace_estimate(recording.trace._handle, job_of(None, dict(job)), _limits.new_context())
    return Report(report)


# ---- optimizers ----


@contextmanager
def optimizers_of(optimizer: Any, module: nn.Module, loss: Any, moved: Mapping[int, Any]) -> Iterator[list[Any]]:
    """Without state, and afterwards as they were. A text makes one for each of its groups. moved: parameters that stand
    for others."""
    if isinstance(optimizer, str):
        yield list(_from_text(optimizer, module, loss))
        return
    before, groups = dict(vars(optimizer)), [dict(group) for group in optimizer.param_groups]
    optimizer.state = defaultdict(dict)
    for group in optimizer.param_groups:
        group["params"] = [moved.get(id(parameter), parameter) for parameter in group["params"]]
    try:
        yield [optimizer]
    finally:
        vars(optimizer).update(before)
        for group, settings in zip(optimizer.param_groups, groups):
            group.update(settings)


def _from_text(text: str, module: nn.Module, loss: Any) -> Iterator[Any]:
    """Such as "adam: head.*; sgd(momentum=0.9)", as struct memmodel_job has it."""
    named = {name: part for name, part in module.named_parameters() if part.requires_grad}
    if isinstance(loss, nn.Module):
        named |= {f"loss.{name}": part for name, part in loss.named_parameters() if part.requires_grad}
    for group in text.split(";"):
        call, _, patterns = group.partition(":")
        wanted = [pattern.strip() for pattern in patterns.split(",")] if patterns else ["*"]
        taken = [name for name in named if any(fnmatchcase(name, pattern) for pattern in wanted)]
        made = _made(call.strip(), [named.pop(name) for name in taken])
        if made is not None:
            yield made


def _made(call: str, parameters: list[Any]) -> Any:
    """The optimizer of a text such as "adam(amsgrad)"; None for "none" and for no parameters."""
    name, _, options = call.rstrip(")").partition("(")
    if name == "none" or not parameters:
        return None
    words: Any = ast.parse(f"f({options})", mode="eval").body
    given = {word.id: True for word in words.args} | {word.arg: ast.literal_eval(word.value) for word in words.keywords}
    if name == "momentum":
        return torch.optim.SGD(parameters, momentum=0.9)
    kinds = {kind.lower(): kind for kind in OPTIMIZERS}
    return getattr(torch.optim, kinds[name])(parameters, **given)
