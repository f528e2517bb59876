"""Predictions at many points: columns of numbers in, arrays out."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from memmodel import _call, _ffi, _limits, _optional

if TYPE_CHECKING:
    from memmodel.model import Model

Numbers = Any  # a mapping of columns, a pandas frame, an array of shape (points, inputs)
Method: TypeAlias = Any  # a name, number or member of BoundMethod; Any, so that inputs may come as **dict[str, float]

_evaluate_many = _ffi._library.bind(
    "memmodel_model_evaluate_many",
    None,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_size_t,
    ctypes.c_void_p,
    blocking=True,
)
_predict_many = _ffi._library.bind(
    "memmodel_model_predict_many",
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_size_t,
    ctypes.POINTER(_ffi.PredictOptions),
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    blocking=True,
)
_STRIDE = 1  # columns are contiguous


def options_of(level: float = 0.95, method: Method = "default") -> _ffi.PredictOptions:
    """The bound that is asked for. Kept: making it takes as long as a prediction."""
    try:
        return kept_options(level, method)
    except TypeError:  # a value without a hash, or a wrong one
        return _options(level, method)


def _options(level: float, method: Method) -> _ffi.PredictOptions:
    number = _call.double(level, "level")
    if not 0.5 <= number <= 0.999:
        raise _ffi.InvalidArgumentError(f"level: {level} is not between 0.5 and 0.999")
    return _ffi.PredictOptions(level=number, method=method)


kept_options = lru_cache(maxsize=64)(_options)


def _numpy() -> Any:
    return _optional.need("numpy", "predicting many points")


def _column(values: Any, name: str) -> Any:
    """A contiguous array of doubles: the memory of `values` itself where that is one already."""
    array = _numpy().asarray(values)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name}: numbers are needed, not {array.dtype}")
    if array.ndim > 1:
        raise ValueError(f"{name}: a column of numbers is needed, not an array of {array.ndim} dimensions")
    return _numpy().ascontiguousarray(array, dtype=float) if array.ndim else array.astype(float)


def _named(data: Any, inputs: Sequence[str]) -> list[Any]:
    """Columns of a mapping or a frame; a single number stands for a column of it."""
    for name in inputs:
        if name not in data:
            raise ValueError(f"{name}: no such column; the model's inputs are {', '.join(inputs)}")
    columns = [_column(data[name], name) for name in inputs]
    lengths = {len(column) for column in columns if column.ndim}
    if len(lengths) != 1:
        raise ValueError(f"columns: they differ in length: {sorted(lengths)}")
    count = lengths.pop()
    return [column if column.ndim else _numpy().full(count, column) for column in columns]


def columns_of(data: Any, inputs: Sequence[str]) -> list[Any]:
    """A column for each input. Data by name may have columns that the model does not know: tables often do."""
    if isinstance(data, Mapping) or (hasattr(data, "columns") and hasattr(data, "to_numpy")):
        return _named(data, inputs)
    if isinstance(data, (str, bytes)) or not (hasattr(data, "__array__") or hasattr(data, "__iter__")):
        raise TypeError(f"data: a mapping, a frame or an array is needed, not {_call.kind_of(data)}")
    array = _numpy().asarray(data)
    if array.ndim == 1 and len(inputs) == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2 or array.shape[1] != len(inputs):
        raise ValueError(f"data: an array of shape (points, {len(inputs)}) is needed, not {array.shape}")
    return [_column(array[:, index], name) for index, name in enumerate(inputs)]


def _checked_out(out: Any, count: int) -> Any:
    """Memory to write to: taken as it is, or refused."""
    numpy = _numpy()
    if not isinstance(out, numpy.ndarray) or out.dtype != numpy.float64:
        raise TypeError(f"out: a numpy array of float64 is needed, not {_call.kind_of(getattr(out, 'dtype', out))}")
    if out.shape != (count,):
        raise ValueError(f"out: shape ({count},) is needed, not {out.shape}")
    if not out.flags.c_contiguous or not out.flags.writeable or not out.flags.aligned:
        raise ValueError("out: the array is not contiguous, aligned and writable")
    return out


class Predictions:
    """Predictions at many points: numpy arrays, the bound computed when it is first asked for.

    >>> predictions = model.predict(frame, level=0.99)
    >>> frame[predictions.upper > budget]
    """

    def __init__(self, model: Model, columns: list[Any], level: float = 0.95, method: Method = "default") -> None:
        self._model, self._columns, self.level = model, columns, level
        self._options = options_of(level, method)

    def __len__(self) -> int:
        return len(self._columns[0])

    def evaluate(self, out: Any = None) -> Any:
        """The formula at each point."""
        results = _numpy().empty(len(self)) if out is None else _checked_out(out, len(self))
        _evaluate_many(self._model._pointer, self._pointers(), _STRIDE, len(self), results.ctypes.data)
        return results

    def checked(self) -> Predictions:
        """These predictions, unless the model refuses a value of them."""
        _ffi.model_check_points(self._model._handle, self._columns, _limits.new_context())
        return self

    def _pointers(self) -> Any:
        """One to each column."""
        addresses = [column.ctypes.data for column in self._columns]
        return _call.array_type(ctypes.c_void_p, len(addresses))(*addresses)

    @cached_property
    def value(self) -> Any:
        """The formula at each point."""
        return self.evaluate()

    @cached_property
    def _bounds(self) -> tuple[Any, Any]:
        numpy, count = _numpy(), len(self)
        values, upper, extrapolated = numpy.empty(count), numpy.empty(count), numpy.empty(count, dtype=numpy.int32)
        results = (values.ctypes.data, upper.ctypes.data, extrapolated.ctypes.data)
        _ffi._check.status(
            _predict_many(self._model._pointer, self._pointers(), _STRIDE, count, self._options, *results)
        )
        return upper, extrapolated.astype(bool)

    @property
    def upper(self) -> Any:
        """The upper prediction bound of each point."""
        return self._bounds[0]

    @property
    def extrapolated(self) -> Any:
        """Whether each point is outside the training data."""
        return self._bounds[1]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return _numpy().asarray(self.value, dtype=dtype)

    def __repr__(self) -> str:
        return f"<Predictions of {self._model.target} at {len(self)} points, bound at level {self.level}>"
