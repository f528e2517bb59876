"""Makes the manual page of the tool from what the tool says about itself.

usage: manual.py TOOL VERSION OUTPUT
"""

import pathlib
import re
import subprocess
import sys

INTRODUCTION = """\
.SH NAME
memmodel \\- how much memory a deep\\-learning job will need, before it runs
.SH SYNOPSIS
.B memmodel
.I COMMAND
[\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]
.SH DESCRIPTION
Estimates the memory of a network in a JSON file by closed formulas or by simulating a framework's training steps,
measures running programs, and fits formulas with a safe upper bound to what was measured.
"""

CLOSING = """\
.SH SEE ALSO
The headers in
.I memmodel/
are the manual of the library;
.BR pkg\\-config (1)
finds it as
.BR libmemmodel .
"""


def help_of(tool, *command):
    arguments = [tool, *command, "--help"]
    return subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True).stdout


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def verbatim(text):
    return ".nf\n" + escape(text.strip("\n")) + "\n.fi\n"


def section(command, text):
    """A command's help: usage, a description, then parts that each begin with a word and a colon on a line."""
    usage, *parts = re.split(r"\n(?=Options:\n|Examples:\n|Exit codes:\n)", text)
    usage, _, description = usage.partition("\n\n")
    page = f'.SH "{escape("memmodel " + command).upper()}"\n' + verbatim(usage.removeprefix("Usage: "))
    page += ".PP\n" + escape(description.strip()) + "\n"
    for part in parts:
        title, _, body = part.partition(":\n")
        page += f'.SS "{title}"\n' + verbatim(body)
    return page


def main(tool, version, output):
    commands = re.findall(r"^  ([a-z]+) ", help_of(tool).partition("Commands:\n")[2].partition("\n\n")[0], re.MULTILINE)
    page = f'.TH MEMMODEL 1 "" "libmemmodel {version}" "User Commands"\n' + INTRODUCTION
    for command in commands:
        page += section(command, help_of(tool, command))
    pathlib.Path(output).write_text(page + CLOSING, encoding="utf-8")
    return 0 if commands else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
