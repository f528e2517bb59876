"""
Every CUDA kernel of torch's operators is wrapped, so that what is small and known is computed beside.

Wrapping the kernels, not the dispatcher's modes, sees every thread, what operators call inside, and nothing of
autograd, torch.compile, functorch or subclasses of tensors: they are all above. It costs 4 us for each operator; the
real kernel always runs, so allocations are exactly the real ones.
"""

import threading

import torch

from memmodel_cuda import dispatcher, foreign, knowledge, numbers, reads, rules, sparse, where
from memmodel_cuda.operators import Operator, tensors
from memmodel_cuda.quiet import quiet

_Tensor = torch.Tensor
_writers = threading.local()  # .places: what operators that are being computed beside write
_libraries = []  # as long as it lives, the kernel is ours

_NEVER = {"empty", "empty_strided", "new_empty_strided", "resize_", "view", "view_as_real", "view_as_complex",
          "as_strided", "_reshape_alias", "unfold", "set_", "_assert_async", "record_stream", "_efficientzerotensor",
          "is_set_to", "_has_same_storage_numel", "_pin_memory", "is_pinned",
          "_cudnn_init_dropout_state"}  # fmt: skip


def install():
    where.skip(torch.__path__[0])
    names = {name for name in dispatcher.names() if name.startswith("aten::")}
    for name in sorted(names.union(reads.REPLACED)):
        if _base(name) not in _NEVER:
            dispatcher.replace(name, calls_for(name, dispatcher.kernel(name)))
    foreign.install(_wrap_foreign)
    _libraries.append(sparse.install())


def _wrap_foreign(name):
    dispatcher.replace(name, _following(name, foreign.guarded(dispatcher.kernel(name))))


def _base(name):
    return name.partition("::")[2].partition(".")[0]


def calls_for(name, real):
    """A function like `real`, which follows values."""
    replace = reads.REPLACED.get(name)
    return replace(real, _following(name, real)) if replace else _following(name, real)


def _following(name, real):
    """What is large is not followed. What the operator is like is found out when it is first called."""
    follow = None

    def call(*args, **kwargs):
        nonlocal follow
        if follow is None:
            follow = _Follow(Operator(name, real))
        if follow.is_view:
            return real(*args, **kwargs)
        if follow.numbers:
            args = numbers.wrap(follow.numbers, args)
        if follow.is_asked(args):
            return follow(args, kwargs)
        before = knowledge.changes()
        result = real(*args, **kwargs)
        if follow.writes:
            follow.operator.forget_written(args, kwargs)
        elif knowledge.changes() != before:
            knowledge.given_out(result)
        return result

    return call


def _question(operator):
    """A function of the arguments: whether values are to be followed."""
    if operator.base in rules.OF_GUESSES:
        return lambda args: knowledge.has_guesses() or args[0].dtype is torch.bool or not _any_large(args)
    if operator.base in rules.UNKNOWN or operator.base in rules.BEFORE:
        return lambda args: True
    return lambda args: not _any_large(args)


def _any_large(args):
    for value in args:
        if isinstance(value, _Tensor):
            if knowledge.is_large(value):
                return True
        elif isinstance(value, (list, tuple)) and _any_large(value):
            return True
    return False


class _Follow:
    """Runs one operator; computes it beside if all that it reads is small and known."""

    def __init__(self, operator):
        self.operator = operator
        self.numbers = operator.numbers
        self.writes = operator.writes
        self.is_view = operator.returns_views
        self.is_asked = _question(operator)
        self.rule = rules.UNKNOWN.get(operator.base)
        self.before = rules.BEFORE.get(operator.base)
        self.real = rules.real_of(operator)
        self.is_sized = operator.is_foreign or operator.base in rules.SIZED

    def __call__(self, args, kwargs):
        operator = self.operator
        written = operator.written(args, kwargs) if operator.writes else ()
        if written and (self._leaves_empty(written) or _is_written_by_another(written)):
            return self.real(*args, **kwargs)
        if self.before:
            self.before(operator, args, kwargs)
        level = self._level(args, kwargs)
        if level == knowledge.UNKNOWN or foreign.running() or _capturing():
            return self._unknown(args, kwargs)
        if operator.is_random:
            level = knowledge.PLAUSIBLE
        return self._known(args, kwargs, written, level)

    def _leaves_empty(self, written):
        return not self.operator.outputs and not any(tensor.numel() for tensor in written)

    def _level(self, args, kwargs):
        read = self.operator.read(args, kwargs)
        level = _level(read)
        if level == knowledge.UNKNOWN and self.operator.base in rules.SCATTERS:
            with quiet():
                return _level(read[1:]) if rules.overwrites_all(self.operator, args, kwargs) else level
        return level

    def _unknown(self, args, kwargs):
        result = self.real(*args, **kwargs)
        _forget(self.operator, args, kwargs, result)
        if self.rule:
            with quiet():
                return self.rule(self.operator, args, kwargs, result)
        return result

    def _known(self, args, kwargs, written, level):
        operator = self.operator
        result = _writing(written, self.real, args, kwargs) if written else self.real(*args, **kwargs)
        if not self.is_sized and not all(knowledge.is_small(tensor) for tensor in tensors(_several(result))):
            _forget(operator, args, kwargs, result)
            return result
        try:
            values = operator.on_cpu(args, kwargs)
        except (RuntimeError, NotImplementedError, IndexError, ValueError, TypeError):
            _forget(operator, args, kwargs, result)
            return result
        for tensor in written:
            knowledge.written(tensor, level)
        if operator.outputs or operator.in_place:
            return result
        return rules.filled(operator, result, values, level)


def _writing(written, real, args, kwargs):
    """The real kernel may call other operators to write; only we write what it writes, once."""
    before = getattr(_writers, "places", ())
    _writers.places = {tensor.data_ptr() for tensor in written}.union(before)
    try:
        return real(*args, **kwargs)
    finally:
        _writers.places = before


def _is_written_by_another(written):
    places = getattr(_writers, "places", ())
    return bool(places) and any(tensor.data_ptr() in places for tensor in written)


def _forget(operator, args, kwargs, result):
    """It was not computed beside."""
    if operator.writes:
        operator.forget_written(args, kwargs)
    if not operator.outputs and not operator.in_place:
        knowledge.given_out(result)


def _several(result):
    return result if isinstance(result, (list, tuple)) else (result,)


def _level(read):
    """The least that is known of any; UNKNOWN if one is too large."""
    least = knowledge.KNOWN
    for tensor in read:
        level = knowledge.level(tensor) if knowledge.is_small(tensor) else knowledge.UNKNOWN
        if level == knowledge.UNKNOWN:
            return level
        least = min(least, level)
    return least


def _capturing():
    """What a CUDA graph computes when it runs again is not seen."""
    return torch.cuda.is_current_stream_capturing()
