"""What engines logged of language models that they served, against memmodel.serve().

    PYTHONPATH=build/test/bindings/python MEMMODEL_LIBRARY=build/test/lib/libmemmodel.so.0 \\
        python3 test/frameworks/compare_serving.py [-v] [POINTS.jsonl [FOLDER]]

POINTS are test/data/serving/points.jsonl unless given, FOLDER has the config.json of each `config`. Prints a row for
each demand: points, those within it, the worst. -v prints each point.
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

import memmodel

DATA = Path(__file__).resolve().parents[1] / "data/serving"
GIB = 2**30
VISION = {"vision tower", "audio tower"}
SEES = VISION | {"encoding of images"}


# ---- checkpoints: what their quantization_config says ----


def compressed(bits, group=None, symmetric=True, kind="int"):
    strategy = "group" if group else "channel"
    weights = {"num_bits": bits, "type": kind, "strategy": strategy, "group_size": group, "symmetric": symmetric}
    return {
        "quant_method": "compressed-tensors",
        "config_groups": {"group_0": {"weights": weights}},
        "ignore": ["lm_head"],
    }


def nvfp4(*ignored):
    return {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head", *ignored]}


AWQ = {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}
FP8 = {"quant_method": "fp8", "weight_block_size": [128, 128], "modules_to_not_convert": ["lm_head"]}


CHECKPOINTS = [
    (r"FP8-dynamic", compressed(8, kind="float")),
    (r"DeepSeek-R1.*FP4", nvfp4("re:.*self_attn.*")),
    (r"NVFP4|FP4", nvfp4()),
    (r"W([2357])A16-RTN", lambda match: compressed(int(match[1]))),
    (r"W4A16", compressed(4, 128)),
    (r"Qwen3-30B.*AWQ-4bit", compressed(4, 128)),
    (r"AWQ-INT4", compressed(4, 32, symmetric=False)),
    (r"AWQ|awq", AWQ),
    (r"FP8", FP8),
    (r"INT4", compressed(4, 128)),
]


def quantization_of(point):
    """That of a checkpoint by its name; False: as the configuration has it."""
    method = point.get("quantization")
    if method is None:
        return None
    if method in ("mxfp4", "modelslim"):
        return False
    if method == "fp8":
        return compressed(8, kind="float") if "FP8-dynamic" in point["model"] else FP8
    for pattern, found in CHECKPOINTS:
        match = re.search(pattern, point["model"])
        if match:
            return found(match) if callable(found) else found
    return False


def model_of(point, folder):
    path = folder / f"{point['config']}.json"
    if not path.exists():
        return None
    config = json.loads(path.read_text(encoding="utf-8"))
    quantization = quantization_of(point)
    if quantization is None:
        config.pop("quantization_config", None)
    elif quantization:
        config["quantization_config"] = quantization
    return memmodel.LanguageModel.from_json(json.dumps(config), name=path.name)


# ---- questions ----


def kv_of(point):
    if any("kv dtype auto resolved to fp8" in text for text in point.get("fitted_parameters") or []):
        return "fp8"
    kv = point.get("kv_cache_dtype") or "auto"
    return kv.removeprefix("torch.")


def common(point):
    asked = {"mesh": {"tp": point.get("tp") or 1, "pp": point.get("pp") or 1}, "kv": kv_of(point)}
    if point.get("weight_dtype") in ("bfloat16", "float16"):
        asked["dtype"] = point["weight_dtype"]
    if point.get("max_model_len"):
        asked["max_length"] = point["max_model_len"]
    if point.get("draft_layers"):
        asked["draft_layers"] = point["draft_layers"]
    return asked


def vllm_question(point):
    asked = common(point)
    batched = point.get("max_num_batched_tokens") or point.get("batched_tokens_fitted")
    if batched:
        asked["batched_tokens"] = int(batched)
    if point.get("max_num_seqs"):
        asked["max_sequences"] = int(point["max_num_seqs"])
    version = point.get("version") or ""
    if re.match(r"\d", version):  # a build of somebody's own names none; those here are older than 0.26
        asked["engine_version"] = "0.25" if version.startswith("0.1.dev") else version
    return asked


class Table:
    """Rows of demands, each with its points."""

    def __init__(self, verbose):
        self.rows = defaultdict(list)
        self.verbose = verbose

    def add(self, demand, point, error, good, text):
        self.rows[demand].append((abs(error), good, point))
        if self.verbose:
            mark = " " if good else "!"
            print(f"{mark} {demand:44} {point['id'][:6]} {point['config'] or '':18} {text}")

    def print(self):
        print(f"{'demand':52} {'points':>6} {'within':>6}  worst")
        for demand, rows in self.rows.items():
            error, _, point = max(rows, key=lambda row: row[0])
            within = sum(good for _, good, _ in rows)
            print(f"{demand:52} {len(rows):6} {within:6}  {100 * error:.2f} %, {point['model'][-40:]}")


def relative(predicted, measured):
    return predicted / measured - 1


# ---- vLLM ----


def compare_weights(table, point, found, measured):
    kind = "towers not counted" if VISION & set(found.unmodelled) else (
        "quantized, 1 %" if point.get("quantization") else "unquantized, 0.1 %"
    )  # fmt: skip
    limit = 0.01 if point.get("quantization") else 0.001
    gib = found.weight_bytes / GIB
    error = relative(gib, measured)
    good = abs(error) <= limit or abs(gib - measured) <= 0.0051  # a log has two digits, or four
    table.add(f"vllm weights, {kind}", point, error, good, f"{gib:.4f} GiB, logged {measured:.4f}")


def kind_of(found):
    kinds = {pool.kind for pool in found.pools}
    return "hybrid" if len(kinds) > 1 else "uniform and latent"


def compare_tokens(table, point, model, asked, kv):
    """A log's GiB have two digits: tokens and requests lie between those of the bytes that it rounds so."""
    low, high = (memmodel.serve(model, cache_bytes=int((kv + off) * GIB), **asked) for off in (-0.005, 0.005))
    tokens, concurrency = point["measured"]["kv_tokens"], point["measured"].get("max_concurrency")
    good = low.token_count <= tokens <= high.token_count
    demand = f"vllm tokens by cache bytes, {kind_of(low)}"
    if point["consistent"] != "exact":
        demand += ", not consistent themselves"
    error = relative((low.token_count + high.token_count) / 2, tokens)
    table.add(demand, point, error, good, f"{low.token_count:,} to {high.token_count:,}, logged {int(tokens):,}")
    if concurrency:
        good = low.concurrency - 0.0051 < concurrency < high.concurrency + 0.0051
        error = relative((low.concurrency + high.concurrency) / 2, concurrency)
        table.add("vllm requests by cache bytes", point, error, good, f"{high.concurrency:.2f}, logged {concurrency}")


GPUS = {"H100": "h100", "L4": "l4", "3090": "rtx3090", "A100-80GB": "a100-80gb"}


def gpu_of(point):
    for word, gpu in GPUS.items():
        if word in (point.get("gpu") or ""):
            return gpu
    total = point["measured"].get("total_gpu_gib") or 0
    return "h100" if 79 < total < 79.3 else "rtx3090" if 23 < total < 24 else None


def compare_budget(table, point, model, asked):
    measured = point["measured"]
    gpu, utilization = gpu_of(point), point.get("gpu_memory_utilization")
    if not gpu or not utilization:
        return
    found = memmodel.serve(model, gpu=gpu, utilization=utilization, **asked)
    kv = measured.get("kv_gib") or 0
    if SEES & set(found.unmodelled) or kv <= 0:
        return
    error = relative(found.cache_bytes / GIB, kv)
    text = f"{found.cache_bytes / GIB:.2f} GiB, logged {kv}"
    table.add("vllm tokens by config.json and GPU, 3 %", point, error, abs(error) <= 0.03, text)


def compare_activations(table, point, model, asked):
    measured = point["measured"]["activation_peak_gib"]
    found = memmodel.serve(model, gpu=gpu_of(point), **asked)
    gib = found.activation_bytes / GIB
    error = relative(gib, measured)
    text = f"{gib:.2f} GiB, logged {measured}; {found.batched_tokens} tokens, {found.max_sequences} requests"
    if "GB10" in (point.get("gpu") or ""):
        return  # builds of its own, on memory that the host shares: README.md of the points
    kind = "models that see" if "encoding of images" in found.unmodelled else "text"
    table.add(
        f"vllm activation peak, {kind}, 10 %", point, error, abs(error) <= 0.1 or abs(gib - measured) < 0.0051, text
    )


def compare_vllm(table, point, model):
    measured, asked = point["measured"], vllm_question(point)
    if measured.get("weights_gib"):
        compare_weights(table, point, memmodel.serve(model, **asked), measured["weights_gib"])
    if measured.get("kv_tokens") and measured.get("kv_gib", 0) > 0:
        compare_tokens(table, point, model, asked, measured["kv_gib"])
    if measured.get("activation_peak_gib"):
        compare_activations(table, point, model, asked)
    compare_budget(table, point, model, asked)


# ---- SGLang ----


def pools_of(lines):
    """(tokens, GB of keys or of all) of each line of a log."""
    pattern = re.compile(r"#tokens: (\d+), (?:K|KV) size: ([\d.]+) GB")
    return [(int(match[1]), float(match[2])) for match in map(pattern.search, lines) if match]


def sglang_question(point, pools, model):
    asked = common(point)
    if point.get("page_size"):
        asked["block_size"] = point["page_size"]
    if point.get("dp_attention"):
        asked["mesh"]["dp"] = point["dp_attention"]
    slides = any(pool.kind == "sliding" for pool in memmodel.serve(model, engine="sglang", **asked).pools)
    if slides and len(pools) > 1:
        asked["sliding_ratio"] = pools[0][0] / pools[1][0]
    return asked


def compare_sglang_pools(table, point, model, asked, pools):
    """Bytes of each pool for the tokens that it has."""
    found = memmodel.serve(model, engine="sglang", cache_bytes=100 * GIB, **asked)
    page = point.get("page_size") or 1
    for pool, (tokens, gigabytes) in zip(found.pools, pools):
        if pool.kind == "recurrent" or not pool.token_count:
            continue
        own = pool.key_bytes / (pool.token_count + page) * (tokens + page) / GIB
        drafts = asked.get("draft_layers", 0)
        own *= (pool.layer_count - drafts) / pool.layer_count if pool.kind != "sliding" else 1
        good = abs(own - gigabytes) <= 0.0101
        table.add("sglang bytes of pools", point, relative(own, gigabytes), good, f"{own:.3f} GB, logged {gigabytes}")


def compare_sglang(table, point, model):
    measured = point["measured"]
    pools = pools_of(measured.get("kv_pools") or [])
    asked = sglang_question(point, pools, model)
    compare_sglang_pools(table, point, model, asked, pools)
    tokens, before = measured.get("max_total_num_tokens"), measured.get("avail_before_load_gb")
    if not tokens or not before or not measured.get("weights_gb"):
        return
    found = memmodel.serve(
        model,
        engine="sglang",
        gpu_bytes=int(before * GIB),
        weight_bytes=int(measured["weights_gb"] * GIB),
        utilization=point["mem_fraction_static"],
        **asked,
    )
    error = relative(found.token_count, tokens)
    table.add("sglang tokens, 2 %", point, error, abs(error) <= 0.02, f"{found.token_count:,}, logged {tokens:,}")


# ---- llama.cpp ----

LINES = (
    (re.compile(r"\( *(\d+) cells, *(\d+) layers.*K \((\w+)\): *([\d.]+) MiB, V \(\w+\): *([\d.]+) MiB"), "attention"),
    (re.compile(r"\( *(\d+) cells, *(\d+) layers.*R \((\w+)\): *([\d.]+) MiB, S \(\w+\): *([\d.]+) MiB"), "recurrent"),
    (re.compile(r"(KV)( )self size .*K \((\w+)\): *([\d.]+) MiB, V \(\w+\): *([\d.]+) MiB"), "attention"),
    (re.compile(r"(KV)( )self size .*c\^KV \((\w+)\): *([\d.]+)( )MiB"), "attention"),
)


def lines_of(point):
    for line in point["measured"]["kv_lines"]:
        for pattern, kind in LINES:
            match = pattern.search(line)
            if match:
                yield kind, match[3], float(match[4]), float(match[5]) if match[5].strip() else 0.0
                break


def llamacpp_found(point, model, kv):
    line = point["measured"]["kv_lines"][0]
    sequences = point.get("n_seq_max") or 1
    own = "/1 seqs" in line or "seqs" not in line
    return memmodel.serve(
        model,
        engine="llamacpp",
        kv=kv,
        max_length=point["n_ctx"],
        max_sequences=int(sequences),
        batched_tokens=int(point.get("n_ubatch") or 512),
        kv_unified=own and sequences > 1,
    )


def compare_llamacpp(table, point, model):
    seen = set()
    for kind, kv, keys, values in lines_of(point):
        found = llamacpp_found(point, model, kv if kind == "attention" else None)
        pools = [pool for pool in found.pools if (pool.kind == "recurrent") == (kind == "recurrent")]
        sizes = [(pool.key_bytes / 2**20, pool.value_bytes / 2**20) for pool in pools]
        best = min(sizes, key=lambda size: abs(size[0] - keys), default=(0, 0))
        good = abs(best[0] - keys) <= 0.0051 and abs(best[1] - values) <= 0.0051
        seen.add(kind)
        text = f"{best[0]:.2f} and {best[1]:.2f} MiB, logged {keys} and {values}"
        table.add(f"{point['engine']} lines of the cache", point, relative(best[0], keys), good, text)
    if point.get("flash_attn") not in ("enabled", 1, "1"):
        return
    compute = re.match(r"(?:CUDA0|MTL0|Vulkan0) ([\d.]+)$", (point["measured"].get("compute_buffers_mib") or [""])[0])
    if compute and seen and point["engine"] == "llama.cpp":
        own = llamacpp_found(point, model, None).activation_bytes / 2**20
        error = relative(own, float(compute[1]))
        table.add("llama.cpp compute buffer", point, error, abs(error) <= 0.03, f"{own:.2f} MiB, logged {compute[1]}")


# ---- generate() of transformers ----

# What generations.jsonl has and memmodel.generate() leaves out.
OTHER = {"beams", "chunk", "attn", "cache", "mode", "sample"}


def compare_generation(table, run, folder):
    if OTHER & set(run["options"]) or len(run["forwards"]) < 2:
        return
    found = memmodel.generate(
        folder / f"tiny-{run['model']}.json",
        batch=run["batch"],
        prompt_tokens=run["prompt"],
        new_tokens=run["new"],
        dtype={"bf16": "bfloat16"}.get(run["options"].get("dtype"), "float32"),
        cache=run["options"].get("impl"),
    )
    point = {"id": run["case"], "model": run["case"], "config": run["model"]}
    passes = (
        ("first pass", 0, found.prefill_peak),
        ("second pass", 1, found.first_peak),
        ("last pass", -1, found.last_peak),
    )
    for name, index, own in passes:
        measured = run["forwards"][index]
        error = relative(own, measured)
        table.add(f"generate(), {name}, to the byte", point, error, own == measured, f"{own:,}, recorded {measured:,}")


COMPARE = {
    "vllm": compare_vllm,
    "sglang": compare_sglang,
    "llama.cpp": compare_llamacpp,
    "ik_llama.cpp": compare_llamacpp,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-v", "--verbose", action="store_true", help="print each point")
    parser.add_argument("points", nargs="?", type=Path, default=DATA / "points.jsonl")
    parser.add_argument("folder", nargs="?", type=Path, default=DATA / "configs")
    asked = parser.parse_args()
    table, left_out = Table(asked.verbose), []
    for line in asked.points.read_text(encoding="utf-8").splitlines():
        point = json.loads(line)
        model = model_of(point, asked.folder)
        if model is None:
            left_out.append(point["config"])
        else:
            COMPARE[point["engine"]](table, point, model)
    for line in (DATA / "generations.jsonl").read_text(encoding="utf-8").splitlines():
        compare_generation(table, json.loads(line), asked.folder)
    table.print()
    print(f"left out, without a configuration: {len(left_out)} ({', '.join(sorted(set(left_out)))})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
