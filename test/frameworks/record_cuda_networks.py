"""Record what networks of usual sizes take on a GPU: those of cuda_networks.py, each with drawn batches, optimizers and
precisions. Needs PyTorch with CUDA, torchvision and transformers.

    python test/frameworks/record_cuda_networks.py                        # all, each in a process of its own
    python test/frameworks/record_cuda_networks.py --minutes 8 NAME...    # these networks, until the time is over

A file holds what record_cuda.py says of a case.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import cuda_networks
import record_cuda
import torch
from cases import plain

RECORDINGS = Path(__file__).resolve().parents[1] / "data" / "pytorch_cuda_networks"
TABLES = {"xmem": cuda_networks.XMEM, "schedtune": cuda_networks.SCHEDTUNE, "usual": cuda_networks.USUAL}
BATCHES = {"xmem": (8, 16, 24, 32, 48), "schedtune": (8, 16, 24, 32), "usual": (4, 8, 16)}
OPTIMIZERS = ("sgd", "momentum", "adam", "adamw", "rmsprop", "adamw(fused)")
DRAWS = 3


@dataclass(frozen=True)
class Run:
    table: str
    network: str
    batch: int
    optimizer: str
    precision: str | None

    @property
    def name(self) -> str:
        words = [self.table, plain(self.network), str(self.batch), plain(self.optimizer), self.precision or "float32"]
        return "_".join(words)


def drawn(table: str, network: str) -> list[Run]:
    random = Random(f"{table}, {network}")
    batches = random.sample(BATCHES[table], DRAWS)
    return [
        Run(table, network, batch, random.choice(OPTIMIZERS), ("bfloat16", None, None)[index])
        for index, batch in enumerate(batches)
    ]


RUNS = {run.name: run for table, networks in TABLES.items() for network in networks for run in drawn(table, network)}


def with_batch(value: Any, batch: int) -> Any:
    """The same inputs in a batch of another size."""
    if isinstance(value, torch.Tensor):
        return value[:1].expand(batch, *value.shape[1:]).contiguous()
    if isinstance(value, tuple | list):
        return type(value)(with_batch(item, batch) for item in value)
    return {name: with_batch(item, batch) for name, item in value.items()}


@dataclass(frozen=True)
class Work:
    """A run as record_cuda.train() has its cases."""

    optimizer: str
    precision: str | None
    accumulate: int = 1
    keep_gradients: bool = False


def loss_of(outputs: Any) -> torch.Tensor:
    loss: torch.Tensor = outputs["loss"]
    return loss


def record(name: str, device: record_cuda.Gpu | record_cuda.Dry) -> dict[str, Any]:
    run = RUNS[name]
    make, inputs = TABLES[run.table][run.network]
    torch.manual_seed(0)
    model = make().train()
    work = with_batch(inputs(model), run.batch)
    model = model.to(device.name)
    work = record_cuda.moved(work, device.name)
    steps = record_cuda.train(Work(run.optimizer, run.precision), model, work, loss_of, device)
    return record_cuda.recording_of(vars(run), steps, device)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", nargs="*", help="networks to record (default: all)")
    parser.add_argument("--output", type=Path, default=RECORDINGS, help="folder of the recordings")
    parser.add_argument("--minutes", type=float, default=24 * 60, help="no run begins after so many")
    parser.add_argument("--jobs", type=int, default=1, help="runs that are made at once (default: 1)")
    parser.add_argument("--dry-run", action="store_true", help="run them on the CPU and keep nothing")
    options = parser.parse_args()
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # looking for a GPU must not begin CUDA before a fork
    names = [name for name, run in RUNS.items() if not options.network or run.network in options.network]
    if not names:
        parser.error(f"no such network: {', '.join(options.network)}")
    if options.dry_run:
        for name in names:
            print(record_cuda.describe(name, record(name, record_cuda.Dry())), flush=True)
        return 0
    if not torch.cuda.is_available():
        print("record_cuda_networks.py: this PyTorch sees no GPU; --dry-run needs none", file=sys.stderr)
        return 1
    make = record_cuda.Maker(record, options.output, alone=options.jobs == 1)
    return 1 if record_cuda.each_in_its_own_process(names, make, options.minutes, options.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
