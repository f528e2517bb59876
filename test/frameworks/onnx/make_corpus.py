"""Small models of every operator that the library has a rule for: the beginnings of the fuzzer's corpus.

usage: make_corpus.py FOLDER    (needs onnx)
"""

from __future__ import annotations

import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def stored(name: str, *shape: int) -> onnx.TensorProto:
    return numpy_helper.from_array(numpy.zeros(shape, numpy.float32), name)


def numbers(name: str, *values: int) -> onnx.TensorProto:
    return numpy_helper.from_array(numpy.array(values, numpy.int64), name)


def scalar(name: str, value: int) -> onnx.TensorProto:
    return numpy_helper.from_array(numpy.array(value, numpy.int64), name)


def model(nodes, inputs, outputs, initializers=(), opset=17) -> onnx.ModelProto:
    def info(entry):
        name, shape, *kind = entry
        return helper.make_tensor_value_info(name, kind[0] if kind else FLOAT, shape)

    graph = helper.make_graph(nodes, "g", [info(i) for i in inputs], [info(o) for o in outputs], list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def node(op: str, inputs: str, outputs: str, **attributes) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(), outputs.split(), name=f"{op}_{outputs.split()[0]}", **attributes)


def convolutions() -> onnx.ModelProto:
    nodes = [
        node("Conv", "x w b", "a", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("BatchNormalization", "a s t m v", "c"),
        node("Relu", "c", "d"),
        node("MaxPool", "d", "e", kernel_shape=[2, 2], strides=[2, 2]),
        node("ConvTranspose", "e u", "f", strides=[2, 2]),
        node("Concat", "f d", "g", axis=1),
        helper.make_node("Resize", ["g", "", "scales"], ["h"]),
        node("GlobalAveragePool", "h", "i"),
        node("Flatten", "i", "j"),
        node("Gemm", "j k l", "y", transB=1),
    ]
    weights = [stored("w", 4, 3, 3, 3), stored("b", 4), stored("u", 4, 4, 2, 2), stored("k", 5, 8), stored("l", 5)]
    weights += [stored(name, 4) for name in "stmv"]
    weights += [numpy_helper.from_array(numpy.array([1, 1, 2, 2], numpy.float32), "scales")]
    return model(nodes, [("x", ["batch", 3, "size", "size"])], [("y", ["batch", 5])], weights)


def attention() -> onnx.ModelProto:
    nodes = [
        node("Gather", "table tokens", "x"),
        node("Shape", "x", "shape"),
        node("Gather", "shape zero", "n"),
        node("Gather", "shape one", "t"),
        node("Unsqueeze", "n axis0", "n1"),
        node("Unsqueeze", "t axis0", "t1"),
        node("Concat", "n1 t1 rest", "heads", axis=0),
        node("MatMul", "x w", "q"),
        node("Reshape", "q heads", "q4"),
        node("Transpose", "q4", "q5", perm=[0, 2, 1, 3]),
        node("Transpose", "q4", "k5", perm=[0, 2, 3, 1]),
        node("MatMul", "q5 k5", "scores"),
        node("Softmax", "scores", "p", axis=-1),
        node("MatMul", "p q5", "o"),
        node("Transpose", "o", "o4", perm=[0, 2, 1, 3]),
        node("Concat", "n1 t1 minus", "flat", axis=0),
        node("Reshape", "o4 flat", "o3"),
        node("Add", "o3 x", "r"),
        node("LayerNormalization", "r s b", "y"),
    ]
    weights = [stored("table", 10, 8), stored("w", 8, 8), stored("s", 8), stored("b", 8), numbers("axis0", 0)]
    weights += [numbers("rest", 2, 4), numbers("minus", -1), scalar("zero", 0), scalar("one", 1)]
    return model(nodes, [("tokens", ["batch", "length"], INT64)], [("y", None)], weights)


def movement() -> onnx.ModelProto:
    nodes = [
        node("Slice", "x starts ends axes steps", "a"),
        node("Split", "a", "b c", axis=1),
        node("ReduceMean", "b", "d", axes=[1], keepdims=0),
        node("Expand", "d e", "f"),
        node("Pad", "f pads", "g"),
        node("Tile", "g repeats", "h"),
        node("Identity", "h", "i"),
        node("Where", "m i i", "j"),
        node("Pow", "j p", "k"),
        node("Erf", "k", "l"),
        node("Cast", "l", "y", to=TensorProto.FLOAT16),
        node("TopK", "c k1", "v w"),
        node("ArgMax", "c", "z", axis=1),
    ]
    weights = [numbers("starts", 0, 1), numbers("ends", 2**63 - 1, -1), numbers("axes", 0, 1), numbers("steps", 1, 2)]
    weights += [numbers("e", 2, 1), numbers("pads", 0, 1, 0, 1), numbers("repeats", 1, 2), numbers("k1", 2)]
    weights += [stored("p"), numpy_helper.from_array(numpy.zeros((1,), bool), "m")]
    inputs, outputs = [("x", ["n", 10])], [("y", None), ("v", None), ("z", None, INT64)]
    return model(nodes, inputs, outputs, weights)


def recurrence() -> onnx.ModelProto:
    nodes = [
        node("LSTM", "x w r b", "a h c", hidden_size=4, direction="bidirectional"),
        node("Transpose", "a", "d", perm=[0, 2, 1, 3]),
        node("Reshape", "d shape", "e"),
        node("GRU", "e w2 r2", "y", hidden_size=4),
    ]
    weights = [stored("w", 2, 16, 3), stored("r", 2, 16, 4), stored("b", 2, 32), numbers("shape", 0, 0, -1)]
    weights += [stored("w2", 1, 12, 8), stored("r2", 1, 12, 4)]
    return model(nodes, [("x", ["length", "batch", 3])], [("y", None)], weights)


def custom() -> onnx.ModelProto:
    own = helper.make_node("Own", ["x"], ["y"], domain="example.org", axis=1)
    return model([own], [("x", ["n", 3])], [("y", ["n", "m"])])


def small(name: str, *shape: int) -> onnx.TensorProto:
    return numpy_helper.from_array(numpy.zeros(shape, numpy.uint8), name)


def integers() -> onnx.ModelProto:
    nodes = [
        node("DynamicQuantizeLinear", "x", "q s z"),
        node("ConvInteger", "q w z", "a", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Cast", "a", "b", to=FLOAT),
        node("QuantizeLinear", "b one zero", "c"),
        node("QLinearConv", "c one zero v one zero one zero", "d", auto_pad="SAME_UPPER"),
        node("MatMulInteger", "d d", "e"),
        node("QLinearMatMul", "d one zero d one zero one zero", "f"),
        node("DequantizeLinear", "f one zero", "y"),
    ]
    weights = [small("w", 4, 3, 3, 3), small("v", 4, 4, 3, 3), small("zero"), stored("one")]
    inputs, outputs = [("x", ["batch", 3, "size", "size"])], [("y", None), ("e", None, TensorProto.INT32)]
    return model(nodes, inputs, outputs, weights)


def sampling() -> onnx.ModelProto:
    nodes = [
        node("GridSample", "x grid", "a"),
        node("RoiAlign", "a regions of", "b", output_height=5, output_width=6),
        node("MaxRoiPool", "b fives", "c", pooled_shape=[2, 3]),
        node("RandomNormalLike", "c", "d"),
        node("RandomUniform", "", "e", shape=[2, 3]),
        node("Mul", "d e", "f"),
        node("Bernoulli", "f", "g", dtype=TensorProto.BOOL),
        node("LpPool", "f", "y", kernel_shape=[2, 2]),
    ]
    inputs = [("x", ["n", 3, 9, 9]), ("grid", ["n", "h", 7, 2]), ("regions", ["r", 4])]
    inputs += [("of", ["r"], INT64), ("fives", ["s", 5])]
    return model(nodes, inputs, [("y", None), ("g", None, TensorProto.BOOL)])


def branch() -> onnx.ModelProto:
    empty = helper.make_graph([], "then", [], [helper.make_tensor_value_info("x", FLOAT, [1])])
    nodes = [helper.make_node("If", ["x"], ["y"], then_branch=empty, else_branch=empty)]
    return model(nodes, [("x", [1])], [("y", [1])])


def main(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for make in (convolutions, attention, movement, recurrence, custom, integers, sampling, branch):
        (folder / f"{make.__name__}.onnx").write_bytes(make().SerializeToString())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
