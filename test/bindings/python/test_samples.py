"""Tables of measurements from Python."""

import math
import tempfile
import unittest
from pathlib import Path

import memmodel


class Tables(unittest.TestCase):
    def setUp(self):
        self.samples = memmodel.Samples({"n": [1, 2, 3], "peak": [10.5, None, 30]})

    def test_columns_come_back_as_they_went_in(self):
        self.assertEqual(self.samples.columns, ["n", "peak"])
        self.assertEqual(list(self.samples["n"]), [1, 2, 3])
        self.assertTrue(math.isnan(self.samples["peak"][1]))
        self.assertEqual(len(self.samples), 3)
        self.assertEqual(repr(self.samples), "<Samples of 3 rows: n, peak>")

    def test_rows_are_added_by_name_or_in_order(self):
        self.samples.add_row(n=4, peak=40)
        self.samples.add_row([5, 50])
        self.samples.add_row({"n": 6})
        self.assertEqual(list(self.samples["n"]), [1, 2, 3, 4, 5, 6])
        self.assertTrue(math.isnan(self.samples["peak"][5]))

    def test_an_empty_table_has_empty_columns(self):
        self.assertEqual(list(memmodel.Samples(["a", "b"])["b"]), [])

    def test_a_column_that_was_taken_stays_when_rows_are_added(self):
        column = self.samples["n"]
        for row in range(10_000):
            self.samples.add_row([row, row])
        self.assertEqual(list(column), [1, 2, 3])

    def test_wrong_rows_are_refused(self):
        for wrong, error in (
            (lambda: self.samples.add_row([1]), ValueError), (lambda: self.samples.add_row([1, 2, 3]), ValueError),
            (lambda: self.samples.add_row(nn=1), ValueError), (lambda: self.samples.add_row(n="many"), TypeError),
            (lambda: self.samples.add_row("12"), TypeError), (lambda: self.samples.add_row(n=math.inf), ValueError),
            (lambda: memmodel.Samples({"n": [1, 2], "m": [1]}), ValueError), (lambda: memmodel.Samples("n"), TypeError),
            (lambda: memmodel.Samples(["n", "n"]), ValueError), (lambda: memmodel.Samples([]), ValueError),
            (lambda: memmodel.Samples(["a\0b"]), ValueError), (lambda: self.samples.select([3]), ValueError),
            (lambda: self.samples.select([-1]), OverflowError), (lambda: self.samples["m"], LookupError),
            (lambda: self.samples[0], TypeError),
        ):  # fmt: skip
            with self.assertRaises(error):
                wrong()
        self.assertEqual(len(self.samples), 3)

    def test_rows_are_picked(self):
        table = memmodel.Samples.from_csv("status,n\nok,1\nkilled,2\nok,3\n")
        self.assertEqual(list(table.filter(status="ok")["n"]), [1, 3])
        self.assertEqual(list(table.filter(status="ok", n=3)["n"]), [3])
        self.assertEqual(list(table.select([2, 0])["n"]), [3, 1])

    def test_rows_are_split_for_training_and_testing(self):
        table = memmodel.Samples({"n": range(100)})
        train, test = table.split(0.7, seed=7)
        self.assertEqual((len(train), len(test)), (70, 30))
        self.assertEqual(sorted([*train["n"], *test["n"]]), list(range(100)))
        self.assertEqual(list(table.split(0.7, seed=7)[0]["n"]), list(train["n"]))
        self.assertNotEqual(list(table.split(0.7, seed=8)[0]["n"]), list(train["n"]))
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, "fraction"):
            table.split(1.5)

    def test_files_keep_every_bit(self):
        values = [0.1, 1 / 3, 2.0**-1074, 1.7e308]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "samples.csv"
            memmodel.Samples({"x": values}).save(path)
            self.assertEqual(list(memmodel.Samples.load(path)["x"]), values)

    def test_a_file_without_names_has_those_that_are_given(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            path.write_text("1,100\n2,200\n", encoding="utf-8")
            samples = memmodel.Samples.load(path, columns=["batch", "peak_bytes"])
            with self.assertRaisesRegex(memmodel.ParseError, "2 fields, and 1 columns are named"):
                memmodel.Samples.load(path, columns=["batch"])
        self.assertEqual((len(samples), list(samples["peak_bytes"])), (2, [100, 200]))

    def test_rows_are_appended_to_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "runs.csv"
            memmodel.Samples.append_to_file(path, dim=64, status="ok", peak=2**53)
            memmodel.Samples.append_to_file(path, peak=0.1, dim=None, status="killed")
            table = memmodel.Samples.load(path)
            self.assertEqual(table.columns, ["dim", "status", "peak"])
            self.assertEqual(list(table["peak"]), [2.0**53, 0.1])
            self.assertEqual(len(table.filter(status="killed", dim="")), 1)
            with self.assertRaises(LookupError):
                memmodel.Samples.append_to_file(path, size=1)
            with self.assertRaisesRegex(TypeError, "^dim: "):
                memmodel.Samples.append_to_file(path, dim=[1])

    def test_a_wrong_file_is_named_with_its_place(self):
        with self.assertRaises(memmodel.ParseError) as caught:
            memmodel.Samples.from_csv("a,b\n1\n", name="mine.csv")
        self.assertEqual((caught.exception.object, caught.exception.line), ("mine.csv", 2))

    def test_frames_go_there_and_back(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas")
        frame = pandas.DataFrame({"status": ["ok", "no"], "n": [1, 2], "x": [0.1, math.nan]})
        samples = memmodel.Samples.from_frame(frame)
        self.assertEqual(samples.columns, ["status", "n", "x"])
        back = samples.to_frame()
        self.assertEqual(list(back["n"]), [1, 2])
        self.assertEqual(back["x"][0], 0.1)


if __name__ == "__main__":
    unittest.main()
