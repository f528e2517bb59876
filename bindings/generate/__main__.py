"""Reads include/, checks it against the rules, and writes all that follows from it.

usage: python -m generate [--include FOLDER] [--output FOLDER]

Without --output the files of the checkout are written anew. Exits with 1, and says why, if a header breaks a rule.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from generate import backends, reader
from generate.problems import Problems


def main(words: list[str] | None = None) -> int:
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(prog="generate", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--include", type=Path, default=root / "include", help="folder of memmodel.h")
    parser.add_argument("--output", type=Path, default=root, help="folder to write to")
    arguments = parser.parse_args(words)

    problems = Problems()
    api = reader.read(arguments.include, problems)
    for problem in sorted(problems.found):
        print(problem, file=sys.stderr)
    if problems.found:
        return 1
    backends.write(backends.files(api), arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
