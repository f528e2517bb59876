"""Records ranks of pipelines on this machine: gloo, one thread a rank.

    build/venv/zoo/bin/python test/frameworks/record_pipeline.py FILE [TEXT]

Writes cases of GRID and SHARED whose names contain TEXT as record_parallel.py does. Each rank has its own stages
alone; the target, one number a sample that the loss does not look at, is taken off the bytes of the last one. `batch`
is that of one part. Of SHARED each stage is wrapped by a data strategy, with the ranks of one stage side by side, or
parallelized by a tensor plan, or both.
"""

import gc
import json
import math
import sys

import torch
from parallel_models import MODELS, loss
from record_parallel import STEPS, events_of, optimizer_of, peaks_of, wait_after_collectives, write
from record_tensor_parallel import GPT, TITAN, parallelize, run, wait_after_functional_collectives
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, record_function

SCHEDULES = {"gpipe": ScheduleGPipe, "1f1b": Schedule1F1B, "interleaved": ScheduleInterleaved1F1B}

# model, batch of a part, optimizer, ranks, schedule, parts, layers that stages begin with, return_outputs
GRID = [
    ("mlp2", 6, "sgd", 2, "1f1b", 3, (2,), True),
    ("mlp2", 6, "adam", 3, "gpipe", 4, (1, 3), True),
    ("mlp2", 6, "rmsprop", 2, "interleaved", 4, (1, 2, 4), True),
    ("gpt6", 2, "adam", 2, "1f1b", 4, (3,), True),
    ("gpt6", 2, "adamw", 3, "1f1b", 3, (1, 4), True),
    ("gpt6", 2, "sgd", 3, "gpipe", 2, (2, 4), True),
    ("gpt6", 2, "adagrad", 2, "interleaved", 2, (2, 3, 5), True),
    ("gpt6", 2, "adam", 3, "interleaved", 6, (1, 2, 3, 4, 5), True),
    ("gpt6", 2, "adam", 2, "1f1b", 4, (4,), False),
    ("titan", 2, "nadam", 4, "1f1b", 5, (1, 2, 3), True),
    ("titan", 2, "momentum", 2, "gpipe", 3, (3,), True),
    ("titan3", 2, "adamax", 3, "1f1b", 4, (1, 2), True),
]  # fmt: skip


# the same as above, sizes of the axes behind pp, data strategy and its options, tensor plan
SHARED = [
    (("gpt6", 2, "adam", 2, "1f1b", 4, (3,), True), {"dp": 2}, "ddp", {}, None),
    (("mlp2", 6, "adamw", 2, "1f1b", 4, (3,), True), {"dp": 2}, "ddp", {"bucket_cap_mb": 2}, None),
    (("gpt6", 2, "adam", 2, "1f1b", 4, (3,), True), {"dp": 2}, "fsdp", {}, None),
    (("gpt6", 2, "adamw", 2, "gpipe", 3, (2,), True), {"dp": 2}, "fsdp", {}, None),
    (("gpt6", 2, "adam", 2, "1f1b", 4, (3,), True), {"dp": 2}, "fsdp", {"reshard_after_forward": False}, None),
    (("gpt6", 2, "rmsprop", 3, "1f1b", 4, (2, 4), True), {"dp": 2}, "fsdp", {"reshard_after_forward": True}, None),
    (("mlp2", 6, "adam", 2, "interleaved", 4, (1, 2, 4), True), {"dp": 2}, "fsdp", {}, None),
    (("gpt6", 2, "adagrad", 2, "interleaved", 4, (2, 3, 5), True), {"dp": 2}, "fsdp", {}, None),
    (("titan", 2, "adam", 2, "1f1b", 4, (2,), True), {"dp": 3}, "fsdp", {"reshard_after_forward": False}, None),
    (("gpt6", 2, "adam", 2, "1f1b", 4, (3,), True), {"dp": 2}, "fsdp", {"mixed": True}, None),
    (("gpt6", 2, "adamw", 2, "1f1b", 4, (3,), True), {"tp": 2}, None, {}, GPT),
    (("titan", 2, "adam", 2, "gpipe", 3, (2,), True), {"tp": 2}, None, {}, TITAN),
    (("gpt6", 2, "adam", 2, "1f1b", 4, (3,), True), {"dp": 2, "tp": 2}, "fsdp", {}, GPT),
    (
        ("titan", 2, "adamw", 2, "gpipe", 3, (2,), True), {"dp": 2, "tp": 2}, "fsdp", {"reshard_after_forward": False},
        TITAN,
    ),
]  # fmt: skip


def text_of(schedule, parts, cuts, return_outputs):
    names = ", ".join(f"layers.{index}" for index in cuts)
    return f"{schedule}(microbatches={parts}, cut={names}{'' if return_outputs else ', return_outputs=False'})"


class Stage(nn.Module):
    """Some layers of a model, with what stands before the first and behind the last."""

    def __init__(self, model, first, end):
        super().__init__()
        self.is_first, self.is_last = first == 0, end == len(model.layers)
        parts = list(model.named_children())
        middle = [name for name, _ in parts].index("layers")
        wanted = (parts[:middle] if self.is_first else []) + (parts[middle + 1 :] if self.is_last else [])
        for name, part in wanted:
            setattr(self, name, part)
        self.layers = nn.ModuleList(list(model.layers)[first:end])

    def forward(self, x):
        if self.is_first and hasattr(self, "pos"):
            x = self.emb(x) + self.pos(torch.arange(x.shape[1], device=x.device))
        elif self.is_first and hasattr(self, "tok_embeddings"):
            x = self.tok_embeddings(x)
        for layer in self.layers:
            x = layer(x)
        for name in ("norm", "head", "output", "out"):
            x = getattr(self, name)(x) if self.is_last and hasattr(self, name) else x
        return x


def stages_of(model, rank, ranks, cuts):
    begins = [0, *cuts, len(model.layers)]
    mine = range(rank, len(cuts) + 1, ranks)
    return [(number, Stage(model, begins[number], begins[number + 1]).train()) for number in mine]


def name_of(model, batch, optimizer, ranks, schedule, parts, cuts, return_outputs):
    marks = "" if return_outputs else "_no_outputs"
    return f"{model}_b{batch}_{optimizer}_pp{ranks}_{schedule}_m{parts}_{'_'.join(map(str, cuts))}{marks}"


def shared_name(case, axes, strategy, options, plan):
    shape = "".join(f"{axis}{size}" for axis, size in axes.items())
    marks = [shape, *filter(None, (strategy, plan and "tensor")), *(f"{k}={v}" for k, v in options.items())]
    return "_".join([name_of(*case), *marks])


def data_text(strategy, options):
    given = [f"{name}={value}" for name, value in options.items() if name != "mixed"]
    given += ["param_dtype=bfloat16, reduce_dtype=float32"] if options.get("mixed") else []
    arguments = ", ".join((["layers.*"] if strategy == "fsdp" else []) + given)
    return f"{strategy}({arguments})" if arguments else strategy


def wrapped(stage, mesh, strategy, options, plan):
    """As torchtitan does: the tensor plan first, then the strategy."""
    if plan:
        stage = parallelize(stage, mesh["tp"], plan)
    if strategy == "ddp":
        return DistributedDataParallel(stage, process_group=mesh["dp"].get_group(), **options)
    if strategy == "fsdp":
        own = {name: value for name, value in options.items() if name != "mixed"}
        if options.get("mixed"):
            own["mp_policy"] = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        for layer in stage.layers:
            fully_shard(layer, mesh=mesh["dp"], **own)
        fully_shard(stage, mesh=mesh["dp"], **own)
    return stage


def train(rank, model, batch, optimizer, ranks, schedule, parts, cuts, return_outputs, shared=None):
    make, inputs = MODELS[model]
    group = None
    if shared:
        axes, strategy, options, plan = shared
        mesh = init_device_mesh("cpu", (ranks, *axes.values()), mesh_dim_names=("pp", *axes))
        rank, group = mesh["pp"].get_local_rank(), mesh["pp"].get_group()
    made = stages_of(make(), rank, ranks, cuts)
    if shared:
        made = [(number, wrapped(stage, mesh, strategy, options, plan)) for number, stage in made]
    gc.collect()
    x = inputs(batch * parts) if rank == 0 else ()
    target = torch.zeros(batch * parts) if rank == ranks - 1 else None
    updates = optimizer_of(optimizer, "", {}, [p for _, stage in made for p in stage.parameters()])
    stages = [PipelineStage(stage, number, len(cuts) + 1, torch.device("cpu"), group=group) for number, stage in made]
    single = SCHEDULES[schedule] is not ScheduleInterleaved1F1B
    run_all = SCHEDULES[schedule](stages[0] if single else stages, parts, loss_fn=lambda y, _: loss(y))
    gc.collect()
    losses = None
    for step in range(STEPS):
        with record_function(f"memmodel step {step}"):
            losses = [] if rank == ranks - 1 else None
            y = run_all.step(*x, target=target, losses=losses, return_outputs=return_outputs)
            updates.step()
            updates.zero_grad()
    return y, losses


def row_of(case, shared, rank):
    model, batch, optimizer, ranks, schedule, parts, cuts, return_outputs = case
    axes, strategy, options, plan = shared or ({}, None, {}, None)
    sizes = {"pp": ranks, **axes}
    row = {
        "name": shared_name(case, *shared) if shared else name_of(*case), "model": model, "batch": batch,
        "optimizer": optimizer, "mesh": ",".join(f"{axis}={size}" for axis, size in sizes.items()),
        "pipeline": text_of(schedule, parts, cuts, return_outputs), "rank": rank,
    }  # fmt: skip
    return row | ({"data": data_text(strategy, options)} if strategy else {}) | ({"tensor": plan} if plan else {})


def record(case, rank, path):
    case, shared = (case[0], case[1:]) if isinstance(case[0], tuple) else (case, None)
    _, batch, _, ranks, _, parts, _, _ = case
    torch.manual_seed(0)
    torch.set_num_threads(1)
    wait_after_collectives()
    wait_after_functional_collectives()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        kept = train(rank, *case, shared)
    del kept
    (_, *peaks), ends = peaks_of(*events_of(profiled))
    beside = math.prod(shared[0].values()) if shared else 1
    target = 4 * batch * parts if rank // beside == ranks - 1 else 0
    row = row_of(case, shared, rank) | {"peaks": [peak - target for peak in peaks]}
    if ends[2] != ends[3]:
        row["off"] = f"grows by {ends[3] - ends[2]} from step to step"
    path.write_text(json.dumps(row))


def main(path, text=""):
    names = {name_of(*case): case for case in GRID} | {shared_name(*case): case for case in SHARED}
    names = {name: case for name, case in names.items() if text in name}
    write(path, names, lambda case, folder: run(case, ranks_of(case), record, folder))


def ranks_of(case):
    return case[0][3] * math.prod(case[1].values()) if isinstance(case[0], tuple) else case[3]


if __name__ == "__main__":
    main(*sys.argv[1:])
