"""What the library says of the recorded models, against onnxruntime's own counters.

usage: compare.py MEMMODEL FOLDER    (MEMMODEL: the command line tool; FOLDER: with arena.json)

Columns: bytes of the first run above the loaded model: predicted live, measured without graph optimization and with all
of it, and the relative differences. The arena hands out pieces of a multiple of 256 bytes, and pieces of up to twice
the size where it does not split one, so that its counter lies above the tensors.
"""

from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import sys


def predicted(tool: str, path: pathlib.Path, values: dict[str, int]) -> int:
    command = [tool, "estimate", str(path), "--framework", "onnxruntime", "--inference", "--json"]
    command += ["--steps", "1", "--threads", "1"]
    command += [f"--set={name}={value}" for name, value in values.items()]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    at_peak = report["categories"]
    return int(sum(at_peak.values()) - at_peak.get("parameters", 0) - at_peak.get("inputs", 0))


def main(tool: str, folder: pathlib.Path) -> None:
    recorded = json.loads((folder / "arena.json").read_text(encoding="utf-8"))
    errors: dict[str, list[float]] = {"none": [], "all": [], "live": []}
    for name, entry in recorded["models"].items():
        ours = predicted(tool, folder / f"{name}.onnx", entry["values"])
        line = f"{name:10} {ours:12,}"
        for level in ("none", "all"):
            for key in ("live", "peak") if level == "none" else ("peak",):
                if key not in entry[level]:
                    continue
                measured = entry[level][key] - (entry[level]["loaded"] if key == "peak" else 0)
                error = ours / measured - 1
                errors["live" if key == "live" else level].append(abs(error))
                line += f" | {level} {key} {measured:12,} {100 * error:+7.2f} %"
        print(line)
    for level, found in errors.items():
        if found:
            print(f"{level}: median {100 * statistics.median(found):.2f} %, worst {100 * max(found):.2f} %")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
