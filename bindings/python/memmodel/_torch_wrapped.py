"""Modules that a strategy has wrapped already: they say which ranks there are, and how these share their data.

Sources: torch/nn/parallel/distributed.py; torch/distributed/fsdp/_fully_shard/_fully_shard.py, _fsdp_state.py and
_fsdp_param_group.py, whose private names are read.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import torch
from torch import nn

from memmodel._torch_patterns import pattern_of

MIB = 2**20
P = ParamSpec("P")
R = TypeVar("R")

Said = tuple[Any, dict[str, Any]]  # the module as it was, as a context, and arguments of estimate()


class WrappedError(ValueError):
    """A module is wrapped in a way that is not read."""


# ---- DistributedDataParallel ----


@contextmanager
def _same(module: nn.Module) -> Iterator[nn.Module]:
    yield module


def _of_ddp(module: Any) -> Said:
    options = {
        "bucket_cap_mb": None if module.bucket_bytes_cap_default else module.bucket_bytes_cap / MIB,
        "gradient_as_bucket_view": module.gradient_as_bucket_view or None,
        "find_unused_parameters": module.find_unused_parameters or None,
        "static_graph": module.static_graph or None,
        "broadcast_buffers": None if module.broadcast_buffers else False,
    }
    given = ", ".join(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
                      for name, value in options.items() if value is not None)  # fmt: skip
    ranks = torch.distributed.get_world_size(module.process_group)
    return _same(module.module), {"mesh": {"dp": ranks}, "data": f"ddp({given})" if given else "ddp"}


# ---- fully_shard ----


def _groups(part: Any) -> list[Any]:
    state = part._get_fsdp_state()
    groups = getattr(state, "_fsdp_param_groups", None)
    return list(groups) if groups is not None else [group for group in (state._fsdp_param_group,) if group]


def _units(module: nn.Module, kind: type) -> dict[str, Any]:
    found = {name: part for name, part in module.named_modules() if isinstance(part, kind)}
    for name, part in found.items():
        for group in _groups(part):
            if len(group.modules) > 1:
                raise WrappedError(f"{name}: several modules in one call of fully_shard() are not read; give data=")
            for parameter in group.fsdp_params:
                if parameter.is_dtensor:
                    raise WrappedError(
                        f"{name}: its parameters were DTensors before; give the module as it was, and tensor="
                    )
    return found


def _mesh(group: Any) -> tuple[dict[str, int], int]:
    info = group.mesh_info
    shards = int(info.shard_mesh_size)
    if hasattr(info, "replicate_mesh_size"):
        sizes = {"dp": int(info.replicate_mesh_size), "fsdp": shards}
        return sizes, int(info.replicate_mesh_rank) * shards + int(info.shard_mesh_rank)
    return {"dp": shards}, int(info.shard_mesh_rank)


def _options(part: Any, group: Any) -> list[str]:
    state = part._get_fsdp_state()
    options = []
    if not getattr(state, "_auto_reshard_after_forward", False):
        options.append(f"reshard_after_forward={group.post_forward_mesh_info is not None}")
    for name in ("param_dtype", "reduce_dtype"):
        dtype = getattr(state._mp_policy, name)
        if dtype is not None:
            options.append(f"{name}={str(dtype).removeprefix('torch.')}")
    return options


@contextmanager
def _unsharded(module: nn.Module, units: dict[str, Any]) -> Iterator[nn.Module]:
    """The module with its own classes, without hooks, with parameters of the size that they had; then as it is."""
    kept = [(part, part.__class__, dict(part._parameters), part._forward_pre_hooks.copy(), part._forward_hooks.copy())
            for part in module.modules()]  # fmt: skip
    try:
        for part in units.values():
            state, groups = part._get_fsdp_state(), _groups(part)
            part._forward_pre_hooks.pop(state._pre_forward_hook_handle.id, None)
            part._forward_hooks.pop(state._post_forward_hook_handle.id, None)
            for parameter in (parameter for group in groups for parameter in group.fsdp_params):
                local = parameter.sharded_param
                whole = torch.empty(parameter._orig_size, dtype=local.dtype)
                owner = parameter._module_info
                owner.module._parameters[owner.param_name] = nn.Parameter(whole, requires_grad=local.requires_grad)
        for part in units.values():
            part.__class__ = next(base for base in type(part).__bases__ if base.__name__ != "FSDPModule")
        yield module
    finally:
        for part, kind, parameters, before, after in kept:
            part.__class__ = kind
            part._parameters.update(parameters)
            part._forward_pre_hooks.update(before)
            part._forward_hooks.update(after)


def _of_fsdp(module: nn.Module, kind: type) -> Said:
    units = _units(module, kind)
    inner = {name: part for name, part in units.items() if name and _groups(part)}
    first = next((part for part in inner.values()), module)
    group = next(iter(_groups(first)))
    mesh, rank = _mesh(group)
    names = pattern_of(list(inner), module)
    data = ", ".join(filter(None, [names, *_options(first, group)]))
    return _unsharded(module, units), {"mesh": mesh, "data": f"fsdp({data})", "rank": rank}


# ---- both ----


def _said(module: nn.Module) -> Said | None:
    if not torch.distributed.is_available():
        return None
    from torch.distributed.tensor import DTensor

    try:
        from torch.distributed.fsdp import FSDPModule
    except ImportError:
        FSDPModule = None  # PyTorch before 2.6  # noqa: N806
    if isinstance(module, nn.parallel.DistributedDataParallel):
        return _of_ddp(module)
    if FSDPModule is not None and isinstance(module, FSDPModule):
        return _of_fsdp(module, FSDPModule)
    for name, parameter in module.named_parameters():
        if isinstance(parameter, DTensor):
            raise WrappedError(
                f"{name} is a DTensor: give the module as it was before parallelize_module(), and tensor="
            )
    return None


def with_own_mesh(estimate: Callable[P, R]) -> Callable[P, R]:
    """estimate() of a wrapped module is that of what it wraps, with the mesh and the strategy that it says."""

    @functools.wraps(estimate)
    def asked(*args: P.args, **given: P.kwargs) -> R:
        module: Any = args[0] if args else given["module"]
        said = _said(module) if isinstance(module, nn.Module) else None
        if said is None:
            return estimate(*args, **given)
        for name in ("mesh", "data"):
            if given.get(name) is not None:
                raise WrappedError(f"{name}: the module says its own; give the module as it was before")
        with said[0] as plain:
            own: Any = {
                **said[1],
                **{name: value for name, value in given.items() if name not in ("module", "mesh", "data")},
            }
            call: Any = estimate
            result: R = call(plain, *args[1:], **own)
            return result

    return asked
