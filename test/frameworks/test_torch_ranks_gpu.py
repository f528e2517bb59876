"""Ranks of DDP and FSDP2 on a GPU: the peaks of PyTorch's own allocator on a simulated one."""

import importlib.util
import unittest

TORCH, TRANSFORMERS = (importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))

if TORCH:
    from compare_gpu_ranks import CASES, measured, predicted

EACH = 4  # of the cases one in so many: compare_gpu_ranks.py goes through all of them
# The allocator gives a block that it does not split, by the streams that it was freed for.
OFF = ("gpt6_b2_adamw_w4_fsdp_reshard_after_forward=False", "gpt6_b2_sgd_w4_fsdp_reshard_after_forward=False")
OF_TRANSFORMERS = ("llama", "gpt2")


@unittest.skipUnless(TORCH, "torch is not installed")
class Ranks(unittest.TestCase):
    def test_peaks_are_those_of_torch_cuda(self):
        rows = measured()
        for name in list(CASES)[::EACH]:
            if name.startswith(OF_TRANSFORMERS) and not TRANSFORMERS:
                continue
            with self.subTest(name):
                equal = predicted(name, rows[name]["torch"]) == rows[name]["peaks"]
                self.assertEqual(equal, name not in OFF)


if __name__ == "__main__":
    unittest.main()
