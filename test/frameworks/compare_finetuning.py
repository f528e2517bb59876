"""Recorded steps of litgpt's fine-tuning against what its pages say it took: test/data/published_finetuning.

    python test/frameworks/compare_finetuning.py [--results FILE] [--seconds S] [PART OF A ROW'S ID...]

In an environment with torch, memmodel and `test/frameworks/requirements-finetuning.txt`. Each row is litgpt's own
model, adapters, loss and optimizer under Lightning's Fabric, as finetune/lora.py, full.py, adapter.py and adapter_v2.py
call them, with a longest sample first: three steps of two batches each on a GPU that is not there, without weights of
others. With PyTorch's CUDA build, under `memmodel run --gpu`, they run on a simulated one; nf4 can be quantized only
there, and inputs are kept as bitsandbytes 0.42 did. Prints a line a row, in GB of 1e9 bytes as litgpt does, and errors
of each kind. With --results rows go into a file of JSON lines, and those that are there are not done again.
"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

from recorded_rows import compare

DATA = Path(__file__).resolve().parents[1] / "data" / "published_finetuning" / "rows.json"
MODULES = {"full": "model", "LoRA": "lora", "Adapter": "adapter", "Adapter v2": "adapter_v2"}
"""Of litgpt, in which a method has its model."""

HEAD_CHUNK = 128
STEPS = 3
BATCHES = 2
"""Before each step of the optimizer."""


def precision_of(row: dict[str, Any]) -> dict[str, Any]:
    import torch
    from lightning.fabric.plugins import BitsandbytesPrecision

    if row["quantize"]:
        keep_inputs()
        return {"plugins": BitsandbytesPrecision(row["quantize"].removeprefix("bnb."), torch.bfloat16)}
    return {"precision": "bf16-true"}


def keep_inputs() -> None:
    """bitsandbytes 0.42, which litgpt asked for then, held the input of a product in 4 bits until the backward pass."""
    from bitsandbytes.autograd._functions import MatMul4Bit

    forward = MatMul4Bit.forward

    def keeping(context: Any, given: Any, *arguments: Any) -> Any:
        context.given = given
        return forward(context, given, *arguments)

    MatMul4Bit.forward = staticmethod(keeping)


def optimizer_of(row: dict[str, Any], parameters: list[Any]) -> Any:
    import torch

    if not row["quantize"]:
        return torch.optim.AdamW(parameters)
    import bitsandbytes

    return bitsandbytes.optim.PagedAdamW(parameters)


def logits_of(row: dict[str, Any], model: Any, tokens: Any) -> Any:
    """All but full fine-tuning cut the output layer into parts."""
    if row["method"] == "full":
        return model(tokens)[..., :-1, :]
    logits = model(tokens, lm_head_chunk_size=HEAD_CHUNK)
    logits[-1] = logits[-1][..., :-1, :]
    return logits


def freeze(method: str, module: Any, model: Any) -> None:
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if method != "full" and name.startswith("mark_only_") and function.__module__ == module.__name__:
            function(model)


def validate(model: Any) -> None:
    """As litgpt before it trains, on a short sample: adapters keep what they compute there, without gradients."""
    import torch

    model.eval()
    with torch.no_grad():
        model(torch.zeros((1, 1), dtype=torch.long, device="cuda"))
    model.train()


def train(row: dict[str, Any], precision: dict[str, Any]) -> None:
    """Logits and loss of a batch stay until the next one's are there, as in litgpt's loop."""
    import lightning
    import torch
    from litgpt.utils import chunked_cross_entropy

    module = importlib.import_module("litgpt." + MODULES[row["method"]])
    fabric = lightning.Fabric(accelerator="cuda", devices=1, **precision)
    with fabric.init_module():
        model = module.GPT(module.Config.from_name(row["model"], **row.get("lora", {})))
    freeze(row["method"], module, model)
    model = fabric.setup_module(model)
    model.max_seq_length = row["length"]
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = fabric.setup_optimizers(optimizer_of(row, trained))
    validate(model)
    for number in range(STEPS * BATCHES):
        tokens = torch.zeros((row["batch"], row["length" if number == 0 else "later"]), dtype=torch.long, device="cuda")
        logits = logits_of(row, model, tokens)
        loss = chunked_cross_entropy(logits, torch.zeros_like(tokens)[..., 1:])
        fabric.backward(loss / BATCHES)
        if (number + 1) % BATCHES == 0:
            optimizer.step()
            optimizer.zero_grad()


def record(row: dict[str, Any]) -> int:
    """Largest peak of three steps, in bytes."""
    import memmodel.torch
    import torch

    if torch.version.cuda:
        train(row, precision_of(row))
        return torch.cuda.max_memory_allocated()
    precision = precision_of(row)  # where there is a GPU, bitsandbytes wants the CUDA build when it is imported
    with memmodel.torch.record(gpu=row["gpu"], steps=STEPS) as recording:
        train(row, precision)
    return max(recording.report().step_peaks)


def weights_of(row: dict[str, Any]) -> str:
    return row["quantize"] or "bf16"


def title_of(row: dict[str, Any]) -> str:
    return f"{row['id']} {row['model']}, {row['method']}, {weights_of(row)}, batch {row['batch']}"


def kind_of(row: dict[str, Any]) -> str:
    return f"{row['method']}, {weights_of(row)}"


if __name__ == "__main__":
    compare(__doc__.splitlines()[0], DATA, "id", record, 1e9, title_of, kind_of)
