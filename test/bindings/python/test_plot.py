"""Pictures: what is drawn is what was computed, in units that people read, with nothing in the way."""

import subprocess
import sys
import unittest

import memmodel
import memmodel.plot
import networks

try:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    matplotlib = None

MIB = 2**20


def overlap(ax):
    """Whether the legend covers a part of the axes."""
    ax.figure.canvas.draw()
    return ax.get_legend().get_window_extent().overlaps(ax.get_window_extent())


@unittest.skipIf(matplotlib is None, "matplotlib")
class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.report = memmodel.estimate(networks.unet3d(filters=4, depth=2), batch=2, dim=32)
        cls.model = networks.model()

    def tearDown(self):
        pyplot.close("all")

    def test_every_function_draws_on_the_axes_it_is_given(self):
        table = {"dim": [16, 32], "batch": [1, 2], "peak": [756_000, 2_548_000]}
        for draw in (
            lambda ax: memmodel.plot.measured(table, self.model, ax=ax),
            lambda ax: memmodel.plot.layers(self.report, ax=ax),
            lambda ax: memmodel.plot.step(self.report, ax=ax),
            lambda ax: memmodel.plot.bound(self.model, "batch", dim=32, ax=ax),
        ):
            ax = pyplot.subplots()[1]
            self.assertIs(draw(ax), ax)
            self.assertNotEqual(ax.get_title() and ax.get_xlabel(), "")

    def test_bars_add_up_to_what_each_layer_holds(self):
        ax = memmodel.plot.layers(self.report)
        self.assertEqual(ax.get_xlabel(), "live at the peak, MiB")
        widths = {}
        for bar in ax.patches:
            row = round(bar.get_y() + bar.get_height() / 2)
            widths[row] = widths.get(row, 0) + bar.get_width()
        held = [layer.peak_bytes / MIB for layer in self.report.layers if layer.peak_bytes]
        self.assertEqual(len(widths), len(held))
        for row, size in enumerate(held):
            self.assertAlmostEqual(widths[row], size)
        self.assertFalse(overlap(ax))

    def test_the_largest_layers_are_shown_in_their_order(self):
        ax = memmodel.plot.layers(self.report, max_layers=5)
        names = [label.get_text() for label in ax.get_yticklabels()]
        held = sorted(self.report.layers, key=lambda layer: -layer.peak_bytes)[:5]
        self.assertEqual(names, [layer.name for layer in self.report.layers if layer in held])
        self.assertIn("the 5 largest of", ax.get_title())

    def test_long_names_lose_their_middle(self):
        net = memmodel.Network()
        x = net.input("image", (1, 3, 8, 8))
        net.conv(x, filters=4, kernel=3, name="encoder.stage_one.block_number_twelve.convolution_of_the_shortcut")
        ax = memmodel.plot.layers(memmodel.estimate(net))
        names = [label.get_text() for label in ax.get_yticklabels()]
        (name,) = (name for name in names if "…" in name)
        self.assertRegex(name, "^encoder.*shortcut$")
        self.assertLessEqual(max(map(len, names)), 36)

    def test_a_step_rises_to_the_peak_and_names_its_parts(self):
        ax = memmodel.plot.step(self.report)
        top = max(area.get_datalim(ax.transData).y1 for area in ax.collections)
        self.assertAlmostEqual(top, self.report.peak.live / MIB, places=6)
        texts = " ".join(text.get_text() for text in ax.texts)
        self.assertIn(memmodel.format_bytes(self.report.peak.live), texts)
        self.assertIn("backward", texts)
        self.assertEqual(ax.get_ylabel(), "live, MiB")
        self.assertFalse(overlap(ax))

    def test_each_step_may_be_asked_for(self):
        for number, peak in enumerate(self.report.step_peaks, start=1):
            ax = memmodel.plot.step(self.report, number=number)
            top = max(area.get_datalim(ax.transData).y1 for area in ax.collections)
            self.assertAlmostEqual(top, peak / MIB, places=6)
        with self.assertRaisesRegex(ValueError, "number"):
            memmodel.plot.step(self.report, number=99)

    def test_the_textbook_has_no_steps(self):
        report = memmodel.estimate(networks.classifier(), framework="textbook", batch=1)
        with self.assertRaisesRegex(ValueError, "textbook"):
            memmodel.plot.step(report)

    def test_the_band_is_the_mean_error(self):
        # 10 % too high, 20 % too low, 0: 10 % on average. What has no number is left out.
        ax = memmodel.plot.measured([1e9, 2e9, 4e9, float("nan")], [1.1e9, 1.6e9, 4e9, 1.0])
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        self.assertIn("mean error, ± 10.0%", labels)
        self.assertIn("3 measurements", labels)
        self.assertEqual(ax.get_xlabel(), "measured bytes, GiB")
        points = next(line for line in ax.lines if line.get_marker() == "o")
        self.assertAlmostEqual(points.get_ydata()[1], 1.6e9 / 2**30)

    def test_bounds_are_the_models_and_the_training_range_is_marked(self):
        ax = memmodel.plot.bound(self.model, "batch", values=[1, 4, 12], dim=32)
        upper, prediction = ax.lines[:2]
        for x, y, top in zip(prediction.get_xdata(), prediction.get_ydata(), upper.get_ydata()):
            answer = self.model.predict(batch=float(x), dim=32)
            self.assertAlmostEqual(y, answer.value)
            self.assertAlmostEqual(top, answer.upper)
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        self.assertIn("training data, 1 to 8", labels)
        self.assertEqual(ax.get_ylabel(), "peak")  # the target does not say that it is bytes

    def test_a_budget_says_what_fits(self):
        # 1000 * 32^2 * batch + 500000 <= 4 MB: batch 3 takes 3.57 MB, batch 4 takes 4.6 MB.
        ax = memmodel.plot.bound(self.model, "batch", dim=32, budget=4e6)
        self.assertIn("batch up to 3", " ".join(text.get_text() for text in ax.get_legend().get_texts()))
        ax = memmodel.plot.bound(self.model, "batch", dim=32, budget=10)
        self.assertIn("nothing fits", " ".join(text.get_text() for text in ax.get_legend().get_texts()))

    def test_wrong_arguments_are_named(self):
        for words, call in (
            ("input: 'q'", lambda: memmodel.plot.bound(self.model, "q")),
            ("predicted: 2 values", lambda: memmodel.plot.measured([1.0, 2.0], [1.0])),
            ("table: no row", lambda: memmodel.plot.measured([0.0], [1.0])),
        ):
            with self.assertRaisesRegex(ValueError, words):
                call()


class WithoutMatplotlib(unittest.TestCase):
    def test_it_is_asked_for_by_name(self):
        code = (
            "import sys; sys.modules['matplotlib'] = None\n"
            "import memmodel, memmodel.plot\n"
            "memmodel.plot.measured([1.0], [1.0])"
        )
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("ImportError: memmodel.plot needs matplotlib: pip install matplotlib", result.stderr)


if __name__ == "__main__":
    unittest.main()
