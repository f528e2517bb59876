"""Megatron-LM's own measurements against memmodel.megatron.estimate(): its functional tests' golden values.

    PYTHON test/frameworks/compare_megatron.py [CSV] [--rows]

CSV, test/data/megatron/golden.csv unless given, has a row a test: its path, hardware, bytes allocated between steps and
at most, and the first of its arguments; arguments.json beside it has all that matter, by the test's path. Tests run on
8 GPUs, on 4 where their names say one node of GB200, the release's on 128, reruns on one; vocabularies are those of
its tokenizers.
Prints median, 95th percentile and worst error of the peak and of what is resident by kind, and with --rows each row.
"""

import argparse
import csv
import json
import statistics
from pathlib import Path

from memmodel import megatron

GOLDEN = Path(__file__).parents[1] / "data" / "megatron" / "golden.csv"
ARGUMENTS = json.loads(GOLDEN.with_name("arguments.json").read_text())
KINDS = ("gpt", "moe")
LEFT_OUT = {
    "grpo": "reinforcement learning, with an engine that generates",
}


def arguments_of(row, name, kind):
    """As the test's own file has them; those in the table, where there is none."""
    given = ARGUMENTS.get(f"{kind}/{name}") or {key: row[key] for key in row if key.startswith("--") and row[key]}
    schedule = str(given.get("--step-batch-size-schedule", ""))
    if schedule:
        given = {"--global-batch-size": schedule.split()[0].split(":")[1], **given}
    return {"--vocab-size": 256000 if "15b" in name else 50257, **given}


def ranks_of(name, hardware):
    if "release" in name or "reruns" in name:
        return 128 if "release" in name else 1
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
        found = megatron.estimate(
            arguments_of(row, name, kind), ranks_of(name, row["hw"]), gpu=gpu, cublas_workspace=cublas
        )
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
