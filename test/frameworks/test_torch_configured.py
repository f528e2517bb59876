"""Networks from a configuration against transformers' modules of the same: events of a step with autograd on."""

import importlib.util
import json
import unittest

import memmodel

TORCH, TRANSFORMERS = (importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))

if TORCH and TRANSFORMERS:
    import memmodel.torch
    import torch
    import transformers

SMALL = {
    "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 128,
    "intermediate_size": 96, "tie_word_embeddings": False, "use_cache": False,
}  # fmt: skip
MIXTURE = {"num_experts_per_tok": 2, "moe_intermediate_size": 48, "head_dim": 16}
MODELS = {
    "Llama": {}, "Qwen3": {"head_dim": 16}, "Mixtral": {"num_local_experts": 8, "num_experts_per_tok": 2},
    "Qwen3Moe": {**MIXTURE, "num_experts": 8, "norm_topk_prob": True},
}  # fmt: skip
HOW = {"mode": "forward", "optimizer": "adamw", "isa": "avx2", "intra_op_threads": 1, "framework_version": "2.13"}


def of_module(name, config, **where):
    module = getattr(transformers, f"{name}ForCausalLM")(config).train()
    return memmodel.torch.estimate(module, (torch.randint(0, 128, (2, 32)),), **HOW, **where)


def of_configuration(name, config, **where):
    text = json.dumps(config.to_dict() | {"architectures": [f"{name}ForCausalLM"]})
    network = memmodel.LanguageModel.from_json(text, name=name).network(dtype="float32", loss=False)
    return memmodel.estimate(network, batch=2, length=32, **HOW, **where)


@unittest.skipUnless(TORCH and TRANSFORMERS, "torch or transformers is not installed")
class Configured(unittest.TestCase):
    def test_a_network_takes_what_the_module_takes(self):
        for name, more in [*MODELS.items(), ("Qwen3Moe", {**MIXTURE, "num_experts": 4, "norm_topk_prob": False})]:
            config = getattr(transformers, f"{name}Config")(**SMALL, **more)
            for where in ({}, {"device": "cuda", "gpu": "h100"}):
                with self.subTest(name, **where):
                    self.assertEqual(
                        of_configuration(name, config, **where).step_peaks, of_module(name, config, **where).step_peaks
                    )


if __name__ == "__main__":
    unittest.main()
