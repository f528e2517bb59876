"""Stands for a training: takes the memory of a few layers' activations, as a real one would, and holds it a moment.

usage: train.py SIZE BATCH
"""

import sys
import time

CHANNELS, LAYERS, FLOAT = 16, 4, 4

size, batch = map(int, sys.argv[1:])
activations = [b"x" * (batch * CHANNELS * size * size * FLOAT) for _ in range(LAYERS)]
time.sleep(0.2)
