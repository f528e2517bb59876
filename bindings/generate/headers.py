"""One source file a header, which includes it alone and uses all it declares: compiled as C11 and as C++17."""

from __future__ import annotations

from generate.model import Api

UMBRELLA = "memmodel.h"


def files(api: Api) -> dict[str, str]:
    names = [UMBRELLA, *(header["name"] for header in api["headers"])]
    return {f"test/abi/headers/{stem(name)}.c": source(name, api) for name in names}


def stem(header: str) -> str:
    return header.removeprefix("memmodel/").removesuffix(".h")


def source(header: str, api: Api) -> str:
    functions = [f"&{item['name']}" for item in api["functions"] if item["header"] == header]
    structs = [f"struct {item['name']}" for item in api["structs"] if item["header"] == header]
    enums = [item["values"][0]["name"] for item in api["enums"] if item["header"] == header]
    sizes = "".join(f"\n        + (int)sizeof({name})" for name in (*structs, *enums, *functions))
    return (
        f"/* {header} alone, twice, in C11 and C++17. Written by ./run generate. */\n/* clang-format off */\n"
        f'#include "{header}"\n#include "{header}"\n\n'
        f"enum {{\n    USED = 0{sizes}\n}};\n"
    )
