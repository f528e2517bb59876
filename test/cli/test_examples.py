"""Every example of every --help, run on the files that are installed for them.

usage: test_examples.py TOOL EXAMPLES PRICES VENVS [slurm | cuda]

Those that need a Slurm or a PyTorch with CUDA are run with that word alone. VENVS: the folder of virtual environments,
for what some examples need besides.
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
VENVS, WHERE = pathlib.Path(sys.argv[4]).absolute(), "".join(sys.argv[5:6])
FITS, EXCEEDS, SKIPPED = 0, 3, 77
SLURM, CUDA, DASK, MPROF = "slurm", "cuda", "dask", "mprof"
OWN_PYTHON = {SLURM: "scale", CUDA: "cuda", DASK: "scale"}  # what examples call python, of these environments


def help_of(*command):
    return subprocess.run([TOOL, *command, "--help"], capture_output=True, text=True, check=True).stdout


def commands():
    listed = help_of().partition("Commands:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)


def examples(command):
    """Lines, those that end in a backslash with the next one."""
    told = re.search(r"\nExamples[^\n]*:\n(.*?)\n\n", help_of(command), re.DOTALL)[1]
    return [line.strip() for line in re.sub(r" \\\n *", " ", told).split("\n")]


def need_of(line):
    """What the example needs that is no part of this package; "" for nothing."""
    if "sacct -a" in line or "--executor slurm" in line or line.startswith("memmodel import sacct -o samples/"):
        return SLURM
    if line.startswith("memmodel run") and "--gpu" in line:
        return CUDA
    if "--executor dask" in line:
        return DASK
    return MPROF if "mprof" in line else ""


def python_for(need):
    """An interpreter that has it, or None."""
    if need not in OWN_PYTHON:
        return pathlib.Path(sys.executable)
    python = VENVS / OWN_PYTHON[need] / "bin/python"
    return python if python.exists() else None


def missing(need):
    """Why it cannot be had here, or None."""
    if need == MPROF and not (VENVS / "mprof/bin/mprof").exists():
        return f"no {VENVS}/mprof"
    if not python_for(need):
        return f"no {VENVS / OWN_PYTHON[need]}, where ./run sets up {need}"
    if need == SLURM and accounting.missing():
        return f"missing: {', '.join(accounting.missing())}"
    return None


class Examples(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name) / "examples"
        shutil.copytree(EXAMPLES, self.folder)
        shutil.copy(PRICES, place.name)
        self.tools = pathlib.Path(place.name) / "bin"
        self.tools.mkdir()
        (self.tools / "memmodel").symlink_to(TOOL)
        self.environment = dict(os.environ)
        if WHERE == SLURM:
            self.start_slurm()

    def start_slurm(self):
        """A cluster with accounting in which one job has run, whose comment says what it measured."""
        site = accounting.Accounted()
        self.addCleanup(site.close)
        site.start()
        said = site.submit("--wait", "--comment=memmodel: model=unet3d dim=64 batch=4", script="#!/bin/sh\nsleep 2\n")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.environment = dict(site.environment)

    def environment_for(self, need):
        (self.tools / "python3").write_text(f'#!/bin/sh\nexec "{python_for(need)}" "$@"\n')
        (self.tools / "python3").chmod(0o755)
        path = f"{self.tools}:{self.environment['PATH']}:{VENVS / 'mprof/bin'}"
        return self.environment | {"PATH": path, "MEMMODEL_PYTHON": str(python_for(need)), "MEMMODEL_TOOL": str(TOOL)}

    def run_line(self, line, need):
        done = subprocess.run(
            ["sh", "-c", line], cwd=self.folder, env=self.environment_for(need), capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        self.assertIn(done.returncode, (FITS, EXCEEDS), f"{line}\n{done.stdout}{done.stderr}")
        self.assertTrue(done.stdout or done.stderr or ">" in line, line)

    def test_every_example_of_every_command_runs(self):
        self.assertGreater(len(commands()), 10)
        count = 0
        for command in commands():
            self.assertGreater(len(examples(command)), 0, command)
            for line in examples(command):
                need = need_of(line)
                if (need if need in (SLURM, CUDA) else "") != WHERE:
                    continue
                with self.subTest(line):
                    if why := missing(need):
                        print(f"not run, {why}: {line}")
                        continue
                    count += 1
                    self.run_line(line, need)
        self.assertGreater(count, 0)


if __name__ == "__main__":
    if WHERE == SLURM:
        sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "bindings/scale"))
        import accounting
    if WHERE and (why := missing(WHERE)):
        print(f"skipped: {why}")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
