"""What a submission costs inside slurmctld: JSON lines, in microseconds on the wall and of a processor.

usage: bench_slurm.py TOOL SCRIPT_DIRECTORY LUA_PATH LUA_CPATH CLOCK_CPATH

Ends with 77 where no Slurm can be started.
"""

import json
import os
import sys
from pathlib import Path

import cluster
from installation import Installation

SUBMISSIONS, HOSTILE_SUBMISSIONS, LOADS = 300, 50, 20

SCRIPTS = {
    "submission, no model": "#!/bin/sh\ntrue\n",
    "submission, bound": "#!/bin/sh\n#MEMMODEL model=unet3d dim=64 batch=4\ntrue\n",
    "submission, refused": "#!/bin/sh\n#MEMMODEL model=unet3d dim=64 batch=400\ntrue\n",
}
# The longest that sbatch takes: a script of 1 MiB, and 100 KiB of an option, a word of Linux.
LONG = 100 * 1024
HOSTILE_SCRIPT = "#!/bin/sh\n#MEMMODEL model=unet3d dim=64 batch="
HOSTILE = {
    "empty lines": "\n",
    "comments": "#\n",
    "requests": "#MEMMODEL a=1\n",
    "digits": "9",
    "words": "a=1 ",
    "models": "unet3d,",
}


def figures(times: list[int]) -> dict[str, int]:
    ordered = sorted(times)
    return dict(median_us=ordered[len(ordered) // 2], p99_us=ordered[len(ordered) * 99 // 100], most_us=ordered[-1])


def measure(site: Installation, what: str, script: str, count: int, before=lambda: None, options=()):
    since = len(site.log())
    for _ in range(count):
        before()
        site.submit("--hold", *options, script=script)
    times = dict(wall=figures(site.times(since)), processor=figures(site.processor_times(since)))
    print(json.dumps({"bench": "slurm", "what": what, "count": count, "load": os.getloadavg()[0], **times}), flush=True)


def main():
    cluster.skip_if_missing()
    tool, scripts, path, cpath, clock = sys.argv[1:]
    with Installation(str(Path(tool).resolve()), Path(scripts), dict(path=path, cpath=cpath), clock) as site:
        site.start()
        measure(site, "first submission of a script", SCRIPTS["submission, bound"], LOADS, site.reload)
        for what, script in SCRIPTS.items():
            measure(site, what, script, SUBMISSIONS)
        for what, piece in HOSTILE.items():
            script = HOSTILE_SCRIPT + piece * (2**20 // len(piece)) + "\ntrue\n"
            word = (piece.strip() or "-") * (LONG // len(piece))
            options = [f"--job-name={word}", f"--comment=memmodel:{word}"]
            measure(site, f"submission, hostile: {what}", script, HOSTILE_SUBMISSIONS, options=options)


if __name__ == "__main__":
    main()
