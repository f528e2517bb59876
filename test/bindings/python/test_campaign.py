"""Campaigns on this machine: what is measured, in what order, and what goes on after an end of whatever kind."""

import concurrent.futures
import csv
import io
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import memmodel
import networks
from memmodel import _campaign_job, _commands, _executors

os.environ["MEMMODEL_TOOL"] = networks.TOOL
TOMLLIB = sys.version_info >= (3, 11)

# Says that it began, takes so many MiB, waits so long, and says that it ended.
PROGRAM = """import sys, time
size, seconds = int(sys.argv[1]), float(sys.argv[2])
open("began", "a").write(f"{size}\\n")
x = b"x" * (size << 20)
time.sleep(seconds)
open("ended", "a").write(f"{size}\\n")
sys.exit(7 if size == 13 else 0)
"""
SPEC = """command = "{python} -S train.py {{size}} {seconds}"
samples = "out.csv"
workers = 2
limit = "150MiB"

[grid]
size = {sizes}
"""


class Case(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "train.py").write_text(PROGRAM)
        was = pathlib.Path.cwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, was)

    def command(self, seconds=0):
        return [sys.executable, "-S", "train.py", "{size}", str(seconds)]

    def rows(self, name="out.csv"):
        with (self.folder / name).open() as lines:
            return list(csv.DictReader(lines))

    def sizes(self, name="out.csv"):
        return [int(row["size"]) for row in self.rows(name)]

    def said(self, name):
        path = self.folder / name
        return path.read_text().split() if path.exists() else []


class Call(Case):
    def test_rows_are_in_the_order_of_the_points_whatever_ends_first(self):
        points = [{"size": size} for size in (40, 5, 20)]
        with concurrent.futures.ThreadPoolExecutor(3) as executor:
            made = memmodel.campaign(self.command(), points, samples="out.csv", executor=executor)
        self.assertEqual((self.sizes(), made.points, made.measured, made.failed), ([40, 5, 20], 3, 3, 0))
        peaks = [int(row["peak_bytes"]) >> 20 for row in self.rows()]
        self.assertTrue(40 <= peaks[0] < 60 and 20 <= peaks[2] < 40, peaks)

    def test_what_has_a_row_is_not_measured_again(self):
        memmodel.campaign(self.command(), {"size": [1, 2]}, samples="out.csv")
        made = memmodel.campaign(self.command(), {"size": [1, 2.0, 3]}, samples="out.csv", repeat=2)
        self.assertEqual(sorted(self.said("began")), ["1", "1", "2", "2", "3", "3"])
        self.assertEqual((made.points, made.measured), (6, 6))

    def test_over_the_limit_and_failed_are_rows_of_their_kind(self):
        made = memmodel.campaign(self.command(), {"size": [13, 300]}, samples="out.csv", limit="150MiB")
        self.assertEqual((made.limits, made.failed), (1, 1))
        self.assertEqual([row["status"] for row in self.rows()], ["exit 7", "limit"])

    def test_any_executor_will_do(self):
        with concurrent.futures.ProcessPoolExecutor(1) as executor:
            memmodel.campaign(self.command(), {"size": [1, 2]}, samples="out.csv", executor=executor)
        self.assertEqual(self.sizes(), [1, 2])

    def test_a_run_whose_worker_is_lost_is_tried_again_and_then_given_up(self):
        class Lossy(concurrent.futures.ThreadPoolExecutor):
            def submit(self, call, job):
                tried.append(job.inputs["size"])
                lost = job.inputs["size"] == "2" or (job.inputs["size"] == "1" and tried.count("1") == 1)
                return super().submit(lambda: 1 / 0) if lost else super().submit(call, job)

        tried = []
        with Lossy(1) as executor:
            made = memmodel.campaign(self.command(), {"size": [1, 2, 3]}, samples="out.csv", executor=executor)
        self.assertEqual((self.sizes(), tried.count("1"), tried.count("2")), ([1, 3], 2, 3))
        self.assertEqual(made.lost, [({"size": "2"}, "ZeroDivisionError: division by zero")])

    def test_a_job_that_a_scheduler_killed_for_its_memory_is_a_lower_limit(self):
        class Killing(concurrent.futures.ThreadPoolExecutor):
            def submit(self, call, job):
                if job.inputs["size"] != "2":
                    return super().submit(call, job)
                future = concurrent.futures.Future()
                future.set_exception(_executors.OutOfMemoryError("Slurm job 7_1: OUT_OF_MEMORY", 4 << 30))
                return future

        with Killing(1) as executor:
            made = memmodel.campaign(self.command(), {"size": [1, 2, 3]}, samples="out.csv", executor=executor)
        self.assertEqual((made.measured, made.limits, made.failed), (3, 1, 0))
        self.assertEqual([row["status"] for row in self.rows()], ["ok", "OUT_OF_MEMORY", "ok"])
        self.assertEqual(self.rows()[1]["peak_bytes"], str(4 << 30))

    def test_a_worker_without_the_campaigns_disk_gives_its_row_back(self):
        words, elsewhere = [sys.executable, "-S", "train.py", "3", "0"], str(self.folder / "not-here" / "row.csv")
        job = _campaign_job.Job(words, {"size": "3"}, elsewhere, [], networks.TOOL, str(self.folder))
        row = _campaign_job.measure(job)
        self.assertEqual((row["size"], row["status"], self.said("ended")), ("3", "ok", ["3"]))
        self.assertFalse((self.folder / "not-here").exists())

    def test_progress_counts_points_and_may_end_it(self):
        seen = []

        def watch(progress):
            seen.append((progress.done, progress.total))
            return progress.done >= 2

        with self.assertRaises(KeyboardInterrupt):
            memmodel.campaign(self.command(), {"size": [1, 2, 3, 4]}, samples="out.csv", workers=1, progress=watch)
        self.assertEqual(seen[-1][1], 4)
        self.assertLess(len(self.rows()), 4)

    def test_advice_is_followed_until_there_are_enough_points(self):
        domain = {"size": "2:40:2"}
        made = memmodel.campaign(self.command(), memmodel.Advised(domain, count=7, round=3), samples="out.csv")
        first = memmodel.advise(domain=domain, count=3).design["size"]
        self.assertEqual(self.sizes()[:3], [int(size) for size in first])
        self.assertLessEqual(made.measured, 7)
        self.assertGreater(made.measured, 3)

    def test_what_cannot_be_run_is_said_and_ends_it(self):
        with self.assertRaisesRegex(RuntimeError, "size=.: cannot run 'no-such-program'"):
            memmodel.campaign(["no-such-program", "{size}"], {"size": [1, 2]}, samples="out.csv")
        with self.assertRaisesRegex(ValueError, r"command: \{dim\} is no input; there are size"):
            memmodel.campaign("train {dim}", {"size": [1, 2]}, samples="out.csv")
        many = dict.fromkeys("ab", range(2000))
        with self.assertRaisesRegex(ValueError, "the grid has 4,000,000 combinations; 1,000,000 are the most"):
            memmodel.campaign("true", many)
        (self.folder / "other.csv").write_text("dim,peak_bytes,seconds,status\n")
        with self.assertRaisesRegex(RuntimeError, "other.csv has no column size"):
            memmodel.campaign(self.command(), {"size": [1, 2]}, samples="other.csv")


@unittest.skipUnless(TOMLLIB, "Python before 3.11 reads no TOML")
class Tool(Case):
    def start(self, sizes, seconds, *options, spec=None):
        text = SPEC.format(python=sys.executable, seconds=seconds, sizes=sizes) if spec is None else spec
        (self.folder / "campaign.toml").write_text(text)
        words = [networks.TOOL, "campaign", "campaign.toml", *options]
        return subprocess.Popen(
            words, env={**os.environ, "MEMMODEL_PYTHON": sys.executable}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run_to_its_end(self, *given, **more):
        process = self.start(*given, **more)
        said, errors = process.communicate(timeout=200)
        return process.returncode, said, errors

    def until(self, name, count):
        for _ in range(1200):
            if len(self.said(name)) >= count:
                return
            time.sleep(0.05)
        self.fail(f"{name}: {self.said(name)}")

    def test_it_says_what_it_has_measured(self):
        self.assertEqual(
            self.run_to_its_end("[1, 13, 300]", 0), (0, "3 of 3 points are in out.csv, 1 lower limits, 1 failed\n", "")
        )

    def test_after_ctrl_c_the_same_command_goes_on(self):
        process = self.start("[1, 2, 3, 4, 5, 6]", 0.5)
        self.until("out.csv", 3)  # its header and two rows: a run that has ended may not be there yet
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 130)
        self.assertRegex(errors, r"^memmodel campaign: interrupted; \S*out.csv has \d rows, and the same command goe")
        kept = self.sizes()
        self.assertLess(len(kept), 6)
        self.assertEqual(self.run_to_its_end("[1, 2, 3, 4, 5, 6]", 0.1)[0], 0)
        self.assertEqual(sorted(self.sizes()), [1, 2, 3, 4, 5, 6])
        self.assertEqual(self.sizes()[: len(kept)], kept)
        self.assertLessEqual(len(self.said("began")), 6 + 2)  # those that were stopped

    def test_killed_it_loses_nothing_and_what_went_on_without_it_is_not_run_again(self):
        process = self.start("[1, 2, 3, 4]", 1.5)
        self.until("began", 2)
        process.kill()
        process.communicate()
        self.assertEqual(self.run_to_its_end("[1, 2, 3, 4]", 0.1)[0], 0)
        self.assertEqual(self.sizes(), [1, 2, 3, 4])
        self.assertEqual(sorted(self.said("began")), ["1", "2", "3", "4"])

    def test_runs_that_all_failed_are_no_success(self):
        code, _, errors = self.run_to_its_end("[13]", 0)
        self.assertEqual(code, 1)
        self.assertEqual(errors, "memmodel campaign: no run ended well; out.csv.runs has what they printed\n")

    def test_two_at_a_time_are_one_too_many(self):
        first = self.start("[1, 2]", 1.5)
        self.until("began", 1)
        code, _, errors = self.run_to_its_end("[1, 2]", 1.5)
        first.communicate(timeout=100)
        self.assertEqual((code, first.returncode), (1, 0))
        self.assertIn("out.csv: another campaign of this table is running", errors)

    def test_a_wrong_spec_is_told_with_file_line_and_key(self):
        for spec, error in (
            ('command = "true"\nwokers = 2\n[grid]\na = [1]\n', ":2: wokers: no such key; did you mean workers?"),
            ('command = "true"\n\n[grid]\na = "3:1"\n', ":4: grid.a: '3:1' is no range such as '32:144:16'"),
            ('command = "true"\n[grid]\na = "1:9000000"\n', ":3: grid.a: '1:9000000' are 9,000,000 values; 1,000,000 "),
            ('command = "true {b}"\n[grid]\na = [1]\n', ":1: command: {b} is no input; there are a"),
            ('command = "true"\n[grid]\na = [1]\n[slrum]\n', ":4: slrum: no such table; there are grid, points"),
            ('command = "true"\nworkers = "two"\n[grid]\na = 1\n', ":2: workers: a whole number above 0 is needed"),
            ('command = "true"\nlimit = "16"\n[grid]\na = 1\n', ":2: limit: a size such as \"16GiB\" is needed"),
            ('command = "true"\nexecutor = "pbs"\n[grid]\na = 1\n', ":2: executor: one of processes, dask, ray, mpi, "),
            ('command = "true"\n[points]\nfile = "no.csv"\n', ":3: points.file: "),
            ('command = "true"\n[advise]\ncount = 3\n', ":2: advise: a table [domain] is needed"),
            ('command = "true"\n[grid]\na = 1\n[domain]\na = 1\n', ":4: domain: it belongs to [advise]"),
            ('command = "true"\n', ": one of the tables [grid], [points] and [advise] says what is measured"),
            ('command = "true\n', ":1: no TOML: "),
        ):
            with self.subTest(spec=spec):
                code, _, errors = self.run_to_its_end(None, None, spec=spec)
                self.assertEqual((code, errors.count("\n")), (1, 1), errors)
                self.assertTrue(errors.startswith(f"memmodel campaign: campaign.toml{error}"), errors)

    def test_a_table_of_samples_is_a_file(self):
        os.mkfifo(self.folder / "pipe")
        with self.assertRaisesRegex(memmodel.campaigning.CampaignError, "pipe: a table of samples is a file"):
            memmodel.campaign(self.command(), {"size": [1]}, samples=self.folder / "pipe")

    def test_a_terminal_says_how_many_and_how_long(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        stream = Terminal()
        line = _commands.Line("points", stream)
        line(memmodel.Progress("points", 10, 100, 30.0, None))  # one every 30 s, as far as it is known
        line(memmodel.Progress("points", 20, 100, 60.0, None))  # 11 in 60 s: 80 more take 436 s
        line.end()
        self.assertIn("20 of 100 points, 7 min left", stream.getvalue())
        self.assertTrue(stream.getvalue().endswith("\r\x1b[K"))

    def test_the_python_beside_the_tool_is_the_one_that_has_the_package(self):
        (self.folder / "bin").mkdir()
        shutil.copy(networks.TOOL, self.folder / "bin/memmodel")
        python = self.folder / "bin/python3"
        python.write_text("#!/bin/sh\necho mine\n")
        python.chmod(0o755)
        environment = {name: text for name, text in os.environ.items() if name != "MEMMODEL_PYTHON"}
        environment["LD_LIBRARY_PATH"] = str(pathlib.Path(os.environ.get("MEMMODEL_LIBRARY", "")).parent)
        words = [self.folder / "bin/memmodel", "campaign", "campaign.toml"]
        made = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
        self.assertEqual((made.returncode, made.stdout), (0, "mine\n"), made.stderr)

    def test_advice_may_say_what_is_measured_and_a_table_too(self):
        command = f'command = "{sys.executable} -S train.py {{size}} 0"\nsamples = "out.csv"\n'
        spec = command + '[advise]\ncount = 5\nround = 2\ntarget_error = 0.0001\n[domain]\nsize = "2:40:2"\n'
        self.assertEqual(self.run_to_its_end(None, None, spec=spec)[0], 0)
        self.assertEqual(len(self.rows()), 5)
        self.assertEqual(self.run_to_its_end(None, None, spec=spec)[0], 0)  # there are enough
        self.assertEqual(len(self.rows()), 5)
        (self.folder / "next.csv").write_text("size\n41\n43\n")
        self.assertEqual(self.run_to_its_end(None, None, spec=command + '[points]\nfile = "next.csv"\n')[0], 0)
        self.assertEqual(self.sizes()[5:], [41, 43])

    def test_a_dry_run_prints_the_commands(self):
        code, said, _ = self.run_to_its_end("[1, 2]", 0, "--dry-run")
        lines = [f"{sys.executable} -S train.py {size} 0" for size in (1, 2)]
        self.assertEqual((code, said.splitlines(), self.said("began")), (0, lines, []))


@unittest.skipUnless(TOMLLIB, "Python before 3.11 reads no TOML")
class Example(unittest.TestCase):
    def test_it_measures_and_its_formula_is_what_the_program_does(self):
        with tempfile.TemporaryDirectory() as place:
            for name in ("campaign", "slurm"):
                shutil.copytree(networks.ROOT / "examples" / name, pathlib.Path(place) / name)
            spec = pathlib.Path(place) / "campaign/train.toml"
            words = [networks.TOOL, "campaign", spec]
            environment = {**os.environ, "MEMMODEL_PYTHON": sys.executable}
            made = subprocess.run(words, capture_output=True, text=True, env=environment, check=False, cwd=place)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            model = memmodel.fit(spec.with_name("samples.csv"), "peak_bytes", ["size", "batch"])
        grown = model.predict(size=512, batch=3).value - model.predict(size=512, batch=1).value
        self.assertAlmostEqual(grown / (2 * 4 * 16 * 4 * 512**2), 1, delta=0.05)  # layers, channels, bytes of a float


if __name__ == "__main__":
    unittest.main()
