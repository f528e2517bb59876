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
    ("memmodel_network_attention", "mask"): "MEMMODEL_TENSOR_NONE",
    ("memmodel_network_loss", "target"): "f->classes",
    ("memmodel_network_loss", "x"): "f->logits",
    ("memmodel_network_load_onnx", "path"): "ONNX_FILE",
    ("memmodel_network_from_onnx", "name"): '"relu.onnx"',
    ("memmodel_network_from_onnx", "bytes"): "onnx",
    ("memmodel_network_from_onnx", "length"): "sizeof onnx - 1",
    ("memmodel_model_predict", "inputs"): "(const double[]){4}",
    ("memmodel_model_predict", "options"): "NULL",
    ("memmodel_model_predict", "prediction"): "&f->prediction",
    ("memmodel_model_predict_max", "inputs"): "(const double[]){4}",
    ("memmodel_model_predict_max", "input"): '"batch"',
    ("memmodel_model_predict_many", "columns"): "(const double *const[]){(const double[]){4}}",
    ("memmodel_model_predict_many", "values"): "(double[]){0}",
    ("memmodel_model_predict_many", "options"): "NULL",
    ("memmodel_advise", "options"): "&f->advise_options",
    ("memmodel_advise", "result"): "&(struct memmodel_advise_result){.size = sizeof(struct memmodel_advise_result)}",
    ("memmodel_generate", "options"): "NULL",
    ("memmodel_serve_min", "axis"): '"tp"',
    ("memmodel_serve_min", "min"): "&f->number",
    ("memmodel_generate", "result"):
        "&(struct memmodel_generate_result){.size = sizeof(struct memmodel_generate_result)}",
    ("memmodel_chain_get_step", "chain"): "f->solved_chain",
    ("memmodel_estimate_many", "values"): "(const int64_t[]){1}",
    ("memmodel_estimate_many", "rows"): "(struct memmodel_estimate_row[1]){{0}}",
    ("memmodel_network_tile", "network"): "f->tiled",
    ("memmodel_recompute", "job"): "&f->job",
    ("memmodel_recompute", "options"): "NULL",
    ("memmodel_recording_run", "bytes"): "(const int64_t[]){64}",
    ("memmodel_recording_run", "number"): "0",
    ("memmodel_report_get_line", "report"): "f->recorded",
    ("memmodel_device_get_properties", "gpu"): '"h100"',
    ("memmodel_estimate_gpu", "network"): "f->tiled",
    ("memmodel_estimate_gpu", "job"): "&f->job",
    ("memmodel_estimate_gpu", "options"): "NULL",
    ("memmodel_estimate_gpu", "index"): "0",
    ("memmodel_estimate_gpu", "estimate"): (
        "&(struct memmodel_gpu_estimate){.size = sizeof(struct memmodel_gpu_estimate)}"
    ),
    ("memmodel_estimate_rank_class", "network"): "f->tiled",
    ("memmodel_estimate_rank_class", "job"): "&f->job",
    ("memmodel_estimate_rank_class", "rank_class"): (
        "&(struct memmodel_rank_class){.size = sizeof(struct memmodel_rank_class)}"
    ),
    ("memmodel_estimate_megatron", "options"): (
        "&(struct memmodel_megatron_options){.size = sizeof(struct memmodel_megatron_options), .ranks = 8, "
        ".num_layers = 12, .hidden_size = 512, .num_attention_heads = 8, .vocab_size = 50257, .seq_length = 1024}"
    ),
    ("memmodel_estimate_megatron", "memory"): (
        "&(struct memmodel_megatron_memory){.size = sizeof(struct memmodel_megatron_memory)}"
    ),
    ("memmodel_estimate_meshes", "options"): (
        "&(struct memmodel_mesh_options){.size = sizeof(struct memmodel_mesh_options), .gpu_count = 2, .length = 64, "
        ".max_tensor = 1, .max_pipeline = 1}"
    ),
    ("memmodel_estimate_meshes", "rows"): "(struct memmodel_mesh_row[4]){{0}}",
    ("memmodel_estimate_meshes", "count"): "&(size_t){0}",
    "capacity": "1",
    "blocks": "(int32_t[]){0}",
    "axis": "0",
    "tensors": "&f->square",
    "inputs": "&f->square",
    "count": "1",
    "index": "0",
    "event": "0",
    "pid": "(int64_t)getpid()",
    "symbol": '"batch"',
    "budget": "INT64_C(1) << 30",
    "stride": "1",
    "level": "0.95",
    "fraction": "0.25",
    "upper": "(double[]){0}",
    "extrapolated": "(int32_t[]){0}",
    "bytes": "INT64_C(1) << 30",
    "max": "&f->number",
    "alias memmodel_tensor": "f->square",
}

# Of structs that calls take in another one alone: the function in C that hands it over.
WITHIN = {
    "memmodel_parallel": """static int64_t
call_memmodel_estimate_parallel(struct fixture *f, void *s)
{
    struct memmodel_job given = f->job;

    given.parallel = s;
    return memmodel_estimate(f->network, &given, f->context, &f->new_report);
}""",
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


def says(function):
    """With a context of its own, or that of what is being built."""
    handles = [one["type"] for one in function["parameters"] if one["type"]["kind"] == "handle"]
    return any(handle["name"] == "memmodel_context" or not handle["const"] for handle in handles)


def taking(api, sized):
    """(name, struct, role, whether it has a context to say on what is wrong, wrapper in C) of each sized struct that a
    call takes by a pointer; the name is that of the function, and of each struct behind the first of the parameter,
    too."""
    for function in api["functions"]:
        given = [one for one in function["parameters"] if struct_of(one["type"]) in sized]
        for number, tested in enumerate(given):
            arguments = ", ".join(
                "s" if one is tested else argument(function["name"], one) for one in function["parameters"]
            )
            name = f"{function['name']}_{tested['name']}" if number else function["name"]
            body = f"    (void)f;\n    return {function['name']}({arguments});"
            head = f"static int64_t\ncall_{name}(struct fixture *f, void *s)"
            role = "options" if tested["direction"] == "in" else "result"
            yield name, struct_of(tested["type"]), role, says(function), f"{head}\n{{\n{body}\n}}"
    for struct, text in WITHIN.items():
        yield re.search(r"call_(\w+)\(", text)[1], struct, "options", True, text


def main(path):
    api = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    sized = {struct["name"]: struct for struct in api["structs"] if struct["sized"]}
    calls = list(taking(api, sized))
    given = {struct_of(one["type"]) for callback in api["callbacks"] for one in callback["parameters"]}
    given |= {struct_of(function["returns"]["type"]) for function in api["functions"]}
    untested = set(sized) - {struct for _, struct, *_ in calls} - given
    if untested:
        sys.exit(f"no call takes {', '.join(sorted(untested))}")

    print("/* Made by sized_table.py. */")
    print(*(fields_text(sized[name]) for name in sorted({struct for _, struct, *_ in calls})), sep="\n\n")
    print(*(text for *_, text in calls), sep="\n\n")
    for role in ("options", "result"):
        rows = [
            f"    CALL({call}, {name}, {int(said)})," for call, name, its_role, said, _ in calls if its_role == role
        ]
        print(f"static const struct call {role}_calls[] = {{", *rows, "};", sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
