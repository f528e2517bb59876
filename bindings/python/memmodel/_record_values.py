"""Values behind tensors without memory, as far as a program may ask for them: small ones are computed beside.

They are kept by storage, as real memory of the same size, so that views and writes through them need no care. What is
not known when it is read is made up, and noted with the line that reads it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_map

from memmodel._record_calls import DRAWING, Call, tensors_in
from memmodel._record_places import harmless_answer, here

SMALL_BYTES = 1 << 19  # of storages whose values are kept
LONGEST = 1 << 12  # readings of a comparison: as many tokens as a text may have
PATIENCE = 64  # readings at one line, after which loops that wait for another answer get it now and then
FALL = 0.98  # of numbers from then on, from one reading to the next


@dataclass(frozen=True)
class Assumption:
    """A value that was made up where the program read it: what was read, the value (the first one, where it differed;
    "" on a simulated GPU), the line, and how often there. sized: the size of a tensor came of it."""

    what: str
    value: str
    line: str
    count: int
    sized: bool


class UnknownValue(RuntimeError):
    """The program reads a value that was not computed, and was to be stopped there (`strict`)."""


class Values:
    """What is known, by storage."""

    def __init__(self, *, strict: bool = False) -> None:
        self._strict = strict
        self._memory: dict[int, Any] = {}  # by storage: real storages of the same bytes
        self._lent: set[int] = set()  # of these: those of the program's own tensors, which are only read
        self._noted: dict[tuple[str, str, bool], tuple[str, int]] = {}  # by what, line and sized: value and count
        self._losses = 0

    # ---- what is known ----

    def forget(self, storage: int) -> None:
        self._memory.pop(storage, None)
        self._lent.discard(storage)

    def known(self, tensor: Any) -> bool:
        return not isinstance(tensor, FakeTensor) or storage_of(tensor) in self._memory or tensor.numel() == 0

    def real(self, tensor: Any) -> Any:
        """The tensor with memory; what is written into it is known from then on. None: it is not known."""
        if not isinstance(tensor, FakeTensor):
            return tensor
        if tensor.numel() == 0:
            return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="cpu")
        memory = self._memory.get(storage_of(tensor))
        if memory is None:
            return None
        view = torch.empty(0, dtype=tensor.dtype, device="cpu")
        return view.set_(memory, tensor.storage_offset(), tensor.shape, tensor.stride())

    def bytes_of(self, tensor: Any) -> bytes | None:
        """Of its storage."""
        memory = self._memory.get(storage_of(tensor))
        return None if memory is None else bytes(memory.tolist())

    def keep(self, tensor: Any, values: Any) -> None:
        """The values of all of a tensor, which is alone on its storage."""
        if not isinstance(tensor, FakeTensor) or not is_small(tensor) or values.shape != tensor.shape:
            return
        memory = self._memory.get(storage_of(tensor))
        if memory is None or memory._cdata != values.untyped_storage()._cdata:  # else it is a view
            self.make_room(tensor)
            self.real(tensor).copy_(values)

    def lend(self, tensor: Any, real: Any) -> None:
        """The values of a parameter, whose memory is read until something is to be written into it. Not of a buffer:
        operators write running means without saying so."""
        if not is_small(tensor) or real.layout != torch.strided or real.is_conj() or real.is_neg():
            self.keep(tensor, real)
            return
        self._memory[storage_of(tensor)] = real.untyped_storage()
        self._lent.add(storage_of(tensor))

    def make_room(self, tensor: Any) -> None:
        """Memory that may be written: zeros, for what writes all of it."""
        key = storage_of(tensor)
        if key in self._lent:
            self._lent.discard(key)
            self._memory[key] = self._memory[key].clone()
        elif is_small(tensor) and key not in self._memory:
            zeros = torch.zeros(tensor.untyped_storage().nbytes(), dtype=torch.uint8, device="cpu")
            self._memory[key] = zeros.untyped_storage()

    def forget_all(self, tensors: Iterable[Any]) -> None:
        for tensor in tensors:
            if isinstance(tensor, FakeTensor):
                self.forget(storage_of(tensor))

    # ---- what is made up ----

    def assume(self, what: str, value: Any, *, sized: bool = False) -> Any:
        line = here()
        if self._strict:
            raise UnknownValue(f"{what} at {line}: its value is not known without a run")
        first, count = self._noted.get((what, line, sized), (str(value), 0))
        self._noted[what, line, sized] = first, count + 1
        return value

    def assume_condition(self, what: str) -> bool:
        """True, or that for which the program raises no error; a loop that goes on for it comes to its end."""
        answer = harmless_answer()
        if answer is None:
            readings = self.readings(what)
            answer = readings <= PATIENCE or readings % 2 != 0
        return bool(self.assume(what, answer))

    def readings(self, what: str) -> int:
        """How often it was made up at this line, with this time."""
        _, count = self._noted.get((what, here(), False), ("", 0))
        return count + 1

    @property
    def assumptions(self) -> list[Assumption]:
        return [Assumption(what, value, line, count, sized)
                for (what, line, sized), (value, count) in self._noted.items()]  # fmt: skip

    def number(self, tensor: Any) -> Any:
        """One value of a tensor, for Python. What is not known of losses falls from one to the next."""
        real = self.real(tensor)
        if real is not None:
            return real.item()
        if tensor.dtype == torch.bool:
            return self.assume_condition("a condition")
        if not tensor.is_floating_point() and not tensor.is_complex():
            return self.assume("an integer", 1)
        self._losses += 1
        fallen = FALL ** max(0, self.readings("a number") - PATIENCE)
        return self.assume("a number", _sign() * (1 + 1 / self._losses) * fallen)

    def array(self, tensor: Any, what: str) -> Any:
        """All values, of its own memory."""
        real = self.real(tensor)
        if real is not None:
            return real.detach().clone()
        self.assume(what, "ones")
        return torch.ones(tensor.shape, dtype=tensor.dtype, device="cpu")


def _sign() -> float:
    """The line search of LBFGS is handed a direction in which the loss falls."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.endswith("torch/optim/lbfgs.py"):
            return -1.0 if "gtd" in _source(frame) else 1.0
        frame = frame.f_back  # type: ignore[assignment]
    return 1.0


def _source(frame: Any) -> str:
    import linecache

    return linecache.getline(frame.f_code.co_filename, frame.f_lineno)


def storage_of(tensor: Any) -> int:
    """By which it is known; -1 of a sparse tensor, whose parts have storages."""
    return int(tensor.untyped_storage()._cdata) if tensor.layout == torch.strided else -1


def is_small(tensor: Any) -> bool:
    return bool(tensor.layout == torch.strided and tensor.untyped_storage().nbytes() <= SMALL_BYTES)


# ---- operators on what is known ----

WITHOUT_VALUES = ("empty", "empty_strided", "new_empty", "new_empty_strided", "empty_like", "empty_permuted",
                  "set_")  # fmt: skip
COMPARING = ("gt", "lt", "ge", "le", "eq", "ne")
INFINITE = float("inf")
FINITE = {"isnan": False, "isinf": False, "isfinite": True}


def follow(values: Values, call: Call, *, backward: bool, large: bool = False) -> None:
    """After the call: what it made or wrote is known if all that it read is, and is small. large: something is not.

    Weights that are drawn and gradients are not known: nobody asks for them, and kernels of the backward pass may read
    what is not kept."""
    if _finite(values, call) or call.name in WITHOUT_VALUES or call.name.startswith("_amp_"):
        return
    if large or not _wanted(values, call, backward) or not all(values.known(tensor) for tensor in call.read):
        values.forget_all(call.written)
        _compare(values, call)
        return
    if call.results or call.written:
        _compute(values, call)


def _wanted(values: Values, call: Call, backward: bool) -> bool:
    if call.name in DRAWING and not all(values.known(tensor) for tensor in call.written):
        return False
    return all(is_small(tensor) and not (backward and tensor.is_floating_point())
               for tensor in call.results + call.written)  # fmt: skip


def _compute(values: Values, call: Call) -> None:
    def given(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return values.real(value)
        if isinstance(value, torch.device):
            return torch.device("cpu")
        return None if isinstance(value, torch.Generator) else value

    try:
        with _disable_current_modes(), torch.no_grad():
            for tensor in call.written:
                values.make_room(tensor)
            args, kwargs = tree_map(given, (call.args, call.kwargs))
            kwargs.pop("pin_memory", None)
            made = tensors_in(call.operator(*args, **kwargs))
            if not call.schema.mutable:
                for tensor, value in zip(call.results, made):
                    values.keep(tensor, value)
    except Exception:  # noqa: BLE001  no kernel for these
        values.forget_all(call.written)


def _finite(values: Values, call: Call) -> bool:
    """Numbers are taken to be finite."""
    answer = FINITE.get(call.name)
    if call.name in ("eq", "ne") and len(call.args) == 2:
        one, other = call.args
        if one is other or (isinstance(other, float) and abs(other) == INFINITE):
            answer = (call.name == "eq") == (one is other)
    if answer is None or not call.results or all(values.known(tensor) for tensor in call.read):
        return False
    with _disable_current_modes():
        values.keep(call.results[0], torch.full(call.results[0].shape, answer, device="cpu"))
    return True


def _compare(values: Values, call: Call) -> None:
    """A single number that is not known is taken for 1 where it is compared."""
    if call.name not in COMPARING or call.results[0].dim() or len(call.args) != 2:
        return

    def value_of(value: Any) -> Any:
        real = values.real(value) if isinstance(value, torch.Tensor) else value
        return real if real is not None else torch.ones(value.shape, dtype=value.dtype, device="cpu") * _sign()

    what = f"a comparison ({call.name})"
    with _disable_current_modes():
        answer = call.operator(*(value_of(value) for value in call.args))
        answer ^= values.readings(what) > LONGEST
        values.assume(what, bool(answer))
        values.keep(call.results[0], answer)
