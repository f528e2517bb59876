"""Attention masks that export makes and an eager run does not.

A model that looks whether it was handed a mask cannot look while it is traced, and makes one. Masks that depend on no
input of the model are taken out again, with the calls of the lines that only make them.
"""

from __future__ import annotations

from dataclasses import replace

from memmodel._torch_export import Call, Program
from memmodel._torch_lifetimes import values_in

ATTENTION = "aten.scaled_dot_product_attention"


def _depends(calls: list[Call]) -> dict[str, bool]:
    """By call: whether it depends on anything that is there before the step."""
    depends: dict[str, bool] = {}
    for call in calls:
        values = values_in(list(call.arguments.values()))
        depends[call.name] = any(depends.get(value.name, True) for value in values)
    return depends


def _makes_mask(call: Call) -> bool:
    text = call.places[-1].text if call.places else ""
    return "mask" in text and "create_" in text


def without_made_masks(program: Program) -> Program:
    depends = _depends(program.calls)
    calls = []
    for call in program.calls:
        mask = call.arguments.get("attn_mask")
        if call.target.startswith(ATTENTION) and mask is not None and not depends.get(mask.name, True):
            arguments = {name: value for name, value in call.arguments.items() if name != "attn_mask"}
            call = replace(call, arguments=arguments)
        calls.append(call)
    while True:
        used = {value.name for call in calls for value in values_in(list(call.arguments.values()))}
        used |= {value.name for value in [*program.outputs, *([program.loss] if program.loss else [])]}
        kept = [call for call in calls if call.name in used or not _makes_mask(call)]
        if len(kept) == len(calls):
            return replace(program, calls=calls)
        calls = kept
