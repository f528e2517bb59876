"""Images and volumes too large for memory, in tiles whose outputs together are those of the whole."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from memmodel import _call, _ffi, _limits
from memmodel.estimation import _checked
from memmodel.network import Network
from memmodel.planning import Plan
from memmodel.quantity import format_bytes, parse_bytes
from memmodel.scheduling import schedule_options


class TiledAxis(NamedTuple):
    """A spatial axis of a tiling, in elements of the input.

    alignment: tiles begin at multiples of it. halo_before, halo_after: what is needed around what lies under a tile's
    output. stride: from a tile to the next. tile_count: along the axis. max_extent: of the largest tile, with its halo.
    """

    extent: int
    alignment: int
    halo_before: int
    halo_after: int
    stride: int
    tile_count: int
    max_extent: int


class Tile(NamedTuple):
    """A tile, as slices of the spatial axes: of the whole input, of the tile's own output, and of the whole output.

    >>> for tile in tiling:
    ...     whole[..., *tile.output] = model(volume[..., *tile.input])[..., *tile.crop]
    """

    input: tuple[slice, ...]
    crop: tuple[slice, ...]
    output: tuple[slice, ...]


class Tiling:
    """How the input of a network is cut into tiles whose planned peak is within a budget, at the smallest overhead.

    >>> tiling = memmodel.Tiling(net, "16GiB", batch=1, dim=1024)
    >>> tiling.peak, tiling.peak_untiled, tiling.overhead, len(tiling)

    budget: bytes, or a text such as "16GiB"; None: no limit. One that no tiles are within is no error: the verdict is
    "exceeds" then, and no tiles need less. The rest is as of memmodel.Schedule. Layers whose outputs
    depend on all of an axis are refused by name.
    """

    __slots__ = ("__weakref__", "_handle", "_result", "axes", "plan")

    def __init__(
        self,
        network: Network,
        budget: int | str | None = None,
        *,
        disable: Iterable[str] = (),
        alignment: int = 1,
        include_parameters: bool = False,
        symbols: Mapping[str, int] | None = None,
        **sizes: int,
    ) -> None:
        options = schedule_options(symbols, sizes, disable, alignment, include_parameters)
        limit = 0 if budget is None else parse_bytes(budget, "budget")
        with _checked(network)._lock.reading():
            self._handle = _ffi.network_tile(network._handle, options, limit, _limits.new_context())
        self._result = _ffi.tiling_get_result(self._handle)
        plan = _ffi.tiling_plan(self._handle)
        assert plan is not None
        self.plan = Plan._of(plan, frozen=True)
        self.axes = [self._axis(index) for index in range(_ffi.tiling_axis_count(self._handle))]

    def _axis(self, index: int) -> TiledAxis:
        axis = _ffi.tiling_get_axis(self._handle, index)
        return TiledAxis(*(getattr(axis, name) for name in TiledAxis._fields))

    @property
    def peak(self) -> int:
        """Bytes of the largest tile's plan."""
        return int(self._result.peak)

    @property
    def peak_untiled(self) -> int:
        """Bytes of the plan without tiles."""
        return int(self._result.peak_untiled)

    @property
    def verdict(self) -> str | None:
        """Whether the peak is within the budget, "fits" or "exceeds"; None without a budget."""
        return _call.word(_ffi.Verdict, self._result.verdict) if self._result.verdict else None

    @property
    def tensor_bytes(self) -> int:
        """Bytes of all tensors without tiles and without reuse."""
        return int(self._result.tensor_bytes)

    @property
    def overhead(self) -> float:
        """How many more multiplications all tiles take than the whole: 0.1 are 10 % more."""
        return float(self._result.overhead)

    def __len__(self) -> int:
        return int(self._result.tile_count)

    def __iter__(self) -> Iterator[Tile]:
        for place in itertools.product(*(range(axis.tile_count) for axis in self.axes)):
            ranges = [_ffi.tiling_get_range(self._handle, axis, index) for axis, index in enumerate(place)]
            yield Tile(
                tuple(slice(of.input_start, of.input_stop) for of in ranges),
                tuple(slice(of.crop, of.crop + of.output_stop - of.output_start) for of in ranges),
                tuple(slice(of.output_start, of.output_stop) for of in ranges),
            )

    def __repr__(self) -> str:
        cut = " x ".join(str(axis.tile_count) for axis in self.axes)
        return f"<Tiling of {cut} tiles, {format_bytes(self.peak)} each, {100 * self.overhead:.1f} % more work>"
