"""The committed files are those that ./run generate makes of the committed headers, byte by byte."""

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
        for name, text in harness.files(self.api).items():
            path = harness.ROOT / name
            with self.subTest(name):
                self.assertTrue(path.exists(), "run ./run generate and commit this file")
                self.assertTrue(path.read_bytes() == text.encode(), "run ./run generate and commit what it changes")

    def test_nothing_is_left_of_what_is_no_longer_made(self):
        self.assertEqual(harness.left_over(harness.files(self.api), harness.ROOT), [])


if __name__ == "__main__":
    unittest.main()
