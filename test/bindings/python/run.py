"""Runs a test of the Python package in the virtual environment that has numpy and pandas.

usage: run.py ROOT [--venv=NAME | --only-venv=NAME] TEST [ARGUMENT...]

With a name the environment of that framework is taken where it has been set up: the test then runs on real models. With
--only-venv it is skipped elsewhere.
"""

import os
import sys
from pathlib import Path

SKIPPED = 77


def main(root, *words):
    venvs = Path(root) / "build/venv"
    interpreter = venvs / "python/bin/python"
    if words[0].startswith("--venv="):
        own = venvs / words[0].removeprefix("--venv=") / "bin/python"
        interpreter = own if own.exists() else interpreter
        words = words[1:]
    elif words[0].startswith("--only-venv="):
        interpreter = venvs / words[0].removeprefix("--only-venv=") / "bin/python"
        words = words[1:]
    if not interpreter.exists():
        print(f"skipped: no {interpreter}; it is set up when it is first needed")
        return SKIPPED
    os.environ["PATH"] = f"{interpreter.parent}{os.pathsep}{os.environ['PATH']}"
    return os.execv(interpreter, [str(interpreter), "-W", "error::ResourceWarning", *words])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
