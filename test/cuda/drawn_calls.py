"""
Allocations and releases of single calls with their backward pass, as PyTorch's allocator has them, on a GPU and on a
simulated one.

    python drawn_calls.py run FILE [KIND ...]                  # on an H100; again where a call ended the process
    memmodel run --gpu h100 -- python drawn_calls.py run FILE [KIND ...]
    python drawn_calls.py compare FILE [--show 3]              # with test/data/pytorch_h100/calls.jsonl.gz

What is called is drawn with fixed seeds. "samples" are those of torch's own tests, and want the package expecttest.
"""

import argparse
import gzip
import itertools
import json
import math
import random
import sys
import warnings
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import torch
from drawn_operators import operators
from torch import nn
from torch.utils._pytree import tree_leaves, tree_map

RECORDED = Path(__file__).resolve().parents[1] / "data/pytorch_h100/calls.jsonl.gz"
BLOCK = 512  # bytes that the allocator gives in multiples of


# ---- measured ----


def events():
    kinds = {"alloc": 1, "free_requested": -1}
    trace = torch.cuda.memory._snapshot()["device_traces"][0]
    return [kinds[event["action"]] * event["size"] for event in trace if event["action"] in kinds]


def backward(result):
    sums = [
        tensor.abs().sum() if tensor.is_complex() else tensor.sum()
        for tensor in tree_leaves(result)
        if isinstance(tensor, torch.Tensor)
        and tensor.requires_grad
        and tensor.is_cuda
        and (tensor.is_floating_point() or tensor.is_complex())
    ]
    if sums:
        sum(sums[1:], sums[0]).backward()


def measure(call):
    torch.cuda.synchronize()
    torch.cuda.memory._record_memory_history(max_entries=1 << 18, stacks="python", context=None)
    try:
        result = call()
        forward = len(events())
        backward(result)
        result = None
        torch.cuda.synchronize()
        found = {"events": events(), "forward": forward}
    except Exception as error:
        found = {"error": f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"}
    torch.cuda.memory._record_memory_history(enabled=None)
    return found


# ---- what is called: pairs of a name and a function that makes the call ----


def on_device(value):
    def moved(x):
        if isinstance(x, torch.Tensor):
            return x.detach().to("cuda").requires_grad_(x.requires_grad)
        return "cuda" if x == "cpu" or isinstance(x, torch.device) else x

    return tree_map(moved, value)


def samples_of(operator, dtype):
    torch.manual_seed(0)
    random.seed(0)
    wants = dtype != torch.int64 and operator.supports_autograd
    try:
        yield from itertools.islice(operator.sample_inputs("cpu", dtype, requires_grad=wants), 0, 9, 3)
    except Exception as error:
        print("samples of", operator.name, error, file=sys.stderr)


def samples():
    from torch.testing._internal.common_methods_invocations import op_db  # noqa: PLC0415 - wants expecttest

    for operator in op_db:
        variant = "." + operator.variant_test_name if operator.variant_test_name else ""
        for dtype in (torch.float32, torch.bfloat16, torch.int64):
            if dtype not in operator.dtypes:
                continue
            for i, sample in enumerate(samples_of(operator, dtype)):
                parts = on_device((sample.input, sample.args, sample.kwargs))

                def make(operator=operator, parts=parts):
                    return lambda: operator(parts[0], *parts[1], **parts[2])

                yield f"{operator.name}{variant} {dtype} {i}", make


def convolution(rng):
    rank = rng.choice([1, 2, 2, 2, 2, 3])
    dtype = rng.choice([torch.float32, torch.float32, torch.bfloat16, torch.float16])
    transposed = rng.random() < 0.15
    inputs = rng.choice([3, 4, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512])
    outputs = rng.choice([8, 16, 24, 32, 64, 96, 128, 256, 320, 512])
    groups = rng.choice([1, 1, 1, 1, 2, 4, 0])
    if groups == 0:
        outputs, groups = inputs * rng.choice([1, 1, 2]), inputs
    if inputs % groups or outputs % groups:
        groups = 1
    kernel, stride = rng.choice([1, 1, 3, 3, 3, 5, 7]), rng.choice([1, 1, 2])
    dilation = rng.choice([1, 1, 1, 2])
    sizes = [
        rng.choice(those) for those in ([100, 256, 1000, 4096], [7, 14, 28, 32, 56, 64, 112, 128], [8, 16, 24, 32])
    ]
    size, batch = sizes[rank - 1], rng.choice([1, 2, 4, 8, 16, 32])
    channels_last = rank > 1 and rng.random() < 0.4
    tf32 = rng.random() < 0.5
    rng.random()  # once: cuDNN's benchmark
    bias = rng.random() < 0.5

    def make():
        torch.backends.cudnn.allow_tf32 = tf32
        layer = getattr(nn, f"Conv{'Transpose' if transposed else ''}{rank}d")
        padding = kernel // 2 * dilation
        module = layer(inputs, outputs, kernel, stride, padding, dilation=dilation, groups=groups, bias=bias)
        module = module.to("cuda", dtype)
        x = torch.zeros(batch, inputs, *[size] * rank, device="cuda", dtype=dtype)
        if channels_last:
            order = torch.channels_last if rank == 2 else torch.channels_last_3d
            module, x = module.to(memory_format=order), x.contiguous(memory_format=order)
        x.requires_grad_()
        return lambda: module(x)

    name = f"conv{rank}d {'T ' if transposed else ''}n{batch} {inputs}>{outputs} k{kernel} s{stride} d{dilation} "
    name += f"g{groups} x{size} {str(dtype)[6:]} "
    return name + f"{'cl ' if channels_last else ''}{'tf32 ' if tf32 else ''}{'bias' if bias else ''}", make


def convolutions():
    for seed in (7, 23):
        rng = random.Random(seed)
        for _ in range(260):
            name, make = convolution(rng)
            yield f"{seed} {name}", make


def optimizer(make, shapes, options):
    def build():
        parameters = [torch.zeros(shape, device="cuda").requires_grad_() for shape in shapes]
        chosen = make(parameters, lr=1e-3, **options)
        for parameter in parameters:
            parameter.grad = torch.zeros_like(parameter)

        def steps():
            chosen.step()
            chosen.step()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            chosen.zero_grad()

        return steps

    return build


def optimizers():
    names = ("Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop", "SGD",
             "Adafactor", "Muon")  # fmt: skip
    tables = [[(64, 32), (64,)], [(1000, 300), (1000,), (17, 5, 3)], [(4096, 1024)] * 3, [(10,)] * 500]
    for name in names:
        make = getattr(torch.optim, name, None)
        for i, shapes in enumerate(tables):
            for options in (
                {},
                {"foreach": True},
                {"foreach": False},
                {"fused": True},
                {"capturable": True},
                {"maximize": True},
            ):
                if make:
                    matrices = [shape for shape in shapes if name != "Muon" or len(shape) == 2]
                    yield f"{name} {i} {options}", optimizer(make, matrices, options)


def recurrent(rng):
    kind = rng.choice(["LSTM", "GRU", "RNN"])
    width, units = rng.choice([8, 32, 64, 100, 256, 512]), rng.choice([8, 32, 64, 100, 256, 512, 1024])
    layers, both = rng.choice([1, 1, 2, 3]), rng.random() < 0.4
    length, batch = rng.choice([1, 2, 4, 7, 16, 56, 100, 200]), rng.choice([1, 2, 3, 8, 16, 32, 33, 64, 128])
    dtype = rng.choice([torch.float32, torch.float32, torch.float16, torch.bfloat16])
    drop, train, first = rng.choice([0, 0, 0.2]), rng.random() < 0.7, rng.random() < 0.5
    projected = rng.choice([0] * 6 + [units // 2]) if kind == "LSTM" else 0
    packed = rng.random() < 0.15

    def make():
        options = {"bidirectional": both, "dropout": drop if layers > 1 else 0, "batch_first": first}
        if projected:
            options["proj_size"] = projected
        module = getattr(nn, kind)(width, units, layers, **options).to("cuda", dtype).train(train)
        shape = (batch, length, width) if first else (length, batch, width)
        x = torch.zeros(shape, device="cuda", dtype=dtype, requires_grad=train)
        if packed:
            x = nn.utils.rnn.pack_padded_sequence(x, torch.full((batch,), length), batch_first=first)

        def call():
            with torch.set_grad_enabled(train):
                return module(x)

        return call

    name = f"{kind} I{width} H{units} L{layers} bi{int(both)} T{length} B{batch} {str(dtype)[6:]} drop{drop} "
    return name + f"train{int(train)} bf{int(first)} proj{projected} packed{int(packed)}", make


def recurrent_layers():
    rng = random.Random(5)
    yield from (recurrent(rng) for _ in range(420))


def batch_norm(rng):
    channels = rng.choice([3, 8, 16, 24, 32, 64, 96, 128, 256, 512, 1000, 2048])
    batch, size = rng.choice([1, 2, 4, 8, 16, 32]), rng.choice([1, 2, 4, 7, 14, 28, 32, 56])
    dtype = rng.choice([torch.float32, torch.float16, torch.bfloat16])
    layout, single, train = rng.choice(["cl", "cl", "nchw", "cl3d", "2d"]), rng.random() < 0.5, rng.random() < 0.8

    def make():
        layer = {"cl3d": nn.BatchNorm3d, "2d": nn.BatchNorm1d}.get(layout, nn.BatchNorm2d)
        module = layer(channels).cuda().train(train)
        if not single:
            module = module.to(dtype)
        shapes = {"2d": (batch + 1, channels), "cl3d": (batch, channels, 4, size, size)}
        x = torch.zeros(shapes.get(layout, (batch, channels, size + 1, size)), device="cuda", dtype=dtype)
        if layout in ("cl", "cl3d"):
            x = x.contiguous(memory_format=torch.channels_last if layout == "cl" else torch.channels_last_3d)
        x.requires_grad_()
        return lambda: module(x)

    return f"bn c{channels} n{batch} hw{size} {str(dtype)[6:]} {layout} w32{int(single)} train{int(train)}", make


def batch_norms():
    rng = random.Random(9)
    yield from (batch_norm(rng) for _ in range(200))


def transform(way, sizes, batch, dtype):
    def make():
        dims = list(range(1, len(sizes) + 1))
        of_numbers = torch.complex64 if dtype == torch.float32 else torch.complex128
        if way == "c2c":
            x = torch.zeros(batch, *sizes, dtype=of_numbers, device="cuda")
            return lambda: torch.fft.fftn(x, dim=dims)
        if way == "r2c":
            x = torch.zeros(batch, *sizes, dtype=dtype, device="cuda")
            return lambda: torch.fft.rfftn(x, dim=dims)
        x = torch.zeros(batch, *sizes[:-1], sizes[-1] // 2 + 1, dtype=of_numbers, device="cuda")
        return lambda: torch.fft.irfftn(x, s=sizes, dim=dims)

    return make


LINES = [2, 3, 4, 5, 7, 8, 11, 16, 17, 27, 31, 32, 49, 64, 81, 97, 100, 121, 125, 127, 128, 200, 243, 251, 256, 257,
         400, 512, 625, 1000, 1009, 1024, 2000, 2048, 2187, 4096, 4097, 5000, 8192, 10000, 16384, 20000, 32768, 65536,
         100000, 131072, 262144, 1 << 20, 1 << 22]  # fmt: skip
SIDES = (4, 7, 16, 32, 64, 100, 128, 256, 512, 1024)
CUBES = [[8, 8, 8], [16, 16, 16], [32, 32, 32], [64, 64, 64], [7, 9, 11], [128, 128, 128], [16, 64, 64], [20, 20, 20]]


def transforms():
    rng = random.Random(3)
    shapes = [[length] for length in LINES]
    shapes += [[a, b] for a in SIDES for b in SIDES if rng.random() < 0.6]
    for sizes, batch in itertools.product(shapes + CUBES, (1, 8, 96)):
        if batch * math.prod(sizes) > 1 << 25:
            continue
        for dtype, way in itertools.product((torch.float32, torch.float64), ("c2c", "r2c", "c2r")):
            if dtype == torch.float64 and rng.random() < 0.6:
                continue
            yield f"{way} {sizes} batch {batch} {str(dtype)[6:]}", transform(way, sizes, batch, dtype)


WITH_COLUMNS = ("svd", "svdvals", "qr", "lstsq", "pinv")


def solver(rng):
    rows = rng.choice([2, 4, 7, 8, 16, 31, 32, 33, 64, 100, 128, 200, 256, 400, 512, 513, 600, 1000, 1024, 2048])
    columns = rows if rng.random() < 0.6 else rng.choice([4, 8, 32, 100, 256, 600, 1024])
    batch, dtype = rng.choice([0, 0, 0, 1, 2, 3, 8, 32]), rng.choice([torch.float32, torch.float32, torch.float64])
    right = rng.choice([1, 3, 64])
    if rows * columns * max(batch, 1) > 1 << 23:
        batch = 0
    names = ("svd", "svdvals", "qr", "eigh", "eigvalsh", "cholesky", "inv", "solve", "lstsq", "lu", "det",
             "cholesky_solve", "householder", "pinv", "eig")  # fmt: skip
    name = rng.choice(names)

    def make():
        x = torch.eye(rows, columns if name in WITH_COLUMNS else rows, dtype=dtype, device="cuda")
        x = x.expand(batch, *x.shape).contiguous() if batch else x
        y = torch.zeros(*((batch,) if batch else ()), rows, right, dtype=dtype, device="cuda")
        linalg = torch.linalg
        calls = {
            "svd": lambda: linalg.svd(x, full_matrices=False),
            "solve": lambda: linalg.solve(x, y),
            "lstsq": lambda: linalg.lstsq(x, y),
            "lu": lambda: linalg.lu_factor(x),
            "cholesky_solve": lambda: torch.cholesky_solve(y, x),
            "householder": lambda: torch.geqrf(x),
            "eig": lambda: linalg.eigvals(x),
        }
        return calls.get(name) or (lambda: getattr(linalg, name)(x))

    return f"{name} n{rows} m{columns} b{batch} {str(dtype)[6:]} k{right}", make


def solvers():
    rng = random.Random(13)
    yield from (solver(rng) for _ in range(260))


KINDS = {
    kind.__name__: kind
    for kind in (convolutions, operators, optimizers, recurrent_layers, batch_norms, transforms, solvers, samples)
}


# ---- commands ----


def run(path, kinds):
    """A call that ends the process is passed over when the next one goes on."""
    path.touch()
    done = [json.loads(line)["name"] for line in path.read_text().splitlines()]
    torch.zeros(1, device="cuda") @ torch.zeros(1, device="cuda")  # cuBLAS has its workspace
    with path.open("a") as file:
        for kind in kinds:
            for name, make in KINDS[kind]():
                if f"{kind}: {name}" in done:
                    continue
                torch.manual_seed(0)
                try:
                    call = make()
                except (TypeError, RuntimeError, ValueError):
                    continue  # an optimizer without this option
                row = {"name": f"{kind}: {name}", **measure(call)}
                print(json.dumps(row), file=file, flush=True)
                if "CUDA error" in row.get("error", ""):
                    sys.exit(f"{row['name']}: {row['error']}; the same command goes on behind it")


def in_order(changes):
    """Releases that follow one another as a set."""
    for released, group in itertools.groupby(changes, lambda change: change < 0):
        together = list(group)
        yield from sorted(together) if released else together


def peak(changes):
    rounded = (math.copysign(math.ceil(abs(change) / BLOCK) * BLOCK, change) for change in changes)
    return max(itertools.accumulate(rounded), default=0)


def compare(path, show):
    with gzip.open(RECORDED, "rt") as file:
        recorded = {row["name"]: row for row in map(json.loads, file)}
    counts, shown = Counter(), Counter()
    for row in map(json.loads, path.read_text().splitlines()):
        real, kind = recorded.get(row["name"], {}), row["name"].partition(":")[0]
        if "events" not in row or "events" not in real:
            counts[kind, "one of both failed"] += "events" in row or "events" in real
            continue
        counts[kind, "compared"] += 1
        counts[kind, "same peak"] += peak(row["events"]) == peak(real["events"])
        if list(in_order(row["events"])) == list(in_order(real["events"])):
            counts[kind, "same events"] += 1
        elif shown[kind] < show:
            shown[kind] += 1
            print(f"{row['name']}: peak {peak(row['events']):.0f}, on the GPU {peak(real['events']):.0f}")
            matcher = SequenceMatcher(None, real["events"], row["events"], autojunk=False)
            for kind_of, i, j, k, m in matcher.get_opcodes():
                if kind_of != "equal":
                    print("   ", real["events"][i:j][:12], "on the GPU,", row["events"][k:m][:12])
    for kind in dict.fromkeys(kind for kind, _ in counts):
        print(
            kind,
            *(
                f"{what}: {counts[kind, what]}"
                for what in ("compared", "same events", "same peak", "one of both failed")
            ),
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    unknown = set(given.kinds) - set(KINDS)
    if unknown:
        parser.error(f"no kinds {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    warnings.filterwarnings("ignore")
    if given.command == "run":
        run(given.file, given.kinds or list(KINDS))
    else:
        compare(given.file, given.show)


if __name__ == "__main__":
    main()
