"""Tables of measurements: named columns, one row a measurement."""

from __future__ import annotations

import logging
import math
import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from memmodel import _call, _ffi, _limits, _optional
from memmodel._rwlock import ReadWriteLock
from memmodel.progress import Observer
from memmodel.report import html

_logger = logging.getLogger("memmodel")
_log = _ffi.LogCallback(lambda _, message: _logger.warning("%s", _call.decoded(message)))


def _context(progress: Observer | None = None) -> _ffi.ContextHandle:
    """One whose notes, such as of rows left out of a fit, go to the log of Python."""
    context = _limits.new_context(progress)
    _ffi.context_set_log(context, _log)
    return context


class Samples:
    """A table of measurements.

    >>> samples = Samples({"batch": [1, 2, 4], "peak_bytes": [9e8, 1.2e9, 1.8e9]})
    >>> samples.add_row(batch=8, peak_bytes=3e9)
    """

    __slots__ = ("__weakref__", "_handle", "_lock")

    def __init__(self, columns: Mapping[str, Iterable[float]] | Iterable[str]) -> None:
        """From columns by name, or an empty table of columns with these names."""
        if isinstance(columns, (str, bytes)) or not hasattr(columns, "__iter__"):
            raise TypeError(f"columns: a mapping, or names, are needed, not {_call.kind_of(columns)}")
        self._own(_ffi.samples_new(_context(), _call.several(iter(columns), "columns")))
        if isinstance(columns, Mapping):
            self._fill(columns)

    def _own(self, handle: _ffi.SamplesHandle) -> None:
        self._handle = handle
        self._lock = ReadWriteLock()

    def _fill(self, columns: Mapping[str, Iterable[float]]) -> None:
        values = {name: _numbers(column, name) for name, column in columns.items()}
        lengths = {name: len(column) for name, column in values.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns: they differ in length: {lengths}")
        for row in zip(*values.values(), strict=True):
            _ffi.samples_add_row(self._handle, row)

    @classmethod
    def _of(cls, handle: _ffi.SamplesHandle) -> Samples:
        samples = cls.__new__(cls)
        samples._own(handle)
        return samples

    # ---- files ----

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, columns: Sequence[str] | None = None) -> Samples:
        """Read a CSV file, which gzip may have compressed.

        columns: names of all columns, of a file whose first line is a row.
        """
        if columns is None:
            return cls._of(_ffi.samples_load(_context(), path))
        return cls._of(_ffi.samples_load_rows(_context(), path, _call.several(columns, "columns")))

    @classmethod
    def from_csv(cls, text: str, *, name: str = "samples") -> Samples:
        """The same from a text; errors call it `name`."""
        return cls._of(_ffi.samples_from_csv(_context(), name, text))

    @classmethod
    def from_frame(cls, frame: Any) -> Samples:
        """From a pandas frame, columns of text included."""
        if not hasattr(frame, "to_csv"):
            raise TypeError(f"frame: a pandas frame is needed, not {_call.kind_of(frame)}")
        return cls.from_csv(frame.to_csv(index=False), name="frame")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table as CSV, atomically."""
        self._call(_ffi.samples_save, path)

    def to_frame(self) -> Any:
        """A pandas frame of the numeric columns."""
        pandas = _optional.need("pandas", "Samples.to_frame()")
        return pandas.DataFrame({name: self[name] for name in self.columns if self._is_numeric(name)})

    @staticmethod
    def append_to_file(path: str | os.PathLike[str], **row: str | float | None) -> None:
        """Add a row to a CSV file, which is made with its header if it is not there; many processes may at once.

        >>> Samples.append_to_file("runs.csv", dim=64, batch=4, peak_bytes=monitor.peak)
        """
        _ffi.samples_append_to_file(_limits.new_context(), path, list(row), [_field(row[name], name) for name in row])

    # ---- rows ----

    def add_row(self, values: Sequence[float] | Mapping[str, float] | None = None, **named: float) -> None:
        """Add a row: a value per column in their order, or by name (what is left out is missing)."""
        if values is not None and not isinstance(values, Mapping):
            self._call(_ffi.samples_add_row, _numbers(values, "values"))
            return
        row = {**(values or {}), **named}
        names = self.columns
        for name in row:
            if name not in names:
                raise ValueError(f"{name}: no such column; there are {', '.join(names)}")
        numbers = [_call.double(row[name], name) if name in row else math.nan for name in names]
        self._call(_ffi.samples_add_row, numbers)

    def filter(self, **wanted: str | float) -> Samples:
        """The rows whose columns read so.

        >>> samples.filter(status="ok")
        """
        samples = self
        for column, value in wanted.items():
            text = value if isinstance(value, str) else repr(_call.double(value, column))
            samples = Samples._of(samples._call(_ffi.samples_filter, column, text, _context()))
        return samples

    def select(self, rows: Sequence[int]) -> Samples:
        """Some of the rows, in the given order."""
        numbers = [_call.size(row, "rows") for row in _call.several(rows, "rows")]
        return Samples._of(self._call(_ffi.samples_select, numbers, _context()))

    def split(self, fraction: float, *, seed: int = 0) -> tuple[Samples, Samples]:
        """The rows in a random order, the same on every machine: those for training, `fraction` of them, and the others
        for testing.

        >>> train, test = samples.split(0.7, seed=1)
        """
        train, test = self._call(_ffi.samples_split, fraction, seed, _context())
        return Samples._of(train), Samples._of(test)

    # ---- columns ----

    @property
    def columns(self) -> list[str]:
        with self._lock.writing():
            count = _ffi.samples_column_count(self._handle)
            return [_ffi.samples_column_name(self._handle, index) or "" for index in range(count)]

    def __getitem__(self, name: str) -> Any:
        """A copy of a numeric column, NaN where missing: a numpy array, or a list where there is no numpy."""
        with self._lock.writing():
            column = _ffi.samples_column(self._handle, name)
            return _optional.need("numpy", "").frombuffer(column) if _optional.present("numpy") else list(column)

    def unit(self, name: str) -> str | None:
        """Unit of the sizes in a column, such as "MiB": of its name or of its fields; None where it is not known."""
        with self._lock.writing():
            return _ffi.samples_unit(self._handle, name)

    def _is_numeric(self, name: str) -> bool:
        try:
            self._call(_ffi.samples_column, name)
        except _ffi.DataError:
            return False
        return True

    def __len__(self) -> int:
        return int(self._call(_ffi.samples_row_count))

    def __bool__(self) -> bool:
        return True

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        with self._lock.writing():
            return function(self._handle, *arguments)

    def __repr__(self) -> str:
        return f"<Samples of {len(self)} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str | None:
        return html("samples", self)


def _numbers(values: Iterable[Any], name: str) -> list[float]:
    """Any iterable of numbers, None for a missing one."""
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name}: a sequence of numbers is needed, not {_call.kind_of(values)}")
    numbers = enumerate(_call.several(values, name))
    return [math.nan if one is None else _call.double(one, f"{name}[{index}]") for index, one in numbers]


def _field(value: str | float | None, name: str) -> str:
    """A value as it stands in a file."""
    if value is None or isinstance(value, str):
        return value or ""
    number = _call.double(value, name)
    return str(operator.index(value)) if hasattr(value, "__index__") else repr(number)


def samples_of(table: Any) -> Samples:
    """What fit() is given: Samples, a path, a pandas frame, or columns by name."""
    if isinstance(table, Samples):
        return table
    if isinstance(table, (str, os.PathLike)):
        return Samples.load(table)
    if hasattr(table, "to_csv") and hasattr(table, "columns"):
        return Samples.from_frame(table)
    if isinstance(table, Mapping):
        return Samples(table)
    raise TypeError(f"table: Samples, a path, a frame or a mapping of columns is needed, not {_call.kind_of(table)}")
