"""What the generated layer is made of: arguments checked and converted, results checked, handles, structs, callbacks.

Every converter takes a value and the name of the argument, and raises TypeError, ValueError or OverflowError naming it:
ctypes itself would wrap integers silently and cut texts at a zero.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import itertools
import operator
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Any, ClassVar, NoReturn, TypeVar

from memmodel.errors import MemmodelError

Converter = Callable[[Any, str], Any]
MAX_VALUES = 2**22  # of a sequence of Python's own objects; arrays have no limit
E_ = TypeVar("E_", bound=IntEnum)


def kind_of(value: object) -> str:
    """What was given, for a message; an object that cannot be shown now does not hide what was wrong with it."""
    if value is None:
        return "None"
    try:
        return f"{type(value).__name__} {value!r:.60}"
    except Exception:
        return type(value).__name__


# ---- numbers and texts ----


def integer(low: int, high: int) -> Converter:
    def convert(value: Any, name: str) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            raise TypeError(f"{name}: a whole number is needed, not {kind_of(value)}") from None
        if not low <= number <= high:
            raise OverflowError(f"{name}: {number} is not between {low} and {high}")
        return number

    return convert


int32 = integer(-(2**31), 2**31 - 1)
int64 = integer(-(2**63), 2**63 - 1)
uint64 = integer(0, 2**64 - 1)
size = integer(0, 2 ** (8 * ctypes.sizeof(ctypes.c_size_t)) - 1)


def double(value: Any, name: str) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name}: a number is needed, not {kind_of(value)}")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name}: a number is needed, not {kind_of(value)}") from None
    except (ValueError, OverflowError) as problem:
        raise type(problem)(f"{name}: {problem}") from None


def boolean(value: Any, name: str) -> bool:
    return bool(int32(value, name))


def text(value: Any, name: str) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"{name}: a str is needed, not {kind_of(value)}")
    try:
        encoded = value.encode()
    except UnicodeEncodeError as problem:
        raise ValueError(f"{name}: {problem}") from None
    if b"\0" in encoded:
        raise ValueError(f"{name}: a zero character inside {value!r:.60}")
    return encoded


def octets(value: Any, name: str) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"{name}: bytes are needed, not {kind_of(value)}")
    return bytes(value)


def path(value: Any, name: str) -> bytes:
    try:
        encoded = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name}: a path is needed, not {kind_of(value)}") from None
    except UnicodeEncodeError as problem:
        raise ValueError(f"{name}: {problem}") from None
    if b"\0" in encoded:
        raise ValueError(f"{name}: a zero character inside {value!r:.60}")
    return encoded


def optional(convert: Converter) -> Converter:
    return lambda value, name: None if value is None else convert(value, name)


def enumeration(kind: type[E_], value: Any, name: str) -> E_:
    """A member of `kind`: itself, its number, or its name in any case, with hyphens as the tool writes it."""
    if isinstance(value, str):
        member = kind.__members__.get(value.upper().replace("-", "_"))
        if member is not None:
            return member
    elif not isinstance(value, IntEnum) or isinstance(value, kind):
        number = int32(value, name)
        if number in kind._value2member_map_:
            return kind(number)
    names = ", ".join(member.name.lower() for member in kind)
    raise ValueError(f"{name}: {value!r:.60} is none of {names}")


def word(kind: type[IntEnum], value: int) -> str:
    """The name of a member, as enumeration() takes it."""
    return kind(value).name.lower()


def enum(kind: type[IntEnum]) -> Converter:
    return lambda value, name: int(enumeration(kind, value, name))


# ---- arrays ----


def mapping(values: Any, name: str) -> Mapping[Any, Any]:
    """Values by name; none of None."""
    if values is not None and not isinstance(values, Mapping):
        raise TypeError(f"{name}: a mapping of names is needed, not {kind_of(values)}")
    return values or {}


def several(values: Iterable[Any], name: str, max_count: int = MAX_VALUES) -> list[Any]:
    """All values of an iterable, which may be one without an end."""
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name}: a sequence is needed, not {kind_of(values)}")
    taken = list(itertools.islice(values, max_count + 1))
    if len(taken) > max_count:
        raise ValueError(f"{name}: more than {max_count} values")
    return taken


def _count(count: int, name: str, length: int | None) -> int:
    if length is not None and count != length:
        raise ValueError(f"{name}: {length} values are needed, not {count}")
    return count


@functools.lru_cache(maxsize=1024)
def array_type(element: Any, count: int) -> Any:
    """A class of ctypes: each is a cycle that only the garbage collector takes, and slow to make."""
    return element * count


class Array:
    """Converts to an array of ctypes; memory of the right type is used in place, any other is refused."""

    def __init__(self, element: Any, convert: Converter, typestr: str = "", form: str = "") -> None:
        self.element, self.convert, self.typestr, self.form = element, convert, typestr, form

    def __call__(self, values: Any, name: str, length: int | None = None) -> Any:
        if isinstance(values, ctypes.Array) and values._type_ is self.element:
            _count(len(values), name, length)
            return values
        interface = getattr(values, "__array_interface__", None)
        if interface is not None:
            return self._in_place(interface, name, length)
        if isinstance(values, memoryview) or hasattr(values, "typecode"):
            return self._buffer(memoryview(values), name, length)
        return self._sequence(values, name, length)

    def _in_place(self, interface: Mapping[str, Any], name: str, length: int | None) -> Any:
        if len(interface["shape"]) != 1:
            raise ValueError(f"{name}: one dimension is needed, not {len(interface['shape'])}")
        if not self.typestr or interface["typestr"][1:] != self.typestr or interface["typestr"][0] == ">":
            raise TypeError(f"{name}: an array of {self.element.__name__[2:]} is needed, not of {interface['typestr']}")
        if interface.get("strides"):
            raise ValueError(f"{name}: the array is not contiguous")
        count = _count(interface["shape"][0], name, length)
        if interface["data"][0] % ctypes.alignment(self.element):
            raise ValueError(f"{name}: the array is not aligned")
        return array_type(self.element, count).from_address(interface["data"][0] if count else 0)

    def _buffer(self, view: memoryview, name: str, length: int | None) -> Any:
        fits = view.format is not None and view.format in self.form and view.ndim == 1 and view.c_contiguous
        if not self.form or not fits:
            raise TypeError(f"{name}: a contiguous buffer of {self.element.__name__[2:]} is needed")
        kind = array_type(self.element, _count(view.shape[0] if view.shape else 0, name, length))
        return kind.from_buffer_copy(view) if view.readonly else kind.from_buffer(view)

    def _sequence(self, values: Any, name: str, length: int | None) -> Any:
        taken = several(values, name, MAX_VALUES if length is None else length)
        converted = [self.convert(value, f"{name}[{index}]") for index, value in enumerate(taken)]
        return array_type(self.element, _count(len(converted), name, length))(*converted)


doubles = Array(ctypes.c_double, double, "f8", "d")
int32s = Array(ctypes.c_int32, int32, "i4", "i")
int64s = Array(ctypes.c_int64, int64, "i8", "lq")
sizes = Array(ctypes.c_size_t, size, f"u{ctypes.sizeof(ctypes.c_size_t)}", "LQN")
texts = Array(ctypes.c_char_p, text)


def structs(kind: type[Struct]) -> Array:
    return Array(kind, lambda value, name: instance(value, kind, name))


def columns(values: Any, name: str, outer: int) -> tuple[Any, int]:
    """Pointers to `outer` columns of doubles, and how long they are."""
    arrays = [doubles(column, f"{name}[{index}]") for index, column in enumerate(several(values, name, outer))]
    _count(len(arrays), name, outer)
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise ValueError(f"{name}: the columns differ in length: {sorted(lengths)}")
    pointer = ctypes.POINTER(ctypes.c_double)
    pointers = array_type(pointer, outer)(*(ctypes.cast(array, pointer) for array in arrays))
    return pointers, lengths.pop() if lengths else 0


def fixed(kind: Any, max_count: int, convert: Converter, repeat: int = 1) -> Converter:
    """Converts up to `max_count` numbers to an array within a struct; a single one stands for `repeat` of them."""

    def make(value: Any, name: str) -> Any:
        many = hasattr(value, "__iter__") and not isinstance(value, str)
        numbers = several(value, name, max_count) if many else [value] * repeat
        return array_type(kind, max_count)(*(convert(number, name) for number in numbers))

    return make


# ---- structs ----


class Struct(ctypes.Structure):
    """A struct of the API: keyword arguments are its fields, and whatever is assigned is checked."""

    _converters: ClassVar[Mapping[str, Converter]] = {}
    _counts: ClassVar[Mapping[str, str]] = {}  # field with an array -> field with the number of its elements
    _sized: ClassVar[bool] = False

    def __init__(self, **fields: Any) -> None:
        super().__init__()
        if self._sized:
            ctypes.Structure.__setattr__(self, "size", ctypes.sizeof(self))
        for name, value in fields.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        convert = self._converters.get(name)
        if convert is None:
            raise AttributeError(f"{type(self).__name__} has no field {name} that can be set")
        if name in self._counts and value is not None:
            value = several(value, name) if hasattr(value, "__iter__") else [value]
            self._set_count(name, len(value))
        elif name in self._counts.values() and self._is_known_count(name, value):
            return
        ctypes.Structure.__setattr__(self, name, convert(value, name))
        if isinstance(value, Handle):
            self.__dict__[f"{name} owner"] = referenced(type(value), value.pointer, value._context)

    def _set_count(self, array: str, count: int) -> None:
        """The number of elements goes with the array, and may not say something else."""
        given = getattr(self, self._counts[array])
        if given and given != count and f"{array} count" not in self.__dict__:
            raise ValueError(f"{array}: {count} elements, but {self._counts[array]} is {given}")
        ctypes.Structure.__setattr__(self, self._counts[array], count)
        self.__dict__[f"{array} count"] = count

    def _is_known_count(self, name: str, value: Any) -> bool:
        """Whether an array has set this number already."""
        for array, count in self._counts.items():
            known = self.__dict__.get(f"{array} count")
            if count == name and known is not None:
                if value and value != known:
                    raise ValueError(f"{name}: {value!r:.60}, but {array} has {known} elements")
                return True
        return False

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name, *_ in self._fields_ if name != "size")
        return f"{type(self).__name__}({shown})"


S = TypeVar("S", bound=Struct)


def instance(value: Any, kind: type[S], name: str) -> S:
    if not isinstance(value, kind):
        raise TypeError(f"{name}: {kind.__name__} is needed, not {kind_of(value)}")
    return value


def reference(value: Any, kind: type[Struct], name: str) -> Any:
    return ctypes.byref(instance(value, kind, name))


def optional_reference(value: Any, kind: type[Struct], name: str) -> Any:
    return None if value is None else reference(value, kind, name)


def pointer_to(kind: type[Struct]) -> Converter:
    """For a field that points to one struct."""
    return lambda value, name: ctypes.pointer(instance(value, kind, name))


# ---- handles ----


class Handle:
    """Owns one reference to an object of the library, and gives it back when it goes or is closed."""

    __slots__ = ("__weakref__", "_context", "_kept", "_pointer")
    _noun: ClassVar[str] = "object"
    _ref: ClassVar[Callable[[Any], Any]]
    _unref: ClassVar[Callable[[Any], Any]]

    def __init__(self, pointer: int | None, context: Handle | None = None) -> None:
        self._pointer = pointer
        self._context = context
        self._kept: dict[object, Any] | None = None

    @property
    def pointer(self) -> int:
        """Address of the object; ValueError once it is closed."""
        if self._pointer is None:
            raise ValueError(f"this {self._noun} is closed")
        return self._pointer

    @property
    def context(self) -> Handle:
        """The context that takes this object's errors."""
        return self if self._context is None else self._context

    def keep(self, key: object, value: Any) -> None:
        """Let a callback live as long as this."""
        self._kept = {**(self._kept or {}), key: value}

    def close(self) -> None:
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            type(self)._unref(pointer)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None:
            self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {self._noun} of the library cannot be pickled or copied: it is an address of this process")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {'closed' if self._pointer is None else hex(self._pointer)}>"


H = TypeVar("H", bound=Handle)


def address(value: Any, kind: type[Handle], name: str) -> int:
    if not isinstance(value, kind):
        raise TypeError(f"{name}: {kind._noun} is needed, not {kind_of(value)}")
    try:
        return value.pointer
    except ValueError as problem:
        raise ValueError(f"{name}: {problem}") from None


def optional_address(value: Any, kind: type[Handle], name: str) -> int | None:
    return None if value is None else address(value, kind, name)


def handle(kind: type[Handle]) -> Converter:
    """For a field of a struct, which takes a reference of its own."""
    return lambda value, name: optional_address(value, kind, name)


@contextlib.contextmanager
def held(**handles: Handle | None) -> Iterator[None]:
    """One more reference during a call that lets other threads run, one of which might close the object."""
    taken = [(type(one), address(one, type(one), name)) for name, one in handles.items() if isinstance(one, Handle)]
    for kind, pointer in taken:
        kind._ref(pointer)
    try:
        yield
    finally:
        for kind, pointer in taken:
            kind._unref(pointer)


def referenced(kind: type[H], pointer: int | None, context: Handle | None) -> H | None:
    """A borrowed object with a reference of its own."""
    if not pointer:
        return None
    kind._ref(pointer)
    return kind(pointer, context)


def context_of(source: Handle | None) -> Handle | None:
    return None if source is None else source.context


def owned(result: S, handle: Handle) -> S:
    """A struct whose texts live as long as the object of `handle`: it has a reference, should the handle be closed."""
    result.__dict__["owner"] = referenced(type(handle), handle.pointer, handle._context)
    return result


def pointed(pointer: Any, handle: Handle) -> Any:
    """A copy of a struct that the object of `handle` owns."""
    return owned(pointer._type_.from_buffer_copy(pointer.contents), handle)


def copied_array(pointer: Any, count: int) -> Any:
    """A copy of memory that an object owns and may move with its next change."""
    array = array_type(pointer._type_, count)()
    if count:
        ctypes.memmove(array, pointer, ctypes.sizeof(array))
    return array


def instance_of(value: Any, kind: type[H], name: str) -> H:
    if not isinstance(value, kind):
        raise TypeError(f"{name}: {kind._noun} is needed, not {kind_of(value)}")
    return value


# ---- callbacks ----

_pending = threading.local()


Take = Callable[[Any, tuple[Any, ...]], Any]


def same(value: Any, _: tuple[Any, ...]) -> Any:
    return value


def decoded_argument(value: bytes | None, _: tuple[Any, ...]) -> str:
    return decoded(value)


def copied(pointer: Any, _: tuple[Any, ...]) -> Any:
    """A struct that may be kept."""
    return pointer._type_.from_buffer_copy(pointer.contents) if pointer else None


def returned(pointer: Any, given: tuple[Any, ...]) -> Any:
    """As copied(); what the callback changes in it is written back when it returns."""
    return copied(pointer, given)


def elements(count: int) -> Take:
    """A list of the elements of an array, whose number is argument `count`."""

    def take(pointer: Any, given: tuple[Any, ...]) -> list[Any]:
        kind = pointer._type_
        if issubclass(kind, Struct):
            return [kind.from_buffer_copy(pointer[index]) for index in range(given[count])]
        return list(pointer[: given[count]])

    return take


def callback(prototype: Any, failed: Any, *arguments: Take | None) -> Converter:
    """
    Converts a callable; an exception in it ends the call of the library, and is raised when that returns. Where the
    library reads a whole number, what is none counts as true or false, None too: of an observer that returns nothing.
    """
    says_whether = prototype._restype_ is ctypes.c_int

    def answer(function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
        values = [(take, pointer, take(pointer, given)) for take, pointer in zip(arguments, given, strict=True) if take]
        result = function(*(value for _, _, value in values))
        for take, pointer, value in values:
            if take is returned and value is not None:
                pointer[0] = value
        return bool(result) if says_whether and not isinstance(result, int) else result

    def convert(function: Any, name: str) -> Any:
        if function is None:
            return prototype()
        if isinstance(function, prototype):
            return function
        if not callable(function):
            raise TypeError(f"{name}: a callable is needed, not {kind_of(function)}")

        def call(*given: Any) -> Any:
            try:
                return answer(function, given)
            except BaseException as problem:
                _pending.problem = problem
                return failed

        return prototype(call)

    return convert


def raise_pending() -> None:
    """What a callback of this thread has raised."""
    problem = _pending.__dict__.pop("problem", None)
    if problem is not None:
        raise problem


# ---- results ----


def decoded(value: bytes | None) -> str:
    return "" if value is None else value.decode("utf-8", "replace")


def optional_decoded(value: bytes | None) -> str | None:
    return None if value is None else decoded(value)


class Checker:
    """Turns a negative status into its exception, with what the context says about it."""

    def __init__(self, context_error: Callable[..., Any], status_message: Callable[..., Any]) -> None:
        self.context_error, self.status_message = context_error, status_message

    def detail(self, context: Handle | None) -> Any:
        return None if context is None else self.context_error(context.context.pointer).contents

    def failure(self, status: int, context: Handle | None) -> MemmodelError:
        kind = MemmodelError.by_status.get(status, MemmodelError)
        detail = self.detail(context)
        if detail is None or detail.status != status:
            problem = kind(decoded(self.status_message(status)))
        else:
            problem = kind(
                decoded(detail.message), object=decoded(detail.object), line=detail.line, column=detail.column
            )
        problem.status = status
        cause = _pending.__dict__.pop("problem", None)
        if cause is not None and not isinstance(cause, Exception):
            raise cause  # KeyboardInterrupt and its like are no cause of an error
        problem.__cause__ = cause
        return problem

    def status(self, value: int, context: Handle | None = None) -> int:
        """A status, a handle or a number of bytes: an error if negative."""
        if value < 0:
            raise self.failure(value, context)
        return value

    def dim(self, value: int, context: Handle) -> int:
        """A dimension: an error if 0."""
        if value == 0:
            raise self.failure(self.detail(context).status, context)
        return value

    def present(self, value: Any, context: Handle) -> Any:
        """A pointer: an error if NULL."""
        if not value:
            raise self.failure(self.detail(context).status, context)
        return value


def taken(free: Callable[..., Any], block: ctypes.c_void_p) -> str:
    """A text that the library handed over."""
    try:
        return ctypes.string_at(block.value or 0).decode("utf-8", "replace")
    finally:
        free(block)
