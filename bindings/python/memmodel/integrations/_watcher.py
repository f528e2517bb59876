"""What the callbacks share: a prediction before the first step, the measurement after it, a warning before a step that
will not fit. Nothing in here may stop a training or slow its steps: what goes wrong is one warning, then silence.
"""

from __future__ import annotations

import os
import resource
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import torch

import memmodel.torch
from memmodel.quantity import format_bytes, parse_bytes
from memmodel.report import Report
from memmodel.samples import Samples

GROWING = ("inputs", "saved activations", "temporary activations", "activation gradients", "workspace")
Result = TypeVar("Result")


class MemoryWarning(UserWarning):
    """A step that may not fit, or a prediction that could not be made."""


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
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Watcher:
    """Before the first step `before()`, after each `after()`.

    budget: bytes, or a text such as "16GiB"; of a GPU its memory unless given. gpu: kind of GPU that is meant; the one
    that the training is on unless given. samples: path of a CSV table that gets a row. log: what is called with a line;
    print unless given. job: what memmodel.torch.estimate() takes besides.
    """

    def __init__(
        self,
        *,
        budget: int | str | None = None,
        gpu: str | None = None,
        samples: str | os.PathLike[str] | None = None,
        log: Callable[[str], object] = print,
        **job: Any,
    ) -> None:
        self.budget = None if budget is None else parse_bytes(budget, "budget")
        self.gpu, self.samples, self.log, self.job = gpu, samples, log, job
        self.report: Report | None = None
        self.measured: int | None = None
        self.broken = False
        self._steps = 0
        self._size = (0, 0)
        self._largest = 0

    def guard(self, work: Callable[..., Result], *args: Any, **kwargs: Any) -> Result | None:
        """Its result; None where it fails, which is said once."""
        if self.broken:
            return None
        try:
            return work(*args, **kwargs)
        except Exception as error:
            self.broken = True
            first = (str(error).strip().splitlines() or [""])[0]
            text = f"memmodel: no memory is predicted here: {type(error).__name__}: {first}"
            warnings.warn(text, MemoryWarning, stacklevel=2)
            return None

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
            self.report = memmodel.torch.estimate(module, args, kwargs, **given)
        finally:
            torch.random.set_rng_state(rng)
        peak = self.report.peak.process or self.report.peak.reserved
        self.log(f"memmodel: the training takes {format_bytes(peak)}, at {self.report.peak_location}")
        if self.report.summary:
            self.log(f"memmodel: {self.report.summary}")

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
        self.log(f"memmodel: predicted {format_bytes(predicted)}, measured {format_bytes(self.measured)}")
        if self.samples is not None:
            Samples.append_to_file(
                self.samples, batch=self._size[0], elements=self._size[1], predicted_bytes=predicted,
                peak_bytes=self.measured,
            )  # fmt: skip

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
