"""Megatron-LM's own measurements against memmodel.megatron.estimate(): its functional tests' golden values.

    PYTHON test/frameworks/compare_megatron.py [CSV] [--rows]

CSV, test/data/megatron/golden.csv unless given, has a row a test: its path, hardware, bytes allocated between steps and
at most, and its arguments. Tests run on 8 GPUs, on 4 where their names say one node of GB200, the release's on 128;
what a name says besides (fused cross entropy, instances of the optimizer, groups of microbatches) is an argument.
Prints median, 95th percentile and worst error of the peak and of what is resident by kind, and with --rows each row.
"""

import argparse
import csv
import statistics
from pathlib import Path

from memmodel import megatron

GOLDEN = Path(__file__).parents[1] / "data" / "megatron" / "golden.csv"
KINDS = ("gpt", "moe")
SAID = {
    "cross_entropy_loss_fusion": {"cross_entropy_loss_fusion": True},
    "multi_dist_optimizer_instances": {"num_distributed_optimizer_instances": 2},
    "tunable_overlap": {"microbatch_group_size_per_virtual_pipeline_stage": 5},
    "disable_bias_linear": {"disable_bias_linear": True}, "rope": {"position_embedding_type": "rope"},
    "defer_embedding": {"defer_embedding_wgrad_compute": True}, "_mla": {"multi_latent_attention": True},
    "uneven_pipeline": {"decoder_first_pipeline_num_layers": 2}, "fsdp": {"use_megatron_fsdp": True},
    "account_for_embedding": {"account_for_embedding_in_pipeline_split": True},
    "etp1": {"expert_tensor_parallel_size": 1}, "etp2": {"expert_tensor_parallel_size": 2},
    "mtp": {"mtp_num_layers": 1},
    "a2a_ovlp": {"overlap_moe_expert_parallel_comm": True}, "offloading": {"fine_grained_activation_offloading": True},
    "15b": {"vocab_size": 256000, "position_embedding_type": "rope"},
}  # fmt: skip
LEFT_OUT = {
    "ep4_etp1": "sizes of its experts are not in the table",
    "grpo": "reinforcement learning, with an engine that generates",
    "reruns": "it has no sizes",
}


def arguments_of(row, name):
    given = {key: value for key, value in row.items() if key.startswith("--") and value}
    given.setdefault("--vocab-size", "50257")
    for text, more in SAID.items():
        if text in name:
            given.update(more)
            given.pop("--vocab-size", None) if "vocab_size" in more else None
    return given


def ranks_of(name, hardware):
    if "release" in name:
        return 128
    return 4 if "1node" in name and "gb200" in hardware else 8


def compare(row):
    """Name, kind, predicted and measured resident bytes and peak; or why there are none."""
    kind, name = row["path"].split("/")[3:5]
    reason = next((why for text, why in LEFT_OUT.items() if text in name), None)
    if reason:
        return name, kind, reason
    gpu = "a100" if "a100" in row["hw"] else "b200" if "gb200" in row["hw"] else "h100"
    cublas = None if "nondeterministic" in name else ":4096:8"
    try:
        found = megatron.estimate(arguments_of(row, name), ranks_of(name, row["hw"]), gpu=gpu, cublas_workspace=cublas)
    except megatron.MegatronError as error:
        return name, kind, str(error)
    return name, kind, (found.resident, float(row["mem_alloc"] or 0), found.peak, float(row["mem_max"]))


def summary(label, errors):
    errors = sorted(map(abs, errors))
    if errors:
        at = errors[int(0.95 * len(errors))]
        print(f"{label:24} {len(errors):4} rows  median {statistics.median(errors):6.1%}  "
              f"95th percentile {at:6.1%}  worst {errors[-1]:6.1%}")  # fmt: skip


def read(path):
    """Of its development branch, and of kinds that are compared."""
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["hw"].startswith("dev") and row["mem_max"]]
    return [row for row in rows if row["path"].split("/")[3] in KINDS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv", nargs="?", type=Path, default=GOLDEN)
    parser.add_argument("--rows", action="store_true")
    given = parser.parse_args()
    found = [compare(row) for row in read(given.csv)]
    for name, _, numbers in found if given.rows else ():
        if isinstance(numbers, str):
            print(f"{name:90} {numbers}")
        else:
            mine, resident, peak, measured = (number / 2**20 for number in numbers)
            peaks = f"peak {peak:8.0f} {measured:8.0f} {peak / measured - 1:+7.1%}"
            print(f"{name:90} resident {mine:8.0f} {resident:8.0f}  {peaks}")
    numbers = [row[2] for row in found if not isinstance(row[2], str)]
    summary("peak", [mine / measured - 1 for _, _, mine, measured in numbers])
    summary("resident", [mine / measured - 1 for mine, measured, _, _ in numbers if measured])
    for kind in KINDS:
        chosen = [row[2] for row in found if row[1] == kind and not isinstance(row[2], str)]
        summary(kind, [mine / measured - 1 for _, _, mine, measured in chosen])
    for label, test in (("one stage", "pp1"), ("several stages", "pp"), ("interleaved", "vp")):
        chosen = [row for row in found if not isinstance(row[2], str) and test in row[0]]
        chosen = [row for row in chosen if label != "several stages" or ("pp1" not in row[0] and "vp" not in row[0])]
        summary(label, [row[2][2] / row[2][3] - 1 for row in chosen])
    print("not modelled:", sum(isinstance(row[2], str) for row in found), "rows")


if __name__ == "__main__":
    main()
