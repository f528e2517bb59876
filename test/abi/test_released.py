"""The check of released promises finds each kind of break, and lets pass what older programs do not notice."""

import unittest

import released

OPTIONS = [
    "enumerator toy_kind TOY_ROUND 1",
    "field toy_options size 0 0 size",
    "field toy_options width 8 4 int32",
    "function int32 toy_area(pointer(const,struct(toy_options)))",
    "node TOY_0.1 toy_area",
    "struct toy_options sized 16 8",
]


def changed(old, new, added=()):
    return [line.replace(old, new) for line in OPTIONS] + list(added)


class Breaks(unittest.TestCase):
    def assert_breaks(self, now, about):
        found = released.breaks(OPTIONS, now)
        self.assertTrue(any(about in problem for problem in found), found)

    def assert_holds(self, now):
        self.assertEqual(released.breaks(OPTIONS, now), [])

    def test_nothing_changed(self):
        self.assert_holds(OPTIONS)

    def test_a_function_that_is_gone(self):
        self.assert_breaks([line for line in OPTIONS if not line.startswith(("function", "node"))], "toy_area")

    def test_a_function_in_another_node(self):
        self.assert_breaks(changed("TOY_0.1", "TOY_0.2"), "node TOY_0.1")

    def test_a_parameter_of_another_type(self):
        self.assert_breaks(changed("pointer(const,struct(toy_options))", "int64"), "toy_area(pointer")

    def test_an_enumerator_of_another_number(self):
        self.assert_breaks(changed("TOY_ROUND 1", "TOY_ROUND 2"), "TOY_ROUND 1")

    def test_a_field_that_moved(self):
        self.assert_breaks(changed("width 8 4", "width 12 8"), "width 8 4")

    def test_a_struct_that_shrank(self):
        self.assert_breaks(changed("sized 16 8", "sized 12 8"), "was sized of 16/8 bytes")

    def test_a_new_field_in_the_padding(self):
        self.assert_breaks(changed("", "", ["field toy_options height 12 8 int32"]), "toy_options.height is new")

    def test_a_new_field_in_a_fixed_struct(self):
        old = [line.replace("sized", "fixed") for line in OPTIONS]
        now = changed("sized 16 8", "fixed 24 12", ["field toy_options height 16 8 int32"])
        self.assertTrue(released.breaks(old, now))

    def test_a_field_behind_a_sized_struct_is_no_break(self):
        self.assert_holds(changed("sized 16 8", "sized 24 12", ["field toy_options height 16 8 int32"]))

    def test_new_functions_and_enumerators_are_no_break(self):
        self.assert_holds([*OPTIONS, "node TOY_0.2 toy_edge", "enumerator toy_kind TOY_OVAL 2"])

    def test_padding_at_the_end_is_found(self):
        fields = [
            {"name": "size", "type": {"kind": "size"}, "offset": {"64": 0}},
            {"name": "width", "type": {"kind": "array", "of": {"kind": "int32"}, "count": 3}, "offset": {"64": 8}},
        ]
        struct = {"name": "toy_options", "sized": True, "fields": fields}
        for size, found in ((24, 1), (20, 0)):
            problems = list(released.padded({"structs": [{**struct, "bytes": {"64": size}}], "aliases": []}))
            self.assertEqual(len(problems), found)

    def test_a_function_added_to_a_released_node_is_found(self):
        self.assertTrue(released.node_additions(OPTIONS, [*OPTIONS, "node TOY_0.1 toy_edge"]))
        self.assertEqual(released.node_additions(OPTIONS, [*OPTIONS, "node TOY_0.2 toy_edge"]), [])


if __name__ == "__main__":
    unittest.main()
