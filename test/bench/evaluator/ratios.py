"""Adds to the lines of the evaluator's benchmark what each is held to, and whether it is reached.

usage: ratios.py < LINES
"""

import json
import sys


def main() -> None:
    lines = [json.loads(line) for line in sys.stdin]
    rates = {line["benchmark"]: line["Gnode/s"] for line in lines if "Gnode/s" in line}
    for line in lines:
        name = line["benchmark"]
        if name == "trees, vectors of 256 bits":
            line["at least"] = 4
        elif name == "trees, vectors of 512 bits":
            line["at least"] = 10
        elif name == "trees, a row at a time":
            line["nanoseconds at most"] = 2
        elif name.startswith("100,000 rows, pyoperon"):
            line["the library is faster by"] = round(rates["100,000 rows"] / line["Gnode/s"], 1)
            line["at least"] = 10
        elif name == "exported C, a row":
            line["ratio"] = round(line["nanoseconds"] / line["nanoseconds by hand"], 2)
            line["at most"] = 1.3
        print(json.dumps(line))


main()
