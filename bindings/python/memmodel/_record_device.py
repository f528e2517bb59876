"""A recorded program on a simulated GPU: the history that PyTorch's own allocator keeps there."""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, NamedTuple
from unittest import mock

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from memmodel import _ffi, _limits
from memmodel._record_events import PHASES, category_of
from memmodel._record_files import Files
from memmodel._record_modules import BACKWARD, FORWARD, OPTIMIZER, Modules, Place
from memmodel._record_places import here, place_of, skip
from memmodel._record_values import Assumption

ENGINE = "simulated GPU"
READ = re.compile("made-up value of [0-9]+ bytes?")  # whatever its size
OURS = f"{os.sep}memmodel_cuda{os.sep}"  # what stands for kernels
MARKED = "memmodel"  # in the metadata of nodes of autograd
ALLOCATED, RELEASED = "alloc", "free_requested"  # torch/csrc/cuda/memory_snapshot.cpp


def on_simulated_gpu() -> bool:
    """Whether this process runs on one: `memmodel run --gpu` set its environment."""
    return "MEMMODEL_CUDA_LIBRARY" in os.environ and torch.version.cuda is not None


class Mark(NamedTuple):
    """What the events belong to that follow the first `events` of each GPU."""

    events: tuple[int, ...]
    step: int
    phase: str
    place: Place


class Owned(NamedTuple):
    """What the block at an address of a GPU is for, as is known after `events`."""

    events: tuple[int, ...]
    device: int
    address: int
    category: int
    layer: str


class MarkedModules(Modules):
    """Says where it goes on, also in the backward pass, by hooks of autograd's nodes."""

    mark: Callable[[], None]

    def follow(self, stack: ExitStack) -> None:
        super().follow(stack)
        run = torch.autograd._engine_run_backward

        def followed(*args: Any, **kwargs: Any) -> Any:
            before = self.phase, self.place
            self._go(BACKWARD, Place(self.place.layer, here()))
            try:
                return run(*args, **kwargs)
            finally:
                self._go(*before)

        stack.enter_context(mock.patch.object(torch.autograd, "_engine_run_backward", followed))

    def _go(self, phase: str, place: Place) -> None:
        self.phase, self.place = phase, place
        self.mark()

    def _enter(self, module: nn.Module, inputs: Any) -> None:
        self._mark_nodes(inputs)
        super()._enter(module, inputs)
        self._go(self.phase, Place(self._open[-1][1], ""))

    def _leave(self, module: nn.Module, *results: Any) -> None:
        self._mark_nodes(results)
        super()._leave(module)
        self._go(self.phase, Place(self._open[-1][1] if self._open else "", ""))

    def _mark_nodes(self, tensors: Any) -> None:
        """Nodes that made them: their backward pass is that of the module that runs now."""
        layer = self.place.layer
        for tensor in tree_leaves(tensors):
            node = tensor.grad_fn if isinstance(tensor, torch.Tensor) else None
            if node is not None and MARKED not in node.metadata:
                node.metadata[MARKED] = layer
                node.register_prehook(lambda _: self._go(BACKWARD, Place(layer, self.place.line)))

    def _begin_step(self, *_: Any) -> None:
        super()._begin_step()
        self._go(OPTIMIZER, Place("", ""))

    def end_step(self) -> bool:
        ended = super().end_step()
        if ended:
            self._go(FORWARD, Place("", ""))
        return ended


class History:
    """The allocator's events, of which it is known afterwards what each was for."""

    def __init__(self, job: _ffi.Job, modules: MarkedModules) -> None:
        _ffi.recording_new(_limits.new_context(), job)  # refuses what is wrong with the job before the program runs
        self._job, self._modules = job, modules
        self._known: list[Mark | Owned] = []
        self._earlier: dict[int, int] = {}  # events of a GPU before the program put their count to 0
        self._wanted: tuple[int, ...] | None = None  # events, of those that there are; None: all
        self.step = 0

    # ---- as the program runs ----

    def start(self, stack: ExitStack) -> None:
        """With the first tensor on the GPU, so that a program that has none does not begin to use it."""
        keep = torch.cuda.memory._record_memory_history
        reset = torch._C._cuda_resetAccumulatedMemoryStats

        def forget(device: int) -> None:
            self._earlier[device] = self._events_of(device)
            reset(device)

        torch.cuda._lazy_call(lambda: keep("all", context="alloc", stacks="python"))
        stack.enter_context(mock.patch("torch.cuda.memory._record_memory_history", lambda *_, **__: None))
        stack.enter_context(mock.patch("torch._C._cuda_resetAccumulatedMemoryStats", forget))

    def _count(self) -> tuple[int, ...]:
        """Allocations and releases so far."""
        if not torch.cuda.is_initialized():
            return ()
        return tuple(self._events_of(device) for device in range(torch.cuda.device_count()))

    def _events_of(self, device: int) -> int:
        blocks = torch._C._cuda_memoryStats(device)["allocation"]["all"]
        return self._earlier.get(device, 0) + int(blocks["allocated"]) + int(blocks["freed"])

    def mark(self) -> None:
        if self._modules.phase == BACKWARD:
            self.step = self.step or 1
        self._known.append(Mark(self._count(), self.step, self._modules.phase, self._modules.place))

    def begin(self) -> None:
        """The first step, when something is computed with gradients."""
        if self.step == 0:
            self.step = 1
            self.mark()

    def end_step(self) -> None:
        self.step += 1
        self.mark()

    def end(self) -> None:
        """What comes and goes later is not noted."""
        self._wanted = self._count()

    def set_owner(self, tensor: Any, category: int, layer: str) -> None:
        tensor = getattr(tensor, "_local_tensor", tensor)  # of a DTensor
        if tensor.device.type == "cuda" and tensor.layout == torch.strided:
            address = tensor.untyped_storage().data_ptr()
            self._known.append(Owned(self._count(), tensor.device.index or 0, address, category, layer))

    # ---- afterwards ----

    def finish(self) -> dict[int, _ffi.TraceHandle]:
        """By the numbers of GPUs that had a tensor; of the first one where none had."""
        traces = torch.cuda.memory._snapshot()["device_traces"] if torch.cuda.is_initialized() else []
        used = [device for device, entries in enumerate(traces) if any(map(_is_event, entries))]
        return {device: self._trace_of(device, traces[device] if traces else []) for device in used or [0]}

    def _trace_of(self, device: int, entries: Iterable[dict[str, Any]]) -> _ffi.TraceHandle:
        known = deque(sorted(self._known, key=lambda what: _of(what.events, device)))  # in its order where equal
        events = list(filter(_is_event, entries))
        wanted = len(events) if self._wanted is None else _of(self._wanted, device)
        replayed = Replayed(self._job, device)
        for done, entry in enumerate(events[:wanted]):
            while known and _of(known[0].events, device) <= done:
                replayed.apply(known.popleft())
            replayed.run(entry)
        for what in known:
            replayed.apply(what)
        return _ffi.recording_finish(replayed.recording)


def _of(events: tuple[int, ...], device: int) -> int:
    return events[device] if events else 0


def _is_event(entry: dict[str, Any]) -> bool:
    return entry["action"] in (ALLOCATED, RELEASED)


class Replayed:
    """The events of one GPU, as they go to the library."""

    def __init__(self, job: _ffi.Job, device: int) -> None:
        self.recording = _ffi.recording_new(_limits.new_context(), job)
        _ffi.recording_set_engine(self.recording, ENGINE)
        self._device = device
        self._now = Mark((), 0, FORWARD, Place("", ""))
        # by address, with the step and pass in which each was made unless it is known what it is for
        self._blocks: dict[int, tuple[int, tuple[int, str] | None]] = {}

    def apply(self, what: Mark | Owned) -> None:
        if isinstance(what, Mark):
            if what[1:3] != self._now[1:3]:
                _ffi.recording_enter(self.recording, what.step, PHASES[what.phase] if what.step else 0)
            self._now = what
        elif what.device == self._device and what.address in self._blocks:
            block, _ = self._blocks[what.address]
            self._blocks[what.address] = block, None
            _ffi.recording_set_category(self.recording, block, what.category)
            if what.layer:
                _ffi.recording_set_layer(self.recording, block, what.layer)

    def run(self, entry: dict[str, Any]) -> None:
        (self._allocate if entry["action"] == ALLOCATED else self._release)(entry)

    def _allocate(self, entry: dict[str, Any]) -> None:
        now, frames = self._now, entry.get("frames", [])
        line = place_of((frame["filename"], frame["line"]) for frame in frames) or now.place.line
        owner = _ffi.RecordingOwner(
            role=next((frame["name"] for frame in frames if OURS not in frame["filename"]), ""),
            layer=now.place.layer, line=line, stream=entry["stream"],
            category=category_of(now.step, now.phase, ""),
        )  # fmt: skip
        block = _ffi.recording_allocate(self.recording, entry["size"], owner)
        self._blocks[entry["addr"]] = block, (now.step, now.phase)

    def _release(self, entry: dict[str, Any]) -> None:
        if entry["addr"] not in self._blocks:
            return
        block, born = self._blocks.pop(entry["addr"])
        if born:
            _ffi.recording_set_category(self.recording, block, category_of(*born, self._now.phase))
        _ffi.recording_release(self.recording, block)


class SimulatedGpu:
    """Everything runs as it is; the GPU is one that `memmodel run --gpu` simulates."""

    name = ENGINE

    def __init__(self, job: _ffi.Job, *, strict: bool) -> None:
        self.modules = MarkedModules()
        self.events = History(job, self.modules)
        self.modules.mark = self.events.mark
        self._strict = strict
        self._notes: Counter[tuple[str, str, bool]] = Counter()  # what was made up, where, whether a size came of it

    @property
    def assumptions(self) -> list[Assumption]:
        return [Assumption(what, "", line, count, sized) for (what, line, sized), count in self._notes.items()]

    def start(self, stack: ExitStack, _: Files | None) -> None:
        from memmodel_cuda import library  # of such a process alone

        def noted(kind: int, text: str) -> None:
            what, _, line = text.rpartition(" at ")
            if kind not in (library.MADE_UP, library.ASSUMED):
                note(kind, text)
                return
            what = READ.sub("a value", what.removeprefix("size assumed: "))
            self._notes[what, line, kind == library.ASSUMED] += 1

        note = library.note
        if self._strict:
            stack.enter_context(mock.patch.dict(os.environ, MEMMODEL_CUDA_STRICT="1"))
        stack.enter_context(mock.patch.object(library, "note", noted))
        skip(library.__file__)
        self.events.start(stack)

    def given(self, tensor: Any) -> Any:
        return tensor

    def found(self, tensor: Any) -> None:
        pass

    def finish(self) -> dict[int, _ffi.TraceHandle]:
        return self.events.finish()
