"""Checks that the headers and NEWS.md speak of the version that meson builds.

usage: version.py SOURCE_ROOT VERSION
"""

import pathlib
import re
import sys


def main(root, version):
    header = (root / "include" / "memmodel" / "version.h").read_text(encoding="utf-8")
    numbers = [re.search(rf"MEMMODEL_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "MICRO")]
    text = re.search(r'MEMMODEL_VERSION "([^"]+)"', header)[1]
    news = re.search(r"^## (\S+)", (root / "NEWS.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    found = {"meson.build": version, "version.h": text, "version.h, in parts": ".".join(numbers), "NEWS.md": news}
    print(*(f"{where}: {what}" for where, what in found.items()), sep="\n")
    return 0 if len(set(found.values())) == 1 else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
