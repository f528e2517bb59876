"""Scans: the answers are those of single estimates, in the order of the grid."""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import memmodel
import networks
from memmodel import _limits, _scan_command, scanning
from memmodel.scanning import ANSWERS

TOOL_ENVIRONMENT = {**os.environ, "MEMMODEL_PYTHON": sys.executable}


# A signal comes when wait() has locked the futures of the scan the second time.
LOCKED = """import concurrent.futures._base as base
import signal

import memmodel

enter, calls = base._AcquireFutures.__enter__, []


def interrupted(self):
    enter(self)
    calls.append(1)
    if len(calls) == 2:
        signal.raise_signal(signal.SIGINT)


base._AcquireFutures.__enter__ = interrupted
try:
    grid = {"batch": range(1, 2001), "dim": range(32, 132)}
    memmodel.scan({"image": memmodel.Network.load("image.json")}, grid, output="scan.csv")
except KeyboardInterrupt:
    print("interrupted")
"""


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def image_network():
    net = memmodel.Network()
    x = net.input("image", (net.symbol("batch"), 3, net.symbol("dim"), net.symbol("dim")))
    net.conv(x, filters=8, kernel=3)
    return net


def text_network():
    net = memmodel.Network()
    net.linear(net.input("x", (net.symbol("batch"), net.symbol("length"), 16)), units=8)
    return net


def fixed_network():
    net = memmodel.Network()
    net.linear(net.input("x", (4, 16)), units=8)
    return net


class Answers(unittest.TestCase):
    def test_each_row_is_what_an_estimate_says(self):
        grid = {"batch": [1, 7, 64], "optimizer": ["sgd", "adam"], "dim": [32, 48], "gpu": ["h100", "a100"]}
        made = memmodel.scan({"image": image_network()}, grid)
        self.assertEqual(made.columns, ("model", *grid, *ANSWERS))
        self.assertEqual(len(made.rows), 3 * 2 * 2 * 2)
        self.assertEqual([row[1:5] for row in made.rows[:3]], [(1, "sgd", 32, "h100"), (1, "sgd", 32, "a100"),
                                                              (1, "sgd", 48, "h100")])  # fmt: skip
        for _, batch, optimizer, dim, gpu, *answer in made.rows:
            report = memmodel.estimate(image_network(), batch=batch, dim=dim, optimizer=optimizer, gpu=gpu)
            size = getattr(report.peak, report.metric)
            self.assertEqual(answer, [size, *report.interval, report.budget, "fits", ""])

    def test_a_size_that_a_model_does_not_have_is_left_empty(self):
        made = memmodel.scan(
            {"image": image_network(), "text": text_network()}, {"batch": [1, 2], "dim": [32], "length": [8, 16, 32]}
        )
        self.assertEqual([row[1:4] for row in made.rows if row[0] == "image"], [(1, 32, None), (2, 32, None)])
        self.assertEqual([row[3] for row in made.rows if row[0] == "text"], [8, 16, 32] * 2)

    def test_a_model_without_sizes_has_one_row_for_each_option(self):
        made = memmodel.scan({"fixed": fixed_network()}, {"optimizer": ["sgd", "adam"]})
        peaks = [memmodel.estimate(fixed_network(), optimizer=name).peak.process for name in ("sgd", "adam")]
        self.assertEqual(made.column("bytes"), peaks)
        self.assertEqual(made.column("verdict"), [None] * 2)

    def test_a_model_without_sizes_has_the_verdict_of_an_estimate(self):
        low, high = memmodel.estimate(fixed_network(), gpu="h100").interval
        made = memmodel.scan({"fixed": fixed_network()}, {"gpu": "h100", "budget": [low - 1, low, high]})
        self.assertEqual(made.column("verdict"), ["does not fit", "uncertain", "fits"])
        self.assertEqual(set(zip(made.column("bytes_low"), made.column("bytes_high"), strict=True)), {(low, high)})

    def test_a_budget_says_what_fits(self):
        made = memmodel.scan({"image": image_network()}, {"batch": [1, 4096], "dim": 224, "budget": "1GiB"})
        self.assertEqual(
            (made.column("budget_bytes"), made.column("verdict")), ([1 << 30] * 2, ["fits", "does not fit"])
        )  # fmt: skip

    def test_the_verdict_is_that_of_an_estimate_on_both_sides_of_the_interval_and_in_it(self):
        low, high = memmodel.estimate(image_network(), batch=8, dim=32, gpu="h100").interval
        budgets = [low - 1, low, (low + high) // 2, high - 1, high]
        grid = {"batch": [1, 8, 64], "dim": 32, "gpu": "h100", "safety_percent": [0, 3], "budget": budgets}
        made = memmodel.scan({"image": image_network()}, grid)
        for _, batch, dim, gpu, safety, budget, *answer in made.rows:
            report = memmodel.estimate(
                image_network(), batch=batch, dim=dim, gpu=gpu, safety_percent=safety, budget=budget
            )  # fmt: skip
            self.assertEqual(answer[-2], report.verdict.replace("exceeds", "does not fit"))
        of_eight = [row[-2] for row in made.rows if row[1] == 8 and row[4] == 0]
        self.assertEqual(of_eight, ["does not fit", "uncertain", "uncertain", "uncertain", "fits"])

    def test_bytes_that_are_not_modelled_are_a_row_with_an_error(self):
        for model, sizes in ((fixed_network(), {}), (text_network(), {"batch": 1, "length": 8})):
            made = memmodel.scan({"net": model}, {**sizes, "framework": "textbook", "metric": "process"})
            self.assertIn("process bytes are not modelled", made.rows[0][-1])

    def test_a_job_that_cannot_be_is_a_row_with_its_error(self):
        made = memmodel.scan({"image": image_network()}, {"batch": 1, "dim": [2, 32], "optimizer": ["sgd", "sdg"]})
        self.assertEqual([bool(size) for size in made.column("bytes")], [False, False, True, False])
        self.assertIn("sdg", made.rows[3][-1])

    def test_what_is_neither_size_nor_option_is_refused(self):
        with self.assertRaisesRegex(ValueError, "bach is neither a size of a model .batch, dim. nor an option"):
            memmodel.scan({"image": image_network()}, {"bach": [1], "batch": [1], "dim": [32]})
        with self.assertRaisesRegex(ValueError, "image has a size dim, which the grid does not give"):
            memmodel.scan({"image": image_network()}, {"batch": [1]})


@unittest.skipUnless(sys.version_info >= (3, 11), "Python before 3.11 reads no TOML")
class Tool(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        image_network().save(self.folder / "image.json")

    def start(self, text, *options):
        (self.folder / "scan.toml").write_text(text)
        return subprocess.Popen(
            [networks.TOOL, "scan", "scan.toml", *options], cwd=self.folder, env=TOOL_ENVIRONMENT,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run_it(self, *given):
        process = self.start(*given)
        said, errors = process.communicate(timeout=200)
        return process.returncode, said, errors

    def rows(self):
        with (self.folder / "scan.csv").open() as lines:
            return list(csv.DictReader(lines))

    def test_a_spec_makes_a_table(self):
        spec = 'models = ["image.json"]\n[grid]\nbatch = "1:3"\ndim = 32\ngpu = ["h100", "a100"]\n'
        self.assertEqual(self.run_it(spec), (0, "6 configurations are in scan.csv, 6 fit\n", ""))
        self.assertEqual([row["batch"] for row in self.rows()], ["1", "1", "2", "2", "3", "3"])
        said = self.run_it(spec.replace("h100", "h1000"))[1]
        self.assertEqual(said, "6 configurations are in scan.csv, 3 fit, 3 cannot be\n")

    def test_what_is_uncertain_is_counted_apart_and_has_the_word_of_an_estimate(self):
        low, high = memmodel.estimate(image_network(), batch=1, dim=32, gpu="h100").interval
        spec = (
            f'models = ["image.json"]\n[grid]\nbatch = 1\ndim = 32\ngpu = "h100"\nbudget = [{low - 1}, {low}, {high}]\n'
        )
        self.assertEqual(self.run_it(spec)[1], "3 configurations are in scan.csv, 1 fit, 1 uncertain\n")
        asked = [networks.TOOL, "estimate", "image.json", "--set=batch=1,dim=32", "--gpu=h100", "--json"]
        for row in self.rows():
            line = [*asked, f"--budget={row['budget']}B"]
            told = json.loads(subprocess.run(line, check=False, cwd=self.folder, stdout=subprocess.PIPE).stdout)
            self.assertEqual(row["verdict"], told["verdict"])
            interval = told["interval"]
            self.assertEqual([int(row[key]) for key in ANSWERS[1:3]], [interval["low"], interval["high"]])

    def test_a_reader_that_leaves_ends_it_without_a_word(self):
        process = self.start('models = ["image.json"]\n[grid]\nbatch = 1\ndim = 32\n')
        process.stdout.close()
        self.assertEqual(process.wait(200), 128 + signal.SIGPIPE)
        self.assertEqual(process.stderr.read(), "")
        process.stderr.close()

    def test_the_folder_of_its_executor_begins_at_the_spec(self):
        spec = self.folder / "scan.toml"
        for folder, expected in (("", "scan.slurm"), ('folder = "jobs"\n', "jobs")):
            spec.write_text(f'models = ["image.json"]\n[grid]\nbatch = 1\ndim = 32\n[slurm]\n{folder}')
            self.assertEqual(_scan_command.read(spec, "slurm")["settings"], {"folder": str(self.folder / expected)})

    def test_a_wrong_spec_is_told_with_file_line_and_key(self):
        for spec, error in (
            ('models = ["image.json"]\n\n[grid]\nbatch = 1\ndim = 32\noptimzer = "sgd"\n', ":6: grid.optimzer: "),
            ('models = ["image.json"]\n[grid]\nbatch = 1\n', ":2: grid: image.json has a size dim"),
            ('models = ["no.json"]\n[grid]\nbatch = 1\n', ":1: models: "),
            ('model = ["image.json"]\n[grid]\nbatch = 1\n', ":1: model: no such key; did you mean models?"),
            ('models = ["image.json"]\n', ": a table [grid] is needed"),
            ('models = ["image.json"]\n[grid]\ndim = 32\nbatch = ["x"]\n', ":4: grid.batch: batch has a value 'x'; "),
            ('models = ["image.json"]\n[grid]\nbatch = [1, 0]\ndim = 32\n', ":3: grid.batch: batch has a value 0; "),
        ):
            with self.subTest(spec=spec):
                code, _, errors = self.run_it(spec)
                self.assertEqual((code, errors.count("\n")), (1, 1), errors)
                self.assertTrue(errors.startswith(f"memmodel scan: scan.toml{error}"), errors)

    def test_a_closed_or_full_standard_output_is_one_line(self):
        self.run_it('models = ["image.json"]\n[grid]\nbatch = 1\ndim = 32\n')
        for into, error in ((">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")):
            line = ["sh", "-c", f'exec "$0" scan scan.toml {into}', networks.TOOL]
            made = subprocess.run(
                line, cwd=self.folder, env=TOOL_ENVIRONMENT, stderr=subprocess.PIPE, text=True, check=False
            )
            self.assertEqual((made.returncode, made.stderr), (1, f"memmodel scan: standard output: {error}\n"))

    def test_ctrl_c_while_python_starts_is_one_line_as_later(self):
        for seconds in (0, 0.1, 0.3):
            process = self.start('models = ["image.json"]\n[grid]\nbatch = "1:2000"\ndim = "32:431"\n')
            while "python" not in str(Path(f"/proc/{process.pid}/exe").readlink()):
                time.sleep(0.001)
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, errors.count("\n")), (130, 1), errors)

    def test_ctrl_c_while_futures_are_locked_ends_the_scan(self):
        """The worst of moments: wait() has locked all futures, those that threads are to set among them."""
        script = self.folder / "locked.py"
        script.write_text(LOCKED)
        process = subprocess.Popen([sys.executable, script], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertEqual(process.communicate(timeout=60)[0], "interrupted\n")
        self.assertGreater(len(self.rows()), 0)

    def test_what_a_thread_computes_is_cancelled_with_its_scan(self):
        task = scanning.Task(image_network().to_json(), {"dim": 32}, {}, "batch", list(range(1, 501)), list(range(500)))
        with scanning._stoppable() as number:
            self.assertEqual(scanning.run_all([task], number)[0][0][-1], "")
            scanning._stops[number].ask()
            self.assertEqual(scanning.run_all([task], number), [])
        stop = scanning._Stop()
        stop.asked = True  # between a thread's look at it and the call's begin
        with _limits.noted(stop.note):
            self.assertIn("cancel", scanning.run(task)[0][-1])

    def test_a_table_goes_through_a_pipe_and_a_link_stays_one(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "link.csv").symlink_to("real.csv")
        spec = 'models = ["image.json"]\n[grid]\nbatch = 1\ndim = 32\n'
        with (self.folder / "read").open("w") as lines:
            reader = subprocess.Popen(["cat", self.folder / "pipe"], stdout=lines)
            self.assertEqual(self.run_it(spec, "--output", "pipe")[0], 0)
            self.assertEqual(reader.wait(60), 0)
        self.assertTrue((self.folder / "pipe").is_fifo())
        self.assertTrue((self.folder / "read").read_text().startswith("model,batch,dim,bytes"))
        self.assertEqual(self.run_it(spec, "--output", "link.csv")[0], 0)
        self.assertTrue((self.folder / "link.csv").is_symlink())
        self.assertTrue((self.folder / "real.csv").read_text().startswith("model,batch,dim,bytes"))

    @unittest.skipUnless(Path("/dev/full").is_char_device() and os.access("/dev/full", os.W_OK), "no /dev/full")
    def test_a_table_that_cannot_be_written_is_said_with_its_path(self):
        spec = 'models = ["image.json"]\n[grid]\nbatch = 1\ndim = 32\n'
        (self.folder / "full.csv").symlink_to("/dev/full")
        for output, error in (("nowhere/t.csv", "nowhere: there is no such folder"), (".", ".: Is a directory"),
                              ("full.csv", "full.csv: No space left on device")):
            with self.subTest(output=output):
                code, said, errors = self.run_it(spec, "--output", output)
                self.assertEqual((code, said, errors), (1, "", f"memmodel scan: {error}\n"))
        self.assertTrue(Path("/dev/full").is_char_device())

    def test_ctrl_c_keeps_what_was_done(self):
        spec = 'models = ["image.json"]\nworkers = 1\n[grid]\nbatch = "1:2000"\ndim = "32:431"\n'  # 800,000
        process = self.start(spec)
        while process.poll() is None and processor_seconds(process.pid) < 2:  # imports take one, on a busy machine too
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted", errors)


if __name__ == "__main__":
    unittest.main()
