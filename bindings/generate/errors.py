"""errors.md: every status, what it means, what to do, and which functions return it."""

from __future__ import annotations

from generate.links import ERRORS, Links
from generate.model import Api, Value
from generate.text import flow, sentence, split_sentence, wrap

HEAD = """\
A call that can fail returns 0 or a negative number of `enum memmodel_status`; calls that return a tensor or a number
of bytes return the negative number in its place. `memmodel_context_error()` then has the text, and says which layer,
column or file is meant, and where in a text that was read. What a failing call was to fill in is untouched. Numbers are
never reused.

Written from `include/memmodel/`.
"""


def write(api: Api) -> str:
    statuses = next(enum["values"] for enum in api["enums"] if enum["name"] == "memmodel_status")
    errors = [status for status in statuses if status["value"]]
    links = Links(api, ERRORS)
    parts = ["# Errors\n", wrap(links.text(flow(HEAD))) + "\n", table(errors)]
    return "\n".join([*parts, *(section(status, api, links) for status in errors)])


def table(statuses: list[Value]) -> str:
    rows = []
    for status in statuses:
        name, meaning = status["name"], split_sentence(status["text"])[0]
        rows.append(f"| [`{name}`](#{name.lower()}) | {status['value']} | {meaning} |\n")
    return "| status | number | what it means |\n|---|---|---|\n" + "".join(rows)


def section(status: Value, api: Api, links: Links) -> str:
    meaning, remedy = split_sentence(status["text"])
    parts = [f"## {status['name']}\n", links.text(capital(sentence(meaning))) + "\n"]
    if remedy:
        parts.append("**What to do.** " + links.text(sentence(remedy)) + "\n")
    parts += returned_by(status["name"], api, links)
    return "\n".join(parts)


def returned_by(status: str, api: Api, links: Links) -> list[str]:
    """The functions of each header that may return a status."""
    lines = []
    for header in api["headers"]:
        functions = [
            links.name(item["name"], f"`{item['name']}`")
            for item in api["functions"]
            if item["header"] == header["name"] and status in item["returns"].get("errors", [])
        ]
        if functions:
            lines.append(wrap(f"- `{header['name']}`: {', '.join(functions)}\n"))
    return ["**Returned by**\n", "".join(lines)] if lines else []


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
