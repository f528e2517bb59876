"""Checks that what was released still holds: every promise kept in test/abi/released/ is true of today's interface.

usage: released.py SOURCE_ROOT [--write VERSION]

--write keeps today's promises as those of VERSION, if none of them breaks an older one.
"""

import argparse
import pathlib
import sys

import api as interface


def rows(lines, first):
    """The lines that begin with a word, as lists of words."""
    return [line.split() for line in lines if line.startswith(first + " ")]


def struct_breaks(name, released, now):
    """A fixed struct keeps its bytes; a sized one may grow, behind the bytes that older callers know."""
    if name not in now:
        return [f"struct {name} is gone"]
    kind, *old = released[name]
    new_kind, *new = now[name]
    grown = [int(b) - int(a) for a, b in zip(old, new, strict=True)]
    if kind != new_kind or min(grown) < 0 or (kind == "fixed" and any(grown)):
        return [f"struct {name} was {kind} of {'/'.join(old)} bytes and is {new_kind} of {'/'.join(new)}"]
    return []


def field_breaks(released, now, structs):
    """A new field stands where no older caller's struct reaches, padding included."""
    known = {(struct, name) for _, struct, name, *_ in rows(released, "field")}
    for _, struct, name, *offsets, _ in rows(now, "field"):
        if struct in structs and (struct, name) not in known:
            starts = structs[struct][1:]
            if any(int(offset) < int(start) for offset, start in zip(offsets, starts, strict=True)):
                yield f"field {struct}.{name} is new, and lies within the {'/'.join(starts)} bytes that were released"


def breaks(released, now):
    """What a program compiled against `released` would miss in `now`; both are lists of promises."""
    structs = {name: rest for _, name, *rest in rows(released, "struct")}
    structs_now = {name: rest for _, name, *rest in rows(now, "struct")}
    found = [f"no longer true: {line}" for line in released if not line.startswith("struct ") and line not in set(now)]
    for name in structs:
        found += struct_breaks(name, structs, structs_now)
    return found + list(field_breaks(released, now, structs))


def node_additions(released, now):
    """Functions that were put into a node after its release."""
    nodes = {node for _, node, _ in rows(released, "node")}
    return [
        f"{name}: new in {node}, which is released"
        for _, node, name in rows(now, "node")
        if node in nodes and f"node {node} {name}" not in released
    ]


def padded(api):
    """Sized structs that end in padding, where nobody could tell a new field from what an older caller left there."""
    for struct in (one for one in api["structs"] if one["sized"]):
        last = struct["fields"][-1]
        for width, size in struct["bytes"].items():
            if last["offset"][width] + interface.bytes_of(api, last["type"], width) != size:
                yield f"struct {struct['name']} ends in padding on {width} bits: give it a field `reserved`"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--write", metavar="VERSION")
    arguments = parser.parse_args()

    folder = arguments.root / "test" / "abi" / "released"
    api = interface.load(arguments.root)
    now = interface.promises(api)
    problems = list(padded(api))
    files = sorted(folder.glob("*.txt"))
    for file in files:
        released = file.read_text(encoding="utf-8").splitlines()
        problems += [f"{file.stem}: {problem}" for problem in breaks(released, now)]
        if file.stem != arguments.write:
            problems += [f"{file.stem}: {problem}" for problem in node_additions(released, now)]
    print(*problems, f"{len(now)} promises today, {len(files)} releases kept", sep="\n")
    if arguments.write and not problems:
        (folder / f"{arguments.write}.txt").write_text("\n".join(now) + "\n", encoding="utf-8")
    return 1 if problems or not (files or arguments.write) else 0


if __name__ == "__main__":
    sys.exit(main())
