"""Networks from ONNX files.

>>> net = memmodel.onnx.load("model.onnx")
>>> memmodel.estimate(net, batch=8, mode="inference", framework="onnxruntime").peak.live

A model that is in memory, such as one that torch.onnx has just exported, needs no file:

>>> net = memmodel.onnx.from_bytes(program.model_proto.SerializeToString())
"""

from __future__ import annotations

import os

from memmodel import _ffi, _limits
from memmodel.network import Network

__all__ = ["from_bytes", "load"]


def load(path: str | os.PathLike[str], *, batch_symbol: str | None = None, frozen: bool = False) -> Network:
    """Read a network from an ONNX file, without its weights.

    Dimensions that have a name in the file become symbols. `batch_symbol` names a symbol that takes the place of each
    input's first dimension; with `frozen` no weight is trained.
    """
    options = _ffi.OnnxOptions(batch_symbol=batch_symbol, frozen=frozen)
    return Network._of(_ffi.network_load_onnx(_limits.new_context(), path, options))


def from_bytes(
    content: bytes | bytearray | memoryview,
    *,
    name: str = "model",
    batch_symbol: str | None = None,
    frozen: bool = False,
) -> Network:
    """The same from the bytes of a file; errors call them `name`."""
    options = _ffi.OnnxOptions(batch_symbol=batch_symbol, frozen=frozen)
    return Network._of(_ffi.network_from_onnx(_limits.new_context(), name, content, options))
