"""Tables in notebooks: complete, small, escaped."""

import html.parser
import json
import math
import unittest

import memmodel
import networks

HOSTILE = "<script>alert('x')</script>&\"conv"
ALONE = {"br", "hr", "img"}


class Page(html.parser.HTMLParser):
    """The text of a page and its tags; fails where they do not close in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words, self.rows = [], [], [], 0
        self.feed(text)
        self.close()
        if self.open:
            raise AssertionError(f"open at the end: {self.open}")

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.rows += tag == "tr"
        if tag not in ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise AssertionError(f"{tag} closes something else")

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(self.words)


def page(value):
    return Page(value._repr_html_())


class Tables(unittest.TestCase):
    def test_a_report_has_its_peak_its_categories_and_its_layers(self):
        report = memmodel.estimate(networks.classifier(), batch=4)
        shown = page(report)
        self.assertIn(memmodel.format_bytes(report.peak.live), shown.text)
        self.assertIn(report.peak_location, shown.text)
        for name, size in report.categories.items():
            if size:
                self.assertIn(f"{name} {memmodel.format_bytes(size)}", shown.text)
        for layer in report.layers:
            self.assertIn(layer.name, shown.text)
        self.assertEqual(shown.rows, 1 + len(report.layers) + 1)
        self.assertIn("total", shown.text)

    def test_a_report_says_what_is_not_modelled_and_what_was_not_measured(self):
        network = memmodel.Network()
        x = network.input("x", [network.symbol("batch"), 4])
        network.custom([x], [(2, 4)], operation="aten.none_such.default")
        report = memmodel.estimate(network, batch=2, gpu="h100")
        for text in (repr(report), str(report), report._repr_html_()):
            self.assertRegex(text, "not modelled.*none_such")
            self.assertIn("not validated", text)
        written = json.loads(report.to_json())
        self.assertEqual([one["op"] for one in written["unmodelled"]], [one.op for one in report.unmodelled])
        self.assertFalse(written["validated"])

    def test_a_report_of_what_is_known_has_no_reservations(self):
        report = memmodel.estimate(networks.classifier(), batch=2)
        for text in (repr(report), report._repr_html_()):
            self.assertNotRegex(text, "not validated|not modelled")

    def test_a_long_report_shows_the_layers_that_matter_and_counts_the_others(self):
        report = memmodel.estimate(networks.unet3d(), batch=1, dim=32)
        shown = page(report)
        self.assertEqual(shown.rows, 42)
        largest = max(report.layers, key=lambda layer: layer.peak_bytes)
        self.assertIn(largest.name, shown.text)
        self.assertIn(f"{len(report.layers) - 40} layers with less are not shown", shown.text)
        self.assertLess(len(report._repr_html_()), 40_000)

    def test_names_are_escaped(self):
        net = memmodel.Network()
        net.conv(net.input("image", (1, 3, 8, 8)), filters=4, kernel=3, name=HOSTILE)
        shown = page(memmodel.estimate(net))
        self.assertIn(HOSTILE, shown.text)
        self.assertNotIn("script", shown.tags)
        shown = page(memmodel.Samples({HOSTILE: [1.0], "y": [2.0]}))
        self.assertIn(HOSTILE, shown.text)
        self.assertNotIn("script", shown.tags)

    def test_a_model_shows_formula_ranges_and_errors(self):
        model = networks.model()
        shown = page(model)
        for part in (model.formula(), "dim 16 128", "batch 1 8", "16 samples"):
            self.assertIn(part, shown.text)

    def test_a_prediction_says_when_its_bound_is_not_guaranteed(self):
        model = networks.model()
        inside, outside = page(model.predict(dim=32, batch=2)), page(model.predict(dim=4096, batch=2))
        self.assertIn("2,548,000", inside.text)  # 1000 * 32^2 * 2 + 500000
        self.assertNotIn("not guaranteed", inside.text)
        self.assertIn("not guaranteed", outside.text)

    def test_samples_show_their_first_rows_and_name_the_rest(self):
        table = memmodel.Samples.from_csv("batch,peak,machine\n" + "".join(f"{i},{i}000,a\n" for i in range(1, 30)))
        shown = page(table)
        self.assertEqual(shown.rows, 1 + 10)
        self.assertIn("29 rows, the first 10 shown; columns of text: machine", shown.text)
        self.assertIn("10,000", shown.text)

    def test_a_missing_number_is_a_dash(self):
        shown = page(memmodel.Samples({"a": [1.0, math.nan], "b": [2.0, 3.0]}))
        self.assertIn("–", shown.text)

    def test_a_monitor_shows_its_peak(self):
        with memmodel.Monitor() as monitor:
            pass
        self.assertIn("peak", page(monitor).text)

    def test_colours_are_there_for_every_category(self):
        from memmodel import _colours, report

        self.assertLessEqual(set(report.CATEGORIES), set(_colours.CATEGORIES))

    def test_nothing_fixes_the_colour_of_text_or_page(self):
        from memmodel import _html

        self.assertNotRegex(_html.STYLE, r"color: *(#|black|white)")
        self.assertNotRegex(_html.STYLE, r"background: *(#|white)")


if __name__ == "__main__":
    unittest.main()
