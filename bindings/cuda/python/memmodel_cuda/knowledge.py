"""
What is known of the contents of device memory.

KNOWN (what the device would hold), PLAUSIBLE (in range, but made up or random), a Guess (nothing is written there, but
something can be said of it), or nothing at all. It is kept by the address of the storage, for its first bytes, with a
mark that the library clears when that address is handed out again (followed.c). Nothing of torch's is held or touched
for that: a storage that Python has seen counts one reference more, and autograd then no longer adds gradients in place.
"""

from memmodel_cuda import library

KNOWN, PLAUSIBLE, UNKNOWN = 2, 1, 0
TRACKED = 1 << 20  # bytes: what the library keeps of a copy from the host
SMALL = 1 << 16  # bytes: floating-point numbers that are computed beside
_of_host = "_memmodel_known"

_guessed = set()  # kinds of guesses that there have been, but for losses
_known = {}  # address of a storage: (level or Guess, bytes from there on, its mark's place)
_changes = 0
_marks, _start, _last = bytearray(1), 0, 0  # the last one is of addresses that are not the allocator's


class Guess:
    """Of unknown values. `value`: every element is that; `mask`: bool, or 0 and 1; `loss`: of so many classes."""

    __slots__ = ("kind", "value")

    def __init__(self, kind, value=None):
        self.kind = kind
        self.value = value


def is_large(tensor):
    """Whether operators on it are not followed, so dense as most are."""
    size = tensor.nbytes
    return size > SMALL and (size > TRACKED or not is_small(tensor))


def is_small(tensor):
    """Whether operators on it are computed beside."""
    if tensor.is_sparse or tensor.is_sparse_csr:
        return False
    size = tensor.nbytes
    return size <= SMALL or (size <= TRACKED and not _is_float(tensor))


def _is_float(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def span(tensor):
    """Bytes from its first element to the end of its last."""
    last = 0
    for size, stride in zip(tensor.shape, tensor.stride()):
        if size == 0:
            return 0
        last += (size - 1) * stride
    return (last + 1) * tensor.element_size()


def _place(tensor):
    """Address of its storage, and where in it the tensor begins."""
    offset = tensor.storage_offset() * tensor.element_size()
    return tensor.data_ptr() - offset, offset


def _entry(base):
    entry = _known.get(base)
    if entry is None or _marks[entry[2]]:
        return entry
    _known.pop(base, None)
    return None


def _keep(base, what, end):
    """Enters that so many bytes from there on are known so, or guessed so."""
    global _marks, _start, _last, _changes  # noqa: PLW0603
    if not _last:
        _marks, _start, _last = library.marks()
    place = (base - _start) // library.MARKED
    place = place if 0 <= place < _last else _last
    _marks[place] = 1
    _known[base] = what, end, place
    _changes += 1


def _found(tensor):
    base, offset = _place(tensor)
    entry = _entry(base)
    return entry[0] if entry is not None and offset + span(tensor) <= entry[1] else None


def level(tensor):
    if not tensor.is_cuda:
        return getattr(tensor.untyped_storage(), _of_host, KNOWN)
    if tensor.numel() == 0:
        return KNOWN
    found = _found(tensor)
    return found if type(found) is int else UNKNOWN


def changes():
    """How often something became known."""
    return _changes


def has_guesses():
    return bool(_guessed)


def guess(tensor):
    """A Guess or None."""
    found = _found(tensor) if tensor.is_cuda else None
    return found if type(found) is Guess else None


def forget(tensor):
    _known.pop(_place(tensor)[0], None)


def given_out(result):
    """What an operator returned is not what operators that it called have left there."""
    if isinstance(result, (list, tuple)):
        for item in result:
            given_out(item)
    elif hasattr(result, "data_ptr") and not result.is_sparse:
        _known.pop(result.data_ptr(), None)


def mark(tensor, what):
    """The tensor has a storage of its own, which is now known so, or guessed so."""
    base, offset = _place(tensor)
    _keep(base, what, offset + span(tensor))
    if type(what) is Guess and what.kind != "loss":
        _guessed.add(what.kind)


def mark_host(tensor, what):
    setattr(tensor.untyped_storage(), _of_host, what)


def written(tensor, new):
    """The tensor was written, which may be a part of its storage."""
    if not tensor.is_cuda or tensor.numel() == 0:
        return
    base, offset = _place(tensor)
    end = offset + span(tensor)
    old, known, _ = _entry(base) or (UNKNOWN, 0, 0)
    old = old if type(old) is int else UNKNOWN
    if offset == 0 and end >= known and is_dense(tensor):
        old, known = new, end
    elif offset <= known and is_dense(tensor):
        old, known = min(old, new) if known else new, max(end, known)
    else:
        old = min(old, new)
    if old:
        _keep(base, old, known)
    else:
        _known.pop(base, None)


def is_dense(tensor):
    """No gaps between its elements."""
    return span(tensor) == tensor.nbytes
