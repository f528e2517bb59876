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

# The script as it is installed, with seconds on the wall where it has processor time; that is logged besides.
ENTRY = """package.cpath = "%s;" .. package.cpath
local clock = require("clock")
os.clock = clock.wall
local loaded = dofile("%s/job_submit.lua")
local submit = slurm_job_submit
function slurm_job_submit(...)
    local start = clock.processor()
    local code = submit(...)
    local had = (clock.processor() - start) * 1e6
    slurm.log_debug("%%s", string.format("memmodel: submit had %%.0f us of a processor", had))
    return code
end
return loaded
"""


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
        self.entry.write_text(ENTRY % (clock, self.own_scripts))

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

    def processor_times(self, since: int) -> list[int]:
        return [int(us) for us in re.findall(r"memmodel: submit had (\d+) us of a processor", self.log()[since:])]
