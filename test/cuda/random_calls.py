"""Random calls of every function that the stand-ins of simulated GPUs answer, in several threads: none may crash.

    random_calls.py SOURCES MEMMODEL LIBRARY... [--seconds N] [--seed N]

MEMMODEL is the library that makes the devices; the others may be built with sanitizers. Prototypes are those of the
sources (bindings/cuda). Pointers are NULL, room for a result, or objects that earlier calls have handed out, which may
be gone; numbers are small, at the edges of their types, or in between. A process of its own makes the calls for some
seconds; what it called last is known when it has crashed.
"""

import argparse
import ctypes
import mmap
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

THREADS, ROUND_SECONDS, HANG_SECONDS = 4, 4, 60
SMALL = 256  # of numbers that count what is in an array
ROOM = 8 * SMALL * SMALL  # bytes of a result or an array: of as many ranks of a communicator
LINE = 512  # bytes of what a thread called last
WHOLE = {
    "int": 32, "unsigned": 32, "unsigned int": 32, "int32_t": 32, "uint32_t": 32, "char": 8, "unsigned char": 8,
    "short": 16, "unsigned short": 16, "uint16_t": 16, "int64_t": 64, "uint64_t": 64, "size_t": 64, "long": 64,
    "long long": 64, "unsigned long": 64, "unsigned long long": 64, "uintptr_t": 64, "bool": 8,
}  # fmt: skip
# Parameters "void *" that are memory of the caller's; the others are objects.
MEMORY = {
    "to", "from", "host", "value", "values", "elements", "data", "states", "workspace", "properties", "attributes",
    "allocation", "access", "out", "shared", "image", "options", "binary", "memory", "configuration", "nodes", "edges",
    "rows", "columns", "ld", "list", "information", "result", "alpha", "beta", "parameters", "id", "tag", "map",
    "factor", "work", "scale", "x_data", "w_data", "y_data", "dx_data", "dy_data", "dw_data", "offsets", "numbers",
    "buffer", "third_buffer", "fill", "out_values", "symbol", "peer", "input", "weights", "reserve", "s", "u", "v",
}  # fmt: skip
# Whose objects are structs of the caller's.
OBJECTS_OF_CALLERS = (
    "__cudaPopCallConfiguration",
    "cusparseLt", "cublasLtMatrixLayoutInit", "cublasLtGroupedMatrixLayoutInit", "cublasLtMatmulDescInit",
    "cublasLtMatmulPreferenceInit", "cublasLtMatrixTransformDescInit",
)  # fmt: skip
ANSWER = re.compile(r"^ANSWER\(([^;{]*?)\)\s*\{", re.MULTILINE | re.DOTALL)
# The loader's own; what torch's allocator calls; what waits for other ranks; what writes to addresses in an array.
LEFT_OUT = ("dlopen", "_ZN3c10", "memmodel_cuda_", "cuPointerGetAttributes")


SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=1024"}


class Options(ctypes.Structure):
    """struct memmodel_device_options"""

    _fields_ = [("size", ctypes.c_size_t), ("gpu", ctypes.c_char_p), ("count", ctypes.c_int32),
                ("overcommit", ctypes.c_int32), ("capacity", ctypes.c_int64)]  # fmt: skip


def load_sanitizer(library):
    """AddressSanitizer must be there before Python: starts again with it."""
    wanted = re.search(rb"libasan\.so\.\d+", Path(library).read_bytes())
    if wanted and "libasan" not in os.environ.get("LD_PRELOAD", ""):
        ask = ["gcc", f"-print-file-name={wanted[0].decode()}"]
        found = subprocess.run(ask, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **SANITIZERS, "LD_PRELOAD": found})


def make_devices(path):
    """Two simulated GPUs, whose ledger the environment names."""
    library, text = ctypes.CDLL(path), ctypes.c_char_p()
    context, device = ctypes.c_void_p(), ctypes.c_void_p()
    options = Options(ctypes.sizeof(Options), b"h100", 2)
    assert library.memmodel_context_new(None, ctypes.byref(context)) == 0
    assert library.memmodel_device_new(context, ctypes.byref(options), ctypes.byref(device)) == 0
    assert library.memmodel_device_environment(device, ctypes.byref(text)) == 0
    ledger = next(line for line in text.value.decode().splitlines() if line.startswith("MEMMODEL_CUDA_LEDGER="))
    os.environ["MEMMODEL_CUDA_LEDGER"] = ledger.partition("=")[2]
    return lambda: library.memmodel_device_unref(device)


def parameters(text):
    """Split at commas outside of parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [" ".join(part.split()) for part in parts]


def kind(parameter):
    """What is to be passed: a word for pointers and floats, bits of a whole number, None for the rest."""
    if "(*" in parameter:
        return "callback"
    type_, _, name = parameter.replace("const ", "").replace("*", "* ").rpartition(" ")
    if "*" in parameter or "[" in name:
        is_object = re.fullmatch(r"(const )?void \*\w+", parameter) and name.lstrip("*") not in MEMORY
        return "object" if is_object else "pointer"
    return type_ if type_ in ("double", "float") else WHOLE.get(type_.replace("enum ", ""))


def functions(folder):
    """Name and kinds of the parameters of each function; names of those that cannot be called from here."""
    known, unknown = {}, []
    for path in sorted(Path(folder).glob("*.c")):
        for match in ANSWER.finditer(path.read_text()):
            _, name, *rest = parameters(match[1])
            kinds = [kind(parameter) for parameter in rest if parameter not in ("void", "")]
            if name.startswith(LEFT_OUT):
                continue
            if name.startswith(OBJECTS_OF_CALLERS):
                kinds = ["pointer" if kind == "object" else kind for kind in kinds]
            if None in kinds or "..." in rest:
                unknown.append(name)
            else:
                known[name] = kinds
    return known, unknown


def is_object(address):
    """Whether it is memory that can be written: the system says so of a read to there (syscalls 0 and 1 of x86-64)."""
    system, ends = ctypes.CDLL(None).syscall, os.pipe()
    try:
        place = ctypes.c_void_p(address)
        return (
            address > ROOM
            and address % 8 == 0
            and system(1, ends[1], place, 8) == 8
            and system(0, ends[0], place, 8) == 8
        )
    finally:
        os.close(ends[0])
        os.close(ends[1])


class Caller:
    """Makes calls in one thread, and says in `line` what it is about to call."""

    def __init__(self, libraries, known, seed, line):
        self.random = random.Random(seed)
        self.known, self.names, self.line = known, sorted(known), line
        self.found = {name: self.find(libraries, name) for name in self.names}
        self.rooms = [ctypes.create_string_buffer(ROOM) for _ in range(8)]
        self.objects = []
        self.nothing = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)

    @staticmethod
    def find(libraries, name):
        for library in libraries:
            if hasattr(library, name):
                function = getattr(library, name)
                function.restype = ctypes.c_int64
                return function
        raise SystemExit(f"no library has {name}")

    def object(self):
        if self.objects and self.random.random() < 0.75:
            return self.random.choice(self.objects)
        return self.random.choice([None, *map(ctypes.addressof, self.rooms)])

    def number(self, bits, is_small):
        if is_small or self.random.random() < 0.7:
            return self.random.randrange(SMALL if self.random.random() < 0.3 else 4)
        edge = self.random.choice([-1, 1 << (bits - 1), (1 << (bits - 1)) - 1, self.random.getrandbits(bits)])
        return edge & ((1 << bits) - 1)

    def argument(self, kind, is_small):
        if kind == "callback":
            return ctypes.cast(self.nothing, ctypes.c_void_p)
        if kind in ("object", "pointer"):
            if kind == "object" and self.random.random() < 0.7:
                return ctypes.c_void_p(self.object())
            place = None if self.random.random() < 0.1 else ctypes.addressof(self.random.choice(self.rooms))
            return ctypes.c_void_p(place)
        if kind in ("double", "float"):
            value = self.random.choice([0.0, 1.0, -1.5, float("inf"), float("nan"), 1e300])
            return ctypes.c_double(value) if kind == "double" else ctypes.c_float(value)
        return ctypes.c_uint64(self.number(kind, is_small))

    def call(self):
        name = self.random.choice(self.names)
        kinds = self.known[name]
        is_small = "pointer" in kinds or kinds.count("object") > 1  # it may read or write as much as it is told
        arguments = [self.argument(kind, is_small) for kind in kinds]
        text = f"{name}({', '.join(str(argument.value) for argument in arguments)})".encode()[: LINE - 1]
        self.line[:LINE] = text.ljust(LINE, b"\0")
        result = self.found[name](*arguments)
        if result == 0:
            self.keep(kinds, arguments)

    def keep(self, kinds, arguments):
        """What was handed out may be an object; the room is cleared, as most callers do."""
        for kind, argument in zip(kinds, arguments):
            if kind not in ("pointer", "object") or argument.value not in map(ctypes.addressof, self.rooms):
                continue
            found = ctypes.c_uint64.from_address(argument.value).value
            if is_object(found):
                self.objects = [*self.objects[-200:], found]
            ctypes.memset(argument.value, 0, ROOM)


def work(libraries, known, seed, seconds, lines):
    """In the child: calls for so long."""
    counts = [0] * THREADS
    end = time.monotonic() + seconds

    def run(thread):
        line = memoryview(lines)[thread * LINE : (thread + 1) * LINE]
        caller = Caller(libraries, known, seed * THREADS + thread, line)
        while time.monotonic() < end:
            caller.call()
            counts[thread] += 1
            lines[THREADS * LINE + 8 * thread : THREADS * LINE + 8 * thread + 8] = counts[thread].to_bytes(8, "little")

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os._exit(0)


def round_of(libraries, known, seed, seconds):
    """Calls made, and how the child failed or None."""
    lines = mmap.mmap(-1, THREADS * (LINE + 8))
    child = os.fork()
    if child == 0:
        signal.alarm(HANG_SECONDS)
        work(libraries, known, seed, seconds, lines)
    _, status = os.waitpid(child, 0)
    counts = lines[THREADS * LINE :]
    calls = sum(int.from_bytes(counts[8 * i : 8 * i + 8], "little") for i in range(THREADS))
    if status == 0:
        return calls, None
    last = [lines[i * LINE : (i + 1) * LINE].rstrip(b"\0").decode() for i in range(THREADS)]
    return calls, f"seed {seed}: wait status {status}, in one of\n  " + "\n  ".join(last)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sources")
    parser.add_argument("memmodel")
    parser.add_argument("library", nargs="+")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    load_sanitizer(given.library[0])
    close = make_devices(given.memmodel)
    known, unknown = functions(given.sources)
    libraries = [ctypes.CDLL(path) for path in given.library]
    print(f"{len(known)} functions, {len(unknown)} cannot be called from here: {' '.join(unknown)}")
    calls = crashes = 0
    seed, end = given.seed, time.monotonic() + given.seconds
    while time.monotonic() < end:
        made, failure = round_of(libraries, known, seed, min(ROUND_SECONDS, given.seconds))
        calls, seed = calls + made, seed + 1
        if failure:
            crashes += 1
            print(failure, flush=True)
    close()
    print(f"{calls} calls, {crashes} crashes")
    return 1 if crashes or not calls else 0


if __name__ == "__main__":
    sys.exit(main())
