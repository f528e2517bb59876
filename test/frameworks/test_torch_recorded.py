"""memmodel.torch.estimate() of modules that no graph follows: recorded, and equal to a run by PyTorch's profiler."""

import importlib.util
import unittest
import warnings

TORCH = importlib.util.find_spec("torch") is not None

if TORCH:
    import compare_loops
    import memmodel.torch
    import torch
    from torch import nn

    class Does(nn.Module):
        """What the function says, with layers from `inputs` on to 64, 256 and 64, a recurrent cell and a counter."""

        def __init__(self, function, inputs=64):
            super().__init__()
            self.first, self.wide, self.narrow = nn.Linear(inputs, 64), nn.Linear(64, 256), nn.Linear(256, 64)
            self.cell, self.function, self.calls = nn.GRUCell(inputs, 32), function, 0

        def forward(self, *given):
            return self.function(self, *given)

    # ---- what a graph has ----

    def branches_on_a_value(module, x):
        y = module.first(x)
        return module.narrow(module.wide(y).relu()) if y.abs().max() > 0.01 else y

    def loops_over_lengths(module, x, lengths):
        state = x.new_zeros(len(x), 32)
        for position in range(int(lengths.max())):
            state = module.cell(x[:, position], state)
        return state

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            context.save_for_backward(x)
            return x.clamp(-1, 1) * 2

        @staticmethod
        def backward(context, gradient):
            (x,) = context.saved_tensors
            return gradient * (x.abs() <= 1) * 2

    # ---- what no graph has ----

    def routes_to_experts(module, x):
        weights, chosen = module.first(x).softmax(-1)[:, :4].max(-1)
        y = torch.zeros_like(x)
        for expert in range(4):
            rows = (chosen == expert).nonzero().squeeze(1)
            if rows.numel():
                y = y.index_add(0, rows, module.narrow(module.wide(x[rows]).relu()) * weights[rows, None])
        return y

    def differentiates(module, x):
        x = x.clone().requires_grad_()
        return torch.autograd.grad(module.first(x).tanh().sum(), x, create_graph=True)[0]

    def maps_a_jacobian(module, x):
        return torch.func.vmap(torch.func.jacrev(lambda row: module.first(row).tanh()))(x)

    def packs_a_sequence(module, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        return module.first(packed.data)

    def goes_deeper_each_time(module, x):
        module.calls += 1
        for _ in range(module.calls):
            x = module.first(x).relu()
        return x

    def hooks_a_gradient(module, x):
        y = module.wide(x)
        y.register_hook(lambda gradient: gradient.clamp(-1, 1).exp())
        return module.narrow(y)

    class Signed(torch.optim.Optimizer):
        """Lion."""

        def __init__(self, parameters):
            super().__init__(parameters, {"lr": 1e-4})

        @torch.no_grad()
        def step(self):
            for group in self.param_groups:
                for parameter in group["params"]:
                    average = self.state[parameter].setdefault("average", torch.zeros_like(parameter))
                    parameter.add_(average.lerp(parameter.grad, 0.1).sign(), alpha=-group["lr"])
                    average.lerp_(parameter.grad, 0.01)

    ROWS, WORDS, LENGTHS = (32, 64), (4, 9, 16), (3, 9, 5, 7)
    BY_RULES = {
        branches_on_a_value: ROWS,
        loops_over_lengths: WORDS,
        lambda module, x: Doubled.apply(module.wide(x)): ROWS,
    }
    RECORDED = {
        routes_to_experts: ROWS,
        differentiates: ROWS,
        maps_a_jacobian: ROWS,
        packs_a_sequence: WORDS,
        goes_deeper_each_time: ROWS,
        hooks_a_gradient: ROWS,
    }


def made(function, shape):
    """A module, and what it is called with."""
    torch.manual_seed(0)
    module, x = Does(function, shape[-1]), torch.randn(shape)
    return (module, x, torch.tensor(LENGTHS)) if len(shape) == 3 else (module, x)


def mean_of_squares(y):
    return y.pow(2).mean()


def peaks_of_a_run(function, shape, optimizer, batches=1):
    """Of the loop that estimate() is about."""

    def train():
        module, *given = made(function, shape)
        updates = optimizer([part for part in module.parameters() if part.requires_grad])
        for _ in range(3):
            for _ in range(batches):
                y = module(*given)
                loss = mean_of_squares(y)
                loss.backward()
            updates.step()
            updates.zero_grad()

    return compare_loops.peaks(compare_loops.real_events(train))


@unittest.skipUnless(TORCH, "torch is not installed")
class Recorded(unittest.TestCase):
    def estimated(self, function, shape, **options):
        module, *given = made(function, shape)
        with warnings.catch_warnings(record=True) as self.warned:
            warnings.simplefilter("always")
            return memmodel.torch.estimate(module, tuple(given), loss=mean_of_squares, **options)

    def test_what_a_graph_follows_is_answered_by_rules(self):
        for function, shape in BY_RULES.items():
            with self.subTest(function.__name__):
                report = self.estimated(function, shape)
                self.assertEqual(report.engine, "rules")
                self.assertEqual(report.step_peaks, peaks_of_a_run(function, shape, torch.optim.Adam))

    def test_what_no_graph_follows_is_recorded(self):
        for function, shape in RECORDED.items():
            with self.subTest(function.__name__):
                report = self.estimated(function, shape)
                self.assertEqual(report.engine, "tensors without memory")
                self.assertIn("by tensors without memory", repr(report))
                self.assertIn("recorded, as rules do not answer it", str([str(each.message) for each in self.warned]))
                self.assertEqual(report.step_peaks, peaks_of_a_run(function, shape, torch.optim.Adam))

    def test_options_of_the_loop_are_those_of_the_run(self):
        report = self.estimated(differentiates, ROWS, optimizer="sgd(momentum=0.9)", gradient_accumulation=2)

        def sgd(parameters):
            return torch.optim.SGD(parameters, momentum=0.9)

        self.assertEqual(report.step_peaks, peaks_of_a_run(differentiates, ROWS, sgd, 2))
        report = self.estimated(goes_deeper_each_time, ROWS, optimizer="none", mode="forward", steps=2)
        self.assertEqual(len(report.step_peaks), 2)

    def test_an_optimizer_of_ones_own_is_recorded(self):
        module, *given = made(lambda module, x: module.narrow(module.wide(module.first(x))), ROWS)
        del module.cell
        optimizer = Signed(module.parameters())
        with self.assertWarnsRegex(UserWarning, "Signed is not supported"):
            report = memmodel.torch.estimate(module, tuple(given), loss=mean_of_squares, optimizer=optimizer)
        self.assertEqual(dict(optimizer.state), {})
        self.assertEqual(len(report.step_peaks), 3)  # giving it back its state is no step
        # parameters, their gradients, and one average each
        self.assertEqual(report.categories["optimizer state"], sum(part.nbytes for part in module.parameters()))

    def test_on_a_gpu_it_is_the_loop_with_everything_there(self):
        module, *given = made(differentiates, ROWS)
        optimizer = torch.optim.Adam(module.parameters())
        options = {"device": "cuda", "gpu": "h100", "precision": "bfloat16"}
        with self.assertWarnsRegex(UserWarning, "recorded, as rules do not answer it"):
            report = memmodel.torch.estimate(
                module, tuple(given), loss=mean_of_squares, optimizer=optimizer, **options
            )  # fmt: skip
        self.assertEqual(report.step_peaks, self.recorded_on_a_gpu())
        self.assertTrue(all(part.device.type == "cpu" for part in module.parameters()))
        self.assertEqual(list(map(id, optimizer.param_groups[0]["params"])), list(map(id, module.parameters())))

    def recorded_on_a_gpu(self):
        with memmodel.torch.record(gpu="h100") as recording:
            module, *given = made(differentiates, ROWS)
            module, given = module.cuda(), [part.cuda() for part in given]
            optimizer = torch.optim.Adam([part for part in module.parameters() if part.requires_grad])
            while True:
                with torch.autocast("cuda", torch.bfloat16):
                    y = module(*given)
                    loss = mean_of_squares(y)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
        return recording.report().step_peaks

    def test_what_is_tied_stays_so_on_a_gpu(self):
        module, *given = made(lambda module, x: differentiates(module, module.tied(x)), ROWS)
        module.tied = nn.Linear(ROWS[1], ROWS[1])
        module.tied.weight = module.first.weight
        options = {"device": "cuda", "gpu": "h100", "optimizer": "sgd", "loss": mean_of_squares}
        with self.assertWarnsRegex(UserWarning, "recorded, as rules do not answer it"):
            report = memmodel.torch.estimate(module, tuple(given), **options)
        self.assertEqual(report.categories["parameters"], sum(part.nbytes for part in module.parameters()))
        self.assertIs(module.tied.weight, module.first.weight)

    def test_what_rules_alone_answer_is_refused_by_name(self):
        module, *given = made(differentiates, ROWS)
        with self.assertRaisesRegex(RuntimeError, "only rules answer checkpoint='first'"):
            memmodel.torch.estimate(module, tuple(given), loss=mean_of_squares, checkpoint="first")
        with self.assertRaisesRegex(NotImplementedError, "what_if"):
            self.estimated(differentiates, ROWS).what_if  # noqa: B018

    def test_the_module_is_left_as_it_was(self):
        module, *given = made(goes_deeper_each_time, ROWS)
        before = {name: part.clone() for name, part in module.state_dict().items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            memmodel.torch.estimate(module, tuple(given), loss=mean_of_squares)
        self.assertEqual(module.calls, 0)
        self.assertTrue(all(part.grad is None for part in module.parameters()))
        self.assertTrue(all(torch.equal(part, before[name]) for name, part in module.state_dict().items()))


if __name__ == "__main__":
    unittest.main()
