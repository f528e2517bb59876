"""Step peaks of one rank of four by DeepSpeed's ZeRO on a simulated H100, beside those that rules predict.

    memmodel run --gpu h100 --world-size 4 --rank 1 -- build/venv/cuda/bin/python compare_gpu_deepspeed.py run > FILE
    build/venv/zoo/bin/python compare_gpu_deepspeed.py predict [FILE]

DeepSpeed's engine runs as it is, with NCCL's stand-in; models are those of parallel_models.py. The second command, for
which any build of PyTorch will do, prints a row a case.
"""

import contextlib
import gc
import sys
from functools import partial
from pathlib import Path

import compare_gpu_ranks
import torch
from compare_gpu_ranks import RANK, RANKS, STEPS, measure
from parallel_models import MODELS, loss
from record_parallel import OPTIMIZERS, name_of

MEASURED = Path(__file__).resolve().parents[1] / "data/pytorch_parallel/gpu_deepspeed.jsonl"
SMALL = {"reduce_bucket_size": 900000}
STAGES = (
    {"stage": 1, "overlap_comm": False, **SMALL},
    {"stage": 1, "overlap_comm": True, **SMALL},
    {"stage": 2, "overlap_comm": False, **SMALL},
    {"stage": 2, "overlap_comm": True, **SMALL},
    {"stage": 2, "overlap_comm": False, "contiguous_gradients": False, **SMALL},
    {"stage": 3, "overlap_comm": False, **SMALL},
    {"stage": 3, "overlap_comm": True, **SMALL},
    {
        "stage": 3, "overlap_comm": False, "stage3_param_persistence_threshold": 0, "stage3_max_reuse_distance": 0,
        **SMALL,
    },
)  # fmt: skip
TRAININGS = (("mlp", 16, "adamw"), ("gpt6", 2, "adam"), ("llama", 4, "adamw"), ("titan3", 2, "sgd"))
GRID = [
    (model, batch, optimizer, options)
    for model, batch, optimizer in TRAININGS
    for options in STAGES
]  # fmt: skip
CASES = {name_of(*case[:3], RANKS, "deepspeed", case[3]): case for case in GRID}


def text_of(options):
    return f"deepspeed({', '.join(f'{name}={value}' for name, value in options.items())})"


def without_others(function):
    """Asks other ranks as it does, and believes itself: on a simulated GPU there are no others, and no numbers."""

    def asks(ints):
        with contextlib.suppress(RuntimeError):
            function(ints)
        return ints

    return asks


def train(model, batch, optimizer, options):
    import deepspeed
    from deepspeed.runtime.zero import utils

    for name in ("assert_lst_len_same_as_other_ranks", "get_lst_from_rank0"):
        setattr(utils, name, without_others(getattr(utils, name)))
    torch.cuda.set_device(0)
    deepspeed.init_distributed("nccl")
    make, inputs = MODELS[model]
    module = make().train().cuda()
    x = [part.cuda() for part in inputs(batch)]
    kind, arguments = OPTIMIZERS[optimizer]
    engine, *_ = deepspeed.initialize(
        model=module,
        optimizer=kind(module.parameters(), **arguments),
        config={
            "train_micro_batch_size_per_gpu": batch,
            "zero_allow_untested_optimizer": True,
            "zero_optimization": options,
        },
    )
    gc.collect()
    peaks = []
    for _ in range(STEPS):
        torch.cuda.reset_peak_memory_stats()
        value = loss(y := engine(*x))
        engine.backward(value)
        engine.step()
        peaks.append(torch.cuda.max_memory_allocated())
    del y
    return [*peaks, torch.cuda.max_memory_reserved()]


def predicted(name, version):
    import memmodel.torch

    model, batch, optimizer, options = CASES[name]
    make, inputs = MODELS[model]
    module = make().train()
    kind, arguments = OPTIMIZERS[optimizer]
    report = memmodel.torch.estimate(
        module, tuple(inputs(batch)), loss=loss, steps=STEPS, optimizer=kind(module.parameters(), **arguments),
        mesh={"dp": RANKS}, data=text_of(options), backend="nccl", rank=RANK,
        device="cuda", gpu="h100", framework_version=version.partition("+")[0],
    )  # fmt: skip
    return report.step_peaks, report.peak.reserved


def compare(rows):
    errors, reserved = [], []
    for name, row in rows.items():
        if "error" in row:
            print(f"{name:100} {row['error']}")
            continue
        try:
            mine, kept = predicted(name, row["torch"])
        except Exception as error:
            print(f"{name:100} refused: {str(error).splitlines()[0][:120]}", flush=True)
            continue
        errors += [ours / theirs - 1 for ours, theirs in zip(mine, row["peaks"], strict=True)]
        reserved.append(kept / row["reserved"] - 1)
        worst = max(errors[-STEPS:], key=abs)
        print(f"{name:100} {mine} {row['peaks']} {worst:+8.3%}, reserved {reserved[-1]:+8.3%}", flush=True)
    for what, found in (("step peaks", errors), ("reserved", reserved)):
        within = sum(abs(error) <= 0.02 for error in found)
        print(f"{what}: {found.count(0)} of {len(found)} exact, {within} within 2 %, worst {max(found, key=abs):+.2%}")


def measured(path=MEASURED):
    return compare_gpu_ranks.measured(path)


def main(what, *names):
    if what == "run":
        for name in names or CASES:
            measure(name, partial(train, *CASES[name]))
    else:
        compare(measured(*names))


if __name__ == "__main__":
    main(*sys.argv[1:])
