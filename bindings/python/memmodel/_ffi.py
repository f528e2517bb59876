"""The library, function by function. Generated from include/memmodel/*.h by ./run generate: edit those.

Functions are called as in C without their prefix, and checked: wrong arguments raise TypeError, ValueError or
OverflowError naming the argument, a failed call the exception of its status. Numbers of array elements are left out,
results come back instead of going out through pointers.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from memmodel import _call
from memmodel._exceptions import *  # noqa: F403
from memmodel._library import Library

VERSION_MAJOR = 0
VERSION_MINOR = 1
VERSION_MICRO = 0
VERSION = "0.1.0"
MAX_RANK = 8
DIM_INFER = -9223372036854775808
TENSOR_NONE = -1000
MAX_CATEGORIES = 16

_library = Library(VERSION)


class Status(IntEnum):
    """What a call returns: 0, or one of these. Numbers are never reused."""

    OK = 0  # no error
    ERROR_NO_MEMORY = -1  # the context's allocator returned None. Free memory, or ask for less: fewer layers, [...]
    ERROR_INVALID_ARGUMENT = -2  # an argument is outside what the call documents. The error's message names it
    ERROR_OVERFLOW = -3  # a count or a number of bytes does not fit in 63 bits. Bind smaller numbers to the symbols
    ERROR_SHAPE = -4  # the shapes of a layer do not fit together. Correct the options or the inputs of the layer [...]
    ERROR_UNSUPPORTED = -5  # known, but not available on this platform or for this framework. Choose another, or [...]
    ERROR_PARSE = -6  # a file or a text is not of its format. Correct it at the error's line and column
    ERROR_IO = -7  # the operating system refused to read or write. The error's message has its reason
    ERROR_STRUCT_SIZE = -8  # an options struct has a size that this library cannot accept. Set it to sizeof the [...]
    ERROR_NOT_FOUND = -9  # a name that is no symbol of the network, or no column of the table. Compare it with [...]
    ERROR_UNBOUND = -10  # a symbol has no value in this query. Give it one in the job
    ERROR_DATA = -11  # the samples cannot be used: too few, constant or not finite. Measure more, or leave out [...]
    ERROR_VERSION = -12  # the file was written by a newer version of its format. Use a library as new as the [...]
    ERROR_PROCESS = -13  # the process does not exist or cannot be read. Check its number, and whether it is yours
    ERROR_CALLBACK = -14  # a function that the caller gave said that it failed. Ask that function why
    ERROR_LIMIT = -15  # the call would take more than a limit of its context. The error's message names the [...]
    ERROR_CANCELLED = -16  # the caller ended the call, by context_cancel(). Call again, if it is wanted after all


class Language(IntEnum):
    """Language that a formula is written in."""

    TEXT = 0  # 1291.125*batch*dim^3
    C = 1  # an expression in C
    PYTHON = 2  # an expression in Python
    LATEX = 3  # for a paper
    SQL = 4  # an expression in SQL


class Dtype(IntEnum):
    """Type of a tensor's elements."""

    DEFAULT = 0  # float32, or the type of the first input
    FLOAT32 = 1  # 4 bytes
    FLOAT64 = 2  # 8 bytes
    FLOAT16 = 3  # 2 bytes, IEEE
    BFLOAT16 = 4  # 2 bytes, the exponent of float32
    INT64 = 5  # 8 bytes
    INT32 = 6  # 4 bytes
    INT8 = 7  # 1 byte
    UINT8 = 8  # 1 byte
    BOOL = 9  # 1 byte


class Layout(IntEnum):
    """Where the channels of an image are."""

    DEFAULT = 0  # the network's
    CHANNELS_FIRST = 1  # batch, channels, spatial dimensions
    CHANNELS_LAST = 2  # batch, spatial dimensions, channels


class Checkpoint(IntEnum):
    """Whether a scope is computed again in the backward pass, as by torch.utils.checkpoint."""

    NONE = 0  # all that the backward pass needs is kept
    NON_REENTRANT = 1  # use_reentrant=False: tensors are computed again when they are needed
    REENTRANT = 2  # use_reentrant=True: the scope runs without gradients at first, and when it is computed again [...]


class AutoPad(IntEnum):
    """Padding of a convolution or pooling."""

    EXPLICIT = 0  # as `pad` says, which is none by default
    VALID = 1  # none
    SAME = 2  # output = ceil(input / stride); the odd element goes to the end


class ActivationKind(IntEnum):
    """Element by element, none with parameters except PRELU."""

    NONE = 0  # the input itself
    RELU = 1  # max(x, 0)
    LEAKY_RELU = 2  # x above 0, a x below
    ELU = 3  # x above 0, a (exp(x) - 1) below
    SELU = 4  # ELU, scaled to keep mean and variance
    GELU = 5  # x times the normal distribution function of x
    GELU_TANH = 6  # GELU, approximated by a tanh
    SILU = 7  # x sigmoid(x)
    SIGMOID = 8  # 1 / (1 + exp(-x))
    TANH = 9  # tanh(x)
    HARDSWISH = 10  # x hardsigmoid(x)
    HARDSIGMOID = 11  # min(max(x + 3, 0), 6) / 6
    RELU6 = 12  # min(max(x, 0), 6)
    SOFTPLUS = 13  # log(1 + exp(x))
    MISH = 14  # x tanh(softplus(x))
    PRELU = 15  # one parameter per channel, or one for all: see memmodel_activation
    EXP = 16  # exp(x)
    LOG = 17  # natural logarithm
    SQRT = 18  # square root
    SQUARE = 19  # x x
    ABS = 20  # absolute value
    NEGATE = 21  # -x


class PoolKind(IntEnum):
    """How a window is pooled."""

    MAX = 0  # greatest
    AVERAGE = 1  # arithmetic mean


class ReduceKind(IntEnum):
    """How elements are reduced."""

    MAX = 0  # greatest
    MEAN = 1  # arithmetic mean
    SUM = 2  # sum
    MIN = 3  # least
    PRODUCT = 4  # product


class Interpolation(IntEnum):
    """How upsampling fills in."""

    NEAREST = 0  # the nearest element
    LINEAR = 1  # linear, bilinear or trilinear
    CUBIC = 2  # bicubic


class PadKind(IntEnum):
    """How padding fills in."""

    CONSTANT = 0  # one value
    REFLECT = 1  # mirrored at the outermost element, which is not repeated
    REPLICATE = 2  # the outermost element
    CIRCULAR = 3  # from the other end


class BinaryKind(IntEnum):
    """Two tensors element by element, with NumPy's broadcasting."""

    ADD = 0  # a + b
    SUBTRACT = 1  # a - b
    MULTIPLY = 2  # a b
    DIVIDE = 3  # a / b
    MAXIMUM = 4  # the greater one
    MINIMUM = 5  # the lesser one


class RecurrentKind(IntEnum):
    """Kind of a recurrent layer."""

    LSTM = 0  # long short-term memory: 4 gates
    GRU = 1  # gated recurrent unit: 3 gates
    RNN_TANH = 2  # 1 gate, tanh
    RNN_RELU = 3  # 1 gate, ReLU


class LossKind(IntEnum):
    """Loss functions."""

    CROSS_ENTROPY = 0  # of logits [batch, classes, ...] and integer classes [batch, ...]
    BINARY_CROSS_ENTROPY = 1  # of probabilities
    BINARY_CROSS_ENTROPY_WITH_LOGITS = 2  # of logits
    MEAN_SQUARED_ERROR = 3  # (x - target)^2
    MEAN_ABSOLUTE_ERROR = 4  # |x - target|
    SMOOTH_L1 = 5  # squared near 0, absolute beyond
    NEGATIVE_LOG_LIKELIHOOD = 6  # of log probabilities [batch, classes, ...] and integer classes
    KL_DIVERGENCE = 7  # of log probabilities and probabilities
    DICE = 8  # 1 - 2 sum(p t) / (sum(p) + sum(t))


class LossReduction(IntEnum):
    """How a loss is reduced."""

    MEAN = 0  # mean over all elements
    SUM = 1  # sum over all elements
    NONE = 2  # one loss per element


class FitSelection(IntEnum):
    """Which of the formulas that were found becomes the model.

    By "one_standard_error" the smallest whose mean loss on rows that it did not see exceeds the least by no more than a
    standard error of the difference; of equally small ones the one of the least description length. Whatever the search
    finds, the constant and the sum of all inputs (with three rows a term, and where the terms and their number are not
    limited) are candidates, and no larger formula is returned that is not better than they are by more than a standard
    error.

    By "description_length" the one with the least rows / 2 ln(mean loss on rows not seen) + terms ln(terms to choose
    from).
    """

    DEFAULT = 0  # one standard error for positive terms, else description length
    ONE_STANDARD_ERROR = 1  # the smallest formula within one standard error of the best
    DESCRIPTION_LENGTH = 2  # the formula of the least description length


class FitLoss(IntEnum):
    """Which errors a fit makes small."""

    DEFAULT = 0  # squared for "general", relative for the others
    RELATIVE = 1  # squared errors divided by the measurement: 1 % counts the same everywhere
    SQUARED = 2  # squared errors: the target and the coefficients may be of any sign
    MAPE = 3  # absolute errors divided by the measurement
    LOG_RATIO = 4  # squared logarithms of prediction / measurement: half is as bad as twice
    ABSOLUTE = 5  # absolute errors: a few outliers count little
    PINBALL = 6  # a quantile in place of the mean; see `quantile`


class FitSearch(IntEnum):
    """Where formulas come from besides sums of the basis' terms. May be or'ed."""

    NONE = 0  # nowhere else
    ENUMERATE = 1  # every small formula once, by rising size
    EVOLVE = 2  # genetic programming, begun with what the others found
    ALL = 3  # both


class FitBasis(IntEnum):
    """Terms a fit chooses from."""

    POSYNOMIAL = 0  # products of powers and logarithms of the inputs, and the given terms; under "squared" those [...]
    USER = 1  # the given terms only (and a constant)
    GENERAL = 2  # straight lines, curves, steps and products of two, coefficients of any sign


class BoundMethod(IntEnum):
    """Methods for an upper bound. A ratio is a measurement divided by its prediction by a formula that was found
    without it; under squared errors, their difference.
    """

    DEFAULT = 0  # the larger of the next two; outside the training data, of the next three
    CONFORMAL = 1  # conformal: the ratio of rank level (n + 1), at most n; between two in proportion
    STUDENT_T = 2  # Student's t, the errors held out, and the leverage of the point
    EXTRAPOLATION = 3  # the same with the leverage of all terms that the formula might have had; of a formula [...]
    JACKKNIFE_PLUS = 4  # that rank among the predictions here of the formulas found without each point, times the [...]


class Metric(IntEnum):
    """Which bytes of a job a budget limits, and savings are counted in."""

    DEFAULT = 0  # those that decide whether the job lives: see metric_default()
    LIVE = 1  # bytes of live tensors
    RESERVED = 2  # bytes the framework's allocator has taken from the system
    PROCESS = 3  # bytes of the process, with the framework's libraries; on a GPU bytes of the device: reserved, [...]


class Verdict(IntEnum):
    """Whether something is within its budget."""

    NONE = 0  # there is no budget
    FITS = 1  # it is within
    EXCEEDS = 2  # it is not, and nothing that was found is
    UNKNOWN = 3  # the bytes that the budget limits are not modelled


class Mode(IntEnum):
    """What of a network is run."""

    TRAINING = 0  # forward and backward pass, and the optimizer's step
    INFERENCE = 1  # the forward pass, with nothing kept for a backward pass
    FORWARD = 2  # "pytorch": the forward pass with autograd on, so that what a backward pass would need is kept


class Technique(IntEnum):
    """Techniques to need less memory, in the order in which they are tried."""

    NO_REUSE = 0  # none: every tensor has memory of its own
    REUSE = 1  # memory that nobody needs any more goes to others
    REORDER = 2  # operators run in another order
    RECOMPUTE = 3  # parts of the network are computed again in the backward pass
    TILE = 4  # images and volumes are cut into tiles, one after the other
    BATCH = 5  # the batch is smaller


class SearchStatus(IntEnum):
    """What is known of the answer of a search."""

    NONE = 0  # nothing was searched for yet
    OPTIMAL = 1  # no answer is better: proven
    CONVERGED = 2  # nothing near it is better
    FEASIBLE = 3  # it is within the budget
    LIMIT = 4  # the best that was found within the limits
    CANCELLED = 5  # the best that was found before the call was cancelled
    INFEASIBLE = 6  # no answer is within the budget; this one is the best that was found


class Category(IntEnum):
    """What memory is for."""

    PARAMETERS = 0  # moving statistics included
    GRADIENTS = 1  # of parameters
    OPTIMIZER_STATE = 2  # moments and the like
    INPUTS = 3  # inputs and targets
    SAVED_ACTIVATIONS = 4  # kept from the forward to the backward pass
    TEMPORARY_ACTIVATIONS = 5  # outputs that nothing is kept for
    ACTIVATION_GRADIENTS = 6  # of everything but parameters
    WORKSPACE = 7  # scratch memory within an operator
    ALLOCATOR_OVERHEAD = 8  # taken from the system but not live
    RUNTIME = 9  # libraries and their state


class Phase(IntEnum):
    """Part of a step."""

    SETUP = 0  # before the first step
    FORWARD = 1  # forward pass
    BACKWARD = 2  # backward pass
    OPTIMIZER = 3  # update of the parameters


class ChainOperation(IntEnum):
    """What a step of a schedule does with a block."""

    FORWARD = 0  # forward, nothing is kept but the output: the input goes
    FORWARD_CHECKPOINT = 1  # forward, the input is kept: a checkpoint
    FORWARD_SAVE_ALL = 2  # forward, the input is kept and all that the backward pass needs
    BACKWARD = 3  # backward; what was kept for it goes


class BlockState(IntEnum):
    """What a block is."""

    FREE = 0  # cached by the allocator
    ALLOCATED = 1  # live
    PENDING_FREE = 2  # released, but used by other streams


class SchedulePass(IntEnum):
    """What a schedule may do to need less memory, see doc/planning.md."""

    FUSION = 1  # normalisations and activations are steps of what they follow
    RESIDUAL_FUSION = 2  # so is what a residual adds; not without fusion
    VIEW_ALIASING = 4  # what has the bytes of another tensor is not copied
    IN_PLACE = 8  # element by element, an input that nobody needs is overwritten
    CONCAT_ELIMINATION = 16  # parts are made where the result has them
    REORDERING = 32  # operators run in another order, if the plan needs less then


class ContextHandle(_call.Handle):
    """Library context."""

    __slots__ = ()
    _noun = "context"
    _ref = _library.bind("memmodel_context_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_context_unref", None, ctypes.c_void_p)


class SamplesHandle(_call.Handle):
    """A table of samples."""

    __slots__ = ()
    _noun = "samples"
    _ref = _library.bind("memmodel_samples_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_samples_unref", None, ctypes.c_void_p)


class NetworkHandle(_call.Handle):
    """A network."""

    __slots__ = ()
    _noun = "network"
    _ref = _library.bind("memmodel_network_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_network_unref", None, ctypes.c_void_p)


class ModelHandle(_call.Handle):
    """A fitted formula, immutable."""

    __slots__ = ()
    _noun = "model"
    _ref = _library.bind("memmodel_model_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_model_unref", None, ctypes.c_void_p)


class FunctionHandle(_call.Handle):
    """A fitted formula made a C function, immutable."""

    __slots__ = ()
    _noun = "function"
    _ref = _library.bind("memmodel_function_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_function_unref", None, ctypes.c_void_p)


class MonitorHandle(_call.Handle):
    """Watches one process and its descendants."""

    __slots__ = ()
    _noun = "monitor"
    _ref = _library.bind("memmodel_monitor_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_monitor_unref", None, ctypes.c_void_p)


class OptimizationHandle(_call.Handle):
    """What brings a job within a budget."""

    __slots__ = ()
    _noun = "optimization"
    _ref = _library.bind("memmodel_optimization_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_optimization_unref", None, ctypes.c_void_p)


class TraceHandle(_call.Handle):
    """A trace, immutable.

    Of a recurrent layer that PyTorch runs step by step, a long sequence is told by 64 of its time steps: one in the
    middle stands for those that are left out, which allocate and release what it does. Its events say how many those
    are, and the live bytes of the events behind it count them all; peaks, replays and plans are those of the whole
    sequence.
    """

    __slots__ = ()
    _noun = "trace"
    _ref = _library.bind("memmodel_trace_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_trace_unref", None, ctypes.c_void_p)


class PlanHandle(_call.Handle):
    """Buffers and, once solved, their offsets."""

    __slots__ = ()
    _noun = "plan"
    _ref = _library.bind("memmodel_plan_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_plan_unref", None, ctypes.c_void_p)


class ChainHandle(_call.Handle):
    """Blocks one after the other, and once solved the schedule that runs them within a budget."""

    __slots__ = ()
    _noun = "chain"
    _ref = _library.bind("memmodel_chain_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_chain_unref", None, ctypes.c_void_p)


class RecomputationHandle(_call.Handle):
    """Scopes of a network, or segments of several, to wrap in torch.utils.checkpoint."""

    __slots__ = ()
    _noun = "recomputation"
    _ref = _library.bind("memmodel_recomputation_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_recomputation_unref", None, ctypes.c_void_p)


class ReplayHandle(_call.Handle):
    """A trace that was run through an allocator, immutable."""

    __slots__ = ()
    _noun = "replay"
    _ref = _library.bind("memmodel_replay_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_replay_unref", None, ctypes.c_void_p)


class ReportHandle(_call.Handle):
    """A report, immutable."""

    __slots__ = ()
    _noun = "report"
    _ref = _library.bind("memmodel_report_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_report_unref", None, ctypes.c_void_p)


class ScheduleHandle(_call.Handle):
    """The operators of a network for given sizes, in the order in which they run, and their buffers."""

    __slots__ = ()
    _noun = "schedule"
    _ref = _library.bind("memmodel_schedule_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_schedule_unref", None, ctypes.c_void_p)


class TilingHandle(_call.Handle):
    """How a network's input is cut into tiles."""

    __slots__ = ()
    _noun = "tiling"
    _ref = _library.bind("memmodel_tiling_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_tiling_unref", None, ctypes.c_void_p)


class Allocator(_call.Struct):
    """Where a context takes its memory from. All three functions are given together, or none."""

    size: Any  # sizeof(Allocator)
    allocate: Any  # None when there is none
    reallocate: Any  # as realloc
    deallocate: Any  # as free
    user: Any  # handed to each call


class Limits(_call.Struct):
    """What calls on a context may use, whatever their input is. 0 is the default of each field; INT64_MAX, and INFINITY
    for seconds, are no limit.

    A call that would go beyond returns LimitError; a search that has an answer by then ends with it where its result
    can say so. What a call that came to its end has answered does not depend on the limits.
    """

    size: Any  # sizeof(Limits)
    memory_bytes: Any  # of all objects of the context together
    input_bytes: Any  # of each input: a whole file, or a text of JSON or CSV that is handed over; of an ONNX file [...]
    nodes: Any  # work of one call: events simulated, placements and formulas tried, elements read. The same on [...]
    layers: Any  # of one network
    seconds: Any  # of the clock, of one call


class Error(_call.Struct):
    """Detail of the last call on a context that failed."""

    size: Any  # filled by the library
    status: Any  # Status
    line: Any  # line in the text that was read, from 1; 0 if none
    column: Any  # column in that line, from 1; 0 if none
    reserved: Any  # 0
    message: Any  # one line in English, without the layer's name. Never None
    object: Any  # layer, column or file that was wrong, "" if none. Never None


class Progress(_call.Struct):
    """How far a call is."""

    size: Any  # filled by the library
    stage: Any  # what the call does now, such as "simulations"; static
    done: Any  # of that, so far
    total: Any  # at most; -1 if not known
    seconds: Any  # since the call began
    best: Any  # the best answer so far: bytes of a plan or a job, error of a formula; NaN: none yet


class AdviseOptions(_call.Struct):
    """What to advise. Zero means the default for every field; `domain` or `candidates` is needed."""

    size: Any  # sizeof(AdviseOptions)
    target: Any  # column of the samples that was measured. None: their last numeric one.
    domain: Any  # an input each, with what it may be: "batch=1,2,4", or "dim=32:144:16", from, to and step. All [...]
    domain_count: Any  # number of `domain`
    cost: Any  # what a measurement costs: a formula in the inputs, or "prediction", what a fit to the samples [...]
    target_error: Any  # wanted mean relative error of a prediction, as a fraction below 1. 0: 0.03
    noise: Any  # assumed measurement noise: relative standard deviation of repeated measurements. 0: the error of [...]
    count: Any  # configurations to advise, at most 1000. 0: 10
    candidates: Any  # configurations to choose from, in place of `domain`: its numeric columns are the inputs. [...]


class AdviseResult(_call.Struct):
    """What the samples and the design are good for."""

    size: Any  # sizeof(AdviseResult)
    expected_error: Any  # mean relative error of a prediction with the samples there are, as a fraction
    needed_count: Any  # rows in all, the samples' among them, that probably give the target error when chosen [...]


class Shape(_call.Struct):
    """Shape and type of a tensor."""

    dims: Any  # the first `rank` count
    rank: Any  # 0 to MAX_RANK
    dtype: Any  # Dtype


class Conv(_call.Struct):
    """Convolution. With `d` spatial dimensions the first d numbers of each array count.

    Output, per dimension: floor((input + 2 pad - dilation (kernel - 1) - 1) / stride) + 1 (PyTorch, torch.nn.Conv2d);
    transposed: (input - 1) stride - 2 pad + dilation (kernel - 1) + output_padding + 1 (torch.nn.ConvTranspose2d), and
    with "same" input * stride. Parameters: kernel elements * channels in / groups * filters, and the bias.
    """

    size: Any  # sizeof(Conv)
    name: Any  # of the layer; None: made from the operator and a number
    filters: Any  # channels of the output
    kernel: Any  # size; a 0 after the first repeats the first
    stride: Any  # a 0 after the first repeats the first
    dilation: Any  # a 0 after the first repeats the first
    padding: Any  # elements before and after, for "explicit"; not repeated
    output_padding: Any  # transposed only: elements added at the end of the output; not repeated
    groups: Any
    auto_pad: Any  # AutoPad
    layout: Any  # Layout
    no_bias: Any  # 1: no bias
    activation: Any  # ActivationKind applied to the result, counted as one layer with it
    tied_to: Any  # name of an earlier layer whose parameters this one uses; None: its own


class Linear(_call.Struct):
    """Fully connected: the last dimension becomes `units`. Parameters: in * units, and units for the bias."""

    size: Any  # sizeof(Linear)
    name: Any  # of the layer
    units: Any  # size of the last dimension of the output
    no_bias: Any  # 1: no bias
    activation: Any  # ActivationKind applied to the result, counted as one layer with it
    tied_to: Any  # name of an earlier layer whose parameters this one uses; None: its own


class Pool(_call.Struct):
    """Pooling over windows."""

    size: Any  # sizeof(Pool)
    name: Any  # of the layer
    kernel: Any  # size; a 0 after the first repeats the first
    stride: Any  # a 0 after the first repeats the first
    dilation: Any  # max only
    padding: Any  # elements before and after, at most half the kernel; not repeated
    auto_pad: Any  # AutoPad
    layout: Any  # Layout
    kind: Any  # PoolKind
    ceil_mode: Any  # 1: the last window may begin inside and end outside (PyTorch's ceil_mode)


class AdaptivePool(_call.Struct):
    """Pooling to a given output size."""

    size: Any  # sizeof(AdaptivePool)
    name: Any  # of the layer
    output_size: Any  # size; a 0 after the first repeats the first. All zero: 1
    layout: Any  # Layout
    kind: Any  # PoolKind


class GlobalPool(_call.Struct):
    """Pooling over all spatial dimensions."""

    size: Any  # sizeof(GlobalPool)
    name: Any  # of the layer
    layout: Any  # Layout
    kind: Any  # PoolKind
    keep_dims: Any  # 1: keep the spatial dimensions as 1
    reserved: Any  # 0


class BatchNorm(_call.Struct):
    """Batch normalisation, per channel. Two parameters and two running statistics per channel."""

    size: Any  # sizeof(BatchNorm)
    name: Any  # of the layer
    layout: Any  # Layout
    no_affine: Any  # 1: no scale and shift
    no_running_stats: Any  # 1: no running mean and variance
    reserved: Any  # 0


class LayerNorm(_call.Struct):
    """Layer normalisation over the last `axis_count` dimensions."""

    size: Any  # sizeof(LayerNorm)
    name: Any  # of the layer
    axis_count: Any  # number of last dimensions
    no_affine: Any  # 1: no scale and shift
    no_bias: Any  # 1: scale only


class GroupNorm(_call.Struct):
    """Group normalisation: over `groups` groups of channels."""

    size: Any  # sizeof(GroupNorm)
    name: Any  # of the layer
    groups: Any  # number of groups
    layout: Any  # Layout
    no_affine: Any  # 1: no scale and shift


class InstanceNorm(_call.Struct):
    """Instance normalisation: per image and channel, without parameters unless `affine` is 1."""

    size: Any  # sizeof(InstanceNorm)
    name: Any  # of the layer
    layout: Any  # Layout
    affine: Any  # 1: with scale and shift


class RmsNorm(_call.Struct):
    """Root-mean-square normalisation over the last `axis_count` dimensions."""

    size: Any  # sizeof(RmsNorm)
    name: Any  # of the layer
    axis_count: Any  # number of last dimensions
    no_affine: Any  # 1: no scale
    reserved: Any  # 0


class Activation(_call.Struct):
    """Activation as a layer of its own."""

    size: Any  # sizeof(Activation)
    name: Any  # of the layer
    kind: Any  # ActivationKind
    in_place: Any  # 1: the input's memory becomes the output's, where the framework can
    single_parameter: Any  # PRELU, 1: one parameter for all channels
    layout: Any  # PRELU: Layout


class Softmax(_call.Struct):
    """Softmax over one axis."""

    size: Any  # sizeof(Softmax)
    name: Any  # of the layer
    axis: Any  # counts from the end if negative; 0 means the last
    logarithmic: Any  # 1: log softmax


class Dropout(_call.Struct):
    """Dropout."""

    size: Any  # sizeof(Dropout)
    name: Any  # of the layer
    rate: Any  # share that is dropped, 0 to 1
    channelwise: Any  # 1: whole channels (dropout2d, dropout3d)
    in_place: Any  # 1: in place, where the framework can
    identity: Any  # 1: rate 0, the input itself
    layout: Any  # of `channelwise`: Layout


class Embedding(_call.Struct):
    """Table lookup: adds a last dimension. Parameters: rows * width."""

    size: Any  # sizeof(Embedding)
    name: Any  # of the layer
    num_embeddings: Any  # entries of the table
    embedding_dim: Any  # elements of an entry
    dtype: Any  # Dtype of the table
    reserved: Any  # 0
    tied_to: Any  # name of an earlier layer whose parameters this one uses; None: its own


class Upsample(_call.Struct):
    """Upsampling of the spatial dimensions."""

    size: Any  # sizeof(Upsample)
    name: Any  # of the layer
    scale: Any  # whole factor; a 0 after the first repeats the first
    output_size: Any  # instead of scale: sizes of the output
    kind: Any  # Interpolation
    layout: Any  # Layout


class Pad(_call.Struct):
    """Padding, or cropping, of any axis."""

    size: Any  # sizeof(Pad)
    name: Any  # of the layer
    before: Any  # elements added (pad) or removed (crop) at the start of each axis
    after: Any  # the same at the end
    kind: Any  # PadKind; ignored by crop
    reserved: Any  # 0


class Concat(_call.Struct):
    """Concatenation."""

    size: Any  # sizeof(Concat)
    name: Any  # of the layer
    axis: Any  # counts from the end if negative; see channels
    along_channels: Any  # 1: along the channels of `layout`; `axis` is ignored
    layout: Any  # Layout
    reserved: Any  # 0


class Split(_call.Struct):
    """Split into parts along an axis: `parts` equal ones, or `sizes`. Outputs: network_layer_output()."""

    size: Any  # sizeof(Split)
    name: Any  # of the layer
    sizes: Any  # `parts` sizes; None: equal parts
    parts: Any  # number of parts
    axis: Any  # counts from the end if negative


class Slice(_call.Struct):
    """Part of one axis: elements start, start + step, ... below stop."""

    size: Any  # sizeof(Slice)
    name: Any  # of the layer
    start: Any  # first element
    stop: Any  # one after the last; 0: the end
    step: Any
    axis: Any  # counts from the end if negative
    squeeze: Any  # 1: a single element, and the axis goes (x[:, 3])


class Binary(_call.Struct):
    """Binary operator."""

    size: Any  # sizeof(Binary)
    name: Any  # of the layer
    kind: Any  # BinaryKind
    in_place: Any  # 1: into the first tensor's memory, where the framework can


class Matmul(_call.Struct):
    """Matrix product of the last two dimensions, the others broadcast."""

    size: Any  # sizeof(Matmul)
    name: Any  # of the layer
    transpose_a: Any  # 1: the first matrix is transposed
    transpose_b: Any  # 1: the second matrix is transposed


class Reduce(_call.Struct):
    """Reduction over axes."""

    size: Any  # sizeof(Reduce)
    name: Any  # of the layer
    axes: Any  # `axis_count` axes, from the end if negative
    axis_count: Any  # 0: all axes
    kind: Any  # ReduceKind
    keep_dims: Any  # 1: keep the axes as 1
    reserved: Any  # 0


class Attention(_call.Struct):
    """Scaled dot-product attention of query, key and value [batch, heads, length, width]."""

    size: Any  # sizeof(Attention)
    name: Any  # of the layer
    dropout: Any  # rate of the attention dropout
    causal: Any  # 1: no element attends to a later one
    grouped_query: Any  # 1: fewer key and value heads than query heads


class Recurrent(_call.Struct):
    """Recurrent layers over [length, batch, features]. Outputs: network_layer_output() 0 is the sequence [length,
    batch, directions * width], 1 the last hidden states [layers * directions, batch, width], 2 the last cell states
    (LSTM). Parameters as torch.nn.LSTM: per layer and direction gates * hidden * (input + width) and two biases.
    """

    size: Any  # sizeof(Recurrent)
    name: Any  # of the layer
    hidden_size: Any  # size of the state
    layer_count: Any
    projection_size: Any  # LSTM: width of the projected output; 0: none
    dropout: Any  # between layers
    kind: Any  # RecurrentKind
    bidirectional: Any  # 1: both directions
    batch_first: Any  # 1: input and output are [batch, length, features]
    no_bias: Any  # 1: no biases


class Loss(_call.Struct):
    """Loss: a scalar, or the shape of the target with "none"."""

    size: Any  # sizeof(Loss)
    name: Any  # of the layer
    kind: Any  # LossKind
    reduction: Any  # LossReduction


class CustomRequirements(_call.Struct):
    """What an operator needs for inputs of known shapes."""

    size: Any  # filled by the library
    saved_bytes: Any  # kept from forward to backward, besides inputs and outputs
    forward_workspace_bytes: Any  # needed while the forward pass of the operator runs
    backward_workspace_bytes: Any  # needed while its backward pass runs
    multiply_adds: Any  # multiplications with addition of the forward pass


class Custom(_call.Struct):
    """An operator that is no layer of this library, declared by what it holds. Each number may be an expression
    (network_expression()). A network with a `rule` cannot be written as JSON.

    With an `operation` it is an operator of a framework by the framework's own name. A framework that has a rule of
    that name runs it by that rule, with the layer's inputs (TENSOR_NONE where an optional one is missing), outputs and
    `attributes`; any other takes what is declared, and "pytorch" names it among the unmodelled.
    """

    size: Any  # sizeof(Custom)
    name: Any  # of the layer
    outputs: Any  # `output_count` shapes
    output_count: Any  # at least 1
    parameter_dtype: Any  # Dtype
    parameter_count: Any  # trainable parameters
    saved_bytes: Any  # kept from forward to backward, besides inputs and outputs
    forward_workspace_bytes: Any  # needed while the forward pass of the operator runs
    backward_workspace_bytes: Any  # needed while its backward pass runs
    multiply_adds: Any  # multiplications with addition of the forward pass
    callback: Any  # corrects these numbers in each query; lives as long as the network
    user: Any  # handed to each call of `callback`
    operation: Any  # such as "aten.pow.Tensor_Scalar"; printable ASCII
    attributes: Any  # what else it was called with, such as "dim=1 keepdim=1 size=2,3"; printable ASCII: names [...]


class FitOptions(_call.Struct):
    """What to fit, and from which terms. Zero means the default for every field."""

    size: Any  # sizeof(FitOptions)
    target: Any  # column to predict; positive unless errors are squared. None: the last numeric column.
    inputs: Any  # columns to predict from. None: every other numeric column that is not constant.
    input_count: Any  # number of `inputs`
    weight_column: Any  # column of sample weights; None: every row counts the same
    terms: Any  # formulas in the inputs, offered besides the basis; such as a network's own
    term_count: Any  # number of `terms`
    basis: Any  # FitBasis
    max_terms: Any  # most terms besides the constant, 1 to 8, with coefficients of any sign 1 to 31; fewer below [...]
    reserved: Any  # 0
    threads: Any  # threads to use; the result does not depend on it
    loss: Any  # FitLoss
    reserved_2: Any  # 0
    quantile: Any  # of "pinball", above 0 and below 1. 0: 0.95.
    increasing: Any  # inputs with which the formula must not fall anywhere in the domain
    increasing_count: Any  # number of `increasing`
    decreasing: Any  # inputs with which it must not rise
    decreasing_count: Any  # number of `decreasing`
    units: Any  # units of columns, such as "peak=B" or "speed=m/s": terms of other dimensions than the target's [...]
    unit_count: Any  # number of `units`
    forbidden: Any  # nestings that a searched formula must not have, such as "log(log)", and operations it must [...]
    forbidden_count: Any  # number of `forbidden`
    max_exponent: Any  # greatest power of an input in a product of powers; 0: no other limit than the basis has
    search: Any  # FitSearch
    integer_exponents: Any  # 1: whole powers only, and no logarithms
    non_negative: Any  # 1: only formulas that are nowhere negative in the domain
    change_points: Any  # 1: a change point of one input may be found; 0: none
    seed: Any  # of the search of "evolve": the same seed gives the same model
    max_evaluations: Any  # formulas that enumeration and evolution try at most, on all rows and without folds, [...]
    max_seconds: Any  # that they take at most; what is found then depends on the machine. 0: no limit.
    resume_path: Any  # file that an interrupted search goes on from, written now and then and removed when the [...]
    selection: Any  # FitSelection
    reserved_3: Any  # 0
    capacity: Any  # what runs that ended for lack of memory had, a lower limit of what they needed: in bytes [...]


class PredictOptions(_call.Struct):
    """The bound that is asked for. Zero means the default for every field."""

    size: Any  # sizeof(PredictOptions)
    level: Any  # probability that a new measurement lies below the bound, 0.5 to 0.999
    method: Any  # BoundMethod
    reserved: Any  # 0


class Prediction(_call.Struct):
    """A prediction; `value` and `upper` are of the target's unit."""

    size: Any  # sizeof(Prediction)
    value: Any  # the formula
    upper: Any  # upper prediction bound: a new measurement lies below it with the asked probability. Never below [...]
    extrapolated: Any  # 1 outside the box of the training data, or where `value` is not above 0: the bound is not [...]
    reserved: Any  # 0
    calibration_count: Any  # calibration points: different ones that the bound was found from, each held out in turn
    distribution_free_level: Any  # level that so many points support whatever the errors' distribution, at most [...]
    method: Any  # BoundMethod: which gave the bound. "default": none, `value` is no number to bound
    reserved_2: Any  # 0


class ModelInput(_call.Struct):
    """An input of a model, and its range in the training data."""

    size: Any  # sizeof(ModelInput)
    name: Any  # of its column, owned by the model
    symbol: Any  # how formulas call it: its name, made an identifier. `hidden size` is hidden_size there; names [...]
    min: Any  # smallest value in the training data
    max: Any  # greatest value in the training data
    is_whole: Any  # 1: it takes whole numbers only, as model_check_points() has it
    reserved: Any  # 0


class ModelScores(_call.Struct):
    """How good a fit is."""

    size: Any  # sizeof(ModelScores)
    training_mape: Any  # mean absolute relative error on the rows it was fitted to, as a fraction; NaN where [...]
    loo_mape: Any  # the same with each row predicted by a fit to all others (exact leave-one-out), a fraction
    sample_count: Any  # rows used
    term_count: Any  # terms of the formula, the constant included
    training_error: Any  # root of the mean squared error on the rows it was fitted to: a fraction of the [...]
    loo_error: Any  # the same with each row predicted by these terms fitted to all others
    nested_cv_error: Any  # the same with each row predicted by a formula whose terms, too, were found without it
    baseline_error: Any  # nested_cv_error of the constant predictor: 1 - (nested_cv_error / baseline_error)^2 is [...]
    loss: Any  # FitLoss, never "default"
    reserved: Any  # 0
    noise: Any  # standard deviation of repeated measurements of one point, a fraction of their mean where errors [...]
    noise_dof: Any  # degrees of freedom of `noise`: repeated measurements, less one for each point
    certified: Any  # 1: interval arithmetic proves that the formula is defined and finite wherever the inputs are [...]
    reserved_2: Any  # 0
    censored: Any  # rows of runs that ended early, of which only a lower limit is known; not among `sample_count`


class ModelFrontEntry(_call.Struct):
    """An entry of the Pareto front: a formula that a fit found, selected or not, than which no smaller one has less
    error on rows held out.

    Of positive terms it is the best sum of so many terms, by each row left out, or of so many regimes. For the nested
    cross-validation error the best one is found again without some of the rows; for that of the selected one its size
    is chosen again, too.
    """

    size: Any  # sizeof(ModelFrontEntry)
    node_count: Any  # size of the formula: its numbers, inputs, operators and functions
    term_count: Any  # its terms, the constant included
    loo_error: Any  # leave-one-out error, as in ModelScores; of several regimes nested_cv_error
    nested_cv_error: Any  # nested cross-validation error, as in ModelScores
    selected: Any  # 1: this is the model's formula
    reserved: Any  # 0
    formula: Any  # as text, owned by the model


class SymbolValue(_call.Struct):
    """Value of a symbol."""

    name: Any  # symbol of the network, such as "batch"
    value: Any  # positive


class Job(_call.Struct):
    """How a network is run. Zero means the default for every field.

    Frameworks: "pytorch" simulates every allocation of PyTorch's eager mode; "tensorflow" those of Keras' model.fit on
    one batch of arrays, compiled, with oneDNN on; "onnxruntime" the runs of a session on the CPU; "textbook" counts by
    closed formulas, by the rule in `textbook_rule`:
    - "forward": parameters + input + all layer outputs;
    - "outputs": all layer outputs * batch + parameters, without the input (Eq. 1 + Eq. 2 of the 3D U-Net study);
    - "cs231n": 2 * activations * batch + 3 * parameters + input (Stanford CS231n, notes on convolutional networks);
    - "slots": as cs231n, with the optimizer's true number of slots in place of one: (2 + slots) * parameters.
    """

    size: Any  # sizeof(Job)
    framework: Any  # "pytorch", "tensorflow", "onnxruntime" or "textbook"
    textbook_rule: Any  # of the textbook
    device: Any  # "cpu" or, for "pytorch", "cuda": a GPU, unverified; it needs `gpu`
    optimizer: Any  # "none", "sgd", "momentum", "adam", "adamw", "nadam", "radam", "adamax", "rmsprop", [...]
    isa: Any  # CPU of the job, by its instructions: "avx2", "avx512", "amx" (as "avx512", with 2 MiB of second [...]
    symbols: Any  # `symbol_count` values
    symbol_count: Any  # number of `symbols`
    budget: Any  # bytes of `metric` that the job may take, for a verdict and for what has to fit
    mode: Any  # Mode: what is run
    steps: Any  # steps to simulate
    intra_op_threads: Any  # threads the framework computes with
    metric: Any  # Metric: which bytes a budget limits
    base_bytes: Any  # "tensorflow": of the process just before training begins, with the model built and the [...]
    precision: Any  # "pytorch": "float32", "bfloat16" or, on a GPU, "float16": what torch.autocast() computes the [...]
    checkpoint: Any  # "pytorch": scopes whose inside is computed again in the backward pass, as by [...]
    gpu: Any  # kind of GPU, such as "h200", which makes "cuda" the device; an error with another
    allocator_settings: Any  # settings of the GPU's allocator, as in PYTORCH_ALLOC_CONF: [...]
    graph_optimization: Any  # "onnxruntime": how far it rewrites the graph before it runs: "disable", "basic", [...]
    gradient_accumulation: Any  # "pytorch": batches whose gradients are added up before each step of the optimizer
    keep_gradients: Any  # "pytorch": 1: gradients are set to zero after a step, not released: [...]


class MonitorOptions(_call.Struct):
    """How to watch. Zero means the default for every field."""

    size: Any  # sizeof(MonitorOptions)
    interval_seconds: Any  # time between readings of monitor_run(), >= 0.001
    max_points: Any  # greatest number of points kept for the memory timeline, >= 2
    is_child: Any  # 1: the process is a child of this one, and the monitor waits for it (wait4) when it ends. [...]
    pss: Any  # 1: look at PSS at each reading. 0: only as often as it costs little
    limit: Any  # more than which the caller acts on: a reading of several processes that seems to be above it [...]
    cgroup: Any  # 1: make a control group for the process, below its own, where this is allowed, and move it [...]
    orphans: Any  # 1: each child of this process belongs to the tree, and is waited for: for a caller that gets [...]


class MonitorReading(_call.Struct):
    """The tree at one time. A metric that is not available is -1."""

    size: Any  # sizeof(MonitorReading), set by the caller
    time: Any  # Unix time
    previous_time: Any  # Unix time of the reading before; in the first, when watching began
    rss: Any  # resident memory now
    high_water: Any  # most resident memory since the previous reading, never below `rss`
    pss: Any  # proportional share now; -1 at readings that did not look at it
    cgroup: Any  # memory of the process's cgroup now (version 2: memory.current, version 1: [...]
    process_count: Any  # processes that count
    exited: Any  # 1 if the watched process has ended; its descendants may live on
    charge: Any  # `rss` with pages that processes share counted once, as far as is known
    charge_high: Any  # `high_water` with pages that processes share counted once, as far as is known; never below [...]


class MonitorResult(_call.Struct):
    """All readings so far. A metric that is not available is -1."""

    size: Any  # sizeof(MonitorResult), set by the caller
    start_time: Any  # Unix time when watching began, by monitor_new()
    seconds: Any  # from `start_time` to the last reading
    reading_count: Any  # number of readings
    peak: Any  # most resident memory of the tree, shared pages counted once: the greatest `charge_high`, less [...]
    peak_sampled: Any  # greatest `rss` of a reading, as a poller without marks sees it
    peak_process: Any  # greatest mark of any single process
    peak_pss: Any  # greatest `pss` of a reading
    peak_cgroup: Any  # most memory of the cgroup while watching (its memory now, and its own peak if that rose: [...]
    process_count: Any  # processes that ever counted
    exited: Any  # 1 if the watched process has ended
    exit_code: Any  # of a child that exited; -1 otherwise
    exit_signal: Any  # signal that ended a child; 0 otherwise
    peak_rss: Any  # the greatest `high_water`: shared pages counted in each process
    pss_seconds: Any  # processor time that looking at PSS took
    pss_readings: Any  # readings that looked at PSS
    own_cgroup: Any  # 1 if the cgroup was made for the tree, so that nothing else is in `peak_cgroup`


class MonitorPoint(_call.Struct):
    """A point of the memory timeline."""

    time: Any  # Unix time
    bytes: Any  # resident memory of the tree


class OnnxOptions(_call.Struct):
    """How an ONNX file is read. Zero means the default for every field."""

    size: Any  # sizeof(OnnxOptions)
    batch_symbol: Any  # a symbol that takes the place of each input's first dimension; None: as the file says
    frozen: Any  # 1: no weight is trained
    reserved: Any  # 0


class OptimizationStep(_call.Struct):
    """A technique, and what it gave."""

    size: Any  # sizeof(OptimizationStep)
    peak: Any  # of the job after it
    overhead: Any  # time or multiplications that it adds: 0.1 is 10 % more. Below 0 for a batch that is so small [...]
    detail: Any  # what was chosen: job->checkpoint for recompute, "48 x 48 x 36, 8 tiles", "batch=4"; where [...]
    technique: Any  # Technique
    applied: Any  # 1: it needs less than what was before; 0: it cannot be had here, or gives nothing


class OptimizationResult(_call.Struct):
    """The result of an optimization."""

    size: Any  # sizeof(OptimizationResult)
    peak: Any  # with all that was applied
    batch: Any  # value of the symbol "batch"; 0: there is none
    overhead: Any  # of all that was applied together: 0.1 is 10 % more
    checkpoint: Any  # what to give as job->checkpoint; "" for nothing. Owned by the optimization
    summary: Any  # what was done and what each step gave, a paragraph in English. Owned by the optimization
    verdict: Any  # Verdict: whether the peak is within the budget
    metric: Any  # Metric of a training's peaks; 0 for an inference, planned and not run


class TraceEvent(_call.Struct):
    """One allocation or release."""

    size: Any  # sizeof(TraceEvent)
    bytes: Any  # positive: allocated; negative: released
    live: Any  # live after it
    role: Any  # what the memory is, such as "output" or "weight"; owned by the trace
    layer: Any  # layer it belongs to, "" if none; owned by the trace
    block: Any  # which allocation: the same number for its allocation and its release
    step: Any  # from 1; 0 before the first
    category: Any  # Category of the block
    phase: Any  # Phase
    times: Any  # how often it happens: 1, or, of a time step that stands for others like it, how many those are


class PlanBuffer(_call.Struct):
    """A buffer. Zero means the default for every field but `bytes` and `upper`."""

    size: Any  # sizeof(PlanBuffer)
    name: Any  # for errors, files and pictures
    bytes: Any  # above 0
    lower: Any  # first moment at which it is in use, not below -2^62; the unit is the caller's, such as the [...]
    upper: Any  # first moment at which it is no more, above `lower` and below 2^62
    alignment: Any  # a power of two that the offset is a multiple of
    offset: Any  # where it has to lie, if `fixed`, 0 or more; of plan_get_buffer() where it lies, -1 if the plan [...]
    fixed: Any  # 1: at `offset` and nowhere else
    reserved: Any  # 0


class PlanResult(_call.Struct):
    """The result of a plan."""

    size: Any  # sizeof(PlanResult)
    peak: Any  # bytes that the arena needs
    lower_bound: Any  # no plan needs less: the greatest sum of bytes in use at a moment, or more where a search [...]
    total_bytes: Any  # all buffers side by side, without reuse
    node_count: Any  # placements that the search tried
    seconds: Any  # that it took
    status: Any  # SearchStatus
    reserved: Any  # 0


class PlanOptions(_call.Struct):
    """How a plan is searched for. Zero means the default for every field."""

    size: Any  # sizeof(PlanOptions)
    budget: Any  # stop at a plan that needs no more than this
    max_nodes: Any  # most placements to try; the answer is the same on every machine
    max_seconds: Any  # most time to take; the answer depends on the machine


class ChainBlock(_call.Struct):
    """A block of a chain. Costs are in any unit, the same for all blocks."""

    size: Any  # sizeof(ChainBlock)
    name: Any  # for errors
    input_bytes: Any  # of its input, which is what a checkpoint keeps
    saved_bytes: Any  # that it keeps for its backward pass besides its input, its output included: no less than [...]
    forward_workspace_bytes: Any  # besides these, while it runs forward
    backward_workspace_bytes: Any  # besides these and the gradients of its output and its input, while it runs backward
    forward_cost: Any  # of running it forward, 0 or more
    backward_cost: Any  # of running it backward, 0 or more


class ChainStep(_call.Struct):
    """A step of a schedule."""

    size: Any  # sizeof(ChainStep)
    operation: Any  # ChainOperation
    block: Any  # number of the block, from 0
    live: Any  # bytes that are held after it
    peak: Any  # bytes in use during it


class ChainResult(_call.Struct):
    """What a chain came to."""

    size: Any  # sizeof(ChainResult)
    peak: Any  # most bytes in use at a time
    min_peak: Any  # the least peak that a schedule has
    max_peak: Any  # the peak where nothing is computed twice
    cost: Any  # of the schedule
    min_cost: Any  # where nothing is computed twice
    status: Any  # SearchStatus: OPTIMAL, or INFEASIBLE: the schedule has the least peak then
    reserved: Any  # 0


class ChainOptions(_call.Struct):
    """How a chain is solved. Zero means the default for every field but the budget."""

    size: Any  # sizeof(ChainOptions)
    budget: Any  # that everything has to fit in: inputs, what is kept, gradients; above 0
    slots: Any  # that it is divided into, 1 to 100000


class RecomputationResult(_call.Struct):
    """The result of a search."""

    size: Any  # sizeof(RecomputationResult)
    peak_baseline: Any  # peak of the job with nothing wrapped
    peak: Any  # peak of the selected point
    min_peak: Any  # least peak that was found
    simulation_count: Any  # that the search took
    overhead: Any  # of a step's time, for what is computed again of the selected point: 0.1 is 10 %
    selected_point: Any  # number of the selected point of the curve
    verdict: Any  # Verdict: whether the selected point is within the budget; if not, it has the least peak
    status: Any  # SearchStatus: CONVERGED, LIMIT or CANCELLED
    metric: Any  # Metric of all peaks, never "default"


class RecomputationPoint(_call.Struct):
    """A point of the curve: no other that was found is better in both peak and time."""

    size: Any  # sizeof(RecomputationPoint)
    peak: Any  # of the job so wrapped, of the result's metric
    overhead: Any  # of a step's time: 0.1 is 10 %
    segment_count: Any  # that are wrapped, a group of several as one
    checkpoint: Any  # these as memmodel_job.checkpoint has them, in few patterns: "encoder.*"; "" for none. Owned [...]


class LayerCost(_call.Struct):
    """What running a part of the forward pass once costs."""

    name: Any  # a layer, or a scope, whose cost its layers share as they do operations
    cost: Any  # in any unit, such as seconds that were measured, 0 or more


class RecomputeOptions(_call.Struct):
    """How recompute() searches. Zero means the default for every field."""

    size: Any  # sizeof(RecomputeOptions)
    costs: Any  # what parts of the forward pass cost; parts without a cost then cost nothing, and the last that [...]
    cost_count: Any  # number of `costs`
    max_simulations: Any  # 2 to 1000000


class ReplayOptions(_call.Struct):
    """How a trace is replayed."""

    size: Any  # sizeof(ReplayOptions)
    allocator: Any  # "exact": what is asked for; "cuda_caching": PyTorch's on a CUDA device, as of version 2.13; [...]
    allocator_settings: Any  # of cuda_caching: as in PYTORCH_ALLOC_CONF, such as "expandable_segments:True"; of [...]
    capacity: Any  # of the device
    max_events: Any  # stop after so many, to see the segments then


class ReplayUsage(_call.Struct):
    """Bytes after an event."""

    size: Any  # sizeof(ReplayUsage)
    requested: Any  # asked for, of what may not be used again yet
    allocated: Any  # of live blocks, with what rounding adds
    active: Any  # the same with released blocks that other streams still use
    reserved: Any  # taken from the system
    resident: Any  # resident: pages ever written and still held; -1 if the allocator is not modelled by pages


class ReplayResult(_call.Struct):
    """The result of a replay."""

    size: Any  # sizeof(ReplayResult)
    peak_requested: Any  # most that was asked for at once
    peak_allocated: Any  # most in live blocks
    peak_active: Any  # most in blocks that were not free
    peak_reserved: Any  # most taken from the system
    peak_resident: Any  # most resident; -1 if not modelled
    peak_event: Any  # first event at which `peak_reserved` is reached; -1: no events
    oom_event: Any  # event whose allocation the device refused, the last one replayed; -1: none
    retry_count: Any  # times that unused memory had to be given back first
    event_count: Any  # how many were replayed


class ReplayBlock(_call.Struct):
    """A block of a segment at the end of a replay."""

    size: Any  # sizeof(ReplayBlock)
    segment: Any  # address of its segment; only the order of addresses means something
    address: Any  # its own
    bytes: Any  # of the block
    requested: Any  # of that, asked for; 0: free
    stream: Any  # of the device that it belongs to
    block: Any  # of the trace, as in TraceEvent; -1: free
    state: Any  # BlockState
    large: Any  # 1: of the pool for large requests
    expandable: Any  # 1: its segment grows


class ReportResult(_call.Struct):
    """The result of an estimate: three peaks over all steps, and whether the job fits."""

    size: Any  # sizeof(ReportResult)
    live: Any  # peak of live tensors; on a GPU of their blocks, as torch.cuda.memory_allocated() counts
    reserved: Any  # peak of what the framework's allocator takes from the system
    process: Any  # peak of the process: its base, and what the framework's allocator holds, for "pytorch" on a [...]
    budget: Any  # of the job; 0: none
    headroom: Any  # the budget less the peak of `metric`; below 0 so much is missing. 0 without a verdict.
    peak_location: Any  # layer, its operator, phase and step of the peak, such as "decoder.3.conv1 (conv), [...]
    assumptions: Any  # of the formulas, such as "dim is a multiple of 16"; "" for none. Owned by the report
    metric: Any  # Metric, never the default: what the budget limits and savings count
    verdict: Any  # Verdict
    step_count: Any  # steps that were simulated; 1 for the textbook
    validated: Any  # 1: the bytes of such jobs were compared with measurements (doc/accuracy.md); 0 for the [...]


class ReportUnmodelled(_call.Struct):
    """An operator that the framework's rules do not know, estimated by its outputs alone."""

    size: Any  # sizeof(ReportUnmodelled)
    op: Any  # its name, owned by the report
    bytes: Any  # of its outputs


class ReportLayer(_call.Struct):
    """A row of the per-layer table."""

    size: Any  # sizeof(ReportLayer)
    name: Any  # full name, owned by the report
    op: Any  # operator, such as "conv"
    shape: Any  # shape of the (first) output with the job's numbers, such as "2x16x32x32x32"
    symbolic_shape: Any  # the same in symbols, such as "batch x 16 x dim x dim x dim"
    activation_count: Any  # elements of all outputs; 0 for inputs and parameters
    output_bytes: Any  # of all outputs
    parameter_count: Any  # elements, moving statistics included; shared ones count where they are owned
    trainable_count: Any  # of them, elements that are trained
    parameter_bytes: Any  # of `parameter_count`
    multiply_adds: Any  # multiplications with addition in the forward pass
    peak_bytes: Any  # of this layer, live at the peak
    peak_by_category: Any  # the same by Category


class ReportChange(_call.Struct):
    """A change of a job that may save memory, and what the changed job needs."""

    size: Any  # sizeof(ReportChange)
    name: Any  # what is changed, such as "optimizer sgd" or "batch 32"; owned by the report
    live: Any  # peak of the changed job, as in ReportResult
    reserved: Any  # the same
    process: Any  # the same; -1 if not modelled
    saving: Any  # how much less than without the change, of the report's metric; below 0: more


class ScheduleOptions(_call.Struct):
    """How a network runs without a backward pass. Zero means the default for every field."""

    size: Any  # sizeof(ScheduleOptions)
    symbols: Any  # `symbol_count` values
    symbol_count: Any  # number of `symbols`
    plan: Any  # how the plan is searched for; its budget and limits. None: the defaults of plan_solve().
    disabled_passes: Any  # what to do without: a sum of SchedulePass
    alignment: Any  # of each buffer, a power of two. Parts of others lie where they lie.
    include_parameters: Any  # 1: weights lie in the arena too, all the time; else they are constants elsewhere
    reserved: Any  # 0


class ScheduleResult(_call.Struct):
    """The result of a schedule."""

    size: Any  # sizeof(ScheduleResult)
    tensor_bytes: Any  # inputs and what each layer makes, each in memory of its own; what only looks at another [...]
    parameter_bytes: Any  # weights, each once
    peak: Any  # of the plan
    lower_bound: Any  # no plan of these buffers in this order needs less
    multiply_adds: Any  # multiplications with addition of all layers; -1: more than 63 bits can say
    peak_program_order: Any  # of the plan in the order of the builder calls; `peak` is lower if another order was found


class ScheduleOperator(_call.Struct):
    """An operator of a schedule."""

    size: Any  # sizeof(ScheduleOperator)
    name: Any  # of the layer that makes its output, owned by the schedule
    first_layer: Any  # index of the first layer that it runs, in the order of the builder calls
    last_layer: Any  # index of the layer that makes its output: the same, or the last of its steps
    live: Any  # in use while it runs
    is_noop: Any  # 1: its outputs are where they belong already
    reserved: Any  # 0


class TilingAxis(_call.Struct):
    """A spatial axis of a tiling."""

    size: Any  # sizeof(TilingAxis)
    extent: Any  # of the input
    alignment: Any  # tiles begin at multiples of it: the network's strides together
    halo_before: Any  # of the input that is needed before what lies under a tile's output
    halo_after: Any  # the same behind it
    stride: Any  # from a tile to the next: of the input, without what is around
    tile_count: Any  # tiles along this axis
    max_extent: Any  # extent of the largest tile's input, with what is around


class TilingRange(_call.Struct):
    """Where a tile lies along an axis."""

    size: Any  # sizeof(TilingRange)
    input_start: Any  # first element of the input that the tile reads
    input_stop: Any  # one after the last
    output_start: Any  # first element of the output that is right in it
    output_stop: Any  # one after the last
    crop: Any  # elements of the tile's own output before `output_start`


class TilingResult(_call.Struct):
    """The result of a tiling."""

    size: Any  # sizeof(TilingResult)
    peak: Any  # of the largest tile's plan
    peak_untiled: Any  # of the plan without tiles
    tensor_bytes: Any  # all tensors without tiles and without reuse
    tile_count: Any  # in all
    overhead: Any  # multiplications with addition of all tiles against those without: 0.1 are 10 % more
    verdict: Any  # Verdict: whether the peak is within the budget; if not, no tiles need less
    reserved: Any  # 0


AllocateCallback = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_as_allocate_callback = _call.callback(AllocateCallback, None, None, _call.same)
ReallocateCallback = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_as_reallocate_callback = _call.callback(ReallocateCallback, None, None, _call.same, _call.same)
DeallocateCallback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_as_deallocate_callback = _call.callback(DeallocateCallback, None, None, _call.same)
LogCallback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
_as_log_callback = _call.callback(LogCallback, None, None, _call.decoded_argument)
ProgressCallback = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(Progress))
_as_progress_callback = _call.callback(ProgressCallback, -1, None, _call.copied)
CustomCallback = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Shape),
    ctypes.c_size_t,
    ctypes.POINTER(CustomRequirements),
)
_as_custom_callback = _call.callback(CustomCallback, -1, None, _call.elements(2), None, _call.returned)
FormulaFunction = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double))
_as_formula_function = _call.callback(FormulaFunction, -1, _call.same)
MonitorCallback = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(MonitorReading))
_as_monitor_callback = _call.callback(MonitorCallback, -1, None, _call.copied)


Allocator._sized = True
Allocator._fields_ = [
    ("size", ctypes.c_size_t),
    ("allocate", AllocateCallback),
    ("reallocate", ReallocateCallback),
    ("deallocate", DeallocateCallback),
    ("user", ctypes.c_void_p),
]
Allocator._converters = {
    "allocate": _as_allocate_callback,
    "reallocate": _as_reallocate_callback,
    "deallocate": _as_deallocate_callback,
}

Limits._sized = True
Limits._fields_ = [
    ("size", ctypes.c_size_t),
    ("memory_bytes", ctypes.c_int64),
    ("input_bytes", ctypes.c_int64),
    ("nodes", ctypes.c_int64),
    ("layers", ctypes.c_int64),
    ("seconds", ctypes.c_double),
]
Limits._converters = {
    "memory_bytes": _call.int64,
    "input_bytes": _call.int64,
    "nodes": _call.int64,
    "layers": _call.int64,
    "seconds": _call.double,
}

Error._sized = True
Error._fields_ = [
    ("size", ctypes.c_size_t),
    ("status", ctypes.c_int32),
    ("line", ctypes.c_int32),
    ("column", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
    ("message", ctypes.c_char_p),
    ("object", ctypes.c_char_p),
]
Error._converters = {
    "status": _call.enum(Status),
    "line": _call.int32,
    "column": _call.int32,
    "message": _call.text,
    "object": _call.text,
}

Progress._sized = True
Progress._fields_ = [
    ("size", ctypes.c_size_t),
    ("stage", ctypes.c_char_p),
    ("done", ctypes.c_int64),
    ("total", ctypes.c_int64),
    ("seconds", ctypes.c_double),
    ("best", ctypes.c_double),
]
Progress._converters = {
    "stage": _call.text,
    "done": _call.int64,
    "total": _call.int64,
    "seconds": _call.double,
    "best": _call.double,
}

AdviseOptions._sized = True
AdviseOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("target", ctypes.c_char_p),
    ("domain", ctypes.POINTER(ctypes.c_char_p)),
    ("domain_count", ctypes.c_size_t),
    ("cost", ctypes.c_char_p),
    ("target_error", ctypes.c_double),
    ("noise", ctypes.c_double),
    ("count", ctypes.c_int64),
    ("candidates", ctypes.c_void_p),
]
AdviseOptions._converters = {
    "target": _call.optional(_call.text),
    "domain": _call.optional(_call.texts),
    "domain_count": _call.size,
    "cost": _call.optional(_call.text),
    "target_error": _call.double,
    "noise": _call.double,
    "count": _call.int64,
    "candidates": _call.handle(SamplesHandle),
}
AdviseOptions._counts = {
    "domain": "domain_count",
}

AdviseResult._sized = True
AdviseResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("expected_error", ctypes.c_double),
    ("needed_count", ctypes.c_int64),
]
AdviseResult._converters = {
    "expected_error": _call.double,
    "needed_count": _call.int64,
}

Shape._sized = False
Shape._fields_ = [
    ("dims", ctypes.c_int64 * 8),
    ("rank", ctypes.c_int32),
    ("dtype", ctypes.c_int32),
]
Shape._converters = {
    "dims": _call.fixed(ctypes.c_int64, 8, _call.int64),
    "rank": _call.int32,
    "dtype": _call.enum(Dtype),
}
Shape._counts = {
    "dims": "rank",
}

Conv._sized = True
Conv._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("filters", ctypes.c_int64),
    ("kernel", ctypes.c_int64 * 3),
    ("stride", ctypes.c_int64 * 3),
    ("dilation", ctypes.c_int64 * 3),
    ("padding", ctypes.c_int64 * 3),
    ("output_padding", ctypes.c_int64 * 3),
    ("groups", ctypes.c_int64),
    ("auto_pad", ctypes.c_int32),
    ("layout", ctypes.c_int32),
    ("no_bias", ctypes.c_int32),
    ("activation", ctypes.c_int32),
    ("tied_to", ctypes.c_char_p),
]
Conv._converters = {
    "name": _call.optional(_call.text),
    "filters": _call.int64,
    "kernel": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "stride": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "dilation": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "padding": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "output_padding": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "groups": _call.int64,
    "auto_pad": _call.enum(AutoPad),
    "layout": _call.enum(Layout),
    "no_bias": _call.int32,
    "activation": _call.enum(ActivationKind),
    "tied_to": _call.optional(_call.text),
}

Linear._sized = True
Linear._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("units", ctypes.c_int64),
    ("no_bias", ctypes.c_int32),
    ("activation", ctypes.c_int32),
    ("tied_to", ctypes.c_char_p),
]
Linear._converters = {
    "name": _call.optional(_call.text),
    "units": _call.int64,
    "no_bias": _call.int32,
    "activation": _call.enum(ActivationKind),
    "tied_to": _call.optional(_call.text),
}

Pool._sized = True
Pool._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("kernel", ctypes.c_int64 * 3),
    ("stride", ctypes.c_int64 * 3),
    ("dilation", ctypes.c_int64 * 3),
    ("padding", ctypes.c_int64 * 3),
    ("auto_pad", ctypes.c_int32),
    ("layout", ctypes.c_int32),
    ("kind", ctypes.c_int32),
    ("ceil_mode", ctypes.c_int32),
]
Pool._converters = {
    "name": _call.optional(_call.text),
    "kernel": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "stride": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "dilation": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "padding": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "auto_pad": _call.enum(AutoPad),
    "layout": _call.enum(Layout),
    "kind": _call.enum(PoolKind),
    "ceil_mode": _call.int32,
}

AdaptivePool._sized = True
AdaptivePool._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("output_size", ctypes.c_int64 * 3),
    ("layout", ctypes.c_int32),
    ("kind", ctypes.c_int32),
]
AdaptivePool._converters = {
    "name": _call.optional(_call.text),
    "output_size": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "layout": _call.enum(Layout),
    "kind": _call.enum(PoolKind),
}

GlobalPool._sized = True
GlobalPool._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("layout", ctypes.c_int32),
    ("kind", ctypes.c_int32),
    ("keep_dims", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
GlobalPool._converters = {
    "name": _call.optional(_call.text),
    "layout": _call.enum(Layout),
    "kind": _call.enum(PoolKind),
    "keep_dims": _call.int32,
}

BatchNorm._sized = True
BatchNorm._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("layout", ctypes.c_int32),
    ("no_affine", ctypes.c_int32),
    ("no_running_stats", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
BatchNorm._converters = {
    "name": _call.optional(_call.text),
    "layout": _call.enum(Layout),
    "no_affine": _call.int32,
    "no_running_stats": _call.int32,
}

LayerNorm._sized = True
LayerNorm._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("axis_count", ctypes.c_int64),
    ("no_affine", ctypes.c_int32),
    ("no_bias", ctypes.c_int32),
]
LayerNorm._converters = {
    "name": _call.optional(_call.text),
    "axis_count": _call.int64,
    "no_affine": _call.int32,
    "no_bias": _call.int32,
}

GroupNorm._sized = True
GroupNorm._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("groups", ctypes.c_int64),
    ("layout", ctypes.c_int32),
    ("no_affine", ctypes.c_int32),
]
GroupNorm._converters = {
    "name": _call.optional(_call.text),
    "groups": _call.int64,
    "layout": _call.enum(Layout),
    "no_affine": _call.int32,
}

InstanceNorm._sized = True
InstanceNorm._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("layout", ctypes.c_int32),
    ("affine", ctypes.c_int32),
]
InstanceNorm._converters = {
    "name": _call.optional(_call.text),
    "layout": _call.enum(Layout),
    "affine": _call.int32,
}

RmsNorm._sized = True
RmsNorm._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("axis_count", ctypes.c_int64),
    ("no_affine", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
RmsNorm._converters = {
    "name": _call.optional(_call.text),
    "axis_count": _call.int64,
    "no_affine": _call.int32,
}

Activation._sized = True
Activation._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("kind", ctypes.c_int32),
    ("in_place", ctypes.c_int32),
    ("single_parameter", ctypes.c_int32),
    ("layout", ctypes.c_int32),
]
Activation._converters = {
    "name": _call.optional(_call.text),
    "kind": _call.enum(ActivationKind),
    "in_place": _call.int32,
    "single_parameter": _call.int32,
    "layout": _call.enum(Layout),
}

Softmax._sized = True
Softmax._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("axis", ctypes.c_int32),
    ("logarithmic", ctypes.c_int32),
]
Softmax._converters = {
    "name": _call.optional(_call.text),
    "axis": _call.int32,
    "logarithmic": _call.int32,
}

Dropout._sized = True
Dropout._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("rate", ctypes.c_double),
    ("channelwise", ctypes.c_int32),
    ("in_place", ctypes.c_int32),
    ("identity", ctypes.c_int32),
    ("layout", ctypes.c_int32),
]
Dropout._converters = {
    "name": _call.optional(_call.text),
    "rate": _call.double,
    "channelwise": _call.int32,
    "in_place": _call.int32,
    "identity": _call.int32,
    "layout": _call.enum(Layout),
}

Embedding._sized = True
Embedding._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("num_embeddings", ctypes.c_int64),
    ("embedding_dim", ctypes.c_int64),
    ("dtype", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
    ("tied_to", ctypes.c_char_p),
]
Embedding._converters = {
    "name": _call.optional(_call.text),
    "num_embeddings": _call.int64,
    "embedding_dim": _call.int64,
    "dtype": _call.enum(Dtype),
    "tied_to": _call.optional(_call.text),
}

Upsample._sized = True
Upsample._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("scale", ctypes.c_int64 * 3),
    ("output_size", ctypes.c_int64 * 3),
    ("kind", ctypes.c_int32),
    ("layout", ctypes.c_int32),
]
Upsample._converters = {
    "name": _call.optional(_call.text),
    "scale": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "output_size": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "kind": _call.enum(Interpolation),
    "layout": _call.enum(Layout),
}

Pad._sized = True
Pad._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("before", ctypes.c_int64 * 8),
    ("after", ctypes.c_int64 * 8),
    ("kind", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
Pad._converters = {
    "name": _call.optional(_call.text),
    "before": _call.fixed(ctypes.c_int64, 8, _call.int64),
    "after": _call.fixed(ctypes.c_int64, 8, _call.int64),
    "kind": _call.enum(PadKind),
}

Concat._sized = True
Concat._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("axis", ctypes.c_int32),
    ("along_channels", ctypes.c_int32),
    ("layout", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
Concat._converters = {
    "name": _call.optional(_call.text),
    "axis": _call.int32,
    "along_channels": _call.int32,
    "layout": _call.enum(Layout),
}

Split._sized = True
Split._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("sizes", ctypes.POINTER(ctypes.c_int64)),
    ("parts", ctypes.c_int32),
    ("axis", ctypes.c_int32),
]
Split._converters = {
    "name": _call.optional(_call.text),
    "sizes": _call.optional(_call.int64s),
    "parts": _call.int32,
    "axis": _call.int32,
}
Split._counts = {
    "sizes": "parts",
}

Slice._sized = True
Slice._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("start", ctypes.c_int64),
    ("stop", ctypes.c_int64),
    ("step", ctypes.c_int64),
    ("axis", ctypes.c_int32),
    ("squeeze", ctypes.c_int32),
]
Slice._converters = {
    "name": _call.optional(_call.text),
    "start": _call.int64,
    "stop": _call.int64,
    "step": _call.int64,
    "axis": _call.int32,
    "squeeze": _call.int32,
}

Binary._sized = True
Binary._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("kind", ctypes.c_int32),
    ("in_place", ctypes.c_int32),
]
Binary._converters = {
    "name": _call.optional(_call.text),
    "kind": _call.enum(BinaryKind),
    "in_place": _call.int32,
}

Matmul._sized = True
Matmul._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("transpose_a", ctypes.c_int32),
    ("transpose_b", ctypes.c_int32),
]
Matmul._converters = {
    "name": _call.optional(_call.text),
    "transpose_a": _call.int32,
    "transpose_b": _call.int32,
}

Reduce._sized = True
Reduce._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("axes", ctypes.c_int32 * 8),
    ("axis_count", ctypes.c_int32),
    ("kind", ctypes.c_int32),
    ("keep_dims", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
Reduce._converters = {
    "name": _call.optional(_call.text),
    "axes": _call.fixed(ctypes.c_int32, 8, _call.int32),
    "axis_count": _call.int32,
    "kind": _call.enum(ReduceKind),
    "keep_dims": _call.int32,
}
Reduce._counts = {
    "axes": "axis_count",
}

Attention._sized = True
Attention._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("dropout", ctypes.c_double),
    ("causal", ctypes.c_int32),
    ("grouped_query", ctypes.c_int32),
]
Attention._converters = {
    "name": _call.optional(_call.text),
    "dropout": _call.double,
    "causal": _call.int32,
    "grouped_query": _call.int32,
}

Recurrent._sized = True
Recurrent._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("hidden_size", ctypes.c_int64),
    ("layer_count", ctypes.c_int64),
    ("projection_size", ctypes.c_int64),
    ("dropout", ctypes.c_double),
    ("kind", ctypes.c_int32),
    ("bidirectional", ctypes.c_int32),
    ("batch_first", ctypes.c_int32),
    ("no_bias", ctypes.c_int32),
]
Recurrent._converters = {
    "name": _call.optional(_call.text),
    "hidden_size": _call.int64,
    "layer_count": _call.int64,
    "projection_size": _call.int64,
    "dropout": _call.double,
    "kind": _call.enum(RecurrentKind),
    "bidirectional": _call.int32,
    "batch_first": _call.int32,
    "no_bias": _call.int32,
}

Loss._sized = True
Loss._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("kind", ctypes.c_int32),
    ("reduction", ctypes.c_int32),
]
Loss._converters = {
    "name": _call.optional(_call.text),
    "kind": _call.enum(LossKind),
    "reduction": _call.enum(LossReduction),
}

CustomRequirements._sized = True
CustomRequirements._fields_ = [
    ("size", ctypes.c_size_t),
    ("saved_bytes", ctypes.c_int64),
    ("forward_workspace_bytes", ctypes.c_int64),
    ("backward_workspace_bytes", ctypes.c_int64),
    ("multiply_adds", ctypes.c_int64),
]
CustomRequirements._converters = {
    "saved_bytes": _call.int64,
    "forward_workspace_bytes": _call.int64,
    "backward_workspace_bytes": _call.int64,
    "multiply_adds": _call.int64,
}

Custom._sized = True
Custom._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("outputs", ctypes.POINTER(Shape)),
    ("output_count", ctypes.c_int32),
    ("parameter_dtype", ctypes.c_int32),
    ("parameter_count", ctypes.c_int64),
    ("saved_bytes", ctypes.c_int64),
    ("forward_workspace_bytes", ctypes.c_int64),
    ("backward_workspace_bytes", ctypes.c_int64),
    ("multiply_adds", ctypes.c_int64),
    ("callback", CustomCallback),
    ("user", ctypes.c_void_p),
    ("operation", ctypes.c_char_p),
    ("attributes", ctypes.c_char_p),
]
Custom._converters = {
    "name": _call.optional(_call.text),
    "outputs": _call.structs(Shape),
    "output_count": _call.int32,
    "parameter_dtype": _call.enum(Dtype),
    "parameter_count": _call.int64,
    "saved_bytes": _call.int64,
    "forward_workspace_bytes": _call.int64,
    "backward_workspace_bytes": _call.int64,
    "multiply_adds": _call.int64,
    "callback": _as_custom_callback,
    "operation": _call.optional(_call.text),
    "attributes": _call.optional(_call.text),
}
Custom._counts = {
    "outputs": "output_count",
}

FitOptions._sized = True
FitOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("target", ctypes.c_char_p),
    ("inputs", ctypes.POINTER(ctypes.c_char_p)),
    ("input_count", ctypes.c_size_t),
    ("weight_column", ctypes.c_char_p),
    ("terms", ctypes.POINTER(ctypes.c_char_p)),
    ("term_count", ctypes.c_size_t),
    ("basis", ctypes.c_int32),
    ("max_terms", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
    ("threads", ctypes.c_int32),
    ("loss", ctypes.c_int32),
    ("reserved_2", ctypes.c_int32),
    ("quantile", ctypes.c_double),
    ("increasing", ctypes.POINTER(ctypes.c_char_p)),
    ("increasing_count", ctypes.c_size_t),
    ("decreasing", ctypes.POINTER(ctypes.c_char_p)),
    ("decreasing_count", ctypes.c_size_t),
    ("units", ctypes.POINTER(ctypes.c_char_p)),
    ("unit_count", ctypes.c_size_t),
    ("forbidden", ctypes.POINTER(ctypes.c_char_p)),
    ("forbidden_count", ctypes.c_size_t),
    ("max_exponent", ctypes.c_double),
    ("search", ctypes.c_int32),
    ("integer_exponents", ctypes.c_int32),
    ("non_negative", ctypes.c_int32),
    ("change_points", ctypes.c_int32),
    ("seed", ctypes.c_int64),
    ("max_evaluations", ctypes.c_int64),
    ("max_seconds", ctypes.c_double),
    ("resume_path", ctypes.c_char_p),
    ("selection", ctypes.c_int32),
    ("reserved_3", ctypes.c_int32),
    ("capacity", ctypes.c_double),
]
FitOptions._converters = {
    "target": _call.optional(_call.text),
    "inputs": _call.optional(_call.texts),
    "input_count": _call.size,
    "weight_column": _call.optional(_call.text),
    "terms": _call.optional(_call.texts),
    "term_count": _call.size,
    "basis": _call.enum(FitBasis),
    "max_terms": _call.int32,
    "threads": _call.int32,
    "loss": _call.enum(FitLoss),
    "reserved_2": _call.int32,
    "quantile": _call.double,
    "increasing": _call.optional(_call.texts),
    "increasing_count": _call.size,
    "decreasing": _call.optional(_call.texts),
    "decreasing_count": _call.size,
    "units": _call.optional(_call.texts),
    "unit_count": _call.size,
    "forbidden": _call.optional(_call.texts),
    "forbidden_count": _call.size,
    "max_exponent": _call.double,
    "search": _call.enum(FitSearch),
    "integer_exponents": _call.int32,
    "non_negative": _call.int32,
    "change_points": _call.int32,
    "seed": _call.int64,
    "max_evaluations": _call.int64,
    "max_seconds": _call.double,
    "resume_path": _call.optional(_call.text),
    "selection": _call.enum(FitSelection),
    "reserved_3": _call.int32,
    "capacity": _call.double,
}
FitOptions._counts = {
    "inputs": "input_count",
    "terms": "term_count",
    "increasing": "increasing_count",
    "decreasing": "decreasing_count",
    "units": "unit_count",
    "forbidden": "forbidden_count",
}

PredictOptions._sized = True
PredictOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("level", ctypes.c_double),
    ("method", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
PredictOptions._converters = {
    "level": _call.double,
    "method": _call.enum(BoundMethod),
}

Prediction._sized = True
Prediction._fields_ = [
    ("size", ctypes.c_size_t),
    ("value", ctypes.c_double),
    ("upper", ctypes.c_double),
    ("extrapolated", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
    ("calibration_count", ctypes.c_int64),
    ("distribution_free_level", ctypes.c_double),
    ("method", ctypes.c_int32),
    ("reserved_2", ctypes.c_int32),
]
Prediction._converters = {
    "value": _call.double,
    "upper": _call.double,
    "extrapolated": _call.int32,
    "calibration_count": _call.int64,
    "distribution_free_level": _call.double,
    "method": _call.enum(BoundMethod),
    "reserved_2": _call.int32,
}

ModelInput._sized = True
ModelInput._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("symbol", ctypes.c_char_p),
    ("min", ctypes.c_double),
    ("max", ctypes.c_double),
    ("is_whole", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
ModelInput._converters = {
    "name": _call.text,
    "symbol": _call.text,
    "min": _call.double,
    "max": _call.double,
    "is_whole": _call.int32,
}

ModelScores._sized = True
ModelScores._fields_ = [
    ("size", ctypes.c_size_t),
    ("training_mape", ctypes.c_double),
    ("loo_mape", ctypes.c_double),
    ("sample_count", ctypes.c_int64),
    ("term_count", ctypes.c_int64),
    ("training_error", ctypes.c_double),
    ("loo_error", ctypes.c_double),
    ("nested_cv_error", ctypes.c_double),
    ("baseline_error", ctypes.c_double),
    ("loss", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
    ("noise", ctypes.c_double),
    ("noise_dof", ctypes.c_int64),
    ("certified", ctypes.c_int32),
    ("reserved_2", ctypes.c_int32),
    ("censored", ctypes.c_int64),
]
ModelScores._converters = {
    "training_mape": _call.double,
    "loo_mape": _call.double,
    "sample_count": _call.int64,
    "term_count": _call.int64,
    "training_error": _call.double,
    "loo_error": _call.double,
    "nested_cv_error": _call.double,
    "baseline_error": _call.double,
    "loss": _call.enum(FitLoss),
    "noise": _call.double,
    "noise_dof": _call.int64,
    "certified": _call.int32,
    "reserved_2": _call.int32,
    "censored": _call.int64,
}

ModelFrontEntry._sized = True
ModelFrontEntry._fields_ = [
    ("size", ctypes.c_size_t),
    ("node_count", ctypes.c_int64),
    ("term_count", ctypes.c_int64),
    ("loo_error", ctypes.c_double),
    ("nested_cv_error", ctypes.c_double),
    ("selected", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
    ("formula", ctypes.c_char_p),
]
ModelFrontEntry._converters = {
    "node_count": _call.int64,
    "term_count": _call.int64,
    "loo_error": _call.double,
    "nested_cv_error": _call.double,
    "selected": _call.int32,
    "formula": _call.text,
}

SymbolValue._sized = False
SymbolValue._fields_ = [
    ("name", ctypes.c_char_p),
    ("value", ctypes.c_int64),
]
SymbolValue._converters = {
    "name": _call.text,
    "value": _call.int64,
}

Job._sized = True
Job._fields_ = [
    ("size", ctypes.c_size_t),
    ("framework", ctypes.c_char_p),
    ("textbook_rule", ctypes.c_char_p),
    ("device", ctypes.c_char_p),
    ("optimizer", ctypes.c_char_p),
    ("isa", ctypes.c_char_p),
    ("symbols", ctypes.POINTER(SymbolValue)),
    ("symbol_count", ctypes.c_size_t),
    ("budget", ctypes.c_int64),
    ("mode", ctypes.c_int32),
    ("steps", ctypes.c_int32),
    ("intra_op_threads", ctypes.c_int32),
    ("metric", ctypes.c_int32),
    ("base_bytes", ctypes.c_int64),
    ("precision", ctypes.c_char_p),
    ("checkpoint", ctypes.c_char_p),
    ("gpu", ctypes.c_char_p),
    ("allocator_settings", ctypes.c_char_p),
    ("graph_optimization", ctypes.c_char_p),
    ("gradient_accumulation", ctypes.c_int32),
    ("keep_gradients", ctypes.c_int32),
]
Job._converters = {
    "framework": _call.optional(_call.text),
    "textbook_rule": _call.optional(_call.text),
    "device": _call.optional(_call.text),
    "optimizer": _call.optional(_call.text),
    "isa": _call.optional(_call.text),
    "symbols": _call.optional(_call.structs(SymbolValue)),
    "symbol_count": _call.size,
    "budget": _call.int64,
    "mode": _call.enum(Mode),
    "steps": _call.int32,
    "intra_op_threads": _call.int32,
    "metric": _call.enum(Metric),
    "base_bytes": _call.int64,
    "precision": _call.optional(_call.text),
    "checkpoint": _call.optional(_call.text),
    "gpu": _call.optional(_call.text),
    "allocator_settings": _call.optional(_call.text),
    "graph_optimization": _call.optional(_call.text),
    "gradient_accumulation": _call.int32,
    "keep_gradients": _call.int32,
}
Job._counts = {
    "symbols": "symbol_count",
}

MonitorOptions._sized = True
MonitorOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("interval_seconds", ctypes.c_double),
    ("max_points", ctypes.c_int64),
    ("is_child", ctypes.c_int32),
    ("pss", ctypes.c_int32),
    ("limit", ctypes.c_int64),
    ("cgroup", ctypes.c_int32),
    ("orphans", ctypes.c_int32),
]
MonitorOptions._converters = {
    "interval_seconds": _call.double,
    "max_points": _call.int64,
    "is_child": _call.int32,
    "pss": _call.int32,
    "limit": _call.int64,
    "cgroup": _call.int32,
    "orphans": _call.int32,
}

MonitorReading._sized = True
MonitorReading._fields_ = [
    ("size", ctypes.c_size_t),
    ("time", ctypes.c_double),
    ("previous_time", ctypes.c_double),
    ("rss", ctypes.c_int64),
    ("high_water", ctypes.c_int64),
    ("pss", ctypes.c_int64),
    ("cgroup", ctypes.c_int64),
    ("process_count", ctypes.c_int32),
    ("exited", ctypes.c_int32),
    ("charge", ctypes.c_int64),
    ("charge_high", ctypes.c_int64),
]
MonitorReading._converters = {
    "time": _call.double,
    "previous_time": _call.double,
    "rss": _call.int64,
    "high_water": _call.int64,
    "pss": _call.int64,
    "cgroup": _call.int64,
    "process_count": _call.int32,
    "exited": _call.int32,
    "charge": _call.int64,
    "charge_high": _call.int64,
}

MonitorResult._sized = True
MonitorResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("start_time", ctypes.c_double),
    ("seconds", ctypes.c_double),
    ("reading_count", ctypes.c_int64),
    ("peak", ctypes.c_int64),
    ("peak_sampled", ctypes.c_int64),
    ("peak_process", ctypes.c_int64),
    ("peak_pss", ctypes.c_int64),
    ("peak_cgroup", ctypes.c_int64),
    ("process_count", ctypes.c_int32),
    ("exited", ctypes.c_int32),
    ("exit_code", ctypes.c_int32),
    ("exit_signal", ctypes.c_int32),
    ("peak_rss", ctypes.c_int64),
    ("pss_seconds", ctypes.c_double),
    ("pss_readings", ctypes.c_int32),
    ("own_cgroup", ctypes.c_int32),
]
MonitorResult._converters = {
    "start_time": _call.double,
    "seconds": _call.double,
    "reading_count": _call.int64,
    "peak": _call.int64,
    "peak_sampled": _call.int64,
    "peak_process": _call.int64,
    "peak_pss": _call.int64,
    "peak_cgroup": _call.int64,
    "process_count": _call.int32,
    "exited": _call.int32,
    "exit_code": _call.int32,
    "exit_signal": _call.int32,
    "peak_rss": _call.int64,
    "pss_seconds": _call.double,
    "pss_readings": _call.int32,
    "own_cgroup": _call.int32,
}

MonitorPoint._sized = False
MonitorPoint._fields_ = [
    ("time", ctypes.c_double),
    ("bytes", ctypes.c_int64),
]
MonitorPoint._converters = {
    "time": _call.double,
    "bytes": _call.int64,
}

OnnxOptions._sized = True
OnnxOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("batch_symbol", ctypes.c_char_p),
    ("frozen", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
OnnxOptions._converters = {
    "batch_symbol": _call.optional(_call.text),
    "frozen": _call.int32,
}

OptimizationStep._sized = True
OptimizationStep._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("overhead", ctypes.c_double),
    ("detail", ctypes.c_char_p),
    ("technique", ctypes.c_int32),
    ("applied", ctypes.c_int32),
]
OptimizationStep._converters = {
    "peak": _call.int64,
    "overhead": _call.double,
    "detail": _call.text,
    "technique": _call.enum(Technique),
    "applied": _call.int32,
}

OptimizationResult._sized = True
OptimizationResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("batch", ctypes.c_int64),
    ("overhead", ctypes.c_double),
    ("checkpoint", ctypes.c_char_p),
    ("summary", ctypes.c_char_p),
    ("verdict", ctypes.c_int32),
    ("metric", ctypes.c_int32),
]
OptimizationResult._converters = {
    "peak": _call.int64,
    "batch": _call.int64,
    "overhead": _call.double,
    "checkpoint": _call.text,
    "summary": _call.text,
    "verdict": _call.enum(Verdict),
    "metric": _call.enum(Metric),
}

TraceEvent._sized = True
TraceEvent._fields_ = [
    ("size", ctypes.c_size_t),
    ("bytes", ctypes.c_int64),
    ("live", ctypes.c_int64),
    ("role", ctypes.c_char_p),
    ("layer", ctypes.c_char_p),
    ("block", ctypes.c_int32),
    ("step", ctypes.c_int32),
    ("category", ctypes.c_int32),
    ("phase", ctypes.c_int32),
    ("times", ctypes.c_int64),
]
TraceEvent._converters = {
    "bytes": _call.int64,
    "live": _call.int64,
    "role": _call.text,
    "layer": _call.text,
    "block": _call.int32,
    "step": _call.int32,
    "category": _call.enum(Category),
    "phase": _call.enum(Phase),
    "times": _call.int64,
}

PlanBuffer._sized = True
PlanBuffer._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("bytes", ctypes.c_int64),
    ("lower", ctypes.c_int64),
    ("upper", ctypes.c_int64),
    ("alignment", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("fixed", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
PlanBuffer._converters = {
    "name": _call.optional(_call.text),
    "bytes": _call.int64,
    "lower": _call.int64,
    "upper": _call.int64,
    "alignment": _call.int64,
    "offset": _call.int64,
    "fixed": _call.int32,
}

PlanResult._sized = True
PlanResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("lower_bound", ctypes.c_int64),
    ("total_bytes", ctypes.c_int64),
    ("node_count", ctypes.c_int64),
    ("seconds", ctypes.c_double),
    ("status", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
PlanResult._converters = {
    "peak": _call.int64,
    "lower_bound": _call.int64,
    "total_bytes": _call.int64,
    "node_count": _call.int64,
    "seconds": _call.double,
    "status": _call.enum(SearchStatus),
}

PlanOptions._sized = True
PlanOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("budget", ctypes.c_int64),
    ("max_nodes", ctypes.c_int64),
    ("max_seconds", ctypes.c_double),
]
PlanOptions._converters = {
    "budget": _call.int64,
    "max_nodes": _call.int64,
    "max_seconds": _call.double,
}

ChainBlock._sized = True
ChainBlock._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("input_bytes", ctypes.c_int64),
    ("saved_bytes", ctypes.c_int64),
    ("forward_workspace_bytes", ctypes.c_int64),
    ("backward_workspace_bytes", ctypes.c_int64),
    ("forward_cost", ctypes.c_double),
    ("backward_cost", ctypes.c_double),
]
ChainBlock._converters = {
    "name": _call.optional(_call.text),
    "input_bytes": _call.int64,
    "saved_bytes": _call.int64,
    "forward_workspace_bytes": _call.int64,
    "backward_workspace_bytes": _call.int64,
    "forward_cost": _call.double,
    "backward_cost": _call.double,
}

ChainStep._sized = True
ChainStep._fields_ = [
    ("size", ctypes.c_size_t),
    ("operation", ctypes.c_int32),
    ("block", ctypes.c_int32),
    ("live", ctypes.c_int64),
    ("peak", ctypes.c_int64),
]
ChainStep._converters = {
    "operation": _call.enum(ChainOperation),
    "block": _call.int32,
    "live": _call.int64,
    "peak": _call.int64,
}

ChainResult._sized = True
ChainResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("min_peak", ctypes.c_int64),
    ("max_peak", ctypes.c_int64),
    ("cost", ctypes.c_double),
    ("min_cost", ctypes.c_double),
    ("status", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
ChainResult._converters = {
    "peak": _call.int64,
    "min_peak": _call.int64,
    "max_peak": _call.int64,
    "cost": _call.double,
    "min_cost": _call.double,
    "status": _call.enum(SearchStatus),
}

ChainOptions._sized = True
ChainOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("budget", ctypes.c_int64),
    ("slots", ctypes.c_int64),
]
ChainOptions._converters = {
    "budget": _call.int64,
    "slots": _call.int64,
}

RecomputationResult._sized = True
RecomputationResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak_baseline", ctypes.c_int64),
    ("peak", ctypes.c_int64),
    ("min_peak", ctypes.c_int64),
    ("simulation_count", ctypes.c_int64),
    ("overhead", ctypes.c_double),
    ("selected_point", ctypes.c_int32),
    ("verdict", ctypes.c_int32),
    ("status", ctypes.c_int32),
    ("metric", ctypes.c_int32),
]
RecomputationResult._converters = {
    "peak_baseline": _call.int64,
    "peak": _call.int64,
    "min_peak": _call.int64,
    "simulation_count": _call.int64,
    "overhead": _call.double,
    "selected_point": _call.int32,
    "verdict": _call.enum(Verdict),
    "status": _call.enum(SearchStatus),
    "metric": _call.enum(Metric),
}

RecomputationPoint._sized = True
RecomputationPoint._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("overhead", ctypes.c_double),
    ("segment_count", ctypes.c_size_t),
    ("checkpoint", ctypes.c_char_p),
]
RecomputationPoint._converters = {
    "peak": _call.int64,
    "overhead": _call.double,
    "segment_count": _call.size,
    "checkpoint": _call.text,
}

LayerCost._sized = False
LayerCost._fields_ = [
    ("name", ctypes.c_char_p),
    ("cost", ctypes.c_double),
]
LayerCost._converters = {
    "name": _call.text,
    "cost": _call.double,
}

RecomputeOptions._sized = True
RecomputeOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("costs", ctypes.POINTER(LayerCost)),
    ("cost_count", ctypes.c_size_t),
    ("max_simulations", ctypes.c_int64),
]
RecomputeOptions._converters = {
    "costs": _call.optional(_call.structs(LayerCost)),
    "cost_count": _call.size,
    "max_simulations": _call.int64,
}
RecomputeOptions._counts = {
    "costs": "cost_count",
}

ReplayOptions._sized = True
ReplayOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("allocator", ctypes.c_char_p),
    ("allocator_settings", ctypes.c_char_p),
    ("capacity", ctypes.c_int64),
    ("max_events", ctypes.c_int64),
]
ReplayOptions._converters = {
    "allocator": _call.optional(_call.text),
    "allocator_settings": _call.optional(_call.text),
    "capacity": _call.int64,
    "max_events": _call.int64,
}

ReplayUsage._sized = True
ReplayUsage._fields_ = [
    ("size", ctypes.c_size_t),
    ("requested", ctypes.c_int64),
    ("allocated", ctypes.c_int64),
    ("active", ctypes.c_int64),
    ("reserved", ctypes.c_int64),
    ("resident", ctypes.c_int64),
]
ReplayUsage._converters = {
    "requested": _call.int64,
    "allocated": _call.int64,
    "active": _call.int64,
    "resident": _call.int64,
}

ReplayResult._sized = True
ReplayResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak_requested", ctypes.c_int64),
    ("peak_allocated", ctypes.c_int64),
    ("peak_active", ctypes.c_int64),
    ("peak_reserved", ctypes.c_int64),
    ("peak_resident", ctypes.c_int64),
    ("peak_event", ctypes.c_int64),
    ("oom_event", ctypes.c_int64),
    ("retry_count", ctypes.c_int64),
    ("event_count", ctypes.c_int64),
]
ReplayResult._converters = {
    "peak_requested": _call.int64,
    "peak_allocated": _call.int64,
    "peak_active": _call.int64,
    "peak_reserved": _call.int64,
    "peak_resident": _call.int64,
    "peak_event": _call.int64,
    "oom_event": _call.int64,
    "retry_count": _call.int64,
    "event_count": _call.int64,
}

ReplayBlock._sized = True
ReplayBlock._fields_ = [
    ("size", ctypes.c_size_t),
    ("segment", ctypes.c_int64),
    ("address", ctypes.c_int64),
    ("bytes", ctypes.c_int64),
    ("requested", ctypes.c_int64),
    ("stream", ctypes.c_int64),
    ("block", ctypes.c_int32),
    ("state", ctypes.c_int32),
    ("large", ctypes.c_int32),
    ("expandable", ctypes.c_int32),
]
ReplayBlock._converters = {
    "segment": _call.int64,
    "address": _call.int64,
    "bytes": _call.int64,
    "requested": _call.int64,
    "stream": _call.int64,
    "block": _call.int32,
    "state": _call.enum(BlockState),
    "large": _call.int32,
    "expandable": _call.int32,
}

ReportResult._sized = True
ReportResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("live", ctypes.c_int64),
    ("reserved", ctypes.c_int64),
    ("process", ctypes.c_int64),
    ("budget", ctypes.c_int64),
    ("headroom", ctypes.c_int64),
    ("peak_location", ctypes.c_char_p),
    ("assumptions", ctypes.c_char_p),
    ("metric", ctypes.c_int32),
    ("verdict", ctypes.c_int32),
    ("step_count", ctypes.c_int32),
    ("validated", ctypes.c_int32),
]
ReportResult._converters = {
    "live": _call.int64,
    "process": _call.int64,
    "budget": _call.int64,
    "headroom": _call.int64,
    "peak_location": _call.text,
    "assumptions": _call.text,
    "metric": _call.enum(Metric),
    "verdict": _call.enum(Verdict),
    "step_count": _call.int32,
    "validated": _call.int32,
}

ReportUnmodelled._sized = True
ReportUnmodelled._fields_ = [
    ("size", ctypes.c_size_t),
    ("op", ctypes.c_char_p),
    ("bytes", ctypes.c_int64),
]
ReportUnmodelled._converters = {
    "op": _call.text,
    "bytes": _call.int64,
}

ReportLayer._sized = True
ReportLayer._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("op", ctypes.c_char_p),
    ("shape", ctypes.c_char_p),
    ("symbolic_shape", ctypes.c_char_p),
    ("activation_count", ctypes.c_int64),
    ("output_bytes", ctypes.c_int64),
    ("parameter_count", ctypes.c_int64),
    ("trainable_count", ctypes.c_int64),
    ("parameter_bytes", ctypes.c_int64),
    ("multiply_adds", ctypes.c_int64),
    ("peak_bytes", ctypes.c_int64),
    ("peak_by_category", ctypes.c_int64 * 16),
]
ReportLayer._converters = {
    "name": _call.text,
    "op": _call.text,
    "shape": _call.text,
    "symbolic_shape": _call.text,
    "activation_count": _call.int64,
    "output_bytes": _call.int64,
    "parameter_count": _call.int64,
    "trainable_count": _call.int64,
    "parameter_bytes": _call.int64,
    "multiply_adds": _call.int64,
    "peak_bytes": _call.int64,
    "peak_by_category": _call.fixed(ctypes.c_int64, 16, _call.int64),
}

ReportChange._sized = True
ReportChange._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("live", ctypes.c_int64),
    ("reserved", ctypes.c_int64),
    ("process", ctypes.c_int64),
    ("saving", ctypes.c_int64),
]
ReportChange._converters = {
    "name": _call.text,
    "live": _call.int64,
    "process": _call.int64,
    "saving": _call.int64,
}

ScheduleOptions._sized = True
ScheduleOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("symbols", ctypes.POINTER(SymbolValue)),
    ("symbol_count", ctypes.c_size_t),
    ("plan", ctypes.POINTER(PlanOptions)),
    ("disabled_passes", ctypes.c_uint64),
    ("alignment", ctypes.c_int64),
    ("include_parameters", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
ScheduleOptions._converters = {
    "symbols": _call.optional(_call.structs(SymbolValue)),
    "symbol_count": _call.size,
    "plan": _call.optional(_call.pointer_to(PlanOptions)),
    "disabled_passes": _call.uint64,
    "alignment": _call.int64,
    "include_parameters": _call.int32,
}
ScheduleOptions._counts = {
    "symbols": "symbol_count",
}

ScheduleResult._sized = True
ScheduleResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("tensor_bytes", ctypes.c_int64),
    ("parameter_bytes", ctypes.c_int64),
    ("peak", ctypes.c_int64),
    ("lower_bound", ctypes.c_int64),
    ("multiply_adds", ctypes.c_int64),
    ("peak_program_order", ctypes.c_int64),
]
ScheduleResult._converters = {
    "tensor_bytes": _call.int64,
    "parameter_bytes": _call.int64,
    "peak": _call.int64,
    "lower_bound": _call.int64,
    "multiply_adds": _call.int64,
    "peak_program_order": _call.int64,
}

ScheduleOperator._sized = True
ScheduleOperator._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("first_layer", ctypes.c_int64),
    ("last_layer", ctypes.c_int64),
    ("live", ctypes.c_int64),
    ("is_noop", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
ScheduleOperator._converters = {
    "name": _call.text,
    "first_layer": _call.int64,
    "last_layer": _call.int64,
    "live": _call.int64,
    "is_noop": _call.int32,
}

TilingAxis._sized = True
TilingAxis._fields_ = [
    ("size", ctypes.c_size_t),
    ("extent", ctypes.c_int64),
    ("alignment", ctypes.c_int64),
    ("halo_before", ctypes.c_int64),
    ("halo_after", ctypes.c_int64),
    ("stride", ctypes.c_int64),
    ("tile_count", ctypes.c_int64),
    ("max_extent", ctypes.c_int64),
]
TilingAxis._converters = {
    "extent": _call.int64,
    "alignment": _call.int64,
    "halo_before": _call.int64,
    "halo_after": _call.int64,
    "stride": _call.int64,
    "tile_count": _call.int64,
    "max_extent": _call.int64,
}

TilingRange._sized = True
TilingRange._fields_ = [
    ("size", ctypes.c_size_t),
    ("input_start", ctypes.c_int64),
    ("input_stop", ctypes.c_int64),
    ("output_start", ctypes.c_int64),
    ("output_stop", ctypes.c_int64),
    ("crop", ctypes.c_int64),
]
TilingRange._converters = {
    "input_start": _call.int64,
    "input_stop": _call.int64,
    "output_start": _call.int64,
    "output_stop": _call.int64,
    "crop": _call.int64,
}

TilingResult._sized = True
TilingResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("peak_untiled", ctypes.c_int64),
    ("tensor_bytes", ctypes.c_int64),
    ("tile_count", ctypes.c_int64),
    ("overhead", ctypes.c_double),
    ("verdict", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
TilingResult._converters = {
    "peak": _call.int64,
    "peak_untiled": _call.int64,
    "tensor_bytes": _call.int64,
    "tile_count": _call.int64,
    "overhead": _call.double,
    "verdict": _call.enum(Verdict),
}


_context_new = _library.bind(
    "memmodel_context_new",
    ctypes.c_int32,
    ctypes.POINTER(Allocator),
    ctypes.POINTER(ctypes.c_void_p),
)
_context_ref = _library.bind("memmodel_context_ref", ctypes.c_void_p, ctypes.c_void_p)
_context_unref = _library.bind("memmodel_context_unref", None, ctypes.c_void_p)
_context_error = _library.bind("memmodel_context_error", ctypes.POINTER(Error), ctypes.c_void_p)
_context_set_log = _library.bind("memmodel_context_set_log", None, ctypes.c_void_p, LogCallback, ctypes.c_void_p)
_context_set_limits = _library.bind(
    "memmodel_context_set_limits",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Limits),
)
_context_set_progress = _library.bind(
    "memmodel_context_set_progress",
    None,
    ctypes.c_void_p,
    ProgressCallback,
    ctypes.c_void_p,
)
_context_cancel = _library.bind("memmodel_context_cancel", None, ctypes.c_void_p)
_context_memory = _library.bind(
    "memmodel_context_memory",
    None,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_int64),
    ctypes.POINTER(ctypes.c_int64),
)
_free = _library.bind("memmodel_free", None, ctypes.c_void_p)
_status_name = _library.bind("memmodel_status_name", ctypes.c_char_p, ctypes.c_int32)
_status_message = _library.bind("memmodel_status_message", ctypes.c_char_p, ctypes.c_int32)
_version = _library.bind("memmodel_version", ctypes.c_char_p)
_samples_new = _library.bind(
    "memmodel_samples_new",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_char_p),
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p),
)
_samples_load = _library.bind(
    "memmodel_samples_load",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_samples_from_csv = _library.bind(
    "memmodel_samples_from_csv",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p),
)
_samples_save = _library.bind("memmodel_samples_save", ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p)
_samples_append_to_file = _library.bind(
    "memmodel_samples_append_to_file",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_char_p),
    ctypes.POINTER(ctypes.c_char_p),
    ctypes.c_size_t,
    blocking=True,
)
_samples_add_row = _library.bind(
    "memmodel_samples_add_row",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_double),
)
_samples_filter = _library.bind(
    "memmodel_samples_filter",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_samples_select = _library.bind(
    "memmodel_samples_select",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_size_t),
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_samples_split = _library.bind(
    "memmodel_samples_split",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_double,
    ctypes.c_uint64,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_void_p),
)
_samples_row_count = _library.bind("memmodel_samples_row_count", ctypes.c_size_t, ctypes.c_void_p)
_samples_column_count = _library.bind("memmodel_samples_column_count", ctypes.c_size_t, ctypes.c_void_p)
_samples_column_name = _library.bind("memmodel_samples_column_name", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
_samples_column = _library.bind(
    "memmodel_samples_column",
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_void_p,
    ctypes.c_char_p,
)
_samples_unit = _library.bind("memmodel_samples_unit", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_char_p)
_samples_text = _library.bind(
    "memmodel_samples_text",
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
)
_samples_ref = _library.bind("memmodel_samples_ref", ctypes.c_void_p, ctypes.c_void_p)
_samples_unref = _library.bind("memmodel_samples_unref", None, ctypes.c_void_p)
_advise = _library.bind(
    "memmodel_advise",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(AdviseOptions),
    ctypes.c_void_p,
    ctypes.POINTER(AdviseResult),
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_dtype_name = _library.bind("memmodel_dtype_name", ctypes.c_char_p, ctypes.c_int32)
_network_new = _library.bind("memmodel_network_new", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
_network_ref = _library.bind("memmodel_network_ref", ctypes.c_void_p, ctypes.c_void_p)
_network_unref = _library.bind("memmodel_network_unref", None, ctypes.c_void_p)
_network_status = _library.bind("memmodel_network_status", ctypes.c_int32, ctypes.c_void_p)
_network_clear_error = _library.bind("memmodel_network_clear_error", None, ctypes.c_void_p)
_network_set_layout = _library.bind("memmodel_network_set_layout", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32)
_network_symbol = _library.bind("memmodel_network_symbol", ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p)
_network_expression = _library.bind("memmodel_network_expression", ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p)
_network_dim_to_text = _library.bind(
    "memmodel_network_dim_to_text",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_void_p),
)
_network_push_scope = _library.bind("memmodel_network_push_scope", ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p)
_network_pop_scope = _library.bind("memmodel_network_pop_scope", ctypes.c_int32, ctypes.c_void_p)
_network_checkpoint_scope = _library.bind(
    "memmodel_network_checkpoint_scope",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
)
_network_end_lifetime = _library.bind("memmodel_network_end_lifetime", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32)
_network_mark_output = _library.bind("memmodel_network_mark_output", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32)
_network_layer_output = _library.bind(
    "memmodel_network_layer_output",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
)
_network_get_shape = _library.bind(
    "memmodel_network_get_shape",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Shape),
)
_network_layer_count = _library.bind("memmodel_network_layer_count", ctypes.c_size_t, ctypes.c_void_p)
_network_symbol_count = _library.bind("memmodel_network_symbol_count", ctypes.c_size_t, ctypes.c_void_p)
_network_symbol_name = _library.bind("memmodel_network_symbol_name", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
_network_to_json = _library.bind(
    "memmodel_network_to_json",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_network_from_json = _library.bind(
    "memmodel_network_from_json",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p),
)
_network_save = _library.bind(
    "memmodel_network_save",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_void_p,
)
_network_load = _library.bind(
    "memmodel_network_load",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_network_input = _library.bind(
    "memmodel_network_input",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_int64),
)
_network_parameter = _library.bind(
    "memmodel_network_parameter",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_int64),
    ctypes.c_int32,
)
_network_use_storage = _library.bind(
    "memmodel_network_use_storage",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_int64),
)
_network_use_parameter = _library.bind(
    "memmodel_network_use_parameter",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_int32,
)
_network_conv = _library.bind(
    "memmodel_network_conv",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Conv),
)
_network_conv_transpose = _library.bind(
    "memmodel_network_conv_transpose",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Conv),
)
_network_linear = _library.bind(
    "memmodel_network_linear",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Linear),
)
_network_pool = _library.bind(
    "memmodel_network_pool",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Pool),
)
_network_adaptive_pool = _library.bind(
    "memmodel_network_adaptive_pool",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(AdaptivePool),
)
_network_global_pool = _library.bind(
    "memmodel_network_global_pool",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(GlobalPool),
)
_network_batch_norm = _library.bind(
    "memmodel_network_batch_norm",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(BatchNorm),
)
_network_layer_norm = _library.bind(
    "memmodel_network_layer_norm",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(LayerNorm),
)
_network_group_norm = _library.bind(
    "memmodel_network_group_norm",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(GroupNorm),
)
_network_instance_norm = _library.bind(
    "memmodel_network_instance_norm",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(InstanceNorm),
)
_network_rms_norm = _library.bind(
    "memmodel_network_rms_norm",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(RmsNorm),
)
_network_activation = _library.bind(
    "memmodel_network_activation",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Activation),
)
_network_softmax = _library.bind(
    "memmodel_network_softmax",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Softmax),
)
_network_dropout = _library.bind(
    "memmodel_network_dropout",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Dropout),
)
_network_embedding = _library.bind(
    "memmodel_network_embedding",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Embedding),
)
_network_upsample = _library.bind(
    "memmodel_network_upsample",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Upsample),
)
_network_pad = _library.bind(
    "memmodel_network_pad",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Pad),
)
_network_crop = _library.bind(
    "memmodel_network_crop",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Pad),
)
_network_concat = _library.bind(
    "memmodel_network_concat",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_int32),
    ctypes.c_size_t,
    ctypes.POINTER(Concat),
)
_network_split = _library.bind(
    "memmodel_network_split",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Split),
)
_network_slice = _library.bind(
    "memmodel_network_slice",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Slice),
)
_network_reshape = _library.bind(
    "memmodel_network_reshape",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_int64),
)
_network_flatten = _library.bind(
    "memmodel_network_flatten",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.c_int32,
)
_network_permute = _library.bind(
    "memmodel_network_permute",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_int32),
)
_network_expand = _library.bind(
    "memmodel_network_expand",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_int64),
)
_network_binary = _library.bind(
    "memmodel_network_binary",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.POINTER(Binary),
)
_network_matmul = _library.bind(
    "memmodel_network_matmul",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.POINTER(Matmul),
)
_network_reduce = _library.bind(
    "memmodel_network_reduce",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Reduce),
)
_network_attention = _library.bind(
    "memmodel_network_attention",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.POINTER(Attention),
)
_network_recurrent = _library.bind(
    "memmodel_network_recurrent",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Recurrent),
)
_network_loss = _library.bind(
    "memmodel_network_loss",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.POINTER(Loss),
)
_network_custom = _library.bind(
    "memmodel_network_custom",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_int32),
    ctypes.c_size_t,
    ctypes.POINTER(Custom),
)
_fit_loss_name = _library.bind("memmodel_fit_loss_name", ctypes.c_char_p, ctypes.c_int32)
_bound_method_name = _library.bind("memmodel_bound_method_name", ctypes.c_char_p, ctypes.c_int32)
_fit = _library.bind(
    "memmodel_fit",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(FitOptions),
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_model_evaluate = _library.bind(
    "memmodel_model_evaluate",
    ctypes.c_double,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_double),
)
_model_evaluate_many = _library.bind(
    "memmodel_model_evaluate_many",
    None,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.POINTER(ctypes.c_double)),
    ctypes.c_size_t,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_double),
)
_model_check_points = _library.bind(
    "memmodel_model_check_points",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.POINTER(ctypes.c_double)),
    ctypes.c_size_t,
    ctypes.c_void_p,
)
_model_predict = _library.bind(
    "memmodel_model_predict",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(PredictOptions),
    ctypes.POINTER(Prediction),
)
_model_predict_many = _library.bind(
    "memmodel_model_predict_many",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.POINTER(ctypes.c_double)),
    ctypes.c_size_t,
    ctypes.c_size_t,
    ctypes.POINTER(PredictOptions),
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_int32),
    blocking=True,
)
_model_predict_max = _library.bind(
    "memmodel_model_predict_max",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_char_p,
    ctypes.POINTER(PredictOptions),
    ctypes.c_double,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_int64),
)
_model_input_count = _library.bind("memmodel_model_input_count", ctypes.c_size_t, ctypes.c_void_p)
_model_get_input = _library.bind(
    "memmodel_model_get_input",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ModelInput),
)
_model_target = _library.bind("memmodel_model_target", ctypes.c_char_p, ctypes.c_void_p)
_model_unit = _library.bind("memmodel_model_unit", ctypes.c_char_p, ctypes.c_void_p)
_model_unit_bytes = _library.bind("memmodel_model_unit_bytes", ctypes.c_double, ctypes.c_void_p)
_model_output_range = _library.bind(
    "memmodel_model_output_range",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_double),
)
_model_front_count = _library.bind("memmodel_model_front_count", ctypes.c_size_t, ctypes.c_void_p)
_model_get_front_entry = _library.bind(
    "memmodel_model_get_front_entry",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ModelFrontEntry),
)
_model_get_scores = _library.bind(
    "memmodel_model_get_scores",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ModelScores),
)
_model_formula = _library.bind("memmodel_model_formula", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int32)
_model_to_code = _library.bind(
    "memmodel_model_to_code",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_model_save = _library.bind("memmodel_model_save", ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_model_to_json = _library.bind(
    "memmodel_model_to_json",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_model_load = _library.bind(
    "memmodel_model_load",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_model_from_json = _library.bind(
    "memmodel_model_from_json",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p),
)
_model_ref = _library.bind("memmodel_model_ref", ctypes.c_void_p, ctypes.c_void_p)
_model_unref = _library.bind("memmodel_model_unref", None, ctypes.c_void_p)
_function_new = _library.bind(
    "memmodel_function_new",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_double,
    ctypes.POINTER(ctypes.c_void_p),
)
_function_pointer = _library.bind("memmodel_function_pointer", ctypes.c_void_p, ctypes.c_void_p)
_function_ref = _library.bind("memmodel_function_ref", ctypes.c_void_p, ctypes.c_void_p)
_function_unref = _library.bind("memmodel_function_unref", None, ctypes.c_void_p)
_metric_name = _library.bind("memmodel_metric_name", ctypes.c_char_p, ctypes.c_int32)
_metric_default = _library.bind("memmodel_metric_default", ctypes.c_int32, ctypes.c_char_p)
_verdict_name = _library.bind("memmodel_verdict_name", ctypes.c_char_p, ctypes.c_int32)
_mode_name = _library.bind("memmodel_mode_name", ctypes.c_char_p, ctypes.c_int32)
_monitor_new = _library.bind(
    "memmodel_monitor_new",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.POINTER(MonitorOptions),
    ctypes.POINTER(ctypes.c_void_p),
)
_monitor_read = _library.bind("memmodel_monitor_read", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(MonitorReading))
_monitor_run = _library.bind(
    "memmodel_monitor_run",
    ctypes.c_int32,
    ctypes.c_void_p,
    MonitorCallback,
    ctypes.c_void_p,
    blocking=True,
)
_monitor_stop = _library.bind("memmodel_monitor_stop", None, ctypes.c_void_p)
_monitor_get_result = _library.bind(
    "memmodel_monitor_get_result",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(MonitorResult),
)
_monitor_curve = _library.bind(
    "memmodel_monitor_curve",
    ctypes.POINTER(MonitorPoint),
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_size_t),
)
_monitor_processes = _library.bind(
    "memmodel_monitor_processes",
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_int64),
    ctypes.c_size_t,
)
_monitor_ref = _library.bind("memmodel_monitor_ref", ctypes.c_void_p, ctypes.c_void_p)
_monitor_unref = _library.bind("memmodel_monitor_unref", None, ctypes.c_void_p)
_network_load_onnx = _library.bind(
    "memmodel_network_load_onnx",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(OnnxOptions),
    ctypes.POINTER(ctypes.c_void_p),
)
_network_from_onnx = _library.bind(
    "memmodel_network_from_onnx",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.POINTER(OnnxOptions),
    ctypes.POINTER(ctypes.c_void_p),
)
_technique_name = _library.bind("memmodel_technique_name", ctypes.c_char_p, ctypes.c_int32)
_optimize = _library.bind(
    "memmodel_optimize",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_optimization_get_result = _library.bind(
    "memmodel_optimization_get_result",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(OptimizationResult),
)
_optimization_step_count = _library.bind("memmodel_optimization_step_count", ctypes.c_size_t, ctypes.c_void_p)
_optimization_get_step = _library.bind(
    "memmodel_optimization_get_step",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(OptimizationStep),
)
_optimization_ref = _library.bind("memmodel_optimization_ref", ctypes.c_void_p, ctypes.c_void_p)
_optimization_unref = _library.bind("memmodel_optimization_unref", None, ctypes.c_void_p)
_search_status_name = _library.bind("memmodel_search_status_name", ctypes.c_char_p, ctypes.c_int32)
_category_name = _library.bind("memmodel_category_name", ctypes.c_char_p, ctypes.c_int32)
_phase_name = _library.bind("memmodel_phase_name", ctypes.c_char_p, ctypes.c_int32)
_trace_event_count = _library.bind("memmodel_trace_event_count", ctypes.c_size_t, ctypes.c_void_p)
_trace_get_event = _library.bind(
    "memmodel_trace_get_event",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(TraceEvent),
)
_trace_load = _library.bind(
    "memmodel_trace_load",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_trace_from_bytes = _library.bind(
    "memmodel_trace_from_bytes",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p),
)
_trace_to_perfetto = _library.bind(
    "memmodel_trace_to_perfetto",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_trace_ref = _library.bind("memmodel_trace_ref", ctypes.c_void_p, ctypes.c_void_p)
_trace_unref = _library.bind("memmodel_trace_unref", None, ctypes.c_void_p)
_plan_new = _library.bind("memmodel_plan_new", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
_plan_load = _library.bind(
    "memmodel_plan_load",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_plan_from_csv = _library.bind(
    "memmodel_plan_from_csv",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p),
)
_plan_from_trace = _library.bind(
    "memmodel_plan_from_trace",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_plan_add_buffer = _library.bind(
    "memmodel_plan_add_buffer",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(PlanBuffer),
)
_plan_add_gap = _library.bind(
    "memmodel_plan_add_gap",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int64,
    ctypes.c_int64,
)
_plan_add_alias = _library.bind(
    "memmodel_plan_add_alias",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_size_t,
    ctypes.c_int64,
)
_plan_solve = _library.bind(
    "memmodel_plan_solve",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(PlanOptions),
    blocking=True,
)
_plan_buffer_count = _library.bind("memmodel_plan_buffer_count", ctypes.c_size_t, ctypes.c_void_p)
_plan_get_buffer = _library.bind(
    "memmodel_plan_get_buffer",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(PlanBuffer),
)
_plan_get_result = _library.bind(
    "memmodel_plan_get_result",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(PlanResult),
)
_plan_save = _library.bind("memmodel_plan_save", ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p, blocking=True)
_plan_to_svg = _library.bind(
    "memmodel_plan_to_svg",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_plan_to_c = _library.bind(
    "memmodel_plan_to_c",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_plan_ref = _library.bind("memmodel_plan_ref", ctypes.c_void_p, ctypes.c_void_p)
_plan_unref = _library.bind("memmodel_plan_unref", None, ctypes.c_void_p)
_chain_operation_name = _library.bind("memmodel_chain_operation_name", ctypes.c_char_p, ctypes.c_int32)
_chain_new = _library.bind(
    "memmodel_chain_new",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_void_p),
)
_chain_add_block = _library.bind(
    "memmodel_chain_add_block",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ChainBlock),
)
_chain_solve = _library.bind(
    "memmodel_chain_solve",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ChainOptions),
    blocking=True,
)
_chain_get_result = _library.bind(
    "memmodel_chain_get_result",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ChainResult),
)
_chain_step_count = _library.bind("memmodel_chain_step_count", ctypes.c_size_t, ctypes.c_void_p)
_chain_get_step = _library.bind(
    "memmodel_chain_get_step",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ChainStep),
)
_chain_ref = _library.bind("memmodel_chain_ref", ctypes.c_void_p, ctypes.c_void_p)
_chain_unref = _library.bind("memmodel_chain_unref", None, ctypes.c_void_p)
_recompute = _library.bind(
    "memmodel_recompute",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.POINTER(RecomputeOptions),
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_recomputation_get_result = _library.bind(
    "memmodel_recomputation_get_result",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(RecomputationResult),
)
_recomputation_point_count = _library.bind("memmodel_recomputation_point_count", ctypes.c_size_t, ctypes.c_void_p)
_recomputation_get_point = _library.bind(
    "memmodel_recomputation_get_point",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(RecomputationPoint),
)
_recomputation_segment = _library.bind(
    "memmodel_recomputation_segment",
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_size_t,
)
_recomputation_segment_module = _library.bind(
    "memmodel_recomputation_segment_module",
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_size_t,
    ctypes.c_size_t,
)
_recomputation_to_json = _library.bind(
    "memmodel_recomputation_to_json",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_recomputation_to_svg = _library.bind(
    "memmodel_recomputation_to_svg",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_recomputation_ref = _library.bind("memmodel_recomputation_ref", ctypes.c_void_p, ctypes.c_void_p)
_recomputation_unref = _library.bind("memmodel_recomputation_unref", None, ctypes.c_void_p)
_block_state_name = _library.bind("memmodel_block_state_name", ctypes.c_char_p, ctypes.c_int32)
_trace_replay = _library.bind(
    "memmodel_trace_replay",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ReplayOptions),
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_replay_ref = _library.bind("memmodel_replay_ref", ctypes.c_void_p, ctypes.c_void_p)
_replay_unref = _library.bind("memmodel_replay_unref", None, ctypes.c_void_p)
_replay_get_result = _library.bind(
    "memmodel_replay_get_result",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ReplayResult),
)
_replay_get_usage = _library.bind(
    "memmodel_replay_get_usage",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ReplayUsage),
)
_replay_block_count = _library.bind("memmodel_replay_block_count", ctypes.c_size_t, ctypes.c_void_p)
_replay_get_block = _library.bind(
    "memmodel_replay_get_block",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ReplayBlock),
)
_replay_save_snapshot = _library.bind(
    "memmodel_replay_save_snapshot",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    blocking=True,
)
_estimate = _library.bind(
    "memmodel_estimate",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_estimate_what_if = _library.bind(
    "memmodel_estimate_what_if",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_report_change_count = _library.bind("memmodel_report_change_count", ctypes.c_size_t, ctypes.c_void_p)
_report_get_change = _library.bind(
    "memmodel_report_get_change",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ReportChange),
)
_estimate_max = _library.bind(
    "memmodel_estimate_max",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_int64),
    blocking=True,
)
_estimate_many = _library.bind(
    "memmodel_estimate_many",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_int64),
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_int64),
    blocking=True,
)
_report_get_result = _library.bind(
    "memmodel_report_get_result",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ReportResult),
)
_report_unmodelled_count = _library.bind("memmodel_report_unmodelled_count", ctypes.c_size_t, ctypes.c_void_p)
_report_get_unmodelled = _library.bind(
    "memmodel_report_get_unmodelled",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ReportUnmodelled),
)
_report_step_peak = _library.bind("memmodel_report_step_peak", ctypes.c_int64, ctypes.c_void_p, ctypes.c_size_t)
_report_category_bytes = _library.bind(
    "memmodel_report_category_bytes",
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_int32,
)
_report_layer_count = _library.bind("memmodel_report_layer_count", ctypes.c_size_t, ctypes.c_void_p)
_report_get_layer = _library.bind(
    "memmodel_report_get_layer",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ReportLayer),
)
_report_get_total = _library.bind(
    "memmodel_report_get_total",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ReportLayer),
)
_report_formula_count = _library.bind("memmodel_report_formula_count", ctypes.c_size_t, ctypes.c_void_p)
_report_formula_name = _library.bind("memmodel_report_formula_name", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
_report_formula = _library.bind(
    "memmodel_report_formula",
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int32,
)
_report_trace = _library.bind("memmodel_report_trace", ctypes.c_void_p, ctypes.c_void_p)
_report_to_json = _library.bind(
    "memmodel_report_to_json",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_report_to_html = _library.bind(
    "memmodel_report_to_html",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_report_ref = _library.bind("memmodel_report_ref", ctypes.c_void_p, ctypes.c_void_p)
_report_unref = _library.bind("memmodel_report_unref", None, ctypes.c_void_p)
_network_schedule = _library.bind(
    "memmodel_network_schedule",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ScheduleOptions),
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_schedule_plan = _library.bind("memmodel_schedule_plan", ctypes.c_void_p, ctypes.c_void_p)
_schedule_find_buffer = _library.bind(
    "memmodel_schedule_find_buffer",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_size_t),
)
_schedule_operator_count = _library.bind("memmodel_schedule_operator_count", ctypes.c_size_t, ctypes.c_void_p)
_schedule_get_operator = _library.bind(
    "memmodel_schedule_get_operator",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ScheduleOperator),
)
_schedule_get_result = _library.bind(
    "memmodel_schedule_get_result",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ScheduleResult),
)
_schedule_ref = _library.bind("memmodel_schedule_ref", ctypes.c_void_p, ctypes.c_void_p)
_schedule_unref = _library.bind("memmodel_schedule_unref", None, ctypes.c_void_p)
_network_tile = _library.bind(
    "memmodel_network_tile",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ScheduleOptions),
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_tiling_get_result = _library.bind(
    "memmodel_tiling_get_result",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(TilingResult),
)
_tiling_axis_count = _library.bind("memmodel_tiling_axis_count", ctypes.c_size_t, ctypes.c_void_p)
_tiling_get_axis = _library.bind(
    "memmodel_tiling_get_axis",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(TilingAxis),
)
_tiling_get_range = _library.bind(
    "memmodel_tiling_get_range",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int64,
    ctypes.POINTER(TilingRange),
)
_tiling_plan = _library.bind("memmodel_tiling_plan", ctypes.c_void_p, ctypes.c_void_p)
_tiling_ref = _library.bind("memmodel_tiling_ref", ctypes.c_void_p, ctypes.c_void_p)
_tiling_unref = _library.bind("memmodel_tiling_unref", None, ctypes.c_void_p)

_check = _call.Checker(_context_error, _status_message)


def context_new(allocator: Allocator | None) -> ContextHandle:
    """Make a context.

    allocator: where to take memory from, copied; None for malloc.

    Raises NoMemoryError, InvalidArgumentError, StructSizeError.
    """
    context_ = ctypes.c_void_p()
    _value = _context_new(_call.optional_reference(allocator, Allocator, "allocator"), ctypes.byref(context_))
    _check.status(_value, None)
    return ContextHandle(context_.value)


def context_ref(context: ContextHandle) -> ContextHandle:
    """Take one more reference.

    Returns `context`.
    """
    _context_ref(_call.address(context, ContextHandle, "context"))
    return ContextHandle(context.pointer, context._context)


def context_unref(context: ContextHandle | None) -> None:
    """Drop one reference. The context goes with its last reference, its objects' included."""
    if context is not None:
        _call.instance_of(context, ContextHandle, "context").close()


def context_error(context: ContextHandle) -> Any:
    """Detail of the last error on this context. Needs no memory, so it is there for NoMemoryError too.

    context: not None.

    Returns never None; owned by the context and valid until its next failing call. Status 0 if nothing failed yet.
    """
    _value = _context_error(_call.address(context, ContextHandle, "context"))
    return _call.pointed(_value, context)


def context_set_log(context: ContextHandle, log: Callable[..., Any] | None) -> None:
    """Choose who reads the library's messages. Without a log the library is silent.

    context: not None.

    log: None for silence.
    """
    log_ = _as_log_callback(log, "log")
    _call.instance_of(context, ContextHandle, "context").keep("context_set_log", log_)
    _context_set_log(_call.address(context, ContextHandle, "context"), log_, None)
    _call.raise_pending()


def context_set_limits(context: ContextHandle, limits: Limits | None) -> None:
    """Choose what calls on this context may use from now on.

    context: not None.

    limits: copied; None for all defaults.

    Raises InvalidArgumentError, StructSizeError.
    """
    _value = _context_set_limits(
        _call.address(context, ContextHandle, "context"),
        _call.optional_reference(limits, Limits, "limits"),
    )
    _check.status(_value, context)


def context_set_progress(context: ContextHandle, callback: Callable[..., Any] | None) -> None:
    """Choose who is told how far calls on this context are: some hundred times a second, by plans, chains, fits and
    searches for what to recompute.

    context: not None.

    callback: None for nobody.
    """
    callback_ = _as_progress_callback(callback, "callback")
    _call.instance_of(context, ContextHandle, "context").keep("context_set_progress", callback_)
    _context_set_progress(_call.address(context, ContextHandle, "context"), callback_, None)
    _call.raise_pending()


def context_cancel(context: ContextHandle | None) -> None:
    """End the call that runs on this context, or else the next that may run for long: it returns CancelledError, or the
    best answer that its search has. Only sets a flag, at which calls look every few milliseconds.

    context: may be None.
    """
    _context_cancel(_call.optional_address(context, ContextHandle, "context"))


def context_memory(context: ContextHandle) -> tuple[int, int]:
    """How much memory the objects of a context hold, and the most that they ever held.

    context: not None.
    """
    used_ = ctypes.c_int64()
    peak_ = ctypes.c_int64()
    _context_memory(_call.address(context, ContextHandle, "context"), ctypes.byref(used_), ctypes.byref(peak_))
    return used_.value, peak_.value


def status_name(status: int) -> str:
    """Name of a status, such as "ShapeError".

    status: any number.

    Returns a static string, never None.
    """
    _value = _status_name(_call.int32(status, "status"))
    return _call.decoded(_value)


def status_message(status: int) -> str:
    """What a status means, in one line.

    status: any number.

    Returns a static string, never None.
    """
    _value = _status_message(_call.int32(status, "status"))
    return _call.decoded(_value)


def version() -> str:
    """Version of the library that is running, such as "0.1.0".

    Returns a static string, never None.
    """
    _value = _version()
    return _call.decoded(_value)


def samples_new(context: ContextHandle, columns: Any) -> SamplesHandle:
    """Make an empty table.

    context: the table keeps a reference.

    columns: `count` different names, copied.

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    columns_ = _call.texts(columns, "columns")
    samples_ = ctypes.c_void_p()
    _value = _samples_new(
        _call.address(context, ContextHandle, "context"),
        columns_,
        len(columns_),
        ctypes.byref(samples_),
    )
    _check.status(_value, context)
    return SamplesHandle(samples_.value, _call.context_of(context))


def samples_load(context: ContextHandle, path: str | os.PathLike[str]) -> SamplesHandle:
    """Read a table from CSV: lines starting with '#' are comments, the first other line names the columns, fields are
    separated by commas and may be quoted with '"'. A column most of whose fields are finite numbers is numeric (empty
    means missing), with what sizes are read in: "1.2 GiB", "908,136,448" and names such as "peak_MiB" or "mem (GB)".
    Its other fields are missing, and the log names each with its line, its column and what stands there. Any other
    column is text, for samples_filter(), and cannot be fitted. doc/formats.md has the details.

    context: the table keeps a reference.

    path: file to read.

    Raises InvalidArgumentError, IoError, ParseError, NoMemoryError, LimitError, CancelledError.
    """
    samples_ = ctypes.c_void_p()
    _value = _samples_load(
        _call.address(context, ContextHandle, "context"),
        _call.path(path, "path"),
        ctypes.byref(samples_),
    )
    _check.status(_value, context)
    return SamplesHandle(samples_.value, _call.context_of(context))


def samples_from_csv(context: ContextHandle, name: str, text: str) -> SamplesHandle:
    """As samples_load(), from memory.

    context: the table keeps a reference.

    name: what to call the text in errors.

    text: `length` characters.

    Raises InvalidArgumentError, ParseError, NoMemoryError, LimitError, CancelledError.
    """
    text_ = _call.text(text, "text")
    samples_ = ctypes.c_void_p()
    _value = _samples_from_csv(
        _call.address(context, ContextHandle, "context"),
        _call.text(name, "name"),
        text_,
        len(text_),
        ctypes.byref(samples_),
    )
    _check.status(_value, context)
    return SamplesHandle(samples_.value, _call.context_of(context))


def samples_save(samples: SamplesHandle, path: str | os.PathLike[str]) -> None:
    """Write the table as CSV, atomically: a reader sees the old file or the new one.

    samples: table.

    path: file to write.

    Raises InvalidArgumentError, IoError, NoMemoryError, LimitError, CancelledError.
    """
    _value = _samples_save(_call.address(samples, SamplesHandle, "samples"), _call.path(path, "path"))
    _check.status(_value, samples)


def samples_append_to_file(context: ContextHandle, path: str | os.PathLike[str], columns: Any, values: Any) -> None:
    """Add a row to a CSV file, which is made with its header if it is not there. Many processes and threads may do so
    at the same time: no row is lost and none is torn, not even when a writer is killed, whose unfinished line the next
    one cuts off. The file's columns are found by name, in any order; it has to have exactly those of the row.

    Values are texts as they stand in the file: "64", "1.5e9", "ok"; None and "" are missing. With `values` None no row
    is written, but the file is made or checked: to know before a long run that its row can be added.

    context: takes the error.

    path: file to write.

    columns: different names without line breaks.

    values: without line breaks.

    Raises InvalidArgumentError, NotFoundError, DataError, ParseError, IoError, NoMemoryError, LimitError,
    CancelledError.
    """
    columns_ = _call.texts(columns, "columns")
    values_ = None if values is None else _call.texts(values, "values", len(columns_))
    with _call.held(context=context):
        _value = _samples_append_to_file(
            _call.address(context, ContextHandle, "context"),
            _call.path(path, "path"),
            columns_,
            values_,
            len(columns_),
        )
    _check.status(_value, context)
    _call.raise_pending()


def samples_add_row(samples: SamplesHandle, values: Any) -> None:
    """Add a row. Tables with columns of text cannot take rows this way.

    samples: table.

    values: one per column; NaN means missing.

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    values_ = _call.doubles(values, "values", samples_column_count(samples))
    _value = _samples_add_row(_call.address(samples, SamplesHandle, "samples"), values_)
    _check.status(_value, samples)


def samples_filter(samples: SamplesHandle, column: str, value: str, context: ContextHandle | None) -> SamplesHandle:
    """A new table with the rows whose column `column` reads `value`: as text, or as the same number. "" finds missing
    ones.

    samples: table, only read.

    column: name of a column.

    value: such as "ok" or "16".

    context: limits, memory and errors of this call; None: the table's own.

    Raises InvalidArgumentError, NotFoundError, NoMemoryError, LimitError, CancelledError.
    """
    filtered_ = ctypes.c_void_p()
    _value = _samples_filter(
        _call.address(samples, SamplesHandle, "samples"),
        _call.text(column, "column"),
        _call.text(value, "value"),
        _call.optional_address(context, ContextHandle, "context"),
        ctypes.byref(filtered_),
    )
    _check.status(_value, context or samples)
    return SamplesHandle(filtered_.value, _call.context_of(context or samples))


def samples_select(samples: SamplesHandle, rows: Any, context: ContextHandle | None) -> SamplesHandle:
    """A new table with some of the rows, in the given order.

    samples: table, only read.

    rows: `count` row numbers from 0.

    context: limits, memory and errors of this call; None: the table's own.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    rows_ = _call.sizes(rows, "rows")
    selected_ = ctypes.c_void_p()
    _value = _samples_select(
        _call.address(samples, SamplesHandle, "samples"),
        rows_,
        len(rows_),
        _call.optional_address(context, ContextHandle, "context"),
        ctypes.byref(selected_),
    )
    _check.status(_value, context or samples)
    return SamplesHandle(selected_.value, _call.context_of(context or samples))


def samples_split(
    samples: SamplesHandle,
    fraction: float,
    seed: int,
    context: ContextHandle | None,
) -> tuple[SamplesHandle, SamplesHandle]:
    """Two new tables with the rows of this one in a random order: the first for training, the others for testing. The
    same for the same seed and number of rows, on every machine: the generator is SplitMix64 with `seed` as its state;
    for i = rows - 1 down to 1, row i changes places with row (draw modulo i + 1), where draws that would favour small
    numbers, those above the last multiple of i + 1 below 2^64, are drawn again.

    samples: table, only read.

    fraction: how many of the rows are for training, 0 to 1, such as 0.7; rounded down to whole rows.

    seed: any number.

    context: limits, memory and errors of this call; None: the table's own.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    train_ = ctypes.c_void_p()
    test_ = ctypes.c_void_p()
    _value = _samples_split(
        _call.address(samples, SamplesHandle, "samples"),
        _call.double(fraction, "fraction"),
        _call.uint64(seed, "seed"),
        _call.optional_address(context, ContextHandle, "context"),
        ctypes.byref(train_),
        ctypes.byref(test_),
    )
    _check.status(_value, context or samples)
    return (
        SamplesHandle(train_.value, _call.context_of(context or samples)),
        SamplesHandle(test_.value, _call.context_of(context or samples)),
    )


def samples_row_count(samples: SamplesHandle) -> int:
    """Number of rows.

    samples: table.

    Returns rows.
    """
    _value = _samples_row_count(_call.address(samples, SamplesHandle, "samples"))
    return int(_value)


def samples_column_count(samples: SamplesHandle) -> int:
    """Number of columns, those of text included.

    samples: table.

    Returns columns.
    """
    _value = _samples_column_count(_call.address(samples, SamplesHandle, "samples"))
    return int(_value)


def samples_column_name(samples: SamplesHandle, column: int) -> str | None:
    """Name of a column.

    samples: table.

    column: from 0.

    Returns the name, owned by the table; None if there is no such column.
    """
    _value = _samples_column_name(_call.address(samples, SamplesHandle, "samples"), _call.size(column, "column"))
    return _call.optional_decoded(_value)


def samples_column(samples: SamplesHandle, name: str) -> Any:
    """Numbers of a column.

    samples: table.

    name: name of a column.

    Returns one number per row, NaN where missing, owned by the table and valid until it changes; None if there is no
    such column or it holds text. The context's error then is NotFoundError, or DataError with the line of the first
    field that is no number.

    Raises NotFoundError, DataError.
    """
    _value = _samples_column(_call.address(samples, SamplesHandle, "samples"), _call.text(name, "name"))
    return _call.copied_array(_check.present(_value, samples), samples_row_count(samples))


def samples_unit(samples: SamplesHandle, name: str) -> str | None:
    """Unit of sizes in a numeric column: that of its name, or "bytes" where most of its fields had units of their own.

    samples: table.

    name: name of a column.

    Returns such as "MiB", "GB" or "bytes", a static string; None if none is known, or there is no such column.
    """
    _value = _samples_unit(_call.address(samples, SamplesHandle, "samples"), _call.text(name, "name"))
    return _call.optional_decoded(_value)


def samples_text(samples: SamplesHandle, name: str, row: int) -> str | None:
    """A field as it stands in the file.

    samples: table.

    name: name of a column.

    row: from 0.

    Returns the text, "" where it is missing, owned by the table; None where a column holds nothing but plain numbers,
    and if there is no such column or row.
    """
    _value = _samples_text(
        _call.address(samples, SamplesHandle, "samples"),
        _call.text(name, "name"),
        _call.size(row, "row"),
    )
    return _call.optional_decoded(_value)


def samples_ref(samples: SamplesHandle) -> SamplesHandle:
    """Take one more reference.

    Returns `samples`.
    """
    _samples_ref(_call.address(samples, SamplesHandle, "samples"))
    return SamplesHandle(samples.pointer, samples._context)


def samples_unref(samples: SamplesHandle | None) -> None:
    """Drop one reference."""
    if samples is not None:
        _call.instance_of(samples, SamplesHandle, "samples").close()


def advise(
    samples: SamplesHandle | None,
    options: AdviseOptions,
    context: ContextHandle | None,
) -> tuple[AdviseResult, SamplesHandle]:
    """Advise what to measure next, one configuration after the other.

    The formula is taken for a sum of powers of the inputs and their products, up to cubes, each with a share of the
    target that is not known. The next measurement is the one that lowers the variance of these shares most per cost,
    given all before it (sequential D-optimal design). The same arguments give the same advice.

    samples: measured so far, with a column for each input and one for the target. None: nothing yet.

    options: what to advise.

    context: limits, memory and errors of this call; None: the samples' own, if there are samples.

    Raises InvalidArgumentError, ParseError, NotFoundError, DataError, StructSizeError, NoMemoryError, LimitError,
    CancelledError.
    """
    result_ = AdviseResult()
    design_ = ctypes.c_void_p()
    with _call.held(samples=samples, context=context):
        _value = _advise(
            _call.optional_address(samples, SamplesHandle, "samples"),
            _call.reference(options, AdviseOptions, "options"),
            _call.optional_address(context, ContextHandle, "context"),
            ctypes.byref(result_),
            ctypes.byref(design_),
        )
    _check.status(_value, context or samples)
    _call.raise_pending()
    return result_, SamplesHandle(design_.value, _call.context_of(context or samples))


def dtype_name(dtype: Dtype | int | str) -> str | None:
    """Name of a type, such as "float32".

    dtype: Dtype.

    Returns a static string; None if there is no such type.
    """
    _value = _dtype_name(_call.enum(Dtype)(dtype, "dtype"))
    return _call.optional_decoded(_value)


def network_new(context: ContextHandle) -> NetworkHandle:
    """Make an empty network.

    context: the network keeps a reference.

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    network_ = ctypes.c_void_p()
    _value = _network_new(_call.address(context, ContextHandle, "context"), ctypes.byref(network_))
    _check.status(_value, context)
    return NetworkHandle(network_.value, _call.context_of(context))


def network_ref(network: NetworkHandle) -> NetworkHandle:
    """Take one more reference.

    Returns `network`.
    """
    _network_ref(_call.address(network, NetworkHandle, "network"))
    return NetworkHandle(network.pointer, network._context)


def network_unref(network: NetworkHandle | None) -> None:
    """Drop one reference."""
    if network is not None:
        _call.instance_of(network, NetworkHandle, "network").close()


def network_status(network: NetworkHandle) -> None:
    """Status of the first builder call that failed; its text is put on the context again. The error's object is the
    layer.

    network: network.

    Raises ShapeError, InvalidArgumentError, StructSizeError, ParseError, MemmodelOverflowError, NoMemoryError,
    LimitError.
    """
    _value = _network_status(_call.address(network, NetworkHandle, "network"))
    _check.status(_value, network)


def network_clear_error(network: NetworkHandle) -> None:
    """Forget the first error: the call that failed left the network as it was. For languages with exceptions, which
    tell each error when it happens, so that the next call can do better.

    network: network.
    """
    _network_clear_error(_call.address(network, NetworkHandle, "network"))


def network_set_layout(network: NetworkHandle, layout: Layout | int | str) -> None:
    """Layout of the layers that do not name one.

    network: network.

    layout: Layout. A new network has "channels_first".

    Raises InvalidArgumentError.
    """
    _value = _network_set_layout(_call.address(network, NetworkHandle, "network"), _call.enum(Layout)(layout, "layout"))
    _check.status(_value, network)


def network_symbol(network: NetworkHandle, name: str) -> int:
    """A symbolic dimension, new or known.

    network: network.

    name: letters, digits and underscores, such as "batch".

    Returns the dimension (negative). 0 on error: InvalidArgumentError, NoMemoryError, LimitError.

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    _value = _network_symbol(_call.address(network, NetworkHandle, "network"), _call.text(name, "name"))
    return _check.dim(_value, network)


def network_expression(network: NetworkHandle, text: str) -> int:
    """A dimension computed from symbols, such as "batch * floor(dim / 16)": numbers, names, + - * / ^, floor(a / b),
    ceil(a / b), max, min. A value that is not whole and positive when symbols are bound is an error of that query.

    network: network.

    text: the expression.

    Returns the dimension. 0 on error: ParseError, MemmodelOverflowError, NoMemoryError, LimitError.

    Raises ParseError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_expression(_call.address(network, NetworkHandle, "network"), _call.text(text, "text"))
    return _check.dim(_value, network)


def network_dim_to_text(network: NetworkHandle, dim: int) -> str:
    """A dimension as text, such as "floor(dim / 16)"; network_expression() makes the same dimension of it.

    network: network.

    dim: a dimension of this network.

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    text_ = ctypes.c_void_p()
    _value = _network_dim_to_text(
        _call.address(network, NetworkHandle, "network"),
        _call.int64(dim, "dim"),
        ctypes.byref(text_),
    )
    _check.status(_value, network)
    return _call.taken(_free, text_)


def network_push_scope(network: NetworkHandle, name: str) -> None:
    """Begin a scope: the layers that follow belong to it, and their names begin with its own and a dot. A scope is a
    call of the host language: what is made before it and used in it lives until it ends.

    network: network.

    name: such as "encoder.0".

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    _value = _network_push_scope(_call.address(network, NetworkHandle, "network"), _call.text(name, "name"))
    _check.status(_value, network)


def network_pop_scope(network: NetworkHandle) -> None:
    """End the innermost scope.

    network: network.

    Raises InvalidArgumentError.
    """
    _value = _network_pop_scope(_call.address(network, NetworkHandle, "network"))
    _check.status(_value, network)


def network_checkpoint_scope(network: NetworkHandle, mode: Checkpoint | int | str) -> None:
    """Say whether what the innermost scope makes is kept for the backward pass or computed again there, as by
    torch.utils.checkpoint around its call. Trainings with "pytorch" do so, besides what memmodel_job names; other
    frameworks take no notice.

    network: network.

    mode: Checkpoint.

    Raises InvalidArgumentError.
    """
    _value = _network_checkpoint_scope(
        _call.address(network, NetworkHandle, "network"),
        _call.enum(Checkpoint)(mode, "mode"),
    )
    _check.status(_value, network)


def network_end_lifetime(network: NetworkHandle, tensor: int) -> None:
    """Say that the host language held a tensor by a name until here. Without it a tensor goes after its last use (and
    the end of the scopes it was handed to).

    network: network.

    tensor: tensor.

    Raises InvalidArgumentError.
    """
    _value = _network_end_lifetime(_call.address(network, NetworkHandle, "network"), _call.int32(tensor, "tensor"))
    _check.status(_value, network)


def network_mark_output(network: NetworkHandle, tensor: int) -> None:
    """Name what the network returns, which its caller holds until the next step. Without it: what no layer uses. The
    caller's name is bound where network_end_lifetime() was called for it last, else as soon as the model is done.

    network: network.

    tensor: tensor.

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    _value = _network_mark_output(_call.address(network, NetworkHandle, "network"), _call.int32(tensor, "tensor"))
    _check.status(_value, network)


def network_layer_output(network: NetworkHandle, tensor: int, index: int) -> int:
    """A further output of the layer that made `tensor`.

    network: network.

    tensor: the first output, as the builder call returned it.

    index: from 0.

    Returns tensor, or InvalidArgumentError.

    Raises InvalidArgumentError.
    """
    _value = _network_layer_output(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(tensor, "tensor"),
        _call.int32(index, "index"),
    )
    return _check.status(_value, network)


def network_get_shape(network: NetworkHandle, tensor: int) -> Shape:
    """Shape of a tensor.

    network: network.

    tensor: tensor.

    Raises InvalidArgumentError.
    """
    shape_ = Shape()
    _value = _network_get_shape(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(tensor, "tensor"),
        ctypes.byref(shape_),
    )
    _check.status(_value, None)
    return shape_


def network_layer_count(network: NetworkHandle) -> int:
    """Number of layers, inputs included.

    network: network.

    Returns layers.
    """
    _value = _network_layer_count(_call.address(network, NetworkHandle, "network"))
    return int(_value)


def network_symbol_count(network: NetworkHandle) -> int:
    """Number of symbols.

    network: network.

    Returns symbols.
    """
    _value = _network_symbol_count(_call.address(network, NetworkHandle, "network"))
    return int(_value)


def network_symbol_name(network: NetworkHandle, symbol: int) -> str | None:
    """Name of a symbol.

    network: network.

    symbol: from 0.

    Returns the name, owned by the network; None if there is no such symbol.
    """
    _value = _network_symbol_name(_call.address(network, NetworkHandle, "network"), _call.size(symbol, "symbol"))
    return _call.optional_decoded(_value)


def network_to_json(network: NetworkHandle, context: ContextHandle | None) -> str:
    """The network as JSON text (doc/formats.md); network_from_json() makes the same network of it.

    network: built network, only read.

    context: limits, memory and errors of this call; None: the network's own.

    Raises UnsupportedError, InvalidArgumentError, NoMemoryError, LimitError, CancelledError, ShapeError,
    StructSizeError, ParseError, MemmodelOverflowError.
    """
    text_ = ctypes.c_void_p()
    _value = _network_to_json(
        _call.address(network, NetworkHandle, "network"),
        _call.optional_address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context or network)
    return _call.taken(_free, text_)


def network_from_json(context: ContextHandle, name: str, text: str) -> NetworkHandle:
    """Read a network. Everything in the text is checked as if it came through the builder calls.

    context: the network keeps a reference.

    name: what to call the text in errors.

    text: `length` characters.

    Raises ParseError, ShapeError, InvalidArgumentError, MemmodelOverflowError, NoMemoryError, LimitError,
    CancelledError, VersionError.
    """
    text_ = _call.text(text, "text")
    network_ = ctypes.c_void_p()
    _value = _network_from_json(
        _call.address(context, ContextHandle, "context"),
        _call.text(name, "name"),
        text_,
        len(text_),
        ctypes.byref(network_),
    )
    _check.status(_value, context)
    return NetworkHandle(network_.value, _call.context_of(context))


def network_save(network: NetworkHandle, path: str | os.PathLike[str], context: ContextHandle | None) -> None:
    """Write the network as JSON, atomically.

    network: built network, only read.

    path: file to write.

    context: limits, memory and errors of this call; None: the network's own.

    Raises UnsupportedError, IoError, InvalidArgumentError, NoMemoryError, LimitError, CancelledError, ShapeError,
    StructSizeError, ParseError, MemmodelOverflowError.
    """
    _value = _network_save(
        _call.address(network, NetworkHandle, "network"),
        _call.path(path, "path"),
        _call.optional_address(context, ContextHandle, "context"),
    )
    _check.status(_value, context or network)


def network_load(context: ContextHandle, path: str | os.PathLike[str]) -> NetworkHandle:
    """Read a network from a file.

    context: the network keeps a reference.

    path: file to read.

    Raises IoError, ParseError, ShapeError, InvalidArgumentError, MemmodelOverflowError, NoMemoryError, LimitError,
    CancelledError, VersionError.
    """
    network_ = ctypes.c_void_p()
    _value = _network_load(
        _call.address(context, ContextHandle, "context"),
        _call.path(path, "path"),
        ctypes.byref(network_),
    )
    _check.status(_value, context)
    return NetworkHandle(network_.value, _call.context_of(context))


def network_input(network: NetworkHandle, name: str, dtype: Dtype | int | str, dims: Any) -> int:
    """An input of the network.

    network: network.

    name: of the input.

    dtype: Dtype.

    dims: `rank` dimensions.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    dims_ = _call.int64s(dims, "dims")
    _value = _network_input(
        _call.address(network, NetworkHandle, "network"),
        _call.text(name, "name"),
        _call.enum(Dtype)(dtype, "dtype"),
        len(dims_),
        dims_,
    )
    return _check.status(_value, network)


def network_parameter(network: NetworkHandle, name: str, dtype: Dtype | int | str, dims: Any, trainable: int) -> int:
    """A tensor of parameters of its own, such as a class token. `trainable` 0 makes it a buffer.

    network: network.

    name: of the tensor.

    dtype: Dtype.

    dims: `rank` dimensions.

    trainable: 1: it gets a gradient and optimizer state.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    dims_ = _call.int64s(dims, "dims")
    _value = _network_parameter(
        _call.address(network, NetworkHandle, "network"),
        _call.text(name, "name"),
        _call.enum(Dtype)(dtype, "dtype"),
        len(dims_),
        dims_,
        _call.int32(trainable, "trainable"),
    )
    return _check.status(_value, network)


def network_use_storage(network: NetworkHandle, storage: int, strides: Any) -> None:
    """Say how the next input or tensor of parameters lies in memory, as torch.Tensor.stride() and untyped_storage()
    tell it: strides of torch.channels_last, a slice of a larger tensor, or a tensor that shares its memory with
    another. Without it a tensor is row-major, in a storage of its own that its strides just reach over. "pytorch"
    follows it, other frameworks take no notice.

    network: network.

    storage: input or tensor of parameters in whose storage it lies, which has one of its own and is large enough; of a
    tensor of parameters that of one; TENSOR_NONE: in one of its own.

    strides: distance in elements from one element to the next along each dimension.

    Raises InvalidArgumentError, ShapeError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    strides_ = _call.int64s(strides, "strides")
    _value = _network_use_storage(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(storage, "storage"),
        len(strides_),
        strides_,
    )
    _check.status(_value, network)


def network_use_parameter(network: NetworkHandle, role: str, tensor: int) -> None:
    """Let the next layer use a tensor of parameters in place of one that it would make for itself: for parameters that
    stand in an order of their own, are frozen, or are used by several layers.

    network: network.

    role: of the parameter in that layer: "weight", "bias", "running_mean", "running_var", and of recurrent layers as
    torch.nn.LSTM has them, such as "weight_ih_l0_reverse".

    tensor: of network_parameter(), in the shape that the layer needs. A layer that has no such parameter is refused
    with InvalidArgumentError, another shape with ShapeError.

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    _value = _network_use_parameter(
        _call.address(network, NetworkHandle, "network"),
        _call.text(role, "role"),
        _call.int32(tensor, "tensor"),
    )
    _check.status(_value, network)


def network_conv(network: NetworkHandle, x: int, options: Conv) -> int:
    """Convolution over the 1 to 3 spatial dimensions of [batch, channels, ...].

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_conv(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Conv, "options"),
    )
    return _check.status(_value, network)


def network_conv_transpose(network: NetworkHandle, x: int, options: Conv) -> int:
    """Transposed convolution.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_conv_transpose(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Conv, "options"),
    )
    return _check.status(_value, network)


def network_linear(network: NetworkHandle, x: int, options: Linear) -> int:
    """Fully connected layer.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_linear(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Linear, "options"),
    )
    return _check.status(_value, network)


def network_pool(network: NetworkHandle, x: int, options: Pool) -> int:
    """Pooling over windows.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_pool(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Pool, "options"),
    )
    return _check.status(_value, network)


def network_adaptive_pool(network: NetworkHandle, x: int, options: AdaptivePool) -> int:
    """Pooling to a given size.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_adaptive_pool(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, AdaptivePool, "options"),
    )
    return _check.status(_value, network)


def network_global_pool(network: NetworkHandle, x: int, options: GlobalPool | None) -> int:
    """Pooling over all spatial dimensions.

    network: network.

    x: input.

    options: None: maximum.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_global_pool(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, GlobalPool, "options"),
    )
    return _check.status(_value, network)


def network_batch_norm(network: NetworkHandle, x: int, options: BatchNorm | None) -> int:
    """Batch normalisation. Two parameters and two moving statistics per channel.

    network: network.

    x: input.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_batch_norm(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, BatchNorm, "options"),
    )
    return _check.status(_value, network)


def network_layer_norm(network: NetworkHandle, x: int, options: LayerNorm | None) -> int:
    """Layer normalisation.

    network: network.

    x: input.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_layer_norm(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, LayerNorm, "options"),
    )
    return _check.status(_value, network)


def network_group_norm(network: NetworkHandle, x: int, options: GroupNorm) -> int:
    """Group normalisation.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_group_norm(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, GroupNorm, "options"),
    )
    return _check.status(_value, network)


def network_instance_norm(network: NetworkHandle, x: int, options: InstanceNorm | None) -> int:
    """Instance normalisation.

    network: network.

    x: input.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_instance_norm(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, InstanceNorm, "options"),
    )
    return _check.status(_value, network)


def network_rms_norm(network: NetworkHandle, x: int, options: RmsNorm | None) -> int:
    """Root-mean-square normalisation.

    network: network.

    x: input.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_rms_norm(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, RmsNorm, "options"),
    )
    return _check.status(_value, network)


def network_activation(network: NetworkHandle, x: int, options: Activation) -> int:
    """Activation.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_activation(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Activation, "options"),
    )
    return _check.status(_value, network)


def network_softmax(network: NetworkHandle, x: int, options: Softmax | None) -> int:
    """Softmax.

    network: network.

    x: input.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_softmax(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, Softmax, "options"),
    )
    return _check.status(_value, network)


def network_dropout(network: NetworkHandle, x: int, options: Dropout | None) -> int:
    """Dropout.

    network: network.

    x: input.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_dropout(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, Dropout, "options"),
    )
    return _check.status(_value, network)


def network_embedding(network: NetworkHandle, x: int, options: Embedding) -> int:
    """Table lookup of integer indices.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_embedding(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Embedding, "options"),
    )
    return _check.status(_value, network)


def network_upsample(network: NetworkHandle, x: int, options: Upsample) -> int:
    """Upsampling of the spatial dimensions.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_upsample(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Upsample, "options"),
    )
    return _check.status(_value, network)


def network_pad(network: NetworkHandle, x: int, options: Pad) -> int:
    """Padding.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_pad(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Pad, "options"),
    )
    return _check.status(_value, network)


def network_crop(network: NetworkHandle, x: int, options: Pad) -> int:
    """Cropping: `before` and `after` elements of each axis go.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_crop(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Pad, "options"),
    )
    return _check.status(_value, network)


def network_concat(network: NetworkHandle, tensors: Any, options: Concat) -> int:
    """Concatenation.

    network: network.

    tensors: `count` tensors of one rank and type, equal in all other dimensions.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    tensors_ = _call.int32s(tensors, "tensors")
    _value = _network_concat(
        _call.address(network, NetworkHandle, "network"),
        tensors_,
        len(tensors_),
        _call.reference(options, Concat, "options"),
    )
    return _check.status(_value, network)


def network_split(network: NetworkHandle, x: int, options: Split) -> int:
    """Split into parts; the others are network_layer_output() 1, 2, ...

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_split(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Split, "options"),
    )
    return _check.status(_value, network)


def network_slice(network: NetworkHandle, x: int, options: Slice) -> int:
    """Part of one axis.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_slice(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Slice, "options"),
    )
    return _check.status(_value, network)


def network_reshape(network: NetworkHandle, x: int, dims: Any) -> int:
    """The same elements in another shape; at most one dimension is DIM_INFER.

    network: network.

    x: input.

    dims: `rank` dimensions.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    dims_ = _call.int64s(dims, "dims")
    _value = _network_reshape(_call.address(network, NetworkHandle, "network"), _call.int32(x, "x"), len(dims_), dims_)
    return _check.status(_value, network)


def network_flatten(network: NetworkHandle, x: int, first: int, last: int) -> int:
    """Axes `first` to `last` become one.

    network: network.

    x: input.

    first: axis, from the end if negative.

    last: axis, from the end if negative.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_flatten(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.int32(first, "first"),
        _call.int32(last, "last"),
    )
    return _check.status(_value, network)


def network_permute(network: NetworkHandle, x: int, axes: Any) -> int:
    """Axes in another order.

    network: network.

    x: input.

    axes: `rank` axes: one axis of the input per axis of the output, from the end if negative.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    axes_ = _call.int32s(axes, "axes")
    _value = _network_permute(_call.address(network, NetworkHandle, "network"), _call.int32(x, "x"), len(axes_), axes_)
    return _check.status(_value, network)


def network_expand(network: NetworkHandle, x: int, dims: Any) -> int:
    """Axes of size 1 repeated, and new axes in front; DIM_INFER keeps an axis.

    network: network.

    x: input.

    dims: `rank` dimensions.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    dims_ = _call.int64s(dims, "dims")
    _value = _network_expand(_call.address(network, NetworkHandle, "network"), _call.int32(x, "x"), len(dims_), dims_)
    return _check.status(_value, network)


def network_binary(network: NetworkHandle, a: int, b: int, options: Binary | None) -> int:
    """Two tensors element by element.

    network: network.

    a: first tensor.

    b: second tensor.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_binary(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(a, "a"),
        _call.int32(b, "b"),
        _call.optional_reference(options, Binary, "options"),
    )
    return _check.status(_value, network)


def network_matmul(network: NetworkHandle, a: int, b: int, options: Matmul | None) -> int:
    """Matrix product.

    network: network.

    a: first tensor.

    b: second tensor.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_matmul(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(a, "a"),
        _call.int32(b, "b"),
        _call.optional_reference(options, Matmul, "options"),
    )
    return _check.status(_value, network)


def network_reduce(network: NetworkHandle, x: int, options: Reduce) -> int:
    """Reduction.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_reduce(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Reduce, "options"),
    )
    return _check.status(_value, network)


def network_attention(
    network: NetworkHandle,
    query: int,
    key: int,
    value: int,
    mask: int,
    options: Attention | None,
) -> int:
    """Scaled dot-product attention.

    network: network.

    query: [batch, heads, length, width].

    key: [batch, heads, keys, width].

    value: [batch, heads, keys, value width].

    mask: added to the scores, broadcast to [batch, heads, length, keys]; TENSOR_NONE if none.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_attention(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(query, "query"),
        _call.int32(key, "key"),
        _call.int32(value, "value"),
        _call.int32(mask, "mask"),
        _call.optional_reference(options, Attention, "options"),
    )
    return _check.status(_value, network)


def network_recurrent(network: NetworkHandle, x: int, options: Recurrent) -> int:
    """Recurrent layers; initial states are zero.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_recurrent(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Recurrent, "options"),
    )
    return _check.status(_value, network)


def network_loss(network: NetworkHandle, x: int, target: int, options: Loss | None) -> int:
    """Loss.

    network: network.

    x: prediction.

    target: target.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    _value = _network_loss(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.int32(target, "target"),
        _call.optional_reference(options, Loss, "options"),
    )
    return _check.status(_value, network)


def network_custom(network: NetworkHandle, inputs: Any, options: Custom) -> int:
    """An operator declared by what it holds.

    network: network.

    inputs: `count` tensors.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NoMemoryError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NoMemoryError, LimitError.
    """
    inputs_ = _call.int32s(inputs, "inputs")
    _value = _network_custom(
        _call.address(network, NetworkHandle, "network"),
        inputs_,
        len(inputs_),
        _call.reference(options, Custom, "options"),
    )
    network.keep(id(options), options)
    return _check.status(_value, network)


def fit_loss_name(loss: FitLoss | int | str) -> str | None:
    """Name of a loss, such as "relative".

    loss: FitLoss.

    Returns a static string; None if there is no such loss.
    """
    _value = _fit_loss_name(_call.enum(FitLoss)(loss, "loss"))
    return _call.optional_decoded(_value)


def bound_method_name(method: BoundMethod | int | str) -> str | None:
    """Name of a method, such as "conformal".

    method: BoundMethod.

    Returns a static string; None if there is no such method.
    """
    _value = _bound_method_name(_call.enum(BoundMethod)(method, "method"))
    return _call.optional_decoded(_value)


def fit(samples: SamplesHandle, options: FitOptions | None, context: ContextHandle | None) -> ModelHandle:
    """Fit a formula: best subset of terms by weighted non-negative least squares on relative errors; the smallest
    subset whose leave-one-out error lies within one standard error of the best. The constant does not count: where
    least squares puts one above 0 beside the terms it stays, unless the terms alone are exact.

    With "squared", or "general", coefficients have any sign. Terms are chosen one after the other in three nested
    libraries (the inputs; their curves, hinges and levels; products and comparisons of two), for the target and for its
    square root; the sum of all inputs is offered as it is, and the mean. Of the formulas of each size the one becomes
    the model that predicts best with each row left out and with fifths of the rows held out while its terms are found
    again, at a price for every term that grows with its library. Straight lines go on beyond the samples; any other
    formula takes an input outside its range as the nearest one inside, and stays near the measurements
    (model_output_range()). The order of the rows does not matter.

    Other losses take the same terms: their coefficients come from least squares that are weighed again and again, and
    formulas are chosen by what the loss makes of the rows left out. "absolute" and "pinball" have positive terms, too,
    unless the basis is "general".

    A formula is returned only if interval arithmetic proves that it is defined and finite wherever the inputs are in
    their ranges, and not negative there where the terms are positive or errors relative; else the next best is. What
    `increasing`, `decreasing` and `non_negative` ask for is proven in the same way, of the slopes of the formula.

    With `units` a term is of the target's unit, or a pure number: its coefficient then has the target's unit, as the
    constant's has. A column without a unit is a pure number; what is added or compared must be of one unit, and
    logarithms are of pure numbers. Units are products such as kg*m/s^2 of names that are only compared: kB and B
    differ.

    With `change_points` terms are offered, too, that count below or from a knot on, midway between two levels of an
    input: equal(max(x, k), x) is 1 where x >= k, else 0. All of a formula's have the same knot. They are taken as any
    other term is, if rows left out are predicted better by more than so many more terms can be expected to gain.

    With a search other than "none" formulas of any shape are tried, too: sums of up to four trees of the four
    operations, squares, roots, logarithms, exponentials, sines, cosines, tanh, minimum and maximum, with fitted numbers
    in them, constant and coefficients of any sign. The search is repeated without each fifth of the rows, and what it
    finds becomes the model only if on rows held out it is better than the formula of terms by more than the standard
    error of the difference. Sums of positive terms are compared with what is found in the same way.

    Rows with a missing input, target or weight, or a weight of 0, are left out and counted in the log. Repeated rows
    are repeated measurements. Of found inputs, constant ones and repetitions of another are left out, and the log says
    so; of named ones they are errors. Roots are offered for inputs that are nowhere below 0, reciprocals above 0,
    logarithms from 1 on; an input with values below 0 gives x, -x and x^2. Given terms use the symbols of
    model_get_input().

    samples: table, only read.

    options: None for defaults.

    context: limits, memory and errors of this call, progress and log; the model keeps a reference. None: the samples'
    own.

    Raises NotFoundError, DataError, ParseError, StructSizeError, InvalidArgumentError, NoMemoryError, LimitError,
    CancelledError.
    """
    model_ = ctypes.c_void_p()
    with _call.held(samples=samples, context=context):
        _value = _fit(
            _call.address(samples, SamplesHandle, "samples"),
            _call.optional_reference(options, FitOptions, "options"),
            _call.optional_address(context, ContextHandle, "context"),
            ctypes.byref(model_),
        )
    _check.status(_value, context or samples)
    _call.raise_pending()
    return ModelHandle(model_.value, _call.context_of(context or samples))


def model_evaluate(model: ModelHandle, inputs: Any) -> float:
    """The formula at one point. Never allocates, never fails. The same bits on every processor, for all inputs that
    there are: products, sums, quotients and square roots are rounded as IEEE 754 says, logarithms and other powers are
    off by less than one unit of the last place (doc/evaluator.md). Of NaN neither sign nor payload is promised.

    model: model.

    inputs: one number per input, in the order of model_get_input().

    Returns the target, NaN where the formula is undefined, and for None.
    """
    inputs_ = _call.doubles(inputs, "inputs", model_input_count(model))
    _value = _model_evaluate(_call.address(model, ModelHandle, "model"), inputs_)
    return float(_value)


def model_evaluate_many(model: ModelHandle, columns: Any) -> Any:
    """The formula at many points, with the same bits as model_evaluate() on each. Never allocates. Input i of point j
    is columns[i][j * stride]: columns of a table that lies in memory row by row begin at its first numbers, and its
    rows' length is the stride. Columns may begin at any address where a double may; `results` must not overlap them.

    model: model.

    columns: `columns[i]` has input i of each point.
    """
    columns_, columns_count = _call.columns(columns, "columns", model_input_count(model))
    results_ = _call.array_type(ctypes.c_double, columns_count)()
    _model_evaluate_many(_call.address(model, ModelHandle, "model"), columns_, 1, columns_count, results_)
    return results_


def model_check_points(model: ModelHandle, columns: Any, context: ContextHandle | None) -> None:
    """Whether a model predicts at points, and which input has a value that it refuses. Of a model with positive terms,
    an input whose column held whole numbers only takes whole numbers; one above 0, or nowhere below it, takes such
    ones. Models of earlier builds refuse none, nor do those with coefficients of any sign. model_evaluate() has the
    formula's value anywhere.

    model: model.

    columns: `columns[i]` has input i of each point; NaN is not judged.

    context: takes the error, whose object is the input's name; None: the model's own.

    Raises InvalidArgumentError.
    """
    columns_, columns_count = _call.columns(columns, "columns", model_input_count(model))
    _value = _model_check_points(
        _call.address(model, ModelHandle, "model"),
        columns_,
        columns_count,
        _call.optional_address(context, ContextHandle, "context"),
    )
    _check.status(_value, context or model)


def model_predict(model: ModelHandle, inputs: Any, options: PredictOptions | None) -> Prediction:
    """Prediction with a one-sided upper prediction bound. Never allocates; jackknife+ takes some microseconds.

    model: model.

    inputs: one number per input.

    options: level and method of the bound; None: 95 %, by the default method.

    Raises InvalidArgumentError, UnsupportedError, StructSizeError.
    """
    inputs_ = _call.doubles(inputs, "inputs", model_input_count(model))
    prediction_ = Prediction()
    _value = _model_predict(
        _call.address(model, ModelHandle, "model"),
        inputs_,
        _call.optional_reference(options, PredictOptions, "options"),
        ctypes.byref(prediction_),
    )
    _check.status(_value, None)
    return prediction_


def model_predict_many(model: ModelHandle, columns: Any, options: PredictOptions | None) -> tuple[Any, Any, Any]:
    """Predictions with their bounds at many points, with the same bits as model_predict() on each. Never allocates.

    model: model.

    columns: `columns[i]` has input i of each point.

    options: as in model_predict().

    Raises InvalidArgumentError, UnsupportedError, StructSizeError.
    """
    columns_, columns_count = _call.columns(columns, "columns", model_input_count(model))
    values_ = _call.array_type(ctypes.c_double, columns_count)()
    upper_ = _call.array_type(ctypes.c_double, columns_count)()
    extrapolated_ = _call.array_type(ctypes.c_int32, columns_count)()
    with _call.held(model=model):
        _value = _model_predict_many(
            _call.address(model, ModelHandle, "model"),
            columns_,
            1,
            columns_count,
            _call.optional_reference(options, PredictOptions, "options"),
            values_,
            upper_,
            extrapolated_,
        )
    _check.status(_value, None)
    _call.raise_pending()
    return values_, upper_, extrapolated_


def model_predict_max(
    model: ModelHandle,
    inputs: Any,
    input: str,
    options: PredictOptions | None,
    budget: float,
    context: ContextHandle | None,
) -> int:
    """Largest whole value of one input for which the upper bound stays within a budget, found by bisection from 1 up to
    2^53. Never allocates.

    model: model.

    inputs: values of the inputs; the one solved for is ignored.

    input: name of the input to solve for, such as "batch".

    options: as in model_predict().

    budget: in the target's unit.

    context: takes the error; None: the model's own.

    Raises NotFoundError, InvalidArgumentError, UnsupportedError, StructSizeError.
    """
    inputs_ = _call.doubles(inputs, "inputs", model_input_count(model))
    max_ = ctypes.c_int64()
    _value = _model_predict_max(
        _call.address(model, ModelHandle, "model"),
        inputs_,
        _call.text(input, "input"),
        _call.optional_reference(options, PredictOptions, "options"),
        _call.double(budget, "budget"),
        _call.optional_address(context, ContextHandle, "context"),
        ctypes.byref(max_),
    )
    _check.status(_value, context or model)
    return max_.value


def model_input_count(model: ModelHandle) -> int:
    """Number of inputs.

    model: model.

    Returns inputs.
    """
    _value = _model_input_count(_call.address(model, ModelHandle, "model"))
    return int(_value)


def model_get_input(model: ModelHandle, index: int) -> ModelInput:
    """What is known of an input.

    model: model.

    index: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    input_ = ModelInput()
    _value = _model_get_input(
        _call.address(model, ModelHandle, "model"),
        _call.size(index, "index"),
        ctypes.byref(input_),
    )
    _check.status(_value, None)
    return _call.owned(input_, model)


def model_target(model: ModelHandle) -> str:
    """Name of what the model predicts.

    model: model.

    Returns the name, owned by the model.
    """
    _value = _model_target(_call.address(model, ModelHandle, "model"))
    return _call.decoded(_value)


def model_unit(model: ModelHandle) -> str | None:
    """Unit of the sizes that a model predicts: that of the table's column, or of the target's name.

    model: model.

    Returns such as "MiB", "GB" or "bytes", a static string; None where it is not known.
    """
    _value = _model_unit(_call.address(model, ModelHandle, "model"))
    return _call.optional_decoded(_value)


def model_unit_bytes(model: ModelHandle) -> float:
    """The same as bytes: what turns a prediction into bytes, and by what a budget in bytes is divided.

    model: model.

    Returns bytes of one, such as 1048576; 0 where the unit is not known, NaN for None.
    """
    _value = _model_unit_bytes(_call.address(model, ModelHandle, "model"))
    return float(_value)


def model_output_range(model: ModelHandle) -> tuple[int, float, float]:
    """Smallest and greatest number that a model predicts. One with an output range takes an input outside the domain as
    the nearest value inside; of its formulas only that in SQL says so.

    model: model.

    Returns 1 if the model has an output range, as those of "general" and "squared" have that are no straight lines;
    else 0.
    """
    min_ = ctypes.c_double()
    max_ = ctypes.c_double()
    _value = _model_output_range(_call.address(model, ModelHandle, "model"), ctypes.byref(min_), ctypes.byref(max_))
    return int(_value), min_.value, max_.value


def model_front_count(model: ModelHandle) -> int:
    """Number of formulas on the Pareto front of error and size, by rising size.

    model: model.

    Returns entries; 0 for a model from a file that has none.
    """
    _value = _model_front_count(_call.address(model, ModelHandle, "model"))
    return int(_value)


def model_get_front_entry(model: ModelHandle, index: int) -> ModelFrontEntry:
    """A formula on the front: its text, size and errors.

    model: model.

    index: from 0, the smallest.

    Raises InvalidArgumentError, StructSizeError.
    """
    entry_ = ModelFrontEntry()
    _value = _model_get_front_entry(
        _call.address(model, ModelHandle, "model"),
        _call.size(index, "index"),
        ctypes.byref(entry_),
    )
    _check.status(_value, None)
    return _call.owned(entry_, model)


def model_get_scores(model: ModelHandle) -> ModelScores:
    """How good the fit is.

    model: model.

    Raises InvalidArgumentError, StructSizeError.
    """
    scores_ = ModelScores()
    _value = _model_get_scores(_call.address(model, ModelHandle, "model"), ctypes.byref(scores_))
    _check.status(_value, None)
    return scores_


def model_formula(model: ModelHandle, language: Language | int | str) -> str | None:
    """The formula as an expression. In C and Python its logarithms and roots are the language's own, which may differ
    from the library's in the last bits; model_to_code() gives files with the same bits. In SQL it is of columns named
    as the inputs are, between double quotes, with the output range; in the others of the inputs' symbols.

    model: model.

    language: Language.

    Returns the formula, owned by the model; None if there is no such language.
    """
    _value = _model_formula(_call.address(model, ModelHandle, "model"), _call.enum(Language)(language, "language"))
    return _call.optional_decoded(_value)


def model_to_code(model: ModelHandle, language: Language | int | str, context: ContextHandle | None) -> str:
    """The model as a whole file of another language; model_to_json() gives one that the library reads. Functions in C
    and Python are called predict_ and the target's letters and digits, and take the inputs in their order, by their
    symbols.

    model: model.

    language: Language.

    context: limits, memory and errors of this call; None: the model's own.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _model_to_code(
        _call.address(model, ModelHandle, "model"),
        _call.enum(Language)(language, "language"),
        _call.optional_address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context or model)
    return _call.taken(_free, text_)


def model_save(model: ModelHandle, path: str | os.PathLike[str], context: ContextHandle | None) -> None:
    """Write the model as JSON (doc/formats.md), atomically.

    model: model.

    path: file to write.

    context: limits, memory and errors of this call; None: the model's own.

    Raises InvalidArgumentError, IoError, NoMemoryError, LimitError, CancelledError.
    """
    _value = _model_save(
        _call.address(model, ModelHandle, "model"),
        _call.path(path, "path"),
        _call.optional_address(context, ContextHandle, "context"),
    )
    _check.status(_value, context or model)


def model_to_json(model: ModelHandle, context: ContextHandle | None) -> str:
    """The model as JSON text.

    model: model.

    context: limits, memory and errors of this call; None: the model's own.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _model_to_json(
        _call.address(model, ModelHandle, "model"),
        _call.optional_address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context or model)
    return _call.taken(_free, text_)


def model_load(context: ContextHandle, path: str | os.PathLike[str]) -> ModelHandle:
    """Read a model that model_save() wrote. Everything in the file is checked.

    context: the model keeps a reference.

    path: file to read.

    Raises InvalidArgumentError, IoError, ParseError, VersionError, NoMemoryError, LimitError, CancelledError.
    """
    model_ = ctypes.c_void_p()
    _value = _model_load(
        _call.address(context, ContextHandle, "context"),
        _call.path(path, "path"),
        ctypes.byref(model_),
    )
    _check.status(_value, context)
    return ModelHandle(model_.value, _call.context_of(context))


def model_from_json(context: ContextHandle, name: str, text: str) -> ModelHandle:
    """As model_load(), from memory.

    context: the model keeps a reference.

    name: what to call the text in errors.

    text: `length` characters.

    Raises InvalidArgumentError, ParseError, VersionError, NoMemoryError, LimitError, CancelledError.
    """
    text_ = _call.text(text, "text")
    model_ = ctypes.c_void_p()
    _value = _model_from_json(
        _call.address(context, ContextHandle, "context"),
        _call.text(name, "name"),
        text_,
        len(text_),
        ctypes.byref(model_),
    )
    _check.status(_value, context)
    return ModelHandle(model_.value, _call.context_of(context))


def model_ref(model: ModelHandle) -> ModelHandle:
    """Take one more reference.

    Returns `model`.
    """
    _model_ref(_call.address(model, ModelHandle, "model"))
    return ModelHandle(model.pointer, model._context)


def model_unref(model: ModelHandle | None) -> None:
    """Drop one reference."""
    if model is not None:
        _call.instance_of(model, ModelHandle, "model").close()


def function_new(context: ContextHandle, model: ModelHandle, level: float) -> FunctionHandle:
    """Make a C function of a model. At level 0 it computes what model_evaluate() does, else the upper bound of
    model_predict() at that level, NaN where that refuses a value; both with the same bits.

    The code is made at run time by libffi, which takes the memory for it from the system, not from the allocator.

    context: the function keeps a reference; takes the error.

    model: the function keeps a reference.

    level: 0, or the probability that a new measurement lies below the bound, 0.5 to 0.999.

    Raises InvalidArgumentError, UnsupportedError, NoMemoryError, LimitError.
    """
    function_ = ctypes.c_void_p()
    _value = _function_new(
        _call.address(context, ContextHandle, "context"),
        _call.address(model, ModelHandle, "model"),
        _call.double(level, "level"),
        ctypes.byref(function_),
    )
    _check.status(_value, context)
    return FunctionHandle(function_.value, _call.context_of(context))


def function_pointer(function: FunctionHandle) -> Any:
    """The function itself.

    function: not None.

    Returns a function that may be called as long as `function` has a reference, never None.
    """
    _value = _function_pointer(_call.address(function, FunctionHandle, "function"))
    return _value


def function_ref(function: FunctionHandle) -> FunctionHandle:
    """Take one more reference.

    Returns `function`.
    """
    _function_ref(_call.address(function, FunctionHandle, "function"))
    return FunctionHandle(function.pointer, function._context)


def function_unref(function: FunctionHandle | None) -> None:
    """Drop one reference. With the last one the code is gone: nobody may be calling it then."""
    if function is not None:
        _call.instance_of(function, FunctionHandle, "function").close()


def metric_name(metric: Metric | int | str) -> str | None:
    """Name of a metric, such as "process".

    metric: Metric.

    Returns a static string; None if there is no such metric.
    """
    _value = _metric_name(_call.enum(Metric)(metric, "metric"))
    return _call.optional_decoded(_value)


def metric_default(framework: str | None) -> int:
    """What "default" stands for: the bytes that decide whether a job lives. They are those of the process, on a GPU of
    the device; the textbook, which models no process, has live bytes.

    framework: as in Job; None: its default.

    Returns "process" or "live".
    """
    _value = _metric_default(_call.optional(_call.text)(framework, "framework"))
    return int(_value)


def verdict_name(verdict: Verdict | int | str) -> str | None:
    """Name of a verdict, such as "fits".

    verdict: Verdict.

    Returns a static string; None if there is no such verdict.
    """
    _value = _verdict_name(_call.enum(Verdict)(verdict, "verdict"))
    return _call.optional_decoded(_value)


def mode_name(mode: Mode | int | str) -> str | None:
    """Name of a mode, such as "inference".

    mode: Mode.

    Returns a static string; None if there is no such mode.
    """
    _value = _mode_name(_call.enum(Mode)(mode, "mode"))
    return _call.optional_decoded(_value)


def monitor_new(context: ContextHandle, pid: int, options: MonitorOptions | None) -> MonitorHandle:
    """Start to watch a process. Nothing is read before the first monitor_read().

    context: the monitor keeps a reference.

    pid: process to watch, with its descendants.

    options: None for the defaults.

    Raises ProcessError, UnsupportedError, InvalidArgumentError, StructSizeError, NoMemoryError, LimitError.
    """
    monitor_ = ctypes.c_void_p()
    _value = _monitor_new(
        _call.address(context, ContextHandle, "context"),
        _call.int64(pid, "pid"),
        _call.optional_reference(options, MonitorOptions, "options"),
        ctypes.byref(monitor_),
    )
    _check.status(_value, context)
    return MonitorHandle(monitor_.value, _call.context_of(context))


def monitor_read(monitor: MonitorHandle) -> MonitorReading:
    """Take one reading now, and add it to the result and the memory timeline. After the process has ended it says so
    again.

    monitor: monitor.

    Raises InvalidArgumentError, StructSizeError, NoMemoryError, LimitError.
    """
    reading_ = MonitorReading()
    _value = _monitor_read(_call.address(monitor, MonitorHandle, "monitor"), ctypes.byref(reading_))
    _check.status(_value, monitor)
    return reading_


def monitor_run(monitor: MonitorHandle, callback: Callable[..., Any] | None) -> None:
    """Take readings at the chosen interval until the process ends, `callback` says so, or monitor_stop() is called. The
    end of the process is seen at once, not at the next interval. A reading that is late is not made up for.

    monitor: monitor.

    callback: None for none.

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    with _call.held(monitor=monitor):
        _value = _monitor_run(
            _call.address(monitor, MonitorHandle, "monitor"),
            _as_monitor_callback(callback, "callback"),
            None,
        )
    _check.status(_value, monitor)
    _call.raise_pending()


def monitor_stop(monitor: MonitorHandle) -> None:
    """Make monitor_run() return after its next reading.

    monitor: monitor.
    """
    _monitor_stop(_call.address(monitor, MonitorHandle, "monitor"))


def monitor_get_result(monitor: MonitorHandle) -> MonitorResult:
    """The peaks so far.

    monitor: monitor.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = MonitorResult()
    _value = _monitor_get_result(_call.address(monitor, MonitorHandle, "monitor"), ctypes.byref(result_))
    _check.status(_value, monitor)
    return result_


def monitor_curve(monitor: MonitorHandle) -> Any:
    """The memory timeline so far: a point for each reading, and before it, half-way since the reading before, one for a
    `high_water` above both; shared pages counted once, as far as was known then. When the timeline has reached its
    limit, each two neighbours become the larger of them, and so on from there: the timeline never loses its top, and
    memory stays bounded.

    monitor: monitor.

    Returns the points in the order of time, owned by the monitor and valid until its next reading.
    """
    count_ = ctypes.c_size_t()
    _value = _monitor_curve(_call.address(monitor, MonitorHandle, "monitor"), ctypes.byref(count_))
    return _call.copied_array(_value, count_.value)


def monitor_processes(monitor: MonitorHandle, capacity: int) -> tuple[int, Any]:
    """The processes of the tree that the last reading saw alive, those that do not count yet included; the watched one
    first.

    monitor: monitor.

    capacity: of `pids`.

    Returns how many there are.
    """
    pids_ = _call.array_type(ctypes.c_int64, _call.size(capacity, "capacity"))()
    _value = _monitor_processes(
        _call.address(monitor, MonitorHandle, "monitor"),
        pids_,
        _call.size(capacity, "capacity"),
    )
    return int(_value), pids_


def monitor_ref(monitor: MonitorHandle) -> MonitorHandle:
    """Take one more reference.

    Returns `monitor`.
    """
    _monitor_ref(_call.address(monitor, MonitorHandle, "monitor"))
    return MonitorHandle(monitor.pointer, monitor._context)


def monitor_unref(monitor: MonitorHandle | None) -> None:
    """Drop one reference; the process goes on."""
    if monitor is not None:
        _call.instance_of(monitor, MonitorHandle, "monitor").close()


def network_load_onnx(
    context: ContextHandle,
    path: str | os.PathLike[str],
    options: OnnxOptions | None,
) -> NetworkHandle:
    """Read a network from an ONNX file, without its weights.

    An operator without a rule becomes a custom operator where the file says the shapes of its outputs; without them it
    is an error that names the node. So are functions of the file, and operators with a graph of their own (If, Loop,
    Scan), whose memory depends on the data. Layers have the names of their nodes.

    context: the network keeps a reference.

    path: file to read.

    options: None for defaults.

    Raises IoError, ParseError, UnsupportedError, ShapeError, InvalidArgumentError, StructSizeError,
    MemmodelOverflowError, NoMemoryError, LimitError, CancelledError.
    """
    network_ = ctypes.c_void_p()
    _value = _network_load_onnx(
        _call.address(context, ContextHandle, "context"),
        _call.path(path, "path"),
        _call.optional_reference(options, OnnxOptions, "options"),
        ctypes.byref(network_),
    )
    _check.status(_value, context)
    return NetworkHandle(network_.value, _call.context_of(context))


def network_from_onnx(
    context: ContextHandle,
    name: str,
    bytes: bytes | bytearray | memoryview,
    options: OnnxOptions | None,
) -> NetworkHandle:
    """The same for a file that is in memory.

    context: the network keeps a reference.

    name: what to call the bytes in errors.

    bytes: `length` bytes.

    options: None for defaults.

    Raises IoError, ParseError, UnsupportedError, ShapeError, InvalidArgumentError, StructSizeError,
    MemmodelOverflowError, NoMemoryError, LimitError, CancelledError.
    """
    bytes_ = _call.octets(bytes, "bytes")
    network_ = ctypes.c_void_p()
    _value = _network_from_onnx(
        _call.address(context, ContextHandle, "context"),
        _call.text(name, "name"),
        bytes_,
        len(bytes_),
        _call.optional_reference(options, OnnxOptions, "options"),
        ctypes.byref(network_),
    )
    _check.status(_value, context)
    return NetworkHandle(network_.value, _call.context_of(context))


def technique_name(technique: Technique | int | str) -> str | None:
    """Name of a technique, such as "recompute".

    technique: Technique.

    Returns a static string; None if there is no such technique.
    """
    _value = _technique_name(_call.enum(Technique)(technique, "technique"))
    return _call.optional_decoded(_value)


def optimize(network: NetworkHandle, job: Job, context: ContextHandle | None) -> OptimizationHandle:
    """Bring a job within its budget: reuse, another order, recomputation, tiles, a smaller batch, one after the other
    until it is.

    With "inference" the network's forward pass is planned by network_schedule() and network_tile(); bytes are those of
    the plan and of the weights, and the job's framework, optimizer and device do not matter. Else the bytes are those
    of job->metric of the simulated training step; there the order is the program's and tiles cannot be had; with
    "pytorch" what is recomputed is found by recompute(). The last technique is the largest batch that is within the
    budget after all others.

    network: built network; a smaller batch can be had if it has a symbol "batch".

    job: how it is run, with its budget and a value for every symbol.

    context: limits, progress, memory and errors of this call; None: the network's own.

    Raises InvalidArgumentError, StructSizeError, NotFoundError, UnboundError, ShapeError, MemmodelOverflowError,
    CallbackError, NoMemoryError, LimitError, CancelledError, UnsupportedError.
    """
    optimization_ = ctypes.c_void_p()
    with _call.held(network=network, context=context):
        _value = _optimize(
            _call.address(network, NetworkHandle, "network"),
            _call.reference(job, Job, "job"),
            _call.optional_address(context, ContextHandle, "context"),
            ctypes.byref(optimization_),
        )
    _check.status(_value, context or network)
    _call.raise_pending()
    return OptimizationHandle(optimization_.value, _call.context_of(context or network))


def optimization_get_result(optimization: OptimizationHandle) -> OptimizationResult:
    """The result of an optimization.

    optimization: budget.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = OptimizationResult()
    _value = _optimization_get_result(
        _call.address(optimization, OptimizationHandle, "optimization"),
        ctypes.byref(result_),
    )
    _check.status(_value, None)
    return _call.owned(result_, optimization)


def optimization_step_count(optimization: OptimizationHandle) -> int:
    """Number of techniques that were looked at, the job as it is among them.

    optimization: optimization.

    Returns steps, at least 1.
    """
    _value = _optimization_step_count(_call.address(optimization, OptimizationHandle, "optimization"))
    return int(_value)


def optimization_get_step(optimization: OptimizationHandle, index: int) -> OptimizationStep:
    """A technique that was looked at.

    optimization: budget.

    index: from 0, in the order of Technique.

    Raises InvalidArgumentError, StructSizeError.
    """
    step_ = OptimizationStep()
    _value = _optimization_get_step(
        _call.address(optimization, OptimizationHandle, "optimization"),
        _call.size(index, "index"),
        ctypes.byref(step_),
    )
    _check.status(_value, optimization)
    return _call.owned(step_, optimization)


def optimization_ref(optimization: OptimizationHandle) -> OptimizationHandle:
    """Take one more reference.

    Returns `optimization`.
    """
    _optimization_ref(_call.address(optimization, OptimizationHandle, "optimization"))
    return OptimizationHandle(optimization.pointer, optimization._context)


def optimization_unref(optimization: OptimizationHandle | None) -> None:
    """Drop one reference."""
    if optimization is not None:
        _call.instance_of(optimization, OptimizationHandle, "optimization").close()


def search_status_name(status: SearchStatus | int | str) -> str | None:
    """Name of a status, such as "optimal".

    status: SearchStatus.

    Returns a static string; None if there is no such status.
    """
    _value = _search_status_name(_call.enum(SearchStatus)(status, "status"))
    return _call.optional_decoded(_value)


def category_name(category: Category | int | str) -> str | None:
    """Name of a category, such as "saved activations".

    category: Category.

    Returns a static string; None if there is no such category.
    """
    _value = _category_name(_call.enum(Category)(category, "category"))
    return _call.optional_decoded(_value)


def phase_name(phase: Phase | int | str) -> str | None:
    """Name of a phase, such as "backward pass".

    phase: Phase.

    Returns a static string; None if there is no such phase.
    """
    _value = _phase_name(_call.enum(Phase)(phase, "phase"))
    return _call.optional_decoded(_value)


def trace_event_count(trace: TraceHandle) -> int:
    """Number of events.

    trace: trace.

    Returns events.
    """
    _value = _trace_event_count(_call.address(trace, TraceHandle, "trace"))
    return int(_value)


def trace_get_event(trace: TraceHandle, index: int) -> TraceEvent:
    """One event.

    trace: trace.

    index: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    event_ = TraceEvent()
    _value = _trace_get_event(
        _call.address(trace, TraceHandle, "trace"),
        _call.size(index, "index"),
        ctypes.byref(event_),
    )
    _check.status(_value, None)
    return _call.owned(event_, trace)


def trace_load(context: ContextHandle, path: str | os.PathLike[str]) -> TraceHandle:
    """Read a trace that was recorded from a real run, as JSON (doc/formats.md, "Trace").

    context: the trace keeps a reference.

    path: file to read.

    Raises IoError, ParseError, VersionError, MemmodelOverflowError, NoMemoryError, LimitError, CancelledError,
    InvalidArgumentError.
    """
    trace_ = ctypes.c_void_p()
    _value = _trace_load(
        _call.address(context, ContextHandle, "context"),
        _call.path(path, "path"),
        ctypes.byref(trace_),
    )
    _check.status(_value, context)
    return TraceHandle(trace_.value, _call.context_of(context))


def trace_from_bytes(context: ContextHandle, name: str, bytes: bytes | bytearray | memoryview) -> TraceHandle:
    """What trace_load() reads, from memory.

    context: the trace keeps a reference.

    name: what to call the bytes in errors.

    bytes: `length` bytes of a trace as JSON, or of a snapshot of PyTorch's allocator.

    Raises ParseError, VersionError, MemmodelOverflowError, NoMemoryError, LimitError, CancelledError,
    InvalidArgumentError.
    """
    bytes_ = _call.octets(bytes, "bytes")
    trace_ = ctypes.c_void_p()
    _value = _trace_from_bytes(
        _call.address(context, ContextHandle, "context"),
        _call.text(name, "name"),
        bytes_,
        len(bytes_),
        ctypes.byref(trace_),
    )
    _check.status(_value, context)
    return TraceHandle(trace_.value, _call.context_of(context))


def trace_to_perfetto(trace: TraceHandle, context: ContextHandle) -> str:
    """The trace as JSON for https://ui.perfetto.dev and chrome://tracing (doc/formats.md, "Perfetto"): counters of live
    bytes, in all and by category, and slices of steps, phases and layers. A microsecond of its clock is one event.

    trace: trace.

    context: takes the memory of `text` and the error.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _trace_to_perfetto(
        _call.address(trace, TraceHandle, "trace"),
        _call.address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context)
    return _call.taken(_free, text_)


def trace_ref(trace: TraceHandle) -> TraceHandle:
    """Take one more reference.

    Returns `trace`.
    """
    _trace_ref(_call.address(trace, TraceHandle, "trace"))
    return TraceHandle(trace.pointer, trace._context)


def trace_unref(trace: TraceHandle | None) -> None:
    """Drop one reference."""
    if trace is not None:
        _call.instance_of(trace, TraceHandle, "trace").close()


def plan_new(context: ContextHandle) -> PlanHandle:
    """Make a plan without buffers.

    context: the plan keeps a reference.

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    plan_ = ctypes.c_void_p()
    _value = _plan_new(_call.address(context, ContextHandle, "context"), ctypes.byref(plan_))
    _check.status(_value, context)
    return PlanHandle(plan_.value, _call.context_of(context))


def plan_load(context: ContextHandle, path: str | os.PathLike[str]) -> PlanHandle:
    """Read buffers from CSV with the columns id, lower, upper and size, and, if wanted, alignment, offset (fixed
    there), gaps (such as "7-9 12-16") and shares (the id of another buffer whose memory this one uses, and "+BYTES"
    into it): doc/formats.md, "Buffers".

    context: the plan keeps a reference.

    path: file to read.

    Raises IoError, ParseError, MemmodelOverflowError, InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    plan_ = ctypes.c_void_p()
    _value = _plan_load(_call.address(context, ContextHandle, "context"), _call.path(path, "path"), ctypes.byref(plan_))
    _check.status(_value, context)
    return PlanHandle(plan_.value, _call.context_of(context))


def plan_from_csv(context: ContextHandle, name: str, text: str) -> PlanHandle:
    """As plan_load(), from memory.

    context: the plan keeps a reference.

    name: what to call the text in errors.

    text: `length` characters.

    Raises ParseError, MemmodelOverflowError, InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    text_ = _call.text(text, "text")
    plan_ = ctypes.c_void_p()
    _value = _plan_from_csv(
        _call.address(context, ContextHandle, "context"),
        _call.text(name, "name"),
        text_,
        len(text_),
        ctypes.byref(plan_),
    )
    _check.status(_value, context)
    return PlanHandle(plan_.value, _call.context_of(context))


def plan_from_trace(context: ContextHandle, trace: TraceHandle) -> PlanHandle:
    """The blocks of a trace as buffers, named after what they are; times are the trace's events. What is never released
    lives to the end.

    context: the plan keeps a reference.

    trace: trace, predicted or recorded.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    plan_ = ctypes.c_void_p()
    _value = _plan_from_trace(
        _call.address(context, ContextHandle, "context"),
        _call.address(trace, TraceHandle, "trace"),
        ctypes.byref(plan_),
    )
    _check.status(_value, context)
    return PlanHandle(plan_.value, _call.context_of(context))


def plan_add_buffer(plan: PlanHandle, buffer: PlanBuffer) -> None:
    """Add a buffer; its number is the count of buffers before.

    plan: plan.

    buffer: copied.

    Raises InvalidArgumentError, MemmodelOverflowError, StructSizeError, NoMemoryError, LimitError.
    """
    _value = _plan_add_buffer(_call.address(plan, PlanHandle, "plan"), _call.reference(buffer, PlanBuffer, "buffer"))
    _check.status(_value, plan)


def plan_add_gap(plan: PlanHandle, buffer: int, begin: int, end: int) -> None:
    """Leave a buffer's memory to others for a part of its life: it need not keep what was in it.

    plan: plan.

    buffer: its number.

    begin: first moment of the gap, after the buffer's own.

    end: first moment after it, before the buffer's own end, and past every gap that was added before.

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    _value = _plan_add_gap(
        _call.address(plan, PlanHandle, "plan"),
        _call.size(buffer, "buffer"),
        _call.int64(begin, "begin"),
        _call.int64(end, "end"),
    )
    _check.status(_value, plan)


def plan_add_alias(plan: PlanHandle, buffer: int, base: int, displacement: int) -> None:
    """Let a buffer use the memory of another: a view, an operator in place, a part of what is concatenated. Both are
    then placed as one, which is in use from the first's begin to the last's end, but for moments at which one has a gap
    and the other does not need it. `base` lies at the greatest alignment of those in it.

    plan: plan.

    buffer: its number; it may share only one.

    base: number of the other, which may itself share a third.

    displacement: how far into `base` it begins, 0 or more.

    Raises InvalidArgumentError, MemmodelOverflowError.
    """
    _value = _plan_add_alias(
        _call.address(plan, PlanHandle, "plan"),
        _call.size(buffer, "buffer"),
        _call.size(base, "base"),
        _call.int64(displacement, "displacement"),
    )
    _check.status(_value, plan)


def plan_solve(plan: PlanHandle, options: PlanOptions | None) -> None:
    """Place all buffers. The plan is checked by a sweep over time that shares nothing with the search before it is
    kept.

    Used up limits, cancellation and budgets that no plan is within are no errors: the status of plan_get_result() says
    so, and the best plan is kept.

    plan: plan with at least one buffer.

    options: None: all defaults.

    Raises InvalidArgumentError, MemmodelOverflowError, StructSizeError, NoMemoryError, LimitError, CancelledError.
    """
    with _call.held(plan=plan):
        _value = _plan_solve(
            _call.address(plan, PlanHandle, "plan"),
            _call.optional_reference(options, PlanOptions, "options"),
        )
    _check.status(_value, plan)
    _call.raise_pending()


def plan_buffer_count(plan: PlanHandle) -> int:
    """Number of buffers.

    plan: plan.

    Returns buffers.
    """
    _value = _plan_buffer_count(_call.address(plan, PlanHandle, "plan"))
    return int(_value)


def plan_get_buffer(plan: PlanHandle, index: int) -> PlanBuffer:
    """A buffer and where it lies.

    plan: plan.

    index: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    buffer_ = PlanBuffer()
    _value = _plan_get_buffer(
        _call.address(plan, PlanHandle, "plan"),
        _call.size(index, "index"),
        ctypes.byref(buffer_),
    )
    _check.status(_value, plan)
    return _call.owned(buffer_, plan)


def plan_get_result(plan: PlanHandle) -> PlanResult:
    """What the plan came to.

    plan: plan.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = PlanResult()
    _value = _plan_get_result(_call.address(plan, PlanHandle, "plan"), ctypes.byref(result_))
    _check.status(_value, plan)
    return result_


def plan_save(plan: PlanHandle, path: str | os.PathLike[str]) -> None:
    """Write a solved plan as CSV, atomically: what was read, with the column offset; or the buffers' columns.

    plan: solved.

    path: file to write.

    Raises InvalidArgumentError, IoError, NoMemoryError, LimitError, CancelledError.
    """
    with _call.held(plan=plan):
        _value = _plan_save(_call.address(plan, PlanHandle, "plan"), _call.path(path, "path"))
    _check.status(_value, plan)
    _call.raise_pending()


def plan_to_svg(plan: PlanHandle, context: ContextHandle | None) -> str:
    """A picture of a solved plan: time across, offsets up, a rectangle for each buffer.

    plan: solved.

    context: limits, memory and errors of this call; None: the plan's own.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    svg_ = ctypes.c_void_p()
    _value = _plan_to_svg(
        _call.address(plan, PlanHandle, "plan"),
        _call.optional_address(context, ContextHandle, "context"),
        ctypes.byref(svg_),
    )
    _check.status(_value, context or plan)
    return _call.taken(_free, svg_)


def plan_to_c(plan: PlanHandle, name: str, context: ContextHandle | None) -> str:
    """A solved plan as a table in C for include/memmodel_arena.h, with which a runtime places its tensors: the
    constants `name`, `name`_buffers, `name`_live_ranges and `name`_count, and an enumerator NAME_BUFFER for each buffer
    whose name, in capitals and with "_" for what C does not know, is nobody else's.

    plan: solved.

    name: what to call the table: letters, digits and "_".

    context: limits, memory and errors of this call; None: the plan's own.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    code_ = ctypes.c_void_p()
    _value = _plan_to_c(
        _call.address(plan, PlanHandle, "plan"),
        _call.text(name, "name"),
        _call.optional_address(context, ContextHandle, "context"),
        ctypes.byref(code_),
    )
    _check.status(_value, context or plan)
    return _call.taken(_free, code_)


def plan_ref(plan: PlanHandle) -> PlanHandle:
    """Take one more reference.

    Returns `plan`.
    """
    _plan_ref(_call.address(plan, PlanHandle, "plan"))
    return PlanHandle(plan.pointer, plan._context)


def plan_unref(plan: PlanHandle | None) -> None:
    """Drop one reference."""
    if plan is not None:
        _call.instance_of(plan, PlanHandle, "plan").close()


def chain_operation_name(operation: ChainOperation | int | str) -> str | None:
    """Name of an operation, such as "forward with checkpoint".

    operation: ChainOperation.

    Returns a static string; None if there is no such operation.
    """
    _value = _chain_operation_name(_call.enum(ChainOperation)(operation, "operation"))
    return _call.optional_decoded(_value)


def chain_new(context: ContextHandle, output: int) -> ChainHandle:
    """Make a chain without blocks.

    context: the chain keeps a reference.

    output: bytes of what the last block makes, and of the gradient that waits there from the beginning; next to nothing
    where the last block is the loss.

    Raises InvalidArgumentError, NoMemoryError, LimitError.
    """
    chain_ = ctypes.c_void_p()
    _value = _chain_new(
        _call.address(context, ContextHandle, "context"),
        _call.int64(output, "output"),
        ctypes.byref(chain_),
    )
    _check.status(_value, context)
    return ChainHandle(chain_.value, _call.context_of(context))


def chain_add_block(chain: ChainHandle, block: ChainBlock) -> None:
    """Add a block at the end of a chain; its number is the count of blocks before.

    chain: chain.

    block: copied.

    Raises InvalidArgumentError, MemmodelOverflowError, StructSizeError, NoMemoryError, LimitError.
    """
    _value = _chain_add_block(_call.address(chain, ChainHandle, "chain"), _call.reference(block, ChainBlock, "block"))
    _check.status(_value, chain)


def chain_solve(chain: ChainHandle, options: ChainOptions) -> None:
    """Find the schedule of least cost whose peak is within a budget.

    It is the cheapest of those that keep each checkpoint until the backward pass needs it, where every size is rounded
    up to slots of `budget / slots` bytes: never above the budget, and exact where that is 1 byte. Found by the dynamic
    programming of Beaumont, Eyraud-Dubois, Herrmann, Joly and Shilova (hal-02352969), and run step by step before it is
    kept. Where no schedule fits in whole slots but one fits in bytes, that of the least peak is given.

    Where no schedule is within the budget, the one of the least peak is given, with the status "infeasible".

    chain: chain with at least one block.

    options: its budget is needed.

    Raises InvalidArgumentError, StructSizeError, NoMemoryError, LimitError, CancelledError.
    """
    with _call.held(chain=chain):
        _value = _chain_solve(
            _call.address(chain, ChainHandle, "chain"),
            _call.reference(options, ChainOptions, "options"),
        )
    _check.status(_value, chain)
    _call.raise_pending()


def chain_get_result(chain: ChainHandle) -> ChainResult:
    """The result of a chain.

    chain: chain.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = ChainResult()
    _value = _chain_get_result(_call.address(chain, ChainHandle, "chain"), ctypes.byref(result_))
    _check.status(_value, chain)
    return result_


def chain_step_count(chain: ChainHandle) -> int:
    """Number of steps of the schedule.

    chain: chain.

    Returns steps; 0 if the chain is not solved.
    """
    _value = _chain_step_count(_call.address(chain, ChainHandle, "chain"))
    return int(_value)


def chain_get_step(chain: ChainHandle, index: int) -> ChainStep:
    """A step of the schedule.

    chain: chain.

    index: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    step_ = ChainStep()
    _value = _chain_get_step(
        _call.address(chain, ChainHandle, "chain"),
        _call.size(index, "index"),
        ctypes.byref(step_),
    )
    _check.status(_value, chain)
    return step_


def chain_ref(chain: ChainHandle) -> ChainHandle:
    """Take one more reference.

    Returns `chain`.
    """
    _chain_ref(_call.address(chain, ChainHandle, "chain"))
    return ChainHandle(chain.pointer, chain._context)


def chain_unref(chain: ChainHandle | None) -> None:
    """Drop one reference."""
    if chain is not None:
        _call.instance_of(chain, ChainHandle, "chain").close()


def recompute(
    network: NetworkHandle,
    job: Job | None,
    options: RecomputeOptions | None,
    context: ContextHandle | None,
) -> RecomputationHandle:
    """Find which scopes, or segments of several that follow one another, to checkpoint so that the job's peak is within
    its budget and the time that is added is least; and the curve between peak and time. Every point of it is simulated
    in full.

    A step costs three forward passes, for its backward pass computes two gradients; what is recomputed comes on top.
    PyTorch ends a recomputation with the last tensor that is needed: the layers behind it cost nothing. Sets to begin
    with come from knapsacks of the bytes that each scope saves and its cost; a local search then adds, leaves out and
    exchanges scopes, at all levels. The same network, job and number of simulations give the same answer on every
    machine. Without a budget, and where nothing is within it, the point of the least peak is selected.

    network: built network.

    job: a training with "pytorch", with its budget, if any; what its `checkpoint` names is left out. None for defaults;
    every symbol of the network needs a value.

    options: None for defaults.

    context: limits, progress, memory and errors of this call; None: the network's own.

    Raises InvalidArgumentError, UnsupportedError, UnboundError, NotFoundError, ShapeError, MemmodelOverflowError,
    CallbackError, StructSizeError, NoMemoryError, LimitError, CancelledError.
    """
    recomputation_ = ctypes.c_void_p()
    with _call.held(network=network, context=context):
        _value = _recompute(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(job, Job, "job"),
            _call.optional_reference(options, RecomputeOptions, "options"),
            _call.optional_address(context, ContextHandle, "context"),
            ctypes.byref(recomputation_),
        )
    _check.status(_value, context or network)
    _call.raise_pending()
    return RecomputationHandle(recomputation_.value, _call.context_of(context or network))


def recomputation_get_result(recomputation: RecomputationHandle) -> RecomputationResult:
    """The result of the search.

    recomputation: search.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = RecomputationResult()
    _value = _recomputation_get_result(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        ctypes.byref(result_),
    )
    _check.status(_value, recomputation)
    return result_


def recomputation_point_count(recomputation: RecomputationHandle) -> int:
    """Number of points of the curve.

    recomputation: search.

    Returns points.
    """
    _value = _recomputation_point_count(_call.address(recomputation, RecomputationHandle, "recomputation"))
    return int(_value)


def recomputation_get_point(recomputation: RecomputationHandle, index: int) -> RecomputationPoint:
    """A point of the curve.

    recomputation: search.

    index: from 0, which wraps nothing; each takes more time and less memory than those before.

    Raises InvalidArgumentError, StructSizeError.
    """
    point_ = RecomputationPoint()
    _value = _recomputation_get_point(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        _call.size(index, "index"),
        ctypes.byref(point_),
    )
    _check.status(_value, recomputation)
    return _call.owned(point_, recomputation)


def recomputation_segment(recomputation: RecomputationHandle, point: int, index: int) -> str | None:
    """Name of a scope that a point wraps, in the order of the forward pass; of a group of several that one call of
    checkpoint() runs, the first and the last: "h.0..3".

    recomputation: search.

    point: number of the point.

    index: from 0.

    Returns the name, owned by the search; None if there is none of that index.
    """
    _value = _recomputation_segment(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        _call.size(point, "point"),
        _call.size(index, "index"),
    )
    return _call.optional_decoded(_value)


def recomputation_segment_module(
    recomputation: RecomputationHandle,
    point: int,
    segment: int,
    index: int,
) -> str | None:
    """Name of a module that a call of checkpoint() runs: the scope itself, or each of a group in the order of their
    calls.

    recomputation: search.

    point: number of the point.

    segment: as recomputation_segment() counts.

    index: from 0.

    Returns the name, owned by the search; None if there is none of that index.
    """
    _value = _recomputation_segment_module(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        _call.size(point, "point"),
        _call.size(segment, "segment"),
        _call.size(index, "index"),
    )
    return _call.optional_decoded(_value)


def recomputation_to_json(recomputation: RecomputationHandle, context: ContextHandle | None) -> str:
    """The advice and the curve as JSON text (doc/formats.md).

    recomputation: search.

    context: limits, memory and errors of this call; None: the recomputation's own.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _recomputation_to_json(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        _call.optional_address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context or recomputation)
    return _call.taken(_free, text_)


def recomputation_to_svg(recomputation: RecomputationHandle, context: ContextHandle | None) -> str:
    """The curve as a picture: time that is added across, peak up.

    recomputation: search.

    context: limits, memory and errors of this call; None: the recomputation's own.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    svg_ = ctypes.c_void_p()
    _value = _recomputation_to_svg(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        _call.optional_address(context, ContextHandle, "context"),
        ctypes.byref(svg_),
    )
    _check.status(_value, context or recomputation)
    return _call.taken(_free, svg_)


def recomputation_ref(recomputation: RecomputationHandle) -> RecomputationHandle:
    """Take one more reference.

    Returns `recomputation`.
    """
    _recomputation_ref(_call.address(recomputation, RecomputationHandle, "recomputation"))
    return RecomputationHandle(recomputation.pointer, recomputation._context)


def recomputation_unref(recomputation: RecomputationHandle | None) -> None:
    """Drop one reference."""
    if recomputation is not None:
        _call.instance_of(recomputation, RecomputationHandle, "recomputation").close()


def block_state_name(state: BlockState | int | str) -> str | None:
    """Name of a block's state, such as "pending free".

    state: BlockState.

    Returns a static string; None if there is no such state.
    """
    _value = _block_state_name(_call.enum(BlockState)(state, "state"))
    return _call.optional_decoded(_value)


def trace_replay(trace: TraceHandle, options: ReplayOptions | None, context: ContextHandle | None) -> ReplayHandle:
    """Run a trace through an allocator.

    An allocation that the device has no room for ends the replay; that is no error: the result says so.

    trace: kept by the replay.

    options: None: all defaults.

    context: limits, memory and errors of this call; None: the trace's own.

    Raises InvalidArgumentError, StructSizeError, UnsupportedError, ParseError, NoMemoryError, LimitError,
    CancelledError.
    """
    replay_ = ctypes.c_void_p()
    with _call.held(trace=trace, context=context):
        _value = _trace_replay(
            _call.address(trace, TraceHandle, "trace"),
            _call.optional_reference(options, ReplayOptions, "options"),
            _call.optional_address(context, ContextHandle, "context"),
            ctypes.byref(replay_),
        )
    _check.status(_value, context or trace)
    _call.raise_pending()
    return ReplayHandle(replay_.value, _call.context_of(context or trace))


def replay_ref(replay: ReplayHandle) -> ReplayHandle:
    """Take one more reference.

    Returns `replay`.
    """
    _replay_ref(_call.address(replay, ReplayHandle, "replay"))
    return ReplayHandle(replay.pointer, replay._context)


def replay_unref(replay: ReplayHandle | None) -> None:
    """Drop one reference."""
    if replay is not None:
        _call.instance_of(replay, ReplayHandle, "replay").close()


def replay_get_result(replay: ReplayHandle) -> ReplayResult:
    """The result of a replay.

    replay: replay.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = ReplayResult()
    _value = _replay_get_result(_call.address(replay, ReplayHandle, "replay"), ctypes.byref(result_))
    _check.status(_value, None)
    return result_


def replay_get_usage(replay: ReplayHandle, event: int) -> ReplayUsage:
    """The bytes right after an event.

    replay: replay.

    event: from 0, below the events replayed.

    Raises InvalidArgumentError, StructSizeError.
    """
    usage_ = ReplayUsage()
    _value = _replay_get_usage(
        _call.address(replay, ReplayHandle, "replay"),
        _call.size(event, "event"),
        ctypes.byref(usage_),
    )
    _check.status(_value, None)
    return usage_


def replay_block_count(replay: ReplayHandle) -> int:
    """Number of blocks that the allocator's segments are made of at the end; 0 for allocators without segments.

    replay: replay.

    Returns blocks.
    """
    _value = _replay_block_count(_call.address(replay, ReplayHandle, "replay"))
    return int(_value)


def replay_get_block(replay: ReplayHandle, index: int) -> ReplayBlock:
    """One block of the segments at the end, in the order of addresses.

    replay: replay.

    index: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    block_ = ReplayBlock()
    _value = _replay_get_block(
        _call.address(replay, ReplayHandle, "replay"),
        _call.size(index, "index"),
        ctypes.byref(block_),
    )
    _check.status(_value, None)
    return block_


def replay_save_snapshot(replay: ReplayHandle, path: str | os.PathLike[str]) -> None:
    """Write a replay as PyTorch's memory snapshot, a pickle that https://pytorch.org/memory_viz opens and trace_load()
    reads: each allocation with its layer as a stack frame, and the segments at the end.

    replay: of an allocator with segments.

    path: file, replaced when it exists.

    Raises InvalidArgumentError, UnsupportedError, IoError, NoMemoryError, LimitError, CancelledError.
    """
    with _call.held(replay=replay):
        _value = _replay_save_snapshot(_call.address(replay, ReplayHandle, "replay"), _call.path(path, "path"))
    _check.status(_value, replay)
    _call.raise_pending()


def estimate(network: NetworkHandle, job: Job | None, context: ContextHandle | None) -> ReportHandle:
    """Estimate the memory of a job.

    network: built network, only read.

    job: None for defaults; every symbol of the network needs a value.

    context: limits, memory and errors of this call; None: the network's own.

    Raises UnboundError, NotFoundError, ShapeError, MemmodelOverflowError, UnsupportedError, CallbackError,
    StructSizeError, InvalidArgumentError, NoMemoryError, LimitError, CancelledError, ParseError.
    """
    report_ = ctypes.c_void_p()
    with _call.held(network=network, context=context):
        _value = _estimate(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(job, Job, "job"),
            _call.optional_address(context, ContextHandle, "context"),
            ctypes.byref(report_),
        )
    _check.status(_value, context or network)
    _call.raise_pending()
    return ReportHandle(report_.value, _call.context_of(context or network))


def estimate_what_if(network: NetworkHandle, job: Job | None, context: ContextHandle | None) -> ReportHandle:
    """Estimate a job, and the same job with each of the changes that a user might make to save memory: half the batch,
    also with the gradients of two batches added up; repeated blocks of layers computed again in the backward pass;
    bfloat16; gradients released after a step; optimizers with less state; inference. Each is estimated in full. Changes
    that the network or the framework does not allow, or that change nothing in this job, are left out.

    The batch is the symbol "batch" or, without one of that name, the first dimension of the first input if that is a
    symbol.

    network: built network, only read.

    job: None for defaults; every symbol of the network needs a value.

    context: limits, memory and errors of this call; None: the network's own.

    Raises UnboundError, NotFoundError, ShapeError, MemmodelOverflowError, UnsupportedError, CallbackError,
    StructSizeError, InvalidArgumentError, NoMemoryError, LimitError, CancelledError, ParseError.
    """
    report_ = ctypes.c_void_p()
    with _call.held(network=network, context=context):
        _value = _estimate_what_if(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(job, Job, "job"),
            _call.optional_address(context, ContextHandle, "context"),
            ctypes.byref(report_),
        )
    _check.status(_value, context or network)
    _call.raise_pending()
    return ReportHandle(report_.value, _call.context_of(context or network))


def report_change_count(report: ReportHandle) -> int:
    """Number of changes that were estimated: 0 for reports of estimate().

    report: report.

    Returns changes.
    """
    _value = _report_change_count(_call.address(report, ReportHandle, "report"))
    return int(_value)


def report_get_change(report: ReportHandle, index: int) -> ReportChange:
    """A change and its result.

    report: report.

    index: from 0; what saves most comes first.

    Raises InvalidArgumentError, StructSizeError.
    """
    change_ = ReportChange()
    _value = _report_get_change(
        _call.address(report, ReportHandle, "report"),
        _call.size(index, "index"),
        ctypes.byref(change_),
    )
    _check.status(_value, None)
    return _call.owned(change_, report)


def estimate_max(network: NetworkHandle, job: Job, symbol: str, context: ContextHandle | None) -> int:
    """Largest value of a symbol for which a job stays within its budget.

    Found by doubling and bisection on the estimated peak. A value for which the shapes do not fit together (such as a
    size that is no multiple of 16) is skipped: the answer is the largest value that both fits and can be built. Where
    pools grow in jumps, in reserved and process bytes of tensorflow and onnxruntime, a peak may be lower again at a
    larger value: there the answer fits and the next value does not, but one beyond may.

    network: network with at least one symbol.

    job: how it is run, with its budget and the metric that this limits; its value for `symbol`, if any, is ignored.

    symbol: name of the dimension to solve for, such as "batch".

    context: limits, memory and errors of this call; None: the network's own.

    Raises NotFoundError, InvalidArgumentError, UnboundError, ShapeError, MemmodelOverflowError, UnsupportedError,
    CallbackError, StructSizeError, NoMemoryError, LimitError, CancelledError, ParseError.
    """
    max_ = ctypes.c_int64()
    with _call.held(network=network, context=context):
        _value = _estimate_max(
            _call.address(network, NetworkHandle, "network"),
            _call.reference(job, Job, "job"),
            _call.text(symbol, "symbol"),
            _call.optional_address(context, ContextHandle, "context"),
            ctypes.byref(max_),
        )
    _check.status(_value, context or network)
    _call.raise_pending()
    return max_.value


def estimate_many(
    network: NetworkHandle,
    job: Job | None,
    symbol: str,
    values: Any,
    context: ContextHandle | None,
) -> Any:
    """What a job needs for each of some values of a symbol, such as 1,000 batch sizes: estimate() without its tables,
    so many times faster.

    network: network with at least one symbol.

    job: how it is run, None for defaults; its value for `symbol`, if any, is ignored.

    symbol: name of the dimension that varies, such as "batch".

    values: positive, in any order.

    context: limits, memory and errors of this call; None: the network's own.

    Raises NotFoundError, InvalidArgumentError, UnboundError, ShapeError, MemmodelOverflowError, UnsupportedError,
    CallbackError, StructSizeError, NoMemoryError, LimitError, CancelledError, ParseError.
    """
    values_ = _call.int64s(values, "values")
    bytes_ = _call.array_type(ctypes.c_int64, len(values_))()
    with _call.held(network=network, context=context):
        _value = _estimate_many(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(job, Job, "job"),
            _call.text(symbol, "symbol"),
            values_,
            len(values_),
            _call.optional_address(context, ContextHandle, "context"),
            bytes_,
        )
    _check.status(_value, context or network)
    _call.raise_pending()
    return bytes_


def report_get_result(report: ReportHandle) -> ReportResult:
    """The result of an estimate.

    report: report.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = ReportResult()
    _value = _report_get_result(_call.address(report, ReportHandle, "report"), ctypes.byref(result_))
    _check.status(_value, None)
    return _call.owned(result_, report)


def report_unmodelled_count(report: ReportHandle) -> int:
    """Number of operators that the framework's rules do not know.

    report: report.

    Returns operators.
    """
    _value = _report_unmodelled_count(_call.address(report, ReportHandle, "report"))
    return int(_value)


def report_get_unmodelled(report: ReportHandle, index: int) -> ReportUnmodelled:
    """An operator that the framework's rules do not know.

    report: report.

    index: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    unmodelled_ = ReportUnmodelled()
    _value = _report_get_unmodelled(
        _call.address(report, ReportHandle, "report"),
        _call.size(index, "index"),
        ctypes.byref(unmodelled_),
    )
    _check.status(_value, None)
    return _call.owned(unmodelled_, report)


def report_step_peak(report: ReportHandle, index: int) -> int:
    """Live bytes at the peak of one step.

    report: report.

    index: of the step, from 0.

    Returns bytes, or InvalidArgumentError.

    Raises InvalidArgumentError.
    """
    _value = _report_step_peak(_call.address(report, ReportHandle, "report"), _call.size(index, "index"))
    return _check.status(_value, None)


def report_category_bytes(report: ReportHandle, category: Category | int | str) -> int:
    """Bytes of one category at the peak.

    report: report.

    category: Category.

    Returns bytes, or InvalidArgumentError.

    Raises InvalidArgumentError.
    """
    _value = _report_category_bytes(
        _call.address(report, ReportHandle, "report"),
        _call.enum(Category)(category, "category"),
    )
    return _check.status(_value, None)


def report_layer_count(report: ReportHandle) -> int:
    """Number of rows of the per-layer table. An activation fused with its layer has no row of its own.

    report: report.

    Returns rows.
    """
    _value = _report_layer_count(_call.address(report, ReportHandle, "report"))
    return int(_value)


def report_get_layer(report: ReportHandle, index: int) -> ReportLayer:
    """A row of the per-layer table.

    report: report.

    index: from 0, in the order of the forward pass.

    Raises InvalidArgumentError, StructSizeError.
    """
    layer_ = ReportLayer()
    _value = _report_get_layer(
        _call.address(report, ReportHandle, "report"),
        _call.size(index, "index"),
        ctypes.byref(layer_),
    )
    _check.status(_value, None)
    return _call.owned(layer_, report)


def report_get_total(report: ReportHandle) -> ReportLayer:
    """Sums over all layers, in a row of their own: activations, parameters, multiply-adds and bytes. Its name is
    "total".

    report: report.

    Raises InvalidArgumentError, StructSizeError.
    """
    total_ = ReportLayer()
    _value = _report_get_total(_call.address(report, ReportHandle, "report"), ctypes.byref(total_))
    _check.status(_value, None)
    return _call.owned(total_, report)


def report_formula_count(report: ReportHandle) -> int:
    """Number of closed formulas: one per category that the textbook counts, and one for their sum.

    report: report.

    Returns formulas.
    """
    _value = _report_formula_count(_call.address(report, ReportHandle, "report"))
    return int(_value)


def report_formula_name(report: ReportHandle, formula: int) -> str | None:
    """Name of a formula: a category's, "layer outputs", "total", ...

    report: report.

    formula: from 0.

    Returns the name, owned by the report; None if there is no such formula.
    """
    _value = _report_formula_name(_call.address(report, ReportHandle, "report"), _call.size(formula, "formula"))
    return _call.optional_decoded(_value)


def report_formula(report: ReportHandle, formula: int, language: Language | int | str) -> str | None:
    """A closed formula in the network's symbols, such as "1291.125*batch*dim^3". It counts bytes by the job's textbook
    rule ("slots" if the framework is another), and holds under the assumptions of ReportResult.

    report: report.

    formula: from 0.

    language: Language.

    Returns the text, owned by the report; None if there is no such formula or language.
    """
    _value = _report_formula(
        _call.address(report, ReportHandle, "report"),
        _call.size(formula, "formula"),
        _call.enum(Language)(language, "language"),
    )
    return _call.optional_decoded(_value)


def report_trace(report: ReportHandle) -> TraceHandle | None:
    """All events of the simulated steps.

    report: report.

    Returns the trace, owned by the report; None for the textbook.
    """
    _value = _report_trace(_call.address(report, ReportHandle, "report"))
    return _call.referenced(TraceHandle, _value, _call.context_of(report))


def report_to_json(report: ReportHandle, context: ContextHandle) -> str:
    """The report as JSON text (doc/formats.md).

    report: report.

    context: takes the memory of `text` and the error.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _report_to_json(
        _call.address(report, ReportHandle, "report"),
        _call.address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context)
    return _call.taken(_free, text_)


def report_to_html(report: ReportHandle, context: ContextHandle) -> str:
    """The report as one HTML page: peaks, categories, changes, the per-layer table, formulas, a timeline of the live
    bytes to look around in, and where the blocks of the last step lie in the smallest arena, if they are 4000 at most.
    It holds all it needs and asks for nothing from a network. Of long traces it shows the highest points: the peak of
    every step is always among them.

    report: report.

    context: takes the memory of `text` and the error.

    Raises InvalidArgumentError, NoMemoryError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _report_to_html(
        _call.address(report, ReportHandle, "report"),
        _call.address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context)
    return _call.taken(_free, text_)


def report_ref(report: ReportHandle) -> ReportHandle:
    """Take one more reference.

    Returns `report`.
    """
    _report_ref(_call.address(report, ReportHandle, "report"))
    return ReportHandle(report.pointer, report._context)


def report_unref(report: ReportHandle | None) -> None:
    """Drop one reference."""
    if report is not None:
        _call.instance_of(report, ReportHandle, "report").close()


def network_schedule(
    network: NetworkHandle,
    options: ScheduleOptions | None,
    context: ContextHandle | None,
) -> ScheduleHandle:
    """Schedule a network, and plan its buffers: times of the plan are operators, in the order in which they run.

    A buffer of the plan is a tensor, named after its layer, or what an operator needs while it runs. Inputs are there
    from the begin and outputs stay to the end; inputs may be overwritten when nobody needs them any more.

    network: network.

    options: values of all symbols, and what to do without. None: no symbols, all defaults.

    context: limits, memory and errors of this call; None: the network's own.

    Raises InvalidArgumentError, NotFoundError, UnboundError, ShapeError, MemmodelOverflowError, CallbackError,
    StructSizeError, NoMemoryError, LimitError, CancelledError.
    """
    schedule_ = ctypes.c_void_p()
    with _call.held(network=network, context=context):
        _value = _network_schedule(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(options, ScheduleOptions, "options"),
            _call.optional_address(context, ContextHandle, "context"),
            ctypes.byref(schedule_),
        )
    _check.status(_value, context or network)
    _call.raise_pending()
    return ScheduleHandle(schedule_.value, _call.context_of(context or network))


def schedule_plan(schedule: ScheduleHandle) -> PlanHandle | None:
    """The plan of a schedule's buffers, solved.

    schedule: schedule.

    Returns the plan, owned by the schedule; None if `schedule` is.
    """
    _value = _schedule_plan(_call.address(schedule, ScheduleHandle, "schedule"))
    return _call.referenced(PlanHandle, _value, _call.context_of(schedule))


def schedule_find_buffer(schedule: ScheduleHandle, tensor: int) -> int:
    """The plan's buffer of a tensor.

    schedule: schedule.

    tensor: of the network.

    Raises InvalidArgumentError.
    """
    buffer_ = ctypes.c_size_t()
    _value = _schedule_find_buffer(
        _call.address(schedule, ScheduleHandle, "schedule"),
        _call.int32(tensor, "tensor"),
        ctypes.byref(buffer_),
    )
    _check.status(_value, schedule)
    return buffer_.value


def schedule_operator_count(schedule: ScheduleHandle) -> int:
    """Number of operators.

    schedule: schedule.

    Returns operators.
    """
    _value = _schedule_operator_count(_call.address(schedule, ScheduleHandle, "schedule"))
    return int(_value)


def schedule_get_operator(schedule: ScheduleHandle, index: int) -> ScheduleOperator:
    """An operator.

    schedule: schedule.

    index: from 0, in the order in which they run.

    Raises InvalidArgumentError, StructSizeError.
    """
    about_ = ScheduleOperator()
    _value = _schedule_get_operator(
        _call.address(schedule, ScheduleHandle, "schedule"),
        _call.size(index, "index"),
        ctypes.byref(about_),
    )
    _check.status(_value, schedule)
    return _call.owned(about_, schedule)


def schedule_get_result(schedule: ScheduleHandle) -> ScheduleResult:
    """The result of a schedule.

    schedule: schedule.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = ScheduleResult()
    _value = _schedule_get_result(_call.address(schedule, ScheduleHandle, "schedule"), ctypes.byref(result_))
    _check.status(_value, schedule)
    return result_


def schedule_ref(schedule: ScheduleHandle) -> ScheduleHandle:
    """Take one more reference.

    Returns `schedule`.
    """
    _schedule_ref(_call.address(schedule, ScheduleHandle, "schedule"))
    return ScheduleHandle(schedule.pointer, schedule._context)


def schedule_unref(schedule: ScheduleHandle | None) -> None:
    """Drop one reference."""
    if schedule is not None:
        _call.instance_of(schedule, ScheduleHandle, "schedule").close()


def network_tile(
    network: NetworkHandle,
    options: ScheduleOptions | None,
    budget: int,
    context: ContextHandle | None,
) -> TilingHandle:
    """Cut the input of a network into tiles whose planned peak is within a budget. Of those that fit, these cost least:
    they have the least overhead. The whole input and output lie elsewhere: only a tile's are in its memory.

    network: with one input [batch, channels, 1 to 3 spatial axes], or with the channels last, and outputs of one size.
    Linear upsampling is taken to be that without align_corners.

    options: as of network_schedule().

    budget: of a tile's plan; 0: no limit, one tile.

    context: limits, memory and errors of this call; None: the network's own.

    Raises UnsupportedError, InvalidArgumentError, NotFoundError, UnboundError, ShapeError, MemmodelOverflowError,
    CallbackError, StructSizeError, NoMemoryError, LimitError, CancelledError.
    """
    tiling_ = ctypes.c_void_p()
    with _call.held(network=network, context=context):
        _value = _network_tile(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(options, ScheduleOptions, "options"),
            _call.int64(budget, "budget"),
            _call.optional_address(context, ContextHandle, "context"),
            ctypes.byref(tiling_),
        )
    _check.status(_value, context or network)
    _call.raise_pending()
    return TilingHandle(tiling_.value, _call.context_of(context or network))


def tiling_get_result(tiling: TilingHandle) -> TilingResult:
    """The result of a tiling.

    tiling: tiling.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = TilingResult()
    _value = _tiling_get_result(_call.address(tiling, TilingHandle, "tiling"), ctypes.byref(result_))
    _check.status(_value, tiling)
    return result_


def tiling_axis_count(tiling: TilingHandle) -> int:
    """Number of spatial axes.

    tiling: tiling.

    Returns axes, 1 to 3.
    """
    _value = _tiling_axis_count(_call.address(tiling, TilingHandle, "tiling"))
    return int(_value)


def tiling_get_axis(tiling: TilingHandle, axis: int) -> TilingAxis:
    """A spatial axis.

    tiling: tiling.

    axis: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    about_ = TilingAxis()
    _value = _tiling_get_axis(
        _call.address(tiling, TilingHandle, "tiling"),
        _call.size(axis, "axis"),
        ctypes.byref(about_),
    )
    _check.status(_value, tiling)
    return about_


def tiling_get_range(tiling: TilingHandle, axis: int, index: int) -> TilingRange:
    """Where a tile lies along an axis. A tile is one range of each axis; the output's from `first` on is the tile's own
    from `skip` on.

    tiling: tiling.

    axis: from 0.

    index: of the tile along this axis, from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    range_ = TilingRange()
    _value = _tiling_get_range(
        _call.address(tiling, TilingHandle, "tiling"),
        _call.size(axis, "axis"),
        _call.int64(index, "index"),
        ctypes.byref(range_),
    )
    _check.status(_value, tiling)
    return range_


def tiling_plan(tiling: TilingHandle) -> PlanHandle | None:
    """The plan of the largest tile.

    tiling: tiling.

    Returns the plan, owned by the tiling; None if `tiling` is.
    """
    _value = _tiling_plan(_call.address(tiling, TilingHandle, "tiling"))
    return _call.referenced(PlanHandle, _value, _call.context_of(tiling))


def tiling_ref(tiling: TilingHandle) -> TilingHandle:
    """Take one more reference.

    Returns `tiling`.
    """
    _tiling_ref(_call.address(tiling, TilingHandle, "tiling"))
    return TilingHandle(tiling.pointer, tiling._context)


def tiling_unref(tiling: TilingHandle | None) -> None:
    """Drop one reference."""
    if tiling is not None:
        _call.instance_of(tiling, TilingHandle, "tiling").close()
