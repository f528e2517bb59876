"""Record what single calls of PyTorch allocate and release on CPU, forward and backward, beside the ATen operators that
torch.export makes of them.

    python test/frameworks/record_operators.py             # the cases below, to operators_avx2.jsonl.gz
    python test/frameworks/record_operators.py NAME...     # only these families, printed

What a line holds is described in test/data/pytorch_operators/README.md.
"""

from __future__ import annotations

import gc
import gzip
import json
import math
import operator
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.fx import GraphModule, Node
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile, record_function

OUTPUT = Path(__file__).resolve().parents[1] / "data" / "pytorch_operators" / "operators_avx2.jsonl.gz"
THREADS = 2
DTYPES = {
    "f32": torch.float32,
    "f64": torch.float64,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "u8": torch.uint8,
    "i8": torch.int8,
    "bool": torch.bool,
    "c64": torch.complex64,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
NAMESPACE = {"torch": torch, "nn": nn, "F": functional, "math": math}


class Spec(NamedTuple):
    """A tensor of a call; `order` is that of its dims in memory."""

    dims: tuple[int, ...]
    kind: str = "input"
    dtype: str = "f32"
    order: tuple[int, ...] | None = None

    def make(self) -> Tensor:
        """Of its own, not a view."""
        strides, stride = [0] * len(self.dims), 1
        for axis in reversed(self.order or range(len(self.dims))):
            strides[axis] = stride
            stride *= self.dims[axis]
        made = torch.empty_strided(self.dims, strides, dtype=DTYPES[self.dtype])
        return made.fill_(0.5) if made.dtype.is_floating_point else made.zero_()


class Case(NamedTuple):
    family: str
    call: str
    tensors: dict[str, Spec]
    grad: bool = True


def x(*dims: int) -> dict[str, Spec]:
    return {"x": Spec(dims)}


def xy(first: Sequence[int], second: Sequence[int], kind: str = "input", dtype: str = "f32") -> dict[str, Spec]:
    return {"x": Spec(tuple(first)), "y": Spec(tuple(second), kind, dtype)}


# ---- recording ----


class Source(torch.autograd.Function):
    """In front of an input: what it is handed dies."""

    @staticmethod
    def forward(ctx: Any, anchor: Tensor, spec: Spec) -> Tensor:
        return spec.make()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return None, None


class Sink(torch.autograd.Function):
    """Behind the outputs: makes their gradients."""

    @staticmethod
    def forward(ctx: Any, *outputs: Tensor) -> Tensor:
        ctx.shapes = [(tuple(output.shape), output.dtype) for output in outputs]
        with record_function("##recorder"):
            return torch.empty(())

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        with record_function("##gradients"):
            return tuple(torch.empty(shape, dtype=dtype) for shape, dtype in ctx.shapes)


class Event(NamedTuple):
    phase: str
    bytes: int
    pointer: int
    own: bool  # the recorder's


def events_of(profiler: Any) -> Iterator[Event]:
    found: list[tuple[int, Event]] = []

    def walk(node: Any, path: list[str]) -> None:
        if node.tag.name == "Allocation":
            phase = next((name for name in path if name in ("##build", "##forward", "##release", "##backward")), "")
            fields = node.extra_fields
            own = "##recorder" in path or (phase == "##backward" and "##gradients" not in path)
            found.append((node.start_time_ns, Event(phase[2:], fields.alloc_size, fields.ptr, own)))
        for child in node.children:
            walk(child, path if node.tag.name == "Allocation" else [*path, node.name])

    for root in profiler.profiler.kineto_results.experimental_event_tree():
        walk(root, [])
    return (event for _, event in sorted(found, key=lambda item: item[0]))


def flat(result: Any) -> list[Tensor]:
    if isinstance(result, Tensor):
        return [result]
    return [tensor for part in result for tensor in flat(part)]


def run(case: Case) -> Any:
    """The profiler, after the call and its backward pass."""
    env: dict[str, Any] = dict(NAMESPACE)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        with record_function("##build"):
            for name, spec in case.tensors.items():
                if spec.kind == "input" and case.grad:
                    env[name] = Source.apply(torch.empty(0, requires_grad=True), spec)
                elif spec.kind == "parameter" and case.grad:
                    env[name] = nn.Parameter(spec.make())
                else:
                    env[name] = spec.make()
        with record_function("##forward"), torch.set_grad_enabled(case.grad):
            outputs = flat(eval(case.call, env))
        loss = None
        with record_function("##release"):
            for name, spec in case.tensors.items():
                if spec.kind == "input":
                    del env[name]
        wanted = [output for output in outputs if output.requires_grad]
        with record_function("##recorder"):
            loss = Sink.apply(*wanted) if wanted else None
        with record_function("##release"):
            del outputs, wanted
        with record_function("##backward"):
            if loss is not None:
                loss.backward()
    return profiler


def numbered(profiler: Any) -> dict[str, list[int]]:
    """Per phase bytes of allocations and -1 - number of released buffers; without what is the recorder's own."""
    numbers: dict[int, int] = {}
    own: set[int] = set()
    lists: dict[str, list[int]] = {"forward": [], "release": [], "backward": []}
    count, begun = 0, False
    for event in events_of(profiler):
        begun = begun or (event.phase == "backward" and not event.own)
        if event.bytes > 0 and event.own and not begun:
            own.add(event.pointer)
        elif event.bytes > 0:
            numbers[event.pointer] = count
            count += 1
            lists.get(event.phase, []).append(event.bytes)
        elif event.pointer in own:
            own.discard(event.pointer)
        elif event.phase in lists:
            lists[event.phase].append(-1 - numbers.pop(event.pointer))
    return lists


# ---- what torch.export makes of it ----


class Call(nn.Module):
    def __init__(self, case: Case) -> None:
        super().__init__()
        self.case = case

    def forward(self, *tensors: Tensor) -> Any:
        return eval(self.case.call, {**NAMESPACE, **dict(zip(self.case.tensors, tensors, strict=True))})


def text(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list | tuple):
        return ",".join(map(text, value))
    if isinstance(value, torch.dtype | torch.memory_format | torch.layout):
        return str(value).removeprefix("torch.")
    return str(value).replace(" ", "")


class Operations:
    """The call_function nodes of a graph as rows; tensors are counted."""

    def __init__(self) -> None:
        self.numbers: dict[Node, Any] = {}
        self.rows: list[list[Any]] = []
        self.count = 0

    def add_input(self, node: Node) -> None:
        self.numbers[node] = self.count
        self.count += 1

    def add_row(self, node: Node) -> None:
        inputs: list[int] = []
        attributes: list[str] = []
        for i, argument in enumerate(node.target._schema.arguments):
            default = argument.default_value if argument.has_default_value() else None
            value = node.args[i] if i < len(node.args) else node.kwargs.get(argument.name, default)
            is_tensor = "Tensor" in str(argument.type)
            if is_tensor and isinstance(value, list | tuple):
                inputs += [self.numbers[part] if isinstance(part, Node) else -1 for part in value]
            elif is_tensor:
                inputs.append(self.numbers[value] if isinstance(value, Node) else -1)
            if not (is_tensor and isinstance(value, Node | list | tuple)) and value is not None and value != default:
                attributes.append(f"{argument.name}={text(value)}")
        results = node.meta["val"]
        shapes = [[NAMES[result.dtype], list(result.shape)] for result in flat(results)]
        first, self.count = self.count, self.count + len(shapes)
        self.numbers[node] = first if isinstance(results, Tensor) else list(range(first, self.count))
        self.rows.append([str(node.target), inputs, " ".join(attributes), shapes])

    def add_graph(self, module: GraphModule) -> list[int]:
        for node in module.graph.nodes:
            if node.op == "placeholder":
                self.add_input(node)
            elif node.op == "call_function" and node.target is operator.getitem:
                self.numbers[node] = self.numbers[node.args[0]][node.args[1]]
            elif node.op == "call_function" and node.meta.get("val") is not None:
                self.add_row(node)
            elif node.op == "output":
                return [self.numbers[result] for result in node.args[0]]
        return []


def exported(case: Case) -> tuple[list[list[Any]], list[int]]:
    operations = Operations()
    tensors = tuple(spec.make() for spec in case.tensors.values())
    with torch.set_grad_enabled(case.grad):
        program = torch.export.export(Call(case), tensors, strict=False)
    outputs = operations.add_graph(program.graph_module)
    user = [spec.kind.name == "USER_OUTPUT" for spec in program.graph_signature.output_specs]
    return operations.rows, [output for output, is_user in zip(outputs, user, strict=True) if is_user]


def line(case: Case) -> dict[str, Any]:
    rows, outputs = exported(case)
    run(case)  # the first call of an operator may fill caches
    gc.collect()
    tensors = [
        [name, spec.kind, spec.dtype, spec.dims, *([spec.order] if spec.order else [])]
        for name, spec in case.tensors.items()
    ]
    head = {"operator": case.family, "call": case.call, "tensors": tensors, "operations": rows, "outputs": outputs}
    return head | ({} if case.grad else {"grad": False}) | numbered(run(case))


# ---- the cases ----

UNARY = "acos asin atan cosh sinh tan expm1 exp2 log2 log10 floor ceil round sign trunc frac erfc digamma lgamma"
IN_PLACE = "abs_ neg_ sqrt_ sigmoid_ tanh_ exp_ log_ sin_ cos_ floor_ round_ rsqrt_ reciprocal_ erf_ square_"
ONE = "acosh asinh atanh i0 deg2rad sinc nan_to_num erfinv sgn isfinite isinf"
TWO = "fmax fmin fmod remainder copysign logaddexp2 ldexp xlogy atan2 hypot clamp_min clamp_max"
SHAPE = (3, 5, 7)


def pointwise() -> Iterator[Case]:
    for name in UNARY.split():
        yield Case(name, f"torch.{name}(x)", x(*SHAPE))
    for name in IN_PLACE.split():
        yield Case(name, f"x.{name}()", x(*SHAPE))
    for call in (
        "x.pow_(3)",
        "x.clamp_(0, 1)",
        "x.clamp_min(0.5)",
        "x.clamp_max(0.5)",
        "x.clamp_(min=0)",
        "2.5 ** x",
        "torch.celu_(x)",
        "F.threshold(x, 0.1, 20, True)",
        "F.hardtanh(x, inplace=True)",
        "x.nan_to_num()",
        "x.sigmoid().logit()",
        "x.softmax(1).log()",
        "x ** 1",
        "x % 2",
        "-x",
        "F.softmin(x, 1)",
        "F.softsign(x)",
        "F.hardshrink(x)",
        "F.softshrink(x)",
        "F.logsigmoid(x)",
    ):
        yield Case("pointwise", call, x(*SHAPE))


def arithmetic() -> Iterator[Case]:
    for call in (
        "torch.lerp(x, y, 0.3)",
        "torch.addcmul(x, x, y)",
        "torch.addcdiv(x, x, y)",
        "x.copy_(y)",
        "x ** y",
        "torch.minimum(x, y)",
        "torch.max(x, y)",
        "torch.where(x > y, x, y)",
        "torch.where(x > 0, 0.0, y)",
        "x * (x >= y)",
        "torch.atan2(x, y)",
        "x.add_(y, alpha=2)",
        "torch.hypot(x, y)",
        "x.sub_(y)",
        "torch.fmod(x, y)",
        "x.type_as(y)",
        "torch.logaddexp(x, y)",
        "x.lerp_(y, 0.5)",
    ):
        yield Case("arithmetic", call, xy(SHAPE, SHAPE))
        yield Case("arithmetic", call, xy(SHAPE, SHAPE, "data"))
    for call in (
        "x.to(torch.float64)",
        "x.to(torch.bfloat16).to(torch.float32)",
        "x.double() * 2",
        "x.float()",
        "x.masked_fill_(x.detach() > 0, 1.0)",
        "x * torch.arange(7)",
        "x + torch.ones(7)",
        "x.zero_()",
    ):
        yield Case("casts", call, x(*SHAPE))


def views() -> Iterator[Case]:
    for call in (
        "x.movedim(0, 2)",
        "x.flip(1)",
        "x.roll(2, 1)",
        "x.tril()",
        "x.triu(1)",
        "x.unfold(1, 3, 2)",
        "x.narrow(1, 1, 2)",
        "x.repeat(2, 1, 1)",
        "x.repeat(2, 1, 1, 1)",
        "x.swapaxes(0, 1)",
        "x.squeeze()",
        "x[:1].squeeze(0)",
        "torch.broadcast_to(x, (2, 3, 5, 7))",
        "x.mT",
        "x.T.contiguous()",
        "x.diagonal()",
        "x.transpose(0, 1).clone()",
        "x.transpose(0, 1).flip(0)",
        "x.tensor_split(2, 1)[0]",
        "x.reshape(5, 21)",
        "x.transpose(0, 2).flatten()",
        "x.expand(3, 5, 7)",
        "x.rot90(1, [1, 2])",
        "x.repeat_interleave(2, 1)",
        "torch.stack([x, x], 1)",
        "torch.hstack([x, x])",
        "x.new_zeros(3) + 1",
        "torch.meshgrid(x[0, 0], x[0, 1], indexing='ij')[0]",
        "x[..., None]",
        "x[0, 1:3, ::2]",
    ):
        yield Case("views", call, x(*SHAPE))
    for call in (
        "x.contiguous(memory_format=torch.channels_last)",
        "x.clone(memory_format=torch.contiguous_format)",
        "F.channel_shuffle(x, 2)",
        "F.pixel_unshuffle(x, 2)",
        "F.pixel_shuffle(x, 2)",
        "F.avg_pool2d(F.pixel_shuffle(x, 2), 2)",
        "F.avg_pool2d(F.pixel_unshuffle(x, 2), 2)",
        "F.avg_pool2d(F.channel_shuffle(x, 2), 2)",
        "x.to(memory_format=torch.channels_last)",
    ):
        yield Case("views", call, x(2, 4, 6, 8))
        yield Case("views", call, {"x": Spec((2, 4, 6, 8), order=(0, 2, 3, 1))})


def indexing() -> Iterator[Case]:
    tensors = {"x": Spec(SHAPE), "i": Spec((4,), "data", "i64"), "y": Spec((3, 4, 7))}
    for call in ("x.index_add(1, i, y)", "x[:, i] * 2", "x[i, i]", "x.index_copy(1, i, y)", "x.index_fill(1, i, 0.0)"):
        yield Case("indexing", call, tensors)
    full = {"x": Spec(SHAPE), "i": Spec((3, 2, 7), "data", "i64"), "y": Spec((3, 2, 7))}
    for call in (
        "x.scatter(1, i, y)",
        "x.scatter(1, i, 0.5)",
        "x.scatter_add(1, i, y)",
        "torch.take_along_dim(x, i, 1)",
        "x.gather(1, i)",
    ):
        yield Case("indexing", call, full)
    grid = {"x": Spec((2, 3, 6, 6)), "g": Spec((2, 4, 4, 2))}
    yield Case("grid_sample", "F.grid_sample(x, g, align_corners=False)", grid)
    yield Case("grid_sample", "F.grid_sample(x, g, mode='nearest', align_corners=True)", grid)
    yield Case("unfold", "F.unfold(x, 3)", x(2, 3, 6, 6))
    yield Case("fold", "F.fold(x, (6, 6), 3)", x(2, 27, 16))
    yield Case("one_hot", "F.one_hot(i, 5) * x", {"x": Spec((5,)), "i": Spec((4,), "data", "i64")})


def reductions() -> Iterator[Case]:
    for call in (
        "x.max()",
        "x.min()",
        "x.sort(1)[0]",
        "x.topk(2, 1)[0]",
        "x.argmax(1) * x[0, 0, 0]",
        "x.min(1)[0]",
        "x.norm(1)",
        "x.norm(3)",
        "x.norm(3, 1)",
        "x.norm(1, 1)",
        "x.var((0, 2))",
        "x.std((0, 1))",
        "x.prod()",
        "x.prod(1)",
        "x.cumprod(1)",
        "x.cumsum(1)",
        "F.normalize(x, dim=1)",
        "x.amin((0, 2))",
        "x.median()",
        "x.sum((0, 2), keepdim=True)",
        "x.mean((1, 2))",
        "x.logsumexp(1, keepdim=True)",
        "x.aminmax(dim=1)[0]",
        "x.mean(dtype=torch.float64)",
        "x.sum(dtype=torch.float64)",
        "torch.var_mean(x, 1)[0]",
        "x.count_nonzero() * x",
        "torch.histc(x.detach(), 10, 0, 1)[0] * x",
        "(x > 0).any() * x",
        "(x > 0).sum() * x",
        "F.cosine_similarity(x, x * 2, dim=1)",
        "x.nansum()",
        "F.local_response_norm(x, 3)",
        "x.log_softmax(1)",
        "x.softmax(1, dtype=torch.float64)",
    ):
        yield Case("reductions", call, x(*SHAPE))
    yield Case("cdist", "torch.cdist(x, y)", xy((4, 6), (5, 6)))


def products() -> Iterator[Case]:
    for call in ("torch.outer(x, y)", "torch.dot(x, x)", "x @ x"):
        yield Case("products", call, xy((6,), (6,)))
    for call in ("torch.mv(x, y)", "x @ y", "torch.einsum('ij,j->i', x, y)"):
        yield Case("products", call, xy((5, 6), (6,)))
    for call in ("torch.einsum('bij,kj->bik', x, y)", "F.linear(x, y)", "x @ y.t()", "torch.tensordot(x, y.t(), 1)"):
        yield Case("products", call, xy((3, 5, 6), (7, 6)))
    for call in ("torch.einsum('bij->bji', x)", "torch.einsum('bij->b', x)", "x @ x.mT", "torch.bmm(x, x.mT)"):
        yield Case("products", call, x(3, 5, 6))
    yield Case("products", "x @ y", xy((3, 5, 6), (6,)))
    yield Case("products", "x @ y", xy((6,), (3, 6, 5)))
    yield Case("products", "F.bilinear(x, x, w)", {"x": Spec((4, 5)), "w": Spec((3, 5, 5), "parameter")})
    for equation, first, second in (
        ("ibnd,hnd->ibh", (5, 2, 3, 4), (6, 3, 4)),
        ("ijbn,jbnd->ibnd", (5, 5, 2, 3), (5, 2, 3, 4)),
        ("ibnd,jbnd->bnij", (5, 2, 3, 4), (7, 2, 3, 4)),
        ("bxd,dyh->bhxy", (2, 5, 4), (4, 6, 3)),
        ("bjd,bij->bid", (2, 5, 4), (2, 3, 5)),
        ("bij,bjd->dbi", (2, 3, 5), (2, 5, 4)),
        ("jd,ijk->idk", (5, 4), (2, 5, 3)),
        ("jd,ijk->ikd", (5, 4), (2, 5, 3)),
    ):
        yield Case("products", f"torch.einsum('{equation}', x, y)", xy(first, second))
    heads = {"q": Spec((2, 4, 9, 8)), "k": Spec((2, 2, 9, 8)), "v": Spec((2, 2, 9, 8))}
    yield Case("attention", "F.scaled_dot_product_attention(q, k, v, enable_gqa=True)", heads)


def grouped_products() -> Iterator[Case]:
    """Groups of 4 along the dim that the operands share out. Of bfloat16, for which there is a form without memory; so
    small that oneDNN has no part in it."""
    ends = "torch.arange(4, 20, 4, dtype=torch.int32)"

    def of(dims: Sequence[int], kind: str = "input", *, turned: bool = False) -> Spec:
        axes = tuple(range(len(dims)))
        return Spec(tuple(dims), kind, "bf16", (*axes[:-2], axes[-1], axes[-2]) if turned else None)

    def case(first: Spec, second: Spec, *, offsets: str = f", offs={ends}", grad: bool = True) -> Case:
        return Case("grouped_products", f"torch._grouped_mm(x, y{offsets})", {"x": first, "y": second}, grad)

    for turned in (False, True):
        yield case(of((16, 8), turned=turned), of((4, 8, 24), "parameter"))
        yield case(of((16, 8)), of((4, 8, 24), "parameter", turned=turned))
        yield case(of((8, 16), turned=turned), of((16, 24), turned=turned))
        yield case(of((4, 24, 8), "parameter", turned=turned), of((8, 16)))
        yield case(of((4, 8, 8), turned=turned), of((4, 8, 16), "parameter", turned=turned), offsets="")
    yield case(of((4, 24, 8), "parameter"), of((8, 16), "data"))
    yield case(of((16, 8)), of((4, 8, 6), turned=True), grad=False)  # a row of the result has room behind it
    yield case(of((4, 4, 8)), of((4, 8, 6), turned=True), offsets="", grad=False)


def cells() -> Iterator[Case]:
    state = {"x": Spec((4, 6)), "h": Spec((4, 10)), "c": Spec((4, 10))}
    for gates, calls in (
        (4, ("torch.lstm_cell(x, (h, c), w, u, a, b)", "torch.lstm_cell(x, (h, c), w, u, a, b)[0]")),
        (3, ("torch.gru_cell(x, h, w, u, a, b)",)),
        (1, ("torch.rnn_tanh_cell(x, h, w, u, a, b)", "torch.rnn_relu_cell(x, h, w, u, a, b)")),
    ):
        rows = 10 * gates
        parameters = {"w": (rows, 6), "u": (rows, 10), "a": (rows,), "b": (rows,)}
        given = state | {name: Spec(shape, "parameter") for name, shape in parameters.items()}
        for call in calls:
            yield Case("cells", call, given if gates == 4 else {k: v for k, v in given.items() if k != "c"})


def losses() -> Iterator[Case]:
    for call in (
        "F.kl_div(x, y, log_target=True, reduction='batchmean')",
        "F.huber_loss(x, y)",
        "F.poisson_nll_loss(x, y)",
        "F.smooth_l1_loss(x, y, beta=0.5)",
        "F.cosine_embedding_loss(x, y, torch.ones(6))",
        "F.soft_margin_loss(x, y)",
        "F.gaussian_nll_loss(x, y, torch.ones(6, 8))",
        "F.binary_cross_entropy_with_logits(x, y, weight=torch.ones(8))",
        "F.binary_cross_entropy(x, y, weight=torch.ones(8))",
        "F.triplet_margin_loss(x, y, x * 2)",
        "F.hinge_embedding_loss(x, y)",
        "F.margin_ranking_loss(x, x * 2, y)",
    ):
        yield Case("losses", call, xy((6, 8), (6, 8), "data"))
    classes = {"x": Spec((6, 8)), "t": Spec((6,), "data", "i64"), "w": Spec((8,), "data")}
    for call in (
        "F.nll_loss(x, t, w)",
        "F.cross_entropy(x, t, w, label_smoothing=0.1)",
        "F.multi_margin_loss(x, t)",
        "F.cross_entropy(x, t, label_smoothing=0.1, reduction='sum')",
        "F.cross_entropy(x, t, ignore_index=0)",
    ):
        yield Case("losses", call, classes)


def formulas() -> Iterator[Case]:
    """Operators whose rules are formulas."""
    pair = xy(SHAPE, SHAPE)
    broadcast = xy((5, 1), (7,))
    for name in ONE.split():
        yield Case("formulas_of_one", f"torch.{name}(x)", x(*SHAPE))
    for name in TWO.split():
        yield Case("formulas_of_two", f"torch.{name}(x, y)", pair)
        yield Case("formulas_of_two", f"torch.{name}(x, y)", broadcast)
    for call in (
        "x ** y",
        "torch.clamp(x, y - 1, y)",
        "torch.rsub(x, y)",
        "torch.div(x, y, rounding_mode='floor')",
        "torch.lerp(x, y, x)",
        "torch.multiply(x, y)",
        "torch.dist(x, y, 3)",
        "torch.cross(x[..., :3], y[..., :3], dim=2)",
        "torch.diff(x, dim=1) * y[:, 1:]",
    ):
        yield Case("formulas_of_two", call, pair)
    for call in (
        "torch.cummax(x, 1)[0]",
        "x.kthvalue(2, 1)[0]",
        "x.mode(1)[0]",
        "torch.var_mean(x, 1)",
        "torch.std_mean(x)",
        "x.aminmax()",
        "x.norm(0.5, 1)",
        "x.norm(1.5)",
        "x.norm(4, 2, keepdim=True)",
        "x.argsort(1) * x",
        "x.msort()",
        "torch.roll(x, (1, 2), (1, 2))",
        "torch.fft.fftshift(x)",
        "torch.vstack([x[0], x[1]])",
        "torch.dstack([x[0], x[1]])",
        "torch.column_stack([x[0, 0], x[0, 1]])",
        "torch.diag_embed(x)",
        "torch.diag(x[0])",
        "x.all(1) * x[:, 0]",
        "x.flipud()",
        "x.select_scatter(x[:, 0] * 2, 1, 2)",
        "x.clone().exponential_() * x",
    ):
        yield Case("formulas_of_dims", call, x(*SHAPE))


def spectra() -> Iterator[Case]:
    for call in (
        "torch.fft.rfft(x).abs()",
        "torch.fft.irfft(torch.fft.rfft(x) * torch.fft.rfft(x))",
        "torch.fft.fft(x, dim=1).real",
        "torch.fft.fftn(x, dim=(1, 2)).real",
        "torch.fft.ifft(torch.fft.fft(x)).real",
        "torch.fft.rfft(x, n=10, dim=1).abs()",
        "torch.fft.irfft2(torch.fft.rfft2(x), s=(4, 6))",
        "torch.view_as_real(torch.fft.rfft2(x))",
        "torch.complex(x, x).abs()",
        "torch.fft.irfft(torch.fft.rfft(x) * torch.conj(torch.fft.rfft(x)))",
        "torch.fft.irfft(torch.conj(torch.fft.rfft(x)))",
        "(torch.fft.fft(x).conj() * torch.fft.fft(x)).real",
        "(torch.fft.fft(x).conj() + 1).abs()",
        "torch.fft.fft(x).conj()[0].abs()",
        "(torch.fft.fft(x) / torch.fft.fft(x).conj()).abs()",
        "torch.fft.fft(x).conj().resolve_conj().abs()",
        "torch.fft.fft(x).conj().abs()",
        "torch.view_as_real(torch.fft.fft(x).conj().resolve_conj())",
        "torch.fft.fft(x).conj().reshape(-1).abs()",
        "torch.fft.fft(x).conj().real",
        "torch.fft.ifft(torch.fft.fft(x).conj()).real",
    ):
        yield Case("spectra", call, x(*SHAPE))
    waves = {"x": Spec((2, 100)), "w": Spec((16,), "data")}
    yield Case("spectra", "torch.stft(x, 16, 4, window=w, return_complex=True).abs()", waves)
    yield Case("spectra", "torch.stft(x, 16, 4, return_complex=False)", waves)
    filtered = {"x": Spec((3, 8, 8)), "w": Spec((3, 8, 5, 2), "parameter")}
    yield Case("spectra", "torch.fft.irfft2(torch.fft.rfft2(x) * torch.view_as_complex(w))", filtered)


def matrices() -> Iterator[Case]:
    positive = "(x @ x.mT + 9 * torch.eye(5))"
    for call in (
        f"torch.linalg.cholesky({positive})",
        f"torch.linalg.inv({positive})",
        f"torch.linalg.inv_ex({positive})[0]",
        f"torch.linalg.solve({positive}, x[..., :2])",
        f"torch.linalg.solve_triangular({positive}, x[..., :2], upper=True)",
    ):
        yield Case("matrices", call, x(5, 5))
        yield Case("matrices", call, x(2, 5, 5))
    yield Case("matrices", "torch.addmv(v, x, y, alpha=2)", {"v": Spec((5,)), **xy((5, 6), (6,))})
    yield Case("matrices", "torch.addr(x, v, y)", {"v": Spec((5,)), **xy((5, 6), (6,))})
    yield Case("matrices", "torch.addbmm(x, a, b)", {"x": Spec((5, 6)), "a": Spec((3, 5, 4)), "b": Spec((3, 4, 6))})
    yield Case("matrices", "torch._weight_norm(x, y, 0)", xy((5, 6), (5, 1)))
    for p in (1.0, 2.0, 3.0):
        yield Case("cdist", f"torch.cdist(x, y, {p})", xy((2, 4, 6), (2, 5, 6)))
    yield Case("cdist", "torch.cdist(x, y)", xy((30, 6), (28, 6)))


def places() -> Iterator[Case]:
    given = {"x": Spec((5, 6)), "i": Spec((3,), "data", "i64"), "y": Spec((3, 6))}
    for call in (
        "x.index_put((i,), y)",
        "x.clone().index_put_((i,), y)",
        "x.clone().index_put_((i,), y, accumulate=True)",
        "x.clone().index_add_(0, i, y)",
        "x.index_add(0, i, y, alpha=2)",
        "x.clone().index_fill_(0, i, 0.0)",
        "torch.take(x, i)",
    ):
        yield Case("places", call, given)
    full = {"x": Spec((5, 6)), "i": Spec((3, 6), "data", "i64"), "y": Spec((3, 6))}
    for call in (
        "x.clone().scatter_(0, i, y)",
        "x.clone().scatter_(0, i, 0.5)",
        "x.clone().scatter_add_(0, i, y)",
    ):
        yield Case("places", call, full)
    for reduction in ("sum", "prod", "mean", "amax", "amin"):
        for own in ("", ", include_self=False"):
            call = f"x.scatter_reduce(0, i, y, '{reduction}'{own})"
            yield Case("scatter_reduce", call, full)
            yield Case("scatter_reduce", call, full | {"x": Spec((5, 6), "data")})
            yield Case("scatter_reduce", call, full | {"y": Spec((3, 6), "data")})
            yield Case("scatter_reduce", f"x.clone().scatter_reduce_(0, i, y, '{reduction}'{own})", full)
    rows = {"x": Spec((5, 16)), "i": Spec((9,), "data", "i64"), "y": Spec((9, 16))}
    for call in (
        "x.scatter_reduce(0, i[:, None].expand(-1, 16), y, 'mean')",
        "x.scatter_reduce(0, i[:, None].expand(-1, 15), y[:, :15].contiguous(), 'mean')",
        "x.scatter_reduce(0, i[:, None].expand(-1, 16), y, 'amax', include_self=False)",
    ):
        yield Case("scatter_reduce", call, rows)
    for call in (
        "torch.normal(x, y.abs())",
        "torch.normal(x, 2.0)",
        "torch.normal(0.5, y.abs())",
        "x * torch.normal(0.5, 2.0, (5, 6))",
    ):
        yield Case("normal", call, xy((5, 6), (5, 6)))
    yield Case("normal", "torch.normal(x, y.abs())", xy((5, 6), (6,)))
    yield Case("normal", "torch.normal(x, y.abs())", xy((6,), (5, 6)))
    for call in (
        "x * x.clone().uniform_()",
        "x * x.clone().normal_()",
        "x.clone().bernoulli_(0.5) * x",
        "torch.bernoulli(x)",
    ):
        yield Case("normal", call, x(5, 6))
    for call in (
        "F.interpolate(x, scale_factor=2, mode='bilinear', antialias=True)",
        "F.interpolate(x, size=(3, 4), mode='bicubic', antialias=True)",
        "F.max_pool3d(x[None], 2, return_indices=True)[0]",
        "F.rrelu(x, training=True)",
    ):
        yield Case("places", call, x(2, 3, 6, 7))
    yield Case("places", "F.affine_grid(x, (3, 4, 5, 6), align_corners=False)", x(3, 2, 3))
    yield Case("places", "F.affine_grid(x, (3, 4, 5, 6, 7), align_corners=True)", x(3, 3, 4))


def margins() -> Iterator[Case]:
    for call in (
        "F.triplet_margin_loss(x, y, x * 2, swap=True)",
        "F.cosine_embedding_loss(x, y, torch.ones(6), margin=0.5, reduction='sum')",
        "F.margin_ranking_loss(x, y, x.detach(), reduction='none')",
        "F.poisson_nll_loss(x, y, log_input=False)",
        "F.pairwise_distance(x, y, p=1.0)",
        "F.cosine_similarity(x, y)",
        "F.multilabel_margin_loss(x, y.detach().long())",
    ):
        yield Case("margins", call, xy((6, 8), (6, 8)))
    classes = {"x": Spec((6, 8)), "t": Spec((6,), "data", "i64"), "w": Spec((8,), "data")}
    for call in (
        "F.cross_entropy(x, t, w, label_smoothing=0.1, reduction='none')",
        "F.multi_margin_loss(x, t, p=2, weight=w)",
    ):
        yield Case("margins", call, classes)


def cases() -> Iterator[Case]:
    groups = (pointwise, arithmetic, views, indexing, reductions, products, cells, losses, formulas, spectra, matrices)
    for group in (*groups, places, margins, grouped_products):
        yield from group()


def main() -> None:
    warnings.filterwarnings("ignore")
    gc.disable()
    torch.set_num_threads(THREADS)
    wanted = set(sys.argv[1:])
    lines = []
    for case in cases():
        if wanted and case.family not in wanted:
            continue
        try:
            lines.append(json.dumps(line(case), separators=(",", ":")))
        except Exception as error:
            print(f"{case.call}: {str(error).splitlines()[0]}", file=sys.stderr)
    if wanted:
        print("\n".join(lines))
    else:
        with OUTPUT.open("wb") as file:
            file.write(gzip.compress("\n".join([*lines, ""]).encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
