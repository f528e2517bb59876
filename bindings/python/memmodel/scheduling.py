"""Networks without a backward pass: operators in the order in which they run, and the plan of their buffers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from memmodel import _call, _ffi, _limits
from memmodel.estimation import _checked
from memmodel.network import Network
from memmodel.planning import Plan
from memmodel.quantity import format_bytes
from memmodel.tensor import Tensor


class Operator(NamedTuple):
    """An operator of a schedule.

    first, last: indices of the first layer that it runs, and of the one that makes its output. live: bytes in use while
    it runs. does_nothing: its outputs are where they belong already.
    """

    name: str
    first: int
    last: int
    live: int
    does_nothing: bool


def _without(rules: Iterable[str]) -> int:
    known = {rule.name.lower(): rule for rule in _ffi.ScheduleRule}
    without = 0
    for rule in [rules] if isinstance(rules, str) else rules:
        if rule not in known:
            raise ValueError(f"without: {rule!r} is none of {', '.join(known)}")
        without |= known[rule]
    return without


def _inference(
    symbols: Mapping[str, int] | None,
    sizes: Mapping[str, int],
    without: Iterable[str],
    alignment: int,
    parameters: bool,
) -> _ffi.Inference:
    values = []
    for name, value in {**(symbols or {}), **sizes}.items():
        _call.text(name, "symbols")
        values.append(_ffi.SymbolValue(name=name, value=_call.int64(value, name)))
    return _ffi.Inference(
        context=_limits.new_context(),
        symbols=values,
        without=_without(without),
        alignment=alignment,
        parameters=int(parameters),
    )


class Schedule:
    """How a network runs without a backward pass in little memory.

    >>> schedule = memmodel.Schedule(net, batch=1, dim=144)
    >>> schedule.plan.result.peak, schedule.reuse

    without: rules to do without, of "fusion", "sums", "views", "in_place", "concatenation" and "order". alignment: of
    each buffer, in bytes. parameters: whether weights lie in the arena, too. symbols: values of symbols, as the
    keywords are.
    """

    __slots__ = ("__weakref__", "_handle", "_network", "_summary", "operators", "plan")

    def __init__(
        self,
        network: Network,
        *,
        without: Iterable[str] = (),
        alignment: int = 1,
        parameters: bool = False,
        symbols: Mapping[str, int] | None = None,
        **sizes: int,
    ) -> None:
        how = _inference(symbols, sizes, without, alignment, parameters)
        with _checked(network)._turns.reading():
            self._handle = _ffi.schedule_new(network._handle, how)
        self._network = network
        self._summary = _ffi.schedule_summary(self._handle)
        plan = _ffi.schedule_plan(self._handle)
        assert plan is not None
        self.plan = Plan._of(plan)
        self.operators = [self._operator(index) for index in range(_ffi.schedule_operator_count(self._handle))]

    def _operator(self, index: int) -> Operator:
        about = _ffi.schedule_operator(self._handle, index)
        return Operator(_call.decoded(about.name), about.first, about.last, about.live, bool(about.does_nothing))

    @property
    def tensors(self) -> int:
        """Bytes of inputs and of what each layer makes, each in memory of its own."""
        return int(self._summary.tensors)

    @property
    def parameters(self) -> int:
        """Bytes of the weights, each once."""
        return int(self._summary.parameters)

    @property
    def multiply_adds(self) -> int:
        """Multiplications with addition of all layers; -1: more than 63 bits can say."""
        return int(self._summary.multiply_adds)

    @property
    def built_peak(self) -> int:
        """Peak in the order of the network's layers; that of the plan is lower if another order was found."""
        return int(self._summary.built_peak)

    @property
    def reuse(self) -> float:
        """How many times the plan's peak all tensors would take."""
        return self.tensors / self.plan.result.peak

    def buffer(self, tensor: Tensor) -> int:
        """Number of a tensor's buffer in the plan."""
        return _ffi.schedule_buffer(self._handle, self._network._tensor(tensor, "tensor"))

    def __repr__(self) -> str:
        peak = format_bytes(self.plan.result.peak)
        return f"<Schedule of {len(self.operators)} operators, {peak}, reuse {self.reuse:.2f}>"
