"""How the pages look that the tool and the case study write, in Chromium: wide and narrow, light and dark.

usage: test_pages.py TOOL UNET3D CASE_STUDY PYTHON PACKAGE LIBRARY [TEST...]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser

TOOL, UNET3D, CASE_STUDY, PYTHON, PACKAGE, LIBRARY = (pathlib.Path(argument).absolute() for argument in sys.argv[1:7])
STUDY = pathlib.Path(__file__).resolve().parents[3] / "examples" / "case-study"
WIDTHS = (1280, 400)
TICKS = "byteTicks({top}, 6).map((tick) => tick[1])"


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def looks_right(self, page):
        for width in WIDTHS:
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    self.browser.look(width, dark=dark)
                    self.browser.open(page)
                    self.assertEqual(self.browser.faults(), [])
                    self.assertEqual(self.browser.errors, [])

    def report(self, *options):
        network, page = self.path / "network.json", self.path / "report.html"
        subprocess.run([UNET3D, "--dim", "32", "-o", network], check=True, capture_output=True)
        command = [TOOL, "estimate", network, "-s", "batch=2,dim=64", "--html", page, *options]
        subprocess.run(command, check=True, capture_output=True)
        return page

    def run_timeline(self):
        page = self.path / "run.html"
        work = "import time\nheld = []\nfor _ in range(20): held.append(bytearray(3_000_000)); time.sleep(0.01)"
        subprocess.run([TOOL, "run", "--interval", "0.01", "-o", page, "--", sys.executable, "-c", work],
                       check=True, capture_output=True)
        return page

    def test_the_page_of_a_training_looks_right(self):
        self.looks_right(self.report("--gpu", "a100", "--mesh", "dp=2", "--data", "ddp"))

    def test_the_page_of_a_textbook_looks_right(self):
        self.looks_right(self.report("--framework", "textbook"))

    def test_the_page_of_a_run_looks_right(self):
        self.looks_right(self.run_timeline())

    def test_ticks_are_round_and_in_one_unit(self):
        self.browser.look(1280)
        self.browser.open(self.report())
        expected = {  # steps are 1, 2 or 5 times a power of ten, at most six of them
            "1000": ["0", "200 bytes", "400 bytes", "600 bytes", "800 bytes", "1,000 bytes"],
            "3 * 1024": ["0", "0.5 KiB", "1.0 KiB", "1.5 KiB", "2.0 KiB", "2.5 KiB", "3.0 KiB"],
            "71.4 * Math.pow(1024, 3)": ["0", "20 GiB", "40 GiB", "60 GiB"],
        }
        for top, texts in expected.items():
            self.assertEqual(self.browser.evaluate(TICKS.format(top=top)), texts)

    def test_the_keyboard_moves_the_timelines(self):
        self.browser.look(1280)
        for page, said in ((self.report(), "at_cursor"), (self.run_timeline(), "tip")):
            self.browser.open(page)
            self.browser.evaluate("document.getElementById('plot').focus()")
            self.browser.press("ArrowRight", 39)
            first = self.browser.evaluate(f"document.getElementById('{said}').textContent")
            self.browser.press("ArrowRight", 39)
            second = self.browser.evaluate(f"document.getElementById('{said}').textContent")
            self.assertTrue(first)
            self.assertNotEqual(first, second)

    def test_a_table_of_many_layers_begins_with_200(self):
        self.browser.open(self.report())
        self.browser.evaluate("""(() => { const layer = data.layers[0];
            data.layers = Array.from({ length: 1000 }, (_, i) => ["layer" + i, ...layer.slice(1)]); layers(); })()""")
        rows = "document.querySelectorAll('#layers tbody tr').length"
        self.assertEqual(self.browser.evaluate(rows), 200 + 1)  # and the total
        self.browser.evaluate("document.getElementById('all_layers').click()")
        self.assertEqual(self.browser.evaluate(rows), 1000 + 1)
        self.assertFalse(self.browser.evaluate("Boolean(document.getElementById('all_layers').offsetParent)"))

    def test_the_page_of_the_case_study_looks_right(self):
        environment = {**os.environ, "PYTHONPATH": PACKAGE, "MEMMODEL_LIBRARY": LIBRARY}
        there = subprocess.run([PYTHON, "-c", "import matplotlib"], check=False, capture_output=True)
        if there.returncode:
            self.skipTest("matplotlib is not installed (build/venv/python)")
        subprocess.run([PYTHON, STUDY / "demo.py", "--program", CASE_STUDY, "--output", self.path], check=True,
                       capture_output=True, env=environment)
        self.looks_right(self.path / "report.html")


if __name__ == "__main__":
    if not browser.chromium():
        print("skipped: there is no Chromium here (Debian: apt-get install chromium)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[7:])
