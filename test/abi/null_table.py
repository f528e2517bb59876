"""Writes the table that test_null.c works through: every pointer that a call takes, given as NULL, and every number of
an enum, given as 77.

usage: null_table.py API_JSON > null_table.h

All other arguments are good ones, from sized_table.py's rows and those below. What a call then says follows from what
it returns: MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, 0, or NaN. Where NULL is documented, it has only to come back.
"""

import json
import pathlib
import sys

import sized_table

POINTERS = ("handle", "pointer", "string", "bytes", "callback")
TEXT = "&(char *){NULL}"
NUMBERS = "(double[8]){1}"
NAMES = '(const char *const[]){"batch", "bytes"}'
sized_table.ARGUMENTS.update(
    {
        ("memmodel_plan_add_gap", "buffer"): "0",
        ("memmodel_plan_add_alias", "buffer"): "0",
        ("memmodel_samples_column_name", "column"): "0",
        ("memmodel_samples_from_csv", "text"): '"a\\n1\\n"',
        ("memmodel_plan_from_csv", "text"): '"id,lower,upper,size\\na,0,1,2\\n"',
        ("memmodel_context_parse_bytes", "text"): '"16GiB"',
        ("memmodel_context_parse_bytes", "bytes"): "&(int64_t){0}",
        ("memmodel_estimate_word", "field"): '"device"',
        ("memmodel_estimate_word", "text"): '"cpu"',
        ("memmodel_network_from_json", "text"): '"{}"',
        ("memmodel_model_from_json", "text"): '"{}"',
        ("memmodel_llm_from_json", "text"): "config_json",
        ("memmodel_llm_from_json", "length"): "sizeof config_json - 1",
        ("memmodel_samples_append_to_file", "values"): '(const char *const[]){"1", "2"}',
        ("memmodel_samples_append_to_file", "path"): '"/nowhere/at/all.csv"',
        ("memmodel_samples_append_to_file", "columns"): NAMES,
        ("memmodel_samples_append_to_file", "count"): "2",
        ("memmodel_samples_load_rows", "columns"): NAMES,
        ("memmodel_samples_load_rows", "count"): "2",
        ("memmodel_samples_new", "columns"): NAMES,
        ("memmodel_samples_new", "count"): "2",
        ("memmodel_samples_column", "name"): '"batch"',
        ("memmodel_samples_unit", "name"): '"bytes"',
        ("memmodel_samples_text", "name"): '"batch"',
        ("memmodel_samples_text", "row"): "0",
        ("memmodel_samples_filter", "column"): '"batch"',
        ("memmodel_samples_filter", "value"): '"1"',
        ("memmodel_samples_select", "rows"): "(const size_t[]){0}",
        ("memmodel_model_predict_max", "input"): '"batch"',
        ("memmodel_schedule_find_buffer", "buffer"): "&(size_t){0}",
        ("memmodel_model_to_code", "name"): '"f"',
        ("memmodel_network_symbol", "name"): '"dim"',
        ("memmodel_recording_set_engine", "engine"): '"watcher"',
        ("memmodel_recording_set_layer", "layer"): '"net"',
        ("memmodel_network_expression", "text"): '"2 * batch"',
        ("memmodel_network_input", "rank"): "1",
        ("memmodel_network_parameter", "rank"): "1",
        ("memmodel_network_permute", "axes"): "(const int[]){0, 1, 2, 3}",
        ("memmodel_network_permute", "rank"): "4",
        ("memmodel_network_use_parameter", "tensor"): "0",
        ("memmodel_chain_solve", "chain"): "f->solved_chain",
        ("memmodel_chain_get_result", "chain"): "f->solved_chain",
        ("memmodel_network_symbol_name", "symbol"): "0",
        ("memmodel_model_evaluate", "inputs"): NUMBERS,
        ("memmodel_model_evaluate_many", "count"): "1",
        ("memmodel_model_predict_max", "inputs"): NUMBERS,
        ("memmodel_monitor_curve", "count"): "&(size_t){0}",
        ("memmodel_trace_from_bytes", "bytes"): '"{}"',
        ("memmodel_trace_from_bytes", "length"): "2",
        ("memmodel_device_get_properties", "gpu"): '"h100"',
        ("memmodel_device_environment", "environment"): TEXT,
        ("memmodel_device_add_libraries", "directory"): '"/nowhere/at/all"',
        ("memmodel_device_add_libraries", "count"): "&(int32_t){0}",
        ("memmodel_recording_enter", "step"): "1",
        "alias memmodel_recording_block": "0",
        "path": '"/nowhere/at/all"',
        "name": '"name"',
        ("memmodel_network_use_storage", "strides"): "(const int64_t[]){256, 64, 8, 1}",
        ("memmodel_network_use_storage", "tensor"): "f->square",
        "role": '"weight"',
        "length": "4",
        "text": TEXT,
        "svg": TEXT,
        "code": TEXT,
        "bytes": "INT64_C(1) << 30",
        "user": "NULL",
        "log": "NULL",
        "callback": "NULL",
        "observer": "NULL",
        "used": "&f->number",
        "peak": "&f->number",
        "framework": "NULL",
        "seed": "1",
        "values": NUMBERS,
        "rank": "1",
        "dims": "(const memmodel_dim[]){4}",
        "columns": "(const double *const[]){(const double[1]){1}}",
        "results": NUMBERS,
        "numbers": NUMBERS,
        "upper": NUMBERS,
        ("memmodel_model_output_range", "max"): NUMBERS,
        "min": NUMBERS,
        "pids": "(int64_t[4]){0}",
        "capacity": "4",
        "begin": "1",
        "end": "2",
        "base": "0",
        "displacement": "0",
        "output": "1",
        "slots": "0",
        "cost": "1",
        "point": "0",
        "scope": "0",
        "segment": "0",
        "formula": "0",
        "first": "1",
        "last": "2",
        "dim": "4",
        "int32 ": "0",
    }
)


def argument(function, parameter):
    name = sized_table.struct_of(parameter["type"])
    if name and (function, parameter["name"]) not in sized_table.ARGUMENTS:
        return f'valid_struct("{function}", sizeof(struct {name}))'
    return sized_table.argument(function, parameter)


def fails_with_status(returns):
    """Dimensions are 0 on error."""
    if returns["type"].get("name") == "memmodel_dim":
        return False
    is_tensor = returns["type"].get("name") == "memmodel_tensor"
    return is_tensor or returns.get("status") or "MEMMODEL_ERROR_INVALID_ARGUMENT" in returns.get("errors", [])


def statement(function, parameter, call):
    """What makes the call and tells whether it said what it has to."""
    returns = function["returns"]
    kind = returns["type"]["kind"]
    if kind == "void":
        return f"{call};\n    return true;"
    if parameter.get("nullable"):
        return f"(void){call};\n    return true;"
    if kind in POINTERS:
        return f"return {call} == NULL;"
    if kind == "double":
        return f"return isnan({call});"
    return f"return {call} == {'MEMMODEL_ERROR_INVALID_ARGUMENT' if fails_with_status(returns) else '0'};"


def rows(api):
    """(function, parameter, test in C) of each pointer and each number of an enum that a function takes."""
    for function in api["functions"]:
        for given in function["parameters"]:
            if given["type"]["kind"] not in POINTERS and "enum" not in given:
                continue
            bad = "77" if "enum" in given else "NULL"
            arguments = ", ".join(
                bad if one is given else argument(function["name"], one) for one in function["parameters"]
            )
            name = f"null_{function['name']}_{given['name']}"
            body = statement(function, given, f"{function['name']}({arguments})")
            head = f"static bool\n{name}(struct fixture *f)"
            yield function["name"], given["name"], f"{head}\n{{\n    (void)f;\n    {body}\n}}"


def main(path):
    api = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    table = list(rows(api))

    print("/* Made by null_table.py. */")
    print(*(text for _, _, text in table), sep="\n\n")
    print("static const struct null_call null_calls[] = {")
    print(*(f'    {{"{name}", "{given}", null_{name}_{given}}},' for name, given, _ in table), "};", sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
