"""Feeds each reader of files with random input for a while, and counts in executions.json what all campaigns came to.

usage: campaign.py PROGRAMS CORPUS SECONDS [NAME...]
       campaign.py PROGRAMS CORPUS minimize [NAME...]

PROGRAMS is the folder of the fuzzers, CORPUS one in which each has a folder with the inputs that it found. The readers
take turns; those with the least processor time so far go first, so that a campaign that is stopped goes on where it
was. `minimize` leaves in CORPUS as few inputs as reach, with those of corpus/NAME, all code that is reached.
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
COUNTS = HERE / "executions.json"
EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
OPTIONS = ["-max_len=4096", "-timeout=60", "-report_slow_units=60", "-rss_limit_mb=2048", "-print_final_stats=1"]


def processor_seconds() -> float:
    """Of all programs that ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def crashes(corpus: Path, name: str) -> int:
    """Inputs that ended the program, one file each."""
    return len([path for path in corpus.glob(f"{name}-*") if path.is_file() and "-slow-unit-" not in path.name])


def folder_of(corpus: Path, name: str) -> Path:
    """Where a reader keeps what it finds."""
    found = corpus / name
    found.mkdir(parents=True, exist_ok=True)
    return found


def minimize(program: Path, corpus: Path, name: str) -> None:
    """Keeps what adds to the committed inputs."""
    found, least, committed = folder_of(corpus, name), corpus / f"{name}.least", HERE / "corpus" / name
    shutil.rmtree(least, ignore_errors=True)
    shutil.copytree(committed, least)
    subprocess.run([program, "-merge=1", *OPTIONS, least, found], check=True, capture_output=True)
    total = len(list(found.iterdir()))
    for path in committed.iterdir():
        (least / path.name).unlink()
    shutil.rmtree(found)
    least.rename(found)
    print(f"{name:12} {total} found, {len(list(found.iterdir()))} kept", flush=True)


def turn(program: Path, corpus: Path, name: str, seconds: float) -> dict[str, float]:
    """What one reader did in one turn."""
    found = folder_of(corpus, name)
    before, crashed = processor_seconds(), crashes(corpus, name)
    command = [program, *OPTIONS, f"-max_total_time={seconds:.0f}", f"-artifact_prefix={corpus / name}-", found,
               HERE / "corpus" / name]
    done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    executed = EXECUTED.search(done.stderr)
    if not executed:
        sys.stderr.write(done.stderr[-4000:])
    return {"executions": int(executed[1]) if executed else 0, "cpu_seconds": round(processor_seconds() - before),
            "crashes": crashes(corpus, name) - crashed}


def read_counts() -> dict[str, dict[str, float]]:
    return json.loads(COUNTS.read_text()) if COUNTS.is_file() else {}


def add(name: str, came_to: dict[str, float]) -> None:
    """Kept after each turn; replaced in one step, so that a stop leaves the old or the new counts."""
    counts = read_counts()
    total = counts.setdefault(name, dict.fromkeys(came_to, 0))
    for key, value in came_to.items():
        total[key] += value
    part = COUNTS.with_suffix(".part")
    part.write_text(json.dumps(counts, indent=2, sort_keys=True) + "\n")
    part.replace(COUNTS)


def campaign(programs: Path, corpus: Path, seconds: float, names: list[str]) -> int:
    """A turn of each; 1 if an input ended a program."""
    counts = read_counts()
    failed = 0
    for name in sorted(names, key=lambda name: counts.get(name, {}).get("cpu_seconds", 0)):
        came_to = turn(programs / f"fuzz_{name}", corpus, name, seconds)
        add(name, came_to)
        failed += came_to["crashes"]
        print(f"{name:12} {came_to['executions']:12,} executions, {came_to['cpu_seconds']} s of a processor, "
              f"{came_to['crashes']} crashes", flush=True)
    return 1 if failed else 0


def main(programs: Path, corpus: Path, what: str, names: list[str]) -> int:
    names = names or sorted(path.name.removeprefix("fuzz_") for path in programs.glob("fuzz_*") if path.is_file())
    if what != "minimize":
        return campaign(programs, corpus, float(what), names)
    for name in names:
        minimize(programs / f"fuzz_{name}", corpus, name)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:]))
