"""What memmodel.keras.calibrate() runs in a fresh interpreter: everything of a training up to `fit`, and no more.

The job comes as JSON on standard input: modules to import, the bytes of each array, and the model's configuration.
Prints the process's resident bytes. Knows nothing of memmodel, which a training need not import.
"""

import importlib
import json
import sys
from pathlib import Path


def resident_bytes() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise OSError("no VmRSS in /proc/self/status")


def model_of(text: str) -> object:
    """Compiled apart: Keras' own way makes the optimizer's variables, too, which a training makes in its first step."""
    import keras

    config = json.loads(text)
    compiled = config.pop("compile_config", None)
    model = keras.saving.deserialize_keras_object(config, safe_mode=False)
    if compiled:
        model.compile(**keras.saving.deserialize_keras_object(compiled))
    return model


def main() -> None:
    job = json.load(sys.stdin)
    for name in job["imports"]:
        importlib.import_module(name)
    import numpy

    arrays = [numpy.ones(size, numpy.uint8) for size in job["arrays"]]  # ones: zeros would not be resident
    model = model_of(job["model"])
    print(resident_bytes())
    del arrays, model


if __name__ == "__main__":
    main()
