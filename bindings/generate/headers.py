"""One source file a header, which includes it alone and uses all it declares: compiled as C11 and as C++17."""

from __future__ import annotations

from generate.model import Api


def files(api: Api) -> dict[str, str]:
    return {f"test/abi/headers/{stem(header['name'])}.c": source(header["name"], api) for header in api["headers"]}


def stem(header: str) -> str:
    return header.removeprefix("memmodel/").removesuffix(".h")


def source(header: str, api: Api) -> str:
    functions = [f"&{item['name']}" for item in api["functions"] if item["header"] == header]
    structs = [f"struct {item['name']}" for item in api["structs"] if item["header"] == header]
    enums = [item["values"][0]["name"] for item in api["enums"] if item["header"] == header]
    sizes = "".join(f" + (int)sizeof({name})" for name in (*structs, *enums, *functions))
    guard = f"    /* {header} alone, twice, in C11 and C++17. Written by ./run generate. */"
    return (
        f"{guard.strip()}\n/* clang-format off */\n"
        f'#include "{header}"\n#include "{header}"\n\n'
        f"enum {{ USED = 0{sizes} }};\n"
    )
