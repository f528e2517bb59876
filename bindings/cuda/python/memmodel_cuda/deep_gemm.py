"""
DeepGEMM compiles its kernels with nvcc when they are first called; here a script stands for it.

Its own code still allocates what it returns, so its memory is right.
"""

import os
import shutil

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
    if os.environ.get("DG_JIT_NVCC_COMPILER", "").startswith(caches.root()):
        return
    toolkit = os.path.join(caches.root(), "toolkit")
    os.environ["DG_JIT_NVCC_COMPILER"] = _write(os.path.join(toolkit, "bin", "nvcc"))
    if not _has_toolkit():
        os.environ["CUDA_HOME"] = toolkit
    library.note(library.PROFILE, "DeepGEMM: its kernels are not compiled, and take no memory of the device")


def _write(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    mine = f"{path}.{os.getpid()}"
    with open(mine, "w") as file:
        file.write(_NVCC)
    os.chmod(mine, 0o755)
    os.replace(mine, path)
    return path


def _has_toolkit():
    named = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    return bool(named or shutil.which("nvcc") or os.path.exists("/usr/local/cuda"))
