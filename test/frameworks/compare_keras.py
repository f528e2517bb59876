"""Measured peaks of Keras networks against the library's predictions, from the models alone.

    python test/frameworks/compare_keras.py test/data/keras_networks/samples.csv [--base] [--save FOLDER]
    python test/frameworks/compare_keras.py test/data/keras_networks/judged.csv --networks keras_judged

Needs keras and tensorflow-cpu, and the Python package. --base: the bytes of each process before fit are given.
--save: writes each network as JSON, which the unit tests read. Prints a row a point, and for each network and all of
them the median and the worst error against the mean of a point's runs.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import os
from pathlib import Path

os.environ.update(KERAS_BACKEND="tensorflow", CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="2")


def isa(path: Path) -> str:
    """Of the machine that the table was measured on, by the table's head."""
    machine = next(line for line in path.read_text(encoding="ascii").splitlines() if line.startswith("# machine:"))
    return "avx512" if "avx512f" in machine else "avx2"


def read(path: Path) -> dict[tuple[str, int], list[tuple[int, int]]]:
    """Base and peak bytes of each point's runs."""
    points: dict[tuple[str, int], list[tuple[int, int]]] = {}
    with path.open(encoding="ascii", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            point = (row["network"], int(row["batch"]))
            points.setdefault(point, []).append((int(row["base_bytes"]), int(row["peak_bytes"])))
    return points


def median(numbers: list[float]) -> float:
    """Middle number, the upper one of two."""
    return sorted(numbers)[len(numbers) // 2]


def summary(name: str, errors: list[float]) -> None:
    """A line with median and worst."""
    sizes = [abs(error) for error in errors]
    mean = sum(errors) / len(errors)
    print(f"{name}: median {median(sizes):.1f} %, worst {max(sizes):.1f} %, mean with sign {mean:+.1f} %")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measured peaks of Keras networks against predictions.")
    parser.add_argument("table", type=Path)
    parser.add_argument("--base", action="store_true", help="give the bytes of each process before fit")
    parser.add_argument("--save", type=Path, help="folder for the networks as JSON")
    parser.add_argument("--networks", default="keras_networks", help="module that defines them (default: %(default)s)")
    options = parser.parse_args()
    import memmodel.keras

    networks = importlib.import_module(options.networks).NETWORKS

    errors: dict[str, list[float]] = {}
    for (name, batch), runs in read(options.table).items():
        model = networks[name][0](batch).model
        base = sum(run[0] for run in runs) // len(runs)
        peak = sum(run[1] for run in runs) / len(runs)
        if options.save:
            memmodel.keras.from_model(model).save(options.save / f"{name}.json")
        given = base if options.base else None
        report = memmodel.keras.estimate(model, batch, isa=isa(options.table), base_bytes=given)
        predicted = report.peak.process
        error = 100 * (predicted / peak - 1)
        errors.setdefault(name, []).append(error)
        print(f"{name} {batch}: measured {peak / 1e6:.0f} MB, predicted {predicted / 1e6:.0f} MB, {error:+.1f} %")
    for name, found in errors.items():
        summary(name, found)
    summary("all", [error for found in errors.values() for error in found])


if __name__ == "__main__":
    main()
