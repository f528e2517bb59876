"""Keras models as networks: names, losses, unknown layers. Skipped where keras is missing.

    MEMMODEL_LIBRARY=.../libmemmodel.so PYTHONPATH=build/release/bindings/python build/venv/keras/bin/python \\
        test/frameworks/test_keras_models.py
"""

from __future__ import annotations

import importlib.util
import os
import sys
import unittest
from pathlib import Path
from unittest import mock

os.environ.update(KERAS_BACKEND="tensorflow", CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="2")
try:
    import keras
    import memmodel.keras
    from keras import layers
except ImportError as error:
    print(f"skipped: keras is missing: {error}")
    sys.exit(77)


def classifier() -> keras.Model:
    """A sequential model with one layer that no rule is known for."""
    model = keras.Sequential(
        [
            keras.Input((32, 32, 3), name="image"),
            layers.Conv2D(8, 3, padding="same", activation="relu", name="first"),
            layers.GaussianNoise(0.1, name="noise"),
            layers.Flatten(name="flat"),
            layers.Dense(10, activation="softmax", name="scores"),
        ]
    )
    model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy")
    return model


class KerasModels(unittest.TestCase):
    def test_layers_keep_their_names(self) -> None:
        report = memmodel.keras.estimate(classifier(), 4, isa="avx2")
        names = [layer.name for layer in report.layers]
        for name in ("image", "first", "noise", "scores"):
            self.assertIn(name, names)

    def test_parameters_are_those_of_the_model(self) -> None:
        model = classifier()
        report = memmodel.keras.estimate(model, 4, isa="avx2")
        self.assertEqual(sum(layer.parameter_count for layer in report.layers), model.count_params())

    def test_a_layer_without_a_rule_is_named(self) -> None:
        report = memmodel.keras.estimate(classifier(), 4, isa="avx2")
        self.assertIn("keras.GaussianNoise", str(report.unmodelled))

    def test_the_batch_is_a_symbol(self) -> None:
        self.assertEqual(memmodel.keras.from_model(classifier()).symbols[0], "batch")

    def test_a_subclassed_model_is_refused(self) -> None:
        class Own(keras.Model):
            pass

        with self.assertRaisesRegex(TypeError, "functional"):
            memmodel.keras.from_model(Own())

    def test_an_estimate_takes_calibrated_bytes_as_they_are(self) -> None:
        first, second = (
            memmodel.keras.estimate(classifier(), 4, isa="avx2", base_bytes=base).peak.process
            for base in (400_000_000, 500_000_000)
        )
        assert first is not None and second is not None
        self.assertEqual(second - first, 100_000_000)


@unittest.skipUnless(importlib.util.find_spec("tensorflow") and Path("/proc/self/status").exists(), "needs TensorFlow")
class Calibration(unittest.TestCase):
    @unittest.skipIf("libasan" in os.environ.get("LD_PRELOAD", ""), "AddressSanitizer's own memory is in the bytes")
    def test_a_larger_batch_adds_its_arrays(self) -> None:
        """An image is 32 * 32 * 3 floats: 12,288 bytes; 8,192 of them are 100.7 MB, and their labels 33 kB."""
        small, large = (memmodel.keras.calibrate(classifier(), batch) for batch in (1, 8192))
        self.assertAlmostEqual(large - small, 8191 * (12288 + 4), delta=10_000_000)

    def test_modules_that_are_asked_for_are_imported(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "no_such_module"):
            memmodel.keras.calibrate(classifier(), 1, imports=["no_such_module"])

    def test_a_layer_that_cannot_be_made_again_is_named(self) -> None:
        class Own(layers.Layer):
            def call(self, x: keras.KerasTensor) -> keras.KerasTensor:
                return x

        model = keras.Sequential([keras.Input((4,)), Own()])
        with self.assertRaisesRegex(RuntimeError, "Own"):
            memmodel.keras.calibrate(model, 1)

    def test_tensorflow_is_named_where_it_is_missing(self) -> None:
        with (
            mock.patch("importlib.util.find_spec", return_value=None),
            self.assertRaisesRegex(ImportError, "pip install tensorflow-cpu"),
        ):
            memmodel.keras.calibrate(classifier(), 1)


if __name__ == "__main__":
    unittest.main()
