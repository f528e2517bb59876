"""Images and volumes too large for memory, in tiles whose outputs together are those of the whole."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from memmodel import _ffi
from memmodel.estimation import _checked
from memmodel.network import Network
from memmodel.planning import Plan
from memmodel.quantity import format_bytes, parse_bytes
from memmodel.scheduling import _inference


class TiledAxis(NamedTuple):
    """A spatial axis of a tiling, in elements of the input.

    alignment: tiles begin at multiples of it. before, after: what is needed around what lies under a tile's output.
    step: from a tile to the next. tiles: how many. largest: extent of the largest, with what is around.
    """

    extent: int
    alignment: int
    before: int
    after: int
    step: int
    tiles: int
    largest: int


class Tile(NamedTuple):
    """A tile, as slices of the spatial axes.

    >>> for tile in tiling:
    ...     whole[..., *tile.write] = model(volume[..., *tile.read])[..., *tile.keep]
    """

    read: tuple[slice, ...]
    keep: tuple[slice, ...]
    write: tuple[slice, ...]


class Tiling:
    """How the input of a network is cut into tiles whose planned peak is within a budget, at the least overhead.

    >>> tiling = memmodel.Tiling(net, "16GiB", batch=1, dim=1024)
    >>> tiling.peak, tiling.whole_peak, tiling.overhead, len(tiling)

    budget: bytes, or a text such as "16GiB"; None: no limit. The rest is as of memmodel.Schedule. Layers whose outputs
    depend on all of an axis are refused by name.
    """

    __slots__ = ("__weakref__", "_handle", "_result", "axes", "plan")

    def __init__(
        self,
        network: Network,
        budget: int | str | None = None,
        *,
        without: Iterable[str] = (),
        alignment: int = 1,
        parameters: bool = False,
        symbols: Mapping[str, int] | None = None,
        **sizes: int,
    ) -> None:
        how = _inference(symbols, sizes, without, alignment, parameters)
        limit = 0 if budget is None else parse_bytes(budget)
        with _checked(network)._turns.reading():
            self._handle = _ffi.tiling_new(network._handle, how, limit)
        self._result = _ffi.tiling_result(self._handle)
        plan = _ffi.tiling_plan(self._handle)
        assert plan is not None
        self.plan = Plan._of(plan)
        self.axes = [self._axis(index) for index in range(_ffi.tiling_axis_count(self._handle))]

    def _axis(self, index: int) -> TiledAxis:
        axis = _ffi.tiling_axis(self._handle, index)
        return TiledAxis(
            axis.extent, axis.alignment, axis.before, axis.after, axis.step, axis.count, axis.largest
        )

    @property
    def peak(self) -> int:
        """Bytes of the largest tile's plan."""
        return int(self._result.peak)

    @property
    def whole_peak(self) -> int:
        """Bytes of the plan without tiles."""
        return int(self._result.whole_peak)

    @property
    def tensors(self) -> int:
        """Bytes of all tensors without tiles and without reuse."""
        return int(self._result.tensors)

    @property
    def overhead(self) -> float:
        """How many more multiplications all tiles take than the whole: 0.1 are 10 % more."""
        return float(self._result.overhead)

    def __len__(self) -> int:
        return int(self._result.tiles)

    def __iter__(self) -> Iterator[Tile]:
        for place in itertools.product(*(range(axis.tiles) for axis in self.axes)):
            ranges = [_ffi.tiling_range(self._handle, axis, index) for axis, index in enumerate(place)]
            yield Tile(
                tuple(slice(of.begin, of.stop) for of in ranges),
                tuple(slice(of.skip, of.skip + of.last - of.first) for of in ranges),
                tuple(slice(of.first, of.last) for of in ranges),
            )

    def __repr__(self) -> str:
        cut = " x ".join(str(axis.tiles) for axis in self.axes)
        return f"<Tiling of {cut} tiles, {format_bytes(self.peak)} each, {100 * self.overhead:.1f} % more work>"
