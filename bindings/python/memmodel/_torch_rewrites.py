"""What export makes of a model that looks whether it was handed an attention mask: the way back to the eager run.

A model cannot look while it is traced, and makes a mask. Masks that depend on no input of the model are taken out
again, with the calls of the lines that only make them; where the mask was a causal one, the eager run says so by
`is_causal`, and where key and value heads were repeated because there was a mask, by `enable_gqa`
(transformers/integrations/sdpa_attention.py, use_gqa_in_sdpa).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memmodel._torch_export import HOLD, Call, Program, Value
from memmodel._torch_lifetimes import values_in

ATTENTION = "aten.scaled_dot_product_attention"
REPEATING = ("aten.reshape.", "aten.view.", "aten.expand.", "aten.unsqueeze.", "aten.slice.")

Calls = Mapping[str, Call]


def _arguments(call: Call) -> Iterator[Value]:
    return values_in(list(call.arguments.values()))


def _depends(calls: Sequence[Call]) -> dict[str, bool]:
    """By call: whether it depends on what is in a tensor that is there before the step; its sizes do not count."""
    depends: dict[str, bool] = {}
    for call in calls:
        sizes = not any(hasattr(result, "dim") for result in call.results)
        depends[call.name] = not sizes and any(depends.get(value.name, True) for value in _arguments(call))
    return depends


def _text(call: Call) -> str:
    return call.places[-1].text if call.places else ""


def _made_by(mask: Value, calls: Calls, word: str) -> bool:
    """A call that the mask is made by stands on a line with this word."""
    waiting, seen = [mask.name], set()
    while waiting:
        call = calls.get(waiting.pop())
        if call is None or call.name in seen:
            continue
        if word in _text(call):
            return True
        seen.add(call.name)
        waiting += [value.name for value in _arguments(call)]
    return False


def _before_repeating(value: Any, calls: Calls) -> Any:
    """Keys or values [batch, heads, length, width] with fewer heads, of which these are repetitions; else the same."""
    call = calls.get(value.name)
    heads = call.results[0].shape[1] if call and call.results[0].dim() == 4 else None
    found = value
    while call is not None and call.target.startswith(REPEATING):
        found = call.arguments["self"]
        call = calls.get(found.name)
        if call is not None and call.results[0].dim() == 4 and call.results[0].shape[1] != heads:
            return found
    return value


def _without_mask(call: Call, calls: Calls) -> Call:
    arguments = {name: value for name, value in call.arguments.items() if name != "attn_mask"}
    if _made_by(call.arguments["attn_mask"], calls, "causal"):
        arguments["is_causal"] = True
    key, value = (_before_repeating(arguments[name], calls) for name in ("key", "value"))
    if key != arguments["key"] and value != arguments["value"]:
        arguments |= {"key": key, "value": value, "enable_gqa": True}
    return replace(call, arguments=arguments)


MASKING = {"aten.add.Tensor": "other", "aten.where.ScalarOther": "condition", "aten.where.self": "condition"}


def _applies_mask(call: Call, calls: Calls, depends: Mapping[str, bool]) -> bool:
    """scores + mask, or where(mask, scores, lowest), of a mask that lets everything through."""
    mask = call.arguments.get(MASKING.get(call.target, ""))
    if not isinstance(mask, Value) or depends.get(mask.name, True) or not depends[call.name]:
        return False
    return _made_by(mask, calls, "create_bidirectional_mask")


def without_made_masks(program: Program) -> Program:
    depends = _depends(program.calls)
    by_name = {call.name: call for call in program.calls}
    calls = [_as_eager(call, by_name, depends) for call in program.calls]
    return replace(program, calls=_without_unused(_holding_others(calls, depends), program))


def _as_eager(call: Call, calls: Calls, depends: Mapping[str, bool]) -> Call:
    mask = call.arguments.get("attn_mask")
    if call.target.startswith(ATTENTION) and mask is not None and not depends.get(mask.name, True):
        return _without_mask(call, calls)
    if _applies_mask(call, calls, depends):
        return replace(call, target="memmodel.tuple", arguments={"values": [call.arguments["self"]]})
    return call


def _holding_others(calls: Sequence[Call], depends: Mapping[str, bool]) -> list[Call]:
    """What a checkpoint was handed besides masks that nothing uses now."""
    used = {value.name for call in calls if call.target != HOLD for value in _arguments(call)}

    def others(call: Call) -> Call:
        values = [value for value in _arguments(call) if value.name in used or depends.get(value.name, True)]
        return replace(call, arguments={"values": values})

    return [others(call) if call.target == HOLD else call for call in calls]


def _without_unused(calls: list[Call], program: Program) -> list[Call]:
    """Lines that make masks, and repetitions, as far as nothing uses what they make."""
    before = {value.name for call in program.calls for value in _arguments(call)}
    returned = {value.name for value in [*program.outputs, *([program.loss] if program.loss else [])]}
    while True:
        used = {value.name for call in calls for value in _arguments(call)} | returned
        kept = [
            call
            for call in calls
            if call.name in used
            or not ("mask" in _text(call) or (call.name in before and call.target.startswith(REPEATING)))
        ]
        if len(kept) == len(calls):
            return calls
        calls = kept
