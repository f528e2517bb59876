"""The largest number, such as a batch size, with which a recorded loop or script stays within a budget."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

MAX_RECORDINGS = 9
MAX_GROWTH = 16  # of a guess beyond what is known to fit
OWN = {"--max", "--json", "--html"}  # options of the search, or of its answer alone
EXCEEDS = 3
JUDGED = ("fits", "does not fit")  # verdicts with a headroom


class Answer(NamedTuple):
    """`proven`: the next number was recorded as well, and does not fit."""

    number: int
    proven: bool
    recordings: int


def find_max(headroom_of: Callable[[int], int], start: int) -> Answer:
    """0 if not even 1 fits. Guesses by a line through what is known; few are needed where memory is a line."""
    known: dict[int, int] = {}
    guess = max(1, start)
    while True:
        known[guess] = headroom_of(guess)
        fitting = max((number for number, headroom in known.items() if headroom >= 0), default=0)
        exceeding = min((number for number, headroom in known.items() if headroom < 0), default=None)
        if exceeding == fitting + 1 or len(known) == MAX_RECORDINGS:
            return Answer(fitting, exceeding == fitting + 1, len(known))
        guess = _next(known, fitting, exceeding)


def _next(known: dict[int, int], fitting: int, exceeding: int | None) -> int:
    """Between what fits and what does not, or up to MAX_GROWTH times beyond."""
    last = exceeding - 1 if exceeding else MAX_GROWTH * fitting
    if len(known) == 1:
        return 2 * fitting if fitting else max(1, last // 2)
    near = sorted(known, key=lambda number: abs(known[number]))[:2]
    (one, other), (a, b) = near, [known[number] for number in near]
    if a == b:
        return last
    zero = one + a * (other - one) // (a - b)
    if zero == fitting:
        zero += 1  # whether it is the largest
    return min(max(zero, fitting + 1), last)


# ---- scripts ----


def place_in(command: list[str], name: str) -> tuple[int, str, int] | None:
    """Where the script's arguments have a number of that name: its word's place, what is before the number, and it."""
    for place, word in enumerate(command[1:], 1):
        key, equals, value = word.partition("=")
        if key.lstrip("-").replace("_", "-") != name.lstrip("-").replace("_", "-"):
            continue
        if equals and value.isdecimal():
            return place, f"{key}=", int(value)
        if not equals and place + 1 < len(command) and command[place + 1].isdecimal():
            return place + 1, "", int(command[place + 1])
    return None


def without(words: list[str], names: set[str]) -> list[str]:
    """Options of a command line without those, each of which has a value."""
    kept, rest = [], iter(words)
    for word in rest:
        if word in names:
            next(rest)
        elif word.partition("=")[0] not in names:
            kept.append(word)
    return kept


def max_of_script(arguments: list[str], command: list[str], name: str) -> int:
    """Searches, then runs the script with what was found, as if that had been asked for. The exit code."""
    found = place_in(command, name)
    if found is None:
        sys.exit(f"python -m memmodel.torch: --max {name}: the script is given no such number, as in --{name} 8")
    place, before, start = found
    options = arguments[: len(arguments) - len(command)]

    def asked(words: list[str], number: int) -> list[str]:
        changed = [*command[:place], f"{before}{number}", *command[place + 1 :]]
        return [sys.executable, "-m", "memmodel.torch", *words, *changed]

    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        quiet = ["--json", str(report), *without(options, OWN)]
        answer = find_max(lambda number: _headroom(asked(quiet, number), report, f"{name} {number}"), start)
    if answer.number == 0:
        print(f"memmodel: not even {name} 1 fits ({answer.recordings} recordings)")
        return EXCEEDS
    code = subprocess.run(asked(without(options, {"--max"}), answer.number), check=False).returncode
    kind = "the largest that fits" if answer.proven else "fits; whether more do was not found out"
    print(f"memmodel: {name} {answer.number}: {kind} ({answer.recordings} recordings)")
    return code


def _headroom(command: list[str], report: Path, what: str) -> int:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, EXCEEDS) or not report.is_file():
        sys.stderr.write(done.stderr)
        sys.exit(f"python -m memmodel.torch: --max: the script ended with code {done.returncode} at {what}")
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    report.unlink()
    if found["verdict"] not in JUDGED:
        sys.exit("python -m memmodel.torch: --max: within which --budget?")
    return int(found["headroom"])
