"""Fitted formulas: predictions with an upper bound."""

from __future__ import annotations

import ctypes
import math
import os
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from memmodel import _call, _ffi, _limits
from memmodel._turns import Turns
from memmodel.function import Function
from memmodel.points import Points, columns_of
from memmodel.quantity import parse_bytes
from memmodel.report import html

if TYPE_CHECKING:
    from memmodel.points import Numbers


class Prediction(NamedTuple):
    """`prediction` is the formula, `upper` lies above a measurement with the asked probability.

    `outside`: the point is outside the training data, and `upper` is a guess.
    """

    prediction: float
    upper: float
    outside: bool

    def _repr_html_(self) -> str | None:
        return html("prediction", self)


class Bound(NamedTuple):
    """A prediction's upper bound, and what it rests on.

    rule: what decided; "held_out", "student", "wide", "jackknife_plus", or "larger" where there is no bound but the
    prediction. points: different points that it was found from, each held out in turn. attained: the level that so many
    points stand for whatever the errors' distribution; where it is below the asked one, the tail beyond is Student's.
    """

    prediction: float
    upper: float
    outside: bool
    rule: str
    points: int
    attained: float


class Scores(NamedTuple):
    """How good a fit is, on the rows it was fitted to and on rows it did not see.

    training_mape, loo_mape: mean relative errors, each row left out in turn; NaN where coefficients have any sign.
    training_error, loo_error, held_out_error: what the loss makes of errors, for squares the root of their mean,
    relative or in the target's unit; of a row held out the terms, too, were found without it. r2: the share of the
    variance explained on rows held out. NaN of models with positive terms and relative loss. noise: standard
    deviation of repeated measurements of one point, as errors are; NaN without any. noise_freedom: its degrees of
    freedom. certified: the formula is proven to be finite wherever the inputs are in their ranges, and not negative
    there where errors are relative. censored: rows of runs that ended early, used as lower limits.
    """

    training_mape: float
    loo_mape: float
    samples: int
    terms: int
    training_error: float = math.nan
    loo_error: float = math.nan
    held_out_error: float = math.nan
    r2: float = math.nan
    noise: float = math.nan
    noise_freedom: int = 0
    certified: bool = False
    censored: int = 0


class Rival(NamedTuple):
    """A formula on the front of error and size: no smaller one has less error on rows held out."""

    nodes: int
    terms: int
    loo_error: float
    held_out_error: float
    chosen: bool
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
    ctypes.c_double,
    ctypes.POINTER(_Result),
)
_new = tuple.__new__
_REFUSED = (struct.error, ctypes.ArgumentError, TypeError, OverflowError)


class Model:
    """A fitted formula. Immutable: any number of threads may use it.

    >>> model = Model.load("model.json")
    >>> model.predict(dim=64, batch=4, level=0.95).upper
    """

    __slots__ = ("__weakref__", "_handle", "_pack", "_pointer", "_turns", "inputs")

    inputs: tuple[str, ...]
    """Names of the inputs."""

    def __init__(self, handle: _ffi.ModelHandle) -> None:
        self._handle = _call.instance_of(handle, _ffi.ModelHandle, "handle")
        self._pointer = handle.pointer
        self._turns = Turns()
        count = _ffi.model_input_count(handle)
        self.inputs = tuple(_ffi.model_input_name(handle, index) or "" for index in range(count))
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
        with self._turns.writing():
            _ffi.model_save(self._handle, path)

    def to_json(self) -> str:
        with self._turns.writing():
            return _ffi.model_to_json(self._handle)

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.from_json, (self.to_json(),)

    # ---- one point ----

    def __call__(self, /, **inputs: float) -> float:
        """The formula at one point, without a bound: NaN where it is undefined.

        >>> model(dim=64, batch=4)
        """
        return _evaluate(self._pointer, self._packed(inputs))  # type: ignore[no-any-return]

    @overload
    def predict(self, data: None = None, /, *, level: float = 0.95, **inputs: float) -> Prediction: ...

    @overload
    def predict(self, data: Numbers, /, *, level: float = 0.95) -> Prediction | Points: ...

    def predict(
        self, data: Numbers | None = None, /, *, level: float = 0.95, **inputs: float
    ) -> Prediction | Points:
        """Prediction with a one-sided upper bound, which a measurement stays below with probability `level`.

        One point by the names of its inputs; or many: a mapping of arrays, a pandas frame, or an array with a row a
        point and a column an input. Of many, `prediction`, `upper` and `outside` are arrays.

        A value that its column could not have held is refused: with positive terms, 2.5 where all were whole numbers,
        and -1 or 0 where none was below 0, or 0. evaluate() takes any.

        >>> model.predict(dim=64, batch=4)
        >>> model.predict({"dim": dims, "batch": 4}).upper
        """
        if data is not None:
            return self._predict_data(data, level, inputs)
        try:
            if tuple(inputs) == self.inputs:  # the fast way, without calls of Python; what is wrong is said below
                result = _Result(_RESULT_SIZE)
                if not _predict(self._pointer, self._pack(*inputs.values()), level, result):
                    return _new(Prediction, (result.value, result.upper, result.outside != 0))
        except _REFUSED:
            pass
        return self._bound(self._packed(inputs), level)

    def _packed(self, inputs: Mapping[str, Any]) -> bytes:
        """The values in their order."""
        try:
            if tuple(inputs) == self.inputs:
                return self._pack(*inputs.values())
        except _REFUSED:
            pass
        return self._pack(*self._numbers(inputs))

    def _bound(self, packed: bytes, level: float) -> Prediction:
        result = _Result(_RESULT_SIZE)
        if _predict(self._pointer, packed, _call.double(level, "level"), result):
            self._check(struct.unpack(f"{len(self.inputs)}d", packed))
            raise _ffi.InvalidArgumentError(f"level: {level} is not between 0.5 and 0.999")
        return Prediction(result.value, result.upper, result.outside != 0)

    def bound(self, /, *, level: float = 0.95, rule: str | int | _ffi.Bound = "larger", **inputs: float) -> Bound:
        """Prediction with an upper bound by one rule, and what it rests on.

        rule: "larger" as predict() takes it; "held_out", "student", "wide", or "jackknife_plus".

        >>> model.bound(dim=64, batch=4, level=0.99).attained
        """
        numbers = self._numbers(inputs)
        self._check(numbers)
        found = _ffi.model_predict_by(self._handle, numbers, rule, level)
        decided = _ffi.Bound(found.rule).name.lower()
        return Bound(found.value, found.upper, found.outside != 0, decided, found.points, found.attained)

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

    def _predict_data(self, data: Numbers, level: float, inputs: Mapping[str, Any]) -> Prediction | Points:
        if inputs:
            raise TypeError(f"{next(iter(inputs))}: values come in one argument, or by name, not both")
        if isinstance(data, Mapping) and all(_is_number(value) for value in data.values()):
            return self._bound(self._packed(data), level)
        return Points(self, columns_of(data, self.inputs), _call.double(level, "level")).checked()

    def evaluate(self, data: Numbers, *, out: Any = None) -> Any:
        """The formula at many points, without bounds, as a numpy array; `out` is filled in place of a new one.

        >>> model.evaluate(frame)
        """
        return Points(self, columns_of(data, self.inputs), 0.95).evaluate(out)

    def solve(
        self, input: str, budget: int | float | str, *, level: float = 0.95, **inputs: float
    ) -> int:
        """Largest whole value of an input for which the upper bound stays within a budget; 0 if not even 1 does.

        budget: a size such as "16GiB", or a number in the model's unit.

        >>> model.solve("batch", "16GiB", dim=128)
        """
        most = self._in_unit(budget) if isinstance(budget, str) else _call.double(budget, "budget")
        if input not in self.inputs:
            raise _ffi.UnknownSymbolError(f"input: {input!r} is none of {', '.join(self.inputs)}")
        numbers = self._numbers({**inputs, input: math.nan})
        self._check(numbers)
        return _ffi.model_solve(self._handle, numbers, input, level, most)

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
        """The formula as "text", "c", "python" or "latex"."""
        return _ffi.model_formula(self._handle, language, _limits.new_context())

    def export(self, format: str | int | _ffi.ExportFormat = "text") -> str:
        """A file that needs no library: "c" (a header) and "python" compute the same bits; "text", "latex", "sql".

        >>> Path("predict.h").write_text(model.export("c"))
        """
        return _ffi.model_export(self._handle, format, _limits.new_context())

    @property
    def scores(self) -> Scores:
        """How good the fit is."""
        scores = _ffi.model_scores(self._handle)
        share = scores.held_out_error / scores.constant_error if scores.constant_error else math.nan
        return Scores(
            scores.training_mape,
            scores.loo_mape,
            scores.samples,
            scores.terms,
            scores.training_error,
            scores.loo_error,
            scores.held_out_error,
            1 - share * share,
            scores.noise,
            scores.noise_freedom,
            bool(scores.certified),
            scores.censored,
        )

    @property
    def front(self) -> list[Rival]:
        """The best formula of each size, smallest first; empty of a model from a file that has none."""
        front = []
        for index in range(_ffi.model_front_count(self._handle)):
            entry = _ffi.model_front_entry(self._handle, index)
            formula = _ffi.model_front_formula(self._handle, index) or ""
            front.append(
                Rival(entry.nodes, entry.terms, entry.loo_error, entry.held_out_error, bool(entry.chosen), formula)
            )
        return front

    @property
    def limits(self) -> tuple[float, float] | None:
        """Least and most that the model predicts; None if nothing limits it. One with limits takes an input outside
        its domain as the nearest value inside."""
        limits = _ffi.model_limits(self._handle)
        return limits[1:] if limits[0] else None

    @property
    def domain(self) -> dict[str, tuple[float, float]]:
        """Range of each input in the training data."""
        return {name: _ffi.model_domain(self._handle, index) for index, name in enumerate(self.inputs)}

    def __repr__(self) -> str:
        ranges = ", ".join(f"{name} {least:g} to {most:g}" for name, (least, most) in self.domain.items())
        return f"<Model {self.target} = {self.formula()}; {ranges}; {_error(self.scores)}>"

    def _repr_html_(self) -> str | None:
        return html("model", self)


def _error(scores: Scores) -> str:
    if not math.isnan(scores.loo_mape):
        return f"mean error {scores.loo_mape:.2%}"
    return f"error {scores.held_out_error:.4g}, R2 {scores.r2:.3f} on rows held out"


def _is_number(value: object) -> bool:
    return not isinstance(value, Sequence) and not hasattr(value, "__len__") and not getattr(value, "shape", ())


