"""The comparison of dumps can fail: a small library is changed in every way that breaks its users, and in some that do
not."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import dump

TOY = pathlib.Path(__file__).parent / "toy"
COMPILER = ["gcc", "-g", "-O2", "-shared", "-fPIC", "-fvisibility=hidden"]
COMPILER += ["-Wl,--version-script=toy.map", "-Wl,-soname,libtoy.so.0", "-o", "libtoy.so", "toy.c"]
SKIPPED = 77


def dump_of(*edits):
    """The dump of the toy with some texts replaced; an edit is (file, old, new)."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "toy"
        shutil.copytree(TOY, copy)
        for name, old, new in edits:
            text = (copy / name).read_text(encoding="utf-8")
            assert old in text, f"{name} has no {old!r}"
            (copy / name).write_text(text.replace(old, new), encoding="utf-8")
        subprocess.run(COMPILER, cwd=copy, check=True)
        return dump.dump(copy / "libtoy.so", copy / "include", {"toy_options"})


class Toy(unittest.TestCase):
    def assert_found(self, about, *edits):
        found = dump.difference(dump_of(), dump_of(*edits))
        self.assertIn(about, found)

    def assert_passes(self, *edits):
        self.assertEqual(dump.difference(dump_of(), dump_of(*edits)), "")

    def test_its_public_types_are_in_the_dump(self):
        self.assertLessEqual({"toy_options", "toy_kind"}, dump.described(dump_of()))

    def test_nothing_changed(self):
        self.assert_passes()

    def test_a_field_inserted_in_the_middle(self):
        self.assert_found("depth", ("include/toy.h", "    int32_t height;", "    int64_t depth;\n    int32_t height;"))

    def test_fields_reordered(self):
        edit = ("    int32_t height;\n    int32_t kind;", "    int32_t kind;\n    int32_t height;")
        self.assert_found("offset changed", ("include/toy.h", *edit))

    def test_a_field_of_another_type(self):
        self.assert_found("type of 'int64_t width' changed", ("include/toy.h", "int64_t width", "double width"))

    def test_a_symbol_removed(self):
        self.assert_found("1 Removed", ("toy.map", "        toy_area;\n", ""))

    def test_a_symbol_in_another_node(self):
        self.assert_found("Removed", ("toy.map", "TOY_0.1", "TOY_0.2"))

    def test_a_parameter_added(self):
        now = ("toy_area(const toy *toy)", "toy_area(const toy *toy, int unit)")
        self.assert_found("parameter 2", ("include/toy.h", *now), ("toy.c", *now))

    def test_an_enum_renumbered(self):
        self.assert_found("TOY_ROUND", ("include/toy.h", "TOY_ROUND = 1", "TOY_ROUND = 2"))

    def test_a_symbol_appended(self):
        declaration = "TOY_API int64_t\ntoy_edge(const toy *toy);\n\nTOY_API int64_t\ntoy_area("
        definition = "int64_t\ntoy_edge(const toy *toy)\n{\n    return toy->options.width;\n}\n\nint64_t\ntoy_area("
        self.assert_passes(
            ("include/toy.h", "TOY_API int64_t\ntoy_area(", declaration),
            ("toy.c", "int64_t\ntoy_area(", definition),
            ("toy.map", "toy_area;", "toy_area;\n        toy_edge;"),
        )

    def test_an_enumerator_appended(self):
        self.assert_passes(("include/toy.h", "TOY_ROUND = 1,", "TOY_ROUND = 1,\n    TOY_OVAL = 2,"))

    def test_the_private_struct_grown(self):
        self.assert_passes(("toy.h", "    int kind;\n};\n\n", "    int kind;\n    int64_t more;\n};\n\n"))
        self.assert_passes(("toy.h", "*mark;", "*mark;\n    int64_t more;"))


if __name__ == "__main__":
    if not shutil.which("abidw") or not shutil.which("gcc"):
        print("abidw is missing (Debian: abigail-tools), or gcc")
        sys.exit(SKIPPED)
    unittest.main()
