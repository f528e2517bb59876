"""Every header in bad/ breaks a rule, and is refused with the lines that it ends with. One rule a header."""

import re
import shutil
import tempfile
import unittest
from pathlib import Path

import harness

harness.need_libclang()

REFUSED = re.compile(r"^// refused: (.*)$", re.MULTILINE)


def refusals(header: Path, include_it: bool = True) -> list:
    """What the generator says of the good headers and this one beside them."""
    with tempfile.TemporaryDirectory() as folder:
        include = Path(folder, "include")
        shutil.copytree(harness.HERE / "good", include)
        shutil.copy(header, include / "memmodel" / "bad.h")
        umbrella = include / "memmodel.h"
        if include_it:
            umbrella.write_text(umbrella.read_text().replace('box.h"\n', 'box.h"\n#include "memmodel/bad.h"\n'))
        return harness.read(include)[1]


class Refusals(unittest.TestCase):
    maxDiff = None

    def test_the_good_header_is_accepted(self):
        self.assertEqual(harness.read(harness.HERE / "good")[1], [])

    def test_each_bad_header_is_refused_for_its_reason(self):
        headers = sorted((harness.HERE / "bad").glob("*.h"))
        self.assertGreater(len(headers), 50)
        for header in headers:
            with self.subTest(header.stem):
                expected = REFUSED.findall(header.read_text())
                self.assertNotEqual(expected, [])
                self.assertEqual(sorted(refusals(header)), sorted(expected))

    def test_a_header_that_nobody_includes_is_refused(self):
        said = refusals(harness.HERE / "good" / "memmodel" / "box.h", include_it=False)
        self.assertEqual(said, ["memmodel/bad.h:1: is not included by memmodel.h; allowed: headers that are"])

    def test_every_rule_has_a_header_that_breaks_it(self):
        """Rules are functions of rules.py; each message of theirs occurs in some bad header."""
        said = "\n".join(path.read_text() for path in (harness.HERE / "bad").glob("*.h"))
        rules = (harness.ROOT / "bindings" / "generate" / "rules.py").read_text()
        for message in re.findall(r"yield \(?f?\"([^\"]+)\"", rules):
            words = max(re.split(r"\{[^}]*\}", message), key=len).strip()
            self.assertIn(words, said)


if __name__ == "__main__":
    unittest.main()
