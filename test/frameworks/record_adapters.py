"""Records trainings of peft's adapters over a small Llama: peaks of three steps.

    python test/frameworks/record_adapters.py    # on a CPU, by PyTorch's profiler; one thread
    memmodel run --gpu h100 -- python test/frameworks/record_adapters.py    # allocated and reserved, by its allocator

torch, transformers and peft are needed. Prints what test/unit/test_llm_build.c has.
"""

import gc
import sys
import warnings

import torch
from parallel_models import MODELS, loss
from peft import LoraConfig, get_peft_model
from record_parallel import events_of, peaks_of, run_steps
from torch.profiler import ProfilerActivity, profile

ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

# type of the weights, rank, targets
GRID = [
    (torch.float32, 8, ["q_proj", "v_proj"]),
    (torch.float32, 16, ALL),
    (torch.float32, 4, ["down_proj", "lm_head"]),
    (torch.bfloat16, 8, ["q_proj", "v_proj"]),
    (torch.bfloat16, 16, ALL),
]


def adapted(dtype, rank, targets):
    module = MODELS["llama"][0]()
    for weight in module.parameters():  # as from_pretrained() does: frequencies stay in float32
        weight.data = weight.data.to(dtype)
    return get_peft_model(module, LoraConfig(r=rank, target_modules=targets)).train()


def on_gpu(dtype, rank, targets):
    module = adapted(dtype, rank, targets).cuda()
    optimizer = torch.optim.Adam(module.parameters())
    words = [each.cuda() for each in MODELS["llama"][1](3)]
    for _ in range(3):
        torch.cuda.reset_peak_memory_stats()
        loss(y := module(*words)).backward()
        optimizer.step()
        optimizer.zero_grad()
        yield torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
    del y


def main():
    warnings.filterwarnings("ignore")
    if torch.cuda.is_available():
        for case in GRID:
            gc.collect()
            torch.cuda.empty_cache()
            print(*case, list(on_gpu(*case)), flush=True)
        return 0
    torch.set_num_threads(1)
    for dtype, rank, targets in GRID:
        torch.manual_seed(0)
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
            kept = run_steps(adapted(dtype, rank, targets), "llama", 3, "adam", "", {})
        del kept
        peaks, ends = peaks_of(*events_of(profiled))
        print(dtype, rank, ",".join(targets), peaks[1:], "" if ends[2] == ends[3] else "grows", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
