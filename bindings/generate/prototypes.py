"""Asserts in C that every function has the type that the model says, so that bindings call it as the compiler would."""

from __future__ import annotations

from generate import c
from generate.model import Alias, Api, Callback, Function

HEAD = """\
/*
 * Every public function, callback and alias has the type that include/memmodel-api.json says, and bindings believe.
 * Written from include/memmodel/.
 */
#include <memmodel.h>

#define SAME(type, expected, name) _Static_assert(__builtin_types_compatible_p(type, expected), name)

/* clang-format off */
"""


def files(api: Api) -> dict[str, str]:
    lines = [
        *(alias(each) for each in api["aliases"]),
        *(callback(each) for each in api["callbacks"]),
        *(function(each) for each in api["functions"]),
    ]
    return {"prototypes.c": HEAD + "".join(lines)}


def same(kind: str, expected: str, name: str) -> str:
    return f'SAME({kind}, {expected}, "{name}");\n'


def alias(item: Alias) -> str:
    return same(item["name"], c.spell(item["type"]), item["name"])


def callback(item: Callback) -> str:
    return same(item["name"], pointer_to(item), item["name"])


def function(item: Function) -> str:
    return same(f"__typeof__(&{item['name']})", pointer_to(item), item["name"])


def pointer_to(item: Function | Callback) -> str:
    result = c.spell(item["returns"]["type"], "int")
    return f"{result}{'' if result.endswith('*') else ' '}(*)({c.parameters(item)})"
