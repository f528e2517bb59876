"""Checks that every call that the limits of its context may end says so in its header.

A call that runs between context_begin() and context_end() may return MEMMODEL_ERROR_LIMIT and
MEMMODEL_ERROR_CANCELLED; one that only takes memory MEMMODEL_ERROR_LIMIT.

usage: returns.py SOURCE_ROOT
"""

import pathlib
import re
import sys
from collections.abc import Iterator

LONG = ("MEMMODEL_ERROR_LIMIT", "MEMMODEL_ERROR_CANCELLED")
SHORT = ("MEMMODEL_ERROR_LIMIT",)

# What begins a call that may run for long: query_new() and inference_bind() have a context_begin() in them.
BEGIN = re.compile(r"\b(context_begin|query_new|inference_bind)\(")
DECLARED = re.compile(r"/\*\*((?:(?!\*/).)*)\*/\s*MEMMODEL_API\s[^;()]*?\b(memmodel_\w+)\(", re.DOTALL)
DEFINED = re.compile(r"^(memmodel_\w+)\([^;{]*?\)\n\{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
RETURNS = re.compile(r"@returns(.*?)(?=\n \* @|\Z)", re.DOTALL)

# There is no context yet whose limits would be.
WITHOUT_CONTEXT = "memmodel_context_new"


def returns(include: pathlib.Path) -> dict[str, str]:
    """What the headers say that each function returns."""
    told = {}
    for header in sorted(include.glob("*.h")):
        for comment, name in DECLARED.findall(header.read_text()):
            found = RETURNS.search(comment)
            told[name] = " ".join(found[1].replace("\n *", " ").split()) if found else ""
    return told


def long_calls(lib: pathlib.Path) -> set[str]:
    """Public functions that look at the limits."""
    texts = (source.read_text() for source in sorted(lib.rglob("*.c")))
    return {name for text in texts for name, body in DEFINED.findall(text) if BEGIN.search(body)}


def is_told(status: str, name: str, told: dict[str, str]) -> bool:
    """Whether the function names the status, or another function whose statuses are also its own."""
    also = re.findall(r"(memmodel_\w+)\(\) (?:returns?|or)\b", told[name])
    return status in told[name] or any(is_told(status, other, told) for other in also)


def missing(told: dict[str, str], bounded: set[str]) -> Iterator[str]:
    for name, text in told.items():
        takes_memory = "MEMMODEL_ERROR_NO_MEMORY" in text and name != WITHOUT_CONTEXT
        for status in LONG if name in bounded else SHORT if takes_memory else ():
            if not is_told(status, name, told):
                yield f"{name}: @returns lacks {status}"


def main() -> None:
    root = pathlib.Path(sys.argv[1])
    told = returns(root / "include" / "memmodel")
    bounded = long_calls(root / "lib") & told.keys()
    wrong = list(missing(told, bounded))
    if not bounded:
        wrong.append("no call that looks at the limits is found: has lib/ changed?")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(bool(wrong))


main()
