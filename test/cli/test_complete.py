"""Completion as somebody types it, in bash, zsh and fish themselves. usage: test_complete.py TOOL EXAMPLES

EXAMPLES: the folder of files that the examples of --help run on.
"""

import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

TOOL, EXAMPLES = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
PATIENCE = 60.0
UNKNOWN = "unknown|there is no |no profile of|has no rule|autocast is simulated|no cache is made"
TAB, READY = b"\t", b"ready>"

# What is typed, and what the line or the list below it then reads: a command, an option, a value of an option.
TYPED = {
    "memmodel esti": "estimate",
    "memmodel advise-m": "advise-mesh",
    "memmodel estimate --saf": "--safety",
    "memmodel fit --quan": "--quantile",
    "memmodel estimate net.json --optimizer adag": "adagrad",
    "memmodel run --gpu rtx50": "rtx5090",
    "memmodel fit --loss pin": "pinball",
    "memmodel estimate --loss cross": "cross_entropy",
    "memmodel estimate summer": "summer.json",
    "memmodel fit --columns a -o summer": "summer.json",
}


class Terminal:
    """A shell that thinks somebody sits there."""

    def __init__(self, arguments, folder):
        environment = dict(os.environ, HOME=str(folder), TERM="dumb", LC_ALL="C.UTF-8")
        environment["PATH"] = f"{TOOL.parent}:{os.environ['PATH']}"
        self.process, self.screen = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(arguments[0], arguments, environment)

    def read_until(self, text):
        """What the shell wrote, to `text` or to the end of patience."""
        read, end = b"", time.monotonic() + PATIENCE
        while text not in read and time.monotonic() < end:
            if select.select([self.screen], [], [], 0.5)[0]:
                read += os.read(self.screen, 65536)
        return read

    def type(self, keys):
        os.write(self.screen, keys)

    def close(self):
        os.close(self.screen)
        os.waitpid(self.process, 0)


def completion(shell):
    return subprocess.run([TOOL, "completion", shell], capture_output=True, check=True).stdout


class Complete(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "summer.json").touch()

    def shell(self, name):
        if not shutil.which(name):
            self.skipTest(f"no {name} here")
        return name

    def completes_in(self, arguments, setup):
        terminal = Terminal(arguments, self.folder)
        self.addCleanup(terminal.close)
        terminal.type(setup)
        terminal.read_until(b"\n" + READY)
        for line, expected in TYPED.items():
            terminal.type(line.encode() + TAB)
            rest = expected.removeprefix(re.split(r"[ =]", line)[-1]).encode()
            shown = terminal.read_until(line.encode() + rest)
            self.assertIn(line.encode() + rest, shown.replace(b"\x07", b""), line)
            terminal.type(b"\x15 true\n")  # the line is given up
            terminal.read_until(b"\n" + READY)

    def test_bash_completes_what_is_typed(self):
        shell = self.shell("bash")
        (self.folder / "completion").write_bytes(completion("bash"))
        setup = b"bind 'set enable-bracketed-paste off' 2>/dev/null; PS1=ready''\\>; source ./completion\n"
        self.completes_in([shell, "--norc", "--noprofile", "-i"], setup)

    def test_zsh_completes_what_is_typed(self):
        shell = self.shell("zsh")
        (self.folder / "_memmodel").write_bytes(completion("zsh"))
        setup = (
            b"unsetopt prompt_cr prompt_sp; fpath=($PWD $fpath); autoload -U compinit; compinit -u; PS1=ready''\\>\n"
        )
        self.completes_in([shell, "-f", "-i"], setup)

    def test_fish_completes_what_is_typed(self):
        shell = self.shell("fish")
        (self.folder / "memmodel.fish").write_bytes(completion("fish"))
        for line, expected in TYPED.items():
            command = [shell, "--no-config", "-c", f"source memmodel.fish; complete -C '{line}'"]
            found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=self.folder).stdout
            self.assertIn(expected, [offer.split("\t")[0] for offer in found.splitlines()], line)

    def offered(self, command, option):
        """Values that bash offers behind an option."""
        script = """source <("$0" completion bash)
            COMP_WORDS=(memmodel "$1" "--$2" ""); COMP_CWORD=3; _memmodel; echo "${COMPREPLY[@]}" """
        made = subprocess.run(["bash", "-c", script, TOOL, command, option], capture_output=True, text=True, check=True)
        return made.stdout.split()

    def test_the_gpus_that_are_offered_are_those_that_are_known(self):
        asked = [TOOL, "gpus", EXAMPLES / "unet3d.json", "--set", "batch=1,dim=16", "--json"]
        table = subprocess.run(asked, capture_output=True, check=True).stdout
        known = {row["gpu"] for row in json.loads(table)}
        self.assertEqual(set(self.offered("estimate", "gpu")), known)

    def test_every_value_that_is_offered_is_understood(self):
        """A framework may refuse a value that belongs to another one, but knows it."""
        network = [EXAMPLES / "unet3d.json", "--set", "batch=1,dim=16"]
        gpu = [*network, "--gpu", "h100"]
        config = EXAMPLES / "llama-3.1-8b/config.json"
        samples = [EXAMPLES / "samples.csv", "--target", "peak_bytes", "--inputs", "dim,batch", "--filter", "status=ok"]
        asked = {
            "estimate": (network, ("framework", "isa", "metric", "mode", "optimizer")),
            "layers": (gpu, ("device", "precision")),
            "export": ([EXAMPLES / "model.json"], ("format",)),
            "fit": ([*samples, "--max-terms", "1"], ("basis", "loss", "selection")),
            "generate": ([config], ("cache", "dtype")),
            "predict": ([EXAMPLES / "model.json", "--set", "dim=64,batch=1"], ("bound",)),
            "serve": ([config, "--gpu", "h200"], ("dtype", "engine", "kv", "min", "quantization")),
        }
        for command, (operands, options) in asked.items():
            for option in options:
                values = self.offered(command, option)
                self.assertGreater(len(values), 1, option)
                for value in values:
                    words = [TOOL, command, *operands, f"--{option}", value]
                    done = subprocess.run(words, capture_output=True, text=True, check=False)
                    self.assertNotRegex(done.stderr, UNKNOWN, f"{option} {value}")
                    self.assertNotEqual(done.returncode, 2, f"{option} {value}: {done.stderr}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
