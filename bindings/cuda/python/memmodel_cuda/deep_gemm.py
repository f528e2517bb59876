"""
DeepGEMM compiles its kernels with nvcc when they are first called; here a script stands for it.

Its own code still allocates what it returns, so its memory is right.
"""

import os
import shutil
from pathlib import Path

from memmodel_cuda import caches, library

_NVCC = """#!/bin/sh
# Stands for nvcc where no kernel is ever run: says a version, and writes a file that nobody reads.
if [ "$1" = --version ]; then
    echo "Cuda compilation tools, release 13.0, V13.0.0"
fi
while [ $# -gt 0 ]; do
    if [ "$1" = --output-file ] || [ "$1" = -o ]; then
        echo nothing >"$2"
    fi
    shift
done
"""


def before():
    """Called before DeepGEMM is imported."""
    toolkit = caches.root() / "toolkit"
    compiler = toolkit / "bin" / "nvcc"
    if os.environ.get("DG_JIT_NVCC_COMPILER") == str(compiler):
        return
    _write(compiler)
    os.environ["DG_JIT_NVCC_COMPILER"] = str(compiler)
    if not _has_toolkit():
        os.environ["CUDA_HOME"] = str(toolkit)
    library.note(library.PROFILE, "DeepGEMM: its kernels are not compiled, and take no memory of the device")


def _write(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    mine = path.with_name(f"nvcc.{os.getpid()}")
    mine.write_text(_NVCC)
    mine.chmod(0o755)
    mine.replace(path)


def _has_toolkit():
    named = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    return bool(named or shutil.which("nvcc") or Path("/usr/local/cuda").exists())
