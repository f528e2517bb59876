"""
Three training steps on a simulated H100, as PyTorch's own allocator has them, beside those that
memmodel.torch.estimate() predicts: peaks of each step, and every allocation and release in order.

    memmodel run --gpu h100 -- python compare_core.py run [CASE...] > run.jsonl
    python compare_core.py predict [CASE...] > predicted.jsonl       # `import memmodel` works, see ./run python
    python compare_core.py compare run.jsonl predicted.jsonl [CASE]  # of a case each difference
    python compare_core.py real run.jsonl                            # peaks beside those of a real H100

A case is a network, its precision and memory order, and an optimizer: "resnet50 bfloat16 channels_last sgd". What a
convolution or attention of cuDNN takes and gives back at once is the workspace of a plan of its heuristics;
it is counted apart.
"""

import gc
import json
import sys
from contextlib import nullcontext
from difflib import SequenceMatcher
from itertools import accumulate, groupby
from pathlib import Path

import torch
import torchvision
import transformers
from torch import nn

STEPS = 3
RECORDED = Path(__file__).resolve().parents[1] / "data/pytorch_h100/core.jsonl"


def perceptron():
    return nn.Sequential(nn.Linear(1024, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 1000))


def llama():
    sizes = {"hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 6, "num_attention_heads": 8}
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, num_key_value_heads=2, vocab_size=32000))


def t5():
    return transformers.T5ForConditionalGeneration(transformers.T5Config(decoder_start_token_id=0))


def indices(*shape):
    return torch.zeros(*shape, dtype=torch.long)


def images(count):
    return torch.zeros(count, 3, 224, 224), indices(count)


def words(*shape, labels=None):
    return {"input_ids": indices(*shape), "labels": indices(*(labels or shape))}


VISION = torchvision.models
# name: the module and what it is called with. A dictionary holds labels, of which a language model makes its own loss.
MODELS = {
    "mlp": (perceptron, lambda: (torch.zeros(256, 1024), indices(256))),
    "bert": (
        lambda: transformers.BertForSequenceClassification(transformers.BertConfig()),
        lambda: words(8, 128, labels=(8,)),
    ),
    "gpt2": (lambda: transformers.GPT2LMHeadModel(transformers.GPT2Config()), lambda: words(4, 256)),
    "llama": (llama, lambda: words(2, 256)),
    "t5": (t5, lambda: words(4, 128)),
    "vit": (VISION.vit_b_16, lambda: images(8)),
    "convnext": (VISION.convnext_tiny, lambda: images(8)),
    "resnet50": (VISION.resnet50, lambda: images(16)),
    "vgg16": (VISION.vgg16, lambda: images(16)),
    "mobilenet": (VISION.mobilenet_v3_large, lambda: images(32)),
    "densenet": (VISION.densenet121, lambda: images(16)),
    "swin": (VISION.swin_t, lambda: images(8)),
    "regnet": (VISION.regnet_x_400mf, lambda: images(32)),
}
OPTIMIZERS = {"adamw": torch.optim.AdamW, "sgd": lambda parameters: torch.optim.SGD(parameters, 1e-2, momentum=0.9)}


def variants(name):
    yield from (f"{name} {precision} {optimizer}" for precision in ("float32", "bfloat16") for optimizer in OPTIMIZERS)
    if isinstance(MODELS[name][1](), tuple) and name not in ("mlp", "vit", "swin"):
        yield f"{name} float32 channels_last sgd"
        yield f"{name} bfloat16 channels_last adamw"


CASES = [case for name in MODELS for case in variants(name)]


def made(case, device):
    """Module, positional and keyword arguments, target and optimizer of a case."""
    name, precision, *layout, optimizer = case.split()
    make, inputs = MODELS[name]
    model, given = make().to(device), inputs()
    args, kwargs = ((), given) if isinstance(given, dict) else (given[:1], {})
    target = None if isinstance(given, dict) else given[1].to(device)
    args, kwargs = tuple(x.to(device) for x in args), {key: x.to(device) for key, x in kwargs.items()}
    if layout:
        model = model.to(memory_format=torch.channels_last)
        args = tuple(x.to(memory_format=torch.channels_last) for x in args)
    return model, args, kwargs, target, OPTIMIZERS[optimizer](model.parameters()), precision


# ---- on the simulated GPU ----


def actions():
    """Bytes of each allocation, negative of each release, in order."""
    kinds = {"alloc": 1, "free_requested": -1}
    trace = torch.cuda.memory._snapshot()["device_traces"][0]
    return [kinds[one["action"]] * one["size"] for one in trace if one["action"] in kinds]


def steps_of(model, args, kwargs, target, optimizer, precision):
    context = nullcontext() if precision == "float32" else torch.autocast("cuda", getattr(torch, precision))
    for _ in range(STEPS):
        torch.cuda.reset_peak_memory_stats()
        torch.cuda.memory._record_memory_history(max_entries=1 << 20, stacks="python", context=None)
        with context:
            y = model(*args, **kwargs)
            loss = y["loss"] if target is None else nn.functional.cross_entropy(y, target)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        counted = torch.cuda.memory_stats()
        yield {
            "live": counted["allocated_bytes.all.peak"],
            "reserved": counted["reserved_bytes.all.peak"],
            "events": actions(),
        }
        torch.cuda.memory._record_memory_history(enabled=None)


def run(case):
    steps = list(steps_of(*made(case, "cuda")))
    gc.collect()
    torch.cuda.empty_cache()
    torch._C._cuda_clearCublasWorkspaces()
    return {"steps": steps}


# ---- predicted ----


def predict(case):
    import memmodel.torch  # noqa: PLC0415 - only here

    model, args, kwargs, target, optimizer, precision = made(case, "cpu")
    loss = None if target is None else "cross_entropy"
    job = {"gpu": "h100", "device": "cuda", "steps": STEPS, "precision": precision, "optimizer": optimizer}
    report = memmodel.torch.estimate(model, args, kwargs, loss=loss, target=target, **job)
    events = [[] for _ in range(STEPS + 1)]
    for event in report.trace:
        if event.bytes:
            events[event.step].append([event.bytes, f"{event.phase} {event.layer} {event.role}"])
    return {
        "reserved": report.peak.reserved,
        "steps": [{"live": live, "events": events[1 + index]} for index, live in enumerate(report.step_peaks)],
    }


# ---- compared ----

PLANS = ("conv", "convolution", "scaled_dot_product_attention")  # cuDNN's heuristics choose what they work in


def in_order(events):
    """Releases that follow one another as a set."""
    for released, group in groupby(events, lambda event: event[0] < 0):
        together = list(group)
        yield from sorted(together) if released else together


def differences(measured, predicted):
    """Recorded events, simulated ones, and the operator where they begin to differ, of the last step."""
    recorded = list(in_order([size, ""] for size in measured["events"]))
    simulated = list(in_order(predicted["events"]))
    matcher = SequenceMatcher(None, [size for size, _ in recorded], [size for size, _ in simulated], autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind != "equal":
            where = simulated[k][1] if k < m else simulated[k - 1][1] if k else ""
            yield [size for size, _ in recorded[i:j]], [size for size, _ in simulated[k:m]], where


def is_workspace(difference):
    recorded, simulated, where = difference
    return sum(recorded) == 0 and sum(simulated) == 0 and any(plan in where for plan in PLANS)


def requested(events):
    """Most bytes asked for at one time, above those that are there when the step begins, and what is left at its end;
    without what is given back at once."""
    sizes = [size for size, _ in in_order(events)]
    kept, index = [], 0
    while index < len(sizes):
        at_once = sizes[index] > 0 and sizes[index + 1 : index + 2] == [-sizes[index]]
        kept += [] if at_once else [sizes[index]]
        index += 2 if at_once else 1
    return max(accumulate(kept, initial=0)), sum(kept)


def rows(path):
    return {row["case"]: row for row in map(json.loads, Path(path).read_text().splitlines())}


def describe(case, of, row):
    """One line, and whether live bytes of all steps, reserved bytes, requested ones, and all events but workspaces are
    equal."""
    live = [step["live"] - truth["live"] for step, truth in zip(row["steps"], of["steps"], strict=True)]
    reserved = row["reserved"] - of["steps"][-1]["reserved"]
    found = [each for pair in zip(of["steps"], row["steps"], strict=True) for each in differences(*pair)]
    other = [each for each in found if not is_workspace(each)]
    asked = [
        requested([size, ""] for size in truth["events"]) == requested(step["events"])
        for truth, step in zip(of["steps"], row["steps"], strict=True)
    ]
    exact = not any(live), not reserved, all(asked), not other
    print(f"{case:38} live {live} reserved {reserved} ({reserved / of['steps'][-1]['reserved']:+.2%});", end=" ")
    print(f"{len(found) - len(other)} workspaces, {len(other)} others", end="")
    print(f", first {other[0][0][:4]} not {other[0][1][:4]} at [{other[0][2]}]" if other else "")
    return exact


def compare(measured, predicted, case=None):
    measured, predicted = rows(measured), rows(predicted)
    if case:
        for of, row in zip(measured[case]["steps"], predicted[case]["steps"], strict=True):
            for recorded, simulated, where in differences(of, row):
                print(f"recorded {recorded[:12]} simulated {simulated[:12]} [{where}]")
        return
    exact = [describe(name, measured[name], row) for name, row in predicted.items() if name in measured]
    counted = ("live bytes", "reserved bytes", "requested bytes but workspaces", "events but workspaces")
    for what, equal in zip(counted, zip(*exact, strict=True), strict=True):
        print(f"{what} exact in {sum(equal)} of {len(equal)}")


def compare_with_real(measured):
    recorded, exact = rows(RECORDED), []
    for case, run_here in rows(measured).items():
        live = [here["live"] / real["live"] - 1 for here, real in zip(run_here["steps"], recorded[case]["steps"])]
        reserved = run_here["steps"][-1]["reserved"] / recorded[case]["steps"][-1]["reserved"] - 1
        exact.append((not any(live), not reserved))
        print(f"{case:38} live {max(live, key=abs):+.3%} reserved {reserved:+.3%}")
    for what, equal in zip(("live bytes of every step", "reserved bytes"), zip(*exact, strict=True), strict=True):
        print(f"{what} exact in {sum(equal)} of {len(equal)}")


if __name__ == "__main__":
    word, *given = sys.argv[1:]
    if word == "compare":
        compare(*given)
    elif word == "real":
        compare_with_real(*given)
    else:
        for chosen in given or CASES:
            result = run(chosen) if word == "run" else predict(chosen)
            print(json.dumps({"case": chosen, **result}), flush=True)
