"""
Starts vLLM with dummy weights on a simulated GPU, and prints what it made of the memory as JSON.

    memmodel run --gpu h100 -- python serving.py serving/llama-3.1-8b.json '{"max_model_len": 8192}'

The first argument is a configuration (config.json of a model) or a folder with one; the second holds further
arguments of vllm.LLM.
"""

import json
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

LINES = {
    "weights_gib": r"Model loading took ([\d.]+) GiB",
    "kv_gib": r"Available KV cache memory: (-?[\d.]+) GiB",
    "kv_tokens": r"GPU KV cache size: ([\d,]+) tokens",
    "peak_activation_gib": r"([\d.]+) GiB for peak activation",
    "non_torch_gib": r"([\d.]+) GiB for consumed memory",
    "graphs_gib": r"Graph capturing finished in .*took (-?[\d.]+) GiB",
}


def folder_of(configuration):
    """vLLM wants a folder."""
    if Path(configuration).is_dir():
        return configuration
    folder = tempfile.mkdtemp(prefix="memmodel-serving-")
    shutil.copy(configuration, Path(folder) / "config.json")
    return folder


def start(folder, options):
    from vllm import LLM

    defaults = {"load_format": "dummy", "skip_tokenizer_init": True}
    return LLM(folder, **{**defaults, **options})


def start_or_failure(folder, options):
    """A model that does not fit fails after it said how much is missing."""
    try:
        start(folder, options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def read(log):
    found = {}
    for name, pattern in LINES.items():
        values = [float(value.replace(",", "")) for value in re.findall(pattern, log)]
        if values:
            found[name] = min(values) if name.startswith("kv") else max(values)
    return found


def main(configuration, options="{}"):
    os.environ.update(HF_HUB_OFFLINE="1", VLLM_NO_USAGE_STATS="1")
    began = time.time()
    with tempfile.NamedTemporaryFile() as log:
        copy_output(log.name)
        failure = start_or_failure(folder_of(configuration), json.loads(options))
        time.sleep(1)  # until tee has written it
        result = read(Path(log.name).read_text(errors="replace"))
    if failure:
        result["failure"] = failure
    print("RESULT " + json.dumps({**result, "seconds": round(time.time() - began, 1)}), flush=True)
    sys.exit(1 if failure else 0)


def copy_output(path):
    """What this process and its children print goes to a file too."""
    import subprocess

    tee = subprocess.Popen(["tee", path], stdin=subprocess.PIPE, stdout=os.dup(1))
    os.dup2(tee.stdin.fileno(), 1)
    os.dup2(tee.stdin.fileno(), 2)


if __name__ == "__main__":
    main(*sys.argv[1:])
