"""An exception for each status. Generated from include/memmodel/context.h by ./run generate: edit that."""

from __future__ import annotations

from memmodel.errors import MemmodelError

__all__ = [
    "NoMemoryError",
    "InvalidArgumentError",
    "MemmodelOverflowError",
    "ShapeError",
    "UnsupportedError",
    "ParseError",
    "IoError",
    "StructSizeError",
    "NotFoundError",
    "UnboundError",
    "DataError",
    "VersionError",
    "ProcessError",
    "CallbackError",
    "LimitError",
    "CancelledError",
]


class NoMemoryError(MemmodelError, MemoryError):
    """The context's allocator returned None. Free memory, or ask for less: fewer layers, steps, rows."""

    status = -1


class InvalidArgumentError(MemmodelError, ValueError):
    """An argument is outside what the call documents. The error's message names it."""

    status = -2


class MemmodelOverflowError(MemmodelError, OverflowError):
    """A count or a number of bytes does not fit in 63 bits. Bind smaller numbers to the symbols."""

    status = -3


class ShapeError(MemmodelError, ValueError):
    """The shapes of a layer do not fit together. Correct the options or the inputs of the layer that the error names.
    """

    status = -4


class UnsupportedError(MemmodelError, NotImplementedError):
    """Known, but not available on this platform or for this framework. Choose another, or a library that was built with
    it.
    """

    status = -5


class ParseError(MemmodelError, ValueError):
    """A file or a text is not of its format. Correct it at the error's line and column."""

    status = -6


class IoError(MemmodelError, OSError):
    """The operating system refused to read or write. The error's message has its reason."""

    status = -7


class StructSizeError(MemmodelError):
    """An options struct has a size that this library cannot accept. Set it to sizeof the struct, and to zero what is
    not used.
    """

    status = -8


class NotFoundError(MemmodelError, LookupError):
    """A name that is no symbol of the network, or no column of the table. Compare it with their names."""

    status = -9


class UnboundError(MemmodelError, LookupError):
    """A symbol has no value in this query. Give it one in the job."""

    status = -10


class DataError(MemmodelError, ValueError):
    """The samples cannot be used: too few, constant or not finite. Measure more, or leave out what the error's message
    names.
    """

    status = -11


class VersionError(MemmodelError, ValueError):
    """The file was written by a newer version of its format. Use a library as new as the program that wrote it."""

    status = -12


class ProcessError(MemmodelError, OSError):
    """The process does not exist or cannot be read. Check its number, and whether it is yours."""

    status = -13


class CallbackError(MemmodelError):
    """A function that the caller gave said that it failed. Ask that function why."""

    status = -14


class LimitError(MemmodelError):
    """The call would take more than a limit of its context. The error's message names the limit; context_set_limits()
    raises it.
    """

    status = -15


class CancelledError(MemmodelError):
    """The caller ended the call, by context_cancel(). Call again, if it is wanted after all."""

    status = -16
