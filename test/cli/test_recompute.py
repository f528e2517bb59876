"""memmodel recompute, as a shell sees it. usage: test_recompute.py TOOL UNET3D"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TOOL, UNET3D = sys.argv[1:3]


def tool(*words):
    return subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, check=False)


class Recompute(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.network = pathlib.Path(cls.folder.name) / "unet3d.json"
        subprocess.run([UNET3D, "--loss", "--filters", "8", "-o", cls.network], check=True, capture_output=True)
        cls.usual = cls.answer()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def recompute(cls, *words, metric=("--metric", "live")):
        return tool("recompute", cls.network, "-s", "batch=1", "-s", "dim=32", *metric, *words)

    @classmethod
    def answer(cls, *words, **metric):
        made = cls.recompute("--json", *words, **metric)
        assert made.returncode == 0, made.stderr
        return json.loads(made.stdout)

    def peak(self, checkpoint, metric="live"):
        made = tool("estimate", self.network, "-s", "batch=1", "-s", "dim=32", "--json", "--checkpoint", checkpoint)
        self.assertEqual(made.returncode, 0, made.stderr)
        return json.loads(made.stdout)["peak"][metric]

    def test_the_answer_is_what_estimate_says_of_it(self):
        for metric, answer in (("live", self.usual), ("process", self.answer(metric=()))):
            self.assertEqual(answer["metric"], metric)
            self.assertEqual(answer["peak"], self.peak(answer["checkpoint"], metric))
            self.assertEqual(answer["peak_baseline"], self.peak("", metric))
            self.assertEqual(answer["peak"], answer["min_peak"])

    def test_every_point_of_the_curve_has_its_scopes(self):
        curve = self.usual["curve"]
        self.assertEqual(curve[0]["segments"], [])
        for before, point in zip(curve, curve[1:]):
            self.assertLess(point["peak"], before["peak"])
            self.assertGreaterEqual(point["overhead"], before["overhead"])
            self.assertEqual(len(point["segments"]), len(point["modules"]))
            for name, group in zip(point["segments"], point["modules"]):
                self.assertEqual(group[0], name.split("..")[0])
                self.assertEqual(len(group) > 1, ".." in name)
        self.assertEqual(self.peak(",".join(curve[5]["segments"])), curve[5]["peak"])

    def test_a_budget_is_kept_and_what_is_below_the_min_peak_exceeds(self):
        budget = (self.usual["peak_baseline"] + self.usual["min_peak"]) // 2
        self.assertLessEqual(self.answer("--budget", budget)["peak"], budget)
        below = self.recompute("--budget", self.usual["min_peak"] // 2)
        self.assertEqual(below.returncode, 3)
        self.assertIn("nothing that was found", below.stderr)
        self.assertIn("--checkpoint '", below.stdout)

    def test_a_person_reads_the_same(self):
        made = self.recompute()
        self.assertIn(f"--checkpoint '{self.usual['checkpoint']}'", made.stdout)
        self.assertIn("of live bytes", made.stdout)
        self.assertIn(f"overhead {100 * self.usual['overhead']:.1f} %", made.stdout)
        self.assertEqual(sum(line.startswith(">") for line in made.stdout.splitlines()), 1)
        self.assertGreater(len(self.recompute("--full-curve").stdout), len(made.stdout))
        self.assertIn("--max-simulations", self.recompute("--max-simulations", 20).stdout)
        self.assertIn("nothing has to be recomputed", self.recompute("--budget", "1TiB").stdout)

    def test_costs_decide(self):
        curve = self.answer("--layer-cost", "encoder.1=1", "--layer-cost", "encoder.0=99")["curve"]
        scopes = next(point["segments"] for point in curve if point["overhead"] > 0)
        self.assertTrue(any(name.startswith("encoder.1") for name in scopes), scopes)
        self.assertFalse(any(name.startswith("encoder.0") for name in scopes), scopes)

    def test_the_picture_is_one(self):
        path = pathlib.Path(self.folder.name) / "curve.svg"
        answer = self.answer("--svg", path)
        picture = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual(len(picture.findall(".//{*}circle")), len(answer["curve"]))

    def test_mistakes_are_named(self):
        for words, part, code in (
            (("--layer-cost", "encoder.0"), "NAME=NUMBER", 2),
            (("--layer-cost", "encoder.0=much"), "no number", 2),
            (("--layer-cost", "encoder.77=1"), "encoder.77", 1),
            (("--layer-cost", "encoder.0=-1"), "0 or more", 1),
            (("--checkpoint", "encoder.0"), "is the answer", 2),
            (("--mode", "inference"), "backward", 1),
            (("--framework", "tensorflow"), "pytorch", 1),
            (("--max-simulations", "1"), "2 to", 1),
            (("--metric", "most"), "--metric is", 2),
            (("--buget", "1"), "--budget", 2),
        ):
            made = self.recompute(*words)
            self.assertEqual((made.returncode, part in made.stderr), (code, True), (words, made.stderr))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
