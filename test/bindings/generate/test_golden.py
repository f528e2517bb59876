"""What each back end makes of the headers in good/, compared with expected/, which was written by hand."""

import json
import unittest

import harness

harness.need_libclang()

EXPECTED = harness.HERE / "expected"

class Golden(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.api, problems = harness.read(harness.HERE / "good")
        assert not problems, problems

    def test_the_model_is_as_described(self):
        expected = json.loads((EXPECTED / "memmodel-api.json").read_text())
        self.assertEqual(json.loads(harness.text(self.api)), expected)

    def test_each_file_is_as_expected(self):
        for backend in harness.backends():
            made = harness.files_of(backend, self.api)
            for path in sorted((EXPECTED / backend).iterdir()):
                with self.subTest(f"{backend}/{path.name}"):
                    self.assertEqual(made[path.name], path.read_text())


if __name__ == "__main__":
    unittest.main()
