"""
Kernels of torch's operators: had, and replaced by ours.

torch gives out its kernels since 2.10. Before, ours stand at the key BackendSelect, which every call passes last before
the backends, and hand on to them; operators of the CPU pass there too.
"""

import functools
import warnings

import torch

from memmodel_cuda import numbers

_C = torch._C
_Key = _C.DispatchKey
_SELECT, _CUDA = _Key.BackendSelect, _Key.CUDA
_GIVES_OUT = hasattr(_C, "_dispatch_get_computed_kernel_for_dispatch_key")
# Those that have a kernel at BackendSelect by themselves: no tensor says where they run.
_FACTORIES = {"aten::triu_indices", "aten::tril_indices"}
_LAYOUTS = {None: "", torch.strided: "", torch.sparse_coo: "Sparse", torch._mkldnn: "Mkldnn"}
_libraries = {}  # as long as they live, the kernels are ours


def names(key="CUDA"):
    """Of all operators with a kernel of their own there."""
    return _C._dispatch_get_registrations_for_dispatch_key(key)


def kernel(name, key=_CUDA):
    """The kernel for a backend, as a function of the operator's arguments. RuntimeError if there is none."""
    if _GIVES_OUT:
        boxed = _C._dispatch_get_computed_kernel_for_dispatch_key(name, key).call_boxed
    elif _C._dispatch_has_computed_kernel_for_dispatch_key(name, key.name):
        boxed = _overload(name)._handle.redispatch_boxed
    else:
        raise RuntimeError(name)
    return functools.partial(boxed, _C.DispatchKeySet(key))


def replace(name, ours):
    """Puts our function in place of the kernel for CUDA."""
    space, _, rest = name.partition("::")
    key = "CUDA" if _GIVES_OUT else "BackendSelect"
    if space not in _libraries:
        _libraries[space] = _C._dispatch_library("IMPL", space, key)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that kernels are replaced, which is meant
        if _GIVES_OUT:
            _libraries[space].impl(rest, key, ours)
        else:
            _libraries[space].impl(rest, key, _selecting(name, ours), True)


def _overload(name):
    space, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, space), base), overload or "default")


def _selecting(name, ours):
    """A kernel at BackendSelect that calls ours for tensors of CUDA, otherwise the backend's own."""
    redispatch = _overload(name)._handle.redispatch_boxed
    is_factory = name in _FACTORIES
    places = numbers.places(numbers.schema(name))

    def select(keys, *args, **kwargs):
        keys = _backend(kwargs) if is_factory else keys.remove(_SELECT)
        if keys.highestPriorityTypeId() == _CUDA:
            return ours(*args, **kwargs)
        args = numbers.wrap(places, args) if places else args
        return redispatch(keys, *args, **kwargs)

    return select


def _backend(options):
    kind = torch.device(options.get("device") or "cpu").type
    kind = "Meta" if kind == "meta" else kind.upper()
    return _C.DispatchKeySet(getattr(_Key, _LAYOUTS.get(options.get("layout"), "SparseCsr") + kind))
