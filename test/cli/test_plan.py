"""memmodel plan, as a shell sees it. usage: test_plan.py TOOL MINIMALLOC_FOLDER"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TOOL, TABLES = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*words):
    return subprocess.run([TOOL, "plan", *map(str, words)], capture_output=True, text=True, check=False)


class Plan(unittest.TestCase):
    def test_the_answer_says_how_good_it_is(self):
        made = run(TABLES / "C.1048576.csv", "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        answer = json.loads(made.stdout)
        self.assertEqual((answer["status"], answer["peak"], answer["gap"]), ("optimal", 1039360, 0))
        self.assertGreaterEqual(answer.keys(), {"lower_bound", "seconds", "nodes", "total", "buffers"})

    def test_a_person_reads_the_same(self):
        made = run(TABLES / "input.12.csv")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("12 bytes", made.stdout)
        self.assertIn("optimal", made.stdout)

    def test_offsets_are_the_input_with_a_column(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "offsets.csv"
            made = run(TABLES / "K.1048576.csv", "--capacity", 1048576, "-o", path, "--json")
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

    def test_too_small_a_capacity_is_told_apart_from_one_that_was_not_reached(self):
        self.assertEqual(json.loads(run(TABLES / "input.12.csv", "-c", 11, "--json").stdout)["status"], "infeasible")
        limited = run(TABLES / "D.1048576.csv", "-c", 990000, "-n", 3000, "--json")
        self.assertEqual(json.loads(limited.stdout)["status"], "limit")

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
                ((), "one table", 2),
                ((path, path), "one table", 2),
                ((TABLES / "input.12.csv", "--capacity", 3), "capacity", 1),
                ((TABLES / "input.12.csv", "--capacityy", 3), "capacity", 2),
                ((TABLES / "input.12.csv", "-n", -1), "negative", 1),
            ):
                with self.subTest(words=words):
                    made = run(*words)
                    self.assertEqual(made.returncode, code)
                    self.assertIn(part, made.stderr)
                    self.assertEqual(made.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
