"""Step peaks of one rank of several on a simulated H100, by PyTorch's own allocator, beside those that rules predict.

    memmodel run --gpu h100 --world-size 4 --rank 1 -- build/venv/cuda/bin/python compare_gpu_ranks.py run > FILE
    build/venv/zoo/bin/python compare_gpu_ranks.py predict [FILE]

DistributedDataParallel's reducer and FSDP2 run as they are, with NCCL's stand-in; the models are those of
parallel_models.py. The second command, for which any build of PyTorch will do, prints a row a case.
"""

import gc
import json
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from parallel_models import MODELS, loss
from record_parallel import name_of, optimizer_of, text_of, wrapped

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


def train(model, batch, optimizer, strategy, options):
    torch.cuda.set_device(0)
    dist.init_process_group("nccl")
    make, inputs = MODELS[model]
    module = wrapped(make().train().cuda(), strategy, options)
    x = [tensor.cuda() for tensor in inputs(batch)]
    updates = optimizer_of(optimizer, strategy, options, module.parameters())
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
    return peaks


def apart(case):
    """In a process of its own."""
    read, write = os.pipe()
    if os.fork() == 0:
        model, batch, optimizer, _, strategy, options = case
        try:
            row = {"peaks": train(model, batch, optimizer, strategy, options)}
        except Exception as error:
            row = {"error": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
        os.write(write, json.dumps({"name": name_of(*case), "torch": torch.__version__, **row}).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        print(file.read(), flush=True)
    os.wait()


def predicted(case, version):
    import memmodel.torch

    model, batch, optimizer, ranks, strategy, options = case
    make, inputs = MODELS[model]
    module = make().train()
    parallel = {"mesh": {"dp": ranks}, "data": text_of(model, strategy, options), "backend": "nccl", "rank": RANK}
    on_gpu = {"device": "cuda", "gpu": "h100", "framework_version": version.partition("+")[0]}
    return memmodel.torch.estimate(
        module, tuple(inputs(batch)), loss=loss, steps=STEPS,
        optimizer=optimizer_of(optimizer, strategy, options, module.parameters()), **parallel, **on_gpu,
    ).step_peaks  # fmt: skip


def compare(rows):
    equal = compared = 0
    for case in GRID:
        row = rows.get(name_of(*case))
        if row is None or "error" in row:
            print(f"{name_of(*case):60} {row['error'] if row else 'not run'}")
            continue
        try:
            mine = predicted(case, row["torch"])
        except Exception as error:
            print(f"{name_of(*case):60} refused: {str(error).splitlines()[0][:120]}", flush=True)
            continue
        compared += STEPS
        equal += sum(a == b for a, b in zip(mine, row["peaks"]))
        worst = max(abs(a / b - 1) for a, b in zip(mine, row["peaks"]))
        print(f"{name_of(*case):60} {mine} {row['peaks']} {worst:8.3%}", flush=True)
    print(f"{equal} of {compared} step peaks exact")


def measured(path=MEASURED):
    rows = map(json.loads, filter(None, Path(path).read_text().splitlines()))
    return {row["name"]: row for row in rows}


def main(what, path=MEASURED):
    if what == "run":
        for case in GRID:
            apart(case)
    else:
        compare(measured(path))


if __name__ == "__main__":
    main(*sys.argv[1:])
