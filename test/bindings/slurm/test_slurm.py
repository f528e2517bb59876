"""job_submit.lua in a real slurmctld.

usage: test_slurm.py TOOL SCRIPT_DIRECTORY LUA_PATH LUA_CPATH CLOCK_CPATH [unittest's arguments]

Ends with 77, and says what is missing, where no Slurm can be started.
"""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import cluster
from installation import BASE, MIB, Installation, mib, need

SCRIPTS, LUA_PATH, LUA_CPATH, CLOCK = sys.argv[2:6]
TOOL = str(Path(sys.argv[1]).resolve())
LUA = {"path": LUA_PATH, "cpath": LUA_CPATH}
NOBODY = 65534
SUBMISSIONS = 200


def setUpModule():
    Case.site = Installation(TOOL, Path(SCRIPTS), LUA, CLOCK)
    unittest.addModuleCleanup(Case.site.close)
    Case.site.start()


def script(*lines: str) -> str:
    return "\n".join(["#!/bin/sh", *(f"#MEMMODEL {line}" for line in lines), "", "true"]) + "\n"


class Case(unittest.TestCase):
    site: Installation

    def setUp(self):
        self.site.settings()
        self.site.fit("unet3d")

    def admitted(self, *arguments: str, script: str) -> dict[str, str]:
        """What slurmctld knows of the job; it is held, and gone afterwards. What its user was told is at "told"."""
        process = self.site.submit("--hold", *arguments, script=script)
        self.assertEqual(process.returncode, 0, process.stderr)
        number = int(process.stdout)
        self.addCleanup(self.site.command, "scancel", str(number))
        return dict(self.site.job(number), told=process.stderr)

    def refused(self, *arguments: str, script: str) -> str:
        """What its user was told."""
        process = self.site.submit("--hold", *arguments, script=script)
        self.assertEqual(process.returncode, 1, process.stdout)
        return process.stderr

    def as_asked_for(self, *arguments: str, script: str, why: str):
        """A failure: the job has the partition's default, and everyone is told why."""
        job = self.admitted(*arguments, script=script)
        self.assertEqual(job["MinMemoryNode"], "1000M")
        self.assertIn(why, job["told"])
        self.assertIn(why, job["AdminComment"])


class Memory(Case):
    def test_a_job_gets_its_bound_and_admin_comment_says_so(self):
        job = self.admitted(script=script("model=unet3d dim=64 batch=4"))
        self.assertEqual(job["MinMemoryNode"], mib(64, 4))
        words = dict(word.split("=") for word in job["AdminComment"].split()[1:])
        self.assertEqual(words["model"], "unet3d")
        self.assertEqual((words["dim"], words["batch"], words["level"]), ("64", "4", "0.95"))
        self.assertAlmostEqual(int(words["predicted"]), need(64, 4), delta=10)
        self.assertAlmostEqual(int(words["memory"]), need(64, 4), delta=10)
        self.assertEqual(words["set"], mib(64, 4))
        self.assertIn(f"{mib(64, 4)[:-1]} MiB of memory by model unet3d", job["told"])

    def test_a_job_without_model_is_untouched(self):
        job = self.admitted(script="#!/bin/sh\ntrue\n")
        self.assertEqual(job["MinMemoryNode"], "1000M")
        self.assertNotIn("AdminComment", job)
        self.assertEqual(job["told"], "")

    def test_the_jobs_name_and_comment_name_models_too(self):
        self.site.settings('jobs = { { name = "unet-*", model = "unet3d", set = { dim = 64, batch = 2 } } }')
        self.assertEqual(self.admitted("-J", "unet-1", script=script())["MinMemoryNode"], mib(64, 2))
        comment = "memmodel: model=unet3d dim=32 batch=8"
        self.assertEqual(self.admitted("--comment", comment, script=script())["MinMemoryNode"], mib(32, 8))

    def test_inputs_come_from_arguments_and_environment(self):
        path = self.site.directory / "train.sh"
        path.write_text(script("model=unet3d dim=$1 batch=${BATCH}"))
        for batch in (2, 4):
            process = self.site.command("sbatch", "--parsable", "-H", f"--export=ALL,BATCH={batch}", str(path), "64")
            self.assertEqual(self.site.job(int(process.stdout))["MinMemoryNode"], mib(64, batch))
            self.site.command("scancel", process.stdout.strip())

    def test_srun_has_a_comment_and_runs(self):
        comment = "memmodel: model=unet3d dim=64 batch=4"
        process = self.site.command("srun", "--comment", comment, "sh", "-c", "scontrol -o show job $SLURM_JOB_ID")
        self.assertEqual(cluster.parse_job(process.stdout)["MinMemoryNode"], mib(64, 4))

    def test_a_larger_request_stays_and_a_smaller_one_is_raised(self):
        text = script("model=unet3d dim=64 batch=4")
        self.assertEqual(self.admitted("--mem=5000", script=text)["MinMemoryNode"], "5000M")
        job = self.admitted("--mem=500", script=text)
        self.assertEqual(job["MinMemoryNode"], mib(64, 4))
        self.assertIn("instead of the 500 MiB asked for", job["told"])
        self.assertIn("asked=500M", job["AdminComment"])

    def test_memory_per_processor_and_per_device_is_counted(self):
        text = script("model=unet3d dim=64 batch=4")  # 1200 MiB
        job = self.admitted("--mem-per-cpu=700", "--ntasks=2", script=text)
        self.assertEqual(job["MinMemoryCPU"], "700M")
        self.assertIn("kept asked=1400M", job["AdminComment"])
        self.assertEqual(self.admitted("--mem-per-cpu=700", script=text)["MinMemoryNode"], mib(64, 4))
        job = self.admitted("--gres=gpu:1", "--mem-per-gpu=300", script=text)
        self.assertEqual(job["MinMemoryNode"], mib(64, 4))
        self.assertNotIn("MemPerTres", job)

    def test_device_memory_is_a_gres_in_bytes(self):
        self.site.settings("models = { unet3d = { device = true } }")
        text = script("model=unet3d dim=64 batch=4")
        for arguments, before in (([], ""), (["--gres=gpu:1"], "gres:gpu:1,")):
            job = self.admitted(*arguments, script=text)
            self.assertRegex(job["TresPerNode"].replace("gres/", "gres:"), f"^{before}gres:vram:[0-9]+$")
            self.assertAlmostEqual(int(job["TresPerNode"].split(":")[-1]), need(64, 4), delta=10)
            self.assertEqual(job["MinMemoryNode"], "1000M")
        job = self.admitted("--gres=vram:20G", script=text)
        self.assertRegex(job["TresPerNode"], "^gres[:/]vram:20G$")

    def test_device_memory_runs_out_as_it_is_counted(self):
        self.site.settings("models = { unet3d = { device = true } }")
        text = script("model=unet3d dim=480 batch=1")  # 110.8e9 bytes of the node's 140 GiB
        numbers = [int(self.site.submit(script=text.replace("true", "sleep 60")).stdout) for _ in range(2)]
        self.addCleanup(self.site.command, "scancel", *map(str, numbers))
        cluster.poll(lambda: self.site.job(numbers[0])["JobState"] == "RUNNING", "the first job")
        cluster.poll(lambda: self.site.job(numbers[1])["Reason"] == "Resources", "the second job waiting")


class Refusals(Case):
    def test_the_need_and_the_largest_that_fits_are_reported(self):
        # 16000 MiB less the base, by what a batch of this size takes
        largest = (16000 - 200) * MIB // (1000 * 64**3)
        told = self.refused(script=script(f"model=unet3d dim=64 batch={largest + 1}"))
        self.assertIn("this job needs up to 15.8 GiB of memory by model unet3d", " ".join(told.split()))
        self.assertIn("the largest node of partition debug has 15.6 GiB", told)
        self.assertIn(f"The largest batch that fits is {largest}.", told)
        self.assertIn("Memory required by task is not available", told)
        self.admitted(script=script(f"model=unet3d dim=64 batch={largest}"))

    def test_a_partitions_own_limit_counts(self):
        text = script("model=unet3d dim=96 batch=5")  # 4420 MiB
        told = self.refused("--partition=small", script=text)
        self.assertIn("the largest node of partition small has 3.9 GiB. The largest batch that fits is 4.", told)
        self.assertEqual(self.admitted("--partition=small,debug", script=text)["MinMemoryNode"], mib(96, 5))

    def test_device_memory_that_no_node_has(self):
        self.site.settings("models = { unet3d = { device = true } }")
        told = self.refused(script=script("model=unet3d dim=96 batch=200"))
        self.assertIn("165.0 GiB of device memory", told)
        self.assertIn("The largest batch that fits is 169.", told)  # (140 x 2^30 - 200 x 2^20) / (1000 x 96^3)


class Failures(Case):
    def test_wrong_requests(self):
        for words, why in (
            ("model=unet3d dim=64", 'model "unet3d" needs a value for "batch"'),
            ("model=unet3d dim=64 batch=4 epochs=7", 'has no input "epochs"; it has dim, batch'),
            ("model=unknown dim=64", 'there is no model "unknown"'),
            ("model=../unet3d dim=64 batch=4", '"../unet3d" is not the name of a model'),
            ("model=/etc/passwd dim=64 batch=4", '"/etc/passwd" is not the name of a model'),
            ("model=unet3d dim=64 batch=four", '"four" is not a number'),
        ):
            with self.subTest(words=words):
                self.as_asked_for(script=script(words), why=why)

    def test_they_may_be_refused_instead(self):
        self.site.settings('on_failure = "refuse"')
        told = self.refused(script=script("model=unknown dim=64"))
        self.assertIn('there is no model "unknown". The job is refused.', told)
        self.assertEqual(self.admitted(script="#!/bin/sh\ntrue\n")["told"], "")

    def test_files_that_are_no_models(self):
        whole = (self.site.models / "unet3d.json").read_text()
        for content in ("", "no model", whole[: len(whole) // 2], '{"format": "memmodel-model", "version": 99}'):
            (self.site.models / "wrong.json").write_text(content)
            text = script("model=wrong dim=64 batch=4")
            self.as_asked_for(script=text, why='the file of model "wrong" cannot be used')
        self.assertIn("wrong.json", self.site.log())

    def test_a_missing_library_and_its_coming(self):
        self.site.settings(path="/nowhere/?.lua", cpath="/nowhere/?.so")
        self.site.reload()
        text = script("model=unet3d dim=64 batch=4")
        self.as_asked_for(script=text, why="the memory model library cannot be loaded on the controller")
        self.assertIn("module 'memmodel' not found", self.site.log())
        self.site.settings()
        self.assertEqual(self.admitted(script=text)["MinMemoryNode"], mib(64, 4))

    def test_broken_settings_leave_those_before_them(self):
        self.site.settings("margin = 1")
        text = script("model=unet3d dim=64 batch=4")
        before = self.admitted(script=text)["MinMemoryNode"]
        self.assertEqual(before, mib(64, 8, base=2 * BASE))  # twice the need for a batch of 4
        self.site.settings("margin = )")
        self.assertEqual(self.admitted(script=text)["MinMemoryNode"], before)
        self.assertIn("memmodel.conf.lua", self.site.log())


class Changes(Case):
    def test_a_model_file_that_changes_counts_for_the_next_job(self):
        text = script("model=unet3d dim=64 batch=4")
        self.assertEqual(self.admitted(script=text)["MinMemoryNode"], mib(64, 4))
        self.site.fit("unet3d", base=300 * MIB)
        self.assertEqual(self.admitted(script=text)["MinMemoryNode"], mib(64, 4, base=300 * MIB))

    def test_the_script_is_loaded_anew_many_times(self):
        text = script("model=unet3d dim=64 batch=4")
        for _ in range(5):
            self.site.reload()
            self.assertEqual(self.admitted(script=text)["MinMemoryNode"], mib(64, 4))

    def test_a_script_that_became_wrong_leaves_the_one_before(self):
        good = self.site.entry.read_text()
        self.addCleanup(self.site.reload)
        self.addCleanup(self.site.entry.write_text, good)
        self.site.entry.write_text("this is not Lua")
        self.site.reload()
        self.assertEqual(self.admitted(script=script("model=unet3d dim=64 batch=4"))["MinMemoryNode"], mib(64, 4))

    def change(self, number: str, *what: str, user: int) -> subprocess.CompletedProcess:
        identity = dict(user=user, group=user, extra_groups=[])
        return self.site.command("scontrol", "update", f"job={number}", *what, check=False, **identity)

    def test_a_user_cannot_go_below_the_bound_and_an_operator_can(self):
        text = script("model=unet3d dim=64 batch=4")
        process = self.site.command(
            "sbatch", "--parsable", "-H", "--output=/dev/null", input=text, user=NOBODY, group=NOBODY, extra_groups=[]
        )
        number = process.stdout.strip()
        self.addCleanup(self.site.command, "scancel", number)
        process = self.change(number, "MinMemoryNode=100", user=NOBODY)
        self.assertIn("Access/permission denied", process.stderr)
        self.assertEqual(self.site.job(int(number))["MinMemoryNode"], mib(64, 4))
        self.assertEqual(self.change(number, "MinMemoryNode=5000", user=NOBODY).stderr, "")
        self.change(number, "MinMemoryNode=100", user=0)
        self.assertEqual(self.site.job(int(number))["MinMemoryNode"], "100M")

    def test_a_job_is_not_moved_where_it_does_not_fit(self):
        text = script("model=unet3d dim=96 batch=5")  # 4420 MiB
        number = self.admitted(script=text)["JobId"]
        process = self.change(number, "Partition=small", user=0)
        self.assertIn("Memory required by task is not available", process.stderr)
        self.assertIn("the largest node of partition small has 3.9 GiB", self.site.log())
        self.assertEqual(self.site.job(int(number))["Partition"], "debug")


class Many(Case):
    def test_many_in_a_row_are_all_right(self):
        expected = {}
        for turn in range(SUBMISSIONS):
            dim, batch = 32 + turn // 4, 1 + turn % 7
            process = self.site.submit("--hold", script=script(f"model=unet3d dim={dim} batch={batch}"))
            expected[int(process.stdout)] = mib(dim, batch)
        jobs = self.site.jobs()
        self.addCleanup(self.site.command, "scancel", "--user=root")
        self.assertEqual({number: jobs[number]["MinMemoryNode"] for number in expected}, expected)

    def test_every_submission_is_timed(self):
        since = len(self.site.log())
        for _ in range(3):
            self.site.reload()
            self.admitted(script=script("model=unet3d dim=64 batch=4"))
        self.assertEqual(len(self.site.times(since)), 3)


class Harness(unittest.TestCase):
    def test_a_killed_test_leaves_neither_processes_nor_files(self):
        process = subprocess.Popen(
            [sys.executable, cluster.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        directory = Path(json.loads(process.stdout.readline())["SLURM_CONF"]).parent
        self.assertNotEqual(cluster.of_cluster(directory), [])
        process.send_signal(signal.SIGKILL)
        process.communicate()
        cluster.poll(lambda: not cluster.of_cluster(directory), "the end of its processes")
        cluster.poll(lambda: not directory.exists(), "the end of its directory")


def main():
    cluster.skip_if_missing()
    start = time.monotonic()
    program = unittest.main(argv=[sys.argv[0], *sys.argv[6:]], verbosity=1, exit=False)
    print(f"{time.monotonic() - start:.0f} s")
    sys.stdout.flush()
    os._exit(not program.result.wasSuccessful())


if __name__ == "__main__":
    main()
