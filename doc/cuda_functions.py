"""Makes the page of functions that simulated GPUs answer, from what the stand-ins export.

usage: cuda_functions.py LIBRARY... HEADER_OF_FAMILIES... OUTPUT
"""

import pathlib
import re
import struct
import sys

INTRODUCTION = """\
# Functions that simulated GPUs answer

Functions of NVIDIA's libraries have one of three kinds of answers. Those that return a size, a value or a pointer, or
check what they are given, are written out: they come first. Families of others are known by their names to leave
nothing behind, or an object: they come last, with `*` for the rest of a name. Every other function is there as well;
when it is called it returns "not supported" (`cudaErrorNotSupported` and its like), and a line names it and who called
it.
[Run it on a GPU that you do not have](../guide/simulated-gpus.md) says what is exact and what is made up.
"""

# The longest beginning of a name decides.
LIBRARIES = {
    "__cuda": "CUDA runtime",
    "cuda": "CUDA runtime",
    "cu": "CUDA driver",
    "nvml": "NVML",
    "cublas": "cuBLAS",
    "cublasLt": "cuBLASLt",
    "cublasXt": "cuBLAS",
    "cudnn": "cuDNN",
    "cufft": "cuFFT",
    "cusparse": "cuSPARSE",
    "cusparseLt": "cuSPARSELt",
    "cusolver": "cuSOLVER",
    "curand": "cuRAND",
    "cupti": "CUPTI",
    "nccl": "NCCL",
    "pnccl": "NCCL",
    "nvshmem": "NVSHMEM",
}
SHT_DYNSYM = 11  # elf(5)


def exported(path):
    """Names of functions that a 64-bit shared library defines for others."""
    image = path.read_bytes()
    (table,) = struct.unpack_from("<Q", image, 40)
    size, count = struct.unpack_from("<HH", image, 58)
    sections = [struct.unpack_from("<IIQQQQII", image, table + size * i) for i in range(count)]
    for _, kind, _, _, offset, length, link, _ in sections:
        for at in range(offset, offset + length, 24) if kind == SHT_DYNSYM else ():
            name, info, _, section = struct.unpack_from("<IBBH", image, at)
            if section and info & 15 == 2:
                start = sections[link][4] + name
                yield image[start : image.index(b"\0", start)].decode()


def library_of(name):
    beginnings = [prefix for prefix in LIBRARIES if re.match(prefix + "[A-Z_]", name)]
    return LIBRARIES[max(beginnings, key=len)] if beginnings else None


# How the names of tables end, bindings/cuda/launches_*.h.
FAMILIES = {
    "launches": "launch what computes, which here computes nothing",
    "settings": "set what has no effect on memory",
    "creates": "make an object",
    "destroys": "release one",
}


def families_of(headers):
    for kind, what in FAMILIES.items():
        tables = re.findall(rf"\w+_{kind}\[\] = \{{(.*?)\}};", headers, re.S)
        names = sorted(name for table in tables for name in re.findall(r'"([^"]+)"', table))
        yield f"## Families that {what}: {len(names)}\n\n" + ", ".join(f"`{name}`" for name in names) + "\n"


def main():
    *inputs, output = map(pathlib.Path, sys.argv[1:])
    libraries = [path for path in inputs if path.suffix == ".so"]
    headers = "".join(path.read_text() for path in inputs if path.suffix == ".h")
    found = {}
    for name in sorted({name for path in libraries for name in exported(path)}):
        found.setdefault(library_of(name), []).append(name)
    found.pop(None, None)  # this project's own
    parts = [INTRODUCTION]
    for library, names in sorted(found.items()):
        parts.append(f"## {library}: {len(names)}\n\n" + ", ".join(f"`{name}`" for name in names) + "\n")
    output.write_text("\n".join([*parts, *families_of(headers)]))


if __name__ == "__main__":
    main()
