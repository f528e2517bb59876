"""Plans from Python."""

import csv
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

import memmodel
import networks


class Plans(unittest.TestCase):
    def test_buffers_that_never_meet_share_their_memory(self):
        plan = memmodel.Plan()
        self.assertEqual([plan.add(8, i, i + 2, name=f"b{i}") for i in range(3)], [0, 1, 2])
        self.assertIsNone(plan[0].offset)
        result = plan.solve()
        self.assertEqual((result.status, result.peak, result.lower_bound, result.gap), ("optimal", 16, 16, 0.0))
        self.assertEqual(result.total, 24)
        self.assertEqual({place.offset for place in plan}, {0, 8})
        self.assertEqual(plan[-1].name, "b2")

    def test_all_that_a_buffer_can_be(self):
        plan = memmodel.Plan()
        plan.add(10, 0, 9, offset=64)
        plan.add(10, 0, 9, gaps=[(2, 7)])
        plan.add(10, 3, 6, alignment=8)
        plan.add(4, 5, 12, shares=0, displacement=2)
        plan.solve()
        self.assertEqual((plan[0].offset, plan[3].offset), (64, 66))
        self.assertEqual((plan[1].offset, plan[2].offset), (0, 0))

    def test_a_trace_is_planned(self):
        report = memmodel.estimate(networks.classifier(), batch=4, optimizer="sgd")
        plan = memmodel.Plan.of_trace(report.trace)
        result = plan.solve()
        self.assertEqual(result.lower_bound, max(report.trace.live))
        self.assertEqual(result.peak, result.lower_bound)

    def test_files_and_pictures(self):
        plan = memmodel.Plan()
        plan.add(8, 0, 2, name="a")
        plan.add(8, 1, 3, name="b")
        with self.assertRaises(memmodel.InvalidArgumentError):
            plan.to_svg()
        self.assertIsNone(plan._repr_svg_())
        plan.solve()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.csv"
            plan.write(path)
            with path.open() as file:
                self.assertEqual({row["id"]: row["size"] for row in csv.DictReader(file)}, {"a": "8", "b": "8"})
            again = memmodel.Plan.read(path)
            self.assertEqual(again.solve().peak, 16)
        self.assertEqual(len(xml.etree.ElementTree.fromstring(plan.to_svg()).findall(".//{*}title")), 2)

    def test_a_search_is_stopped_by_its_observer(self):
        plan = memmodel.Plan()
        for i in range(40):
            plan.add(7 * i % 13 + 1, i * i % 23, i * i % 23 + 1 + i % 7, name=str(i))
        seen = []
        result = plan.solve(capacity=0, progress=lambda best: seen.append(best.total) or True)
        self.assertIn(result.status, ("cancelled", "optimal"))

    def test_mistakes_are_named(self):
        plan = memmodel.Plan()
        for wrong, part in (((0, 0, 1), "above 0"), ((8, 2, 2), "end after"), ((8, 0, 1, 3), "power of two")):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(memmodel.InvalidArgumentError, part):
                plan.add(*wrong[:3], alignment=wrong[3] if len(wrong) > 3 else 1)
        self.assertEqual(len(plan), 0)
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, "at least one buffer"):
            plan.solve()
        with self.assertRaises(TypeError):
            plan.add("8", 0, 1)
        with self.assertRaises(IndexError):
            plan[0]


if __name__ == "__main__":
    unittest.main()
