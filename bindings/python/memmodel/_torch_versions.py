"""What differs between the versions of PyTorch that are known, and which these are.

What this package asks of PyTorch beyond its documented interface was tried with each version from OLDEST to NEWEST.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch import _meta_registrations
from torch._dynamo import eval_frame
from torch.fx import traceback
from torch.fx.proxy import TracerBase

OLDEST, NEWEST = (2, 6), (2, 15)  # as lib/frameworks/framework.c has them


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


KNOWN = f"memmodel.torch knows PyTorch from {_text(OLDEST)} to {_text(NEWEST)}"


def check_version(version: str) -> None:
    """ImportError before OLDEST; a warning after NEWEST."""
    number = tuple(int(part) for part in version.split(".")[:2])
    if number < OLDEST:
        raise ImportError(f"{KNOWN}, and this is {version}: install a newer one")
    if number > NEWEST:
        warnings.warn(f"{KNOWN}: {version} is newer, and is answered as {_text(NEWEST)}", stacklevel=2)


check_version(torch.__version__)


# ---- what older ones do not have ----

is_exporting: Any = getattr(torch.compiler, "is_exporting", None)  # since 2.7
meta_grouped_mm: Any = getattr(_meta_registrations, "_meta_grouped_mm_common", None)  # since 2.8


def values_of_symbols(shape_env: Any) -> Any:
    """Of sizes that depend on values, as they were when every operator ran for real."""
    until_2_10 = "unbacked_var_to_val"
    return getattr(shape_env, until_2_10 if hasattr(shape_env, until_2_10) else "real_tensor_prop_unbacked_vals")


# what a function of torch.compile()'s is called, and what it calls first
COMPILED = ("compile_wrapper", "_fn")
SWITCH_TO_COMPILED = "set_eval_frame" if hasattr(eval_frame, "set_eval_frame") else "_maybe_set_eval_frame"  # until 2.6


@contextmanager
def _annotate(marks: Mapping[str, Any]) -> Iterator[None]:
    before = traceback.current_meta.get("custom")
    traceback.current_meta["custom"] = {**(before or {}), **marks}
    try:
        yield
    finally:
        if before is None:
            del traceback.current_meta["custom"]
        else:
            traceback.current_meta["custom"] = before


annotate = getattr(traceback, "annotate", _annotate)  # since 2.9


@contextmanager
def preserve_node_meta() -> Iterator[None]:
    """With it the nodes of 2.8 and before share one list of modules, which ends empty: each is given its own."""
    create = TracerBase.create_node

    def create_node(tracer: Any, *args: Any, **kwargs: Any) -> Any:
        node = create(tracer, *args, **kwargs)
        if tracer.module_stack:
            node.meta.setdefault("nn_module_stack", tracer.module_stack.copy())
        return node

    with traceback.preserve_node_meta(), mock.patch.object(TracerBase, "create_node", create_node):
        yield
