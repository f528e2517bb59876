"""Step peaks of a rank that has a part of a sequence, on a simulated GPU by PyTorch's own allocator, and as predicted.

    build/venv/cuda/bin/python test/frameworks/compare_gpu_context.py run MEMMODEL [TEXT] > FILE
    build/venv/zoo/bin/python test/frameworks/compare_gpu_context.py predict [FILE]

Ring attention of context_parallel() and FSDP2 over all ranks run as they are, with NCCL's stand-in. MEMMODEL is the
command `memmodel`; the first command records the cases whose names contain TEXT, each in a process of its own.
"""

import contextlib
import gc
import json
import math
import subprocess
import sys
from pathlib import Path

import compare_gpu_ranks
import record_tensor_parallel as tensor
import torch
import torch.distributed as dist
from compare_gpu_ranks import STEPS, updates_of
from parallel_models import MODELS, blocks, loss
from record_parallel import text_of
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

MEASURED = Path(__file__).resolve().parents[1] / "data/pytorch_parallel/gpu_context.jsonl"
RING, SWAP, PLAIN = None, "ring(rotate_method=alltoall)", "ring(load_balance=False)"
# model, batch, type, optimizer, mesh, strategy, tensor plan, context, rank, GPU
CASES = [
    ("titan", 4, "bfloat16", "adamw", {"cp": 2}, "fsdp", None, RING, 0, "h100"),
    ("titan", 4, "bfloat16", "adamw", {"cp": 2}, "fsdp", None, RING, 1, "h100"),
    ("titan", 4, "bfloat16", "adamw", {"cp": 4}, "fsdp", None, RING, 1, "h100"),
    ("titan", 4, "bfloat16", "sgd", {"cp": 4}, "fsdp", None, SWAP, 2, "h100"),
    ("titan", 4, "bfloat16", "sgd", {"cp": 4}, "fsdp", None, RING, 3, "a100"),
    ("titan", 4, "bfloat16", "sgd", {"cp": 4}, "fsdp", None, SWAP, 0, "a100"),
    ("gpt", 8, "bfloat16", "adamw", {"cp": 2}, "fsdp", None, RING, 1, "a100"),
    ("gpt", 8, "float32", "adamw", {"cp": 2}, "fsdp", None, RING, 0, "h100"),
    ("gpt", 8, "float32", "sgd", {"cp": 3}, "fsdp", None, RING, 1, "h100"),
    ("gpt", 8, "float32", "sgd", {"cp": 3}, "fsdp", None, SWAP, 2, "a100"),
    ("gpt", 8, "float32", "sgd", {"cp": 3}, "fsdp", None, PLAIN, 1, "h100"),
    ("gpt", 8, "bfloat16", "sgd", {"cp": 4}, "fsdp", None, PLAIN, 2, "h100"),
    ("llama", 4, "bfloat16", "adamw", {"cp": 2}, "fsdp", None, RING, 0, "h100"),
    ("llama", 4, "float32", "sgd", {"cp": 2}, "fsdp", None, RING, 1, "h100"),
    ("titan", 4, "bfloat16", "adamw", {"dp": 2, "cp": 2}, "fsdp", None, RING, 2, "h100"),
    ("titan", 2, "bfloat16", "adamw", {"cp": 2, "tp": 2}, "fsdp", tensor.TITAN, RING, 2, "h100"),
    ("titan", 2, "bfloat16", "adamw", {"cp": 2, "tp": 2}, "fsdp", tensor.TITAN_SEQUENCE, SWAP, 1, "h100"),
    ("gpt", 4, "float32", "adamw", {"cp": 2}, "fsdp", None, RING, 0, "h100"),
    ("gpt", 4, "bfloat16", "sgd", {"cp": 4}, "fsdp", None, SWAP, 1, "a100"),
    ("titan", 2, "float32", "sgd", {"dp": 2, "cp": 2}, "fsdp", None, RING, 3, "h100"),
]  # fmt: skip


def mesh_text(mesh):
    return ",".join(f"{axis}={size}" for axis, size in mesh.items())


def name_of(model, batch, dtype, optimizer, mesh, strategy, plan, context, rank, gpu):
    parts = [model, f"b{batch}", dtype, optimizer, mesh_text(mesh), strategy, context or "ring", f"r{rank}", gpu]
    return "_".join(parts + (["tensor"] if plan else []) + (["sequence"] if plan and "sequence" in plan else []))


def parallelized(module, mesh, axes, plan):
    data = tuple(axis for axis in axes if axis != "tp")
    flat = mesh[data]._flatten("ranks") if len(data) > 1 else mesh[data[0]]
    if plan:
        tensor.parallelize(module, mesh["tp"], plan)
    for name in blocks(module):
        fully_shard(module.get_submodule(name), mesh=flat)
    return fully_shard(module, mesh=flat)


@contextlib.contextmanager
def ring(mesh, context):
    """What context_parallel() does beside cutting its buffers, of which it keeps parts for as long as it lasts."""
    from torch.distributed.tensor.experimental._context_parallel import _attention

    _attention.set_rotate_method("alltoall" if context == SWAP else "allgather")
    _attention._cp_options.enable_load_balance = context != PLAIN
    _attention._enable_context_parallel_dispatcher_impl(seq_dim=2, mesh=mesh)
    yield
    _attention._disable_context_parallel_dispatcher_impl()


def train(model, batch, dtype, optimizer, axes, strategy, plan, context, *_):
    torch.cuda.set_device(0)
    dist.init_process_group("nccl")
    make, inputs = MODELS[model]
    mesh = init_device_mesh("cuda", tuple(axes.values()), mesh_dim_names=tuple(axes))
    module = make().train().to(getattr(torch, dtype)).cuda()
    module = parallelized(module, mesh, axes, plan)
    x = [part.cuda() for part in inputs(batch)]
    updates = updates_of(optimizer, strategy, {}, plan, module)
    gc.collect()
    peaks = []
    for _ in range(STEPS):
        torch.cuda.reset_peak_memory_stats()
        with ring(mesh["cp"], context):
            value = loss(y := module(*x))
            value.backward()
        updates.step()
        updates.zero_grad()
        peaks.append(torch.cuda.max_memory_allocated())
    del y
    print(json.dumps({"torch": torch.__version__, "peaks": peaks, "reserved": torch.cuda.max_memory_reserved()}))


def record(memmodel, text=""):
    """Prints a row a case."""
    for number, case in enumerate(CASES):
        name, (mesh, (rank, gpu)) = name_of(*case), (case[4], case[-2:])
        if text not in name:
            continue
        ran = subprocess.run(
            [memmodel, "run", "--gpu", gpu, "--world-size", str(math.prod(mesh.values())), "--rank", str(rank), "--",
             sys.executable, __file__, "one", str(number)],
            check=False, capture_output=True, text=True,
        )  # fmt: skip
        rows = [line for line in ran.stdout.splitlines() if line.startswith('{"torch"')]
        row = json.loads(rows[0]) if rows else {"error": ran.stderr.strip().splitlines()[-4:]}
        print(json.dumps({"name": name, **row}), flush=True)


def predicted(case, version):
    import memmodel.torch

    model, batch, dtype, optimizer, axes, strategy, plan, context, rank, gpu = case
    make, inputs = MODELS[model]
    module = make().train().to(getattr(torch, dtype))
    report = memmodel.torch.estimate(
        module, tuple(inputs(batch)), loss=loss, steps=STEPS,
        optimizer=updates_of(optimizer, strategy, {}, plan, module), mesh=axes, data=text_of(model, strategy, {}),
        tensor=plan, context=context, backend="nccl", rank=rank,
        device="cuda", gpu=gpu, framework_version=version.partition("+")[0],
    )  # fmt: skip
    return report.step_peaks, report.peak.reserved


def measured(path=MEASURED):
    return compare_gpu_ranks.measured(path)


def compare(rows):
    equal = compared = reserved = 0
    for case in CASES:
        name = name_of(*case)
        row = rows.get(name)
        if row is None or "error" in row:
            print(f"{name:70} {row['error'] if row else 'not run'}")
            continue
        mine, kept = predicted(case, row["torch"])
        compared += STEPS
        equal += sum(a == b for a, b in zip(mine, row["peaks"]))
        reserved += kept == row["reserved"]
        off = [a - b for a, b in zip(mine, row["peaks"])]
        print(f"{name:70} {row['peaks']} {off}, reserved {kept / row['reserved'] - 1:+8.3%}", flush=True)
    print(f"{equal} of {compared} step peaks exact, {reserved} of {compared // STEPS} reserved")


def main(what, *arguments):
    if what == "run":
        record(*arguments)
    elif what == "one":
        train(*CASES[int(arguments[0])])
    else:
        compare(measured(*arguments))


if __name__ == "__main__":
    main(*sys.argv[1:])
