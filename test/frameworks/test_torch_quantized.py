"""QLoRA: adapters over bitsandbytes' 4-bit weights, by memmodel.torch.estimate() against runs by PyTorch's profiler.

The peaks were recorded with PyTorch 2.13 CPU, bitsandbytes 0.50.2, peft 0.21.2 and one thread: of three steps, AdamW.
"""

import importlib.util
import unittest
import warnings

NEEDED = ("torch", "transformers", "peft", "bitsandbytes")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]

if not MISSING:
    import bitsandbytes
    import memmodel.torch
    import torch
    from parallel_models import MODELS, loss
    from peft import LoraConfig, get_peft_model
    from torch import nn

ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

# model, batch, rank, targets, double quantization, peaks of steps
RECORDED = [
    ("llama", 3, 8, ["q_proj", "v_proj"], False, [18344900, 18557956, 18557956]),
    ("llama", 3, 8, ["q_proj", "v_proj"], True, [18245604, 18458660, 18458660]),
    ("llama6", 2, 16, ALL, False, [28154060, 33407516, 33407516]),
]


def quantize(module, double):
    """Each Linear below `module` becomes a Linear4bit of nf4."""
    for owner in list(module.modules()):
        for name, layer in list(owner.named_children()):
            if not isinstance(layer, nn.Linear):
                continue
            kind = {"quant_type": "nf4", "compress_statistics": double}
            packed = bitsandbytes.nn.Linear4bit(
                layer.in_features, layer.out_features, bias=False, compute_dtype=torch.float32, **kind
            )
            packed.weight = bitsandbytes.nn.Params4bit(layer.weight.data, requires_grad=False, **kind)
            setattr(owner, name, packed.to("cpu"))


def adapted(model, rank, targets, double):
    torch.manual_seed(0)
    module = MODELS[model][0]()
    quantize(module.model, double)
    module.is_loaded_in_4bit = True
    return get_peft_model(module, LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=targets, lora_dropout=0))


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}")
class Quantized(unittest.TestCase):
    def test_peaks_of_qlora_are_within_a_thousandth_of_real_runs(self):
        for model, batch, rank, targets, double, peaks in RECORDED:
            module = adapted(model, rank, targets, double).train()
            optimizer = torch.optim.AdamW([each for each in module.parameters() if each.requires_grad])
            with self.subTest(model=model, double=double), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                report = memmodel.torch.estimate(
                    module, MODELS[model][1](batch), loss=loss, optimizer=optimizer, isa="avx2", intra_op_threads=1
                )
                for ours, measured in zip(report.step_peaks, peaks, strict=True):
                    self.assertLess(abs(ours - measured), 0.001 * measured)

    def test_a_quantized_module_is_as_it_was_afterwards(self):
        module = adapted("llama", 8, ["q_proj"], False).train()
        before = {name: id(part) for name, part in module.named_parameters()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            memmodel.torch.estimate(module, MODELS["llama"][1](3), loss=loss)
        self.assertEqual({name: id(part) for name, part in module.named_parameters()}, before)


if __name__ == "__main__":
    unittest.main()
