"""
A program of PyTorch as it is, and what the GPU held meanwhile: a JSON line more in a file.

    python measure_program.py FILE PROGRAM [ARGUMENT ...]                  # on a GPU that nobody else uses
    memmodel run --gpu h100 -- python measure_program.py FILE PROGRAM [ARGUMENT ...]
    python measure_program.py --compare FILE                               # with test/data/pytorch_h100/programs.jsonl
"""

import json
import runpy
import sys
from pathlib import Path

RECORDED = Path(__file__).resolve().parents[1] / "data/pytorch_h100/programs.jsonl"
STEPS = 8  # that are kept
MIB = 1 << 20


def run(file, program, arguments):
    import torch  # noqa: PLC0415 - only here
    from torch.optim.optimizer import register_optimizer_step_post_hook  # noqa: PLC0415

    def peaks():
        counted = torch.cuda.memory_stats()
        return [counted[f"{kind}_bytes.all.peak"] for kind in ("allocated", "reserved", "requested")]

    steps = []
    register_optimizer_step_post_hook(lambda *_: steps.append(peaks()))
    sys.argv = [program, *arguments]
    sys.path.insert(0, str(Path(program).resolve().parent))
    runpy.run_path(program, run_name="__main__")
    free, total = torch.cuda.mem_get_info()
    row = {"program": Path(program).name, **dict(zip(("allocated", "reserved", "requested"), peaks()))}
    row |= {"outside": total - free - torch.cuda.memory_reserved(), "steps": steps[:STEPS]}
    with Path(file).open("a") as out:
        print(json.dumps(row), file=out)


def rows(file):
    return {row["program"]: row for row in map(json.loads, Path(file).read_text().splitlines())}


def compare(file):
    recorded = rows(RECORDED)
    for program, row in rows(file).items():
        real = recorded.get(program)
        if not real:
            continue
        off = {kind: f"{100 * (row[kind] / real[kind] - 1):+.3f} %" for kind in ("requested", "allocated", "reserved")}
        exact = sum(ours[0] == theirs[0] for ours, theirs in zip(row["steps"], real["steps"]))
        print(f"{program:34}", *(f"{kind} {value}" for kind, value in off.items()), end=", ")
        print(f"besides {row['outside'] / MIB:.0f} of {real['outside'] / MIB:.0f} MiB", end=", ")
        print(f"exact in {exact} of {len(real['steps'])} steps")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--compare":
        compare(sys.argv[2])
    else:
        run(sys.argv[1], sys.argv[2], sys.argv[3:])
