"""A function that is added to a header reaches every output by its description; without its comment it is refused."""

import re
import shutil
import tempfile
import unittest
from pathlib import Path

import harness

harness.need_libclang()

FUNCTION = "memmodel_network_experiment"
COMMENT = """\
/**
 * Try something out.
 *
 * @param[in]  network  network
 * @param[in]  step     from 1
 * @param[out] bytes    what it took. @unit bytes
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT
 * @threads the network's
 * @since 0.1
 */
"""
DECLARATION = f"""\
MEMMODEL_API int
{FUNCTION}(memmodel_network *network, int step, int64_t *bytes);

"""
# Names by which a binding may call it.
NAMES = re.compile(r"\b(memmodel_)?network_experiment\b")

# The layout of structs and the numbers of enums.
WITHOUT_FUNCTIONS = {"layout"}


class Experiment(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.include = Path(self.folder.name, "include")
        self.description = Path(self.folder.name, "api.json")
        shutil.copytree(harness.ROOT / "include", self.include)

    def tearDown(self):
        self.folder.cleanup()

    def add(self, text: str) -> None:
        header = self.include / "memmodel" / "network.h"
        whole = header.read_text()
        end = whole.rindex("#ifdef __cplusplus")
        header.write_text(whole[:end] + text + whole[end:])

    def describe(self) -> tuple:
        return harness.described(self.include, self.description)

    def test_a_documented_function_is_in_every_output(self):
        self.add(COMMENT + DECLARATION)
        self.assertEqual(self.describe(), (0, []))
        for backend in set(harness.backends()) - WITHOUT_FUNCTIONS:
            output = Path(self.folder.name, backend)
            harness.make(backend, self.description, output)
            found = [path for path in output.iterdir() if NAMES.search(path.read_text())]
            self.assertNotEqual(found, [], f"{backend} does not know the new function")
        self.assertTrue(Path(self.folder.name, "api_man", f"{FUNCTION}.3").exists())

    def test_a_folder_holds_nothing_of_a_function_that_is_gone(self):
        pages = Path(self.folder.name, "pages")
        pages.mkdir()
        (pages / f"{FUNCTION}.3").touch()
        harness.make("api_man", harness.DESCRIPTION, pages)
        self.assertFalse((pages / f"{FUNCTION}.3").exists())
        self.assertTrue((pages / "memmodel_estimate.3").exists())

    def test_a_folder_with_other_files_is_left_alone(self):
        (self.include / "memmodel_estimate.3").touch()
        with self.assertRaises(SystemExit):
            harness.make("api_man", harness.DESCRIPTION, self.include)
        self.assertTrue((self.include / "memmodel.h").exists())

    def test_an_undocumented_function_is_refused_and_nothing_is_written(self):
        self.add(DECLARATION)
        code, said = self.describe()
        self.assertEqual(code, 1)
        self.assertEqual(len(said), 5)
        for line in said:
            self.assertRegex(line, rf"^memmodel/network\.h:\d+: {FUNCTION}: .*; allowed: ")
        self.assertFalse(self.description.exists())


if __name__ == "__main__":
    unittest.main()
