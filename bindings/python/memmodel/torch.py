"""PyTorch modules as networks, and how much memory their training takes.

>>> import memmodel.torch
>>> report = memmodel.torch.estimate(model, (images,), loss="cross_entropy", optimizer="adam")
>>> report.step_peaks

The module is exported, never run: nothing is computed, and its parameters may be on the device "meta".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Any, Literal, NamedTuple

from memmodel import _optional

if __name__ == "__main__" and not _optional.present("torch"):
    raise SystemExit("memmodel.torch needs PyTorch, which this Python does not have: pip install torch")

# isort: split
from memmodel import _torch_versions  # noqa: F401  refuses what is not known before another import fails

# isort: split
import torch
from torch import nn
from torch.utils._pytree import tree_map

from memmodel import _call, _ffi, _torch_export, estimation
from memmodel._exceptions import UnboundError
from memmodel._torch_calls import Calls, dtype_of, this_isa
from memmodel._torch_checkpoints import Segments
from memmodel._torch_checks import Refused, check_module
from memmodel._torch_configs import ConfigError as ConfigError
from memmodel._torch_configs import load_config as load_config
from memmodel._torch_environment import settings_of_environment
from memmodel._torch_export import Given, Program, Step, Value
from memmodel._torch_lifetimes import Frame, lifetimes_of
from memmodel._torch_losses import Loss, loss_of
from memmodel._torch_mixed import computed_in
from memmodel._torch_optimizers import UnknownOptimizer, optimizer_text
from memmodel._torch_pipeline import first_part
from memmodel._torch_recorded import Loop, Unfollowed, asked_of_rules, check_followed, recorded, recorded_better
from memmodel._torch_rewrites import without_made_masks
from memmodel._torch_runs import Difference, warn_of
from memmodel._torch_storages import Lies, lies_of
from memmodel._torch_wrapped import with_own_mesh
from memmodel.network import Network
from memmodel.recording import Assumption as Assumption
from memmodel.recording import Recording as Recording
from memmodel.recording import UnknownOperator as UnknownOperator
from memmodel.recording import UnknownValue as UnknownValue
from memmodel.recording import record as record
from memmodel.recording import record_max as record_max
from memmodel.recording import register as register
from memmodel.report import Report
from memmodel.tensor import Tensor

Kind = bool | Literal["reentrant"]  # of a checkpoint; False: none
Mode = str | int | _ffi.Mode


# ---- the network ----


def _declare(calls: Calls, program: Program) -> None:
    """Parameters, buffers and inputs, in the order of the module, as they lie in memory."""
    used: dict[str, int] = {}
    given = program.given
    lies = lies_of([part.tensor if part.real is None else part.real for part in given], [part.tensor for part in given])
    made: dict[int, Tensor] = {}  # by number; of bases by their id
    order = sorted(range(len(given)), key=lambda number: (given[number].kind == "input", lies[number].within >= 0))
    for number in order:
        part = given[number]
        used[part.name] = used.get(part.name, 0) + 1
        name = f"{part.name}_{used[part.name]}" if used[part.name] > 1 else part.name
        made[number] = _declared(calls, part, name, lies[number], made)
        for value in part.values:
            calls.values[value] = [made[number]]
            calls.fakes[value] = [part.tensor]
            if part.kind in ("parameter", "buffer"):
                calls.parameters[value] = part


def _declared(calls: Calls, given: Given, name: str, lies: Lies, made: dict[int, Tensor]) -> Tensor:
    storage = made[lies.within] if lies.within >= 0 else None
    if lies.base is not None:
        key = id(lies.base)
        if key not in made:
            sizes = calls.sizes(lies.base.sizes)
            buffer = partial(calls.network.parameter, trainable=False)
            declare = calls.network.input if given.kind == "input" else buffer
            made[key] = declare(f"{name}.storage", sizes, "uint8")
        storage = made[key]
    sizes, dtype = calls.sizes(given.tensor.shape), dtype_of(given.tensor)
    strides = None if lies.strides is None else calls.sizes(lies.strides)
    if given.kind == "input":
        return calls.network.input(name, sizes, dtype, strides=strides, storage=storage)
    trainable = given.kind == "parameter" and given.tensor.requires_grad
    return calls.network.parameter(name, sizes, dtype, trainable=trainable, strides=strides, storage=storage)


class _Scopes:
    """The frames of modules as scopes of the network: opened and closed as the calls go on.

    A call of torch.utils.checkpoint is the scope of the module that it is handed, or one of its own.
    """

    def __init__(self, network: Network, frames: Sequence[Frame], program: Program) -> None:
        calls = program.calls
        self.network = network
        self.waiting = list(reversed(frames))
        self.open: list[tuple[Frame, Any]] = []
        self.ends: dict[int, tuple[int, Kind]] = {}  # of checkpoints, by where they begin
        for number in {call.checkpoint for call in calls} - {0}:
            inside = [position for position, call in enumerate(calls) if call.checkpoint == number]
            self.ends[inside[0]] = inside[-1], "reentrant" if number in program.reentrant else True

    def enter(self, index: int) -> None:
        self.leave(index - 1)
        end, kind = self.ends.get(index, (None, False))
        while self.waiting and self.waiting[-1].first == index:
            frame = self.waiting.pop()
            name = _scope_name(frame, self.open)
            its_own = end is not None and name != "" and frame.last == end
            if end is not None and frame.last <= end:
                if not its_own:
                    self._open_checkpoint(index, end, kind)
                end = None
            self._open(frame, name, kind if its_own else False)
        if end is not None:
            self._open_checkpoint(index, end, kind)

    def _open_checkpoint(self, index: int, end: int, kind: Kind) -> None:
        around = self.open[-1][0]
        self._open(Frame(around.key, around.path, index, end), "checkpoint", kind)

    def _open(self, frame: Frame, name: str, checkpoint: Kind) -> None:
        scope = self.network.scope(name, checkpoint=checkpoint) if name else None
        if scope:
            scope.__enter__()
        self.open.append((frame, scope))

    def leave(self, index: int) -> None:
        while self.open and self.open[-1][0].last <= index:
            _, scope = self.open.pop()
            if scope:
                scope.__exit__(None, None, None)


def _module_name(frame: Frame) -> str:
    """As the model calls it. A loss that is a module is none of the model's: no checkpoint can name parentheses."""
    part, _, within = frame.path.partition(".")
    return within if part == "model" else frame.path.replace("loss", "(loss)", 1)


def _scope_name(frame: Frame, outer: Sequence[tuple[Frame, Any]]) -> str:
    """The module's name, without what the scope around it says already."""
    name = _module_name(frame)
    around = _module_name(outer[-1][0]) if outer else ""
    if name == around:
        return ""
    return name.removeprefix(f"{around}.") if around else name


def _symbol_names(program: Program) -> dict[str, str]:
    """What torch.export calls its symbols, by names that say what they are: an input's first dimension is the batch."""
    names: dict[str, str] = {}
    for given in program.given:
        if given.kind != "input":
            continue
        for axis, size in enumerate(given.tensor.shape):
            if not isinstance(size, int) and size.node.expr.is_Symbol:
                name = "batch" if axis == 0 and "batch" not in names.values() else f"{given.name}_{axis}"
                names.setdefault(str(size.node.expr), name)
    return names


def _build(program: Program, *, training: bool) -> Network:
    network = Network()
    calls = Calls(network, training=training)
    calls.names = _symbol_names(program)
    if program.traced:
        program = without_made_masks(program)
    _declare(calls, program)
    outputs = [*program.cached, *program.outputs, *([program.loss] if program.loss else [])]
    lifetimes = lifetimes_of(program.calls, outputs)
    ending: dict[int, list[str]] = {}
    for position, end in enumerate(lifetimes.ends):
        if lifetimes.last_use[position] < end < len(program.calls):
            ending.setdefault(end, []).append(program.calls[position].name)
    bound = _bound(lifetimes.frames, program, outputs)
    scopes = _Scopes(network, lifetimes.frames, program)
    for position, call in enumerate(program.calls):
        scopes.enter(position)
        calls.add(call)
        for name in [*ending.get(position, ()), *bound.get(position, ())]:
            for tensor in calls.values[name]:
                if tensor is not None:
                    network.end_lifetime(tensor)
    scopes.leave(len(program.calls))
    _name_outputs(calls, outputs)
    for number, unlike in enumerate(program.unlike):
        network.custom([], [((0,), "uint8")], name=f"unlike_{number}", operation=unlike.name)
    return network


def _bound(frames: Sequence[Frame], program: Program, outputs: Sequence[Value]) -> dict[int, list[str]]:
    """Names of the loop by the call after which they are bound: `y` and `loss` of Step.forward(). With it attributes of
    modules, and caches.
    """
    made = {call.name: position for position, call in enumerate(program.calls)}
    bound: dict[int, list[str]] = {}
    for name, call in program.bound.items():
        bound.setdefault(made[call], []).append(name)
    for value in program.cached:
        filled = program.calls[made[value.name]].cached
        last = max(position for position, call in enumerate(program.calls) if 0 < call.made <= filled)
        bound.setdefault(last, []).append(value.name)
    returned = [value for value in program.outputs if value.name not in program.bound]
    for statement in frames[0].statements if frames else ():
        for name, values in (("y", returned), ("loss", [program.loss])):
            if name in statement.names:
                last = statement.last
                names = [value.name for value in values if value is not None and made.get(value.name, last + 1) <= last]
                bound.setdefault(statement.last, []).extend(names)
    return bound


def _name_outputs(calls: Calls, outputs: Sequence[Value]) -> None:
    """The loss stands last, also where the model returns it among others."""
    tensors = [tensor for value in outputs if (tensor := calls.optional(value)) is not None]
    last = {tensor.code: tensor for tensor in reversed(tensors)}
    for tensor in reversed(last.values()):
        calls.network.mark_output(tensor)


def from_module(
    module: nn.Module,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    *,
    loss: Loss = None,
    target: Any = None,
    mode: Mode = "training",
    symbolic: bool = True,
    precision: str | None = None,
) -> Network:
    """The network that a module is when it is called with these arguments, in the mode that it is in.

    With `symbolic` its sizes are symbols where torch.export finds that they may change: "batch" for the first dimension
    of the inputs. Where it finds none, and without it, the sizes are those of the arguments.

    Tensors may be of any device. With mode="training" the loss belongs to the network: a function of the module's
    output and, where one is given, the target; "cross_entropy" or "mse", whose target is made if none is given; without
    a loss the module's own, else the sum of its first result. With mode="inference" the module is called under
    torch.no_grad(), with mode="forward" with autograd on. precision: the module and its loss are called under
    torch.autocast() with it.
    """
    asked = _asked(module, args, kwargs, loss, target, mode)
    with asked.as_called(precision):
        network, unlike = _network(asked, symbolic=symbolic)
    warn_of(unlike)
    return network


class _Asked(NamedTuple):
    """A step, and what it is called with."""

    step: Step
    handed: tuple[Any, ...]
    mode: _ffi.Mode

    @contextmanager
    def as_called(self, precision: str | None) -> Iterator[None]:
        with _autocast(precision), torch.set_grad_enabled(self.mode != _ffi.Mode.INFERENCE):
            yield


def _asked(module: nn.Module, args: Any, kwargs: Any, loss: Loss, target: Any, mode: Mode) -> _Asked:
    if not isinstance(module, nn.Module):
        raise TypeError(f"module: a torch.nn.Module is needed, not {_call.kind_of(module)}")
    if isinstance(args, torch.Tensor):
        args = (args,)
    if isinstance(args, str) or not isinstance(args, Sequence):
        raise TypeError(f"args: a tuple of what the module is called with is needed, not {_call.kind_of(args)}")
    check_module(module)
    kwargs = kwargs or {}
    mode = _call.enumeration(_ffi.Mode, mode, "mode")
    training = mode == _ffi.Mode.TRAINING
    function, targets = loss_of(loss, target, module, args, kwargs) if training else (None, ())
    step = Step(module, function)
    step.train(module.training)
    return _Asked(step, (tuple(args), dict(kwargs), *targets), mode)


def _network(asked: _Asked, *, symbolic: bool) -> tuple[Network, Sequence[Difference]]:
    step, handed, _ = asked
    check_followed(step.model)
    if symbolic:
        try:
            program = _torch_export.export(step, handed, _any_batch(handed))
            return _build(program, training=step.model.training), program.unlike
        except Refused:
            raise
        except Exception:  # export, or a size without a form: whatever it says, the sizes of the arguments work
            pass
    program = _torch_export.export(step, handed)
    return _build(program, training=step.model.training), program.unlike


def _autocast(precision: str | None, device: str = "cpu") -> AbstractContextManager[Any]:
    """The types of tensors are then those of a run under it; operators stay what they are."""
    precision = estimation.spelled("precision", precision)
    if precision in (None, "float32"):
        return nullcontext()
    types = {"bfloat16": torch.bfloat16, "float16": torch.float16}
    if precision not in types:
        raise ValueError(f"precision: {precision!r} is none of float32, {', '.join(types)}")
    context: AbstractContextManager[Any] = torch.autocast(device, types[precision])
    return context


def _any_batch(handed: Any) -> Any:
    """The first dimension of each tensor is free."""

    def free(value: Any) -> Any:
        return {0: torch.export.Dim.AUTO} if isinstance(value, torch.Tensor) and value.dim() else None

    return tree_map(free, handed)


# ---- the answer ----


@with_own_mesh
def estimate(
    module: nn.Module,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    *,
    optimizer: Any = "adam",
    loss: Loss = None,
    target: Any = None,
    mode: Mode = "training",
    precision: str | None = None,
    gradient_accumulation: int = 1,
    keep_gradients: bool = False,
    checkpoint: str | Sequence[str] | None = None,
    steps: int = 3,
    device: str = "cpu",
    gpu: str | None = None,
    allocator_settings: str | None = None,
    cublas_workspace: str | None = None,
    isa: str | None = None,
    intra_op_threads: int | None = None,
    framework_version: str | None = None,
    mesh: estimation.Mesh | None = None,
    data: str | None = None,
    tensor: str | None = None,
    pipeline: str | None = None,
    context: str | None = None,
    experts: str | None = None,
    meta_device: bool | None = None,
    backend: str | None = None,
    rank: int | None = None,
    budget: int | str | None = None,
    metric: str | int | _ffi.Metric = "default",
) -> Report:
    """Memory of training steps of this module on this machine: `report.step_peaks` has the live bytes of PyTorch's
    allocator at the peak of each step, with everything allocated since before the module was built, for the loop

        y = model(*args); loss = f(y); loss.backward(); optimizer.step(); optimizer.zero_grad()

    loss, target: see from_module(). optimizer: a name or an instance of torch.optim, foreach and fused ones as well,
    which updates the parameters that it was given, group by group. mode="inference": predictions under torch.no_grad();
    "forward": with autograd on. gradient_accumulation: batches before each optimizer.step(), all part of the step.
    keep_gradients: zero_grad(set_to_none=False). checkpoint: modules besides those that checkpoint themselves whose
    calls stand in torch.utils.checkpoint(..., use_reentrant=False), such as "encoder.layer.*" (see
    memmodel_job.checkpoint), with "(use_reentrant=True)" behind it for the other way. precision="bfloat16": model and
    loss under torch.autocast("cpu", torch.bfloat16). isa: of another machine than this one, "avx2", "avx512" or "amx".
    intra_op_threads: torch.get_num_threads(). device="cuda": on a GPU, whose kind is `gpu`, such as "h200", and whose
    allocator has the settings `allocator_settings`, as in PYTORCH_ALLOC_CONF; cublas_workspace is as in
    CUBLAS_WORKSPACE_CONFIG. Those variables count where they are not given. The module may lie on the CPU or nowhere.
    Compared with measured bytes on an H200 alone. framework_version: of another PyTorch than this one, such as "2.14".
    mesh, data, tensor, pipeline, backend, rank: the processes that train this module together, {"dp": 8}, how they
    share their data, such as "ddp(gradient_as_bucket_view=True)", and its modules, "colwise=*.up, rowwise=*.down", and
    which of them is estimated; the module is the whole one, and `args` are what it is called with in this process. Of
    a pipeline, "1f1b(microbatches=8, cut=layers.4)", they are the whole batch, whose tensors are cut along axis 0.
    context: how ranks of the axis cp share a sequence, of which `args` have this process' part: "ring" unless given.
    experts: tokens that a process' experts get on the axis ep, by assumption: "all", a bound, or "balanced".
    meta_device: the module is built on the meta device, so that no process has it as a whole.
    budget, metric: as memmodel.estimate() takes them.

    What torch.export refuses, or follows otherwise than a run, is recorded, as record() does, with a warning;
    `report.engine` says which answered.
    """
    checkpoint = checkpoint if isinstance(checkpoint, str) or checkpoint is None else ",".join(checkpoint)
    args, kwargs, target = first_part((args, kwargs, target), pipeline)
    asked = _asked(module, args, kwargs, loss, target, mode)
    device, gpu, precision, optimizer = (
        estimation.spelled(field, value)
        for field, value in (("device", device), ("gpu", gpu), ("precision", precision), ("optimizer", optimizer))
    )
    where = {
        "device": device, "gpu": gpu, "allocator_settings": allocator_settings, "cublas_workspace": cublas_workspace,
    }  # fmt: skip
    where |= settings_of_environment(where)
    for_rules = {"checkpoint": checkpoint, "framework_version": framework_version, "mesh": mesh, "data": data,
                 "tensor": tensor, "pipeline": pipeline, "context": context, "experts": experts,
                 "meta_device": meta_device, "backend": backend, "rank": rank} | ({} if gpu else where)  # fmt: skip
    job: dict[str, Any] = where | for_rules | {
        "framework": "pytorch", "framework_version": framework_version or torch.__version__, "mode": mode,
        "steps": steps, "isa": isa or this_isa(), "intra_op_threads": intra_op_threads or torch.get_num_threads(),
        "precision": precision, "gradient_accumulation": gradient_accumulation, "keep_gradients": keep_gradients,
        "budget": budget, "metric": metric,
    }  # fmt: skip
    loop = Loop(
        module, asked.step.loss, asked.handed, optimizer, asked.mode, steps, gradient_accumulation, keep_gradients,
        partial(_autocast, precision, "cuda" if gpu else "cpu"), "cuda" if gpu else "cpu",
    )  # fmt: skip
    try:
        job["optimizer"] = optimizer_text(optimizer, module, loss)
        with computed_in(module, data):
            network, unlike = _followed(asked, precision)
        report = estimation.estimate(network, **job)
    except (UnknownOptimizer, Unfollowed, UnboundError) as error:
        return recorded(loop, job, for_rules, error)
    reason = recorded_better(unlike)
    if reason and not asked_of_rules(loop, for_rules):
        with suppress(Exception):  # what cannot be recorded either
            return recorded(loop, job, for_rules, Unfollowed(reason))
    warn_of(unlike)
    return report


def _followed(asked: _Asked, precision: str | None) -> tuple[Network, Sequence[Difference]]:
    try:
        with asked.as_called(precision):
            return _network(asked, symbolic=False)
    except (Refused, Unfollowed):
        raise
    except Exception as error:  # whatever export says
        raise Unfollowed(f"torch.export: {(str(error) or type(error).__name__).splitlines()[0]}") from error


# ---- checkpoints ----

def apply_checkpointing(module: nn.Module, segments: Sequence[Sequence[str]]) -> None:
    """Let parts of a module run by torch.utils.checkpoint(..., use_reentrant=False), in place: each segment, of names
    of modules, in one call, as memmodel.recompute() finds them.

    The modules of a segment run one after the other where its first is called, each with what the one before it gives,
    as nn.Sequential would run them. A name that the module does not have raises AttributeError, and nothing is changed.

    >>> memmodel.torch.apply_checkpointing(model, memmodel.recompute(net, "16GiB", batch=64).segments)
    """
    applied = Segments()
    for modules in [[module.get_submodule(name) for name in names] for names in segments]:
        applied.add(modules)


if __name__ == "__main__":
    import sys

    from memmodel._record_script import main

    sys.exit(main())
