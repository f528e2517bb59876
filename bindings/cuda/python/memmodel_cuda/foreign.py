"""
Operators of other libraries, such as torchvision's nms: their kernels are launched where we do not see it.

While one runs nothing is known of what it makes itself. It is computed beside if it has a kernel for the CPU.
"""

import threading

import torch

_inside = threading.local()
_seen = set()


def running():
    """Whether a kernel of another library runs in this thread."""
    return getattr(_inside, "depth", 0) > 0


def guarded(real):
    def call(*args, **kwargs):
        _inside.depth = getattr(_inside, "depth", 0) + 1
        try:
            return real(*args, **kwargs)
        finally:
            _inside.depth -= 1

    return call


def install(wrap):
    """Calls wrap(name) for each operator with a CUDA kernel when torch.ops first gives it out."""
    find = torch._ops._OpNamespace.__getattr__

    def found(self, name):
        packet = find(self, name)
        if self.name not in ("aten", "prim", "prims") and isinstance(packet, torch._ops.OpOverloadPacket):
            _look_at(packet, wrap)
        return packet

    torch._ops._OpNamespace.__getattr__ = found


def _look_at(packet, wrap):
    for overload in packet.overloads():
        name = packet._qualified_op_name + ("" if overload == "default" else "." + overload)
        if name not in _seen and not _is_of_python(name) and _has_kernel(name):
            _seen.add(name)
            wrap(name)


def _has_kernel(name):
    return torch._C._dispatch_has_kernel_for_dispatch_key(name, "CUDA")


def _is_of_python(name):
    """What Python defined calls operators that we see."""
    return name.replace("::", "/") + "/CUDA" in torch.library._impls
