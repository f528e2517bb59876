"""A few of the recorded networks are recorded again, others every day: PyTorch must still do what was kept."""

import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path

import compare_models

COUNT = 4
PACKAGES = ("torch", "transformers", "monai")
MISSING = [name for name in PACKAGES if not importlib.util.find_spec(name)]
MADE_BY = ("torch", "onednn", "isa", "threads", "caches")  # what events depend on


def kept(name):
    return compare_models.load(compare_models.RECORDINGS / f"{name}.recording.json.gz")


def made_by(recording):
    return {key: recording["provenance"][key] for key in MADE_BY}


class Rotation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import record_models

        names = sorted(path.name.split(".recording")[0] for path in compare_models.RECORDINGS.glob("*.recording.*"))
        cls.names = os.environ.get("MEMMODEL_ROTATION", "").split() or record_models.days_cases(names, COUNT)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            record_models.record_each_in_its_own_process(cls.names, Path(folder))
            cls.recordings = {
                name: compare_models.load(path)
                for name in cls.names
                if (path := Path(folder) / f"{name}.recording.json.gz").exists()
            }

    def test_each_case_is_recorded(self):
        self.assertEqual(sorted(self.recordings), sorted(self.names))

    def test_every_event_is_as_it_was(self):
        for name, recording in self.recordings.items():
            with self.subTest(name):
                if made_by(recording) != made_by(kept(name)):
                    self.skipTest(f"kept are events of {made_by(kept(name))}, here are {made_by(recording)}")
                for step in range(len(recording["steps"])):
                    now = compare_models.in_order(compare_models.recorded_events(recording, step))
                    then = compare_models.in_order(compare_models.recorded_events(kept(name), step))
                    self.assertEqual([event.bytes for event in now], [event.bytes for event in then])
                    self.assertEqual(recording["steps"][step]["peak"], kept(name)["steps"][step]["peak"])


if __name__ == "__main__":
    if MISSING:
        print(f"skipped: no {', '.join(MISSING)} here; ./run models sets up build/venv/zoo")
        sys.exit(77)
    unittest.main()
