"""Peaks of each token that generate() of transformers makes, recorded, against what PyTorch's allocator really does.

    PYTHON test/frameworks/compare_generation.py [--gpu] [--measure [FILE]] [NAME...]

A step is a call of the model with what led to it. --measure only runs the cases really, and keeps their peaks; with
--gpu on the GPU that is there, for which PYTHON needs nothing but torch and transformers.
"""

import argparse
import functools
import gc
import json
import sys
from pathlib import Path

import torch
import transformers

FOLDER = Path(__file__).resolve().parents[1] / "data/pytorch_generation"
MEASURED, ON_GPU = FOLDER / "peaks.json", FOLDER / "gpu_peaks.json"
THREADS = 2
IDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
SMALL = {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 8, "vocab_size": 2003, **IDS}
ROTARY = {**SMALL, "intermediate_size": 688, "max_position_embeddings": 1024}
GROUPED = {**ROTARY, "num_key_value_heads": 2}
LATENT = {
    **ROTARY, "num_key_value_heads": 8, "moe_intermediate_size": 128, "n_routed_experts": 8, "n_shared_experts": 1,
    "num_experts_per_tok": 2, "n_group": 2, "topk_group": 1, "first_k_dense_replace": 1, "kv_lora_rank": 64,
    "q_lora_rank": 96, "qk_rope_head_dim": 16, "qk_nope_head_dim": 32, "v_head_dim": 32,
}  # fmt: skip

# what each family is made of, batch and prompt, and what generate() is asked for besides
CASES = {
    "llama": ("LlamaForCausalLM", GROUPED, (2, 64), {}),
    "llama static": ("LlamaForCausalLM", GROUPED, (2, 64), {"cache_implementation": "static"}),
    "llama beams": ("LlamaForCausalLM", GROUPED, (2, 40), {"num_beams": 3}),
    "llama samples": ("LlamaForCausalLM", GROUPED, (3, 33), {"do_sample": True}),
    "llama without cache": ("LlamaForCausalLM", GROUPED, (1, 70), {"use_cache": False}),
    "llama in parts": ("LlamaForCausalLM", GROUPED, (2, 64), {"prefill_chunk_size": 16}),
    "gpt2": ("GPT2LMHeadModel", {"n_embd": 256, "n_layer": 4, "n_head": 4, "vocab_size": 2003, **IDS}, (3, 50), {}),
    "mistral": ("MistralForCausalLM", {**GROUPED, "sliding_window": 40}, (2, 100), {}),
    "mixtral": ("MixtralForCausalLM", {**GROUPED, "num_local_experts": 4, "num_experts_per_tok": 2}, (1, 33), {}),
    "deepseek": ("DeepseekV3ForCausalLM", LATENT, (2, 64), {}),
    "qwen3": ("Qwen3ForCausalLM", {**GROUPED, "head_dim": 32}, (2, 64), {}),
    "gemma3": ("Gemma3ForCausalLM", {**GROUPED, "head_dim": 64, "sliding_window": 48}, (2, 100), {}),
    # never looked at before the rules were done
    "neox": ("GPTNeoXForCausalLM", {**ROTARY, "rotary_pct": 0.25}, (2, 48), {}),
    "opt": ("OPTForCausalLM", {**SMALL, "ffn_dim": 700, "word_embed_proj_dim": 256}, (2, 48), {}),
    "bloom": ("BloomForCausalLM", {"hidden_size": 256, "n_layer": 3, "n_head": 8, "vocab_size": 1501, **IDS}, (2, 37),
              {}),
    "phi3": ("Phi3ForCausalLM", {**GROUPED, "num_key_value_heads": 8}, (1, 90), {}),
    "gemma2": ("Gemma2ForCausalLM", {**GROUPED, "head_dim": 32, "sliding_window": 32}, (2, 45), {}),
    "qwen2 experts": ("Qwen2MoeForCausalLM", {**GROUPED, "num_experts": 6, "num_experts_per_tok": 2}, (2, 29), {}),
    "olmo2": ("Olmo2ForCausalLM", GROUPED, (3, 51), {}),
    "starcoder2": ("Starcoder2ForCausalLM", GROUPED, (2, 60), {"do_sample": True, "top_k": 20}),
    "falcon": ("FalconForCausalLM", {**SMALL, "multi_query": True}, (2, 44), {}),
    "t5": ("T5ForConditionalGeneration", {"d_model": 256, "d_kv": 32, "d_ff": 600, "num_layers": 3, "num_heads": 8,
           "vocab_size": 1501, "decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1}, (2, 52), {}),
    "bart": ("BartForConditionalGeneration", {"d_model": 256, "encoder_layers": 2, "decoder_layers": 3,
             "encoder_attention_heads": 8, "decoder_attention_heads": 8, "encoder_ffn_dim": 600,
             "decoder_ffn_dim": 600, "vocab_size": 1501, "max_position_embeddings": 512}, (2, 52), {"num_beams": 2}),
    "mamba": ("MambaForCausalLM", {**SMALL, "state_size": 8}, (2, 40), {}),
}  # fmt: skip
TOKENS = 5


def generate(name, step, device="cpu"):
    """step: is called with each call of the model, and runs it."""
    family, sizes, (batch, prompt), options = CASES[name]
    made = getattr(transformers, family)
    torch.manual_seed(0)
    model = made(made.config_class(**sizes)).eval().to(device)
    forward = model.forward

    @functools.wraps(forward)
    def called(*args, **kwargs):
        return step(lambda: forward(*args, **kwargs))

    model.forward = called
    ids = torch.randint(3, 1500, (batch, prompt)).to(device)
    tokens = {"max_new_tokens": TOKENS, "min_new_tokens": TOKENS, "do_sample": False, **options}
    model.generate(ids, attention_mask=torch.ones_like(ids), **tokens)


def real(name):
    from compare_loops import peaks, real_events

    def step(call):
        result = call()
        with torch.profiler.record_function("memmodel step"):
            pass
        return result

    found = peaks(real_events(lambda: generate(name, step)))
    gc.collect()
    return found


def peaks_on_gpu(name):
    found = []

    def step(call):
        result = call()
        found.append(torch.cuda.max_memory_allocated())
        torch.cuda.reset_peak_memory_stats()
        return result

    generate(name, step, "cuda")
    return found


def recorded(name, isa=None, **gpu):
    import memmodel.torch

    with memmodel.torch.record(steps=0, isa=isa, intra_op_threads=THREADS, **gpu) as recording:

        def step(call):
            with recording.step():
                return call()

        generate(name, step, "cuda" if gpu else "cpu")
    return recording.report()


def decoded(step_peaks):
    """Without the first step, whose peak may be that of making the model, and what comes after the last."""
    return step_peaks[1:TOKENS]


def measure_on_gpu(names, path):
    from compare_gpu_loops import apart

    found = {name: apart(functools.partial(peaks_on_gpu, name)) for name in names}
    kept = {"torch": torch.__version__, "transformers": transformers.__version__, "gpu": torch.cuda.get_device_name()}
    path.write_text(json.dumps(kept | {"peaks": found}, indent=1) + "\n")


def measure(names):
    kept = json.loads(MEASURED.read_text()) if MEASURED.exists() else {"peaks": {}}
    isa = {"AVX2": "avx2", "AVX512": "avx512"}[torch.backends.cpu.get_cpu_capability()]
    kept |= {"torch": torch.__version__, "transformers": transformers.__version__, "isa": isa, "threads": THREADS}
    for name in names:
        kept["peaks"][name] = real(name)
    MEASURED.parent.mkdir(exist_ok=True)
    MEASURED.write_text(json.dumps(kept, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpu", action="store_true", help="on a GPU")
    parser.add_argument("--measure", type=Path, nargs="?", const=ON_GPU, metavar="FILE", help="run, and keep the peaks")
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases (default: all)")
    options = parser.parse_args()
    torch.set_num_threads(THREADS)
    names = options.names or list(CASES)
    if options.measure:
        return measure_on_gpu(names, options.measure) if options.gpu else measure(names)
    kept, equal = json.loads((ON_GPU if options.gpu else MEASURED).read_text()), 0
    gpu = {"gpu": kept["gpu"].split()[1], "framework_version": kept["torch"]} if options.gpu else {}
    for name in names:
        if not isinstance(kept["peaks"][name], list):
            print(f"{name:24} not measured: {kept['peaks'][name]}")
            continue
        mine, theirs = decoded(recorded(name, kept.get("isa"), **gpu).step_peaks), decoded(kept["peaks"][name])
        off = max(abs(a / b - 1) for a, b in zip(mine, theirs, strict=True))
        equal += off == 0
        print(f"{name:24} {mine} {theirs} {off:8.3%}", flush=True)
    print(f"{equal} of {len(names)} exact in each token after the first")
    return 0


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    sys.exit(main())
