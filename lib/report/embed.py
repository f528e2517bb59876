"""Makes C strings of a page: PAGE_before and PAGE_after its data, by its file's name.

usage: embed.py C_FILE PAGE STYLE SCRIPT...

The page is put together from plain ASCII: @STYLE@ and @SCRIPT@ are the files, @SECTIONS@ is sections.html beside the
page, and where @DATA@ stands it is cut.
"""

import pathlib
import sys

COLUMNS = 24


def read(path):
    return pathlib.Path(path).read_text(encoding="ascii")


def array(name, text):
    """As numbers: a string literal may have 4095 characters at most."""
    numbers = [str(byte) for byte in text.encode() + b"\0"]
    lines = [", ".join(numbers[at : at + COLUMNS]) for at in range(0, len(numbers), COLUMNS)]
    body = ",\n    ".join(lines)
    return f"extern const char {name}[];\nconst char {name}[] = {{\n    {body},\n}};\n"


def page_of(page, style, *scripts):
    text = read(page)
    if "@SECTIONS@" in text:
        text = text.replace("@SECTIONS@", read(pathlib.Path(page).parent / "sections.html"))
    return text.replace("@STYLE@", read(style)).replace("@SCRIPT@", "\n".join(map(read, scripts)))


def main(to, page, style, *scripts):
    text = page_of(page, style, *scripts)
    before, after = text.split("@DATA@")
    name = pathlib.Path(page).stem
    made = "/* Made by embed.py. */\n" + array(f"{name}_before", before) + array(f"{name}_after", after)
    pathlib.Path(to).write_text(made, encoding="ascii")


main(*sys.argv[1:])
