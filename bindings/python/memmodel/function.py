"""A fitted formula as a plain C function, for hosts that take a pointer to one."""

from __future__ import annotations

from typing import Any

from memmodel import _call, _ffi


class Function:
    """`double (*)(const double *)`: one number per input to the prediction. It may be called while this object lives.

    >>> function = model.function(level=0.95)
    >>> host.set_memory_model(function.address)
    """

    __slots__ = ("__weakref__", "_handle", "address")

    def __init__(self, handle: _ffi.FunctionHandle) -> None:
        self._handle = _call.instance_of(handle, _ffi.FunctionHandle, "handle")
        self.address: int = _ffi.function_pointer(handle)

    @property
    def pointer(self) -> Any:
        """The same as a function of ctypes."""
        return _ffi.FormulaFunction(self.address)

    def __repr__(self) -> str:
        return f"<Function at {self.address:#x}>"
