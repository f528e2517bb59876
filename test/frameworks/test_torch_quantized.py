"""QLoRA: adapters over bitsandbytes' 4-bit weights, by memmodel.torch.estimate() against runs by PyTorch's profiler.

The peaks were recorded with PyTorch 2.13 CPU, bitsandbytes 0.50.2, peft 0.21.2 and one thread: of three steps, AdamW;
of modules that peft's prepare_model_for_kbit_training() prepared by record_quantized.py.
"""

import contextlib
import importlib.util
import io
import unittest
import warnings

NEEDED = ("torch", "transformers", "peft", "bitsandbytes")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]

if not MISSING:
    import bitsandbytes
    import memmodel.torch
    import torch
    from parallel_models import MODELS, loss
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
    from torch import nn

ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

# model, batch, rank, targets, double quantization, peaks of steps
RECORDED = [
    ("llama", 3, 8, ["q_proj", "v_proj"], False, [18344900, 18557956, 18557956]),
    ("llama", 3, 8, ["q_proj", "v_proj"], True, [18245604, 18458660, 18458660]),
    ("llama6", 2, 16, ALL, False, [28154060, 33407516, 33407516]),
]

# the same by record_quantized.py of modules that peft prepared: types of weights and of products, checkpoints
PREPARED = [
    ("llama", 3, 8, ["q_proj", "v_proj"], False, "bfloat16", "bfloat16", True, [9793172, 10006228, 10006228]),
    ("llama", 3, 8, ["q_proj", "v_proj"], True, "bfloat16", "bfloat16", False, [18245352, 18458408, 18458408]),
    ("llama", 3, 8, ["q_proj", "v_proj"], False, "float32", "float32", True, [9792920, 10005976, 10005976]),
    ("llama6", 2, 16, ALL, False, "bfloat16", "float32", True, [21491424, 25427720, 25427720]),
    ("llama6", 2, 16, ALL, False, "bfloat16", "bfloat16", False, [28135960, 33389416, 33389416]),
    ("llama6", 2, 16, ALL, True, "bfloat16", "bfloat16", True, [21088584, 23780976, 23780976]),
]  # fmt: skip


def quantize(module, double, compute):
    """Each Linear below `module` becomes a Linear4bit of nf4, whose product is in the type `compute`."""
    for owner in list(module.modules()):
        for name, layer in list(owner.named_children()):
            if not isinstance(layer, nn.Linear):
                continue
            kind = {"quant_type": "nf4", "compress_statistics": double}
            packed = bitsandbytes.nn.Linear4bit(
                layer.in_features, layer.out_features, bias=False, compute_dtype=compute, **kind
            )
            packed.weight = bitsandbytes.nn.Params4bit(layer.weight.data, requires_grad=False, **kind)
            setattr(owner, name, packed.to("cpu"))


def adapted(model, rank, targets, double, dtype=None, compute=None, prepared=()):
    torch.manual_seed(0)
    module = MODELS[model][0]()
    for weight in module.parameters() if dtype else ():  # as from_pretrained() does: frequencies stay in float32
        weight.data = weight.data.to(dtype)
    quantize(module.model, double, compute or torch.float32)
    module.is_loaded_in_4bit = True
    if prepared:
        module = prepare_model_for_kbit_training(module, *prepared)
    return get_peft_model(module, LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=targets, lora_dropout=0))


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}")
class Quantized(unittest.TestCase):
    def peaks_are(self, module, model, batch, peaks, most):
        optimizer = torch.optim.AdamW([each for each in module.parameters() if each.requires_grad])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            report = memmodel.torch.estimate(
                module, MODELS[model][1](batch), loss=loss, optimizer=optimizer, isa="avx2", intra_op_threads=1
            )
        for ours, measured in zip(report.step_peaks, peaks, strict=True):
            self.assertLess(abs(ours - measured), most * measured)

    def test_peaks_of_qlora_are_within_a_thousandth_of_real_runs(self):
        for model, batch, rank, targets, double, peaks in RECORDED:
            with self.subTest(model=model, double=double):
                self.peaks_are(adapted(model, rank, targets, double).train(), model, batch, peaks, 0.001)

    def test_peaks_of_modules_that_peft_prepared_are_within_half_a_percent(self):
        for model, batch, rank, targets, double, dtype, compute, checkpoints, peaks in PREPARED:
            types = {"dtype": getattr(torch, dtype), "compute": getattr(torch, compute)}
            with self.subTest(model=model, double=double, checkpoints=checkpoints, **types):
                module = adapted(model, rank, targets, double, prepared=(checkpoints,), **types).train()
                self.peaks_are(module, model, batch, peaks, 0.005)

    def test_what_one_way_of_tracing_could_not_follow_is_not_printed(self):
        module = get_peft_model(MODELS["llama"][0](), LoraConfig(r=8, target_modules=["q_proj"])).train()
        ids, said = MODELS["llama"][1](3)[0], io.StringIO()
        with contextlib.redirect_stderr(said), self.assertNoLogs("torch.fx.experimental.symbolic_shapes"):
            memmodel.torch.from_module(module, (), {"input_ids": ids, "labels": ids})
        self.assertLess(len(said.getvalue().splitlines()), 4)

    def test_a_quantized_module_is_as_it_was_afterwards(self):
        module = adapted("llama", 8, ["q_proj"], False).train()
        before = {name: id(part) for name, part in module.named_parameters()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            memmodel.torch.estimate(module, MODELS["llama"][1](3), loss=loss)
        self.assertEqual({name: id(part) for name, part in module.named_parameters()}, before)


if __name__ == "__main__":
    unittest.main()
