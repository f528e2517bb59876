"""A build of PyTorch without CUDA that takes itself for one with it: tensors without memory may be on "cuda" then, and
operators choose their kernels as on a GPU. What it asks is answered through symbols that its libraries export, until
the end.

The device guard: torch._C._ensureCUDADeviceGuardSet() puts one that does nothing in place, c10's NoOpDeviceGuardImpl,
where one is registered that counts no devices. The hooks, CUDAHooksInterface: virtual functions in the order of the
headers in the wheel.
"""

from __future__ import annotations

import ctypes
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch

CUDA = 1  # c10::DeviceType
CUDNN_VERSION = 91900
EPSILON = 1e-5  # CUDNN_BN_MIN_EPSILON is below it
ANSWERS = {
    **dict.fromkeys((
        "isBuilt", "hasPrimaryContext", "hasCUDA", "hasCuDNN", "compiledWithCuDNN", "deviceCount", "getNumGPUs",
        "supportsDilatedConvolutionWithCuDNN", "supportsDepthwiseConvolutionWithCuDNN",
        "supportsBFloat16ConvolutionWithCuDNNv8", "supportsBFloat16RNNWithCuDNN"), 1),
    **dict.fromkeys(("versionCuDNN", "versionRuntimeCuDNN"), CUDNN_VERSION),
    **dict.fromkeys(("current_device", "getCurrentDevice", "init"), 0),
}  # fmt: skip
BEFORE_FUNCTIONS = ("offset to top", "type", "destructor", "deleting destructor")  # of a table, by the Itanium ABI
POINTER_BYTES = ctypes.sizeof(ctypes.c_void_p)
_WORD = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p)
_NUMBER = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)
_kept: list[Any] = []  # what C has pointers to


def enable(stack: ExitStack) -> None:
    """Until the end of `stack`. A build with CUDA has its guard, and no need of it."""
    try:
        if not torch.backends.cuda.is_built():
            _set_guard(stack)
        _set_hooks(stack)
    except (AttributeError, OSError, ValueError) as error:
        raise _refusal() from error
    if str(torch._C._accelerator_getAccelerator()) != "cuda":
        raise _refusal()


def _refusal() -> RuntimeError:
    return RuntimeError(
        f"tensors on a GPU cannot be recorded with this build of PyTorch, {torch.__version__}; its build with CUDA "
        "can, which needs no GPU here"
    )


def _library(name: str) -> ctypes.CDLL:
    return ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / name))


# ---- the device guard ----


def _set_guard(stack: ExitStack) -> None:
    c10 = _library("libc10.so")
    registry = (ctypes.c_void_p * (CUDA + 1)).in_dll(c10, "_ZN3c104impl26device_guard_impl_registryE")
    if registry[CUDA]:
        return
    none = _WORD(lambda _: 0)
    table = (ctypes.c_void_p * 64)(*[ctypes.cast(none, ctypes.c_void_p).value] * 64)
    counting_none = (ctypes.c_void_p * 1)(ctypes.addressof(table))
    _kept.extend((none, table, counting_none))
    register = c10._ZN3c104impl19registerDeviceGuardENS_10DeviceTypeEPKNS0_24DeviceGuardImplInterfaceE
    register.argtypes, register.restype = [ctypes.c_int8, ctypes.c_void_p], None

    def clear() -> None:
        registry[CUDA] = None

    stack.callback(clear)
    register(CUDA, ctypes.addressof(counting_none))
    torch._C._ensureCUDADeviceGuardSet()
    if registry[CUDA] == ctypes.addressof(counting_none):
        raise _refusal()


# ---- the hooks ----


def _functions() -> list[str]:
    """Virtual functions of CUDAHooksInterface, in the order of its table."""
    order = list(BEFORE_FUNCTIONS)
    folder = Path(torch.__file__).parent / "include/ATen/detail"
    for header in ("AcceleratorHooksInterface.h", "CUDAHooksInterface.h"):
        text = re.sub(r"//.*", "", (folder / header).read_text(encoding="utf-8"))
        for name in re.findall(r"virtual\s+[\w:<>&*\s]+?[\s*&](\w+)\s*\(", text):
            if name not in order:
                order.append(name)
    return order


def _set_hooks(stack: ExitStack) -> None:
    order = _functions()
    find = _library("libtorch_cpu.so")._ZN2at6detail12getCUDAHooksEv
    find.restype, find.argtypes = ctypes.c_void_p, []
    pointer = ctypes.c_void_p.from_address(find())  # to the table of the object
    old = pointer.value
    if old is None:
        raise _refusal()
    head = 2 * POINTER_BYTES
    whole = ctypes.c_void_p * len(order)
    table = whole.from_buffer_copy(whole.from_address(old - head))
    answers = {name: _WORD(lambda _, value=value: value) for name, value in ANSWERS.items()}
    answers["batchnormMinEpsilonCuDNN"] = _NUMBER(lambda _: EPSILON)
    for name in answers.keys() & order:  # versions differ in them
        table[order.index(name)] = ctypes.cast(answers[name], ctypes.c_void_p).value
    _kept.extend((table, answers))

    def restore() -> None:
        pointer.value = old

    stack.callback(restore)
    pointer.value = ctypes.addressof(table) + head
