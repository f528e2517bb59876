"""Adds to each line of a benchmark of bindings its ratio to C, and the most it may take where that is promised.

usage: ratios.py < LINES
"""

import json
import sys

PROMISED = {"C": 50, "Python": 2000, "LuaJIT": 100, "Lua 5.1": 500, "Lua 5.2": 500, "Lua 5.3": 500, "Lua 5.4": 500}


def main() -> None:
    in_c: dict[str, float] = {}
    for line in sys.stdin:
        result = json.loads(line)
        name, binding, nanoseconds = result["benchmark"], result["binding"], result["nanoseconds"]
        if binding == "C":
            in_c[name] = nanoseconds
        if name in in_c:
            result["ratio"] = round(nanoseconds / in_c[name], 2)
        if name == "one point":
            result["promised"] = PROMISED[binding]
            result["kept"] = nanoseconds <= PROMISED[binding]
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
