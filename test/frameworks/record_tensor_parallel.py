"""Records ranks of tensor-parallel modules on this machine: gloo, one thread a rank.

    build/venv/zoo/bin/python test/frameworks/record_tensor_parallel.py FILE [TEXT]

Writes cases of GRID whose names contain TEXT as record_parallel.py does. Plans are written as struct memmodel_parallel
has them; with `sequence` norms are SequenceParallel().
"""

import json
import math
import os
import re
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from parallel_models import MODELS, blocks
from record_parallel import PAUSE, events_of, peaks_of, run_steps, text_of, wait_after_collectives, write
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)
from torch.profiler import ProfilerActivity, profile

GPT = "colwise=layers.*.(q|k|v|up), rowwise=layers.*.(o|down)"
LLAMA = (
    "colwise=model.layers.*.self_attn.(q|k|v)_proj, model.layers.*.mlp.(gate|up)_proj, "
    "rowwise=model.layers.*.self_attn.o_proj, model.layers.*.mlp.down_proj"
)
LLAMA_ATTENTION = "colwise=model.layers.*.self_attn.(q|k|v)_proj, rowwise=model.layers.*.self_attn.o_proj"
MLP = "colwise=layers.*.0, rowwise=layers.*.2"
TITAN = (
    "colwise=layers.*.attention.w(q|k|v), layers.*.feed_forward.w(1|3), "
    "rowwise=layers.*.attention.wo, layers.*.feed_forward.w2"
)
TITAN_VOCAB = TITAN + ", vocab=tok_embeddings, output"
TITAN_SEQUENCE = TITAN_VOCAB + ", gather=layers.*.(attention|feed_forward), sequence"

LOSS = ", loss_parallel"

# model, batch, optimizer, mesh, data strategy and its options, plan
GRID = [
    ("mlp", 8, "sgd", {"tp": 2}, None, {}, MLP),
    ("mlp2", 6, "adam", {"tp": 4}, None, {}, MLP),
    ("gpt6", 2, "adam", {"tp": 2}, None, {}, GPT),
    ("gpt6", 2, "rmsprop", {"tp": 3}, None, {}, GPT),
    ("gpt6", 2, "momentum", {"tp": 3}, None, {}, GPT + ", vocab=emb, head"),
    ("llama6", 2, "adamw", {"tp": 3}, None, {}, LLAMA_ATTENTION),
    ("llama", 3, "nadam", {"tp": 2}, None, {}, LLAMA + ", vocab=model.embed_tokens, lm_head"),
    ("titan", 2, "adamw", {"tp": 2}, None, {}, TITAN),
    ("titan", 2, "adamw", {"tp": 4}, None, {}, TITAN_VOCAB),
    ("titan3", 2, "adam", {"tp": 3}, None, {}, TITAN_VOCAB),
    ("titan", 2, "adamw", {"tp": 2}, None, {}, TITAN_SEQUENCE),
    ("titan", 2, "sgd", {"tp": 4}, None, {}, TITAN_SEQUENCE),
    ("titan3", 2, "adam", {"tp": 3}, None, {}, TITAN_SEQUENCE),
    ("gpt", 4, "adamw", {"dp": 2, "tp": 2}, "fsdp", {}, GPT),
    ("titan", 2, "adam", {"dp": 2, "tp": 2}, "fsdp", {}, TITAN_VOCAB),
    ("titan", 2, "adam", {"dp": 2, "tp": 2}, "fsdp", {}, TITAN_SEQUENCE),
    ("titan3", 2, "adam", {"dp": 2, "tp": 3}, "fsdp", {"reshard_after_forward": False}, TITAN),
    ("titan", 8, "sgd", {"tp": 2}, None, {}, TITAN_VOCAB + LOSS),
    ("titan3", 2, "adam", {"tp": 3}, None, {}, TITAN_VOCAB + LOSS),
    ("titan", 8, "momentum", {"tp": 4}, None, {}, TITAN_VOCAB + LOSS),
]  # fmt: skip


def name_of(model, batch, optimizer, mesh, strategy, options, plan):
    marks = [word for word in ("vocab", "sequence", "loss_parallel") if word in plan]
    marks += [strategy] if strategy else []
    shape = "".join(f"{axis}{size}" for axis, size in mesh.items())
    return "_".join([model, f"b{batch}", optimizer, shape, "tensor", *marks, *(f"{k}={v}" for k, v in options.items())])


def parts_of(plan):
    """(key, pattern) of each part of a plan; the key of `sequence` is empty."""
    key = ""
    for part in plan.split(","):
        name, equals, pattern = part.strip().rpartition("=")
        key = name if equals else key
        yield ("", pattern) if pattern in ("sequence", "loss_parallel") else (key, pattern)


def names_matching(module, pattern):
    expression = re.escape(pattern).replace(r"\*", "[^.]*").replace(r"\(", "(").replace(r"\)", ")").replace(r"\|", "|")
    return [name for name, _ in module.named_modules() if re.fullmatch(expression, name)]


def style_of(key, part, sequence, loss):
    """As torchtitan's plans have them."""
    between = Shard(1) if sequence else Replicate()
    if key == "gather":
        return PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),))
    if key == "vocab" and isinstance(part, nn.Embedding):
        return RowwiseParallel(input_layouts=Replicate(), output_layouts=between)
    if key == "vocab" and loss:
        return ColwiseParallel(input_layouts=between, output_layouts=Shard(-1), use_local_output=False)
    if key == "vocab":
        return ColwiseParallel(input_layouts=between, output_layouts=Replicate())
    return RowwiseParallel(output_layouts=between) if key == "rowwise" else ColwiseParallel()


def parallelize(module, mesh, plan):
    """Modules in their order, those of the vocabulary last."""
    parts, styles = list(parts_of(plan)), {}
    sequence, loss = ("", "sequence") in parts, ("", "loss_parallel") in parts
    for key, pattern in parts:
        for name in names_matching(module, pattern) if key else ():
            styles[name] = key, style_of(key, module.get_submodule(name), sequence, loss)
    if sequence:
        for name, part in module.named_modules():
            if isinstance(part, (nn.LayerNorm, nn.RMSNorm)):
                styles[name] = "norm", SequenceParallel()
    order = {name: number for number, (name, _) in enumerate(module.named_modules())}
    for name in sorted(styles, key=lambda name: (styles[name][0] == "vocab", order[name])):
        parallelize_module(module, mesh, {name: styles[name][1]})
    return module


def wrapped(module, mesh, strategy, options, plan):
    module = parallelize(module, mesh["tp"] if len(mesh.mesh_dim_names) > 1 else mesh, plan)
    if strategy == "fsdp":
        for name in blocks(module):
            fully_shard(module.get_submodule(name), mesh=mesh["dp"], **options)
        fully_shard(module, mesh=mesh["dp"], **options)
    return module


def cross_entropy(y, x):
    return nn.functional.cross_entropy(y.flatten(0, 1), x.flatten())


def train(model, batch, optimizer, sizes, strategy, options, plan):
    module = MODELS[model][0]().train()
    mesh = init_device_mesh("cpu", tuple(sizes.values()), mesh_dim_names=tuple(sizes))
    module = wrapped(module, mesh, strategy, options, plan)
    if "loss_parallel" not in plan:
        return run_steps(module, model, batch, optimizer, strategy, options)
    with loss_parallel():
        return run_steps(module, model, batch, optimizer, strategy, options, cross_entropy)


def wait_after_functional_collectives():
    """Those of DTensors end in wait_tensor()."""
    wait = functional.wait_tensor

    def slowly(tensor):
        done = wait(tensor)
        time.sleep(float(os.environ.get("PAUSE", PAUSE)))
        return done

    functional.wait_tensor = slowly


def record(case, rank, path):
    model, batch, optimizer, sizes, strategy, options, plan = case
    torch.manual_seed(0)
    torch.set_num_threads(1)
    wait_after_collectives()
    wait_after_functional_collectives()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        kept = train(*case)
    del kept
    (construction, *peaks), ends = peaks_of(*events_of(profiled))
    row = {
        "name": name_of(*case), "model": model, "batch": batch, "optimizer": optimizer,
        "mesh": ",".join(f"{axis}={size}" for axis, size in sizes.items()), "tensor": plan, "rank": rank,
        "construction": construction, "peaks": peaks,
    }  # fmt: skip
    if "loss_parallel" in plan:
        row["network"] = f"{model}_{batch}_entropy"
    if strategy:
        row["data"] = text_of(model, strategy, options)
    if ends[2] != ends[3]:
        row["off"] = f"grows by {ends[3] - ends[2]} from step to step"
    path.write_text(json.dumps(row))
    if os.environ.get("EVENTS"):
        Path(os.environ["EVENTS"], f"{name_of(*case)}.r{rank}.json").write_text(json.dumps(listing(profiled)))


def listing(profiled):
    """Each allocation and release with the operators that it happened in."""
    waiting, events = [(event, ()) for event in profiled.profiler.kineto_results.experimental_event_tree()], []
    while waiting:
        event, path = waiting.pop()
        waiting.extend((child, (*path, event.name)) for child in event.children)
        if event.tag.name == "Allocation":
            events.append((event.start_time_ns, event.extra_fields.alloc_size, " > ".join(path[-3:])))
    return [event[1:] for event in sorted(events)]


def run(case, ranks, record, folder):
    """A process for each rank; the rows of those that came to an end."""
    store, children = folder / "store", []
    for rank in range(ranks):
        child = os.fork()
        if child == 0:
            try:
                dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks)
                record(case, rank, folder / f"{rank}.json")
                dist.barrier()
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    return [json.loads(file.read_text()) for file in map(folder.joinpath, map("{}.json".format, range(ranks)))
            if file.exists()]  # fmt: skip


def main(path, text=""):
    names = {name_of(*case): case for case in GRID if text in name_of(*case)}
    write(path, names, lambda case, folder: run(case, math.prod(case[3].values()), record, folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
