"""The low layer of the Python package: _ffi.py, _exceptions.py, and in _layers.py a method for each layer."""

from __future__ import annotations

import textwrap

from generate import python_function, python_layers
from generate import python_names as names
from generate.model import Api, Callback, Enum, Field, Handle, Struct, Value
from generate.python_types import Types
from generate.text import WIDTH, sentence, title

HEAD = '''\
"""The library, function by function. Generated from include/memmodel/*.h: edit those.

Functions are called as in C without their prefix, and checked: wrong arguments raise TypeError, ValueError or
OverflowError naming the argument, a failed call the exception of its status. Numbers of array elements are left out,
results come back instead of going out through pointers.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from memmodel import _call
from memmodel._exceptions import *  # noqa: F403
from memmodel._library import Library\
'''

EXCEPTIONS_HEAD = '''\
"""An exception for each status. Generated from include/memmodel/context.h: edit that."""

from __future__ import annotations

from memmodel.errors import MemmodelError
'''

# What a status is in Python's own terms, so that nobody needs to know ours to catch it.
BUILTINS = {
    "NO_MEMORY": "MemoryError",
    "INVALID_ARGUMENT": "ValueError",
    "OVERFLOW": "OverflowError",
    "SHAPE": "ValueError",
    "UNSUPPORTED": "NotImplementedError",
    "PARSE": "ValueError",
    "IO": "OSError",
    "NOT_FOUND": "LookupError",
    "UNBOUND": "LookupError",
    "DATA": "ValueError",
    "VERSION": "ValueError",
    "PROCESS": "OSError",
}


def docstring(text: str) -> str:
    return python_function.quoted(sentence(text.strip()))


def constant(name: str, value: int | str) -> str:
    return f"{name} = " + (f'"{value}"' if isinstance(value, str) else str(value)) + "\n"


def remarked(line: str, comment: str) -> str:
    """A line and what is said about it, cut where the line ends."""
    comment = textwrap.shorten(comment, WIDTH - len(line) - 4)
    return f"{line}  # {comment}\n" if comment else line + "\n"


def enum(api: Api, item: Enum) -> str:
    lines = [f"class {names.camel(item['name'])}(IntEnum):\n{docstring(names.in_python(item['text'], api))}\n"]
    for name, number, text in names.members(item):
        lines.append(remarked(f"    {name} = {number}", names.in_python(text, api)))
    return "".join(lines)


def exception(api: Api, value: Value) -> str:
    base = BUILTINS.get(value["name"].removeprefix("MEMMODEL_ERROR_"))
    bases = f"MemmodelError, {base}" if base else "MemmodelError"
    text = names.in_python(value["text"], api)
    return (
        f"class {names.exception(value['name'])}({bases}):\n"
        f"{docstring(text[:1].upper() + text[1:])}\n    status = {value['value']}\n"
    )


def exceptions(api: Api) -> str:
    status = next(enum for enum in api["enums"] if enum["name"] == "memmodel_status")
    errors = [value for value in status["values"] if value["value"] < 0]
    everything = "".join(f'    "{names.exception(value["name"])}",\n' for value in errors)
    blocks = [EXCEPTIONS_HEAD + f"\n__all__ = [\n{everything}]\n", *(exception(api, value) for value in errors)]
    return "\n\n".join(blocks)


def struct_head(api: Api, item: Struct) -> str:
    """The class, with what a type checker sees; its fields come when all classes are there."""
    lines = [f"class {names.camel(item['name'])}(_call.Struct):\n{docstring(names.in_python(item['text'], api))}\n"]
    for field in item["fields"]:
        lines.append(remarked(f"    {field['name']}: Any", names.in_python(field.get("text", ""), api)))
    return "".join(lines)


def settable(types: Types, item: Struct) -> list[Field]:
    """Fields that a caller may set: not the size, nor what is reserved."""
    hidden = {"reserved", "user"} | ({"size"} if item["sized"] else set())
    return [field for field in item["fields"] if field["name"] not in hidden]


def struct_body(types: Types, item: Struct) -> str:
    name = names.camel(item["name"])
    fields = "".join(f'    ("{field["name"]}", {types.ctype(field["type"])}),\n' for field in item["fields"])
    converters = "".join(
        f'    "{field["name"]}": {types.converter(field["type"], field, field["name"])},\n'
        for field in settable(types, item)
    )
    counts = {field["name"]: types.count_field(field, item["fields"]) for field in item["fields"]}
    counted = "".join(f'    "{field}": "{count}",\n' for field, count in counts.items() if count)
    return (
        f"{name}._sized = {item['sized']}\n{name}._fields_ = [\n{fields}]\n{name}._converters = {{\n{converters}}}\n"
        + (f"{name}._counts = {{\n{counted}}}\n" if counted else "")
    )


def handle(api: Api, item: Handle) -> str:
    return (
        f"class {names.handle(item['name'])}(_call.Handle):\n{docstring(names.in_python(item['text'], api))}\n"
        f'    __slots__ = ()\n    _noun = "{title(item["name"])}"\n'
        f'    _ref = _library.bind("{item["ref"]}", ctypes.c_void_p, ctypes.c_void_p)\n'
        f'    _unref = _library.bind("{item["unref"]}", None, ctypes.c_void_p)\n'
    )


def callback(types: Types, item: Callback) -> str:
    """The type of a C function that calls Python."""
    name = names.camel(item["name"])
    arguments = "".join(f", {types.ctype(parameter['type'])}" for parameter in item["parameters"])
    result = types.ctype(item["returns"]["type"])
    made = f"{name} = ctypes.CFUNCTYPE({result}{arguments})\n" + python_function.callback_converter(item)
    return "".join(python_function.laid_out(line, "") for line in made.splitlines())


def low_layer(api: Api) -> str:
    types = Types(api)
    constants = [constant(names.constant(item["name"]), item["value"]) for item in api["constants"]]
    constants += [
        constant(names.constant(value["name"]), value["value"])
        for item in api["enums"]
        for value in item["values"]
        if value["name"].endswith("_COUNT")
    ]
    blocks = [
        HEAD,
        "".join(constants) + "\n_library = Library(VERSION)\n",
        *(enum(api, item) for item in api["enums"]),
        *(handle(api, item) for item in api["handles"]),
        *(struct_head(api, item) for item in api["structs"]),
        "".join(callback(types, item) for item in api["callbacks"]),
        "\n".join(struct_body(types, item) for item in api["structs"]),
        *python_function.functions(types),
    ]
    return "\n\n".join(blocks).replace("\n\n\n\n", "\n\n\n")


def files(api: Api) -> dict[str, str]:
    return {
        "_exceptions.py": exceptions(api),
        "_ffi.py": low_layer(api),
        "_layers.py": python_layers.layers(api),
    }
