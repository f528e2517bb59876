"""`memmodel import sacct`: finished jobs of Slurm into tables of samples, and models fitted to these."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from memmodel import _commands, _sacct, importing
from memmodel.errors import MemmodelError
from memmodel.importing import Imported

DRIFTED = 4
SHOWN = 2


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("memmodel import")
    parser.add_argument("source")
    parser.add_argument("file", nargs="?")
    parser.add_argument("--output", type=Path, default=Path("samples.csv"))
    parser.add_argument("--model", default="")
    parser.add_argument("--name")
    parser.add_argument("--inputs")
    parser.add_argument("--since", default="now-7days")
    parser.add_argument("--cgroup-peaks", type=Path)
    parser.add_argument("--refit", type=Path)
    return parser.parse_args(words)


def _asked(since: str) -> str:
    """Of Slurm itself, all users' jobs."""
    words = ["sacct", "--allusers", "--parsable2", "--noconvert", f"--delimiter={_sacct.DELIMITER}"]
    try:
        made = subprocess.run(
            [*words, f"--starttime={since}", f"--format={_sacct.FORMAT}"],
            capture_output=True, text=True, check=False, errors="replace",
        )  # fmt: skip
    except OSError as error:
        raise _commands.CommandError(f"sacct: {error.strerror}; a file with what it prints will do, too") from None
    if made.returncode or made.stderr.strip():
        reason = (made.stderr.strip() or f"exit code {made.returncode}").splitlines()[0]
        raise _commands.CommandError(f"sacct: {reason.removeprefix('sacct: ')}; nothing was imported")
    return made.stdout


def _text(options: argparse.Namespace) -> tuple[str, str]:
    if options.file is None:
        return _asked(options.since), "sacct"
    if options.file == "-":
        return sys.stdin.read(), "standard input"
    return Path(options.file).read_text(encoding="utf-8", errors="replace"), options.file


def _group(line: str) -> tuple[str, importing.Group] | None:
    """JOB,BYTES,KILLS,LIMIT, of which the last two may be missing."""
    job, *sizes = line.strip().split(",")
    if not job or not 1 <= len(sizes) <= 3 or not sizes[0].isdigit() or not all(not s or s.isdigit() for s in sizes):
        return None
    peak, kills, limit = (int(size) if size else None for size in (*sizes, "", "")[:3])
    return job, importing.Group(peak or 0, kills or 0, limit)


def read_peaks(path: Path) -> dict[str, importing.Group]:
    """Lines "17_3,1258291200,0,2147483648", as the script in TaskEpilog writes them; the largest of a job counts."""
    peaks: dict[str, importing.Group] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = _group(line)
        if found is None:
            raise _commands.CommandError(f"{path}:{number}: JOB,BYTES is needed, not '{line}'")
        job, group = found
        before = peaks.get(job, group)
        peaks[job] = importing.Group(
            max(before.peak, group.peak), max(before.kills, group.kills), group.limit or before.limit
        )
    return peaks


def _refit(made: Imported, place: Path, inputs: list[str] | None) -> bool:
    """Whether the model that was there no longer holds."""
    path = place if place.suffix == ".json" else place / f"{made.model}.json"
    before = importing.load_model(path)
    drift = importing.drift_of(before, made.rows) if before else None
    if made.rows or before is None:
        try:
            fitted = importing.refit(made.table, path, inputs)
        except MemmodelError as error:
            print(f"memmodel import: {path} stays as it is: {error}", file=sys.stderr)
        else:
            print(f"{path}: {fitted.target} = {fitted.formula()}")
    if drift and drift.reason:
        print(f"memmodel import: model {made.model} no longer holds: {drift.reason}", file=sys.stderr)
    return bool(drift and drift.reason)


def _say(made: Sequence[Imported], left_out: Counter[str], wrong: Sequence[str]) -> None:
    for each in made:
        known = f", {each.known} were there" if each.known else ""
        print(f"{each.table}: {len(each.rows)} jobs{known}")
    for reason, count in sorted(left_out.items()):
        print(f"left out: {count} jobs {reason}")
    if left_out["name no model"] and not made:
        print(
            "memmodel import: no job names a model; for models in job names write --name 'unet3d-{dim}-{batch}'",
            file=sys.stderr,
        )
    for sentence in wrong[:SHOWN]:
        print(f"memmodel import: left out: {sentence}", file=sys.stderr)
    if len(wrong) > SHOWN:
        print(f"memmodel import: left out: {len(wrong) - SHOWN} more such lines", file=sys.stderr)


def _work(options: argparse.Namespace) -> int:
    if options.source != "sacct":
        raise _commands.CommandError(f"'{options.source}' is nothing that can be imported; sacct is")
    pattern = importing.pattern_of(options.name) if options.name else None
    peaks = read_peaks(options.cgroup_peaks) if options.cgroup_peaks else None
    jobs = _sacct.jobs_of(*_text(options))
    one = options.output.suffix == ".csv"
    model = options.model or (options.output.stem if one and pattern else "")

    def table_of(name: str) -> Path:
        return Path(options.output if one else options.output / f"{name}.csv")

    made, left_out = importing.tables_of(jobs, table_of, pattern=pattern, model=model, peaks=peaks)
    _say(made, left_out, jobs.wrong)
    inputs = options.inputs.split(",") if options.inputs else None
    drifted = [_refit(each, options.refit, inputs) for each in made] if options.refit else []
    return DRIFTED if any(drifted) else 0


def _interrupted() -> int:
    print("memmodel import: interrupted; what was imported is in its table", file=sys.stderr)
    return 130


def main(words: Sequence[str]) -> int:
    options = _arguments(words)
    return _commands.run(lambda: _work(options), "import", _interrupted)
