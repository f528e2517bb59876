"""Optimizer steps: statistics of torch's allocator go to the ledger at each, and the program ends after some if asked."""

import atexit
import multiprocessing
import os
import sys

from memmodel_cuda import library

_torch = None
_running = []  # optimizers whose step is going on: one may call another's
count = 0


def follow(torch):
    global _torch
    _torch = torch
    from torch.optim import optimizer

    optimizer.register_optimizer_step_pre_hook(_begin)
    optimizer.register_optimizer_step_post_hook(_end)
    atexit.register(record)


def record():
    """Tells the ledger what torch's allocator says of each device that this process has used."""
    if _torch is None or not _torch.cuda.is_initialized():
        return
    for device in range(_torch.cuda.device_count()):
        peak = _torch.cuda.max_memory_allocated(device)
        if peak:
            library.allocated(device, peak)


def _begin(optimizer, *_):
    if optimizer in _running:  # the last step of it raised, or a subclass calls its parent's
        del _running[_running.index(optimizer) :]
    _running.append(optimizer)


def _end(optimizer, *_):
    global count
    if optimizer not in _running:
        return
    del _running[_running.index(optimizer) :]
    if _running:
        return
    count += 1
    record()
    if count == _last_step():
        _stop()


def _last_step():
    try:
        return int(os.environ.get("MEMMODEL_CUDA_STOP_AFTER", "0"))
    except ValueError:
        return 0


def _stop():
    """Ends the process with code 0; the workers of its DataLoaders end with it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass
    library.flush_stdio()
    for child in multiprocessing.active_children():
        child.kill()
    os._exit(0)


for hook in (_begin, _end):
    hook._torchdynamo_disable = True  # the compiler leaves them alone
