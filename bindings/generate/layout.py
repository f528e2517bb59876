"""Asserts in C of where every field lies and which number every name has: what compiled programs rely on."""

from __future__ import annotations

from collections.abc import Iterator

from generate.model import Api, Field, Struct

HEAD = """\
/*
 * Where every public field lies and which number every name has, as programs compiled with a released version rely on.
 * Written from include/memmodel/; a block of a released version never changes, see doc/internals/abi.md.
 */
#include <memmodel.h>

#include <stddef.h>
#include <stdint.h>

/* clang-format off */

/* The first number holds where pointers have 64 bits, the second on 32-bit x86, which aligns int64_t to 4 bytes. */
#if UINTPTR_MAX > UINT32_MAX
#define PLACE(wide, narrow) (wide)
#elif defined(__i386__)
#define PLACE(wide, narrow) (narrow)
#endif

#define VALUE(name, value) _Static_assert((name) == (value), #name)

#ifdef PLACE
#define FIELD(type, field, wide, narrow) \\
    _Static_assert(offsetof(struct type, field) == PLACE(wide, narrow), #type "." #field)
#define BYTES(type, wide, narrow) _Static_assert(sizeof(struct type) >= PLACE(wide, narrow), #type)
#else
#define FIELD(type, field, wide, narrow) _Static_assert(1, "")
#define BYTES(type, wide, narrow) _Static_assert(1, "")
#endif
"""


def files(api: Api) -> dict[str, str]:
    blocks = [f"\n/* {version} */\n" + "".join(block(api, version)) for version in versions(api)]
    return {"layout.c": HEAD + "".join(blocks)}


def versions(api: Api) -> list[str]:
    """All that added fields, enums or structs, in order."""
    found = {item["since"] for item in (*api["structs"], *api["enums"])}
    found |= {since(field, struct) for struct in api["structs"] for field in struct["fields"]}
    return sorted(found, key=number)


def number(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def since(field: Field, struct: Struct) -> str:
    return field.get("since", struct["since"])


def block(api: Api, version: str) -> Iterator[str]:
    for enum in api["enums"]:
        if enum["since"] == version:
            yield "\n"
            yield from (f"VALUE({value['name']}, {value['value']});\n" for value in enum["values"])
    for struct in api["structs"]:
        fields = [field for field in struct["fields"] if since(field, struct) == version]
        if fields:
            yield "\n"
            yield from (place(struct, field) for field in fields)
            yield size(struct, fields[-1])


def place(struct: Struct, field: Field) -> str:
    return f"FIELD({struct['name']}, {field['name']}, {field['offset']['64']}, {field['offset']['32']});\n"


def size(struct: Struct, last: Field) -> str:
    """A struct may grow: what it had in a version ends where the next version's first field begins."""
    following = struct["fields"][struct["fields"].index(last) + 1 :]
    end = following[0]["offset"] if following else struct["bytes"]
    return f"BYTES({struct['name']}, {end['64']}, {end['32']});\n"
