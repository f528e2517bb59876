"""Executors by name: threads that start processes, Dask, Ray, MPI, and Slurm's job arrays through submitit."""

from __future__ import annotations

import importlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memmodel import _spec
from memmodel._sacct import size_of


class ExecutorError(RuntimeError):
    """An executor that cannot be had here; one line says why."""


class OutOfMemoryError(RuntimeError):
    """A scheduler killed a whole job for its memory. bytes: what it had, None if not known."""

    def __init__(self, text: str, size: int | None) -> None:
        super().__init__(text)
        self.bytes = size


def _package(module: str, name: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ExecutorError(f'executor = "{name}" needs the package {module.partition(".")[0]}') from None


# ---- local, Dask, MPI ----


@contextmanager
def _threads(workers: int | None, settings: Mapping[str, Any]) -> Iterator[Executor]:
    """Threads that wait: what is measured are processes."""
    pool = ThreadPoolExecutor(workers or os.cpu_count() or 1, thread_name_prefix="memmodel campaign")
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _dask(workers: int | None, settings: Mapping[str, Any]) -> Iterator[Executor]:
    """A scheduler that is there, by its address or file, or a cluster of this machine with a thread a worker."""
    distributed = _package("distributed", "dask")
    given = {key: settings[key] for key in ("address", "scheduler_file") if key in settings}
    if not given:
        given = {"n_workers": workers or os.cpu_count() or 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.Client(**given) as client:
        yield client.get_executor(pure=False)


@contextmanager
def _mpi(workers: int | None, settings: Mapping[str, Any]) -> Iterator[Executor]:
    futures = _package("mpi4py.futures", "mpi")
    with futures.MPIPoolExecutor(workers) as pool:
        yield pool


# ---- Ray ----


class _RayExecutor(Executor):
    def __init__(self, ray: Any, processors: float) -> None:
        self._ray, self._processors = ray, processors

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        remote = self._ray.remote(num_cpus=self._processors, max_retries=3)(call)
        made: Future[Any] = remote.remote(*args, **kwargs).future()
        return made


@contextmanager
def _ray(workers: int | None, settings: Mapping[str, Any]) -> Iterator[Executor]:
    ray = _package("ray", "ray")
    given = {"address": settings["address"]} if "address" in settings else {"num_cpus": workers}
    ray.init(**given, include_dashboard=False, log_to_driver=False)
    try:
        yield _RayExecutor(ray, settings.get("cpus", 1))
    finally:
        ray.shutdown()


# ---- Slurm ----

ENDED = {"BOOT_FAIL", "CANCELLED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"}
GRACE_SECONDS = 15.0  # within which a result may still appear on a shared disk
SUBMIT_SECONDS = 0.3  # what comes within that time goes into one array
# Keys of [slurm] that submitit hands on to sbatch.
SBATCH_KEYS = ("account", "constraint", "cpus_per_task", "exclude", "gres", "mem", "partition", "qos", "time")


def run_chunk(call: Callable[[Any], Any], given: Sequence[Any]) -> list[tuple[Any, Exception | None]]:
    """Several in one task of an array: each one's result or error."""
    made: list[tuple[Any, Exception | None]] = []
    for each in given:
        try:
            made.append((call(each), None))
        except Exception as error:
            made.append((None, error))
    return made


class _Call:
    """What was submitted. alone: it is not to share a task with others."""

    def __init__(self, call: Callable[[Any], Any], argument: Any) -> None:
        self.call, self.argument, self.alone = call, argument, False
        self.future: Future[Any] = Future()


class _Task:
    """A task of an array, and the calls that it answers."""

    def __init__(self, job: Any, calls: Sequence[_Call]) -> None:
        self.job, self.calls = job, calls
        self.ended: float | None = None


class SlurmExecutor(Executor):
    """Calls of one argument become tasks of job arrays, `points_per_task` of them in each."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        submitit = _package("submitit", "slurm")
        self._executor = submitit.SlurmExecutor(folder=folder, max_num_timeout=0)
        self._executor.update_parameters(
            job_name="memmodel-campaign",
            use_srun=False,  # of what ran out of memory in a step of its own the job says FAILED, not OUT_OF_MEMORY
            **{key: settings[key] for key in (*SBATCH_KEYS, "array_parallelism", "setup") if key in settings},
        )
        self._chunk, self._poll = settings.get("points_per_task", 1), settings.get("poll_seconds", 2.0)
        self._memory = settings.get("mem")
        self._queue: list[_Call] = []
        self._tasks: list[_Task] = []
        self._lock, self._wake, self._closed = threading.Lock(), threading.Event(), False
        self._thread = threading.Thread(target=self._work, name="memmodel slurm", daemon=True)
        self._thread.start()

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        made = _Call(call, args[0])
        with self._lock:
            self._queue.append(made)
        self._wake.set()
        return made.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._closed = True
        self._wake.set()
        if cancel_futures:
            for task in self._tasks:
                with suppress(Exception):
                    task.job.cancel(check=False)
        if wait:
            self._thread.join()

    # ---- the thread ----

    def _work(self) -> None:
        while not self._closed:
            self._wake.wait(self._poll)
            if self._wake.is_set():
                time.sleep(SUBMIT_SECONDS)
                self._wake.clear()
            try:
                self._submit_queued()
                self._look()
            except Exception as error:  # of sbatch: whoever waits hears of it
                self._fail_queued(error)

    def _chunks(self, calls: Sequence[_Call]) -> list[list[_Call]]:
        alone = [[call] for call in calls if call.alone]
        others = [call for call in calls if not call.alone]
        return alone + [others[first : first + self._chunk] for first in range(0, len(others), self._chunk)]

    def _submit_queued(self) -> None:
        with self._lock:
            queued = list(self._queue)
        chunks = self._chunks([call for call in queued if call.alone or call.future.set_running_or_notify_cancel()])
        if chunks:
            jobs = self._executor.map_array(
                run_chunk, [chunk[0].call for chunk in chunks], [[call.argument for call in chunk] for chunk in chunks]
            )
            self._tasks += [_Task(job, chunk) for job, chunk in zip(jobs, chunks, strict=True)]
        with self._lock:
            self._queue = self._queue[len(queued) :]

    def _fail_queued(self, error: Exception) -> None:
        with self._lock:
            failed, self._queue = self._queue, []
        words = (str(error).strip().splitlines() or [type(error).__name__])[0]
        for call in failed:
            if not call.future.done():
                call.future.set_exception(ExecutorError(f"Slurm: {words}"))

    def _look(self) -> None:
        if not self._tasks:
            return
        states = self._states()
        for task in list(self._tasks):
            if task.job.paths.result_pickle.exists():
                self._finish(task)
            elif states.get(task.job.job_id) in ENDED:
                task.ended = task.ended or time.monotonic()
                if time.monotonic() - task.ended > GRACE_SECONDS:
                    self._lose(task, states[task.job.job_id])

    def _states(self) -> dict[str, str]:
        """By what the controller still knows; of older ones by accounting, where a site has it."""
        arrays = sorted({task.job.job_id.split("_")[0] for task in self._tasks})
        states: dict[str, str] = {}
        for words in (
            ["sacct", "-nPX", "-j", ",".join(arrays), "-o", "JobID,State"],
            ["squeue", "-h", "-r", "-t", "all", "-j", ",".join(arrays), "-o", "%i|%T"],
        ):
            try:
                said = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False).stdout
            except (OSError, subprocess.TimeoutExpired):
                continue
            for line in said.splitlines():
                number, _, state = line.partition("|")
                states[number] = state.split()[0] if state else ""
        return states

    def _finish(self, task: _Task) -> None:
        try:
            answers = task.job.result()
        except Exception as error:
            answers = [(None, error)] * len(task.calls)
        self._tasks.remove(task)
        for call, (result, failure) in zip(task.calls, answers, strict=True):
            if failure is not None:
                call.future.set_exception(failure)
            else:
                call.future.set_result(result)

    def _lose(self, task: _Task, state: str) -> None:
        """Of several that ran out of memory together nobody knows which did: each gets a task of its own."""
        self._tasks.remove(task)
        out_of_memory, text = state == "OUT_OF_MEMORY", f"Slurm job {task.job.job_id}: {state}"
        if out_of_memory and len(task.calls) > 1:
            for call in task.calls:
                call.alone = True
            with self._lock:
                self._queue += task.calls
            self._wake.set()
            return
        for call in task.calls:
            call.future.set_exception(
                OutOfMemoryError(text, self._memory_bytes()) if out_of_memory else RuntimeError(text)
            )

    def _memory_bytes(self) -> int | None:
        """--mem as Slurm reads it: a number alone is MiB."""
        text = str(self._memory or "").upper().removesuffix("B").removesuffix("I")
        return size_of(f"{text}M" if text.isdigit() else text)


@contextmanager
def _slurm(workers: int | None, settings: Mapping[str, Any]) -> Iterator[Executor]:
    given = {**settings, "array_parallelism": settings.get("array_parallelism", workers or 256)}
    executor = SlurmExecutor(Path(settings["folder"]), given)
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


# ---- by name ----


def _any_text_or_number(value: Any) -> str | None:
    return None if _spec.text_value(value) is None or _spec.number_value(value) is None else "a text or a number"


def _setup(value: Any) -> str | None:
    return None if isinstance(value, list) and all(isinstance(line, str) for line in value) else "a list of shell lines"


NAMED = {"processes": _threads, "dask": _dask, "ray": _ray, "mpi": _mpi, "slurm": _slurm}
SETTINGS: dict[str, dict[str, _spec.Check]] = {
    "dask": {"address": _spec.text_value, "scheduler_file": _spec.text_value},
    "ray": {"address": _spec.text_value, "cpus": _spec.number_value},
    "slurm": {
        **dict.fromkeys(SBATCH_KEYS, _any_text_or_number),
        "setup": _setup,
        "array_parallelism": _spec.count_value,
        "points_per_task": _spec.count_value,
        "poll_seconds": _spec.number_value,
        "folder": _spec.text_value,
    },
}


def executor_value(value: Any) -> str | None:
    return None if value in NAMED else f"one of {', '.join(NAMED)}"


def asked(spec: _spec.Spec, name: str | None) -> tuple[str, dict[str, Any]]:
    """The executor of a SPEC, or `name` in place of its own, and its settings. A folder begins at the SPEC's."""
    name = name or spec.tables[""].get("executor", "processes")
    settings = dict(spec.tables.get(name, {}))
    if "folder" in settings:
        settings["folder"] = str(spec.path.parent / settings["folder"])
    return name, settings


@contextmanager
def executor_of(given: Executor | str | None, workers: int | None, settings: Mapping[str, Any]) -> Iterator[Executor]:
    """One that the caller has stays open; one by name is made and closed."""
    if isinstance(given, str) or given is None:
        name = given or "processes"
        if name not in NAMED:
            raise ExecutorError(f"executor: {name!r} is none of {', '.join(NAMED)}")
        with NAMED[name](workers, settings) as executor:
            yield executor
    else:
        yield given
