"""Records trainings of adapters over bitsandbytes' nf4 as peft prepares them: peaks of three steps on a CPU.

    python test/frameworks/record_quantized.py

torch, transformers, peft and bitsandbytes are needed. Prints what test/unit/test_llm_build.c and
test/frameworks/test_torch_quantized.py have: of prepare_model_for_kbit_training(), with its checkpoints and without.
"""

import sys
import warnings

import torch
from record_parallel import events_of, peaks_of, run_steps
from test_torch_quantized import ALL, adapted
from torch.profiler import ProfilerActivity, profile

# model, batch, rank, targets, double quantization, type of weights, of products, checkpoints
GRID = [
    ("llama", 3, 8, ["q_proj", "v_proj"], False, torch.bfloat16, torch.bfloat16, True),
    ("llama", 3, 8, ["q_proj", "v_proj"], True, torch.bfloat16, torch.bfloat16, False),
    ("llama", 3, 8, ["q_proj", "v_proj"], False, torch.float32, torch.float32, True),
    ("llama6", 2, 16, ALL, False, torch.bfloat16, torch.float32, True),
    ("llama6", 2, 16, ALL, False, torch.bfloat16, torch.bfloat16, False),
    ("llama6", 2, 16, ALL, True, torch.bfloat16, torch.bfloat16, True),
]


def main():
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    for model, batch, rank, targets, double, dtype, compute, checkpoints in GRID:
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
            module = adapted(model, rank, targets, double, dtype=dtype, compute=compute, prepared=(checkpoints,))
            kept = run_steps(module.train(), model, batch, "adamw", "", {})
        del kept, module
        peaks, ends = peaks_of(*events_of(profiled))
        print(model, batch, rank, ",".join(targets), double, dtype, compute, checkpoints, peaks[1:], ends, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
