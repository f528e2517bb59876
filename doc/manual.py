"""Makes the manual pages of the tool, one a command and one of all, from what the tool says about itself.

usage: manual.py TOOL VERSION PAGE...    (PAGE: a path that ends in memmodel.1 or memmodel-COMMAND.1)
"""

import pathlib
import re
import subprocess
import sys

DESCRIPTION = """\
Estimates the memory of a network by closed formulas or by simulating a framework's training steps, measures running
programs, and fits formulas with a safe upper bound to what was measured.
"""

CLOSING = """\
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


def paragraphs(text):
    return "".join(".PP\n" + escape(part.strip("\n")) + "\n" for part in text.split("\n\n") if part.strip())


def summaries(text):
    """Commands and what each does, in the order of the tool's help."""
    listed = text.partition("Commands:\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^  ([a-z-]+) +(.*(?:\n {3,}.*)*)", listed, re.MULTILINE)
    return {name: " ".join(summary.split()) for name, summary in rows}


def begin(name, summary, version):
    head = f'.TH "{escape(name).upper()}" 1 "" "libmemmodel {version}" "User Commands"\n'
    return head + f".SH NAME\n{escape(name)} \\- {escape(summary)}\n.SH SYNOPSIS\n"


def sections(parts):
    """Parts of a help text that each begin with a line that ends in a colon."""
    page = ""
    for part in parts:
        title, _, body = part.partition(":\n")
        page += f'.SH "{escape(title).upper()}"\n' + verbatim(body)
    return page


def command_page(tool, command, summary, version):
    """A command's help: usage, a description, then its parts."""
    usage, *parts = re.split(r"\n(?=(?:Options|Limits, .*|Examples.*|Exit codes):\n)", help_of(tool, command))
    usage, _, description = usage.partition("\n\n")
    page = begin(f"memmodel-{command}", summary, version) + verbatim(usage.removeprefix("Usage: "))
    page += ".SH DESCRIPTION\n" + paragraphs(description).removeprefix(".PP\n") + sections(parts)
    return page + ".SH SEE ALSO\n.BR memmodel (1)\n"


def tool_page(tool, commands, version):
    usage, *parts = re.split(r"\n(?=(?:Commands|Options|Exit codes):\n)", help_of(tool))
    usage, _, description = usage.partition("\n\n")
    page = begin("memmodel", description.strip().rstrip(".").replace("How", "how", 1), version)
    page += verbatim(usage.removeprefix("Usage: "))
    page += ".SH DESCRIPTION\n" + DESCRIPTION
    page += sections(parts) + ".SH SEE ALSO\n"
    page += "".join(f".BR {escape(f'memmodel-{command}')} (1),\n" for command in commands)
    return page.removesuffix(",\n") + "\n.PP\n" + CLOSING


def main(tool, version, *outputs):
    commands = summaries(help_of(tool))
    pages = {"memmodel.1": tool_page(tool, commands, version)}
    for command, summary in commands.items():
        pages[f"memmodel-{command}.1"] = command_page(tool, command, summary, version)
    paths = {pathlib.Path(output).name: pathlib.Path(output) for output in outputs}
    if set(paths) != set(pages):
        sys.exit(f"bindings/cli/meson.build lists other commands than the tool has: {set(paths) ^ set(pages)}")
    for name, page in pages.items():
        paths[name].write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
