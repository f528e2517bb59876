"""Python's numbers in place of tensors, as torch hands them to kernels in Python, become tensors that promote alike."""

import torch

from memmodel_cuda.quiet import quiet

_NUMBERS = {bool, int, float, complex}
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
            args[i] = _as_tensor(args[i])
    return args


def _as_tensor(number):
    key = type(number), number or str(number)  # 0.0 is -0.0, but as a text
    found = _wrapped.get(key)
    if found is None:
        if len(_wrapped) >= _WRAPPED:
            _wrapped.clear()
        with quiet():
            _wrapped[key] = torch.tensor(number, device="cpu")  # which _saved() meets where its kernels are ours
            _wrapped[key] = found = _saved(number)
    return found


def _saved(number):
    """As autograd keeps it: torch marks the tensor as a number, which no function of Python does."""
    dtype = torch.complex128 if type(number) is complex else torch.float64
    with torch.inference_mode(False), torch.enable_grad():
        return (torch.ones((), dtype=dtype, device="cpu", requires_grad=True) * number).grad_fn._saved_other
