"""memmodel.recompute and memmodel.Chain."""

import json
import pickle
import unittest
import xml.etree.ElementTree

import memmodel
import networks


class Recompute(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.network = networks.blocks()
        cls.found = memmodel.recompute(cls.network, batch=8, optimizer="sgd")

    def test_the_selected_point_is_what_estimate_says(self):
        report = memmodel.estimate(self.network, batch=8, optimizer="sgd", checkpoint=self.found.checkpoint)
        self.assertEqual((self.found.metric, self.found.peak), ("process", report.peak.process))
        baseline = memmodel.estimate(self.network, batch=8, optimizer="sgd").peak.process
        self.assertEqual(self.found.peak_baseline, baseline)
        self.assertEqual(self.found.peak, self.found.min_peak)
        self.assertLess(self.found.peak, self.found.peak_baseline)

    def test_the_curve_falls_as_it_takes_more_time(self):
        self.assertGreater(len(self.found), 2)
        self.assertEqual(self.found[0].segments, ())
        for before, point in zip(self.found, self.found[1:]):
            self.assertLess(point.peak, before.peak)
            self.assertGreater(point.overhead, before.overhead)

    def test_a_budget_is_kept(self):
        budget = (self.found.peak_baseline + self.found.min_peak) // 2
        within = memmodel.recompute(self.network, budget, batch=8, optimizer="sgd")
        self.assertTrue(within.verdict == "fits" and within.status == "converged")
        self.assertLessEqual(within.peak, budget)
        self.assertLess(within.overhead, self.found.overhead)
        below = memmodel.recompute(self.network, f"{self.found.min_peak - 1}", batch=8, optimizer="sgd")
        self.assertEqual(below.verdict, "exceeds")
        self.assertEqual(below.peak, self.found.min_peak)
        self.assertIn("exceeds", repr(below))

    def test_progress_is_reported_and_may_stop_it(self):
        seen = []
        stopped = memmodel.recompute(
            self.network, batch=8, progress=lambda now: seen.append(now) or len(seen) == 3
        )
        self.assertEqual(len(seen), 3)
        self.assertEqual(stopped.status, "cancelled")
        self.assertEqual({type(now) for now in seen}, {memmodel.Progress})
        self.assertEqual({(now.stage, now.total) for now in seen}, {("simulations", 2000)})
        self.assertEqual(memmodel.recompute(self.network, batch=8, max_simulations=5).simulation_count, 5)

    def test_costs_are_by_name(self):
        cheap = memmodel.recompute(
            self.network, batch=8, optimizer="sgd", costs={f"block.{i}": 1 + 9 * (i != 2) for i in range(4)}
        )
        first = next(point for point in cheap if point.overhead > 0)  # what has no cost comes before
        self.assertTrue(all(name.startswith("block.2") for names in first.segments for name in names), first.segments)
        self.assertLess(first.overhead, 1 / (3 * 31) + 1e-9)
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, "block.9"):
            memmodel.recompute(self.network, batch=8, costs={"block.9": 1})

    def test_what_is_wrong_is_named(self):
        with self.assertRaises(memmodel.UnsupportedError):
            memmodel.recompute(self.network, batch=8, framework="tensorflow")
        with self.assertRaises(memmodel.UnboundError):
            memmodel.recompute(self.network)
        with self.assertRaisesRegex(ValueError, "no size"):
            memmodel.recompute(self.network, "much", batch=8)
        with self.assertRaises(TypeError):
            memmodel.recompute("network")

    def test_another_process_may_have_it(self):
        again = pickle.loads(pickle.dumps(self.found))
        self.assertEqual((again.curve, again.to_json()), (self.found.curve, self.found.to_json()))

    def test_it_is_json_and_a_picture(self):
        self.assertEqual(json.loads(self.found.to_json())["format"], "memmodel-recomputation")
        picture = xml.etree.ElementTree.fromstring(self.found._repr_svg_())
        self.assertEqual(len(picture.findall(".//{*}circle")), len(self.found))


class Chain(unittest.TestCase):
    def chain(self, blocks=12):
        chain = memmodel.Chain(output=4)
        for i in range(blocks):
            chain.add_block(100, 1000, forward_cost=1, backward_cost=2, name=f"block {i}")
        return chain

    def test_less_memory_costs_more(self):
        chain = self.chain()
        plain = chain.solve("1GiB")
        self.assertEqual((plain.cost, plain.overhead, plain.peak), (36, 0, plain.max_peak))
        tight = chain.solve(plain.min_peak)
        self.assertEqual(tight.peak, plain.min_peak)
        self.assertGreater(tight.overhead, 0)
        self.assertLess(tight.peak, plain.peak)

    def test_steps_run_every_block_backward_once(self):
        chain = self.chain()
        self.assertEqual(chain.steps, [])
        result = chain.solve(3000)
        backward = [step.block for step in chain.steps if step.operation == "backward"]
        self.assertEqual(backward, list(range(11, -1, -1)))
        self.assertEqual(max(step.peak for step in chain.steps), result.peak)
        self.assertEqual(sum(2 if step.operation == "backward" else 1 for step in chain.steps), result.cost)
        self.assertIn("steps", repr(chain))

    def test_too_small_a_budget_gives_the_smallest_peak(self):
        result = self.chain().solve(500)
        self.assertEqual((result.status, result.peak), ("infeasible", result.min_peak))
        self.assertEqual(self.chain().solve(result.min_peak).status, "optimal")
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, "slots"):
            self.chain().solve(3000, slots=-1)


if __name__ == "__main__":
    unittest.main()
