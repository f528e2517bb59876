"""Exports models to ONNX and measures what onnxruntime's arena holds while it runs them.

usage: record.py FOLDER [NAME ...]    (needs torch, onnx, onnxscript and onnxruntime)

Writes FOLDER/NAME.onnx, the graph without its weights, and FOLDER/arena.json with, for each model and level of graph
optimization, bytes of the arena: `loaded` before the first run, `total` that the arena has taken after it,
`later_total` after the second, when all buffers are one block. `live` is the peak of the first run above `loaded` in
an arena that hands out no more than was asked for, rounded up to 256 bytes, and `later_live` that of both runs.
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile

import models
import numpy
import onnx
import ort
import torch
import unseen

CASES = models.CASES | unseen.CASES
LEVELS = {"none": 0, "basic": 1, "extended": 2, "all": 99}  # enum GraphOptimizationLevel


def export(case: models.Case, path: pathlib.Path) -> None:
    module = case.module().eval()
    names = list(case.inputs)
    if case.traced:
        axes = {name: dict(enumerate(symbols)) for name, (_, symbols) in case.inputs.items()}
        torch.onnx.export(
            module,
            tuple(example for example, _ in case.inputs.values()),
            str(path),
            input_names=names,
            output_names=["y"],
            dynamic_axes=axes,
            dynamo=False,
            opset_version=case.opset,
        )
        return
    examples = tuple(example for example, _ in case.inputs.values())
    dims = {symbol: torch.export.Dim(symbol) for symbol in case.values}
    shapes = tuple({axis: dims[symbol] for axis, symbol in enumerate(symbols)} for _, symbols in case.inputs.values())
    with torch.no_grad():
        torch.onnx.export(
            module,
            examples,
            str(path),
            input_names=names,
            output_names=["y"],
            dynamic_shapes=shapes,
            dynamo=True,
            opset_version=case.opset,
            external_data=False,
            verbose=False,
        )


def without_weights(path: pathlib.Path, to: pathlib.Path) -> None:
    """The graph alone: larger weights are said to lie in a file that is not there."""
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) >= 1024:
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            del tensor.external_data[:]
            entry = tensor.external_data.add()
            entry.key, entry.value = "location", "weights"
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    stored = {tensor.name for tensor in model.graph.initializer}
    for info in [*model.graph.value_info]:
        del info.metadata_props[:]
        if info.name in stored:
            model.graph.value_info.remove(info)
    del model.graph.metadata_props[:]
    del model.metadata_props[:]
    for graph_input in [*model.graph.input, *model.graph.output]:
        del graph_input.metadata_props[:]
    for tensor in model.graph.initializer:
        del tensor.metadata_props[:]
    to.write_bytes(model.SerializeToString())


def arrays(case: models.Case) -> dict[str, numpy.ndarray]:
    result = {}
    for name, (example, symbols) in case.inputs.items():
        shape = [case.values[symbols[i]] if i < len(symbols) else size for i, size in enumerate(example.shape)]
        result[name] = numpy.zeros(shape, example.numpy().dtype)
    return result


def measure(library: ort.Library, path: pathlib.Path, case: models.Case, level: int) -> dict[str, int]:
    session = ort.Session(library, path, level=level, pattern=True)
    found = {"loaded": session.statistics()["InUse"]}
    session.release(session.run(arrays(case), ["y"]))
    first = session.statistics()
    session.release(session.run(arrays(case), ["y"]))
    found |= {"total": first["TotalAllocated"], "later_total": session.statistics()["TotalAllocated"]}
    session.close()
    exact = ort.Session(library, path, level=level, pattern=True, exact=True)
    loaded = exact.statistics()["InUse"]
    for what in ("live", "later_live"):
        exact.release(exact.run(arrays(case), ["y"]))
        found[what] = exact.statistics()["MaxInUse"] - loaded
    exact.close()
    return found


def main(folder: pathlib.Path, names: list[str]) -> None:
    library = ort.Library()
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "arena.json"
    recorded = json.loads(table.read_text(encoding="utf-8")) if table.exists() else {"models": {}}
    recorded["versions"] = {"onnxruntime": library.version, "torch": torch.__version__, "onnx": onnx.__version__}
    for name in names or CASES:
        case = CASES[name]
        with tempfile.TemporaryDirectory() as temporary:
            path = pathlib.Path(temporary) / "model.onnx"
            export(case, path)
            without_weights(path, folder / f"{name}.onnx")
            levels = {level: measure(library, path, case, number) for level, number in LEVELS.items()}
        recorded["models"][name] = {"values": case.values, **levels}
        table.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
        print(name, recorded["models"][name], flush=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
