"""The check that a library has no state of its own finds each kind of it."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import state

NODELETE = "-Wl,-z,nodelete"
SKIPPED = 77


def problems_of(source, *options):
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "toy.so"
        command = ["gcc", "-shared", "-fPIC", *options, "-x", "c", "-o", library, "-"]
        subprocess.run(command, input=source, check=True, text=True)
        return state.problems_of(str(library))


class State(unittest.TestCase):
    def assert_found(self, about, source):
        found = problems_of(source, NODELETE)
        self.assertTrue(any(about in problem for problem in found), found)

    def test_functions_and_constants_are_none(self):
        source = 'const char *const names[] = {"a", "b"}; int one(void) { return 1; }'
        self.assertEqual(problems_of(source, NODELETE), [])

    def test_a_counter(self):
        self.assert_found("counter: in .bss", "static int counter; int next(void) { return ++counter; }")

    def test_a_variable_with_a_value(self):
        self.assert_found("level: in .data", "int level = 3;")

    def test_a_thread_local_variable(self):
        self.assert_found(".tbss", "_Thread_local int last; int get(void) { return last; }")

    def test_a_constructor(self):
        self.assert_found(".init_array", "__attribute__((constructor)) static void start(void) {}")

    def test_a_destructor(self):
        self.assert_found(".fini_array", "__attribute__((destructor)) static void stop(void) {}")

    def test_a_library_that_can_be_unmapped(self):
        self.assertIn("nodelete", *problems_of("int one(void) { return 1; }"))


if __name__ == "__main__":
    if not shutil.which("gcc") or not shutil.which("objdump"):
        print("gcc or objdump is missing (Debian: gcc, binutils)")
        sys.exit(SKIPPED)
    unittest.main()
