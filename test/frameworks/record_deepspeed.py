"""Records ranks that DeepSpeed's ZeRO trains on this machine: gloo, one thread a rank.

    PYTHON test/frameworks/record_deepspeed.py FILE [TEXT]

PYTHON has PyTorch, transformers and deepspeed (`DS_BUILD_OPS=0 pip install deepspeed`). Writes rows as
record_parallel.py does, of GRID's cases whose names contain TEXT.
"""

import gc
import json
import os
import socket
import sys

os.environ.update(DS_ACCELERATOR="cpu", GLOO_SOCKET_IFNAME="lo", MASTER_ADDR="127.0.0.1")

import deepspeed
import torch
import torch.distributed as dist
from parallel_models import MODELS, loss
from record_parallel import OPTIMIZERS, events_of, name_of, peaks_of, wait_after_collectives, write
from torch.profiler import ProfilerActivity, profile, record_function

STEPS = 3

# model, batch, optimizer, ranks, batches a step, options
GRID = [
    ("mlp2", 6, "rmsprop", 3, 1, {"stage": 1, "reduce_bucket_size": 300000}),
    ("gpt6", 2, "adamw", 3, 1, {"stage": 1, "reduce_bucket_size": 700000, "overlap_comm": True}),
    ("gpt2b", 2, "momentum", 2, 1, {"stage": 2, "reduce_bucket_size": 150000}),
    ("llama6", 2, "adam", 3, 1, {"stage": 2, "reduce_bucket_size": 2500000, "overlap_comm": True}),
    ("gpt6", 2, "adam", 2, 1, {"stage": 2, "reduce_bucket_size": 800000, "contiguous_gradients": False}),
    ("titan3", 2, "adamw", 2, 1, {"stage": 2, "reduce_bucket_size": 1500000, "reduce_scatter": False}),
    ("mlp2", 6, "adagrad", 2, 1, {"stage": 2, "reduce_bucket_size": 300000}),
    ("gpt6", 2, "adamw", 2, 2, {"stage": 2, "reduce_bucket_size": 900000}),
    ("gpt6", 2, "adamw", 2, 2, {"stage": 1, "reduce_bucket_size": 900000}),
    ("gpt", 4, "adamw", 2, 1,
     {"stage": 2, "reduce_bucket_size": 1200000, "bf16": True, "grad_accum_dtype": "float32"}),
    ("gpt6", 2, "adamw", 3, 1, {"stage": 1, "reduce_bucket_size": 900000, "bf16": True}),
    ("mlp2", 6, "adam", 2, 1, {"stage": 3, "reduce_bucket_size": 400000}),
    ("gpt6", 2, "adamw", 3, 1, {"stage": 3, "reduce_bucket_size": 1500000}),
    ("llama6", 2, "adam", 2, 1,
     {"stage": 3, "reduce_bucket_size": 2000000, "stage3_prefetch_bucket_size": 300000,
      "stage3_param_persistence_threshold": 1000}),
    ("titan3", 2, "momentum", 3, 1,
     {"stage": 3, "reduce_bucket_size": 900000, "stage3_max_reuse_distance": 200000,
      "stage3_prefetch_bucket_size": 400000, "stage3_param_persistence_threshold": 500}),
    ("gpt6", 2, "adam", 2, 1,
     {"stage": 3, "reduce_bucket_size": 900000, "stage3_max_live_parameters": 2000000,
      "stage3_max_reuse_distance": 0, "stage3_param_persistence_threshold": 0}),
    ("gpt6", 2, "adamw", 2, 2, {"stage": 3, "reduce_bucket_size": 900000}),
    ("gpt6", 2, "adamw", 2, 1, {"stage": 3, "reduce_bucket_size": 900000, "sub_group_size": 400000}),
    ("gpt", 4, "adamw", 4, 1, {"stage": 3, "reduce_bucket_size": 600000, "bf16": True}),
]  # fmt: skip

OURS = ("bf16", "grad_accum_dtype")  # options that stand elsewhere in the configuration


def text_of(options):
    return f"deepspeed({', '.join(f'{name}={value}' for name, value in options.items())})"


def case_name(case):
    model, batch, optimizer, ranks, batches, options = case
    return name_of(model, batch, optimizer, ranks, f"deepspeed{batches}", options)


def configuration(batch, batches, options):
    found = {
        "train_micro_batch_size_per_gpu": batch, "gradient_accumulation_steps": batches,
        "zero_allow_untested_optimizer": True,
        "zero_optimization": {name: value for name, value in options.items() if name not in OURS},
    }  # fmt: skip
    if options.get("bf16"):
        found["bf16"] = {"enabled": True}
    if options.get("grad_accum_dtype"):
        found["data_types"] = {"grad_accum_dtype": "fp32"}
    return found


def train(case):
    model, batch, optimizer, _, batches, options = case
    module = MODELS[model][0]().train()
    x = MODELS[model][1](batch)
    if options.get("bf16"):
        x = tuple(part.bfloat16() if part.is_floating_point() else part for part in x)
    kind, arguments = OPTIMIZERS[optimizer]
    engine, *_ = deepspeed.initialize(
        model=module, optimizer=kind(module.parameters(), **arguments), config=configuration(batch, batches, options)
    )
    gc.collect()
    for step in range(STEPS):
        with record_function(f"memmodel step {step}"):
            for _ in range(batches):
                value = loss(y := engine(*x))
                engine.backward(value)
                engine.step()
    return y


def record(case, rank, path):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    wait_after_collectives()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        kept = train(case)
    del kept
    (construction, *peaks), ends = peaks_of(*events_of(profiled))
    row = {
        "name": case_name(case), "model": case[0], "batch": case[1], "optimizer": case[2], "mesh": f"dp={case[3]}",
        "data": text_of(case[5]), "rank": rank, "construction": construction, "peaks": peaks, "ends": ends,
    }  # fmt: skip
    if case[4] > 1:
        row["gradient_accumulation"] = case[4]
    if case[5].get("bf16"):
        row["network"] = f"{case[0]}_{case[1]}_bfloat16"
    if ends[2] != ends[3]:
        row["off"] = f"grows by {ends[3] - ends[2]} from step to step"
    path.write_text(json.dumps(row))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def run(case, folder):
    """A process for each rank; the rows of those that came to an end."""
    os.environ.update(MASTER_PORT=free_port(), WORLD_SIZE=str(case[3]), LOCAL_SIZE=str(case[3]))
    children = []
    for rank in range(case[3]):
        child = os.fork()
        if child == 0:
            try:
                os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank))
                deepspeed.init_distributed("gloo")
                record(case, rank, folder / f"{rank}.json")
                dist.barrier()
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    files = [folder / f"{rank}.json" for rank in range(case[3])]
    return [json.loads(file.read_text()) for file in files if file.exists()]


def main(path, text=""):
    write(path, {case_name(case): case for case in GRID if text in case_name(case)}, run)


if __name__ == "__main__":
    main(*sys.argv[1:])
