"""What a recorded program does, handed to the library: storages that come and go, operators with their shapes."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from memmodel import _call, _ffi, _limits
from memmodel._record_calls import Call
from memmodel._record_modules import BACKWARD, FORWARD, OPTIMIZER, Modules
from memmodel._record_places import in_engine
from memmodel._record_repeats import NEW, Like
from memmodel._record_values import storage_of
from memmodel._torch_calls import DTYPES, TENSOR_NAMES, attribute_text
from memmodel._torch_environment import take_environment

# Autograd writes into the first operand of these, which it made or alone refers to, unless a tensor is a subclass.
# torch/csrc/autograd/input_buffer.cpp, accumulate(); FunctionsManual.cpp, areAnyTensorSubclassLike(). So do some
# functions that consist of operators: aten/src/ATen/native/Linear.cpp, linear(); transformers/attention.cpp
IN_PLACE = ("add", "index_put", "scatter", "scatter_add", "index_add", "index_copy", "masked_fill")
ENGINE = "tensors without memory"
AS_LARGE = {1: "uint8", 2: "float16", 4: "float32", 8: "float64"}  # for other types, by their bytes
KEEPING = ("mul", "mul_", "div", "div_")
NUMBER_BYTES = 8
MIB = 1 << 20
ROUNDED = 512  # bytes that CUDA's allocator gives in multiples of. c10/cuda/CUDACachingAllocator.h, kMinBlockSize
INVALID_DEVICE = getattr(torch, "AcceleratorError", RuntimeError)  # since 2.8
PHASES = {FORWARD: _ffi.Phase.FORWARD, BACKWARD: _ffi.Phase.BACKWARD, OPTIMIZER: _ffi.Phase.OPTIMIZER}


class Events:
    """In the order of time, on one device."""

    def __init__(self, job: _ffi.Job, device: str, modules: Modules) -> None:
        self._recording = _new_recording(job)
        self._job, self._device, self._modules = job, device, modules
        self._blocks: dict[int, int] = {}  # by storage
        self._sizes: dict[int, int] = {}  # of the same
        self._born: dict[int, tuple[int, str]] = {}  # of storages: their step and pass
        self._owners: dict[tuple[str, str, str, int], _ffi.RecordingOwner] = {}
        self._numbers: dict[Any, int] = {}  # of operators, by what they are called with
        self._writing: Writing | None = None
        self._views: set[int] = set()  # storages of which there are several tensors
        self._entered = (0, "")
        self._ended = False
        self._kept: dict[int, int] = {}  # blocks of numbers, by node
        self._node = -1  # whose backward pass runs
        self.step = 0
        self.composed = 0  # functions that run, of those that consist of operators
        self.live = self.peak = 0  # bytes of storages, as the allocator rounds them
        self.capacity: int | None = None  # of these, beyond which a program gets PyTorch's error

    # ---- what there is ----

    def allocate(self, storage: int, tensor: Any, role: str, category: int) -> None:
        if self._ended or not self._is_here(tensor):
            return
        self._settle()
        self._enter()
        owner, bytes = self._owner(role, category), tensor.untyped_storage().nbytes()
        self._fit(bytes)
        self._hold(storage, _ffi.recording_allocate(self._recording, bytes, owner), bytes)

    def resized(self, storage: Any) -> None:
        """As its allocator does: another place, then the old one goes."""
        key = int(storage._cdata)
        if key not in self._blocks or self._ended:
            return
        self._settle()
        self._enter()
        owner = self._owner("resize_", _ffi.Category.TEMPORARY_ACTIVATIONS)
        old, new = self._blocks[key], _ffi.recording_allocate(self._recording, storage.nbytes(), owner)
        _ffi.recording_release(self._recording, old)
        self._let_go(key)
        self._hold(key, new, storage.nbytes())

    def release(self, storage: int) -> None:
        if self._ended:
            return
        if self._writing and self._writing.first == storage:
            self._write(self._writing)
            return
        self._settle()
        self._views.discard(storage)
        block = self._blocks.pop(storage, None)
        if block is None:
            return
        self._enter()
        self._categorize(storage, block)
        self._let_go(storage)
        _ffi.recording_release(self._recording, block)

    def run(self, call: Call, made: list[int | None], like: Like | None = None) -> None:
        """`made`: of each result, its storage if that is new."""
        self._settle()
        self._release_number()
        for tensor, new in zip(call.outputs, made):
            if new is None and tensor is not None:
                self._views.add(storage_of(tensor))
        here = self._here(call, like)
        if self._ended or here is None:
            return
        self._enter()
        made = [new if present else None for new, present in zip(made, here)]
        ran = self._ran(call, call.schema.qualified, made, like)
        if self.capacity is not None:
            self._fit(sum(size for size in ran.sizes if size != _ffi.RECORDING_NONE))
        if call.name in IN_PLACE and made[0] is not None and self._is_alone(call):
            instead = self._ran(call, f"{call.schema.qualified}_", [None], like)
            self._writing = Writing(ran, instead, storage_of(call.args[0]), made[0])
        else:
            self._run(ran)
            self._keep_number(call)

    def _here(self, call: Call, like: Like | None) -> list[bool] | None:
        """Of each output whether it is on the device; None if all that is made and read is elsewhere."""
        if like and like.here != []:
            return like.here
        here: list[bool] | None = [tensor is not None and self._is_here(tensor) for tensor in call.outputs]
        if not any(map(self._is_here, [*call.results, *call.read])):
            here = None
        if like:
            like.here = here
        return here

    def _ran(self, call: Call, name: str, made: list[int | None], like: Like | None) -> Ran:
        owner = self._owner(call.name, _ffi.Category.TEMPORARY_ACTIVATIONS)
        number = like.numbers.get(name) if like else None
        if number is None:
            number = self._number(call, name)
            if like:
                like.numbers[name] = number
        return Ran(number, owner, made, self._sizes_of(call, made, like))

    def _sizes_of(self, call: Call, made: list[int | None], like: Like | None) -> Any:
        new = tuple(storage is not None for storage in made)
        if like and new in like.sizes:
            return like.sizes[new]
        sizes = _call.int64s([tensor.untyped_storage().nbytes() if made else _ffi.RECORDING_NONE
                              for tensor, made in zip(call.outputs, new)], "bytes")  # fmt: skip
        if like and not any(made and output.of != NEW for output, made in zip(like.outputs, new) if output):
            like.sizes[new] = sizes
        return sizes

    def _run(self, ran: Ran) -> None:
        blocks = _ffi.recording_run(self._recording, ran.number, ran.owner, ran.sizes)
        for storage, block, bytes in zip(ran.made, blocks, ran.sizes):
            if storage is not None and block != _ffi.RECORDING_NONE:
                self._hold(storage, block, bytes)

    def check(self, device: Any) -> None:
        """There is one GPU; PyTorch's words for any other."""
        if device is not None and self._device == "cuda" == device.type and device.index:
            raise INVALID_DEVICE("CUDA error: invalid device ordinal")

    def _is_here(self, tensor: Any) -> bool:
        return bool(tensor.device.type == self._device)

    # ---- how much there is, for programs that ask ----

    def _hold(self, storage: int, block: int, bytes: int) -> None:
        self._blocks[storage], self._born[storage] = block, self._entered
        self._sizes[storage] = -(-bytes // ROUNDED) * ROUNDED
        self.live += self._sizes[storage]
        self.peak = max(self.peak, self.live)

    def _fit(self, bytes: int) -> None:
        if self.capacity is not None and self.live + bytes > self.capacity:
            wanted, capacity, free = (size / MIB for size in (bytes, self.capacity, self.capacity - self.live))
            raise torch.OutOfMemoryError(
                f"CUDA out of memory. Tried to allocate {wanted:.2f} MiB. GPU 0 has a total capacity of "
                f"{capacity:.2f} MiB for tensors, of which {free:.2f} MiB is free."
            )

    def _let_go(self, storage: int) -> None:
        self.live -= self._sizes.pop(storage, 0)

    def reset_peak(self) -> None:
        self.peak = self.live

    # ---- numbers that autograd keeps as tensors ----

    def _keep_number(self, call: Call) -> None:
        """x * 2 keeps the 2 for the gradient of x. It never comes as a tensor, but is one in a run."""
        if call.name not in KEEPING or self._modules.phase == OPTIMIZER or self._modules.made < 0:
            return
        number = isinstance(call.args[1], (int, float)) and call.schema.overload != "Scalar"
        if self._device == "cpu" and number and getattr(call.args[0], "requires_grad", False):  # it may be a number
            owner = self._owner("number", _ffi.Category.SAVED_ACTIVATIONS)
            self._kept[self._modules.made] = _ffi.recording_allocate(self._recording, NUMBER_BYTES, owner)

    def _release_number(self) -> None:
        """That of a node whose backward pass is done."""
        node = self._modules.node if self._modules.phase == BACKWARD else -1
        if node != self._node:
            self._forget_number(self._node)
            self._node = node

    def _forget_number(self, node: int) -> None:
        block = self._kept.pop(node, None)
        if block is not None:
            self._enter()
            _ffi.recording_release(self._recording, block)

    def end_step(self) -> None:
        """Graphs do not outlive a step."""
        self._settle()
        for node in list(self._kept):
            self._forget_number(node)
        self.step += 1

    def end(self) -> None:
        """What comes and goes later is not noted."""
        self._settle()
        self._ended = True

    def finish(self) -> _ffi.TraceHandle:
        self.end()
        for storage, block in self._blocks.items():
            self._categorize(storage, block)
        self._blocks = {}
        return _ffi.recording_finish(self._recording)

    # ---- what is written in place, but for tensors without memory ----

    def _is_alone(self, call: Call) -> bool:
        """Nothing but the operator's first tensor lies in its storage, and its result is as large. What a function
        computes between its operators no program has."""
        if not self.composed and self._modules.phase != BACKWARD:
            return False
        first, result = call.args[0], call.results[0]
        if first.shape != result.shape or first.dtype != result.dtype or storage_of(first) not in self._blocks:
            return False
        return bool(self.composed) or (storage_of(first) not in self._views and in_engine())

    def _write(self, writing: Writing) -> None:
        self._writing = None
        self._run(writing.instead)
        self._blocks[writing.result] = self._blocks.pop(writing.first)
        self._sizes[writing.result] = self._sizes.pop(writing.first)
        self._born[writing.result] = self._born.pop(writing.first, self._entered)

    def _settle(self) -> None:
        if self._writing:
            ran, self._writing = self._writing.ran, None
            self._run(ran)

    # ---- what it is for ----

    def set_owner(self, tensor: Any, category: int, layer: str) -> None:
        block = self._blocks.get(storage_of(tensor))
        if block is not None:
            self._born.pop(storage_of(tensor), None)
            _ffi.recording_set_category(self._recording, block, category)
            if layer:
                _ffi.recording_set_layer(self._recording, block, layer)

    def _categorize(self, storage: int, block: int) -> None:
        """By the passes in which it was made and went, unless it was said."""
        born = self._born.pop(storage, None)
        if born is None:
            return
        _ffi.recording_set_category(self._recording, block, category_of(*born, self._modules.phase))

    # ---- for the library ----

    def begin(self) -> None:
        """The first step, when something is computed with gradients."""
        self.step = self.step or 1

    def _enter(self) -> None:
        if not self._entered[1] and take_environment(self._job):
            self._recording = _new_recording(self._job)
        if self._modules.phase == BACKWARD:
            self.begin()
        now = (self.step, self._modules.phase)
        if now != self._entered:
            self._entered = now
            _ffi.recording_enter(self._recording, self.step, PHASES[self._modules.phase] if self.step else 0)

    def _owner(self, role: str, category: int) -> _ffi.RecordingOwner:
        place = self._modules.place
        key = (role, place.layer, place.line, category)
        owner = self._owners.get(key)
        if owner is None:
            owner = self._owners[key] = _ffi.RecordingOwner(
                role=role, layer=place.layer, line=place.line, category=category)  # fmt: skip
        return owner

    def _number(self, call: Call, name: str) -> int:
        inputs, attributes = _split(call)
        name = name.replace("::", ".")
        overload = call.schema.overload
        key = (name, overload, attributes, *map(_signature, inputs), "", *map(_signature, call.outputs))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = _ffi.recording_add_operator(
                self._recording,
                _ffi.RecordingOperator(
                    name=f"{name}.{overload}", attributes=attributes,
                    inputs=[_described(tensor) for tensor in inputs],
                    outputs=[_described(tensor) for tensor in call.outputs],
                ),
            )  # fmt: skip
        return number


def _new_recording(job: _ffi.Job) -> _ffi.RecordingHandle:
    recording = _ffi.recording_new(_limits.new_context(), job)
    _ffi.recording_set_engine(recording, ENGINE)
    return recording


def category_of(step: int, made: str, gone: str) -> int:
    """By the step, and the pass in which it was made, and the one in which it went."""
    if step == 0:
        return _ffi.Category.INPUTS
    if made == FORWARD:
        return _ffi.Category.SAVED_ACTIVATIONS if gone == BACKWARD else _ffi.Category.TEMPORARY_ACTIVATIONS
    return _ffi.Category.ACTIVATION_GRADIENTS if made == BACKWARD else _ffi.Category.WORKSPACE


class Ran(NamedTuple):
    """An operator that ran, without its tensors: they are to go as if nobody looked."""

    number: int
    owner: _ffi.RecordingOwner
    made: list[int | None]
    sizes: Any


class Writing(NamedTuple):
    """An operator whose first tensor may go with it: what is then run instead."""

    ran: Ran
    instead: Ran
    first: int
    result: int


def _split(call: Call) -> tuple[list[Any], str]:
    """Tensors among the arguments, None where one is left out, and the text of the others."""
    inputs: list[Any] = []
    words = []
    for argument, value in call.arguments:
        if isinstance(value, torch.Tensor):
            inputs.append(value)
        elif isinstance(value, (list, tuple)) and any(isinstance(part, torch.Tensor) for part in value):
            inputs += [part if isinstance(part, torch.Tensor) else None for part in value]
        elif value is None:
            inputs += [None] if argument.of_tensors else []
        else:
            for_a_tensor = argument.of_tensors or argument.name in TENSOR_NAMES
            inputs += [None] if for_a_tensor else []
            text = attribute_text(value)
            words += [f"{argument.name}={text}"] if text else []
    return inputs, " ".join(words)


def _signature(tensor: Any) -> Any:
    return tensor if tensor is None else (tensor.dtype, tuple(tensor.shape), tuple(tensor.stride()))


def _described(tensor: Any) -> _ffi.RecordingTensor:
    dtype = None if tensor is None else DTYPES.get(tensor.dtype) or AS_LARGE.get(tensor.element_size())
    if dtype is None or tensor.layout != torch.strided:
        return _ffi.RecordingTensor(rank=-1)
    return _ffi.RecordingTensor(
        rank=tensor.dim(), dtype=dtype, dims=list(tensor.shape), strides=list(tensor.stride()))  # fmt: skip
