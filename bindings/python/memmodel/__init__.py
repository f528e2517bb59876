"""How much memory a deep-learning job will need, before it runs.

>>> import memmodel
>>> net = memmodel.Network()
>>> x = net.input("image", (net.symbol("batch"), 3, 224, 224))
>>> x = net.conv(x, filters=64, kernel=7, stride=2, padding=3)
>>> memmodel.estimate(net, batch=64).peak.live
>>> memmodel.estimate_max(net, "batch", "16GiB")
>>> model = memmodel.fit("runs.csv", "peak_bytes", ["dim", "batch"])
>>> model.predict(dim=64, batch=4).upper
"""

from memmodel import _exceptions, megatron, onnx
from memmodel import _ffi as ffi
from memmodel._exceptions import *  # noqa: F403
from memmodel._limits import limits
from memmodel.advising import Advice, advise
from memmodel.campaigning import Advised, Campaign, campaign
from memmodel.errors import MemmodelError
from memmodel.estimation import (
    GpuEstimate,
    RankClass,
    SizeEstimate,
    estimate,
    estimate_many,
    estimate_max,
    estimate_ranks,
    gpus,
    what_if,
)
from memmodel.finding import find_batch
from memmodel.fitting import fit
from memmodel.function import Function
from memmodel.importing import Drift, Imported, drift_of, import_sacct
from memmodel.meshes import MeshAdvice, advise_mesh
from memmodel.model import FrontEntry, Model, Prediction, Scores
from memmodel.monitor import Monitor, MonitorResult, Reading
from memmodel.network import Network
from memmodel.optimization import Optimization, OptimizationStep, optimize
from memmodel.planning import Buffer, Plan, PlanResult
from memmodel.predictions import Predictions
from memmodel.progress import Progress
from memmodel.quantity import format_bytes, parse_bytes
from memmodel.recomputation import Chain, ChainResult, ChainStep, Recomputation, RecomputationPoint, recompute
from memmodel.report import Change, Layer, Peak, Report, Unmodelled
from memmodel.samples import Samples
from memmodel.scanning import Scan, scan
from memmodel.scheduling import Operator, Schedule
from memmodel.serving import CachePool, Generation, LanguageModel, Serving, generate, serve, serve_min
from memmodel.tensor import Dim, Tensor
from memmodel.tiling import Tile, TiledAxis, Tiling
from memmodel.trace import Event, Trace

__version__ = ffi.VERSION

__all__ = [
    "Advice",
    "Advised",
    "Buffer",
    "Campaign",
    "CachePool",
    "Chain",
    "ChainResult",
    "ChainStep",
    "Change",
    "Dim",
    "Drift",
    "Event",
    "FrontEntry",
    "Function",
    "Generation",
    "GpuEstimate",
    "Imported",
    "LanguageModel",
    "Layer",
    "MemmodelError",
    "Model",
    "Monitor",
    "MonitorResult",
    "MeshAdvice",
    "Network",
    "Operator",
    "Optimization",
    "OptimizationStep",
    "Peak",
    "Plan",
    "PlanResult",
    "Prediction",
    "Predictions",
    "Progress",
    "RankClass",
    "Reading",
    "Recomputation",
    "RecomputationPoint",
    "Report",
    "Samples",
    "Scan",
    "Schedule",
    "Scores",
    "Serving",
    "SizeEstimate",
    "Tensor",
    "Tile",
    "TiledAxis",
    "Tiling",
    "Trace",
    "Unmodelled",
    "advise",
    "advise_mesh",
    "campaign",
    "drift_of",
    "estimate",
    "estimate_many",
    "estimate_max",
    "estimate_ranks",
    "ffi",
    "find_batch",
    "fit",
    "format_bytes",
    "generate",
    "gpus",
    "import_sacct",
    "limits",
    "megatron",
    "onnx",
    "optimize",
    "parse_bytes",
    "recompute",
    "scan",
    "serve",
    "serve_min",
    "what_if",
]
__all__ += _exceptions.__all__
