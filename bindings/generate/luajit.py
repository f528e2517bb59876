"""The declarations that LuaJIT's ffi.cdef() reads: cdef.lua."""

from __future__ import annotations

from collections.abc import Iterator

from generate import c
from generate.model import Api, Struct


def files(api: Api) -> dict[str, str]:
    return {"cdef.lua": "\n".join(lines(api)) + "\n"}


def lines(api: Api) -> Iterator[str]:
    yield "-- Generated from the headers: the library as LuaJIT's ffi sees it. Not edited by hand."
    yield "return [["
    for alias in api["aliases"]:
        yield f"typedef {c.declare(alias['type'], alias['name'])};"
    for handle in api["handles"]:
        yield f"typedef struct {handle['name']} {handle['name']};"
    for struct in api["structs"]:
        yield f"struct {struct['name']};"
    for callback in api["callbacks"]:
        result = c.declare(callback["returns"]["type"], f"(*{callback['name']})", "int")
        yield f"typedef {result}({c.parameters(callback)});"
    for struct in api["structs"]:
        yield from declaration(struct)
    for function in api["functions"]:
        result = c.declare(function["returns"]["type"], function["name"], "int")
        yield f"{result}({c.parameters(function)});"
    yield "]]"


def declaration(struct: Struct) -> Iterator[str]:
    yield f"struct {struct['name']} {{"
    for field in struct["fields"]:
        yield f"    {c.declare(field['type'], field['name'])};"
    yield "};"
