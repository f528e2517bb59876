"""C types in Python: how ctypes calls them, how values are checked, what a type checker sees."""

from __future__ import annotations

from generate import python_names as names
from generate.model import Api, Field, Note, Type
from generate.text import title

CTYPES = {
    "int32": "ctypes.c_int32",
    "int64": "ctypes.c_int64",
    "uint64": "ctypes.c_uint64",
    "size": "ctypes.c_size_t",
    "double": "ctypes.c_double",
    "bool": "ctypes.c_bool",
    "void": "None",
    "string": "ctypes.c_char_p",
    "bytes": "ctypes.c_char_p",
    "handle": "ctypes.c_void_p",
    "user": "ctypes.c_void_p",
}
HINTS = {
    "int32": "int",
    "int64": "int",
    "uint64": "int",
    "size": "int",
    "double": "float",
    "bool": "bool",
    "void": "None",
    "string": "str",
    "bytes": "bytes | bytearray | memoryview",
    "user": "Any",
}
CONVERTERS = {"bool": "_call.boolean", "string": "_call.text", "bytes": "_call.octets"}
ARRAYS = {
    "double": "_call.doubles",
    "int32": "_call.int32s",
    "int64": "_call.int64s",
    "size": "_call.sizes",
    "string": "_call.texts",
}
SPATIAL = 3  # an array of this length has a number for each spatial dimension: a single one is for all of them


class Types:
    """Of one API: aliases are looked through."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.aliases = {alias["name"]: alias["type"] for alias in api["aliases"]}

    def plain(self, type: Type) -> Type:
        return self.aliases[type["name"]] if type["kind"] == "alias" else type

    def ctype(self, type: Type) -> str:
        type = self.plain(type)
        kind = type["kind"]
        if kind == "struct":
            return names.camel(type["name"])
        if kind == "callback":
            return names.camel(type["name"])
        if kind == "array":
            return f"{self.ctype(type['of'])} * {type['count']}"
        if kind == "pointer":
            to = self.plain(type["to"])
            if to["kind"] == "void":
                return "ctypes.c_void_p"
            # A text that is handed over is freed by its address, which c_char_p would lose.
            inner = "ctypes.c_void_p" if to["kind"] == "string" and not type.get("const") else self.ctype(to)
            return f"ctypes.POINTER({inner})"
        return CTYPES[kind]

    def hint(self, type: Type, note: Note, name: str = "") -> str:
        """Of an argument."""
        type = self.plain(type)
        kind = type["kind"]
        if "enum" in note and kind == "int32":
            hint = f"{names.camel(note['enum'])} | int | str"
        elif kind == "string" and name == "path":
            hint = "str | os.PathLike[str]"
        elif kind == "handle":
            hint = names.handle(type["name"])
        elif kind == "callback":
            hint = "Callable[..., Any]"
        elif kind == "pointer" and type["to"]["kind"] == "struct" and "length" not in note:
            hint = names.camel(type["to"]["name"])
        elif kind == "array":
            hint = "int | Sequence[int]"
        elif kind == "pointer":
            hint = "Any"
        else:
            hint = HINTS[kind]
        return f"{hint} | None" if note.get("nullable") and hint != "Any" else hint

    def converter(self, type: Type, note: Note, name: str = "") -> str:
        """An expression: a function of the value and the argument's name."""
        type = self.plain(type)
        made = self._converter(type, note, name)
        nullable = note.get("nullable") and type["kind"] not in ("handle", "callback")
        return f"_call.optional({made})" if nullable else made

    def _converter(self, type: Type, note: Note, name: str) -> str:
        kind = type["kind"]
        if "enum" in note and kind == "int32":
            return f"_call.enum({names.camel(note['enum'])})"
        if kind == "string" and name == "path":
            return "_call.path"
        if kind == "handle":
            return f"_call.handle({names.handle(type['name'])})"
        if kind == "callback":
            return "_as_" + title(type["name"])
        if kind == "array":
            inner = self._converter(self.plain(type["of"]), {}, "")
            repeat = f", {SPATIAL}" if type["count"] == SPATIAL else ""
            return f"_call.fixed({self.ctype(type['of'])}, {type['count']}, {inner}{repeat})"
        if kind == "pointer" and note.get("length") == "1":
            return f"_call.pointer_to({names.camel(type['to']['name'])})"
        if kind == "pointer":
            return self.array(type["to"])
        return CONVERTERS.get(kind, f"_call.{kind}")

    def array(self, element: Type) -> str:
        element = self.plain(element)
        if element["kind"] == "struct":
            return f"_call.structs({names.camel(element['name'])})"
        return ARRAYS[element["kind"]]

    def count_field(self, field: Field, fields: list[Field]) -> str:
        """The field that says how many elements this one has, or ""."""
        if "length" in field:
            return "" if field["length"].isdigit() else field["length"]
        if field["type"]["kind"] != "array":
            return ""
        named = [other["name"] for other in fields if f"`{other['name']}`" in field.get("text", "")]
        return named[0] if named else ""
