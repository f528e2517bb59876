"""The package as pip builds and installs it: wheel and source distribution of this checkout, each in a bare venv.

usage: test_packaging.py ROOT
"""

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

from stranger import clean_environment, copy_checkout, run

ROOT = Path(sys.argv[1]).resolve()
BUILDER = ROOT / "build/venv/packaging/bin"
SKIPPED = 77

# What the installed package is asked, in an interpreter that has nothing else.
FIRST_USE = """
import importlib.util, memmodel, memmodel.plot
assert importlib.util.find_spec("numpy") is None
net = memmodel.Network()
x = net.input("image", (net.symbol("batch"), 3, 32, 32))
x = net.conv(x, filters=8, kernel=3)
report = memmodel.estimate(net, framework="textbook", batch=2)
assert report.peak.live > 0
# y = 1000 + 50 x: 25 points of it give the formula back.
model = memmodel.fit({"x": range(1, 26), "y": [1000 + 50 * x for x in range(1, 26)]}, "y")
assert abs(model(x=100) - 6000) < 1, model
try:
    memmodel.plot.layers(report)
except ImportError as problem:
    assert "pip install matplotlib" in str(problem), problem
else:
    raise AssertionError("no matplotlib, and yet a picture")
print(memmodel.__version__, memmodel.ffi._library.path)
"""


def commit_checkout(folder):
    """The checkout as it is now, in a repository of its own: `meson dist` packs what is committed."""
    copy_checkout(ROOT, folder)
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", folder, *command], check=True)


def files_of(folder):
    """What is installed of a folder of the tree."""
    paths = {path for path in folder.rglob("*") if path.is_file() and path.name != "meson.build"}
    return {str(path.relative_to(folder)) for path in paths}


class Packaging(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        source = cls.folder / "source"
        commit_checkout(source)
        build = [BUILDER / "python", "-m", "build", "--no-isolation", "--wheel", "--sdist"]
        status, output = run(*build, "--outdir", cls.folder / "dist", source, path=BUILDER)
        if status:
            raise AssertionError(output[-4000:])
        (cls.wheel,) = (cls.folder / "dist").glob("*.whl")
        (cls.sdist,) = (cls.folder / "dist").glob("*.tar.gz")
        cls.version = cls.wheel.name.split("-")[1]

    def venv(self, name):
        subprocess.run([sys.executable, "-m", "venv", self.folder / name], env=clean_environment(), check=True)
        return self.folder / name / "bin"

    def assert_works(self, bin_folder):
        status, output = run(bin_folder / "python", "-c", FIRST_USE, cwd=self.folder)
        self.assertEqual(status, 0, output)
        version, library = output.split()
        self.assertEqual(version, self.version)
        self.assertIn(bin_folder.parent, Path(library).parents)
        status, output = run("memmodel", "--version", path=bin_folder)
        self.assertEqual((status, shutil.which("memmodel", path=bin_folder)), (0, str(bin_folder / "memmodel")), output)
        self.assertIn(self.version, output)

    def test_the_wheel_is_for_every_python_3_of_this_platform(self):
        self.assertRegex(self.wheel.name, r"^libmemmodel-[\d.]+-py3-none-\w+\.whl$")
        self.assertNotIn("any", self.wheel.name)

    def test_the_wheel_holds_package_libraries_tool_and_licence_only(self):
        names = zipfile.ZipFile(self.wheel).namelist()
        package = self.folder / "source/bindings/python/memmodel"
        modules = {f"memmodel/{name}" for name in files_of(package)}
        packed = {name.split("/purelib/")[1] for name in names if "/purelib/" in name}
        made = ("_exceptions.py", "_ffi.py", "_layers.py", "libmemmodel.so.0")
        self.assertEqual(packed, modules | {f"memmodel/{name}" for name in made})
        others = {name.split("/", 1)[1] for name in names if "/purelib/" not in name}
        share = "data/share/memmodel"
        cuda, examples = self.folder / "source/bindings/cuda/python", self.folder / "source/examples/files"
        values = {f"{share}/cuda/python/{path.relative_to(cuda)}" for path in cuda.rglob("*.py")}
        devices = {f"{share}/cuda/libmemmodel-cuda{part}.so" for part in ("", "-dnn")}
        shown = {f"{share}/examples/{name}" for name in files_of(examples)} | {f"{share}/gpu_prices.csv"}
        inside = {f"licenses/packaging/wheel/licenses/{name}.txt" for name in ("jansson", "zlib")}
        licences = {"licenses/COPYING"} | inside
        rest = {"scripts/memmodel", "METADATA", "WHEEL", "RECORD", "entry_points.txt"}
        self.assertEqual(others, values | devices | shown | licences | rest)

    def test_the_source_distribution_holds_the_pages_of_the_interface(self):
        with tarfile.open(self.sdist) as archive:
            packed = {name.partition("/")[2] for name in archive.getnames()}
        self.assertLessEqual({"include/memmodel-api.json", "doc/api/README.md", "doc/api/errors.md"}, packed)

    def test_the_metadata_tell_what_is_optional(self):
        archive = zipfile.ZipFile(self.wheel)
        metadata = archive.read(next(name for name in archive.namelist() if name.endswith("METADATA"))).decode()
        self.assertLessEqual({"numpy", "pandas", "plot"}, set(re.findall(r"Provides-Extra: (\w+)", metadata)))
        needed = [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line]
        self.assertEqual(needed, [])
        self.assertIn("import memmodel", metadata)

    def test_the_wheel_works_in_a_bare_venv(self):
        folder = self.venv("bare")
        status, output = run(folder / "pip", "install", "--no-index", self.wheel)
        self.assertEqual(status, 0, output)
        self.assert_works(folder)
        (library,) = (self.folder / "bare").rglob("libmemmodel.so.0")
        for path in (library, folder / "memmodel"):
            dynamic = run("readelf", "-d", path)[1]
            self.assertNotRegex(dynamic, r"R(UN)?PATH", path)
            needed = set(re.findall(r"NEEDED.*\[(\w+)", dynamic))
            self.assertLessEqual(needed, {"libc", "libm", "libjansson", "libpthread", "ld"})
        self.refuses_another_major_version(folder, library)

    def refuses_another_major_version(self, folder, library):
        """The package finds a library beside it that says it is version 9."""
        source = 'const char *memmodel_version(void) { return "9.0.0"; }'
        library.unlink()
        compiler = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
        subprocess.run(compiler, input=source, text=True, check=True)
        status, output = run(folder / "python", "-c", "import memmodel")
        self.assertEqual(status, 1)
        for part in ("ImportError", f"for libmemmodel {self.version}", f"{library} is version 9.0.0"):
            self.assertIn(part, output)
        self.assertEqual(run("memmodel", "--version", path=folder)[0], 0)

    def test_the_source_distribution_is_built_by_pip(self):
        """With build isolation: pip fetches what pyproject.toml asks for."""
        folder = self.venv("from-source")
        status, output = run(folder / "pip", "install", self.sdist)
        if status and re.search(r"No matching distribution|Could not find a version|connection", output):
            self.skipTest("pip reaches no index")
        self.assertEqual(status, 0, output[-4000:])
        self.assert_works(folder)


def main():
    if not (BUILDER / "python").exists():
        print(f"skipped: no {BUILDER}, which ./run test sets up where pip reaches an index")
        return SKIPPED
    if not shutil.which("git") or not (ROOT / ".git").exists():
        print("skipped: no git checkout")
        return SKIPPED
    return not unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
