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
        import compare_cuda
        import record_cuda

        self.comparison = compare_cuda
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
        made_by = {"gpu": "NVIDIA H200", "device_before": 0, "device_after": 4 << 30}
        steps = [{"allocated": 1 << 30, "reserved": 2 << 30, "actions": []}]
        recording = {"case": asdict(self.training), "made_by": made_by, "steps": steps}
        case = self.comparison.compared(self.training.name, recording, self.comparison.NETWORKS)
        peak = case.report.peak
        counted = {"live": 1 << 30, "reserved": 2 << 30, "process": 4 << 30}
        for kind, count in counted.items():
            self.assertEqual(getattr(case, kind), getattr(peak, kind) / count - 1)

    def test_kept_recordings_have_the_name_of_their_case(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            made_by = {"gpu": "NVIDIA H200", "device_before": 0, "device_after": None}
            steps = [{"allocated": 1, "reserved": 1, "actions": []}]
            recording = {"case": asdict(self.training), "made_by": made_by, "steps": steps}
            with gzip.open(Path(folder) / f"{self.training.name}.nvidiah200.json.gz", "wt") as file:
                json.dump(recording, file)
            self.comparison.compare(self.comparison.recordings_of(Path(folder)), self.comparison.NETWORKS)
        self.assertIn(f"{self.training.name}: live", printed.getvalue())
        self.assertIn("reserved: exact in 0 of 1", printed.getvalue())


if __name__ == "__main__":
    if MISSING:
        print(f"skipped: no {', '.join(MISSING)} here; ./run models sets up build/venv/zoo")
        sys.exit(77)
    unittest.main()
