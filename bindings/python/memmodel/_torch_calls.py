"""ATen calls as layers: those of a layer family become its layer, all others go by their own name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from memmodel._torch_export import HOLD, SWITCH, Call, Value
from memmodel.errors import MemmodelError
from memmodel.network import Network
from memmodel.tensor import Size, Tensor

DTYPES = {
    torch.float32: "float32", torch.float64: "float64", torch.float16: "float16", torch.bfloat16: "bfloat16",
    torch.int64: "int64", torch.int32: "int32", torch.int8: "int8", torch.uint8: "uint8", torch.bool: "bool",
    torch.int16: "float16", torch.complex64: "float64",
}  # fmt: skip

WHOLE = 2**63 - 1

Layer = Callable[["Calls", Call], Tensor | None]


def dtype_of(tensor: Any) -> str:
    name = DTYPES.get(tensor.dtype)
    if name is None:
        raise ValueError(f"tensors of the type {tensor.dtype} are not supported")
    return name


def this_isa() -> str | None:
    """Of this machine, as far as PyTorch uses it; None if it has no vectors of these kinds."""
    return {"AVX2": "avx2", "AVX512": "native"}.get(torch.backends.cpu.get_cpu_capability())


class NoTensor(Exception):
    """An argument that a layer must have is none, or was made by a call that makes nothing."""


class Calls:
    """Makes the layers of one network. `values` has what each value of the graph became, a tensor for each result."""

    def __init__(self, network: Network, *, training: bool) -> None:
        self.network = network
        self.training = training
        self.values: dict[str, list[Tensor | None]] = {}
        self.fakes: dict[str, list[Any]] = {}
        self.names: Mapping[str, str] = {}  # of symbols, where they have better ones than export's
        self.parameters: dict[str, Any] = {}  # by value: tensors of their own that layers may use

    # ---- arguments ----

    def optional(self, value: Any) -> Tensor | None:
        if not isinstance(value, Value):
            return None
        return self.values[value.name][max(value.index, 0)]

    def tensor(self, value: Any) -> Tensor:
        tensor = self.optional(value)
        if tensor is None:
            raise NoTensor(f"{value} is no tensor")
        return tensor

    def fake(self, value: Any) -> Any:
        return self.fakes[value.name][max(value.index, 0)]

    def shape(self, value: Any) -> list[Size]:
        return self.sizes(self.fake(value).shape)

    def sizes(self, shape: Sequence[Any]) -> list[Size]:
        return [self.size(size) for size in shape]

    def size(self, size: Any) -> Size:
        if isinstance(size, int):
            return size
        return self.network.expression(expression_text(size, self.names))

    def is_parameter(self, *values: Any) -> bool:
        """True if each is missing or a tensor of parameters as it was declared."""
        return all(value is None or (isinstance(value, Value) and value.name in self.parameters) for value in values)

    def use(self, **roles: Any) -> None:
        for role, value in roles.items():
            tensor = self.optional(value)
            if tensor is not None:
                self.network.use_parameter(role, tensor)

    # ---- one call ----

    def add(self, call: Call) -> None:
        self.fakes[call.name] = call.results
        self.values[call.name] = self._made(call)

    def _made(self, call: Call) -> list[Tensor | None]:
        same = identity(self, call)
        if same is not None:
            return same
        layer = FAMILIES.get(call.target)
        if layer:
            try:
                first = layer(self, call)
            except (MemmodelError, NoTensor):
                first = None  # not in a form that the family knows: by its name, then
            if first is not None:
                return self._results(first, call)
        return self.by_name(call)

    def _results(self, first: Tensor, call: Call) -> list[Tensor | None]:
        return [first, *(self.network.layer_output(first, index) for index in range(1, len(call.results)))]

    def by_name(self, call: Call) -> list[Tensor | None]:
        """An operator under PyTorch's own name; a result that is no tensor has no place."""
        inputs, attributes = self._split_arguments(call)
        tensors = [index for index, fake in enumerate(call.results) if isinstance(fake, torch.Tensor)]
        outputs = [(self.sizes(call.results[index].shape), dtype_of(call.results[index])) for index in tensors]
        first = self.network.custom(
            inputs,
            outputs or [((0,), "uint8")],
            name=call.name,
            operation=call.target,
            attributes=attributes or None,
        )
        made: list[Tensor | None] = [None] * max(len(call.results), 1)
        for place, index in enumerate(tensors):
            made[index] = self.network.layer_output(first, place) if place else first
        return made

    def _split_arguments(self, call: Call) -> tuple[list[Tensor | None], str]:
        inputs: list[Tensor | None] = []
        words = []
        for name, value in call.arguments.items():
            if isinstance(value, Value):
                self._add_inputs(inputs, value)
            elif isinstance(value, list) and any(isinstance(part, Value) for part in value):
                for part in value:
                    self._add_inputs(inputs, part)
            elif name in TENSOR_ARGUMENTS.get(call.target, TENSOR_NAMES) and isinstance(value, (int, float)):
                inputs.append(None)
                words.append(f"{name}={attribute_text(value)}")
            elif value is None:
                if name in OPTIONAL_TENSORS:
                    inputs.append(None)
            else:
                text = attribute_text(value)
                if text:
                    words.append(f"{name}={text}")
        return inputs, " ".join(words)

    def _add_inputs(self, inputs: list[Tensor | None], value: Any) -> None:
        if value is None:
            inputs.append(None)
        elif isinstance(value, Value) and value.name in self.values:
            results = self.values[value.name]
            inputs.extend(results if len(results) > 1 and value.index < 0 else [results[max(value.index, 0)]])


# Arguments that are tensors in most schemas, where a number may stand for one.
TENSOR_NAMES = frozenset({"other", "exponent", "value", "tensor2"})
TENSOR_ARGUMENTS: dict[str, frozenset[str]] = {}
OPTIONAL_TENSORS = frozenset({"weight", "bias", "running_mean", "running_var", "attn_mask", "pos_weight"})


def attribute_text(value: Any) -> str:
    """A number, a list of numbers, or a word; nothing for what has no such form."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, torch.dtype):
        own = str(value).removeprefix("torch.")
        return own if value.is_complex else DTYPES.get(value, own)
    if isinstance(value, (list, tuple)):
        return ",".join(attribute_text(part) for part in value)
    if isinstance(value, str):
        return value.replace(" ", "")
    if isinstance(value, torch.memory_format):
        return str(value).removeprefix("torch.")
    return ""


def expression_text(size: Any, names: Mapping[str, str]) -> str:
    """A symbolic size as the library writes it."""
    return _written(size.node.expr, names)


def _written(e: Any, names: Mapping[str, str]) -> str:
    kind = type(e).__name__
    parts = [_written(part, names) for part in e.args]
    if e.is_Integer:
        return str(int(e))
    if e.is_Symbol:
        return names.get(str(e), str(e))
    if e.is_Add:
        return "(" + " + ".join(parts) + ")"
    if e.is_Mul:
        return "(" + " * ".join(parts) + ")"
    if kind in ("FloorDiv", "CleanDiv"):
        return f"floor(({parts[0]}) / ({parts[1]}))"
    if kind in ("Max", "Min"):
        return f"{kind.lower()}({', '.join(parts)})"
    if e.is_Pow and e.exp.is_Integer and e.exp > 0:
        return f"({parts[0]})^{parts[1]}"
    raise ValueError(f"a size of {e} has no form in the library")


# ---- calls that make nothing ----


def identity(calls: Calls, call: Call) -> list[Tensor | None] | None:
    """What a call returns that hands on what it got; None for all others."""
    arguments = call.arguments
    if call.target == "<built-in function getitem>":
        return [calls.values[arguments["0"].name][arguments["1"]]]
    if call.target == "memmodel.tuple":
        return [calls.optional(value) for value in arguments["values"]]
    if call.target.startswith(("aten._assert", "aten.sym_", "aten._local_scalar")) or not call.target.startswith(
        ("aten.", SWITCH, HOLD)
    ):
        return [None] * max(len(call.results), 1) if not _makes_tensors(call) else None
    if call.target in SAME or (call.target in CASTS and _is_same_type(calls, call)):
        return [calls.optional(arguments["self" if "self" in arguments else "input"])]
    rule = SOMETIMES_SAME.get(call.target)
    if rule and rule(calls, call):
        return [calls.optional(arguments["self" if "self" in arguments else "input"])]
    if call.target == "aten.broadcast_tensors.default":
        return _broadcast(calls, call)
    return None


def _makes_tensors(call: Call) -> bool:
    return any(isinstance(fake, torch.Tensor) for fake in call.results)


def _broadcast(calls: Calls, call: Call) -> list[Tensor | None] | None:
    tensors = call.arguments["tensors"]
    same = all(calls.fake(value).shape == calls.fake(tensors[0]).shape for value in tensors)
    return [calls.optional(value) for value in tensors] if same else None


SAME = frozenset({"aten.alias.default", "aten.detach_.default", "aten.lift.default", "aten.lift_fresh.default"})
CASTS = frozenset({
    "aten.to.dtype", "aten.to.device", "aten.to.dtype_layout", "aten.to.other", "aten.type_as.default",
    "aten.float.default",
})  # fmt: skip


def _is_same_type(calls: Calls, call: Call) -> bool:
    own = calls.fake(call.arguments["self"]).dtype
    laid_out = call.arguments.get("memory_format", torch.preserve_format) not in (None, torch.preserve_format)
    return own == call.results[0].dtype and not call.arguments.get("copy", False) and not laid_out


def _whole_slice(calls: Calls, call: Call) -> bool:
    arguments = call.arguments
    return (
        arguments.get("start", 0) in (0, None)
        and arguments.get("end", WHOLE) in (WHOLE, None)
        and arguments.get("step", 1) == 1
    )


def _no_dropout(calls: Calls, call: Call) -> bool:
    return call.arguments["p"] == 0 or not call.arguments["train"]


SOMETIMES_SAME: dict[str, Callable[[Calls, Call], bool]] = {
    "aten.slice.Tensor": _whole_slice,
    "aten.dropout.default": _no_dropout,
    "aten.dropout_.default": _no_dropout,
    "aten.feature_dropout.default": _no_dropout,
    # counted with the batch norm that follows
    "aten.add_.Tensor": lambda calls, call: (
        isinstance(call.arguments["self"], Value)
        and call.arguments["self"].name in calls.parameters
        and calls.parameters[call.arguments["self"].name].name.endswith("num_batches_tracked")
    ),
}


# ---- families ----


def _activation(kind: str, *, in_place: bool = False) -> Layer:
    def make(calls: Calls, call: Call) -> Tensor | None:
        x = calls.tensor(call.arguments.get("self", call.arguments.get("input")))
        return calls.network.activation(x, name=call.name, kind=kind, in_place=in_place)

    return make


def _gelu(calls: Calls, call: Call) -> Tensor | None:
    kind = "gelu_tanh" if call.arguments.get("approximate", "none") == "tanh" else "gelu"
    return _activation(kind)(calls, call)


def _prelu(calls: Calls, call: Call) -> Tensor | None:
    weight = call.arguments["weight"]
    if not calls.is_parameter(weight):
        return None
    calls.use(weight=weight)
    one = calls.fake(weight).numel() == 1
    x = calls.tensor(call.arguments["self"])
    return calls.network.activation(x, name=call.name, kind="prelu", single_parameter=one)


def _several(value: Any, count: int, otherwise: int) -> list[int]:
    """One number per spatial dimension."""
    numbers = [value] if isinstance(value, int) else list(value or [otherwise])
    return numbers * count if len(numbers) == 1 else numbers


def _conv(transposed: bool) -> Layer:
    def make(calls: Calls, call: Call) -> Tensor | None:
        a = call.arguments
        weight, bias = a["weight"], a.get("bias")
        if not calls.is_parameter(weight, bias):
            return None
        shape = calls.fake(weight).shape
        count = len(shape) - 2
        groups = a.get("groups", 1)
        padding = a.get("padding", 0)
        options: dict[str, Any] = {
            "name": call.name,
            "filters": shape[1] * groups if transposed else shape[0],
            "kernel": list(shape[2:]),
            "stride": _several(a.get("stride", 1), count, 1),
            "dilation": _several(a.get("dilation", 1), count, 1),
            "groups": groups,
            "no_bias": bias is None,
        }
        if isinstance(padding, str):
            options["auto_pad"] = padding
        else:
            options["padding"] = _several(padding, count, 0)
        calls.use(weight=weight, bias=bias)
        x = calls.tensor(a["input"])
        if transposed:
            options["output_padding"] = _several(a.get("output_padding", 0), count, 0)
            return calls.network.conv_transpose(x, **options)
        return calls.network.conv(x, **options)

    return make


def _linear(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    if not calls.is_parameter(a["weight"], a.get("bias")):
        return None
    calls.use(weight=a["weight"], bias=a.get("bias"))
    units = calls.fake(a["weight"]).shape[0]
    return calls.network.linear(calls.tensor(a["input"]), name=call.name, units=units, no_bias=a.get("bias") is None)


def _layer_norm(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    weight, bias = a.get("weight"), a.get("bias")
    if not calls.is_parameter(weight, bias) or (weight is None and bias is not None):
        return None
    calls.use(weight=weight, bias=bias)
    return calls.network.layer_norm(
        calls.tensor(a["input"]), name=call.name, axis_count=len(a["normalized_shape"]), no_affine=weight is None,
        no_bias=bias is None and weight is not None,
    )  # fmt: skip


def _rms_norm(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    if not calls.is_parameter(a.get("weight")):
        return None
    calls.use(weight=a.get("weight"))
    axis_count, no_affine = len(a["normalized_shape"]), a.get("weight") is None
    return calls.network.rms_norm(
        calls.tensor(a["input"]), name=call.name, axis_count=axis_count, no_affine=no_affine
    )


def _group_norm(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    weight, bias = a.get("weight"), a.get("bias")
    if not calls.is_parameter(weight, bias) or (weight is None) != (bias is None):
        return None
    calls.use(weight=weight, bias=bias)
    return calls.network.group_norm(
        calls.tensor(a["input"]), name=call.name, groups=a["num_groups"], no_affine=weight is None
    )


def _batch_norm(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    weight, bias, mean, variance = (a.get(name) for name in ("weight", "bias", "running_mean", "running_var"))
    fits = (weight is None) == (bias is None) and (bool(a["training"]) == calls.training or mean is None)
    if not fits or not calls.is_parameter(weight, bias, mean, variance):
        return None
    calls.use(weight=weight, bias=bias, running_mean=mean, running_var=variance)
    return calls.network.batch_norm(
        calls.tensor(a["input"]), name=call.name, no_affine=weight is None, no_running_stats=mean is None
    )


def _instance_norm(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    weight, bias = a.get("weight"), a.get("bias")
    if (weight is None) != (bias is None) or a.get("running_mean") is not None or not calls.is_parameter(weight, bias):
        return None
    calls.use(weight=weight, bias=bias)
    return calls.network.instance_norm(calls.tensor(a["input"]), name=call.name, affine=weight is not None)


def _embedding(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    if not calls.is_parameter(a["weight"]) or a.get("sparse") or a.get("scale_grad_by_freq"):
        return None
    table = calls.fake(a["weight"])
    calls.use(weight=a["weight"])
    return calls.network.embedding(
        calls.tensor(a["indices"]), name=call.name, num_embeddings=table.shape[0], embedding_dim=table.shape[1],
        dtype=dtype_of(table),
    )  # fmt: skip


def _softmax(logarithmic: bool) -> Layer:
    def make(calls: Calls, call: Call) -> Tensor | None:
        x = calls.fake(call.arguments["self"])
        if call.arguments.get("dtype") not in (None, x.dtype) or x.dim() == 0:
            return None
        axis = call.arguments["dim"] % x.dim()
        return calls.network.softmax(
            calls.tensor(call.arguments["self"]), name=call.name, axis=axis - x.dim(), logarithmic=logarithmic
        )

    return make


def _dropout(*, channelwise: bool = False, in_place: bool = False) -> Layer:
    def make(calls: Calls, call: Call) -> Tensor | None:
        a = call.arguments
        if a["p"] >= 1:
            return None
        x = calls.tensor(a.get("input", a.get("self")))
        return calls.network.dropout(x, name=call.name, rate=a["p"], channelwise=channelwise, in_place=in_place)

    return make


def _pool(kind: str, count: int) -> Layer:
    def make(calls: Calls, call: Call) -> Tensor | None:
        a = call.arguments
        if calls.fake(a["self"]).dim() != count + 2:
            return None
        kernel = _several(a["kernel_size"], count, 1)
        return calls.network.pool(
            calls.tensor(a["self"]), name=call.name, kind=kind, kernel=kernel,
            stride=_several(a["stride"], count, 1) if a.get("stride") else kernel,
            padding=_several(a.get("padding", 0), count, 0), dilation=_several(a.get("dilation", 1), count, 1),
            ceil_mode=bool(a.get("ceil_mode", False)),
        )  # fmt: skip

    return make


def _adaptive_pool(kind: str, count: int) -> Layer:
    def make(calls: Calls, call: Call) -> Tensor | None:
        a = call.arguments
        if calls.fake(a["self"]).dim() != count + 2:
            return None
        size = _several(a["output_size"], count, 1)
        return calls.network.adaptive_pool(calls.tensor(a["self"]), name=call.name, kind=kind, output_size=size)

    return make


def _upsample(kind: str) -> Layer:
    def make(calls: Calls, call: Call) -> Tensor | None:
        a = call.arguments
        x = calls.fake(a["input"] if "input" in a else a["self"])
        scales = a.get("scale_factors") or []
        options: dict[str, Any] = {"name": call.name, "kind": kind}
        if scales and all(float(scale).is_integer() for scale in scales):
            options["scale"] = [int(scale) for scale in scales]
        else:
            options["output_size"] = calls.sizes(call.results[0].shape[2:])
        if any(not isinstance(size, int) for size in options.get("output_size", ())) or x.dim() < 3:
            return None
        return calls.network.upsample(calls.tensor(a.get("input", a.get("self"))), **options)

    return make


def _pad(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    pads, rank = a["pad"], calls.fake(a["self"]).dim()
    if any(not isinstance(pad, int) or pad < 0 for pad in pads) or not any(pads):
        return None
    before, after = [0] * rank, [0] * rank
    for index in range(len(pads) // 2):
        before[rank - 1 - index], after[rank - 1 - index] = pads[2 * index], pads[2 * index + 1]
    return calls.network.pad(
        calls.tensor(a["self"]), name=call.name, before=before, after=after, kind=a.get("mode", "constant")
    )


def _concat(calls: Calls, call: Call) -> Tensor | None:
    """One-dimensional tensors without elements, which have a say in the type only, are for the rule by name."""
    parts = call.arguments["tensors"]
    tensors = [calls.tensor(part) for part in parts if tuple(calls.fake(part).shape) != (0,)]
    if len(tensors) < len(parts) or len({calls.fake(value).dtype for value in parts}) > 1:
        return None
    return calls.network.concat(tensors, name=call.name, axis=call.arguments.get("dim", 0))


def _split(calls: Calls, call: Call) -> Tensor | None:
    axis = call.arguments.get("dim", 0)
    sizes = [calls.size(part.shape[axis]) for part in call.results]
    return calls.network.split(calls.tensor(call.arguments["self"]), name=call.name, sizes=sizes, axis=axis)


def _slice(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    axis, size = a.get("dim", 0), calls.fake(a["self"]).shape[a.get("dim", 0)]
    start, end = (a.get(name, otherwise) for name, otherwise in (("start", 0), ("end", WHOLE)))
    if not all(isinstance(number, (int, type(None))) for number in (start, end, size)):
        return None
    first, last, step = slice(start, end, a.get("step", 1)).indices(size)
    if last <= first:
        return None
    return calls.network.slice(calls.tensor(a["self"]), name=call.name, axis=axis, start=first, stop=last, step=step)


def _select(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    size, index = calls.fake(a["self"]).shape[a["dim"]], a["index"]
    if not isinstance(size, int) or not isinstance(index, int):
        return None
    return calls.network.slice(calls.tensor(a["self"]), name=call.name, axis=a["dim"], start=index % size, squeeze=True)


def _reshape(calls: Calls, call: Call) -> Tensor | None:
    x = calls.tensor(call.arguments["self"])
    return calls.network.reshape(x, calls.sizes(call.results[0].shape))


def _expand(calls: Calls, call: Call) -> Tensor | None:
    x = calls.tensor(call.arguments["self"])
    return calls.network.expand(x, calls.sizes(call.results[0].shape))


def _permute(calls: Calls, call: Call) -> Tensor | None:
    return calls.network.permute(calls.tensor(call.arguments["self"]), call.arguments["dims"])


def _transpose(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    rank = calls.fake(a["self"]).dim()
    first, second = a.get("dim0", 0), a.get("dim1", 1)
    axes = list(range(rank))
    if rank > 1:
        axes[first], axes[second] = axes[second], axes[first]
    return calls.network.permute(calls.tensor(a["self"]), axes)


def _binary(kind: str) -> Layer:
    def make(calls: Calls, call: Call) -> Tensor | None:
        a, b = call.arguments["self"], call.arguments["other"]
        if not isinstance(b, Value) or call.arguments.get("alpha", 1) != 1 or "rounding_mode" in call.arguments:
            return None
        if calls.fake(a).dtype != calls.fake(b).dtype or not calls.fake(a).is_floating_point():
            return None
        return calls.network.binary(calls.tensor(a), calls.tensor(b), name=call.name, kind=kind)

    return make


def _matmul(calls: Calls, call: Call) -> Tensor | None:
    a, b = call.arguments["self"], call.arguments["other"]
    if min(calls.fake(a).dim(), calls.fake(b).dim()) < 2 or calls.fake(a).dtype != calls.fake(b).dtype:
        return None
    return calls.network.matmul(calls.tensor(a), calls.tensor(b), name=call.name)


def _reduce(kind: str) -> Layer:
    def make(calls: Calls, call: Call) -> Tensor | None:
        a = call.arguments
        x = calls.fake(a["self"])
        if not x.is_floating_point() or a.get("dtype") not in (None, x.dtype) or x.dim() == 0:
            return None
        axes: int | list[int] = [] if a.get("dim") is None else a["dim"]
        return calls.network.reduce(
            calls.tensor(a["self"]), name=call.name, kind=kind, axes=[axes] if isinstance(axes, int) else axes,
            keep_dims=bool(a.get("keepdim", False)),
        )  # fmt: skip

    return make


def _attention(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    if any(calls.fake(a[name]).dim() != 4 for name in ("query", "key", "value")):
        return None
    return calls.network.attention(
        calls.tensor(a["query"]),
        calls.tensor(a["key"]),
        calls.tensor(a["value"]),
        calls.optional(a.get("attn_mask")),
        name=call.name,
        dropout=a.get("dropout_p", 0.0),
        causal=bool(a.get("is_causal", False)),
        grouped_query=bool(a.get("enable_gqa", False)),
    )


LOSSES = {
    "aten.cross_entropy_loss.default": "cross_entropy",
    "aten.mse_loss.default": "mean_squared_error",
    "aten.l1_loss.default": "mean_absolute_error",
    "aten.smooth_l1_loss.default": "smooth_l1",
    "aten.binary_cross_entropy.default": "binary_cross_entropy",
    "aten.binary_cross_entropy_with_logits.default": "binary_cross_entropy_with_logits",
    "aten.nll_loss_nd.default": "negative_log_likelihood",
}
REDUCTIONS = ("none", "mean", "sum")


def _loss(calls: Calls, call: Call) -> Tensor | None:
    a = call.arguments
    if a.get("weight") is not None or a.get("pos_weight") is not None or a.get("label_smoothing", 0.0):
        return None
    classes = LOSSES[call.target] in ("cross_entropy", "negative_log_likelihood")
    if classes and calls.fake(a["target"]).is_floating_point():
        return None
    return calls.network.loss(
        calls.tensor(a["self"]), calls.tensor(a["target"]), name=call.name, kind=LOSSES[call.target],
        reduction=REDUCTIONS[a.get("reduction", 1)],
    )  # fmt: skip


POINTWISE = {
    "relu": "relu", "leaky_relu": "leaky_relu", "elu": "elu", "selu": "selu", "silu": "silu", "sigmoid": "sigmoid",
    "tanh": "tanh", "hardswish": "hardswish", "hardsigmoid": "hardsigmoid", "hardtanh": "relu6", "relu6": "relu6",
    "softplus": "softplus", "mish": "mish", "exp": "exp", "log": "log", "sqrt": "sqrt", "square": "square",
    "abs": "abs", "neg": "negate",
}  # fmt: skip

VIEWS = ("view", "reshape", "_unsafe_view", "unsqueeze")
BINARIES = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide"}

FAMILIES: dict[str, Layer] = {
    **{f"aten.{name}.default": _activation(kind) for name, kind in POINTWISE.items()},
    **{f"aten.{name}_.default": _activation(kind, in_place=True) for name, kind in POINTWISE.items()},
    "aten.gelu.default": _gelu,
    "aten.prelu.default": _prelu,
    **{f"aten.conv{d}d.{form}": _conv(False) for d in (1, 2, 3) for form in ("default", "padding")},
    "aten.conv_transpose1d.default": _conv(True),
    "aten.conv_transpose2d.input": _conv(True),
    "aten.conv_transpose3d.input": _conv(True),
    "aten.linear.default": _linear,
    "aten.layer_norm.default": _layer_norm,
    "aten.rms_norm.default": _rms_norm,
    "aten.group_norm.default": _group_norm,
    "aten.batch_norm.default": _batch_norm,
    "aten.instance_norm.default": _instance_norm,
    "aten.embedding.default": _embedding,
    "aten.softmax.int": _softmax(False),
    "aten.log_softmax.int": _softmax(True),
    "aten.dropout.default": _dropout(),
    "aten.dropout_.default": _dropout(in_place=True),
    "aten.feature_dropout.default": _dropout(channelwise=True),
    **{f"aten.max_pool{d}d.default": _pool("max", d) for d in (1, 2, 3)},
    **{f"aten.avg_pool{d}d.default": _pool("average", d) for d in (1, 2, 3)},
    **{f"aten.adaptive_avg_pool{d}d.default": _adaptive_pool("average", d) for d in (1, 2, 3)},
    **{f"aten.upsample_nearest{d}d.{form}": _upsample("nearest") for d in (1, 2, 3) for form in ("vec", "default")},
    **{
        f"aten.upsample_{mode}.{form}": _upsample("linear")
        for mode in ("linear1d", "bilinear2d", "trilinear3d")
        for form in ("vec", "default")
    },
    **{f"aten.upsample_bicubic2d.{form}": _upsample("cubic") for form in ("vec", "default")},
    "aten.pad.default": _pad,
    "aten.constant_pad_nd.default": _pad,
    "aten.cat.default": _concat,
    "aten.split.Tensor": _split,
    "aten.split_with_sizes.default": _split,
    "aten.chunk.default": _split,
    "aten.slice.Tensor": _slice,
    "aten.select.int": _select,
    **{f"aten.{name}.default": _reshape for name in VIEWS},
    "aten.flatten.using_ints": _reshape,
    "aten.unflatten.int": _reshape,
    **{f"aten.squeeze.{form}": _reshape for form in ("default", "dim", "dims")},
    "aten.expand.default": _expand,
    "aten.expand_as.default": _expand,
    "aten.permute.default": _permute,
    "aten.transpose.int": _transpose,
    "aten.swapaxes.default": _transpose,
    "aten.t.default": _transpose,
    **{f"aten.{name}.Tensor": _binary(kind) for name, kind in BINARIES.items()},
    "aten.maximum.default": _binary("maximum"),
    "aten.minimum.default": _binary("minimum"),
    "aten.matmul.default": _matmul,
    "aten.mean.default": _reduce("mean"),
    "aten.mean.dim": _reduce("mean"),
    "aten.sum.default": _reduce("sum"),
    "aten.sum.dim_IntList": _reduce("sum"),
    "aten.amax.default": _reduce("max"),
    "aten.scaled_dot_product_attention.default": _attention,
    **dict.fromkeys(LOSSES, _loss),
}  # fmt: skip
