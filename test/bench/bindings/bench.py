"""What predictions cost from Python, as JSON lines; the best of some rounds.

usage: bench.py MODEL
"""

import json
import sys
import time
from collections.abc import Callable

import memmodel
import numpy

ROUNDS, CALLS, POINTS = 60, 5000, 1_000_000


def best(run: Callable[[], object], calls: int, rounds: int) -> float:
    """Nanoseconds of one of `calls`."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        run()
        times.append(time.perf_counter_ns() - start)
    return min(times) / calls


def repeat(function: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        for _ in range(CALLS):
            function()

    return run


def main(path: str) -> None:
    model = memmodel.Model.load(path)
    columns = {"dim": 32 + numpy.arange(POINTS) % 100.0, "batch": 1 + numpy.arange(POINTS) % 64.0}
    results = numpy.empty(POINTS)
    benchmarks = {
        "one point": best(repeat(lambda: model(dim=64.0, batch=4.0)), CALLS, ROUNDS),
        "one point with its bound": best(repeat(lambda: model.predict(dim=64.0, batch=4.0)), CALLS, ROUNDS),
        "a million points, each": best(lambda: model.evaluate(columns, out=results), POINTS, 20),
    }
    for name, nanoseconds in benchmarks.items():
        print(json.dumps({"benchmark": name, "binding": "Python", "nanoseconds": round(nanoseconds, 1)}))


if __name__ == "__main__":
    main(sys.argv[1])
