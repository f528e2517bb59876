"""Checks that functions and files are small, by the layout clang-format leaves: bodies open and close in column 0.

usage: sizes.py SOURCE_ROOT

Prints the figures of each folder. The norm holds for all of lib/, bindings/ and examples/ together: half of the
functions have at most 12 lines, 90 % fewer than 40, none more than 80; no file has more than 800.
"""

import pathlib
import statistics
import sys

FOLDERS = ("lib", "bindings", "examples")
MEDIAN, NINETY_PERCENT, LONGEST_FUNCTION, LONGEST_FILE = 12, 40, 80, 800


def functions(path):
    """Line number and number of lines between the braces, for each function body of a file."""
    start = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start is not None:
            yield start, number - start - 1
            start = None


def share(lengths, limit):
    return sum(length < limit for length in lengths) / len(lengths)


def describe(name, lengths):
    print(
        f"{name:28} {len(lengths):5} functions, median {statistics.median(lengths):4}, "
        f"{share(lengths, NINETY_PERCENT):6.1%} under {NINETY_PERCENT}, longest {max(lengths):3}"
    )


def main(root):
    lengths, problems = {}, []
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.[ch]")):
        name = path.relative_to(root)
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LONGEST_FILE:
            problems.append(f"{name}: {lines} lines, more than {LONGEST_FILE}")
        for start, length in functions(path):
            lengths.setdefault("/".join(name.parts[:2]), []).append(length)
            if length > LONGEST_FUNCTION:
                problems.append(f"{name}:{start}: a function of {length} lines, more than {LONGEST_FUNCTION}")

    for folder, numbers in lengths.items():
        describe(folder, numbers)
    everything = [length for numbers in lengths.values() for length in numbers]
    describe("all", everything)
    if statistics.median(everything) > MEDIAN:
        problems.append(f"the median is over {MEDIAN} lines")
    if share(everything, NINETY_PERCENT) < 0.9:
        problems.append(f"fewer than 90 % are under {NINETY_PERCENT} lines")
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
