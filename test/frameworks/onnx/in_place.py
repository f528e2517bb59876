"""Which operators of onnxruntime work in place, by the number of allocations of x -> Sin -> operator -> Sin -> y.

usage: in_place.py    (needs onnx and onnxruntime)

Sin takes memory of its own: two allocations say that the operator took none, three that it took its output's.
"""

from __future__ import annotations

import pathlib
import tempfile

import numpy
import onnx
import ort
from onnx import TensorProto, helper, numpy_helper

SHAPE = (64, 1024)
ROW = numpy.ones(1024, numpy.float32)
SQUARE = numpy.ones((1024, 1024), numpy.float32)
ALONE = """Abs Cast Ceil Celu Clip Dropout Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log LogSoftmax Mish
Neg Reciprocal Relu Round Selu Sigmoid Sign Softmax Softplus Softsign Sqrt Tanh ThresholdedRelu Transpose Trilu"""
WITH_A_ROW = "Add Sub Mul Div Pow Max Min Sum PRelu LayerNormalization"


def model(op: str, stored: list[numpy.ndarray], attributes: dict[str, int]) -> onnx.ModelProto:
    names = [f"stored{i}" for i in range(len(stored))]
    nodes = [
        helper.make_node("Sin", ["x"], ["a"]),
        helper.make_node(op, ["a", *names], ["b"], **attributes),
        helper.make_node("Sin", ["b"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, name) for array, name in zip(stored, names)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def allocations(library: ort.Library, op: str, stored: list[numpy.ndarray], attributes: dict[str, int]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        path.write_bytes(model(op, stored, attributes).SerializeToString())
        session = ort.Session(library, path, level=0, pattern=False)
    before = session.statistics()["NumAllocs"]
    session.release(session.run({"x": numpy.zeros(SHAPE, numpy.float32)}, ["y"]))
    found = session.statistics()["NumAllocs"] - before
    session.close()
    return found


def main() -> None:
    library = ort.Library()
    for op in ALONE.split():
        print(op, allocations(library, op, [], {"to": TensorProto.FLOAT} if op == "Cast" else {}))
    for op in WITH_A_ROW.split():
        print(op, allocations(library, op, [ROW], {}))
    print("MatMul", allocations(library, "MatMul", [SQUARE], {}))


if __name__ == "__main__":
    main()
