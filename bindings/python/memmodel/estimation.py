"""Questions about a network: what it needs, and what fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memmodel import _call, _ffi, _limits
from memmodel.network import Network
from memmodel.quantity import parse_bytes
from memmodel.report import Change, Report


def _job(symbols: Mapping[str, int] | None, sizes: Mapping[str, int], **fields: Any) -> _ffi.Job:
    """How a network is run, with a context of its own for the errors of this call."""
    if symbols is not None and not isinstance(symbols, Mapping):
        raise TypeError(f"symbols: a mapping is needed, not {_call.kind_of(symbols)}")
    values = []
    for name, value in {**(symbols or {}), **sizes}.items():
        _call.text(name, "symbols")
        values.append(_ffi.SymbolValue(name=name, value=_call.int64(value, name)))
    given = {name: value for name, value in fields.items() if value is not None}
    return _ffi.Job(context=_limits.new_context(), symbols=values, **given)


def _checked(network: Network) -> Network:
    if not isinstance(network, Network):
        raise TypeError(f"network: a Network is needed, not {_call.kind_of(network)}")
    return network


def _report(network: Network, job: _ffi.Job) -> Report:
    def ask() -> _ffi.ReportHandle:
        with network._turns.reading():
            return _ffi.report_what_if(network._handle, job)

    with network._turns.reading():
        return Report(_ffi.estimate(network._handle, job), ask)


def estimate(
    network: Network,
    *,
    framework: str | None = None,
    rule: str | None = None,
    device: str | None = None,
    optimizer: str | None = None,
    isa: str | None = None,
    inference: bool | int = False,
    steps: int | None = None,
    threads: int | None = None,
    base_bytes: int | None = None,
    precision: str | None = None,
    checkpoint: str | None = None,
    gpu: str | None = None,
    allocator: str | None = None,
    optimization: str | None = None,
    accumulate: int | None = None,
    keep_gradients: bool = False,
    measure: str | int | _ffi.Measure = "default",
    symbols: Mapping[str, int] | None = None,
    **sizes: int,
) -> Report:
    """Memory of a job. Every symbol of the network needs a value, by its name or in `symbols`.

    framework: "pytorch" (the default), "tensorflow", or "textbook", which counts by `rule`. optimizer: "adam" unless
    given. isa: of the CPU that will run the job, "avx2", "avx512" (the default), "amx", or "native", this machine's.
    inference: True for predictions, 2 for those with autograd on. base_bytes: with "tensorflow", of the process just
    before training begins, where they are known. With "pytorch": precision, "bfloat16" as under torch.autocast;
    checkpoint, scopes that the backward pass computes again, such as "encoder.*"; accumulate, batches a step of the
    optimizer; keep_gradients, set_to_none=False; gpu, such as "h200", which makes "cuda" the device, and allocator, as
    in PYTORCH_ALLOC_CONF. optimization: of "onnxruntime". measure: what changes save, as solve() limits it.

    >>> memmodel.estimate(net, optimizer="sgd", batch=8, dim=144).peak
    """
    job = _job(
        symbols, sizes, framework=framework, rule=rule, device=device, optimizer=optimizer, isa=isa,
        inference=inference, steps=steps, threads=threads, base_bytes=base_bytes, precision=precision,
        checkpoint=checkpoint, gpu=gpu, allocator=allocator, optimization=optimization, accumulate=accumulate,
        keep_gradients=keep_gradients, measure=measure,
    )  # fmt: skip
    return _report(_checked(network), job)


def what_if(network: Network, **job: Any) -> list[Change]:
    """What changes of a job would save: half the batch, checkpoints, other optimizers... Takes what estimate() takes.

    >>> for change in memmodel.what_if(net, batch=64, dim=224):
    ...     print(change.name, memmodel.format_bytes(change.saved))
    """
    return estimate(network, **job).what_if


def scan(
    network: Network,
    symbol: str,
    values: Iterable[int],
    *,
    measure: str | int | _ffi.Measure = "default",
    symbols: Mapping[str, int] | None = None,
    **job: Any,
) -> list[int | None]:
    """Bytes of a job for each of some values of a symbol, many times faster than as many calls of estimate(); None for
    a value with which the network cannot be built. Takes what estimate() takes. measure: as in solve().

    >>> memmodel.scan(net, "batch", range(1, 1001), dim=144)
    """
    fields = {name: job.pop(name) for name in set(job) & _ffi.Job.__annotations__.keys()}
    asked = _job(symbols, job, measure=measure, **fields)
    with _checked(network)._turns.reading():
        scanned = _ffi.scan(network._handle, asked, symbol, list(values))
    return [None if found < 0 else found for found in scanned]


def solve(
    network: Network,
    symbol: str,
    budget: int | str,
    *,
    measure: str | int | _ffi.Measure = "default",
    framework: str | None = None,
    rule: str | None = None,
    device: str | None = None,
    optimizer: str | None = None,
    isa: str | None = None,
    inference: bool | int = False,
    steps: int | None = None,
    threads: int | None = None,
    base_bytes: int | None = None,
    precision: str | None = None,
    checkpoint: str | None = None,
    gpu: str | None = None,
    allocator: str | None = None,
    optimization: str | None = None,
    accumulate: int | None = None,
    keep_gradients: bool = False,
    symbols: Mapping[str, int] | None = None,
    **sizes: int,
) -> int:
    """Largest value of a symbol for which a job stays within a budget; 0 if not even the least does.

    measure: the bytes that the budget limits, "live", "reserved" or "process". Unless given, those that decide whether
    the job lives: of its process, on a GPU of the device; the textbook, which models no process, has live bytes.

    >>> memmodel.solve(net, "batch", "16GiB", dim=144)
    """
    job = _job(
        symbols, sizes, framework=framework, rule=rule, device=device, optimizer=optimizer, isa=isa,
        inference=inference, steps=steps, threads=threads, base_bytes=base_bytes, precision=precision,
        checkpoint=checkpoint, gpu=gpu, allocator=allocator, optimization=optimization, accumulate=accumulate,
        keep_gradients=keep_gradients, measure=measure,
    )  # fmt: skip
    with _checked(network)._turns.reading():
        return _ffi.solve(network._handle, job, symbol, parse_bytes(budget, "budget"))
