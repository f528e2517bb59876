"""Fits and predictions from Python: the tool's own results, bit for bit, and arrays as scalars."""

import ctypes
import json
import math
import pickle
import subprocess
import tempfile
import unittest
from pathlib import Path

import memmodel
import networks

try:
    import numpy
except ImportError:
    numpy = None


def tool(*words):
    return subprocess.run([networks.TOOL, *map(str, words)], check=True, capture_output=True, text=True).stdout


class Fit(unittest.TestCase):
    def test_it_is_the_tools_fit_bit_for_bit(self):
        for path in (networks.TORCH_SAMPLES, networks.KERAS_SAMPLES):
            words = ("fit", path, "--filter", "status=ok", "--target", "peak_bytes", "--inputs", "dim,batch", "--json")
            samples = memmodel.Samples.load(path).filter(status="ok")
            model = memmodel.fit(samples, "peak_bytes", ["dim", "batch"])
            self.assertEqual(model.to_json(), tool(*words))

    def test_a_networks_own_term_is_the_tools(self):
        net = networks.unet3d()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "unet.json"
            net.save(path)
            words = ("--target", "peak_bytes", "--inputs", "dim,batch", "--network", path, "--basis", "user", "--json")
            expected = tool("fit", networks.TORCH_SAMPLES, *words)
        model = memmodel.fit(networks.TORCH_SAMPLES, "peak_bytes", ["dim", "batch"], network=net, basis="user")
        self.assertEqual(model.to_json(), expected)

    def test_squared_errors_take_a_target_of_any_sign(self):
        # y = 3 - 2 a max(b - 2, 0), without an error
        rows = [(a, b) for a in range(6) for b in range(5)]
        y = [3 - 2 * a * max(b - 2, 0) for a, b in rows]
        table = {"a": [a for a, _ in rows], "b": [b for _, b in rows], "y": y}
        model = memmodel.fit(table, "y", loss="squared")
        self.assertAlmostEqual(model(a=3, b=4), -9, places=9)
        self.assertAlmostEqual(model.scores.r2, 1, places=9)
        self.assertTrue(math.isnan(model.scores.loo_mape))
        self.assertAlmostEqual(model.output_range[0], -17 - 2, places=12)  # the least is -17, a tenth of the range 2
        self.assertEqual(model(a=5, b=4), model(a=50, b=4))
        self.assertTrue(model.predict(a=50, b=4).extrapolated)
        chosen = [entry for entry in model.front if entry.selected]
        self.assertEqual([entry.formula for entry in chosen], [model.formula()])
        self.assertEqual(sorted(entry.node_count for entry in model.front), [entry.node_count for entry in model.front])
        self.assertEqual(pickle.loads(pickle.dumps(model)).to_json(), model.to_json())
        self.assertIn("R2 1.000", repr(model))
        with self.assertRaisesRegex(memmodel.DataError, "row 1.*squared"):
            memmodel.fit({"a": [1, 2, 3, 4], "y": [0, 1, 2, 3]}, "y")

    def test_progress_is_reported_to_what_returns_nothing(self):
        told = []
        columns = {"x": [1.0, 2, 3, 4, 5, 6], "y": [2.0, 9, 28, 66, 125, 217]}
        memmodel.fit(columns, search=True, max_evaluations=400, progress=lambda now: told.append(now.done))
        self.assertTrue(told)
        with self.assertRaises(memmodel.CancelledError):
            memmodel.fit(columns, search=True, max_evaluations=400, progress=lambda now: "stop")

    def test_other_losses_search_trees_too(self):
        rows = [(1.1 * x, 0.9 * z) for x in range(1, 8) for z in range(1, 7)]
        law = [20 * x / (x + z) ** 2 for x, z in rows]
        table = {
            "x": [x for x, _ in rows],
            "z": [z for _, z in rows],
            "y": [5 * y if i == 10 else y for i, y in enumerate(law)],
        }
        model = memmodel.fit(table, "y", loss="mape", basis="general", search=True, max_evaluations=24000)
        for value, y in zip(model.evaluate(table), law):  # it skips the outlier
            self.assertAlmostEqual(float(value), y, 9)

    def test_models_of_positive_terms_have_no_output_range_but_a_front(self):
        model = memmodel.fit({"n": [1, 2, 3, 4, 5, 6], "peak": [3.0, 5, 7, 9, 11, 13]}, "peak")
        self.assertIsNone(model.output_range)
        self.assertEqual([entry.formula for entry in model.front if entry.selected], [model.formula()])
        self.assertEqual(model.front[0].node_count, 1)  # the constant
        self.assertGreater(model.front[0].nested_cv_error, 0.3)
        self.assertLess(model.front[-1].nested_cv_error, 1e-9)
        self.assertEqual(memmodel.Model.from_json(model.to_json()).front, model.front)
        self.assertTrue(math.isnan(model.scores.r2))

    def test_an_input_takes_no_values_that_its_column_could_not_have_held(self):
        model = memmodel.fit({"n": [1, 2, 3, 4, 5, 6], "peak": [3.0, 5, 7, 9, 11, 13]}, "peak")
        for value in (2.5, -5, 0):
            refused = f"^n: takes whole numbers above 0.* not {value}$"
            with self.assertRaisesRegex(memmodel.InvalidArgumentError, refused):
                model.predict(n=value)
            with self.assertRaisesRegex(memmodel.InvalidArgumentError, "^n: takes whole numbers"):
                model.predict(n=value)
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, r"^n: .*not 2.5 \(row 2\)$"):
            model.predict({"n": [1.0, 2.5]})
        self.assertAlmostEqual(model(n=2.5), 6)
        self.assertAlmostEqual(float(model.evaluate({"n": [2.5]})[0]), 6)
        self.assertEqual(memmodel.Model.from_json(model.to_json()).predict_max("n", 9.5), 4)
        two = memmodel.fit({"n": [1, 2, 3, 4] * 3, "m": [1] * 4 + [2] * 4 + [3] * 4,
                            "peak": [1 + n * m for m in (1, 2, 3) for n in (1, 2, 3, 4)]}, "peak")
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, "^m: takes whole numbers"):
            two.predict_max("n", 9, m=0.5)

    def test_the_selection_is_said_by_name(self):
        table = {"n": [1, 2, 3, 4, 5, 6, 7, 8], "y": [5.0, 4, 6, 5, 4, 6, 5, 4]}
        smallest = memmodel.fit(table, "y", loss="squared", selection="one_standard_error")
        self.assertEqual(smallest.scores.term_count, 1)  # the mean: nothing is better by more than one standard error
        shortest = memmodel.fit(table, "y", loss="squared", selection="description_length").to_json()
        self.assertEqual(shortest, memmodel.fit(table, "y", loss="squared").to_json())
        with self.assertRaisesRegex(ValueError, "one_standard_error"):
            memmodel.fit(table, "y", selection="least")

    def test_tables_of_any_kind_give_the_same_model(self):
        table = {"n": [1, 2, 3, 4, 5, 6], "peak": [3.0, 5, 7, 9, 11, 13]}
        expected = memmodel.fit(table, "peak").to_json()
        self.assertEqual(memmodel.fit(memmodel.Samples(table), "peak").to_json(), expected)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            memmodel.Samples(table).save(path)
            self.assertEqual(memmodel.fit(str(path), "peak").to_json(), expected)
        if numpy:
            arrays = {name: numpy.array(values) for name, values in table.items()}
            self.assertEqual(memmodel.fit(arrays, "peak").to_json(), expected)
        try:
            import pandas
        except ImportError:
            return
        frame = pandas.DataFrame({"host": ["a"] * 6, **table})
        self.assertEqual(memmodel.fit(frame, "peak").to_json(), expected)

    def test_given_terms_and_what_is_wrong_with_them(self):
        table = {"n": [1, 2, 3, 4, 5, 6], "peak": [3.0, 5, 7, 9, 11, 13]}
        self.assertAlmostEqual(memmodel.fit(table, "peak", terms=["n"], basis="user")(n=10), 2 * 10 + 1)
        with self.assertRaises(memmodel.ParseError):
            memmodel.fit(table, "peak", terms=["n +"])
        with self.assertRaises(memmodel.NotFoundError):
            memmodel.fit(table, "peek")
        with self.assertRaises(memmodel.DataError):
            memmodel.fit({"n": [1, 2], "peak": [1, 2]}, "peak")
        with self.assertRaisesRegex(TypeError, "inputs"):
            memmodel.fit(table, "peak", "n")

    def test_notes_go_to_the_log(self):
        with self.assertLogs("memmodel", "WARNING") as logged:
            memmodel.fit({"n": [1, 2, 3, 4, None], "peak": [2, 4, 6, 8, 10]}, "peak")
        self.assertIn("1 of 5 rows", logged.output[0])


class Units(unittest.TestCase):
    def fitted(self, name, scale):
        batches = range(1, 13)
        return memmodel.fit({"batch": batches, name: [(5e9 + 1e9 * batch) / scale for batch in batches]}, name)

    def test_a_model_has_the_unit_of_its_column(self):
        for name, unit, scale in (
            ("peak_bytes", "bytes", 1), ("mem (GB)", "GB", 1e9), ("peak_MiB", "MiB", 2**20), ("peak", None, 1),
        ):  # fmt: skip
            model = self.fitted(name, scale)
            again = memmodel.Model.from_json(model.to_json())
            self.assertEqual((again.unit, again.unit_bytes), (unit, unit and scale))
            if unit:  # 5 GB and 1 GB a sample: 10 are 15 GB, and 16 GiB are 17.18 GB
                self.assertEqual((again.predict_max("batch", "15.9GB"), again.predict_max("batch", "16GiB")), (10, 12))


class EarlyEnds(unittest.TestCase):
    """Peaks of 1e9 + 900 batch dim^3 bytes, and runs above 16 GB that are killed."""

    ROWS = [(dim, batch) for dim in (32, 64, 96) for batch in (1, 2, 4, 8)]
    LARGE = [(192, 4), (192, 8), (256, 2), (256, 4)]

    def fitted(self, ends, **options):
        lines = ["dim,batch,peak_bytes,seconds,status"]
        lines += [f"{dim},{batch},{1e9 + 900 * batch * dim**3:.0f},9,ok" for dim, batch in self.ROWS]
        lines += [f"{dim},{batch},{end}" for (dim, batch), end in zip(self.LARGE, ends, strict=False)]
        return memmodel.fit(memmodel.Samples.from_csv("\n".join(lines) + "\n"), "peak_bytes", **options)

    def test_limits_that_are_met_change_nothing(self):
        dropped = self.fitted([])
        for ends in (["15000000000,3,signal 9"] * 4, ["OOM,3,oom"] * 4, ["15000000000,3,limit"] * 4):
            model = self.fitted(ends, capacity="16GB")
            self.assertEqual(model.formula(), dropped.formula())
            self.assertEqual((model.scores.censored, model.scores.sample_count), (4, len(self.ROWS)))
            self.assertEqual(memmodel.Model.from_json(model.to_json()).scores.censored, 4)

    def test_whatever_a_status_says_but_success_is_an_early_end(self):
        dropped = self.fitted([])
        low = "1000000000,3,"  # what a run had when it ended; measured, it would turn every formula away
        for status in ("killed", "Killed", "OOMKilled", "OUT_OF_MEMORY", "CUDA out of memory", "failed", "TIMEOUT"):
            model = self.fitted([low + status] * 4)
            self.assertEqual(model.scores.censored, 4, status)
            self.assertEqual(model.formula(), dropped.formula(), status)
        for status in ("ok", "COMPLETED", "success", "", "n/a", "exit 0"):
            self.assertEqual(self.fitted([low + status] * 4).scores.censored, 0, status)

    def test_a_status_that_no_system_writes_is_named(self):
        with self.assertLogs("memmodel", "WARNING") as logged:
            self.fitted(["9000000000,3,warm"] * 4)
        named = [line for line in logged.output if "status" in line]
        self.assertEqual(len(named), 1, named)
        self.assertIn('row 13 has the status "warm", which is not "ok"', named[0])

    def test_every_loss_goes_up_to_what_runs_had_reached(self):
        line = [(batch, 1e9 + 1e8 * batch) for batch in range(1, 9)]
        for loss in ("relative", "squared", "mape", "absolute", "log_ratio"):
            for status, reading in (("exit 1", 30e9), ("out of memory", 20e9), ("signal 9", 20e9)):
                lines = ["batch,peak_bytes,status", *(f"{batch},{peak},ok" for batch, peak in line)]
                lines += [f"{batch},{reading},{status}" for batch in (32, 33, 34)]
                table = memmodel.Samples.from_csv("\n".join(lines) + "\n")
                model = memmodel.fit(table, "peak_bytes", loss=loss, capacity=30e9)
                dropped = memmodel.fit(table.filter(status="ok"), "peak_bytes", loss=loss)
                self.assertLess(dropped(batch=33), 5e9)
                self.assertGreater(model(batch=33), 2 * dropped(batch=33), (loss, status))

    def test_the_log_says_above_how_many_limits_the_formula_lies_and_of_no_missing_value(self):
        with self.assertLogs("memmodel", "WARNING") as logged:
            self.fitted(["OOM,3,oom"] * 4, capacity="16GB")
        said = "\n".join(logged.output)
        self.assertIn("4 rows ended early", said)
        self.assertIn("lies above it for 4 of them", said)
        self.assertNotIn("value is missing", said)

    def test_a_row_without_a_limit_is_named_and_left_out(self):
        with self.assertLogs("memmodel", "WARNING") as logged:
            model = self.fitted(["OOM,3,oom"])
        self.assertIn("row 13 ended early, but neither a reading nor a capacity", "\n".join(logged.output))
        self.assertEqual(model.scores.censored, 0)
        with self.assertRaises(memmodel.InvalidArgumentError):
            self.fitted([], capacity=-1)


class OnePoint(unittest.TestCase):
    def setUp(self):
        self.model = networks.model()

    def test_it_predicts_by_name_in_any_order(self):
        prediction = self.model.predict(batch=2, dim=64, level=0.95)
        self.assertAlmostEqual(prediction.value, 1000 * 64**2 * 2 + 500_000, delta=1)
        self.assertGreaterEqual(prediction.upper, prediction.value)
        self.assertFalse(prediction.extrapolated)
        self.assertEqual(self.model.predict(dim=64, batch=2), prediction)
        self.assertEqual(self.model(dim=64, batch=2), prediction.value)
        self.assertEqual(self.model.predict({"dim": 64, "batch": 2}), prediction)
        self.assertTrue(self.model.predict(dim=1000, batch=2).extrapolated)

    def test_it_predicts_as_the_tool_does(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.json"
            model = memmodel.fit(networks.KERAS_SAMPLES, "peak_bytes", ["dim", "batch"])
            model.save(path)
            said = json.loads(tool("predict", path, "--set", "dim=96", "--set", "batch=2", "--level", "0.9", "--json"))
            largest = tool("predict", path, "--set", "dim=128", "--max", "batch", "--budget", "16GiB").splitlines()[0]
            again = memmodel.Model.load(path)
        prediction = again.predict(dim=96, batch=2, level=0.9)
        expected = {**prediction._asdict(), "method": prediction.method.replace("_", "-")}
        self.assertEqual([{name: row[name] for name in expected} for row in said["rows"]], [expected])
        self.assertEqual(largest, f"max batch within 16.00 GiB: {again.predict_max('batch', '16GiB', dim=128)}")

    def test_a_bound_is_by_the_method_that_is_asked_for(self):
        model = memmodel.fit(networks.KERAS_SAMPLES, "peak_bytes", ["dim", "batch"])
        by = {method: model.predict(dim=64, batch=4, method=method) for method in ("conformal", "student-t")}
        self.assertEqual([one.method for one in by.values()], ["conformal", "student_t"])
        default = model.predict(dim=64, batch=4)
        self.assertEqual(default.upper, max(one.upper for one in by.values()))
        self.assertIn(default, by.values())
        # n points support at most n / (n + 1) whatever the errors' distribution
        self.assertTrue(0.5 < default.distribution_free_level <= 1 - 1 / (default.calibration_count + 1))
        if numpy:
            many = model.predict({"dim": [64.0, 96.0], "batch": [4.0, 2.0]}, method="conformal")
            self.assertEqual(many.upper[0], by["conformal"].upper)
        for wrong in ("larger", 77, None, [1]):
            with self.assertRaisesRegex((TypeError, ValueError), "^method: "):
                model.predict(dim=64, batch=4, method=wrong)

    def test_levels_between_the_usual_ones_lie_between(self):
        model = memmodel.fit(networks.KERAS_SAMPLES, "peak_bytes", ["dim", "batch"])
        bounds = [model.predict(dim=64, batch=4, level=level).upper for level in (0.9, 0.94, 0.95, 0.96, 0.99)]
        self.assertEqual(bounds, sorted(bounds))

    def test_inputs_that_do_not_match_are_named(self):
        for inputs, name in (
            ({"dim": 1}, "batch"), ({"dim": 1, "batch": 2, "more": 3}, "more"), ({"dim": 1, "bach": 2}, "batch"),
            ({"dim": "1", "batch": 2}, "dim"), ({"dim": None, "batch": 2}, "dim"), ({"dim": [1, 2], "batch": 2}, "dim"),
        ):  # fmt: skip
            for call in (self.model, self.model.predict):
                with self.assertRaisesRegex(TypeError, f"^{name}: "):
                    call(**inputs)
        with self.assertRaisesRegex(OverflowError, "^dim: "):
            self.model(dim=10**400, batch=1)
        for level in (0.4, 1, math.nan, -1):
            with self.assertRaisesRegex(memmodel.InvalidArgumentError, "level"):
                self.model.predict(dim=1, batch=1, level=level)
        with self.assertRaisesRegex(TypeError, "level"):
            self.model.predict(dim=1, batch=1, level="high")

    def test_numbers_that_are_no_numbers_give_none(self):
        self.assertTrue(math.isnan(self.model(dim=math.nan, batch=1)))

    def test_predict_max_finds_the_last_that_fits(self):
        largest = self.model.predict_max("batch", 20_000_000, dim=64)
        self.assertLessEqual(self.model.predict(dim=64, batch=largest).upper, 20_000_000)
        self.assertGreater(self.model.predict(dim=64, batch=largest + 1).upper, 20_000_000)
        with self.assertRaisesRegex(ValueError, "unit of peak"):
            self.model.predict_max("batch", "1kB", dim=64)
        with self.assertRaises(memmodel.NotFoundError):
            self.model.predict_max("bach", 1, dim=64)
        with self.assertRaisesRegex(TypeError, "dim"):
            self.model.predict_max("batch", 1)

    def test_what_a_model_says_of_itself(self):
        self.assertEqual(self.model.inputs, ("dim", "batch"))
        self.assertEqual(self.model.target, "peak")
        self.assertEqual(self.model.domain, {"dim": (16, 128), "batch": (1, 8)})
        self.assertEqual(self.model.scores.sample_count, 16)
        for language in ("python", "c"):
            self.assertIn("dim", self.model.formula(language))
        value = eval(self.model.formula("python"), {"dim": 48.0, "batch": 3.0, "math": math})
        self.assertEqual(value, self.model(dim=48, batch=3))
        self.assertIn("peak", repr(self.model))

    def test_json_and_pickles_make_the_same_model(self):
        for copy in (memmodel.Model.from_json(self.model.to_json()), pickle.loads(pickle.dumps(self.model))):
            self.assertEqual(copy.to_json(), self.model.to_json())
        with self.assertRaises(memmodel.ParseError) as caught:
            memmodel.Model.from_json("{", name="mine")
        self.assertEqual(caught.exception.line, 1)

    def test_a_host_gets_a_plain_c_function(self):
        try:
            function, bound = self.model.function(), self.model.function(level=0.9)
        except memmodel.UnsupportedError:
            self.skipTest("libffi")
        point = (ctypes.c_double * 2)(40, 4)
        self.assertEqual(function.pointer(point), self.model(dim=40, batch=4))
        self.assertEqual(bound.pointer(point), self.model.predict(dim=40, batch=4, level=0.9).upper)


@unittest.skipUnless(numpy, "numpy")
class ManyPoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = networks.model()
        generator = numpy.random.default_rng(1)
        cls.dims = generator.integers(16, 128, 100).astype(float)
        cls.batches = generator.integers(1, 8, 100)
        points = zip(cls.dims, cls.batches)  # noqa: B905
        cls.scalars = [cls.model.predict(dim=dim, batch=batch) for dim, batch in points]

    def assert_as_scalars(self, points):
        self.assertEqual(points.value.tolist(), [one.value for one in self.scalars])
        self.assertEqual(points.upper.tolist(), [one.upper for one in self.scalars])
        self.assertEqual(points.extrapolated.tolist(), [one.extrapolated for one in self.scalars])

    def test_arrays_of_every_kind_have_the_bits_of_scalars(self):
        table = numpy.stack([self.dims, self.batches], axis=1)
        wide = numpy.zeros((100, 4))
        wide[:, ::2] = table
        for data in (
            {"dim": self.dims, "batch": self.batches, "more": "ignored"},
            {"dim": list(self.dims), "batch": tuple(self.batches)},
            table, numpy.asfortranarray(table), wide[:, ::2], table.tolist(), table.astype(">f8"),
        ):  # fmt: skip
            self.assert_as_scalars(self.model.predict(data))

    def test_frames_too(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas")
        self.assert_as_scalars(self.model.predict(pandas.DataFrame({"batch": self.batches, "dim": self.dims})))

    def test_a_single_number_is_for_all_points(self):
        points = self.model.predict({"dim": self.dims, "batch": 4})
        self.assertEqual(points.value[7], self.model(dim=self.dims[7], batch=4))
        self.assertEqual(len(points), 100)
        self.assertEqual(numpy.asarray(points).sum(), points.value.sum())

    def test_contiguous_columns_are_not_copied(self):
        columns = self.model.predict({"dim": self.dims, "batch": 4})._columns
        self.assertTrue(numpy.shares_memory(columns[0], self.dims))

    def test_results_go_where_they_are_wanted(self):
        out = numpy.empty(100)
        self.assertIs(self.model.evaluate({"dim": self.dims, "batch": 4}, out=out), out)
        for wrong, error in (
            (numpy.empty(99), ValueError), (numpy.empty((100, 1)), ValueError), (numpy.empty(200)[::2], ValueError),
            (numpy.empty(100, dtype="f4"), TypeError), (numpy.empty(100, dtype=">f8"), TypeError),
            ([0.0] * 100, TypeError), (numpy.broadcast_to(0.0, 100), ValueError),
        ):  # fmt: skip
            with self.assertRaisesRegex(error, "^out: "):
                self.model.evaluate({"dim": self.dims, "batch": 4}, out=wrong)

    def test_data_that_does_not_match_is_named(self):
        for data, error, name in (
            ({"dim": self.dims}, ValueError, "batch"),
            ({"dim": self.dims, "batch": self.batches[:-1]}, ValueError, "columns"),
            ({"dim": self.dims, "batch": ["a"] * 100}, TypeError, "batch"),
            ({"dim": self.dims, "batch": self.dims * 1j}, TypeError, "batch"),
            ({"dim": self.dims, "batch": numpy.zeros((100, 2))}, ValueError, "batch"),
            (numpy.zeros((5, 3)), ValueError, "data"), (numpy.zeros(5), ValueError, "data"),
            (numpy.zeros((5, 2), dtype=object), TypeError, "dim"), ("text", TypeError, "data"), (7, TypeError, "data"),
            (numpy.zeros((5, 2), dtype="M8[s]"), TypeError, "dim"),
        ):  # fmt: skip
            with self.subTest(data=data), self.assertRaisesRegex(error, f"^{name}: "):
                self.model.predict(data)
        with self.assertRaisesRegex(TypeError, "^batch: "):
            self.model.predict({"dim": self.dims}, batch=4)

    def test_no_points_are_no_predictions(self):
        points = self.model.predict(numpy.zeros((0, 2)))
        self.assertEqual((len(points.value), len(points.upper)), (0, 0))


if __name__ == "__main__":
    unittest.main()
