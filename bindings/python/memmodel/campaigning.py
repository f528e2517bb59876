"""Campaigns: measured runs over a grid, or over what advise() asks for, on any executor."""

from __future__ import annotations

import csv
import fcntl
import hashlib
import itertools
import json
import math
import os
import shlex
import shutil
import string
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from memmodel import _campaign_job, _executors, _interrupts
from memmodel.advising import advise as advise_next
from memmodel.progress import Observer, Progress
from memmodel.quantity import parse_bytes
from memmodel.samples import Samples

MEASURED = ("peak_bytes", "rss_bytes", "pss_bytes", "cgroup_bytes", "seconds", "status")
SHARES = ("rss_bytes", "pss_bytes", "cgroup_bytes")
POLL_SECONDS = 0.5
Level = int | float | str
Point = dict[str, str]  # texts, as they stand in the table


class CampaignError(RuntimeError):
    """A campaign that cannot go on; what it has measured is in its table."""


class Campaign(NamedTuple):
    """The result of a campaign. samples: path of its table. points: so many were wanted. measured: have a row; of these
    limits ran out of memory or over their limit, and failed ended otherwise than well. lost: points without a row, each
    with the reason."""

    samples: Path
    points: int
    measured: int
    limits: int
    failed: int
    lost: list[tuple[dict[str, str], str]]


@dataclass(frozen=True)
class Advised:
    """Points that advise() asks for, round after round, until the expected error is target_error or there are `count`.

    domain and cost: as advise() takes them. round: points that are measured before it is asked again.
    """

    domain: Mapping[str, Any]
    count: int = 40
    round: int = 8
    target_error: float = 0.03
    cost: str | None = None


# ---- points ----


def _text(value: Level) -> str:
    """As it stands in the table: 4.0 is 4."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _same(text: str) -> str:
    """What two spellings of a number have in common."""
    try:
        return repr(float(text))
    except ValueError:
        return text


def _key(point: Point) -> tuple[tuple[str, str], ...]:
    return tuple((name, _same(point[name])) for name in sorted(point))


MAX_POINTS = 1_000_000


def check_count(levels: Mapping[str, Sequence[Any]], most: int) -> None:
    """Refuses a grid that has more combinations."""
    count = math.prod(map(len, levels.values()))
    if count > most:
        raise ValueError(f"the grid has {count:,} combinations; {most:,} are the most")


def grid(levels: Mapping[str, Iterable[Level]]) -> list[dict[str, Level]]:
    """All combinations, the last input first.

    >>> memmodel.campaign("train.py --dim {dim} --batch {batch}", grid({"dim": [32, 48], "batch": [1, 2]}))
    """
    names = list(levels)
    listed = {name: list(values) for name, values in levels.items()}
    check_count(listed, MAX_POINTS)
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*listed.values())]


def points_given(given: Any) -> list[Point]:
    if isinstance(given, Mapping):
        given = grid({name: [each] if isinstance(each, (str, int, float)) else each for name, each in given.items()})
    points = [{name: _text(value) for name, value in point.items()} for point in given]
    names = {tuple(sorted(point)) for point in points}
    if len(names) > 1:
        raise ValueError(f"points: they differ in their inputs: {' and '.join(map(str, sorted(names)[:2]))}")
    for name in names.pop() if names else ():
        if name in MEASURED:
            raise ValueError(f"points: {name} is a column of what is measured")
    return points


# ---- the command ----


def _fields(words: Sequence[str]) -> set[str]:
    try:
        return {name for word in words for _, name, _, _ in string.Formatter().parse(word) if name is not None}
    except ValueError as error:
        raise ValueError(f"command: {error}; a brace that is meant is doubled") from None


def filled(words: Sequence[str], point: Point) -> list[str]:
    return [word.format_map(point) for word in words]


def command_words(command: Any, points: Sequence[Point], names: Iterable[str]) -> list[str]:
    words = shlex.split(command) if isinstance(command, str) else [os.fspath(word) for word in command]
    if not words:
        raise ValueError("command: it is empty")
    known = set(points[0]) if points else set(names)
    for name in sorted(_fields(words) - known):
        raise ValueError(f"command: {{{name}}} is no input; there are {', '.join(sorted(known))}")
    return words


# ---- the work ----


class _Slot(NamedTuple):
    """The repeat-th run of a point."""

    point: Point
    repeat: int

    @property
    def name(self) -> str:
        text = json.dumps([_key(self.point), self.repeat])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class _Work:
    """The rows of a campaign, as they come: the table has them in the order of the points."""

    def __init__(self, samples: Path, target: str, tool: str, options: Sequence[str], tries: int) -> None:
        self.samples, self.target, self.tool, self.tries = samples, target, tool, tries
        self.folder = samples.with_name(samples.name + ".runs")
        self.options, self.cwd = list(options), str(Path.cwd())
        self.slots: list[_Slot] = []
        self.rows: list[dict[str, str] | None] = []
        self.in_table: list[bool] = []
        self.lost: dict[int, str] = {}
        self.columns: list[str] | None = None
        self.written = 0  # slots before that one are in the table, or lost

    # ---- what is there already ----

    def table(self) -> list[dict[str, str]]:
        if not self.samples.exists():
            return []
        with self.samples.open(newline="", encoding="utf-8") as lines:
            return [dict(row) for row in csv.DictReader(lines)]

    def check(self, inputs: Iterable[str]) -> None:
        """Before anything is measured: whether the table that is there takes its rows."""
        if not self.samples.exists():
            return
        if not self.samples.is_file():
            raise CampaignError(f"{self.samples}: a table of samples is a file, which is read again; this is none")
        with self.samples.open(newline="", encoding="utf-8") as lines:
            columns = next(csv.reader(lines), None)
        if not columns:
            return
        self.columns, wanted = columns, [*inputs, self.target, "seconds", "status"]
        for name in wanted:
            if name not in columns:
                raise CampaignError(f"{self.samples} has no column {name}; samples = another table")
        for name in columns:
            if name not in (*wanted, *SHARES):
                raise CampaignError(f"{self.samples} has a column {name}, which is no input of this campaign")

    def add(self, points: Sequence[Point], repeat: int) -> list[int]:
        """Their runs, but for those that have a row in the table: numbers of the others."""
        first = len(self.slots)
        self.slots += [_Slot(point, turn) for point in points for turn in range(repeat)]
        names = set(points[0]) if points else set()
        there: dict[Any, list[dict[str, str]]] = {}
        for row in self.table():
            if row["status"] not in _campaign_job.STOPPED:
                there.setdefault(_key({name: row[name] for name in names}), []).append(row)
        new = []
        for number in range(first, len(self.slots)):
            kept = there.get(_key(self.slots[number].point), [])
            self.in_table.append(bool(kept))
            self.rows.append(kept.pop(0) if kept else _campaign_job.row_of(self._result(number)))
            if self.rows[number] is None:
                new.append(number)
        return new

    def _result(self, number: int) -> Path:
        return self.folder / f"{self.slots[number].name}.csv"

    def job(self, words: Sequence[str], number: int) -> _campaign_job.Job:
        point = self.slots[number].point
        result = str(self._result(number))
        return _campaign_job.Job(filled(words, point), point, result, self.options, self.tool, self.cwd)

    # ---- rows ----

    def write(self) -> None:
        """Adds the rows to the table that no earlier point is still wanted before."""
        while self.written < len(self.slots) and (
            self.rows[self.written] is not None or self.written in self.lost or self.in_table[self.written]
        ):
            self._write_row(self.written)
            self.written += 1

    def write_rest(self) -> None:
        """Of a campaign that ends early."""
        for number in range(self.written, len(self.slots)):
            self._write_row(number)

    def _write_row(self, number: int) -> None:
        row = self.rows[number]
        if row and not self.in_table[number]:
            self.in_table[number] = True
            self._append(row)

    def _append(self, row: Mapping[str, str]) -> None:
        """Without shares that the table has no column for, as `memmodel run` leaves them out."""
        lacking = [] if self.columns is None else [name for name in SHARES if name not in self.columns]
        Samples.append_to_file(self.samples, **{name: row[name] for name in row if name not in lacking})

    def adopt(self) -> None:
        """Adds what runs have left that ended after their campaign."""
        there = self.table()
        for path in sorted(self.folder.glob("*.csv")):
            row = _campaign_job.row_of(path)
            if row and not any(all(row.get(name, "") == field for name, field in each.items()) for each in there):
                self._append(row)

    def take(self, number: int, future: Future[dict[str, str]], tried: int) -> bool:
        """The row of a run that has ended; false if it is to be tried again."""
        point = self.slots[number].point
        try:
            self.rows[number] = future.result()
        except _executors.ExecutorError as error:
            raise CampaignError(str(error)) from None
        except _campaign_job.JobError as error:
            raise CampaignError(f"{in_words(point)}: {error}") from None
        except _executors.OutOfMemoryError as error:
            self.rows[number] = self._killed(point, error)
        except Exception as error:
            if tried < self.tries:
                return False
            first = (str(error).strip().splitlines() or [""])[0]
            self.lost[number] = f"{type(error).__name__}: {first}"
        return True

    def _killed(self, point: Point, error: _executors.OutOfMemoryError) -> dict[str, str]:
        """A lower limit: what the scheduler gave the job."""
        had = "" if error.bytes is None else str(error.bytes)
        return {**point, self.target: had, **dict.fromkeys(MEASURED[1:], ""), "status": "OUT_OF_MEMORY"}

    @property
    def measured(self) -> int:
        return sum(row is not None for row in self.rows)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Two campaigns of one table at the same time would measure everything twice."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "campaign.lock").open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise CampaignError(f"{self.samples}: another campaign of this table is running") from None
            except OSError:
                pass  # a file system without locks
            yield


def in_words(point: Point) -> str:
    return " ".join(f"{name}={value}" for name, value in point.items())


class _Watch:
    """Progress of a campaign: what was there when it began does not count for the time that is left."""

    def __init__(self, observer: Observer | None) -> None:
        self.observer, self.began = observer, time.monotonic()

    def show(self, done: int, total: int) -> bool:
        seconds = time.monotonic() - self.began
        return bool(self.observer and self.observer(Progress("points", done, total, seconds, None)))


def _collect(
    work: _Work, executor: Executor, words: Sequence[str], numbers: Sequence[int], watch: _Watch, total: int
) -> None:
    """Measures these runs."""
    with _interrupts.held() as look:
        tried = Counter(numbers)
        pending: dict[Future[dict[str, str]], int] = {}
        try:
            for number in numbers:
                pending[executor.submit(_campaign_job.measure, work.job(words, number))] = number
                look()
            while pending:
                ended, _ = wait(pending, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in ended:
                    number = pending.pop(future)
                    if not work.take(number, future, tried[number]):
                        tried[number] += 1
                        pending[executor.submit(_campaign_job.measure, work.job(words, number))] = number
                work.write()
                look()
                if ended and watch.show(work.measured, total):
                    raise KeyboardInterrupt
        except BaseException:
            for future in pending:
                future.cancel()
            _campaign_job.stop_all()
            work.write_rest()
            raise
        work.write()


def _next_points(work: _Work, advised: Advised, measured: int) -> list[Point]:
    """Of the next round; none when the error is small enough or there are enough points."""
    names = list(advised.domain)
    rows = [row for row in work.table() if row.get("status") == "ok" and set(names) <= set(row)]
    table = {name: [float(row[name]) for row in rows] for name in (*names, work.target)} if rows else None
    count = min(advised.round, advised.count - measured)
    if count <= 0:
        return []
    answer = advise_next(
        table, work.target if table else None, advised.domain, cost=advised.cost,
        target_error=advised.target_error, count=count,
    )  # fmt: skip
    if rows and answer.expected_error <= advised.target_error:
        return []
    columns = [list(answer.design[name]) for name in names]
    return [dict(zip(names, map(_text, values), strict=True)) for values in zip(*columns, strict=True)]


def _advised_rounds(work: _Work, executor: Executor, words: Sequence[str], advised: Advised, watch: _Watch) -> None:
    measured = len(work.table())
    while points := _next_points(work, advised, measured):
        turns = Counter(_key({name: row[name] for name in points[0]}) for row in work.table())
        fresh = len(work.slots)
        for point in points:  # one that is advised once more is measured once more
            work.slots.append(_Slot(point, turns[_key(point)]))
            work.rows.append(_campaign_job.row_of(work._result(len(work.slots) - 1)))
            work.in_table.append(False)
            turns[_key(point)] += 1
        numbers = [number for number in range(fresh, len(work.slots)) if work.rows[number] is None]
        _collect(work, executor, words, numbers, watch, advised.count)
        measured += len(points)


def _tool_path() -> str:
    found = os.environ.get("MEMMODEL_TOOL") or shutil.which("memmodel")
    if found is None:
        raise CampaignError("the tool, memmodel, is not in PATH; MEMMODEL_TOOL names it")
    return str(Path(found).resolve())


def _run_options(target: str, limit: int | str | None, seconds: float | None, gpu: str | None) -> list[str]:
    options = ["--target", target] if target != MEASURED[0] else []
    if limit is not None:
        options += ["--limit", str(parse_bytes(limit, "limit"))]
    if seconds is not None:
        options += ["--seconds", repr(float(seconds))]
    return options + (["--gpu", gpu] if gpu else [])


def _result(work: _Work) -> Campaign:
    rows = {number: row for number, row in enumerate(work.rows) if row}
    statuses = [row.get("status", "") for row in rows.values()]
    limits = sum(status in ("limit", "OOM", "OUT_OF_MEMORY", "signal 9") for status in statuses)
    failed = sum(status != "ok" for status in statuses) - limits
    lost = [(work.slots[number].point, why) for number, why in work.lost.items()]
    return Campaign(work.samples, len(work.slots), work.measured, limits, failed, lost)


def campaign(
    command: str | Sequence[str],
    points: Any,
    *,
    samples: str | os.PathLike[str] = "samples.csv",
    target: str = "peak_bytes",
    executor: Executor | str | None = None,
    workers: int | None = None,
    settings: Mapping[str, Any] | None = None,
    repeat: int = 1,
    limit: int | str | None = None,
    seconds: float | None = None,
    gpu: str | None = None,
    tries: int = 3,
    folder: str | os.PathLike[str] | None = None,
    progress: Observer | None = None,
) -> Campaign:
    """Measure a command at points, each by `memmodel run` on an executor, and add a row for each to a table.

    command: words, or a text that is split as a shell does, with {NAME} for the inputs. points: mappings of inputs;
    or levels by input, of which all combinations are meant; or Advised(domain). samples: path of the table. Points that
    have a row in it are not measured again, so that a campaign that was stopped in whatever way goes on; what its runs
    left is in the folder SAMPLES.runs. executor: any of concurrent.futures, or "processes" (the default), "dask",
    "ray", "mpi", "slurm", with `settings` of its own. repeat: runs of each point. limit, seconds, gpu: of
    `memmodel run`. A run that is killed for its memory has a row whose status says so: a lower limit. tries: of a run
    whose worker was lost. folder: where the command runs; the current one unless given. progress: is called as points
    are measured; a true result ends the campaign.

    >>> memmodel.campaign("python train.py {dim} {batch}", {"dim": [32, 48, 64], "batch": [1, 2]}, executor=executor)
    """
    advised = points if isinstance(points, Advised) else None
    wanted = [] if advised else points_given(points)
    words = command_words(command, wanted, advised.domain if advised else ())
    work = _Work(Path(samples).absolute(), target, _tool_path(), _run_options(target, limit, seconds, gpu), tries)
    if folder is not None:
        work.cwd = str(Path(folder).absolute())
    work.check(advised.domain if advised else wanted[0] if wanted else ())
    watch = _Watch(progress)
    _campaign_job.stopping.clear()
    with work.alone(), _executors.executor_of(
        executor, workers, {"folder": str(work.folder / "slurm"), **(settings or {})}
    ) as chosen:
        if advised:
            work.adopt()
            _advised_rounds(work, chosen, words, advised, watch)
        else:
            numbers = work.add(wanted, repeat)
            _collect(work, chosen, words, numbers, watch, len(work.slots))
    made = _result(work)
    if not made.lost and not made.failed:
        shutil.rmtree(work.folder, ignore_errors=True)
    return made
