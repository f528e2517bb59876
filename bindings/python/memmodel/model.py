"""Fitted formulas: predictions with an upper bound."""

from __future__ import annotations

import ctypes
import math
import os
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from memmodel import _call, _ffi, _limits
from memmodel.function import Function
from memmodel.predictions import Method, Predictions, columns_of, kept_options, options_of
from memmodel.quantity import parse_bytes
from memmodel.report import html

if TYPE_CHECKING:
    from memmodel.predictions import Numbers


class Prediction(NamedTuple):
    """What a model predicts at a point. value: the formula. upper: upper prediction bound, which a new measurement
    stays below with the asked probability.

    extrapolated: the point is outside the training data, and the bound is not guaranteed. method: what gave the bound;
    "conformal", "student_t", or "default" where there is no bound but the value.
    calibration_count: different points that the bound was found from, each left out of the fit in turn.
    distribution_free_level: the level that so many points support whatever the errors' distribution.
    """

    value: float
    upper: float
    extrapolated: bool
    method: str
    calibration_count: int
    distribution_free_level: float

    def _repr_html_(self) -> str | None:
        return html("prediction", self)


class Scores(NamedTuple):
    """How good a fit is, on the rows it was fitted to and on rows it did not see.

    training_mape, loo_mape: mean relative errors, of the training rows and leave-one-out; NaN where coefficients have
    any sign. training_error, loo_error, nested_cv_error: what the loss makes of errors, for squares the root of their
    mean, relative or in the target's unit; in nested cross-validation the terms, too, are found without the row. r2:
    the share of the variance explained there. NaN of models with positive terms and relative loss. noise: standard
    deviation of repeated measurements of one point, as errors are; NaN without any. noise_dof: its degrees of
    freedom. certified: the formula is proven to be finite wherever the inputs are in their ranges, and not negative
    there where errors are relative. censored: rows of runs that ended early, used as lower limits.
    """

    training_mape: float
    loo_mape: float
    sample_count: int
    term_count: int
    training_error: float = math.nan
    loo_error: float = math.nan
    nested_cv_error: float = math.nan
    r2: float = math.nan
    noise: float = math.nan
    noise_dof: int = 0
    certified: bool = False
    censored: int = 0


class FrontEntry(NamedTuple):
    """A formula on the Pareto front of error and size: no smaller one has less error in cross-validation."""

    node_count: int
    term_count: int
    loo_error: float
    nested_cv_error: float
    selected: bool
    formula: str


class _Result(ctypes.Structure):
    """struct memmodel_prediction without the checks of the generated layer, which a hot path cannot afford."""

    _fields_ = _ffi.Prediction._fields_


_RESULT_SIZE = ctypes.sizeof(_Result)
# Numbers go in as packed bytes: making a ctypes array takes as long as all the rest.
_evaluate = _ffi._library.bind("memmodel_model_evaluate", ctypes.c_double, ctypes.c_void_p, ctypes.c_char_p)
_predict = _ffi._library.bind(
    "memmodel_model_predict",
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(_ffi.PredictOptions),
    ctypes.POINTER(_Result),
)
_METHODS = tuple(method.name.lower() for method in _ffi.BoundMethod)
_REFUSED = (struct.error, ctypes.ArgumentError, TypeError, OverflowError)
_new = tuple.__new__


def _prediction(result: _Result) -> Prediction:
    return _new(
        Prediction,
        (
            result.value,
            result.upper,
            result.extrapolated != 0,
            _METHODS[result.method],
            result.calibration_count,
            result.distribution_free_level,
        ),
    )


class Model:
    """A fitted formula. Immutable: any number of threads may use it.

    >>> model = Model.load("model.json")
    >>> model.predict(dim=64, batch=4, level=0.95).upper
    """

    __slots__ = ("__weakref__", "_domain", "_handle", "_pack", "_pointer", "inputs")

    inputs: tuple[str, ...]
    """Names of the inputs."""

    def __init__(self, handle: _ffi.ModelHandle) -> None:
        self._handle = _call.instance_of(handle, _ffi.ModelHandle, "handle")
        self._pointer = handle.pointer
        count = _ffi.model_input_count(handle)
        known = [_ffi.model_get_input(handle, index) for index in range(count)]
        self.inputs = tuple(_call.decoded(one.name) for one in known)
        self._domain = {name: (one.min, one.max) for name, one in zip(self.inputs, known, strict=True)}
        self._pack = struct.Struct(f"{count}d").pack

    # ---- files ----

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Read a model that save(), or `memmodel fit`, wrote."""
        return cls(_ffi.model_load(_limits.new_context(), path))

    @classmethod
    def from_json(cls, text: str, *, name: str = "model") -> Model:
        return cls(_ffi.model_from_json(_limits.new_context(), name, text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as JSON, atomically."""
        _ffi.model_save(self._handle, path, _limits.new_context())

    def to_json(self) -> str:
        return _ffi.model_to_json(self._handle, _limits.new_context())

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.from_json, (self.to_json(),)

    # ---- one point ----

    def __call__(self, /, **inputs: float) -> float:
        """The formula at one point, without a bound: NaN where it is undefined.

        >>> model(dim=64, batch=4)
        """
        return _evaluate(self._pointer, self._packed(inputs))  # type: ignore[no-any-return]

    @overload
    def predict(
        self, data: None = None, /, *, level: float = 0.95, method: Method = "default", **inputs: float
    ) -> Prediction: ...

    @overload
    def predict(
        self, data: Numbers, /, *, level: float = 0.95, method: Method = "default"
    ) -> Prediction | Predictions: ...

    def predict(
        self,
        data: Numbers | None = None,
        /,
        *,
        level: float = 0.95,
        method: Method = "default",
        **inputs: float,
    ) -> Prediction | Predictions:
        """Prediction with a one-sided upper prediction bound, which a new measurement stays below with probability
        `level`.

        One point by the names of its inputs; or many: a mapping of arrays, a pandas frame, or an array with a row a
        point and a column an input. Of many, `value`, `upper` and `extrapolated` are arrays. method: of the bound,
        "conformal" or "student_t".

        A value that its column could not have held is refused: with positive terms, 2.5 where all were whole numbers,
        and -1 or 0 where none was below 0, or 0. evaluate() takes any.

        >>> model.predict(dim=64, batch=4)
        >>> model.predict({"dim": dims, "batch": 4}).upper
        """
        if data is not None:
            return self._predict_data(data, level, method, inputs)
        try:
            if tuple(inputs) == self.inputs:  # the fast way, without checks in Python; what is wrong is said below
                result = _Result(_RESULT_SIZE)
                if not _predict(self._pointer, self._pack(*inputs.values()), kept_options(level, method), result):
                    return _prediction(result)
        except _REFUSED:
            pass
        return self._bound(self._packed(inputs), level, method)

    def _packed(self, inputs: Mapping[str, Any]) -> bytes:
        """The values in their order."""
        try:
            if tuple(inputs) == self.inputs:
                return self._pack(*inputs.values())
        except _REFUSED:
            pass
        return self._pack(*self._numbers(inputs))

    def _bound(self, packed: bytes, level: float, method: Method) -> Prediction:
        result = _Result(_RESULT_SIZE)
        status = _predict(self._pointer, packed, options_of(level, method), result)
        if status:
            self._check(struct.unpack(f"{len(self.inputs)}d", packed))
            _ffi._check.status(status)
        return _prediction(result)

    def _check(self, numbers: Iterable[float]) -> None:
        """Raises what the library says of values that it refuses."""
        _ffi.model_check_points(self._handle, [[number] for number in numbers], _limits.new_context())

    def _numbers(self, inputs: Mapping[str, Any]) -> list[float]:
        """The values in their order, or what is wrong with them."""
        for name in self.inputs:
            if name not in inputs:
                raise TypeError(f"{name}: no value; the model's inputs are {', '.join(self.inputs)}")
        for name in inputs:
            if name not in self.inputs:
                raise TypeError(f"{name}: no such input; the model's inputs are {', '.join(self.inputs)}")
        return [_call.double(inputs[name], name) for name in self.inputs]

    # ---- many points ----

    def _predict_data(
        self, data: Numbers, level: float, method: Method, inputs: Mapping[str, Any]
    ) -> Prediction | Predictions:
        if inputs:
            raise TypeError(f"{next(iter(inputs))}: values come in one argument, or by name, not both")
        if isinstance(data, Mapping) and all(_is_number(value) for value in data.values()):
            return self._bound(self._packed(data), level, method)
        return Predictions(self, columns_of(data, self.inputs), level, method).checked()

    def evaluate(self, data: Numbers, *, out: Any = None) -> Any:
        """The formula at many points, without bounds, as a numpy array; `out` is filled in place of a new one.

        >>> model.evaluate(frame)
        """
        return Predictions(self, columns_of(data, self.inputs)).evaluate(out)

    def predict_max(
        self,
        input: str,
        budget: int | float | str,
        *,
        level: float = 0.95,
        method: Method = "default",
        **inputs: float,
    ) -> int:
        """Largest whole value of an input for which the upper bound stays within a budget; 0 if not even 1 does.

        budget: a size such as "16GiB", or a number in the model's unit.

        >>> model.predict_max("batch", "16GiB", dim=128)
        """
        limit = self._in_unit(budget) if isinstance(budget, str) else _call.double(budget, "budget")
        if input not in self.inputs:
            raise _ffi.NotFoundError(f"input: {input!r} is none of {', '.join(self.inputs)}")
        numbers = self._numbers({**inputs, input: math.nan})
        self._check(numbers)
        options = options_of(level, method)
        return _ffi.model_predict_max(self._handle, numbers, input, options, limit, _limits.new_context())

    def _in_unit(self, size: str) -> float:
        if self.unit_bytes is None:
            raise ValueError(f"budget: the model does not know the unit of {self.target}; give a number in it")
        return float(parse_bytes(size, "budget")) / self.unit_bytes

    def function(self, level: float = 0.0) -> Function:
        """A plain C function of the formula, or at a level above 0 of the upper bound (needs libffi in the library)."""
        return Function(_ffi.function_new(_limits.new_context(), self._handle, level))

    # ---- about it ----

    @property
    def target(self) -> str:
        """Name of what the model predicts."""
        return _ffi.model_target(self._handle)

    @property
    def unit(self) -> str | None:
        """Unit of the sizes that the model predicts, such as "MiB" or "bytes"; None where it is not known."""
        return _ffi.model_unit(self._handle)

    @property
    def unit_bytes(self) -> float | None:
        """How many bytes one of that unit is."""
        return float(_ffi.model_unit_bytes(self._handle)) or None

    def formula(self, language: str | int | _ffi.Language = "text") -> str:
        """The formula as "text", "c", "python", "latex" or "sql"."""
        return _ffi.model_formula(self._handle, language) or ""

    def to_code(self, language: str | int | _ffi.Language = "text") -> str:
        """A file that needs no library: "c" (a header) and "python" compute the same bits; "text", "latex", "sql".

        >>> Path("predict.h").write_text(model.to_code("c"))
        """
        return _ffi.model_to_code(self._handle, language, _limits.new_context())

    @property
    def scores(self) -> Scores:
        """How good the fit is."""
        scores = _ffi.model_get_scores(self._handle)
        share = scores.nested_cv_error / scores.baseline_error if scores.baseline_error else math.nan
        return Scores(
            scores.training_mape,
            scores.loo_mape,
            scores.sample_count,
            scores.term_count,
            scores.training_error,
            scores.loo_error,
            scores.nested_cv_error,
            1 - share * share,
            scores.noise,
            scores.noise_dof,
            bool(scores.certified),
            scores.censored,
        )

    @property
    def front(self) -> list[FrontEntry]:
        """The best formula of each size, smallest first; empty of a model from a file that has none."""
        return [
            FrontEntry(
                entry.node_count, entry.term_count, entry.loo_error, entry.nested_cv_error, bool(entry.selected),
                _call.decoded(entry.formula),
            )
            for entry in map(self._front_entry, range(_ffi.model_front_count(self._handle)))
        ]  # fmt: skip

    def _front_entry(self, index: int) -> _ffi.ModelFrontEntry:
        return _ffi.model_get_front_entry(self._handle, index)

    @property
    def output_range(self) -> tuple[float, float] | None:
        """Smallest and greatest number that the model predicts; None if nothing limits it. One with a range clamps
        inputs to their domain."""
        found = _ffi.model_output_range(self._handle)
        return found[1:] if found[0] else None

    @property
    def domain(self) -> dict[str, tuple[float, float]]:
        """Range of each input in the training data."""
        return dict(self._domain)

    def __repr__(self) -> str:
        ranges = ", ".join(f"{name} {low:g} to {high:g}" for name, (low, high) in self.domain.items())
        return f"<Model {self.target} = {self.formula()}; {ranges}; {_error(self.scores)}>"

    def _repr_html_(self) -> str | None:
        return html("model", self)


def _error(scores: Scores) -> str:
    if not math.isnan(scores.loo_mape):
        return f"leave-one-out error {scores.loo_mape:.2%}"
    return f"nested cross-validation error {scores.nested_cv_error:.4g}, R2 {scores.r2:.3f}"


def _is_number(value: object) -> bool:
    return not isinstance(value, Sequence) and not hasattr(value, "__len__") and not getattr(value, "shape", ())


