"""Networks of usual sizes by PyTorch's own MemTracker and by memmodel.torch.record(): errors, seconds, memory.

    python test/frameworks/compare_recorders.py [--measure] [NAME...]

Three steps each, in a process of its own for each of both; imports are not counted, seconds are those of the processor,
and memory is the most that the process had. --measure runs the steps for real as well, minutes each, and prints the
peak that PyTorch's profiler sees; else errors are those to MEASURED.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import memmodel.torch
import torch
from compare_loops import peaks, real_events
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker
from torch.nn import functional
from transformers.models.bert import BertConfig, BertForMaskedLM
from transformers.models.gpt2 import GPT2Config, GPT2LMHeadModel
from transformers.models.resnet import ResNetConfig, ResNetForImageClassification
from transformers.models.vit import ViTConfig, ViTForImageClassification

STEPS = 3
MIB = 1 << 20
# Greatest peak of the steps: PyTorch 2.13, transformers 5.23, CPU with AVX-512, 2 threads.
MEASURED = {"BERT-base, 8 x 128": 2614301160, "GPT-2 124M, 8 x 128": 3479442296, "ViT-base, batch 8": 2011132328}


class Training(NamedTuple):
    """A network, how to make a batch for it, and its optimizer."""

    model: Callable[[], nn.Module]
    loss: Callable[[nn.Module], Any]
    optimizer: Callable[..., torch.optim.Optimizer]


def of_text(words: int) -> Callable[[nn.Module], Any]:
    def loss(model: nn.Module) -> Any:
        ids = torch.randint(0, words, (8, 128))
        return model(input_ids=ids, labels=ids).loss

    return loss


def of_images(count: int) -> Callable[[nn.Module], Any]:
    def loss(model: nn.Module) -> Any:
        logits = model(torch.randn(count, 3, 224, 224)).logits
        return functional.cross_entropy(logits, torch.randint(0, 1000, (count,)))

    return loss


def momentum(parameters: Iterator[Any]) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)


TRAININGS = {
    "BERT-base, 8 x 128": Training(lambda: BertForMaskedLM(BertConfig()), of_text(30522), torch.optim.AdamW),
    "GPT-2 124M, 8 x 128": Training(lambda: GPT2LMHeadModel(GPT2Config()), of_text(50257), torch.optim.AdamW),
    "ViT-base, batch 8": Training(
        lambda: ViTForImageClassification(ViTConfig(num_labels=1000)), of_images(8), torch.optim.AdamW),
    "ResNet-50, batch 16": Training(
        lambda: ResNetForImageClassification(ResNetConfig(num_labels=1000)), of_images(16), momentum),
}  # fmt: skip


def train(training: Training, track: Callable[..., Any] = lambda model, optimizer: None) -> None:
    model = training.model()
    optimizer = training.optimizer(model.parameters())
    begin_step = track(model, optimizer)
    for _ in range(STEPS):
        if begin_step:
            begin_step()
        training.loss(model).backward()
        optimizer.step()
        optimizer.zero_grad()


def tracked(training: Training) -> int:
    """As MemTracker's own examples have it: the loop is changed, the modules and the optimizer are handed over."""
    tracker = MemTracker()

    def track(model: nn.Module, optimizer: Any) -> Callable[[], None]:
        tracker.track_external(model, optimizer)
        tracker.__enter__()
        return tracker.reset_mod_stats

    with FakeTensorMode(allow_non_fake_inputs=True):
        train(training, track)
        tracker.__exit__(None, None, None)
    return int(tracker.get_tracker_snapshot("peak")[torch.device("cpu")]["Total"])


def recorded(training: Training) -> int:
    with memmodel.torch.record(steps=STEPS, intra_op_threads=2) as recording:
        train(training)
    return max(recording.report().step_peaks)


ASKED = {"MemTracker": tracked, "memmodel.torch.record": recorded}


def in_its_own_process(work: Callable[[], Any]) -> Any:
    with tempfile.NamedTemporaryFile() as file:
        child = os.fork()
        if child == 0:
            try:
                Path(file.name).write_text(json.dumps(work()))
            except Exception:
                traceback.print_exc()
            os._exit(0)
        os.waitpid(child, 0)
        return json.loads(Path(file.name).read_text() or "null")


def answer(ask: Callable[[Training], int], training: Training) -> tuple[int, float, int]:
    """Bytes, seconds, and KiB of the process."""
    torch.manual_seed(0)
    begun = time.process_time()
    peak = ask(training)
    return peak, time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measured(training: Training) -> int:
    torch.manual_seed(0)
    torch.set_num_threads(2)
    found = max(peaks(real_events(lambda: train(training))))
    gc.collect()
    return int(found)


def main() -> None:
    parser = argparse.ArgumentParser(description="Networks of usual sizes by MemTracker and by memmodel.torch.")
    parser.add_argument("--measure", action="store_true", help="also run them, and print the peaks")
    parser.add_argument("names", nargs="*", default=[], help="parts of names (default: all)")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    print("| | | peak, bytes | off | seconds | process, MiB |\n|---|---|---|---|---|---|")
    for name, training in TRAININGS.items():
        if options.names and not any(part in name for part in options.names):
            continue
        truth = MEASURED.get(name)
        if options.measure:
            truth = in_its_own_process(lambda training=training: measured(training))
            print(f"| {name} | a run | {truth} | | | |", flush=True)
        for who, ask in ASKED.items():
            found = in_its_own_process(lambda ask=ask, training=training: answer(ask, training))
            if found is None:
                print(f"| {name} | {who} | no answer | | | |", flush=True)
                continue
            peak, seconds, kib = found
            off = f"{100 * (peak - truth) / truth:+.3f} %" if truth else ""
            print(f"| {name} | {who} | {peak} | {off} | {seconds:.1f} | {kib // 1024} |", flush=True)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
