"""What pyoperon's predict takes on 100,000 rows, for formulas of + - x with up to 31 nodes that it fitted itself.

usage: operon.py
"""

import json
import time

import numpy
from pyoperon.sklearn import SymbolicRegressor

ROWS, INPUTS, MODELS, REPEATS = 100_000, 8, 8, 5


def fitted(seed):
    """A long formula: what is sought needs more nodes than there may be."""
    rows = numpy.random.default_rng(seed).random((200, INPUTS))
    sought = rows[:, 0] * rows[:, 1] * rows[:, 2] + rows[:, 3] * rows[:, 4] * rows[:, 5] - rows[:, 6] * rows[:, 7] ** 3
    sought += numpy.sin(9 * rows[:, 0] * rows[:, 3])
    search = SymbolicRegressor(
        allowed_symbols="add,sub,mul,constant,variable",
        max_length=31,
        population_size=200,
        generations=40,
        optimizer_iterations=0,
        n_threads=1,
        random_state=seed,
    )
    return search.fit(rows, sought)


def main():
    rows = numpy.random.default_rng(0).random((ROWS, INPUTS))
    best = nodes = 0.0
    for seed in range(1, MODELS + 1):
        search = fitted(seed)
        times = []
        for _ in range(REPEATS):
            start = time.process_time()
            search.predict(rows)
            times.append(time.process_time() - start)
        best += min(times)
        nodes += search.model_.Length
    print(
        json.dumps(
            {
                "benchmark": "100,000 rows, pyoperon's predict (float32)",
                "nodes a formula": nodes / MODELS,
                "Gnode/s": round(nodes * ROWS / best * 1e-9, 3),
            }
        )
    )


main()
