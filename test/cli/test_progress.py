"""How far a command is, on a terminal; and Ctrl-C whenever it comes.

usage: test_progress.py TOOL UNET3D_PROGRAM
"""

import os
import pty
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

TOOL, NETWORK = (str(Path(word).resolve()) for word in sys.argv[1:3])
CLEAR = "\r\x1b[K"


def on_a_terminal(words: list[str], until: str = "", **settings) -> tuple[int, str]:
    """Exit code, and what was written to standard error, a terminal; Ctrl-C once `until` has been read there."""
    master, slave = pty.openpty()
    process = subprocess.Popen([TOOL, *words], stdout=subprocess.PIPE, stderr=slave, text=True, **settings)
    os.close(slave)
    said: list[bytes] = []

    def listen():
        asked = False
        while True:
            try:
                got = os.read(master, 4096)
            except OSError:  # the other end is closed
                return
            said.append(got)
            if until and not asked and re.search(until, b"".join(said).decode()):
                asked = True
                process.send_signal(signal.SIGINT)

    listener = threading.Thread(target=listen)
    listener.start()
    process.communicate(timeout=200)
    listener.join(timeout=60)
    os.close(master)
    return process.returncode, b"".join(said).decode()


class Progress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.folder = Path(place.name)
        subprocess.run([NETWORK, "-o", cls.folder / "unet.json"], check=True, stdout=subprocess.DEVNULL)
        numbers = random.Random(1)
        rows = [(numbers.uniform(1, 9), numbers.uniform(1, 9), numbers.uniform(1, 9)) for _ in range(60)]
        cls.samples = cls.folder / "samples.csv"
        lines = [f"{a},{b},{c},{a * b / (1 + c) + numbers.uniform(0, 0.1)}" for a, b, c in rows]
        cls.samples.write_text("\n".join(["a,b,c,y", *lines]) + "\n")

    def long_search(self):
        return ["fit", str(self.samples), "--search", "--max-seconds", "8"]

    def test_a_search_says_how_far_it_is_and_how_long_it_may_take_and_clears_the_line(self):
        code, said = on_a_terminal(self.long_search())
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"\r\d+ of \d+ formulas(, best error [\d.e-]+)?, at most \d+ s left\x1b\[K")
        after = said.rindex(CLEAR)
        self.assertNotIn("left", said[after:])

    def test_recomputation_says_its_best_in_bytes(self):
        words = ["recompute", str(self.folder / "unet.json"), "--set", "batch=8,dim=64", "--max-seconds", "8"]
        code, said = on_a_terminal([*words, "--max-simulations", "100000"])
        self.assertIn(code, (0, 3), said)
        self.assertRegex(said, r"\r\d+ of 100000 simulations, best so far [\d.]+ [GM]iB, at most \d+ s left\x1b\[K")

    def test_elsewhere_nothing_is_shown(self):
        made = subprocess.run([TOOL, *self.long_search()], capture_output=True, text=True, check=True)
        self.assertNotIn("left", made.stderr)
        self.assertNotIn("\r", made.stderr)

    def test_ctrl_c_ends_it_with_the_best_so_far(self):
        code, said = on_a_terminal([*self.long_search()[:-1], "100"], until="left")
        self.assertEqual(code, 130, said)
        self.assertIn(f"{CLEAR}memmodel fit: ", said)
        self.assertTrue(said.endswith("memmodel fit: interrupted; the answer is the best so far\r\n"), said)

    def test_ctrl_c_at_any_time_ends_it_without_a_crash(self):
        words = [TOOL, "estimate", str(self.folder / "unet.json"), "--set", "batch=8,dim=64"]
        began = time.monotonic()
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        usual, codes = time.monotonic() - began, set()
        for turn in range(60):
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(usual * turn / 40)
            process.send_signal(signal.SIGINT)
            codes.add(process.wait(timeout=60))
        self.assertLessEqual(codes, {0, 130, -signal.SIGINT})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
