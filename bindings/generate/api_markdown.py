"""One page a header, an index of them, and a page of errors. Pages say what the headers say, with links."""

from __future__ import annotations

import json
from collections.abc import Iterable

from generate import c, errors
from generate.links import Links, page
from generate.model import Alias, Api, Callback, Enum, Field, Function, Item, Parameter, Returns, Struct
from generate.text import described, sentence, split_sentence, summary, wrap

WRITTEN = "Written from `include/memmodel/`.\n"
INDEX = """\
# The C interface

`#include <memmodel.h>` brings all of it. [errors.md](errors.md) lists what can go wrong and what to do then,
[conventions.md](../internals/conventions.md) what holds for every call. The same as data, for tools and bindings:
[memmodel-api.json](../../include/memmodel-api.json).

"""


def files(api: Api) -> dict[str, str]:
    pages = {page(header["name"]): Page(api, header["name"]).write(header["text"]) for header in api["headers"]}
    return {"README.md": index(api), "errors.md": errors.write(api), **pages}


def index(api: Api) -> str:
    links = Links(api, "README.md")
    parts = [INDEX, "| header | what it is about |\n|---|---|\n"]
    for header in api["headers"]:
        name = page(header["name"])
        about = split_sentence(header["text"])[0]
        parts.append(f"| [`{header['name']}`]({name}) | {cell(links.text(about))} |\n")
    parts.append("\n## All functions\n\n| function | what it does |\n|---|---|\n")
    parts += [row(function, links) for function in sorted(api["functions"], key=lambda each: each["name"])]
    return "".join(parts) + "\n" + WRITTEN


def row(function: Item, links: Links) -> str:
    about = cell(links.text(summary(function["text"])))
    return f"| {links.name(function['name'], '`' + function['name'] + '`')} | {about} |\n"


def cell(text: str) -> str:
    """A text for one cell of a table, which is one line."""
    return text.replace("\n", "<br>")


class Page:
    """What one header declares."""

    def __init__(self, api: Api, header: str) -> None:
        self.api = api
        self.header = header
        self.links = Links(api, page(header))

    def write(self, text: str) -> str:
        parts = [f"# {self.header}\n\n{self.prose(text)}\n"]
        functions = [item for item in self.api["functions"] if item["header"] == self.header]
        if functions:
            parts.append("\n| function | what it does |\n|---|---|\n")
            parts += [row(function, self.links) for function in functions]
        parts += self.constants()
        parts += self.section("Types", self.types())
        parts += self.section("Functions", (self.function(item) for item in functions))
        return "".join(parts) + "\n" + WRITTEN

    def section(self, title: str, texts: Iterable[str]) -> list[str]:
        found = list(texts)
        return [f"\n## {title}\n", *found] if found else []

    def prose(self, text: str) -> str:
        return wrap(self.links.text(text))

    def mine(self, items: Iterable[Item]) -> list[Item]:
        return [item for item in items if item["header"] == self.header]

    def constants(self) -> list[str]:
        rows = []
        for item in self.api["constants"]:
            if item["header"] == self.header:
                value, text = json.dumps(item["value"]), cell(self.links.text(item["text"]))
                rows.append(f"| `{item['name']}` | `{value}` | {text} |\n")
        return ["\n## Constants\n\n| name | value | what it is |\n|---|---|---|\n", *rows] if rows else []

    def types(self) -> Iterable[str]:
        """Types in the order of the header."""
        texts = [
            *((item["line"], self.type(item)) for item in self.mine(self.api["handles"])),
            *((item["line"], self.alias(item)) for item in self.api["aliases"] if item["header"] == self.header),
            *((item["line"], self.callback(item)) for item in self.api["callbacks"] if item["header"] == self.header),
            *((item["line"], self.enum(item)) for item in self.api["enums"] if item["header"] == self.header),
            *((item["line"], self.struct(item)) for item in self.api["structs"] if item["header"] == self.header),
        ]
        return (text for _, text in sorted(texts))

    def plain(self, item: Item, what: str = "", code: str = "") -> str:
        shown = f"\n```c\n{code}\n```\n" if code else ""
        return f"\n### {what}{item['name']}\n{shown}\n{self.prose(item['text'])}\n"

    def type(self, item: Item, what: str = "", code: str = "") -> str:
        since = f"{sentence(item['text'])} Since {item['since']}."
        return self.plain({**item, "text": since}, what, code)

    def alias(self, item: Alias) -> str:
        return self.type(item, code=f"typedef {c.declare(item['type'], item['name'])};")

    def enum(self, item: Enum) -> str:
        rows = [
            f"| `{value['name']}` | {value['value']} | {cell(self.links.text(value['text']))} |\n"
            for value in item["values"]
        ]
        return self.type(item, "enum ") + "\n| name | number | what it means |\n|---|---|---|\n" + "".join(rows)

    def struct(self, item: Struct) -> str:
        rows = [f"| `{c.declare(field['type'], field['name'])}` | {self.note(field)} |\n" for field in item["fields"]]
        return self.type(item, "struct ") + "\n| field | what it is |\n|---|---|\n" + "".join(rows)

    def note(self, note: Parameter | Field | Returns) -> str:
        return cell(self.links.text(described(note)))

    def callback(self, item: Callback) -> str:
        result = c.spell(item["returns"]["type"], "int")
        space = "" if result.endswith("*") else " "
        code = f"typedef {result}{space}(*{item['name']})({c.parameters(item)});"
        return self.plain(item, code=code) + self.details(item)

    def function(self, item: Function) -> str:
        return self.plain(item, code=c.prototype(item)) + self.details(item)

    def details(self, item: Function | Callback) -> str:
        parts = []
        if item["parameters"]:
            parts.append("\n| parameter | | what it is |\n|---|---|---|\n")
            parts += [self.parameter(each) for each in item["parameters"]]
        if "text" in item["returns"]:
            parts.append(f"\n{wrap('**Returns** ' + self.links.text(sentence(described(item['returns']))))}\n")
        parts.append(f"\n{wrap(self.footer(item))}\n")
        return "".join(parts)

    def footer(self, item: Function | Callback) -> str:
        facts = [self.links.text(f"Threads: {item['threads']}.")]
        if "complexity" in item:
            facts.append(self.links.text(f"Cost: {item['complexity']}."))
        if item.get("blocking"):
            facts.append("May take long: bindings let other threads run meanwhile.")
        if item.get("stability", "stable") != "stable":
            facts.append("May still change, see [abi.md](../internals/abi.md).")
        return " ".join([*facts, f"Since {item['since']}."])

    def parameter(self, item: Parameter) -> str:
        direction = {"in": "in", "out": "out", "inout": "in, out"}[item["direction"]]
        return f"| `{item['name']}` | {direction} | {self.note(item)} |\n"
