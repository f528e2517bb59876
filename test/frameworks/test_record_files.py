"""Files of a recorded program: what it writes it finds again, and the folder is what it was."""

import os
import shutil
import subprocess
import tempfile
import unittest
from contextlib import ExitStack
from pathlib import Path

import numpy
from memmodel._record_files import Files


class OwnFiles(unittest.TestCase):
    """A program that writes in a folder that was there before."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        (self.folder / "data/inner").mkdir(parents=True)
        for name in ("kept.txt", "data/old.txt", "data/inner/deep.txt"):
            (self.folder / name).write_text(name)
        before = self.tree()
        self.addCleanup(lambda: self.assertEqual(self.tree(), before))
        self.addCleanup(os.chdir, Path.cwd())
        os.chdir(self.folder)
        files = Files()
        self.addCleanup(files.delete)
        stack = ExitStack()
        stack.enter_context(files.followed())
        self.addCleanup(stack.close)

    def tree(self):
        return sorted((str(path), path.read_text() if path.is_file() else "") for path in self.folder.rglob("*"))

    def test_it_reads_what_it_wrote(self):
        Path("kept.txt").write_text("new")
        with open(self.folder / "data/old.txt", "a") as file:
            file.write(", longer")
        self.assertEqual((self.folder / "kept.txt").read_text(), "new")
        self.assertEqual(Path("data/old.txt").read_text(), "data/old.txt, longer")
        os.makedirs("out/deep", exist_ok=True)
        numpy.save("out/deep/x.npy", numpy.ones(3))
        self.assertEqual(numpy.load("out/deep/x.npy").sum(), 3)
        self.assertEqual(sorted(os.listdir()), ["data", "kept.txt", "out"])
        self.assertEqual(sorted(entry.name for entry in os.scandir() if entry.is_dir()), ["data", "out"])
        self.assertEqual(sum(len(files) for _, _, files in os.walk(".")), 4)

    def test_an_entry_of_a_folder_has_all_that_one_of_os_has(self):
        entry = next(iter(os.scandir()))
        names = [name for name in dir(os.DirEntry) if not name.startswith("_")]
        self.assertEqual([name for name in names if not hasattr(entry, name)], [])

    def test_what_it_deleted_is_gone_for_it(self):
        shutil.rmtree("data")
        os.remove("kept.txt")
        self.assertFalse((self.folder / "data/inner/deep.txt").exists())
        self.assertEqual(os.listdir(), [])

    def test_it_moves_and_copies(self):
        os.rename("data", "moved")
        Path("moved/old.txt").write_text("new")
        shutil.copytree("moved", "copy")
        os.symlink("copy", "latest")
        self.assertEqual(Path("latest/old.txt").read_text(), "new")
        self.assertFalse(Path("data").exists())

    def test_it_changes_its_folder(self):
        os.chdir("data")
        self.assertEqual(Path.cwd(), self.folder / "data")
        Path("here.txt").write_text("x")
        self.assertTrue((self.folder / "data/here.txt").exists())
        self.assertEqual(subprocess.run(["cat", "here.txt"], capture_output=True, check=True).stdout, b"x")
        with tempfile.NamedTemporaryFile() as file:
            self.assertTrue(Path(file.name).exists())

    def test_errors_name_the_file_as_it_did(self):
        with self.assertRaises(FileNotFoundError) as caught:
            open("nothing.csv")
        self.assertEqual(caught.exception.filename, "nothing.csv")


if __name__ == "__main__":
    unittest.main()
