"""include/memmodel-api.json, and what of it is a promise to programs that are already compiled.

A promise is a line of text: a function's prototype, a field's place, a number. The lines of a released version are kept
in test/abi/released/, and each of them must still be true; see doc/internals/abi.md.
"""

import json
import re

TESTING = "testing"
NUMBER_BYTES = {"int32": 4, "int64": 8, "uint64": 8, "double": 8, "bool": 1}
CHANGING_CONSTANTS = re.compile(r"MEMMODEL_VERSION")


def load(root):
    return json.loads((root / "include" / "memmodel-api.json").read_text(encoding="utf-8"))


def node_of(function):
    """The version node of lib/memmodel.map that a function belongs to."""
    return "MEMMODEL_TESTING" if function.get("stability") == TESTING else f"MEMMODEL_{function['since']}"


def type_text(spec):
    """A type in one word, such as pointer(const,struct(memmodel_job))."""
    inner = [type_text(spec[key]) for key in ("to", "of") if key in spec]
    words = ["const"] if spec.get("const") else []
    words += [str(spec[key]) for key in ("name", "count") if key in spec]
    return spec["kind"] + (f"({','.join(words + inner)})" if words or inner else "")


def bytes_of(api, spec, width):
    """Bytes of a type where pointers have `width` bits."""
    kind = spec["kind"]
    if kind == "array":
        return spec["count"] * bytes_of(api, spec["of"], width)
    if kind == "alias":
        return bytes_of(api, next(one["type"] for one in api["aliases"] if one["name"] == spec["name"]), width)
    if kind == "struct":
        return next(one["bytes"][width] for one in api["structs"] if one["name"] == spec["name"])
    return NUMBER_BYTES.get(kind, int(width) // 8)


def prototype(item):
    parameters = ", ".join(type_text(parameter["type"]) for parameter in item["parameters"])
    returns = item["returns"]
    return f"{type_text(returns.get('type', returns))} {item['name']}({parameters})"


def function_promises(api):
    for function in api["functions"]:
        if function.get("stability") != TESTING:
            yield f"function {prototype(function)}"
            yield f"node {node_of(function)} {function['name']}"


def struct_promises(api):
    for struct in api["structs"]:
        kind = "sized" if struct["sized"] else "fixed"
        yield f"struct {struct['name']} {kind} {struct['bytes']['64']} {struct['bytes']['32']}"
        for field in struct["fields"]:
            offset = f"{field['offset']['64']} {field['offset']['32']}"
            yield f"field {struct['name']} {field['name']} {offset} {type_text(field['type'])}"


def number_promises(api):
    for enum in api["enums"]:
        for value in enum["values"]:
            yield f"enumerator {enum['name']} {value['name']} {value['value']}"
    for constant in api["constants"]:
        if not CHANGING_CONSTANTS.match(constant["name"]):
            yield f"constant {constant['name']} {constant['value']}"


def promises(api):
    lines = [f"callback {prototype(callback)}" for callback in api["callbacks"]]
    lines += [f"alias {alias['name']} {type_text(alias['type'])}" for alias in api["aliases"]]
    lines += [*function_promises(api), *struct_promises(api), *number_promises(api)]
    return sorted(lines)
