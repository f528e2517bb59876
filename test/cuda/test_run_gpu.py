"""memmodel run --gpu: a small program in C on simulated GPUs.

Arguments: the tool, the program, the folder of a library that has the name of CUDA's runtime, a program that is linked
statically (may be absent).
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL, PROGRAM, LIBRARIES, STATIC = sys.argv[1:5]
MIB = 1 << 20
GIB = 1 << 30
CONTEXT = 621 * MIB  # of an H100: lib/frameworks/cuda/gpu.c
H100 = 85045936128  # total memory, as CUDA reports it for an H100 of 80 GB


def run(*arguments, options=("--gpu", "h100"), program=PROGRAM, environment=()):
    own = {**os.environ, "LD_LIBRARY_PATH": LIBRARIES, **dict(environment)}
    own.pop("CUDA_VISIBLE_DEVICES", None) if "CUDA_VISIBLE_DEVICES" not in dict(environment) else None
    return subprocess.run(
        [TOOL, "run", *options, "--json", "--", program, *map(str, arguments)],
        env=own,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def result(done):
    return json.loads(done.stdout.splitlines()[-1])


class Bytes(unittest.TestCase):
    def test_what_is_taken_is_counted_with_the_context(self):
        gpu = result(run("take", 100, "take", 50, "give", "take", 20))["gpus"][0]
        self.assertEqual(gpu["peak"], CONTEXT + 150 * MIB)
        self.assertEqual(gpu["context"], CONTEXT)
        self.assertEqual(gpu["outside_allocator"], 150 * MIB)
        self.assertTrue(gpu["fits"])

    def test_small_allocations_share_pieces_of_2_mib(self):
        gpu = result(run("threads"))["gpus"][0]
        self.assertLessEqual(gpu["outside_allocator"], 8 * 2 * MIB)
        self.assertGreaterEqual(gpu["outside_allocator"], 2 * MIB)

    def test_free_memory_is_what_is_left(self):
        done = run("take", 1024, "free")
        left = (H100 - CONTEXT - GIB) // MIB
        self.assertIn(f"1 devices, {left} of {H100 // MIB} MiB free", done.stdout)

    def test_several_devices_are_counted_apart(self):
        gpus = result(run("take", 10, "device", 3, "take", 30, options=("--gpu", "h100:4")))["gpus"]
        self.assertEqual([gpu["outside_allocator"] // MIB for gpu in gpus], [10, 0, 0, 30])

    def test_visible_devices_are_numbered_anew(self):
        done = run("free", "take", 10, options=("--gpu", "h100:4"), environment={"CUDA_VISIBLE_DEVICES": "2,1"})
        self.assertIn("2 devices", done.stdout)
        self.assertEqual([gpu["outside_allocator"] // MIB for gpu in result(done)["gpus"]], [0, 0, 10, 0])

    def test_host_memory_is_not_taken(self):
        self.assertLess(result(run("take", 60000))["peak"], 100 * MIB)


class Processes(unittest.TestCase):
    def test_a_child_has_memory_of_its_own(self):
        gpu = result(run("take", 100, "fork", 200, "take", 1))["gpus"][0]
        self.assertEqual(gpu["peak"], 2 * CONTEXT + 300 * MIB)
        self.assertEqual(gpu["process_count"], 2)

    def test_what_a_killed_child_held_is_free_again(self):
        done = run("killed", 70000, "take", 70000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(result(done)["gpus"][0]["failures"], 0)

    def test_a_child_that_frees_what_its_parent_holds_gives_nothing_back(self):
        gpu = result(run("take", 100, "inherit", 30))["gpus"][0]
        self.assertEqual(gpu["peak"], 2 * CONTEXT + 160 * MIB)
        self.assertEqual(gpu["outside_allocator"], 160 * MIB)

    def test_more_processes_than_the_ledger_has_places_for(self):
        gpu = result(run("children", 600))["gpus"][0]
        self.assertEqual(gpu["failures"], 0)
        self.assertEqual(gpu["process_count"], 600)
        self.assertEqual(gpu["peak"], CONTEXT + GIB)
        self.assertEqual(gpu["context"], CONTEXT)
        self.assertEqual(gpu["outside_allocator"], GIB)

    def test_nothing_stays_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            run("take", 10, environment={"TMPDIR": folder})
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_what_a_killed_run_has_left_goes_with_the_next(self):
        with tempfile.TemporaryDirectory() as folder:
            own = {**os.environ, "LD_LIBRARY_PATH": LIBRARIES, "TMPDIR": folder}
            command = [TOOL, "run", "--gpu", "h100", "--", "sh", "-c", "echo; read end"]
            with subprocess.Popen(command, env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as killed:
                killed.stdout.readline()
                left = list(Path(folder).iterdir())
                os.utime(left[0], (0, 0))
                run("take", 10, environment={"TMPDIR": folder})
                self.assertEqual(list(Path(folder).iterdir()), left, "of a run that goes on")
                killed.kill()
            run("take", 10, environment={"TMPDIR": folder})
            self.assertEqual(list(Path(folder).iterdir()), [])


class Verdict(unittest.TestCase):
    def test_a_program_that_ends_for_want_of_memory_does_not_fit(self):
        done = run("take", 70000, "take", 20000)
        self.assertEqual(done.returncode, 3)
        self.assertIn("20000 MiB: out of memory", done.stdout)
        self.assertIn("does not fit, 88.50 GiB would have been needed at least", done.stderr)

    def test_one_that_goes_on_fits(self):
        done = run("try", 90000, "take", 10)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(result(done)["gpus"][0]["failures"], 1)

    def test_overcommit_goes_on_and_says_what_is_needed(self):
        done = run("take", 90000, options=("--gpu", "h100", "--overcommit"))
        self.assertEqual(done.returncode, 3)
        self.assertEqual(result(done)["gpus"][0]["peak"], 90000 * MIB + CONTEXT)

    def test_another_capacity(self):
        done = run("take", 900, options=("--gpu", "h100", "--capacity", "1GiB"))
        self.assertEqual(done.returncode, 3)

    def test_the_programs_own_exit_code_passes_through(self):
        done = run("-c", "exit 5", program="sh")
        self.assertEqual(done.returncode, 5, done.stderr)

    def test_the_peak_becomes_a_row_of_a_table(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "samples.csv"
            for mib in (100, 90000):
                run("take", mib, options=("--gpu", "h100", "--append", str(table), "--set", f"mib={mib}"))
            rows = list(csv.DictReader(table.read_text().splitlines()))
            self.assertEqual(int(rows[0]["peak_bytes"]), 100 * MIB + CONTEXT)
            self.assertEqual([row["status"] for row in rows], ["ok", "OOM"])


class Values(unittest.TestCase):
    def test_what_the_host_wrote_reads_back(self):
        self.assertIn("what the host wrote", run("roundtrip").stdout)

    def test_what_nobody_wrote_is_said(self):
        done = run("read")
        self.assertEqual(done.stdout.splitlines()[0], "0")
        self.assertEqual([note["kind"] for note in result(done)["notes"]], ["profile", "made_up"])
        self.assertIn("8 bytes read from the device by", done.stderr)

    def test_a_function_that_is_not_simulated_returns_an_error_and_is_named(self):
        done = run("unknown")
        self.assertIn("unknown: operation not supported", done.stdout)
        self.assertIn("cudaNobodyKnowsThis", done.stderr)
        self.assertIn("called by", result(done)["notes"][1]["text"])


class Refusals(unittest.TestCase):
    def refused(self, message, *options, program=PROGRAM, code=125):
        done = run("take", 1, options=options, program=program)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)

    def test_an_unknown_gpu_lists_those_there_are(self):
        self.refused("a100-80gb", "--gpu", "h1000")

    def test_a_number_of_devices_that_is_none(self):
        self.refused("1 to 16", "--gpu", "h100:0")
        self.refused("1 to 16", "--gpu", "h100:x")

    def test_a_capacity_below_nothing(self):
        self.refused("capacity", "--gpu", "h100", "--capacity", "0")

    @unittest.skipIf(Path("/usr/local/cuda/lib64").exists(), "CUDA's libraries are installed here")
    def test_a_program_without_cuda(self):
        nowhere = {"LD_LIBRARY_PATH": "", "CONDA_PREFIX": ""}
        done = run(program="/bin/true", environment=nowhere)
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("no CUDA libraries were found", done.stderr)

    def test_the_python_that_a_command_names_is_asked(self):
        """One whose PyTorch is a CPU build, named after another program, and in a line of a shell."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "torch").mkdir()
            (Path(folder) / "torch/version.py").write_text("cuda: Optional[str] = None\n")
            python = Path(folder) / "python3.11"
            python.write_text(f"#!/bin/sh\necho {folder}\n")
            python.chmod(0o755)
            for command in (("env", "A=1", python, "a.py"), ("sh", "-c", f"exec {python} a.py")):
                done = run(*command[1:], program=command[0])
                self.assertEqual(done.returncode, 125, done.stderr)
                self.assertIn("CPU build of PyTorch", done.stderr)

    @unittest.skipUnless(Path(STATIC).exists(), "no static C library here")
    def test_a_static_program(self):
        self.refused("linked statically", "--gpu", "h100", program=STATIC)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
