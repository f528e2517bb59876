"""Checks from the #includes that every module knows only the modules before it on the way of the data, and that within
one at most two units, headers with their sources, include one another.

usage: dependencies.py SOURCE_ROOT
"""

import pathlib
import re
import sys

# Modules of lib/, each with those whose internal headers it may include. Add a module's row when the module is made.
MODULES = {
    "base": set(),
    "expression": {"base"},
    "network": {"base", "expression"},
    "trace": {"base"},
    "frameworks": {"base", "expression", "network", "trace"},
    "recording": {"base", "expression", "trace", "frameworks"},
    "allocators": {"base", "trace"},
    "plan": {"base", "trace"},
    "inference": {"base", "expression", "network", "frameworks", "plan"},
    "report": {"base", "expression", "network", "trace", "frameworks", "allocators", "plan"},
    "recompute": {"base", "expression", "network", "trace", "frameworks", "allocators", "report"},
    "optimize": {"base", "expression", "network", "trace", "frameworks", "plan", "inference", "report", "recompute"},
    "measure": {"base"},
    "device": {"base", "frameworks"},
    "regression": {"base", "expression", "measure"},
    "import": {"base", "expression", "network"},
    "serving": {"base", "network", "trace", "frameworks", "allocators"},
    "sharding": {"base", "network", "trace", "frameworks", "report", "serving"},
}

# The module that each public header speaks for. A module includes the headers of the modules it knows, and its own.
PUBLIC = {
    "context": "base",
    "search": "base",
    "version": "base",
    "network": "network",
    "onnx": "import",
    "layers": "network",
    "builder": "network",
    "trace": "trace",
    "replay": "allocators",
    "job": "frameworks",
    "recording": "frameworks",
    "report": "report",
    "plan": "plan",
    "optimize": "optimize",
    "recompute": "recompute",
    "schedule": "inference",
    "tiling": "inference",
    "samples": "measure",
    "monitor": "measure",
    "device": "device",
    "llm": "serving",
    "mesh": "sharding",
    "advise": "regression",
    "model": "regression",
    "function": "regression",
}

# What modules know of each other through the public header alone.
PUBLIC_ONLY = {
    "expression": {"model"},  # enum memmodel_language, the languages a formula is printed in
    "report": {"model"},  # the same
}

MOST_IN_A_CYCLE = 2

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# sys/stat.h is wherever there are files.
READ_FILES = {"base/file.c", "import/onnx_wire.c"}
SYSTEM_OF_LINUX = re.compile(
    r"^\s*#\s*include\s+<(?!sys/stat\.h)(sys|linux|dirent|signal|unistd|sched|poll)[./]", re.MULTILINE
)


def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def check_library_include(module, name):
    """What is wrong with `#include "name"` in a file of `module`; None if nothing."""
    first, _, rest = name.partition("/")
    if first == "memmodel":
        part = rest.removesuffix(".h")
        owner = PUBLIC.get(part)
        if owner is None:
            return "a public header that no module speaks for"
        if owner in MODULES[module] | {module} or part in PUBLIC_ONLY.get(module, set()):
            return None
        return f"{module} does not come after {owner}"
    if name == "memmodel.h":
        return "the library includes the parts it needs, not everything"
    if first not in MODULES:
        return "write the module's name before the file's"
    if first in MODULES[module] | {module}:
        return None
    return f"{module} does not come after {first}"


def check_library(root):
    for path in sorted((root / "lib").rglob("*.[ch]")):
        module = path.relative_to(root / "lib").parts[0]
        if module not in MODULES:
            yield path, "a module that has no row in this check"
            continue
        for name in includes(path):
            problem = check_library_include(module, name)
            if problem:
                yield path, f'"{name}": {problem}'


def units(folder):
    """The headers and sources of a folder by what their names have in common, each with those that it includes."""
    graph = {}
    for path in sorted(folder.rglob("*.[ch]")):
        known = graph.setdefault(path.relative_to(folder).with_suffix(""), set())
        for name in includes(path):
            known |= {
                base.relative_to(folder).with_suffix("")
                for base in (folder / name, path.parent / name)
                if base.exists()
            }
    return graph


def reachable(graph, start):
    found, waiting = set(), [start]
    while waiting:
        new = graph.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def check_cycles(root):
    for folder in (root / "lib", root / "bindings" / "cli", root / "bindings" / "lua" / "core"):
        graph = units(folder)
        reach = {unit: reachable(graph, unit) for unit in graph}
        for unit in graph:
            cycle = sorted(str(other) for other in reach[unit] if unit in reach[other])
            if len(cycle) > MOST_IN_A_CYCLE and str(unit) == cycle[0]:
                yield folder, f"{len(cycle)} units include one another: {', '.join(cycle)}"


def check_public(root):
    """Public headers include public headers only, without a circle."""
    parts = {path.stem: path for path in sorted((root / "include" / "memmodel").glob("*.h"))}
    known = {part: {pathlib.Path(name).stem for name in includes(path)} for part, path in parts.items()}
    for path in parts.values():
        for name in includes(path):
            if pathlib.Path(name).stem not in parts or not name.startswith("memmodel/"):
                yield path, f'"{name}" is not a public header'
    while free := {part for part, needs in known.items() if not needs & known.keys()}:
        known = {part: needs for part, needs in known.items() if part not in free}
    for part in known:
        yield parts[part], "includes itself through " + ", ".join(sorted(known[part] & known.keys()))


# What the stand-ins of bindings/cuda are built from besides their own files: the ledger that they share with the
# library, and rules of sizes that need nothing else of it.
SHARED_WITH_CUDA = {"device/ledger.h", "frameworks/cuda/recurrent.h", "frameworks/cuda/batch_norm.h", "base/checked.h"}
# The page of bindings/web draws reports as lib/report's own page does.
SHARED_WITH_WEB = {"report/gpu_prices.h", "report/quick_data.h"}
SHARED = {"cuda": SHARED_WITH_CUDA, "web": SHARED_WITH_WEB}


def check_users(root):
    """The tool and the examples see what any user sees: memmodel.h or the arena's header, what they share among
    themselves, and tables that the tool writes, NAME.h of a NAME.csv beside them."""
    for folder in ("bindings", "examples"):
        paths = sorted((root / folder).rglob("*.[ch]"))
        own = {"memmodel.h", "memmodel_arena.h"} | {path.name for path in paths}
        own |= {path.with_suffix(".h").name for path in (root / folder).rglob("*.csv")}
        for path in paths:
            for name in includes(path):
                if name not in own and name not in SHARED.get(path.parent.name, ()):
                    yield path, f'"{name}": include "memmodel.h" and files of {folder}/'


def check_portability(root):
    """What needs the operating system sits in lib/measure and in lib/device, but for the files that others read."""
    for path in sorted((root / "lib").rglob("*.[ch]")):
        place = path.relative_to(root / "lib")
        if place.parts[0] not in {"measure", "device"} and place.as_posix() not in READ_FILES:
            for name in SYSTEM_OF_LINUX.findall(path.read_text(encoding="utf-8")):
                yield path, f"<{name}...> belongs to lib/measure or lib/device"


def main(root):
    problems = 0
    for check in (check_library, check_cycles, check_public, check_users, check_portability):
        for path, problem in check(root):
            print(f"{path.relative_to(root)}: {problem}")
            problems += 1
    print(f"{problems} includes point the wrong way")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
