"""Step peaks of ranks that train together against what memmodel.torch.estimate() says of them.

    build/venv/zoo/bin/python test/frameworks/compare_parallel.py [--strategy NAME] [--networks FOLDER] [CASES] [TEXT]

CASES is a file as record_parallel.py writes it, test/data/pytorch_parallel/cases.json unless given; TEXT is part of the
names of those that are compared. Prints a row a rank: differences of the peaks of construction and of each step in
bytes, predicted less measured. --networks keeps the networks, which test_parallel.c reads.
"""

import argparse
import collections
import json
import warnings
from pathlib import Path

import memmodel.torch
import torch
from memmodel._torch_mixed import computed_in
from memmodel._torch_pipeline import MICROBATCHES, first_part
from parallel_models import MODELS, loss

RECORDED = Path(__file__).parents[1] / "data" / "pytorch_parallel" / "cases.json"

warnings.filterwarnings("ignore")


def parts_of(case):
    """Of a pipeline the parts of the batch; `batch` is that of one."""
    found = MICROBATCHES.search(case.get("pipeline", ""))
    return int(found[1]) if found else 1


def built(case):
    torch.manual_seed(0)
    make, batch = MODELS[case["model"]]
    return make().train(), batch(case["batch"] * parts_of(case))


def cross_entropy(y, x):
    return torch.nn.functional.cross_entropy(y.flatten(0, 1), x.flatten())


def loss_of(case, batch):
    """That of record_tensor_parallel.py where logits stay cut, of the words that the module gets."""
    if "loss_parallel" not in case.get("tensor", ""):
        return {"loss": loss}
    return {"loss": cross_entropy, "target": batch[0]}


def job_of(case):
    """How the case is run, in the words of memmodel.estimate()."""
    return {
        "optimizer": case["optimizer"], "gradient_accumulation": case.get("gradient_accumulation", 1),
        "keep_gradients": case.get("keep_gradients", False), "mesh": case.get("mesh"), "data": case.get("data"),
        "tensor": case.get("tensor"), "pipeline": case.get("pipeline"),
        "checkpoint": case.get("checkpoint"), "backend": "gloo" if "mesh" in case else None, "rank": case["rank"],
    }  # fmt: skip


def strategy_of(case):
    """ "fsdp", "tensor", or both: "fsdp, tensor" """
    data, pipeline = (case.get(name, "").partition("(")[0] for name in ("data", "pipeline"))
    kept = "checkpoint" if case.get("checkpoint") else ""
    return ", ".join(filter(None, (data, "tensor" if case.get("tensor") else "", pipeline, kept)))


def construction(report):
    return max(event.live for event in report.trace if event.phase == "setup")


def differences(case):
    module, batch = built(case)
    report = memmodel.torch.estimate(
        module, batch, **loss_of(case, batch), isa="avx2", intra_op_threads=1, **job_of(case)
    )
    found = [construction(report), *report.step_peaks]
    measured = [case.get("construction", found[0]), *case["peaks"]]
    return [ours - real for ours, real in zip(found, measured, strict=True)]


def row(case, total):
    try:
        found = differences(case)
    except memmodel.MemmodelError as error:
        total["refused"] += 1
        return str(error)
    total["peaks"] += len(found) - 1
    total["exact"] += found[1:].count(0)
    total["constructions"] += 1
    total["exact constructions"] += found[0] == 0
    return " ".join(f"{difference:>10}" for difference in found)


def network_name(case):
    return case.get("network", f"{case['model']}_{case['batch']}")


def save_networks(cases, folder):
    for case in {network_name(case): case for case in cases}.values():
        module, batch = built(case)
        with computed_in(module, case.get("data")):
            batch = first_part(batch, case.get("pipeline"))
            network = memmodel.torch.from_module(module, batch, **loss_of(case, batch), symbolic=False)
        path = folder / f"{network_name(case)}.json"
        path.write_text(json.dumps(json.loads(network.to_json()), separators=(",", ":")) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="?", type=Path, default=RECORDED)
    parser.add_argument("text", nargs="?", default="")
    parser.add_argument("--strategy", default="")
    parser.add_argument("--networks", type=Path)
    given = parser.parse_args()
    cases = json.loads(given.cases.read_text())["cases"]
    cases = [case for case in cases if strategy_of(case).startswith(given.strategy) and given.text in case["name"]]
    if given.networks:
        save_networks(cases, given.networks)
        return
    torch.set_num_threads(1)
    totals = collections.defaultdict(collections.Counter)
    for case in cases:
        text = row(case, totals[strategy_of(case)])
        print(f"{case['name']:56} {case['rank']:3} {text}{'  ' + case['off'] if case.get('off') else ''}", flush=True)
    for strategy, total in totals.items():
        print(strategy, ", ".join(f"{count} {name}" for name, count in total.items()))


if __name__ == "__main__":
    main()
