"""What the library says of the recorded models, against onnxruntime's own counters.

usage: compare.py MEMMODEL FOLDER    (MEMMODEL: the command line tool; FOLDER: with arena.json)

Bytes above the loaded model, at each level of graph optimization. `live`: buffers of the first run in use at a time,
and `later_live` of two runs, rounded up to 256 bytes; `total`, `later_total`: what the arena has taken from the
system in its default settings.
"""

from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import sys

LEVELS = {"none": "disable", "basic": "basic", "extended": "extended", "all": "all"}  # as recorded, as a job says it


def predicted(tool: str, path: pathlib.Path, values: dict[str, int], level: str, runs: int) -> tuple[int, int]:
    """Bytes in use, and taken of the system."""
    command = [tool, "estimate", str(path), "--framework", "onnxruntime", "--mode", "inference", "--json"]
    command += ["--isa", "avx2", "--steps", str(runs), "--intra-op-threads", "1", "--graph-optimization", LEVELS[level]]
    command += [f"--set={name}={value}" for name, value in values.items()]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    outside = report["categories"]["parameters"] + report["categories"]["inputs"]
    return report["peak"]["live"] - outside, report["peak"]["reserved"] - outside


def main(tool: str, folder: pathlib.Path) -> None:
    recorded = json.loads((folder / "arena.json").read_text(encoding="utf-8"))
    errors: dict[str, list[float]] = {}
    for name, entry in recorded["models"].items():
        for level in LEVELS:
            for runs, prefix in enumerate(("", "later_"), 1):
                live, total = predicted(tool, folder / f"{name}.onnx", entry["values"], level, runs)
                measured = entry[level]
                pairs = {
                    f"{prefix}live": (live, measured[f"{prefix}live"]),
                    f"{prefix}total": (total, measured[f"{prefix}total"] - measured["loaded"]),
                }
                for key, (ours, theirs) in pairs.items():
                    error = ours / theirs - 1
                    errors.setdefault(f"{level:8} {key}", []).append(abs(error))
                    if abs(error) > 0.001:
                        print(f"{name}, {level}, {key}: {ours:,} against {theirs:,}, {100 * error:+.2f} %")
    for what, found in sorted(errors.items()):
        median, worst, exact = 100 * statistics.median(found), 100 * max(found), sum(error < 0.001 for error in found)
        print(f"{what:22} median {median:.2f} %, worst {worst:.2f} %, {exact} of {len(found)} within 0.1 %")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
