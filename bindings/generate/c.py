"""What back ends ask of the model's types: how C writes them, and of which sort they are."""

from __future__ import annotations

from collections.abc import Iterator

from generate.model import Api, Callback, Function, Note, Struct, Type

NAMES = {
    "int32": "int32_t",
    "int64": "int64_t",
    "uint64": "uint64_t",
    "size": "size_t",
    "double": "double",
    "bool": "_Bool",
    "void": "void",
    "user": "void *",
    "bytes": "const void *",
}
INTEGERS = ("int32", "int64", "uint64", "size")


def spell(kind: Type, integer: str = "int32_t") -> str:
    """The type without a name; `integer` is what C calls an int32 there."""
    word = kind["kind"]
    if word == "int32":
        return integer
    if word in NAMES:
        return NAMES[word]
    if word == "string":
        return "char *" if kind.get("mutable") else "const char *"
    if word == "struct":
        return f"struct {kind['name']}"
    if word == "handle":
        return f"{'const ' if kind['const'] else ''}{kind['name']} *"
    if word == "pointer":
        return pointer(spell(kind["to"], integer), kind["const"])
    return kind["name"]


def pointer(target: str, const: bool) -> str:
    if not const:
        return target + ("*" if target.endswith("*") else " *")
    return f"{target}const *" if target.endswith("*") else f"const {target} *"


def declare(kind: Type, name: str, integer: str = "int32_t") -> str:
    """How C declares something of this type."""
    if kind["kind"] == "array":
        return f"{declare(kind['of'], name, integer)}[{kind['count']}]"
    text = spell(kind, integer)
    return text + name if text.endswith("*") else f"{text} {name}"


def parameters(function: Function | Callback) -> str:
    """The parameters of a prototype, in which an int32 is an int."""
    names = [declare(each["type"], each["name"], "int") for each in function["parameters"]]
    return ", ".join(names) or "void"


def is_integer(kind: Type, api: Api) -> bool:
    return resolve(kind, api)["kind"] in INTEGERS


def resolve(kind: Type, api: Api) -> Type:
    """The type that an alias stands for."""
    while kind["kind"] == "alias":
        kind = next(alias["type"] for alias in api["aliases"] if alias["name"] == kind["name"])
    return kind


def is_pointer(kind: Type) -> bool:
    """Anything that may be NULL."""
    return kind["kind"] in ("pointer", "handle", "string", "bytes", "user", "callback")


def lengths(note: Note) -> list[str]:
    """The parts of @length: of the array, and of the arrays within it."""
    return [part.strip() for part in note.get("length", "").split(",") if part.strip()]


def failures(function: Function) -> Iterator[str]:
    """Names of the statuses that a call may end with."""
    yield from function["returns"].get("errors", [])


def prototype(function: Function, width: int = 100) -> str:
    """A function's declaration; parameters that do not fit go into lines of their own below the first."""
    head = declare(function["returns"]["type"], function["name"], "int") + "("
    line = f"{head}{parameters(function)});"
    if len(line) <= width:
        return line
    return head + ("\n" + " " * len(head)).join(broken(function, width - len(head))) + ");"


def broken(function: Function, width: int) -> list[str]:
    """The parameters in lines of at most `width`, where each can be."""
    lines: list[str] = []
    for part in parameters(function).split(", "):
        if lines and len(lines[-1]) + len(part) + 4 <= width:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return [f"{line}," for line in lines[:-1]] + lines[-1:]


def structs_of(function: Function, api: Api) -> list[Struct]:
    """The structs with a size that a call takes or fills: its options and its results."""
    names = [each["type"]["to"]["name"] for each in function["parameters"] if is_struct_pointer(each["type"])]
    return [struct for struct in api["structs"] if struct["name"] in names and struct["sized"]]


def is_struct_pointer(kind: Type) -> bool:
    return kind["kind"] == "pointer" and kind["to"]["kind"] == "struct"


def version(api: Api) -> str:
    """The version of the headers, "" if they have none."""
    return next((str(each["value"]) for each in api["constants"] if each["name"] == "MEMMODEL_VERSION"), "")
