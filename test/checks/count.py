"""Adds up what meson's test logs say and ends with the closing line: "N passed, N failed".

usage: count.py BUILD_DIRECTORY...

A cmocka program counts with each of its tests; any other program counts once. A build directory without a log is a
build that failed, and a log in which nothing ran is a failure too.
"""

import json
import pathlib
import re
import sys

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


def count_build(directory):
    """The tests of one build directory, by outcome, and the names of the programs that failed."""
    log = directory / "meson-logs" / "testlog.json"
    if not log.exists():
        return {PASSED: 0, FAILED: 1, SKIPPED: 0}, ["the build"]
    totals = {PASSED: 0, FAILED: 0, SKIPPED: 0}
    failures = []
    for line in log.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        counts = count_program(entry)
        for outcome, number in counts.items():
            totals[outcome] += number
        if counts[FAILED]:
            failures.append(entry["name"])
    return totals, failures


def closing_line(totals):
    line = f"{totals[PASSED]} passed, {totals[FAILED]} failed"
    return line + (f", {totals[SKIPPED]} skipped" if totals[SKIPPED] else "")


def main(directories):
    totals = {PASSED: 0, FAILED: 0, SKIPPED: 0}
    for directory in map(pathlib.Path, directories):
        counts, failures = count_build(directory)
        print(f"{directory}: {closing_line(counts)}", *(f"  failed: {name}" for name in failures), sep="\n")
        for outcome, number in counts.items():
            totals[outcome] += number
    if not totals[PASSED] and not totals[FAILED]:
        print("no test ran")
        totals[FAILED] = 1
    print(closing_line(totals))
    return 1 if totals[FAILED] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
