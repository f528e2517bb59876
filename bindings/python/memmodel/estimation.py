"""Questions about a network: what it needs, and what fits."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from memmodel import _call, _ffi, _limits
from memmodel.network import Network
from memmodel.quantity import parse_bytes
from memmodel.report import Change, Report
from memmodel.trace import Trace


def symbol_values(symbols: Mapping[str, int] | None, sizes: Mapping[str, int]) -> list[_ffi.SymbolValue]:
    """Values of symbols, from a mapping and from keywords."""
    if symbols is not None and not isinstance(symbols, Mapping):
        raise TypeError(f"symbols: a mapping is needed, not {_call.kind_of(symbols)}")
    values = []
    for name, value in {**(symbols or {}), **sizes}.items():
        _call.text(name, "symbols")
        values.append(_ffi.SymbolValue(name=name, value=_call.int64(value, name)))
    return values


Mesh = str | Mapping[str, int]
# Fields of a job's `parallel`.
PARALLEL = ("mesh", "data", "tensor", "pipeline", "context", "experts", "meta_device", "backend", "rank")


def mesh_text(mesh: Mesh) -> str:
    """Axes with their sizes as the library reads them."""
    if isinstance(mesh, str):
        return mesh
    if not isinstance(mesh, Mapping):
        raise TypeError(f'mesh: a mapping such as {{"dp": 8}} is needed, not {_call.kind_of(mesh)}')
    return ",".join(f"{name}={_call.int64(size, f'mesh: {name}')}" for name, size in mesh.items())


def _parallel(given: dict[str, Any]) -> _ffi.Parallel | None:
    """Takes the fields of a struct memmodel_parallel out of those of a job."""
    fields = {name: given.pop(name) for name in PARALLEL if name in given}
    if "mesh" in fields:
        fields["mesh"] = mesh_text(fields["mesh"])
    return _ffi.Parallel(**fields) if fields else None


def spelled(field: str, value: Any) -> Any:
    """The library's word for a field of a job: of a str, torch.device, torch.dtype, or the class of an optimizer. What
    it does not know stays as it is, for the error to name it."""
    kind = type(value)
    if kind.__module__ == "torch" and kind.__name__ in ("device", "dtype"):
        value = str(value)
    elif field == "optimizer" and isinstance(value, type):
        value = value.__name__
    if isinstance(value, str):
        _call.text(value, field)
        return _ffi.estimate_word(field, value) or value
    return value


SPELLED = ("framework", "device", "optimizer", "precision", "gpu")


def _job(symbols: Mapping[str, int] | None, sizes: Mapping[str, int], **fields: Any) -> _ffi.Job:
    """How a network is run."""
    given = {name: value for name, value in fields.items() if value is not None}
    given |= {name: spelled(name, given[name]) for name in SPELLED if name in given}
    if "budget" in given:
        given["budget"] = parse_bytes(given["budget"], "budget")
    given["parallel"] = _parallel(given)
    return _ffi.Job(symbols=symbol_values(symbols, sizes), **given)


def job_of(symbols: Mapping[str, int] | None, given: Mapping[str, Any]) -> _ffi.Job:
    """A job from what estimate() takes: its fields, and symbols."""
    known = {*_ffi.Job.__annotations__, *PARALLEL}
    sizes = {name: value for name, value in given.items() if name not in known}
    return _job(symbols, sizes, **{name: value for name, value in given.items() if name in known})


def _checked(network: Network) -> Network:
    if not isinstance(network, Network):
        raise TypeError(f"network: a Network is needed, not {_call.kind_of(network)}")
    return network


def _report(network: Network, job: _ffi.Job) -> Report:
    def ask() -> _ffi.ReportHandle:
        with network._lock.reading():
            return _ffi.estimate_what_if(network._handle, job, _limits.new_context())

    with network._lock.reading():
        return Report(_ffi.estimate(network._handle, job, _limits.new_context()), ask)


def estimate(
    network: Network,
    *,
    framework: str | None = None,
    framework_version: str | None = None,
    textbook_rule: str | None = None,
    device: str | None = None,
    optimizer: str | None = None,
    isa: str | None = None,
    mode: str | int | _ffi.Mode = "training",
    steps: int | None = None,
    intra_op_threads: int | None = None,
    base_bytes: int | None = None,
    precision: str | None = None,
    checkpoint: str | None = None,
    gpu: str | None = None,
    allocator_settings: str | None = None,
    cublas_workspace: str | None = None,
    graph_optimization: str | None = None,
    gradient_accumulation: int | None = None,
    keep_gradients: bool = False,
    mesh: Mesh | None = None,
    data: str | None = None,
    tensor: str | None = None,
    pipeline: str | None = None,
    context: str | None = None,
    experts: str | None = None,
    meta_device: bool | None = None,
    backend: str | None = None,
    rank: int | None = None,
    budget: int | str | None = None,
    safety_percent: int | None = None,
    metric: str | int | _ffi.Metric = "default",
    peak_only: bool = False,
    symbols: Mapping[str, int] | None = None,
    **sizes: int,
) -> Report:
    """Memory of a job. Every symbol of the network needs a value, by its name or in `symbols`.

    framework: "pytorch" (the default), "tensorflow", "onnxruntime", or "textbook", which counts by `textbook_rule`.
    framework_version: of "pytorch", such as "2.14"; the newest that is known unless given. optimizer: "adam" unless
    given. isa: of the CPU that will run the job, "avx2", "avx512" (the default), "amx", or "native", this machine's.
    mode: "training", "inference", or "forward", without a backward pass but with autograd on.
    base_bytes: with "tensorflow", of the process just before training begins, where they are known. With "pytorch":
    precision, "bfloat16" as under torch.autocast; checkpoint, scopes that are recomputed in the backward pass, such as
    "encoder.*"; gradient_accumulation, batches a step of the optimizer; keep_gradients, set_to_none=False; gpu, such as
    "h200", which makes "cuda" the device, allocator_settings, as in PYTORCH_ALLOC_CONF, and cublas_workspace, as in
    CUBLAS_WORKSPACE_CONFIG. graph_optimization: of "onnxruntime".

    mesh: the processes that train together, {"dp": 8}, of which one is estimated: number `rank`. data: how they share
    their data, such as "ddp(bucket_cap_mb=25)". tensor: how they share its modules, such as
    "colwise=layers.*.(q|k|v), rowwise=layers.*.o". pipeline: its stages, "1f1b(microbatches=8, cut=layers.4)", of a
    network of one part of the batch. context: how ranks of the axis cp share a sequence, "ring" unless given, or
    "ring(rotate_method=alltoall)", of a network of one part of it. experts: tokens that
    ranks of the axis ep get, by assumption: "all" or "balanced". See memmodel_parallel.
    meta_device: the module is built on the meta device, never as a whole. backend: "gloo" or "nccl".

    budget: bytes that the job may take, or a text such as "16GiB": the report has a verdict. Of a job on a GPU it is
    that one's memory unless given. safety_percent: of the budget, that are to stay free. metric: the bytes that the
    budget limits, "live", "reserved" or "process". Unless given, those that decide whether the job lives: of its
    process, on a GPU of the device; the textbook, which models no process, has live bytes. peak_only: no more than the
    peak of these bytes, its interval and verdict, in a fraction of the time; other bytes may be None, tables are empty.

    >>> memmodel.estimate(net, optimizer="sgd", batch=8, dim=144).peak
    >>> memmodel.estimate(net, budget="16GiB", batch=8, dim=144).verdict
    """
    job = _job(
        symbols, sizes, framework=framework, framework_version=framework_version, textbook_rule=textbook_rule,
        device=device, optimizer=optimizer, isa=isa, mode=mode, steps=steps, intra_op_threads=intra_op_threads,
        base_bytes=base_bytes, precision=precision, checkpoint=checkpoint, gpu=gpu,
        allocator_settings=allocator_settings, cublas_workspace=cublas_workspace, graph_optimization=graph_optimization,
        gradient_accumulation=gradient_accumulation, keep_gradients=keep_gradients, mesh=mesh, data=data,
        tensor=tensor, pipeline=pipeline, context=context, experts=experts, meta_device=meta_device,
        backend=backend, rank=rank, budget=budget,
        safety_percent=safety_percent, metric=metric, peak_only=peak_only,
    )  # fmt: skip
    return _report(_checked(network), job)


class RankClass(NamedTuple):
    """Ranks that need the same memory, and the report of the first of them."""

    first_rank: int
    rank_count: int
    report: Report


def estimate_ranks(network: Network, *, symbols: Mapping[str, int] | None = None, **job: Any) -> list[RankClass]:
    """One report for each class of ranks that need the same memory. Takes what estimate() takes, but for `rank`.

    >>> for ranks in memmodel.estimate_ranks(net, mesh={"dp": 8}, data="fsdp(layers.*)", batch=4):
    ...     print(ranks.first_rank, ranks.rank_count, ranks.report.peak)
    """
    found: list[RankClass] = []
    following = 0
    while following >= 0:
        given = {**job, "rank": following}
        with _checked(network)._lock.reading():
            ranks = _ffi.estimate_rank_class(network._handle, job_of(symbols, given), _limits.new_context())
        report = _report(network, job_of(symbols, {**job, "rank": ranks.first_rank}))
        found.append(RankClass(ranks.first_rank, ranks.rank_count, report))
        following = ranks.next_rank
    return found


class GpuEstimate(NamedTuple):
    """A job on one kind of GPU. verdict: "fits", "uncertain" or "exceeds", on one. max: the largest value of the
    symbol that fits. gpu_count: on how many it fits, with FSDP2; None: on none. price: of an hour of these; None: not
    known."""

    gpu: str
    memory: int
    peak: int
    interval: tuple[int, int] | None
    verdict: str
    max: int | None
    gpu_count: int | None
    price: float | None
    validated: bool


def _gpu_estimate(row: _ffi.GpuEstimate) -> GpuEstimate:
    interval = (row.peak_low, row.peak_high) if row.peak_high else None
    price = row.price * row.gpu_count if row.price and row.gpu_count else None
    return GpuEstimate(
        _call.decoded(row.gpu), row.memory, row.peak, interval, _call.word(_ffi.Verdict, row.verdict),
        None if row.max < 0 else row.max, row.gpu_count or None, price, bool(row.validated),
    )  # fmt: skip


def gpus(
    network: Network, *, max: str | None = "batch", max_gpus: int = 8, prices: Any = None,
    symbols: Mapping[str, int] | None = None, **job: Any,
) -> list[GpuEstimate]:  # fmt: skip
    """A job on every GPU that is known, the cheapest first, or those with the least memory. Takes what estimate() takes
    but for a GPU and its budget. max: the symbol whose largest value is found. prices: path of a file with lines
    "h100,2.49", of an hour.

    >>> for row in memmodel.gpus(net, batch=8, optimizer="AdamW"):
    ...     print(row.gpu, row.verdict, row.max)
    """
    path = None if prices is None else os.fspath(prices)
    symbol = max if max in _checked(network).symbols else None
    options = _ffi.GpuOptions(symbol=symbol, prices=path, max_gpus=max_gpus)
    asked = job_of(symbols, job)
    with network._lock.reading():
        rows = [
            _gpu_estimate(_ffi.estimate_gpu(network._handle, asked, options, index, _limits.new_context()))
            for index in range(_ffi.device_kind_count())
        ]
    return sorted(rows, key=lambda row: (row.price is None, row.price or 0, row.memory))


def estimate_trace(trace: Trace, *, symbols: Mapping[str, int] | None = None, **job: Any) -> Report:
    """What Trace.estimate() answers."""
    return Report(_ffi.trace_estimate(trace._handle, job_of(symbols, job), _limits.new_context()))


def what_if(network: Network, **job: Any) -> list[Change]:
    """What changes of a job would save: half the batch, checkpoints, other optimizers... Takes what estimate() takes.

    >>> for change in memmodel.what_if(net, batch=64, dim=224):
    ...     print(change.name, memmodel.format_bytes(change.saving))
    """
    return estimate(network, **job).what_if


class SizeEstimate(NamedTuple):
    """A job with one value of a symbol. peak: of its `metric`. interval, verdict: as a Report has them."""

    peak: int
    interval: tuple[int, int] | None
    verdict: str | None


def _size_estimate(row: _ffi.EstimateRow) -> SizeEstimate | None:
    if row.peak < 0:
        return None
    interval = (row.peak_low, row.peak_high) if row.interval_runs else None
    return SizeEstimate(row.peak, interval, _call.word(_ffi.Verdict, row.verdict) if row.verdict else None)


def estimate_many(
    network: Network, symbol: str, values: Iterable[int], *, symbols: Mapping[str, int] | None = None, **job: Any
) -> list[SizeEstimate | None]:
    """What a job needs with each of some values of a symbol, and whether it fits, many times faster than as many calls
    of estimate(); None for a value with which the network cannot be built. Takes what estimate() takes, and counts the
    bytes of `metric`.

    >>> [row.peak for row in memmodel.estimate_many(net, "batch", range(1, 1001), dim=144)]
    """
    asked = job_of(symbols, job)
    with _checked(network)._lock.reading():
        found = _ffi.estimate_many(network._handle, asked, symbol, list(values), _limits.new_context())
    return [_size_estimate(row) for row in found]


def estimate_max(
    network: Network, symbol: str, budget: int | str, *, symbols: Mapping[str, int] | None = None, **job: Any
) -> int:
    """Largest value of a symbol for which a job stays within a budget; 0 if not even 1 does. Takes what estimate()
    takes.

    >>> memmodel.estimate_max(net, "batch", "16GiB", dim=144)
    """
    asked = job_of(symbols, {**job, "budget": budget})
    with _checked(network)._lock.reading():
        return _ffi.estimate_max(network._handle, asked, symbol, _limits.new_context())
