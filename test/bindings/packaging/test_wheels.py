"""The wheels that are published, where `./run package wheel` has made them: what they hold, and that they work.

usage: test_wheels.py ROOT
"""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from stranger import run

ROOT = pathlib.Path(sys.argv[1]).resolve()
TWINE = ROOT / "build/venv/wheel/bin/twine"
ARM = ROOT / "build/wheel/aarch64-root"  # a Debian for qemu
EXAMPLES = ROOT / "examples/files"
PROCESSORS = ("x86_64", "aarch64")
MIB = 1 << 20
OLDEST = (2, 28)
SYSTEM = {"libc", "libm", "libpthread", "libdl", "ld-linux-x86-64", "ld-linux-aarch64"}
SKIPPED = 77

# What the installed package is asked; the table is compressed. y = 1000 + 50 x: the points give the formula back.
FIRST_USE = """
import memmodel, platform, sys
network = memmodel.Network.load(sys.argv[1])
assert memmodel.estimate(network, batch=1, dim=16).peak.process > 0
assert abs(memmodel.fit(sys.argv[2], "y")(x=100) - 6000) < 1
print(platform.machine(), memmodel.__version__)
"""


def wheels(processor):
    return sorted((ROOT / "build/packages").glob(f"*_{processor}.whl"))


class Wheels(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.table = self.folder / "runs.csv.gz"
        rows = "".join(f"{x},{1000 + 50 * x}\n" for x in range(1, 26))
        self.table.write_bytes(gzip.compress(b"x,y\n" + rows.encode()))

    def each(self):
        """Each processor's wheel that is there."""
        return [(processor, wheel) for processor in PROCESSORS for wheel in wheels(processor)]

    def unpacked(self, wheel):
        folder = self.folder / wheel.stem
        zipfile.ZipFile(wheel).extractall(folder)
        return folder

    def test_a_wheel_is_for_every_python_3_and_for_glibc_2_28(self):
        for processor, wheel in self.each():
            tag = re.fullmatch(rf"libmemmodel-[\d.]+-py3-none-manylinux_(\d+)_(\d+)_{processor}\.whl", wheel.name)
            self.assertIsNotNone(tag, wheel.name)
            self.assertLessEqual((int(tag[1]), int(tag[2])), OLDEST)

    def test_a_wheel_is_under_3_mib(self):
        for _, wheel in self.each():
            self.assertLess(wheel.stat().st_size, 3 * MIB)

    def test_its_programs_need_nothing_but_an_old_c_library(self):
        for processor, wheel in self.each():
            folder = self.unpacked(wheel)
            programs = [path for path in folder.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
            self.assertGreaterEqual(len(programs), 4 if processor == "x86_64" else 2)
            for program in programs:
                told = run("readelf", "--wide", "--dynamic", "--version-info", program)[1]
                self.assertLessEqual(set(re.findall(r"NEEDED.*\[([\w-]+)\.so", told)), SYSTEM, program)
                versions = {tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([\d.]+)", told)}
                self.assertLessEqual(max(versions), OLDEST, program)
                self.assertNotRegex(told, r"R(UN)?PATH")

    def test_it_has_the_licences_of_what_is_inside_and_files_for_the_examples(self):
        for _, wheel in self.each():
            names = " ".join(zipfile.ZipFile(wheel).namelist())
            for part in ("COPYING", "jansson.txt", "zlib.txt", "share/memmodel/examples/unet3d.json"):
                self.assertTrue(part in names, f"{wheel.name} has no {part}")

    def test_pypi_takes_its_description(self):
        for _, wheel in self.each():
            status, output = run(TWINE, "check", "--strict", wheel)
            self.assertEqual(status, 0, output)

    def test_it_works_in_a_bare_venv(self):
        for processor, wheel in self.each():
            if processor != os.uname().machine:
                continue
            subprocess.run([sys.executable, "-m", "venv", self.folder / "venv"], check=True)
            tools = self.folder / "venv/bin"
            status, output = run(tools / "pip", "install", "--no-index", wheel)
            self.assertEqual(status, 0, output)
            status, output = run(tools / "python", "-c", FIRST_USE, EXAMPLES / "unet3d.json", self.table)
            self.assertEqual((status, output.split()[0]), (0, processor), output)
            self.assert_answers(tools / "memmodel")

    def assert_answers(self, *tool):
        status, output = run(*tool, "--version")
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"^memmodel \d+\.\d+\.\d+$")
        network = (EXAMPLES / "unet3d.json", "--set", "batch=2,dim=48")
        status, output = run(*tool, "estimate", *network, "--budget", "16GiB")
        self.assertEqual(status, 0, output)
        self.assertIn("fits", output)
        status, output = run(*tool, "fit", self.table, "--target", "y")
        self.assertEqual(status, 0, output)

    def test_it_works_on_another_processor(self):
        """By qemu, with Debian's Python for it."""
        if os.uname().machine == "aarch64" or not wheels("aarch64"):
            self.skipTest("no wheel of another processor")
        if not shutil.which("qemu-aarch64") or not ARM.is_dir():
            self.skipTest(f"it needs qemu-user, and {ARM}: ./run package wheel")
        folder = self.unpacked(wheels("aarch64")[0])
        (tool,) = folder.glob("*.data/scripts/memmodel")
        tool.chmod(0o755)
        emulated = ("qemu-aarch64", "-L", ARM)
        (python,) = ARM.glob("usr/bin/python3.[0-9]*[0-9]")
        asked = (python, "-c", FIRST_USE, EXAMPLES / "unet3d.json", self.table)
        status, output = run(*emulated, *asked, environment={"PYTHONPATH": str(folder)})
        self.assertEqual((status, output.split()[0]), (0, "aarch64"), output)
        self.assert_answers(*emulated, tool)


def main():
    if not any(wheels(processor) for processor in PROCESSORS):
        print("skipped: no wheel in build/packages, where ./run package wheel lays them")
        return SKIPPED
    return not unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
