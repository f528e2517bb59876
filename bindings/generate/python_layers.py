"""A method for each call that adds a layer: options become keyword arguments."""

from __future__ import annotations

from dataclasses import dataclass

from generate import python_function
from generate import python_names as names
from generate.model import Api, Enum, Field, Function, Parameter, Struct
from generate.python_types import HINTS, Types
from generate.text import WIDTH, sentence, title

HEAD = '''\
"""A method for each layer. Generated from include/memmodel/builder.h and layers.h: edit those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from memmodel import _ffi

if TYPE_CHECKING:
    from memmodel.tensor import Dim, Tensor


class Layers:
    """What a Network can be made of. Each method adds a layer and returns its (first) output."""

    def _add(self, function: Callable[..., int], *arguments: Any) -> Tensor:
        raise NotImplementedError

    def _tensor(self, value: Tensor, name: str) -> int:
        raise NotImplementedError

    def _optional_tensor(self, value: Tensor | None, name: str) -> int:
        raise NotImplementedError

    def _tensors(self, values: Sequence[Tensor], name: str) -> list[int]:
        raise NotImplementedError

    def _dim(self, value: int | Dim, name: str) -> int:
        raise NotImplementedError

    def _dims(self, values: Sequence[int | Dim] | None, name: str) -> list[int] | None:
        raise NotImplementedError
'''

# Methods of network.py, which take more from Python than what a signature of C says.
BY_HAND = ("input", "parameter", "custom", "permute")
PREFIX = "network_"


@dataclass
class Argument:
    """Of a method: how it is declared, and what is handed on."""

    name: str
    declared: str
    given: str
    text: str


def _flag(text: str) -> bool:
    return text.startswith("1:") or ", 1:" in text


def _enum_default(enum: Enum) -> str:
    return next(f'"{name.lower()}"' for name, number, _ in names.members(enum) if number == 0)


def is_layer(function: Function) -> bool:
    name = title(function["name"])
    made = function["returns"]["type"].get("name") == "memmodel_tensor"
    return made and name.startswith(PREFIX) and name.removeprefix(PREFIX) not in BY_HAND


class Method:
    """One layer."""

    def __init__(self, types: Types, function: Function) -> None:
        self.types, self.function = types, function
        self.name = title(function["name"]).removeprefix(PREFIX)
        self.counts = {p["length"] for p in function["parameters"] if "length" in p}
        self.operands: list[Argument] = []
        self.options: list[Argument] = []
        self.struct = ""
        for p in function["parameters"][1:]:
            if p["type"]["kind"] == "pointer" and p["type"]["to"]["kind"] == "struct":
                self._add_options(p)
            elif p["name"] not in self.counts:
                self.operands.append(self._operand(p))

    def _operand(self, p: Parameter) -> Argument:
        name, type, text = names.argument(p["name"]), p["type"], p.get("text", "")
        element = type.get("to", {}).get("name")
        if "MEMMODEL_TENSOR_NONE" in text:
            return Argument(name, f"{name}: Tensor | None = None", f'self._optional_tensor({name}, "{name}")', text)
        if type.get("name") == "memmodel_tensor":
            return Argument(name, f"{name}: Tensor", f'self._tensor({name}, "{name}")', text)
        if element == "memmodel_tensor":
            return Argument(name, f"{name}: Sequence[Tensor]", f'self._tensors({name}, "{name}")', text)
        if element == "memmodel_dim":
            return Argument(name, f"{name}: Sequence[int | Dim]", f'self._dims({name}, "{name}")', text)
        return Argument(name, f"{name}: {self.types.hint(type, p)}", name, text)

    def _add_options(self, p: Parameter) -> None:
        item = next(item for item in self.types.api["structs"] if item["name"] == p["type"]["to"]["name"])
        self.struct = names.camel(item["name"])
        hidden = {"size", "reserved", "user"} | self._implied_counts(item)
        self.options = [self._option(field) for field in item["fields"] if field["name"] not in hidden]

    def _implied_counts(self, item: Struct) -> set[str]:
        """Counts that follow from their array, which is always there."""
        fields = item["fields"]
        return {self.types.count_field(field, fields) for field in fields if not field.get("nullable")}

    def _option(self, field: Field) -> Argument:
        name, type, text = names.argument(field["name"]), field["type"], field.get("text", "")
        declared, given = self._declared(field), name
        if type.get("name") == "memmodel_dim":
            given = f'self._dim({name}, "{name}")'
        elif type["kind"] == "pointer" and type["to"].get("name") == "memmodel_dim":
            given = f'self._dims({name}, "{name}")'
        text = self._in_words(text, field)
        if "default" in field:
            text = f"{text.rstrip('.')}. Default: {field['default']}".lstrip(". ")
        return Argument(name, f"{name}: {declared}", f"{name}={given}", text)

    def _in_words(self, text: str, field: Field) -> str:
        """What holds for numbers of C, said for what Python takes in their place."""
        for said in ("; a 0 after the first repeats the first", "; not repeated"):
            text = text.replace(said, "; one number is for all dimensions")
        text = text.replace("a 0 after the first repeats the first", "one number is for all dimensions")
        if "enum" in field:
            enum = next(enum for enum in self.types.api["enums"] if enum["name"] == field["enum"])
            members = ", ".join(f'"{name.lower()}"' for name, _, _ in names.members(enum))
            text = text.replace(f"enum {field['enum']}", f"one of {members}")
        return text.removeprefix("1: ") if self._declared(field).startswith("bool") else text

    def _declared(self, field: Field) -> str:
        kind = field["type"]["kind"]
        if "enum" in field:
            enum = next(enum for enum in self.types.api["enums"] if enum["name"] == field["enum"])
            return f"str | int | _ffi.{names.camel(field['enum'])} = {_enum_default(enum)}"
        if kind == "int32" and _flag(field.get("text", "")):
            return "bool = False"
        if kind == "string":
            return "str | None = None"
        if kind == "array":
            return "int | Sequence[int] = ()"
        if kind == "pointer":
            return "Sequence[int | Dim] | None = None"
        if kind == "alias":
            return "int | Dim = 0"
        return f"{HINTS[kind]} = 0"

    # ---- text ----

    def _docstring(self) -> str:
        arguments = [
            f"{argument.name}: {sentence(argument.text)}" for argument in self.operands + self.options if argument.text
        ]
        text = "\n".join([sentence(self.function["text"].strip()), "", *arguments]).strip()
        return python_function.quoted(names.in_python(text, self.types.api), "        ")

    def _signature(self) -> str:
        declared = ["self", *(argument.declared for argument in self.operands)]
        if self.options:
            declared += ["*", *(argument.declared for argument in self.options)]
        line = f"    def {self.name}({', '.join(declared)}) -> Tensor:\n"
        if len(line) <= WIDTH:
            return line
        return f"    def {self.name}(\n" + "".join(f"        {one},\n" for one in declared) + "    ) -> Tensor:\n"

    def _call(self) -> str:
        arguments = ", ".join([f"_ffi.{PREFIX}{self.name}", *(argument.given for argument in self.operands)])
        if not self.struct:
            return python_function.laid_out(f"    return self._add({arguments})")
        options = "".join(f"            {argument.given},\n" for argument in self.options)
        return (
            f"        options = _ffi.{self.struct}(\n{options}        )\n"
            + python_function.laid_out(f"    return self._add({arguments}, options)")
        )

    def __str__(self) -> str:
        return self._signature() + self._docstring() + self._call()


def layers(api: Api) -> str:
    types = Types(api)
    methods = [str(Method(types, function)) for function in api["functions"] if is_layer(function)]
    return "\n".join([HEAD, *methods])
