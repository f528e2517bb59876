"""
What can be said of an operator's result when its inputs are unknown: sizes and values in range.

Counts and masks are upper bounds, since sizes follow from them; choices (argmax, topk, multinomial) are spread evenly;
questions for what is not finite are answered with no.
"""

import math

import torch

from memmodel_cuda import beside, knowledge, made_up, solved
from memmodel_cuda.knowledge import PLAUSIBLE, Guess
from memmodel_cuda.quiet import quiet


def filled(operator, result, values, level):
    """The real result with computed values in it; where the values have another size, a result of that size."""
    if isinstance(result, (list, tuple)):
        return type(result)(filled(operator, real, value, level) for real, value in zip(result, values))
    if not isinstance(result, torch.Tensor) or not isinstance(values, torch.Tensor):
        return values if isinstance(result, (bool, int, float)) else result
    if result.shape != values.shape:
        if level != knowledge.KNOWN:
            made_up.note_size(f"{operator.base} gives {values.numel()} elements")
        with quiet():
            result = _resized(result, bool(operator.outputs), values.shape)
    beside.copy(result, values)
    knowledge.mark(result, level)
    return result


def real_of(operator):
    """The real kernel; those that take a size from stale bytes are left out, others read what we replace."""
    if operator.base in _LEFT_OUT:
        return _LEFT_OUT[operator.base]
    if operator.base not in ("_unique", "_unique2", "unique_consecutive"):
        return operator.real

    def real(*args, **kwargs):
        with made_up.expected():
            return operator.real(*args, **kwargs)

    return real


def _no_nonzero(source, *, out=None):
    if out is not None:
        return out
    return source.new_empty([0, source.dim()], dtype=torch.int64)


def _no_unique_dim(source, dim, *args, **kwargs):
    """With the memory that sorting takes."""
    rows = source.clone()
    inverse = source.new_empty([source.size(dim)], dtype=torch.int64)
    sorted_to = torch.empty_like(inverse)
    del rows, sorted_to
    return source.new_empty([0]), inverse, torch.empty_like(inverse)


_LEFT_OUT = {
    "nonzero": _no_nonzero,
    "unique_dim": _no_unique_dim,
    "unique_dim_consecutive": _no_unique_dim,
}


def _fill(tensor, values):
    """Plausible values into a tensor whose values are unknown, if it is small."""
    if tensor.numel() and knowledge.is_small(tensor):
        alias = beside.alias(tensor)
        alias.copy_(values) if isinstance(values, torch.Tensor) else alias.fill_(values)
        knowledge.written(tensor, PLAUSIBLE)


def _value_of(argument):
    """The value that all elements are guessed to have, or None."""
    found = knowledge.guess(argument) if isinstance(argument, torch.Tensor) else None
    return found.value if found and found.kind == "value" else None


def _say(result, value):
    if knowledge.is_small(result):
        _fill(result, value)
    else:
        knowledge.mark(result, Guess("value", value))
    return result


# ---- questions ----


def _not_finite(operator, args, kwargs, result):
    return _say(result, False)


def _compare(same):
    def rule(operator, args, kwargs, result):
        left, right = args[:2]
        if not isinstance(right, torch.Tensor):
            infinite = isinstance(right, float) and not math.isfinite(right)
            return _say(result, not same) if infinite else result
        if left.data_ptr() == right.data_ptr() and left.shape == right.shape and left.stride() == right.stride():
            return _say(result, same)  # as x == x is asked, to find a NaN
        return result

    return rule


def _negate(operator, args, kwargs, result):
    value = _value_of(args[0])
    return result if value is None else _say(result, not value)


def _both(combine):
    def rule(operator, args, kwargs, result):
        left, right = _value_of(args[0]), _value_of(args[1])
        return result if left is None or right is None else _say(result, combine(left, right))

    return rule


def _whether(of_unknown):
    def rule(operator, args, kwargs, result):
        value = _value_of(args[0])
        _fill(result, of_unknown() if value is None else bool(value))
        return result

    return rule


def _compare_single(operator, args, kwargs):
    """A condition on single numbers is answered by numbers: those that are unknown are made up."""
    unknown = []
    for tensor in operator.read(args, kwargs):
        if knowledge.level(tensor) != knowledge.UNKNOWN:
            continue
        if tensor.numel() != 1 or _value_of(tensor) is not None:
            return
        unknown.append(tensor)
    for tensor in unknown:
        with quiet():
            made_up.invent(tensor)


# ---- counts ----


def _is_mask(tensor):
    found = knowledge.guess(tensor)
    return tensor.dtype is torch.bool or (found is not None and found.kind in ("mask", "value"))


def _count(operator, args, kwargs, result):
    source = args[0]
    if _is_mask(source) or operator.base == "count_nonzero":
        value = _value_of(source)
        each = source.numel() // max(1, result.numel())
        _fill(result, each if value is None else each * int(value))
    return result


def _running_count(operator, args, kwargs, result):
    if result.numel() and result.dim() and (_is_mask(args[0]) or not args[0].is_floating_point()):
        dim = args[1]
        places = torch.arange(1, result.size(dim) + 1, device="cpu")
        _fill(result, places.view([-1 if i == dim % result.dim() else 1 for i in range(result.dim())]))
    return result


def _bins(operator, args, kwargs, result):
    least = dict(operator.named(args, kwargs)).get("minlength", 0)
    count = args[0].numel()
    if operator.base == "bincount" and result.numel() != max(1, least):
        result = result.new_empty(max(1, least))
    if operator.base == "bincount":
        made_up.note_size(f"bincount of {count} unknown values takes {result.numel()} bins")
    even = [(count * (i + 1)) // result.numel() - (count * i) // result.numel() for i in range(result.numel())]
    _fill(result, torch.tensor(even, device="cpu"))
    return result


# ---- choices ----


def _choose(operator, args, kwargs, result):
    """Evenly spread places along the dimension; a single choice is from the middle, where no special token is."""
    indices = result[-1] if isinstance(result, (list, tuple)) else result
    source, named = args[0], dict(operator.named(args, kwargs))
    if indices.dtype != torch.int64 or not indices.numel() or not knowledge.is_small(indices):
        return result
    dim = named.get("dim", None if operator.base in ("argmax", "argmin") else -1)
    size = source.numel() if dim is None or not source.dim() else source.size(dim)
    start = size // 2 if operator.base in ("argmax", "argmin", "multinomial") else 0
    places = torch.arange(start, start + indices.numel(), device="cpu") % max(1, size)
    if dim is not None and indices.dim() == source.dim() and indices.dim() > 1:
        moved = beside.alias(indices).movedim(dim, -1)
        moved.copy_(places.view(moved.shape))
        knowledge.written(indices, PLAUSIBLE)
    else:
        _fill(indices, places.view(indices.shape))
    return result


# ---- sizes ----


def _resized(result, out, shape):
    if result.shape == torch.Size(shape):
        return result
    return result.resize_(shape) if out else result.new_empty(shape)


def _nonzero(operator, args, kwargs, result):
    source = args[0]
    value = _value_of(source)
    count = source.numel() if value is None else source.numel() * bool(value)
    if value is None:
        made_up.note_size(f"nonzero of an unknown mask takes all {count}")
    result = _resized(result, operator.outputs, [count, source.dim()])
    if result.numel() and knowledge.is_small(result):
        _fill(result, torch.ones(source.shape, dtype=torch.bool, device="cpu").nonzero()[:count])
    return result


def _unique(operator, args, kwargs, result):
    """All different."""
    source, named = args[0], dict(operator.named(args, kwargs))
    dim = named.get("dim")
    count = source.numel() if dim is None else source.size(dim)
    made_up.note_size(f"{operator.base.strip('_')} of unknown values takes all {count}")
    values = _resized(result[0], False, [count] if dim is None else list(source.shape))
    rest = list(result[1:])
    if named.get("return_inverse", operator.base in ("unique_dim",)) and rest[0].numel():
        _fill(rest[0], torch.arange(rest[0].numel(), device="cpu").view(rest[0].shape))
    if len(rest) > 1 and named.get("return_counts"):
        rest[1] = _resized(rest[1], False, [count])
        _fill(rest[1], 1)
    return (values, *rest)


def _repeat(operator, args, kwargs, result):
    repeats = args[0]
    if dict(operator.named(args, kwargs)).get("output_size") is None and result.numel() != repeats.numel():
        made_up.note_size(f"repeat_interleave by unknown repeats takes each of {repeats.numel()} once")
        result = result.new_empty(repeats.shape)
        _fill(result, torch.arange(repeats.numel(), device="cpu"))
    return result


# ---- writing ----


def overwrites_all(operator, args, kwargs):
    """Whether a scatter writes every element, so that it does not matter that those before are unknown."""
    if "reduce" in operator.arguments:
        return False
    to, dim, index = args[:3]
    if not knowledge.is_small(to) or not knowledge.is_small(index) or not knowledge.level(index):
        return False
    met = torch.zeros(to.shape, dtype=torch.bool, device="cpu")
    index = beside.alias(index)
    met.scatter_(dim, index, True) if operator.base.startswith("scatter") else met.index_fill_(dim, index, True)
    return bool(met.all())


# ---- training ----


def _loss(operator, args, kwargs, result):
    loss, scores = result[0], args[0]
    if loss.dim() == 0:
        knowledge.mark(loss, Guess("loss", max(2, scores.size(1 if scores.dim() > 1 else 0))))
    return result


def _all_finite(operator, args, kwargs, result):
    """A gradient scaler finds nothing infinite."""
    _fill(args[1], 0.0)
    knowledge.mark(args[1], PLAUSIBLE)
    return result


def _table(rule, *names):
    return dict.fromkeys(names, rule)


# Of inputs that are unknown: rule(operator, args, kwargs, real result) gives the result.
UNKNOWN = {
    **_table(_not_finite, "isnan", "isinf", "isposinf", "isneginf"),
    **_table(_compare(True), "eq"),
    **_table(_compare(False), "ne"),
    **_table(_negate, "logical_not", "bitwise_not"),
    **_table(_both(lambda left, right: left or right), "logical_or", "bitwise_or"),
    **_table(_both(lambda left, right: left and right), "logical_and", "bitwise_and", "mul"),
    **_table(_whether(made_up.condition), "any"),
    **_table(_whether(lambda: True), "all"),
    **_table(_count, "sum", "count_nonzero"),
    **_table(_running_count, "cumsum"),
    **_table(_bins, "bincount", "histc"),
    **_table(_choose, "argmax", "argmin", "topk", "sort", "kthvalue", "mode", "multinomial", "median"),
    **_table(_nonzero, "nonzero"),
    **_table(_unique, "_unique", "_unique2", "unique_dim", "unique_consecutive", "unique_dim_consecutive"),
    **_table(_repeat, "repeat_interleave"),
    **_table(_loss, "nll_loss_forward", "nll_loss2d_forward"),
    **_table(_all_finite, "_amp_foreach_non_finite_check_and_unscale_"),
}
UNKNOWN.update(solved.UNKNOWN)
# Of which the rules say something only of guesses and of bool.
OF_GUESSES = {"mul", "sum", "logical_not", "bitwise_not", "logical_or", "bitwise_or", "logical_and", "bitwise_and"}
# Of these the real kernel's size means nothing.
SIZED = {"nonzero", "_unique", "_unique2", "unique_dim", "unique_consecutive", "unique_dim_consecutive", "bincount",
         "repeat_interleave"}  # fmt: skip
# Which may write every element.
SCATTERS = {"scatter", "scatter_", "index_copy", "index_copy_"}
# Before the operator runs: function(operator, args, kwargs).
BEFORE = _table(_compare_single, "eq", "ne", "lt", "le", "gt", "ge")
