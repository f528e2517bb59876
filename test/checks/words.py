"""Checks that one thing has one word: the standard term of its field, where words.csv names another word for it.

usage: words.py SOURCE_ROOT [--prove]

A row of words.csv is a regular expression, matched without regard to case, also over the end of a line; the standard
term; an example of what it finds; and a regular expression for "FILE:TEXT OF THE LINE" where it does not count. A row
without a pattern leaves out whole files, and says why. With --prove the examples are searched in place of the sources,
and each row has to find its own.
"""

import csv
import dataclasses
import pathlib
import re
import sys
from collections.abc import Iterator

FOLDERS = ("include", "lib", "bindings", "doc")
FILES = ("README.md", "NEWS.md")
SUFFIXES = {".c", ".h", ".in", ".js", ".lua", ".map", ".md", ".py", ".pyi", ".toml"}

# With words that nobody writes.
MADE = re.compile(r"/__pycache__/")


@dataclasses.dataclass(frozen=True)
class Word:
    pattern: re.Pattern[str]
    term: str
    example: str
    exception: re.Pattern[str] | None

    def finds(self, name: str, text: str) -> Iterator[str]:
        for match in self.pattern.finditer(text):
            first = text.rfind("\n", 0, match.start()) + 1
            line = text[first : text.find("\n", match.start())]
            if not (self.exception and self.exception.search(f"{name}:{line}")):
                words = " ".join(match[0].split())
                yield f"{name}:{text.count(chr(10), 0, first) + 1}: '{words}'; the standard term: {self.term}"


def read_table(path: pathlib.Path) -> tuple[list[Word], list[re.Pattern[str]]]:
    """The words, and the files that are left out."""
    words, left_out = [], []
    with path.open(encoding="utf-8", newline="") as file:
        for pattern, term, example, where in list(csv.reader(file))[1:]:
            exception = re.compile(where) if where else None
            if pattern:
                flowing = pattern.replace(" ", r"\s+(?:[*#/-]+\s+)?")
                words.append(Word(re.compile(flowing, re.IGNORECASE), term, example, exception))
            elif exception:
                left_out.append(exception)
    return words, left_out


def sources(root: pathlib.Path, left_out: list[re.Pattern[str]]) -> Iterator[tuple[str, str]]:
    paths = [root / name for name in FILES]
    for folder in FOLDERS:
        paths += sorted(path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES and path.is_file())
    for path in paths:
        name = path.relative_to(root).as_posix()
        if not MADE.search(name) and not any(pattern.search(name) for pattern in left_out):
            yield name, path.read_text(encoding="utf-8") + "\n"


def prove(words: list[Word]) -> list[str]:
    """The rows whose example is not found."""
    return [
        f"'{word.pattern.pattern}' does not find its example '{word.example}'"
        for word in words
        if not word.example or not list(word.finds("example.md", f"a line\n{word.example}\n"))
    ]


def main(root: pathlib.Path, arguments: list[str]) -> int:
    words, left_out = read_table(pathlib.Path(__file__).with_suffix(".csv"))
    if arguments == ["--prove"]:
        problems, count = prove(words), len(words)
    else:
        texts = list(sources(root, left_out))
        problems = [problem for name, text in texts for word in words for problem in word.finds(name, text)]
        count = len(texts)
    print(*problems, f"{count} {'rows' if arguments else 'files'}, {len(problems)} problems", sep="\n")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
