"""Networks without a backward pass: operators in the order in which they run, and the plan of their buffers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from memmodel import _call, _ffi, _limits
from memmodel.estimation import _checked, symbol_values
from memmodel.network import Network
from memmodel.planning import Plan, plan_options
from memmodel.progress import Observer
from memmodel.quantity import format_bytes
from memmodel.tensor import Tensor


class Operator(NamedTuple):
    """An operator of a schedule.

    first_layer, last_layer: indices of the first layer that it runs, and of the one that makes its output. live: bytes
    in use while it runs. is_noop: its outputs are where they belong already.
    """

    name: str
    first_layer: int
    last_layer: int
    live: int
    is_noop: bool


def _passes(names: Iterable[str]) -> int:
    """The sum of some passes."""
    known = {one.name.lower(): one for one in _ffi.SchedulePass}
    passes = 0
    for name in [names] if isinstance(names, str) else names:
        if name not in known:
            raise ValueError(f"disable: {name!r} is none of {', '.join(known)}")
        passes |= known[name]
    return passes


def schedule_options(
    symbols: Mapping[str, int] | None,
    sizes: Mapping[str, int],
    disable: Iterable[str],
    alignment: int,
    include_parameters: bool,
    plan: _ffi.PlanOptions | None = None,
) -> _ffi.ScheduleOptions:
    return _ffi.ScheduleOptions(
        symbols=symbol_values(symbols, sizes),
        disabled_passes=_passes(disable),
        alignment=alignment,
        include_parameters=int(include_parameters),
        plan=plan,
    )


class Schedule:
    """How a network runs without a backward pass in little memory.

    >>> schedule = memmodel.Schedule(net, batch=1, dim=144)
    >>> schedule.peak, schedule.reuse

    disable: passes to do without, of "fusion", "residual_fusion", "view_aliasing", "in_place", "concat_elimination" and
    "reordering". alignment: of each buffer, in bytes. include_parameters: whether weights lie in the arena, too.
    budget, max_nodes, max_seconds, progress: of the search for the plan, as Plan.solve() takes them. symbols: values of
    symbols, as the keywords are.
    """

    __slots__ = ("__weakref__", "_handle", "_network", "_result", "operators", "plan")

    def __init__(
        self,
        network: Network,
        *,
        disable: Iterable[str] = (),
        alignment: int = 1,
        include_parameters: bool = False,
        budget: int | str = 0,
        max_nodes: int = 0,
        max_seconds: float = 0.0,
        progress: Observer | None = None,
        symbols: Mapping[str, int] | None = None,
        **sizes: int,
    ) -> None:
        search = plan_options(budget, max_nodes, max_seconds)
        options = schedule_options(symbols, sizes, disable, alignment, include_parameters, search)
        context = _limits.new_context(progress)
        with _checked(network)._lock.reading():
            self._handle = _ffi.network_schedule(network._handle, options, context)
        self._network = network
        self._result = _ffi.schedule_get_result(self._handle)
        plan = _ffi.schedule_plan(self._handle)
        assert plan is not None
        self.plan = Plan._of(plan, frozen=True)
        self.operators = [self._operator(index) for index in range(_ffi.schedule_operator_count(self._handle))]

    def _operator(self, index: int) -> Operator:
        about = _ffi.schedule_get_operator(self._handle, index)
        return Operator(
            _call.decoded(about.name), about.first_layer, about.last_layer, about.live, bool(about.is_noop)
        )

    @property
    def tensor_bytes(self) -> int:
        """Bytes of inputs and of what each layer makes, each in memory of its own."""
        return int(self._result.tensor_bytes)

    @property
    def parameter_bytes(self) -> int:
        """Bytes of the weights, each once."""
        return int(self._result.parameter_bytes)

    @property
    def multiply_adds(self) -> int:
        """Multiplications with addition of all layers; -1: more than 63 bits can say."""
        return int(self._result.multiply_adds)

    @property
    def peak(self) -> int:
        """Bytes of the plan."""
        return int(self._result.peak)

    @property
    def peak_program_order(self) -> int:
        """Peak in the order of the network's layers; that of the plan is lower if another order was found."""
        return int(self._result.peak_program_order)

    @property
    def reuse(self) -> float:
        """How many times the plan's peak all tensors would take."""
        return self.tensor_bytes / self.peak

    def find_buffer(self, tensor: Tensor) -> int:
        """Number of a tensor's buffer in the plan."""
        return _ffi.schedule_find_buffer(self._handle, self._network._tensor(tensor, "tensor"))

    def __repr__(self) -> str:
        peak = format_bytes(self.peak)
        return f"<Schedule of {len(self.operators)} operators, {peak}, reuse {self.reuse:.2f}>"
