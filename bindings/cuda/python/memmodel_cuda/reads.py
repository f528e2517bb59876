"""The operators by which values come to the host, and those that bring them to the device."""

import torch

from memmodel_cuda import beside, knowledge, library, made_up
from memmodel_cuda.quiet import quiet

_KNOWN, _PLAUSIBLE, _UNKNOWN = knowledge.KNOWN, knowledge.PLAUSIBLE, knowledge.UNKNOWN
_zero = beside.kernel_of("aten::zero_")
_equal = beside.kernel_of("aten::equal")


def _to_host(tensor, how):
    """The program is about to read the tensor: what is unknown of it is made up if it is small."""
    level = knowledge.level(tensor)
    if level == _KNOWN or tensor.numel() == 0:
        return level
    made_up.note(tensor.nbytes, how)
    if level == _UNKNOWN and knowledge.is_small(tensor):
        with quiet():
            made_up.invent(tensor)
    return level


def _followed(real, *args):
    library.followed(True)
    try:
        return real(*args)
    finally:
        library.followed(False)


def _item(real, _):
    def item(tensor):
        _to_host(tensor, "item")
        return _followed(real, tensor)

    return item


def _copy(real, follow):
    def copy(to, source, non_blocking=False):
        if not isinstance(source, torch.Tensor):
            source = torch.tensor(source)
        if to.numel() == 0:
            return real(to, source, non_blocking)
        if not to.is_cuda:
            return _copy_to_host(real, to, source, non_blocking)
        result = follow(to, source, non_blocking)
        if not source.is_cuda:
            _keep_large(to, source)
        elif source.dtype is torch.bool or knowledge.guess(source):
            _hand_on(to, source)
        return result

    return copy


def _copy_to_host(real, to, source, non_blocking):
    level = _to_host(source, "copy to the host")
    result = _followed(real, to, source, non_blocking)
    if source.numel() == 0:
        return result
    if knowledge.is_small(source):
        with quiet():
            beside.copy(to, source)  # it may have been converted on the way
    elif level == _UNKNOWN:
        _zero(to)  # not whatever lay there
    if level != _KNOWN or knowledge.level(to) != _KNOWN:
        knowledge.mark_host(to, _PLAUSIBLE)
    return result


def _keep_large(to, source):
    """What the library kept of a copy from the host, though it is too large to be computed with."""
    is_kept = to.nbytes <= knowledge.TRACKED and to.is_contiguous() and source.is_contiguous()
    if is_kept and to.dtype == source.dtype and not knowledge.is_small(to):
        knowledge.written(to, knowledge.level(source))


def _hand_on(to, source):
    """A mask stays one as a number, and a guess stays one."""
    found = knowledge.guess(source) or knowledge.Guess("mask")
    if knowledge.level(to) == _UNKNOWN and to.numel() == source.numel():
        knowledge.mark(to, found)


def _equality(real, _):
    def equal(left, right):
        if left.shape != right.shape:
            return False
        level = min(knowledge.level(left), knowledge.level(right))
        if level and knowledge.is_small(left) and knowledge.is_small(right):
            if level != _KNOWN:
                made_up.note(1, "equal")
            with quiet():
                return _equal(beside.alias(left), beside.alias(right))
        with made_up.expected():
            real(left, right)
        same = left.data_ptr() == right.data_ptr() and left.stride() == right.stride()
        if not same:
            made_up.note(1, "equal")
        return True

    return equal


def _scalar_first(base, overload):
    """A number before a tensor: torch hands it on as a number of the device, which cannot pass through Python."""

    def replace(real, _):
        operator = getattr(getattr(torch.ops.aten, base), overload)

        def call(number, tensor, **kwargs):
            dtype = torch.float64 if tensor.dtype is torch.float64 and isinstance(number, float) else None
            with torch._C.DisableTorchFunction():
                number = torch.tensor(number, dtype=dtype, device=tensor.device)
            return operator(number, tensor, **kwargs)

        return call

    return replace


# name: function(real kernel, kernel that computes beside) that gives the kernel to use
REPLACED = {
    "aten::_local_scalar_dense": _item,
    "aten::copy_": _copy,
    "aten::equal": _equality,
    "aten::pow.Scalar": _scalar_first("pow", "Tensor_Tensor"),
    "aten::pow.Scalar_out": _scalar_first("pow", "Tensor_Tensor_out"),
    "aten::isin.Scalar_Tensor": _scalar_first("isin", "Tensor_Tensor"),
    "aten::isin.Scalar_Tensor_out": _scalar_first("isin", "Tensor_Tensor_out"),
}
