"""The version of PyTorch that is imported: what memmodel.torch says of it, and trainings that really run."""

import contextlib
import importlib.util
import io
import unittest
import warnings

TORCH = importlib.util.find_spec("torch") is not None

if TORCH:
    import compare_loops
    import loops
    import memmodel.torch
    import torch
    from memmodel import _torch_versions
    from torch import nn
    from torch.nn import functional

    MODULES = {
        "perceptron": (loops.mlp, (32, 64)),
        "convolutions": (loops.cnn, (8, 3, 32, 32)),
        "transformer": (lambda: nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), (4, 16, 32)),
        "softmax": (lambda: nn.Sequential(nn.Linear(16, 32), nn.Softmax(-1), nn.Linear(32, 8)), (16, 16)),
    }

LOOPS = (
    "autocast_bfloat16", "foreach_adam", "checkpointed", "u_net", "embeddings_and_lstm", "scaled_attention", "experts",
)  # fmt: skip


@unittest.skipUnless(TORCH, "torch is not installed")
class Version(unittest.TestCase):
    def test_what_is_too_old_is_refused_by_its_number(self):
        with self.assertRaisesRegex(ImportError, r"knows PyTorch from 2\.6 to 2\.15, and this is 2\.5\.1\+cpu"):
            _torch_versions.check_version("2.5.1+cpu")

    def test_what_is_newer_than_was_tried_gets_a_warning(self):
        with self.assertWarnsRegex(UserWarning, r"2\.16\.0 is newer"):
            _torch_versions.check_version("2.16.0")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _torch_versions.check_version("2.15.0+cu132")

    def test_the_library_knows_the_same(self):
        known = "is known from {}.{} to {}.{}".format(*_torch_versions.OLDEST, *_torch_versions.NEWEST)
        with self.assertRaisesRegex(memmodel.MemmodelError, known):
            memmodel.torch.estimate(nn.Linear(2, 2), (torch.zeros(1, 2),), framework_version="1.0")


    def test_an_lstm_takes_what_its_version_takes(self):
        # blocks of aten.mkldnn_rnn_layer by torch.profiler, PyTorch 2.6, 2.8 (the same) and 2.13
        measured = {"2.6": (90112, 56760), "2.10": (90112, 56760), "2.13": (65536, 21048)}
        for version, blocks in measured.items():
            with self.subTest(version):
                report = memmodel.torch.estimate(nn.LSTM(40, 24), (torch.zeros(7, 3, 40),), framework_version=version)
                self.assertLessEqual(set(blocks), {event.bytes for event in report.trace})


@unittest.skipUnless(TORCH, "torch is not installed")
class Runs(unittest.TestCase):
    def test_recorded_peaks_are_those_of_the_run(self):
        torch.set_num_threads(2)
        for name in LOOPS:
            with self.subTest(name), contextlib.redirect_stdout(io.StringIO()):
                report, real, _ = compare_loops.compare(name)
                self.assertEqual(report.step_peaks[: len(real)], real)

    def test_estimated_peaks_are_those_of_the_run(self):
        for name, (make, shape) in MODULES.items():
            with self.subTest(name):
                report = memmodel.torch.estimate(make(), (torch.randn(shape),), loss=mean_of_squares, optimizer="adam")
                real = compare_loops.peaks(compare_loops.real_events(training(make, shape)))
                self.assertEqual(report.step_peaks, real)


def mean_of_squares(y):
    return functional.mse_loss(y, torch.zeros_like(y))


def training(make, shape):
    def train():
        model, x = make(), torch.randn(shape)
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(3):
            y = model(x)
            loss = mean_of_squares(y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()

    return train


if __name__ == "__main__":
    unittest.main()
