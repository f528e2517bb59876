"""memmodel.megatron: Megatron-LM's trainings from their arguments, against arithmetic and its own measurements."""

import statistics
import sys
import unittest
from pathlib import Path

from memmodel import megatron

sys.path.insert(0, str(Path(__file__).parents[2] / "frameworks"))

import compare_megatron  # noqa: E402

MIB = 1 << 20
GPT = {
    "num-layers": 12, "hidden-size": 512, "num-attention-heads": 8, "seq-length": 1024, "micro-batch-size": 4,
    "vocab-size": 50257, "bf16": True,
}  # fmt: skip


class Megatron(unittest.TestCase):
    def test_a_distributed_optimizer_shares_out_twelve_bytes_a_parameter(self):
        alone = megatron.estimate(GPT, 8).weights
        shared = megatron.estimate({**GPT, "use-distributed-optimizer": True}, 8).weights
        self.assertAlmostEqual(shared / alone, (6 + 12 / 8) / 18, places=6)

    def test_logits_are_in_float32_and_their_gradient_in_bfloat16(self):
        # 4 sequences of 1,024 tokens, a vocabulary padded to 50,304
        self.assertEqual(megatron.estimate(GPT, 8).logits, 4 * 1024 * 50304 * (4 + 2))

    def test_the_last_of_four_stages_has_a_quarter_of_the_activations(self):
        whole, stage = (megatron.estimate({**GPT, "pipeline-model-parallel-size": pp}, 8).activations for pp in (1, 4))
        self.assertEqual(stage * 4, whole)

    def test_half_of_what_was_measured_is_within_the_errors_that_the_guide_has(self):
        rows = compare_megatron.read(compare_megatron.GOLDEN)
        found = [row[2] for row in map(compare_megatron.compare, rows) if not isinstance(row[2], str)]
        errors = sorted(abs(mine / measured - 1) for _, _, mine, measured in found)
        self.assertGreater(len(errors), 210)
        self.assertLess(statistics.median(errors), 0.03)
        self.assertLess(errors[int(0.95 * len(errors))], 0.07)

    def test_arguments_are_read_as_megatron_writes_them(self):
        # 25 RMSNorms have no biases, of 512 widths and 18 bytes; dropout keeps a mask of 4 sequences for 24 of them
        plain, more = megatron.estimate(GPT, 8), {"normalization": "RMSNorm", "hidden-dropout": "0.0"}
        other = megatron.estimate({**GPT, **more}, 8)
        self.assertEqual(plain.weights - other.weights, 25 * 512 * 18)
        self.assertEqual(plain.activations - other.activations, 24 * 4 * 1024 * 512)
        layers = megatron.estimate({**GPT, "num-experts": 2, "moe-layer-freq": "([0]*1+[1]*1)*6"}, 8)
        self.assertEqual(layers, megatron.estimate({**GPT, "num-experts": 2, "moe-layer-freq": "[0,1]*6"}, 8))

    def test_what_is_not_modelled_is_named(self):
        for more, message in (
            ({"use-torch-fsdp2": True}, "use_torch_fsdp2: FSDP2"),
            ({"use-megatron-fsdp": True, "data-parallel-sharding-strategy": "all"}, "strategy: 'all' is not known"),
            ({"fp8-format": "hybrid", "fp8-recipe": "mxfp8"}, "fp8_recipe: another recipe than delayed"),
            ({"optimizer": "sgd"}, "optimizer: an optimizer besides Adam and Muon"),
            ({"hidden-dropout": "no"}, "hidden_dropout: 'no' is no number"),
            ({"num-experts": 2, "moe-layer-freq": "[1]*3"}, "moe_layer_freq: it is of 3 layers"),
            ({"num-layers": "twelve"}, "num_layers: 'twelve' is no whole number"),
            ({"hidden-size": -1}, "hidden_size: -1 is not positive"),
            ({"pipeline-model-parallel-size": 5}, "num_layers: 12 is not divided by 5"),
            ({"seq-length": ""}, "seq_length: give it"),
        ):
            with self.subTest(message), self.assertRaisesRegex(megatron.MegatronError, message):
                megatron.estimate({**GPT, **more}, 8)

    def test_a_workspace_is_written_as_cublas_has_it(self):
        # two threads of 8 buffers of 4,096 KiB, and Transformer Engine's 32 MiB on a Hopper GPU
        self.assertEqual(megatron.estimate(GPT, 8, cublas_workspace=":4096:8").workspace, (2 * 32 + 32) * MIB)
        with self.assertRaisesRegex(megatron.MegatronError, "has no size and count"):
            megatron.estimate(GPT, 8, cublas_workspace="4096")


if __name__ == "__main__":
    unittest.main()
