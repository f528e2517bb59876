"""Measure the peak of three steps of Keras networks on TensorFlow's CPU back end, each run in a process of its own.

    python test/frameworks/record_keras.py OUT.csv [--networks keras_judged] [--repeat 2] [--network NAME ...]

Needs keras and tensorflow-cpu. Writes the table that test/data/keras_networks/samples.csv holds: `base_bytes` is what
the process has just before model.fit (model compiled, arrays made), `peak_bytes` the kernel's high-water mark.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import os
import platform
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

os.environ.update(
    KERAS_BACKEND="tensorflow", CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="2", TF_ENABLE_ONEDNN_OPTS="1"
)
STEPS = 3
COLUMNS = ("network", "batch", "base_bytes", "peak_bytes", "seconds")


def status_bytes(field: str) -> int:
    """A field of /proc/self/status in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {field} in /proc/self/status")


def networks_of(module: str) -> dict[str, Any]:
    """Name, function of the batch and batches of a module's networks; Keras is imported only now."""
    return importlib.import_module(module).NETWORKS


def train(module: str, network: str, batch: int) -> None:
    """Train in this process, and print base and peak."""
    job = networks_of(module)[network][0](batch)
    base = status_bytes("VmRSS")
    job.model.fit(job.x, job.y, batch_size=batch, epochs=STEPS, shuffle=False, verbose=0)
    print(base, status_bytes("VmHWM"))


def measure(module: str, network: str, batch: int) -> tuple[int, int, float]:
    """The same in a process of its own."""
    start = time.monotonic()
    command = [sys.executable, __file__, "--networks", module, "--train", network, str(batch)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(output[-2]), int(output[-1]), time.monotonic() - start


def flags() -> str:
    """Vector instructions of this processor."""
    for line in Path("/proc/cpuinfo").read_text(encoding="ascii").splitlines():
        if line.startswith("flags"):
            return " ".join(flag for flag in line.split() if flag.startswith(("avx", "fma")))
    return "unknown"


def write(path: Path, repeat: int, module: str, chosen: list[str]) -> None:
    """All points, repeat by repeat, each row as soon as it is known."""
    networks = networks_of(module)
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("keras", "tensorflow-cpu", "numpy"))
    with path.open("w", encoding="ascii", newline="") as file:
        file.write(f"# Networks of test/frameworks/{module}.py, {STEPS} training steps on CPU, float32\n")
        file.write(f"# Python {platform.python_version()}, {versions}; TF_ENABLE_ONEDNN_OPTS=1\n")
        file.write(f"# machine: {os.cpu_count()} cores, {platform.machine()}, vector instructions: {flags()}\n")
        file.write("# made by: python test/frameworks/record_keras.py; every row is a process of its own\n")
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        for _ in range(repeat):
            for name in chosen or networks:
                for batch in networks[name][1]:
                    base, peak, seconds = measure(module, name, batch)
                    rows.writerow((name, batch, base, peak, f"{seconds:.1f}"))
                    file.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the peak of three steps of Keras networks.")
    parser.add_argument("out", nargs="?", type=Path, help="table to write")
    parser.add_argument("--repeat", type=int, default=2, help="runs of each point (default: 2)")
    parser.add_argument("--networks", default="keras_networks", help="module that defines them (default: %(default)s)")
    parser.add_argument("--network", action="append", default=[], help="only these")
    parser.add_argument("--train", nargs=2, metavar=("NETWORK", "BATCH"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        train(options.networks, options.train[0], int(options.train[1]))
    else:
        write(options.out, options.repeat, options.networks, options.network)


if __name__ == "__main__":
    main()
