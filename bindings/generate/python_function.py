"""A Python function for each function of the library, which checks what goes in and what comes out."""

from __future__ import annotations

from generate import python_names as names
from generate.model import Api, Callback, Function, Parameter, Type
from generate.python_types import HINTS, Types
from generate.text import WIDTH, sentence, title, wrap

# Bound, but not shown: what only the layer itself can use without harm, with the reason.
INTERNAL = {"memmodel_free": "texts are freed when they are taken over"}

# Columns are checked to be contiguous: with another distance between numbers the library would read behind their end.
STRIDE = "stride"


class Wrapper:
    """The parts of one function, collected parameter by parameter."""

    def __init__(self, types: Types, function: Function) -> None:
        self.types, self.function = types, function
        self.parameters = function["parameters"]
        self.signature: list[str] = []
        self.before: list[str] = []
        self.arguments: list[str] = []
        self.results: list[tuple[str, str]] = []  # expression, hint
        self.handles = [p for p in self.parameters if p["type"]["kind"] == "handle"]
        self.counts = self._counts()
        self.source = self._source()
        self.keeps: list[str] = []
        for parameter in self.parameters:
            self._add(parameter)

    # ---- what belongs together ----

    def _counts(self) -> dict[str, str]:
        """Parameter with a number of elements -> expression for it, where the array comes in."""
        ints = {p["name"] for p in self.parameters if p["type"]["kind"] in ("int32", "int64", "size")}
        counts: dict[str, str] = {}
        for p in self.parameters:
            for part in p.get("length", "").split(", "):
                if part in ints and p["direction"] == "in" and part not in counts:
                    counts[part] = f"{p['name']}_count" if "," in p["length"] else f"len({p['name']}_)"
        return counts

    def _source(self) -> str:
        """Expression of the handle whose context takes the errors and owns what is made; "None" if there is none."""
        first = self.handles[0]["name"] if self.handles else "None"
        for p in self.handles:
            if p["type"]["name"] == "memmodel_context":
                own = p.get("nullable") and p["name"] != first  # without one it is the first object's
                return f"{p['name']} or {first}" if own else p["name"]
        return first

    def _has_texts(self, struct: str) -> bool:
        item = next(item for item in self.types.api["structs"] if item["name"] == struct)
        return any(field["type"]["kind"] == "string" for field in item["fields"])

    def sets_error(self) -> bool:
        """Whether a failure leaves its text on the context."""
        own = any(p["type"].get("name") == "memmodel_context" for p in self.parameters)
        return own or not self.function.get("threads", "").startswith("any")

    # ---- parameters ----

    def _add(self, p: Parameter) -> None:
        if p["type"]["kind"] == "user":
            self.arguments.append("None")
        elif p["direction"] == "in" or (p["direction"] == "inout" and not self._struct(p)):
            self._add_in(p)
        else:
            self._add_out(p)

    @staticmethod
    def _struct(p: Parameter) -> bool:
        return p["type"]["kind"] == "pointer" and p["type"]["to"]["kind"] == "struct"

    def _add_in(self, p: Parameter) -> None:
        name = names.argument(p["name"])
        if p["name"] in self.counts:
            self.arguments.append(self.counts[p["name"]])
            return
        if p["name"] == STRIDE:
            self.arguments.append("1")
            return
        self.signature.append(f"{name}: {self.types.hint(p['type'], p, p['name'])}")
        kind = p["type"]["kind"]
        if kind == "handle":
            check = "optional_address" if p.get("nullable") else "address"
            self.arguments.append(f'_call.{check}({name}, {names.handle(p["type"]["name"])}, "{name}")')
        elif self._struct(p) and "length" not in p:
            check = "optional_reference" if p.get("nullable") else "reference"
            self.arguments.append(f'_call.{check}({name}, {names.camel(p["type"]["to"]["name"])}, "{name}")')
            self._keep_callbacks(p)
        elif kind == "pointer" or "length" in p:
            self._add_array(p, name)
        else:
            self.arguments.append(f'{self.types.converter(p["type"], p, p["name"])}({name}, "{name}")')
            if kind == "callback" and self.handles and not self.function.get("blocking"):
                self._let_live(p, name)

    def _let_live(self, p: Parameter, name: str) -> None:
        self.arguments[-1] = f"{name}_"
        self.before.append(f'{name}_ = {self.types.converter(p["type"], p, p["name"])}({name}, "{name}")')
        first = self.handles[0]
        owner = f'_call.instance_of({first["name"]}, {names.handle(first["type"]["name"])}, "{first["name"]}")'
        self.before.append(f'{owner}.keep("{title(self.function["name"])}", {name}_)')

    def _keep_callbacks(self, p: Parameter) -> None:
        item = next(item for item in self.types.api["structs"] if item["name"] == p["type"]["to"]["name"])
        if self.handles and any(field["type"]["kind"] == "callback" for field in item["fields"]):
            self.keeps.append(f"{self.handles[0]['name']}.keep(id({p['name']}), {p['name']})")

    def _add_array(self, p: Parameter, name: str) -> None:
        length = p.get("length", "")
        call = next((part for part in length.split(", ") if "(" in part), "")
        known = self.counts.get(length, "")
        count = title(call) if call else "" if known == f"len({p['name']}_)" else known
        if "," in length:
            self.before.append(f'{name}_, {name}_count = _call.columns({name}, "{name}", {count})')
        elif count:
            absent = f"None if {name} is None else " if p.get("nullable") else ""
            self.before.append(f'{name}_ = {absent}{self.types.array(p["type"]["to"])}({name}, "{name}", {count})')
        else:
            self.before.append(f'{name}_ = {self.types.converter(p["type"], p, p["name"])}({name}, "{name}")')
        self.arguments.append(f"{name}_")

    def _add_out(self, p: Parameter) -> None:
        to, name = self.types.plain(p["type"]["to"]), f"{p['name']}_"
        kind = to["kind"]
        self.arguments.append(f"ctypes.byref({name})")
        if "length" in p:
            self.before.append(f"{name} = _call.array_type({self.types.ctype(to)}, {self._length(p['length'])})()")
            self.arguments[-1] = name
            self.results.append((name, "Any"))
            return
        made = {"struct": names.camel(to.get("name", "")), "string": "ctypes.c_void_p"}
        holder = made.get(kind) or self.types.ctype(to)
        self.before.append(f"{name} = {holder}()")
        if self.function["returns"].get("length") != f"*{p['name']}":
            self.results.append(self._result(to, name))

    def _length(self, length: str) -> str:
        length = length.removeprefix("*")
        if length in self.counts:
            return self.counts[length]
        return f'_call.size({length}, "{length}")' if length.isidentifier() else length

    def _result(self, to: Type, name: str) -> tuple[str, str]:
        kind = to["kind"]
        context = f"_call.context_of({self.source})"
        if kind == "handle":
            if to["name"] == "memmodel_context":
                return f"ContextHandle({name}.value)", "ContextHandle"
            return f"{names.handle(to['name'])}({name}.value, {context})", names.handle(to["name"])
        if kind == "string":
            return f"_call.taken(_free, {name})", "str"
        if kind == "struct":
            lives = self.handles and self._has_texts(to["name"])
            return f"_call.owned({name}, {self.handles[0]['name']})" if lives else name, names.camel(to["name"])
        return f"{name}.value", "float" if kind == "double" else "int"

    # ---- the value that the function returns ----

    def returned(self) -> tuple[str, str, bool]:
        """Expression of the raw `value`, hint, and whether the caller gets it."""
        returns = self.function["returns"]
        type = returns["type"]
        source = self.source if self.sets_error() else "None"
        if type["kind"] == "void":
            return "", "None", False
        if returns.get("status") or self._loads():
            return f"_check.status(_value, {source})", "int", False
        if type.get("name") == "memmodel_dim":
            return f"_check.dim(_value, {source})", "int", True
        plain = self.types.plain(type)
        if plain["kind"] in ("int32", "int64") and (returns.get("errors") or returns.get("enum") == "memmodel_status"):
            return f"_check.status(_value, {source})", "int", True
        return (*self._plain_return(plain, source), True)

    def _loads(self) -> bool:
        return self.function["returns"]["type"]["kind"] == "int32" and any(
            p["direction"] == "out" and p["type"]["to"]["kind"] == "handle" for p in self.parameters
        )

    def _plain_return(self, type: Type, source: str) -> tuple[str, str]:
        kind, returns = type["kind"], self.function["returns"]
        if kind == "string":
            nullable = returns.get("nullable")
            return ("_call.optional_decoded(_value)", "str | None") if nullable else ("_call.decoded(_value)", "str")
        if kind == "handle":
            owner = "None" if type["name"] == "memmodel_context" else f"_call.context_of({self.source})"
            name = names.handle(type["name"])
            return f"_call.referenced({name}, _value, {owner})", f"{name} | None"
        if kind == "pointer":
            present = f"_check.present(_value, {source})" if returns.get("errors") else "_value"
            if "length" in returns:
                length = self._return_length(returns["length"])
                return f"_call.copied_array({present}, {length})", "Any"
            if self.types.plain(type["to"])["kind"] == "struct" and self.handles:
                return f"_call.pointed(_value, {self.handles[0]['name']})", "Any"
            return present, "Any"
        if kind == "callback":
            return "_value", "Any"
        hint = HINTS[kind]
        return f"{hint}(_value)", hint

    @staticmethod
    def _return_length(length: str) -> str:
        return f"{length[1:]}_.value" if length.startswith("*") else title(length)


def _lines_of_call(wrapper: Wrapper, name: str) -> list[str]:
    call = f"_{name}({', '.join(wrapper.arguments)})"
    expression, _, given = wrapper.returned()
    results = [result for result, _ in wrapper.results]
    if given:
        results.insert(0, expression)
    lines = [f"_value = {call}" if expression else call]
    if wrapper.function.get("blocking"):
        held = ", ".join(f"{p['name']}={p['name']}" for p in wrapper.handles)
        lines = [f"with _call.held({held}):", "    " + lines[0]]
    if expression and not given:
        lines.append(expression)
    if wrapper.function.get("blocking") or any(p["type"]["kind"] == "callback" for p in wrapper.parameters):
        lines.append("_call.raise_pending()")
    lines += wrapper.keeps
    if results:
        lines.append(_returned(results))
    return lines


def _returned(results: list[str]) -> str:
    """Several results that are too long for a line stand in parentheses, one a line."""
    line = f"return {', '.join(results)}"
    return line if len(results) == 1 or len(line) + 4 <= WIDTH else f"return ({', '.join(results)})"


def _hint_of_result(wrapper: Wrapper) -> str:
    _, hint, given = wrapper.returned()
    hints = [result for _, result in wrapper.results]
    if given:
        hints.insert(0, hint)
    return "None" if not hints else hints[0] if len(hints) == 1 else f"tuple[{', '.join(hints)}]"


def documentation(function: Function, api: Api, shown: list[str]) -> str:
    """Text, the arguments that are left, the result."""
    parts = [sentence(function["text"].strip())]
    described = [p for p in function["parameters"] if p["name"] in shown and p.get("text")]
    parts += [f"\n{p['name']}: {sentence(p['text'])}" for p in described]
    returns = function["returns"].get("text", "")
    if returns:
        parts.append(f"\nReturns {sentence(returns)}" if not function["returns"].get("status") else "")
    errors = [names.exception(error) for error in function["returns"].get("errors", [])]
    if errors:
        parts.append(f"\nRaises {', '.join(errors)}.")
    return names.in_python("\n".join(part for part in parts if part), api)


def laid_out(line: str, indent: str = "    ") -> str:
    """A statement; one that is too long has an argument a line."""
    line = indent + line
    if len(line) <= WIDTH:
        return line + "\n"
    head, _, rest = line.partition("(")
    indent = " " * (len(line) - len(line.lstrip()))
    inner = "".join(f"{indent}    {argument},\n" for argument in _split(rest.removesuffix(")")))
    return f"{head}(\n{inner}{indent})\n"


def _split(arguments: str) -> list[str]:
    """At the commas that are in no parentheses."""
    parts, depth = [""], 0
    for character in arguments:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def quoted(text: str, indent: str = "    ") -> str:
    """A docstring."""
    if "\n" not in text and len(indent) + len(text) + 6 <= WIDTH:
        return f'{indent}"""{text}"""\n'
    first, _, rest = text.partition("\n")
    lines = wrap(f'"""{first}', indent, WIDTH) + ("\n" + wrap(rest, indent, WIDTH) if rest else "")
    return "\n".join(line.rstrip() for line in lines.split("\n")) + f'\n{indent}"""\n'


def _parameters(signature: list[str], name: str, result: str) -> str:
    line = f"def {name}({', '.join(signature)}) -> {result}:\n"
    if len(line) <= WIDTH:
        return line
    return f"def {name}(\n" + "".join(f"    {one},\n" for one in signature) + f") -> {result}:\n"


def _binding(types: Types, function: Function) -> str:
    ctypes_of = [types.ctype(p["type"]) for p in function["parameters"]]
    arguments = "".join(f", {one}" for one in ctypes_of)
    blocking = ", blocking=True" if function.get("blocking") else ""
    returns = function["returns"]["type"]
    result = "ctypes.c_void_p" if returns["kind"] == "callback" else types.ctype(returns)
    line = f'_{title(function["name"])} = _library.bind("{function["name"]}", {result}{arguments}{blocking})\n'
    return laid_out(line.strip(), "")


def wrapped(types: Types, function: Function) -> str:
    name = title(function["name"])
    wrapper = Wrapper(types, function)
    shown = [part.split(":")[0] for part in wrapper.signature]
    body = "".join(laid_out(line) for line in [*wrapper.before, *_lines_of_call(wrapper, name)])
    text = quoted(documentation(function, types.api, shown))
    return f"{_parameters(wrapper.signature, name, _hint_of_result(wrapper))}{text}{body}"


def _reference(types: Types, function: Function, verb: str) -> str:
    """_ref and _unref, which a handle does itself."""
    handle = function["parameters"][0]
    kind, name = names.handle(handle["type"]["name"]), names.argument(handle["name"])
    text = quoted(documentation(function, types.api, []))
    if verb == "ref":
        body = (
            f'    _{title(function["name"])}(_call.address({name}, {kind}, "{name}"))\n'
            f"    return {kind}({name}.pointer, {name}._context)\n"
        )
        return f"def {title(function['name'])}({name}: {kind}) -> {kind}:\n{text}{body}"
    body = f"    if {name} is not None:\n        _call.instance_of({name}, {kind}, \"{name}\").close()\n"
    return f"def {title(function['name'])}({name}: {kind} | None) -> None:\n{text}{body}"


def functions(types: Types) -> list[str]:
    """First all bindings, then a Python function each."""
    api = types.api
    references = {item["ref"]: "ref" for item in api["handles"]} | {item["unref"]: "unref" for item in api["handles"]}
    made = ["".join(_binding(types, function) for function in api["functions"])]
    made[0] += "\n_check = _call.Checker(_context_error, _status_message)\n"
    for function in api["functions"]:
        if function["name"] in references:
            made.append(_reference(types, function, references[function["name"]]))
        elif function["name"] not in INTERNAL:
            made.append(wrapped(types, function))
    return made


# ---- callbacks ----

TAKEN = {"string": "_call.decoded_argument", "user": "None"}


def _taken(parameter: Parameter, parameters: list[Parameter]) -> str:
    """How a callback's argument reaches Python."""
    type, names_of = parameter["type"], [other["name"] for other in parameters]
    if parameter.get("length") in names_of:
        return f"_call.elements({names_of.index(parameter['length'])})"
    if parameter["name"] in [other.get("length") for other in parameters]:
        return "None"
    if type["kind"] == "pointer" and type["to"]["kind"] == "struct":
        return "_call.copied" if type["to"].get("const") or type.get("const") else "_call.returned"
    return TAKEN.get(type["kind"], "_call.same")


def callback_converter(item: Callback) -> str:
    takes = ", ".join(_taken(parameter, item["parameters"]) for parameter in item["parameters"])
    kind = item["returns"]["type"]["kind"]
    failed = "None" if kind in ("void", "pointer") else "-1"
    return f"_as_{title(item['name'])} = _call.callback({names.camel(item['name'])}, {failed}, {takes})\n"
