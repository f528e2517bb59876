"""One source file a header, which includes it alone and uses all it declares: compiled as C11, C++11 and C++17."""

from __future__ import annotations

from generate.model import Api

UMBRELLA = "memmodel.h"


def files(api: Api) -> dict[str, str]:
    names = [UMBRELLA, *(header["name"] for header in api["headers"])]
    return {f"{stem(name)}.c": source(name, api) for name in names}


def stem(header: str) -> str:
    return header.removeprefix("memmodel/").removesuffix(".h")


def source(header: str, api: Api) -> str:
    functions = [f"&{item['name']}" for item in api["functions"] if item["header"] == header]
    structs = [f"struct {item['name']}" for item in api["structs"] if item["header"] == header]
    enums = [item["values"][0]["name"] for item in api["enums"] if item["header"] == header]
    sizes = "".join(f"\n        + (int)sizeof({name})" for name in (*structs, *enums, *functions))
    return (
        f"/* {header} alone, twice, in C11, C++11 and C++17. */\n/* clang-format off */\n"
        f'#include "{header}"\n#include "{header}"\n\n'
        f"enum {{\n    USED = 0{sizes}\n}};\n{filled(header, api)}"
    )


def filled(header: str, api: Api) -> str:
    """In C++ a struct with a size is value-initialised, and then given its size."""
    sized = [
        item["name"]
        for item in api["structs"]
        if item["header"] == header and item["fields"] and item["fields"][0]["name"] == "size"
    ]
    if not sized:
        return ""
    lines = "".join(f"    {name} of_{name}{{}};\n    of_{name}.size = sizeof of_{name};\n" for name in sized)
    sums = " + ".join(f"of_{name}.size" for name in sized)
    return f"\n#ifdef __cplusplus\nsize_t sizes();\n\nsize_t\nsizes()\n{{\n{lines}    return {sums};\n}}\n#endif\n"
