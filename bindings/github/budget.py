"""Runs the tests with a memory budget, and reports to GitHub what each takes: a table, and a note where it is too much.

usage: budget.py [PYTEST-ARGUMENT...]    (exit code: pytest's)
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

NO_TESTS = 5  # pytest's exit code where none is marked


def append(variable, text):
    """To a file that GitHub names; nothing elsewhere."""
    if os.environ.get(variable):
        with pathlib.Path(os.environ[variable]).open("a", encoding="utf-8") as file:
            file.write(text)


def result_of(case):
    """Name, file, what the plugin said of its memory, and whether that was too much."""
    properties = {each.get("name"): each.get("value") for each in case.iter("property")}
    name = f"{case.get('classname', '')}.{case.get('name')}".lstrip(".")
    return name, case.get("file"), properties.get("memory"), properties.get("memory_verdict") == "exceeds"


def results(report):
    found = [result_of(case) for case in xml.etree.ElementTree.parse(report).iter("testcase")]
    return [result for result in found if result[2]]


def row(name, memory, exceeds):
    bold = "**" if exceeds else ""
    return f"| {name} | {bold}{memory}{bold} |"


def table(found):
    lines = ["| test | memory |", "|---|---|", *(row(name, memory, exceeds) for name, _, memory, exceeds in found)]
    return "## Memory budgets\n\n" + "\n".join(lines) + "\n"


def main(arguments):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        words = ["-m", "memory_budget", f"--junitxml={report}", "-o", "junit_family=xunit1", *arguments]
        status = subprocess.run([sys.executable, "-m", "pytest", *words], check=False).returncode
        found = results(report) if report.exists() else []
    exceeded = [result for result in found if result[3]]
    for name, file, memory, _ in exceeded:
        print(f"::error file={file or ''},title={name}::{memory}")
    append("GITHUB_STEP_SUMMARY", table(found) if found else "No test has a memory budget.\n")
    append("GITHUB_OUTPUT", f"exceeded={len(exceeded)}\n")
    if status == NO_TESTS:
        print("::warning::no test is marked with memory_budget")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
