#!/usr/bin/env python3
"""Records what eager PyTorch on CPU allocates and frees inside one convolution, forward and backward.

usage: record_convolution.py [--count N] [--seed S] [--threads T ...] [--networks | --channels-last | --bfloat16] > FILE

Each line of the output is one configuration with its two lists of signed bytes, in order, as the profiler of PyTorch
(`profile_memory=True`) reports them, and the passes and kernels of oneDNN that ran (from ONEDNN_VERBOSE=1).
`--networks` records the layers of a 3-D U-Net and of a small image classifier instead of random configurations;
`--channels-last` makes the random ones on inputs, weights or both with memory_format=torch.channels_last;
`--bfloat16` makes those that oneDNN runs in bfloat16.
"""

import argparse
import ctypes
import json
import os
import random
import sys
import tempfile

os.environ.setdefault("ONEDNN_VERBOSE", "1")

import torch  # noqa: E402
from torch.profiler import ProfilerActivity, profile, record_function  # noqa: E402

C_LIBRARY = ctypes.CDLL(None)
DTYPES = {"float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16}


class KernelLog:
    """Catches what oneDNN prints on the process's standard output."""

    def __enter__(self):
        sys.stdout.flush()
        C_LIBRARY.fflush(None)
        self.file = tempfile.TemporaryFile()
        self.saved = os.dup(1)
        os.dup2(self.file.fileno(), 1)
        return self

    def __exit__(self, *_):
        C_LIBRARY.fflush(None)
        os.dup2(self.saved, 1)
        os.close(self.saved)
        self.file.seek(0)
        text = self.file.read().decode()
        self.file.close()
        self.kernels = []
        for line in text.splitlines():
            field = line.split(",")
            if len(field) > 7 and field[3] == "exec" and "convolution" in field[5]:
                self.kernels.append([field[7], field[6]])


def module(c):
    kind = ("ConvTranspose%dd" if c["transposed"] else "Conv%dd") % c["dim"]
    options = dict(stride=c["stride"], padding=c["padding"], dilation=c["dilation"], groups=c["groups"], bias=c["bias"])
    if c["transposed"]:
        options["output_padding"] = c["output_padding"]
    return getattr(torch.nn, kind)(c["C_in"], c["C_out"], c["kernel"], dtype=DTYPES[c["dtype"]], **options)


def allocations(node, phase, found):
    """Appends (time, phase, signed bytes) of everything allocated or freed below a phase's mark."""
    if node.name in ("##forward", "##backward"):
        phase = node.name
    if phase and node.tag.name == "Allocation":
        found.append((node.start_time_ns, phase, node.extra_fields.alloc_size))
    for child in node.children:
        allocations(child, phase, found)


def events(recorded):
    found = []
    for root in recorded.profiler.kineto_results.experimental_event_tree():
        allocations(root, "", found)
    found.sort(key=lambda item: item[0])
    return {name: [size for _, phase, size in found if phase == name] for name in ("##forward", "##backward")}


def channels_last(tensor):
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    return tensor.contiguous(memory_format=formats[tensor.dim()])


def grad_output(y, kind):
    if kind == "channels_last":
        return channels_last(torch.ones(y.shape, dtype=y.dtype))
    if kind == "expanded":
        return torch.ones((), dtype=y.dtype).expand(y.shape)
    if kind == "slice":
        shape = list(y.shape)
        shape[1] *= 2
        return torch.ones(shape, dtype=y.dtype)[:, y.shape[1] :]
    return torch.ones(y.shape, dtype=y.dtype)


def order(tensor):
    """[row-major, channels-last, suggests channels-last]"""
    form = {4: torch.channels_last, 5: torch.channels_last_3d}[tensor.dim()]
    return [
        tensor.is_contiguous(),
        tensor.is_contiguous(memory_format=form),
        torch._prims_common.suggest_memory_format(tensor) == form,
    ]


def record(c):
    """Adds to the configuration its output size, its events and its kernels; None where PyTorch refuses it."""
    torch.set_num_threads(c["threads"])
    with KernelLog() as log, profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        layer = module(c)
        if c.get("weight_channels_last"):
            layer.weight = torch.nn.Parameter(channels_last(layer.weight.detach()))
        layer.weight.requires_grad_(c["weight_requires_grad"])
        if c["bias"]:
            layer.bias.requires_grad_(c["bias_requires_grad"])
        x = torch.ones([c["N"], c["C_in"]] + c["spatial"], dtype=DTYPES[c["dtype"]])
        if c.get("input_channels_last"):
            x = channels_last(x)
        x.requires_grad_(c["input_requires_grad"])
        with record_function("##forward"):
            y = layer(x)
        g = grad_output(y, c["grad_output"])
        if y.requires_grad:
            with record_function("##backward"):
                y.backward(g)
    if "input_channels_last" in c:
        c["orders"] = {"input": order(x), "weight": order(layer.weight), "grad": order(g), "output": order(y)}
    found = events(recorded)
    c["out_spatial"] = list(y.shape[2:])
    c["forward"], c["backward"] = found["##forward"], found["##backward"]
    c["kernels"] = log.kernels
    return c


def base(**values):
    c = dict(
        dim=2,
        transposed=False,
        N=1,
        C_in=1,
        C_out=1,
        groups=1,
        spatial=[8, 8],
        kernel=[3, 3],
        stride=[1, 1],
        padding=[1, 1],
        dilation=[1, 1],
        output_padding=[0, 0],
        bias=True,
        dtype="float32",
        threads=1,
        input_requires_grad=True,
        weight_requires_grad=True,
        bias_requires_grad=True,
        grad_output="contiguous",
    )
    c.update(values)
    return c


def cube(value):
    return [value] * 3


def unet_layers():
    """(transposed, input channels, output channels, kernel) of 3-D U-Nets with 8 and 16 filters"""
    for filters in (8, 16):
        widths = [filters << level for level in range(5)]
        yield False, 1, filters, 3
        for narrow, wide in zip(widths, widths[1:]):
            yield False, narrow, wide, 3
            yield True, wide, narrow, 2
            yield False, wide, narrow, 3
            yield False, narrow + wide, narrow, 3
        for width in widths:
            yield False, width, width, 3
        yield False, filters, 1, 1


def network_configurations():
    for threads in (1, 2):
        for transposed, c_in, c_out, k in sorted(set(unet_layers())):
            for size in (2, 3, 4, 6, 8, 12, 16, 24, 32, 48):
                for n in (1, 2, 8):
                    if max(c_in, c_out) * n * size**3 > 16 * 8 * 33000 or max(c_in, c_out) * size > 16 * 72:
                        continue
                    if transposed and size > 24:
                        continue
                    for kind in ("contiguous", "slice") if n == 2 else ("contiguous",):
                        yield base(
                            dim=3,
                            transposed=transposed,
                            N=n,
                            C_in=c_in,
                            C_out=c_out,
                            spatial=cube(size),
                            kernel=cube(k),
                            stride=cube(2 if transposed else 1),
                            dilation=cube(1),
                            padding=cube(1 if k == 3 else 0),
                            output_padding=cube(0),
                            threads=threads,
                            grad_output=kind,
                            input_requires_grad=c_in > 1,
                        )
        for n in (1, 2, 16, 64):
            for c_in, c_out, size in ((3, 32, 50), (32, 64, 25)):
                yield base(
                    N=n, C_in=c_in, C_out=c_out, spatial=[size, size], threads=threads, input_requires_grad=c_in > 3
                )


def random_spatial(rng, dim):
    top = {1: 200, 2: 60, 3: 20}[dim]
    return [rng.randint(1, top) if rng.random() < 0.8 else rng.choice([4, 8, 16, 28, 32]) for _ in range(dim)]


def random_configuration(rng, threads):
    dim = rng.choice([1, 2, 2, 2, 3, 3])
    groups = rng.choice([1, 1, 1, 1, 2, 3, 4, 8, 16])
    same = rng.random() < 0.6

    def per_dim(choices):
        one = rng.choice(choices)
        return [one if same else rng.choice(choices) for _ in range(dim)]

    def channels():
        return groups * rng.choice([1, 1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 16, 24, 32, 48, 64])

    c_in, c_out = channels(), channels()
    if groups > 1 and rng.random() < 0.3:
        c_in = c_out = groups
    stride, dilation = per_dim([1, 1, 1, 2, 2, 3]), per_dim([1, 1, 1, 1, 2, 3])
    transposed = rng.random() < 0.4
    extra = [rng.choice([0, 0, rng.randrange(max(s, d))]) if transposed else 0 for s, d in zip(stride, dilation)]
    kernel = per_dim([1, 1, 2, 3, 3, 3, 4, 5, 6, 7])
    padding = [rng.choice([0, k // 2, rng.randint(0, k)]) for k in kernel]
    return base(
        dim=dim,
        transposed=transposed,
        N=rng.choice([1, 1, 2, 3, 4, 8, 16, 20]),
        C_in=c_in,
        C_out=c_out,
        groups=groups,
        spatial=random_spatial(rng, dim),
        kernel=kernel,
        stride=stride,
        padding=padding,
        dilation=dilation,
        output_padding=extra,
        bias=rng.random() < 0.7,
        dtype="float64" if rng.random() < 0.1 else "float32",
        threads=rng.choice(threads),
        input_requires_grad=rng.random() < 0.85,
        weight_requires_grad=rng.random() < 0.9,
        bias_requires_grad=rng.random() < 0.9,
        grad_output=rng.choice(["contiguous"] * 4 + ["expanded", "slice"]),
    )


def with_channels_last(rng, c):
    if c["dim"] == 1:
        return None
    c["input_channels_last"], c["weight_channels_last"] = rng.choice([(True, False), (True, True), (False, True)])
    if c["grad_output"] == "contiguous" and rng.random() < 0.7:
        c["grad_output"] = "channels_last"
    return c


def in_bfloat16(c):
    """None where PyTorch's own kernels run: an output padded by a whole stride."""
    c["dtype"] = "bfloat16"
    padded = any(extra >= stride for extra, stride in zip(c["output_padding"], c["stride"]))
    return None if c["transposed"] and padded else c


def cost(c):
    work = c["N"] * c["C_in"] * c["C_out"] / c["groups"]
    for k, i in zip(c["kernel"], c["spatial"]):
        work *= k * i
    return work


def random_configurations(count, seed, threads, permuted, half):
    rng = random.Random(seed)
    while count > 0:
        c = random_configuration(rng, threads)
        if not c["bias"]:
            c["bias_requires_grad"] = False
        if permuted:
            c = with_channels_last(rng, c)
        if half and c:
            c = in_bfloat16(c)
        if c and cost(c) < 2e9:
            count -= 1
            yield c


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--networks", action="store_true")
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--bfloat16", action="store_true")
    options = parser.parse_args()
    chosen = (
        network_configurations()
        if options.networks
        else random_configurations(
            options.count, options.seed, options.threads, options.channels_last, options.bfloat16
        )
    )
    for c in chosen:
        try:
            done = record(c)
        except RuntimeError:
            continue
        if min(done["out_spatial"]) > 0 and len(done["forward"]) + len(done["backward"]) <= 400:
            print(json.dumps(done, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
