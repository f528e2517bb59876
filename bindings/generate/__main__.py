"""Writes what a back end makes of the description of the interface. The build runs it: plain Python, no libclang.

usage: python3 -m generate BACKEND API_JSON OUTPUT...

An output is a file that the back end makes, or a folder (its name has no dot) for all of them and nothing else.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from pathlib import Path

from generate.model import Api

# Each is a module with `files(api)`, which returns the text of each file it makes, by its name.
BACKENDS = ("api_markdown", "api_man", "layout", "prototypes", "headers", "python", "luajit", "lua")


def files(backend: str, api: Api) -> dict[str, str]:
    made: dict[str, str] = importlib.import_module(f"generate.{backend}").files(api)
    return made


def fill(folder: Path, made: dict[str, str]) -> None:
    """Makes the folder anew, so that nothing is left of what is no more."""
    if folder.exists():
        if {path.suffix for path in folder.iterdir()} - {Path(name).suffix for name in made}:
            sys.exit(f"{folder} holds other files")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


def main(backend: str, description: str, *outputs: str) -> None:
    made = files(backend, json.loads(Path(description).read_text(encoding="utf-8")))
    for output in map(Path, outputs):
        if output.suffix:
            output.write_text(made[output.name], encoding="utf-8")
        else:
            fill(output, made)


if __name__ == "__main__":
    main(*sys.argv[1:])
