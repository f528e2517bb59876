"""Prints the peak of the first steps' network in real PyTorch: the most bytes its CPU allocator has handed out.

    ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 build/venv/torch/bin/python test/frameworks/first_steps_network.py
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

STEPS = 3


def train() -> None:
    network = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding="same"),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, 10),
    )
    optimizer = torch.optim.Adam(network.parameters())
    image, truth = torch.zeros(64, 3, 224, 224), torch.zeros(64, dtype=torch.int64)
    for _ in range(STEPS):
        optimizer.zero_grad()
        prediction = network(image)
        loss = nn.functional.cross_entropy(prediction, truth)
        loss.backward()
        optimizer.step()


def main() -> None:
    torch.set_num_threads(2)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        train()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(trace))
        events = json.loads(trace.read_text())["traceEvents"]
    print(max(event["args"]["Total Allocated"] for event in events if event.get("name") == "[memory]"))


if __name__ == "__main__":
    main()
