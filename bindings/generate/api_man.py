"""A manual page a function. Fields of the options it takes and the results it fills are on its page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generate import c
from generate.model import Api, Function, Parameter, Struct
from generate.text import described, sentence, summary, wrap

WIDTH = 100
CODE = re.compile(r"`([^`]+)`")
CALL = re.compile(r"\bmemmodel_\w+")


def files(api: Api) -> dict[str, str]:
    return {f"{function['name']}.3": "".join(page(function, api)) for function in api["functions"]}


def page(function: Function, api: Api) -> Iterator[str]:
    name = function["name"]
    yield f'.\\" Written from include/{function["header"]}.\n'
    yield f'.TH {name} 3 "" "libmemmodel {c.version(api)}" "libmemmodel"\n'
    yield f".SH NAME\n{name} \\- {marked(purpose(function))}\n"
    yield from synopsis(function)
    yield ".SH DESCRIPTION\n" + prose(function["text"])
    yield from parameters(function)
    for struct in c.structs_of(function, api):
        yield from fields(struct)
    yield from returned(function, api)
    yield ".SH ATTRIBUTES\n" + prose(attributes(function))
    yield f".SH HISTORY\nSince libmemmodel {function['since']}.\n"
    yield ".SH SEE ALSO\n" + see_also(function, api)


def escape(text: str) -> str:
    """Text in which nothing is a request or an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def purpose(function: Function) -> str:
    """The line that `apropos` shows."""
    text = summary(function["text"])
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def prose(text: str) -> str:
    """Paragraphs; code is bold, items of lists are set off."""
    lines = []
    for line in wrap(text, width=WIDTH).split("\n"):
        if not line:
            lines.append(".PP")
        elif line.startswith("- "):
            lines += [".IP \\(bu 2", marked(line[2:])]
        else:
            lines.append(marked(line.strip()))
    return "\n".join(lines) + "\n"


def marked(line: str) -> str:
    return CODE.sub(r"\\fB\1\\fR", escape(line))


def synopsis(function: Function) -> Iterator[str]:
    yield ".SH SYNOPSIS\n.nf\n.B #include <memmodel.h>\n.PP\n"
    for line in c.prototype(function, 78).split("\n"):
        yield f"\\fB{escape(line)}\\fR\n"
    yield ".fi\n"


def parameters(function: Function) -> Iterator[str]:
    if function["parameters"]:
        yield ".SH PARAMETERS\n"
    for parameter in function["parameters"]:
        yield f".TP\n\\fI{parameter['name']}\\fR ({direction(parameter)})\n" + prose(described(parameter))


def direction(parameter: Parameter) -> str:
    return {"in": "in", "out": "out", "inout": "in, out"}[parameter["direction"]]


def fields(struct: Struct) -> Iterator[str]:
    yield f".SH STRUCT {struct['name'].upper()}\n" + prose(struct["text"])
    for field in struct["fields"]:
        yield f".TP\n\\fB{escape(c.declare(field['type'], field['name']))}\\fR\n" + prose(described(field))


def returned(function: Function, api: Api) -> Iterator[str]:
    yield ".SH RETURN VALUE\n"
    if "text" not in function["returns"]:
        yield "Nothing.\n"
        return
    yield prose(sentence(described(function["returns"])))
    meanings = {value["name"]: value["text"] for enum in api["enums"] for value in enum["values"]}
    errors = function["returns"].get("errors", [])
    if errors:
        yield ".SH ERRORS\n"
    for error in errors:
        yield f".TP\n.B {error}\n" + prose(sentence(meanings[error]))


def attributes(function: Function) -> str:
    facts = [f"Threads: {function['threads']}."]
    if "complexity" in function:
        facts.append(f"Cost: {function['complexity']}.")
    if function.get("blocking"):
        facts.append("May take long.")
    if function["stability"] != "stable":
        facts.append("May still change.")
    return "\n\n".join(facts)


def see_also(function: Function, api: Api) -> str:
    """The functions that the page speaks of, those that make and drop the object, and where errors are reported."""
    noun = next((each["name"] for each in api["handles"] if function["name"].startswith(each["name"] + "_")), "")
    spoken = CALL.findall(" ".join([function["text"], *(described(each) for each in function["parameters"])]))
    wanted = [*spoken, f"{noun}_new", f"{noun}_unref"]
    if function["returns"].get("errors"):
        wanted.append("memmodel_context_error")
    others = {item["name"] for item in api["functions"]} - {function["name"]}
    names = [name for name in dict.fromkeys(wanted) if name in others]
    return ",\n".join(f".BR {name} (3)" for name in names or ["memmodel_context_new"]) + "\n"
