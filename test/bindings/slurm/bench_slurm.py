"""What a submission costs inside slurmctld: JSON lines, in microseconds on the wall.

usage: bench_slurm.py TOOL SCRIPT_DIRECTORY LUA_PATH LUA_CPATH CLOCK_CPATH

Ends with 77 where no Slurm can be started.
"""

import json
import sys
from pathlib import Path

import cluster
from installation import Installation

SUBMISSIONS, LOADS = 300, 20

SCRIPTS = {
    "submission, no model": "#!/bin/sh\ntrue\n",
    "submission, bound": "#!/bin/sh\n#MEMMODEL model=unet3d dim=64 batch=4\ntrue\n",
    "submission, refused": "#!/bin/sh\n#MEMMODEL model=unet3d dim=64 batch=400\ntrue\n",
}


def report(what: str, times: list[int]):
    ordered = sorted(times)
    figures = dict(median_us=ordered[len(ordered) // 2], p99_us=ordered[len(ordered) * 99 // 100], most_us=ordered[-1])
    print(json.dumps({"bench": "slurm", "what": what, "count": len(ordered), **figures}), flush=True)


def submit(site: Installation, script: str, count: int, before=lambda: None) -> list[int]:
    since = len(site.log())
    for _ in range(count):
        before()
        site.submit("--hold", script=script)
    return site.times(since)


def main():
    cluster.skip_if_missing()
    tool, scripts, path, cpath, clock = sys.argv[1:]
    with Installation(str(Path(tool).resolve()), Path(scripts), dict(path=path, cpath=cpath), clock) as site:
        site.start()
        report("first submission of a script", submit(site, SCRIPTS["submission, bound"], LOADS, site.reload))
        for what, script in SCRIPTS.items():
            report(what, submit(site, script, SUBMISSIONS))


if __name__ == "__main__":
    main()
