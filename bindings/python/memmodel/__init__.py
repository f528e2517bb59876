"""How much memory a deep-learning job will need, before it runs.

>>> import memmodel
>>> net = memmodel.Network()
>>> x = net.input("image", (net.symbol("batch"), 3, 224, 224))
>>> x = net.conv(x, filters=64, kernel=7, stride=2, pad=3)
>>> memmodel.estimate(net, batch=64).peak.live
>>> memmodel.solve(net, "batch", "16GiB")
>>> model = memmodel.fit("runs.csv", "peak_bytes", ["dim", "batch"])
>>> model.predict(dim=64, batch=4).upper
"""

from memmodel import _exceptions, onnx
from memmodel import _ffi as ffi
from memmodel._exceptions import *  # noqa: F403
from memmodel._limits import limits
from memmodel.advising import Advice, advise
from memmodel.budgeting import Budget, BudgetStep, within
from memmodel.errors import MemmodelError
from memmodel.estimation import estimate, scan, solve, what_if
from memmodel.fitting import fit
from memmodel.function import Function
from memmodel.model import Bound, Model, Prediction, Scores
from memmodel.monitor import Monitor, Reading, Summary
from memmodel.network import Network
from memmodel.planning import Place, Plan, PlanResult
from memmodel.points import Points
from memmodel.quantity import format_bytes, parse_bytes
from memmodel.recomputation import Chain, ChainResult, ChainStep, Recomputation, RecomputationPoint, recompute
from memmodel.report import Change, Layer, Peak, Report
from memmodel.samples import Samples
from memmodel.scheduling import Operator, Schedule
from memmodel.tensor import Dim, Tensor
from memmodel.tiling import Tile, TiledAxis, Tiling
from memmodel.trace import Event, Trace

__version__ = ffi.VERSION

__all__ = [
    "Advice",
    "Bound",
    "Budget",
    "BudgetStep",
    "Chain",
    "ChainResult",
    "ChainStep",
    "Change",
    "Dim",
    "Event",
    "Function",
    "Layer",
    "MemmodelError",
    "Model",
    "Monitor",
    "Network",
    "Operator",
    "Peak",
    "Place",
    "Plan",
    "PlanResult",
    "Points",
    "Prediction",
    "Reading",
    "Recomputation",
    "RecomputationPoint",
    "Report",
    "Samples",
    "Schedule",
    "Scores",
    "Summary",
    "Tensor",
    "Tile",
    "TiledAxis",
    "Tiling",
    "Trace",
    "advise",
    "estimate",
    "ffi",
    "fit",
    "format_bytes",
    "limits",
    "onnx",
    "parse_bytes",
    "recompute",
    "scan",
    "solve",
    "what_if",
    "within",
]
__all__ += _exceptions.__all__
