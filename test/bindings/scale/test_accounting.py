"""memmodel import against a real slurmdbd: what it says of a real job, 10,000 jobs written by 50 at a time while the
database is stopped and started, and the operator's page.

usage: test_accounting.py TOOL SCRIPT_DIRECTORY LUA_PATH LUA_CPATH CLOCK_CPATH PAGE [unittest's arguments]
"""

import csv
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import accounting
import cluster
import pymysql
from installation import Installation

TOOL = str(Path(sys.argv[1]).resolve())
SCRIPTS, LUA_PATH, LUA_CPATH, CLOCK, PAGE = sys.argv[2:7]
JOBS, WRITERS, FIRST = 10_000, 50, 1000
DIMS = (32, 48, 64, 96)
OUT_OF_MEMORY, COMPLETED = 11, 3  # enum job_states of slurm.h
NONE = 4294967294  # NO_VAL of slurm.h
# As slurmdbd writes a job of one batch step, of 1024 MiB (TRES 2 is memory, in MiB where allocated).
JOB = f"""insert into memmodel_job_table (account, admin_comment, array_task_str, cpus_req, job_name, id_assoc,
 id_array_job, id_array_task, id_job, id_qos, id_resv, id_wckey, id_user, id_group, het_job_id, het_job_offset,
 state_reason_prev, mem_req, nodelist, nodes_alloc, `partition`, priority, state, time_submit, time_eligible,
 time_start, time_end,
 tres_alloc, tres_req) values ('root', %s, null, 1, %s, 1, 0, {NONE}, %s, 1, 0, 0, 0, 0, 0, {NONE}, 0, 1024, 'n1', 1,
 'debug', 1, %s, %s, %s, %s, %s, '1=1,2=1024,4=1', '1=1,2=1024,4=1')"""
STEP = """insert into memmodel_step_table (job_db_inx, id_step, nodelist, nodes_alloc, state, step_name, task_cnt,
 time_start, time_end, tres_alloc, tres_usage_in_max, tres_usage_in_tot) values (%s, -5, 'n1', 1, %s, 'batch', 1, %s,
 %s, '1=1,2=1024,4=1', %s, %s)"""


def peak_of(number: int) -> int:
    dim, batch = inputs_of(number)
    return (20 << 20) + 1000 * batch * dim**2 + number % 7 * 1000


def inputs_of(number: int) -> tuple[int, int]:
    return DIMS[number % len(DIMS)], 1 + number // len(DIMS) % 25


def is_out_of_memory(number: int) -> bool:
    return number % 500 == 0


class Writer(threading.Thread):
    """Writes jobs, each in one transaction, until all are in the database, whatever becomes of its connection."""

    def __init__(self, port: int, numbers: range):
        super().__init__(daemon=True)
        self.port, self.numbers, self.failures, self.done = port, numbers, 0, 0
        self.connection = None

    def connect(self):
        if self.connection is None:
            self.connection = pymysql.connect(
                host="127.0.0.1", port=self.port, user=accounting.USER, password=accounting.USER,
                database="slurm_acct", autocommit=False, connect_timeout=5,
            )  # fmt: skip
        return self.connection

    def write(self, number: int):
        connection, now = self.connect(), int(time.time())
        dim, batch = inputs_of(number)
        state = OUT_OF_MEMORY if is_out_of_memory(number) else COMPLETED
        comment = f"memmodel: model=unet3d batch={batch} dim={dim} level=0.95 predicted=1 memory=2 set=1M"
        with connection.cursor() as cursor:
            cursor.execute("select 1 from memmodel_job_table where id_job = %s", (number,))
            if cursor.fetchone():  # it was committed, and the answer lost
                return
            cursor.execute(JOB, (comment, "train", number, state, now - 60, now - 60, now - 50, now))
            usage = f"1=10,2={peak_of(number)}"
            cursor.execute(STEP, (cursor.lastrowid, state, now - 50, now, usage, usage))
        connection.commit()

    def run(self):
        for number in self.numbers:
            while True:
                try:
                    self.write(number)
                    self.done += 1
                    break
                except pymysql.MySQLError:
                    self.failures += 1
                    self.connection = None
                    time.sleep(0.2)


class Case(unittest.TestCase):
    nodes, limited = (), False

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.site = accounting.Accounted(*self.nodes, limited=self.limited)
        self.addCleanup(self.site.close)
        self.site.start()

    def import_all(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [TOOL, "import", "sacct", "-o", self.folder, *words], capture_output=True, text=True, check=False,
            env={**self.site.environment, "MEMMODEL_PYTHON": sys.executable, "MEMMODEL_TOOL": TOOL},
        )  # fmt: skip

    def rows(self) -> list[dict[str, str]]:
        with (self.folder / "unet3d.csv").open() as lines:
            return list(csv.DictReader(lines))


@unittest.skipIf(accounting.missing(), f"missing: {', '.join(accounting.missing())}")
class Accounting(Case):
    def test_a_job_that_has_run(self):
        holds = "python3 -c 'import time; x = b\"x\" * (80 << 20); time.sleep(3)'"
        script = f"#!/bin/sh\n{holds}\n"
        said = self.site.submit("--wait", "--mem=200", "--comment=memmodel: model=unet3d dim=64 batch=4", script=script)
        self.assertEqual(said.returncode, 0, said.stderr)
        made = self.import_all()
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        row = self.rows()[0]
        self.assertEqual((row["dim"], row["batch"], row["status"]), ("64", "4", "ok"))
        self.assertEqual(int(row["requested_bytes"]), 200 << 20)
        self.assertTrue(80 <= int(row["peak_bytes"]) >> 20 <= 120, row)
        json_text = self.site.command("sacct", "-a", "--json").stdout
        (self.folder / "sacct.json").write_text(json_text)
        made = self.import_all(str(self.folder / "sacct.json"))
        self.assertIn("0 jobs, 1 were there", made.stdout, made.stderr)

    def test_ten_thousand_jobs_of_fifty_writers_while_the_database_stops_and_starts(self):
        writers = [
            Writer(self.site.database_port, range(FIRST + offset, FIRST + JOBS, WRITERS)) for offset in range(WRITERS)
        ]
        for writer in writers:
            writer.start()
        began, imports = time.monotonic(), []
        cluster.poll(lambda: sum(writer.done for writer in writers) > JOBS // 10, "a tenth of the jobs")
        self.site.stop("mariadbd")
        self.assertTrue(any(writer.is_alive() for writer in writers))
        imports.append(self.import_all().returncode)
        self.site.start_database()
        while any(writer.is_alive() for writer in writers):
            imports.append(self.import_all().returncode)
            self.assertLess(time.monotonic() - began, 500)
        last = self.import_all("--refit", str(self.folder))
        self.assertEqual(last.returncode, 0, last.stderr)
        rows = {int(row["job_id"]): row for row in self.rows()}
        self.assertEqual((len(self.rows()), set(rows)), (JOBS, set(range(FIRST, FIRST + JOBS))))
        for number, row in rows.items():
            killed = is_out_of_memory(number)
            self.assertEqual((int(row["dim"]), int(row["batch"])), inputs_of(number))
            self.assertEqual(row["status"], "OUT_OF_MEMORY" if killed else "ok")
            self.assertEqual(int(row["peak_bytes"]), 1024 << 20 if killed else peak_of(number))
        failed = sum(writer.failures for writer in writers)
        print(f"{time.monotonic() - began:.0f} s, {len(imports)} imports: {imports.count(0)} done, "
              f"{failed} writes tried again; {last.stdout.splitlines()[-1]}")  # fmt: skip
        self.assertGreater(failed, 0)


@unittest.skipIf(lacking := [*accounting.missing(), *cluster.cgroups_missing()], f"missing: {', '.join(lacking)}")
class Limited(Case):
    """The kernel holds jobs to their --mem."""

    nodes, limited = (f"n{os.getpid()}",), True

    def test_a_job_that_was_killed_for_its_memory_is_a_lower_limit(self):
        script = "#!/bin/sh\npython3 -c 'x = b\"x\" * (400 << 20)'\n"
        said = self.site.submit("--wait", "--mem=200", "--comment=memmodel: model=unet3d dim=64 batch=9", script=script)
        self.assertNotEqual(said.returncode, 0)
        made = self.import_all()
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        row = self.rows()[0]
        self.assertEqual((row["dim"], row["batch"], row["status"]), ("64", "9", "OUT_OF_MEMORY"))
        self.assertEqual(int(row["peak_bytes"]), 200 << 20)


class Site(accounting.Accounted, Installation):
    """With the plugin for job submission."""


@unittest.skipIf(accounting.missing(), f"missing: {', '.join(accounting.missing())}")
class Page(unittest.TestCase):
    """What the page for operators shows, on a cluster as it says."""

    def setUp(self):
        self.site = Site(TOOL, Path(SCRIPTS), {"path": LUA_PATH, "cpath": LUA_CPATH}, CLOCK)
        self.addCleanup(self.site.close)
        self.site.environment |= {
            "PATH": f"{Path(TOOL).parent}:{self.site.environment['PATH']}", "MEMMODEL_PYTHON": sys.executable,
        }  # fmt: skip
        self.site.start()

    def shell(self, command: str) -> str:
        """As on the page, in the cluster's own folder."""
        own = command.replace("/var/lib/memmodel", str(self.site.models))
        made = subprocess.run(
            ["bash", "-c", own], cwd=self.site.directory, env=self.site.environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False, timeout=300,
        )  # fmt: skip
        return made.stdout.replace(str(self.site.models), "/var/lib/memmodel")

    def test_the_page(self):
        page = Path(PAGE).read_text()
        files = r"^`(\w+\.\w+)`:\n\n(?:<!--.*?-->\n)?```\w*\n(.*?)^```"
        for name, text in re.findall(files, page, re.MULTILINE | re.DOTALL):
            (self.site.directory / name).write_text(text)
        blocks = re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        commands = [part.partition("\n") for block in blocks for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
        self.assertGreater(len(commands), 3)
        for command, _, expected in commands:
            with self.subTest(command=command):
                said = self.shell(command)
                print(f"$ {command}\n{said}", end="")
                self.assertEqual(without_figures(said), without_figures(expected))


def without_figures(text: str) -> str:
    """Numbers are the machine's, and a fit may choose another way to write a formula."""
    plain = re.sub(r"\d+(\.\d+)?", "N", re.sub(r"peak_bytes = .*", "FORMULA", text))
    return re.sub(r" +$", "", plain, flags=re.MULTILINE)


if __name__ == "__main__":
    os.environ["MEMMODEL_TOOL"] = TOOL
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
