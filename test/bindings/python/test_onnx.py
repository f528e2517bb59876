"""ONNX files read from Python."""

import unittest
from pathlib import Path

import memmodel

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "test" / "data" / "onnxruntime"
CORPUS = ROOT / "test" / "fuzz" / "corpus" / "onnx"


class Loading(unittest.TestCase):
    def test_named_dimensions_are_symbols(self):
        self.assertEqual(memmodel.onnx.load(MODELS / "encoder.onnx").symbols, ["batch", "length"])

    def test_parameters_are_those_of_the_exported_model(self):
        # ResNet-50 has 25,557,032, of which 2 * 26,560 are of normalisations: the exporter folds these into the
        # convolutions, and leaves out the biases, which are zero in a model that was not trained
        net = memmodel.onnx.load(str(MODELS / "resnet.onnx"))
        report = memmodel.estimate(net, batch=1, framework="textbook", mode="inference")
        self.assertEqual(report.categories["parameters"], 4 * (25_557_032 - 2 * 26_560))

    def test_the_first_dimension_can_be_renamed(self):
        self.assertEqual(memmodel.onnx.load(MODELS / "vgg.onnx", batch_symbol="images").symbols, ["images"])

    def test_a_model_in_memory_is_read_from_any_bytes(self):
        content = (MODELS / "encoder.onnx").read_bytes()
        self.assertIn(b"\0", content)
        for given in (content, bytearray(content), memoryview(content)):
            self.assertEqual(memmodel.onnx.from_bytes(given).symbols, ["batch", "length"])

    def test_what_is_wrong_with_bytes_names_them(self):
        with self.assertRaisesRegex(memmodel.ParseError, "mine.onnx"):
            memmodel.onnx.from_bytes(b"nonsense", name="mine.onnx")
        with self.assertRaisesRegex(TypeError, "bytes are needed, not str"):
            memmodel.onnx.from_bytes("nonsense")

    def test_what_cannot_be_read_is_an_exception_with_the_nodes_name(self):
        with self.assertRaisesRegex(memmodel.UnsupportedError, "If: has a graph of its own"):
            memmodel.onnx.load(CORPUS / "branch.onnx")

    def test_the_peak_of_an_inference_run_grows_with_the_batch(self):
        net = memmodel.onnx.load(MODELS / "vgg.onnx")
        peaks = [
            memmodel.estimate(net, batch=batch, framework="onnxruntime", mode="inference").peak.live
            for batch in (1, 2, 4)
        ]
        self.assertEqual(peaks, sorted(set(peaks)))


if __name__ == "__main__":
    unittest.main()
