"""Writes the table that test_sized.c works through: every call that takes a struct which begins with its size.

usage: sized_table.py API_JSON > sized_table.h

A call's other arguments come from the fixture, by their type. A parameter that is not known here stops the build: give
it a row in ARGUMENTS.
"""

import json
import pathlib
import re
import sys

# The expression in C for a parameter, by the most exact of: function and name, name, type.
ARGUMENTS = {
    ("memmodel_network_embedding", "x"): "f->indices",
    ("memmodel_network_recurrent", "x"): "f->sequence",
    ("memmodel_network_matmul", "a"): "f->square",
    ("memmodel_network_matmul", "b"): "f->square",
    ("memmodel_network_attention", "query"): "f->square",
    ("memmodel_network_attention", "key"): "f->square",
    ("memmodel_network_attention", "value"): "f->square",
    ("memmodel_network_attention", "mask"): "MEMMODEL_NO_TENSOR",
    ("memmodel_network_loss", "target"): "f->classes",
    ("memmodel_network_loss", "x"): "f->logits",
    ("memmodel_network_load_onnx", "path"): "ONNX_FILE",
    ("memmodel_network_from_onnx", "name"): '"relu.onnx"',
    ("memmodel_network_from_onnx", "bytes"): "onnx",
    ("memmodel_network_from_onnx", "length"): "sizeof onnx - 1",
    ("memmodel_model_predict", "inputs"): "(const double[]){4}",
    ("memmodel_model_predict_by", "inputs"): "(const double[]){4}",
    ("memmodel_advise", "candidates"): "NULL",
    ("memmodel_chain_step", "chain"): "f->solved_chain",
    ("memmodel_scan", "values"): "(const int64_t[]){1}",
    ("memmodel_scan", "bytes"): "&f->number",
    ("memmodel_tiling_new", "network"): "f->tiled",
    "axis": "0",
    "tensors": "&f->square",
    "inputs": "&f->square",
    "count": "1",
    "index": "0",
    "event": "0",
    "pid": "(int64_t)getpid()",
    "symbol": '"batch"',
    "budget": "INT64_C(1) << 30",
    "bytes": "INT64_C(1) << 30",
    "largest": "&f->number",
    "simulations": "10",
    "level": "0.95",
    "rule": "MEMMODEL_BOUND_LARGER",
    "error": "&(double){0}",
    "needed": "&f->number",
    "alias memmodel_tensor": "f->square",
}


def struct_of(spec):
    """Name of the struct that a pointer points to."""
    to = spec.get("to", {})
    return to.get("name") if to.get("kind") == "struct" else None


def argument(function, parameter):
    spec = parameter["type"]
    inner = spec.get("to", spec)
    if inner["kind"] == "handle" and (function, parameter["name"]) not in ARGUMENTS:
        name = inner["name"].removeprefix("memmodel_")
        return f"&f->new_{name}" if parameter["direction"] == "out" else f"f->{name}"
    for key in ((function, parameter["name"]), parameter["name"], f"{spec['kind']} {spec.get('name', '')}"):
        if key in ARGUMENTS:
            return ARGUMENTS[key]
    sys.exit(f"{function}: no argument for `{parameter['name']}`; give it a row in ARGUMENTS")


def is_choice(field):
    """A number that stands for one of several: of an enum, or one whose text says what 1 means."""
    says_what_1_means = re.search(r"(^|[ :,])1: ", field["text"]) is not None
    return "enum" in field or (field["type"]["kind"] == "int32" and says_what_1_means)


def fields_text(struct):
    name = struct["name"]
    rows = [f"    FIELD({name}, {field['name']}, {int(is_choice(field))})," for field in struct["fields"][1:]]
    return "\n".join([f"static const struct field fields_{name}[] = {{", *rows, "};"])


def taking(api, sized):
    """(function, struct, wrapper in C) of each call that takes a sized struct, by a pointer."""
    for function in api["functions"]:
        structs = [name for name in (struct_of(one["type"]) for one in function["parameters"]) if name in sized]
        if not structs:
            continue
        arguments = ", ".join(
            "s" if struct_of(one["type"]) in sized else argument(function["name"], one)
            for one in function["parameters"]
        )
        body = f"    (void)f;\n    return {function['name']}({arguments});"
        head = f"static int64_t\ncall_{function['name']}(struct fixture *f, void *s)"
        yield function["name"], structs[0], f"{head}\n{{\n{body}\n}}"


def main(path):
    api = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    sized = {struct["name"]: struct for struct in api["structs"] if struct["sized"]}
    calls = list(taking(api, sized))
    given = {struct_of(one["type"]) for callback in api["callbacks"] for one in callback["parameters"]}
    given |= {struct_of(function["returns"]["type"]) for function in api["functions"]}
    untested = set(sized) - {struct for _, struct, _ in calls} - given
    if untested:
        sys.exit(f"no call takes {', '.join(sorted(untested))}")

    print("/* Made by sized_table.py. */")
    print(*(fields_text(sized[name]) for name in sorted({struct for _, struct, _ in calls})), sep="\n\n")
    print(*(text for _, _, text in calls), sep="\n\n")
    for role in ("options", "result"):
        rows = [f"    CALL({call}, {name})," for call, name, _ in calls if sized[name]["role"] == role]
        print(f"static const struct call {role}_calls[] = {{", *rows, "};", sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
