"""What the tool's commands share that are written in Python: their errors, and progress on a terminal.

    python -m memmodel._commands campaign SPEC.toml
"""

from __future__ import annotations

import errno
import importlib
import os
import select
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from memmodel.errors import MemmodelError
from memmodel.progress import Progress

COMMANDS = {"campaign": "_campaign_command", "import": "_import_command", "scan": "_scan_command"}


class CommandError(RuntimeError):
    """What was asked for cannot be had; one line says why."""


def _duration(seconds: float) -> str:
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


class Line:
    """A line on a terminal that is written over again and again; nothing elsewhere."""

    def __init__(self, noun: str, stream: Any = None) -> None:
        self.noun, self.stream = noun, sys.stderr if stream is None else stream
        self.shown = self.stream.isatty()
        self.first: int | None = None

    def __call__(self, progress: Progress) -> None:
        if not self.shown:
            return
        self.first = progress.done - 1 if self.first is None else self.first
        new, total = progress.done - self.first, progress.total or progress.done
        left = progress.seconds / max(1, new) * (total - progress.done)
        self.stream.write(f"\r{progress.done} of {total} {self.noun}, {_duration(left)} left\x1b[K")
        self.stream.flush()

    def end(self) -> None:
        if self.shown and self.first is not None:
            self.stream.write("\r\x1b[K")
            self.stream.flush()


def _reader_left() -> bool:
    """Whether nobody reads what is printed, as behind `| head`. What is still to be written then goes nowhere."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    if not any(event & select.POLLERR for _, event in poll.poll(0)):
        return False
    _print_nowhere()
    return True


def _print_nowhere() -> None:
    """What is still to be printed, which Python would try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _flush() -> None:
    """What is still to be printed; a standard output that was closed is an error, as it is of commands in C."""
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if sys.stdout is not None:
            _print_nowhere()
        raise OSError(error.errno, error.strerror, "standard output") from None


def run(work: Callable[[], int], name: str, interrupted: Callable[[], int]) -> int:
    """A command's exit code; errors are one line each. A reader that left ends it as it ends other tools."""
    with suppress(AttributeError):  # PYTHONUNBUFFERED would have each print() fail by itself, without a name
        sys.stdout.reconfigure(write_through=False)  # type: ignore[union-attr]
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # as the tool left it for the time of imports
        code = work()
        _flush()
        return code
    except KeyboardInterrupt:
        return interrupted()
    except OSError as error:
        if isinstance(error, BrokenPipeError) and _reader_left():
            return 128 + signal.SIGPIPE
        place = f"{error.filename}: " if error.filename else ""
        print(f"memmodel {name}: {place}{error.strerror or error}", file=sys.stderr)
    except (RuntimeError, MemmodelError, ValueError) as error:
        print(f"memmodel {name}: {error}", file=sys.stderr)
    return 1


def main(words: Sequence[str]) -> int:
    """The first word is the command."""
    module = importlib.import_module(f"memmodel.{COMMANDS[words[0]]}")
    return int(module.main(words[1:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
