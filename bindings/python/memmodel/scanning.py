"""Scans: what many jobs need, models by GPUs by options by sizes, on any executor."""

from __future__ import annotations

import csv
import errno
import itertools
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from memmodel import _call, _executors, _ffi, _interrupts, _limits, _optional, front, onnx
from memmodel.campaigning import check_count
from memmodel.errors import MemmodelError
from memmodel.estimation import PARALLEL, SizeEstimate, estimate, estimate_many
from memmodel.network import Network
from memmodel.progress import Observer, Progress
from memmodel.quantity import parse_bytes
from memmodel.serving import LanguageModel

# Configurations of one task: enough to outweigh its way to a worker and back, few enough for all workers to have some.
TASK_ROWS = 500
MAX_ROWS = 10_000_000
POLL_SECONDS = 0.5
FIELDS = {*_ffi.Job.__annotations__, *PARALLEL} - {"size", "symbols", "symbol_count", "parallel", "reserved"}
ANSWERS = ("bytes", "bytes_low", "bytes_high", "budget_bytes", "verdict", "error")
VERDICTS = {_call.word(_ffi.Verdict, each): _ffi.verdict_name(each) for each in _ffi.Verdict}  # as the tool says them
Level = int | float | str
Row = tuple[Any, ...]


class ScanError(ValueError):
    """A scan that cannot be begun."""


class Scan(NamedTuple):
    """What a scan found. rows: of the columns, in the order of the grid. path: of the file that they were written to.

    columns: "model"; the keys of the grid; then "bytes", of the metric, None where there is no such job; "bytes_low",
    "bytes_high", their interval, None where there is none; "budget_bytes", given or the GPU's, None where neither is;
    "verdict", that of `memmodel estimate`, "fits", "uncertain" or "does not fit", None without a budget; "error".
    """

    columns: tuple[str, ...]
    rows: list[Row]
    path: Path | None

    def column(self, name: str) -> list[Any]:
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def to_frame(self) -> Any:
        """A pandas frame."""
        pandas = _optional.need("pandas", "Scan.to_frame()")
        return pandas.DataFrame.from_records(self.rows, columns=list(self.columns))


class Task(NamedTuple):
    """Sizes `values` of one symbol, all else the same. model: a network as JSON. places: numbers of the rows."""

    model: str
    symbols: dict[str, int]
    job: dict[str, Any]
    symbol: str
    values: list[int]
    places: list[int]


# ---- on a worker ----


@lru_cache(maxsize=64)
def _network(text: str) -> Network:
    return Network.from_json(text)


@lru_cache(maxsize=256)
def gpu_memory(gpu: str) -> int:
    """What a budget is unless given."""
    return int(_ffi.device_get_properties(_limits.new_context(), gpu).memory)


def _budget(job: Mapping[str, Any]) -> int | None:
    given = job.get("budget")
    if given is None:
        return gpu_memory(job["gpu"]) if job.get("gpu") else None
    return parse_bytes(given, "budget")


def _answer(found: SizeEstimate | None, budget: int | None) -> Row:
    if found is None:
        return None, None, None, budget, None, "no network of that size"
    low, high = found.interval or (None, None)
    return found.peak, low, high, budget, found.verdict and VERDICTS[found.verdict], ""


def run(task: Task) -> list[Row]:
    """The answers, one for each value."""
    found: list[SizeEstimate | None]
    try:
        budget, network = _budget(task.job), _network(task.model)
        if task.symbol:
            found = estimate_many(network, task.symbol, task.values, symbols=task.symbols, **task.job)
        else:
            found = [_of_report(network, task.job)]
    except (MemmodelError, ValueError, TypeError) as error:
        return [(None,) * (len(ANSWERS) - 1) + (str(error),)] * len(task.values)
    return [_answer(each, budget) for each in found]


def _of_report(network: Network, job: Mapping[str, Any]) -> SizeEstimate:
    """Of a network without symbols."""
    report = estimate(network, **job)
    peak = getattr(report.peak, report.metric)
    if peak is None:
        raise ScanError(f"{report.metric} bytes are not modelled for this framework; live ones are")
    return SizeEstimate(peak, report.interval, report.verdict)


# ---- the grid ----


def network_of(source: Any) -> Network:
    """A Network, or the path of one: JSON, ONNX, the config.json of a language model, or "hf:ORG/MODEL"."""
    if isinstance(source, Network):
        return source
    path = os.fspath(source)
    if path.endswith(".onnx"):
        return onnx.load(path)
    if path.startswith(front.HUB):
        path = str(front.config_of(path.removeprefix(front.HUB)))
    return LanguageModel.load(path).network() if Path(path).name == "config.json" else Network.load(path)


def _check_keys(networks: Mapping[str, Network], grid: Mapping[str, Sequence[Level]]) -> None:
    symbols = {symbol for network in networks.values() for symbol in network.symbols}
    for key in grid:
        if key not in symbols and key not in FIELDS:
            raise ScanError(f"{key} is neither a size of a model ({', '.join(sorted(symbols))}) nor an option of a job")
    for name, network in networks.items():
        for symbol in network.symbols:
            if symbol not in grid:
                raise ScanError(f"{name} has a size {symbol}, which the grid does not give")


def _check_sizes(networks: Mapping[str, Network], grid: Mapping[str, Sequence[Level]]) -> None:
    """A size is one of all rows that one call estimates."""
    symbols = {symbol for network in networks.values() for symbol in network.symbols}
    for key in symbols & set(grid):
        for value in grid[key]:
            if not isinstance(value, (int, float)) or value != int(value) or value < 1:
                raise ScanError(f"{key} has a value {value!r}; sizes are whole numbers of 1 or more")


def _tasks_of(network: Network, grid: Mapping[str, Sequence[Level]], first: int) -> Iterator[Task]:
    """Of one model, the longest of its sizes in one call. Sizes that it does not have are left empty."""
    own = [key for key in grid if key in network.symbols or key in FIELDS]
    shape = [grid[key] for key in own]
    places = {values: first + number for number, values in enumerate(itertools.product(*shape))}
    symbols = [key for key in own if key in network.symbols]
    symbol = max(symbols, key=lambda key: len(grid[key]), default="")
    others = [key for key in own if key != symbol]
    text = network.to_json()
    for chosen in itertools.product(*(grid[key] for key in others)):
        given: dict[str, Any] = dict(zip(others, chosen, strict=True))
        sizes = {key: given.pop(key) for key in symbols if key != symbol}
        values = list(grid[symbol]) if symbol else [0]
        at = [
            places[tuple(value if key == symbol else {**given, **sizes}[key] for key in own)] for value in values
        ]  # fmt: skip
        for start in range(0, len(values), TASK_ROWS):
            part = slice(start, start + TASK_ROWS)
            yield Task(text, sizes, given, symbol, [int(value) for value in values[part]], at[part])


def _keys_of(name: str, network: Network, grid: Mapping[str, Sequence[Level]]) -> Iterator[Row]:
    """The first columns of its rows."""
    has = {key: key in network.symbols or key in FIELDS for key in grid}
    for values in itertools.product(*(grid[key] if has[key] else [None] for key in grid)):
        yield (name, *values)


def _chunks(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Small tasks travel together."""
    chunk: list[Task] = []
    for task in tasks:
        if chunk and sum(len(each.values) for each in chunk) + len(task.values) > TASK_ROWS:
            yield chunk
            chunk = []
        chunk.append(task)
    if chunk:
        yield chunk


class _Stop:
    """Of one scan: ends what threads of this process compute for it."""

    def __init__(self) -> None:
        self.asked = False
        self.contexts: set[_ffi.ContextHandle] = set()

    def note(self, context: _ffi.ContextHandle) -> None:
        self.contexts.add(context)
        if self.asked:
            _ffi.context_cancel(context)

    def ask(self) -> None:
        self.asked = True
        for context in list(self.contexts):
            _ffi.context_cancel(context)


_stops: dict[int, _Stop] = {}
_numbers = itertools.count()


@contextmanager
def _stoppable() -> Iterator[int]:
    """A number by which the threads of a scan find its stop."""
    number = next(_numbers)
    _stops[number] = _Stop()
    try:
        yield number
    finally:
        del _stops[number]


def run_all(tasks: Sequence[Task], number: int = -1) -> list[list[Row]]:
    """number: of the scan; in another process than the scan's nothing is known of it."""
    stop, found = _stops.get(number, _Stop()), []
    for task in tasks:
        if stop.asked:
            break
        with _limits.noted(stop.note):
            found.append(run(task))
    return found


def _take(tasks: Sequence[Task], found: Sequence[Sequence[Row]], answers: list[Row | None]) -> None:
    for task, rows in zip(tasks, found, strict=True):
        for place, row in zip(task.places, rows, strict=True):
            answers[place] = row


def _collect(
    executor: Executor, tasks: Sequence[Task], answers: list[Row | None], show: Any, number: int
) -> None:  # fmt: skip
    pending: dict[Future[list[list[Row]]], list[Task]] = {}
    with _interrupts.held() as look:
        try:
            for chunk in _chunks(tasks):
                pending[executor.submit(run_all, chunk, number)] = chunk
                look()
            while pending:
                ended, _ = wait(pending, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in ended:
                    _take(pending.pop(future), future.result(), answers)
                look()
                if ended and show(sum(len(task.values) for chunk in pending.values() for task in chunk)):
                    raise KeyboardInterrupt
        finally:
            for future in pending:
                future.cancel()
            _stops[number].ask()


# ---- files ----


def _write_csv(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _write_parquet(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    arrow, parquet = _optional.need("pyarrow", "parquet"), _optional.need("pyarrow.parquet", "parquet")
    arrays = []
    for at in range(len(columns)):
        values = [row[at] for row in rows]
        kinds = {type(value) for value in values} - {type(None)}
        mixed = len(kinds) > 1
        arrays.append(arrow.array([None if each is None else str(each) for each in values] if mixed else values))
    parquet.write_table(arrow.table(arrays, names=list(columns)), path)


def _is_replaced(path: Path) -> bool:
    """A file is, at once; what a device or a pipe is given goes through it."""
    return path.is_file() or not path.exists()


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".part")


def check_output(path: Path) -> None:
    """Before anything is computed: whether a table can be written there."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
    if _is_replaced(path.resolve()):
        with _beside(path.resolve()).open("ab"):
            pass
        _beside(path.resolve()).unlink()


def write(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """CSV, or parquet by the name's end; atomically."""
    target = path.resolve()
    place = _beside(target) if _is_replaced(target) else target
    try:
        (_write_parquet if path.suffix == ".parquet" else _write_csv)(place, columns, rows)
        if place != target:
            place.replace(target)
    except OSError as error:
        if place != target:
            place.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


# ---- the call ----


def scan(
    models: Any,
    grid: Mapping[str, Any],
    *,
    output: str | os.PathLike[str] | None = None,
    executor: Executor | str | None = None,
    workers: int | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Observer | None = None,
) -> Scan:
    """What jobs need: each model with all combinations of the grid.

    models: Networks or paths of them by name, or a list of paths. grid: levels of sizes, such as batch, and of what
    estimate() takes besides, such as gpu, optimizer or precision; a size that a model does not have is left empty.
    output: path of a table, CSV or .parquet. executor: as campaign() takes it; all processors of this machine unless
    given. A job that cannot be has its error in its row. progress: a true result ends the scan with KeyboardInterrupt.

    >>> memmodel.scan({"resnet50": net}, {"batch": range(1, 257), "gpu": ["h100", "a100"]}, output="scan.csv")
    """
    if isinstance(models, (str, os.PathLike, Network)):
        models = [models]
    if not isinstance(models, Mapping):
        models = {getattr(model, "name", "") or str(model): model for model in models}
    networks = {name: network_of(source) for name, source in models.items()}
    levels = {key: [each] if isinstance(each, (str, int, float)) else list(each) for key, each in grid.items()}
    _check_keys(networks, levels)
    _check_sizes(networks, levels)
    check_count(levels, MAX_ROWS)
    keys: list[Row] = []
    tasks: list[Task] = []
    for name, network in networks.items():
        tasks += _tasks_of(network, levels, len(keys))
        keys += _keys_of(name, network, levels)
    answers: list[Row | None] = [None] * len(keys)
    columns, path = ("model", *levels, *ANSWERS), None if output is None else Path(output)
    if path is not None:
        check_output(path)
    began, total = time.monotonic(), len(keys)

    def show(left: int) -> bool:
        seconds = time.monotonic() - began
        return bool(progress and progress(Progress("configurations", total - left, total, seconds, None)))

    try:
        with _stoppable() as number, _executors.executor_of(executor, workers, {**(settings or {})}) as chosen:
            _collect(chosen, tasks, answers, show, number)
    finally:
        rows = [(*key, *answer) for key, answer in zip(keys, answers, strict=True) if answer is not None]
        if path is not None and rows:
            with _interrupts.held():
                write(path, columns, rows)
    return Scan(columns, rows, path)
