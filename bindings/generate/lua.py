"""Lua's low layer: signatures for libffi, layouts as the C compiler has them, and the description that both Luas read.

signatures.c   for the module of PUC Lua
layouts.c      the same
api.lua        what memmodel/marshal.lua goes by, on PUC Lua and LuaJIT alike
"""

from __future__ import annotations

from collections.abc import Iterator

from generate import c
from generate.model import Api, Callback, Field, Function, Handle, Note, Parameter, Returns, Struct, Type

# One letter a kind: bindings/lua/core/core.h.
LETTERS = {
    "int32": "i",
    "int64": "l",
    "uint64": "L",
    "size": "z",
    "double": "d",
    "bool": "b",
    "string": "s",
    "bytes": "s",
    "void": "v",
}

# What Lua does by itself: its collector drops references.
LEFT_OUT = {"memmodel_free": "texts are copied into Lua strings, and freed at once"}
COLLECTED = "the garbage collector holds and drops the references"

Entry = dict[str, object]


def files(api: Api) -> dict[str, str]:
    return {
        "layouts.c": layouts(api),
        "signatures.c": signatures(api),
        "api.lua": description(api),
    }


def left_out(api: Api) -> dict[str, str]:
    """Functions that Lua does not offer, and why."""
    counting = {handle[key]: COLLECTED for handle in api["handles"] for key in ("ref", "unref")}
    return {**counting, **LEFT_OUT}


# ---- signatures.c and layouts.c ----


def letter(kind: Type, api: Api) -> str:
    return LETTERS.get(c.resolve(kind, api)["kind"], "p")


def kinds(function: Function | Callback, api: Api) -> str:
    """Letters of the result and of each parameter."""
    parts = [function["returns"]["type"], *(each["type"] for each in function["parameters"])]
    return "".join(letter(part, api) for part in parts)


def signatures(api: Api) -> str:
    names = [each["name"] for each in api["functions"]]
    lines = [
        "/* Generated from the headers: how libffi calls the library. Not edited by hand. */",
        '#include "core.h"',
        "",
        "#include <memmodel.h>",
        "",
        "/* clang-format off */",
        "#define FUNCTION(kinds, name) {#name, kinds, (any_function)name}",
        "",
        "const struct signature signatures[] = {",
        *(f'    FUNCTION("{kinds(each, api)}", {each["name"]}),' for each in api["functions"]),
        "};",
        "",
        f"const size_t signature_count = {len(names)};",
        "",
        *destructors(api),
    ]
    return "\n".join(lines) + "\n"


def layouts(api: Api) -> str:
    lines = [
        "/* Generated from the headers: where the fields of structs lie. Not edited by hand. */",
        '#include "core.h"',
        "",
        "#include <memmodel.h>",
        "",
        "/* clang-format off */",
        "#define STRUCT(name) {#name, sizeof(struct name)}",
        '#define FIELD(name, field) {#name "." #field, offsetof(struct name, field)}',
        "",
        "const struct layout layouts[] = {",
        '    {"pointer", sizeof(void *)},',
        *layout(api),
        "    {NULL, 0},",
        "};",
    ]
    return "\n".join(lines) + "\n"


def layout(api: Api) -> Iterator[str]:
    for struct in api["structs"]:
        yield f"    STRUCT({struct['name']}),"
        for field in struct["fields"]:
            yield f"    FIELD({struct['name']}, {field['name']}),"


def destructors(api: Api) -> Iterator[str]:
    """An unref takes its own type; a call through `void (*)(void *)` would not be C."""
    for handle in api["handles"]:
        yield "static void"
        yield f"drop_{handle['name']}(void *pointer)"
        yield "{"
        yield f"    {handle['unref']}(pointer);"
        yield "}"
        yield ""
    yield "const struct destructor destructors[] = {"
    for handle in api["handles"]:
        yield f'    {{"{handle["name"]}", drop_{handle["name"]}}},'
    yield "    {NULL, NULL},"
    yield "};"


# ---- api.lua ----


def description(api: Api) -> str:
    lines = [
        "-- Generated from the headers: what memmodel/marshal.lua goes by. Not edited by hand.",
        "return {",
        *section("constants", ((each["name"], literal(each["value"])) for each in api["constants"])),
        *section("enums", ((each["name"], enum(each["values"])) for each in api["enums"])),
        *section("handles", ((each["name"], handle(each)) for each in api["handles"])),
        *section("callbacks", ((each["name"], callback(each, api)) for each in api["callbacks"])),
        *section("structs", ((each["name"], struct(each, api)) for each in api["structs"])),
        *section("functions", ((each["name"], function(each, api)) for each in api["functions"])),
        *section("left_out", ((name, literal(why)) for name, why in left_out(api).items())),
        "}",
    ]
    return "\n".join(lines) + "\n"


def section(name: str, rows: Iterator[tuple[str, str]]) -> Iterator[str]:
    yield f"{name} = {{"
    for key, text in rows:
        yield f"{key} = {text},"
    yield "},"


def literal(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value == -(2**63):
        return "-2^63"  # as an integer literal it would not be a number before Lua 5.3
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return table(value)
    text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def table(entry: Entry) -> str:
    return "{" + ", ".join(f"{key} = {literal(value)}" for key, value in entry.items()) + "}"


def rows(entries: Iterator[Entry], rest: Entry) -> str:
    """A list, and what holds for all of it."""
    parts = [table(entry) for entry in entries]
    parts += [f"{key} = {literal(value)}" for key, value in rest.items()]
    return "{\n  " + ",\n  ".join(parts) + "}" if parts else "{}"


def enum(values: list) -> str:  # type: ignore[type-arg]
    return "{" + ", ".join(f'{{"{each["name"]}", {each["value"]}}}' for each in values) + "}"


def handle(each: Handle) -> str:
    return table({"ref": each["ref"], "unref": each["unref"]})


def simple(kind: Type, api: Api) -> Entry:
    """A type without its length: `of` says of which handle, struct, callback or element it is."""
    word = kind["kind"]
    if word in ("handle", "struct", "callback"):
        return {"kind": word, "of": kind["name"]}
    if word == "alias":
        return {"kind": kind["name"].removeprefix("memmodel_"), "letter": letter(kind, api), "c": kind["name"]}
    if word == "pointer":
        return {"kind": "address", "letter": "p", "c": "void *"}
    if word == "bytes":
        word = "string"  # a text of Lua may hold any bytes
    return {"kind": word, "letter": letter(kind, api), "c": c.spell(kind)}


def value(kind: Type, note: Note, api: Api) -> Entry:
    """A type as Lua sees it: pointers to structs are tables, pointers with a length lists."""
    lengths = note.get("length", "").split(", ") if note.get("length") else []
    if kind["kind"] == "array":
        entry: Entry = {"kind": "array", "item": simple(kind["of"], api), "count": kind["count"]}
    elif kind["kind"] == "pointer" and len(lengths) == 2:
        inner = kind["to"]
        entry = {"kind": "arrays", "item": simple(inner["to"], api), "length": lengths[0], "inner": lengths[1]}
    elif kind["kind"] == "pointer" and lengths:
        entry = {"kind": "array", "item": simple(kind["to"], api), "length": lengths[0]}
    elif kind["kind"] == "pointer" and kind["to"]["kind"] == "struct":
        entry = simple(kind["to"], api)
    else:
        entry = simple(kind, api)
        if lengths:
            entry["length"] = lengths[0]
    if "enum" in note:
        entry["enum"] = note["enum"]
    if note.get("nullable"):
        entry["nullable"] = True
    return entry


def parameter(each: Parameter, api: Api) -> Entry:
    kind = each["type"]
    out = each.get("direction", "in") != "in"
    if out and kind["kind"] == "pointer" and not each.get("length"):
        kind = kind["to"]  # a place for one value
    entry: Entry = {"name": each["name"], **value(kind, each, api)}
    if out:
        entry["out"] = True
        if kind.get("mutable"):
            entry["kind"] = "text"
    if kind["kind"] == "alias" and kind["name"] == "memmodel_tensor" and "MEMMODEL_TENSOR_NONE" in each.get("text", ""):
        entry["nullable"] = True
    return entry


def returns(note: Returns, api: Api) -> Entry:
    if note.get("status"):
        return {"kind": "status"}
    entry = value(note["type"], note, api)
    entry.pop("enum", None)
    if note.get("errors"):
        entry["fails"] = True
    return entry


def parameters(function: Function | Callback, api: Api) -> list[Entry]:
    """Each parameter. A number that only says how long a list is follows from the list: `length_of`. Lists of Lua have
    nothing between their numbers, so that a stride is 1."""
    entries = [parameter(each, api) for each in function["parameters"]]
    for entry in entries:
        for length in (entry.get("inner"), entry.get("length")):
            for other in entries:
                if other["name"] == length and not entry.get("out"):
                    other.setdefault("length_of", entry["name"])
    for entry in entries:
        if entry["name"] == "stride" and any(other["kind"] == "arrays" for other in entries):
            entry["constant"] = 1
    return entries


def function(each: Function, api: Api) -> str:
    rest: Entry = {"returns": returns(each["returns"], api)}
    if "context's error is not touched" in each["returns"].get("text", ""):
        rest["silent"] = True
    return rows(iter(parameters(each, api)), rest)


def callback(each: Callback, api: Api) -> str:
    return rows(iter(parameters(each, api)), {"returns": returns(each["returns"], api), "kinds": kinds(each, api)})


def struct(each: Struct, api: Api) -> str:
    fields = [field for field in each["fields"] if not is_bookkeeping(field)]
    return rows((member(field, api) for field in fields), {"sized": True} if each["sized"] else {})


def is_bookkeeping(field: Field) -> bool:
    """Its own size, and what is reserved for later versions."""
    return field["name"] == "size" or (field["name"] == "reserved" and field["text"] == "0")


def member(field: Field, api: Api) -> Entry:
    return {"name": field["name"], **value(field["type"], field, api)}
