"""The GitHub Action, its steps run as a runner runs them: in bash, with inputs in their places.

Skipped without PyTorch, pytest and PyYAML.

usage: test_action.py ACTION    (the folder with action.yml)
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ACTION = pathlib.Path(sys.argv[1]).resolve()
MISSING = [name for name in ("torch", "pytest", "yaml") if importlib.util.find_spec(name) is None]

# A weight of 1024 x 1024 in float32 and its gradient take 8 MiB, those of 8 x 8 less than 1 KiB.
TESTS = """import pytest, torch

@pytest.mark.memory_budget("1MiB", metric="live")
def test_small():
    torch.nn.Linear(8, 8)(torch.randn(2, 8)).sum().backward()

@pytest.mark.memory_budget("1MiB", metric="live")
def test_large():
    torch.nn.Linear(1024, 1024)(torch.randn(2, 1024)).sum().backward()

def test_without_a_budget():
    raise AssertionError("it is not run")
"""


@unittest.skipIf(MISSING, f"this Python has no {', '.join(MISSING)}")
class Action(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "tests").mkdir()

    def run_action(self, text, **inputs):
        """Exit code and output of its steps, in the order of action.yml, to the first that fails."""
        import yaml

        (self.folder / "tests/test_budget.py").write_text(text, encoding="utf-8")
        action = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
        given = {name: inputs.get(name, each.get("default", "")) for name, each in action["inputs"].items()}
        output = ""
        for step in action["runs"]["steps"]:
            self.assertEqual(step["shell"], "bash")
            environment = dict(os.environ, GITHUB_ACTION_PATH=str(ACTION), **self.files())
            for name, value in step.get("env", {}).items():
                environment[name] = re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: given[found[1]], value)
            words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(words, env=environment, cwd=self.folder, capture_output=True, text=True, check=False)
            output += done.stdout + done.stderr
            if done.returncode:
                break
        return done.returncode, output

    def files(self):
        return {name: str(self.folder / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}

    def written(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def options(self):
        plugin = "" if self.entry_point() else "-p memmodel.pytest_plugin "
        return {"package": "", "python": sys.executable, "tests": f"{plugin}-q tests"}

    def entry_point(self):
        """Whether pytest finds the plugin by itself, as in an installed package."""
        from importlib.metadata import entry_points

        return any(point.value == "memmodel.pytest_plugin" for point in entry_points(group="pytest11"))

    def test_it_fails_and_says_which_test_takes_too_much(self):
        status, output = self.run_action(TESTS, **self.options())
        self.assertEqual(status, 1, output)
        self.assertIn("1 failed, 1 passed, 1 deselected", output)
        self.assertRegex(output, r"::error file=\S*test_budget.py,title=\S*test_large::takes .* does not fit")
        rows = [line for line in self.written("GITHUB_STEP_SUMMARY").splitlines() if "test_" in line]
        self.assertRegex(rows[0], r"test_small \| takes .* of 1 MiB .* fits")
        self.assertRegex(rows[1], r"test_large \| \*\*takes .* does not fit")
        self.assertEqual(self.written("GITHUB_OUTPUT"), "exceeded=1\n")

    def test_it_passes_where_every_test_fits(self):
        status, output = self.run_action(TESTS.replace("1024", "8"), **self.options())
        self.assertEqual(status, 0, output)
        self.assertNotIn("::error", output)
        self.assertEqual(self.written("GITHUB_OUTPUT"), "exceeded=0\n")

    def test_it_fails_where_no_test_has_a_budget(self):
        status, output = self.run_action("def test_nothing(): pass\n", **self.options())
        self.assertEqual(status, 5, output)
        self.assertIn("::warning::no test is marked with memory_budget", output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
