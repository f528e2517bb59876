"""Drives memmodel's Python layers with random calls for a while and says what they could not bear.

usage: fuzz.py LIBRARY [--seconds S] [--seed N] [--case N]

LIBRARY lies in its build, with the package. It is best one that was built with AddressSanitizer: its run-time library
is then loaded first, and Python takes its memory from there. The same seed makes the same calls. After a crash the last
line says how to repeat its case.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS_OF_A_CALL = 100
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=1024:exitcode=99",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=99",
    "PYTHONMALLOC": "malloc",
}


def preloaded(library: Path) -> dict[str, str]:
    """AddressSanitizer must be there before Python; a library without it needs nothing."""
    match = re.search(rb"libasan\.so\.\d+", library.read_bytes())
    if match is None:
        return {}
    ask = ["gcc", f"-print-file-name={match[0].decode()}"]
    found = subprocess.run(ask, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return {"LD_PRELOAD": found, **SANITIZERS}


def interpreter() -> str:
    """The one that has numpy, where `./run` has set that up."""
    python = HERE.parents[2] / "build/venv/python/bin/python"
    return str(python) if python.exists() else sys.executable


def last_call(journal: Path) -> str:
    return journal.read_bytes().split(b"\0", 1)[0].decode("utf-8", "replace") if journal.exists() else ""


def wait(child: subprocess.Popen[bytes], journal: Path) -> bool:
    """Until it ends; False if one call lasts too long, and it was stopped."""
    call, since = "", time.monotonic()
    while child.poll() is None:
        time.sleep(0.2)
        now = last_call(journal)
        if now != call:
            call, since = now, time.monotonic()
        elif time.monotonic() - since > SECONDS_OF_A_CALL:
            child.kill()
            child.wait()
            return False
    return True


def report(status: int, in_time: bool, output: str, call: str) -> None:
    print(output[-12000:])
    if not in_time:
        print(f"a call did not end within {SECONDS_OF_A_CALL} seconds:")
    elif status not in (0, 1):
        print(f"ended with {status}; the call was:")
    if not in_time or status not in (0, 1):
        print(f"  {call}")
        case = re.match(r"--seed (\d+) --case (\d+)", call)
        if case:
            print(f"to repeat it alone: ./run fuzz python --seed {case[1]} --case {case[2]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int)
    options = parser.parse_args()
    library = options.library.resolve()
    package = library.parents[1] / "bindings" / "python"  # of the same build
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "work").mkdir()
        journal, log = folder / "journal", folder / "log"
        command = [interpreter(), "-B", "-X", "faulthandler", HERE / "calls.py", "--journal", journal]
        command += ["--seed", str(options.seed), "--seconds", str(options.seconds)]
        if options.case is not None:
            command += ["--first", str(options.case), "--cases", "1"]
        environment = {**os.environ, **preloaded(library), "MEMMODEL_LIBRARY": str(library), "PYTHONPATH": str(package)}
        with log.open("wb") as file:
            child = subprocess.Popen(command, cwd=folder / "work", env=environment, stdout=file, stderr=file)
            in_time = wait(child, journal)
        status = child.returncode
        report(status, in_time, log.read_text(errors="replace"), last_call(journal))
    return 0 if status == 0 and in_time else 1


if __name__ == "__main__":
    sys.exit(main())
