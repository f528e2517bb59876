"""Scans on a Dask cluster, and their tables as parquet.

usage: test_scan.py TOOL NETWORK_PROGRAM UNET3D_PROGRAM EXAMPLE.toml [unittest's arguments]
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import pandas

TOOL, NETWORK, UNET3D, EXAMPLE = (str(Path(word).resolve()) for word in sys.argv[1:5])
SPEC = """models = ["net.json"]
workers = 2

[grid]
batch = "1:30"
dim = [64, 128]
gpu = ["h100", "l4"]
"""


class Parquet(unittest.TestCase):
    def test_dask_says_what_one_process_says_and_parquet_what_csv_says(self):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            subprocess.run([NETWORK, "-o", folder / "net.json"], check=True, stdout=subprocess.DEVNULL)
            (folder / "scan.toml").write_text(SPEC)
            for words in (["-o", "one.csv"], ["-o", "many.parquet", "--executor", "dask"]):
                made = subprocess.run(
                    [TOOL, "scan", "scan.toml", *words], cwd=folder, capture_output=True, text=True, check=False,
                    env={**os.environ, "MEMMODEL_PYTHON": sys.executable},
                )  # fmt: skip
                self.assertEqual(made.returncode, 0, made.stderr)  # a busy Dask says on stderr that it waits
            one, many = pandas.read_csv(folder / "one.csv"), pandas.read_parquet(folder / "many.parquet")
        self.assertEqual(len(one), 30 * 2 * 2)
        for name in ("model", "batch", "dim", "gpu", "bytes", "bytes_low", "bytes_high", "budget_bytes", "verdict"):
            self.assertEqual(list(one[name]), list(many[name]), name)
        self.assertTrue((one["bytes"] > 0).all())


class Example(unittest.TestCase):
    def test_it_runs(self):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            subprocess.run([UNET3D, "-o", folder / "unet3d.json"], check=True, stdout=subprocess.DEVNULL)
            shutil.copy(EXAMPLE, folder)
            made = subprocess.run(
                [TOOL, "scan", folder / "scan.toml"], capture_output=True, text=True, check=False,
                env={**os.environ, "MEMMODEL_PYTHON": sys.executable},
            )  # fmt: skip
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            self.assertEqual(len(pandas.read_csv(folder / "scan.csv")), 8 * 2 * 3 * 2 * 2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
