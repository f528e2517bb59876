"""Python's numbers in place of tensors, as torch hands them to kernels in Python, become tensors that promote alike."""

import torch

from memmodel_cuda.quiet import quiet

_NUMBERS = {bool, int, float, complex}
_DOUBLE = {torch.float64, torch.complex128}
_wrapped = {}  # numbers as tensors
_WRAPPED = 4096  # so many are kept


def schema(name):
    base, _, overload = name.partition(".")
    return torch._C._get_schema(base, overload)


def places(of):
    """Of the arguments that are tensors by the schema, if one of them may come as a number."""
    found = [i for i, argument in enumerate(of.arguments) if "Tensor" in str(argument.type)]
    return found if len(found) > 1 else []


def wrap(places, args):
    if _NUMBERS.isdisjoint(map(type, args)):
        return args
    for i in places:
        if i < len(args) and type(args[i]) in _NUMBERS:
            args = list(args)
            args[i] = _as_tensor(args[i], args)
    return args


def _as_tensor(number, args):
    """A number never makes float32 of float64."""
    double = type(number) is float and not _DOUBLE.isdisjoint(getattr(other, "dtype", None) for other in args)
    key = type(number), number, double, torch.get_default_dtype()
    found = _wrapped.get(key)
    if found is None:
        if len(_wrapped) >= _WRAPPED:
            _wrapped.clear()
        with quiet():
            found = torch.tensor(number, dtype=torch.float64 if double else None, device="cpu")
        _wrapped[key] = found
    return found
