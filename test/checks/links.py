"""Checks that what documents name is there: files behind relative links, headings behind #, paths between backticks.

usage: links.py SOURCE_ROOT PAGES

PAGES is the folder of the pages that the build makes, which lie in doc/api where they are read.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
# a path of this tree: a folder of its top and plain names below
NAMED = re.compile(r"`((?:lib|test|doc|bindings|examples|include|subprojects)/[\w./-]+)`")
EXPECTED = "test/bindings/generate/expected/"  # documents that are compared, and lie elsewhere when they are read
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def documents(root):
    listed = ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(listed, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [root / name for name in names if (root / name).is_file() and not name.startswith(EXPECTED)]


def anchors(path):
    """As GitHub makes them of headings."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    headings = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in HEADING.findall(text)]
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def broken_link(document, folder, target):
    name, _, anchor = target.partition("#")
    path = document.parent / name if name else document
    path = path if path.exists() else Path(os.path.normpath(folder / name))
    if not path.exists():
        return True
    return bool(anchor) and path.suffix == ".md" and anchor not in anchors(path)


def problems(root, document, folder):
    """What is wrong in a document that is read in a folder."""
    text = FENCE.sub("", document.read_text(encoding="utf-8"))
    links = [link for link in LINK.findall(text) if not re.match(r"\w+:", link)]
    yield from (f"the link {link}" for link in links if broken_link(document, folder, link))
    for name in NAMED.findall(text):
        if not (root / name).exists() and not (folder / name).exists():
            yield f"the path {name}"


def main(root, pages):
    read_in = {document: document.parent for document in documents(root)}
    read_in |= dict.fromkeys(sorted(pages.glob("*.md")), root / "doc" / "api")
    found = [
        f"{document}: {problem} leads nowhere"
        for document, folder in read_in.items()
        for problem in problems(root, document, folder)
    ]
    print(*found, f"{len(read_in)} documents", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*(Path(word).resolve() for word in sys.argv[1:])))
