"""What ranks reserve against what was published of the same trainings: torchtitan's Llama on H100.

    ./run python test/frameworks/compare_published_ranks.py

Prints a row a training: published GiB, predicted ones of rank 0 with and without expandable segments, and how far off
they are. Rows that ran compiled or with float8 are marked: what differs there is not modelled.
"""

import json
from pathlib import Path

import memmodel

DATA = Path(__file__).parents[1] / "data"
CONFIGS = (DATA / "published_ranks", DATA / "serving" / "configs")
TENSOR = (
    "colwise=model.layers.*.self_attn.(q|k|v)_proj, model.layers.*.mlp.(gate|up)_proj, "
    "rowwise=model.layers.*.self_attn.o_proj, model.layers.*.mlp.down_proj, vocab=model.embed_tokens, lm_head, "
    "gather=model.layers.*.(self_attn|mlp), sequence, loss_parallel"
)


def network_of(name):
    path = next(folder / f"{name}.json" for folder in CONFIGS if (folder / f"{name}.json").exists())
    return memmodel.LanguageModel.load(path).network(dtype="bfloat16")


def reserved(row, settings):
    job = {"steps": 2, **row["job"]}
    reshard = f", reshard_after_forward={row['reshard']}" if "reshard" in row else ""
    if "pipeline" in job:
        reshard = ", reshard_after_forward=False"  # torchtitan's default in a pipeline
    data = f"fsdp({row.get('units', 'model.layers.*')}, param_dtype=bfloat16, reduce_dtype=float32{reshard})"
    report = memmodel.estimate(
        network_of(row["config"]), framework="pytorch", framework_version="2.6", device="cuda", gpu="h100", data=data,
        optimizer="adamw(fused)", tensor=TENSOR if "tp=" in job["mesh"] else None, meta_device=True,
        allocator_settings=settings, metric="reserved", **job,
    )  # fmt: skip
    return report.peak.reserved / 2**30


def rows():
    return json.loads((DATA / "published_ranks" / "rows.json").read_text())["rows"]


def main():
    for row in rows():
        published = row["reserved_gib"]
        found = [reserved(row, settings) for settings in ("expandable_segments:True", None)]
        errors = [f"{ours:6.2f} {ours / published - 1:+6.1%}" for ours in found]
        mark = "" if row["eager"] else "  compiled, float8"
        name = f"{row['config']:14} {row['ranks']:4} ranks {published:6.1f}"
        print(f"{name}  {'  '.join(errors)}  {row['quote'][:50]}{mark}", flush=True)


if __name__ == "__main__":
    main()
