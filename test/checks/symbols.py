"""Checks that the headers, lib/memmodel.map and the shared library name the same functions.

usage: symbols.py SOURCE_ROOT LIBRARY
"""

import pathlib
import re
import subprocess
import sys

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
DECLARATION = re.compile(r"\bMEMMODEL_API\b[^;{(]*?(\w+)\s*\(")
GLOBAL = re.compile(r"\bglobal:(.*?)(?:\blocal:|\})", re.DOTALL)


def declared(root):
    names = []
    for path in sorted((root / "include").rglob("*.h")):
        text = COMMENT.sub("", path.read_text(encoding="utf-8"))
        names += DECLARATION.findall(DIRECTIVE.sub("", text))
    return names


def mapped(root):
    text = COMMENT.sub("", (root / "lib" / "memmodel.map").read_text(encoding="utf-8"))
    return [name for block in GLOBAL.findall(text) for name in re.findall(r"[^\s;]+", block)]


def exported(library):
    output = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    rows = [line.split() for line in output.splitlines()]
    return [row[2].split("@")[0] for row in rows if row[1] != "A"]


def repeated(names, where):
    return [f"{name}: {where} twice" for name in sorted({name for name in names if names.count(name) > 1})]


def missing(names, others, where):
    return [f"{name}: not {where}" for name in sorted(set(names) - set(others))]


def main(root, library):
    headers, listed, seen = declared(root), mapped(root), exported(library)
    problems = repeated(headers, "declared in include/") + repeated(listed, "listed in lib/memmodel.map")
    problems += missing(headers, listed, "listed in lib/memmodel.map")
    problems += missing(listed, headers, "declared in include/")
    problems += missing(headers, seen, f"in {library.name}")
    problems += missing(seen, headers, "declared in include/, but seen from outside")
    print(*problems, f"{len(set(headers))} public functions", sep="\n")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
