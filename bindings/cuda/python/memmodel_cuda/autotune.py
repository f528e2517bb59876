"""Triton's autotuning: no time means anything here, so the first configuration that runs is taken, and it is said."""

from memmodel_cuda import library

_FOUND = "_memmodel_found"
_NONE = float("inf")


def take_first(autotuner):
    """Changes triton.runtime.autotuner."""
    kind = autotuner.Autotuner
    kind.do_bench = property(lambda self: _once, lambda self, value: None)
    kind.prune_configs = _noting(kind.prune_configs)
    kind._bench = _until_found(kind._bench)


def _once(call, *args, **kwargs):
    """Instead of do_bench(): takes what that clears the cache with, runs the kernel, and gives three equal times."""
    from triton.runtime import driver

    clear = getattr(driver.active, "get_empty_cache_for_benchmark", None)
    cache = clear() if clear else None
    call()
    del cache
    return [1.0, 1.0, 1.0]


def _noting(prune):
    def prune_configs(self, *args, **kwargs):
        configs = prune(self, *args, **kwargs)
        if len(configs) > 1:
            setattr(self, _FOUND, False)
            name = getattr(getattr(self, "base_fn", None), "__name__", "a kernel")
            library.note(library.PROFILE, f"Triton: {name} takes the first of {len(configs)} configurations that runs")
        return configs

    return prune_configs


def _until_found(bench):
    def _bench(self, *args, **kwargs):
        if getattr(self, _FOUND, False):
            return [_NONE] * 3
        times = bench(self, *args, **kwargs)
        setattr(self, _FOUND, (times[0] if isinstance(times, (list, tuple)) else times) != _NONE)
        return times

    return _bench
