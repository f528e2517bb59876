"""Every public function is bound in every binding, or not_bound.md says why it is not."""

import json
import re
import unittest

import harness

ROW = re.compile(r"^\| `(memmodel_\w+)` \| (\w+) \| (\S.*) \|$", re.MULTILINE)
API = json.loads(harness.DESCRIPTION.read_text(encoding="utf-8"))
# Where each binding, which is the back end's name, tells the functions that it can call, and how.
BINDINGS = {
    "python": ("_ffi.py", r"^def (?P<short>\w+)\("),
    "luajit": ("cdef.lua", r"\b(?P<name>memmodel_\w+)\("),
    "lua": ("signatures.c", r"^ *FUNCTION\(\"\w+\", (?P<name>memmodel_\w+)\)"),
}


def public() -> set:
    return {function["name"] for function in API["functions"]}


def bound(binding: str) -> set:
    name, pattern = BINDINGS[binding]
    made = harness.files_of(binding, API)[name]
    found = [match.groupdict() for match in re.finditer(pattern, made, re.MULTILINE)]
    return {each.get("name") or f"memmodel_{each['short']}" for each in found}


def excused(binding: str) -> set:
    rows = ROW.findall((harness.HERE / "not_bound.md").read_text())
    return {name for name, where, _ in rows if where == binding}


class Coverage(unittest.TestCase):
    def test_there_are_functions(self):
        self.assertGreater(len(public()), 100)

    def test_every_function_is_bound_or_excused(self):
        for binding in BINDINGS:
            with self.subTest(binding):
                self.assertEqual(public() - bound(binding) - excused(binding), set())

    def test_every_excuse_is_needed(self):
        for binding in BINDINGS:
            with self.subTest(binding):
                self.assertEqual(excused(binding) & bound(binding), set())
                self.assertEqual(excused(binding) - public(), set())


if __name__ == "__main__":
    unittest.main()
