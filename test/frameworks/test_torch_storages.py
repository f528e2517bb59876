"""How tensors lie in memory, held against real runs here: memory formats, and tensors that share a storage."""

import importlib.util
import json
import sys
import tempfile
import unittest
from pathlib import Path

TORCH = importlib.util.find_spec("torch") is not None

if TORCH:
    import memmodel.torch
    import torch
    from torch import nn
    from torch.nn import functional
    from torch.profiler import ProfilerActivity, profile, record_function

    LAST, LAST_3D = torch.channels_last, torch.channels_last_3d

    class Residual(nn.Module):
        """Convolution, batch norm, pooling, a sum and a linear head, in two or three dimensions."""

        def __init__(self, conv=nn.Conv2d, norm=nn.BatchNorm2d, pool=nn.MaxPool2d, memory_format=None):
            super().__init__()

            def block(channels, filters):
                return nn.Sequential(conv(channels, filters, 3, padding=1), norm(filters), nn.ReLU(inplace=True))

            self.first, self.second, self.third = block(3, 16), block(16, 16), block(16, 32)
            self.pool, self.head = pool(2), nn.Linear(32, 10)
            self.memory_format = memory_format

        def forward(self, x):
            if self.memory_format:
                x = x.to(memory_format=self.memory_format)
            x = self.first(x)
            x = self.third(self.pool(x + self.second(x)))
            return self.head(x.flatten(2).mean(2))

    class Words(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.middle = nn.Embedding(500, 64), nn.Linear(64, 64)
            self.head = nn.Linear(64, 500, bias=False)

        def forward(self, x):
            return self.head(functional.relu(self.middle(self.table(x))))

    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(64, 64)
            self.register_buffer("before", self.linear.weight.detach())

        def forward(self, pair):
            return self.linear(pair[0]) + self.linear(pair[1]) * self.before.sum()


def words_loss(y, target):
    return functional.cross_entropy(y.reshape(-1, y.shape[-1]), target.reshape(-1))


def real_peaks(model, args, loss, target):
    """Live bytes at the peak of each of three steps, what was there before included, each storage once."""
    storages = {}
    for tensor in [*model.parameters(), *model.buffers(), target, *torch.utils._pytree.tree_leaves(args)]:
        storages[tensor.untyped_storage()._cdata] = tensor.untyped_storage().nbytes()
    optimizer, held = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), {}
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        for _ in range(3):
            with record_function("one step"):
                held["y"] = model(*args)
                held["loss"] = loss(held["y"], target)
                held["loss"].backward()
                optimizer.step()
                optimizer.zero_grad()
    with tempfile.TemporaryDirectory() as folder:
        profiler.export_chrome_trace(f"{folder}/trace.json")
        events = json.loads(Path(folder, "trace.json").read_text())["traceEvents"]
    begins = sorted(event["ts"] for event in events if event["name"] == "one step" and event["ph"] == "X")
    live, peaks = sum(storages.values()), [0, 0, 0]
    for event in sorted((event for event in events if event["name"] == "[memory]"), key=lambda event: event["ts"]):
        step = sum(begin <= event["ts"] for begin in begins) - 1
        live += event["args"]["Bytes"]
        peaks[step] = max(peaks[step], live)
    return peaks


@unittest.skipUnless(TORCH, "torch is not installed")
class Storages(unittest.TestCase):
    def as_real(self, model, args, loss, target):
        real = real_peaks(model, args, loss, target)
        for parameter in model.parameters():
            parameter.grad = None
        report = memmodel.torch.estimate(model, args, loss=loss, target=target, optimizer="sgd(momentum=0.9)")
        self.assertEqual(report.step_peaks, real)
        return report

    def test_memory_formats_of_weights_and_images(self):
        image, classes = torch.zeros(8, 3, 32, 32), torch.zeros(8, dtype=torch.int64)
        loss = functional.cross_entropy
        for weights, images in ((LAST, LAST), (LAST, None), (None, LAST)):
            model = Residual().to(memory_format=weights) if weights else Residual()
            x = image.to(memory_format=images) if images else image
            self.as_real(model, (x,), loss, classes)
        self.as_real(Residual(), (torch.zeros(8, 32, 32, 3).permute(0, 3, 1, 2),), loss, classes)
        self.as_real(Residual(memory_format=LAST), (image,), loss, classes)

    def test_a_memory_format_of_volumes(self):
        model = Residual(nn.Conv3d, nn.BatchNorm3d, nn.MaxPool3d).to(memory_format=LAST_3D)
        x = torch.zeros(2, 3, 16, 16, 16).to(memory_format=LAST_3D)
        self.as_real(model, (x,), functional.cross_entropy, torch.zeros(2, dtype=torch.int64))

    def test_a_memory_format_keeps_the_batch_a_symbol(self):
        x, options = torch.zeros(8, 3, 32, 32).to(memory_format=LAST), {"loss": "cross_entropy"}
        network = memmodel.torch.from_module(Residual().to(memory_format=LAST), (x,), **options)
        self.assertEqual(network.symbols, ["batch"])
        half = Residual().to(memory_format=LAST), (x[:4].clone(),)
        fixed = memmodel.torch.from_module(*half, symbolic=False, **options)
        self.assertEqual(memmodel.estimate(network, batch=4).step_peaks, memmodel.estimate(fixed).step_peaks)

    def test_one_tensor_as_input_and_target(self):
        model = nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 64))
        x = torch.zeros(256, 64)
        for target in (x, x.view(256, 64), x.detach()):
            self.as_real(model, (x,), functional.mse_loss, target)
        self.as_real(Twice(), ((x, x),), functional.mse_loss, x)

    def test_parts_of_one_tensor(self):
        words, rows = torch.zeros(16, 33, dtype=torch.int64), torch.zeros(512, 64)
        self.as_real(Words(), (words[:, :-1],), words_loss, words[:, 1:])
        model = nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 64))
        expanded = rows[:1].clone().expand(256, 64)
        for x, target in ((rows[:256], rows[256:]), (rows[::2], rows[1::2]), (expanded, rows[256:].clone())):
            self.as_real(model, (x,), functional.mse_loss, target)

    def test_parts_of_one_tensor_keep_the_batch_a_symbol(self):
        words = torch.zeros(16, 33, dtype=torch.int64)
        network = memmodel.torch.from_module(Words(), (words[:, :-1],), loss=words_loss, target=words[:, 1:])
        self.assertEqual(network.symbols, ["batch"])
        fixed = memmodel.torch.estimate(Words(), (words[:, :-1],), loss=words_loss, target=words[:, 1:])
        job = {"isa": memmodel.torch.this_isa(), "intra_op_threads": torch.get_num_threads()}
        self.assertEqual(memmodel.estimate(network, batch=16, **job).step_peaks, fixed.step_peaks)

    def test_parameters_that_share_memory(self):
        words = torch.zeros(16, 32, dtype=torch.int64)
        tied, viewed, half = Words(), Words(), Words()
        tied.head.weight = tied.table.weight
        viewed.head.weight = nn.Parameter(viewed.table.weight.detach().view(500, 64))  # one of its own
        half.head.weight = nn.Parameter(half.table.weight.detach()[:250])
        for model in (tied, viewed, half):
            self.as_real(model, (words,), words_loss, torch.zeros(16, 32, dtype=torch.int64))
        self.as_real(Twice(), ((torch.zeros(256, 64), torch.ones(256, 64)),), functional.mse_loss, torch.zeros(256, 64))


if __name__ == "__main__":
    if not TORCH:
        print("skipped: torch is not installed")
        sys.exit(77)
    unittest.main()
