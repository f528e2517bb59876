"""vLLM with dummy weights on simulated GPUs, against what public logs say of the same models.

    python3 test/cuda/compare_serving.py run RESULTS.jsonl --python VENV/bin/python [--tool memmodel] [ID ...]
    python3 test/cuda/compare_serving.py table RESULTS.jsonl

ROWS are points of test/data/serving/points.jsonl. "run" starts each that RESULTS lacks, one after the other, and adds a
line; "table" prints them beside the logs. Settings that a log does not have are vLLM's own.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
POINTS = HERE.parent / "data/serving/points.jsonl"

# Point: configuration, GPU, what else the model's name or the log says. A GPU that the log does not name (*) is the one
# whose share for vLLM (utilization, 0.9 where the log has none) is next above weights and cache together.
ROWS = {
    "fe9cf67b0b60": ("qwen3-30b-a3b", "h100*", {"quantization": "fp8"}),
    "e0041a987768": ("llama-3-8b", "h100*", {}),
    "60ba00a48a39": ("llama-3-8b-w4a16", "h100*", {}),
    "4da3101500df": ("llama-3.1-8b", "h100*", {}),
    "d956dc25f604": ("llama-3.1-8b", "h100*", {}),
    "f1f692c1fb5e": ("qwen2.5-3b", "h100*", {}),
    "b942fc8ec01e": ("qwen2.5-3b", "rtx3090*", {}),
    "8d9f935aba56": ("qwen2.5-3b", "rtx3090*", {}),
    "ea4dc21ce0ea": ("qwen3-embedding-8b", "h100*", {}),
    "54f61fecf53a": ("qwen3-8b", "t4*", {}),
    "91f9823798c0": ("qwen3-8b", "t4*", {}),
    "7385d86eba01": ("qwen2.5-coder-32b-awq", "a100-40gb*", {}),
    "201aeb441f5a": ("qwen3-30b-a3b", "h100*", {}),
    "56108da9467b": ("llama-3.1-8b", "l4", {}),
    "b295cd5d7994": ("llama-3.1-8b", "rtx3090", {}),
    "9ae328669e0e": ("mistral-small-24b", "h100", {}),
    "e6857f0acbb6": ("qwen3-0.6b", "h100", {}),
    "49593a664215": ("gpt-oss-120b", "h100", {}),
    "4b075c71b4c7": ("llama-3.3-70b-fp8", "h100", {}),
    "93de4de07c1f": ("llama-3-8b", "h100*", {}),
    "aa0ba6fb5f57": ("gpt-oss-120b", "h200*", {}),
    "524fa9ac376a": ("qwen2.5-32b", "rtx3090*", {}),
    "d9d08b580c1a": ("llama-3.3-70b-nvfp4", "b200*", {}),
    "9857071a36b6": ("llama-3.3-70b-nvfp4", "b200*", {}),
    "e8a69ed55371": ("olmo-3-7b", "a6000*", {}),
    "f0797cba6796": ("gpt-oss-120b", "a100-80gb", {}),
    "d6258e4759f6": ("qwen3-14b", "h100*", {}),
    "180969b6ada9": ("gemma-3-12b", "b200*", {"kv_cache_memory_bytes": int(53.26 * 2**30)}),
}


def points():
    found = map(json.loads, POINTS.read_text(encoding="utf-8").splitlines())
    return {point["id"]: point for point in found if point["id"] in ROWS}


def options_of(point):
    """What the log says, as arguments of vllm.LLM."""
    names = {"tp": "tensor_parallel_size", "weight_dtype": "dtype"}
    counts, others = (
        ("max_model_len", "max_num_seqs", "max_num_batched_tokens"),
        ("gpu_memory_utilization", "kv_cache_dtype"),
    )
    options = {name: int(point[name]) for name in counts if point.get(name)}
    options |= {name: point[name] for name in others if point.get(name)}
    options |= {name: point[key] for key, name in names.items() if point.get(key)}
    if point.get("batched_tokens_fitted"):  # no log prints it; what the log's own sizes show
        options.setdefault("max_num_batched_tokens", point["batched_tokens_fitted"])
    if point.get("enforce_eager") in (True, "True"):
        options["enforce_eager"] = True
    return options


def start(tool, python, gpus, configuration, options, seconds):
    """vLLM on simulated GPUs: the process as it ended, and what vLLM made of the memory."""
    program = [HERE / "serving.py", HERE / f"serving/{configuration}.json", json.dumps(options)]
    command = [tool, "run", "--gpu", gpus, "--", python, *program]
    done = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return done, json.loads(said[-1].removeprefix("RESULT ")) if said else {"failure": done.stdout[-2000:]}


def run_one(tool, python, point):
    configuration, gpu, more = ROWS[point["id"]]
    gpus = f"{gpu.rstrip('*')}:{point.get('tp') or 1}"
    _, result = start(tool, python, gpus, configuration, options_of(point) | more, 3600)
    return {"id": point["id"], "gpus": gpus, **result}


def run(path, tool, python, ids):
    done = {json.loads(line)["id"] for line in path.read_text().splitlines()} if path.exists() else set()
    for name, point in points().items():
        if name in done or (ids and name not in ids):
            continue
        result = run_one(tool, python, point)
        with path.open("a") as file:
            file.write(json.dumps(result) + "\n")
        print(json.dumps(result)[:300], flush=True)


# ---- the table ----


def off(ours, logged):
    return f"{100 * (ours / logged - 1):+.1f} %"


SLIDING = ("gemma", "gpt-oss", "olmo")  # whose tokens versions of vLLM count in several ways


def said_cache(point, result):
    """Tokens where both say them and count them alike, else GiB."""
    measured, names = point["measured"], (("kv_tokens", "{:,.0f}"), ("kv_gib", "{:.2f} GiB"))
    for name, text in names[ROWS[point["id"]][0].startswith(SLIDING) :]:
        if measured.get(name) and result.get(name):
            return measured[name], result[name], text
    return None


def print_row(point, result):
    configuration, gpu, _ = ROWS[point["id"]]
    measured, share = point["measured"], f", {point['tp']} of" if (point.get("tp") or 1) > 1 else ","
    name = f"{configuration}{share} {gpu}, {point.get('version') or 'unknown'}"
    if "weights_gib" not in result:
        print(f"| {name} | {result.get('failure', '')[-120:]} | | |")
        return
    cache = " | "
    if found := said_cache(point, result):
        logged, ours, text = found
        cache = f"{text.format(logged)}, ours {text.format(ours)} | {off(ours, logged)}"
    print(f"| {name} | {measured['weights_gib']}, ours {result['weights_gib']} | {cache} |")


def summary(rows):
    weights = [abs(r["weights_gib"] / p["measured"]["weights_gib"] - 1) for p, r in rows if "weights_gib" in r]
    caches = [said_cache(p, r) for p, r in rows]
    tokens = [abs(found[1] / found[0] - 1) for found in caches if found and found[0] > 0]
    for what, errors, limit in (("weights", weights, 0.01), ("caches", tokens, 0.03)):
        within = sum(error <= limit for error in errors)
        print(f"{what}: {within} of {len(errors)} within {limit:.0%}, median {statistics.median(errors):.2%}")


def table(path):
    results = {}
    for line in path.read_text().splitlines():
        result = json.loads(line)
        results[result["id"]] = result
    rows = [(point, results[name]) for name, point in points().items() if name in results]
    print("| model, GPU, published version | weights, GiB | cache | off |\n|---|---|---|---|")
    for point, result in rows:
        print_row(point, result)
    summary(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("run", "table"))
    parser.add_argument("results", type=Path)
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--tool", default="memmodel")
    given = parser.parse_intermixed_args()
    if given.action == "table":
        table(given.results)
    else:
        run(given.results, given.tool, given.python, given.ids)


if __name__ == "__main__":
    main()
