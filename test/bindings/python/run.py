"""Runs a test of the Python package in the virtual environment that has numpy and pandas.

usage: run.py ROOT TEST [ARGUMENT...]
"""

import os
import sys
from pathlib import Path

SKIPPED = 77


def main(root, *words):
    interpreter = Path(root) / "build/venv/python/bin/python"
    if not interpreter.exists():
        print(f"skipped: no {interpreter}; ./run test sets it up")
        return SKIPPED
    os.environ["PATH"] = f"{interpreter.parent}{os.pathsep}{os.environ['PATH']}"
    return os.execv(interpreter, [str(interpreter), "-W", "error::ResourceWarning", *words])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
