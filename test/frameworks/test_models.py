"""Whole models of PyTorch: predictions from kept networks against recorded runs. Needs no torch."""

import argparse
import json
import unittest

import compare_models

KEPT = argparse.Namespace(
    folder=compare_models.RECORDINGS, kept=True, keep=False, missing=False, record=False, show=False
)

# Share of the cases that is exact to the byte in every step, and the relative error of the peak of the 95th percentile
# and of the worst.
PLAIN, VARIANTS = (0.92, 0.001, 0.01), (0.80, 0.005, 0.02)
LEAST = {
    "working": PLAIN,
    "judging": PLAIN,
    "variants, working": VARIANTS,
    "variants, judging": VARIANTS,
    "reentrant checkpoints": VARIANTS,
    "new transformers, working": (1, 0, 0),  # those that are kept
}


# Of these groups the networks are kept that showed a rule.
SHOWED = (
    "vision, working",
    "variants of new networks, judging",
    "variants of the rest, judging",
    "variants of transformers, working",
)

# Operators without a rule, with the number of networks that have them: may only get shorter. Differences of positions
# with what comes before the first; less than a KB.
ESTIMATED = [("aten.diff.default", 2)]


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.halves = json.loads((compare_models.RECORDINGS / "halves.json").read_text())
        cls.results = {half: [compare_models.compare(name, KEPT) for name in cls.kept(half)] for half in LEAST}

    @classmethod
    def kept(cls, half):
        names = cls.halves[half]
        if half != "new transformers, working":
            return names
        return [name for name in names if (compare_models.RECORDINGS / f"{name}.network.json.gz").exists()]

    def check_half(self, half):
        results = self.results[half]
        refused = [result.name for result in results if result.refused]
        self.assertEqual(refused, [])
        errors = sorted(result.error for result in results)
        exact = sum(result.exact for result in results)
        message = compare_models.sums_of(half, results)
        share, percentile_95, worst = LEAST[half]
        self.assertGreaterEqual(exact, share * len(results), message)
        self.assertLessEqual(errors[int(0.95 * (len(errors) - 1))], percentile_95, message)
        self.assertLessEqual(errors[-1], worst, message)

    def test_the_models_that_the_rules_were_worked_on_with(self):
        self.check_half("working")

    def test_the_models_that_the_rules_are_judged_by(self):
        self.check_half("judging")

    def test_variants_of_the_loop_that_the_rules_were_worked_on_with(self):
        self.check_half("variants, working")

    def test_variants_of_the_loop_that_the_rules_are_judged_by(self):
        self.check_half("variants, judging")

    def test_new_networks_that_showed_a_rule_are_exact(self):
        kept = {path.name.removesuffix(".network.json.gz") for path in KEPT.folder.glob("*.network.json.gz")}
        names = sorted(kept & {name for half in SHOWED for name in self.halves[half]})
        self.assertGreaterEqual(len(names), 23)
        results = [compare_models.compare(name, KEPT) for name in names]
        self.assertEqual([result.name for result in results if not result.exact], [])

    def test_checkpoints_that_run_their_inside_without_gradients(self):
        self.check_half("reentrant checkpoints")

    def test_families_of_transformers_that_were_worked_on_later(self):
        self.check_half("new transformers, working")

    def test_both_halves_are_of_different_models(self):
        names = {half: {result.model for result in results} for half, results in self.results.items()}
        self.assertGreaterEqual(len(names["working"] | names["judging"]), 40)

    def test_an_event_that_is_missing_is_found(self):
        event = compare_models.Event
        one = [event(8, "a"), event(-8, "a"), event(4, "b")]
        self.assertEqual(compare_models.first_difference(one, one[:2]), 2)
        self.assertEqual(compare_models.first_difference(one, [event(8, "a"), event(-8, "a"), event(5, "b")]), 2)
        self.assertIsNone(compare_models.first_difference(one, one))

    def test_releases_in_a_row_have_no_order(self):
        event = compare_models.Event
        one = [event(8, ""), event(4, ""), event(-4, ""), event(-8, ""), event(2, "")]
        other = [event(8, ""), event(4, ""), event(-8, ""), event(-4, ""), event(2, "")]
        self.assertEqual(
            compare_models.first_difference(compare_models.in_order(one), compare_models.in_order(other)), None
        )

    def test_a_network_of_the_zoo_has_no_operator_that_is_only_estimated(self):
        unmodelled = compare_models.unmodelled_names([result for half in self.results.values() for result in half])
        self.assertEqual(unmodelled, ESTIMATED)


if __name__ == "__main__":
    unittest.main()
