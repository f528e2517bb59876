"""Checks that every command that a page for users shows is run by a test, or says why not.

usage: guide.py SOURCE_ROOT

A page's ```console and ```sh blocks are run where a test follows the page (test/checks/sessions.py, or one of its own);
blocks behind <!-- not run: REASON --> are left out. A page that no test follows may have no others.
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"(<!-- not run: [^>]*? -->\n\n?)?^```(\w*)(?: \S+)?\n", re.MULTILINE)
COMMANDS = ("console", "sh")

# The test that follows each page.
FOLLOWED = {
    "README.md": None,
    "bindings/lua/README.md": "test/bindings/lua/meson.build",
    "bindings/python/README.md": "test/bindings/python/meson.build",
    "bindings/slurm/README.md": None,
    "bindings/web/README.md": None,
    "doc/guide/distributed.md": "test/golden/meson.build",
    "doc/guide/embedding.md": "test/golden/meson.build",
    "doc/guide/first-steps.md": "test/golden/meson.build",
    "doc/guide/keras.md": "test/frameworks/meson.build",
    "doc/guide/onnx.md": "test/frameworks/meson.build",
    "doc/guide/planning.md": "test/golden/meson.build",
    "doc/guide/pytorch.md": "test/frameworks/meson.build",
    "doc/guide/serving.md": "test/golden/meson.build",
    "doc/guide/slurm.md": "test/bindings/scale/meson.build",
    "examples/kubernetes/README.md": "test/bindings/kubernetes/test_server.py",
    "examples/slurm/README.md": "test/bindings/slurm/test_loop.py",
}


def blocks(text):
    """(line, language, whether it says why it is not run) of each that opens; every second fence closes."""
    inside = False
    for match in BLOCK.finditer(text):
        if not inside:
            yield text[: match.start()].count("\n") + 1, match[2], bool(match[1])
        inside = not inside


def problems(root, path):
    name = str(path.relative_to(root))
    followed = FOLLOWED.get(name)
    if followed and path.stem not in (root / followed).read_text(encoding="utf-8"):
        yield f"{name}: {followed} does not name it"
    for line, language, excused in blocks(path.read_text(encoding="utf-8")):
        if language in COMMANDS and not excused and not followed:
            yield f"{name}:{line}: no test runs this {language} block: follow the page, or say <!-- not run: WHY -->"


def pages(root):
    folders = ("doc/guide/*.md", "bindings/*/README.md", "examples/*/README.md")
    return [root / "README.md", *(path for folder in folders for path in sorted(root.glob(folder)))]


def main(root):
    root = pathlib.Path(root)
    found = [problem for path in pages(root) for problem in problems(root, path)]
    print(*found, f"{len(pages(root))} pages", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
