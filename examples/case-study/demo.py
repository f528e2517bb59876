"""Runs the case study: tables on the terminal, then results.json, pictures and report.html.

usage: demo.py [--program PATH] [--output DIRECTORY] [--samples DIRECTORY]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=TOP / "build/release/examples/case-study/case-study")
    parser.add_argument("--output", type=Path, default=TOP / "build/demo")
    parser.add_argument("--samples", type=Path, default=HERE / "data", help="folder of the measured tables")
    arguments = parser.parse_args()

    arguments.output.mkdir(parents=True, exist_ok=True)
    results = arguments.output / "results.json"
    tables = [arguments.samples / "keras_samples.csv", arguments.samples / "torch_samples.csv"]
    command = [arguments.program, *tables, HERE / "data/pytorch_steps.csv", results]
    study = subprocess.run(command, check=False)
    if study.returncode:
        return study.returncode
    recording = TOP / "test/data/pytorch_steps/unet3d_f16_v48_b2_adam.json.gz"
    subprocess.run([sys.executable, HERE / "plot.py", results, arguments.output, "--recording", recording], check=True)
    print(f"\nResults, pictures and the whole report: {arguments.output / 'report.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
