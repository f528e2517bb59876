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
        made = harness.files_of("api_json", self.api)["doc/api/memmodel-api.json"]
        self.assertEqual(json.loads(made), json.loads((EXPECTED / "doc/api/memmodel-api.json").read_text()))

    def test_each_file_is_as_expected(self):
        made = harness.files(self.api)
        for path in sorted(EXPECTED.rglob("*.*")):
            name = path.relative_to(EXPECTED).as_posix()
            if path.suffix != ".json":
                with self.subTest(name):
                    self.assertEqual(made[name], path.read_text())

    def test_every_back_end_has_an_expected_file(self):
        for backend in harness.backends():
            made = harness.files_of(backend, self.api)
            self.assertTrue(any((EXPECTED / name).exists() for name in made), backend)


if __name__ == "__main__":
    unittest.main()
