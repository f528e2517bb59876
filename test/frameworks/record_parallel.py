"""Records ranks that train together on this machine: gloo, one thread a rank.

    build/venv/zoo/bin/python test/frameworks/record_parallel.py FILE [TEXT]

Writes the peaks of construction and of three steps of each rank of GRID's cases whose names contain TEXT, by PyTorch's
profiler, which sees releases on a rank's own threads alone: a rank waits a moment after each collective. What it lost
all the same makes the bytes grow from step to step; `off` says so.
"""

import gc
import json
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")

import torch
import torch.distributed as dist
from parallel_models import MODELS, blocks, loss
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, record_function

STEPS, PAUSE = 3, 0.004
OPTIMIZERS = {
    "sgd": (torch.optim.SGD, {"lr": 0.01}), "momentum": (torch.optim.SGD, {"lr": 0.01, "momentum": 0.9}),
    "adam": (torch.optim.Adam, {}), "adamw": (torch.optim.AdamW, {}), "nadam": (torch.optim.NAdam, {}),
    "rmsprop": (torch.optim.RMSprop, {}), "adagrad": (torch.optim.Adagrad, {}),
    "adadelta": (torch.optim.Adadelta, {}), "adamax": (torch.optim.Adamax, {}),
}  # fmt: skip

OURS = ("parameters_as_bucket_view", "keep_gradients")  # options that are none of the wrapper's

# model, batch, optimizer, ranks, strategy with its options
GRID = [
    ("mlp", 8, "adam", 2, "ddp", {"keep_gradients": True}),
    ("mlp", 8, "adam", 2, "ddp", {"keep_gradients": True, "gradient_as_bucket_view": True}),
    ("mlp", 8, "adam", 2, "fsdp", {"keep_gradients": True}),
    ("mlp2", 6, "rmsprop", 3, "ddp", {}),
    ("mlp2", 6, "adagrad", 2, "ddp", {"gradient_as_bucket_view": True, "bucket_cap_mb": 2}),
    ("gpt6", 2, "adam", 3, "ddp", {"bucket_cap_mb": 6}),
    ("conv2", 4, "nadam", 2, "ddp", {"broadcast_buffers": False}),
    ("llama6", 2, "adamax", 2, "ddp", {"static_graph": True}),
    ("gpt2b", 2, "sgd", 3, "ddp", {"find_unused_parameters": True, "gradient_as_bucket_view": True}),
    ("mlp2", 6, "adamw", 3, "zero1", {}),
    ("gpt6", 2, "adadelta", 2, "zero1", {}),
    ("llama6", 2, "adam", 3, "zero1", {"parameters_as_bucket_view": True}),
    ("mlp2", 6, "rmsprop", 3, "fsdp", {}),
    ("gpt6", 2, "adam", 3, "fsdp", {}),
    ("gpt6", 2, "adamw", 2, "fsdp", {"reshard_after_forward": False}),
    ("llama6", 2, "nadam", 3, "fsdp", {"reshard_after_forward": True}),
    ("conv2", 4, "momentum", 3, "fsdp", {}),
    ("gpt2b", 2, "adamax", 4, "fsdp", {"reshard_after_forward": 2}),
    ("gpt2b", 2, "sgd", 2, "fsdp", {}),
]


def name_of(model, batch, optimizer, ranks, strategy, options):
    return "_".join([model, f"b{batch}", optimizer, f"w{ranks}", strategy, *(f"{k}={v}" for k, v in options.items())])


def text_of(model, strategy, options):
    """The strategy as struct memmodel_parallel has it."""
    path = blocks(MODELS[model][0]())[0].rpartition(".")[0]
    arguments = [f"{path}.*"] if strategy == "fsdp" else []
    arguments += [f"{name}={value}" for name, value in options.items() if name != "keep_gradients"]
    return f"{strategy}({', '.join(arguments)})" if arguments else strategy


def wait_after_collectives():
    work = torch._C._distributed_c10d.Work
    wait = work.wait

    def slowly(self, *args, **kwargs):
        done = wait(self, *args, **kwargs)
        time.sleep(PAUSE)
        return done

    work.wait = slowly


def wrapped(model, strategy, options):
    own = {name: value for name, value in options.items() if name not in OURS}
    if strategy == "fsdp":
        for name in blocks(model):
            fully_shard(model.get_submodule(name), **own)
        return fully_shard(model, **own)
    return DistributedDataParallel(model, **own)


def optimizer_of(name, strategy, options, parameters):
    kind, arguments = OPTIMIZERS[name]
    if strategy != "zero1":
        return kind(parameters, **arguments)
    view = options.get("parameters_as_bucket_view", False)
    return ZeroRedundancyOptimizer(parameters, kind, parameters_as_bucket_view=view, **arguments)


def train(model, batch, optimizer, strategy, options):
    module = wrapped(MODELS[model][0]().train(), strategy, options)
    return run_steps(module, model, batch, optimizer, strategy, options)


def run_steps(module, model, batch, optimizer, strategy, options, measure=lambda y, *x: loss(y)):
    """Of a module that is wrapped; what the last one gave, which is kept."""
    gc.collect()
    x = MODELS[model][1](batch)
    updates = optimizer_of(optimizer, strategy, options, module.parameters())
    gc.collect()
    for step in range(STEPS):
        with record_function(f"memmodel step {step}"):
            value = measure(y := module(*x), *x)
            value.backward()
            updates.step()
            updates.zero_grad(set_to_none=not options.get("keep_gradients"))
    return y


def events_of(profiled):
    """(time, bytes) of allocations and releases, (begin, end) of each step."""
    waiting, events, steps = list(profiled.profiler.kineto_results.experimental_event_tree()), [], {}
    while waiting:
        event = waiting.pop()
        waiting.extend(event.children)
        if event.tag.name == "Allocation":
            events.append((event.start_time_ns, event.extra_fields.alloc_size))
        elif event.name.startswith("memmodel step"):
            steps[event.name] = (event.start_time_ns, event.end_time_ns)
    return sorted(events), [steps[name] for name in sorted(steps)]


def peaks_of(events, steps):
    """Of construction and of each step; live bytes at the end of each."""
    peaks, ends, live, number = [0] * (STEPS + 1), [0] * (STEPS + 1), 0, 0
    for when, size in events:
        while number < STEPS and when >= steps[number][0]:
            number += 1
            peaks[number] = live
        live += size
        if number == 0 or when <= steps[number - 1][1]:
            peaks[number], ends[number] = max(peaks[number], live), live
    return peaks, ends


def record(case, rank, path):
    model, batch, optimizer, _, strategy, options = case
    torch.manual_seed(0)
    torch.set_num_threads(1)
    wait_after_collectives()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        kept = train(model, batch, optimizer, strategy, options)
    del kept
    (construction, *peaks), ends = peaks_of(*events_of(profiled))
    row = {
        "name": name_of(*case), "model": model, "batch": batch, "optimizer": optimizer, "mesh": f"dp={case[3]}",
        "data": text_of(model, strategy, options), "rank": rank, "construction": construction, "peaks": peaks,
    }  # fmt: skip
    if options.get("keep_gradients"):
        row["keep_gradients"] = True
    if ends[2] != ends[3]:
        row["off"] = f"grows by {ends[3] - ends[2]} from step to step"
    path.write_text(json.dumps(row))


def run(case, folder):
    """A process for each rank; the rows of those that came to an end."""
    store, children = folder / "store", []
    store.unlink(missing_ok=True)
    for rank in range(case[3]):
        child = os.fork()
        if child == 0:
            try:
                dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=case[3])
                record(case, rank, folder / f"{rank}.json")
                dist.barrier()
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    files = [folder / f"{rank}.json" for rank in range(case[3])]
    rows = [json.loads(file.read_text()) for file in files if file.exists()]
    for file in files:
        file.unlink(missing_ok=True)
    return rows


def write(path, names, record):
    """Records a case a name, in a folder of its own, and keeps the rows of their ranks."""
    warnings.filterwarnings("ignore")
    rows = []
    for name, case in names.items():
        with tempfile.TemporaryDirectory() as folder:
            found = record(case, Path(folder))
        print(name, [row["peaks"] for row in found], flush=True)
        rows += found
    lines = ",\n".join(json.dumps(row) for row in rows)
    head = {"torch": torch.__version__, "backend": "gloo", "threads": 1}
    Path(path).write_text(f'{json.dumps(head)[:-1]}, "cases": [\n{lines}\n]}}\n')


def main(path, text=""):
    write(path, {name_of(*case): case for case in GRID if text in name_of(*case)}, run)


if __name__ == "__main__":
    main(*sys.argv[1:])
