"""Brings the pages of the site together, each where its links expect it, and makes those that the build knows.

usage: pages.py SOURCE_ROOT API_PAGES TOOL OUTPUT

API_PAGES is the folder that the build makes of the headers; the pages of the tool are what it says of itself. OUTPUT
has mkdocs.yml with the whole navigation beside the folder of pages.
"""

import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

REPOSITORY = "https://github.com/libmemmodel/libmemmodel/blob/main/"
PAGE = re.compile(r"^\s*- (?:[^:]+: )?([\w./-]+\.md)$", re.MULTILINE)
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?\)")
COMMAND = re.compile(r"^  ([a-z-]+) ", re.MULTILINE)
FOLDERS = {
    "doc/guide": "Files",
    "doc/tool": "The tool",
    "doc/api": "C",
    "doc/internals": "Inside",
    "doc/notes": "How it was found",
}
LEXERS = {"csv": "text"}  # what Pygments has no words for


def help_of(tool, *command):
    return subprocess.run([tool, *command, "--help"], check=True, capture_output=True, text=True).stdout.strip()


def tool_pages(tool):
    """A page a command: {name: text}."""
    main = help_of(tool)
    commands = COMMAND.findall(main.partition("Commands:\n")[2].partition("\n\n")[0])
    pages = {"memmodel": f"# memmodel\n\n```text\n{main}\n```\n"}
    for command in commands:
        pages[command] = f"# memmodel {command}\n\n```text\n{help_of(tool, command)}\n```\n"
    return pages


# ---- from GitHub's Markdown to that of the site ----


def fence(block):
    """A block whose first line names a file has that as its title."""
    first, rest = block.split("\n", 1)
    words = first.removeprefix("```").split()
    if not words:
        return f"```text\n{rest}"
    language = LEXERS.get(words[0], words[0])
    title = f' title="{words[1]}"' if len(words) > 1 else ""
    return f"```{{ .{language}{title} }}\n{rest}" if title else f"```{language}\n{rest}"


def spaced_lists(text):
    """A list begins after an empty line."""
    return re.sub(r"^((?![-*\d|>#\s]).*\n)(?=(?:- |1\. ))", r"\1\n", text, flags=re.MULTILINE)


def place_links(text, page, root, there):
    """Links to what is no page of the site lead to the repository; those to a folder to its page."""

    def place(match):
        target = match[2]
        if re.match(r"\w+:", target):
            return match[0]
        name = os.path.normpath(page.parent / target)
        if name in there or (root / name).suffix in (".png", ".svg"):
            return match[0]
        if f"{name}/README.md" in there:
            return f"{match[1]}{target.rstrip('/')}/README.md{match[3] or ''})"
        return f"{match[1]}{REPOSITORY}{name}{match[3] or ''})"

    return LINK.sub(place, text)


def page_text(text, page, root, there):
    parts = FENCE.split(text)
    for i, part in enumerate(parts):
        parts[i] = fence(part) if i % 2 else spaced_lists(place_links(part, page, root, there))
    return "".join(parts)


# ---- the folder ----


def title_of(text):
    return re.search(r"^# (.+)$", text, re.MULTILINE)[1].replace("`", "")


def write(output, name, text):
    path = output / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy_pictures(root, output, name, text):
    for target in re.findall(r"!\[[^]]*\]\(([^)\s]+)\)", text):
        path = pathlib.Path(os.path.normpath(pathlib.Path(name).parent / target))
        (output / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, output / path)


def navigation(listed, pages, mark):
    """`mark: []` of the navigation becomes the pages, by their titles, one folder after the other."""
    lines = ""
    for folder, group in itertools.groupby(pages, key=lambda name: str(pathlib.Path(name).parent)):
        lines += f"\n      - {FOLDERS[folder]}:"
        lines += "".join(f"\n          - {title_of(pages[name])!r}: {name}" for name in group)
    return listed.replace(f"  - {mark}: []", f"  - {mark}:{lines}")


def main(root, api, tool, output):
    listed = (root / "doc/site/mkdocs.yml").read_text(encoding="utf-8")
    read = {name: (root / name).read_text(encoding="utf-8") for name in PAGE.findall(listed)}
    reference = {"doc/guide/formats.md": (root / "doc/guide/formats.md").read_text(encoding="utf-8")}
    reference |= {f"doc/tool/{name}.md": text for name, text in tool_pages(tool).items()}
    reference |= {f"doc/api/{path.name}": path.read_text(encoding="utf-8") for path in sorted(api.glob("*.md"))}
    notes = {str(path.relative_to(root)): path.read_text(encoding="utf-8")
             for folder in ("internals", "notes") for path in sorted((root / "doc" / folder).glob("*.md"))}
    pages = read | reference | notes
    shutil.rmtree(output, ignore_errors=True)
    for name, text in pages.items():
        write(output, name, page_text(text, pathlib.Path(name), root, pages))
        copy_pictures(root, output, name, text)
    shutil.copy(root / "doc/site/site.css", output)
    listed = navigation(navigation(listed, reference, "Reference"), notes, "Notes")
    (output.parent / "mkdocs.yml").write_text(
        listed.replace("../../build/docs-pages", output.name).replace("../../build/docs", "docs"), encoding="utf-8")
    print(f"{len(pages)} pages")


main(*(pathlib.Path(word).absolute() for word in sys.argv[1:]))
