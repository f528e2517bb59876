"""Step peaks of one rank of several on a simulated H100, by PyTorch's own allocator, beside those that rules predict.

    memmodel run --gpu h100 --world-size 4 --rank 1 -- build/venv/cuda/bin/python compare_gpu_ranks.py run > FILE
    build/venv/zoo/bin/python compare_gpu_ranks.py predict [FILE]

DistributedDataParallel's reducer and FSDP2 run as they are, with NCCL's stand-in; the models are those of
parallel_models.py. The second command, for which any build of PyTorch will do, prints a row a case.
"""

import gc
import json
import sys
from functools import partial
from pathlib import Path

import record_tensor_parallel as tensor
import torch
import torch.distributed as dist
from compare_gpu_loops import apart
from parallel_models import MODELS, loss
from record_parallel import name_of, optimizer_of, text_of, wrapped
from torch.distributed.device_mesh import init_device_mesh

MEASURED = Path(__file__).resolve().parents[1] / "data/pytorch_parallel/gpu_ranks.jsonl"
RANK, RANKS, STEPS = 1, 4, 3
FSDP = ({}, {"reshard_after_forward": False})
DDP = ({}, {"gradient_as_bucket_view": True}, {"bucket_cap_mb": 1})
GRID = [
    (model, batch, optimizer, RANKS, strategy, options)
    for model, batch in (("mlp", 16), ("gpt", 4), ("gpt6", 2), ("conv", 8), ("llama", 4), ("gpt2", 4), ("titan", 4))
    for optimizer in ("adamw", "sgd")
    for strategy, choices in (("fsdp", FSDP), ("ddp", DDP))
    for options in choices
]
# With a mesh and a tensor plan; of DTensors and plain tensors together optimizers take one at a time.
WITH_PLAN = [
    ("mlp", 8, "sgd", {"tp": 4}, None, {}, tensor.MLP),
    ("mlp2", 6, "adam", {"tp": 4}, None, {}, tensor.MLP),
    ("gpt", 4, "adamw", {"tp": 4}, None, {}, tensor.GPT),
    ("gpt", 4, "sgd", {"tp": 4}, None, {}, tensor.GPT + ", vocab=emb, head"),
    ("titan", 2, "adamw", {"tp": 4}, None, {}, tensor.TITAN),
    ("titan", 2, "adamw", {"tp": 4}, None, {}, tensor.TITAN_VOCAB),
    ("titan", 2, "sgd", {"tp": 4}, None, {}, tensor.TITAN_SEQUENCE),
    ("gpt", 4, "adamw", {"dp": 2, "tp": 2}, "fsdp", {}, tensor.GPT),
    ("titan", 2, "adam", {"dp": 2, "tp": 2}, "fsdp", {}, tensor.TITAN_VOCAB),
    ("titan", 2, "adam", {"dp": 2, "tp": 2}, "fsdp", {}, tensor.TITAN_SEQUENCE),
]
CASES = {name_of(*case): (*case, None) for case in GRID} | {tensor.name_of(*case): case for case in WITH_PLAN}


def parallelized(module, mesh, strategy, options, plan):
    if plan is None:
        return wrapped(module, strategy, options)
    mesh = init_device_mesh("cuda", tuple(mesh.values()), mesh_dim_names=tuple(mesh))
    return tensor.wrapped(module, mesh, strategy, options, plan)


def updates_of(name, strategy, options, plan, module):
    made = optimizer_of(name, strategy, options, module.parameters())
    for group in made.param_groups if plan else ():
        group["foreach"] = False
    return made


def train(model, batch, optimizer, mesh, strategy, options, plan):
    torch.cuda.set_device(0)
    dist.init_process_group("nccl")
    make, inputs = MODELS[model]
    module = parallelized(make().train().cuda(), mesh, strategy, options, plan)
    x = [part.cuda() for part in inputs(batch)]
    updates = updates_of(optimizer, strategy, options, plan, module)
    gc.collect()
    peaks = []
    for _ in range(STEPS):
        torch.cuda.reset_peak_memory_stats()
        value = loss(y := module(*x))
        value.backward()
        updates.step()
        updates.zero_grad()
        peaks.append(torch.cuda.max_memory_allocated())
    del y
    return [*peaks, torch.cuda.max_memory_reserved()]


def measure(name, run):
    """Prints the row of a training, whose peaks and reserved bytes `run` returns."""
    found = apart(run)
    row = {"peaks": found[:-1], "reserved": found[-1]} if isinstance(found, list) else {"error": found}
    print(json.dumps({"name": name, "torch": torch.__version__, **row}), flush=True)


def predicted(name, version):
    import memmodel.torch

    model, batch, optimizer, mesh, strategy, options, plan = CASES[name]
    make, inputs = MODELS[model]
    module = make().train()
    parallel = {
        "mesh": mesh if plan else {"dp": mesh}, "data": text_of(model, strategy, options) if strategy else None,
        "tensor": plan, "backend": "nccl", "rank": RANK,
    }  # fmt: skip
    on_gpu = {"device": "cuda", "gpu": "h100", "framework_version": version.partition("+")[0]}
    report = memmodel.torch.estimate(
        module, tuple(inputs(batch)), loss=loss, steps=STEPS,
        optimizer=updates_of(optimizer, strategy, options, plan, module), **parallel, **on_gpu,
    )  # fmt: skip
    return report.step_peaks, report.peak.reserved


def compare(rows):
    equal = compared = reserved = 0
    for name in CASES:
        row = rows.get(name)
        if row is None or "error" in row:
            print(f"{name:60} {row['error'] if row else 'not run'}")
            continue
        try:
            mine, kept = predicted(name, row["torch"])
        except Exception as error:
            print(f"{name:60} refused: {str(error).splitlines()[0][:120]}", flush=True)
            continue
        compared += STEPS
        equal += sum(a == b for a, b in zip(mine, row["peaks"]))
        worst = max(abs(a / b - 1) for a, b in zip(mine, row["peaks"]))
        reserved += kept == row["reserved"]
        off = kept / row["reserved"] - 1
        print(f"{name:60} {mine} {row['peaks']} {worst:8.3%}, reserved {off:+8.3%}", flush=True)
    print(f"{equal} of {compared} step peaks exact, {reserved} of {compared // STEPS} reserved")


def measured(path=MEASURED):
    rows = map(json.loads, filter(None, Path(path).read_text().splitlines()))
    return {row["name"]: row for row in rows}


def main(what, *names):
    if what == "run":
        for name in names or CASES:
            measure(name, partial(train, *CASES[name]))
    else:
        compare(measured(*names))


if __name__ == "__main__":
    main(*sys.argv[1:])
