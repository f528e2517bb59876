"""The library's binary interface as libabigail reads it from the debug information, and its comparison with a kept one.

usage: dump.py SOURCE_ROOT LIBRARY [--write VERSION]

Both dumps are made with the public headers named, so that private types are left out and public ones are not: without
that, abidiff 2.2 takes every type for private and says nothing. It knows a header by its last name only, which a
private one may share: structs that the API does not describe are emptied. Fields behind a released struct are a
difference too: released.py tells whether they are allowed, and --write keeps a new dump. Exits with 77 where it cannot
judge.
"""

import argparse
import gzip
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import api as interface

RELEASED = pathlib.Path("test") / "abi" / "released"
ARCHITECTURE = "elf-amd-x86_64"
OPTIONS = ["--drop-private-types", "--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed", "--short-locs"]
OPTIONS += ["--type-id-style", "hash"]
SKIPPED = 77


def abidw(library, headers, option):
    command = ["abidw", option, *OPTIONS, "--headers-dir", headers, library]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return ElementTree.fromstring(output)


def types_of(corpus):
    return {element.get("id"): element for unit in corpus.iter("abi-instr") for element in unit if element.get("id")}


def empty_private_structs(corpus, public):
    """Makes declarations of structs that are not named in `public`, and takes out what only they reach."""
    for element in [element for unit in corpus.iter("abi-instr") for element in unit]:
        if element.tag == "class-decl" and element.get("name") not in public:
            kept = {name: element.get(name) for name in ("name", "is-struct", "visibility", "id")}
            element.clear()
            element.attrib.update(kept, **{"is-declaration-only": "yes"})
    types = types_of(corpus)
    reached, ahead = set(), list(corpus.iter("function-decl"))
    while ahead:
        used = {value for element in ahead.pop().iter() for name, value in element.items() if name.endswith("-id")}
        used = used & types.keys() - reached
        reached |= used
        ahead += [types[identity] for identity in used]
    for unit in corpus.iter("abi-instr"):
        for element in [element for element in unit if element.get("id") in types.keys() - reached]:
            unit.remove(element)


def dump(library, headers, structs):
    """What functions reach, and the public enums. These no function reaches, as an enum is passed as an int: they come
    from a dump of all types, whose private ones would make noise. Enums without a name are private."""
    corpus = abidw(library, headers, "--exported-interfaces-only")
    empty_private_structs(corpus, structs)
    everything = types_of(abidw(library, headers, "--load-all-types"))
    public = {path.name for path in pathlib.Path(headers).rglob("*.h")}
    known = set(types_of(corpus))
    unit = ElementTree.SubElement(corpus, "abi-instr", {"address-size": "64", "path": "enums", "language": "LANG_C11"})
    for identity, element in everything.items():
        if element.tag != "enum-decl" or element.get("filepath") not in public or identity in known:
            continue
        if element.get("is-anonymous"):
            continue
        underlying = element.find("underlying-type").get("type-id")
        unit.extend([everything[underlying]] if underlying not in known else [])
        unit.append(element)
        known |= {identity, underlying}
    corpus.set("tracking-non-reachable-types", "yes")
    return corpus


def described(corpus):
    """Names of the structs and enums that a dump describes in full."""
    return {
        element.get("name")
        for element in types_of(corpus).values()
        if element.tag in ("class-decl", "enum-decl") and element.get("is-declaration-only") != "yes"
    }


def without_new_enums(now, released):
    """abidiff --no-added-syms still counts a type that no function reaches."""
    names = described(released)
    for unit in now.iter("abi-instr"):
        for element in [one for one in unit if one.tag == "enum-decl" and one.get("name") not in names]:
            if element.get("is-non-reachable") == "yes":
                unit.remove(element)
    return now


def difference(released, now, suppressions=None):
    """What abidiff finds: "" if programs that ran with `released` run with `now`. Added functions are no difference."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / name for name in ("released.abi", "now.abi")]
        for path, corpus in zip(paths, (released, without_new_enums(now, released)), strict=True):
            ElementTree.ElementTree(corpus).write(path)
        options = ["--suppressions", suppressions] if suppressions else []
        command = ["abidiff", "--no-added-syms", "--non-reachable-types", *options, *paths]
        result = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return f"abidiff says {result.returncode}:\n{result.stdout}" if result.returncode else ""


def newest(folder):
    files = folder.glob("libmemmodel-*.abi.gz")
    return max(files, key=lambda file: [int(number) for number in re.findall(r"\d+", file.name)])


def compare(golden, now, suppressions):
    if now.get("architecture") != ARCHITECTURE:
        print("kept for x86_64 only")
        return SKIPPED
    released = ElementTree.fromstring(gzip.decompress(golden.read_bytes()))
    found = difference(released, now, suppressions)
    print(found or f"as in {golden.name}")
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--write", metavar="VERSION")
    arguments = parser.parse_args()

    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("abidw is missing (Debian: abigail-tools)")
        return SKIPPED
    api = interface.load(arguments.root)
    structs = {item["name"] for item in api["structs"]}
    now = dump(arguments.library, arguments.root / "include", structs)
    hidden = structs.union(item["name"] for item in api["enums"]) - described(now)
    if hidden:
        print("not in the dump, is the library built with -g?", *sorted(hidden))
        return 1
    folder = arguments.root / RELEASED
    if arguments.write:
        file = folder / f"libmemmodel-{arguments.write}.abi.gz"
        file.write_bytes(gzip.compress(ElementTree.tostring(now), mtime=0))
        return 0
    return compare(newest(folder), now, folder.parent / "testing.suppressions")


if __name__ == "__main__":
    sys.exit(main())
