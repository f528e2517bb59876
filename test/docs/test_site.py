"""The documentation as a site: it builds without a warning, and every page fits on a phone, in Chromium.

usage: test_site.py SOURCE_ROOT API_PAGES TOOL
"""

import functools
import http.server
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT, API, TOOL = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
MKDOCS = ROOT / "build/venv/docs/bin/mkdocs"
sys.path.insert(0, str(ROOT / "test/bindings/web"))

import browser  # noqa: E402  (beside the tests of pages)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        pages = [sys.executable, ROOT / "doc/site/pages.py", ROOT, API, TOOL, cls.path / "docs-pages"]
        subprocess.run(pages, check=True, capture_output=True)
        cls.built = cls.build("docs")

    @classmethod
    def build(cls, to):
        """--quiet would count no warnings."""
        command = [MKDOCS, "build", "--strict", "-f", cls.path / "mkdocs.yml", "-d", cls.path / to]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        return subprocess.run(command, check=False, capture_output=True, text=True, env=environment)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_it_builds_without_a_warning(self):
        self.assertEqual(self.built.returncode, 0, self.built.stderr)
        self.assertNotIn("WARNING", self.built.stdout + self.built.stderr)

    def test_every_guide_command_and_header_has_its_page(self):
        for path in [*(ROOT / "doc/guide").glob("*.md"), *API.glob("*.md")]:
            folder = "doc/guide" if path.parent.name == "guide" else "doc/api"
            name = "index" if path.stem == "README" else path.stem
            self.assertTrue((self.path / "docs" / folder / f"{name}.html").exists(), path)
        self.assertTrue((self.path / "docs/doc/tool/estimate.html").exists())

    def test_a_link_that_leads_nowhere_fails_it(self):
        page = self.path / "docs-pages/doc/guide/keras.md"
        text = page.read_text()
        page.write_text(text + "\n[nowhere](first-steps.md#no-such-heading)\n")
        failed = self.build("elsewhere")
        page.write_text(text)
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("no-such-heading", failed.stdout + failed.stderr)

    @unittest.skipUnless(browser.chromium(), "there is no Chromium here")
    def test_every_page_fits_on_a_phone(self):
        answer = functools.partial(Quiet, directory=self.path / "docs")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), answer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with browser.Browser() as page:
            page.look(400)
            for path in sorted((self.path / "docs").rglob("*.html")):
                name = path.relative_to(self.path / "docs")
                if name.name == "404.html":
                    continue
                with self.subTest(str(name)):
                    page.errors.clear()
                    page.call("Page.navigate", url=f"http://127.0.0.1:{server.server_port}/{name}")
                    page.wait("document.readyState === 'complete' && document.querySelectorAll('h1').length > 0")
                    self.assertEqual(page.evaluate(browser.OVERFLOW), [])
                    self.assertEqual(page.errors, [])
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    if not MKDOCS.exists():
        print("skipped: mkdocs-material is not in build/venv/docs: ./run docs sets it up")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
