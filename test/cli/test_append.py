"""The closed loop: measured runs appended to a table, and a model refitted from it, whoever is killed meanwhile.

Arguments: the tool.
"""

import csv
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOOL = sys.argv[1]
WRITERS = 50
MEASURED = ["peak_bytes", "rss_bytes", "pss_bytes", "cgroup_bytes", "seconds", "status"]


def tool(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=120, check=False)


def block(mib: int) -> list[str]:
    """A command that takes so much memory."""
    return ["--", sys.executable, "-c", f"memory = b'x' * ({mib} << 20)"]


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.table = self.folder / "samples.csv"

    def append(self, *arguments: str) -> subprocess.CompletedProcess:
        return tool("run", "--append", str(self.table), *arguments)

    def rows(self) -> list[dict]:
        with self.table.open(newline="") as file:
            return list(csv.DictReader(file))


class Rows(InAFolder):
    def test_a_run_becomes_a_row(self):
        done = self.append("--set", "dim=64", "--set", "kind=large one", *block(40))
        self.assertEqual(done.returncode, 0)
        (row,) = self.rows()
        self.assertEqual(list(row), ["dim", "kind", *MEASURED])
        self.assertEqual((row["dim"], row["kind"], row["status"]), ("64", "large one", "ok"))
        self.assertIn(f"({row['peak_bytes']} bytes)", done.stderr)
        self.assertGreater(int(row["peak_bytes"]), 40 << 20)
        self.assertEqual(row["rss_bytes"], row["peak_bytes"])  # a process alone shares nothing
        self.assertEqual(row["pss_bytes"], "")
        self.assertGreater(float(row["seconds"]), 0)

    def test_the_status_says_how_a_run_ended(self):
        self.assertEqual(self.append("--", "true").returncode, 0)
        self.assertEqual(self.append("--", "sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(self.append("--", "sh", "-c", "kill -15 $$").returncode, 143)
        self.assertEqual(self.append("--limit", "64M", *block(200)).returncode, 124)
        self.assertEqual([row["status"] for row in self.rows()], ["ok", "exit 7", "signal 15", "limit"])

    def test_the_column_of_the_peak_has_the_name_that_was_asked_for(self):
        self.assertEqual(self.append("--target", "vram", "-s", "batch=4", "--", "true").returncode, 0)
        self.assertEqual(list(self.rows()[0]), ["batch", "vram", *MEASURED[1:]])

    def test_a_table_without_the_columns_of_the_shares_does_without(self):
        for header in "dim,peak_bytes,seconds,status", "status,cgroup_bytes,dim,seconds,peak_bytes":
            self.table.write_text(header + "\n")
            self.assertEqual(self.append("--set", "dim=1", "--", "true").returncode, 0)
            self.assertEqual(",".join(self.rows()[0]), header)
            self.assertEqual((self.rows()[0]["dim"], self.rows()[0]["status"]), ("1", "ok"))

    def test_a_row_that_does_not_fit_is_refused_before_the_command_starts(self):
        self.table.write_text("dim,batch,peak_bytes,seconds,status\n")
        mark = self.folder / "started"
        for settings, missing in (["dim=1"], "batch"), (["dim=1", "batch=2", "size=3"], "size"):
            arguments = [word for setting in settings for word in ("--set", setting)]
            refused = self.append(*arguments, "--", "touch", str(mark))
            self.assertEqual(refused.returncode, 125)
            self.assertIn(missing, refused.stderr)
        self.assertFalse(mark.exists())
        self.assertEqual(self.rows(), [])

    def test_a_command_that_does_not_start_is_no_row(self):
        self.assertEqual(self.append("--", "no-such-command").returncode, 127)
        self.assertEqual(self.rows(), [])

    def test_what_belongs_to_a_row_needs_a_table(self):
        for arguments in ["--set", "dim=1"], ["--target", "vram"]:
            wrong = tool("run", *arguments, "--", "true")
            self.assertEqual(wrong.returncode, 2)
            self.assertIn("--append", wrong.stderr)
        wrong = self.append("--set", "dim", "--", "true")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("NAME=VALUE", wrong.stderr)

    def test_a_line_that_was_never_finished_goes_with_a_note(self):
        self.append("--set", "dim=1", "--", "true")
        with self.table.open("a") as file:
            file.write("2,34")
        done = self.append("--set", "dim=3", "--", "true")
        self.assertIn("line 3 was never finished", done.stderr)
        self.assertEqual([row["dim"] for row in self.rows()], ["1", "3"])


class NoRoom(InAFolder):
    """The run is worth more than its row: it is made, and the row is printed."""

    def mounted(self, *options: str) -> Path:
        """A disk of one page, or what the options make of it."""
        disk = self.folder / "disk"
        disk.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", ",".join(["size=4k", *options]), "tmpfs", str(disk)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            self.skipTest("no disk may be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        return disk

    def not_kept(self, table: Path, *command: str, code: int = 125) -> list[dict]:
        """The row that the run prints."""
        mark = self.folder / "started"
        arguments = ["--append", str(table), "--set", 'name=a "b", c', "--set", "dim=7", "--"]
        done = tool("run", *arguments, "sh", "-c", f"touch {mark}; " + " ".join(command))
        self.assertTrue(mark.exists(), done.stderr)
        self.assertEqual(done.returncode, code)
        notice, _, row = done.stderr.partition("the row was not kept; it is\n")
        self.assertIn(str(table), notice)
        (fields,) = csv.DictReader(row.splitlines())
        self.assertEqual(list(fields), ["name", "dim", *MEASURED])
        self.assertEqual((fields["name"], fields["dim"]), ('a "b", c', "7"))
        self.assertGreater(int(fields["peak_bytes"]), 0)
        return fields

    def test_a_full_disk_costs_no_run(self):
        disk = self.mounted()
        (disk / "full").write_bytes(bytes(4096))
        self.assertEqual(self.not_kept(disk / "samples.csv")["status"], "ok")
        self.assertEqual(self.not_kept(disk / "samples.csv", "exit 7", code=7)["status"], "exit 7")

    def test_a_disk_that_fills_up_meanwhile_costs_no_row(self):
        disk = self.mounted("nr_inodes=3")
        (disk / "samples.csv").write_text(",".join(["name", "dim", *MEASURED]) + "\n" + "x" * 3900)
        table = disk / "samples.csv"
        table.write_text(",".join(["name", "dim", *MEASURED]) + "\n" + ",".join(["1"] * 8) + "\n")
        whole = table.read_text()
        fill = f"head -c {4096 - len(whole) - 20} /dev/zero | tr '\\0' '\\n' >> {table}"
        self.not_kept(table, fill)
        self.assertTrue(table.read_text().startswith(whole))

    def test_a_folder_that_may_only_be_read_costs_no_run(self):
        disk = self.mounted("ro")
        self.assertEqual(self.not_kept(disk / "samples.csv")["status"], "ok")

    def test_a_folder_that_is_missing_costs_no_run(self):
        self.assertEqual(self.not_kept(self.folder / "missing" / "samples.csv")["status"], "ok")

    def test_a_folder_that_goes_meanwhile_costs_no_row(self):
        table = self.folder / "goes" / "samples.csv"
        table.parent.mkdir()
        self.assertEqual(self.not_kept(table, f"rm -r {table.parent}")["status"], "ok")

    def test_a_table_that_goes_meanwhile_is_begun_anew(self):
        done = self.append("--set", "dim=1", "--", "rm", str(self.table))
        self.assertEqual(done.returncode, 0)
        self.assertEqual([row["dim"] for row in self.rows()], ["1"])


class ManyAtOnce(InAFolder):
    def test_fifty_runs_at_once_are_fifty_rows(self):
        runs = [
            subprocess.Popen(
                [TOOL, "run", "--append", str(self.table), "--set", f"run={run}", "--", "true"],
                stderr=subprocess.DEVNULL,
            )
            for run in range(WRITERS)
        ]
        killed = [
            subprocess.Popen(
                [TOOL, "run", "--append", str(self.table), "--set", f"run={WRITERS + run}", "--", "true"],
                stderr=subprocess.DEVNULL,
            )
            for run in range(5)
        ]
        for run in killed:
            time.sleep(0.005)
            run.kill()
        self.assertEqual([run.wait(60) for run in runs], [0] * WRITERS)
        for run in killed:
            run.wait(60)
        self.append("--set", "run=last", "--", "true")
        rows = self.rows()
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertLessEqual({str(run) for run in range(WRITERS)} | {"last"}, {row["run"] for row in rows})
        self.assertEqual(len(rows), len({row["run"] for row in rows}))


class Refit(InAFolder):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model.json"
        self.tables = [self.folder / "a.csv", self.folder / "b.csv"]
        for table, factor in zip(self.tables, (1000, 3000), strict=True):
            lines = [f"{n},{m},{factor * n * m + 5e6 + n * n % 7}" for n in range(1, 9) for m in (1, 2, 4, 8, 16)]
            table.write_text("\n".join(["n,m,bytes", *lines]) + "\n")
        self.models = [self.fitted(table) for table in self.tables]
        self.assertNotEqual(*self.models)

    def arguments(self, table: Path) -> list[str]:
        return [TOOL, "fit", str(table), "--target", "bytes", "-o", str(self.model)]

    def fitted(self, table: Path) -> bytes:
        subprocess.run(self.arguments(table), check=True, capture_output=True, timeout=60)
        return self.model.read_bytes()

    def start(self, table: Path) -> subprocess.Popen:
        return subprocess.Popen(self.arguments(table), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_a_fit_that_is_killed_leaves_the_old_model_or_the_new_one(self):
        began = time.monotonic()
        self.fitted(self.tables[0])
        usual = time.monotonic() - began
        chance = random.Random(1)
        for turn in range(40):
            fit = self.start(self.tables[turn % 2])
            time.sleep(usual * chance.uniform(0, 1.2))
            fit.send_signal(signal.SIGKILL)
            fit.wait(60)
            self.assertIn(self.model.read_bytes(), self.models)

    def test_fits_at_the_same_time_leave_the_model_of_one(self):
        for _ in range(5):
            fits = [self.start(self.tables[number % 2]) for number in range(8)]
            while any(fit.poll() is None for fit in fits):
                self.assertIn(self.model.read_bytes(), self.models)
            self.assertEqual([fit.returncode for fit in fits], [0] * 8)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"a.csv", "b.csv", "model.json"})


class ClosedLoop(InAFolder):
    def test_measured_runs_become_a_model_that_foresees_the_next(self):
        model = self.folder / "model.json"
        for mib in (20, 40, 60, 80, 100, 120):
            self.append("--set", f"mib={mib}", *block(mib))
        self.append("--set", "mib=500", "--limit", "100M", *block(500))
        fit = ["fit", str(self.table), "--target", "peak_bytes", "--inputs", "mib", "--filter", "status=ok"]
        self.assertEqual(tool(*fit, "-o", str(model)).returncode, 0)
        told = tool("predict", str(model), "--set", "mib=110", "--json")
        self.append("--set", "mib=110", *block(110))
        measured = int(self.rows()[-1]["peak_bytes"])
        self.assertEqual(told.returncode, 0)
        upper = float(told.stdout.split('"upper": ')[1].split(",")[0])
        self.assertLess(abs(upper / measured - 1), 0.25)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
