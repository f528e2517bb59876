"""
What is known of the contents of device memory.

It is kept with the storage, as an attribute that lives as long as the storage does: KNOWN (what the device would hold),
PLAUSIBLE (in range, but made up or random), a Guess (nothing is written, something can be said), or nothing at all.
Only storages of up to TRACKED bytes are followed.
"""

KNOWN, PLAUSIBLE, UNKNOWN = 2, 1, 0
TRACKED = 1 << 20  # bytes: what the library keeps of a copy from the host
SMALL = 1 << 16  # bytes: floating-point numbers that are computed beside
_MARK = "_memmodel_known"


class Guess:
    """Of a storage whose values are unknown. `value`: every element; `mask`: bool or 0 and 1; `loss`: classes."""

    __slots__ = ("kind", "value")

    def __init__(self, kind, value=None):
        self.kind = kind
        self.value = value


def is_small(tensor):
    """Whether operators on it are computed beside."""
    return tensor.nbytes <= SMALL or (tensor.nbytes <= TRACKED and not _is_float(tensor))


def _is_float(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def level(tensor):
    mark = getattr(tensor.untyped_storage(), _MARK, None)
    if mark is None:
        return UNKNOWN if tensor.is_cuda else KNOWN
    return mark if type(mark) is int else UNKNOWN


def guess(tensor):
    """A Guess or None."""
    mark = getattr(tensor.untyped_storage(), _MARK, None)
    return mark if type(mark) is Guess else None


def forget(tensor):
    storage = tensor.untyped_storage()
    if getattr(storage, _MARK, None) is not None:
        delattr(storage, _MARK)


def mark(tensor, what):
    """The whole of the storage is now known so, or guessed so."""
    storage = tensor.untyped_storage()
    if storage.nbytes() <= TRACKED or type(what) is Guess:
        setattr(storage, _MARK, what)


def written(tensor, new):
    """The tensor was written, which may be a part of its storage."""
    if covers(tensor):
        mark(tensor, new) if new else forget(tensor)
        return
    new = min(new, level(tensor))
    mark(tensor, new) if new else forget(tensor)


def covers(tensor):
    return tensor.nbytes == tensor.untyped_storage().nbytes()
