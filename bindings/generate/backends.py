"""The back ends: each is a module with `files(api)`, which returns the text of each file it makes, by its path."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

from generate.model import Api

# One row an output. A new binding adds its row, and its module beside this one.
BACKENDS = (
    "api_json",
    "api_markdown",
    "api_man",
    "errors",
    "layout",
    "prototypes",
    "headers",
    "python",
    "luajit",
    "lua",
)


# Folders in which everything is generated.
FOLDERS = ("doc/api", "test/abi/headers")


def files(api: Api) -> dict[str, str]:
    made: dict[str, str] = {}
    for name in BACKENDS:
        if importlib.util.find_spec(f"generate.{name}"):
            made.update(importlib.import_module(f"generate.{name}").files(api))
    return made


def write(made: dict[str, str], folder: Path) -> None:
    """Writes what differs, so that nothing is built again without need."""
    for path, text in made.items():
        target = folder / path
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        print(path)
    for path in left_over(made, folder):
        (folder / path).unlink()
        print(f"{path}: removed")


def left_over(made: dict[str, str], folder: Path) -> list[str]:
    """Files of functions and headers that are no more."""
    found = [path for name in FOLDERS for path in (folder / name).rglob("*") if path.is_file()]
    return sorted({path.relative_to(folder).as_posix() for path in found} - made.keys())
