"""The committed description is that which ./run generate makes of the committed headers, byte by byte."""

import unittest

import harness

harness.need_libclang()


class Regenerate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.api, cls.problems = harness.read(harness.ROOT / "include")

    def test_the_headers_keep_the_rules(self):
        self.assertEqual(self.problems, [])

    def test_what_is_committed_is_what_is_made(self):
        same = harness.DESCRIPTION.read_bytes() == harness.text(self.api).encode()
        self.assertTrue(same, "run ./run generate and commit what it changes")


if __name__ == "__main__":
    unittest.main()
