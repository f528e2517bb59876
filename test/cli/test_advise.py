"""memmodel advise, as a shell sees it. usage: test_advise.py TOOL SAMPLES.csv"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL, SAMPLES = sys.argv[1], sys.argv[2]
FITTED = (SAMPLES, "--target", "peak_bytes")
DOMAIN = "dim=32:112:16,batch=1,2,4"
GRID = {(dim, batch) for dim in range(32, 113, 16) for batch in (1, 2, 4)}


def run(*words):
    return subprocess.run([TOOL, "advise", *map(str, words)], capture_output=True, text=True, check=False)


class Advice(unittest.TestCase):
    def test_without_samples_it_begins_anywhere_in_the_domain(self):
        made = run("--domain", DOMAIN, "--count", 5, "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        rows = json.loads(made.stdout)["design"]
        self.assertEqual(len({(row["inputs"]["dim"], row["inputs"]["batch"]) for row in rows} & GRID), 5)
        errors = [row["expected_error"] for row in rows]
        self.assertEqual(errors, sorted(errors, reverse=True))

    def test_a_range_is_its_numbers_and_the_option_may_be_repeated(self):
        numbers = run("--domain", "dim=32,48,64,80,96,112", "--domain", "batch=1,2,4", "--json")
        self.assertEqual(numbers.stdout, run("--domain", DOMAIN, "--json").stdout)

    def test_most_per_cost_is_advised(self):
        cheap, dear = (
            json.loads(run("--domain", DOMAIN, "--count", 6, "--json", *cost).stdout)["design"]
            for cost in (("--cost", "dim^3*batch"), ())
        )
        voxels = [[row["inputs"]["dim"] ** 3 * row["inputs"]["batch"] for row in rows] for rows in (cheap, dear)]
        self.assertLess(sum(voxels[0]), sum(voxels[1]))
        self.assertEqual([row["cost"] for row in cheap], voxels[0])

    def test_with_samples_less_is_left_to_learn(self):
        words = ("--domain", DOMAIN, "--count", 1, "--noise", 0.03, "--json")
        some = json.loads(run(SAMPLES, "--target", "peak_bytes", *words).stdout)
        self.assertLess(some["expected_error"], json.loads(run(*words).stdout)["expected_error"])

    def test_the_table_is_that_of_the_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "next.csv"
            rows = json.loads(run("--domain", DOMAIN, "--count", 3, "--json", "-o", path).stdout)["design"]
            with path.open(encoding="utf-8", newline="") as file:
                table = [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]
        expected = [{**row["inputs"], "cost": row["cost"], "error": row["expected_error"]} for row in rows]
        self.assertEqual(table, expected)

    def test_what_is_wrong_is_named(self):
        for words, status, part in (
            ((), 2, "--domain"),
            (("--domain", "dim"), 1, "dim"),
            (("--domain", "dim=9:1:2"), 1, "empty range"),
            (("--domain", "dim=1,x2"), 1, "x2"),
            (("--domain", "dim=1,2", "--cost", "0-dim"), 1, "above 0"),
            (("--domain", "dim=1,2", "--cost", "dimm"), 1, "dimm"),
            (("--domain", "dim=1,2", "--target-error", "-1"), 1, "above 0 and below 1"),
            ((SAMPLES, "--target", "peak", "--domain", "dim=1,2"), 1, "peak"),
            ((*FITTED, "--domain", "dim=-5,32,batch=1,2"), 1, "dim: takes whole numbers above 0"),
            ((*FITTED, "--domain", "dim=32,batch=1,2.5"), 1, "batch: takes whole numbers above 0"),
            (("no-such.csv", "--domain", "dim=1,2"), 1, "no-such.csv"),
        ):
            made = run(*words)
            self.assertEqual((made.returncode, made.stdout), (status, ""), words)
            self.assertIn(part, made.stderr, words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
