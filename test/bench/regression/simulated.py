"""Peaks of networks that nobody measured: what the simulator says of PyTorch's training steps over sizes and batches.

Sixteen networks of other kinds than those of test/data/pytorch_peaks, in two halves. A rule may be chosen by how it
does on the first; the second is there to judge it by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import memmodel
import numpy as np
from memmodel.tensor import Tensor
from tables import Peaks

BATCHES = (1, 2, 4, 8, 16, 32)
SIDES = (32, 48, 64, 96, 128, 160)
LENGTHS = (16, 32, 48, 64, 96, 128)


class Kind(NamedTuple):
    build: Callable[[Any, Any, Any], None]  # adds layers to a network, of its symbols batch and size
    size: str
    sizes: tuple[int, ...]
    optimizer: str = "adam"


def end(net: Any, x: Tensor, classes: int = 10) -> None:
    truth = net.input("truth", (net.symbol("batch"),), "int64")
    net.loss(net.linear(x, units=classes), truth, kind="cross_entropy")


def convolved(net: Any, x: Tensor, filters: int, kernel: int = 3, **options: Any) -> Tensor:
    x = net.conv(x, filters=filters, kernel=kernel, auto_pad="same", no_bias=True, **options)
    return net.activation(net.batch_norm(x), kind="relu")


def resnet50(net: Any, batch: Any, side: Any) -> None:
    x = convolved(net, net.input("image", (batch, 3, side, side)), 64, 7, stride=2)
    x = net.pool(x, kernel=2)
    for stage, (count, width) in enumerate(((3, 64), (4, 128), (6, 256), (3, 512))):
        for block in range(count):
            stride = 2 if stage > 0 and block == 0 else 1
            y = convolved(net, convolved(net, x, width, 1), width, 3, stride=stride)
            y = net.batch_norm(net.conv(y, filters=4 * width, kernel=1, no_bias=True))
            if block == 0:
                x = net.batch_norm(net.conv(x, filters=4 * width, kernel=1, stride=stride, no_bias=True))
            x = net.activation(x + y, kind="relu")
    end(net, net.global_pool(x, kind="average"))


def vgg16(net: Any, batch: Any, side: Any) -> None:
    x = net.input("image", (batch, 3, side, side))
    for count, width in ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)):
        for _ in range(count):
            x = net.activation(net.conv(x, filters=width, kernel=3, auto_pad="same"), kind="relu")
        x = net.pool(x, kernel=2)
    end(net, net.global_pool(x, kind="average"))


def block(net: Any, x: Tensor, width: int, heads: int, causal: bool) -> Tensor:
    y = net.layer_norm(x)
    first = net.split(net.linear(y, units=3 * width), axis=2, parts=3)
    parts = (first, net.layer_output(first, 1), net.layer_output(first, 2))
    q, k, v = (net.permute(net.reshape(part, (*part.shape[:2], heads, width // heads)), (0, 2, 1, 3)) for part in parts)
    y = net.permute(net.attention(q, k, v, causal=causal), (0, 2, 1, 3))
    x = x + net.linear(net.reshape(y, x.shape), units=width)
    y = net.activation(net.linear(net.layer_norm(x), units=4 * width), kind="gelu")
    return x + net.linear(y, units=width)


def gpt(net: Any, batch: Any, length: Any) -> None:
    x = net.embedding(net.input("text", (batch, length), "int64"), num_embeddings=5000, embedding_dim=192)
    for _ in range(4):
        x = block(net, x, 192, 6, True)
    x = net.linear(net.layer_norm(x), units=5000)
    truth = net.input("truth", (batch, length), "int64")
    net.loss(net.permute(x, (0, 2, 1)), truth, kind="cross_entropy")


def bert(net: Any, batch: Any, length: Any) -> None:
    x = net.embedding(net.input("text", (batch, length), "int64"), num_embeddings=8000, embedding_dim=128)
    x = net.dropout(net.layer_norm(x), rate=0.1)
    for _ in range(6):
        x = block(net, x, 128, 4, False)
    end(net, net.reduce(x, kind="mean", axes=(1,)))


def vit(net: Any, batch: Any, side: Any) -> None:
    x = net.conv(net.input("image", (batch, 3, side, side)), filters=192, kernel=8, stride=8)
    x = net.permute(net.flatten(x, 2, 3), (0, 2, 1))
    for _ in range(4):
        x = block(net, x, 192, 3, False)
    end(net, net.reduce(net.layer_norm(x), kind="mean", axes=(1,)))


def mobilenet(net: Any, batch: Any, side: Any) -> None:
    x = convolved(net, net.input("image", (batch, 3, side, side)), 32, 3, stride=2)
    for width, out, stride in ((32, 16, 1), (96, 24, 2), (144, 32, 2), (192, 64, 2), (384, 96, 1), (576, 160, 2)):
        y = convolved(net, x, width, 1)
        y = convolved(net, y, width, 3, stride=stride, groups=width)
        x = net.batch_norm(net.conv(y, filters=out, kernel=1, no_bias=True))
    end(net, net.global_pool(convolved(net, x, 1280, 1), kind="average"))


def lstm(net: Any, batch: Any, length: Any) -> None:
    x = net.embedding(net.input("text", (batch, length), "int64"), num_embeddings=3000, embedding_dim=100)
    x = net.recurrent(x, kind="lstm", hidden_size=128, layer_count=2, batch_first=True)
    truth = net.input("truth", (batch, length), "int64")
    net.loss(net.permute(net.linear(x, units=3000), (0, 2, 1)), truth, kind="cross_entropy")


def autoencoder(net: Any, batch: Any, side: Any) -> None:
    image = net.input("image", (batch, 3, side, side))
    x = image
    for width in (32, 64, 128, 256):
        x = net.activation(net.conv(x, filters=width, kernel=4, stride=2, padding=1), kind="leaky_relu")
    for width in (128, 64, 32):
        x = net.activation(net.conv_transpose(x, filters=width, kernel=4, stride=2, padding=1), kind="relu")
    x = net.activation(net.conv_transpose(x, filters=3, kernel=4, stride=2, padding=1), kind="sigmoid")
    net.loss(x, image, kind="mean_squared_error")


def mlp(net: Any, batch: Any, features: Any) -> None:
    x = net.input("features", (batch, features))
    for width in (512, 256, 128):
        x = net.dropout(net.activation(net.linear(x, units=width), kind="relu"), rate=0.2)
    end(net, x)


def densenet(net: Any, batch: Any, side: Any) -> None:
    x = convolved(net, net.input("image", (batch, 3, side, side)), 32)
    for stage in range(3):
        for _ in range(4):
            y = net.conv(net.activation(net.batch_norm(x), kind="relu"), filters=16, kernel=3, auto_pad="same")
            x = net.concat([x, y], axis=1)
        if stage < 2:
            x = net.pool(convolved(net, x, 48, 1), kernel=2, kind="average")
    end(net, net.global_pool(x, kind="average"))


def resnet3d(net: Any, batch: Any, edge: Any) -> None:
    x = convolved(net, net.input("volume", (batch, 1, edge, edge, edge)), 16)
    for width in (16, 32, 64):
        y = convolved(net, x, width, 3, stride=2)
        y = net.batch_norm(net.conv(y, filters=width, kernel=3, auto_pad="same", no_bias=True))
        x = net.activation(y + net.conv(x, filters=width, kernel=1, stride=2), kind="relu")
    end(net, net.global_pool(x, kind="average"))


def temporal(net: Any, batch: Any, length: Any) -> None:
    x = net.input("signal", (batch, 8, length))
    for depth in range(5):
        y = net.conv(x, filters=64, kernel=3, auto_pad="same", dilation=2**depth)
        x = net.dropout(net.activation(net.batch_norm(y), kind="relu"), rate=0.1)
    end(net, net.global_pool(x, kind="average"))


def segmenter(net: Any, batch: Any, side: Any) -> None:
    x = net.input("image", (batch, 3, side, side))
    for width in (24, 48, 96):
        x = convolved(net, convolved(net, x, width), width, 3, stride=2)
    branches = [convolved(net, x, 48, 3, dilation=rate) for rate in (1, 2, 4)]
    x = convolved(net, net.concat(branches, axis=1), 64, 1)
    x = net.conv(net.upsample(x, scale=8, kind="linear"), filters=5, kernel=1)
    truth = net.input("truth", (batch, side, side), "int64")
    net.loss(x, truth, kind="cross_entropy")


def gru(net: Any, batch: Any, length: Any) -> None:
    x = net.input("signal", (batch, length, 40))
    x = net.recurrent(x, kind="gru", hidden_size=96, layer_count=3, batch_first=True)
    end(net, net.reduce(x, kind="mean", axes=(1,)))


def mixed(net: Any, batch: Any, side: Any) -> None:
    x = net.input("image", (batch, 1, side, side))
    for width in (16, 32, 64):
        x = net.pool(net.activation(net.conv(x, filters=width, kernel=5, auto_pad="same"), kind="relu"), kernel=2)
    x = net.activation(net.linear(net.flatten(x, 1, 3), units=256), kind="relu")
    end(net, x)


def super_resolution(net: Any, batch: Any, side: Any) -> None:
    x = net.conv(net.input("image", (batch, 3, side, side)), filters=48, kernel=3, auto_pad="same")
    for _ in range(5):
        y = net.activation(net.conv(x, filters=48, kernel=3, auto_pad="same"), kind="relu")
        x = x + net.conv(y, filters=48, kernel=3, auto_pad="same")
    x = net.conv(net.upsample(x, scale=2), filters=3, kernel=3, auto_pad="same")
    net.loss(x, net.input("truth", (batch, 3, side * 2, side * 2)), kind="mean_absolute_error")


FIRST = {
    "resnet50": Kind(resnet50, "side", SIDES),
    "gpt": Kind(gpt, "length", LENGTHS),
    "lstm": Kind(lstm, "length", LENGTHS),
    "autoencoder": Kind(autoencoder, "side", SIDES, "rmsprop"),
    "mlp": Kind(mlp, "length", (64, 256, 1024, 2048, 4096, 8192)),
    "resnet3d": Kind(resnet3d, "edge", (16, 24, 32, 40, 48, 64)),
    "segmenter": Kind(segmenter, "side", SIDES, "sgd"),
    "mixed": Kind(mixed, "side", SIDES),
}
SECOND = {
    "vgg16": Kind(vgg16, "side", SIDES, "sgd"),
    "bert": Kind(bert, "length", LENGTHS, "adamw"),
    "vit": Kind(vit, "side", SIDES, "adamw"),
    "mobilenet": Kind(mobilenet, "side", SIDES),
    "densenet": Kind(densenet, "side", SIDES, "sgd"),
    "temporal": Kind(temporal, "length", (64, 128, 256, 512, 1024, 2048)),
    "gru": Kind(gru, "length", LENGTHS),
    "super_resolution": Kind(super_resolution, "side", SIDES),
}


def peaks(name: str, kind: Kind) -> Peaks:
    net = memmodel.Network()
    kind.build(net, net.symbol("batch"), net.symbol(kind.size))
    grid = [(float(size), float(batch)) for size in kind.sizes for batch in BATCHES]
    runs = []
    for size, batch in grid:
        report = memmodel.estimate(
            net, optimizer=kind.optimizer, isa="avx2", steps=3, batch=int(batch), **{kind.size: int(size)}
        )
        runs.append([float(report.peak.live)])
    return Peaks(name, [kind.size, "batch"], np.array(grid), runs)


def simulated_peaks(half: dict[str, Kind]) -> Iterator[Peaks]:
    return (peaks(name, kind) for name, kind in half.items())
