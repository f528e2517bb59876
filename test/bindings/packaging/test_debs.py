"""The Debian packages, where `./run package deb` has made them: lintian, the same bytes again, and that they work.

usage: test_debs.py ROOT
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1]).resolve()
PACKAGES = ROOT / "build/packages"
NAMES = {"libmemmodel0", "libmemmodel-dev", "memmodel", "python3-memmodel", "lua-memmodel"}
SKIPPED = 77

# Where Debian's shells look, below /usr/share.
COMPLETIONS = {
    "bash": "bash-completion/completions/memmodel",
    "zsh": "zsh/vendor-completions/_memmodel",
    "fish": "fish/vendor_completions.d/memmodel.fish",
}


def packages(folder=PACKAGES):
    """By name; those with what debuggers read are left out."""
    found = {path.name.split("_")[0]: path for path in folder.glob("*.deb")}
    return {name: path for name, path in found.items() if not name.endswith("-dbgsym")}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    return done.returncode, done.stdout + done.stderr


class Debs(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def test_one_source_makes_all_packages(self):
        self.assertEqual(set(packages()), NAMES)
        self.assertEqual(len(list(PACKAGES.glob("libmemmodel_*.dsc"))), 1)

    def test_shells_find_what_they_complete(self):
        status, output = run("dpkg-deb", "--extract", packages()["memmodel"], self.folder)
        self.assertEqual((status, output), (0, ""))
        run("dpkg-deb", "--extract", packages()["libmemmodel0"], self.folder)
        (library,) = self.folder.glob("usr/lib/*/libmemmodel.so.0")
        environment = dict(os.environ, LD_LIBRARY_PATH=str(library.parent))
        for shell, place in COMPLETIONS.items():
            told = run(self.folder / "usr/bin/memmodel", "completion", shell, env=environment)
            self.assertEqual(told, (0, (self.folder / "usr/share" / place).read_text(encoding="utf-8")), shell)

    def test_lintian_has_nothing_to_say(self):
        if not shutil.which("lintian"):
            self.skipTest("no lintian here")
        (changes,) = PACKAGES.glob("libmemmodel_*.changes")
        status, output = run("lintian", "--allow-root", "--fail-on", "error,warning", changes)
        self.assertEqual((status, output), (0, ""))

    def test_they_are_the_same_bytes_wherever_they_are_made(self):
        """In another folder, time zone and language, and with other rights of new files."""
        version = packages()["libmemmodel0"].name.split("_")[1]
        elsewhere = dict(os.environ, TZ="Pacific/Kiritimati", LC_ALL="C.UTF-8")
        command = 'umask 077; exec "$0" "$1" "$2/build" "$2/made"'
        script = ROOT / "packaging/debian/deb.sh"
        status, output = run("bash", "-c", command, script, version, self.folder, env=elsewhere)
        self.assertEqual(status, 0, output)
        for name, path in packages(self.folder / "made").items():
            hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in (path, packages()[name])]
            self.assertEqual(*hashes, name)

    def test_what_they_hold_works(self):
        for path in packages().values():
            self.assertEqual(run("dpkg-deb", "--extract", path, self.folder), (0, ""))
        (library,) = self.folder.glob("usr/lib/*/libmemmodel.so.0")
        environment = dict(os.environ, LD_LIBRARY_PATH=str(library.parent))
        environment["PYTHONPATH"] = str(self.folder / "usr/lib/python3/dist-packages")
        environment.pop("MEMMODEL_LIBRARY", None)
        network = self.folder / "usr/share/memmodel/examples/unet3d.json"
        command = ("estimate", network, "--set", "batch=1,dim=16", "--gpu", "h100")
        status, output = run(self.folder / "usr/bin/memmodel", *command, env=environment)
        self.assertEqual(status, 0, output)
        self.assertIn("fits", output)
        script = "import importlib.metadata as m, memmodel; print(m.version('libmemmodel'), memmodel.__version__)"
        status, output = run("python3", "-c", script, env=environment)
        self.assertEqual(status, 0, output)
        self.assertEqual(len(set(output.split())), 1, output)


def main():
    if not packages():
        print("skipped: no Debian packages in build/packages, where ./run package deb lays them")
        return SKIPPED
    return not unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
