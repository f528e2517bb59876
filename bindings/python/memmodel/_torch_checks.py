"""What PyTorch would refuse to run, and what it would run in another way than the eager mode that is modelled.

Tensors without memory are checked for their shapes, not for all that a kernel asks of their types. Calls whose tensors
are of several types, or of integers, are made once more with one element each: what is refused then although the shapes
fit, and accepted for tensors of other types, is refused in a run.
"""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch._dynamo import eval_frame
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import _trace
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing
from torch.utils._pytree import tree_flatten, tree_map_only

from memmodel._torch_versions import COMPILED, SWITCH_TO_COMPILED


class Refused(RuntimeError):
    """A run would end with this error, or would not be the one that is modelled: no other way of tracing helps."""


def quiet(logger: str) -> AbstractContextManager[Any]:
    """What is wrong is said by the exception; each way that was tried would warn of it."""
    return mock.patch.object(logging.getLogger(logger), "disabled", new=True)


@contextmanager
def failures_unprinted() -> Iterator[None]:
    """torch.export prints the graph that it had made until it failed, however often another way is tried."""
    with (
        mock.patch.object(_trace, "print", lambda *words, **options: None, create=True),
        quiet("torch._subclasses.fake_tensor"),
        quiet("torch.fx.experimental.symbolic_shapes"),
    ):
        yield


# ---- modules that do not run eagerly on one device ----

DISTRIBUTED = {
    "DataParallel": "splits each batch among the devices",
    "DistributedDataParallel": "adds buckets for gradients to every process",
    "FullyShardedDataParallel": "keeps a part of each parameter in every process",
    "FSDPModule": "keeps a part of each parameter in every process",
}


def check_module(module: nn.Module) -> None:
    for name, part in module.named_modules():
        where = f"module: {name}" if name else "module: it"
        kinds = {kind.__name__ for kind in type(part).__mro__}
        for kind in DISTRIBUTED.keys() & kinds:
            raise ValueError(
                f"{where} is a {kind}, which {DISTRIBUTED[kind]}: not modelled. "
                "The module inside of it, handed over as it was before, is answered for one device"
            )
        if isinstance(part, torch.jit.ScriptModule):
            raise ValueError(
                f"{where} is run by TorchScript, not eagerly: not modelled. Hand over the module it was made of"
            )
        if isinstance(part, eval_frame.OptimizedModule) or part._compiled_call_impl is not None:
            raise ValueError(_compiled(where))
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        if torch.nn.parameter.is_lazy(tensor):
            raise ValueError(f"module: {name} has no size yet: call the module once, with what it is to be called with")
        if type(tensor).__name__ == "DTensor":
            raise ValueError(f"module: {name} is a DTensor, of which each process has a part: not modelled")


def _compiled(where: str) -> str:
    return (
        f"{where} is compiled by torch.compile, which takes other memory than an eager run: not modelled. "
        "Handed over as it was before, it is answered as it runs without torch.compile"
    )


def _called(wrapper: FrameType) -> str:
    return f"{getattr(wrapper.f_locals.get('fn'), '__qualname__', 'a function')}()"


@contextmanager
def compiled_functions_refused() -> Iterator[None]:
    """Those that a forward function calls; export would run them as if they were not compiled."""
    switch = getattr(eval_frame, SWITCH_TO_COMPILED)

    def switch_or_refuse(callback: Any) -> Any:
        caller = sys._getframe(1)
        if caller.f_code.co_name in COMPILED and "callback" in caller.f_locals:  # disable()'s has none
            raise Refused(_compiled(_called(caller)))
        return switch(callback)

    try:
        with mock.patch.object(eval_frame, SWITCH_TO_COMPILED, switch_or_refuse):
            yield
    except RuntimeError as error:
        if "trace a dynamo-optimized function" in str(error):  # says 2.6 before it switches
            raise Refused(_compiled(_called(inspect.trace()[-1].frame))) from error
        raise


@contextmanager
def differentiations_noted(found: list[str]) -> Iterator[None]:
    """Those within the forward function. Some can be traced."""
    run = torch.autograd._engine_run_backward

    def noted(*args: Any, **kwargs: Any) -> Any:
        found.append("the forward function differentiates, by torch.autograd.grad() or backward(): not modelled")
        return run(*args, **kwargs)

    with mock.patch.object(torch.autograd, "_engine_run_backward", noted):
        yield


# ---- the loss ----


def check_loss(loss: Any) -> None:
    """What loss.backward() would say."""
    if not isinstance(loss, torch.Tensor):
        raise Refused(f"loss: a tensor is needed, '{type(loss).__name__}' has no backward()")
    if loss.numel() != 1:
        raise Refused(
            f"loss: grad can be implicitly created only for scalar outputs, its shape is {tuple(loss.shape)}; "
            "take its mean() or sum()"
        )
    if loss.is_complex():
        raise Refused(
            f"loss: grad can be implicitly created only for real scalar outputs but got {loss.dtype}; take its abs()"
        )
    if not loss.requires_grad:
        raise Refused(
            "loss: element 0 of tensors does not require grad and does not have a grad_fn; no parameter that requires "
            "one leads to it (training=False is for predictions)"
        )


# ---- types ----


def check_types(graph_module: Any) -> None:
    for node in graph_module.graph.nodes:
        if node.op == "get_attr" and isinstance(inner := getattr(graph_module, node.target), torch.fx.GraphModule):
            check_types(inner)
        if node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload):
            _check_types_of(node)


def _check_types_of(node: Any) -> None:
    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), lambda part: part.meta.get("val"))
    tensors = [part for part in tree_flatten((args, kwargs))[0] if isinstance(part, torch.Tensor)]
    types = {tensor.dtype for tensor in tensors}
    if len(types) < 2 and not any(not kind.is_floating_point and not kind.is_complex for kind in types):
        return
    error = _refusal(node.target, args, kwargs, lambda kind: kind)
    if error is None or all(_refusal(node.target, args, kwargs, other) for other in OTHER_TYPES):
        return
    kinds = ", ".join(f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}" for tensor in tensors)
    raise Refused(f"{node.name} ({node.target}) of {kinds}: {str(error).splitlines()[0]}{_line_of(node)}") from error


OTHER_TYPES: tuple[Callable[[torch.dtype], torch.dtype], ...] = (
    lambda _: torch.float32,
    lambda _: torch.int64,
    lambda kind: torch.float32 if kind.is_floating_point else kind,
    lambda kind: kind if kind.is_floating_point else torch.int64,
    lambda kind: torch.float32 if kind.is_floating_point else torch.int64,
)


def _refusal(target: Any, args: Any, kwargs: Any, kind_of: Callable[[torch.dtype], torch.dtype]) -> Exception | None:
    """What the call says to tensors of one element, whatever it is; None also where it does not take these shapes."""

    def called(value: int) -> Exception | None:
        def one(tensor: Any) -> Any:
            return torch.full([1] * tensor.dim(), value, dtype=kind_of(tensor.dtype))

        try:
            target(*tree_map_only(torch.Tensor, one, args), **tree_map_only(torch.Tensor, one, kwargs))
        except Exception as error:  # whatever the operator says
            return error
        return None

    with disable_proxy_modes_tracing(), torch.random.fork_rng(devices=[]), torch.no_grad():
        with FakeTensorMode(), quiet("torch._subclasses.fake_tensor"):
            if called(0) is not None:
                return None
        return called(0) and called(1)


def _line_of(node: Any) -> str:
    """Where Python was."""
    lines = [line.strip() for line in (node.meta.get("stack_trace") or "").splitlines() if line.strip()]
    return f", at {' '.join(lines[-2:])}" if lines else ""
