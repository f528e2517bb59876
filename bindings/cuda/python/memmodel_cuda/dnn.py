"""
Our stand-in for cuDNN is opened before torch opens the real one, and alone: RTLD_LOCAL.

It opens the real cuDNN itself, whose names must not be found before its own.
"""

import atexit
import ctypes
import os


def open_first():
    path = os.environ.get("MEMMODEL_CUDA_DNN")
    if not path:
        return
    library = ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL)
    leave = getattr(library, "memmodel_cuda_dnn_leave", None)
    if leave is not None:
        leave.restype = None
        atexit.register(leave)  # cuDNN's destructors may abort
