"""memmodel fit --loss squared, predict and export, as a shell sees them. usage: test_fit.py TOOL TABLES CC

TABLES: a folder of tables (*.tsv) with a column `target`. CC: a compiler of C.
"""

import gzip
import json
import math
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

TOOL, TABLES, COMPILER = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]

# Of these the formula is a straight line, has curves and steps, and is a square.
NAMES = ("210_cloud", "556_analcatdata_apnea2", "192_vineyard", "561_cpu")


def run(*words):
    return subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, check=False)


def same(a, b):
    return struct.pack("d", a) == struct.pack("d", b) or (math.isnan(a) and math.isnan(b))


class Fits(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def table(self, name):
        """The path of the table as CSV, its inputs and its rows."""
        text = (TABLES / f"{name}.tsv").read_text(encoding="utf-8").replace("\t", ",")
        path = self.folder / f"{name}.csv"
        path.write_text(text, encoding="utf-8")
        head, *rows = text.splitlines()
        return path, head.split(",")[:-1], [[float(cell) for cell in row.split(",")[:-1]] for row in rows]

    def fitted(self, name):
        """The model's path, the names of its inputs, and points: the table's rows and some that lie far outside."""
        path, columns, rows = self.table(name)
        model = self.folder / f"{name}.json"
        made = run("fit", path, "--loss", "squared", "-o", model)
        self.assertEqual(made.returncode, 0, made.stderr)
        inputs = [entry["name"] for entry in json.loads(model.read_text(encoding="utf-8"))["inputs"]]
        places = [columns.index(name) for name in inputs]
        points = [[row[place] for place in places] for row in rows]
        points += [[-1e6 - value for value in point] for point in points[:3]]
        points += [[1e9 + value for value in point] for point in points[:3]]
        return model, inputs, points

    def test_a_compressed_table_without_names_has_the_same_formula(self):
        path, columns, _ = self.table("561_cpu")
        rows = path.with_name("rows.csv.gz")
        rows.write_bytes(gzip.compress(path.read_bytes().split(b"\n", 1)[1]))
        usual = run("fit", path, "--loss", "squared", "--json")
        self.assertEqual(usual.returncode, 0, usual.stderr)
        for table, text in ((rows, None), ("-", rows.read_bytes())):
            words = [TOOL, "fit", table, "--columns", ",".join([*columns, "target"]), "--loss", "squared", "--json"]
            made = subprocess.run(words, input=text, capture_output=True, check=False)
            if b"without zlib" in made.stderr:
                self.skipTest("this library was built without zlib")
            self.assertEqual(made.stdout.decode(), usual.stdout, made.stderr)
        wrong = run("fit", path, "--columns", "a,,b")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--columns names all columns", wrong.stderr)

    def predicted(self, model, inputs, points):
        path = self.folder / "points.csv"
        lines = [",".join(inputs), *(",".join(map(repr, point)) for point in points)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        made = run("predict", model, "--points", path, "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        return [row["value"] for row in json.loads(made.stdout)["rows"]]

    def test_exported_python_gives_the_same_bits(self):
        for name in NAMES:
            model, inputs, points = self.fitted(name)
            source = run("export", model, "--format", "python").stdout
            names = {}
            exec(source, names)
            for point, expected in zip(points, self.predicted(model, inputs, points), strict=True):
                self.assertTrue(same(float(names["predict_target"](*point)), expected), (name, point))

    def test_exported_c_gives_the_same_bits(self):
        for name in NAMES:
            model, inputs, points = self.fitted(name)
            source = run("export", model, "--format", "c").stdout
            rows = ",".join("{" + ",".join(f"{value!r}" for value in point) + "}" for point in points)
            call = ", ".join(f"points[i][{i}]" for i in range(len(inputs)))
            main = (
                "#include <stdio.h>\n"
                f"static const double points[][{len(inputs)}] = {{{rows}}};\n"
                f"int main(void) {{ for (int i = 0; i < {len(points)}; i++) "
                f'printf("%a\\n", predict_target({call})); return 0; }}\n'
            )
            path = self.folder / f"{name}.c"
            path.write_text(source + main, encoding="utf-8")
            program = self.folder / name
            words = ("-std=c11", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
            subprocess.run([*COMPILER, *words, "-o", program, path, "-lm"], check=True)
            said = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
            for text, expected, point in zip(said, self.predicted(model, inputs, points), points, strict=True):
                self.assertTrue(same(float.fromhex(text), expected), (name, point))

    def test_exports_bear_columns_of_any_name(self):
        table, model, header = (self.folder / name for name in ("named.csv", "named.json", "named.h"))
        lines = [f"{size},{batch},{3 + size * batch}" for size in (1, 2, 3, 5) for batch in (1, 2, 4, 9 + size)]
        table.write_text("\n".join(['"hidden ""size""",NAN,peak', *lines]), encoding="utf-8")
        self.assertEqual(run("fit", table, "-o", model).returncode, 0)
        self.assertEqual(run("export", model, "--format", "sql").stdout.count('"hidden ""size"""*"NAN"'), 1)
        header.write_text(run("export", model, "--format", "c").stdout, encoding="utf-8")
        subprocess.run([*COMPILER, "-fsyntax-only", header], check=True)

    def test_the_front_marks_the_formula_that_was_chosen(self):
        path, _, _ = self.table("230_machine_cpu")
        made = run("fit", path, "--loss", "squared", "--front")
        formula = made.stdout.splitlines()[0].split(" = ", 1)[1]
        chosen = [line for line in made.stdout.splitlines() if line.startswith("*")]
        self.assertEqual(len(chosen), 1)
        self.assertTrue(chosen[0].endswith(formula), made.stdout)

    def test_positive_terms_have_a_front_with_errors_in_per_cent(self):
        made = run("fit", self.grid(lambda size, batch: 1000 + 3 * size * batch), "--front")
        listed = made.stdout.split("formula\n")[-1].splitlines()
        self.assertIn("error %", made.stdout)
        self.assertEqual(listed[0].split()[0], "1")  # the constant, whose errors are large
        self.assertGreater(float(listed[0].split()[1]), 20)
        chosen = [line for line in listed if line.startswith("*")]
        self.assertEqual(len(chosen), 1)
        self.assertTrue(0.3 < float(chosen[0].split()[2]) < 0.8, made.stdout)  # two runs of a point are 1 % apart

    def test_a_target_with_zeros_is_refused_with_what_would_do(self):
        path, _, _ = self.table("210_cloud")
        made = run("fit", path)
        self.assertEqual(made.returncode, 1)
        self.assertIn("target: is 0 in row 52", made.stderr)
        self.assertIn("squared", made.stderr)

    def test_the_rule_of_selection_is_an_option(self):
        path, _, _ = self.table("230_machine_cpu")
        sizes = {}
        for rule in ("one-standard-error", "description-length", "default"):
            made = run("fit", path, "--loss", "squared", "--front", "--selection", rule)
            chosen = [line for line in made.stdout.splitlines() if line.startswith("*")]
            sizes[rule] = int(chosen[0].split()[1])
        self.assertLessEqual(sizes["one-standard-error"], sizes["description-length"])
        self.assertEqual(sizes["default"], sizes["description-length"])

    def test_an_unknown_loss_or_basis_is_named(self):
        path, _, _ = self.table("192_vineyard")
        for option in ("--loss", "--basis", "--selection"):
            made = run("fit", path, option, "spline")
            self.assertEqual(made.returncode, 2)
            self.assertIn("spline", made.stderr)

    def grid(self, law):
        """The path of a table of 7 sizes and 5 batches, each measured twice, 1 % apart."""
        path = self.folder / "grid.csv"
        rows = [
            f"{size},{batch},{law(size, batch) * error!r}"
            for size in (32, 48, 64, 80, 96, 112, 128)
            for batch in (1, 2, 4, 8, 16)
            for error in (0.995, 1.005)
        ]
        path.write_text("\n".join(["size,batch,peak", *rows]) + "\n", encoding="utf-8")
        return path

    def test_noise_and_what_is_certified_are_printed_beside_the_errors(self):
        made = run("fit", self.grid(lambda size, batch: 9e8 + 1300 * batch * size**3))
        # of two measurements 0.5 % from their mean each: sqrt(2 * 0.005^2) of the mean
        self.assertRegex(made.stdout, r"\n  noise +0\.7071 % \(dof 35\)\n")
        self.assertRegex(made.stdout, r"\n  certified: +finite, non-negative on the domain\n")
        self.assertNotIn("a term is missing", made.stderr)

    def test_a_missing_term_is_shown_by_the_noise(self):
        path = self.grid(lambda size, batch: 9e8 + (1300 if (size // 16 + batch) % 3 else 2600) * batch * size**3)
        self.assertIn("a term is missing, or a mode switched", run("fit", path).stderr)

    def test_a_switch_of_the_algorithm_is_found_when_it_may_be_there(self):
        path = self.grid(lambda size, batch: 9e8 + (1300 if size < 96 else 2100) * batch * size**3)
        self.assertIn("equal(size, max(size, 88))", run("fit", path, "--change-points", 1).stdout)
        self.assertNotIn("equal", run("fit", path).stdout)

    def test_where_a_formula_has_no_value_it_is_reported(self):
        path, model = self.folder / "roots.csv", self.folder / "roots.json"
        rows = [f"{root**2 - 20},{3 * root + 5}" for root in range(12)]
        path.write_text("\n".join(["x,y", *rows]) + "\n", encoding="utf-8")
        made = run("fit", path, "--basis", "user", "--term", "sqrt(x + 20)", "-o", model)
        self.assertRegex(made.stdout, r"y = 3\*sqrt\(.*\) \+ 5")
        said = run("predict", model, "--set", "x=-23").stdout.splitlines()
        self.assertEqual([line.split()[-1] for line in said[1:3]], ["undefined", "undefined"])
        self.assertIn("extrapolated: the bound is not guaranteed", said[3])
        self.assertEqual(run("predict", model, "--set", "x=-4").stdout.splitlines()[1].split(), ["y", "17"])

    def test_each_loss_says_its_errors_in_its_own_measure(self):
        path = self.grid(lambda size, batch: 9e8 + 1300 * batch * size**3)
        # relative errors are least through the lower measurements: the upper ones then are 1 - 0.995 / 1.005 off
        lines = {
            "mape": r"training error +0\.4975 % \(mean\)",
            "log-ratio": r"training log ratio +0\.5 % \(root mean square\)",
            "absolute": r"training error .* \(mean\)",
            "pinball": r"training pinball loss ",
        }
        for loss, line in lines.items():
            made = run("fit", path, "--loss", loss, "--max-terms", 1)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertRegex(made.stdout, line)

    def test_what_is_known_of_the_formula_is_asked_for_by_name(self):
        path = self.grid(lambda size, batch: 9e8 + 1300 * batch * size**3)
        made = run("fit", path, "--max-exponent", 2, "--integer-exponents", "--increasing", "size,batch")
        self.assertNotIn("size^3", made.stdout)
        self.assertEqual(run("fit", path, "--unit", "size=px", "--unit", "peak=B").returncode, 0)
        for options, reason in (
            (("--increasing", "width"), "width"),
            (("--unit", "size"), "COLUMN=UNIT"),
            (("--unit", "size=px"), "peak"),
            (("--change-points", 3), "change_points"),
            (("--loss", "pinball", "--quantile", 1.5), "quantile"),
        ):
            made = run("fit", path, *options)
            self.assertEqual(made.returncode, 1, options)
            self.assertIn(reason, made.stderr)

    def test_a_model_goes_into_a_pipe_and_through_a_link(self):
        path = self.grid(lambda size, batch: 9e8 + 1300 * batch * size**3)
        pipe, link, model = (self.folder / name for name in ("pipe", "link.json", "model.json"))
        os.mkfifo(pipe)
        model.touch()
        link.symlink_to(model)
        reader = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, reader)
        self.assertEqual(run("fit", path, "-o", link).returncode, 0)
        self.assertEqual(run("fit", path, "-o", pipe).returncode, 0)
        self.assertTrue(pipe.is_fifo() and link.is_symlink())
        self.assertEqual(os.read(reader, 1 << 16), model.read_bytes())

    def test_a_search_takes_any_loss_and_change_points(self):
        path = self.grid(lambda size, batch: 2000 * size * batch / (size + 3.0 * batch) ** 2)
        for options in (("--loss", "mape"), ("--loss", "log-ratio"), ("--loss", "absolute"), ("--change-points", 1)):
            made = run("fit", path, "--search", "--max-evaluations", 24000, *options)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertRegex(made.stdout, r"/\(.*size.*\)")


class Units(unittest.TestCase):
    """5 GB and 1 GB a sample: 10 take 15 GB, and 12 take 17 GB, which are within 16 GiB."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.model = self.folder / "model.json"

    def fit(self, head, cell, *words):
        path = self.folder / "table.csv"
        rows = [f'{batch},"{cell(5e9 + 1e9 * batch)}",{3 * batch},ok' for batch in range(1, 13)]
        path.write_text("\n".join([f"batch,{head},seconds,status", *rows, "13,much,2,ok"]) + "\n", encoding="utf-8")
        return run("fit", path, "-o", self.model, *words)

    def solved(self, budget):
        return run("predict", self.model, "--max", "batch", "--budget", budget)

    def test_a_budget_is_compared_in_the_unit_of_the_target(self):
        for head, cell, unit in (
            ("peak_bytes", "{:.0f}".format, "bytes"),
            ("peak_MiB", lambda size: f"{size / 2**20:.4f}", "MiB"),
            ("mem (GB)", lambda size: f"{size / 1e9:.6f}", "GB"),
            ("peak", lambda size: f"{size / 2**30:.6f} GiB", "bytes"),
            ("rss_bytes2", "{:,.0f}".format, None),
        ):
            made = self.fit(head, cell)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertIn(f'line 14, column "{head}": "much" is no number', made.stderr)
            self.assertTrue(made.stdout.startswith(f"{head} = "), made.stdout)
            self.assertEqual(json.loads(self.model.read_text(encoding="utf-8")).get("unit"), unit)
            if unit:
                self.assertIn("max batch within 16.00 GiB: 12\n", self.solved("16GiB").stdout)
                told = run("predict", self.model, "--set", "batch=10")
                self.assertIn("13.97 GiB", told.stdout)

    def test_an_input_takes_no_values_that_its_column_could_not_have_held(self):
        self.fit("peak_bytes", "{:.0f}".format)
        for value in ("2.5", "-5", "0"):
            refused = run("predict", self.model, "--set", f"batch={value}")
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))
            self.assertIn(
                f"predict: batch: takes whole numbers above 0, as the samples had, not {value}\n", refused.stderr
            )
        points = self.folder / "points.csv"
        points.write_text("batch\n4\n2.5\n", encoding="utf-8")
        refused = run("predict", self.model, "--points", points)
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("points.csv: row 2: 'batch' takes whole numbers above 0", refused.stderr)

    def test_where_not_even_1_fits_the_answer_is_0(self):
        self.fit("peak_bytes", "{:.0f}".format)
        made = self.solved("1KiB")
        self.assertEqual((made.returncode, made.stderr), (3, ""))
        self.assertEqual(made.stdout, "max batch within 1.00 KiB: 0; not even 1 fits\n")

    def test_a_budget_alone_gives_a_verdict(self):
        self.fit("peak_bytes", "{:.0f}".format)
        fits = run("predict", self.model, "--set", "batch=10", "--budget", "20GB")
        self.assertEqual(fits.returncode, 0)
        self.assertRegex(fits.stdout, r"^takes up to .* of 18\.63 GiB, fits with .* left\n")
        exceeds = run("predict", self.model, "--set", "batch=10", "--budget", "14GB", "--json")
        self.assertEqual((exceeds.returncode, json.loads(exceeds.stdout)["verdict"]), (3, "does not fit"))
        self.assertIn(", does not fit, ", run("predict", self.model, "-s", "batch=10", "-b", "14GB").stdout)

    def test_what_would_be_passed_over_is_refused(self):
        self.fit("peak_bytes", "{:.0f}".format)
        for words, told in (
            (("--set", "batch=4", "--set", "batch=5"), "the input 'batch' is given twice"),
            (("--points", "points.csv", "--budget", "16GiB"), "--budget is for one point"),
            (("--max", "batch"), "--max batch needs a --budget"),
            (("--set", "batch=4", "--level", "0.4"), "--level is a probability from 0.5 to 0.999, not 0.4"),
        ):
            made = run("predict", self.model, *words)
            self.assertEqual((made.returncode, made.stdout), (2, ""), words)
            self.assertIn(told, made.stderr)

    def test_a_table_without_rows_fails(self):
        path = self.folder / "table.csv"
        path.write_text("batch,peak,status\n", encoding="utf-8")
        empty = run("fit", path, "--target", "peak")
        self.assertEqual((empty.returncode, empty.stdout), (1, ""))
        self.assertEqual(empty.stderr, f"memmodel fit: {path}: has no rows\n")
        path.write_text("batch,peak,status\n1,2,ok\n2,3,ok\n", encoding="utf-8")
        none_pass = run("fit", path, "--target", "peak", "--filter", "status=oom")
        self.assertEqual((none_pass.returncode, none_pass.stdout), (1, ""))
        self.assertEqual(none_pass.stderr, f"memmodel fit: {path}: has no rows that pass --filter\n")

    def test_columns_of_text_that_are_passed_over_are_named(self):
        path = self.folder / "table.csv"
        rows = [f"{'ab'[batch % 2]},{batch},{5e9 + 1e9 * batch},none" for batch in range(1, 13)]
        path.write_text("\n".join(["model,batch,peak,notes", *rows]) + "\n", encoding="utf-8")
        made = run("fit", path)
        self.assertTrue(made.stdout.startswith("peak = "), made.stdout)
        self.assertIn('note: column "model" is text and is left out\n', made.stderr)
        self.assertIn('note: column "notes" is text: the target is "peak", the last column of numbers\n', made.stderr)
        self.assertNotIn("is text", run("fit", path, "--target", "peak", "--inputs", "batch").stderr)

    def test_a_budget_with_a_unit_needs_a_model_with_one(self):
        self.fit("vram", lambda size: f"{size / 2**20:.4f}")
        refused = self.solved("16GiB")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("unit 'vram' is", refused.stderr)
        self.assertIn("max batch within 16384: 12\n", self.solved("16384").stdout)
        self.fit("vram", lambda size: f"{size / 2**20:.4f}", "--unit", "vram=MiB", "--unit", "batch=1")
        self.assertIn("max batch within 16.00 GiB: 12\n", self.solved("16GiB").stdout)

    def test_what_run_notes_besides_is_neither_target_nor_input(self):
        made = self.fit("peak_bytes", "{:.0f}".format)
        self.assertIn("peak_bytes = ", made.stdout)
        self.assertIn('column "seconds" is what memmodel run notes', made.stderr)
        self.assertNotIn("seconds", self.model.read_text(encoding="utf-8"))
        made = self.fit("peak_bytes", "{:.0f}".format, "--target", "seconds", "--inputs", "batch")
        self.assertIn("seconds = ", made.stdout)


class Tables(unittest.TestCase):
    def test_a_table_comes_by_standard_input(self):
        table = "x;bytes\n" + "".join(f"{x};{100 + 7 * x}\n" for x in range(1, 12))
        made = subprocess.run([TOOL, "fit", "-", "--target", "bytes"], input=table, capture_output=True, text=True,
                              check=False)  # fmt: skip
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(made.stdout.splitlines()[0], "bytes = 7*x + 100")


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_a_long_search_and_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "runs.csv"
            rows = [(x, y, 1000 + 7 * x * y**2 + 31 * (x * 7 % 5)) for x in range(1, 9) for y in range(1, 9)]
            table.write_text("x,y,bytes\n" + "".join(f"{x},{y},{z}\n" for x, y, z in rows), encoding="utf-8")
            words = [TOOL, "fit", table, "--target", "bytes", "--search", "--max-evaluations", "1000000000"]
            with subprocess.Popen([*words, "--max-seconds", "600"], stderr=subprocess.PIPE, text=True) as search:
                time.sleep(3)
                self.assertIsNone(search.poll())
                search.send_signal(signal.SIGINT)
                told = search.communicate(timeout=60)[1]
        self.assertEqual(search.returncode, 130)
        self.assertIn("memmodel fit: interrupted; ", told.splitlines()[-1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
