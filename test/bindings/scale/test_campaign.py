"""Campaigns on real executors: a Dask cluster whose worker is killed half-way, and a Slurm of two nodes.

usage: test_campaign.py TOOL [unittest's arguments]
"""

import csv
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "slurm"))
import campaigns
import cluster
import memmodel
from memmodel import _campaign_command, _executors

TOOL = str(Path(sys.argv[1]).resolve())
os.environ |= {"MEMMODEL_TOOL": TOOL, "MEMMODEL_PYTHON": sys.executable}
TOTAL = campaigns.SIZES * campaigns.BATCHES
SUBMIT_LUA = """function slurm_job_submit() return slurm.SUCCESS end
slurm_job_modify = slurm_job_submit
return slurm.SUCCESS
"""


def needs(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"this Python has no {', '.join(missing)}")


class Case(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)


@needs("distributed")
class Dask(Case):
    def test_a_killed_worker_costs_nothing_and_nothing_is_run_twice(self):
        import distributed

        given, points = _campaign_command.read(campaigns.write(self.folder))
        del given["executor"], given["settings"]
        killed = []

        def kill_half_way(progress):
            if progress.done >= TOTAL // 2 and not killed:
                killed.append(next(iter(workers.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers,
            distributed.Client(workers) as client,
        ):
            made = memmodel.campaign(points=points, executor=client.get_executor(), progress=kill_half_way, **given)
        self.assertEqual((len(killed), made.measured, made.limits, made.lost), (1, TOTAL, 1, []))
        self.assertEqual(campaigns.count(self.folder, "began"), dict.fromkeys(campaigns.points(), 1))
        campaigns.check_table(self, self.folder)

    def test_a_cluster_of_its_own_is_a_word_of_the_spec(self):
        spec = self.folder / "campaign.toml"
        spec.write_text('command = "true {size}"\nexecutor = "dask"\nworkers = 1\n[grid]\nsize = [1, 2]\n')
        made = subprocess.run([TOOL, "campaign", spec], capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual([row["size"] for row in campaigns.rows(self.folder / "samples.csv")], ["1", "2"])


SMALL = 'command = "true {size}"\nexecutor = "NAME"\nworkers = 2\n[grid]\nsize = "1:6"\n'


class Others(Case):
    """Where they are installed."""

    def check(self, name: str, *words: str, **environment: str):
        (self.folder / "campaign.toml").write_text(SMALL.replace("NAME", name))
        made = subprocess.run(
            [*words, "campaign", self.folder / "campaign.toml"], capture_output=True, text=True, check=False,
            env={**os.environ, **environment}, timeout=200,
        )  # fmt: skip
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual([row["size"] for row in campaigns.rows(self.folder / "samples.csv")], list("123456"))

    @needs("ray")
    def test_ray_measures(self):
        self.check("ray", TOOL, HOME=str(self.folder))

    @needs("mpi4py")
    @unittest.skipUnless(Path(sys.executable).with_name("mpiexec").exists(), "this Python has no mpiexec beside it")
    def test_processes_of_mpi_measure(self):
        mpiexec = Path(sys.executable).with_name("mpiexec")
        self.check("mpi", mpiexec, "-n", "3", sys.executable, "-m", "mpi4py.futures", "-m", "memmodel._commands")


@needs("submitit")
@unittest.skipIf(cluster.missing(), f"missing: {', '.join(cluster.missing())}")
class Slurm(Case):
    def setUp(self):
        super().setUp()
        self.site = cluster.Cluster("n1", "n2")
        self.addCleanup(self.site.close)
        (self.site.directory / "job_submit.lua").write_text(SUBMIT_LUA)
        self.site.start()

    def start(self, settings: str) -> subprocess.Popen:
        spec = campaigns.write(self.folder, 'executor = "slurm"', f"[slurm]\ntime = 10\npoll_seconds = 0.5\n{settings}")
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([TOOL, "campaign", spec], env=self.site.environment, **pipes)

    def test_an_array_on_two_nodes_of_which_a_task_is_killed_half_way(self):
        process = self.start("points_per_task = 10\n")
        cluster.poll(lambda: campaigns.count(self.folder, "ended").total() >= TOTAL // 3, "a third of the runs", 300)
        running = self.site.command("squeue", "-h", "-r", "-t", "R", "-o", "%i").stdout.split()
        self.site.command("scancel", running[0])
        said, errors = process.communicate(timeout=400)
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertIn(f"{TOTAL} of {TOTAL} points are in ", said)
        campaigns.check_table(self, self.folder)
        # What had ended was not begun again: only the one that the task was killed in may have begun twice.
        began = campaigns.count(self.folder, "began")
        self.assertEqual(set(began), set(campaigns.points()))
        self.assertLessEqual(began.total(), TOTAL + 1)
        nodes = {line.split("|")[1] for line in self.ended_tasks()}
        self.assertEqual(nodes, {"n1", "n2"})

    def ended_tasks(self) -> list[str]:
        return self.site.command("squeue", "-h", "-r", "-t", "all", "-o", "%i|%N").stdout.split()

    def test_an_unknown_partition_is_said(self):
        process = self.start('partition = "nowhere"\n')
        _, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(errors, "memmodel campaign: Slurm: .*invalid partition specified: nowhere\n$")


MEMORY = 200  # MiB of a job
HOLD = "import sys; x = b'x' * (int(sys.argv[1]) << 20)"


def hold(mib: int) -> int:
    return len(b"x" * (mib << 20))


@needs("submitit")
@unittest.skipIf(lacking := [*cluster.missing(), *cluster.cgroups_missing()], f"missing: {', '.join(lacking)}")
class SlurmThatLimits(Case):
    """The kernel holds jobs to their --mem."""

    def setUp(self):
        super().setUp()
        self.site = cluster.Cluster(f"n{os.getpid()}", limited=True)
        self.addCleanup(self.site.close)
        (self.site.directory / "job_submit.lua").write_text(SUBMIT_LUA)
        self.site.start()

    def test_a_run_that_is_killed_is_a_lower_limit(self):
        (self.folder / "campaign.toml").write_text(
            f'command = ["python3", "-S", "-c", "{HOLD}", "{{mib}}"]\nexecutor = "slurm"\n'
            f'[slurm]\nmem = "{MEMORY}M"\ntime = 10\npoll_seconds = 0.5\n[grid]\nmib = [20, {2 * MEMORY}]\n'
        )
        line = [TOOL, "campaign", self.folder / "campaign.toml"]
        made = subprocess.run(line, env=self.site.environment, capture_output=True, text=True, check=False)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        fits, killed = campaigns.rows(self.folder / "samples.csv")
        self.assertEqual((fits["status"], killed["status"]), ("ok", "OUT_OF_MEMORY"))
        self.assertTrue(MEMORY / 2 < int(killed["peak_bytes"]) / 2**20 < MEMORY + 20, killed)

    def test_a_job_that_is_killed_had_too_little_and_what_shared_it_is_done_again(self):
        os.environ["SLURM_CONF"] = self.site.environment["SLURM_CONF"]
        self.addCleanup(os.environ.pop, "SLURM_CONF")
        settings = {"folder": str(self.folder), "mem": f"{MEMORY}M", "time": 10, "poll_seconds": 0.5}
        with _executors.executor_of("slurm", None, {**settings, "points_per_task": 2}) as chosen:
            small, large = chosen.submit(hold, 20), chosen.submit(hold, 2 * MEMORY)
            self.assertEqual(small.result(timeout=200), 20 << 20)
            error = large.exception(timeout=200)
        self.assertIsInstance(error, _executors.OutOfMemoryError)
        self.assertEqual(error.bytes, MEMORY << 20)
        self.assertRegex(str(error), "^Slurm job .*: OUT_OF_MEMORY$")


class OneProcess(Case):
    def test_its_table_is_the_same(self):
        spec = campaigns.write(self.folder)
        made = subprocess.run([TOOL, "campaign", spec], capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        campaigns.check_table(self, self.folder)
        with (self.folder / "samples.csv").open() as lines:
            self.assertEqual(len(list(csv.reader(lines))), 1 + TOTAL)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
