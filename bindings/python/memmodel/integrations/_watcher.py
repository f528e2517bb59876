"""What the callbacks of PyTorch share: a prediction before the first step, the measurement after it, a warning before a
step that will not fit. Nothing in here may stop a training or slow its steps.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

import memmodel.torch
from memmodel.integrations._reporter import MemoryWarning, Reporter, process_peak
from memmodel.quantity import format_bytes

GROWING = ("inputs", "saved activations", "temporary activations", "activation gradients", "workspace")
__all__ = ["Hooked", "MemoryWarning", "Watcher"]


def tensors_in(value: Any) -> Iterable[torch.Tensor]:
    """Those of nested lists, tuples and mappings."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from tensors_in(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)


def size_of(batch: Any) -> tuple[int, int]:
    """Sequences or images, and elements, of its largest tensor."""
    largest = max(tensors_in(batch), key=torch.Tensor.numel, default=None)
    return (0, 0) if largest is None else (largest.shape[0] if largest.dim() else 1, largest.numel())


def measured_peak() -> int:
    """Of the process, by the kernel's high-water mark; on a GPU what PyTorch's allocator has reserved."""
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        return int(torch.cuda.max_memory_reserved())
    return process_peak()


class Watcher(Reporter):
    """Before the first step `before()`, after each `after()`.

    budget, samples, log: as Reporter takes them; of a GPU its memory is the budget unless given. gpu: kind of GPU that
    is meant; the one that the training is on unless given. job: what memmodel.torch.estimate() takes besides.
    """

    def __init__(self, *, gpu: str | None = None, **options: Any) -> None:
        shared = {name: options.pop(name) for name in ("budget", "samples", "log") if name in options}
        super().__init__(**shared)
        self.gpu, self.job = gpu, options
        self._steps = 0
        self._size = (0, 0)
        self._largest = 0

    # ---- before ----

    def _gpu(self, module: torch.nn.Module) -> str | None:
        device = next((parameter.device for parameter in module.parameters()), None)
        if self.gpu or device is None or device.type != "cuda":
            return self.gpu
        return str(torch.cuda.get_device_name(device))

    def predict(
        self, module: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any] | None, **job: Any
    ) -> None:
        gpu = self._gpu(module)
        given = {"budget": self.budget, "gpu": gpu, **job, **self.job}
        rng = torch.random.get_rng_state()
        try:
            report = memmodel.torch.estimate(module, args, kwargs, **given)
        finally:
            torch.random.set_rng_state(rng)
        self.announce(report)

    def needed(self, elements: int) -> int:
        """Bytes of a step with a batch of so many elements: what grows with it is scaled, the rest stays."""
        assert self.report is not None
        categories, peak = self.report.categories, self.report.peak
        growing = sum(categories.get(name, 0) for name in GROWING)
        return int((peak.process or peak.reserved) + growing * max(0.0, elements / self._size[1] - 1))

    def _warn_of(self, size: tuple[int, int]) -> None:
        budget = self.report.budget if self.report else None
        if size[1] <= self._largest or not self._size[1] or budget is None:
            return
        self._largest = size[1]
        needed = self.needed(size[1])
        if needed > budget:
            warnings.warn(
                f"memmodel: a batch of {size[0]} with {size[1]:,} elements takes about {format_bytes(needed)} of "
                f"{format_bytes(budget)}: this step may not fit",
                MemoryWarning, stacklevel=3,
            )  # fmt: skip

    def before(
        self, module: torch.nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None, **job: Any
    ) -> None:
        """With what the module is called in the step that begins."""
        size = size_of((args, kwargs))
        if self.report is None and not self._size[1]:
            self._size, self._largest = size, size[1]
            self.guard(self.predict, module, args, kwargs, **job)
        else:
            self.guard(self._warn_of, size)

    # ---- after ----

    def _compare(self) -> None:
        self.measured = measured_peak()
        if self.report is None:
            return
        peak = self.report.peak
        on_gpu = torch.cuda.is_available() and torch.cuda.is_initialized()
        predicted = peak.reserved if on_gpu else peak.process or peak.reserved
        self.compare(predicted, self.measured, batch=self._size[0], elements=self._size[1])

    def after(self) -> None:
        """Once a step is done: the second has the optimizer's state."""
        self._steps += 1
        if self._steps == 2:
            self.guard(self._compare)

    def end(self) -> None:
        """A training of one step."""
        if self._steps == 1:
            self.guard(self._compare)


class Hooked:
    """Calls a watcher before each forward pass of a module that is trained."""

    def __init__(self, watcher: Watcher, module: torch.nn.Module, optimizer: Callable[[], Any]) -> None:
        self.watcher, self.module, self.optimizer, self.busy = watcher, module, optimizer, False
        self.handle = module.register_forward_pre_hook(self._before, with_kwargs=True)

    def _before(self, module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        if self.busy or not torch.is_grad_enabled() or not module.training:
            return
        self.busy = True  # the prediction calls the module, too
        try:
            job = {} if self.watcher.report else {"optimizer": self.optimizer()}
            self.watcher.before(module, args, kwargs, **job)
        finally:
            self.busy = False

    def remove(self) -> None:
        self.handle.remove()
