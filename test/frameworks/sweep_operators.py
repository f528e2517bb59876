"""Every operator of PyTorch's own database, recorded as record_operators.py does, against the rules: which have none,
which are wrong and in which pass.

    python test/frameworks/sweep_operators.py --program build/test/test/unit/unit [--show] [NAME...]

Needs `expecttest`, which PyTorch's test suite imports. --show prints the events of the cases that differ; --cases FILE
keeps the recordings for the next time.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import subprocess
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import record_operators as recorder
import torch
from torch import Tensor
from torch.testing._internal import common_methods_invocations
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

# Calls of random operators without a copy of the generator's state around them.
common_methods_invocations.wrapper_set_seed = lambda operator, *args, **kwargs: operator(*args, **kwargs)

SAMPLES = 4  # of an operator
LOOKED_AT = 60  # to choose them from


class Given(NamedTuple):
    """A tensor of a sample, as recorder.Spec."""

    tensor: Tensor
    kind: str

    @property
    def dims(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    @property
    def dtype(self) -> str:
        return recorder.NAMES[self.tensor.dtype]

    @property
    def order(self) -> tuple[int, ...] | None:
        strides = self.tensor.stride()
        order = tuple(sorted(range(len(strides)), key=lambda axis: -strides[axis]))
        return None if self.tensor.is_contiguous() else order

    def make(self) -> Tensor:
        return self.tensor.detach().clone()


def is_plain(tensor: Tensor) -> bool:
    dense = tensor.clone().stride() == tensor.stride() and tensor.layout == torch.strided
    return dense and tensor.numel() > 0 and tensor.dtype in recorder.NAMES


def case_of(name: str, operator: Any, sample: Any, grad: bool) -> recorder.Case | None:
    """The sample as a call of tensors, or None if it has one that is no plain tensor."""
    leaves, tree = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
    tensors: dict[str, Any] = {}
    for index, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor):
            if not is_plain(leaf):
                return None
            tensors[f"t{index}"] = Given(leaf, "input" if leaf.requires_grad and grad else "data")
    if not tensors:
        return None

    def call(*given: Tensor) -> Any:
        rest = iter(given)
        args, kwargs = pytree.tree_unflatten([next(rest) if isinstance(x, Tensor) else x for x in leaves], tree)
        return operator(*args, **kwargs)

    recorder.NAMESPACE["call"] = call
    return recorder.Case(name, f"call({', '.join(tensors)})", tensors, grad)


def words(sample: Any) -> str:
    def word(value: Any) -> str:
        return f"{list(value.shape)}" if isinstance(value, Tensor) else repr(value)

    parts = [word(value) for value in pytree.tree_leaves((sample.input, sample.args))]
    return ", ".join(parts + [f"{key}={pytree.tree_map(word, value)}" for key, value in sample.kwargs.items()])


def samples_of(info: Any) -> list[Any]:
    """A few that are spread over all of them."""
    grad = info.supports_autograd and torch.float32 in info.dtypes
    dtype = next((kind for kind in (torch.float32, torch.int64, torch.bool) if kind in info.dtypes), torch.complex64)
    found = []
    for sample in info.sample_inputs("cpu", dtype, requires_grad=grad):
        if case_of(info.name, info.op, sample, True):
            found.append(sample)
        if len(found) == LOOKED_AT:
            break
    count = min(SAMPLES, len(found))
    return [found[i * len(found) // count] for i in range(count)]


def lines_of(info: Any) -> Iterator[dict[str, Any]]:
    """A line a sample; one that cannot be exported or recorded has an `error`."""
    name = info.name + (f"@{info.variant_test_name}" if info.variant_test_name else "")
    try:
        samples = samples_of(info)
    except Exception as error:
        yield {"operator": name, "call": name, "error": str(error).splitlines()[0] if str(error) else repr(error)}
        return
    for sample in samples:
        call = f"{name}({words(sample)})"
        try:
            torch.manual_seed(0)
            case = case_of(name, info.op, sample, True)
            yield recorder.line(case) | {"call": call}
        except Exception as error:
            yield {"operator": name, "call": call, "error": (str(error).splitlines() or [""])[0] or repr(error)}


def verdicts(program: str, path: Path, show: bool) -> list[str]:
    """What the program says of each line of the file."""
    environment = os.environ | {"MEMMODEL_CASES": str(path)} | ({"MEMMODEL_SHOW": "*"} if show else {})
    done = subprocess.run([program, "pytorch_operators"], env=environment, capture_output=True, text=True, check=False)
    if show:
        print(done.stdout)
    return [line.removeprefix("verdict ").strip() for line in done.stdout.splitlines() if line.startswith("verdict ")]


ORDER = ("exact", "backward", "release", "forward", "none", "failed", "not exported")


def print_ranking(lines: list[dict[str, Any]], found: list[str]) -> None:
    """Operators by their worst verdict, then how many have which."""
    worst: dict[str, str] = {}
    said = iter(found)
    for line in lines:
        verdict = f"not exported: {line['error']}" if "error" in line else next(said)
        before = worst.setdefault(line["operator"], verdict)
        if rank(verdict) > rank(before):
            worst[line["operator"]] = verdict
    for name, verdict in sorted(worst.items(), key=lambda item: (-rank(item[1]), item[1])):
        if rank(verdict) > 0:
            print(f"{name:40} {verdict}")
    counts = Counter(ORDER[rank(verdict)] for verdict in worst.values())
    cases = Counter(verdict.split()[0] for verdict in found)
    print(f"{len(worst)} operators: {dict(counts)}; {len(found)} cases: {dict(cases)}")


def rank(verdict: str) -> int:
    return next(i for i, word in enumerate(ORDER) if verdict.startswith(word))


def record(path: Path, names: list[str]) -> None:
    with gzip.open(path, "wt") as file:
        for info in op_db:
            if names and info.name not in names:
                continue
            for line in lines_of(info):
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
            gc.collect()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=Path, help="FILE.jsonl.gz to read, or to write where there is none")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = options.cases or Path(folder) / "cases.jsonl.gz"
        if not cases.exists():
            warnings.filterwarnings("ignore")
            gc.disable()
            torch.set_num_threads(recorder.THREADS)
            record(cases, options.names)
        with gzip.open(cases, "rt") as file:
            lines = [json.loads(line) for line in file]
        lines = [line for line in lines if not options.names or line["operator"].split("@")[0] in options.names]
        chosen = Path(folder) / "chosen.jsonl.gz"
        with gzip.open(chosen, "wt") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines if "error" not in line)
        print_ranking(lines, verdicts(options.program, chosen, options.show))


if __name__ == "__main__":
    main()
