"""Ranks of DDP and FSDP2 on a GPU: peaks and reserved bytes of PyTorch's own allocator on a simulated one."""

import importlib.util
import unittest

TORCH, TRANSFORMERS = (importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))

if TORCH:
    from compare_gpu_ranks import CASES, measured, predicted

EACH = 4  # of the cases one in so many: compare_gpu_ranks.py goes through all of them
OF_TRANSFORMERS = ("llama", "gpt2")


@unittest.skipUnless(TORCH, "torch is not installed")
class Ranks(unittest.TestCase):
    def test_peaks_are_those_of_torch_cuda(self):
        rows = measured()
        for name in list(CASES)[::EACH]:
            if name.startswith(OF_TRANSFORMERS) and not TRANSFORMERS:
                continue
            with self.subTest(name):
                peaks, reserved = predicted(name, rows[name]["torch"])
                self.assertEqual(peaks, rows[name]["peaks"])
                self.assertEqual(reserved, rows[name]["reserved"])


if __name__ == "__main__":
    unittest.main()
