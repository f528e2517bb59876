"""memmodel run --gpu: vLLM starts as on the GPU, with weights that are made up.

Arguments: the tool, and the directory of a virtual environment with test/cuda/requirements-vllm.txt, which may be
absent. Expected sizes are arithmetic of config.json, and what public logs of vLLM say (test/data/serving).
"""

import sys
import unittest
from pathlib import Path

import compare_serving

TOOL, VENV = Path(sys.argv[1]).absolute(), Path(sys.argv[2])
GIB = 1 << 30


@unittest.skipUnless((VENV / "bin/vllm").exists(), "no vLLM: ./run nightly cuda sets it up")
class Vllm(unittest.TestCase):
    def start(self, configuration, gpus, **options):
        done, result = compare_serving.start(TOOL, VENV / "bin/python", gpus, configuration, options, 900)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        return result

    def test_an_h100_holds_the_tokens_of_llama_that_a_published_log_says(self):
        found = self.start("llama-3.1-8b", "h100", max_model_len=32768)
        # vLLM 0.17.1 (point d956dc25f604 of test/data/serving): 14.99 GiB of weights, 457,024 tokens.
        self.assertAlmostEqual(found["weights_gib"] / 14.99, 1, delta=0.01)
        self.assertAlmostEqual(found["kv_tokens"] / 457024, 1, delta=0.03)
        # A token takes the keys and values of 8 heads of 128 in 32 layers, 2 bytes each: blocks of 16 tokens.
        self.assertAlmostEqual(found["kv_tokens"] * 32 * 2 * 8 * 128 * 2 / GIB, found["kv_gib"], delta=0.01)

    def test_two_gpus_share_the_weights(self):
        found = self.start("qwen3-8b", "t4:2", tensor_parallel_size=2, dtype="float16", max_model_len=4096)
        # 8,190,735,360 parameters of which norms (2 x 4096 + 2 x 128 in 36 layers, and 4096 at the end) are on both.
        norms = 36 * (2 * 4096 + 2 * 128) + 4096
        self.assertAlmostEqual(found["weights_gib"] * GIB / (8190735360 - norms + 2 * norms), 1, delta=0.01)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
