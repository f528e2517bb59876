"""The largest batch that fits, for a training function that takes it: a drop-in for Accelerate's
find_executable_batch_size()."""

from __future__ import annotations

import functools
import gc
import inspect
from collections.abc import Callable
from typing import Any

OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "CUDNN_STATUS_NOT_SUPPORTED")


def _ran_out(error: BaseException) -> bool:
    return isinstance(error, (RuntimeError, MemoryError)) and (
        isinstance(error, MemoryError) or any(text in str(error) for text in OUT_OF_MEMORY)
    )


def _smaller(batch: int) -> int:
    """As Accelerate goes on since 1.4."""
    return int(batch * 0.9)


def _first(starting: int, fits: Callable[[int], bool] | None) -> int:
    """The first of the numbers from `starting` on down for which the prediction fits."""
    batch = starting
    while batch > 0 and fits is not None and not fits(batch):
        batch = _smaller(batch)
    return batch


def _named(function: Callable[..., Any]) -> str:
    parameters = list(inspect.signature(function).parameters)
    if not parameters:
        raise TypeError(f"{getattr(function, '__name__', function)}() takes no batch size; it is its first argument")
    return parameters[0]


def find_batch(
    function: Callable[..., Any] | None = None,
    starting_batch_size: int = 128,
    *,
    fits: Callable[[int], bool] | None = None,
) -> Callable[..., Any]:
    """Calls a training function with a batch size, with nine tenths of it where it runs out of memory, and so on.

    Without `fits` it is found as Accelerate finds it, by crashing. With it a batch size is tried only where the
    prediction fits, such as that of an estimate: the function then runs once.

    >>> fits = lambda batch: memmodel.estimate(net, batch=batch, gpu="h100").verdict == "fits"
    >>> @memmodel.find_batch(starting_batch_size=256, fits=fits)
    ... def train(batch_size): ...
    >>> train()
    """
    if function is None:
        return functools.partial(find_batch, starting_batch_size=starting_batch_size, fits=fits)
    called = function
    _named(called)

    @functools.wraps(called)
    def run(*args: Any, **kwargs: Any) -> Any:
        batch = _first(starting_batch_size, fits)
        while batch > 0:
            try:
                return called(batch, *args, **kwargs)
            except Exception as error:
                if not _ran_out(error):
                    raise
            gc.collect()
            batch = _first(_smaller(batch), fits)
        raise RuntimeError("No executable batch size found, reached zero.")

    return run
