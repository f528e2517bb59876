"""From the compiler's view of the headers and their comments to the model; what cannot be put there is a problem."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from generate import c, rules, types
from generate.comment import Comment, parse
from generate.facts import Facts
from generate.macros import Macros
from generate.model import Api, Callback, Enum, Field, Function, Handle, Item, Note, Parameter, Returns, Struct, Type
from generate.problems import Place, Problems
from generate.source import TARGETS, Cursor, Kind, Source

VERSION = 1


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
            Kind.ENUM_DECL: self.read_enum,
            Kind.STRUCT_DECL: self.read_struct,
            Kind.TYPEDEF_DECL: self.read_typedef,
            Kind.FUNCTION_DECL: self.read_function,
        }

    def read(self, cursor: Cursor) -> None:
        reader = self.readers.get(cursor.kind)
        if reader:
            reader(cursor)
        elif cursor.kind.is_declaration():
            kind = cursor.kind.name.lower().replace("_", " ")
            self.refuse(cursor, f"a {kind} of the name {cursor.spelling}", "enums, structs, typedefs and functions")
        else:
            self.macros.read(cursor)

    def refuse(self, cursor: Cursor, what: str, allowed: str) -> None:
        self.problems.add(self.source.place(cursor), what, allowed)

    def comment(self, cursor: Cursor) -> Comment:
        comment = parse(cursor.raw_comment)
        for mistake in comment.mistakes:
            self.refuse(cursor, f"{cursor.spelling}: {mistake}", "the tags of doc/conventions.md, each once")
        return comment

    def item(self, cursor: Cursor, comment: Comment) -> dict[str, Any]:
        place = self.facts.places[cursor.spelling] = self.source.place(cursor)
        self.facts.documented[cursor.spelling] = [param.name for param in comment.params]
        item = Item(
            name=cursor.spelling,
            text=comment.text,
            since=comment.blocks.get("since", ""),
            header=place.file,
            line=place.line,
        )
        return dict(item)

    def type(self, cursor: Cursor, clang: types.Clang, name: str) -> Type:
        try:
            return types.read(clang, name)
        except types.Unsupported as unsupported:
            self.refuse(cursor, f"{name}: the type {unsupported}", types.ALLOWED)
            return {"kind": "void"}

    def read_enum(self, cursor: Cursor) -> None:
        item = Enum(**self.item(cursor, self.comment(cursor)), values=[])  # type: ignore[typeddict-item]
        for value in cursor.get_children():
            if not any(value.get_children()):
                self.refuse(value, f"{value.spelling}: its number is not written", "explicit numbers in enums")
            if value.enum_value in [other["value"] for other in item["values"]]:
                self.refuse(value, f"{value.spelling}: its number is taken", "a number of its own for each value")
            self.facts.places[value.spelling] = self.source.place(value)
            item["values"].append(
                {"name": value.spelling, "value": value.enum_value, "text": self.comment(value).text}
            )
        self.api["enums"].append(item)

    def read_typedef(self, cursor: Cursor) -> None:
        comment = self.comment(cursor)
        item = self.item(cursor, comment)
        underlying = types.named(cursor.underlying_typedef_type)
        if underlying.get_canonical().kind == types.TypeKind.RECORD:
            self.api["handles"].append(Handle(**item))  # type: ignore[typeddict-item]
        elif underlying.kind == types.TypeKind.POINTER:
            self.api["callbacks"].append(self.callback(cursor, comment, item, underlying))
        else:
            self.api["aliases"].append({**item, "type": self.type(cursor, underlying, cursor.spelling)})  # type: ignore[typeddict-item]

    def callback(self, cursor: Cursor, comment: Comment, item: dict[str, Any], pointer: types.Clang) -> Callback:
        prototype = pointer.get_pointee().get_canonical()
        if prototype.kind != types.TypeKind.FUNCTIONPROTO:
            self.refuse(cursor, f"{cursor.spelling}: a pointer with a name", "typedefs of objects, functions and integers")
            return Callback(**item)  # type: ignore[typeddict-item]
        arguments = [child for child in cursor.get_children() if child.kind == Kind.PARM_DECL]
        result = pointer.get_pointee().get_result()
        return Callback(
            **item,  # type: ignore[typeddict-item]
            parameters=self.parameters(cursor, arguments, comment),
            returns=self.returns(cursor, comment, result),
            **routine_blocks(comment),  # type: ignore[typeddict-item]
        )

    def read_struct(self, cursor: Cursor) -> None:
        if not cursor.is_definition():
            return
        item = Struct(
            **self.item(cursor, self.comment(cursor)),  # type: ignore[typeddict-item]
            sized=False,
            role="value",
            bytes={"64": cursor.type.get_size()},
            fields=[],
        )
        for child in cursor.get_children():
            if child.kind == Kind.FIELD_DECL:
                item["fields"].append(self.field(cursor, child))
            elif child.kind.is_declaration():
                self.refuse(child, f"{cursor.spelling}: a {child.kind.name.split('_')[0].lower()} within", types.ALLOWED)
        self.api["structs"].append(item)

    def field(self, struct: Cursor, cursor: Cursor) -> Field:
        name = cursor.spelling
        if cursor.is_bitfield():
            self.refuse(cursor, f"{struct.spelling}.{name}: a bit-field", types.ALLOWED)
        comment = self.comment(cursor)
        self.facts.places[f"{struct.spelling}.{name}"] = self.source.place(cursor)
        offset = struct.type.get_offset(name) // 8
        item = Field(name=name, type=self.type(cursor, cursor.type, name), offset={"64": offset})
        item.update(**enumerated(comment.note, item["type"]))
        if "since" in comment.blocks:
            item["since"] = comment.blocks["since"]
        if "default" in item and c.is_pointer(item["type"]):
            item["nullable"] = True
        return item

    def read_function(self, cursor: Cursor) -> None:
        comment = self.comment(cursor)
        if not any(child.kind == Kind.VISIBILITY_ATTR for child in cursor.get_children()):
            self.refuse(cursor, f"{cursor.spelling}: not exported", "MEMMODEL_API before every function")
        if cursor.type.is_function_variadic():
            self.refuse(cursor, f"{cursor.spelling}: takes any number of arguments", "a fixed number")
        for macro in self.macros.used_in(cursor):
            self.refuse(cursor, f"{cursor.spelling}: the macro {macro} in a prototype", "MEMMODEL_API only")
        item = Function(
            **self.item(cursor, comment),  # type: ignore[typeddict-item]
            parameters=self.parameters(cursor, list(cursor.get_arguments()), comment),
            returns=self.returns(cursor, comment, cursor.result_type),
            **routine_blocks(comment),  # type: ignore[typeddict-item]
            stability=comment.blocks.get("stability", "stable"),
        )
        if "blocking" in comment.blocks:
            item["blocking"] = True
        self.api["functions"].append(item)

    def parameters(self, function: Cursor, arguments: list[Cursor], comment: Comment) -> list[Parameter]:
        told = {param.name: param for param in comment.params}
        items = []
        for argument in arguments:
            name = argument.spelling
            self.facts.places[f"{function.spelling}.{name}"] = self.source.place(argument)
            param = told.get(name)
            item = Parameter(name=name, type=self.type(argument, argument.type, name))
            if param:
                item.update(direction=param.direction, **enumerated(param.note, item["type"]))
            items.append(item)
        return items

    def returns(self, cursor: Cursor, comment: Comment, result: types.Clang) -> Returns:
        item = Returns(type=self.type(cursor, result, f"the result of {cursor.spelling}"))
        if not comment.returns:
            return item
        item.update(**enumerated(comment.returns, item["type"]))
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
                    handle[verb] = f"{handle['name']}_{verb}"  # type: ignore[literal-required]
        self.inherit_errors()
        structs = {cursor.spelling: cursor.type for cursor in narrow.cursors() if cursor.is_definition()}
        for struct in self.api["structs"]:
            struct["bytes"]["32"] = structs[struct["name"]].get_size()
            for field in struct["fields"]:
                field["offset"]["32"] = structs[struct["name"]].get_offset(field["name"]) // 8
            struct["sized"] = bool(struct["fields"]) and struct["fields"][0]["name"] == "size"
            struct["role"] = role(struct, self.api["functions"])
        self.api["constants"] = self.macros.constants
        self.api["headers"] = [{"name": name, "text": self.header_text(name)} for name in self.source.headers()]

    def inherit_errors(self) -> None:
        """What "or what memmodel_estimate() returns" stands for."""
        functions = {function["name"]: function["returns"] for function in self.api["functions"]}
        for returns in functions.values():
            errors = list(returns.get("errors", []))
            for name in re.findall(r"(memmodel_\w+)\(\)", returns.get("text", "") if is_failing(returns) else ""):
                errors += functions[name].get("errors", []) if name in functions else []
            if errors:
                returns["errors"] = list(dict.fromkeys(errors))

    def header_text(self, name: str) -> str:
        text = self.source.text(name)
        if not text.startswith("/*"):
            self.problems.add(Place(name, 1), "does not say what it is about", "a comment at its top")
            return ""
        return parse("/**" + text[2 : text.index("*/") + 2]).text


def enumerated(note: Note, kind: Type) -> Note:
    """Only an int can be of an enum: others speak of one."""
    if "enum" in note and (kind["of"] if kind["kind"] == "array" else kind)["kind"] != "int32":
        del note["enum"]
    return note


def is_failing(returns: Returns) -> bool:
    return bool(returns.get("status") or returns.get("errors"))


def routine_blocks(comment: Comment) -> dict[str, str]:
    return {name: comment.blocks[name] for name in ("threads", "complexity") if name in comment.blocks}


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
