"""What to measure next, from Python: the tool's own answer, and what is refused."""

import json
import subprocess
import unittest

import memmodel
import networks

DOMAIN = {"dim": range(32, 113, 16), "batch": [1, 2, 4]}


class Advise(unittest.TestCase):
    def test_it_is_the_tools_advice(self):
        words = ("--domain", "dim=32:112:16,batch=1,2,4", "--cost", "dim^3*batch", "--count", "4", "--json")
        tool = json.loads(subprocess.run([networks.TOOL, "advise", *words], check=True, capture_output=True).stdout)
        advice = memmodel.advise(domain=DOMAIN, cost="dim^3*batch", count=4)
        self.assertEqual(advice.expected_error, tool["expected_error"])
        self.assertEqual(advice.needed_count, tool["needed_count"])
        for name in ("dim", "batch"):
            self.assertEqual(list(advice.design[name]), [row["inputs"][name] for row in tool["design"]])
        self.assertEqual(list(advice.design["error"]), [row["expected_error"] for row in tool["design"]])

    def test_a_range_may_be_a_text_and_a_table_the_domain(self):
        text = memmodel.advise(domain={"dim": "32:112:16", "batch": "1,2,4"}, count=3)
        rows = [(dim, batch) for dim in DOMAIN["dim"] for batch in DOMAIN["batch"]]
        table = {"dim": [dim for dim, _ in rows], "batch": [batch for _, batch in rows]}
        listed = memmodel.advise(candidates=table, count=3)
        for other in (text, listed):
            self.assertEqual(list(other.design["dim"]), list(memmodel.advise(domain=DOMAIN, count=3).design["dim"]))

    def test_what_was_measured_counts(self):
        samples = memmodel.Samples.load(networks.KERAS_SAMPLES).filter(status="ok")
        known = memmodel.advise(samples, "peak_bytes", DOMAIN, noise=0.03)
        self.assertLess(known.expected_error, memmodel.advise(domain=DOMAIN, noise=0.03).expected_error)

    def test_what_is_wrong_is_named(self):
        with self.assertRaisesRegex(TypeError, "domain"):
            memmodel.advise()
        with self.assertRaisesRegex(TypeError, "dim"):
            memmodel.advise(domain={"dim": None})
        with self.assertRaisesRegex(TypeError, "domain: a mapping"):
            memmodel.advise(domain="dim=1,2")
        with self.assertRaisesRegex(TypeError, "units: a mapping"):
            memmodel.fit({"x": [1, 2, 3, 4], "y": [1, 2, 3, 5]}, units="y=B")
        with self.assertRaisesRegex(memmodel.MemmodelError, "above 0"):
            memmodel.advise(domain={"dim": [1, 2]}, cost="0-dim")


if __name__ == "__main__":
    unittest.main()
