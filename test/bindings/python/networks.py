"""Networks and tables that several tests use, and where things are."""

import os
import sys
from pathlib import Path

import memmodel

ROOT = Path(__file__).resolve().parents[3]
TOOL = os.environ.get("MEMMODEL_TOOL", "memmodel")
TORCH_SAMPLES = ROOT / "examples/case-study/data/torch_samples.csv"
KERAS_SAMPLES = ROOT / "examples/case-study/data/keras_samples.csv"
PYTHON = sys.executable


def block(net, x, filters):
    for _ in range(2):
        x = net.conv(x, filters=filters, kernel=3, auto_pad="same")
        x = net.batch_norm(x)
        x = net.activation(x, kind="relu")
    return x


def unet3d(filters=16, depth=4):
    """3D U-Net after IntelAI/unet, 3D/model.py."""
    net = memmodel.Network()
    batch, dim = net.symbol("batch"), net.symbol("dim")
    x = net.input("image", (batch, 1, dim, dim, dim))
    skips = []
    for level in range(depth):
        with net.scope(f"encoder.{level}"):
            x = block(net, x, filters << level)
            skips.append(x)
            x = net.pool(x, kernel=2)
    with net.scope("bottleneck"):
        x = block(net, x, filters << depth)
    for level in reversed(range(depth)):
        with net.scope(f"decoder.{level}"):
            x = net.conv_transpose(x, filters=filters << level, kernel=2, stride=2)
            x = net.concat([x, skips[level]], along_channels=True)
            x = block(net, x, filters << level)
    net.conv(x, filters=1, kernel=1, name="mask", activation="sigmoid")
    return net


def blocks(count=4, width=64):
    """Perceptrons one after the other, each in a scope of its own, on 32 rows an item."""
    net = memmodel.Network()
    x = net.input("x", (net.symbol("batch"), 32, width))
    for index in range(count):
        with net.scope(f"block.{index}"):
            y = net.linear(x, units=4 * width)
            y = net.activation(y, kind="gelu")
            x = net.linear(y, units=width)
            x = net.activation(x, kind="gelu")
    net.linear(x, units=1)
    return net


def pooled():
    """What is left of an image when it is averaged."""
    net = memmodel.Network()
    net.global_pool(net.input("x", (1, 2, 8, 8)), keep_dims=True)
    return net


def classifier():
    """50x50x3: conv 32, pool 2, conv 64, pool 2, dense 500, dense 10, with ReLU counted with its layer."""
    net = memmodel.Network()
    x = net.input("image", (net.symbol("batch"), 3, 50, 50))
    for filters in (32, 64):
        x = net.conv(x, filters=filters, kernel=3, auto_pad="same", activation="relu")
        x = net.pool(x, kernel=2)
    x = net.linear(net.flatten(x, 1, -1), units=500, activation="relu")
    net.linear(x, units=10)
    return net


def model():
    """Fitted to a formula of two inputs: peak = 1000 * dim^2 * batch + 500000."""
    rows = [(dim, batch) for dim in (16, 32, 64, 128) for batch in (1, 2, 4, 8)]
    table = {
        "dim": [dim for dim, _ in rows],
        "batch": [batch for _, batch in rows],
        "peak": [1000 * dim**2 * batch + 500_000 for dim, batch in rows],
    }
    return memmodel.fit(table, "peak")
