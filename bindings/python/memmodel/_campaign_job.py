"""One measured run of a campaign, wherever an executor takes it: `memmodel run` writes its row into a file of its own.

That file is the run's only mark: whoever is sent to do it again finds the row and returns it. A lock, which the tool
inherits, holds as long as the run goes on, so that one whose worker was killed is waited for and not begun again.
"""

from __future__ import annotations

import csv
import errno
import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

# How a run ends that somebody stopped: by hand, with its terminal, or by a scheduler that wants the place.
STOPPED = {f"signal {number}" for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}
POLL_SECONDS = 0.1
TOOL_FAILED = (125, 126, 127)  # exit codes of `memmodel run` that are not the command's

_running: set[subprocess.Popen[bytes]] = set()
stopping = threading.Event()  # a campaign that has been interrupted starts nothing more in this process


class JobError(RuntimeError):
    """A run that cannot be measured anywhere: its command does not start, or its row cannot be written."""


class RunLostError(RuntimeError):
    """A run that ended without a row, with whatever ran it; another try may have one."""


class Job(NamedTuple):
    """result: path of the file with its row. options: of `memmodel run`. inputs: texts, as they stand in the row.
    folder: where it runs, on machines that have it."""

    words: list[str]
    inputs: dict[str, str]
    result: str
    options: list[str]
    tool: str
    folder: str


def row_of(result: Path) -> dict[str, str] | None:
    """The last row of a run that was not stopped; None where there is none yet."""
    try:
        with result.open(newline="", encoding="utf-8") as lines:
            rows = [row for row in csv.DictReader(lines) if None not in row.values()]
    except (OSError, csv.Error):
        return None
    return rows[-1] if rows and rows[-1].get("status") not in STOPPED else None


@contextmanager
def _claimed(result: Path) -> Iterator[int | None]:
    """A descriptor with the lock of the run; None once another one has left its row. Where a file system knows no locks
    there is none."""
    lock = os.open(result.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        while row_of(result) is None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno in (errno.EAGAIN, errno.EACCES):
                    time.sleep(POLL_SECONDS)
                    continue
            yield lock
            return
        yield None
    finally:
        os.close(lock)


def _tool(named: str) -> str:
    """The tool by the path that the campaign's machine has it at, or the one of this machine."""
    found = named if os.access(named, os.X_OK) else shutil.which("memmodel")
    if found is None:
        raise JobError(f"memmodel is neither at {named} nor in PATH on {os.uname().nodename}")
    return found


def _run(job: Job, result: Path, lock: int) -> int:
    sets = [word for name, value in job.inputs.items() for word in ("--set", f"{name}={value}")]
    words = [_tool(job.tool), "run", "--append", str(result), *sets, *job.options, "--", *job.words]
    with result.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(lock,), start_new_session=True,
            cwd=job.folder if Path(job.folder).is_dir() else None,
        )  # fmt: skip
        _running.add(process)
        try:
            return process.wait()
        finally:
            _running.discard(process)


def _last_words(result: Path) -> str:
    """The tool's own, of what it and the command said."""
    lines = result.with_suffix(".log").read_text(encoding="utf-8", errors="replace").splitlines()
    own = [line for line in lines if line.startswith("memmodel run: ")]
    return (own or lines or ["it said nothing"])[-1].removeprefix("memmodel run: ")


def _measured(job: Job, result: Path) -> dict[str, str]:
    with _claimed(result) as lock:
        if lock is not None and row_of(result) is None:
            if stopping.is_set():
                raise RunLostError("the campaign was interrupted")
            result.unlink(missing_ok=True)  # of a run that was stopped
            code = _run(job, result, lock)
            if code in TOOL_FAILED and row_of(result) is None:
                raise JobError(_last_words(result))
            if row_of(result) is None:
                raise RunLostError(f"it ended with {code} and left no row: {_last_words(result)}")
    row = row_of(result)
    assert row is not None
    return row


def measure(job: Job) -> dict[str, str]:
    """The row of a run, which is made where there is none. In the campaign's own folder where this machine shares it,
    else in one that is gone afterwards."""
    result = Path(job.result)
    if result.parent.is_dir():
        return _measured(job, result)
    with tempfile.TemporaryDirectory(prefix="memmodel-campaign-") as folder:
        return _measured(job, Path(folder) / result.name)


def stop_all() -> None:
    """Ends the runs of this process."""
    stopping.set()
    for process in list(_running):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
