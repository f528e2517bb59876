"""What code outside of torch is answered when it asks whether it is traced: what it is answered in a run.

A module may have taken hold of the function that it asks long before, `from torch.compiler import is_compiling`. So the
function stays the same object, and gets other code while the module is traced.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch._dynamo.external_utils
import torch._utils
import torch.fx._symbolic_trace
import torch.fx.experimental.proxy_tensor
import torch.overrides
import torch.utils._python_dispatch
from torch import _guards
from torch._subclasses import fake_tensor

from memmodel._torch_versions import is_exporting

IN_A_RUN: tuple[tuple[Any, Any], ...] = (
    (torch.compiler.is_compiling, False),
    *((function, False) for function in (is_exporting,) if function),
    (torch.compiler.is_dynamo_compiling, False),
    (torch._dynamo.external_utils.is_compiling, False),
    (torch._utils.is_compiling, False),
    (torch.fx._symbolic_trace.is_fx_tracing, False),
    (torch.fx.experimental.proxy_tensor.get_proxy_mode, None),
    (torch.utils._python_dispatch._get_current_dispatch_mode, None),
    (torch.utils._python_dispatch._get_current_dispatch_mode_stack, []),
    (torch.overrides._get_current_function_mode, None),
    (torch.overrides._get_current_function_mode_stack, []),
    (_guards.detect_fake_mode, None),
    (fake_tensor.is_fake, False),
)
WITH_THE_TRUTH = ("torch", "memmodel")

_asked: dict[tuple[str, str], tuple[FunctionType, Any]] = {}  # by module and name: as it was, and the answer in a run


def _ask(*args: Any, **kwargs: Any) -> Any:
    """The code of every function above; its globals are those of the function."""
    import sys

    from memmodel._torch_questions import answered

    return answered(sys._getframe(), args, kwargs)


def answered(frame: FrameType, args: Any, kwargs: Any) -> Any:
    function, in_a_run = _asked[_name(frame.f_code, frame.f_globals)]
    asking = frame.f_back.f_globals.get("__name__", "") if frame.f_back else ""
    return function(*args, **kwargs) if asking.partition(".")[0] in WITH_THE_TRUTH else in_a_run


def _name(code: CodeType, names: dict[str, Any]) -> tuple[str, str]:
    return names["__name__"], code.co_name


def _as_it_was(function: Any) -> FunctionType:
    copy = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


@contextmanager
def answered_as_in_a_run() -> Iterator[None]:
    codes = {function: function.__code__ for function, _ in IN_A_RUN}
    try:
        for function, in_a_run in IN_A_RUN:
            _asked[_name(function.__code__, function.__globals__)] = _as_it_was(function), in_a_run
            function.__code__ = _ask.__code__.replace(co_name=function.__code__.co_name)
        yield
    finally:
        for function, code in codes.items():
            function.__code__ = code
