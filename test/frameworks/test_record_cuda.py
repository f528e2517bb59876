"""What the recorder for GPUs does without one: its loop on a CPU, its forms, and the comparison."""

import contextlib
import gzip
import importlib.util
import io
import json
import sys
import tempfile
import unittest
from dataclasses import asdict
from pathlib import Path

PACKAGES = ("torch", "transformers", "monai")
MISSING = [name for name in PACKAGES if not importlib.util.find_spec(name)]


class RecordCuda(unittest.TestCase):
    def setUp(self):
        import cases
        import record_cuda

        self.recorder = record_cuda
        self.training = cases.CASES["resnet_4_adamw_cross_entropy"]
        self.prediction = next(case for case in cases.CASES.values() if case.optimizer is None)

    def test_actions_keep_kind_bytes_and_distance(self):
        low = 1 << 40
        trace = [
            {"action": "segment_alloc", "addr": low, "size": 2 << 20},
            {"action": "alloc", "addr": low + 1024, "size": 700},
            {"action": "snapshot", "addr": 0, "size": 0},
            {"action": "free_completed", "addr": low + 1024, "size": 700},
        ]
        self.assertEqual(list(self.recorder.actions(trace)), [(3, 2 << 20, 0), (0, 700, 2), (2, 700, 2)])

    def test_a_case_runs_its_three_steps(self):
        for case in (self.training, self.prediction):
            recording = self.recorder.record(case, self.recorder.Dry())
            self.assertEqual(len(recording["steps"]), 3)
            self.assertEqual(recording["case"], asdict(case))

    def test_recordings_are_held_against_the_library(self):
        """Errors are the library's bytes over those that were counted, less one."""
        made_by = {"gpu": "NVIDIA H200", "device_before": 0, "device_after": 0}
        recording = {"case": asdict(self.training), "made_by": made_by, "steps": []}
        peak = self.recorder.answer_of(recording, self.recorder.NETWORKS).peak
        recording["steps"] = [{"allocated": peak.live, "reserved": 2 * peak.reserved}]
        made_by["device_after"] = 4 * peak.process
        self.assertEqual(self.recorder.errors_of(recording, self.recorder.NETWORKS), (0, -0.5, -0.75))
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            with gzip.open(Path(folder) / "case.json.gz", "wt") as file:
                json.dump(recording, file)
            self.recorder.compare(Path(folder), self.recorder.NETWORKS)
        self.assertIn("reserved: median 50.00%", printed.getvalue())


if __name__ == "__main__":
    if MISSING:
        print(f"skipped: no {', '.join(MISSING)} here; ./run models sets up build/venv/zoo")
        sys.exit(77)
    unittest.main()
