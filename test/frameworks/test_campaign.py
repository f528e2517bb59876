"""The case study's campaign: what it measures, what it keeps, and that it goes on where it was.

Stand-ins take the places of `memmodel run` and of the framework's interpreter, so that no framework is needed.
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CAMPAIGN = Path(__file__).resolve().parents[2] / "examples" / "case-study" / "campaign.py"

# Takes what the interpreter is asked: the versions of two packages.
INTERPRETER = """#!/bin/sh
echo 3.11.0 2.13.0 2.0.0
"""

# Answers as `memmodel run --json` does: 1 GB and 1,000 bytes a voxel; `trouble` says what else happens at which point.
TOOL = """#!/usr/bin/env python3
import json, os, signal, sys
words = dict(zip(sys.argv, sys.argv[1:]))
dim, batch, here = int(words["--dim"]), int(words["--batch"]), os.path.dirname(os.path.abspath(__file__))
open(here + "/calls", "a").write(f"{dim} {batch}\\n")
trouble = json.load(open(here + "/trouble")).get(f"{dim} {batch}")
if trouble == "stop":
    os.kill(os.getppid(), signal.SIGKILL)
if trouble == "gone":
    os.kill(os.getpid(), signal.SIGKILL)
print(json.dumps({"peak": 10**9 + 1000 * dim**3 * batch, "seconds": 1.25}))
sys.exit({"limit": 124, "fail": 1}.get(trouble, 0))
"""


class Campaign(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.table = self.directory / "torch_samples.csv"
        for name, text in (("python", INTERPRETER), ("memmodel", TOOL)):
            (self.directory / name).write_text(text)
            (self.directory / name).chmod(0o755)

    def campaign(self, *arguments, trouble=None, limit=1.3):
        (self.directory / "trouble").write_text(json.dumps(trouble or {}))
        (self.directory / "calls").write_text("")
        places = ["--output", self.directory, "--curves", self.directory / "curves"]
        programs = ["--python", self.directory / "python", "--memmodel", self.directory / "memmodel"]
        command = [sys.executable, CAMPAIGN, "torch", "--limit", str(limit), *places, *programs]
        return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, check=False)

    def calls(self):
        return [tuple(map(int, line.split())) for line in (self.directory / "calls").read_text().splitlines()]

    def rows(self):
        lines = [line for line in self.table.read_text().splitlines() if not line.startswith("#")]
        return [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]]

    def test_points_come_smallest_first_up_to_the_limit(self):
        self.assertEqual(self.campaign().returncode, 0)
        voxels = [dim**3 * batch for dim, batch in self.calls()]
        self.assertEqual(voxels, sorted(voxels))
        # 1 GB and 1,000 bytes a voxel reach 1.3 GB at 300,000 voxels: 32^3 x 8 and 64^3 x 1 are the last, 262,144.
        self.assertEqual(self.calls(), [(32, 1), (32, 2), (48, 1), (32, 4), (48, 2), (32, 8), (64, 1)])

    def test_a_row_holds_what_was_measured(self):
        self.campaign()
        expected = "32,2,16,torch,1065536000,1.2,ok"
        self.assertIn(expected, self.table.read_text().splitlines())

    def test_a_campaign_that_was_killed_goes_on_where_it_was(self):
        self.campaign(trouble={"48 1": "stop"})
        self.assertEqual(len(self.rows()), 2)
        self.campaign()
        self.assertEqual(self.calls()[0], (48, 1))
        self.assertEqual(len(self.rows()), 7)

    def test_a_training_killed_for_its_size_is_a_row_and_not_repeated(self):
        self.campaign(trouble={"32 4": "limit", "48 2": "gone"})
        killed = [(row["dim"], row["batch"], row["peak_bytes"]) for row in self.rows() if row["status"] == "killed"]
        self.assertEqual(killed, [("32", "4", "1131072000"), ("48", "2", "")])
        self.campaign()
        self.assertEqual(self.calls(), [])

    def test_any_other_failure_ends_the_campaign_and_leaves_no_row(self):
        process = self.campaign(trouble={"32 2": "fail"})
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("--dim 32 --batch 2", process.stderr)
        self.assertEqual([row["batch"] for row in self.rows()], ["1"])

    def test_repeats_measure_every_point_again(self):
        self.campaign("--repeat", "2")
        calls = self.calls()
        self.assertEqual(calls[:7], calls[7:])

    def test_a_table_from_another_machine_is_refused(self):
        self.campaign()
        self.table.write_text(self.table.read_text().replace("torch 2.13.0", "torch 2.12.0"))
        self.assertIn("other versions", self.campaign().stderr)


if __name__ == "__main__":
    unittest.main()
