"""The sentence of a verdict: each has its word, the one that JSON and tables have."""

import subprocess
import sys
import unittest

SENTENCES = {
    "fits": "takes up to 3 GiB of 4 GiB, fits with 1 GiB left",
    "does not fit": "takes up to 3 GiB of 4 GiB, does not fit, 1 GiB over",
    "unknown": "whether it fits 4 GiB is unknown: process bytes are not modelled",
    "uncertain": "takes up to 3 GiB of 4 GiB, uncertain",
}


class Verdicts(unittest.TestCase):
    def test_each_is_said_with_its_word(self):
        said = subprocess.run([PROGRAM], check=True, capture_output=True, text=True).stdout
        self.assertEqual(dict(line.split("\t") for line in said.splitlines()), SENTENCES)


PROGRAM = sys.argv.pop()
unittest.main()
