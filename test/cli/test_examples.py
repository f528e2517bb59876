"""Every example of every --help, run on the files that are installed for them.

usage: test_examples.py TOOL EXAMPLES PRICES
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL, EXAMPLES, PRICES = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
FITS, EXCEEDS = 0, 3


def help_of(*command):
    return subprocess.run([TOOL, *command, "--help"], capture_output=True, text=True, check=True).stdout


def commands():
    listed = help_of().partition("Commands:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)


def examples(command):
    """Lines, those that end in a backslash with the next one."""
    told = re.search(r"\nExamples[^\n]*:\n(.*?)\n\n", help_of(command), re.DOTALL)[1]
    return [line.strip() for line in re.sub(r" \\\n *", " ", told).split("\n")]


def answers(*command):
    return bool(shutil.which(command[0])) and subprocess.run(command, capture_output=True, check=False).returncode == 0


def missing(line):
    """What the example needs that is no part of this package, and not here."""
    if "mprof" in line and not shutil.which("mprof"):
        return "mprof"
    if "sacct -a" in line or line == "memmodel import sacct -o samples/ --refit models/":
        return None if answers("sacct", "--noheader") else "Slurm's accounting"
    if "--executor dask" in line:
        return None if answers(sys.executable, "-c", "import distributed, pyarrow") else "Dask and pyarrow"
    if "--executor slurm" in line:
        return None if answers("sinfo") else "a Slurm"
    if "--gpu" in line and line.startswith("memmodel run"):
        script = "import torch, sys; sys.exit(not torch.version.cuda)"
        return None if answers(sys.executable, "-c", script) else "a PyTorch with CUDA"
    return None


class Examples(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name) / "examples"
        shutil.copytree(EXAMPLES, self.folder)
        shutil.copy(PRICES, place.name)
        tools = pathlib.Path(place.name) / "bin"
        tools.mkdir()
        (tools / "python").symlink_to(sys.executable)
        (tools / "memmodel").symlink_to(TOOL)
        self.environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", MEMMODEL_PYTHON=sys.executable)

    def run_line(self, line):
        done = subprocess.run(
            ["sh", "-c", line], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        self.assertIn(done.returncode, (FITS, EXCEEDS), f"{line}\n{done.stdout}{done.stderr}")
        self.assertTrue(done.stdout or done.stderr or ">" in line, line)

    def test_every_example_of_every_command_runs(self):
        self.assertGreater(len(commands()), 10)
        for command in commands():
            self.assertGreater(len(examples(command)), 0, command)
            for line in examples(command):
                with self.subTest(line):
                    if need := missing(line):
                        print(f"not run, for it needs {need}: {line}")
                        continue
                    self.run_line(line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
