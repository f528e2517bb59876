"""Record what operators of PyTorch below autograd, as a recorder of a program sees them, allocate and release on CPU.

    python test/frameworks/record_dispatched.py             # the programs below, to dispatched_avx2.jsonl.gz
    python test/frameworks/record_dispatched.py FILE.json   # programs of a file, a list of texts, to FILE.jsonl.gz

Each program is run, forward and backward, and each operator that it dispatches is recorded once for each of its shapes.
What a line holds is described in test/data/pytorch_operators/README.md.
"""

from __future__ import annotations

import gzip
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
from dispatched_programs import PROGRAMS
from torch import nn
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

OUTPUT = Path(__file__).resolve().parents[1] / "data" / "pytorch_operators" / "dispatched_avx2.jsonl.gz"
THREADS = 2
DTYPES = {
    torch.float32: "float32", torch.float64: "float64", torch.float16: "float16", torch.bfloat16: "bfloat16",
    torch.int64: "int64", torch.int32: "int32", torch.int8: "int8", torch.uint8: "uint8", torch.bool: "bool",
    torch.int16: "float16", torch.complex64: "float64",
}  # fmt: skip
# As memmodel._torch_calls has them: arguments for which operators of the same name have a tensor or a number.
TENSOR_NAMES = {"other", "exponent", "value", "tensor2"}


def attribute_text(value: Any) -> str:
    """A number, a list of numbers, or a word; nothing for what has no such form."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, torch.dtype):
        return DTYPES.get(value, str(value).removeprefix("torch."))
    if isinstance(value, (list, tuple)):
        return ",".join(attribute_text(part) for part in value)
    if isinstance(value, (str, torch.memory_format)):
        return str(value).removeprefix("torch.").replace(" ", "")
    return ""


def described(tensor: torch.Tensor | None) -> Any:
    return None if tensor is None else [DTYPES[tensor.dtype], list(tensor.shape), list(tensor.stride())]


def split(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[torch.Tensor | None], str]:
    """The tensors among the arguments, None where one may be and is not, and the others as a text."""
    inputs: list[torch.Tensor | None] = []
    words = []
    for place, argument in enumerate(func._schema.arguments):
        if place < len(args):
            value = args[place]
        elif argument.name in kwargs:
            value = kwargs[argument.name]
        else:
            continue
        tensor = str(argument.type) in ("Tensor", "Optional[Tensor]")
        if isinstance(value, torch.Tensor):
            inputs.append(value)
        elif isinstance(value, (list, tuple)) and any(isinstance(part, torch.Tensor) for part in value):
            inputs.extend(value)
        elif (tensor or argument.name in TENSOR_NAMES) and isinstance(value, (int, float)):
            inputs.append(None)
            words.append(f"{argument.name}={attribute_text(value)}")
        elif value is None:
            if tensor:
                inputs.append(None)
        elif attribute_text(value):
            words.append(f"{argument.name}={attribute_text(value)}")
    return inputs, " ".join(words)


class Recorder(TorchDispatchMode):
    """Marks each operator of a signature that is new."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, dict[str, Any]] = {}
        self.pending: list[tuple[str, list[int]]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func.namespace != "aten":
            return func(*args, **kwargs)
        inputs, attributes = split(func, args, kwargs)
        before = [described(tensor) for tensor in inputs]
        old = {tensor.untyped_storage()._cdata for tensor in inputs if tensor is not None}
        with record_function(f"##{len(self.pending)}"):
            result = func(*args, **kwargs)
        outputs = [leaf if isinstance(leaf, torch.Tensor) else None for leaf in tree_leaves(result)]
        storages = [None if tensor is None else tensor.untyped_storage() for tensor in outputs]
        new = [storage if storage is not None and storage._cdata not in old else None for storage in storages]
        line = {"operator": str(func), "inputs": before, "attributes": attributes,
                "outputs": [described(tensor) for tensor in outputs],
                "bytes": [-1 if storage is None else storage.nbytes() for storage in new]}  # fmt: skip
        key = json.dumps(line)
        self.lines.setdefault(key, line)
        self.pending.append((key, [0 if storage is None else storage.data_ptr() for storage in new]))
        return result


def allocations(profiler: Any) -> dict[int, list[tuple[int, int]]]:
    """(bytes, address) of the events within each operator that was marked, in the order of time."""
    found: dict[int, list[tuple[int, int, int]]] = {}

    def walk(node: Any, mark: int) -> None:
        if node.tag.name == "Allocation":
            if mark >= 0:
                fields = node.extra_fields
                found.setdefault(mark, []).append((node.start_time_ns, fields.alloc_size, fields.ptr))
            return
        inner = int(node.name[2:]) if node.name.startswith("##") else mark
        for child in node.children:
            walk(child, inner)

    for root in profiler.profiler.kineto_results.experimental_event_tree():
        walk(root, -1)
    return {mark: [event[1:] for event in sorted(events)] for mark, events in found.items()}


def numbered(events: list[tuple[int, int]], outputs: list[int]) -> tuple[list[int], list[int]]:
    """Bytes of allocations and -1 - number of what is released; the number of each output, -1 where there is none."""
    numbers: dict[int, int] = {}
    numbered_events, count = [], 0
    for size, address in events:
        if size > 0:
            numbers[address] = count
            count += 1
            numbered_events.append(size)
        elif address in numbers:
            numbered_events.append(-1 - numbers.pop(address))
        else:
            raise ValueError("an operator released what it had not allocated")
    return numbered_events, [numbers.get(address, -1) for address in outputs]


def record(program: str, lines: dict[str, dict[str, Any]]) -> None:
    recorder = Recorder()
    env: dict[str, Any] = {"torch": torch, "nn": nn, "F": functional}
    torch.manual_seed(0)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler, recorder:
        exec(program, env)
    found = allocations(profiler)
    for mark, (key, addresses) in enumerate(recorder.pending):
        line = recorder.lines[key]
        if "events" in line or key in lines:
            continue
        try:
            line["events"], line["made"] = numbered(found.get(mark, []), addresses)
        except ValueError as error:
            print(f"{line['operator']}: {error}", file=sys.stderr)
            continue
        line["program"] = program
        lines[key] = line


def main(arguments: list[str]) -> None:
    torch.set_num_threads(THREADS)
    programs = json.loads(Path(arguments[0]).read_text()) if arguments else PROGRAMS
    output = Path(arguments[0]).with_suffix(".jsonl.gz") if arguments else OUTPUT
    lines: dict[str, dict[str, Any]] = {}
    for program in programs:
        try:
            record(program, lines)
        except Exception as error:
            print(f"{program!r}: {error}", file=sys.stderr)
    with gzip.open(output, "wt") as file:
        for line in lines.values():
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    print(f"{len(lines)} operators of {len({line['operator'] for line in lines.values()})} kinds to {output}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1:])
