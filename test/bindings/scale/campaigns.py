"""A campaign of 200 small runs, and what its table must hold."""

import csv
from collections import Counter
from pathlib import Path

SIZES, BATCHES, LIMIT = 20, 10, 204  # MiB: with an interpreter of 9 only the largest run goes over it

# Says that it began, takes a MiB for each product, and says that it ended.
PROGRAM = """import os, sys
size, batch = map(int, sys.argv[1:3])
def say(name):
    with open(os.path.join(sys.argv[3], name), "a") as file:
        file.write(f"{size},{batch}\\n")
say("began")
x = b"x" * (size * batch << 20)
say("ended")
"""


def write(folder: Path, more: str = "", settings: str = "") -> Path:
    (folder / "train.py").write_text(PROGRAM)
    spec = folder / "campaign.toml"
    spec.write_text(
        f'command = ["python3", "-S", "{folder}/train.py", "{{size}}", "{{batch}}", "{folder}"]\n'
        f'samples = "samples.csv"\nlimit = "{LIMIT}MiB"\n{more}\n'
        f'[grid]\nsize = "1:{SIZES}"\nbatch = "1:{BATCHES}"\n{settings}'
    )
    return spec


def points() -> list[tuple[str, str]]:
    return [(str(size), str(batch)) for size in range(1, SIZES + 1) for batch in range(1, BATCHES + 1)]


def rows(table: Path) -> list[dict[str, str]]:
    with table.open() as lines:
        return list(csv.DictReader(lines))


def count(folder: Path, name: str) -> Counter:
    path = folder / name
    return Counter(tuple(line.split(",")) for line in path.read_text().splitlines()) if path.exists() else Counter()


def check_table(case, folder: Path):
    """All points in their order, each with its own peak: a MiB for each product beside the interpreter."""
    made = rows(folder / "samples.csv")
    case.assertEqual([(row["size"], row["batch"]) for row in made], points())
    for row in made:
        product, peak = int(row["size"]) * int(row["batch"]), int(row["peak_bytes"]) / 2**20
        over = product == SIZES * BATCHES
        case.assertEqual(row["status"], "limit" if over else "ok", row)
        case.assertLess(abs(peak - min(product, LIMIT) - 9), 8, row)
