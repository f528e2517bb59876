"""Files that a recorded program writes: they lie in a folder apart, where it finds them again, and go with it.

What is apart hides what was there before, which is never touched. What was deleted is known by its name.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import posix
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

Put = Callable[[Any, str, Any], None]
NOT_FOLLOWED = ("/dev", "/proc", "/sys")
CACHES = ("XDG_CACHE_HOME", "HF_HOME", "TORCH_HOME")  # what was downloaded stays
READING = ("stat", "lstat", "access", "readlink", "statvfs")
CHANGING = ("chmod", "chown", "utime", "truncate")
_open = io.open


class Files:
    """Where a program's files are."""

    def __init__(self) -> None:
        self._folder = os.path.realpath(tempfile.mkdtemp(prefix="memmodel-"))
        self._apart = f"{self._folder}/files"
        posix.mkdir(self._apart)
        self._here = self._begin = os.getcwd()
        self._gone: set[str] = set()
        caches = [os.path.expanduser("~/.cache"), *(os.environ[name] for name in CACHES if name in os.environ)]
        self._left = tuple(f"{os.path.abspath(path)}/" for path in (*NOT_FOLLOWED, self._folder, *caches))

    def delete(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    # ---- where a path is ----

    def path(self, path: Any) -> str:
        """As the program sees it, from the root."""
        return os.path.normpath(os.path.join(self._here, os.fsdecode(path)))

    def read(self, path: Any) -> Any:
        """Where it is now."""
        if isinstance(path, int):
            return path
        seen = self.path(path)
        if self._is_left(seen):
            return seen
        if self._is_there(seen) or self._is_hidden(seen):
            return self._apart + seen
        return seen if _exists(seen) else path  # as the error will name it

    def write(self, path: Any, *, keep: bool = True) -> Any:
        """Where it may be changed. keep: with what is in it."""
        if isinstance(path, int):
            return path
        seen = self.path(path)
        if self._is_left(seen):
            return seen
        apart = self.place(seen)
        if not _exists(apart) and not self._is_hidden(seen) and _exists(seen):
            if _is_folder(f"{seen}/."):
                self._bring(seen)
            elif keep:
                _copy(seen, apart)
        return apart

    def place(self, seen: str) -> str:
        """Where an entry is made, whatever it is."""
        if self._is_left(seen):
            return seen
        self._bring(os.path.dirname(seen))
        if self._is_link(seen):
            posix.unlink(self._apart + seen)
        return self._apart + seen

    def names(self, path: Any) -> list[str]:
        """Of the entries of a folder."""
        seen = self.path(path)
        there, before = self._is_there(seen), not self._is_hidden(seen) and _is_folder(f"{seen}/.")
        if self._is_left(seen) or not (there and before):
            return posix.listdir(self.read(path))
        found = {name for name in posix.listdir(seen) if not self._is_hidden(os.path.join(seen, name))}
        return sorted(found | set(posix.listdir(self._apart + seen)))

    def _is_left(self, seen: str) -> bool:
        return f"{seen}/".startswith(self._left)

    def _is_hidden(self, seen: str) -> bool:
        """Whether it, or a folder around it, was deleted."""
        return bool(self._gone) and any(f"{seen}/".startswith(f"{gone}/") for gone in self._gone)

    def _is_there(self, seen: str) -> bool:
        return _exists(self._apart + seen) and not self._is_link(seen)

    def _is_link(self, seen: str) -> bool:
        """To what was there before, for code that is no Python."""
        try:
            return posix.readlink(self._apart + seen) == seen
        except OSError:
            return False

    def _bring(self, seen: str) -> None:
        """A folder, as it was, without what is in it: but for those around which the program began, where links are."""
        if seen == "/" or self._is_left(seen):
            return
        self._bring(os.path.dirname(seen))
        apart, link = self._apart + seen, self._is_link(seen)
        if self._is_hidden(seen) or not _is_folder(f"{seen}/.") or not (link or not _exists(apart)):
            return
        if link:
            posix.unlink(apart)
        posix.mkdir(apart)
        if f"{seen}/".startswith(f"{self._begin}/"):
            for name in posix.listdir(seen):
                posix.symlink(os.path.join(seen, name), f"{apart}/{name}")

    def _bring_all(self, seen: str) -> str:
        apart = self.write(seen)
        if _is_folder(apart):
            for name in self.names(seen):
                self._bring_all(os.path.join(seen, name))
        return str(apart)

    # ---- what a program calls ----

    @contextmanager
    def followed(self) -> Iterator[None]:
        """All that is read and written in Python goes through these; other code is where relative paths lead apart."""
        with ExitStack() as stack:
            stack.callback(posix.chdir, self._here)
            self._follow(lambda owner, name, value: stack.enter_context(mock.patch.object(owner, name, value)))
            yield

    def _follow(self, put: Put) -> None:
        temporary = f"{self._folder}/temporary"
        posix.mkdir(temporary)
        put(tempfile, "tempdir", temporary)
        put(shutil, "_use_fd_functions", False)  # rmtree() by paths
        for name in READING:
            put(os, name, _first(self.read, getattr(posix, name)))
        for name in CHANGING:
            put(os, name, _first(self.write, getattr(posix, name)))
        for module in (builtins, io):
            put(module, "open", self._open)
        mine = {"open": self._open_low, "listdir": lambda path=".": self.names(path), "scandir": self._scan,
                "mkdir": self._mkdir, "rmdir": self._rmdir, "remove": self._remove, "unlink": self._remove,
                "rename": self._move, "replace": self._move, "link": self._link, "symlink": self._symlink,
                "getcwd": lambda: self._here, "chdir": self._chdir}  # fmt: skip
        for name, function in mine.items():
            put(os, name, function)
        self._chdir(self._here)

    def _open(self, file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        file = self.write(file, keep="w" not in mode) if set(mode) & set("wax+") else self.read(file)
        return _open(file, mode, *args, **kwargs)

    def _open_low(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if dir_fd is not None:
            return posix.open(path, flags, mode, dir_fd=dir_fd)
        changes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        return posix.open(self.write(path, keep=not flags & os.O_TRUNC) if changes else self.read(path), flags, mode)

    def _mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        seen = self.path(path)
        if _exists(self.read(seen)):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        posix.mkdir(self.place(seen), mode)

    def _rmdir(self, path: Any, *, dir_fd: int | None = None) -> None:
        if self.names(path):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)
        posix.rmdir(self.write(path))
        self._gone.add(self.path(path))

    def _remove(self, path: Any, *, dir_fd: int | None = None) -> None:
        if not _exists(self.read(path)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        posix.unlink(self.write(path))
        self._gone.add(self.path(path))

    def _move(self, source: Any, target: Any, **_: Any) -> None:
        if not _exists(self.read(source)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source, None, target)
        posix.rename(self._bring_all(self.path(source)), self.place(self.path(target)))
        self._gone |= {self.path(source), self.path(target)}

    def _link(self, source: Any, target: Any, **_: Any) -> None:
        _copy(self.read(source), self.place(self.path(target)))

    def _symlink(self, source: Any, target: Any, *_: Any, **__: Any) -> None:
        source = os.fsdecode(source)
        posix.symlink(self.read(source) if source.startswith("/") else source, self.place(self.path(target)))

    def _scan(self, path: Any = ".") -> Any:
        return posix.scandir(path) if isinstance(path, int) else Entries(os.fsdecode(path), self.names(path))

    def _chdir(self, path: Any) -> None:
        """The folder that others see as the current one, too: of other processes, of code that is no Python."""
        seen = self.path(path)
        if self._is_left(seen) or not _exists(self.read(seen)):
            posix.chdir(path)
        else:
            self._begin = seen
            posix.chdir(self.write(seen))
        self._here = seen


class Entries:
    """Those of a folder, as os.scandir() gives them."""

    def __init__(self, folder: str, names: list[str]) -> None:
        self._entries = iter([Entry(folder, name) for name in names])

    def __iter__(self) -> Iterator[Entry]:
        return self._entries

    def __next__(self) -> Entry:
        return next(self._entries)

    def __enter__(self) -> Entries:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def close(self) -> None:
        pass


class Entry:
    """As os.DirEntry."""

    def __init__(self, folder: str, name: str) -> None:
        self.name, self.path = name, os.path.join(folder, name)

    def __fspath__(self) -> str:
        return self.path

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return os.stat(self.path, follow_symlinks=follow_symlinks)

    def inode(self) -> int:
        return self.stat(follow_symlinks=False).st_ino

    def is_symlink(self) -> bool:
        return os.path.islink(self.path)

    def is_junction(self) -> bool:
        """Since 3.12, of Windows."""
        return False

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return os.path.isdir(self.path) and (follow_symlinks or not self.is_symlink())

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return os.path.isfile(self.path) and (follow_symlinks or not self.is_symlink())


def _first(place: Callable[[Any], Any], function: Any) -> Any:
    """The function, whose first argument is a path."""

    def called(path: Any, *args: Any, **kwargs: Any) -> Any:
        return function(path if kwargs.get("dir_fd") is not None else place(path), *args, **kwargs)

    return called


def _exists(path: Any) -> bool:
    try:
        posix.lstat(path)
    except OSError:
        return False
    return True


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(posix.lstat(path).st_mode)
    except OSError:
        return False


def _copy(source: str, target: str) -> None:
    with _open(source, "rb") as old, _open(target, "xb") as new:
        shutil.copyfileobj(old, new)
    posix.chmod(target, stat.S_IMODE(posix.stat(source).st_mode))
