"""memmodel plan, as a shell sees it.

usage: test_plan.py TOOL MINIMALLOC_FOLDER RESNET50 MOBILENET.onnx TRACE.json.gz UNET3D
"""

import csv
import gzip
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TOOL, TABLES, RESNET50, MOBILENET, TRACE, UNET3D = sys.argv[1], *map(pathlib.Path, sys.argv[2:])


def run(*words):
    return subprocess.run([TOOL, "plan", *map(str, words)], capture_output=True, text=True, check=False)


class Plan(unittest.TestCase):
    def test_the_answer_says_how_good_it_is(self):
        made = run(TABLES / "C.1048576.csv", "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        answer = json.loads(made.stdout)
        self.assertEqual((answer["status"], answer["peak"], answer["gap"]), ("optimal", 1039360, 0))
        self.assertGreaterEqual(answer.keys(), {"lower_bound", "seconds", "node_count", "total_bytes", "buffer_count"})

    def test_a_person_reads_the_same(self):
        made = run(TABLES / "input.12.csv")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("12 bytes", made.stdout)
        self.assertIn("optimal", made.stdout)

    def test_a_table_comes_through_a_pipe(self):
        table = TABLES / "input.12.csv"
        with table.open() as file:
            command = ["sh", "-c", 'cat | "$0" plan /dev/stdin', TOOL]
            made = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("12 bytes", made.stdout)

    def test_a_pipe_that_nobody_writes_is_waited_for_as_long_as_the_limit(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = pathlib.Path(folder) / "pipe"
            os.mkfifo(pipe)
            made = subprocess.run(
                [TOOL, "plan", pipe, "--max-seconds", "0.2"], capture_output=True, text=True, check=False, timeout=60
            )
        self.assertEqual(made.returncode, 1)
        self.assertIn("--max-seconds", made.stderr)

    def test_offsets_are_the_input_with_a_column(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "offsets.csv"
            made = run(TABLES / "K.1048576.csv", "--budget", 1048576, "-o", path, "--json")
            self.assertEqual(made.returncode, 0, made.stderr)
            with path.open() as file:
                rows = list(csv.DictReader(file))
            with (TABLES / "K.1048576.csv").open() as file:
                given = list(csv.DictReader(file))
        self.assertEqual([{key: row[key] for key in given[0]} for row in rows], given)
        boxes = [tuple(int(row[key]) for key in ("lower", "upper", "offset", "size")) for row in rows]
        self.assertEqual(max(offset + size for _, _, offset, size in boxes), json.loads(made.stdout)["peak"])
        for i, (lower, upper, offset, size) in enumerate(boxes):
            for other in boxes[:i]:
                if other[0] < upper and lower < other[1]:
                    self.assertTrue(offset + size <= other[2] or other[2] + other[3] <= offset)

    def test_too_small_a_budget_is_distinguished_from_one_that_was_not_reached(self):
        infeasible = run(TABLES / "input.12.csv", "--budget", 11, "--json")
        self.assertEqual((json.loads(infeasible.stdout)["status"], infeasible.returncode), ("infeasible", 3))
        limited = run(TABLES / "D.1048576.csv", "--budget", 990000, "--max-nodes", 3000, "--json")
        self.assertEqual((json.loads(limited.stdout)["status"], limited.returncode), ("limit", 3))
        below = run(TABLES / "input.12.csv", "--budget", 3, "--json")  # less than one of the buffers
        self.assertEqual((json.loads(below.stdout)["status"], below.returncode), ("infeasible", 3))
        self.assertEqual(run(TABLES / "input.12.csv", "--budget", 12).returncode, 0)

    def test_the_table_in_c_is_called_as_its_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "2-small.net.h"
            self.assertEqual(run(TABLES / "input.12.csv", "--c", path).returncode, 0)
            table = path.read_text()
        self.assertIn("static const struct memmodel_arena_plan _2_small = {12u, 1u, 5u, 5u, ", table)

    def test_the_picture_is_one(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.svg"
            self.assertEqual(run(TABLES / "A.1048576.csv", "--svg", path).returncode, 0)
            picture = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual(len(picture.findall(".//{*}title")), 154)

    def test_mistakes_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "wrong.csv"
            path.write_text("id,lower,upper,size\na,0,1,4\nb,5,2,4\n")
            for words, part, code in (
                ((path,), f"{path}:3:", 1),
                ((pathlib.Path(folder) / "missing.csv",), "missing.csv", 1),
                ((path, "-s", "batch=1"), "--set is for networks", 2),
                ((path, "--mode", "training"), "--mode is for networks", 2),
                ((path, "--disable", "view-aliasing"), "--disable is for networks", 2),
                ((), "one table", 2),
                ((path, path), "one table", 2),
                ((TABLES / "input.12.csv", "--budgett", 3), "budget", 2),
                ((TABLES / "input.12.csv", "--max-nodes", -1), "a whole number above 0", 2),
            ):
                with self.subTest(words=words):
                    made = run(*words)
                    self.assertEqual(made.returncode, code)
                    self.assertIn(part, made.stderr)
                    self.assertEqual(made.stdout, "")


class Networks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.network = pathlib.Path(cls.folder.name) / "resnet50.json"
        for program, name in ((RESNET50, "resnet50.json"), (UNET3D, "unet3d.json")):
            path = pathlib.Path(cls.folder.name) / name
            subprocess.run([program, "-o", path], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def answer(self, *words):
        made = run(*words, "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        return json.loads(made.stdout)

    def test_a_forward_pass_is_planned(self):
        answer = self.answer(self.network, "-s", "batch=1", "-s", "dim=224")
        # layer2.0: 256 x 56 x 56 in, beside 128 x 56 x 56 that becomes 128 x 28 x 28
        self.assertEqual(answer["peak"], 4 * (256 * 56 * 56 + 128 * 56 * 56 + 128 * 28 * 28))
        self.assertEqual((answer["status"], answer["gap"]), ("optimal", 0))
        self.assertEqual(answer["reuse"], answer["tensor_bytes"] / answer["peak"])
        self.assertGreater(answer["reuse"], 20)
        self.assertEqual(answer["peak_program_order"], answer["peak"])

    def test_a_person_reads_how_often_memory_is_used_again(self):
        made = run(self.network, "-s", "batch=1", "-s", "dim=224")
        self.assertIn("28.91 times the peak", made.stdout)

    def test_passes_can_be_disabled(self):
        sizes = ("-s", "batch=1", "-s", "dim=224")
        best = self.answer(self.network, *sizes)["peak"]
        passes = ("fusion", "in-place", "residual-fusion", "view-aliasing", "concat-elimination", "reordering")
        words = [word for name in passes for word in ("--disable", name)]
        self.assertGreater(self.answer(self.network, *sizes, *words)["peak"], best)

    def test_weights_and_alignment(self):
        sizes = ("-s", "batch=1", "-s", "dim=224")
        small = self.answer(self.network, *sizes)
        large = self.answer(self.network, *sizes, "--include-parameters", "--alignment", 64)
        self.assertGreaterEqual(large["peak"], small["peak"] + small["parameter_bytes"])

    def test_an_onnx_model_is_planned(self):
        self.assertEqual(self.answer(MOBILENET, "-s", "batch=1")["gap"], 0)

    def test_a_training_step_is_planned(self):
        answer = self.answer(self.network, "-s", "batch=2", "-s", "dim=64", "--mode", "training", "--optimizer", "sgd")
        self.assertEqual(answer["gap"], 0)
        self.assertLessEqual(answer["peak"], answer["reserved"])

    def test_a_recorded_step_is_planned(self):
        trace = pathlib.Path(self.folder.name) / "step.json"
        trace.write_bytes(gzip.decompress(TRACE.read_bytes()))
        answer = self.answer(trace)
        self.assertGreater(answer["buffer_count"], 100)
        self.assertGreaterEqual(answer["peak"], answer["lower_bound"])

    def test_tiles_are_cut_within_a_budget(self):
        words = (self.network.with_name("unet3d.json"), "-s", "batch=1", "-s", "dim=256", "--tile", "-b", "2GiB")
        answer = self.answer(*words)
        self.assertLessEqual(answer["peak"], 2 << 30)
        self.assertGreater(answer["peak_untiled"], 2 << 30)
        self.assertEqual(answer["tile_count"], math.prod(axis["tile_count"] for axis in answer["axes"]))
        self.assertGreater(answer["overhead"], 0)
        self.assertIn("more multiplications", run(*words).stdout)

    def test_mistakes_are_named(self):
        sizes = ("-s", "batch=1", "-s", "dim=224")
        for words, part, code in (
            ((self.network,), "batch", 1),
            ((self.network, *sizes, "--disable", "fusoin"), "did you mean 'fusion'", 2),
            ((self.network, *sizes, "--optimizer", "adam"), "--optimizer needs --mode training", 2),
            ((self.network, *sizes, "--mode", "training", "--disable", "fusion"), "--mode inference only", 2),
            ((self.network, *sizes, "--mode", "training", "--framework", "textbook"), "no trace", 2),
            ((self.network, *sizes, "--alignment", 3), "power of two", 1),
            ((self.network, *sizes, "--tile", "-b", "1GiB"), "avgpool", 1),
            ((self.network, *sizes, "--tile", "--max-nodes", 9), "not for --tile", 2),
            ((self.network, *sizes, "--mode", "training", "--tile"), "--tile is for --mode inference only", 2),
        ):
            with self.subTest(words=words):
                made = run(*words)
                self.assertEqual(made.returncode, code)
                self.assertIn(part, made.stderr)
                self.assertEqual(made.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
