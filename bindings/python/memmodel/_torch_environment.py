"""Settings of a GPU's memory that PyTorch reads from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from memmodel import _ffi

# By fields of a job: the variables, of which the first counts that is set. c10/core/AllocatorConfig.cpp,
# aten/src/ATen/cuda/CublasHandlePool.cpp
VARIABLES = {
    "allocator_settings": ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"),
    "cublas_workspace": ("CUBLAS_WORKSPACE_CONFIG",),
}


def settings_of_environment(given: Mapping[str, Any]) -> dict[str, str]:
    """What the environment says now of a job on a GPU, where nothing was given."""
    found: dict[str, str] = {}
    for field, variables in VARIABLES.items() if given["gpu"] else ():
        text = next((os.environ[name] for name in variables if os.environ.get(name)), None)
        if text and given[field] is None:
            found[field] = text
    return found


def take_environment(job: _ffi.Job) -> bool:
    """Gives that to a job; whether it is anything."""
    found = settings_of_environment({name: getattr(job, name) for name in ("gpu", *VARIABLES)})
    for field, text in found.items():
        setattr(job, field, text)
    return bool(found)
