"""Checks that no tracked file says where it was made, and that the library does not call itself unfinished.

usage: leftovers.py SOURCE_ROOT
"""

import gzip
import pathlib
import re
import subprocess
import sys

# An absolute path starts after nothing that could be the word before a division or the host of an address.
ABSOLUTE_PATH = re.compile(r"(?<![\w./)\]}*%$>~-])/([A-Za-z]\w*)/\w[^/\s]*(/?)")
ON_EVERY_MACHINE = {"bin", "dev", "etc", "lib", "lib64", "proc", "sys", "usr", "var"}
ON_NO_MACHINE = {"nonexistent", "nowhere"}  # how tests name a path that is not there
IN_DOCUMENTS = {"metadata", "spec"}  # JSON Pointers into objects of Kubernetes
APPENDED = re.compile(r'[A-Z_]{2,} "$')  # in C: TEST_DATA "/folder/file"

# Quoted, or before '=', it is the word of torch.fx and of HTML.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|not imple" r"mented|placeh" r"older(?![\"=])|st" r"ubs?)\b")
FINISHED_FOLDERS = ("lib/", "bindings/", "include/")

# Paths in it start at the top of the checkout.
ROOTED = {".gitignore"}
NAMES_LIKE_PATHS = {".onnx"}  # exported models name tensors by layer and operator, after slashes

SKIPPED = 77


def tracked(root):
    result = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=False, stdout=subprocess.PIPE, text=True)
    return result.stdout.split("\0")[:-1] if result.returncode == 0 else None


def problems_of(name, text):
    for number, line in enumerate(text.splitlines(), start=1):
        for match in ABSOLUTE_PATH.finditer(line):
            known = match[1] in ON_EVERY_MACHINE | ON_NO_MACHINE | IN_DOCUMENTS or (match[1] == "tmp" and not match[2])
            if not known and not APPENDED.search(line[: match.start()]):
                yield f"{name}:{number}: a path of one machine: {match[0]}"
        if name.startswith(FINISHED_FOLDERS) and (match := UNFINISHED.search(line)):
            yield f"{name}:{number}: unfinished by its own words: {match[0]}"


def text_of(path):
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    return content.decode("utf-8", errors="replace")


def main(root):
    names = tracked(root)
    if names is None:
        print("not a git checkout")
        return SKIPPED
    problems = []
    for name in names:
        path = root / name
        if path.is_file() and path.name not in ROOTED and path.suffix not in NAMES_LIKE_PATHS:
            problems += problems_of(name, text_of(path))
    print(*problems, f"{len(names)} tracked files", sep="\n")
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
