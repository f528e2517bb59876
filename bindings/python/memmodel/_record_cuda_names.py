"""torch.cuda and torch.accelerator as on a GPU that is not there, while a program is recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
import torch.backends.cudnn.rnn  # not of itself before 2.8
from torch._subclasses import fake_tensor
from torch.utils._python_dispatch import _disable_current_modes

from memmodel import _call, _ffi, _limits
from memmodel._record_cuda import CUDNN_VERSION
from memmodel._record_cuda_recurrent import is_acceptable, mode_of
from memmodel._record_events import Events

RNG_STATE_BYTES = 16  # seed and offset


class Gpu:
    """What programs ask a GPU about."""

    def __init__(self, kind: str, version: str) -> None:
        """version: of the PyTorch that runs on it."""
        self.version = tuple(int(part) for part in version.split("+")[0].split(".")[:2])
        found = _ffi.device_get_properties(_limits.new_context(), kind)
        self.name, self.memory = _call.decoded(found.name), int(found.memory)
        self.capability = divmod(found.capability, 10)
        self.processors = int(found.processors)
        self._found = found

    def properties(self) -> Any:
        major, minor = self.capability
        return SimpleNamespace(
            name=self.name, major=major, minor=minor, total_memory=self.memory,
            multi_processor_count=self.processors, is_integrated=0, is_multi_gpu_board=0, warp_size=32,
            gcnArchName=self.name, uuid="GPU-00000000-0000-0000-0000-000000000000",
            pci_domain_id=0, pci_bus_id=1, pci_device_id=0, L2_cache_size=self._found.l2_bytes,
            max_threads_per_multi_processor=self._found.processor_threads, max_threads_per_block=1024,
            regs_per_multiprocessor=65536, shared_memory_per_block=48 << 10,
            shared_memory_per_block_optin=self._found.block_shared_bytes,
            shared_memory_per_multiprocessor=self._found.processor_shared_bytes,
        )  # fmt: skip


class Stream:
    """Of streams and events there is one kind, which is always done."""

    cuda_stream = stream_id = device_index = priority = 0
    device_type = 1

    def __init__(self, *_: Any, **__: Any) -> None:
        self.device = torch.device("cuda", 0)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return 0

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def record_event(self, event: Any = None) -> Any:
        return event or Event()

    def _nothing(self, *_: Any, **__: Any) -> None:
        return None

    synchronize = wait_event = wait_stream = wait = record = _nothing


class Event(Stream):
    def elapsed_time(self, _: Any) -> float:
        return 0.0


def device_of(given: Any) -> torch.device:
    """A device, its name, its number or nothing, as functions of torch.cuda take it."""
    number = 0 if given is None else max(given, 0) if isinstance(given, int) else None
    return torch.device(given) if number is None else torch.device("cuda", number)


class Device:
    """torch.cuda.device(0), which is the current one already."""

    def __init__(self, device: Any) -> None:
        self.idx = device_of(device).index or 0

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: Any) -> None:
        return None


class _OfGenerators(type):
    made = torch.Generator

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.made)

    def __call__(cls, device: Any = "cpu") -> Any:
        return cls.made("cpu" if torch.device(device).type == "cuda" else device)


class Generator(metaclass=_OfGenerators):
    """In place of torch.Generator: one of a GPU can be had in a build with CUDA only."""


def _checked(events: Events, answer: Any = None) -> Callable[..., Any]:
    """A function of a device."""

    def function(device: Any = None, *_: Any, **__: Any) -> Any:
        events.check(device_of(device))
        return answer() if callable(answer) else answer

    return function


def _always(answer: Any = None) -> Callable[..., Any]:
    return lambda *_, **__: answer


def _names(gpu: Gpu, events: Events) -> dict[str, Any]:
    """Of torch.cuda."""
    checked = partial(_checked, events)
    with _disable_current_modes():
        state = torch.zeros(RNG_STATE_BYTES, dtype=torch.uint8)
    major, minor = gpu.capability
    return {
        **dict.fromkeys(("is_available", "is_initialized", "_is_compiled", "can_device_access_peer"), _always(True)),
        **dict.fromkeys(("is_current_stream_capturing", "graph_pool_handle"), _always(False)),
        **dict.fromkeys((
            "init", "_lazy_init", "_lazy_call", "empty_cache", "ipc_collect", "manual_seed", "manual_seed_all", "seed",
            "seed_all", "set_rng_state", "set_rng_state_all", "set_per_process_memory_fraction", "set_stream",
            "reset_accumulated_memory_stats"), _always()),
        **dict.fromkeys(("synchronize", "set_device"), checked()),
        **dict.fromkeys(("_exchange_device", "_maybe_exchange_device", "current_device", "initial_seed"), _always(0)),
        **dict.fromkeys(("utilization", "temperature", "power_draw", "clock_rate"), checked(0)),
        **dict.fromkeys(("current_stream", "default_stream", "ExternalStream", "Stream"), Stream),
        **dict.fromkeys(("memory_allocated", "memory_reserved"), checked(lambda: events.live)),
        **dict.fromkeys(("max_memory_allocated", "max_memory_reserved"), checked(lambda: events.peak)),
        **dict.fromkeys(("reset_peak_memory_stats", "reset_max_memory_allocated"), checked(events.reset_peak)),
        "Event": Event, "stream": Stream, "StreamContext": Stream, "device": Device,
        "device_count": _always(1), "is_bf16_supported": _always(gpu.capability >= (8, 0)),
        "is_tf32_supported": _always(gpu.capability >= (8, 0)),
        "get_device_name": checked(gpu.name), "get_device_capability": checked(gpu.capability),
        "get_device_properties": checked(gpu.properties), "get_arch_list": _always([f"sm_{major}{minor}"]),
        "mem_get_info": checked(lambda: (max(0, gpu.memory - events.live), gpu.memory)),
        "memory_stats": checked(lambda: {
            "allocated_bytes.all.current": events.live, "allocated_bytes.all.peak": events.peak,
            "reserved_bytes.all.current": events.live, "reserved_bytes.all.peak": events.peak,
            "num_alloc_retries": 0, "num_ooms": 0}),
        "get_rng_state": checked(state.clone), "get_rng_state_all": lambda: [state.clone()],
    }  # fmt: skip


def _accelerator_names(gpu: Gpu, events: Events) -> dict[str, Any]:
    cuda = _names(gpu, events)
    same = ("is_available", "device_count", "synchronize", "current_stream", "set_stream", "empty_cache",
            "memory_stats", "memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved",
            "reset_accumulated_memory_stats", "reset_peak_memory_stats", "get_device_capability")  # fmt: skip
    return {
        **{name: cuda[name] for name in same},
        "current_accelerator": _always(torch.device("cuda")), "get_memory_info": cuda["mem_get_info"],
        "current_device_index": _always(0), "set_device_index": cuda["set_device"],
    }  # fmt: skip


def patch_names(gpu: Gpu, events: Events, stack: ExitStack) -> None:
    """Also where a name was imported from torch.cuda by then."""
    import torch._dynamo
    import torch._inductor.utils  # which look for CUDA when they are imported

    def put(owner: Any, name: str, value: Any) -> None:
        stack.enter_context(mock.patch.object(owner, name, value, create=True))

    modules = [module for name, module in sys.modules.items() if name.startswith("torch.cuda.") and module]
    for name, value in _names(gpu, events).items():
        old = getattr(torch.cuda, name, None)
        put(torch.cuda, name, value)
        for module in modules:
            if old is not None and vars(module).get(name) is old:
                put(module, name, value)
    for name, value in _accelerator_names(gpu, events).items():
        put(torch.accelerator, name, value)
    put(torch, "Generator", Generator)
    put(torch.backends.cudnn, "is_acceptable", is_acceptable)
    put(torch.backends.cudnn, "is_available", _always(True))
    put(torch.backends.cudnn, "version", _always(CUDNN_VERSION))
    put(torch.backends.cudnn.rnn, "get_cudnn_mode", mode_of)
    put(fake_tensor, "init_gpu_context", _always())  # before 2.12 fakes have no other way to leave the device alone
