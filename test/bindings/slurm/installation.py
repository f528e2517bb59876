"""A cluster whose job-submit script is ours, with a model fitted to a formula known beforehand."""

import math
import os
import re
import shutil
import subprocess
from pathlib import Path

from cluster import Cluster

MIB = 1 << 20
BASE, PER_POINT = 200 * MIB, 1000  # bytes: BASE + PER_POINT * batch * dim^3


def need(dim: int, batch: int, base: int = BASE) -> int:
    return base + PER_POINT * batch * dim**3


def mib(dim: int, batch: int, base: int = BASE) -> str:
    """As parse_job has it. A bound of measurements without scatter is what they say, to a millionth."""
    return f"{math.ceil(need(dim, batch, base) * (1 + 1e-9) / MIB)}M"


class Installation(Cluster):
    """`scripts` is bindings/slurm; `lua` has the library's Lua modules as the settings name them: path and cpath."""

    def __init__(self, tool: str, scripts: Path, lua: dict[str, str], clock: str):
        super().__init__()
        self.tool, self.lua = tool, lua
        self.own_scripts = self.directory / "scripts"
        self.models = self.directory / "models"
        self.models.mkdir()
        shutil.copytree(scripts, self.own_scripts)
        self.settings()
        self.fit("unet3d")
        self.entry = self.directory / "job_submit.lua"
        # seconds on the wall instead of processor time; else the script is as it is installed
        self.entry.write_text(
            f'package.cpath = "{clock};" .. package.cpath\nos.clock = require("clock")\n'
            f'return dofile("{self.own_scripts}/job_submit.lua")\n'
        )

    def settings(self, more: str = "", **lua: str):
        """Writes memmodel.conf.lua."""
        ways = "".join(f'lua_{name} = "{way}", ' for name, way in {**self.lua, **lua}.items())
        sizes = 'partitions = { debug = { memory = "16000M", device = "140G" } }, '
        text = f'return {{ model_directory = "{self.models}", {ways}{sizes}{more} }}\n'
        (self.own_scripts / "memmodel.conf.lua").write_text(text)

    def fit(self, name: str, base: int = BASE):
        """Measures and fits: a model file as operators have it."""
        samples = self.directory / f"{name}.csv"
        rows = [f"{dim},{batch},{need(dim, batch, base)}" for dim in (32, 48, 64, 96) for batch in (1, 2, 4, 6, 8)]
        samples.write_text("\n".join(["dim,batch,peak_bytes", *rows]) + "\n")
        options = ["--target", "peak_bytes", "--inputs", "dim,batch", "-o", str(self.models / f"{name}.json")]
        subprocess.run([self.tool, "fit", str(samples), *options], check=True, capture_output=True)

    def reload(self):
        """Slurm loads the script anew when its time of change, in whole seconds, is another."""
        later = self.entry.stat().st_mtime + 10
        os.utime(self.entry, (later, later))

    def times(self, since: int) -> list[int]:
        """Microseconds of each submission whose line in slurmctld's log is beyond `since`."""
        return [int(us) for us in re.findall(r"memmodel: submit took (\d+) us", self.log()[since:])]
