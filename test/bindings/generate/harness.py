"""What the tests of the generator share: the generator itself, run with the libclang of build/venv/generate.

Where there is no libclang, a test that needs it ends here, with the exit code for a skipped test.
"""

import contextlib
import importlib
import io
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SKIPPED = 77
DESCRIPTION = ROOT / "include" / "memmodel-api.json"

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bindings"))


def need_libclang() -> None:
    try:
        importlib.import_module("clang.cindex")
    except ImportError:
        python = ROOT / "build" / "venv" / "generate" / "bin" / "python"
        if python.exists() and not os.environ.get("MEMMODEL_GENERATE_VENV"):
            os.environ["MEMMODEL_GENERATE_VENV"] = "tried"
            os.execv(python, [str(python), *sys.argv])
        print("skipped: libclang is missing (./run generate installs it into build/venv)")
        sys.exit(SKIPPED)


def read(include: Path):
    """The model of some headers, and what is wrong with them as lines of text."""
    reader = importlib.import_module("generate.reader")
    problems = importlib.import_module("generate.problems").Problems()
    api = reader.read(include, problems)
    return api, [str(problem) for problem in sorted(problems.found)]


def text(api) -> str:
    """The description as it is written."""
    return importlib.import_module("generate.describe").text(api)


def described(include: Path, output: Path) -> tuple:
    """./run generate: its exit code and what it said was wrong."""
    said = io.StringIO()
    main = importlib.import_module("generate.describe").main
    with contextlib.redirect_stderr(said):
        code = main(str(include), str(output))
    return code, said.getvalue().splitlines()


def backends() -> tuple:
    return importlib.import_module("generate.__main__").BACKENDS


def files_of(backend: str, api) -> dict:
    return importlib.import_module("generate.__main__").files(backend, api)


def make(backend: str, description: Path, *outputs: Path) -> None:
    """What the build runs."""
    importlib.import_module("generate.__main__").main(backend, str(description), *map(str, outputs))
