"""What a header must keep to, beyond what the reader can carry at all: one function a rule.

Each takes a declaration and yields what is wrong with it and what is allowed; doc/internals/conventions.md has a table.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Union, cast

from generate import c
from generate.facts import Facts
from generate.model import Api, Callback, Field, Function, Item, Note, Parameter, Returns, Struct, Type
from generate.problems import Problems
from generate.text import title

Wrong = Iterator[tuple[str, str]]
Routine = Union[Function, Callback]

# "target" is the unit of what a model predicts.
UNITS = ("bytes", "seconds", "elements", "target")
MEASURED = {"bytes", "seconds", "time", "budget", "interval"}
QUANTITIES = ("int64", "uint64", "double", "size")
TRANSFERS = ("full", "none")
STABILITIES = ("stable", "testing", "deprecated")
# Calls on no noun of their own.
VERBS = {"advise", "estimate", "fit", "free", "generate", "optimize", "recompute", "serve", "version"}
# Those that are none in Python.
LUA_KEYWORDS = ("do", "elseif", "end", "function", "goto", "local", "nil", "repeat", "then", "until")


def check(api: Api, facts: Facts, problems: Problems) -> None:
    """All rules on all that is public."""

    def report(place: str, wrong: Wrong) -> None:
        for what, allowed in wrong:
            problems.add(facts.places[place], f"{place}: {what}", allowed)

    for kind in ("constants", "enums", "handles", "aliases", "callbacks", "structs", "functions"):
        for item in cast(dict[str, list[Item]], api)[kind]:
            for rule in (*EVERYTHING, *RULES.get(kind, ())):
                report(item["name"], rule(item, api))
    for routine in (*api["functions"], *api["callbacks"]):
        report(routine["name"], documented_in_order(routine, facts))
        documented = [each for each in routine["parameters"] if each["name"] in facts.documented[routine["name"]]]
        for parameter in documented:
            for part_rule in PARAMETER:
                report(f"{routine['name']}.{parameter['name']}", part_rule(parameter, routine, api))
    for struct in api["structs"]:
        for field in struct["fields"]:
            for part_rule in FIELD:
                report(f"{struct['name']}.{field['name']}", part_rule(field, struct, api))
    for enum in api["enums"]:
        for value in enum["values"]:
            report(value["name"], value_is_documented(value))


# ---- everything ----


def is_documented(item: Item, api: Api) -> Wrong:
    if not item["text"]:
        yield "is not documented", "a comment /** ... */ right above it"


def has_since(item: Item, api: Api) -> Wrong:
    if not re.fullmatch(r"\d+\.\d+", item["since"]):
        yield "does not say since when it is there", "@since MAJOR.MINOR"


def has_a_public_name(item: Item, api: Api) -> Wrong:
    if not re.fullmatch(r"memmodel(_[a-z0-9]+)+|MEMMODEL(_[A-Z0-9]+)+", item["name"]):
        yield "is no public name", "memmodel_<noun>_<verb>, MEMMODEL_<NAME>"


# ---- functions and callbacks ----


def has_threads(item: Routine, api: Api) -> Wrong:
    if not item.get("threads"):
        yield "does not say which threads may call it", "@threads, such as `@threads any`"


def returns_are_documented(item: Routine, api: Api) -> Wrong:
    is_void = item["returns"]["type"]["kind"] == "void"
    if is_void and "text" in item["returns"]:
        yield "returns nothing, but has @returns", "no @returns"
    if not is_void and not item["returns"].get("text"):
        yield "does not say what it returns", "@returns"


def errors_exist(item: Routine, api: Api) -> Wrong:
    known = {value["name"] for enum in api["enums"] if enum["name"] == "memmodel_status" for value in enum["values"]}
    for name in item["returns"].get("errors", []):
        if name not in known:
            yield f"{name} is no status", "the values of enum memmodel_status"
    if item["returns"].get("status") and not item["returns"].get("errors"):
        yield "does not say which errors it returns", "@returns 0, MEMMODEL_ERROR_..."


def results_are_owned(item: Routine, api: Api) -> Wrong:
    returns = item["returns"]
    if c.is_pointer(returns["type"]) and "transfer" not in returns:
        yield "does not say who owns what it returns", "@transfer full, @transfer none, or a static string"
    yield from transfer_exists(returns)


def result_arrays_have_lengths(item: Routine, api: Api) -> Wrong:
    returns = item["returns"]
    if is_array(returns["type"], api) and not returns.get("length"):
        yield "does not say how many it returns", "@length"
    yield from lengths_exist(returns, [each["name"] for each in item["parameters"]], api)
    yield from unit_exists(returns)


def documented_in_order(item: Routine, facts: Facts) -> Wrong:
    declared = [parameter["name"] for parameter in item["parameters"]]
    if declared != facts.documented[item["name"]]:
        documented = ", ".join(facts.documented[item["name"]]) or "none"
        yield f"documents the parameters {documented}", "@param for " + (", ".join(declared) or "none")


def is_of_a_noun(item: Function, api: Api) -> Wrong:
    nouns = {title(each["name"]) for each in (*api["handles"], *api["enums"])}
    words = item["name"].split("_")[1:]
    nouned = any("_".join(words[:count]) in nouns for count in range(1, len(words)))
    if not nouned and words[0] not in VERBS:
        yield "is named after no handle or enum", "memmodel_<noun>_<verb>, or memmodel_ and " + ", ".join(sorted(VERBS))


def stability_exists(item: Function, api: Api) -> Wrong:
    if item["stability"] not in STABILITIES:
        yield f"@stability {item['stability']}", ", ".join(STABILITIES)


def is_counted(item: Item, api: Api) -> Wrong:
    names = {function["name"] for function in api["functions"]}
    for verb in ("ref", "unref"):
        if f"{item['name']}_{verb}" not in names:
            yield f"a handle without {item['name']}_{verb}", "handles with _ref and _unref"


# ---- parameters ----


def name_can_be_bound(thing: Mapping[str, Any], owner: Item, api: Api) -> Wrong:
    name = thing["name"]
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        yield "is no name", "names in lower case"
    if keyword.iskeyword(name):
        yield "is a word of Python", "names that every binding can use"


def field_can_be_bound(field: Field, struct: Struct, api: Api) -> Wrong:
    if field["name"] in LUA_KEYWORDS:
        yield "is a word of Lua", "names that every binding can use"


def direction_fits(parameter: Parameter, routine: Routine, api: Api) -> Wrong:
    kind = parameter["type"]
    written = kind["kind"] == "pointer" and not kind["const"] and kind["to"]["kind"] != "void"
    if "direction" not in parameter:
        return
    if written and parameter["direction"] == "in":
        yield "is [in], but not const", "[out], [in,out], or a pointer to const"
    if not written and parameter["direction"] != "in":
        yield f"is [{parameter['direction']}], but cannot be written to", "[in]"


def parameter_arrays_have_lengths(parameter: Parameter, routine: Routine, api: Api) -> Wrong:
    names = [each["name"] for each in routine["parameters"]]
    counted = re.match(r"`(\w+)`", parameter.get("text", ""))
    is_counted_by = counted and counted[1] in names and counted[1] != parameter["name"]
    if not parameter.get("length") and (is_array(parameter["type"], api) or is_counted_by):
        yield "an array whose length is not said", "@length N"
    yield from lengths_exist(parameter, names, api)


def outputs_are_owned(parameter: Parameter, routine: Routine, api: Api) -> Wrong:
    kind = parameter["type"]
    if kind["kind"] == "pointer" and not kind["const"] and c.is_pointer(kind["to"]) and "transfer" not in parameter:
        yield "does not say who owns it afterwards", "@transfer full, @transfer none"
    yield from transfer_exists(parameter)


# ---- fields ----


def field_is_documented(field: Field, struct: Struct, api: Api) -> Wrong:
    if not field.get("text") and "default" not in field:
        yield "is not documented", "a comment /**< ... */ behind it"


def field_arrays_have_lengths(field: Field, struct: Struct, api: Api) -> Wrong:
    is_pointer = field["type"]["kind"] == "pointer"
    if is_pointer and not field.get("length"):
        yield "an array whose length is not said", "@length N"
    yield from lengths_exist(field, [each["name"] for each in struct["fields"]], api)


def size_comes_first(field: Field, struct: Struct, api: Api) -> Wrong:
    first = struct["fields"][0]["name"] == "size"
    if field["name"] == "size" and (field["offset"]["64"] != 0 or field["type"]["kind"] != "size"):
        yield "is not the first field, or no size_t", "size_t size, first"
    if field is struct["fields"][0] and not first and takes_as_options(struct, api):
        yield "options that do not begin with their size", "size_t size, first"


def leaves_no_hole(field: Field, struct: Struct, api: Api) -> Wrong:
    fields = struct["fields"]
    position = fields.index(field)
    end = fields[position + 1]["offset"]["64"] if position + 1 < len(fields) else struct["bytes"]["64"]
    hole = end - field["offset"]["64"] - size_of(field["type"], api)
    if hole:
        yield f"is followed by {hole} bytes of padding", "a field that fills them, such as int32_t reserved"


# ---- parameters, fields and results ----


def quantity_has_unit(thing: Parameter | Field, owner: Item, api: Api) -> Wrong:
    words = set(thing["name"].split("_"))
    if words & MEASURED and target(thing["type"], api)["kind"] in QUANTITIES and "unit" not in thing:
        yield "a quantity without a unit", "@unit " + ", ".join(UNITS)
    yield from unit_exists(thing)


def enum_exists(thing: Note, owner: Item, api: Api) -> Wrong:
    if "enum" in thing and thing["enum"] not in [enum["name"] for enum in api["enums"]]:
        yield f"enum {thing['enum']} is nowhere", "the enums of these headers"


def value_is_documented(value: Mapping[str, Any]) -> Wrong:
    if not value["text"]:
        yield "is not documented", "a comment /**< ... */ behind it"


def unit_exists(note: Note) -> Wrong:
    if note.get("unit", "bytes") not in UNITS:
        yield f"@unit {note['unit']}", "@unit " + ", ".join(UNITS)


def transfer_exists(note: Parameter | Returns) -> Wrong:
    if note.get("transfer", "none") not in TRANSFERS:
        yield f"@transfer {note['transfer']}", "@transfer " + ", ".join(TRANSFERS)


def lengths_exist(note: Parameter | Field | Returns, names: list[str], api: Api) -> Wrong:
    functions = [function["name"] for function in api["functions"]]
    objects = [*names, *(title(handle["name"]) for handle in api["handles"])]
    for length in c.lengths(note):
        name, _, rest = length.lstrip("*").partition("(")
        arguments = [each.strip() for each in rest.rstrip(")").split(",")] if rest else []
        known = name in functions if rest else name in names or name.isdigit()
        if not known or any(argument not in objects for argument in arguments):
            yield f"@length {length}", "a number, a name beside it, *name, or a function of these or of handles"


# ---- what types are like ----


def target(kind: Type, api: Api) -> Type:
    """The type of the elements, if it is a pointer or an array."""
    while kind["kind"] in ("pointer", "array"):
        kind = kind["to"] if kind["kind"] == "pointer" else kind["of"]
    return c.resolve(kind, api)


def is_array(kind: Type, api: Api) -> bool:
    """A pointer that is only useful for many: to const numbers, text, pointers, or structs without a size."""
    if kind["kind"] != "pointer" or not kind["const"]:
        return False
    structs = {struct["name"]: struct for struct in api["structs"]}
    return kind["to"]["kind"] != "struct" or not structs[kind["to"]["name"]]["sized"]


def takes_as_options(struct: Struct, api: Api) -> bool:
    wanted: Type = {"kind": "struct", "name": struct["name"]}
    return any(
        parameter["type"].get("to") == wanted and parameter["type"]["const"] and "length" not in parameter
        for function in api["functions"]
        for parameter in function["parameters"]
    )


def size_of(kind: Type, api: Api) -> int:
    """Bytes on a 64-bit machine."""
    kind = c.resolve(kind, api)
    if kind["kind"] == "array":
        return kind["count"] * size_of(kind["of"], api)
    return {"int32": 4, "bool": 1}.get(kind["kind"], 8)


Rule = Callable[[Any, Api], Wrong]
PartRule = Callable[[Any, Any, Api], Wrong]

EVERYTHING: tuple[Rule, ...] = (is_documented, has_since, has_a_public_name)
ROUTINE: tuple[Rule, ...] = (
    has_threads,
    returns_are_documented,
    errors_exist,
    results_are_owned,
    result_arrays_have_lengths,
)
RULES: dict[str, tuple[Rule, ...]] = {
    "callbacks": ROUTINE,
    "functions": (*ROUTINE, is_of_a_noun, stability_exists),
    "handles": (is_counted,),
}
PARAMETER: tuple[PartRule, ...] = (
    name_can_be_bound,
    direction_fits,
    parameter_arrays_have_lengths,
    outputs_are_owned,
    quantity_has_unit,
    enum_exists,
)
FIELD: tuple[PartRule, ...] = (
    name_can_be_bound,
    field_can_be_bound,
    field_is_documented,
    field_arrays_have_lengths,
    size_comes_first,
    leaves_no_hole,
    quantity_has_unit,
    enum_exists,
)
