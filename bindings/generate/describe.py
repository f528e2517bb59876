"""Reads the headers through libclang, checks them against the rules, and writes their description.

usage: python -m generate.describe INCLUDE API_JSON

Exits with 1, and says why, if a header breaks a rule.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from generate import reader
from generate.model import Api
from generate.problems import Problems


def text(api: Api) -> str:
    return json.dumps(api, indent=1, ensure_ascii=False) + "\n"


def main(include: str, output: str) -> int:
    problems = Problems()
    api = reader.read(Path(include), problems)
    for problem in sorted(problems.found):
        print(problem, file=sys.stderr)
    if problems.found:
        return 1
    Path(output).write_text(text(api), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
