"""Finished jobs as samples. Texts are those of Slurm 22.05's sacct, shortened."""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import memmodel
import networks
from memmodel import importing

HEAD = "JobID|JobName|State|MaxRSS|TRESUsageInTot|AllocTRES|ElapsedRaw|NNodes|NTasks|AdminComment|Comment\n"
# A job of Slurm 22.05 with a batch script of 80 MiB beside a step of two tasks of 40 MiB, each with Python's own.
REAL = """1|train-64-4|COMPLETED|||billing=2,cpu=2,mem=200M,node=1|7|1|||memmodel: model=unet3d dim=64 batch=4; more
1.batch|batch|COMPLETED|99123200|cpu=00:00:00,energy=0,fs/disk=1381854,mem=99123200,pages=1|cpu=2,mem=200M,node=1|7|1|1||
1.extern|extern|COMPLETED|900|mem=900|cpu=2,mem=200M,node=1|7|1|1||
1.0|python3|COMPLETED|55709696|cpu=00:00:00,energy=0,fs/disk=2706338,mem=111345664,pages=0|cpu=2,mem=200M,node=1|4|1|2||
"""
ADMIN = "memmodel: model=unet3d batch={} dim={} level=0.95 predicted=9 memory=10 set=1M"
EPILOG = pathlib.Path(__file__).parents[3] / "examples/slurm/task_epilog.sh"


def job(number, used, state="COMPLETED", had="1000M", comment="memmodel: model=unet3d dim=64 batch=4", name="job"):
    return (
        f"{number}|{name}|{state}|||cpu=1,mem={had},node=1|5|1|||{comment}\n"
        f"{number}.batch|batch|{state}|{used}||cpu=1,mem={had},node=1|5|1|1||\n"
    )


class Case(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.table = self.folder / "unet3d.csv"

    def add(self, text, **more):
        return memmodel.import_sacct(HEAD + text, self.table, **more)

    def rows(self, table=None):
        with (table or self.table).open() as lines:
            return list(csv.DictReader(lines))

    def peaks(self):
        return [int(row["peak_bytes"]) for row in self.rows()]


class Rows(Case):
    def test_a_job_takes_its_script_and_the_largest_of_its_steps(self):
        self.add(REAL)
        row = self.rows()[0]
        self.assertEqual(int(row["peak_bytes"]), 99123200 + 111345664)  # one node: tasks of a step are added
        self.assertEqual((row["dim"], row["batch"], row["status"], row["job_id"]), ("64", "4", "ok", "1"))
        self.assertEqual((row["requested_bytes"], row["seconds"]), (str(200 << 20), "7.0"))

    def test_json_says_the_same(self):
        def mem(count):
            return [{"type": "mem", "name": None, "count": count}]

        def step(name, largest, total, tasks):
            usage = {"max": mem(largest), "total": mem(total)}
            counts = {"nodes": {"count": 1}, "tasks": {"count": tasks}}
            return {"step": {"id": name}, **counts, "tres": {"requested": usage}}

        known = {
            "job_id": 1, "name": "train-64-4", "allocation_nodes": 1, "time": {"elapsed": 7},
            "state": {"current": "COMPLETED"}, "tres": {"allocated": mem(200)},
            "comment": {"administrator": None, "job": "memmodel: model=unet3d dim=64 batch=4; more"},
            "steps": [step("batch", 99123200, 99123200, 1), step(0, 55709696, 111345664, 2)],
        }  # fmt: skip
        newer = {**known, "state": {"current": ["COMPLETED"]}, "time": {"elapsed": {"set": True, "number": 7}}}
        self.add(REAL)
        for number, document in enumerate((known, newer)):
            table = self.folder / f"json{number}.csv"
            memmodel.import_sacct(json.dumps({"jobs": [document]}), table)
            for name in ("dim", "batch", "peak_bytes", "requested_bytes", "seconds", "status", "job_id"):
                self.assertEqual(self.rows(table)[0][name], self.rows()[0][name], name)

    def test_one_that_ran_out_of_memory_needed_more_than_it_had(self):
        self.add(job(1, "900M", "OUT_OF_MEMORY") + job(2, "", "OUT_OF_MEMORY") + job(3, "300K", "FAILED"))
        self.assertEqual([row["status"] for row in self.rows()], ["OUT_OF_MEMORY", "OUT_OF_MEMORY", "FAILED"])
        self.assertEqual(self.peaks(), [1000 << 20, 1000 << 20, 300 << 10])

    def test_jobs_without_an_end_or_a_measurement_wait(self):
        text = job(1, "900M", "RUNNING") + job(2, "") + job(3, "1G", "CANCELLED by 1000")
        made = self.add(text)
        self.assertEqual([row["job_id"] for row in self.rows()], ["3"])
        self.assertEqual(self.rows()[0]["status"], "CANCELLED")
        self.add(job(1, "950M"))
        self.assertEqual(([row["job_id"] for row in self.rows()], len(made[0].rows)), (["3", "1"], 1))

    def test_the_plugins_own_words_are_no_inputs(self):
        text = job(1, "1M").replace("||memmodel: model=unet3d dim=64 batch=4", f"|site=a; {ADMIN.format(8, 32)}|")
        self.add(text)
        self.assertEqual({name: self.rows()[0][name] for name in ("batch", "dim")}, {"batch": "8", "dim": "32"})
        self.assertEqual(importing.inputs_of(self.table), ["batch", "dim"])

    def test_inputs_may_stand_in_the_name(self):
        self.add(job(1, "1M", comment="", name="unet3d-64-4") + job(2, "1M", comment="", name="other"),
                 name="unet3d-{dim}-{batch}", model="unet3d")  # fmt: skip
        self.assertEqual([(row["dim"], row["batch"]) for row in self.rows()], [("64", "4")])
        with self.assertRaisesRegex(ValueError, "'unet3d' is no pattern"):
            self.add("", name="unet3d")

    def test_each_model_has_its_table(self):
        text = HEAD + job(1, "1M") + job(2, "1M", comment="memmodel: model=vit length=197")
        memmodel.import_sacct(text, self.folder)
        self.assertEqual(self.rows(self.folder / "vit.csv")[0]["length"], "197")
        with self.assertRaisesRegex(ValueError, "the jobs name the models unet3d, vit"):
            memmodel.import_sacct(text, self.folder / "both.csv")

    def test_a_job_is_imported_once_however_many_do_so(self):
        text = "".join(job(number, f"{number}M") for number in range(1, 101))
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda _: self.add(text), range(16)))
        self.assertEqual(sorted(int(row["job_id"]) for row in self.rows()), list(range(1, 101)))

    def test_a_row_may_be_fitted_to_without_naming_inputs(self):
        self.add("".join(job(n, f"{50 + 10 * n}M", comment=f"memmodel: model=unet3d batch={n}") for n in range(1, 9)))
        with self.assertLogs("memmodel"):  # what it leaves out
            self.assertEqual(memmodel.fit(self.table, "peak_bytes").inputs, ("batch",))


class Drifting(Case):
    def model(self):
        columns = {"batch": [], "peak_bytes": []}
        for batch in range(1, 21):
            columns["batch"].append(batch)
            columns["peak_bytes"].append((100 + 50 * batch + batch % 3) << 20)  # a scatter of 2 MiB
        return memmodel.fit(columns, "peak_bytes", ["batch"])

    def rows_of(self, law, count=20, status="ok"):
        return [
            {"batch": str(batch), "peak_bytes": str(law(batch)), "status": status} for batch in range(1, count + 1)
        ]  # fmt: skip

    def test_what_the_model_says_is_no_alarm(self):
        drift = memmodel.drift_of(self.model(), self.rows_of(lambda batch: (101 + 50 * batch) << 20))
        self.assertEqual((drift.rows, drift.reason), (20, ""))

    def test_more_above_the_bound_than_chance_allows_is_one(self):
        drift = memmodel.drift_of(self.model(), self.rows_of(lambda batch: (200 + 50 * batch) << 20))
        self.assertEqual((drift.above, drift.reason), (20, "20 of 20 jobs are above the 95% bound"))

    def test_much_less_than_predicted_is_one_and_a_little_less_is_none(self):
        drift = memmodel.drift_of(self.model(), self.rows_of(lambda batch: (60 + 30 * batch) << 20))
        self.assertEqual(drift.reason, "the median of 20 jobs is 0.60 of what it predicts")
        slight = memmodel.drift_of(self.model(), self.rows_of(lambda batch: (96 + 48 * batch) << 20))
        self.assertEqual(slight.reason, "")

    def test_one_job_above_the_bound_is_luck(self):
        rows = self.rows_of(lambda batch: (101 + 50 * batch + 100 * (batch == 7)) << 20)
        self.assertEqual(memmodel.drift_of(self.model(), rows).reason, "")

    def test_limits_below_the_bound_say_nothing(self):
        rows = self.rows_of(lambda batch: 1 << 20, status="TIMEOUT")
        self.assertEqual(memmodel.drift_of(self.model(), rows).rows, 0)

    def test_the_tail_is_the_binomials(self):
        # of 3 fair coins at least 2: 4 of 8; of 20 with 0.05 at least 1: 1 - 0.95^20
        self.assertAlmostEqual(importing.binomial_tail(3, 2, 0.5), 0.5)
        self.assertAlmostEqual(importing.binomial_tail(20, 1, 0.05), 1 - 0.95**20)
        self.assertEqual((importing.binomial_tail(5, 0, 0.1), importing.binomial_tail(5, 6, 0.1)), (1.0, 0.0))


class Tool(Case):
    def run_it(self, *words, text=None):
        made = subprocess.run(
            [networks.TOOL, "import", "sacct", *words], cwd=self.folder, input=text, capture_output=True, text=True,
            env={**os.environ, "MEMMODEL_PYTHON": sys.executable}, check=False,
        )  # fmt: skip
        return made.returncode, made.stdout, made.stderr

    def jobs(self, law, first=1):
        rows = [(1 + n % 20, law(1 + n % 20) + (n * 7 % 9 << 20)) for n in range(40)]  # a scatter of 8 MiB
        return HEAD + "".join(
            job(first + n, str(peak), comment=f"memmodel: model=unet3d batch={batch}")
            for n, (batch, peak) in enumerate(rows)
        )

    def test_tables_and_models_follow_the_jobs_and_a_model_that_did_not_hold_is_an_alarm(self):
        words = ("-", "-o", "samples", "--refit", "models")
        code, said, errors = self.run_it(*words, text=self.jobs(lambda batch: (100 + 50 * batch) << 20))
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("samples/unet3d.csv: 40 jobs\nmodels/unet3d.json: peak_bytes = ", said)
        again = self.run_it(*words, text=self.jobs(lambda batch: (100 + 50 * batch) << 20))
        self.assertEqual((again[0], again[1]), (0, "samples/unet3d.csv: 0 jobs, 40 were there\n"))
        code, _, errors = self.run_it(*words, text=self.jobs(lambda batch: (300 + 50 * batch) << 20, first=100))
        self.assertEqual(code, 4)
        alarm = "memmodel import: model unet3d no longer holds: 40 of 40 jobs are above the 95% bound\n"
        self.assertTrue(errors.endswith(alarm), errors)
        self.assertEqual(len(self.rows(self.folder / "samples/unet3d.csv")), 80)

    def test_a_wrong_line_is_named_and_left_out(self):
        text = HEAD + job(1, "1M") + "2|too|few\n" + job(3, "many")
        (self.folder / "jobs.txt").write_text(text)
        code, said, errors = self.run_it("jobs.txt", "-o", "unet3d.csv")
        self.assertEqual(code, 0)
        self.assertIn("jobs.txt:4: 3 fields, where 11 have names\n", errors)
        self.assertIn("jobs.txt:6: MaxRSS: 'many' is no size\n", errors)
        self.assertIn("left out: 1 jobs ended before their memory was sampled", said)

    def test_what_sacct_has_not_printed_is_refused(self):
        for text, error in (
            ("", "standard input:1: no line of names from JobID on"),
            ("JobID|JobName\n", "standard input:1: State is missing; ask sacct for --format=JobID,JobName,State"),
            ("{", "standard input:1: no JSON: "),
            ('{"jobs": 1}', "standard input: no list of jobs"),
            ('{"meta": 1}', "standard input: no list of jobs"),
        ):
            with self.subTest(text=text):
                code, _, errors = self.run_it("-", text=text)
                self.assertTrue(code == 1 and errors.startswith(f"memmodel import: {error}"), (code, errors))
                self.assertEqual(errors.count("\n"), 1, errors)

    def test_peaks_of_control_groups_are_a_column(self):
        (self.folder / "group").mkdir()
        (self.folder / "group/cgroup").write_text("0::/slurmstepd.scope/job_17/step_0/user/task_0\n")
        peak = self.folder / "groups/slurmstepd.scope/job_17/memory.peak"
        peak.parent.mkdir(parents=True)
        for size in (5000, 7000, 6000):
            peak.write_text(f"{size}\n")
            own = {"MEMMODEL_PEAKS": "peaks", "MEMMODEL_CGROUPS": "groups", "MEMMODEL_OWN_CGROUP": "group/cgroup"}
            subprocess.run(["sh", EPILOG], cwd=self.folder, env={**os.environ, **own, "SLURM_JOB_ID": "17"}, check=True)
        code, _, errors = self.run_it("-", "-o", "t.csv", "--cgroup-peaks", "peaks", text=HEAD + job(17, "1M"))
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(self.rows(self.folder / "t.csv")[0]["cgroup_bytes"], "7000")
        (self.folder / "peaks").write_text("17,5000\n18\n")
        _, _, errors = self.run_it("-", "--cgroup-peaks", "peaks", text=HEAD)
        self.assertIn("peaks:2: JOB,BYTES is needed, not '18'", errors)

    def group_of(self, version, files):
        """What the script adds for job 17, which has these files in its group of that version."""
        line, root = {1: ("5:cpu:/x\n4:hugetlb,memory:", "groups/memory"), 2: ("0::", "groups")}[version]
        (self.folder / "own").write_text(f"{line}/slurm/job_17/step_0/task_0\n")
        for name, text in files.items():
            path = self.folder / root / "slurm/job_17" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        own = {"MEMMODEL_PEAKS": "peaks", "MEMMODEL_CGROUPS": "groups", "MEMMODEL_OWN_CGROUP": "own"}
        environment = {**os.environ, **own, "SLURM_JOB_ID": "17"}
        subprocess.run(["sh", EPILOG], cwd=self.folder, env=environment, check=True)
        return (self.folder / "peaks").read_text()

    def test_the_script_counts_kills_in_groups_of_either_version(self):
        both = {
            2: {"memory.peak": "7000\n", "memory.max": "8000\n", "memory.events": "oom 2\noom_kill 2\n",
                "step_0/memory.events": "oom 2\noom_kill 2\n"},  # the job's has those of its steps
            1: {"memory.max_usage_in_bytes": "7000\n", "memory.limit_in_bytes": "8000\n",
                "memory.oom_control": "under_oom 0\noom_kill 0\n",
                "step_0/memory.oom_control": "under_oom 0\noom_kill 2\n"},
        }  # fmt: skip
        for version, files in both.items():
            with self.subTest(version=version):
                (self.folder / "peaks").unlink(missing_ok=True)
                self.assertEqual(self.group_of(version, files), "17,7000,2,8000\n")

    def test_a_group_without_a_limit_says_so(self):
        for version, limit in ((2, ("memory.max", "max\n")), (1, ("memory.limit_in_bytes", "9223372036854771712\n"))):
            with self.subTest(version=version):
                (self.folder / "peaks").unlink(missing_ok=True)
                peak = {1: "memory.max_usage_in_bytes", 2: "memory.peak"}[version]
                self.assertEqual(self.group_of(version, {peak: "7000\n", limit[0]: limit[1]}), "17,7000,0,\n")

    def test_a_failed_job_of_which_the_kernel_killed_a_process_ran_out_of_memory(self):
        (self.folder / "peaks").write_text("17,7000,1,3145728\n18,7000,0,3145728\n19,7000,1,3145728\n")
        jobs = job(17, "1M", state="FAILED") + job(18, "1M", state="FAILED") + job(19, "1M")
        code, _, errors = self.run_it("-", "-o", "t.csv", "--cgroup-peaks", "peaks", text=HEAD + jobs)
        self.assertEqual((code, errors), (0, ""))
        rows = {row["job_id"]: (row["status"], row["peak_bytes"]) for row in self.rows(self.folder / "t.csv")}
        self.assertEqual(rows["17"], ("OUT_OF_MEMORY", "3145728"))  # it needed more than it might have
        self.assertEqual(rows["18"], ("FAILED", "1048576"))
        self.assertEqual(rows["19"], ("ok", "1048576"))  # what went well without one of its processes


if __name__ == "__main__":
    unittest.main()
