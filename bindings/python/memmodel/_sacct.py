"""Finished jobs as sacct of Slurm prints them, in lines (--parsable2) or as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

# What is asked of sacct. Sizes in bytes, and a delimiter that stands in no job's name.
DELIMITER = "\x1f"
FORMAT = (
    "JobID,JobName,State,ReqMem,MaxRSS,TRESUsageInTot,AllocTRES,ElapsedRaw,NNodes,NTasks,AdminComment,Comment"
)  # fmt: skip
NEEDED = ("JobID", "State", "MaxRSS", "AllocTRES")
MIB = 1 << 20
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}


class SacctError(ValueError):
    """Text that sacct has not printed; says in which line or job, and which field."""


class Job(NamedTuple):
    """used_bytes: the most memory on one node; None where it was not sampled. requested_bytes: that it had there. tres:
    as sacct writes it. comments: AdminComment, then Comment."""

    job_id: str
    name: str
    state: str
    used_bytes: int | None
    requested_bytes: int | None
    seconds: float | None
    tres: str
    comments: tuple[str, ...]


class _Step(NamedTuple):
    name: str
    max_bytes: int | None  # of the task with the most
    total_bytes: int | None  # of all tasks, each at its own peak
    nodes: int
    tasks: int


# ---- one job ----


def _on_a_node(step: _Step) -> int:
    """Tasks beyond one a node share it evenly, as Slurm places them."""
    if step.tasks > step.nodes and step.total_bytes:
        return -(-step.total_bytes // step.nodes)
    return step.max_bytes or 0


def used_bytes(steps: Iterable[_Step]) -> int | None:
    """Of a node: the batch script besides the largest of the steps that it starts. Slurm's own step does not count."""
    sizes = {"batch": 0, "step": 0}
    for step in steps:
        if step.name != "extern":
            kind = "batch" if step.name == "batch" else "step"
            sizes[kind] = max(sizes[kind], _on_a_node(step))
    return sum(sizes.values()) or None


def _made(fields: Mapping[str, Any], steps: Iterable[_Step], memory: int | None, nodes: int) -> Job:
    requested = None if memory is None else memory // max(1, nodes)
    state = str(fields["state"]).split()[0] if fields["state"] else ""
    return Job(
        fields["job_id"], fields["name"], state, used_bytes(steps), requested, fields["seconds"], fields["tres"],
        fields["comments"],
    )  # fmt: skip


# ---- lines ----


def size_of(text: str) -> int | None:
    """ "99123200", "96800K", "1.5G": letters are powers of 1024; None for nothing."""
    found = re.fullmatch(r"([0-9.]+)([KMGTP]?)[cn]?", text.strip())
    return int(float(found[1]) * UNITS[found[2]]) if found else None


def memory_of(tres: str) -> int | None:
    """Of "cpu=2,mem=200M,node=1"."""
    found = re.search(r"(?:^|,)mem=([0-9.]+[KMGTP]?)", tres)
    return size_of(found[1]) if found else None


class Lines:
    """Jobs of lines; `wrong` has a sentence for each line that was left out."""

    def __init__(self, text: str, name: str) -> None:
        self.name, self.wrong = name, list[str]()
        lines = text.splitlines()
        found = re.match(r"JobID(.)", lines[0] if lines else "")
        if not found:
            raise SacctError(f"{name}:1: no line of names from JobID on, as `sacct --parsable2` prints it first")
        self.delimiter = found[1]
        self.names = lines[0].rstrip(self.delimiter).split(self.delimiter)
        for needed in NEEDED:
            if needed not in self.names:
                raise SacctError(f"{name}:1: {needed} is missing; ask sacct for --format={FORMAT}")
        self.lines = lines[1:]

    def _rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        for number, line in enumerate(self.lines, 2):
            fields = line.split(self.delimiter)
            if len(fields) == len(self.names) + 1 and not fields[-1]:  # of --parsable
                del fields[-1]
            if len(fields) == len(self.names):
                yield number, dict(zip(self.names, fields, strict=True))
            elif line:
                self.wrong.append(f"{self.name}:{number}: {len(fields)} fields, where {len(self.names)} have names")

    def _count(self, row: Mapping[str, str], number: int, name: str) -> int:
        text = row.get(name, "")
        if text and not text.isdigit():
            self.wrong.append(f"{self.name}:{number}: {name}: '{text}' is no number")
        return int(text) if text.isdigit() else 1

    def _step(self, row: Mapping[str, str], number: int) -> _Step:
        if row["MaxRSS"] and size_of(row["MaxRSS"]) is None:
            self.wrong.append(f"{self.name}:{number}: MaxRSS: '{row['MaxRSS']}' is no size")
        return _Step(
            row["JobID"].partition(".")[2], size_of(row["MaxRSS"]), memory_of(row.get("TRESUsageInTot", "")),
            self._count(row, number, "NNodes"), self._count(row, number, "NTasks"),
        )  # fmt: skip

    def _job(self, row: Mapping[str, str], number: int, steps: Iterable[_Step]) -> Job:
        seconds = row.get("ElapsedRaw", "")
        fields = {
            "job_id": row["JobID"], "name": row.get("JobName", ""), "state": row["State"], "tres": row["AllocTRES"],
            "seconds": float(seconds) if seconds.isdigit() else None,
            "comments": (row.get("AdminComment", ""), row.get("Comment", "")),
        }  # fmt: skip
        return _made(fields, steps, memory_of(row["AllocTRES"]), self._count(row, number, "NNodes"))

    def __iter__(self) -> Iterator[Job]:
        head: tuple[dict[str, str], int] | None = None
        steps: list[_Step] = []
        for number, row in self._rows():
            if "." in row["JobID"]:
                steps.append(self._step(row, number))
                continue
            if head:
                yield self._job(*head, steps)
            head, steps = (row, number), []
        if head:
            yield self._job(*head, steps)


# ---- JSON ----


def _number(value: Any) -> int | None:
    """Newer versions write {"set": true, "number": 7}."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set", True) else None
    return value if isinstance(value, int) else None


def _memory(tres: Any) -> int | None:
    return next((_number(each.get("count")) for each in tres or () if each.get("type") == "mem"), None)


def _json_step(step: Mapping[str, Any]) -> _Step:
    own, usage = step.get("step", {}), step.get("tres", {}).get("requested", {})
    name = own.get("id") if isinstance(own.get("id"), (str, int)) else own.get("name")
    return _Step(
        str(name).rpartition(".")[2], _memory(usage.get("max")), _memory(usage.get("total")),
        _number(step.get("nodes", {}).get("count")) or 1, _number(step.get("tasks", {}).get("count")) or 1,
    )  # fmt: skip


def _json_id(job: Mapping[str, Any]) -> str:
    """Of a task of an array "17_3", as lines have it."""
    array = job.get("array") or {}
    parent, task = _number(array.get("job_id")), _number(array.get("task_id"))
    return f"{parent}_{task}" if parent and task is not None else str(job["job_id"])


def _tres_text(tres: Any) -> str:
    parts = []
    for each in tres or ():
        name = "/".join(part for part in (each.get("type"), each.get("name")) if part)
        parts.append(f"{name}={_number(each.get('count'))}{'M' if name == 'mem' else ''}")
    return ",".join(parts)


def _json_job(job: Mapping[str, Any]) -> Job:
    state, comment, tres = job["state"]["current"], job.get("comment") or {}, job.get("tres", {}).get("allocated")
    memory, seconds = _memory(tres), _number(job.get("time", {}).get("elapsed"))
    fields = {
        "job_id": _json_id(job), "name": str(job.get("name", "")), "tres": _tres_text(tres),
        "state": state[0] if isinstance(state, list) else state,
        "seconds": None if seconds is None else float(seconds),
        "comments": (comment.get("administrator") or "", comment.get("job") or ""),
    }  # fmt: skip
    nodes = _number(job.get("allocation_nodes")) or 1
    return _made(fields, map(_json_step, job.get("steps", ())), None if memory is None else memory * MIB, nodes)


class Document:
    """Jobs of JSON."""

    def __init__(self, text: str, name: str) -> None:
        self.name, self.wrong = name, list[str]()
        try:
            made = json.loads(text)
        except json.JSONDecodeError as error:
            raise SacctError(f"{name}:{error.lineno}: no JSON: {error.msg}") from None
        jobs = made.get("jobs") if isinstance(made, dict) else None
        if not isinstance(jobs, list):
            raise SacctError(f"{name}: no list of jobs, as `sacct --json` prints it")
        self.jobs: list[Any] = jobs

    def __iter__(self) -> Iterator[Job]:
        for number, job in enumerate(self.jobs):
            try:
                yield _json_job(job)
            except (KeyError, TypeError, AttributeError, IndexError) as error:
                self.wrong.append(f"{self.name}: jobs[{number}]: {type(error).__name__}: {error}")


def jobs_of(text: str, name: str) -> Lines | Document:
    """Iterate over it; then `wrong` says what was left out."""
    return Document(text, name) if text.lstrip()[:1] == "{" else Lines(text, name)
