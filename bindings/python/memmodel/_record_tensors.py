"""A recorded program on tensors without memory: the engine that needs no GPU and no build of PyTorch with CUDA."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import torch
from torch import nn

from memmodel import _ffi, _limits
from memmodel._record_cuda import enable
from memmodel._record_cuda_kernels import register as register_kernels
from memmodel._record_cuda_names import Gpu, patch_names
from memmodel._record_events import ENGINE, Events
from memmodel._record_files import Files
from memmodel._record_mode import Fakes, Recorder
from memmodel._record_modules import Modules
from memmodel._record_patches import patch
from memmodel._record_values import Assumption, Values
from memmodel._torch_eager import told_as_in_a_run
from memmodel.report import Report


def _context_bytes(job: _ffi.Job) -> int:
    """What the process takes of the GPU before it has a tensor."""
    context = _limits.new_context()
    nothing = _ffi.recording_finish(_ffi.recording_new(context, job))
    return Report(_ffi.trace_estimate(nothing, job, context)).peak.process or 0


class FakeTensors:
    """Each storage and operator of the program goes to the library, which adds what operators take inside."""

    name = ENGINE

    def __init__(self, job: _ffi.Job, gpu: Gpu | None, *, strict: bool, out_of_memory: bool = False) -> None:
        self.modules = Modules()
        self.events = Events(job, "cuda" if gpu else "cpu", self.modules)
        if gpu and out_of_memory:
            self.events.capacity = (job.budget or gpu.memory) - _context_bytes(job)
        self._gpu, self._values = gpu, Values(strict=strict)
        self._recorder = Recorder(self.events, self._values, Fakes(allow_non_fake_inputs=True), self.modules)
        self._given: list[tuple[Any, Any]] = []  # real tensors of models, and their gradients before

    @property
    def assumptions(self) -> list[Assumption]:
        return self._values.assumptions

    def start(self, stack: ExitStack, files: Files | None) -> None:
        stack.enter_context(told_as_in_a_run())
        patch(self._recorder, stack, files)
        if self._gpu:
            self._recorder.version = self._gpu.version
            enable(stack)
            patch_names(self._gpu, self.events, stack)
            register_kernels(self._gpu, stack)
        stack.enter_context(self._recorder.fakes)
        stack.enter_context(self._recorder)

    def given(self, tensor: Any) -> Any:
        return self._recorder.fake(tensor)

    def found(self, tensor: Any) -> None:
        """A model's, that was there before its first call."""
        if type(tensor) in (torch.Tensor, nn.Parameter):
            self._given.append((tensor, tensor.grad))
            self._recorder.fake(tensor)

    def finish(self) -> dict[int, _ffi.TraceHandle]:
        for tensor, gradient in self._given:
            tensor.grad = gradient
        return {0: self.events.finish()}
