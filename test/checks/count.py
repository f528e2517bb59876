"""Adds up what test logs say and ends with the closing line: "N passed, N failed, N skipped".

usage: count.py LOG...

A log is one of meson's, NAME.json, or a text that ends with a closing line. A cmocka program counts with each of its
tests; any other program counts once, and one that is skipped says why. A log that is not there is a build that failed,
and one in which nothing ran is a failure too.
"""

import json
import pathlib
import re
import sys

CLOSING_LINE = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
CMOCKA_LINE = re.compile(r"^\[  (PASSED |FAILED |SKIPPED) \] (\d+) test\(s\)", re.MULTILINE)
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
OUTCOMES = {"OK": PASSED, "EXPECTEDFAIL": PASSED, "SKIP": SKIPPED}


def count_program(entry):
    """The tests of one program, by outcome."""
    counts = {PASSED: 0, FAILED: 0, SKIPPED: 0}
    output = entry.get("stdout", "") + "\n" + entry.get("stderr", "")
    for outcome, number in CMOCKA_LINE.findall(output):
        counts[outcome.strip().lower()] += int(number)
    outcome = OUTCOMES.get(entry["result"], FAILED)
    if not sum(counts.values()) or (outcome == FAILED and not counts[FAILED]):
        counts[outcome] += 1
    return counts


def reason(entry):
    """Why a program was skipped: its last line."""
    lines = (entry.get("stdout", "") + "\n" + entry.get("stderr", "")).strip().splitlines()
    return lines[-1].strip() if lines else "no reason given"


def count_log(log):
    """The tests of one log of meson's by outcome, and a line for each program that failed or was skipped."""
    totals = {PASSED: 0, FAILED: 0, SKIPPED: 0}
    notes = []
    for line in log.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        counts = count_program(entry)
        for outcome, number in counts.items():
            totals[outcome] += number
        if counts[FAILED]:
            notes.append(f"failed: {entry['name']}")
        elif OUTCOMES.get(entry["result"]) == SKIPPED:
            notes.append(f"skipped: {entry['name']}: {reason(entry)}")
    if not totals[PASSED] and not totals[FAILED]:
        totals[FAILED] = 1
        notes.append("failed: no test ran")
    return totals, notes


def count_text(log):
    """The tests that the closing line of a text tells."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    found = CLOSING_LINE.match(lines[-1]) if lines else None
    if not found:
        return {PASSED: 0, FAILED: 1, SKIPPED: 0}, ["failed: no closing line"]
    return dict(zip((PASSED, FAILED, SKIPPED), (int(number or 0) for number in found.groups()), strict=True)), []


def count(log):
    if not log.exists():
        return {PASSED: 0, FAILED: 1, SKIPPED: 0}, ["failed: the build"]
    return count_log(log) if log.suffix == ".json" else count_text(log)


def closing_line(totals):
    line = f"{totals[PASSED]} passed, {totals[FAILED]} failed"
    return line + (f", {totals[SKIPPED]} skipped" if totals[SKIPPED] else "")


def main(logs):
    totals = {PASSED: 0, FAILED: 0, SKIPPED: 0}
    for log in map(pathlib.Path, logs):
        counts, notes = count(log)
        print(f"{log}: {closing_line(counts)}", *(f"  {note}" for note in notes), sep="\n")
        for outcome, number in counts.items():
            totals[outcome] += number
    print(closing_line(totals))
    return 1 if totals[FAILED] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
