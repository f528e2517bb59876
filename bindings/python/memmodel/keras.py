"""Keras models as networks, and how much memory their training takes on TensorFlow's CPU back end.

>>> import memmodel.keras
>>> report = memmodel.keras.estimate(model, batch_size=32)
>>> report.peak.process

The model is read, never run: its layers' configurations and symbolic shapes are all that is needed.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import keras

from memmodel import _ffi, estimation
from memmodel.network import Network
from memmodel.report import Report
from memmodel.tensor import Size, Tensor

ACTIVATIONS = {
    "elu": "elu",
    "exponential": "exp",
    "gelu": "gelu",
    "hard_sigmoid": "hardsigmoid",
    "hard_silu": "hardswish",
    "hard_swish": "hardswish",
    "leaky_relu": "leaky_relu",
    "mish": "mish",
    "relu": "relu",
    "relu6": "relu6",
    "selu": "selu",
    "sigmoid": "sigmoid",
    "silu": "silu",
    "softplus": "softplus",
    "swish": "silu",
    "tanh": "tanh",
}
"""Keras' names of activations that the library has, with its own."""

LOSSES = {
    "binary_crossentropy": "binary_cross_entropy",
    "categorical_crossentropy": "cross_entropy",
    "mean_absolute_error": "mean_absolute_error",
    "mae": "mean_absolute_error",
    "mean_squared_error": "mean_squared_error",
    "mse": "mean_squared_error",
    "sparse_categorical_crossentropy": "cross_entropy",
}


class _Builder:
    """A model on its way into a network: its tensors by their identity."""

    def __init__(self) -> None:
        self.network = Network(layout="channels_last")
        self.batch = self.network.symbol("batch")
        self.tensors: dict[int, Tensor] = {}

    def sizes(self, shape: Sequence[int | None], name: str) -> list[Size]:
        """A shape of Keras: the first unknown dimension is the batch, another a symbol with the layer's name."""
        sizes: list[Size] = []
        for axis, size in enumerate(shape):
            if size is not None:
                sizes.append(size)
            else:
                sizes.append(self.batch if axis == 0 else self.network.symbol(f"{name}_{axis}"))
        return sizes

    def inner(self, tensor: Tensor) -> list[Size]:
        return list(tensor.shape)


Converter = Callable[[_Builder, Any, list[Tensor]], Tensor]


# ---- activations ----


def _activation_name(activation: Any) -> str:
    if activation is None:
        return "linear"
    if isinstance(activation, str):
        return activation
    return str(getattr(activation, "__name__", type(activation).__name__))


def _activated(build: _Builder, x: Tensor, activation: Any, name: str) -> Tensor:
    """An activation that no option of the layer before it says."""
    kind = _activation_name(activation)
    if kind == "linear":
        return x
    if kind == "softmax":
        return build.network.softmax(x, name=name)
    if kind in ACTIVATIONS:
        return build.network.activation(x, kind=ACTIVATIONS[kind], name=name)
    return build.network.custom([x], [build.inner(x)], name=name, operation=f"keras.activations.{kind}")


def _fused(activation: Any) -> str:
    """The library's name of an activation that a layer counts with itself, or "none"."""
    return ACTIVATIONS.get(_activation_name(activation), "none")


def _remaining_activation(build: _Builder, x: Tensor, layer: Any) -> Tensor:
    """What is left of a layer's activation where it was not fused."""
    if _fused(layer.activation) != "none":
        return x
    return _activated(build, x, layer.activation, f"{layer.name}.activation")


# ---- layers ----


def _input(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    dtype = {"float32": "float32", "int32": "int32", "int64": "int64"}.get(str(layer.dtype), "float32")
    return build.network.input(layer.name, build.sizes(layer.batch_shape, layer.name), dtype)


def _padded(build: _Builder, x: Tensor, layer: Any) -> tuple[Tensor, str]:
    """The padding of a convolution; a causal one is a layer of its own."""
    if layer.padding != "causal":
        return x, layer.padding
    reach = (layer.kernel_size[0] - 1) * layer.dilation_rate[0]
    return build.network.pad(x, before=(0, reach, 0), after=(0, 0, 0), name=f"{layer.name}.padding"), "valid"


def _convolution(build: _Builder, layer: Any, inputs: list[Tensor], *, depthwise: bool = False) -> Tensor:
    x, padding = _padded(build, inputs[0], layer)
    channels = inputs[0].shape[-1]
    assert isinstance(channels, int)
    x = build.network.conv(
        x,
        filters=channels * layer.depth_multiplier if depthwise else layer.filters,
        kernel=layer.kernel_size,
        stride=layer.strides,
        dilation=layer.dilation_rate,
        groups=channels if depthwise else getattr(layer, "groups", 1),
        auto_pad=padding,
        no_bias=not layer.use_bias,
        activation=_fused(layer.activation),
        name=layer.name,
    )
    return _remaining_activation(build, x, layer)


def _depthwise(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return _convolution(build, layer, inputs, depthwise=True)


def _separable(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    channels = inputs[0].shape[-1]
    assert isinstance(channels, int)
    width = channels * layer.depth_multiplier
    x = build.network.conv(
        inputs[0], filters=width, kernel=layer.kernel_size, stride=layer.strides, groups=channels,
        dilation=layer.dilation_rate, auto_pad=layer.padding, no_bias=True, name=f"{layer.name}.depthwise",
    )  # fmt: skip
    x = build.network.conv(
        x, filters=layer.filters, kernel=1, no_bias=not layer.use_bias, activation=_fused(layer.activation),
        name=layer.name,
    )  # fmt: skip
    return _remaining_activation(build, x, layer)


def _transposed(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    x = build.network.conv_transpose(
        inputs[0],
        filters=layer.filters,
        kernel=layer.kernel_size,
        stride=layer.strides,
        auto_pad=layer.padding,
        no_bias=not layer.use_bias,
        activation=_fused(layer.activation),
        name=layer.name,
    )
    return _remaining_activation(build, x, layer)


def _dense(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    x = build.network.linear(
        inputs[0], units=layer.units, no_bias=not layer.use_bias, activation=_fused(layer.activation), name=layer.name
    )
    return _remaining_activation(build, x, layer)


def _pool(build: _Builder, layer: Any, inputs: list[Tensor], *, kind: str) -> Tensor:
    return build.network.pool(
        inputs[0], kernel=layer.pool_size, stride=layer.strides, auto_pad=layer.padding, kind=kind, name=layer.name
    )


def _max_pool(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return _pool(build, layer, inputs, kind="max")


def _mean_pool(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return _pool(build, layer, inputs, kind="average")


def _global_pool(build: _Builder, layer: Any, inputs: list[Tensor], *, kind: str) -> Tensor:
    return build.network.global_pool(inputs[0], kind=kind, keep_dims=layer.keepdims, name=layer.name)


def _global_max(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return _global_pool(build, layer, inputs, kind="max")


def _global_mean(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return _global_pool(build, layer, inputs, kind="average")


def _batch_norm(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return build.network.batch_norm(inputs[0], no_affine=not (layer.scale or layer.center), name=layer.name)


def _layer_norm(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return build.network.layer_norm(inputs[0], no_bias=not layer.center, name=layer.name)


def _activation(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return _activated(build, inputs[0], layer.activation, layer.name)


def _relu(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    leaky = getattr(layer, "negative_slope", 0)
    kind = "leaky_relu" if leaky else "relu6" if layer.max_value == 6 else "relu"
    return build.network.activation(inputs[0], kind=kind, name=layer.name)


def _named_activation(kind: str) -> Converter:
    return lambda build, layer, inputs: build.network.activation(inputs[0], kind=kind, name=layer.name)


def _softmax(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return build.network.softmax(inputs[0], name=layer.name)


def _dropout(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return build.network.dropout(inputs[0], rate=layer.rate, identity=layer.rate == 0, name=layer.name)


def _upsampling(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    size = layer.size if isinstance(layer.size, (tuple, list)) else (layer.size,)
    kind = "nearest" if getattr(layer, "interpolation", "nearest") == "nearest" else "linear"
    return build.network.upsample(inputs[0], scale=size, kind=kind, name=layer.name)


def _zero_padding(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    pairs = layer.padding if isinstance(layer.padding[0], (tuple, list)) else (layer.padding,)
    before, after = zip(*pairs, strict=True)
    return build.network.pad(inputs[0], before=(0, *before, 0), after=(0, *after, 0), name=layer.name)


def _concatenate(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return build.network.concat(inputs, axis=layer.axis, name=layer.name)


def _merged(kind: str) -> Converter:
    def convert(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
        x = inputs[0]
        for index, other in enumerate(inputs[1:]):
            last = index == len(inputs) - 2
            x = build.network.binary(x, other, kind=kind, name=layer.name if last else f"{layer.name}.{index}")
        return x

    return convert


def _flatten(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return build.network.flatten(inputs[0], 1, -1)


def _reshape(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return build.network.reshape(inputs[0], [build.batch, *layer.target_shape])


def _permute(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return build.network.permute(inputs[0], [0, *layer.dims])


def _embedding(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return build.network.embedding(
        inputs[0], num_embeddings=layer.input_dim, embedding_dim=layer.output_dim, name=layer.name
    )


def _recurrent(kind: str) -> Converter:
    def convert(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
        if layer.return_state:
            return _unknown(build, layer, inputs)
        x = build.network.recurrent(
            inputs[0], hidden_size=layer.units, kind=kind, batch_first=True, no_bias=not layer.use_bias,
            name=layer.name,
        )  # fmt: skip
        if layer.return_sequences:
            return x
        return build.network.reshape(build.network.layer_output(x, 1), [build.batch, layer.units])

    return convert


def _reversed(build: _Builder, x: Tensor) -> Tensor:
    """A copy in the other order of time: for memory any copy will do."""
    return build.network.permute(x, range(len(x.shape)))


def _bidirectional(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    inner = layer.forward_layer
    kind = {"LSTM": "lstm", "GRU": "gru", "SimpleRNN": "rnn_tanh"}.get(type(inner).__name__)
    if kind is None or layer.merge_mode != "concat" or inner.return_state:
        return _unknown(build, layer, inputs)
    forward = _recurrent(kind)(build, inner, inputs)
    backward = _recurrent(kind)(build, layer.backward_layer, [_reversed(build, inputs[0])])
    if inner.return_sequences:
        backward = _reversed(build, backward)
    return build.network.concat([forward, backward], axis=-1, name=layer.name)


# ---- attention: Keras' EinsumDense projects with weights that are broadcast over the batch ----


def _projected(build: _Builder, x: Tensor, width: int, use_bias: bool, name: str) -> Tensor:
    features = x.shape[-1]
    weight = build.network.parameter(f"{name}.kernel", (features, width))
    y = build.network.matmul(x, weight, name=name)
    if use_bias:
        y = build.network.binary(y, build.network.parameter(f"{name}.bias", (width,)), name=f"{name}.add")
    return y


def _heads(build: _Builder, x: Tensor, heads: int, width: int) -> Tensor:
    batch, length, _ = x.shape
    return build.network.permute(build.network.reshape(x, [batch, length, heads, width]), [0, 2, 1, 3])


def _attention(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    query, value = inputs[0], inputs[1]
    key = inputs[2] if len(inputs) > 2 else value
    heads, width, value_width = layer._num_heads, layer._key_dim, layer._value_dim or layer._key_dim
    batch, length, features = query.shape
    assert isinstance(features, int)
    with build.network.scope(layer.name):
        q = _heads(build, _projected(build, query, heads * width, layer._use_bias, "query"), heads, width)
        k = _heads(build, _projected(build, key, heads * width, layer._use_bias, "key"), heads, width)
        v = _heads(build, _projected(build, value, heads * value_width, layer._use_bias, "value"), heads, value_width)
        y = build.network.permute(build.network.attention(q, k, v, name="attention"), [0, 2, 1, 3])
        y = build.network.reshape(y, [batch, length, heads * value_width])
        return _projected(build, y, features, layer._use_bias, "output")


def _unknown(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    """A layer without a rule: its outputs and parameters, and its name among what is not modelled."""
    outputs = layer.output if isinstance(layer.output, (tuple, list)) else [layer.output]
    return build.network.custom(
        inputs,
        [build.sizes(output.shape, layer.name) for output in outputs],
        parameter_count=sum(math.prod(weight.shape) for weight in layer.trainable_weights),
        operation=f"keras.{type(layer).__name__}",
        name=layer.name,
    )


def _identity(build: _Builder, layer: Any, inputs: list[Tensor]) -> Tensor:
    return inputs[0]


CONVERTERS: dict[str, Converter] = {
    "Activation": _activation,
    "Add": _merged("add"),
    "AveragePooling1D": _mean_pool,
    "AveragePooling2D": _mean_pool,
    "AveragePooling3D": _mean_pool,
    "BatchNormalization": _batch_norm,
    "Bidirectional": _bidirectional,
    "Concatenate": _concatenate,
    "Conv1D": _convolution,
    "Conv1DTranspose": _transposed,
    "Conv2D": _convolution,
    "Conv2DTranspose": _transposed,
    "Conv3D": _convolution,
    "Conv3DTranspose": _transposed,
    "Dense": _dense,
    "DepthwiseConv1D": _depthwise,
    "DepthwiseConv2D": _depthwise,
    "Dropout": _dropout,
    "ELU": _named_activation("elu"),
    "Embedding": _embedding,
    "Flatten": _flatten,
    "GRU": _recurrent("gru"),
    "GlobalAveragePooling1D": _global_mean,
    "GlobalAveragePooling2D": _global_mean,
    "GlobalAveragePooling3D": _global_mean,
    "GlobalMaxPooling1D": _global_max,
    "GlobalMaxPooling2D": _global_max,
    "GlobalMaxPooling3D": _global_max,
    "Identity": _identity,
    "InputLayer": _input,
    "LSTM": _recurrent("lstm"),
    "LayerNormalization": _layer_norm,
    "LeakyReLU": _named_activation("leaky_relu"),
    "MaxPooling1D": _max_pool,
    "MaxPooling2D": _max_pool,
    "MaxPooling3D": _max_pool,
    "Maximum": _merged("maximum"),
    "Minimum": _merged("minimum"),
    "MultiHeadAttention": _attention,
    "Multiply": _merged("multiply"),
    "Permute": _permute,
    "ReLU": _relu,
    "Reshape": _reshape,
    "SeparableConv1D": _separable,
    "SeparableConv2D": _separable,
    "SimpleRNN": _recurrent("rnn_tanh"),
    "Softmax": _softmax,
    "Subtract": _merged("subtract"),
    "UpSampling1D": _upsampling,
    "UpSampling2D": _upsampling,
    "UpSampling3D": _upsampling,
    "ZeroPadding1D": _zero_padding,
    "ZeroPadding2D": _zero_padding,
    "ZeroPadding3D": _zero_padding,
}
"""How a layer of a class becomes builder calls; any other is estimated by its outputs."""


# ---- the graph of layers ----


def _nodes(model: Any) -> list[Any]:
    """The calls of layers that make up a functional model, in an order in which inputs come first."""
    nodes_by_depth: Mapping[int, list[Any]] = model._nodes_by_depth
    return [node for depth in sorted(nodes_by_depth, reverse=True) for node in nodes_by_depth[depth]]


def _call_layer(build: _Builder, layer: Any, inputs: list[Tensor]) -> list[Tensor]:
    if isinstance(layer, keras.Model) and hasattr(_functional(layer), "_nodes_by_depth"):
        return _call_model(build, _functional(layer), inputs)
    converter = CONVERTERS.get(type(layer).__name__, _unknown)
    return [converter(build, layer, inputs)]


def _call_model(build: _Builder, model: Any, inputs: list[Tensor] | None) -> list[Tensor]:
    """A model's layers; without `inputs` its own input layers make them."""
    if inputs is not None:
        for own, tensor in zip(model.inputs, inputs, strict=True):
            build.tensors[id(own)] = tensor
    for node in _nodes(model):
        if all(id(output) in build.tensors for output in node.outputs):
            continue
        given = [build.tensors[id(tensor)] for tensor in node.arguments.keras_tensors]
        for output, tensor in zip(node.outputs, _call_layer(build, node.operation, given), strict=False):
            build.tensors[id(output)] = tensor
    return [build.tensors[id(output)] for output in model.outputs]


def _functional(model: Any) -> Any:
    """The graph of a model: a sequential one keeps it apart."""
    return getattr(model, "_functional", None) or model


# ---- loss and optimizer ----


def _loss_name(loss: Any) -> str | None:
    if loss is None or isinstance(loss, str):
        return loss
    return str(getattr(loss, "name", None) or getattr(loss, "__name__", ""))


def _add_loss(build: _Builder, output: Tensor, loss: Any) -> None:
    kind = LOSSES.get(_loss_name(loss) or "")
    if kind is None:
        build.network.mark_output(output)
        return
    sparse = _loss_name(loss) == "sparse_categorical_crossentropy"
    shape, dtype = (output.shape[:-1], "int32") if sparse else (output.shape, "float32")
    target = build.network.input("target", shape, dtype)
    if kind == "cross_entropy" and len(output.shape) > 2:  # each place of a sequence or an image is a sample
        output, target = build.network.flatten(output, 0, -2), build.network.flatten(target, 0, -1 if sparse else -2)
    build.network.loss(output, target, kind=kind, name="loss")


def from_model(model: Any, *, loss: Any = None) -> Network:
    """The network of a functional or sequential Keras model, with the loss that it was compiled with, or `loss`.

    The batch is the symbol "batch"; layers keep their names. A layer without a rule is declared by its outputs, and a
    report names it in `unmodelled`.
    """
    graph = _functional(model)
    if not hasattr(graph, "_nodes_by_depth"):
        raise TypeError("model: a functional Keras model, or a sequential one that is built, is needed")
    build = _Builder()
    outputs = _call_model(build, graph, None)
    loss = loss if loss is not None else getattr(model, "loss", None)
    for output in outputs:
        _add_loss(build, output, loss if len(outputs) == 1 else None)
    return build.network


def optimizer_name(optimizer: Any) -> str:
    """The library's name of a Keras optimizer."""
    if isinstance(optimizer, str):
        return optimizer.lower()
    name = type(optimizer).__name__.lower()
    return "sgd(momentum)" if name == "sgd" and getattr(optimizer, "momentum", None) else name


def estimate(
    model: Any,
    batch_size: int,
    *,
    loss: Any = None,
    optimizer: Any = None,
    base_bytes: int | None = None,
    steps: int | None = None,
    isa: str | None = None,
    intra_op_threads: int | None = None,
    mode: str | int | _ffi.Mode = "training",
    budget: int | str | None = None,
    metric: str | int | _ffi.Metric = "default",
    **sizes: int,
) -> Report:
    """Memory of `model.fit` on one batch of arrays that are held in memory, on TensorFlow's CPU back end.

    loss, optimizer: those that the model was compiled with unless given; Adam without either. base_bytes: of the
    process just before fit, with the model compiled and the arrays made, where they are known. isa: "avx2", "avx512" or
    "amx"; this machine's unless given. mode, intra_op_threads, budget, metric: as memmodel.estimate() takes
    them. `report.peak.process` is the high-water mark of the process.

    >>> memmodel.keras.estimate(model, 32, base_bytes=memmodel.keras.calibrate(model, 32)).peak.process
    """
    network = from_model(model, loss=loss)
    optimizer = optimizer or getattr(model, "optimizer", None) or "adam"
    job = estimation._job(
        None,
        {"batch": batch_size, **sizes},
        framework="tensorflow",
        optimizer=optimizer_name(optimizer),
        base_bytes=base_bytes,
        steps=steps,
        isa=isa or "native",
        intra_op_threads=intra_op_threads,
        mode=mode,
        budget=budget,
        metric=metric,
    )
    return estimation._report(network, job)


# ---- what a process holds before fit ----


def _array_bytes(model: Any, batch_size: int, sizes: Mapping[str, int]) -> list[int]:
    """Of each array that fit is given, which the simulation counts before the first step."""
    symbols = {"batch": batch_size, **sizes}
    trace = estimation.estimate(from_model(model), framework="tensorflow", isa="native", symbols=symbols).trace
    assert trace is not None
    return [event.bytes for event in trace if event.category == "inputs" and event.step == 0]


def _fresh_process(job: Mapping[str, Any], timeout: float) -> int:
    """Bytes that a new interpreter of this environment holds when it has made the job's arrays and model."""
    program = Path(__file__).with_name("_keras_base.py").read_text(encoding="ascii")
    environment = {**os.environ, "KERAS_BACKEND": "tensorflow", "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "2"}
    run = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(job), capture_output=True, text=True, env=environment, timeout=timeout, check=False,
    )  # fmt: skip
    if run.returncode:
        reason = run.stderr.strip().splitlines()[-1:] or [f"it ended with status {run.returncode}"]
        raise RuntimeError(f"a fresh process cannot make this model and its arrays: {reason[0]}")
    return int(run.stdout.split()[-1])


def calibrate(model: Any, batch_size: int, *, imports: Sequence[str] = (), timeout: float = 300, **sizes: int) -> int:
    """Bytes that a process of this environment holds just before `model.fit`: `base_bytes` for estimate().

    A fresh interpreter imports Keras on TensorFlow, makes arrays as large as one batch's, makes the model anew from
    its configuration, compiled if it is, and says what is resident then, some seconds later; nothing is trained. The
    bytes depend on the machine, the versions, the model and the arrays, little on the rest: once for each of these.

    imports: modules that the training imports besides Keras and numpy; those of a model's own layers and losses must be
    among them, and register them with `keras.saving.register_keras_serializable`. sizes: as in estimate().

    >>> memmodel.keras.calibrate(model, 32, imports=["pandas"])
    569417728

    Raises ImportError without tensorflow, NotImplementedError where there is no /proc, RuntimeError with the reason if
    the process fails, and subprocess.TimeoutExpired after `timeout` seconds.
    """
    if importlib.util.find_spec("tensorflow") is None:
        raise ImportError("memmodel.keras.calibrate needs tensorflow: pip install tensorflow-cpu")
    if not Path("/proc/self/status").exists():
        raise NotImplementedError("memmodel.keras.calibrate reads /proc/self/status, which only Linux has")
    arrays = _array_bytes(model, batch_size, sizes)
    return _fresh_process({"imports": list(imports), "arrays": arrays, "model": model.to_json()}, timeout)
