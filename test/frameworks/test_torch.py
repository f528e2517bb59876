"""memmodel.torch itself: what Python keeps alive; and, where torch is, modules that become networks."""

import importlib.util
import sys
import unittest

TORCH = importlib.util.find_spec("torch") is not None

if TORCH:
    import memmodel.torch
    import torch
    from memmodel import _torch_export, _torch_lifetimes
    from torch import nn
    from torch.nn import functional

    class Small(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3, padding=1)
            self.norm = nn.BatchNorm2d(8)
            self.head = nn.Linear(8, 10)

        def forward(self, x):
            x = functional.relu(self.norm(self.conv(x)))
            return self.head(x.mean((2, 3)))

    class Returns(nn.Module):
        """More than the loss: what it returns stays until the next step returns."""

        def __init__(self):
            super().__init__()
            self.first = nn.Linear(16, 64)
            self.second = nn.Linear(64, 1)

        def forward(self, x):
            hidden = self.first(x)
            y = self.second(functional.gelu(hidden)).reshape(x.shape[0], x.shape[1])
            return {"loss": y.sum(), "kept": hidden.transpose(1, 2)}

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(50, 16)
            self.head = nn.Linear(16, 50, bias=False)
            self.head.weight = self.table.weight

        def forward(self, x):
            return self.head(self.table(x))


@unittest.skipUnless(TORCH, "torch is not installed")
class FromModule(unittest.TestCase):
    def test_the_batch_is_a_symbol(self):
        network = memmodel.torch.from_module(Small(), (torch.rand(4, 3, 16, 16),))
        self.assertEqual(network.symbols, ["batch"])
        fixed = memmodel.torch.from_module(Small(), (torch.rand(4, 3, 16, 16),), symbolic=False)
        self.assertEqual(fixed.symbols, [])
        self.assertEqual(memmodel.estimate(network, batch=4).step_peaks, memmodel.estimate(fixed).step_peaks)

    def test_what_it_returns_is_held_whether_the_batch_is_a_symbol_or_not(self):
        network = memmodel.torch.from_module(Returns(), (torch.rand(4, 8, 16),))
        fixed = memmodel.torch.from_module(Returns(), (torch.rand(4, 8, 16),), symbolic=False)
        self.assertEqual(network.symbols, ["batch"])
        self.assertEqual(memmodel.estimate(network, batch=4).step_peaks, memmodel.estimate(fixed).step_peaks)

    def test_tied_weights_are_one(self):
        report = memmodel.torch.estimate(Tied(), (torch.randint(0, 50, (2, 5)),))
        self.assertEqual(report.total.parameters, 50 * 16)

    def test_frozen_parameters_are_not_trained(self):
        model = Small()
        for parameter in model.conv.parameters():
            parameter.requires_grad_(False)
        report = memmodel.torch.estimate(model, (torch.rand(2, 3, 16, 16),))
        self.assertEqual(report.total.trainable, 8 + 8 + 8 * 10 + 10)

    def test_layers_have_the_names_of_modules(self):
        report = memmodel.torch.estimate(Small(), (torch.rand(2, 3, 16, 16),))
        names = [layer.name for layer in report.layers]
        self.assertIn("conv.conv2d", names)
        self.assertIn("head.linear", names)

    def test_the_module_is_left_as_it_was(self):
        model = Small()
        before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        model.eval()
        memmodel.torch.estimate(model, (torch.rand(2, 3, 16, 16),), training=False)
        self.assertFalse(model.training)
        for name, tensor in model.state_dict().items():
            self.assertTrue(torch.equal(tensor, before[name]), name)


@unittest.skipUnless(TORCH, "torch is not installed")
class Estimate(unittest.TestCase):
    def estimate(self, **options):
        return memmodel.torch.estimate(Small(), (torch.rand(2, 3, 16, 16),), **options)

    def test_a_loss_may_be_a_function_or_a_name(self):
        target = torch.zeros(2, dtype=torch.int64)
        function = self.estimate(loss=lambda y: functional.cross_entropy(y, target))
        self.assertEqual(function.step_peaks, self.estimate(loss="cross_entropy").step_peaks)

    def test_an_optimizer_may_be_an_instance(self):
        instance = torch.optim.SGD(Small().parameters(), lr=0.1, momentum=0.9)
        self.assertEqual(self.estimate(optimizer=instance).step_peaks, self.estimate(optimizer="momentum").step_peaks)

    def test_what_is_not_supported_is_said(self):
        for options, part in (
            ({"loss": "hinge"}, "hinge"),
            ({"precision": "float8"}, "float8"),
            ({"device": "cuda"}, "cuda"),
            ({"optimizer": torch.optim.LBFGS(Small().parameters())}, "LBFGS"),
        ):
            with self.assertRaisesRegex((ValueError, memmodel.MemmodelError), part):
                self.estimate(**options)


@unittest.skipUnless(TORCH, "torch is not installed")
class Names(unittest.TestCase):
    def test_targets_of_a_statement(self):
        targets = _torch_lifetimes.targets
        self.assertEqual(targets("x = self.conv(x)"), ("x",))
        self.assertEqual(targets("out, (h, c) = self.lstm(x)"), ("out", "h", "c"))
        self.assertEqual(targets("x += y"), ("x",))
        self.assertEqual(targets("return x"), ())
        self.assertEqual(targets("self.check(x, strict=True)"), ())

    def test_functions_are_no_modules(self):
        count = _torch_lifetimes.calls_of_modules
        self.assertEqual(count("x = F.relu(self.norm(x))"), 1)
        self.assertEqual(count("x = self.drop(self.dense(x))"), 2)

    def test_a_loop_over_modules_binds_the_name_each_time(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
        program = _torch_export.export(_torch_export.Step(model, None), (torch.rand(2, 4),), {})
        frames = _torch_lifetimes.frames_of(program.calls)
        loop = next(frame for frame in frames if len(frame.statements) == 3)
        self.assertEqual([statement.names for statement in loop.statements], [("input",)] * 3)


if __name__ == "__main__":
    if not TORCH:
        print("skipped: torch is not installed")
        sys.exit(77)
    unittest.main()
