"""What the library says of the recorded models, against onnxruntime's own counters.

usage: compare.py MEMMODEL FOLDER    (MEMMODEL: the command line tool; FOLDER: with arena.json)

Bytes of the first run above the loaded model. `live`: buffers in use at a time, rounded up to 256 bytes, without and
with all graph optimization; `total`: what the arena has taken from the system in its default settings.
"""

from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import sys


def predicted(tool: str, path: pathlib.Path, values: dict[str, int]) -> dict[str, int]:
    command = [tool, "estimate", str(path), "--framework", "onnxruntime", "--inference", "--json"]
    command += ["--steps", "1", "--threads", "1"]
    command += [f"--set={name}={value}" for name, value in values.items()]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    outside = report["categories"]["parameters"] + report["categories"]["inputs"]
    return {"live": report["peak"]["live"] - outside, "total": report["peak"]["reserved"] - outside}


def main(tool: str, folder: pathlib.Path) -> None:
    recorded = json.loads((folder / "arena.json").read_text(encoding="utf-8"))
    errors: dict[str, list[float]] = {}
    for name, entry in recorded["models"].items():
        ours = predicted(tool, folder / f"{name}.onnx", entry["values"])
        line = f"{name:10}"
        for level in ("none", "all"):
            measured = {"live": entry[level]["live"], "total": entry[level]["total"] - entry[level]["loaded"]}
            for key in ("live", "total"):
                error = ours[key] / measured[key] - 1
                errors.setdefault(f"{key}, optimization {level}", []).append(abs(error))
                line += f" | {level} {key} {ours[key]:,} {measured[key]:,} {100 * error:+.2f} %"
        print(line)
    for what, found in errors.items():
        median, worst = 100 * statistics.median(found), 100 * max(found)
        print(f"{what}: median {median:.2f} %, worst {worst:.2f} %, {len(found)} models")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
