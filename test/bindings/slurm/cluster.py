"""A Slurm that lives in a temporary directory, for tests: slurmctld, slurmd for each node and a munged of its own.

It shares nothing with a Slurm that the machine may already run: ports, sockets, keys, state and logs are its own. A
guard process ends the daemons and removes the directory when the program that started them ends in whatever way.
"""

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = {
    "munged": "munge",
    "slurmctld": "slurm-wlm",
    "slurmd": "slurm-wlm",
    "sbatch": "slurm-wlm",
    "scontrol": "slurm-wlm",
}
PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"  # daemons are not in every user's
NODE_MEMORY = 16000  # MiB, whatever the machine has: config_overrides
NODE_VRAM = 140 << 30
START_SECONDS = 60
MEMORY_CGROUPS = Path("/sys/fs/cgroup/memory")
MEMORY_LIMITS = """CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
ConstrainRAMSpace=yes
"""  # of cgroup.conf

# One setting a line, as slurm.conf(5) wants it. Source of what works without cgroups and without slurmdbd: Slurm 22.05.
SLURM_CONF = """\
ClusterName=memmodel
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmdParameters=config_overrides
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin={task_plugin}
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
{accounting}
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool-%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd-%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd-%n.log
SlurmctldDebug=debug
JobSubmitPlugins=lua
GresTypes=gpu,vram
{nodes}
PartitionName=debug Nodes=ALL Default=YES MaxTime=10 State=UP DefMemPerNode=1000
PartitionName=small Nodes=ALL MaxTime=10 State=UP DefMemPerNode=1000 MaxMemPerNode=4000
PartitionName=percpu Nodes=ALL MaxTime=10 State=UP DefMemPerCPU=100 MaxMemPerCPU=1000
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory={memory}"
NODE += " Gres=gpu:h200:1,vram:{vram} State=UNKNOWN"


def cgroup_plugin() -> str:
    """What leaves the machine's cgroups alone, so that none need be there, or be writable.

    Before 23.02 Slurm cannot be told to load none: then the one that looks for no cgroup by itself, unlike the default.
    """
    said = subprocess.run([shutil.which("slurmd", path=PATH), "-V"], capture_output=True, text=True, check=True).stdout
    version = tuple(int(part) for part in said.split()[-1].split(".")[:2])
    return "disabled" if version >= (23, 2) else "cgroup/v1"


def cgroups_missing() -> list[str]:
    """What this machine lacks for Slurm to hold a job to its --mem: cgroups of version 1 that may be written.

    With those of version 2 Slurm 22.05 asks systemd for a part of the tree, which containers do not have.
    """
    try:
        trial = Path(tempfile.mkdtemp(prefix="memmodel-", dir=MEMORY_CGROUPS))
    except OSError:
        return ["a memory cgroup of version 1 that may be written"]
    trial.rmdir()
    return []


def missing() -> list[str]:
    """What this machine lacks to run a cluster, by name."""
    lacking = sorted({package for program, package in PROGRAMS.items() if not shutil.which(program, path=PATH)})
    plugins = Path("/usr/lib").glob("*/slurm-wlm/job_submit_lua.so")
    if not lacking and not any(plugins):
        lacking.append("job_submit/lua")
    return lacking + (["root"] if os.geteuid() else [])


def skip_if_missing():
    """Ends the program as skipped, and says why, where no cluster can be started."""
    lacking = missing()
    if lacking:
        print("skipped, missing:", ", ".join(lacking))
        sys.exit(77)


def poll(condition, what: str, seconds: float = START_SECONDS):
    """The first true value of condition()."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds:g} s")
        time.sleep(0.02)


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Cluster(contextlib.AbstractContextManager):
    """`with Cluster() as cluster:` a running cluster; the job-submit script is in cluster.directory beforehand.

    nodes: their names; this machine's unless given. accounting: lines of slurm.conf. limited: the kernel holds jobs to
    their --mem; the nodes' names are among those of the machine's cgroups.
    """

    def __init__(
        self, *nodes: str, accounting: str = "AccountingStorageType=accounting_storage/none", limited: bool = False
    ):
        self.host = socket.gethostname().split(".")[0]
        self.nodes, self.accounting, self.limited = nodes or (self.host,), accounting, limited
        self.directory = Path(tempfile.mkdtemp(prefix="memmodel-slurm-"))
        self.guard = subprocess.Popen(
            [sys.executable, __file__, "--guard", str(self.directory)], stdin=subprocess.PIPE, start_new_session=True
        )
        self.environment = dict(os.environ, SLURM_CONF=str(self.directory / "slurm.conf"))
        self.environment.pop("SBATCH_PARTITION", None)
        self.processes: dict[str, subprocess.Popen] = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.guard.stdin.close()
        self.guard.wait(timeout=60)
        for process in self.processes.values():
            process.wait(timeout=60)

    # ---- daemons ----

    def write_configuration(self):
        controller_port, *ports = free_ports(1 + len(self.nodes))
        common = dict(host=self.host, memory=NODE_MEMORY, vram=NODE_VRAM)
        nodes = [NODE.format(name=name, port=port, **common) for name, port in zip(self.nodes, ports, strict=True)]
        values = dict(
            host=self.host,
            directory=self.directory,
            controller_port=controller_port,
            accounting=self.accounting,
            task_plugin="task/cgroup" if self.limited else "task/none",
            nodes="\n".join(nodes),
        )
        for name in ("state", *(f"spool-{node}" for node in self.nodes)):
            (self.directory / name).mkdir()
        (self.directory / "slurm.conf").write_text(SLURM_CONF.format(**values))
        (self.directory / "gres.conf").write_text(f"Name=gpu Type=h200 File=/dev/null\nName=vram Count={NODE_VRAM}\n")
        alone = f"CgroupPlugin={cgroup_plugin()}\n"
        (self.directory / "cgroup.conf").write_text(MEMORY_LIMITS if self.limited else alone)
        self.directory.chmod(0o755)
        key = self.directory / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)

    def launch(self, name: str, *arguments: str, called: str | None = None):
        """A daemon in the foreground. called: what it is known by here, where there are several of it."""
        called = called or name
        with (self.directory / f"{called}.out").open("ab") as output:
            process = subprocess.Popen(
                [shutil.which(name, path=PATH), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self.environment,
                cwd=self.directory,
                start_new_session=True,
            )
        self.processes[called] = process

    def start(self):
        self.write_configuration()
        own = self.directory
        files = {"socket": "munge.socket", "key-file": "munge.key", "pid-file": "munge.pid", "seed-file": "munge.seed"}
        options = [f"--{option}={own / file}" for option, file in files.items()]
        self.launch("munged", "--foreground", "--force", *options, f"--log-file={own / 'munge.log'}")
        self.poll_daemon("munged", (own / "munge.socket").exists)
        self.start_controller()
        for node in self.nodes:
            self.start_node(node)
        return self

    def start_node(self, node: str):
        name = f"slurmd-{node}"
        self.launch("slurmd", "-D", "-N", node, "-f", str(self.directory / "slurm.conf"), called=name)
        words = ("sinfo", "-h", "-N", "-n", node, "-o", "%T")
        self.poll_daemon(name, lambda: "idle" in self.command(*words, check=False).stdout)

    def start_controller(self):
        self.launch("slurmctld", "-D", "-f", str(self.directory / "slurm.conf"))
        self.poll_daemon("slurmctld", lambda: "UP" in self.command("scontrol", "ping", check=False).stdout.split())

    def poll_daemon(self, name: str, ready):
        """Waits for a daemon; one that ends or takes too long is told with its last words."""

        def look():
            if self.processes[name].poll() is not None:
                raise ChildProcessError(f"{name} ended")
            return ready()

        try:
            poll(look, name)
        except (ChildProcessError, TimeoutError) as error:
            words = (self.directory / f"{name}.out").read_text(errors="replace")
            raise RuntimeError(f"{error}:\n{words[-4000:]}") from error

    def stop(self, name: str):
        process = self.processes.pop(name)
        process.terminate()
        process.wait(timeout=60)

    def log(self, name: str = "slurmctld") -> str:
        return (self.directory / f"{name}.log").read_text(errors="replace")

    # ---- what a user does ----

    def command(self, *arguments: str, check: bool = True, **settings) -> subprocess.CompletedProcess:
        return subprocess.run(
            arguments,
            env=self.environment,
            cwd=self.directory,
            capture_output=True,
            text=True,
            timeout=60,
            check=check,
            **settings,
        )

    def submit(self, *arguments: str, script: str = "#!/bin/sh\nsleep 1\n") -> subprocess.CompletedProcess:
        """sbatch, with the script on its standard input."""
        return self.command("sbatch", "--parsable", "--output=%j.out", *arguments, input=script, check=False)

    def jobs(self) -> dict[int, dict[str, str]]:
        """Every job that slurmctld knows, by its number, as `scontrol show job` tells it."""
        known = {}
        for line in self.command("scontrol", "-o", "show", "job", check=False).stdout.splitlines():
            job = parse_job(line)
            if job:
                known[int(job["JobId"])] = job
        return known

    def job(self, number: int) -> dict[str, str]:
        return parse_job(self.command("scontrol", "-o", "show", "job", str(number)).stdout)

    def wait(self, number: int, seconds: float = START_SECONDS) -> dict[str, str]:
        """The job once it has ended."""
        ended = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL"}

        def look():
            job = self.job(number)
            return job if job["JobState"] in ended else None

        return poll(look, f"the end of job {number}", seconds)

    def output(self, number: int) -> str:
        return (self.directory / f"{number}.out").read_text()


def mebibytes(size: str) -> str:
    """scontrol writes 1024M as 1G."""
    return f"{int(size[:-1]) * 1024}M" if size.endswith("G") else size


def parse_job(line: str) -> dict[str, str]:
    """One line of `scontrol -o show job`. In a comment, words with "=" of its own do not begin with a capital."""
    fields, free = {}, None
    for word in line.split():
        name, equals, value = word.partition("=")
        if equals and name[:1].isupper():
            fields[name] = mebibytes(value) if name.startswith("MinMemory") else value
            free = name if name in ("AdminComment", "Comment", "JobName") else None
        elif free:
            fields[free] += f" {word}"
    return fields


# ---- the guard ----


def of_cluster(directory: Path) -> list[int]:
    """Processes that know the cluster's configuration by their environment: its jobs, and what watches over them."""
    mark = f"SLURM_CONF={directory}/slurm.conf".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
    return found


def kill(pids: list[int]) -> list[int]:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return pids


def remove_cgroups(directory: Path):
    """Those that the nodes of a limited cluster made, from the innermost on."""
    if not (directory / "cgroup.conf").exists() or (directory / "cgroup.conf").read_text() != MEMORY_LIMITS:
        return
    for spool in directory.glob("spool-*"):
        for folder, _, _ in os.walk(MEMORY_CGROUPS / spool.name.replace("spool-", "slurm_", 1), topdown=False):
            with contextlib.suppress(OSError):
                Path(folder).rmdir()


def guard(directory: Path):
    """Waits until whoever holds the other end of stdin is gone, then leaves nothing behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()
    poll(lambda: not kill(of_cluster(directory)), f"the end of {directory}", 30)
    remove_cgroups(directory)
    shutil.rmtree(directory, ignore_errors=True)


def main(arguments: list[str]):
    if arguments[:1] == ["--guard"]:
        guard(Path(arguments[1]))
        return
    with Cluster() as cluster:  # to look at one by hand
        (cluster.directory / "job_submit.lua").write_text(
            "function slurm_job_submit() return slurm.SUCCESS end\nslurm_job_modify = slurm_job_submit\n"
            "return slurm.SUCCESS\n"
        )
        cluster.start()
        print(json.dumps({"SLURM_CONF": cluster.environment["SLURM_CONF"]}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
