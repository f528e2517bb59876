"""Memory of a training loop as it is written: run on tensors without memory, each allocation recorded."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch.nn.parameter import is_lazy
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

from memmodel import _ffi, _limits
from memmodel._record_cuda_names import Gpu
from memmodel._record_device import SimulatedGpu, on_simulated_gpu
from memmodel._record_files import Files
from memmodel._record_max import find_max
from memmodel._record_mode import UnknownOperator, register
from memmodel._record_tensors import FakeTensors
from memmodel._record_values import Assumption, UnknownValue
from memmodel._torch_calls import this_isa
from memmodel._torch_environment import take_environment
from memmodel.estimation import job_of
from memmodel.report import Report
from memmodel.trace import Trace

__all__ = ["Assumption", "Recording", "UnknownOperator", "UnknownValue", "record", "record_max", "register"]


class Stop(BaseException):
    """As many steps as were asked for are recorded."""


class Recording:
    """What record() gives: it fills as the loop runs, and answers when it is done."""

    def __init__(self, job: _ffi.Job, steps: int, engine: FakeTensors | SimulatedGpu, gpu: str | None) -> None:
        self.steps = 0
        self.engine, self.gpu = engine.name, gpu
        self._job, self._wanted, self._engine = job, steps, engine
        self._modules, self._events = engine.modules, engine.events
        self._modules.found = self._found
        self._explicit = False
        self._optimizers: dict[str, None] = {}  # that made steps, in the order of their first
        self._files: Files | None = None
        self._traces: dict[int, Trace] = {}  # by the numbers of GPUs that had a tensor; 0 on a CPU

    @property
    def assumed(self) -> list[Assumption]:
        """Values that were made up, as the loop asked for them."""
        return self._engine.assumptions

    @property
    def trace(self) -> Trace:
        """That of report()."""
        if not self._traces:
            raise RuntimeError("the recording goes on: its trace is there when the `with` of record() is left")
        return self._traces[self.fullest]

    @property
    def gpus(self) -> list[int]:
        """Numbers of those that the loop had tensors on: several on simulated GPUs alone."""
        return list(self._traces)

    @property
    def fullest(self) -> int:
        """The GPU with the highest peak, by what is reserved there."""
        if len(self._traces) < 2:
            return next(iter(self._traces), 0)
        return max(self._traces, key=lambda gpu: self.report(gpu).peak.reserved or 0)

    def report(self, gpu: int | None = None) -> Report:
        """As that of estimate(), of one of `gpus`: the fullest, unless it is given."""
        trace = self.trace if gpu is None else self._traces[gpu]
        job = self._job
        take_environment(job)
        job.steps = max(1, self.steps)
        job.optimizer = " and ".join(self._optimizers) or None
        return Report(_ffi.trace_estimate(trace._handle, job, _limits.new_context()))

    @contextmanager
    def step(self) -> Iterator[None]:
        """A step of the loop; without it one ends with each step of the optimizer."""
        self._explicit = True
        self._events.begin()
        yield
        self._end_step()

    def given(self, tensor: Any) -> Any:
        """A tensor that is there before the loop, as one without memory."""
        return self._engine.given(tensor)

    # ---- as the loop runs ----

    def _run(self, stack: ExitStack, *, writes: bool) -> None:
        if not writes:
            self._files = Files()
            stack.callback(self._files.delete)
        self._modules.follow(stack)
        stack.enter_context(mock.patch.object(Optimizer, "__init__", self._made(Optimizer.__init__)))
        stack.callback(register_optimizer_step_post_hook(self._stepped).remove)
        self._engine.start(stack, self._files)

    def _found(self, root: nn.Module) -> None:
        """A model that is called for the first time: what it holds is there already."""
        self._events.begin()
        for tensor in [*root.parameters(), *root.buffers()]:
            if is_lazy(tensor) or torch._C._functorch.is_functorch_wrapped_tensor(tensor):
                continue
            self._engine.found(tensor)
            self._events.set_owner(tensor, _ffi.Category.PARAMETERS, self._modules.owner(tensor))

    def _made(self, make: Callable[..., None]) -> Callable[..., None]:
        """An optimizer is made when the model is: what is computed from then on is of the first step."""

        @wraps(make)
        def begins(*arguments: Any, **options: Any) -> None:
            make(*arguments, **options)
            self._events.begin()

        return begins

    def _stepped(self, optimizer: Any, *_: Any) -> None:
        if not self._modules.end_step():
            return
        self._optimizers[type(optimizer).__name__.lower()] = None
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    layer = self._modules.owner(parameter)
                    self._events.set_owner(parameter.grad, _ffi.Category.GRADIENTS, layer)
        for parameter, state in optimizer.state.items():
            layer = self._modules.owner(parameter) if isinstance(parameter, torch.Tensor) else ""
            for tensor in state.values() if isinstance(state, dict) else ():
                if isinstance(tensor, torch.Tensor):
                    self._events.set_owner(tensor, _ffi.Category.OPTIMIZER_STATE, layer)
        if not self._explicit:
            self._end_step()

    def _end_step(self) -> None:
        self.steps += 1
        self._events.end_step()
        if self.steps == self._wanted:
            self._events.end()
            raise Stop

    def _finish(self) -> None:
        self._traces = {gpu: Trace(handle) for gpu, handle in self._engine.finish().items()}


@contextmanager
def record(
    *,
    steps: int = 3,
    strict: bool = False,
    write_files: bool = False,
    gpu: str | None = None,
    isa: str | None = None,
    intra_op_threads: int | None = None,
    framework_version: str | None = None,
    allocator_settings: str | None = None,
    cublas_workspace: str | None = None,
    budget: int | str | None = None,
    metric: str | int | _ffi.Metric = "default",
    out_of_memory: bool = False,
) -> Iterator[Recording]:
    """Memory of the training loop in its `with`, which runs on tensors that have none: nothing is computed but what is
    small and known, no data of the caller's changes, and no file is written by torch.save().

    It is the memory of the CPU or, with `gpu`, of a GPU of that kind, such as "h100", which is what torch.cuda says is
    there; no build of PyTorch with CUDA is needed. In a process of `memmodel run --gpu` the loop runs on the simulated
    GPU with PyTorch's own allocator, whose history is the recording. A budget is the GPU's memory unless it is given.

    The loop ends after `steps` steps of its optimizer, or goes on to its end with 0. A model may be made inside or
    before; gradients that it gets inside are no more than shapes. strict: UnknownValue where the loop reads a value
    that is not known, which is made up else: see Recording.assumed. write_files: torch.save() writes,
    without numbers. isa, intra_op_threads, framework_version, allocator_settings, cublas_workspace, budget, metric: see
    estimate(); the environment's settings of a GPU are those that the loop has set when it first uses it.

    out_of_memory: on a GPU without memory, tensors that do not fit it or the budget raise torch.OutOfMemoryError in the
    loop; workspaces and what the allocator keeps do not count there. Else it goes on as if all of it fitted. On a
    simulated GPU it is `memmodel run` that decides: without --overcommit PyTorch raises its own error.

    >>> with memmodel.torch.record(budget="16GiB") as recording:
    ...     train(model, loader)
    >>> recording.report().step_peaks
    """
    version = framework_version or torch.__version__
    simulated = None if gpu is None else Gpu(gpu, version)
    given = {
        "framework": "pytorch", "framework_version": version,
        "device": "cuda" if simulated else "cpu", "gpu": gpu, "allocator_settings": allocator_settings,
        "cublas_workspace": cublas_workspace, "steps": steps,
        "isa": isa or this_isa(), "intra_op_threads": intra_op_threads or torch.get_num_threads(),
        "budget": simulated.memory if simulated and budget is None else budget, "metric": metric,
    }  # fmt: skip
    job = job_of(None, given)
    engine: FakeTensors | SimulatedGpu
    if simulated and on_simulated_gpu():
        engine = SimulatedGpu(job, strict=strict)
    else:
        engine = FakeTensors(job, simulated, strict=strict, out_of_memory=out_of_memory)
    recording = Recording(job, steps, engine, simulated.name if simulated else None)
    try:
        with ExitStack() as stack:
            recording._run(stack, writes=write_files)
            yield recording
    except Stop:
        pass
    finally:
        gc.collect()
        recording._finish()


def record_max(loop: Callable[[int], Any], budget: int | str, *, start: int = 1, **options: Any) -> int:
    """The largest number, such as a batch size, with which a training loop stays within a budget; 0 if not even 1 does.
    The loop is recorded with one number after the other, from `start` on, until one fits and the next does not: 4 times
    where memory is a line of it, 9 at most. options: those of record().

    >>> memmodel.torch.record_max(lambda batch: train(Net(), loader(batch)), "16GiB", start=8)
    """

    def headroom(number: int) -> int:
        with record(budget=budget, **options) as recording:
            loop(number)
        found = recording.report().headroom
        if found is None:
            raise ValueError("budget: the bytes that it limits are not modelled")
        return found

    return find_max(headroom, start).number
