"""
xMem's trainings (test/data/xmem) on the GPUs that they ran on, simulated: peaks beside those that were measured.

    memmodel run --gpu rtx3060 -- python compare_xmem.py run peaks.jsonl    # and once more with rtx4060
    python compare_xmem.py compare peaks.jsonl [--rows] [--models]          # `import memmodel` works, see ./run python

`run` makes the rows of the GPU that it finds and that the file does not have, so that it goes on where it was ended; it
needs torch 2.6.0 with CUDA 12.4, torchvision 0.21 and transformers 4.51.3 to be what was measured. The loop is that of
test/data/xmem/README.md. What is outside of the allocator is one number a GPU, fitted to the other models, as
cuda_tables.py does it; test/data/xmem/simulated.jsonl has what came of it.
"""

import argparse
import gc
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "frameworks"))

STEPS = 4
TABLE = Path(__file__).resolve().parents[1] / "data/xmem/xmem_runs.csv"


def rows_of_table():
    """Each with its line in the table, counted from 0."""
    import cuda_tables  # noqa: PLC0415 - needs the library, which a run does without where it has the rows

    return list(enumerate(cuda_tables.xmem_rows(TABLE)))


def kept(path):
    return {row["run"]: row for row in map(json.loads, path.read_text().splitlines())} if path.exists() else {}


# ---- on the simulated GPU ----


def optimizer_of(name, model):
    import torch  # noqa: PLC0415 - `compare` has none

    classes = {kind.lower(): kind for kind in dir(torch.optim)}
    return getattr(torch.optim, classes[name])(model.parameters(), lr=1e-3)


def train(make, inputs, row):
    """Four steps. What a step has on the device goes as names are bound again: its batch when the loop takes the next,
    its results when the model has made others."""
    model = make().cuda()
    optimizer = optimizer_of(row["optimizer"].lower(), model)
    model.train()
    for _ in range(STEPS):
        args, kwargs = inputs(model)
        if row["zero_grad_mode"] not in ("1", "2"):
            optimizer.zero_grad()
        args, kwargs = [x.cuda() for x in args], {name: x.cuda() for name, x in kwargs.items()}
        outputs = model(*args, **kwargs)
        if row["zero_grad_mode"] == "1":
            optimizer.zero_grad()
        outputs["loss"].backward()
        optimizer.step()
        if row["zero_grad_mode"] == "2":
            optimizer.zero_grad()


def run(index, row):
    import cuda_networks  # noqa: PLC0415 - needs torch
    import torch  # noqa: PLC0415

    cuda_networks.BATCH = int(row["batch_size"])
    make, inputs = cuda_networks.XMEM[row["model"]]
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.reset_accumulated_memory_stats()
    out = False
    try:
        train(make, inputs, row)
    except torch.OutOfMemoryError:
        out = True
    found = {"reserved": torch.cuda.max_memory_reserved(), "live": torch.cuda.max_memory_allocated(), "out": out}
    gc.collect()
    torch.cuda.empty_cache()
    torch._C._cuda_clearCublasWorkspaces()
    return {"run": index, "model": row["model"], "torch": torch.__version__, **found}


def run_all(path):
    import csv  # noqa: PLC0415 - `compare` reads the table by cuda_tables

    import torch  # noqa: PLC0415

    done, gpu = kept(path), torch.cuda.get_device_name()
    with TABLE.open() as table, path.open("a") as file:
        for index, row in enumerate(csv.DictReader(table)):
            if index not in done and row["gpu"] == gpu:
                print(json.dumps(run(index, row)), file=file, flush=True)


# ---- compared ----


def judged(path):
    """Each run of the file beside what was measured of it."""
    import cuda_tables  # noqa: PLC0415

    found = kept(path)
    rows = [(row, found[index]) for index, row in rows_of_table() if index in found]
    answers = [cuda_tables.Answer(one["reserved"], one["live"], one["out"]) for _, one in rows]
    result = [cuda_tables.Judged(row, answer) for (row, _), answer in zip(rows, answers, strict=True)]
    cuda_tables.calibrate(result, line=False)
    return result


def compare(path, rows, models):
    import cuda_tables  # noqa: PLC0415

    found = judged(path)
    if rows:
        cuda_tables.print_rows(found)
    if models:
        cuda_tables.print_models(found)
    cuda_tables.print_calibration(found)
    cuda_tables.print_sums(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("word", choices=("run", "compare"))
    parser.add_argument("peaks", type=Path)
    parser.add_argument("--rows", action="store_true", help="print each run")
    parser.add_argument("--models", action="store_true", help="print each model")
    given = parser.parse_args()
    if given.word == "run":
        run_all(given.peaks)
    else:
        compare(given.peaks, given.rows, given.models)


if __name__ == "__main__":
    main()
