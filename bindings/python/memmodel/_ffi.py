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
INFER = -9223372036854775808
NO_TENSOR = -1000
CATEGORY_COUNT = 10

_library = Library(VERSION)


class Status(IntEnum):
    """What a call returns: 0, or one of these. Numbers are never reused."""

    OK = 0  # no error
    ERROR_NOMEM = -1  # the context's allocator returned None. Free memory, or ask for less: fewer layers, steps, rows
    ERROR_INVALID_ARGUMENT = -2  # an argument is outside what the call documents. The error's message names it
    ERROR_OVERFLOW = -3  # a count or a number of bytes does not fit in 63 bits. Bind smaller numbers to the symbols
    ERROR_SHAPE = -4  # the shapes of a layer do not fit together. Correct the options or the inputs of the layer [...]
    ERROR_UNSUPPORTED = -5  # known, but not available on this platform or for this framework. Choose another, or [...]
    ERROR_PARSE = -6  # a file or a text is not of its format. Correct it at the error's line and column
    ERROR_IO = -7  # the operating system refused to read or write. The error's message has its reason
    ERROR_STRUCT_SIZE = -8  # an options struct has a size that this library cannot accept. Set it to sizeof the [...]
    ERROR_UNKNOWN_SYMBOL = -9  # a name that is no symbol of the network, or no column of the table. Compare it [...]
    ERROR_UNBOUND = -10  # a symbol has no value in this query. Give it one in the job
    ERROR_DATA = -11  # the samples cannot be used: too few, constant or not finite. Measure more, or leave out [...]
    ERROR_NEWER = -12  # the file was written by a newer version of its format. Use a library as new as the [...]
    ERROR_PROCESS = -13  # the process does not exist or cannot be read. Check its number, and whether it is yours
    ERROR_CALLBACK = -14  # a function that the caller gave said that it failed. Ask that function why
    ERROR_LIMIT = -15  # the call would take more than a limit of its context. The error's message names the [...]
    ERROR_CANCELLED = -16  # the caller ended the call, by context_cancel(). Call again, if it is wanted after all


class Language(IntEnum):
    """Language of a printed formula."""

    TEXT = 0  # 1291.125*batch*dim^3
    C = 1  # an expression in C
    PYTHON = 2  # an expression in Python
    LATEX = 3  # for a paper


class Measure(IntEnum):
    """Which bytes of a job a budget limits, and savings are counted in."""

    DEFAULT = 0  # those that decide whether the job lives: see measure_default()
    LIVE = 1  # bytes of live tensors
    RESERVED = 2  # bytes the framework's allocator has taken from the system
    PROCESS = 3  # bytes of the process, with the framework's libraries; on a GPU bytes of the device: reserved, [...]


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


class BudgetMeans(IntEnum):
    """Means to need less memory, in the order in which they are tried."""

    APART = 0  # none: every tensor has memory of its own
    REUSE = 1  # memory that nobody needs any more goes to others
    ORDER = 2  # operators run in another order
    RECOMPUTE = 3  # parts of the network are computed again in the backward pass
    TILE = 4  # images and volumes are cut into tiles, one after the other
    BATCH = 5  # the batch is smaller


class Padding(IntEnum):
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


class ReductionKind(IntEnum):
    """How elements are pooled, or reduced."""

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


class PadMode(IntEnum):
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

    By "standard_error" the smallest whose mean loss on rows that it did not see exceeds the least by no more than a
    standard error of the difference; of equally small ones the one of the shortest description. Whatever the search
    finds, the constant and the sum of all inputs (with three rows a term, and where the terms and their number are not
    limited) are candidates, and no larger formula is returned that is not better than they are by more than a standard
    error.

    By "description" the one with the least rows / 2 ln(mean loss on rows not seen) + terms ln(terms to choose from).
    """

    DEFAULT = 0  # standard error for positive terms, else description
    STANDARD_ERROR = 1  # the smallest formula within one standard error of the best
    DESCRIPTION = 2  # the formula of the shortest description


class FitLoss(IntEnum):
    """Which errors a fit makes small."""

    DEFAULT = 0  # squared for "general", relative for the others
    RELATIVE = 1  # squared errors divided by the measurement: 1 % counts the same everywhere
    SQUARED = 2  # squared errors: the target and the coefficients may be of any sign
    MAPE = 3  # absolute errors divided by the measurement
    LOG_RATIO = 4  # squared logarithms of prediction / measurement: half is as bad as twice
    ABSOLUTE = 5  # absolute errors: a few wild measurements count little
    PINBALL = 6  # a quantile in place of the mean; see `quantile`


class FitSearch(IntEnum):
    """Where formulas come from besides sums of the basis' terms. May be or'ed."""

    TERMS = 0  # nowhere else
    ENUMERATE = 1  # every small formula once, by rising size
    EVOLVE = 2  # genetic programming, begun with what the others found
    ALL = 3  # both


class Basis(IntEnum):
    """Terms a fit chooses from."""

    POSYNOMIAL = 0  # products of powers and logarithms of the inputs, and the given terms; under "squared" those [...]
    GIVEN = 1  # the given terms only (and a constant)
    GENERAL = 2  # straight lines, curves, steps and products of two, coefficients of any sign


class Bound(IntEnum):
    """Rules for an upper bound. A ratio is a measurement divided by its prediction by a formula that was found without
    it; under squared errors, their difference.
    """

    LARGER = 0  # the larger of the next two; outside the training data, of the next three
    HELD_OUT = 1  # conformal: the ratio of rank level (n + 1), at most n; between two in proportion
    STUDENT = 2  # Student's t, the errors held out, and the leverage of the point
    WIDE = 3  # the same with the leverage of all terms that the formula might have had; of a formula that stays [...]
    JACKKNIFE_PLUS = 4  # that rank among what each formula found without a point says here, times the point's ratio


class ExportFormat(IntEnum):
    """What a model is exported as, a whole file each. doc/evaluator.md says what they promise."""

    TEXT = 0  # a line: target = formula
    C = 1  # a header of C99 with a function that computes the bits of model_evaluate(), and needs nothing but the [...]
    PYTHON = 2  # a module of Python 3 with such a function, which needs no other
    LATEX = 3  # the formula for a paper
    SQL = 4  # an expression in the columns, for databases with ln, power, sqrt and floor, and exp, sin, cos and [...]


class Category(IntEnum):
    """What memory is for."""

    PARAMETERS = 0  # moving statistics included
    GRADIENTS = 1  # of parameters
    OPTIMIZER_STATE = 2  # moments and the like
    INPUTS = 3  # inputs and targets
    SAVED_ACTIVATIONS = 4  # kept from the forward to the backward pass
    TRANSIENT_ACTIVATIONS = 5  # outputs that nothing is kept for
    ACTIVATION_GRADIENTS = 6  # of everything but parameters
    WORKSPACE = 7  # scratch memory within an operator
    ALLOCATOR_SLACK = 8  # taken from the system but not live
    CONTEXT_MEMORY = 9  # libraries and their state


class Phase(IntEnum):
    """Part of a step."""

    SETUP = 0  # before the first step
    FORWARD = 1  # forward pass
    BACKWARD = 2  # backward pass
    OPTIMIZER = 3  # update of the parameters


class PlanStatus(IntEnum):
    """What is known of a plan."""

    UNSOLVED = 0  # plan_solve() was not called since a buffer was added
    OPTIMAL = 1  # no smaller arena holds the buffers: proven
    FEASIBLE = 2  # within the capacity that was given
    LIMIT = 3  # the best found when the budget was used up
    CANCELLED = 4  # the best found when `progress` said stop
    INFEASIBLE = 5  # none is within the capacity that was given: proven; the best found is larger


class PlanRule(IntEnum):
    """Rules of the search, see doc/planning.md."""

    GREEDY = 1  # orders and fits to start from
    CANONICAL = 2  # offsets never fall
    DOMINANCE = 4  # no hole that an unplaced buffer would fit in
    SECTIONS = 8  # what is unplaced in a section has to fit above its floor
    FLOOR = 16  # and above the current offset
    HATLESS = 32  # no alternatives to a buffer under which nothing lies
    SPLIT = 64  # parts that share no time are solved apart
    RANK_AGAIN = 128  # and each in an order of its own
    RESTART = 256  # several orders in turn, each with little at first


class ChainOperation(IntEnum):
    """What a step of a schedule does with a block."""

    FORWARD = 0  # forward, nothing is kept but the output: the input goes
    KEEP = 1  # forward, the input is kept: a checkpoint
    SAVE = 2  # forward, the input is kept and all that the backward pass needs
    BACKWARD = 3  # backward; what was kept for it goes


class BlockState(IntEnum):
    """What a block is."""

    FREE = 0  # cached by the allocator
    ALLOCATED = 1  # live
    AWAITED = 2  # released, but used by other streams


class ScheduleRule(IntEnum):
    """What a schedule may do to need less memory, see doc/planning.md."""

    FUSION = 1  # normalisations and activations are steps of what they follow
    SUMS = 2  # so is what a residual adds; not without fusion
    VIEWS = 4  # what has the bytes of another tensor is not copied
    IN_PLACE = 8  # element by element, an input that nobody needs is overwritten
    CONCATENATION = 16  # parts are made where the result has them
    ORDER = 32  # operators run in another order, if the plan needs less then


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


class BudgetHandle(_call.Handle):
    """What brings a job within a budget."""

    __slots__ = ()
    _noun = "budget"
    _ref = _library.bind("memmodel_budget_ref", ctypes.c_void_p, ctypes.c_void_p)
    _unref = _library.bind("memmodel_budget_unref", None, ctypes.c_void_p)


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
    """The search for scopes of a network, or groups of them, to wrap in torch.utils.checkpoint; what it found."""

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
    release: Any  # as free
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


class AdviseOptions(_call.Struct):
    """What to advise. Zero means the default for every field but `domain`."""

    size: Any  # sizeof(AdviseOptions)
    target: Any  # column of the samples that was measured. None: their last numeric one.
    domain: Any  # an input each, with what it may be: "batch=1,2,4", or "dim=32:144:16", from, to and step. All [...]
    domain_count: Any  # number of `domain`
    cost: Any  # what a measurement costs: a formula in the inputs, or "prediction", what a fit to the samples [...]
    accuracy: Any  # wanted mean relative error of a prediction, as a fraction below 1. 0: 0.03
    noise: Any  # relative error of a measurement. 0: that of a fit to the samples, held out; without one 0.03
    count: Any  # configurations to advise, at most 1000. 0: 10


class SymbolValue(_call.Struct):
    """Value of a symbol."""

    name: Any  # symbol of the network, such as "batch"
    value: Any  # positive


class Job(_call.Struct):
    """How a network is run. Zero means the default for every field.

    Frameworks: "pytorch" simulates every allocation of PyTorch's eager mode; "tensorflow" those of Keras' model.fit on
    one batch of arrays, compiled, with oneDNN on; "onnxruntime" the runs of a session on the CPU; "textbook" counts by
    closed formulas, by the rule in `rule`:
    - "forward": parameters + input + all layer outputs;
    - "outputs": all layer outputs * batch + parameters, without the input (Eq. 1 + Eq. 2 of the 3D U-Net study);
    - "cs231n": 2 * activations * batch + 3 * parameters + input (Stanford CS231n, notes on convolutional networks);
    - "slots": as cs231n, with the optimizer's true number of slots in place of one: (2 + slots) * parameters.
    """

    size: Any  # sizeof(Job)
    framework: Any  # "pytorch", "tensorflow", "onnxruntime" or "textbook"
    rule: Any  # of the textbook
    device: Any  # "cpu" or, for "pytorch", "cuda": a GPU, unverified; it needs `gpu`
    optimizer: Any  # "none", "sgd", "momentum", "adam", "adamw", "nadam", "radam", "adamax", "rmsprop", [...]
    isa: Any  # CPU of the job, by its instructions: "avx2", "avx512", "amx" (as "avx512", with 2 MiB of second [...]
    symbols: Any  # `symbol_count` values
    symbol_count: Any  # number of `symbols`
    context: Any  # takes memory and errors; None: the network's. Give each thread its own.
    inference: Any  # 1: forward pass only, nothing kept for a backward pass. 2, with "pytorch": forward pass [...]
    steps: Any  # steps to simulate
    threads: Any  # threads the framework computes with
    measure: Any  # Measure: which bytes a budget limits
    base_bytes: Any  # "tensorflow": of the process just before training begins, with the model built and the [...]
    precision: Any  # "pytorch": "float32", "bfloat16" or, on a GPU, "float16": what torch.autocast() computes the [...]
    checkpoint: Any  # "pytorch": scopes whose inside is computed again in the backward pass, as by [...]
    gpu: Any  # kind of GPU, such as "h200", which makes "cuda" the device; an error with another
    allocator: Any  # settings of the GPU's allocator, as in PYTORCH_ALLOC_CONF: "expandable_segments:True"; an [...]
    optimization: Any  # "onnxruntime": how far it rewrites the graph before it runs: "disable", "basic", [...]
    accumulate: Any  # "pytorch": batches whose gradients are added up before each step of the optimizer
    keep_gradients: Any  # "pytorch": 1: gradients are set to zero after a step, not released: [...]


class Shape(_call.Struct):
    """Shape and type of a tensor."""

    dims: Any  # the first `rank` count
    rank: Any  # 0 to MAX_RANK
    dtype: Any  # Dtype


class BudgetStep(_call.Struct):
    """A means, and what it gave."""

    size: Any  # sizeof(BudgetStep)
    peak: Any  # of the job after it
    extra: Any  # time or multiplications that it adds: 0.1 is 10 % more. Below 0 for a batch that is so small [...]
    what: Any  # what was chosen: job->checkpoint for recompute, "48 x 48 x 36, 8 tiles", "batch=4"; where nothing [...]
    means: Any  # BudgetMeans
    taken: Any  # 1: it needs less than what was before; 0: it cannot be had here, or gives nothing


class BudgetResult(_call.Struct):
    """What the budget came to."""

    size: Any  # sizeof(BudgetResult)
    peak: Any  # with all that was taken
    batch: Any  # value of the symbol "batch"; 0: there is none
    extra: Any  # of all that was taken together: 0.1 is 10 % more
    checkpoint: Any  # what to give as job->checkpoint; "" for nothing. Owned by the budget
    fits: Any  # 1: the peak is within the budget
    measure: Any  # Measure of a training's peaks; 0 for an inference, planned and not run


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
    pad: Any  # elements before and after, for "explicit"; not repeated
    output_padding: Any  # transposed only: elements added at the end of the output; not repeated
    groups: Any
    padding: Any  # Padding
    layout: Any  # Layout
    no_bias: Any  # 1: no bias
    activation: Any  # ActivationKind applied to the result, counted as one layer with it
    shared: Any  # name of an earlier layer whose parameters this one uses; None: its own


class Linear(_call.Struct):
    """Fully connected: the last dimension becomes `units`. Parameters: in * units, and units for the bias."""

    size: Any  # sizeof(Linear)
    name: Any  # of the layer
    units: Any  # size of the last dimension of the output
    no_bias: Any  # 1: no bias
    activation: Any  # ActivationKind applied to the result, counted as one layer with it
    shared: Any  # name of an earlier layer whose parameters this one uses; None: its own


class Pool(_call.Struct):
    """Pooling over windows."""

    size: Any  # sizeof(Pool)
    name: Any  # of the layer
    kernel: Any  # size; a 0 after the first repeats the first
    stride: Any  # a 0 after the first repeats the first
    dilation: Any  # max only
    pad: Any  # elements before and after, at most half the kernel; not repeated
    padding: Any  # Padding
    layout: Any  # Layout
    kind: Any  # ReductionKind: "max" or "mean"
    ceil_mode: Any  # 1: the last window may begin inside and end outside (PyTorch's ceil_mode)


class AdaptivePool(_call.Struct):
    """Pooling to a given output size."""

    size: Any  # sizeof(AdaptivePool)
    name: Any  # of the layer
    output: Any  # size; a 0 after the first repeats the first. All zero: 1
    layout: Any  # Layout
    kind: Any  # ReductionKind: "max" or "mean"


class GlobalPool(_call.Struct):
    """Pooling over all spatial dimensions."""

    size: Any  # sizeof(GlobalPool)
    name: Any  # of the layer
    layout: Any  # Layout
    kind: Any  # ReductionKind: "max" or "mean"
    keep: Any  # 1: keep the spatial dimensions as 1
    reserved: Any  # 0


class Norm(_call.Struct):
    """Normalisation. Batch: per channel, with moving mean and variance. Layer and RMS: over the last `axes` dimensions.
    Group: over `groups` groups of channels. Instance: per image and channel, without parameters unless `affine` is 1.
    Flags that a kind of normalisation does not have, and the layout of layer and RMS norm, have to be 0.
    """

    size: Any  # sizeof(Norm)
    name: Any  # of the layer
    groups: Any  # group norm: number of groups
    axes: Any  # layer and RMS norm: number of last dimensions
    layout: Any  # Layout
    no_affine: Any  # 1: no scale and shift
    no_statistics: Any  # batch norm, 1: no moving statistics
    no_shift: Any  # layer norm, 1: scale only
    affine: Any  # instance norm, 1: with scale and shift
    reserved: Any  # 0


class Activation(_call.Struct):
    """Activation as a layer of its own."""

    size: Any  # sizeof(Activation)
    name: Any  # of the layer
    kind: Any  # ActivationKind
    in_place: Any  # 1: the input's memory becomes the output's, where the framework can
    one_weight: Any  # PRELU, 1: one parameter for all channels
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
    feature: Any  # 1: whole channels (dropout2d, dropout3d)
    in_place: Any  # 1: in place, where the framework can
    identity: Any  # 1: rate 0, the input itself
    layout: Any  # of `feature`: Layout


class Embedding(_call.Struct):
    """Table lookup: adds a last dimension. Parameters: rows * width."""

    size: Any  # sizeof(Embedding)
    name: Any  # of the layer
    rows: Any  # entries of the table
    width: Any  # elements of an entry
    dtype: Any  # Dtype of the table
    reserved: Any  # 0
    shared: Any  # name of an earlier layer whose parameters this one uses; None: its own


class Upsample(_call.Struct):
    """Upsampling of the spatial dimensions."""

    size: Any  # sizeof(Upsample)
    name: Any  # of the layer
    scale: Any  # whole factor; a 0 after the first repeats the first
    output: Any  # instead of scale: sizes of the output
    mode: Any  # Interpolation
    layout: Any  # Layout


class Pad(_call.Struct):
    """Padding, or cropping, of any axis."""

    size: Any  # sizeof(Pad)
    name: Any  # of the layer
    before: Any  # elements added (pad) or removed (crop) at the start of each axis
    after: Any  # the same at the end
    mode: Any  # PadMode; ignored by crop
    reserved: Any  # 0


class Concat(_call.Struct):
    """Concatenation."""

    size: Any  # sizeof(Concat)
    name: Any  # of the layer
    axis: Any  # counts from the end if negative; see channels
    channels: Any  # 1: along the channels of `layout`; `axis` is ignored
    layout: Any  # Layout
    reserved: Any  # 0


class Split(_call.Struct):
    """Split into parts along an axis: `parts` equal ones, or `sizes`. Outputs: network_result()."""

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
    drop: Any  # 1: a single element, and the axis goes (x[:, 3])


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
    transpose_first: Any  # 1: the first matrix is transposed
    transpose_second: Any  # 1: the second matrix is transposed


class Reduce(_call.Struct):
    """Reduction over axes."""

    size: Any  # sizeof(Reduce)
    name: Any  # of the layer
    axes: Any  # `axis_count` axes, from the end if negative
    axis_count: Any  # 0: all axes
    kind: Any  # ReductionKind
    keep: Any  # 1: keep the axes as 1
    reserved: Any  # 0


class Attention(_call.Struct):
    """Scaled dot-product attention of query, key and value [batch, heads, length, width]."""

    size: Any  # sizeof(Attention)
    name: Any  # of the layer
    dropout: Any  # rate of the attention dropout
    causal: Any  # 1: no element attends to a later one
    grouped: Any  # 1: fewer key and value heads than query heads


class Recurrent(_call.Struct):
    """Recurrent layers over [length, batch, features]. Outputs: network_result() 0 is the sequence [length, batch,
    directions * width], 1 the last hidden states [layers * directions, batch, width], 2 the last cell states (LSTM).
    Parameters as torch.nn.LSTM: per layer and direction gates * hidden * (input + width) and two biases.
    """

    size: Any  # sizeof(Recurrent)
    name: Any  # of the layer
    hidden: Any  # size of the state
    layers: Any
    projection: Any  # LSTM: width of the projected output; 0: none
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


class CustomNeeds(_call.Struct):
    """What an operator needs for inputs of known shapes."""

    size: Any  # filled by the library
    saved: Any  # kept from forward to backward, besides inputs and outputs
    forward_temporary: Any  # needed while the forward pass of the operator runs
    backward_temporary: Any  # needed while its backward pass runs
    multiply_adds: Any  # multiplications with addition of the forward pass


class Custom(_call.Struct):
    """An operator that is no layer of this library, declared by what it holds. Each number may be an expression
    (network_expression()). A network with a `rule` cannot be written as JSON.

    With an `operation` it is an operator of a framework by the framework's own name. A framework that has a rule of
    that name runs it by that rule, with the layer's inputs (NO_TENSOR where an optional one is missing), outputs and
    `attributes`; any other takes what is declared, and "pytorch" names it among the unmodelled.
    """

    size: Any  # sizeof(Custom)
    name: Any  # of the layer
    outputs: Any  # `output_count` shapes
    output_count: Any  # at least 1
    parameter_dtype: Any  # Dtype
    parameters: Any  # trainable parameters
    saved: Any  # kept from forward to backward, besides inputs and outputs
    forward_temporary: Any  # needed while the forward pass of the operator runs
    backward_temporary: Any  # needed while its backward pass runs
    multiply_adds: Any  # multiplications with addition of the forward pass
    rule: Any  # corrects these numbers in each query; lives as long as the network
    user: Any  # handed to each call of `rule`
    operation: Any  # such as "aten.pow.Tensor_Scalar"; printable ASCII
    attributes: Any  # what else it was called with, such as "dim=1 keepdim=1 size=2,3"; printable ASCII: names [...]


class FitProgress(_call.Struct):
    """How far the search of a fit is."""

    size: Any  # filled by the library
    evaluations: Any  # formulas tried so far
    most: Any  # formulas that will be tried at most
    seconds: Any  # since the fit began
    error: Any  # of the best formula so far, on the samples, as in ModelScores


class FitOptions(_call.Struct):
    """What to fit, and from which terms. Zero means the default for every field."""

    size: Any  # sizeof(FitOptions)
    target: Any  # column to predict; positive unless errors are squared. None: the last numeric column.
    inputs: Any  # columns to predict from. None: every other numeric column that is not constant.
    input_count: Any  # number of `inputs`
    weight: Any  # column of sample weights; None: every row counts the same
    terms: Any  # formulas in the inputs, offered besides the basis; such as a network's own
    term_count: Any  # number of `terms`
    basis: Any  # Basis
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
    most_exponent: Any  # greatest power of an input in a product of powers; 0: no other limit than the basis has
    search: Any  # FitSearch
    integer_exponents: Any  # 1: whole powers only, and no logarithms
    non_negative: Any  # 1: only formulas that are nowhere negative in the domain
    change_points: Any  # 1: a change point of one input may be found; 0: none
    seed: Any  # of the search of "evolve": the same seed gives the same model
    evaluations: Any  # formulas that enumeration and evolution try at most, on all rows and without folds, each [...]
    seconds: Any  # that they take at most; what is found then depends on the machine. 0: no limit.
    checkpoint: Any  # file that an interrupted search goes on from, written now and then and removed when the fit [...]
    progress: Any  # called now and then by the calling thread. None: none.
    user: Any  # handed to each call of `progress`
    selection: Any  # FitSelection
    reserved_3: Any  # 0
    capacity: Any  # what runs that ended for lack of memory had, a lower limit of what they needed: in bytes [...]


class Prediction(_call.Struct):
    """A prediction; `value` and `upper` are of the target's unit."""

    size: Any  # sizeof(Prediction)
    value: Any  # the formula
    upper: Any  # one-sided bound: the measurement lies below it with the asked probability. Never below `value`
    outside: Any  # 1 outside the box of the training data, or where `value` is not above 0: `upper` is a guess
    reserved: Any  # 0
    points: Any  # different points that the bound was found from, each held out in turn
    attained: Any  # level that so many points stand for whatever the errors' distribution, at most points / [...]
    rule: Any  # Bound: what decided. "larger": `value` is no number to bound
    reserved_2: Any  # 0


class ModelScores(_call.Struct):
    """How good a fit is."""

    size: Any  # sizeof(ModelScores)
    training_mape: Any  # mean absolute relative error on the rows it was fitted to, as a fraction; NaN where [...]
    loo_mape: Any  # the same with each row predicted by a fit to all others (exact leave-one-out), a fraction
    samples: Any  # rows used
    terms: Any  # terms of the formula, the constant included
    training_error: Any  # root of the mean squared error on the rows it was fitted to: a fraction of the [...]
    loo_error: Any  # the same with each row predicted by these terms fitted to all others
    held_out_error: Any  # the same with each row predicted by a formula whose terms, too, were found without it
    constant_error: Any  # held_out_error of the mean alone: 1 - (held_out_error / constant_error)^2 is the share [...]
    loss: Any  # FitLoss, never "default"
    reserved: Any  # 0
    noise: Any  # standard deviation of repeated measurements of one point, a fraction of their mean where errors [...]
    noise_freedom: Any  # degrees of freedom of `noise`: repeated measurements, less one for each point
    certified: Any  # 1: interval arithmetic proves that the formula is defined and finite wherever the inputs are [...]
    reserved_2: Any  # 0
    censored: Any  # rows of runs that ended early, of which only a lower limit is known; not among `samples`


class FrontEntry(_call.Struct):
    """A formula that a fit found and did not choose, or the chosen one: no smaller one has less error on rows held out.

    Of positive terms it is the best sum of so many terms, by each row left out, or of so many moments. For the error
    held out the best one is found again without some of the rows; for that of the chosen one its size is chosen again,
    too.
    """

    size: Any  # sizeof(FrontEntry)
    nodes: Any  # size of the formula: its numbers, inputs, operators and functions
    terms: Any  # its terms, the constant included
    loo_error: Any  # as in ModelScores; of moments held_out_error
    held_out_error: Any  # as in ModelScores
    chosen: Any  # 1: this is the model's formula
    reserved: Any  # 0


class MonitorOptions(_call.Struct):
    """How to watch. Zero means the default for every field."""

    size: Any  # sizeof(MonitorOptions)
    interval: Any  # time between readings of monitor_run(), >= 0.001
    curve_limit: Any  # greatest number of points kept for the curve, >= 2
    own_child: Any  # 1: the process is a child of this one, and the monitor waits for it (wait4) when it ends. [...]
    pss: Any  # 1: look at PSS at each reading. 0: only as often as it costs little
    limit: Any  # more than which the caller acts on: a reading of several processes that seems to be above it [...]
    cgroup: Any  # 1: make a control group for the process, below its own, where this is allowed, and move it [...]
    orphans: Any  # 1: each child of this process belongs to the tree, and is waited for: for a caller that gets [...]


class MonitorReading(_call.Struct):
    """The tree at one moment. A measure that is not available is -1."""

    size: Any  # sizeof(MonitorReading), set by the caller
    time: Any  # Unix time
    previous: Any  # Unix time of the reading before; in the first, when watching began
    rss: Any  # resident memory now
    high: Any  # most resident memory since the previous reading, never below `rss`
    pss: Any  # proportional share now; -1 at readings that did not look at it
    cgroup: Any  # memory of the process's cgroup now (version 2: memory.current, version 1: [...]
    processes: Any  # processes that count
    ended: Any  # 1 if the watched process has ended; its descendants may live on
    charge: Any  # `rss` with pages that processes share counted once, as far as is known
    charge_high: Any  # `high` with pages that processes share counted once, as far as is known; never below `charge`


class MonitorSummary(_call.Struct):
    """All readings so far. A measure that is not available is -1."""

    size: Any  # sizeof(MonitorSummary), set by the caller
    start: Any  # Unix time when watching began, by monitor_new()
    seconds: Any  # from `start` to the last reading
    readings: Any  # number of readings
    peak: Any  # most resident memory of the tree, shared pages counted once: the greatest `charge_high`, less [...]
    peak_sampled: Any  # greatest `rss` of a reading, as a poller without marks sees it
    peak_process: Any  # greatest mark of any single process
    peak_pss: Any  # greatest `pss` of a reading
    peak_cgroup: Any  # most memory of the cgroup while watching (its memory now, and its own peak if that rose: [...]
    processes: Any  # processes that ever counted
    ended: Any  # 1 if the watched process has ended
    exit_code: Any  # of an own child that exited; -1 otherwise
    exit_signal: Any  # signal that ended an own child; 0 otherwise
    peak_rss: Any  # the greatest `high`: shared pages counted in each process
    pss_seconds: Any  # processor time that looking at PSS took
    pss_readings: Any  # readings that looked at PSS
    own_cgroup: Any  # 1 if the cgroup was made for the tree, so that nothing else is in `peak_cgroup`


class MonitorPoint(_call.Struct):
    """A point of the curve."""

    time: Any  # Unix time
    bytes: Any  # resident memory of the tree


class OnnxOptions(_call.Struct):
    """How an ONNX file is read. Zero means the default for every field."""

    size: Any  # sizeof(OnnxOptions)
    batch: Any  # a symbol that takes the place of each input's first dimension; None: as the file says
    frozen: Any  # 1: no weight is trained
    reserved: Any  # 0


class Event(_call.Struct):
    """One allocation or release."""

    size: Any  # sizeof(Event)
    bytes: Any  # positive: allocated; negative: released
    live: Any  # live after it
    what: Any  # what the memory is, such as "output" or "weight"; owned by the trace
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
    offset: Any  # where it has to lie, if `fixed`; 0 or more
    fixed: Any  # 1: at `offset` and nowhere else
    reserved: Any  # 0


class PlanPlace(_call.Struct):
    """A buffer of a plan."""

    size: Any  # sizeof(PlanPlace)
    name: Any  # "" for none; owned by the plan
    offset: Any  # where it lies; -1: the plan is not solved
    bytes: Any  # as it was added
    lower: Any  # the same
    upper: Any  # the same
    alignment: Any  # the same


class PlanResult(_call.Struct):
    """What a plan came to."""

    size: Any  # sizeof(PlanResult)
    peak: Any  # bytes that the arena needs
    lower_bound: Any  # no plan needs less: the greatest sum of bytes in use at a moment, or more where a search [...]
    total: Any  # all buffers side by side, without reuse
    nodes: Any  # placements that the search tried
    seconds: Any  # that it took
    status: Any  # PlanStatus
    reserved: Any  # 0


class PlanOptions(_call.Struct):
    """How a plan is searched for. Zero means the default for every field."""

    size: Any  # sizeof(PlanOptions)
    capacity: Any  # stop at a plan that needs no more than this
    nodes: Any  # most placements to try; the answer is the same on every machine
    seconds: Any  # most time to take; the answer depends on the machine
    progress: Any  # called some hundred times a second by the calling thread. None: none.
    user: Any  # handed to each call of `progress`
    without: Any  # rules of the search to leave out, to see what they are worth: a sum of PlanRule. The answer [...]


class ChainBlock(_call.Struct):
    """A block of a chain. Costs are in any unit, the same for all blocks."""

    size: Any  # sizeof(ChainBlock)
    name: Any  # for errors
    input: Any  # of its input, which is what a checkpoint keeps
    saved: Any  # that it keeps for its backward pass besides its input, its output included: no less than the [...]
    forward_bytes: Any  # besides these, while it runs forward
    backward_bytes: Any  # besides these and the gradients of its output and its input, while it runs backward
    forward_cost: Any  # of running it forward, 0 or more
    backward_cost: Any  # of running it backward, 0 or more


class ChainStep(_call.Struct):
    """A step of a schedule."""

    size: Any  # sizeof(ChainStep)
    operation: Any  # ChainOperation
    block: Any  # number of the block, from 0
    held: Any  # bytes that are held after it
    peak: Any  # bytes in use during it


class ChainResult(_call.Struct):
    """What a chain came to."""

    size: Any  # sizeof(ChainResult)
    peak: Any  # most bytes in use at a time
    least: Any  # the least peak that a schedule has
    most: Any  # the peak where nothing is computed twice
    cost: Any  # of the schedule
    least_cost: Any  # where nothing is computed twice


class RecomputationResult(_call.Struct):
    """What a search came to."""

    size: Any  # sizeof(RecomputationResult)
    before: Any  # peak of the job with nothing wrapped
    peak: Any  # peak as advised
    least: Any  # least peak that was found
    simulations: Any  # that the search took
    extra: Any  # of a step's time, for what is computed again as advised: 0.1 is 10 %
    point: Any  # number of the advised point of the curve
    fits: Any  # 1: the advice is within the budget; 0: nothing that was found is, and it is the least
    settled: Any  # 1: no point has a neighbour that is better; 0: simulations were used up, or it was stopped
    measure: Any  # Measure of all peaks, never "default"; 0 before any search


class RecomputationPoint(_call.Struct):
    """A point of the curve: no other that was found is better in both peak and time."""

    size: Any  # sizeof(RecomputationPoint)
    peak: Any  # of the job so wrapped, of the result's measure
    extra: Any  # of a step's time: 0.1 is 10 %
    scopes: Any  # that are wrapped, a group of several as one
    checkpoint: Any  # these as memmodel_job.checkpoint has them, in few patterns: "encoder.*"; "" for none. Owned [...]


class ReplayOptions(_call.Struct):
    """How a trace is replayed."""

    size: Any  # sizeof(ReplayOptions)
    allocator: Any  # "exact": what is asked for; "cuda_caching": PyTorch's on a CUDA device, as of version 2.13; [...]
    settings: Any  # of cuda_caching: as in PYTORCH_ALLOC_CONF, such as "expandable_segments:True"; of glibc: [...]
    capacity: Any  # of the device
    events: Any  # stop after so many, to see the segments then


class ReplayMoment(_call.Struct):
    """Bytes at a moment."""

    size: Any  # sizeof(ReplayMoment)
    requested: Any  # asked for, of what may not be used again yet
    allocated: Any  # of live blocks, with what rounding adds
    active: Any  # the same with released blocks that other streams still use
    reserved: Any  # taken from the system
    touched: Any  # resident: pages ever written and still held; -1 if the allocator is not modelled by pages


class ReplaySummary(_call.Struct):
    """What a replay came to."""

    size: Any  # sizeof(ReplaySummary)
    requested_peak: Any  # most that was asked for at once
    allocated_peak: Any  # most in live blocks
    active_peak: Any  # most in blocks that were not free
    reserved_peak: Any  # most taken from the system
    touched_peak: Any  # most resident; -1 if not modelled
    reserved_event: Any  # first event at which `reserved_peak` is reached; -1: no events
    out_of_memory: Any  # event whose allocation the device refused, the last one replayed; -1: none
    retries: Any  # times that unused memory had to be given back first
    events: Any  # how many were replayed


class ReplayBlock(_call.Struct):
    """A block of a segment at the end of a replay."""

    size: Any  # sizeof(ReplayBlock)
    segment: Any  # address of its segment; only the order of addresses means something
    address: Any  # its own
    bytes: Any  # of the block
    requested: Any  # of that, asked for; 0: free
    stream: Any  # of the device that it belongs to
    block: Any  # of the trace, as in Event; -1: free
    state: Any  # BlockState
    large: Any  # 1: of the pool for large requests
    expandable: Any  # 1: its segment grows


class Peak(_call.Struct):
    """The three numbers of every report."""

    size: Any  # sizeof(Peak)
    live: Any  # most bytes of live tensors; on a GPU of their blocks, as torch.cuda.memory_allocated() counts
    reserved: Any  # most bytes taken from the system by the framework's allocator
    process: Any  # bytes of the process: its base, and what the framework's allocator holds, for "pytorch" on a [...]


class ReportLayer(_call.Struct):
    """A row of the per-layer table."""

    size: Any  # sizeof(ReportLayer)
    name: Any  # full name, owned by the report
    op: Any  # operator, such as "conv"
    shape: Any  # shape of the (first) output with the job's numbers, such as "2x16x32x32x32"
    formula: Any  # the same in symbols, such as "batch x 16 x dim x dim x dim"
    activations: Any  # elements of all outputs; 0 for inputs and parameters
    output_bytes: Any  # of all outputs
    parameters: Any  # elements, moving statistics included; shared ones count where they are owned
    trainable: Any  # of them, elements that are trained
    parameter_bytes: Any  # of `parameters`
    multiply_adds: Any  # multiplications with addition in the forward pass
    peak_bytes: Any  # of this layer, live at the moment of the peak
    peak: Any  # the same by Category


class Change(_call.Struct):
    """A change of a job that may save memory, and what the changed job needs."""

    size: Any  # sizeof(Change)
    name: Any  # what is changed, such as "optimizer sgd" or "batch 32"; owned by the report
    live: Any  # peak of the changed job, as in Peak
    reserved: Any  # the same
    process: Any  # the same; -1 if not modelled
    saved: Any  # how much less than without the change, of report_measure(); below 0: more


class Inference(_call.Struct):
    """How a network runs without a backward pass. Zero means the default for every field."""

    size: Any  # sizeof(Inference)
    symbols: Any  # `symbol_count` values
    symbol_count: Any  # number of `symbols`
    context: Any  # takes memory and errors; None: the network's. Give each thread its own.
    without: Any  # what to do without: a sum of ScheduleRule
    alignment: Any  # of each buffer, a power of two. Parts of others lie where they lie.
    parameters: Any  # 1: weights lie in the arena too, all the time; else they are constants elsewhere
    reserved: Any  # 0


class ScheduleSummary(_call.Struct):
    """What a schedule comes to."""

    size: Any  # sizeof(ScheduleSummary)
    tensors: Any  # inputs and what each layer makes, each in memory of its own; what only looks at another tensor [...]
    parameters: Any  # weights, each once
    peak: Any  # of the plan
    lower_bound: Any  # no plan of these buffers in this order needs less
    multiply_adds: Any  # multiplications with addition of all layers; -1: more than 63 bits can say
    built_peak: Any  # of the plan in the order of the builder calls; `peak` is lower if another order was found


class ScheduleOperator(_call.Struct):
    """An operator of a schedule."""

    size: Any  # sizeof(ScheduleOperator)
    name: Any  # of the layer that makes its output, owned by the schedule
    first: Any  # index of the first layer that it runs, in the order of the builder calls
    last: Any  # index of the layer that makes its output: the same, or the last of its steps
    live: Any  # in use while it runs
    does_nothing: Any  # 1: its outputs are where they belong already
    reserved: Any  # 0


class TilingAxis(_call.Struct):
    """A spatial axis of a tiling."""

    size: Any  # sizeof(TilingAxis)
    extent: Any  # of the input
    alignment: Any  # tiles begin at multiples of it: the network's strides together
    before: Any  # of the input that is needed before what lies under a tile's output
    after: Any  # the same behind it
    step: Any  # from a tile to the next: of the input, without what is around
    count: Any  # tiles along this axis
    largest: Any  # extent of the largest tile's input, with what is around


class TilingRange(_call.Struct):
    """Where a tile lies along an axis."""

    size: Any  # sizeof(TilingRange)
    begin: Any  # first element of the input that the tile reads
    stop: Any  # one after the last
    first: Any  # first element of the output that is right in it
    last: Any  # one after the last
    skip: Any  # elements of the tile's own output before `first`


class TilingResult(_call.Struct):
    """What a tiling comes to."""

    size: Any  # sizeof(TilingResult)
    peak: Any  # of the largest tile's plan
    whole_peak: Any  # of the plan without tiles
    tensors: Any  # all tensors without tiles and without reuse
    tiles: Any  # in all
    overhead: Any  # multiplications with addition of all tiles against those without: 0.1 are 10 % more


Allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_as_allocate = _call.callback(Allocate, None, None, _call.same)
Reallocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_as_reallocate = _call.callback(Reallocate, None, None, _call.same, _call.same)
Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_as_release = _call.callback(Release, None, None, _call.same)
Log = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
_as_log = _call.callback(Log, None, None, _call.decoded_argument)
CustomRule = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Shape),
    ctypes.c_size_t,
    ctypes.POINTER(CustomNeeds),
)
_as_custom_rule = _call.callback(CustomRule, -1, None, _call.elements(2), None, _call.returned)
FitObserver = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(FitProgress))
_as_fit_observer = _call.callback(FitObserver, -1, None, _call.copied)
FormulaFunction = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double))
_as_formula_function = _call.callback(FormulaFunction, -1, _call.same)
MonitorObserver = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(MonitorReading))
_as_monitor_observer = _call.callback(MonitorObserver, -1, None, _call.copied)
PlanObserver = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(PlanResult))
_as_plan_observer = _call.callback(PlanObserver, -1, None, _call.copied)
RecomputationObserver = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
_as_recomputation_observer = _call.callback(RecomputationObserver, -1, None, _call.same, _call.same)


Allocator._sized = True
Allocator._fields_ = [
    ("size", ctypes.c_size_t),
    ("allocate", Allocate),
    ("reallocate", Reallocate),
    ("release", Release),
    ("user", ctypes.c_void_p),
]
Allocator._converters = {
    "allocate": _as_allocate,
    "reallocate": _as_reallocate,
    "release": _as_release,
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

AdviseOptions._sized = True
AdviseOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("target", ctypes.c_char_p),
    ("domain", ctypes.POINTER(ctypes.c_char_p)),
    ("domain_count", ctypes.c_size_t),
    ("cost", ctypes.c_char_p),
    ("accuracy", ctypes.c_double),
    ("noise", ctypes.c_double),
    ("count", ctypes.c_int64),
]
AdviseOptions._converters = {
    "target": _call.optional(_call.text),
    "domain": _call.optional(_call.texts),
    "domain_count": _call.size,
    "cost": _call.optional(_call.text),
    "accuracy": _call.double,
    "noise": _call.double,
    "count": _call.int64,
}
AdviseOptions._counts = {
    "domain": "domain_count",
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
    ("rule", ctypes.c_char_p),
    ("device", ctypes.c_char_p),
    ("optimizer", ctypes.c_char_p),
    ("isa", ctypes.c_char_p),
    ("symbols", ctypes.POINTER(SymbolValue)),
    ("symbol_count", ctypes.c_size_t),
    ("context", ctypes.c_void_p),
    ("inference", ctypes.c_int32),
    ("steps", ctypes.c_int32),
    ("threads", ctypes.c_int32),
    ("measure", ctypes.c_int32),
    ("base_bytes", ctypes.c_int64),
    ("precision", ctypes.c_char_p),
    ("checkpoint", ctypes.c_char_p),
    ("gpu", ctypes.c_char_p),
    ("allocator", ctypes.c_char_p),
    ("optimization", ctypes.c_char_p),
    ("accumulate", ctypes.c_int32),
    ("keep_gradients", ctypes.c_int32),
]
Job._converters = {
    "framework": _call.optional(_call.text),
    "rule": _call.optional(_call.text),
    "device": _call.optional(_call.text),
    "optimizer": _call.optional(_call.text),
    "isa": _call.optional(_call.text),
    "symbols": _call.optional(_call.structs(SymbolValue)),
    "symbol_count": _call.size,
    "context": _call.handle(ContextHandle),
    "inference": _call.int32,
    "steps": _call.int32,
    "threads": _call.int32,
    "measure": _call.enum(Measure),
    "base_bytes": _call.int64,
    "precision": _call.optional(_call.text),
    "checkpoint": _call.optional(_call.text),
    "gpu": _call.optional(_call.text),
    "allocator": _call.optional(_call.text),
    "optimization": _call.optional(_call.text),
    "accumulate": _call.int32,
    "keep_gradients": _call.int32,
}
Job._counts = {
    "symbols": "symbol_count",
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

BudgetStep._sized = True
BudgetStep._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("extra", ctypes.c_double),
    ("what", ctypes.c_char_p),
    ("means", ctypes.c_int32),
    ("taken", ctypes.c_int32),
]
BudgetStep._converters = {
    "peak": _call.int64,
    "extra": _call.double,
    "what": _call.text,
    "means": _call.enum(BudgetMeans),
    "taken": _call.int32,
}

BudgetResult._sized = True
BudgetResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("batch", ctypes.c_int64),
    ("extra", ctypes.c_double),
    ("checkpoint", ctypes.c_char_p),
    ("fits", ctypes.c_int32),
    ("measure", ctypes.c_int32),
]
BudgetResult._converters = {
    "peak": _call.int64,
    "batch": _call.int64,
    "extra": _call.double,
    "checkpoint": _call.text,
    "fits": _call.int32,
    "measure": _call.enum(Measure),
}

Conv._sized = True
Conv._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("filters", ctypes.c_int64),
    ("kernel", ctypes.c_int64 * 3),
    ("stride", ctypes.c_int64 * 3),
    ("dilation", ctypes.c_int64 * 3),
    ("pad", ctypes.c_int64 * 3),
    ("output_padding", ctypes.c_int64 * 3),
    ("groups", ctypes.c_int64),
    ("padding", ctypes.c_int32),
    ("layout", ctypes.c_int32),
    ("no_bias", ctypes.c_int32),
    ("activation", ctypes.c_int32),
    ("shared", ctypes.c_char_p),
]
Conv._converters = {
    "name": _call.optional(_call.text),
    "filters": _call.int64,
    "kernel": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "stride": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "dilation": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "pad": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "output_padding": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "groups": _call.int64,
    "padding": _call.enum(Padding),
    "layout": _call.enum(Layout),
    "no_bias": _call.int32,
    "activation": _call.enum(ActivationKind),
    "shared": _call.optional(_call.text),
}

Linear._sized = True
Linear._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("units", ctypes.c_int64),
    ("no_bias", ctypes.c_int32),
    ("activation", ctypes.c_int32),
    ("shared", ctypes.c_char_p),
]
Linear._converters = {
    "name": _call.optional(_call.text),
    "units": _call.int64,
    "no_bias": _call.int32,
    "activation": _call.enum(ActivationKind),
    "shared": _call.optional(_call.text),
}

Pool._sized = True
Pool._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("kernel", ctypes.c_int64 * 3),
    ("stride", ctypes.c_int64 * 3),
    ("dilation", ctypes.c_int64 * 3),
    ("pad", ctypes.c_int64 * 3),
    ("padding", ctypes.c_int32),
    ("layout", ctypes.c_int32),
    ("kind", ctypes.c_int32),
    ("ceil_mode", ctypes.c_int32),
]
Pool._converters = {
    "name": _call.optional(_call.text),
    "kernel": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "stride": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "dilation": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "pad": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "padding": _call.enum(Padding),
    "layout": _call.enum(Layout),
    "kind": _call.enum(ReductionKind),
    "ceil_mode": _call.int32,
}

AdaptivePool._sized = True
AdaptivePool._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("output", ctypes.c_int64 * 3),
    ("layout", ctypes.c_int32),
    ("kind", ctypes.c_int32),
]
AdaptivePool._converters = {
    "name": _call.optional(_call.text),
    "output": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "layout": _call.enum(Layout),
    "kind": _call.enum(ReductionKind),
}

GlobalPool._sized = True
GlobalPool._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("layout", ctypes.c_int32),
    ("kind", ctypes.c_int32),
    ("keep", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
GlobalPool._converters = {
    "name": _call.optional(_call.text),
    "layout": _call.enum(Layout),
    "kind": _call.enum(ReductionKind),
    "keep": _call.int32,
}

Norm._sized = True
Norm._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("groups", ctypes.c_int64),
    ("axes", ctypes.c_int64),
    ("layout", ctypes.c_int32),
    ("no_affine", ctypes.c_int32),
    ("no_statistics", ctypes.c_int32),
    ("no_shift", ctypes.c_int32),
    ("affine", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
Norm._converters = {
    "name": _call.optional(_call.text),
    "groups": _call.int64,
    "axes": _call.int64,
    "layout": _call.enum(Layout),
    "no_affine": _call.int32,
    "no_statistics": _call.int32,
    "no_shift": _call.int32,
    "affine": _call.int32,
}

Activation._sized = True
Activation._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("kind", ctypes.c_int32),
    ("in_place", ctypes.c_int32),
    ("one_weight", ctypes.c_int32),
    ("layout", ctypes.c_int32),
]
Activation._converters = {
    "name": _call.optional(_call.text),
    "kind": _call.enum(ActivationKind),
    "in_place": _call.int32,
    "one_weight": _call.int32,
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
    ("feature", ctypes.c_int32),
    ("in_place", ctypes.c_int32),
    ("identity", ctypes.c_int32),
    ("layout", ctypes.c_int32),
]
Dropout._converters = {
    "name": _call.optional(_call.text),
    "rate": _call.double,
    "feature": _call.int32,
    "in_place": _call.int32,
    "identity": _call.int32,
    "layout": _call.enum(Layout),
}

Embedding._sized = True
Embedding._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("rows", ctypes.c_int64),
    ("width", ctypes.c_int64),
    ("dtype", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
    ("shared", ctypes.c_char_p),
]
Embedding._converters = {
    "name": _call.optional(_call.text),
    "rows": _call.int64,
    "width": _call.int64,
    "dtype": _call.enum(Dtype),
    "shared": _call.optional(_call.text),
}

Upsample._sized = True
Upsample._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("scale", ctypes.c_int64 * 3),
    ("output", ctypes.c_int64 * 3),
    ("mode", ctypes.c_int32),
    ("layout", ctypes.c_int32),
]
Upsample._converters = {
    "name": _call.optional(_call.text),
    "scale": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "output": _call.fixed(ctypes.c_int64, 3, _call.int64, 3),
    "mode": _call.enum(Interpolation),
    "layout": _call.enum(Layout),
}

Pad._sized = True
Pad._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("before", ctypes.c_int64 * 8),
    ("after", ctypes.c_int64 * 8),
    ("mode", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
Pad._converters = {
    "name": _call.optional(_call.text),
    "before": _call.fixed(ctypes.c_int64, 8, _call.int64),
    "after": _call.fixed(ctypes.c_int64, 8, _call.int64),
    "mode": _call.enum(PadMode),
}

Concat._sized = True
Concat._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("axis", ctypes.c_int32),
    ("channels", ctypes.c_int32),
    ("layout", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
Concat._converters = {
    "name": _call.optional(_call.text),
    "axis": _call.int32,
    "channels": _call.int32,
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
    ("drop", ctypes.c_int32),
]
Slice._converters = {
    "name": _call.optional(_call.text),
    "start": _call.int64,
    "stop": _call.int64,
    "step": _call.int64,
    "axis": _call.int32,
    "drop": _call.int32,
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
    ("transpose_first", ctypes.c_int32),
    ("transpose_second", ctypes.c_int32),
]
Matmul._converters = {
    "name": _call.optional(_call.text),
    "transpose_first": _call.int32,
    "transpose_second": _call.int32,
}

Reduce._sized = True
Reduce._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("axes", ctypes.c_int32 * 8),
    ("axis_count", ctypes.c_int32),
    ("kind", ctypes.c_int32),
    ("keep", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
Reduce._converters = {
    "name": _call.optional(_call.text),
    "axes": _call.fixed(ctypes.c_int32, 8, _call.int32),
    "axis_count": _call.int32,
    "kind": _call.enum(ReductionKind),
    "keep": _call.int32,
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
    ("grouped", ctypes.c_int32),
]
Attention._converters = {
    "name": _call.optional(_call.text),
    "dropout": _call.double,
    "causal": _call.int32,
    "grouped": _call.int32,
}

Recurrent._sized = True
Recurrent._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("hidden", ctypes.c_int64),
    ("layers", ctypes.c_int64),
    ("projection", ctypes.c_int64),
    ("dropout", ctypes.c_double),
    ("kind", ctypes.c_int32),
    ("bidirectional", ctypes.c_int32),
    ("batch_first", ctypes.c_int32),
    ("no_bias", ctypes.c_int32),
]
Recurrent._converters = {
    "name": _call.optional(_call.text),
    "hidden": _call.int64,
    "layers": _call.int64,
    "projection": _call.int64,
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

CustomNeeds._sized = True
CustomNeeds._fields_ = [
    ("size", ctypes.c_size_t),
    ("saved", ctypes.c_int64),
    ("forward_temporary", ctypes.c_int64),
    ("backward_temporary", ctypes.c_int64),
    ("multiply_adds", ctypes.c_int64),
]
CustomNeeds._converters = {
    "saved": _call.int64,
    "forward_temporary": _call.int64,
    "backward_temporary": _call.int64,
    "multiply_adds": _call.int64,
}

Custom._sized = True
Custom._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("outputs", ctypes.POINTER(Shape)),
    ("output_count", ctypes.c_int32),
    ("parameter_dtype", ctypes.c_int32),
    ("parameters", ctypes.c_int64),
    ("saved", ctypes.c_int64),
    ("forward_temporary", ctypes.c_int64),
    ("backward_temporary", ctypes.c_int64),
    ("multiply_adds", ctypes.c_int64),
    ("rule", CustomRule),
    ("user", ctypes.c_void_p),
    ("operation", ctypes.c_char_p),
    ("attributes", ctypes.c_char_p),
]
Custom._converters = {
    "name": _call.optional(_call.text),
    "outputs": _call.structs(Shape),
    "output_count": _call.int32,
    "parameter_dtype": _call.enum(Dtype),
    "parameters": _call.int64,
    "saved": _call.int64,
    "forward_temporary": _call.int64,
    "backward_temporary": _call.int64,
    "multiply_adds": _call.int64,
    "rule": _as_custom_rule,
    "operation": _call.optional(_call.text),
    "attributes": _call.optional(_call.text),
}
Custom._counts = {
    "outputs": "output_count",
}

FitProgress._sized = True
FitProgress._fields_ = [
    ("size", ctypes.c_size_t),
    ("evaluations", ctypes.c_int64),
    ("most", ctypes.c_int64),
    ("seconds", ctypes.c_double),
    ("error", ctypes.c_double),
]
FitProgress._converters = {
    "evaluations": _call.int64,
    "most": _call.int64,
    "seconds": _call.double,
    "error": _call.double,
}

FitOptions._sized = True
FitOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("target", ctypes.c_char_p),
    ("inputs", ctypes.POINTER(ctypes.c_char_p)),
    ("input_count", ctypes.c_size_t),
    ("weight", ctypes.c_char_p),
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
    ("most_exponent", ctypes.c_double),
    ("search", ctypes.c_int32),
    ("integer_exponents", ctypes.c_int32),
    ("non_negative", ctypes.c_int32),
    ("change_points", ctypes.c_int32),
    ("seed", ctypes.c_int64),
    ("evaluations", ctypes.c_int64),
    ("seconds", ctypes.c_double),
    ("checkpoint", ctypes.c_char_p),
    ("progress", FitObserver),
    ("user", ctypes.c_void_p),
    ("selection", ctypes.c_int32),
    ("reserved_3", ctypes.c_int32),
    ("capacity", ctypes.c_double),
]
FitOptions._converters = {
    "target": _call.optional(_call.text),
    "inputs": _call.optional(_call.texts),
    "input_count": _call.size,
    "weight": _call.optional(_call.text),
    "terms": _call.optional(_call.texts),
    "term_count": _call.size,
    "basis": _call.enum(Basis),
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
    "most_exponent": _call.double,
    "search": _call.enum(FitSearch),
    "integer_exponents": _call.int32,
    "non_negative": _call.int32,
    "change_points": _call.int32,
    "seed": _call.int64,
    "evaluations": _call.int64,
    "seconds": _call.double,
    "checkpoint": _call.optional(_call.text),
    "progress": _as_fit_observer,
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

Prediction._sized = True
Prediction._fields_ = [
    ("size", ctypes.c_size_t),
    ("value", ctypes.c_double),
    ("upper", ctypes.c_double),
    ("outside", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
    ("points", ctypes.c_int64),
    ("attained", ctypes.c_double),
    ("rule", ctypes.c_int32),
    ("reserved_2", ctypes.c_int32),
]
Prediction._converters = {
    "value": _call.double,
    "upper": _call.double,
    "outside": _call.int32,
    "points": _call.int64,
    "attained": _call.double,
    "rule": _call.enum(Bound),
    "reserved_2": _call.int32,
}

ModelScores._sized = True
ModelScores._fields_ = [
    ("size", ctypes.c_size_t),
    ("training_mape", ctypes.c_double),
    ("loo_mape", ctypes.c_double),
    ("samples", ctypes.c_int64),
    ("terms", ctypes.c_int64),
    ("training_error", ctypes.c_double),
    ("loo_error", ctypes.c_double),
    ("held_out_error", ctypes.c_double),
    ("constant_error", ctypes.c_double),
    ("loss", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
    ("noise", ctypes.c_double),
    ("noise_freedom", ctypes.c_int64),
    ("certified", ctypes.c_int32),
    ("reserved_2", ctypes.c_int32),
    ("censored", ctypes.c_int64),
]
ModelScores._converters = {
    "training_mape": _call.double,
    "loo_mape": _call.double,
    "samples": _call.int64,
    "terms": _call.int64,
    "training_error": _call.double,
    "loo_error": _call.double,
    "held_out_error": _call.double,
    "constant_error": _call.double,
    "loss": _call.enum(FitLoss),
    "noise": _call.double,
    "noise_freedom": _call.int64,
    "certified": _call.int32,
    "reserved_2": _call.int32,
    "censored": _call.int64,
}

FrontEntry._sized = True
FrontEntry._fields_ = [
    ("size", ctypes.c_size_t),
    ("nodes", ctypes.c_int64),
    ("terms", ctypes.c_int64),
    ("loo_error", ctypes.c_double),
    ("held_out_error", ctypes.c_double),
    ("chosen", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
FrontEntry._converters = {
    "nodes": _call.int64,
    "terms": _call.int64,
    "loo_error": _call.double,
    "held_out_error": _call.double,
    "chosen": _call.int32,
}

MonitorOptions._sized = True
MonitorOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("interval", ctypes.c_double),
    ("curve_limit", ctypes.c_int64),
    ("own_child", ctypes.c_int32),
    ("pss", ctypes.c_int32),
    ("limit", ctypes.c_int64),
    ("cgroup", ctypes.c_int32),
    ("orphans", ctypes.c_int32),
]
MonitorOptions._converters = {
    "interval": _call.double,
    "curve_limit": _call.int64,
    "own_child": _call.int32,
    "pss": _call.int32,
    "limit": _call.int64,
    "cgroup": _call.int32,
    "orphans": _call.int32,
}

MonitorReading._sized = True
MonitorReading._fields_ = [
    ("size", ctypes.c_size_t),
    ("time", ctypes.c_double),
    ("previous", ctypes.c_double),
    ("rss", ctypes.c_int64),
    ("high", ctypes.c_int64),
    ("pss", ctypes.c_int64),
    ("cgroup", ctypes.c_int64),
    ("processes", ctypes.c_int32),
    ("ended", ctypes.c_int32),
    ("charge", ctypes.c_int64),
    ("charge_high", ctypes.c_int64),
]
MonitorReading._converters = {
    "time": _call.double,
    "previous": _call.double,
    "rss": _call.int64,
    "high": _call.int64,
    "pss": _call.int64,
    "cgroup": _call.int64,
    "processes": _call.int32,
    "ended": _call.int32,
    "charge": _call.int64,
    "charge_high": _call.int64,
}

MonitorSummary._sized = True
MonitorSummary._fields_ = [
    ("size", ctypes.c_size_t),
    ("start", ctypes.c_double),
    ("seconds", ctypes.c_double),
    ("readings", ctypes.c_int64),
    ("peak", ctypes.c_int64),
    ("peak_sampled", ctypes.c_int64),
    ("peak_process", ctypes.c_int64),
    ("peak_pss", ctypes.c_int64),
    ("peak_cgroup", ctypes.c_int64),
    ("processes", ctypes.c_int32),
    ("ended", ctypes.c_int32),
    ("exit_code", ctypes.c_int32),
    ("exit_signal", ctypes.c_int32),
    ("peak_rss", ctypes.c_int64),
    ("pss_seconds", ctypes.c_double),
    ("pss_readings", ctypes.c_int32),
    ("own_cgroup", ctypes.c_int32),
]
MonitorSummary._converters = {
    "start": _call.double,
    "seconds": _call.double,
    "readings": _call.int64,
    "peak": _call.int64,
    "peak_sampled": _call.int64,
    "peak_process": _call.int64,
    "peak_pss": _call.int64,
    "peak_cgroup": _call.int64,
    "processes": _call.int32,
    "ended": _call.int32,
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
    ("batch", ctypes.c_char_p),
    ("frozen", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
OnnxOptions._converters = {
    "batch": _call.optional(_call.text),
    "frozen": _call.int32,
}

Event._sized = True
Event._fields_ = [
    ("size", ctypes.c_size_t),
    ("bytes", ctypes.c_int64),
    ("live", ctypes.c_int64),
    ("what", ctypes.c_char_p),
    ("layer", ctypes.c_char_p),
    ("block", ctypes.c_int32),
    ("step", ctypes.c_int32),
    ("category", ctypes.c_int32),
    ("phase", ctypes.c_int32),
    ("times", ctypes.c_int64),
]
Event._converters = {
    "bytes": _call.int64,
    "live": _call.int64,
    "what": _call.text,
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

PlanPlace._sized = True
PlanPlace._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("offset", ctypes.c_int64),
    ("bytes", ctypes.c_int64),
    ("lower", ctypes.c_int64),
    ("upper", ctypes.c_int64),
    ("alignment", ctypes.c_int64),
]
PlanPlace._converters = {
    "name": _call.text,
    "offset": _call.int64,
    "bytes": _call.int64,
    "lower": _call.int64,
    "upper": _call.int64,
    "alignment": _call.int64,
}

PlanResult._sized = True
PlanResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("lower_bound", ctypes.c_int64),
    ("total", ctypes.c_int64),
    ("nodes", ctypes.c_int64),
    ("seconds", ctypes.c_double),
    ("status", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
PlanResult._converters = {
    "peak": _call.int64,
    "lower_bound": _call.int64,
    "total": _call.int64,
    "nodes": _call.int64,
    "seconds": _call.double,
    "status": _call.enum(PlanStatus),
}

PlanOptions._sized = True
PlanOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("capacity", ctypes.c_int64),
    ("nodes", ctypes.c_int64),
    ("seconds", ctypes.c_double),
    ("progress", PlanObserver),
    ("user", ctypes.c_void_p),
    ("without", ctypes.c_uint64),
]
PlanOptions._converters = {
    "capacity": _call.int64,
    "nodes": _call.int64,
    "seconds": _call.double,
    "progress": _as_plan_observer,
    "without": _call.uint64,
}

ChainBlock._sized = True
ChainBlock._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("input", ctypes.c_int64),
    ("saved", ctypes.c_int64),
    ("forward_bytes", ctypes.c_int64),
    ("backward_bytes", ctypes.c_int64),
    ("forward_cost", ctypes.c_double),
    ("backward_cost", ctypes.c_double),
]
ChainBlock._converters = {
    "name": _call.optional(_call.text),
    "input": _call.int64,
    "saved": _call.int64,
    "forward_bytes": _call.int64,
    "backward_bytes": _call.int64,
    "forward_cost": _call.double,
    "backward_cost": _call.double,
}

ChainStep._sized = True
ChainStep._fields_ = [
    ("size", ctypes.c_size_t),
    ("operation", ctypes.c_int32),
    ("block", ctypes.c_int32),
    ("held", ctypes.c_int64),
    ("peak", ctypes.c_int64),
]
ChainStep._converters = {
    "operation": _call.enum(ChainOperation),
    "block": _call.int32,
    "held": _call.int64,
    "peak": _call.int64,
}

ChainResult._sized = True
ChainResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("least", ctypes.c_int64),
    ("most", ctypes.c_int64),
    ("cost", ctypes.c_double),
    ("least_cost", ctypes.c_double),
]
ChainResult._converters = {
    "peak": _call.int64,
    "least": _call.int64,
    "most": _call.int64,
    "cost": _call.double,
    "least_cost": _call.double,
}

RecomputationResult._sized = True
RecomputationResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("before", ctypes.c_int64),
    ("peak", ctypes.c_int64),
    ("least", ctypes.c_int64),
    ("simulations", ctypes.c_int64),
    ("extra", ctypes.c_double),
    ("point", ctypes.c_int32),
    ("fits", ctypes.c_int32),
    ("settled", ctypes.c_int32),
    ("measure", ctypes.c_int32),
]
RecomputationResult._converters = {
    "before": _call.int64,
    "peak": _call.int64,
    "least": _call.int64,
    "simulations": _call.int64,
    "extra": _call.double,
    "point": _call.int32,
    "fits": _call.int32,
    "settled": _call.int32,
    "measure": _call.enum(Measure),
}

RecomputationPoint._sized = True
RecomputationPoint._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("extra", ctypes.c_double),
    ("scopes", ctypes.c_size_t),
    ("checkpoint", ctypes.c_char_p),
]
RecomputationPoint._converters = {
    "peak": _call.int64,
    "extra": _call.double,
    "scopes": _call.size,
    "checkpoint": _call.text,
}

ReplayOptions._sized = True
ReplayOptions._fields_ = [
    ("size", ctypes.c_size_t),
    ("allocator", ctypes.c_char_p),
    ("settings", ctypes.c_char_p),
    ("capacity", ctypes.c_int64),
    ("events", ctypes.c_int64),
]
ReplayOptions._converters = {
    "allocator": _call.optional(_call.text),
    "settings": _call.optional(_call.text),
    "capacity": _call.int64,
    "events": _call.int64,
}

ReplayMoment._sized = True
ReplayMoment._fields_ = [
    ("size", ctypes.c_size_t),
    ("requested", ctypes.c_int64),
    ("allocated", ctypes.c_int64),
    ("active", ctypes.c_int64),
    ("reserved", ctypes.c_int64),
    ("touched", ctypes.c_int64),
]
ReplayMoment._converters = {
    "requested": _call.int64,
    "allocated": _call.int64,
    "active": _call.int64,
    "touched": _call.int64,
}

ReplaySummary._sized = True
ReplaySummary._fields_ = [
    ("size", ctypes.c_size_t),
    ("requested_peak", ctypes.c_int64),
    ("allocated_peak", ctypes.c_int64),
    ("active_peak", ctypes.c_int64),
    ("reserved_peak", ctypes.c_int64),
    ("touched_peak", ctypes.c_int64),
    ("reserved_event", ctypes.c_int64),
    ("out_of_memory", ctypes.c_int64),
    ("retries", ctypes.c_int64),
    ("events", ctypes.c_int64),
]
ReplaySummary._converters = {
    "requested_peak": _call.int64,
    "allocated_peak": _call.int64,
    "active_peak": _call.int64,
    "reserved_peak": _call.int64,
    "touched_peak": _call.int64,
    "reserved_event": _call.int64,
    "out_of_memory": _call.int64,
    "retries": _call.int64,
    "events": _call.int64,
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

Peak._sized = True
Peak._fields_ = [
    ("size", ctypes.c_size_t),
    ("live", ctypes.c_int64),
    ("reserved", ctypes.c_int64),
    ("process", ctypes.c_int64),
]
Peak._converters = {
    "live": _call.int64,
    "process": _call.int64,
}

ReportLayer._sized = True
ReportLayer._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("op", ctypes.c_char_p),
    ("shape", ctypes.c_char_p),
    ("formula", ctypes.c_char_p),
    ("activations", ctypes.c_int64),
    ("output_bytes", ctypes.c_int64),
    ("parameters", ctypes.c_int64),
    ("trainable", ctypes.c_int64),
    ("parameter_bytes", ctypes.c_int64),
    ("multiply_adds", ctypes.c_int64),
    ("peak_bytes", ctypes.c_int64),
    ("peak", ctypes.c_int64 * 10),
]
ReportLayer._converters = {
    "name": _call.text,
    "op": _call.text,
    "shape": _call.text,
    "formula": _call.text,
    "activations": _call.int64,
    "output_bytes": _call.int64,
    "parameters": _call.int64,
    "trainable": _call.int64,
    "parameter_bytes": _call.int64,
    "multiply_adds": _call.int64,
    "peak_bytes": _call.int64,
    "peak": _call.fixed(ctypes.c_int64, 10, _call.int64),
}

Change._sized = True
Change._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("live", ctypes.c_int64),
    ("reserved", ctypes.c_int64),
    ("process", ctypes.c_int64),
    ("saved", ctypes.c_int64),
]
Change._converters = {
    "name": _call.text,
    "live": _call.int64,
    "process": _call.int64,
    "saved": _call.int64,
}

Inference._sized = True
Inference._fields_ = [
    ("size", ctypes.c_size_t),
    ("symbols", ctypes.POINTER(SymbolValue)),
    ("symbol_count", ctypes.c_size_t),
    ("context", ctypes.c_void_p),
    ("without", ctypes.c_uint64),
    ("alignment", ctypes.c_int64),
    ("parameters", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
Inference._converters = {
    "symbols": _call.optional(_call.structs(SymbolValue)),
    "symbol_count": _call.size,
    "context": _call.handle(ContextHandle),
    "without": _call.uint64,
    "alignment": _call.int64,
    "parameters": _call.int32,
}
Inference._counts = {
    "symbols": "symbol_count",
}

ScheduleSummary._sized = True
ScheduleSummary._fields_ = [
    ("size", ctypes.c_size_t),
    ("tensors", ctypes.c_int64),
    ("parameters", ctypes.c_int64),
    ("peak", ctypes.c_int64),
    ("lower_bound", ctypes.c_int64),
    ("multiply_adds", ctypes.c_int64),
    ("built_peak", ctypes.c_int64),
]
ScheduleSummary._converters = {
    "tensors": _call.int64,
    "parameters": _call.int64,
    "peak": _call.int64,
    "lower_bound": _call.int64,
    "multiply_adds": _call.int64,
    "built_peak": _call.int64,
}

ScheduleOperator._sized = True
ScheduleOperator._fields_ = [
    ("size", ctypes.c_size_t),
    ("name", ctypes.c_char_p),
    ("first", ctypes.c_int64),
    ("last", ctypes.c_int64),
    ("live", ctypes.c_int64),
    ("does_nothing", ctypes.c_int32),
    ("reserved", ctypes.c_int32),
]
ScheduleOperator._converters = {
    "name": _call.text,
    "first": _call.int64,
    "last": _call.int64,
    "live": _call.int64,
    "does_nothing": _call.int32,
}

TilingAxis._sized = True
TilingAxis._fields_ = [
    ("size", ctypes.c_size_t),
    ("extent", ctypes.c_int64),
    ("alignment", ctypes.c_int64),
    ("before", ctypes.c_int64),
    ("after", ctypes.c_int64),
    ("step", ctypes.c_int64),
    ("count", ctypes.c_int64),
    ("largest", ctypes.c_int64),
]
TilingAxis._converters = {
    "extent": _call.int64,
    "alignment": _call.int64,
    "before": _call.int64,
    "after": _call.int64,
    "step": _call.int64,
    "count": _call.int64,
    "largest": _call.int64,
}

TilingRange._sized = True
TilingRange._fields_ = [
    ("size", ctypes.c_size_t),
    ("begin", ctypes.c_int64),
    ("stop", ctypes.c_int64),
    ("first", ctypes.c_int64),
    ("last", ctypes.c_int64),
    ("skip", ctypes.c_int64),
]
TilingRange._converters = {
    "begin": _call.int64,
    "stop": _call.int64,
    "first": _call.int64,
    "last": _call.int64,
    "skip": _call.int64,
}

TilingResult._sized = True
TilingResult._fields_ = [
    ("size", ctypes.c_size_t),
    ("peak", ctypes.c_int64),
    ("whole_peak", ctypes.c_int64),
    ("tensors", ctypes.c_int64),
    ("tiles", ctypes.c_int64),
    ("overhead", ctypes.c_double),
]
TilingResult._converters = {
    "peak": _call.int64,
    "whole_peak": _call.int64,
    "tensors": _call.int64,
    "tiles": _call.int64,
    "overhead": _call.double,
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
_context_set_log = _library.bind("memmodel_context_set_log", None, ctypes.c_void_p, Log, ctypes.c_void_p)
_context_set_limits = _library.bind(
    "memmodel_context_set_limits",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Limits),
)
_context_cancel = _library.bind("memmodel_context_cancel", None, ctypes.c_void_p)
_context_memory = _library.bind(
    "memmodel_context_memory",
    None,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_int64),
    ctypes.POINTER(ctypes.c_int64),
)
_free = _library.bind("memmodel_free", None, ctypes.c_void_p, ctypes.c_void_p)
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
_samples_read = _library.bind(
    "memmodel_samples_read",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_samples_parse = _library.bind(
    "memmodel_samples_parse",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p),
)
_samples_write = _library.bind("memmodel_samples_write", ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p)
_samples_append = _library.bind(
    "memmodel_samples_append",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_char_p),
    ctypes.POINTER(ctypes.c_char_p),
    ctypes.c_size_t,
    blocking=True,
)
_samples_add = _library.bind("memmodel_samples_add", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double))
_samples_filter = _library.bind(
    "memmodel_samples_filter",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_samples_select = _library.bind(
    "memmodel_samples_select",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_size_t),
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p),
)
_samples_shuffle = _library.bind(
    "memmodel_samples_shuffle",
    None,
    ctypes.c_uint64,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_size_t),
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
_samples_context = _library.bind("memmodel_samples_context", ctypes.c_void_p, ctypes.c_void_p)
_samples_ref = _library.bind("memmodel_samples_ref", ctypes.c_void_p, ctypes.c_void_p)
_samples_unref = _library.bind("memmodel_samples_unref", None, ctypes.c_void_p)
_advise = _library.bind(
    "memmodel_advise",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(AdviseOptions),
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_int64),
    blocking=True,
)
_measure_name = _library.bind("memmodel_measure_name", ctypes.c_char_p, ctypes.c_int32)
_measure_default = _library.bind("memmodel_measure_default", ctypes.c_int32, ctypes.c_char_p)
_network_new = _library.bind("memmodel_network_new", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
_network_ref = _library.bind("memmodel_network_ref", ctypes.c_void_p, ctypes.c_void_p)
_network_unref = _library.bind("memmodel_network_unref", None, ctypes.c_void_p)
_network_status = _library.bind("memmodel_network_status", ctypes.c_int32, ctypes.c_void_p)
_network_recover = _library.bind("memmodel_network_recover", None, ctypes.c_void_p)
_network_set_layout = _library.bind("memmodel_network_set_layout", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32)
_network_symbol = _library.bind("memmodel_network_symbol", ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p)
_network_expression = _library.bind("memmodel_network_expression", ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p)
_network_dim_text = _library.bind(
    "memmodel_network_dim_text",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_void_p),
)
_network_push_scope = _library.bind("memmodel_network_push_scope", ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p)
_network_pop_scope = _library.bind("memmodel_network_pop_scope", ctypes.c_int32, ctypes.c_void_p)
_network_checkpoint = _library.bind("memmodel_network_checkpoint", ctypes.c_int32, ctypes.c_void_p)
_network_checkpoint_reentrant = _library.bind("memmodel_network_checkpoint_reentrant", ctypes.c_int32, ctypes.c_void_p)
_network_release = _library.bind("memmodel_network_release", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32)
_network_output = _library.bind("memmodel_network_output", ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32)
_network_result = _library.bind(
    "memmodel_network_result",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_int32,
)
_network_shape = _library.bind(
    "memmodel_network_shape",
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
_network_save = _library.bind("memmodel_network_save", ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p)
_network_load = _library.bind(
    "memmodel_network_load",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_budget_means_name = _library.bind("memmodel_budget_means_name", ctypes.c_char_p, ctypes.c_int32)
_budget_new = _library.bind(
    "memmodel_budget_new",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_budget_result = _library.bind("memmodel_budget_result", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(BudgetResult))
_budget_step_count = _library.bind("memmodel_budget_step_count", ctypes.c_size_t, ctypes.c_void_p)
_budget_step = _library.bind(
    "memmodel_budget_step",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(BudgetStep),
)
_budget_text = _library.bind("memmodel_budget_text", ctypes.c_char_p, ctypes.c_void_p)
_budget_ref = _library.bind("memmodel_budget_ref", ctypes.c_void_p, ctypes.c_void_p)
_budget_unref = _library.bind("memmodel_budget_unref", None, ctypes.c_void_p)
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
    ctypes.POINTER(Norm),
)
_network_layer_norm = _library.bind(
    "memmodel_network_layer_norm",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Norm),
)
_network_group_norm = _library.bind(
    "memmodel_network_group_norm",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Norm),
)
_network_instance_norm = _library.bind(
    "memmodel_network_instance_norm",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Norm),
)
_network_rms_norm = _library.bind(
    "memmodel_network_rms_norm",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(Norm),
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
_fit = _library.bind(
    "memmodel_fit",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(FitOptions),
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
    ctypes.POINTER(ctypes.c_double),
)
_model_evaluate_rows = _library.bind(
    "memmodel_model_evaluate_rows",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_size_t,
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
    ctypes.c_double,
    ctypes.POINTER(Prediction),
)
_model_predict_by = _library.bind(
    "memmodel_model_predict_by",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_int32,
    ctypes.c_double,
    ctypes.POINTER(Prediction),
)
_model_predict_many = _library.bind(
    "memmodel_model_predict_many",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.POINTER(ctypes.c_double)),
    ctypes.c_size_t,
    ctypes.c_double,
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_int32),
    blocking=True,
)
_model_solve = _library.bind(
    "memmodel_model_solve",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_double),
    ctypes.c_char_p,
    ctypes.c_double,
    ctypes.c_double,
    ctypes.POINTER(ctypes.c_int64),
)
_model_input_count = _library.bind("memmodel_model_input_count", ctypes.c_size_t, ctypes.c_void_p)
_model_input_name = _library.bind("memmodel_model_input_name", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
_model_input_symbol = _library.bind("memmodel_model_input_symbol", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
_model_target = _library.bind("memmodel_model_target", ctypes.c_char_p, ctypes.c_void_p)
_model_unit = _library.bind("memmodel_model_unit", ctypes.c_char_p, ctypes.c_void_p)
_model_unit_bytes = _library.bind("memmodel_model_unit_bytes", ctypes.c_double, ctypes.c_void_p)
_model_domain = _library.bind(
    "memmodel_model_domain",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_double),
)
_model_input_is_whole = _library.bind("memmodel_model_input_is_whole", ctypes.c_int32, ctypes.c_void_p, ctypes.c_size_t)
_model_limits = _library.bind(
    "memmodel_model_limits",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_double),
)
_model_front_count = _library.bind("memmodel_model_front_count", ctypes.c_size_t, ctypes.c_void_p)
_model_front_entry = _library.bind(
    "memmodel_model_front_entry",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(FrontEntry),
)
_model_front_formula = _library.bind("memmodel_model_front_formula", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
_model_scores = _library.bind("memmodel_model_scores", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ModelScores))
_model_formula = _library.bind(
    "memmodel_model_formula",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_model_export = _library.bind(
    "memmodel_model_export",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_model_save = _library.bind("memmodel_model_save", ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p)
_model_to_json = _library.bind(
    "memmodel_model_to_json",
    ctypes.c_int32,
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
    MonitorObserver,
    ctypes.c_void_p,
    blocking=True,
)
_monitor_stop = _library.bind("memmodel_monitor_stop", None, ctypes.c_void_p)
_monitor_summarize = _library.bind(
    "memmodel_monitor_summarize",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(MonitorSummary),
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
_category_name = _library.bind("memmodel_category_name", ctypes.c_char_p, ctypes.c_int32)
_trace_event_count = _library.bind("memmodel_trace_event_count", ctypes.c_size_t, ctypes.c_void_p)
_trace_event = _library.bind(
    "memmodel_trace_event",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(Event),
)
_trace_read = _library.bind(
    "memmodel_trace_read",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
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
_plan_status_name = _library.bind("memmodel_plan_status_name", ctypes.c_char_p, ctypes.c_int32)
_plan_new = _library.bind("memmodel_plan_new", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
_plan_read = _library.bind(
    "memmodel_plan_read",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_plan_parse = _library.bind(
    "memmodel_plan_parse",
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
    ctypes.POINTER(ctypes.c_void_p),
)
_plan_add = _library.bind("memmodel_plan_add", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(PlanBuffer))
_plan_gap = _library.bind(
    "memmodel_plan_gap",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int64,
    ctypes.c_int64,
)
_plan_share = _library.bind(
    "memmodel_plan_share",
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
_plan_place = _library.bind(
    "memmodel_plan_place",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(PlanPlace),
)
_plan_result = _library.bind("memmodel_plan_result", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(PlanResult))
_plan_write = _library.bind("memmodel_plan_write", ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p, blocking=True)
_plan_to_svg = _library.bind("memmodel_plan_to_svg", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))
_plan_to_c = _library.bind(
    "memmodel_plan_to_c",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_plan_ref = _library.bind("memmodel_plan_ref", ctypes.c_void_p, ctypes.c_void_p)
_plan_unref = _library.bind("memmodel_plan_unref", None, ctypes.c_void_p)
_chain_new = _library.bind(
    "memmodel_chain_new",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_void_p),
)
_chain_add = _library.bind("memmodel_chain_add", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ChainBlock))
_chain_solve = _library.bind(
    "memmodel_chain_solve",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_int64,
    blocking=True,
)
_chain_result = _library.bind("memmodel_chain_result", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ChainResult))
_chain_step_count = _library.bind("memmodel_chain_step_count", ctypes.c_size_t, ctypes.c_void_p)
_chain_step = _library.bind(
    "memmodel_chain_step",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ChainStep),
)
_chain_ref = _library.bind("memmodel_chain_ref", ctypes.c_void_p, ctypes.c_void_p)
_chain_unref = _library.bind("memmodel_chain_unref", None, ctypes.c_void_p)
_recomputation_new = _library.bind(
    "memmodel_recomputation_new",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_recomputation_cost = _library.bind(
    "memmodel_recomputation_cost",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_double,
)
_recomputation_observe = _library.bind(
    "memmodel_recomputation_observe",
    ctypes.c_int32,
    ctypes.c_void_p,
    RecomputationObserver,
    ctypes.c_void_p,
)
_recomputation_solve = _library.bind(
    "memmodel_recomputation_solve",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.c_int64,
    ctypes.c_int64,
    blocking=True,
)
_recomputation_result = _library.bind(
    "memmodel_recomputation_result",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(RecomputationResult),
)
_recomputation_point_count = _library.bind("memmodel_recomputation_point_count", ctypes.c_size_t, ctypes.c_void_p)
_recomputation_point = _library.bind(
    "memmodel_recomputation_point",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(RecomputationPoint),
)
_recomputation_scope = _library.bind(
    "memmodel_recomputation_scope",
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_size_t,
)
_recomputation_module = _library.bind(
    "memmodel_recomputation_module",
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
    ctypes.POINTER(ctypes.c_void_p),
)
_recomputation_to_svg = _library.bind(
    "memmodel_recomputation_to_svg",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)
_recomputation_ref = _library.bind("memmodel_recomputation_ref", ctypes.c_void_p, ctypes.c_void_p)
_recomputation_unref = _library.bind("memmodel_recomputation_unref", None, ctypes.c_void_p)
_replay_new = _library.bind(
    "memmodel_replay_new",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ReplayOptions),
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_replay_ref = _library.bind("memmodel_replay_ref", ctypes.c_void_p, ctypes.c_void_p)
_replay_unref = _library.bind("memmodel_replay_unref", None, ctypes.c_void_p)
_replay_summary = _library.bind(
    "memmodel_replay_summary",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ReplaySummary),
)
_replay_moment = _library.bind(
    "memmodel_replay_moment",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ReplayMoment),
)
_replay_block_count = _library.bind("memmodel_replay_block_count", ctypes.c_size_t, ctypes.c_void_p)
_replay_block = _library.bind(
    "memmodel_replay_block",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ReplayBlock),
)
_replay_write = _library.bind("memmodel_replay_write", ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p, blocking=True)
_estimate = _library.bind(
    "memmodel_estimate",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_report_what_if = _library.bind(
    "memmodel_report_what_if",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_report_change_count = _library.bind("memmodel_report_change_count", ctypes.c_size_t, ctypes.c_void_p)
_report_change = _library.bind(
    "memmodel_report_change",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(Change),
)
_report_measure = _library.bind("memmodel_report_measure", ctypes.c_int32, ctypes.c_void_p)
_solve = _library.bind(
    "memmodel_solve",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.c_char_p,
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_int64),
    blocking=True,
)
_scan = _library.bind(
    "memmodel_scan",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Job),
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_int64),
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_int64),
    blocking=True,
)
_report_peak = _library.bind("memmodel_report_peak", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(Peak))
_report_step_count = _library.bind("memmodel_report_step_count", ctypes.c_int32, ctypes.c_void_p)
_report_step_peak = _library.bind("memmodel_report_step_peak", ctypes.c_int64, ctypes.c_void_p, ctypes.c_int32)
_report_category = _library.bind("memmodel_report_category", ctypes.c_int64, ctypes.c_void_p, ctypes.c_int32)
_report_layer_count = _library.bind("memmodel_report_layer_count", ctypes.c_size_t, ctypes.c_void_p)
_report_layer = _library.bind(
    "memmodel_report_layer",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ReportLayer),
)
_report_total = _library.bind("memmodel_report_total", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ReportLayer))
_report_formula_count = _library.bind("memmodel_report_formula_count", ctypes.c_size_t, ctypes.c_void_p)
_report_formula_name = _library.bind("memmodel_report_formula_name", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
_report_formula = _library.bind(
    "memmodel_report_formula",
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int32,
)
_report_assumptions = _library.bind("memmodel_report_assumptions", ctypes.c_char_p, ctypes.c_void_p)
_report_unmodelled = _library.bind(
    "memmodel_report_unmodelled",
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_int64),
)
_report_verified = _library.bind("memmodel_report_verified", ctypes.c_int32, ctypes.c_void_p)
_report_moment = _library.bind("memmodel_report_moment", ctypes.c_char_p, ctypes.c_void_p)
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
_schedule_new = _library.bind(
    "memmodel_schedule_new",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Inference),
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_schedule_plan = _library.bind("memmodel_schedule_plan", ctypes.c_void_p, ctypes.c_void_p)
_schedule_buffer = _library.bind(
    "memmodel_schedule_buffer",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.POINTER(ctypes.c_size_t),
)
_schedule_operator_count = _library.bind("memmodel_schedule_operator_count", ctypes.c_size_t, ctypes.c_void_p)
_schedule_operator = _library.bind(
    "memmodel_schedule_operator",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ScheduleOperator),
)
_schedule_summary = _library.bind(
    "memmodel_schedule_summary",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(ScheduleSummary),
)
_schedule_ref = _library.bind("memmodel_schedule_ref", ctypes.c_void_p, ctypes.c_void_p)
_schedule_unref = _library.bind("memmodel_schedule_unref", None, ctypes.c_void_p)
_tiling_new = _library.bind(
    "memmodel_tiling_new",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.POINTER(Inference),
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_void_p),
    blocking=True,
)
_tiling_result = _library.bind("memmodel_tiling_result", ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(TilingResult))
_tiling_axis_count = _library.bind("memmodel_tiling_axis_count", ctypes.c_size_t, ctypes.c_void_p)
_tiling_axis = _library.bind(
    "memmodel_tiling_axis",
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(TilingAxis),
)
_tiling_range = _library.bind(
    "memmodel_tiling_range",
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

    Raises NomemError, InvalidArgumentError, StructSizeError.
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
    """Detail of the last error on this context. Needs no memory, so it is there for NomemError too.

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
    log_ = _as_log(log, "log")
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

    Raises InvalidArgumentError, NomemError, LimitError.
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


def samples_read(context: ContextHandle, path: str | os.PathLike[str]) -> SamplesHandle:
    """Read a table from CSV: lines starting with '#' are comments, the first other line names the columns, fields are
    separated by commas and may be quoted with '"'. A column most of whose fields are finite numbers is numeric (empty
    means missing), with what sizes are read in: "1.2 GiB", "908,136,448" and names such as "peak_MiB" or "mem (GB)".
    Its other fields are missing, and the log names each with its line, its column and what stands there. Any other
    column is text, for samples_filter(), and cannot be fitted. doc/formats.md has the details.

    context: the table keeps a reference.

    path: file to read.

    Raises InvalidArgumentError, IoError, ParseError, NomemError, LimitError, CancelledError.
    """
    samples_ = ctypes.c_void_p()
    _value = _samples_read(
        _call.address(context, ContextHandle, "context"),
        _call.path(path, "path"),
        ctypes.byref(samples_),
    )
    _check.status(_value, context)
    return SamplesHandle(samples_.value, _call.context_of(context))


def samples_parse(context: ContextHandle, name: str, text: str) -> SamplesHandle:
    """As samples_read(), from memory.

    context: the table keeps a reference.

    name: what to call the text in errors.

    text: `length` characters.

    Raises InvalidArgumentError, ParseError, NomemError, LimitError, CancelledError.
    """
    text_ = _call.text(text, "text")
    samples_ = ctypes.c_void_p()
    _value = _samples_parse(
        _call.address(context, ContextHandle, "context"),
        _call.text(name, "name"),
        text_,
        len(text_),
        ctypes.byref(samples_),
    )
    _check.status(_value, context)
    return SamplesHandle(samples_.value, _call.context_of(context))


def samples_write(samples: SamplesHandle, path: str | os.PathLike[str]) -> None:
    """Write the table as CSV, atomically: a reader sees the old file or the new one.

    samples: table.

    path: file to write.

    Raises InvalidArgumentError, IoError, NomemError, LimitError, CancelledError.
    """
    _value = _samples_write(_call.address(samples, SamplesHandle, "samples"), _call.path(path, "path"))
    _check.status(_value, samples)


def samples_append(context: ContextHandle, path: str | os.PathLike[str], columns: Any, values: Any) -> None:
    """Add a row to a CSV file, which is made with its header if it is not there. Many processes and threads may do so
    at the same time: no row is lost and none is torn, not even when a writer is killed, whose unfinished line the next
    one cuts off. The file's columns are found by name, in any order; it has to have exactly those of the row.

    Values are texts as they stand in the file: "64", "1.5e9", "ok"; None and "" are missing. With `values` None no row
    is written, but the file is made or checked: to know before a long run that its row can be added.

    context: takes the error.

    path: file to write.

    columns: different names without line breaks.

    values: without line breaks.

    Raises InvalidArgumentError, UnknownSymbolError, DataError, ParseError, IoError, NomemError, LimitError,
    CancelledError.
    """
    columns_ = _call.texts(columns, "columns")
    values_ = None if values is None else _call.texts(values, "values", len(columns_))
    with _call.held(context=context):
        _value = _samples_append(
            _call.address(context, ContextHandle, "context"),
            _call.path(path, "path"),
            columns_,
            values_,
            len(columns_),
        )
    _check.status(_value, context)
    _call.raise_pending()


def samples_add(samples: SamplesHandle, values: Any) -> None:
    """Add a row. Tables with columns of text cannot take rows this way.

    samples: table.

    values: one per column; NaN means missing.

    Raises InvalidArgumentError, NomemError, LimitError.
    """
    values_ = _call.doubles(values, "values", samples_column_count(samples))
    _value = _samples_add(_call.address(samples, SamplesHandle, "samples"), values_)
    _check.status(_value, samples)


def samples_filter(samples: SamplesHandle, column: str, value: str) -> SamplesHandle:
    """A new table with the rows whose column `column` reads `value`: as text, or as the same number. "" finds missing
    ones.

    samples: table, only read.

    column: name of a column.

    value: such as "ok" or "16".

    Raises InvalidArgumentError, UnknownSymbolError, NomemError, LimitError, CancelledError.
    """
    filtered_ = ctypes.c_void_p()
    _value = _samples_filter(
        _call.address(samples, SamplesHandle, "samples"),
        _call.text(column, "column"),
        _call.text(value, "value"),
        ctypes.byref(filtered_),
    )
    _check.status(_value, samples)
    return SamplesHandle(filtered_.value, _call.context_of(samples))


def samples_select(samples: SamplesHandle, rows: Any) -> SamplesHandle:
    """A new table with some of the rows, in the given order.

    samples: table, only read.

    rows: `count` row numbers from 0.

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    rows_ = _call.sizes(rows, "rows")
    selected_ = ctypes.c_void_p()
    _value = _samples_select(
        _call.address(samples, SamplesHandle, "samples"),
        rows_,
        len(rows_),
        ctypes.byref(selected_),
    )
    _check.status(_value, samples)
    return SamplesHandle(selected_.value, _call.context_of(samples))


def samples_shuffle(seed: int, count: int) -> Any:
    """A random permutation of the row numbers: the same for the same seed and number of rows, on every machine. The
    first 70 % of it are the training rows of a 70/30 split. The generator is SplitMix64 with `seed` as its state; for i
    = count - 1 down to 1, row i changes places with row (draw modulo i + 1), where draws that would favour small
    numbers, those above the last multiple of i + 1 below 2^64, are drawn again.

    seed: any number.

    count: number of rows.
    """
    rows_ = _call.array_type(ctypes.c_size_t, _call.size(count, "count"))()
    _samples_shuffle(_call.uint64(seed, "seed"), _call.size(count, "count"), rows_)
    return rows_


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
    such column or it holds text. The context's error then is UnknownSymbolError, or DataError with the line of the
    first field that is no number.

    Raises UnknownSymbolError, DataError.
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


def samples_context(samples: SamplesHandle) -> ContextHandle | None:
    """The context a table was made from: where its memory comes from and its errors go.

    samples: table.

    Returns the context, which the table keeps a reference to.
    """
    _value = _samples_context(_call.address(samples, SamplesHandle, "samples"))
    return _call.again(ContextHandle, _value, None)


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
    context: ContextHandle,
    samples: SamplesHandle | None,
    candidates: SamplesHandle | None,
    options: AdviseOptions,
) -> tuple[SamplesHandle, float, int]:
    """Advise what to measure next, one configuration after the other.

    The formula is taken for a sum of powers of the inputs and their products, up to cubes, each with a share of the
    target that is not known. The next measurement is the one that tells most of these shares per cost, given all before
    it (D-optimal). The same arguments give the same advice.

    context: used by the table.

    samples: measured so far, with a column for each input and one for the target. None: nothing yet.

    candidates: configurations to choose from, in place of `domain`: its numeric columns are the inputs.

    options: what to advise.

    Raises InvalidArgumentError, ParseError, UnknownSymbolError, DataError, StructSizeError, NomemError, LimitError,
    CancelledError.
    """
    advised_ = ctypes.c_void_p()
    error_ = ctypes.c_double()
    needed_ = ctypes.c_int64()
    with _call.held(context=context, samples=samples, candidates=candidates):
        _value = _advise(
            _call.address(context, ContextHandle, "context"),
            _call.optional_address(samples, SamplesHandle, "samples"),
            _call.optional_address(candidates, SamplesHandle, "candidates"),
            _call.reference(options, AdviseOptions, "options"),
            ctypes.byref(advised_),
            ctypes.byref(error_),
            ctypes.byref(needed_),
        )
    _check.status(_value, context)
    _call.raise_pending()
    return SamplesHandle(advised_.value, _call.context_of(context)), error_.value, needed_.value


def measure_name(measure: Measure | int | str) -> str | None:
    """Name of a measure, such as "process".

    measure: Measure.

    Returns a static string; None if there is no such measure.
    """
    _value = _measure_name(_call.enum(Measure)(measure, "measure"))
    return _call.optional_decoded(_value)


def measure_default(framework: str | None) -> int:
    """What "default" stands for: the bytes that decide whether a job lives. They are those of the process, on a GPU of
    the device; the textbook, which models no process, has live bytes.

    framework: as in Job; None: its default.

    Returns "process" or "live".
    """
    _value = _measure_default(_call.optional(_call.text)(framework, "framework"))
    return int(_value)


def network_new(context: ContextHandle) -> NetworkHandle:
    """Make an empty network.

    context: the network keeps a reference.

    Raises InvalidArgumentError, NomemError, LimitError.
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

    Raises ShapeError, InvalidArgumentError, StructSizeError, ParseError, MemmodelOverflowError, NomemError, LimitError.
    """
    _value = _network_status(_call.address(network, NetworkHandle, "network"))
    _check.status(_value, network)


def network_recover(network: NetworkHandle) -> None:
    """Forget the first error: the call that failed left the network as it was. For languages with exceptions, which
    tell each error when it happens, so that the next call can do better.

    network: network.
    """
    _network_recover(_call.address(network, NetworkHandle, "network"))


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

    Returns the dimension (negative). 0 on error: InvalidArgumentError, NomemError, LimitError.

    Raises InvalidArgumentError, NomemError, LimitError.
    """
    _value = _network_symbol(_call.address(network, NetworkHandle, "network"), _call.text(name, "name"))
    return _check.dim(_value, network)


def network_expression(network: NetworkHandle, text: str) -> int:
    """A dimension computed from symbols, such as "batch * floor(dim / 16)": numbers, names, + - * / ^, floor(a / b),
    ceil(a / b), max, min. A value that is not whole and positive when symbols are bound is an error of that query.

    network: network.

    text: the expression.

    Returns the dimension. 0 on error: ParseError, MemmodelOverflowError, NomemError, LimitError.

    Raises ParseError, MemmodelOverflowError, NomemError, LimitError.
    """
    _value = _network_expression(_call.address(network, NetworkHandle, "network"), _call.text(text, "text"))
    return _check.dim(_value, network)


def network_dim_text(network: NetworkHandle, dim: int) -> str:
    """A dimension as text, such as "floor(dim / 16)"; network_expression() makes the same dimension of it.

    network: network.

    dim: a dimension of this network.

    Raises InvalidArgumentError, NomemError, LimitError.
    """
    text_ = ctypes.c_void_p()
    _value = _network_dim_text(
        _call.address(network, NetworkHandle, "network"),
        _call.int64(dim, "dim"),
        ctypes.byref(text_),
    )
    _check.status(_value, network)
    return _call.taken(_free, network, text_)


def network_push_scope(network: NetworkHandle, name: str) -> None:
    """Begin a scope: the layers that follow belong to it, and their names begin with its own and a dot. A scope is a
    call of the host language: what is made before it and used in it lives until it ends.

    network: network.

    name: such as "encoder.0".

    Raises InvalidArgumentError, NomemError, LimitError.
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


def network_checkpoint(network: NetworkHandle) -> None:
    """Say that what the innermost scope makes is not kept for the backward pass but computed again there, as by
    torch.utils.checkpoint around its call. Trainings with "pytorch" do so, besides what memmodel_job names; other
    frameworks take no notice.

    network: network.

    Raises InvalidArgumentError.
    """
    _value = _network_checkpoint(_call.address(network, NetworkHandle, "network"))
    _check.status(_value, network)


def network_checkpoint_reentrant(network: NetworkHandle) -> None:
    """The same as by torch.utils.checkpoint with use_reentrant=True: the scope runs without gradients at first, and
    when it is computed again it has a backward pass of its own.

    network: network.

    Raises InvalidArgumentError.
    """
    _value = _network_checkpoint_reentrant(_call.address(network, NetworkHandle, "network"))
    _check.status(_value, network)


def network_release(network: NetworkHandle, tensor: int) -> None:
    """Say that the host language held a tensor by a name until here. Without it a tensor goes after its last use (and
    the end of the scopes it was handed to).

    network: network.

    tensor: tensor.

    Raises InvalidArgumentError.
    """
    _value = _network_release(_call.address(network, NetworkHandle, "network"), _call.int32(tensor, "tensor"))
    _check.status(_value, network)


def network_output(network: NetworkHandle, tensor: int) -> None:
    """Name what the network returns, which its caller holds until the next step. Without it: what no layer uses. The
    caller's name is bound where network_release() was called for it last, else as soon as the model is done.

    network: network.

    tensor: tensor.

    Raises InvalidArgumentError, NomemError, LimitError.
    """
    _value = _network_output(_call.address(network, NetworkHandle, "network"), _call.int32(tensor, "tensor"))
    _check.status(_value, network)


def network_result(network: NetworkHandle, tensor: int, index: int) -> int:
    """A further output of the layer that made `tensor`.

    network: network.

    tensor: the first output, as the builder call returned it.

    index: from 0.

    Returns tensor, or InvalidArgumentError.

    Raises InvalidArgumentError.
    """
    _value = _network_result(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(tensor, "tensor"),
        _call.int32(index, "index"),
    )
    return _check.status(_value, network)


def network_shape(network: NetworkHandle, tensor: int) -> Shape:
    """Shape of a tensor.

    network: network.

    tensor: tensor.

    Raises InvalidArgumentError.
    """
    shape_ = Shape()
    _value = _network_shape(
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


def network_to_json(network: NetworkHandle) -> str:
    """The network as JSON text (doc/formats.md); network_from_json() makes the same network of it.

    network: network.

    Raises UnsupportedError, NomemError, LimitError, CancelledError, ShapeError, InvalidArgumentError, StructSizeError,
    ParseError, MemmodelOverflowError.
    """
    text_ = ctypes.c_void_p()
    _value = _network_to_json(_call.address(network, NetworkHandle, "network"), ctypes.byref(text_))
    _check.status(_value, network)
    return _call.taken(_free, network, text_)


def network_from_json(context: ContextHandle, name: str, text: str) -> NetworkHandle:
    """Read a network. Everything in the text is checked as if it came through the builder calls.

    context: the network keeps a reference.

    name: what to call the text in errors.

    text: `length` characters.

    Raises ParseError, ShapeError, InvalidArgumentError, MemmodelOverflowError, NomemError, LimitError, CancelledError,
    NewerError.
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


def network_save(network: NetworkHandle, path: str | os.PathLike[str]) -> None:
    """Write the network as JSON, atomically.

    network: network.

    path: file to write.

    Raises UnsupportedError, IoError, NomemError, LimitError, CancelledError, ShapeError, InvalidArgumentError,
    StructSizeError, ParseError, MemmodelOverflowError.
    """
    _value = _network_save(_call.address(network, NetworkHandle, "network"), _call.path(path, "path"))
    _check.status(_value, network)


def network_load(context: ContextHandle, path: str | os.PathLike[str]) -> NetworkHandle:
    """Read a network from a file.

    context: the network keeps a reference.

    path: file to read.

    Raises IoError, ParseError, ShapeError, InvalidArgumentError, MemmodelOverflowError, NomemError, LimitError,
    CancelledError, NewerError.
    """
    network_ = ctypes.c_void_p()
    _value = _network_load(
        _call.address(context, ContextHandle, "context"),
        _call.path(path, "path"),
        ctypes.byref(network_),
    )
    _check.status(_value, context)
    return NetworkHandle(network_.value, _call.context_of(context))


def budget_means_name(means: BudgetMeans | int | str) -> str | None:
    """Name of a means, such as "recompute".

    means: BudgetMeans.

    Returns a static string; None if there is no such means.
    """
    _value = _budget_means_name(_call.enum(BudgetMeans)(means, "means"))
    return _call.optional_decoded(_value)


def budget_new(network: NetworkHandle, job: Job | None, bytes: int) -> BudgetHandle:
    """Bring a job within a budget: reuse, another order, recomputation, tiles, a smaller batch, one after the other
    until it is.

    With job->inference the network's forward pass is planned by schedule_new() and tiling_new(); bytes are those of the
    plan and of the weights, and job's framework, optimizer and device do not matter. Else the bytes are those of
    job->measure of the simulated training step; there the order is the program's and tiles cannot be had; with
    "pytorch" what is computed again is found by recomputation_solve(). The last means is the largest batch that is
    within the budget after all others.

    network: built network; a smaller batch can be had if it has a symbol "batch".

    job: how it is run, with a value for every symbol. None: all defaults.

    bytes: the budget, above 0.

    Raises InvalidArgumentError, StructSizeError, UnknownSymbolError, UnboundError, ShapeError, MemmodelOverflowError,
    CallbackError, NomemError, LimitError, CancelledError, UnsupportedError.
    """
    budget_ = ctypes.c_void_p()
    with _call.held(network=network):
        _value = _budget_new(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(job, Job, "job"),
            _call.int64(bytes, "bytes"),
            ctypes.byref(budget_),
        )
    _check.status(_value, _call.owner(job, 'context') or network)
    _call.raise_pending()
    return BudgetHandle(budget_.value, _call.context_of(_call.owner(job, 'context') or network))


def budget_result(budget: BudgetHandle) -> BudgetResult:
    """What it came to.

    budget: budget.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = BudgetResult()
    _value = _budget_result(_call.address(budget, BudgetHandle, "budget"), ctypes.byref(result_))
    _check.status(_value, None)
    return _call.owned(result_, budget)


def budget_step_count(budget: BudgetHandle) -> int:
    """Number of means that were looked at, the job as it is among them.

    budget: budget.

    Returns steps, at least 1.
    """
    _value = _budget_step_count(_call.address(budget, BudgetHandle, "budget"))
    return int(_value)


def budget_step(budget: BudgetHandle, index: int) -> BudgetStep:
    """A means that was looked at.

    budget: budget.

    index: from 0, in the order of BudgetMeans.

    Raises InvalidArgumentError, StructSizeError.
    """
    step_ = BudgetStep()
    _value = _budget_step(
        _call.address(budget, BudgetHandle, "budget"),
        _call.size(index, "index"),
        ctypes.byref(step_),
    )
    _check.status(_value, budget)
    return _call.owned(step_, budget)


def budget_text(budget: BudgetHandle) -> str:
    """All of it as a paragraph in English: what was done, and what each step gave.

    budget: budget.

    Returns the text, owned by the budget.
    """
    _value = _budget_text(_call.address(budget, BudgetHandle, "budget"))
    return _call.decoded(_value)


def budget_ref(budget: BudgetHandle) -> BudgetHandle:
    """Take one more reference.

    Returns `budget`.
    """
    _budget_ref(_call.address(budget, BudgetHandle, "budget"))
    return BudgetHandle(budget.pointer, budget._context)


def budget_unref(budget: BudgetHandle | None) -> None:
    """Drop one reference."""
    if budget is not None:
        _call.instance_of(budget, BudgetHandle, "budget").close()


def network_input(network: NetworkHandle, name: str, dtype: Dtype | int | str, dims: Any) -> int:
    """An input of the network.

    network: network.

    name: of the input.

    dtype: Dtype.

    dims: `rank` dimensions.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    tensor of parameters that of one; NO_TENSOR: in one of its own.

    strides: distance in elements from one element to the next along each dimension.

    Raises InvalidArgumentError, ShapeError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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

    Raises InvalidArgumentError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
    """
    _value = _network_global_pool(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, GlobalPool, "options"),
    )
    return _check.status(_value, network)


def network_batch_norm(network: NetworkHandle, x: int, options: Norm | None) -> int:
    """Batch normalisation. Two parameters and two moving statistics per channel.

    network: network.

    x: input.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
    """
    _value = _network_batch_norm(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, Norm, "options"),
    )
    return _check.status(_value, network)


def network_layer_norm(network: NetworkHandle, x: int, options: Norm | None) -> int:
    """Layer normalisation.

    network: network.

    x: input.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
    """
    _value = _network_layer_norm(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, Norm, "options"),
    )
    return _check.status(_value, network)


def network_group_norm(network: NetworkHandle, x: int, options: Norm) -> int:
    """Group normalisation.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
    """
    _value = _network_group_norm(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Norm, "options"),
    )
    return _check.status(_value, network)


def network_instance_norm(network: NetworkHandle, x: int, options: Norm | None) -> int:
    """Instance normalisation.

    network: network.

    x: input.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
    """
    _value = _network_instance_norm(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, Norm, "options"),
    )
    return _check.status(_value, network)


def network_rms_norm(network: NetworkHandle, x: int, options: Norm | None) -> int:
    """Root-mean-square normalisation.

    network: network.

    x: input.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
    """
    _value = _network_rms_norm(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.optional_reference(options, Norm, "options"),
    )
    return _check.status(_value, network)


def network_activation(network: NetworkHandle, x: int, options: Activation) -> int:
    """Activation.

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    """Split into parts; the others are network_result() 1, 2, ...

    network: network.

    x: input.

    options: not None.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
    """
    _value = _network_slice(
        _call.address(network, NetworkHandle, "network"),
        _call.int32(x, "x"),
        _call.reference(options, Slice, "options"),
    )
    return _check.status(_value, network)


def network_reshape(network: NetworkHandle, x: int, dims: Any) -> int:
    """The same elements in another shape; at most one dimension is INFER.

    network: network.

    x: input.

    dims: `rank` dimensions.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
    """
    axes_ = _call.int32s(axes, "axes")
    _value = _network_permute(_call.address(network, NetworkHandle, "network"), _call.int32(x, "x"), len(axes_), axes_)
    return _check.status(_value, network)


def network_expand(network: NetworkHandle, x: int, dims: Any) -> int:
    """Axes of size 1 repeated, and new axes in front; INFER keeps an axis.

    network: network.

    x: input.

    dims: `rank` dimensions.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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

    mask: added to the scores, broadcast to [batch, heads, length, keys]; NO_TENSOR if none.

    options: None for defaults.

    Returns tensor, or a negative Status: ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError,
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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
    NomemError, LimitError.

    Raises ShapeError, InvalidArgumentError, StructSizeError, MemmodelOverflowError, NomemError, LimitError.
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


def fit(samples: SamplesHandle, options: FitOptions | None) -> ModelHandle:
    """Fit a formula: best subset of terms by weighted non-negative least squares on relative errors; the smallest
    subset whose leave-one-out error lies within one standard error of the best. The constant does not count: where
    least squares puts one above 0 beside the terms it stays, unless the terms alone are exact.

    With "squared", or "general", coefficients have any sign. Terms are chosen one after the other in three nested
    libraries (the inputs; their curves, hinges and levels; products and comparisons of two), for the target and for its
    square root; the sum of all inputs is offered as it is, and the mean. Of the formulas of each size the one becomes
    the model that predicts best with each row left out and with fifths of the rows held out while its terms are found
    again, at a price for every term that grows with its library. Straight lines go on beyond the samples; any other
    formula takes an input outside its range as the nearest one inside, and stays near the measurements
    (model_limits()). The order of the rows does not matter.

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

    With a search other than "terms" formulas of any shape are tried, too: sums of up to four trees of + - * /, squares,
    roots, logarithms, exponentials, sines, cosines, tanh, minimum and maximum, with fitted numbers in them, constant
    and coefficients of any sign. The search is repeated without each fifth of the rows, and what it finds becomes the
    model only if on rows held out it is better than the formula of terms by more than the standard error of the
    difference. Positive terms that add up are held against what is found in the same way.

    Rows with a missing input, target or weight, or a weight of 0, are left out and counted in the log. Repeated rows
    are repeated measurements. Of found inputs, constant ones and repetitions of another are left out, and the log says
    so; of named ones they are errors. Roots are offered for inputs that are nowhere below 0, reciprocals above 0,
    logarithms from 1 on; an input with values below 0 gives x, -x and x^2. Given terms use model_input_symbol() names.

    samples: table, only read.

    options: None for defaults.

    Raises UnknownSymbolError, DataError, ParseError, StructSizeError, InvalidArgumentError, NomemError, LimitError,
    CancelledError.
    """
    model_ = ctypes.c_void_p()
    with _call.held(samples=samples):
        _value = _fit(
            _call.address(samples, SamplesHandle, "samples"),
            _call.optional_reference(options, FitOptions, "options"),
            ctypes.byref(model_),
        )
    _check.status(_value, samples)
    _call.raise_pending()
    samples.keep(id(options), options)
    return ModelHandle(model_.value, _call.context_of(samples))


def model_evaluate(model: ModelHandle, inputs: Any) -> float:
    """The formula at one point. Never allocates, never fails. The same bits on every processor, for all inputs that
    there are: products, sums, quotients and square roots are rounded as IEEE 754 says, logarithms and other powers are
    off by less than one unit of the last place (doc/evaluator.md). Of NaN neither sign nor payload is promised.

    model: model.

    inputs: one number per input, in the order of model_input_name().

    Returns the target, NaN where the formula is undefined, and for None.
    """
    inputs_ = _call.doubles(inputs, "inputs", model_input_count(model))
    _value = _model_evaluate(_call.address(model, ModelHandle, "model"), inputs_)
    return float(_value)


def model_evaluate_many(model: ModelHandle, columns: Any) -> Any:
    """The formula at many points, with the same bits as model_evaluate() on each. Never allocates. Columns may begin at
    any address where a double may; `results` must not overlap them.

    model: model.

    columns: `columns[i]` has input i of each point.
    """
    columns_, columns_count = _call.columns(columns, "columns", model_input_count(model))
    results_ = _call.array_type(ctypes.c_double, columns_count)()
    _model_evaluate_many(_call.address(model, ModelHandle, "model"), columns_, columns_count, results_)
    return results_


def model_evaluate_rows(model: ModelHandle, numbers: Any, pitch: int, count: int) -> Any:
    """The formula at the rows of a table that lies in memory row by row, with the same bits as model_evaluate() on
    each. Never allocates. Input i of point j is numbers[j * pitch + i]; what lies between the rows is not read.

    model: model.

    numbers: the table.

    pitch: from a point to the next, at least model_input_count(model).

    count: number of points.

    Raises InvalidArgumentError.
    """
    numbers_ = _call.doubles(numbers, "numbers")
    results_ = _call.array_type(ctypes.c_double, _call.size(count, "count"))()
    _value = _model_evaluate_rows(
        _call.address(model, ModelHandle, "model"),
        numbers_,
        len(numbers_),
        _call.size(pitch, "pitch"),
        _call.size(count, "count"),
        results_,
    )
    _check.status(_value, None)
    return results_


def model_check_points(model: ModelHandle, columns: Any, context: ContextHandle) -> None:
    """Whether a model predicts at points, and which input has a value that it refuses. Of a model with positive terms,
    an input whose column held whole numbers only takes whole numbers; one above 0, or nowhere below it, takes such
    ones. Models of earlier builds refuse none, nor do those with coefficients of any sign. model_evaluate() has the
    formula's value anywhere.

    model: model.

    columns: `columns[i]` has input i of each point; NaN is not judged.

    context: takes the error: its object is the input's name.

    Raises InvalidArgumentError.
    """
    columns_, columns_count = _call.columns(columns, "columns", model_input_count(model))
    _value = _model_check_points(
        _call.address(model, ModelHandle, "model"),
        columns_,
        columns_count,
        _call.address(context, ContextHandle, "context"),
    )
    _check.status(_value, context)


def model_predict(model: ModelHandle, inputs: Any, level: float) -> Prediction:
    """Prediction with a one-sided upper bound, from leave-one-out residuals and the point's leverage. Never allocates.

    model: model.

    inputs: one number per input.

    level: probability that a new measurement lies below the bound, 0.5 to 0.999.

    Raises InvalidArgumentError, StructSizeError.
    """
    inputs_ = _call.doubles(inputs, "inputs", model_input_count(model))
    prediction_ = Prediction()
    _value = _model_predict(
        _call.address(model, ModelHandle, "model"),
        inputs_,
        _call.double(level, "level"),
        ctypes.byref(prediction_),
    )
    _check.status(_value, None)
    return prediction_


def model_predict_by(model: ModelHandle, inputs: Any, rule: Bound | int | str, level: float) -> Prediction:
    """Prediction with an upper bound by one rule. Never allocates; jackknife+ takes some microseconds.

    model: model.

    inputs: one number per input.

    rule: Bound.

    level: as in model_predict().

    Raises InvalidArgumentError, UnsupportedError, StructSizeError.
    """
    inputs_ = _call.doubles(inputs, "inputs", model_input_count(model))
    prediction_ = Prediction()
    _value = _model_predict_by(
        _call.address(model, ModelHandle, "model"),
        inputs_,
        _call.enum(Bound)(rule, "rule"),
        _call.double(level, "level"),
        ctypes.byref(prediction_),
    )
    _check.status(_value, None)
    return prediction_


def model_predict_many(model: ModelHandle, columns: Any, level: float) -> tuple[Any, Any, Any]:
    """Predictions with their bounds at many points, with the same bits as model_predict() on each.

    model: model.

    columns: `columns[i]` has input i of each point.

    level: as in model_predict().

    Raises InvalidArgumentError.
    """
    columns_, columns_count = _call.columns(columns, "columns", model_input_count(model))
    values_ = _call.array_type(ctypes.c_double, columns_count)()
    upper_ = _call.array_type(ctypes.c_double, columns_count)()
    outside_ = _call.array_type(ctypes.c_int32, columns_count)()
    with _call.held(model=model):
        _value = _model_predict_many(
            _call.address(model, ModelHandle, "model"),
            columns_,
            columns_count,
            _call.double(level, "level"),
            values_,
            upper_,
            outside_,
        )
    _check.status(_value, None)
    _call.raise_pending()
    return values_, upper_, outside_


def model_solve(model: ModelHandle, inputs: Any, input: str, level: float, budget: float) -> int:
    """Largest whole value of one input for which the upper bound stays within a budget, found by bisection from 1 up to
    2^53.

    model: model.

    inputs: values of the inputs; the one solved for is ignored.

    input: name of the input to solve for, such as "batch".

    level: as in model_predict().

    budget: in the target's unit.

    Raises UnknownSymbolError, InvalidArgumentError.
    """
    inputs_ = _call.doubles(inputs, "inputs", model_input_count(model))
    largest_ = ctypes.c_int64()
    _value = _model_solve(
        _call.address(model, ModelHandle, "model"),
        inputs_,
        _call.text(input, "input"),
        _call.double(level, "level"),
        _call.double(budget, "budget"),
        ctypes.byref(largest_),
    )
    _check.status(_value, None)
    return largest_.value


def model_input_count(model: ModelHandle) -> int:
    """Number of inputs.

    model: model.

    Returns inputs.
    """
    _value = _model_input_count(_call.address(model, ModelHandle, "model"))
    return int(_value)


def model_input_name(model: ModelHandle, input: int) -> str | None:
    """Name of an input.

    model: model.

    input: from 0.

    Returns the name, owned by the model; None if there is no such input.
    """
    _value = _model_input_name(_call.address(model, ModelHandle, "model"), _call.size(input, "input"))
    return _call.optional_decoded(_value)


def model_input_symbol(model: ModelHandle, input: int) -> str | None:
    """How an input is called in formulas: its name, made an identifier. `hidden size` is hidden_size there; names that
    mean something else in C or Python, or are taken already, get a number.

    model: model.

    input: from 0.

    Returns the symbol, owned by the model; None if there is no such input.
    """
    _value = _model_input_symbol(_call.address(model, ModelHandle, "model"), _call.size(input, "input"))
    return _call.optional_decoded(_value)


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


def model_domain(model: ModelHandle, input: int) -> tuple[float, float]:
    """Range of an input in the training data.

    model: model.

    input: from 0.

    Raises InvalidArgumentError.
    """
    least_ = ctypes.c_double()
    most_ = ctypes.c_double()
    _value = _model_domain(
        _call.address(model, ModelHandle, "model"),
        _call.size(input, "input"),
        ctypes.byref(least_),
        ctypes.byref(most_),
    )
    _check.status(_value, None)
    return least_.value, most_.value


def model_input_is_whole(model: ModelHandle, input: int) -> int:
    """Whether an input takes whole numbers only, as model_check_points() has it.

    model: model.

    input: from 0.

    Returns 1 if it does; else 0, also for no such input.
    """
    _value = _model_input_is_whole(_call.address(model, ModelHandle, "model"), _call.size(input, "input"))
    return int(_value)


def model_limits(model: ModelHandle) -> tuple[int, float, float]:
    """Least and most that a model predicts. One with limits takes an input outside the domain as the nearest value
    inside; its formula says neither.

    model: model.

    Returns 1 if the model has limits, as those of "general" and "squared" have that are no straight lines; else 0.
    """
    least_ = ctypes.c_double()
    most_ = ctypes.c_double()
    _value = _model_limits(_call.address(model, ModelHandle, "model"), ctypes.byref(least_), ctypes.byref(most_))
    return int(_value), least_.value, most_.value


def model_front_count(model: ModelHandle) -> int:
    """Number of formulas on the front of error and size, by rising size.

    model: model.

    Returns entries; 0 for a model from a file that has none.
    """
    _value = _model_front_count(_call.address(model, ModelHandle, "model"))
    return int(_value)


def model_front_entry(model: ModelHandle, index: int) -> FrontEntry:
    """Size and errors of a formula on the front.

    model: model.

    index: from 0, the smallest.

    Raises InvalidArgumentError, StructSizeError.
    """
    entry_ = FrontEntry()
    _value = _model_front_entry(
        _call.address(model, ModelHandle, "model"),
        _call.size(index, "index"),
        ctypes.byref(entry_),
    )
    _check.status(_value, None)
    return entry_


def model_front_formula(model: ModelHandle, index: int) -> str | None:
    """A formula on the front as text.

    model: model.

    index: from 0, the smallest.

    Returns the formula, owned by the model; None if there is no such entry.
    """
    _value = _model_front_formula(_call.address(model, ModelHandle, "model"), _call.size(index, "index"))
    return _call.optional_decoded(_value)


def model_scores(model: ModelHandle) -> ModelScores:
    """How good the fit is.

    model: model.

    Raises InvalidArgumentError, StructSizeError.
    """
    scores_ = ModelScores()
    _value = _model_scores(_call.address(model, ModelHandle, "model"), ctypes.byref(scores_))
    _check.status(_value, None)
    return scores_


def model_formula(model: ModelHandle, language: Language | int | str, context: ContextHandle) -> str:
    """The formula as text. In C and Python its logarithms and roots are the language's own, which may differ from the
    library's in the last bits; model_export() gives files with the same bits.

    model: model.

    language: Language.

    context: takes the memory of `text` and the error.

    Raises InvalidArgumentError, NomemError, LimitError.
    """
    text_ = ctypes.c_void_p()
    _value = _model_formula(
        _call.address(model, ModelHandle, "model"),
        _call.enum(Language)(language, "language"),
        _call.address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context)
    return _call.taken(_free, context, text_)


def model_export(model: ModelHandle, format: ExportFormat | int | str, context: ContextHandle) -> str:
    """The model as a file of another language; model_to_json() gives one that the library reads. Functions in C and
    Python are called predict_ and the target's letters and digits, and take the inputs in their order, by
    model_input_symbol().

    model: model.

    format: ExportFormat.

    context: takes the memory of `text` and the error.

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _model_export(
        _call.address(model, ModelHandle, "model"),
        _call.enum(ExportFormat)(format, "format"),
        _call.address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context)
    return _call.taken(_free, context, text_)


def model_save(model: ModelHandle, path: str | os.PathLike[str]) -> None:
    """Write the model as JSON (doc/formats.md), atomically.

    model: model.

    path: file to write.

    Raises InvalidArgumentError, IoError, NomemError, LimitError, CancelledError.
    """
    _value = _model_save(_call.address(model, ModelHandle, "model"), _call.path(path, "path"))
    _check.status(_value, model)


def model_to_json(model: ModelHandle) -> str:
    """The model as JSON text.

    model: model.

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _model_to_json(_call.address(model, ModelHandle, "model"), ctypes.byref(text_))
    _check.status(_value, model)
    return _call.taken(_free, model, text_)


def model_load(context: ContextHandle, path: str | os.PathLike[str]) -> ModelHandle:
    """Read a model that model_save() wrote. Everything in the file is checked.

    context: the model keeps a reference.

    path: file to read.

    Raises InvalidArgumentError, IoError, ParseError, NewerError, NomemError, LimitError, CancelledError.
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

    Raises InvalidArgumentError, ParseError, NewerError, NomemError, LimitError, CancelledError.
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

    Raises InvalidArgumentError, UnsupportedError, NomemError, LimitError.
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


def monitor_new(context: ContextHandle, pid: int, options: MonitorOptions | None) -> MonitorHandle:
    """Start to watch a process. Nothing is read before the first monitor_read().

    context: the monitor keeps a reference.

    pid: process to watch, with its descendants.

    options: None for the defaults.

    Raises ProcessError, UnsupportedError, InvalidArgumentError, StructSizeError, NomemError, LimitError.
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
    """Take one reading now, and add it to the summary and the curve. After the process has ended it says so again.

    monitor: monitor.

    Raises InvalidArgumentError, StructSizeError, NomemError, LimitError.
    """
    reading_ = MonitorReading()
    _value = _monitor_read(_call.address(monitor, MonitorHandle, "monitor"), ctypes.byref(reading_))
    _check.status(_value, monitor)
    return reading_


def monitor_run(monitor: MonitorHandle, observer: Callable[..., Any] | None) -> None:
    """Take readings at the chosen interval until the process ends, `observer` says so, or monitor_stop() is called. The
    end of the process is seen at once, not at the next interval. A reading that is late is not made up for.

    monitor: monitor.

    observer: None for none.

    Raises InvalidArgumentError, NomemError, LimitError.
    """
    with _call.held(monitor=monitor):
        _value = _monitor_run(
            _call.address(monitor, MonitorHandle, "monitor"),
            _as_monitor_observer(observer, "observer"),
            None,
        )
    _check.status(_value, monitor)
    _call.raise_pending()


def monitor_stop(monitor: MonitorHandle) -> None:
    """Make monitor_run() return after its next reading.

    monitor: monitor.
    """
    _monitor_stop(_call.address(monitor, MonitorHandle, "monitor"))


def monitor_summarize(monitor: MonitorHandle) -> MonitorSummary:
    """The peaks so far.

    monitor: monitor.

    Raises InvalidArgumentError, StructSizeError.
    """
    summary_ = MonitorSummary()
    _value = _monitor_summarize(_call.address(monitor, MonitorHandle, "monitor"), ctypes.byref(summary_))
    _check.status(_value, monitor)
    return summary_


def monitor_curve(monitor: MonitorHandle) -> Any:
    """The curve so far: a point for each reading, and before it, half-way since the reading before, one for a `high`
    above both; shared pages counted once, as far as was known then. When the curve has reached its limit, each two
    neighbours become the larger of them, and so on from there: the curve never loses its top, and memory stays bounded.

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
    MemmodelOverflowError, NomemError, LimitError, CancelledError.
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
    MemmodelOverflowError, NomemError, LimitError, CancelledError.
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


def category_name(category: Category | int | str) -> str | None:
    """Name of a category, such as "saved activations".

    category: Category.

    Returns a static string; None if there is no such category.
    """
    _value = _category_name(_call.enum(Category)(category, "category"))
    return _call.optional_decoded(_value)


def trace_event_count(trace: TraceHandle) -> int:
    """Number of events.

    trace: trace.

    Returns events.
    """
    _value = _trace_event_count(_call.address(trace, TraceHandle, "trace"))
    return int(_value)


def trace_event(trace: TraceHandle, index: int) -> Event:
    """One event.

    trace: trace.

    index: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    event_ = Event()
    _value = _trace_event(_call.address(trace, TraceHandle, "trace"), _call.size(index, "index"), ctypes.byref(event_))
    _check.status(_value, None)
    return _call.owned(event_, trace)


def trace_read(context: ContextHandle, path: str | os.PathLike[str]) -> TraceHandle:
    """Read a trace that was recorded from a real run, as JSON (doc/formats.md, "Trace").

    context: the trace keeps a reference.

    path: file to read.

    Raises IoError, ParseError, NewerError, MemmodelOverflowError, NomemError, LimitError, CancelledError,
    InvalidArgumentError.
    """
    trace_ = ctypes.c_void_p()
    _value = _trace_read(
        _call.address(context, ContextHandle, "context"),
        _call.path(path, "path"),
        ctypes.byref(trace_),
    )
    _check.status(_value, context)
    return TraceHandle(trace_.value, _call.context_of(context))


def trace_to_perfetto(trace: TraceHandle, context: ContextHandle) -> str:
    """The trace as JSON for https://ui.perfetto.dev and chrome://tracing (doc/formats.md, "Perfetto"): counters of live
    bytes, in all and by category, and slices of steps, phases and layers. A microsecond of its clock is one event.

    trace: trace.

    context: takes the memory of `text` and the error.

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _trace_to_perfetto(
        _call.address(trace, TraceHandle, "trace"),
        _call.address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context)
    return _call.taken(_free, context, text_)


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


def plan_status_name(status: PlanStatus | int | str) -> str | None:
    """Name of a status, such as "optimal".

    status: PlanStatus.

    Returns a static string; None if there is no such status.
    """
    _value = _plan_status_name(_call.enum(PlanStatus)(status, "status"))
    return _call.optional_decoded(_value)


def plan_new(context: ContextHandle) -> PlanHandle:
    """Make a plan without buffers.

    context: the plan keeps a reference.

    Raises InvalidArgumentError, NomemError, LimitError.
    """
    plan_ = ctypes.c_void_p()
    _value = _plan_new(_call.address(context, ContextHandle, "context"), ctypes.byref(plan_))
    _check.status(_value, context)
    return PlanHandle(plan_.value, _call.context_of(context))


def plan_read(context: ContextHandle, path: str | os.PathLike[str]) -> PlanHandle:
    """Read buffers from CSV with the columns id, lower, upper and size, and, if wanted, alignment, offset (fixed
    there), gaps (such as "7-9 12-16") and shares (the id of another buffer whose memory this one uses, and "+BYTES"
    into it): doc/formats.md, "Buffers".

    context: the plan keeps a reference.

    path: file to read.

    Raises IoError, ParseError, MemmodelOverflowError, InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    plan_ = ctypes.c_void_p()
    _value = _plan_read(_call.address(context, ContextHandle, "context"), _call.path(path, "path"), ctypes.byref(plan_))
    _check.status(_value, context)
    return PlanHandle(plan_.value, _call.context_of(context))


def plan_parse(context: ContextHandle, name: str, text: str) -> PlanHandle:
    """As plan_read(), from memory.

    context: the plan keeps a reference.

    name: what to call the text in errors.

    text: `length` characters.

    Raises ParseError, MemmodelOverflowError, InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    text_ = _call.text(text, "text")
    plan_ = ctypes.c_void_p()
    _value = _plan_parse(
        _call.address(context, ContextHandle, "context"),
        _call.text(name, "name"),
        text_,
        len(text_),
        ctypes.byref(plan_),
    )
    _check.status(_value, context)
    return PlanHandle(plan_.value, _call.context_of(context))


def plan_from_trace(trace: TraceHandle) -> PlanHandle:
    """The blocks of a trace as buffers, named after what they are; moments are the trace's events. What is never
    released lives to the end.

    trace: trace, predicted or recorded.

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    plan_ = ctypes.c_void_p()
    _value = _plan_from_trace(_call.address(trace, TraceHandle, "trace"), ctypes.byref(plan_))
    _check.status(_value, trace)
    return PlanHandle(plan_.value, _call.context_of(trace))


def plan_add(plan: PlanHandle, buffer: PlanBuffer) -> None:
    """Add a buffer; its number is the count of buffers before.

    plan: plan.

    buffer: copied.

    Raises InvalidArgumentError, MemmodelOverflowError, StructSizeError, NomemError, LimitError.
    """
    _value = _plan_add(_call.address(plan, PlanHandle, "plan"), _call.reference(buffer, PlanBuffer, "buffer"))
    _check.status(_value, plan)


def plan_gap(plan: PlanHandle, buffer: int, begin: int, end: int) -> None:
    """Leave a buffer's memory to others for a part of its life: it need not keep what was in it.

    plan: plan.

    buffer: its number.

    begin: first moment of the gap, after the buffer's own.

    end: first moment after it, before the buffer's own end, and past every gap that was added before.

    Raises InvalidArgumentError, NomemError, LimitError.
    """
    _value = _plan_gap(
        _call.address(plan, PlanHandle, "plan"),
        _call.size(buffer, "buffer"),
        _call.int64(begin, "begin"),
        _call.int64(end, "end"),
    )
    _check.status(_value, plan)


def plan_share(plan: PlanHandle, buffer: int, base: int, displacement: int) -> None:
    """Let a buffer use the memory of another: a view, an operator in place, a part of what is concatenated. Both are
    then placed as one, which is in use from the first's begin to the last's end, but for moments at which one has a gap
    and the other does not need it. `base` lies at the greatest alignment of those in it.

    plan: plan.

    buffer: its number; it may share only one.

    base: number of the other, which may itself share a third.

    displacement: how far into `base` it begins, 0 or more.

    Raises InvalidArgumentError, MemmodelOverflowError.
    """
    _value = _plan_share(
        _call.address(plan, PlanHandle, "plan"),
        _call.size(buffer, "buffer"),
        _call.size(base, "base"),
        _call.int64(displacement, "displacement"),
    )
    _check.status(_value, plan)


def plan_solve(plan: PlanHandle, options: PlanOptions | None) -> None:
    """Place all buffers. The plan is checked by a sweep over time that shares nothing with the search before it is
    kept.

    Used up budgets, cancellation and infeasible capacities are no errors: plan_result() tells, and the best plan is
    kept.

    plan: plan with at least one buffer.

    options: None: all defaults.

    Raises InvalidArgumentError, MemmodelOverflowError, StructSizeError, NomemError, LimitError, CancelledError.
    """
    with _call.held(plan=plan):
        _value = _plan_solve(
            _call.address(plan, PlanHandle, "plan"),
            _call.optional_reference(options, PlanOptions, "options"),
        )
    _check.status(_value, plan)
    _call.raise_pending()
    plan.keep(id(options), options)


def plan_buffer_count(plan: PlanHandle) -> int:
    """Number of buffers.

    plan: plan.

    Returns buffers.
    """
    _value = _plan_buffer_count(_call.address(plan, PlanHandle, "plan"))
    return int(_value)


def plan_place(plan: PlanHandle, index: int) -> PlanPlace:
    """A buffer and where it lies.

    plan: plan.

    index: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    place_ = PlanPlace()
    _value = _plan_place(_call.address(plan, PlanHandle, "plan"), _call.size(index, "index"), ctypes.byref(place_))
    _check.status(_value, plan)
    return _call.owned(place_, plan)


def plan_result(plan: PlanHandle) -> PlanResult:
    """What the plan came to.

    plan: plan.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = PlanResult()
    _value = _plan_result(_call.address(plan, PlanHandle, "plan"), ctypes.byref(result_))
    _check.status(_value, plan)
    return result_


def plan_write(plan: PlanHandle, path: str | os.PathLike[str]) -> None:
    """Write a solved plan as CSV, atomically: what was read, with the column offset; or the buffers' columns.

    plan: solved.

    path: file to write.

    Raises InvalidArgumentError, IoError, NomemError, LimitError, CancelledError.
    """
    with _call.held(plan=plan):
        _value = _plan_write(_call.address(plan, PlanHandle, "plan"), _call.path(path, "path"))
    _check.status(_value, plan)
    _call.raise_pending()


def plan_to_svg(plan: PlanHandle) -> str:
    """A picture of a solved plan: time across, offsets up, a rectangle for each buffer.

    plan: solved.

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    svg_ = ctypes.c_void_p()
    _value = _plan_to_svg(_call.address(plan, PlanHandle, "plan"), ctypes.byref(svg_))
    _check.status(_value, plan)
    return _call.taken(_free, plan, svg_)


def plan_to_c(plan: PlanHandle, name: str) -> str:
    """A solved plan as a table in C for include/memmodel_arena.h, with which a runtime places its tensors: the
    constants `name`, `name`_buffers, `name`_lives and `name`_count, and an enumerator NAME_BUFFER for each buffer whose
    name, in capitals and with "_" for what C does not know, is nobody else's.

    plan: solved.

    name: what to call the table: letters, digits and "_".

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    code_ = ctypes.c_void_p()
    _value = _plan_to_c(_call.address(plan, PlanHandle, "plan"), _call.text(name, "name"), ctypes.byref(code_))
    _check.status(_value, plan)
    return _call.taken(_free, plan, code_)


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


def chain_new(context: ContextHandle, output: int) -> ChainHandle:
    """Make a chain without blocks.

    context: the chain keeps a reference.

    output: bytes of what the last block makes, and of the gradient that waits there from the beginning; next to nothing
    where the last block is the loss.

    Raises InvalidArgumentError, NomemError, LimitError.
    """
    chain_ = ctypes.c_void_p()
    _value = _chain_new(
        _call.address(context, ContextHandle, "context"),
        _call.int64(output, "output"),
        ctypes.byref(chain_),
    )
    _check.status(_value, context)
    return ChainHandle(chain_.value, _call.context_of(context))


def chain_add(chain: ChainHandle, block: ChainBlock) -> None:
    """Add a block at the end of a chain; its number is the count of blocks before.

    chain: chain.

    block: copied.

    Raises InvalidArgumentError, MemmodelOverflowError, StructSizeError, NomemError, LimitError.
    """
    _value = _chain_add(_call.address(chain, ChainHandle, "chain"), _call.reference(block, ChainBlock, "block"))
    _check.status(_value, chain)


def chain_solve(chain: ChainHandle, budget: int, slots: int) -> None:
    """Find the schedule of least cost whose peak is within a budget.

    It is the cheapest of those that keep each checkpoint until the backward pass needs it, where every size is rounded
    up to slots of `budget / slots` bytes: never above the budget, and exact where that is 1 byte. Found by the dynamic
    programming of Beaumont, Eyraud-Dubois, Herrmann, Joly and Shilova (hal-02352969), and run step by step before it is
    kept. Where no schedule fits in whole slots but one fits in bytes, that of the least peak is given.

    chain: chain with at least one block.

    budget: that everything has to fit in: inputs, what is kept, gradients.

    slots: 1 to 100000; 0: 500.

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    with _call.held(chain=chain):
        _value = _chain_solve(
            _call.address(chain, ChainHandle, "chain"),
            _call.int64(budget, "budget"),
            _call.int64(slots, "slots"),
        )
    _check.status(_value, chain)
    _call.raise_pending()


def chain_result(chain: ChainHandle) -> ChainResult:
    """What the chain came to.

    chain: chain.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = ChainResult()
    _value = _chain_result(_call.address(chain, ChainHandle, "chain"), ctypes.byref(result_))
    _check.status(_value, chain)
    return result_


def chain_step_count(chain: ChainHandle) -> int:
    """Number of steps of the schedule.

    chain: chain.

    Returns steps; 0 if the chain is not solved.
    """
    _value = _chain_step_count(_call.address(chain, ChainHandle, "chain"))
    return int(_value)


def chain_step(chain: ChainHandle, index: int) -> ChainStep:
    """A step of the schedule.

    chain: chain.

    index: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    step_ = ChainStep()
    _value = _chain_step(_call.address(chain, ChainHandle, "chain"), _call.size(index, "index"), ctypes.byref(step_))
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


def recomputation_new(network: NetworkHandle) -> RecomputationHandle:
    """Make a search.

    network: built network; the search keeps a reference and its context.

    Raises InvalidArgumentError, NomemError, LimitError, ShapeError, StructSizeError, ParseError, MemmodelOverflowError.
    """
    recomputation_ = ctypes.c_void_p()
    _value = _recomputation_new(_call.address(network, NetworkHandle, "network"), ctypes.byref(recomputation_))
    _check.status(_value, network)
    return RecomputationHandle(recomputation_.value, _call.context_of(network))


def recomputation_cost(recomputation: RecomputationHandle, name: str, cost: float) -> None:
    """Say what a part of the forward pass costs, such as seconds that were measured. Once a cost is given, parts
    without one cost nothing; the last that is given for a layer counts.

    Without any, a layer costs its multiplications with addition, and one for each element that it makes. A step costs
    three forward passes, for its backward pass computes two gradients; what is computed again comes on top. PyTorch
    ends a recomputation with the last tensor that is needed: the layers behind it cost nothing.

    recomputation: search.

    name: a layer, or a scope, whose cost its layers share as they do operations.

    cost: of running it forward once, in any unit, 0 or more.

    Raises InvalidArgumentError, NomemError, LimitError.
    """
    _value = _recomputation_cost(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        _call.text(name, "name"),
        _call.double(cost, "cost"),
    )
    _check.status(_value, recomputation)


def recomputation_observe(recomputation: RecomputationHandle, observer: Callable[..., Any] | None) -> None:
    """Be told of the searches that follow.

    recomputation: search.

    observer: None for none.

    Raises InvalidArgumentError.
    """
    observer_ = _as_recomputation_observer(observer, "observer")
    _call.instance_of(recomputation, RecomputationHandle, "recomputation").keep("recomputation_observe", observer_)
    _value = _recomputation_observe(_call.address(recomputation, RecomputationHandle, "recomputation"), observer_, None)
    _check.status(_value, recomputation)
    _call.raise_pending()


def recomputation_solve(recomputation: RecomputationHandle, job: Job | None, budget: int, simulations: int) -> None:
    """Find which scopes, or groups of several that follow one another, to wrap so that the job's peak is within a
    budget and the time that is added is least; and the curve between peak and time. Every point of it is simulated in
    full.

    Sets to begin with come from knapsacks of what each scope keeps less and costs; a local search then adds, leaves out
    and exchanges scopes, at all levels. The same network, job and number of simulations give the same answer on every
    machine. A budget that nothing is within is no error: the point of the least peak is advised then.

    recomputation: search.

    job: a training with "pytorch"; what its `checkpoint` names is left out. None for defaults; every symbol of the
    network needs a value.

    budget: of job->measure, to be within; 0: as little as was found.

    simulations: most simulations, 2 to 1000000; 0: 2000.

    Raises InvalidArgumentError, UnsupportedError, UnboundError, UnknownSymbolError, ShapeError, MemmodelOverflowError,
    CallbackError, StructSizeError, NomemError, LimitError, CancelledError.
    """
    with _call.held(recomputation=recomputation):
        _value = _recomputation_solve(
            _call.address(recomputation, RecomputationHandle, "recomputation"),
            _call.optional_reference(job, Job, "job"),
            _call.int64(budget, "budget"),
            _call.int64(simulations, "simulations"),
        )
    _check.status(_value, _call.owner(job, 'context') or recomputation)
    _call.raise_pending()


def recomputation_result(recomputation: RecomputationHandle) -> RecomputationResult:
    """What the search came to.

    recomputation: search.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = RecomputationResult()
    _value = _recomputation_result(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        ctypes.byref(result_),
    )
    _check.status(_value, recomputation)
    return result_


def recomputation_point_count(recomputation: RecomputationHandle) -> int:
    """Number of points of the curve.

    recomputation: search.

    Returns points; 0 if nothing was searched for.
    """
    _value = _recomputation_point_count(_call.address(recomputation, RecomputationHandle, "recomputation"))
    return int(_value)


def recomputation_point(recomputation: RecomputationHandle, index: int) -> RecomputationPoint:
    """A point of the curve.

    recomputation: search.

    index: from 0, which wraps nothing; each takes more time and less memory than those before.

    Raises InvalidArgumentError, StructSizeError.
    """
    point_ = RecomputationPoint()
    _value = _recomputation_point(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        _call.size(index, "index"),
        ctypes.byref(point_),
    )
    _check.status(_value, recomputation)
    return _call.owned(point_, recomputation)


def recomputation_scope(recomputation: RecomputationHandle, point: int, index: int) -> str | None:
    """Name of a scope that a point wraps, in the order of the forward pass; of a group of several that one call of
    checkpoint() runs, the first and the last: "h.0..3".

    recomputation: search.

    point: number of the point.

    index: from 0.

    Returns the name, owned by the search; None if there is none of that index.
    """
    _value = _recomputation_scope(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        _call.size(point, "point"),
        _call.size(index, "index"),
    )
    return _call.optional_decoded(_value)


def recomputation_module(recomputation: RecomputationHandle, point: int, scope: int, index: int) -> str | None:
    """Name of a module that a call of checkpoint() runs: the scope itself, or each of a group in the order of their
    calls.

    recomputation: search.

    point: number of the point.

    scope: as recomputation_scope() counts.

    index: from 0.

    Returns the name, owned by the search; None if there is none of that index.
    """
    _value = _recomputation_module(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        _call.size(point, "point"),
        _call.size(scope, "scope"),
        _call.size(index, "index"),
    )
    return _call.optional_decoded(_value)


def recomputation_to_json(recomputation: RecomputationHandle) -> str:
    """The advice and the curve as JSON text (doc/formats.md).

    recomputation: search.

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _recomputation_to_json(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        ctypes.byref(text_),
    )
    _check.status(_value, recomputation)
    return _call.taken(_free, recomputation, text_)


def recomputation_to_svg(recomputation: RecomputationHandle) -> str:
    """The curve as a picture: time that is added across, peak up.

    recomputation: search.

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    svg_ = ctypes.c_void_p()
    _value = _recomputation_to_svg(
        _call.address(recomputation, RecomputationHandle, "recomputation"),
        ctypes.byref(svg_),
    )
    _check.status(_value, recomputation)
    return _call.taken(_free, recomputation, svg_)


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


def replay_new(trace: TraceHandle, options: ReplayOptions | None) -> ReplayHandle:
    """Run a trace through an allocator.

    An allocation that the device has no room for ends the replay; that is no error, the summary tells it.

    trace: kept by the replay.

    options: None: all defaults.

    Raises InvalidArgumentError, StructSizeError, UnsupportedError, ParseError, NomemError, LimitError, CancelledError.
    """
    replay_ = ctypes.c_void_p()
    with _call.held(trace=trace):
        _value = _replay_new(
            _call.address(trace, TraceHandle, "trace"),
            _call.optional_reference(options, ReplayOptions, "options"),
            ctypes.byref(replay_),
        )
    _check.status(_value, trace)
    _call.raise_pending()
    return ReplayHandle(replay_.value, _call.context_of(trace))


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


def replay_summary(replay: ReplayHandle) -> ReplaySummary:
    """What a replay came to.

    replay: replay.

    Raises InvalidArgumentError, StructSizeError.
    """
    summary_ = ReplaySummary()
    _value = _replay_summary(_call.address(replay, ReplayHandle, "replay"), ctypes.byref(summary_))
    _check.status(_value, None)
    return summary_


def replay_moment(replay: ReplayHandle, event: int) -> ReplayMoment:
    """The bytes right after an event.

    replay: replay.

    event: from 0, below the events replayed.

    Raises InvalidArgumentError, StructSizeError.
    """
    moment_ = ReplayMoment()
    _value = _replay_moment(
        _call.address(replay, ReplayHandle, "replay"),
        _call.size(event, "event"),
        ctypes.byref(moment_),
    )
    _check.status(_value, None)
    return moment_


def replay_block_count(replay: ReplayHandle) -> int:
    """Number of blocks that the allocator's segments are made of at the end; 0 for allocators without segments.

    replay: replay.

    Returns blocks.
    """
    _value = _replay_block_count(_call.address(replay, ReplayHandle, "replay"))
    return int(_value)


def replay_block(replay: ReplayHandle, index: int) -> ReplayBlock:
    """One block of the segments at the end, in the order of addresses.

    replay: replay.

    index: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    block_ = ReplayBlock()
    _value = _replay_block(
        _call.address(replay, ReplayHandle, "replay"),
        _call.size(index, "index"),
        ctypes.byref(block_),
    )
    _check.status(_value, None)
    return block_


def replay_write(replay: ReplayHandle, path: str | os.PathLike[str]) -> None:
    """Write a replay as PyTorch's memory snapshot, a pickle that https://pytorch.org/memory_viz opens and trace_read()
    reads: each allocation with its layer as a stack frame, and the segments at the end.

    replay: of an allocator with segments.

    path: file, replaced when it exists.

    Raises InvalidArgumentError, UnsupportedError, IoError, NomemError, LimitError, CancelledError.
    """
    with _call.held(replay=replay):
        _value = _replay_write(_call.address(replay, ReplayHandle, "replay"), _call.path(path, "path"))
    _check.status(_value, replay)
    _call.raise_pending()


def estimate(network: NetworkHandle, job: Job | None) -> ReportHandle:
    """Estimate the memory of a job.

    network: built network, only read.

    job: None for defaults; every symbol of the network needs a value.

    Raises UnboundError, UnknownSymbolError, ShapeError, MemmodelOverflowError, UnsupportedError, CallbackError,
    StructSizeError, InvalidArgumentError, NomemError, LimitError, CancelledError, ParseError.
    """
    report_ = ctypes.c_void_p()
    with _call.held(network=network):
        _value = _estimate(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(job, Job, "job"),
            ctypes.byref(report_),
        )
    _check.status(_value, _call.owner(job, 'context') or network)
    _call.raise_pending()
    return ReportHandle(report_.value, _call.context_of(_call.owner(job, 'context') or network))


def report_what_if(network: NetworkHandle, job: Job | None) -> ReportHandle:
    """Estimate a job, and the same job with each of the changes that a user might make to save memory: half the batch,
    also with the gradients of two batches added up; repeated blocks of layers computed again in the backward pass;
    bfloat16; gradients released after a step; optimizers with less state; inference. Each is estimated in full. Changes
    that the network or the framework does not allow, or that change nothing in this job, are left out.

    The batch is the symbol "batch" or, without one of that name, the first dimension of the first input if that is a
    symbol.

    network: built network, only read.

    job: None for defaults; every symbol of the network needs a value.

    Raises UnboundError, UnknownSymbolError, ShapeError, MemmodelOverflowError, UnsupportedError, CallbackError,
    StructSizeError, InvalidArgumentError, NomemError, LimitError, CancelledError, ParseError.
    """
    report_ = ctypes.c_void_p()
    with _call.held(network=network):
        _value = _report_what_if(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(job, Job, "job"),
            ctypes.byref(report_),
        )
    _check.status(_value, _call.owner(job, 'context') or network)
    _call.raise_pending()
    return ReportHandle(report_.value, _call.context_of(_call.owner(job, 'context') or network))


def report_change_count(report: ReportHandle) -> int:
    """Number of changes that were estimated: 0 for reports of estimate().

    report: report.

    Returns changes.
    """
    _value = _report_change_count(_call.address(report, ReportHandle, "report"))
    return int(_value)


def report_change(report: ReportHandle, index: int) -> Change:
    """A change and what it comes to.

    report: report.

    index: from 0; what saves most comes first.

    Raises InvalidArgumentError, StructSizeError.
    """
    change_ = Change()
    _value = _report_change(
        _call.address(report, ReportHandle, "report"),
        _call.size(index, "index"),
        ctypes.byref(change_),
    )
    _check.status(_value, None)
    return _call.owned(change_, report)


def report_measure(report: ReportHandle) -> int:
    """Which bytes savings of its changes are counted in, and a budget of its job limits.

    report: report.

    Returns Measure, never "default"; InvalidArgumentError for None.

    Raises InvalidArgumentError.
    """
    _value = _report_measure(_call.address(report, ReportHandle, "report"))
    return _check.status(_value, None)


def solve(network: NetworkHandle, job: Job | None, symbol: str, budget: int) -> int:
    """Largest value of a symbol for which a job stays within a budget.

    Found by doubling and bisection on the estimated peak. A value for which the shapes do not fit together (such as a
    size that is no multiple of 16) is passed over: the answer is the largest value that both fits and can be built.
    Where pools grow in jumps, in reserved and process bytes of tensorflow and onnxruntime, a peak may be lower again at
    a larger value: there the answer fits and the next value does not, but one beyond may.

    network: network with at least one symbol.

    job: how it is run, None for defaults; its value for `symbol`, if any, is ignored.

    symbol: name of the dimension to solve for, such as "batch".

    budget: bytes the job may take, of job->measure.

    Raises UnknownSymbolError, InvalidArgumentError, UnboundError, ShapeError, MemmodelOverflowError, UnsupportedError,
    CallbackError, StructSizeError, NomemError, LimitError, CancelledError, ParseError.
    """
    largest_ = ctypes.c_int64()
    with _call.held(network=network):
        _value = _solve(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(job, Job, "job"),
            _call.text(symbol, "symbol"),
            _call.int64(budget, "budget"),
            ctypes.byref(largest_),
        )
    _check.status(_value, _call.owner(job, 'context') or network)
    _call.raise_pending()
    return largest_.value


def scan(network: NetworkHandle, job: Job | None, symbol: str, values: Any) -> Any:
    """What a job needs for each of some values of a symbol, such as 1,000 batch sizes: estimate() without its tables,
    so many times faster.

    network: network with at least one symbol.

    job: how it is run, None for defaults; its value for `symbol`, if any, is ignored.

    symbol: name of the dimension that varies, such as "batch".

    values: positive, in any order.

    Raises UnknownSymbolError, InvalidArgumentError, UnboundError, ShapeError, MemmodelOverflowError, UnsupportedError,
    CallbackError, StructSizeError, NomemError, LimitError, CancelledError, ParseError.
    """
    values_ = _call.int64s(values, "values")
    bytes_ = _call.array_type(ctypes.c_int64, len(values_))()
    with _call.held(network=network):
        _value = _scan(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(job, Job, "job"),
            _call.text(symbol, "symbol"),
            values_,
            len(values_),
            bytes_,
        )
    _check.status(_value, _call.owner(job, 'context') or network)
    _call.raise_pending()
    return bytes_


def report_peak(report: ReportHandle) -> Peak:
    """Peak over all steps.

    report: report.

    Raises InvalidArgumentError, StructSizeError.
    """
    peak_ = Peak()
    _value = _report_peak(_call.address(report, ReportHandle, "report"), ctypes.byref(peak_))
    _check.status(_value, None)
    return peak_


def report_step_count(report: ReportHandle) -> int:
    """Number of steps that were simulated; 1 for the textbook.

    report: report.

    Returns steps.
    """
    _value = _report_step_count(_call.address(report, ReportHandle, "report"))
    return int(_value)


def report_step_peak(report: ReportHandle, step: int) -> int:
    """Live bytes at the peak of one step.

    report: report.

    step: from 1.

    Returns bytes, or InvalidArgumentError.

    Raises InvalidArgumentError.
    """
    _value = _report_step_peak(_call.address(report, ReportHandle, "report"), _call.int32(step, "step"))
    return _check.status(_value, None)


def report_category(report: ReportHandle, category: Category | int | str) -> int:
    """Bytes of one category at the moment of the peak.

    report: report.

    category: Category.

    Returns bytes, or InvalidArgumentError.

    Raises InvalidArgumentError.
    """
    _value = _report_category(_call.address(report, ReportHandle, "report"), _call.enum(Category)(category, "category"))
    return _check.status(_value, None)


def report_layer_count(report: ReportHandle) -> int:
    """Number of rows of the per-layer table. An activation fused with its layer has no row of its own.

    report: report.

    Returns rows.
    """
    _value = _report_layer_count(_call.address(report, ReportHandle, "report"))
    return int(_value)


def report_layer(report: ReportHandle, index: int) -> ReportLayer:
    """A row of the per-layer table.

    report: report.

    index: from 0, in the order of the forward pass.

    Raises InvalidArgumentError, StructSizeError.
    """
    layer_ = ReportLayer()
    _value = _report_layer(
        _call.address(report, ReportHandle, "report"),
        _call.size(index, "index"),
        ctypes.byref(layer_),
    )
    _check.status(_value, None)
    return _call.owned(layer_, report)


def report_total(report: ReportHandle) -> ReportLayer:
    """Sums over all layers, in a row of their own: activations, parameters, multiply-adds and bytes. Its name is
    "total".

    report: report.

    Raises InvalidArgumentError, StructSizeError.
    """
    total_ = ReportLayer()
    _value = _report_total(_call.address(report, ReportHandle, "report"), ctypes.byref(total_))
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
    rule ("slots" if the framework is another), and holds where report_assumptions() does.

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


def report_assumptions(report: ReportHandle) -> str:
    """What the formulas take for granted, such as "dim is a multiple of 16"; "" if nothing.

    report: report.

    Returns the text, owned by the report.
    """
    _value = _report_assumptions(_call.address(report, ReportHandle, "report"))
    return _call.decoded(_value)


def report_unmodelled(report: ReportHandle, index: int) -> tuple[str | None, int]:
    """Operators that the framework's rules do not know and that were estimated by their outputs alone.

    report: report.

    index: from 0.

    Returns the operator's name, owned by the report; None if there is none of that index.
    """
    bytes_ = ctypes.c_int64()
    _value = _report_unmodelled(
        _call.address(report, ReportHandle, "report"),
        _call.size(index, "index"),
        ctypes.byref(bytes_),
    )
    return _call.optional_decoded(_value), bytes_.value


def report_verified(report: ReportHandle) -> int:
    """Whether the bytes of such a job have been held against measured ones (doc/accuracy.md). Those of the device
    "cuda" have not been: its rules are what is known of PyTorch's sources, the sizes of its profiles what others
    reported.

    report: report.

    Returns 1 if they have been, else 0.
    """
    _value = _report_verified(_call.address(report, ReportHandle, "report"))
    return int(_value)


def report_moment(report: ReportHandle) -> str:
    """Layer, its operator, phase and step at which the peak is reached, such as "decoder.3.conv1 (conv), backward pass
    of step 2".

    report: report.

    Returns the text, owned by the report; "" for the textbook.
    """
    _value = _report_moment(_call.address(report, ReportHandle, "report"))
    return _call.decoded(_value)


def report_trace(report: ReportHandle) -> TraceHandle | None:
    """All events of the simulated steps.

    report: report.

    Returns the trace, owned by the report; None for the textbook.
    """
    _value = _report_trace(_call.address(report, ReportHandle, "report"))
    return _call.again(TraceHandle, _value, _call.context_of(report))


def report_to_json(report: ReportHandle, context: ContextHandle) -> str:
    """The report as JSON text (doc/formats.md).

    report: report.

    context: takes the memory of `text` and the error.

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _report_to_json(
        _call.address(report, ReportHandle, "report"),
        _call.address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context)
    return _call.taken(_free, context, text_)


def report_to_html(report: ReportHandle, context: ContextHandle) -> str:
    """The report as one HTML page: peaks, categories, changes, the per-layer table, formulas, a timeline of the live
    bytes to look around in, and where the blocks of the last step lie in the smallest arena, if they are 4000 at most.
    It holds all it needs and asks for nothing from a network. Of long traces it shows the highest moments: the peak of
    every step is always among them.

    report: report.

    context: takes the memory of `text` and the error.

    Raises InvalidArgumentError, NomemError, LimitError, CancelledError.
    """
    text_ = ctypes.c_void_p()
    _value = _report_to_html(
        _call.address(report, ReportHandle, "report"),
        _call.address(context, ContextHandle, "context"),
        ctypes.byref(text_),
    )
    _check.status(_value, context)
    return _call.taken(_free, context, text_)


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


def schedule_new(network: NetworkHandle, how: Inference | None) -> ScheduleHandle:
    """Schedule a network, and plan its buffers: moments of the plan are operators, in the order in which they run.

    A buffer of the plan is a tensor, named after its layer, or what an operator needs while it runs. Inputs are there
    from the begin and outputs stay to the end; inputs may be overwritten when nobody needs them any more.

    network: network.

    how: values of all symbols, and what to do without. None: no symbols, all defaults.

    Raises InvalidArgumentError, UnknownSymbolError, UnboundError, ShapeError, MemmodelOverflowError, CallbackError,
    StructSizeError, NomemError, LimitError, CancelledError.
    """
    schedule_ = ctypes.c_void_p()
    with _call.held(network=network):
        _value = _schedule_new(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(how, Inference, "how"),
            ctypes.byref(schedule_),
        )
    _check.status(_value, _call.owner(how, 'context') or network)
    _call.raise_pending()
    return ScheduleHandle(schedule_.value, _call.context_of(_call.owner(how, 'context') or network))


def schedule_plan(schedule: ScheduleHandle) -> PlanHandle | None:
    """The plan of a schedule's buffers, solved with the defaults of plan_solve().

    schedule: schedule.

    Returns the plan, with one more reference; None if `schedule` is.
    """
    _value = _schedule_plan(_call.address(schedule, ScheduleHandle, "schedule"))
    return _call.again(PlanHandle, _value, _call.context_of(schedule))


def schedule_buffer(schedule: ScheduleHandle, tensor: int) -> int:
    """The plan's buffer of a tensor.

    schedule: schedule.

    tensor: of the network.

    Raises InvalidArgumentError.
    """
    buffer_ = ctypes.c_size_t()
    _value = _schedule_buffer(
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


def schedule_operator(schedule: ScheduleHandle, index: int) -> ScheduleOperator:
    """An operator.

    schedule: schedule.

    index: from 0, in the order in which they run.

    Raises InvalidArgumentError, StructSizeError.
    """
    about_ = ScheduleOperator()
    _value = _schedule_operator(
        _call.address(schedule, ScheduleHandle, "schedule"),
        _call.size(index, "index"),
        ctypes.byref(about_),
    )
    _check.status(_value, schedule)
    return _call.owned(about_, schedule)


def schedule_summary(schedule: ScheduleHandle) -> ScheduleSummary:
    """What the schedule comes to.

    schedule: schedule.

    Raises InvalidArgumentError, StructSizeError.
    """
    summary_ = ScheduleSummary()
    _value = _schedule_summary(_call.address(schedule, ScheduleHandle, "schedule"), ctypes.byref(summary_))
    _check.status(_value, schedule)
    return summary_


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


def tiling_new(network: NetworkHandle, how: Inference | None, budget: int) -> TilingHandle:
    """Cut the input of a network into tiles whose planned peak is within a budget. Of those that fit, these cost least:
    they have the least overhead. The whole input and output lie elsewhere: only a tile's are in its memory.

    network: with one input [batch, channels, 1 to 3 spatial axes], or with the channels last, and outputs of one size.
    Linear upsampling is taken to be that without align_corners.

    how: as of schedule_new().

    budget: of a tile's plan; 0: no limit, one tile.

    Raises UnsupportedError, InvalidArgumentError, UnknownSymbolError, UnboundError, ShapeError, MemmodelOverflowError,
    CallbackError, StructSizeError, NomemError, LimitError, CancelledError.
    """
    tiling_ = ctypes.c_void_p()
    with _call.held(network=network):
        _value = _tiling_new(
            _call.address(network, NetworkHandle, "network"),
            _call.optional_reference(how, Inference, "how"),
            _call.int64(budget, "budget"),
            ctypes.byref(tiling_),
        )
    _check.status(_value, _call.owner(how, 'context') or network)
    _call.raise_pending()
    return TilingHandle(tiling_.value, _call.context_of(_call.owner(how, 'context') or network))


def tiling_result(tiling: TilingHandle) -> TilingResult:
    """What the tiling comes to.

    tiling: tiling.

    Raises InvalidArgumentError, StructSizeError.
    """
    result_ = TilingResult()
    _value = _tiling_result(_call.address(tiling, TilingHandle, "tiling"), ctypes.byref(result_))
    _check.status(_value, tiling)
    return result_


def tiling_axis_count(tiling: TilingHandle) -> int:
    """Number of spatial axes.

    tiling: tiling.

    Returns axes, 1 to 3.
    """
    _value = _tiling_axis_count(_call.address(tiling, TilingHandle, "tiling"))
    return int(_value)


def tiling_axis(tiling: TilingHandle, axis: int) -> TilingAxis:
    """A spatial axis.

    tiling: tiling.

    axis: from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    about_ = TilingAxis()
    _value = _tiling_axis(_call.address(tiling, TilingHandle, "tiling"), _call.size(axis, "axis"), ctypes.byref(about_))
    _check.status(_value, tiling)
    return about_


def tiling_range(tiling: TilingHandle, axis: int, index: int) -> TilingRange:
    """Where a tile lies along an axis. A tile is one range of each axis; the output's from `first` on is the tile's own
    from `skip` on.

    tiling: tiling.

    axis: from 0.

    index: of the tile along this axis, from 0.

    Raises InvalidArgumentError, StructSizeError.
    """
    range_ = TilingRange()
    _value = _tiling_range(
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

    Returns the plan, with one more reference; None if `tiling` is.
    """
    _value = _tiling_plan(_call.address(tiling, TilingHandle, "tiling"))
    return _call.again(PlanHandle, _value, _call.context_of(tiling))


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
