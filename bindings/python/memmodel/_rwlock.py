"""A read-write lock: many that only read an object at a time, or one that changes it.

Calls of the library that last (an estimate) let other threads run; so a network could change under an estimate of it.
A lock is renewed in a child after fork: whoever held it stayed in the parent, and nothing was half done, because calls
that change an object keep Python's lock.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Iterator


class ReadWriteLock:
    __slots__ = ("__weakref__", "_changed", "_readers", "_writing")

    def __init__(self) -> None:
        self._renew()
        _all.add(self)

    def _renew(self) -> None:
        self._changed = threading.Condition(threading.RLock())
        self._readers: list[int] = []
        self._writing = False

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        me = threading.get_ident()
        with self._changed:
            self._readers.append(me)
        try:
            yield
        finally:
            with self._changed:
                self._readers.remove(me)
                self._changed.notify_all()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        with self._changed:
            if self._writing or threading.get_ident() in self._readers:
                raise RuntimeError("an object cannot be used by a callback of its own call")
            while self._readers:
                self._changed.wait()
            self._writing = True
            try:
                yield
            finally:
                self._writing = False


_all: weakref.WeakSet[ReadWriteLock] = weakref.WeakSet()


def _renew_all() -> None:
    for lock in list(_all):
        lock._renew()


os.register_at_fork(after_in_child=_renew_all)
