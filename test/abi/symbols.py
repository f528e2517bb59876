"""Checks that headers, lib/memmodel.map and the shared library name the same functions, in the same version nodes.

usage: symbols.py SOURCE_ROOT LIBRARY
"""

import pathlib
import re
import subprocess
import sys

import api as interface

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
DECLARATION = re.compile(r"\bMEMMODEL_API\b[^;{(]*?(\w+)\s*\(")
NODE = re.compile(r"(\w[\w.]*)\s*\{(.*?)\}[^;]*;", re.DOTALL)
GLOBAL = re.compile(r"\bglobal:(.*?)(?:\blocal:|$)", re.DOTALL)


def declared(root):
    """The names in the headers. The API's description has them too, if it was made after the last change."""
    names = []
    for path in sorted((root / "include").rglob("*.h")):
        text = COMMENT.sub("", path.read_text(encoding="utf-8"))
        names += DECLARATION.findall(DIRECTIVE.sub("", text))
    return names


def described(root):
    return [f"{function['name']}@{interface.node_of(function)}" for function in interface.load(root)["functions"]]


def mapped(root):
    text = COMMENT.sub("", (root / "lib" / "memmodel.map").read_text(encoding="utf-8"))
    return [
        f"{name}@{node}"
        for node, body in NODE.findall(text)
        for block in GLOBAL.findall(body)
        for name in re.findall(r"[^\s;]+", block)
    ]


def exported(library):
    """name@node of all that the library shows; the nodes themselves are absolute symbols."""
    command = ["nm", "-D", "--defined-only", "--with-symbol-versions", library]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split() for line in output.splitlines()]
    return [row[2].replace("@@", "@") for row in rows if row[1] != "A"]


def explained(root):
    """Beginnings of the names that doc/internals/abi.md says why they are testing: `memmodel_x` or `memmodel_x_*`."""
    text = (root / "doc" / "internals" / "abi.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|(.*?)\|", text, re.MULTILINE)
    return tuple(name for row in rows for name in re.findall(r"`(memmodel_\w+)\*?`", row))


def repeated(names, where):
    names = [name.split("@")[0] for name in names]
    return [f"{name}: {where} twice" for name in sorted({name for name in names if names.count(name) > 1})]


def missing(names, others, where):
    return [f"{name}: not {where}" for name in sorted(set(names) - set(others))]


def main(root, library):
    headers, api, listed, seen = declared(root), described(root), mapped(root), exported(library)
    api_names = [name.split("@")[0] for name in api]
    problems = repeated(headers, "declared in include/") + repeated(listed, "listed in lib/memmodel.map")
    problems += missing(headers, api_names, "in include/memmodel-api.json")
    problems += missing(api_names, headers, "declared in include/")
    problems += missing(api, listed, "listed so in lib/memmodel.map")
    problems += missing(listed, api, "described so, by its @since and @stability")
    problems += missing(api, seen, f"in {library.name}")
    problems += missing(seen, api, "public, but seen from outside")
    testing = [name.split("@")[0] for name in api if name.endswith("@MEMMODEL_TESTING")]
    unexplained = [name for name in testing if not name.startswith(explained(root))]
    problems += [f"{name}: doc/internals/abi.md does not say why" for name in unexplained]
    problems += [f"{name}: not of this library" for name in seen if not name.startswith("memmodel_")]
    print(*problems, f"{len(set(headers))} public functions", sep="\n")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
