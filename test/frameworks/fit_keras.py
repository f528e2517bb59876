"""Five samples of the 3D U-Net and the simulated peak as the term of a formula: how far off is it elsewhere?

    python test/frameworks/fit_keras.py MEMMODEL UNET3D examples/case-study/data/keras_samples.csv [--most PERCENT]

MEMMODEL and UNET3D are the programs of bindings/cli and examples/networks in a build folder. Five points are drawn at
random 50 times (seeded), a formula of the simulated bytes is fitted to them by `memmodel fit`, and the others, each the
mean of its runs, are predicted. Prints the median and the worst of the errors of all drawings, and fails if the median
is above --most.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES, DRAWINGS = 5, 50

Point = tuple[int, int]


def points(path: Path) -> dict[Point, float]:
    """Mean peak of the runs of each dim and batch."""
    runs: dict[Point, list[int]] = {}
    with path.open(encoding="ascii", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if row["status"] == "ok":
                runs.setdefault((int(row["dim"]), int(row["batch"])), []).append(int(row["peak_bytes"]))
    return {point: sum(peaks) / len(peaks) for point, peaks in runs.items()}


def output(*command: str | Path) -> str:
    """What a program prints."""
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def simulated(program: Path, network: Path, point: Point) -> int:
    """The peak of the process without any sample."""
    text = output(
        program, "estimate", network, "--set", f"dim={point[0]}", "--set", f"batch={point[1]}",
        "--framework", "tensorflow", "--isa", "avx2", "--json",
    )  # fmt: skip
    return int(json.loads(text)["peak"]["process"])


def fitted(program: Path, folder: Path, chosen: dict[Point, float], terms: dict[Point, int]) -> dict[Point, float]:
    """Predictions of all points by a formula of the chosen ones."""
    samples, model, wanted = folder / "samples.csv", folder / "model.json", folder / "points.csv"
    rows = [f"{terms[point]},{peak:.0f}" for point, peak in chosen.items()]
    samples.write_text("\n".join(["simulated,peak_bytes", *rows, ""]), encoding="ascii")
    wanted.write_text("\n".join(["simulated", *map(str, terms.values()), ""]), encoding="ascii")
    output(program, "fit", samples, "--target", "peak_bytes", "--basis", "user", "--term", "simulated", "-o", model)
    rows_found = json.loads(output(program, "predict", model, "--points", wanted, "--json"))["rows"]
    values = [float(row["value"]) for row in rows_found]
    return dict(zip(terms, values, strict=True))


def compare(program: Path, network: Path, peaks: dict[Point, float], folder: Path) -> tuple[list[float], list[float]]:
    """Errors without a sample, and of all drawings, each from the least on."""
    terms = {point: simulated(program, network, point) for point in peaks}
    plain = sorted(abs(terms[point] / peak - 1) for point, peak in peaks.items())
    errors: list[float] = []
    generator = random.Random(0)
    for _ in range(DRAWINGS):
        chosen = {point: peaks[point] for point in generator.sample(sorted(peaks), SAMPLES)}
        predicted = fitted(program, folder, chosen, terms)
        errors += [abs(predicted[point] / peak - 1) for point, peak in peaks.items() if point not in chosen]
    return plain, sorted(errors)


def main() -> int:
    parser = argparse.ArgumentParser(description="Five samples and the simulated peak.")
    parser.add_argument("program", type=Path, metavar="MEMMODEL")
    parser.add_argument("unet3d", type=Path, metavar="UNET3D")
    parser.add_argument("table", type=Path)
    parser.add_argument("--most", type=float, default=100, help="percent that the median of the errors may be")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        network = Path(folder) / "unet3d.json"
        output(options.unet3d, "--channels-last", "--fused-mask", "--loss", "-o", network)
        plain, errors = compare(options.program, network, points(options.table), Path(folder))
    print(f"no sample: median {100 * plain[len(plain) // 2]:.2f} %, worst {100 * plain[-1]:.2f} %")
    median = 100 * errors[len(errors) // 2]
    print(f"five samples: median {median:.2f} %, worst {100 * errors[-1]:.2f} %")
    return int(median > options.most)


if __name__ == "__main__":
    sys.exit(main())
