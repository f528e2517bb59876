"""Measured memory, from Python."""

import os
import subprocess
import sys
import unittest

import memmodel

try:
    import numpy
except ImportError:
    numpy = None

MIB = 1 << 20


def touch(mib):
    """Memory that is really there."""
    block = bytearray(mib * MIB)
    block[::4096] = b"\1" * len(block[::4096])
    return block


@unittest.skipUnless(sys.platform.startswith("linux"), "Linux")
class Watching(unittest.TestCase):
    def test_it_sees_what_a_block_of_code_takes(self):
        with memmodel.Monitor(interval_seconds=0.002) as monitor:
            before = monitor.read().rss
            block = touch(200)
            del block
        self.assertGreaterEqual(monitor.peak - before, 195 * MIB)
        self.assertGreaterEqual(monitor.result.reading_count, 2)

    def test_the_curve_has_the_peak(self):
        with memmodel.Monitor() as monitor:
            block = touch(50)
        del block
        curve = monitor.curve
        if numpy:
            self.assertEqual(curve["bytes"].max(), monitor.peak)
            self.assertTrue((numpy.diff(curve["time"]) >= 0).all())
        else:
            self.assertEqual(max(size for _, size in curve), monitor.peak)

    def test_before_the_first_reading_there_is_nothing(self):
        monitor = memmodel.Monitor()
        self.assertEqual((len(monitor.curve), monitor.result.reading_count), (0, 0))

    def test_it_can_be_asked_while_it_watches(self):
        with memmodel.Monitor() as monitor:
            first = monitor.result.reading_count
            for _ in range(20):
                self.assertGreaterEqual(monitor.peak, 1)
                self.assertIn(os.getpid(), monitor.processes)
        self.assertGreater(monitor.result.reading_count, first)

    def test_memory_that_processes_share_counts_once(self):
        code = (
            "import os, sys; x = bytearray(100 << 20); x[::4096] = b'1' * len(x[::4096]); child = os.fork()\n"
            "if child: print(child, flush=True)\n"
            "sys.stdin.read()"
        )
        command = [sys.executable, "-c", code]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            monitor = memmodel.Monitor(child.pid, pss=True)
            reading = monitor.read()
            child.communicate(b"")
        self.assertEqual(reading.process_count, 2)
        self.assertGreaterEqual(reading.rss, 200 * MIB)
        self.assertTrue(100 * MIB <= reading.charge < 150 * MIB)
        self.assertLess(monitor.peak, 150 * MIB)
        self.assertGreaterEqual(monitor.result.peak_rss, 200 * MIB)
        self.assertFalse(monitor.result.own_cgroup)

    def test_a_command_is_run_to_its_end(self):
        code = "x = bytearray(150 << 20); x[::4096] = b'1' * len(x[::4096]); raise SystemExit(3)"
        monitor = memmodel.Monitor.run([sys.executable, "-c", code])
        self.assertGreaterEqual(monitor.peak, 150 * MIB)
        self.assertLess(monitor.peak, 250 * MIB)
        self.assertTrue(monitor.result.exited)
        self.assertEqual(monitor.result.exit_code, 3)
        with self.assertRaises(OSError):
            memmodel.Monitor.run(["/nowhere/at/all"])

    def test_another_process_and_its_end(self):
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
            monitor = memmodel.Monitor(child.pid).start()
            child.communicate(b"\n")
        monitor.join()
        self.assertTrue(monitor.result.exited)
        self.assertTrue(monitor.read().exited)

    def test_wrong_arguments_are_refused(self):
        for wrong, error in (
            (lambda: memmodel.Monitor(2**40), memmodel.MemmodelError), (lambda: memmodel.Monitor("me"), TypeError),
            (lambda: memmodel.Monitor(2**70), OverflowError),
            (lambda: memmodel.Monitor(interval_seconds=-1.0), ValueError),
            (lambda: memmodel.Monitor(interval_seconds="fast"), TypeError),
        ):  # fmt: skip
            with self.assertRaises(error):
                wrong()

    def test_a_closed_monitor_says_so(self):
        monitor = memmodel.Monitor().start()
        monitor.close()
        monitor.close()
        for use in (monitor.read, lambda: monitor.peak, lambda: monitor.curve, monitor.start):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()

    def test_starting_twice_is_an_error_and_stopping_twice_is_none(self):
        monitor = memmodel.Monitor().start()
        with self.assertRaises(RuntimeError):
            monitor.start()
        monitor.stop()
        monitor.stop()

    def test_a_forgotten_monitor_stops(self):
        import threading

        memmodel.Monitor(interval_seconds=0.001).start()
        for thread in threading.enumerate():
            if thread.name == "memmodel monitor":
                thread.join(10)
                self.assertFalse(thread.is_alive())


if __name__ == "__main__":
    unittest.main()
