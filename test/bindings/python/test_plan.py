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
        self.assertEqual([plan.add_buffer(8, i, i + 2, name=f"b{i}") for i in range(3)], [0, 1, 2])
        self.assertIsNone(plan[0].offset)
        result = plan.solve()
        self.assertEqual((result.status, result.peak, result.lower_bound, result.gap), ("optimal", 16, 16, 0.0))
        self.assertEqual(result.total_bytes, 24)
        self.assertEqual({buffer.offset for buffer in plan}, {0, 8})
        self.assertEqual(plan[-1].name, "b2")

    def test_all_that_a_buffer_can_be(self):
        plan = memmodel.Plan()
        plan.add_buffer(10, 0, 9, offset=64)
        plan.add_buffer(10, 0, 9, gaps=[(2, 7)])
        plan.add_buffer(10, 3, 6, alignment=8)
        plan.add_buffer(4, 5, 12, base=0, displacement=2)
        plan.solve()
        self.assertEqual((plan[0].offset, plan[3].offset), (64, 66))
        self.assertEqual((plan[1].offset, plan[2].offset), (0, 0))

    def test_a_buffer_that_is_refused_changes_nothing(self):
        plan = memmodel.Plan()
        plan.add_buffer(10, 0, 9)
        peak = plan.solve().peak
        for wrong in (
            {"gaps": [(2, 3), (9, 12)]},
            {"gaps": [(2, "x")]},
            {"gaps": 7},
            {"base": 1},
            {"base": 0, "displacement": -1},
            {"base": 0, "gaps": [(5, 4)]},
            {"offset": -1},
        ):
            with self.subTest(**wrong), self.assertRaises((memmodel.MemmodelError, TypeError, ValueError)):
                plan.add_buffer(10, 0, 9, **wrong)
            self.assertEqual((len(plan), plan.result.peak), (1, peak))

    def test_a_trace_is_planned(self):
        report = memmodel.estimate(networks.classifier(), batch=4, optimizer="sgd")
        plan = memmodel.Plan.from_trace(report.trace)
        result = plan.solve()
        self.assertEqual(result.lower_bound, max(report.trace.live))
        self.assertEqual(result.peak, result.lower_bound)

    def test_a_network_is_planned(self):
        net = memmodel.Network()
        x = net.input("x", (net.symbol("batch"), 10))
        a, b = net.linear(x, units=100), net.linear(x, units=100)
        c = net.concat([a, b], axis=1)
        net.linear(c, units=10, name="y")
        schedule = memmodel.Schedule(net, batch=1)
        self.assertEqual(schedule.plan.result.peak, 840)
        self.assertEqual(schedule.tensor_bytes, 40 + 400 + 400 + 800 + 40)
        self.assertEqual(schedule.parameter_bytes, 4 * (2 * 1100 + 2010))
        self.assertEqual(schedule.reuse, 1680 / 840)
        self.assertEqual(schedule.multiply_adds, 10 * 100 * 2 + 200 * 10)
        self.assertEqual([step.is_noop for step in schedule.operators], [False, False, True, False])
        self.assertEqual(schedule.operators[-1].name, "y")
        places = [schedule.plan[schedule.find_buffer(tensor)].offset for tensor in (a, b, c)]
        self.assertEqual([place - places[2] for place in places], [0, 400, 0])
        self.assertIn("reuse 2.00", repr(schedule))
        plan = memmodel.Plan.from_network(net, disable=["concat_elimination"], symbols={"batch": 1})
        self.assertEqual(plan.result.peak, 1600)
        self.assertEqual(len(xml.etree.ElementTree.fromstring(plan.to_svg()).findall(".//{*}title")), 5)

    def test_the_plan_of_a_schedule_does_not_change(self):
        for plan in (memmodel.Schedule(networks.classifier(), batch=1).plan, memmodel.Tiling(self.image()).plan):
            for change in (plan.solve, lambda plan=plan: plan.add_buffer(8, 0, 1)):
                with self.assertRaisesRegex(TypeError, "does not change"):
                    change()
        seen = []
        schedule = memmodel.Schedule(networks.classifier(), batch=1, max_nodes=1, progress=seen.append)
        self.assertGreaterEqual(schedule.peak, schedule.plan.result.lower_bound)

    @staticmethod
    def image():
        net = memmodel.Network()
        net.conv(net.input("x", (1, 2, 64)), filters=2, kernel=3, padding=1)
        return net

    def test_branches_are_reordered(self):
        net = memmodel.Network()
        x = net.input("x", (1, 100))
        wide = [net.linear(x, units=1000) for _ in range(4)]
        net.concat([net.linear(y, units=100) for y in wide], axis=1)
        schedule = memmodel.Schedule(net)
        self.assertEqual((schedule.peak_program_order, schedule.plan.result.peak), (400 * 41, 400 * 14))
        self.assertEqual(memmodel.Schedule(net, disable=["reordering"]).plan.result.peak, 400 * 41)

    def test_tiles_cover_the_whole(self):
        net = memmodel.Network()
        net.conv(net.input("x", (1, 2, 64)), filters=2, kernel=3, padding=1)
        tiling = memmodel.Tiling(net, 384)
        self.assertEqual((tiling.peak, tiling.peak_untiled, tiling.tensor_bytes, len(tiling)), (384, 1024, 1024, 3))
        self.assertAlmostEqual(tiling.overhead, 4 / 64)
        self.assertEqual(tiling.axes, [memmodel.TiledAxis(64, 1, 1, 1, 22, 3, 24)])
        self.assertEqual(
            [(tile.input[0], tile.crop[0], tile.output[0]) for tile in tiling],
            [
                (slice(0, 23), slice(0, 22), slice(0, 22)),
                (slice(21, 45), slice(1, 23), slice(22, 44)),
                (slice(43, 64), slice(1, 21), slice(44, 64)),
            ],
        )
        self.assertEqual(tiling.plan.result.peak, 384)
        self.assertEqual(len(memmodel.Tiling(net)), 1)
        self.assertEqual((tiling.verdict, memmodel.Tiling(net).verdict), ("fits", None))
        tightest = memmodel.Tiling(net, 1)
        self.assertEqual(tightest.verdict, "exceeds")
        self.assertEqual(memmodel.Tiling(net, tightest.peak).verdict, "fits")
        self.assertEqual(repr(tiling), "<Tiling of 3 tiles, 384 bytes each, 6.2 % more work>")
        with self.assertRaisesRegex(memmodel.UnsupportedError, "global_pool"):
            memmodel.Tiling(networks.pooled())

    def test_mistakes_about_networks_are_named(self):
        net = networks.classifier()
        with self.assertRaisesRegex(memmodel.UnboundError, "batch"):
            memmodel.Plan.from_network(net)
        with self.assertRaisesRegex(ValueError, "fusion"):
            memmodel.Schedule(net, batch=1, disable="fission")
        with self.assertRaisesRegex(TypeError, "Network"):
            memmodel.Schedule(None)

    def test_files_and_pictures(self):
        plan = memmodel.Plan()
        plan.add_buffer(8, 0, 2, name="a")
        plan.add_buffer(8, 1, 3, name="b")
        with self.assertRaises(memmodel.InvalidArgumentError):
            plan.to_svg()
        self.assertIsNone(plan._repr_svg_())
        plan.solve()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.csv"
            plan.save(path)
            with path.open() as file:
                self.assertEqual({row["id"]: row["size"] for row in csv.DictReader(file)}, {"a": "8", "b": "8"})
            again = memmodel.Plan.load(path)
            self.assertEqual(again.solve().peak, 16)
        self.assertIn("two = {16u, 1u, 2u, 2u, two_buffers, two_live_ranges};", plan.to_c("two"))
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, "no name in C"):
            plan.to_c("two plans")
        self.assertEqual(len(xml.etree.ElementTree.fromstring(plan.to_svg()).findall(".//{*}title")), 2)

    def test_a_job_is_brought_within_a_budget(self):
        network = networks.classifier()
        live = memmodel.estimate(network, batch=64).peak.live
        enough = memmodel.optimize(network, live, metric="live", batch=64)
        self.assertEqual((enough.verdict, enough.peak, enough.batch, enough.checkpoint), ("fits", live, 64, ""))
        self.assertEqual([step.technique for step in enough.steps], ["no_reuse", "reuse"])
        self.assertIn("Reuse of what nobody needs any more", str(enough))
        process = memmodel.estimate(network, batch=64).peak.process
        smaller = memmodel.optimize(network, process - 1, batch=64)
        self.assertEqual((smaller.verdict, smaller.metric, smaller.steps[-1].technique), ("fits", "process", "batch"))
        self.assertLess(smaller.batch, 64)
        self.assertEqual(memmodel.estimate(network, batch=smaller.batch).peak.process, smaller.peak)
        inference = memmodel.optimize(network, "1KiB", batch=64, mode="inference")
        self.assertEqual((inference.verdict, inference.metric), ("exceeds", None))
        with self.assertRaises(memmodel.InvalidArgumentError):
            memmodel.optimize(network, 0, batch=64)

    def test_a_search_is_stopped_by_its_observer(self):
        plan = memmodel.Plan()
        for i in range(40):
            plan.add_buffer(7 * i % 13 + 1, i * i % 23, i * i % 23 + 1 + i % 7, name=str(i))
        seen = []
        result = plan.solve(progress=lambda now: seen.append(now.best) or True)
        self.assertIn(result.status, ("cancelled", "optimal"))

    def test_mistakes_are_named(self):
        plan = memmodel.Plan()
        for wrong, part in (((0, 0, 1), "above 0"), ((8, 2, 2), "end after"), ((8, 0, 1, 3), "power of two")):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(memmodel.InvalidArgumentError, part):
                plan.add_buffer(*wrong[:3], alignment=wrong[3] if len(wrong) > 3 else 1)
        self.assertEqual(len(plan), 0)
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, "at least one buffer"):
            plan.solve()
        with self.assertRaises(TypeError):
            plan.add_buffer("8", 0, 1)
        with self.assertRaises(IndexError):
            plan[0]


if __name__ == "__main__":
    unittest.main()
