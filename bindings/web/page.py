"""Puts the page together: one file, which needs no server.

usage: page.py OUTPUT MODULE_JS REPORT_FOLDER EXAMPLE PRICES    (the module is MODULE_JS with the ending .wasm)
"""

import base64
import gzip
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
SCRIPTS = ("page.js", "quantity.js", "timeline.js", "placement.js")


def main(output, glue, report, example, prices):
    report = pathlib.Path(report)
    packed = gzip.compress(pathlib.Path(glue).with_suffix(".wasm").read_bytes(), 9, mtime=0)
    module = {
        "module": base64.b64encode(packed).decode(),
        "example": json.loads(pathlib.Path(example).read_text(encoding="utf-8")),
        "prices": pathlib.Path(prices).read_text(encoding="utf-8"),
    }
    parts = {
        "@SECTIONS@": (report / "sections.html").read_text(encoding="ascii"),
        "@STYLE@": (report / "page.css").read_text(encoding="ascii") + (HERE / "page.css").read_text(encoding="ascii"),
        "@WORKER@": pathlib.Path(glue).read_text(encoding="utf-8") + (HERE / "worker.js").read_text(encoding="ascii"),
        "@SCRIPT@": "\n".join((report / name).read_text(encoding="ascii") for name in SCRIPTS)
        + (HERE / "page.js").read_text(encoding="ascii"),
        "@MODULE@": json.dumps(module),
    }
    page = (HERE / "page.html").read_text(encoding="ascii")
    for mark, text in parts.items():
        page = page.replace(mark, text)
    pathlib.Path(output).write_text(page, encoding="utf-8")
    print(f"{output}: {len(page)} bytes, {len(gzip.compress(page.encode(), 9))} compressed")


main(*sys.argv[1:])
