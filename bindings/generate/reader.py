"""From the compiler's view of the headers and their comments to the model; what cannot be put there is a problem."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

from generate import c, rules, types
from generate.comment import Comment, parse
from generate.facts import Facts
from generate.macros import Macros
from generate.model import Api, Function, Note, Returns, Struct, Type
from generate.problems import Place, Problems
from generate.source import TARGETS, Cursor, Kind, Source

VERSION = 1
# A part of the model that is being put together.
Part = dict[str, Any]


def read(include: Path, problems: Problems) -> Api:
    sources = {bits: Source(include, bits, problems) for bits in TARGETS}
    if problems.found:
        return empty()
    reader = Reader(sources["64"], problems)
    for cursor in sources["64"].cursors():
        reader.read(cursor)
    reader.finish(sources["32"])
    if not problems.found:
        rules.check(reader.api, reader.facts, problems)
    return reader.api


def empty() -> Api:
    return {
        "format": "memmodel-api",
        "version": VERSION,
        "headers": [],
        "constants": [],
        "enums": [],
        "handles": [],
        "aliases": [],
        "callbacks": [],
        "structs": [],
        "functions": [],
    }


class Reader:
    """Adds one declaration after the other to the model."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self.source = source
        self.problems = problems
        self.api = empty()
        self.facts = Facts()
        self.macros = Macros(source, self.facts, problems)
        self.readers = {
            Kind.ENUM_DECL: ("enums", self.enum),
            Kind.STRUCT_DECL: ("structs", self.struct),
            Kind.FUNCTION_DECL: ("functions", self.function),
        }

    def read(self, cursor: Cursor) -> None:
        if cursor.kind == Kind.TYPEDEF_DECL:
            self.read_typedef(cursor)
        elif cursor.kind in self.readers:
            group, reader = self.readers[cursor.kind]
            if cursor.kind != Kind.STRUCT_DECL or cursor.is_definition():
                self.add(group, reader(cursor))
        elif cursor.kind.is_declaration():
            kind = cursor.kind.name.lower().removesuffix("_decl")
            self.refuse(cursor, f"{cursor.spelling}: a {kind}", "enums, structs, typedefs and functions")
        else:
            self.macros.read(cursor)

    def add(self, group: str, part: Part) -> None:
        cast(dict[str, list[Part]], self.api)[group].append(part)

    def refuse(self, cursor: Cursor, what: str, allowed: str) -> None:
        self.problems.add(self.source.place(cursor), what, allowed)

    def comment(self, cursor: Cursor) -> Comment:
        comment = parse(cursor.raw_comment)
        for mistake in comment.mistakes:
            self.refuse(cursor, f"{cursor.spelling}: {mistake}", "the tags of doc/internals/conventions.md, each once")
        return comment

    def item(self, cursor: Cursor, comment: Comment) -> Part:
        """What every public thing begins with."""
        place = self.facts.places[cursor.spelling] = self.source.place(cursor)
        self.facts.documented[cursor.spelling] = [param.name for param in comment.params]
        return {
            "name": cursor.spelling,
            "text": comment.text,
            "since": comment.blocks.get("since", ""),
            "header": place.file,
            "line": place.line,
        }

    def type(self, cursor: Cursor, clang: types.Clang, name: str) -> Type:
        try:
            return types.read(clang, name)
        except types.Unsupported as unsupported:
            self.refuse(cursor, f"{name}: the type {unsupported}", types.ALLOWED)
            return {"kind": "void"}

    def enum(self, cursor: Cursor) -> Part:
        item = self.item(cursor, self.comment(cursor))
        values = [self.value(value) for value in cursor.get_children()]
        numbers = [value["value"] for value in values]
        for child in cursor.get_children():
            if numbers.count(child.enum_value) > 1:
                self.refuse(child, f"{child.spelling}: shares its number", "a number of its own for each value")
        return {**item, "values": values}

    def value(self, cursor: Cursor) -> Part:
        self.facts.places[cursor.spelling] = self.source.place(cursor)
        if not any(cursor.get_children()):
            self.refuse(cursor, f"{cursor.spelling}: its number is not written", "explicit numbers in enums")
        return {"name": cursor.spelling, "value": cursor.enum_value, "text": self.comment(cursor).text}

    def read_typedef(self, cursor: Cursor) -> None:
        comment = self.comment(cursor)
        item = self.item(cursor, comment)
        underlying = types.named(cursor.underlying_typedef_type)
        if underlying.get_canonical().kind == types.TypeKind.RECORD:
            self.add("handles", item)
        elif underlying.kind == types.TypeKind.POINTER:
            self.add("callbacks", {**item, **self.callback(cursor, comment, underlying.get_pointee())})
        else:
            self.add("aliases", {**item, "type": self.type(cursor, underlying, cursor.spelling)})

    def callback(self, cursor: Cursor, comment: Comment, function: types.Clang) -> Part:
        if function.get_canonical().kind != types.TypeKind.FUNCTIONPROTO:
            allowed = "typedefs of objects, of functions and of integers"
            self.refuse(cursor, f"{cursor.spelling}: a pointer that has a name", allowed)
            return {"parameters": [], "returns": {"type": {"kind": "void"}}}
        arguments = [child for child in cursor.get_children() if child.kind == Kind.PARM_DECL]
        return self.routine(cursor, arguments, comment, function.get_result())

    def struct(self, cursor: Cursor) -> Part:
        item = self.item(cursor, self.comment(cursor))
        fields = [child for child in cursor.get_children() if child.kind == Kind.FIELD_DECL]
        for child in cursor.get_children():
            if child.kind.is_declaration() and child.kind != Kind.FIELD_DECL:
                kind = child.kind.name.lower().removesuffix("_decl")
                self.refuse(child, f"{cursor.spelling}: a {kind} within", types.ALLOWED)
        return {
            **item,
            "sized": bool(fields) and fields[0].spelling == "size",
            "role": "value",
            "bytes": {"64": cursor.type.get_size()},
            "fields": [self.field(cursor, child) for child in fields],
        }

    def field(self, struct: Cursor, cursor: Cursor) -> Part:
        name = cursor.spelling
        comment = self.comment(cursor)
        self.facts.places[f"{struct.spelling}.{name}"] = self.source.place(cursor)
        if cursor.is_bitfield():
            self.refuse(cursor, f"{struct.spelling}.{name}: a bit-field", types.ALLOWED)
        kind = self.type(cursor, cursor.type, name)
        offset = {"64": struct.type.get_offset(name) // 8}
        item = {"name": name, "type": kind, "offset": offset, **enumerated(comment.note, kind)}
        if "since" in comment.blocks:
            item["since"] = comment.blocks["since"]
        if "default" in item and c.is_pointer(kind):
            item["nullable"] = True
        return item

    def function(self, cursor: Cursor) -> Part:
        comment = self.comment(cursor)
        self.check_declaration(cursor)
        item = self.item(cursor, comment)
        item |= self.routine(cursor, list(cursor.get_arguments()), comment, cursor.result_type)
        item["stability"] = comment.blocks.get("stability", "stable")
        if "blocking" in comment.blocks:
            item["blocking"] = True
        return item

    def check_declaration(self, cursor: Cursor) -> None:
        name = cursor.spelling
        if not any(child.kind == Kind.VISIBILITY_ATTR for child in cursor.get_children()):
            self.refuse(cursor, f"{name}: not exported", "MEMMODEL_API before every function")
        if cursor.type.kind != types.TypeKind.FUNCTIONPROTO:
            self.refuse(cursor, f"{name}: no prototype", "void in place of no parameters")
        elif cursor.type.is_function_variadic():
            self.refuse(cursor, f"{name}: takes any number of arguments", "a fixed number")
        for macro in self.macros.used_in(cursor):
            self.refuse(cursor, f"{name}: the macro {macro} in a prototype", "MEMMODEL_API only")

    def routine(self, cursor: Cursor, arguments: list[Cursor], comment: Comment, result: types.Clang) -> Part:
        """What functions and callbacks have."""
        documented = {param.name: param for param in comment.params}
        parameters = []
        for argument in arguments:
            name = argument.spelling
            self.facts.places[f"{cursor.spelling}.{name}"] = self.source.place(argument)
            parameter: Part = {"name": name, "type": self.type(argument, argument.type, name)}
            if parameter["type"]["kind"] == "array":
                self.refuse(argument, f"{name}: the type {argument.type.spelling}", types.ALLOWED)
            if name in documented:
                parameter["direction"] = documented[name].direction
                parameter |= enumerated(documented[name].note, parameter["type"])
            parameters.append(parameter)
        blocks: Part = {name: comment.blocks[name] for name in ("threads", "complexity") if name in comment.blocks}
        return {"parameters": parameters, "returns": self.returns(cursor, comment, result), **blocks}

    def returns(self, cursor: Cursor, comment: Comment, result: types.Clang) -> Part:
        item: Part = {"type": self.type(cursor, result, f"the result of {cursor.spelling}")}
        if not comment.returns:
            return item
        item |= enumerated(comment.returns, item["type"])
        if cursor.kind == Kind.FUNCTION_DECL and item["type"]["kind"] == "int32" and item["text"].startswith("0"):
            item["status"] = True
            item.pop("enum", None)
        if "static string" in item["text"]:
            item.setdefault("transfer", "none")
        if comment.errors:
            item["errors"] = comment.errors
        return item

    def finish(self, narrow: Source) -> None:
        """What is known only when all is read: lifetimes, roles, the layout on the other target."""
        names = {function["name"] for function in self.api["functions"]}
        for handle in self.api["handles"]:
            for verb in ("ref", "unref"):
                if f"{handle['name']}_{verb}" in names:
                    cast(Part, handle)[verb] = f"{handle['name']}_{verb}"
        self.inherit_errors()
        narrow_types = {cursor.spelling: cursor.type for cursor in narrow.cursors() if cursor.is_definition()}
        for struct in self.api["structs"]:
            narrow_type = narrow_types[struct["name"]]
            struct["bytes"]["32"] = narrow_type.get_size()
            struct["role"] = role(struct, self.api["functions"])
            for field in struct["fields"]:
                field["offset"]["32"] = narrow_type.get_offset(field["name"]) // 8
        self.api["constants"] = self.macros.constants
        for name in self.source.unseen():
            self.problems.add(Place(name, 1), "is not included by memmodel.h", "headers that are")
        self.api["headers"] = [{"name": name, "text": self.header_text(name)} for name in self.source.headers()]

    def inherit_errors(self) -> None:
        """What "or what memmodel_estimate() returns" stands for."""
        functions = {function["name"]: function["returns"] for function in self.api["functions"]}
        for returns in functions.values():
            errors = list(returns.get("errors", []))
            for name in re.findall(r"(memmodel_\w+)\(\)", returns.get("text", "") if fails(returns) else ""):
                errors += functions[name].get("errors", []) if name in functions else []
            if errors:
                returns["errors"] = list(dict.fromkeys(errors))

    def header_text(self, name: str) -> str:
        text = self.source.text(name)
        if not text.startswith("/*"):
            self.problems.add(Place(name, 1), "does not say what it is about", "a comment at its top")
            return ""
        return parse("/**" + text[2 : text.index("*/") + 2]).text


def enumerated(note: Note, kind: Type) -> Part:
    """Only an int can be of an enum: others speak of one."""
    element = kind["of"] if kind["kind"] == "array" else kind
    return {key: value for key, value in note.items() if key != "enum" or element["kind"] == "int32"}


def fails(returns: Returns) -> bool:
    return bool(returns.get("status") or returns.get("errors"))


def role(struct: Struct, functions: list[Function]) -> str:
    """options go in, results come out, values are parts of other things."""
    if not struct["sized"]:
        return "value"
    target: Type = {"kind": "struct", "name": struct["name"]}
    taken = any(
        parameter["type"].get("to") == target and parameter["type"]["const"]
        for function in functions
        for parameter in function["parameters"]
    )
    return "options" if taken else "result"
