"""
What libraries keep on disk about kernels: compiled ones, and which of several was the fastest.

On the simulated device no time means anything, so the program's own caches are neither read nor written.
"""

import os
from pathlib import Path

_VARIABLES = {
    "DG_JIT_CACHE_DIR": "deep_gemm",
    "FLASHINFER_WORKSPACE_BASE": "flashinfer",
    "FLASHINFER_AUTOTUNE_CACHE_DIR": "flashinfer/autotune",
    "QUACK_CACHE_DIR": "quack",
    "TILELANG_CACHE_DIR": "tilelang",
    "TORCHINDUCTOR_CACHE_DIR": "inductor",
    "TRITON_CACHE_DIR": "triton",
    "VLLM_CACHE_ROOT": "vllm",
}
_MARK = "MEMMODEL_CUDA_CACHE"


def root():
    return Path(os.environ[_MARK])


def keep_apart():
    """Once for a program and all that it starts; it may choose others itself."""
    if _MARK in os.environ:
        return
    ours = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    os.environ[_MARK] = str(Path(ours).expanduser() / "memmodel" / "simulated-gpu")
    for variable, folder in _VARIABLES.items():
        os.environ[variable] = str(root() / folder)
