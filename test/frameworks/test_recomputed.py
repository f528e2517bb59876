"""The advice of memmodel.recompute(), followed in real PyTorch: what is promised is kept."""

import importlib.util
import unittest

WITH_TORCH = all(importlib.util.find_spec(package) for package in ("torch", "transformers"))
ERROR = 0.02  # of the predicted peak


@unittest.skipUnless(WITH_TORCH, "without torch and transformers: ./run frameworks torch")
class Followed(unittest.TestCase):
    def check(self, name, share):
        import recomputed

        made = recomputed.follow(name, share)
        print(made)
        self.assertLessEqual(made.recorded, made.budget)
        self.assertLessEqual(made.error, ERROR)
        self.assertLess(made.recorded, made.recorded_baseline)
        self.assertNotEqual(made.checkpoint, "")

    def test_a_decoder_of_text(self):
        self.check("gpt2", 0.5)

    def test_an_encoder_of_text(self):
        self.check("bert", 0.8)

    def test_an_encoder_of_images(self):
        self.check("vit", 0.3)

    def test_segments_of_layers(self):
        self.check("resnet", 0.5)

    def test_a_network_for_volumes(self):
        self.check("unet3d", 1.0)


if __name__ == "__main__":
    unittest.main()
