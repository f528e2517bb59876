"""Finished jobs as samples: what Slurm's accounting knows of them, a refit, and an alarm where a model is wrong."""

from __future__ import annotations

import csv
import fcntl
import math
import os
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from memmodel._sacct import Job
from memmodel.errors import MemmodelError
from memmodel.fitting import fit
from memmodel.model import Model
from memmodel.samples import Samples

NOTED = ("peak_bytes", "requested_bytes", "cgroup_bytes", "seconds", "status", "job_id", "job_name", "tres")
# States that are no end, of sacct(1).
UNFINISHED = {"PENDING", "RUNNING", "REQUEUED", "RESIZING", "SUSPENDED", "CONFIGURING", "COMPLETING", "REVOKED"}
OUT_OF_MEMORY = "OUT_OF_MEMORY"
KILLED_STATES = {"FAILED", OUT_OF_MEMORY}  # as which Slurm has jobs of which a process was killed
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")  # of a model, as the plugin for job submission allows it


class Request(NamedTuple):
    """What a job says of itself."""

    model: str
    inputs: dict[str, str]


class Group(NamedTuple):
    """What a job's control group counted. kills: processes that the kernel ended because memory ran out. limit: what
    the group might have."""

    peak: int
    kills: int = 0
    limit: int | None = None


class Imported(NamedTuple):
    """table: path. rows: that are new. known: jobs that it had already."""

    table: Path
    model: str
    rows: list[dict[str, str]]
    known: int


class Drift(NamedTuple):
    """A model beside what came after it. rows: that it was asked about. above: over the bound, of which `expected` were
    to be. ratio: median of measured to predicted. reason: what is wrong; "" where nothing is."""

    rows: int
    above: int
    expected: float
    ratio: float
    reason: str


# ---- what a job says ----


def _words(text: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in text.split() if "=" in word)


def _of_comment(comment: str) -> Request | None:
    """ "memmodel: model=unet3d batch=4 dim=64 level=0.95 predicted=..." of the plugin, or as users write it, up to ";".
    What the plugin adds begins with the level; of several models the one of memory counts."""
    for part in re.findall(r"memmodel:([^;]*)", comment)[::-1]:
        for need in re.split(r"(?=\bmodel=)", part):
            words = _words(re.split(r"\blevel=", need)[0])
            on_device = re.search(r"\bdevice=\d", need)
            model = words.pop("model", "")
            if NAME.fullmatch(model) and words and not on_device:
                return Request(model, words)
    return None


def pattern_of(text: str) -> re.Pattern[str]:
    """Of a job's name: "unet3d-{dim}-{batch}"; {model} is a text, all others are numbers."""
    pieces = re.split(r"\{(\w+)\}", text)
    if len(pieces) < 3 or len(set(pieces[1::2])) < len(pieces[1::2]):
        raise ValueError(f"{text!r} is no pattern such as 'unet3d-{{dim}}-{{batch}}'")
    made = re.escape(pieces[0])
    for name, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        kind = r"[A-Za-z0-9_.]+?" if name == "model" else r"[0-9]+(?:\.[0-9]+)?"
        made += f"(?P<{name}>{kind}){re.escape(rest)}"
    return re.compile(made)


def request_of(job: Job, pattern: re.Pattern[str] | None = None, model: str = "") -> Request | None:
    """By AdminComment, by Comment, or by its name."""
    for comment in job.comments:
        request = _of_comment(comment)
        if request:
            return request
    found = pattern.fullmatch(job.name) if pattern else None
    if not found:
        return None
    words = found.groupdict()
    return Request(words.pop("model", None) or model, words)


# ---- rows ----


def row_of(job: Job, request: Request, group: Group | int | None = None) -> dict[str, str] | None:
    """None of a job without an end or whose memory was not seen. One that ran out of memory needed more than it had: by
    its state, or, where Slurm says that it failed, by what the kernel killed in its control group."""
    used, state = job.used_bytes, job.state
    counted = Group(group) if isinstance(group, int) else group
    if state in UNFINISHED:
        return None
    if counted and counted.kills and state in KILLED_STATES:
        state = OUT_OF_MEMORY
    if state == OUT_OF_MEMORY:
        had = (counted and counted.limit) or job.requested_bytes
        used = max(used or 0, had or 0) or None
    if used is None:
        return None
    noted = {
        "peak_bytes": used, "requested_bytes": job.requested_bytes,
        "cgroup_bytes": counted.peak if counted else None, "seconds": job.seconds,
        "status": "ok" if state == "COMPLETED" else state, "job_id": job.job_id,
        "job_name": job.name, "tres": job.tres,
    }  # fmt: skip
    return {**request.inputs, **{name: "" if value is None else str(value) for name, value in noted.items()}}


def _one_line(row: Mapping[str, str]) -> dict[str, str]:
    return {name: " ".join(field.split()) for name, field in row.items()}


@contextmanager
def _alone(table: Path) -> Iterator[None]:
    """Two imports at the same time do not both find a job missing."""
    table.parent.mkdir(parents=True, exist_ok=True)
    with table.with_name(table.name + ".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _known(table: Path) -> tuple[list[str], set[str]]:
    """Columns of a table, and its jobs."""
    if not table.exists():
        return [], set()
    with table.open(newline="", encoding="utf-8") as lines:
        rows = csv.DictReader(lines)
        return list(rows.fieldnames or ()), {row["job_id"] for row in rows if row.get("job_id")}


def add_rows(table: Path, model: str, rows: Iterable[Mapping[str, str]], left_out: Counter[str]) -> Imported:
    """Adds those whose job the table does not have; what does not fit into it is counted in `left_out`."""
    with _alone(table):
        columns, jobs = _known(table)
        added, known = [], 0
        for row in map(_one_line, rows):
            columns = columns or list(row)
            if row["job_id"] in jobs:
                known += 1
            elif set(row) != set(columns):
                inputs = ", ".join(sorted(set(row) ^ set(columns)))
                left_out[f"have other inputs than {table.name} ({inputs})"] += 1
            else:
                Samples.append_to_file(table, **row)
                jobs.add(row["job_id"])
                added.append(row)
    return Imported(table, model, added, known)


def inputs_of(table: Path) -> list[str]:
    return [name for name in _known(table)[0] if name not in NOTED]


# ---- does the model still hold? ----

FALSE_ALARMS = 1e-3  # of imports without any change
MATTERS = 1.1  # a median that is off by less is no reason for an alarm


def binomial_tail(count: int, least: int, probability: float) -> float:
    """Probability of at least so many of `count`, each with the same probability."""
    if least <= 0:
        return 1.0
    logs = [
        math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
        + k * math.log(probability) + (count - k) * math.log1p(-probability)
        for k in range(least, count + 1)
    ]  # fmt: skip
    largest = max(logs, default=-math.inf)
    return math.exp(largest) * sum(math.exp(log - largest) for log in logs) if logs else 0.0


def drift_of(model: Model, rows: Iterable[Mapping[str, str]], level: float = 0.95) -> Drift:
    """Whether rows that a model has not seen are what it says: more of them above its bound than one in a thousand
    imports would have by chance (binomial), or their median more than a tenth off (sign test). Points outside its
    training data do not count, nor lower limits below the bound."""
    ratios, above, asked = [], 0, 0
    for row in rows:
        try:
            prediction = model.predict({name: float(row[name]) for name in model.inputs}, level=level)
            peak = float(row["peak_bytes"])
        except (MemmodelError, ValueError, KeyError):
            continue
        complete = row["status"] == "ok"
        if prediction.extrapolated or not (complete or peak > prediction.upper):
            continue
        asked, above = asked + 1, above + (peak > prediction.upper)
        if complete and prediction.value > 0:
            ratios.append(peak / prediction.value)
    ratio = statistics.median(ratios) if ratios else 1.0
    reason, share = "", 1 - level
    higher = sum(each > 1 for each in ratios)
    off = 2 * binomial_tail(len(ratios), max(higher, len(ratios) - higher), 0.5)
    if binomial_tail(asked, above, share) < FALSE_ALARMS:
        reason = f"{above} of {asked} jobs are above the {level:.0%} bound"
    elif off < FALSE_ALARMS and not 1 / MATTERS <= ratio <= MATTERS:
        reason = f"the median of {len(ratios)} jobs is {ratio:.2f} of what it predicts"
    return Drift(asked, above, asked * share, ratio, reason)


def refit(table: Path, path: Path, inputs: Sequence[str] | None = None) -> Model:
    """A model of all rows, in place of the one at the path, at once."""
    model = fit(table, "peak_bytes", list(inputs or inputs_of(table)))
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save(path)
    return model


def load_model(path: Path) -> Model | None:
    return Model.load(path) if path.exists() else None


# ---- the whole of it ----


def tables_of(
    jobs: Iterable[Job], table_of: Callable[[str], Path], *, pattern: re.Pattern[str] | None = None, model: str = "",
    peaks: Mapping[str, Group | int] | None = None,
) -> tuple[list[Imported], Counter[str]]:  # fmt: skip
    """Rows of jobs in the table of each model, and why others have none. model: the only one that is wanted, and of
    names without one. peaks: of control groups, or all that they counted, by job."""
    rows: dict[str, list[dict[str, str]]] = {}
    left_out: Counter[str] = Counter()
    for job in jobs:
        request = request_of(job, pattern, model)
        row = row_of(job, request, (peaks or {}).get(job.job_id)) if request else None
        if request is None or not request.model or (model and request.model != model):
            left_out["name no model" if not model else f"are none of model {model}"] += 1
        elif row is None:
            left_out["have not ended" if job.state in UNFINISHED else "ended before their memory was sampled"] += 1
        else:
            rows.setdefault(request.model, []).append(row)
    if len({table_of(name) for name in rows}) < len(rows):
        raise ValueError(f"the jobs name the models {', '.join(sorted(rows))}: one of them, or a folder, is needed")
    made = [add_rows(table_of(name), name, each, left_out) for name, each in sorted(rows.items())]
    return made, left_out


def import_sacct(
    text: str, path: str | os.PathLike[str], *, model: str = "", name: str | None = None,
    peaks: Mapping[str, Group | int] | None = None,
) -> list[Imported]:  # fmt: skip
    """Add the jobs that `sacct` printed, as lines or JSON, to a table, "samples.csv", or to one for each model in a
    folder. Jobs that are there already are left alone. name: a pattern of job names, "unet3d-{dim}-{batch}".

    >>> memmodel.import_sacct(subprocess.check_output(["sacct", "--json"], text=True), "samples")
    """
    from memmodel._sacct import jobs_of

    place = Path(path)
    pattern = None if name is None else pattern_of(name)
    one: Any = (lambda _: place) if place.suffix == ".csv" else (lambda each: place / f"{each}.csv")
    return tables_of(jobs_of(text, "sacct"), one, pattern=pattern, model=model, peaks=peaks)[0]
