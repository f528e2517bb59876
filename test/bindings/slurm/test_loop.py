"""What the page of examples/slurm shows is what happens on a real Slurm, figures aside.

usage: test_loop.py TOOL SCRIPT_DIRECTORY LUA_PATH LUA_CPATH CLOCK_CPATH EXAMPLE_DIRECTORY
"""

import csv
import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import cluster
from installation import Installation

SCRIPTS, LUA_PATH, LUA_CPATH, CLOCK = sys.argv[2:6]
TOOL, EXAMPLE = Path(sys.argv[1]).resolve(), Path(sys.argv[6])
BYTES_PER_PIXEL = 4 * 16 * 4  # layers, channels, bytes of a float: train.py


def console(page: str) -> list[tuple[str, str]]:
    """The commands of a page and what they print."""
    commands: list[tuple[str, str]] = []
    for block in re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            commands.append((command, output))
    return commands


def without_figures(text: str, models: Path) -> str:
    """Numbers are the machine's, and a fit may choose another way to write a formula."""
    text = re.sub(r"^peak_bytes = .*$", "FORMULA", text.replace(str(models), "/var/lib/memmodel"), flags=re.MULTILINE)
    return re.sub(r" +$", "", re.sub(r"\d+(\.\d+)?", "N", text), flags=re.MULTILINE)


class Loop(unittest.TestCase):
    site: Installation

    def setUp(self):
        site = self.site
        shutil.copytree(EXAMPLE, site.directory / "example")
        (site.directory / "samples").mkdir()
        settings = (EXAMPLE / "memmodel.conf.lua").read_text().replace("/var/lib/memmodel", str(site.models))
        ways = f'lua_path = "{LUA_PATH}", lua_cpath = "{LUA_CPATH}", model_directory'
        (site.own_scripts / "memmodel.conf.lua").write_text(settings.replace("model_directory", ways))
        site.environment["PATH"] = f"{TOOL.parent}:{site.environment['PATH']}"
        site.environment["MEMMODEL_MODELS"] = str(site.models)
        site.environment["MEMMODEL_SAMPLES"] = str(site.directory / "samples")

    def shell(self, command: str) -> str:
        return subprocess.run(
            ["bash", "-c", command],
            env=self.site.environment,
            cwd=self.site.directory / "example",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        ).stdout

    def test_the_page(self):
        commands = console((EXAMPLE / "README.md").read_text())
        self.assertGreater(len(commands), 6)
        for command, expected in commands:
            with self.subTest(command=command):
                said = self.shell(command)
                print(f"$ {command}\n{said}", end="")
                self.assertEqual(without_figures(said, self.site.models), without_figures(expected, self.site.models))
        self.check_the_model()
        self.check_another_turn()

    def check_the_model(self):
        """Beyond the interpreter, a job takes what train.py allocates."""
        model = self.site.models / "train.json"
        peaks = [self.predict(model, size=384, batch=batch) for batch in (1, 4)]
        self.assertAlmostEqual((peaks[1] - peaks[0]) / (3 * BYTES_PER_PIXEL * 384**2), 1, delta=0.05)

    def predict(self, model: Path, **inputs: int) -> float:
        sets = [f"--set={name}={value}" for name, value in inputs.items()]
        process = subprocess.run([TOOL, "predict", model, *sets, "--json"], capture_output=True, text=True, check=True)
        return json.loads(process.stdout)["rows"][0]["value"]

    def check_another_turn(self):
        """The run of the page's last job is in the table; a refit with it counts for the next submission."""
        with (self.site.directory / "samples" / "train.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertIn(("320", "3"), [(row["size"], row["batch"]) for row in rows])
        self.shell("./refit.sh train size,batch")  # of the rows of the next one: twice each peak is twice the bound
        before = self.bound()
        for row in rows:
            row["peak_bytes"] = str(2 * int(row["peak_bytes"]))
        with (self.site.directory / "samples" / "train.csv").open("w") as file:
            writer = csv.DictWriter(file, fieldnames=rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        self.shell("./refit.sh train size,batch")
        self.assertAlmostEqual(self.bound() / before, 2, delta=0.02)

    def bound(self) -> int:
        """MiB that a submission gets."""
        process = self.site.command("sbatch", "--parsable", "--hold", str(EXAMPLE / "train.sh"), "512", "4")
        self.addCleanup(self.site.command, "scancel", process.stdout.strip())
        return int(self.site.job(int(process.stdout))["MinMemoryNode"][:-1])


def setUpModule():
    Loop.site = Installation(str(TOOL), Path(SCRIPTS), {}, CLOCK)
    unittest.addModuleCleanup(Loop.site.close)
    Loop.site.start()


if __name__ == "__main__":
    cluster.skip_if_missing()
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]], verbosity=1)
