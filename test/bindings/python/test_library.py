"""Which library is loaded, and which is refused."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import memmodel
import networks
from memmodel import _library

ANY = "int memmodel_placeholder;"
VERSION = 'const char *memmodel_version(void) {{ return "{}"; }}'


class Loading(unittest.TestCase):
    def imported(self, **environment):
        """Exit code and last line of an interpreter that imports memmodel."""
        code = "import memmodel; print(memmodel.ffi.version())"
        result = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=False
        )
        return result.returncode, (result.stdout + result.stderr).strip().splitlines()[-1]

    def library(self, folder, source):
        if not shutil.which("gcc"):
            self.skipTest("gcc")
        path = Path(folder) / "libmemmodel.so.0"
        subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=source, text=True, check=True)
        return path

    def test_the_library_named_is_loaded(self):
        self.assertEqual(self.imported(), (0, memmodel.__version__))
        folder = str(Path(os.environ["MEMMODEL_LIBRARY"]).parent)
        if Path(os.environ["MEMMODEL_LIBRARY"]).is_file():
            self.assertEqual(self.imported(MEMMODEL_LIBRARY=folder), (0, memmodel.__version__))

    def test_another_major_version_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.library(folder, VERSION.format("7.0.0"))
            status, line = self.imported(MEMMODEL_LIBRARY=str(path), LD_PRELOAD="")
        self.assertEqual(status, 1)
        for part in ("ImportError", str(path), "version 7.0.0", memmodel.__version__):
            self.assertIn(part, line)

    def test_what_is_no_library_of_ours_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.library(folder, ANY)
            for named in (path, Path(folder) / "missing.so", Path(folder) / "empty"):
                (Path(folder) / "empty").mkdir(exist_ok=True)
                status, line = self.imported(MEMMODEL_LIBRARY=str(named), LD_PRELOAD="")
                self.assertEqual(status, 1)
                self.assertIn("ImportError: memmodel cannot load its library", line)

    def test_the_command_for_scripts_of_pytorch_says_in_one_line_that_there_is_none(self):
        command = [sys.executable, "-S", "-m", "memmodel.torch", "train.py"]  # -S: without installed packages
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        told = "memmodel.torch needs PyTorch, which this Python does not have: pip install torch\n"
        self.assertEqual((done.returncode, done.stderr), (1, told))

    def test_versions_that_fit(self):
        for version, wanted, fits in (
            ("0.1.0", "0.1.0", True), ("0.1.9", "0.1.0", True), ("0.2.0", "0.1.0", False), ("1.0.0", "0.1.0", False),
            ("1.2.0", "1.1.0", True), ("1.0.0", "1.1.0", False), ("2.0.0", "1.0.0", False),
        ):  # fmt: skip
            self.assertEqual(_library._fits(version, wanted), fits, (version, wanted))

    def test_a_function_that_the_library_lacks_says_so_when_called(self):
        missing = memmodel.ffi._library.bind("memmodel_of_tomorrow", None)
        with self.assertRaisesRegex(NotImplementedError, "memmodel_of_tomorrow"):
            missing()

    def test_every_status_has_its_exception(self):
        statuses = {status for status in memmodel.ffi.Status if status < 0}
        self.assertEqual(set(memmodel.MemmodelError.by_status), statuses)
        for kind in memmodel.MemmodelError.by_status.values():
            self.assertIs(getattr(memmodel, kind.__name__), kind)

    def test_structs_are_laid_out_as_the_compiler_does(self):
        import ctypes
        import json

        api = json.loads((networks.ROOT / "include/memmodel-api.json").read_text(encoding="utf-8"))
        bits = str(8 * ctypes.sizeof(ctypes.c_void_p))
        for struct in api["structs"]:
            name = "".join(word.capitalize() for word in struct["name"].removeprefix("memmodel_").split("_"))
            kind = getattr(memmodel.ffi, name)
            self.assertEqual(ctypes.sizeof(kind), struct["bytes"][bits], name)
            for field in struct["fields"]:
                self.assertEqual(getattr(kind, field["name"]).offset, field["offset"][bits], (name, field["name"]))


if __name__ == "__main__":
    unittest.main()
