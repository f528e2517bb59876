"""Log every tensor that TensorFlow allocates in model.fit of networks of one layer between two convolutions.

    python test/frameworks/record_keras_steps.py FOLDER [--layer NAME ...]

Needs keras, tensorflow-cpu and the Python package. Prints rows of test/data/keras_steps/allocations.csv, and writes
each network to FOLDER as the library reads it.
"""

from __future__ import annotations

import argparse
import collections
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

os.environ.update(KERAS_BACKEND="tensorflow", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="1")
BATCH, STEPS, POOL_FROM = 8, 2, 262144
SHORT_IDS = 3  # characters: step ids of what runs eagerly
GATHERED = 2  # allocations at most of the steps that gather a batch
LOG = {"TF_CPP_VMODULE": "log_memory=2", "TF_CPP_MIN_LOG_LEVEL": "0"}
LAYERS = {
    "dilated": lambda layers: layers.Conv2D(32, 3, padding="same", dilation_rate=5),
    "hardsigmoid": lambda layers: layers.Activation("hard_sigmoid"),
    "hardswish": lambda layers: layers.Activation("hard_silu"),
}
ALLOCATED = re.compile(
    r"MemoryLogTensorAllocation .*?step_id: (-?\d+) .*?requested_bytes: (\d+) .*?allocation_id: (\d+)"
)
FREED = re.compile(r"MemoryLogTensorDeallocation .*?allocation_id: (\d+)")


def network(name: str) -> Any:
    """The compiled model."""
    import keras
    from keras import layers

    image = keras.Input((96, 96, 32))
    x = layers.Conv2D(32, 3, padding="same")(image)
    x = layers.Conv2D(32, 3, padding="same")(LAYERS[name](layers)(x))
    model = keras.Model(image, x)
    model.compile(optimizer="adam", loss="mse")
    return model


def train(name: str) -> None:
    """In this process, which logs."""
    import numpy as np

    x, y = (np.ones((BATCH, 96, 96, 32), np.float32) for _ in range(2))
    network(name).fit(x, y, batch_size=BATCH, epochs=STEPS, shuffle=False, verbose=0)


def row(name: str, log: str) -> str:
    """Allocations since the step before the last had its last, by size, and the most bytes that lived at a time."""
    live: dict[str, int] = {}
    taken: list[tuple[str, int]] = []
    most = 0
    for line in log.splitlines():
        if match := ALLOCATED.search(line):
            if int(match[2]) >= POOL_FROM and match[3] not in live:
                live[match[3]] = int(match[2])
                taken.append((match[1], int(match[2])))
                most = max(most, sum(live.values()))
        elif match := FREED.search(line):
            live.pop(match[1], None)
    ids = [step for step, _ in taken]
    before = list(dict.fromkeys(step for step in ids if len(step) > SHORT_IDS and ids.count(step) > GATHERED))[-2]
    last = taken[len(ids) - ids[::-1].index(before) :]
    counts = collections.Counter(size for _, size in last)
    allocations = " ".join(f"{size}:{counts[size]}" for size in sorted(counts, reverse=True))
    return f"layer_{name},{BATCH},adam,{STEPS},0,{most},{allocations}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Log the tensors of Keras networks of one layer.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--layer", action="append", choices=LAYERS, help="only these")
    parser.add_argument("--train", choices=LAYERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        train(options.train)
        return
    import memmodel.keras

    for name in options.layer or LAYERS:
        command = [sys.executable, __file__, str(options.folder), "--train", name]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **LOG})
        print(row(name, done.stderr), flush=True)
        memmodel.keras.from_model(network(name)).save(options.folder / f"layer_{name}.json")


if __name__ == "__main__":
    main()
