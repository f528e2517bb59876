"""At each optimizer step statistics of torch's allocator go to the ledger; the program ends after some if asked."""

import atexit
import contextlib
import multiprocessing
import os
import sys
import time

from memmodel_cuda import library

_running = []  # optimizers whose step is going on: one may call another's
_done = 0
_SETTLE = 0.02  # seconds


def count():
    """Steps of this process."""
    return _done


def follow(torch):
    from torch.optim import optimizer

    optimizer.register_optimizer_step_pre_hook(_begin)
    optimizer.register_optimizer_step_post_hook(_end)
    atexit.register(_leave)


def _leave():
    """Threads of autograd may still be releasing tensors, for which they need the interpreter."""
    record()
    if sys.modules["torch"].cuda.is_initialized():
        time.sleep(_SETTLE)


def record():
    """Writes into the ledger what torch's allocator says of each device that this process has used."""
    cuda = sys.modules["torch"].cuda
    if not cuda.is_initialized():
        return
    for device in range(cuda.device_count()):
        peak = cuda.max_memory_allocated(device)
        if peak:
            library.allocated(device, peak)


def _begin(optimizer, *_):
    if optimizer in _running:  # the last step of it raised, or a subclass calls its parent's
        del _running[_running.index(optimizer) :]
    _running.append(optimizer)


def _end(optimizer, *_):
    global _done  # noqa: PLW0603
    if optimizer not in _running:
        return
    del _running[_running.index(optimizer) :]
    if _running:
        return
    _done += 1
    record()
    if _done == _last_step():
        _stop()


def _last_step():
    try:
        return int(os.environ.get("MEMMODEL_CUDA_STOP_AFTER", "0"))
    except ValueError:
        return 0


def _stop():
    """Ends the process with code 0; the workers of its DataLoaders end with it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    library.flush_stdio()
    for child in multiprocessing.active_children():
        child.kill()
    os._exit(0)


for hook in (_begin, _end):
    hook._torchdynamo_disable = True  # the compiler leaves them alone
