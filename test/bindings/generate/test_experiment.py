"""A function that is added to a header reaches every output by one command; without its comment it is refused."""

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
        self.output = Path(self.folder.name, "output")
        shutil.copytree(harness.ROOT / "include", self.include)

    def tearDown(self):
        self.folder.cleanup()

    def add(self, text: str) -> None:
        header = self.include / "memmodel" / "network.h"
        whole = header.read_text()
        end = whole.rindex("#ifdef __cplusplus")
        header.write_text(whole[:end] + text + whole[end:])

    def generate(self) -> tuple:
        return harness.command("--include", str(self.include), "--output", str(self.output))

    def test_a_documented_function_is_in_every_output(self):
        self.add(COMMENT + DECLARATION)
        self.assertEqual(self.generate(), (0, []))
        api, _ = harness.read(self.include)
        for backend in set(harness.backends()) - WITHOUT_FUNCTIONS:
            made = harness.files_of(backend, api)
            found = [name for name in made if NAMES.search((self.output / name).read_text())]
            self.assertNotEqual(found, [], f"{backend} does not know the new function")
        self.assertTrue((self.output / f"doc/api/man3/{FUNCTION}.3").exists())

    def test_an_undocumented_function_is_refused_and_nothing_is_written(self):
        self.add(DECLARATION)
        code, said = self.generate()
        self.assertEqual(code, 1)
        self.assertEqual(len(said), 5)
        for line in said:
            self.assertRegex(line, rf"^memmodel/network\.h:\d+: {FUNCTION}: .*; allowed: ")
        self.assertFalse(self.output.exists())


if __name__ == "__main__":
    unittest.main()
