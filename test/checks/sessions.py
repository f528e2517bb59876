"""Follows a text as a reader would: writes the files it shows, runs its commands, compares what they print.

usage: sessions.py TEXT TOOL_FOLDER... (with PKG_CONFIG_PATH and LD_LIBRARY_PATH in the environment where it needs them)

The text is Markdown. A block opened by ```LANGUAGE NAME is a file. In a ```console block each line after "$ " is a
command, with its output below; a line of only "..." stands for any number of lines, and "..." at the end of a line
for the rest of it. The lines of a ```sh block must all succeed. Other blocks are not run.

What readers have, and a test has not, is made by a line <!-- run: COMMAND -->, in which $SOURCE is this checkout. A
block behind a line <!-- not run: REASON --> is left out, and the reason printed. test/checks/guide.py holds every page
to it.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(
    r"^<!-- run: (?P<command>.*?) -->$|"
    r"(?:^<!-- not run: (?P<reason>[^>]*?) -->\n\n?)?^```(?P<language>\w+)(?: (?P<name>\S+))?\n(?P<body>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
SOURCE = pathlib.Path(__file__).resolve().parents[2]
ELLIPSIS = "..."


def sessions(text):
    """Command and expected output lines, for each command of a console block."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *expected = part.rstrip("\n").split("\n")
        while command.endswith("\\"):
            command = command[:-1] + expected.pop(0)
        yield command, expected


def line_pattern(line):
    line = line.rstrip()
    if line == ELLIPSIS:
        return r"(?:.*\n)*?"
    if line.endswith(ELLIPSIS):
        return re.escape(line.removesuffix(ELLIPSIS)) + r".*\n"
    return re.escape(line) + r"\n"


def matches(expected, printed):
    text = "".join(line.rstrip() + "\n" for line in printed)
    return re.fullmatch("".join(map(line_pattern, expected)), text) is not None


def run(command, folder, environment):
    result = subprocess.run(
        ["bash", "-c", command],
        check=False,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return result.returncode, result.stdout.splitlines()


def commands_of(text, folder):
    """(command, lines that it prints; None: not compared) for each, while the files of the text are written."""
    for block in BLOCK.finditer(text):
        if block["command"]:
            yield block["command"], None
        elif block["reason"]:
            print(f"not run: {block['reason']}: {block['body'].splitlines()[0]}")
        elif block["name"]:
            (folder / block["name"]).write_text(block["body"], encoding="utf-8")
        elif block["language"] == "console":
            yield from sessions(block["body"])
        elif block["language"] == "sh":
            yield f"set -e\n{block['body']}", None


def follow(text, folder, environment):
    """Number of commands run, and of those that did something else than the text says."""
    commands = wrong = 0
    for command, expected in commands_of(text, folder):
        status, printed = run(command, folder, environment)
        commands += 1
        if status != 0 or (expected is not None and not matches(expected, printed)):
            wrong += 1
            shown = ["(anything)"] if expected is None else expected
            print(f"$ {command}", f"-- exit code {status}, expected:", *shown, "-- printed:", *printed, sep="\n")
    return commands, wrong


def main(text, *tools):
    path = os.pathsep.join([*map(os.path.abspath, tools), os.environ["PATH"]])
    environment = dict(os.environ, PATH=path, LC_ALL="C", SOURCE=str(SOURCE))
    environment.pop("PYTHONUNBUFFERED", None)  # a reader has it not, and lines come in another order with it
    with tempfile.TemporaryDirectory() as folder:
        commands, wrong = follow(pathlib.Path(text).read_text(encoding="utf-8"), pathlib.Path(folder), environment)
    print(f"{commands} commands, {wrong} of them not as the text says")
    return 1 if wrong or not commands else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
