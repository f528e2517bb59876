"""memmodel run: what it passes on, what it writes, and that memory_profiler 0.61 reads it.

Arguments: the tool, and the directory of a virtual environment with memory_profiler, which may be absent.
"""

import contextlib
import errno
import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOOL = sys.argv[1]
MPROF = Path(sys.argv[2])
MIB = 1 << 20

# Takes 160 MiB for an instant, twelve times: a poller at 0.1 s sees few of them in full.
SPIKES = """
import mmap, time
def block(mib):
    memory = mmap.mmap(-1, mib << 20)
    for page in range(0, mib << 20, 4096):
        memory[page] = 1
    return memory
base = block(40)
for _ in range(12):
    block(160).close()
    time.sleep(0.173)
"""


# Four workers that were forked from a process of 200 MiB, and have 5 MiB of their own.
WORKERS = """
import os, time
memory = bytearray(200 << 20)
memory[::4096] = b"1" * len(memory[::4096])
for _ in range(4):
    if os.fork() == 0:
        own = b"x" * (5 << 20)
        time.sleep(2)
        os._exit(0)
for _ in range(4):
    os.wait()
"""

# Forks twice, so that the grandchild is nobody's: it takes 200 MiB, says its number and lives on.
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        memory = b"x" * (200 << 20)
        print(os.getpid(), flush=True)
        time.sleep(60)
    os._exit(0)
os.wait()
time.sleep(30)
"""


def tool(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=60, check=False)


def run(*arguments: str) -> subprocess.CompletedProcess:
    return tool("run", *arguments)


def inside(group: Path, *arguments: str) -> subprocess.CompletedProcess:
    """A run of which all is in a control group."""
    words = ["sh", "-c", f'echo $$ >"{group}/cgroup.procs"; exec "$@"', "sh", TOOL, "run", *arguments]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


def python(text: str) -> list[str]:
    return ["--", sys.executable, "-c", text]


def result_of(process: subprocess.CompletedProcess) -> dict:
    return json.loads(process.stdout.splitlines()[-1])


def start(*arguments: str) -> subprocess.Popen:
    """The tool with a command that says "ready" once it is."""
    process = subprocess.Popen(
        [TOOL, "run", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def state(pid: int) -> str:
    """One letter as ps(1) has it: R, S, T for a process that is stopped, Z; "" for one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def alive(pid: int) -> bool:
    return state(pid) not in ("", "Z")


def groups() -> dict[Path, int]:
    """The control groups that runs have made beside this process, by whose; others may vanish meanwhile."""
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if "cgroup" in line.split()[2]]
    own = {line.split(":", 2)[2].lstrip("/") for line in Path("/proc/self/cgroup").read_text().splitlines()}
    made = [group for mount in mounts for path in own for group in Path(mount, path).glob("memmodel-*")]
    return {group: int(group.name.split("-")[1]) for group in made}


def is_empty(group: Path) -> bool:
    try:
        return not (group / "cgroup.procs").read_text()
    except OSError:
        return True


def wait_until(condition, what: str, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.01)


class ExitCodes(unittest.TestCase):
    def test_a_command_is_ended_after_seconds(self):
        command = [TOOL, "run", "--seconds", "0.3", "--", "sleep", "30"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ended after --seconds", done.stderr)

    def test_the_exit_code_is_the_commands(self):
        self.assertEqual(run("sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(run("--", "true").returncode, 0)

    def test_a_signal_that_ended_the_command_is_128_and_its_number(self):
        process = run("--json", "sh", "-c", "kill -SEGV $$")
        self.assertEqual(process.returncode, 128 + signal.SIGSEGV)
        self.assertEqual(result_of(process)["exit_signal"], signal.SIGSEGV)

    def test_a_command_that_does_not_exist_is_127(self):
        process = run("no-such-command-here")
        self.assertEqual(process.returncode, 127)
        self.assertIn("no-such-command-here", process.stderr)

    def test_a_command_that_cannot_be_executed_is_126(self):
        with tempfile.NamedTemporaryFile() as plain:
            process = run(plain.name)
        self.assertEqual(process.returncode, 126)
        self.assertIn(os.strerror(errno.EACCES), process.stderr)

    def test_a_curve_that_cannot_be_written_stops_before_the_command_starts(self):
        process = run("-o", "/nowhere/curve.dat", "--", "echo", "started")
        self.assertEqual(process.returncode, 125)
        self.assertIn("/nowhere/curve.dat", process.stderr)
        self.assertEqual(process.stdout, "")

    def test_wrong_options_are_2_and_the_nearest_is_named(self):
        process = run("--intreval", "1", "true")
        self.assertEqual(process.returncode, 2)
        self.assertIn("--interval", process.stderr)
        for wrong in (["--limit", "16GX", "true"], ["--interval", "0", "true"], ["-o"], ["--json=1", "true"], []):
            self.assertEqual(run(*wrong).returncode, 2, wrong)

    def test_an_unknown_command_is_2_and_the_nearest_is_named(self):
        process = tool("rnu")
        self.assertEqual(process.returncode, 2)
        self.assertIn("'run'", process.stderr)


class Signals(unittest.TestCase):
    def setUp(self):
        # the shell of a background job may have had these ignored, and then they would stay so
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            self.addCleanup(signal.signal, number, signal.signal(number, signal.SIG_DFL))

    def test_each_signal_reaches_the_command(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number=number):
                handler = f"trap 'exit 40' {number.name[3:]}; echo ready; while :; do sleep 0.05; done"
                process = start("sh", "-c", handler)
                process.send_signal(number)
                process.communicate(timeout=30)
                self.assertEqual(process.returncode, 40)

    def test_a_signal_reaches_the_commands_children_too(self):
        process = start("sh", "-c", "sleep 60 & echo ready; wait")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)  # returns only when the sleep has let go of stdout
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    def test_a_stop_reaches_the_command_and_its_children_and_so_does_its_end(self):
        process = start("sh", "-c", "sleep 60 & echo ready; echo $$ $!; wait")
        pids = [int(word) for word in process.stdout.readline().split()]
        process.send_signal(signal.SIGTSTP)
        wait_until(lambda: all(state(pid) == "T" for pid in pids), "stopped")
        process.send_signal(signal.SIGCONT)
        wait_until(lambda: all(state(pid) == "S" for pid in pids), "continued")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    def test_a_stop_reaches_a_child_that_has_a_session_of_its_own(self):
        # the kernel stops nobody without a shell above it, so the daemon says that it was told to
        daemon = "trap 'echo told; exit' TSTP; echo ready; while :; do sleep 0.05; done"
        process = start("setsid", "--wait", "sh", "-c", f'setsid sh -c "{daemon}" & wait')
        process.send_signal(signal.SIGTSTP)
        self.assertEqual(process.stdout.readline(), "told\n")
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=30)

    def test_an_ignored_signal_stays_ignored(self):
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGHUP, before)
        process = run(*python("import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)"))
        self.assertEqual(process.stdout, "True\n")

    def test_the_terminals_interrupt_reaches_the_command_once(self):
        pid, terminal = pty.fork()
        if pid == 0:
            script = "trap 'n=$((n+1))' INT; echo ready; sleep 2; sleep 0.2; exit $((50+n))"
            os.execv(TOOL, [TOOL, "run", "sh", "-c", script])
        while b"ready" not in os.read(terminal, 1000):
            pass
        os.write(terminal, b"\x03")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 51)
        os.close(terminal)


class Terminal(unittest.TestCase):
    """A shell with job control on a terminal: what a person types."""

    def setUp(self):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(PS1="", HISTFILE="")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(self.end)
        self.told = ""

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def type(self, text: str):
        os.write(self.terminal, text.encode())

    def expect(self, pattern: str) -> re.Match:
        """The first match in what the terminal shows from here on; what is before it is gone."""
        deadline = time.monotonic() + 30
        while not (found := re.search(pattern, self.told)):
            left = deadline - time.monotonic()
            if left < 0 or not select.select([self.terminal], [], [], left)[0]:
                raise TimeoutError(f"{pattern}: {self.told}")
            self.told += os.read(self.terminal, 4096).decode(errors="replace")
        self.told = self.told[found.end() :]
        return found

    def run_command(self, pipeline: str = "") -> list[int]:
        """The tool with a shell that has a child: their numbers, the tool's first."""
        self.type(f"{TOOL} run sh -c 'sleep 60 & echo pids $PPID $$ $! end; wait' {pipeline}\n")
        return [int(word) for word in self.expect(r"pids (\d+ \d+ \d+) end").group(1).split()]

    def wait_for(self, pids: list[int], letter: str):
        wait_until(lambda: all(state(pid) == letter for pid in pids), f"{letter}: {[state(pid) for pid in pids]}")

    def test_ctrl_z_stops_all_and_fg_and_bg_continue_them(self):
        for pipeline in "", "| cat":
            with self.subTest(pipeline=pipeline):
                pids = self.run_command(pipeline)
                for again in "fg", "bg":
                    self.type("\x1a")
                    self.expect("Stopped")
                    self.wait_for(pids, "T")
                    self.type(f"{again}\n")
                    self.wait_for(pids, "S")
                self.type("kill %%\n")
                wait_until(lambda pids=pids: not alive(pids[0]), "the end")
                wait_until(lambda pids=pids: not alive(pids[2]), "the end of all")

    def test_a_stop_that_only_the_tool_gets_stops_its_job(self):
        pids = self.run_command()
        os.kill(pids[0], signal.SIGTSTP)
        self.expect("Stopped")
        self.wait_for(pids, "T")
        os.kill(pids[0], signal.SIGCONT)
        self.wait_for(pids, "S")
        for pid in reversed(pids):  # the tool may have ended with its job
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


class Peaks(unittest.TestCase):
    def test_the_peak_of_short_spikes_is_the_kernels(self):
        process = run("--json", *python(SPIKES))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        result = result_of(process)
        self.assertGreater(result["peak_rss"], 200 * MIB)
        self.assertLess(result["peak_rss"], 240 * MIB)
        self.assertGreaterEqual(result["peak_rss"], result["peak_sampled"])
        # nobody measured more than the kernel has seen; what each core counts for itself is not in all its numbers
        self.assertGreaterEqual(before * 1024 + MIB, result["peak_process"])
        self.assertIn("peak", process.stderr)

    def test_processes_of_a_command_that_forks_are_added(self):
        hold = "import time; x = b'x' * (50 << 20); time.sleep(1)"
        one = f'"{sys.executable}" -c "{hold}" &'
        process = run("--json", "--", "sh", "-c", f"{one} {one} wait")
        result = result_of(process)
        self.assertGreaterEqual(result["process_count"], 3)
        self.assertGreater(result["peak_rss"], 100 * MIB)
        self.assertLess(result["peak_process"], 100 * MIB)

    def test_memory_that_processes_share_counts_once(self):
        for arguments in [], ["--no-cgroup"]:
            with self.subTest(arguments=arguments):
                process = run("--json", *arguments, *python(WORKERS))
                result = result_of(process)
                self.assertGreater(result["peak_rss"], 800 * MIB)
                self.assertGreater(result["peak"], 200 * MIB)
                self.assertLess(result["peak"], 300 * MIB)
                self.assertIn(f"peak {result['peak'] / MIB:.2f} MiB", process.stderr)
                self.assertIn("RSS of each added", process.stderr)

    def test_the_limit_is_of_memory_counted_once(self):
        self.assertEqual(run("--limit", "400M", *python(WORKERS)).returncode, 0)
        self.assertEqual(run("--limit", "150M", *python(WORKERS)).returncode, 124)

    def test_a_group_of_its_own_leaves_nothing_behind(self):
        result = result_of(run("--json", *python("x = b'x' * (100 << 20)")))
        if not result["own_cgroup"]:
            self.skipTest("no control group may be made here")
        self.assertGreater(result["peak_cgroup"], 100 * MIB)
        self.assertLess(result["peak_cgroup"], 200 * MIB)
        ended = subprocess.Popen([TOOL, "run", "true"], stderr=subprocess.DEVNULL)
        self.assertEqual(ended.wait(timeout=60), 0)
        self.assertNotIn(ended.pid, groups().values())

    def test_a_command_that_the_kernel_kills_for_memory_ran_out_of_it(self):
        group = self.limited(80 * MIB)
        hold = f"{sys.executable} -S -c \"x = b'x' * (300 << 20)\""
        for words, own, said in (
            (f"exec {hold}", [], "the command ran out of memory: the kernel killed it; its control group allows 80.00"),
            (f"exec {hold}", ["--no-cgroup"], "the kernel killed it; its control group allows 80.00 MiB"),
            (f"{hold}; exit 3", [], "ran out of memory: the kernel killed 1 of its processes; its control group"),
        ):
            with self.subTest(words=words, own=own), tempfile.TemporaryDirectory() as folder:
                table = Path(folder, "t.csv")
                row = ["--append", str(table), "-s", "size=300"]
                process = inside(group, "--json", *row, *own, "--", "sh", "-c", words)
                self.assertIn(said, process.stderr)
                self.assertEqual(result_of(process)["out_of_memory"], 1)
                self.assertEqual(result_of(process)["cgroup_limit"], 80 * MIB)
                self.assertEqual(table.read_text().strip().rsplit(",", 1)[1], '"OUT_OF_MEMORY"')
                self.assertEqual(process.returncode, 3 if "exit" in words else 137)

    def test_a_command_that_somebody_kills_did_not_run_out_of_memory(self):
        group = self.limited(80 * MIB)
        process = inside(group, "--json", "--", "sh", "-c", "kill -9 $$")
        self.assertEqual(result_of(process)["out_of_memory"], 0)
        self.assertIn("the command was killed (signal 9), and not by the kernel for want of memory", process.stderr)

    def limited(self, size: int) -> Path:
        """A control group of version 1 that may have so much."""
        group = Path(f"/sys/fs/cgroup/memory/memmodel_test_{os.getpid()}")
        try:
            group.mkdir()
        except OSError:
            self.skipTest("no memory cgroup of version 1 may be made here")
        self.addCleanup(group.rmdir)
        (group / "memory.limit_in_bytes").write_text(str(size))
        if "oom_kill " not in (group / "memory.oom_control").read_text():
            self.skipTest("this kernel does not count what it kills")
        return group

    def test_groups_that_killed_runs_left_are_removed_by_the_next(self):
        if not result_of(run("--json", "true"))["own_cgroup"]:
            self.skipTest("no control group may be made here")
        left = {group for group, owner in groups().items() if not alive(owner) and is_empty(group)}
        tool("run", "true")
        self.assertEqual(left & set(groups()), set())

    def test_a_daemon_is_counted_and_does_not_escape_the_limit(self):
        for arguments in [], ["--no-cgroup"]:
            with self.subTest(arguments=arguments):
                process = run("--json", "--limit", "100M", *arguments, *python(DAEMON))
                self.assertEqual(process.returncode, 124)
                self.assertGreater(result_of(process)["peak"], 100 * MIB)
                for word in process.stdout.split("{")[0].split():
                    self.assertFalse(alive(int(word)))

    def test_the_limit_kills_the_whole_tree(self):
        children = "import subprocess, sys, time; p = subprocess.Popen(['sleep', '60']); print(p.pid, flush=True); "
        process = run("--json", "--limit", "100M", *python(children + "time.sleep(.3); x = b'x' * (300 << 20)"))
        self.assertEqual(process.returncode, 124)
        result = result_of(process)
        self.assertTrue(result["limit_exceeded"])
        self.assertEqual(result["exit_code"], 124)
        self.assertIn("limit", process.stderr)
        sleeper = int(process.stdout.split()[0])
        deadline = time.monotonic() + 10
        while alive(sleeper) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(alive(sleeper))

    def test_the_json_has_all_that_the_formats_page_lists(self):
        result = result_of(run("--json", "--pss", "sleep", "0.2"))
        members = {"exit_code", "exit_signal", "limit_exceeded", "seconds", "reading_count", "process_count"}
        peaks = {"peak", "peak_rss", "peak_sampled", "peak_process", "peak_pss", "peak_cgroup"}
        groups = {"own_cgroup", "cgroup_limit", "out_of_memory", "pss_readings", "pss_seconds"}
        self.assertEqual(set(result), members | peaks | groups)
        self.assertGreater(result["peak_pss"], 0)
        self.assertGreaterEqual(result["reading_count"], 5)
        self.assertTrue(0.2 <= result["seconds"] < 5)


class Curves(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.curve = Path(self.directory.name, "curve.dat")

    def spikes(self) -> float:
        """Writes the curve of a command with spikes and returns its peak in MiB."""
        return result_of(run("--json", "-o", str(self.curve), *python(SPIKES)))["peak_rss"] / MIB

    def test_the_curve_has_a_command_line_and_readings_in_order_up_to_the_peak(self):
        peak = self.spikes()
        lines = self.curve.read_text().splitlines()
        self.assertRegex(lines[0], r"^CMDLINE .*python.* -c '")
        readings = []
        for line in lines[1:]:
            self.assertRegex(line, r"^MEM \d+\.\d{6} \d{10}\.\d{4}$")
            readings.append([float(word) for word in line.split()[1:]])
        times = [reading[1] for reading in readings]
        self.assertEqual(times, sorted(times))
        self.assertAlmostEqual(max(reading[0] for reading in readings), peak, places=5)

    def test_a_json_has_counters_for_perfetto(self):
        path = self.curve.with_suffix(".json")
        peak = result_of(run("--json", "-o", str(path), *python(SPIKES)))["peak_rss"]
        head, *counters = json.loads(path.read_text())
        self.assertEqual((head["ph"], head["args"]["command"]), ("M", python(SPIKES)[1:]))
        self.assertEqual({(event["ph"], event["pid"]) for event in counters}, {("C", 1)})
        self.assertEqual(max(event["args"]["bytes"] for event in counters), peak)
        times = [event["ts"] for event in counters]
        self.assertEqual((times, times[0]), (sorted(times), 0))

    def test_an_html_is_a_page_with_its_points(self):
        path = self.curve.with_suffix(".html")
        command = [*python(SPIKES), "</script>"]
        peak = result_of(run("--json", "-o", str(path), *command))["peak_rss"]
        page = path.read_text()
        data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
        self.assertEqual(data["command"], command[1:])
        self.assertEqual(max(point[1] for point in data["points"]), peak)
        self.assertTrue(page.rstrip().endswith("</html>"))

    def test_a_killed_tool_leaves_the_curve_so_far(self):
        process = start("-o", str(self.curve), "sh", "-c", "echo ready; echo $$; exec sleep 60")
        command = int(process.stdout.readline())
        time.sleep(1.5)
        process.kill()
        os.kill(command, signal.SIGKILL)
        process.communicate(timeout=30)
        self.assertGreater(len(self.curve.read_text().splitlines()), 20)

    @unittest.skipUnless((MPROF / "bin/mprof").exists(), "no memory_profiler")
    def test_mprof_reads_the_peak_and_draws_the_curve(self):
        peak = self.spikes()
        mprof = [str(MPROF / "bin/python"), str(MPROF / "bin/mprof")]
        environment = dict(os.environ, MPLBACKEND="agg", MPLCONFIGDIR=self.directory.name)
        said = subprocess.run([*mprof, "peak", str(self.curve)], capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout.split()[-2:], [f"{peak:.3f}", "MiB"])
        picture = Path(self.directory.name, "curve.png")
        command = [*mprof, "plot", "--backend", "agg", "-o", str(picture), str(self.curve)]
        subprocess.run(command, capture_output=True, check=True, env=environment)
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
