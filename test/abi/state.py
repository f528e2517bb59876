"""Checks that a library has no state of its own: nothing runs when it is loaded or unloaded, no thread-local or global
variable can be written, and it stays mapped.

usage: state.py LIBRARY
"""

import re
import subprocess
import sys

# What the compiler puts into every shared library, and the sections that hold it.
TOOLCHAIN = re.compile(
    r"completed\.\d+|__dso_handle|__TMC_END__|__(frame_dummy_init|do_global_dtors_aux_fini)_array_entry"
)
ARRAYS = {".init_array", ".fini_array"}
STATE_SECTIONS = ARRAYS | {".data", ".bss", ".tdata", ".tbss", ".preinit_array", ".ctors", ".dtors"}


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def variables(library):
    """Writable variables that are not the toolchain's: (section, name)."""
    for line in output("objdump", "-t", library).splitlines():
        match = re.match(r"[0-9a-f]+ .{7} (\S+)\t[0-9a-f]+ +(?:\.hidden )?(\S+)$", line)
        if match and match[1] in STATE_SECTIONS and match[2] != match[1] and not TOOLCHAIN.fullmatch(match[2]):
            yield f"{match[2]}: in {match[1]}"


def sections(library):
    """Sections that run code, with more entries than the toolchain's own one, or that hold thread-local variables."""
    for name, size, entry in re.findall(
        r"\] (\.\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", output("readelf", "-SW", library)
    ):
        allowed = int(entry, 16) if name in ARRAYS else 0
        if name in STATE_SECTIONS - {".data", ".bss"} and int(size, 16) > allowed:
            yield f"{name}: {int(size, 16)} bytes"


def problems_of(library):
    problems = [*variables(library), *sections(library)]
    if "NODELETE" not in output("readelf", "-dW", library):
        problems.append("can be unmapped: not linked with -z nodelete")
    if "completed" not in output("objdump", "-t", library):
        problems.append("has no symbol table to look at")
    return problems


if __name__ == "__main__":
    found = problems_of(sys.argv[1])
    print(*found, sep="\n")
    sys.exit(1 if found else 0)
