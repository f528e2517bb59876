"""Ranks on a GPU that train together: peaks and reserved bytes of PyTorch's own allocator on a simulated one."""

import importlib.util
import unittest

TORCH, TRANSFORMERS = (importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))

if TORCH:
    import compare_gpu_context
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

    def test_those_with_a_part_of_a_sequence_are_as_well(self):
        rows = compare_gpu_context.measured()
        for case in compare_gpu_context.CASES[::EACH]:
            name = compare_gpu_context.name_of(*case)
            with self.subTest(name):
                peaks, reserved = compare_gpu_context.predicted(case, rows[name]["torch"])
                self.assertEqual(peaks, rows[name]["peaks"])
                self.assertEqual(reserved, rows[name]["reserved"])


if __name__ == "__main__":
    unittest.main()
