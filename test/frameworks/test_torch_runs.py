"""memmodel.torch answers what an eager run calls: the branch that a run takes, or a report that says otherwise."""

import functools
import importlib.util
import itertools
import json
import random
import sys
import unittest
import warnings

TORCH = importlib.util.find_spec("torch") is not None

if TORCH:
    import memmodel.torch
    import torch
    import torch._dynamo.external_utils
    from memmodel import _torch_questions
    from torch import nn
    from torch._guards import detect_fake_mode
    from torch.compiler import is_compiling  # a name of its own
    from torch.fx.experimental.proxy_tensor import get_proxy_mode
    from torch.nn import functional
    from torch.utils._python_dispatch import _get_current_dispatch_mode

    class Branches(nn.Module):
        """Takes a sine where the question is answered by yes, and in a run notes which it was."""

        def __init__(self, question):
            super().__init__()
            self.linear, self.question, self.taken = nn.Linear(16, 16), question, None

        def forward(self, x):
            x = self.linear(x)
            asked = bool(self.question(x))
            self.taken = "sin" if asked else "exp"
            return x.sin() if asked else x.exp()

    QUESTIONS = {
        "is_compiling, imported": lambda _: is_compiling(),
        "torch._dynamo.is_compiling": lambda _: torch._dynamo.is_compiling(),
        "torch._dynamo.external_utils.is_compiling": lambda _: torch._dynamo.external_utils.is_compiling(),
        "a proxy": lambda _: get_proxy_mode() is not None,
        "a dispatch mode": lambda _: _get_current_dispatch_mode() is not None,
        "a fake mode": lambda x: detect_fake_mode(x) is not None,
    }
    ABOUT_GRADIENTS = {
        "grad mode": lambda _: torch.is_grad_enabled(),
        "requires_grad": lambda x: x.requires_grad,
        "grad_fn": lambda x: x.grad_fn is not None,
        "not a leaf": lambda x: not x.is_leaf,
    }

    class Experts(nn.Module):
        """Each row goes through two of three experts; how many each gets, values say."""

        def __init__(self):
            super().__init__()
            self.route = nn.Linear(16, 3)
            self.experts = nn.ModuleList(nn.Linear(16, 16) for _ in range(3))

        def forward(self, x):
            weights, chosen = self.route(x).softmax(-1).topk(2, -1)
            y = torch.zeros_like(x)
            for number, expert in enumerate(self.experts):
                rows, places = torch.where(chosen == number)
                y[rows] += expert(x[rows]) * weights[rows, places, None]
            return y

    class Counts(nn.Module):
        def __init__(self):
            super().__init__()
            self.calls, self.kept, self.linear = 0, [], nn.Linear(16, 16)

        def forward(self, x):
            self.calls += 1
            self.kept.append(self.linear(x))
            return self.kept[-1]

    class Does(nn.Module):
        """What the function says, with two layers, counters, buffers and a list."""

        all_calls = 0

        def __init__(self, function):
            super().__init__()
            self.first, self.second = nn.Linear(16, 16), nn.Linear(16, 16)
            self.plain = [nn.Linear(16, 16)]
            self.function, self.calls, self.kept, self.numbers = function, 0, [], itertools.count()
            self.register_buffer("count", torch.zeros((), dtype=torch.int64))
            self.register_buffer("average", torch.zeros(4, 16))

        def forward(self, x):
            return self.function(self, x)

    def other_from_the_second_call(module, x):
        module.calls += 1
        return module.second(module.first(x)) if module.calls > 1 else module.first(x)

    def other_when_a_buffer_has_counted_to_three(module, x):
        module.count.add_(1)
        return module.second(module.first(x)) if int(module.count) == 3 else module.first(x)

    def other_from_the_fourth_call(module, x):
        module.calls += 1
        return module.second(module.first(x)) if module.calls > 3 else module.first(x)

    def other_when_a_buffer_has_counted_to_a_hundred(module, x):
        module.count.add_(1)
        return module.second(module.first(x)) if int(module.count) == 100 else module.first(x)

    def counts_in_its_class(module, x):
        Does.all_calls += 1
        return module.first(x)

    def counts_in_an_object(module, x):
        module.kept[:] = [len(module.kept), next(module.numbers)]
        return module.first(x)

    def made_in_the_first_call(module, x):
        if not module.kept:
            module.kept.append(torch.ones(16, 16).tril())
        return module.first(x) @ module.kept[0]

    def keeps_one_more(module, x):
        y = module.first(x)
        module.kept.append(y.detach())
        return y

    def binds_a_buffer_anew(module, x):
        module.average = module.average * 0.9 + module.first(x).detach()
        return module.first(x) - module.average

    def decided_by_weights(module, x):
        return module.first(x) if module.first.weight.sum() > 100 else module.second(x)

    def decided_by_random_numbers(module, x):
        return module.first(x) if torch.rand(()) < 2 else module.second(x)

    def draws_in_python(module, x):
        return module.first(x) * random.random()

    def computes_in_numpy(module, x):
        y = module.first(x)
        return y * torch.from_numpy(y.detach().numpy() ** 2)

    def hooks_a_gradient(module, x):
        y = module.first(x)
        y.register_hook(lambda gradient: gradient.exp())
        return y

    CHANGING = {
        other_from_the_second_call: "unlike the first step: aten.addmm.default",
        other_when_a_buffer_has_counted_to_three: "unlike the first step: aten.addmm.default",
        other_from_the_fourth_call: "changes in each step: calls",
        other_when_a_buffer_has_counted_to_a_hundred: "decided by buffers",
        counts_in_its_class: "changes in each step: Does.all_calls",
        counts_in_an_object: "changes in each step: kept, numbers",
        made_in_the_first_call: "unlike the first step: aten.addmm.default",
        keeps_one_more: "kept by each run",
        binds_a_buffer_anew: "bound anew",
        decided_by_weights: "decided by parameters",
        decided_by_random_numbers: "decided by random numbers",
        draws_in_python: "random numbers",
        computes_in_numpy: "memory of NumPy",
        hooks_a_gradient: "hooks of gradients",
        lambda module, x: module.plain[0](module.first(x)): "parameter of no module",
    }

    def writes_into_a_buffer(module, x):
        module.count.add_(1)
        module.average.mul_(0.9).add_(module.first(x).detach(), alpha=0.1)
        return module.first(x) - module.average

    def notes_what_it_was_handed(module, x):
        module.last_size, module.is_warm, module.table = tuple(x.shape), True, {"rows": len(x)}
        return module.first(x)

    class CountedLoss:
        def __init__(self):
            self.calls = 0

        def __call__(self, y):
            self.calls += 1
            return y.sum()

        def method(self, y):
            return self(y)

    def enclosing():
        calls = 0

        def loss(y):
            nonlocal calls
            calls += 1
            return y.sum()

        return loss

    CALLS = {"of the file": 0}

    def of_the_file(y):
        CALLS["of the file"] += 1
        return y.sum()

    def holds_the_last_result(module, x):
        module.kept[:] = [module.first(x)]
        return module.kept[0].clone()


def operations(network):
    def walk(items):
        for item in items:
            yield from walk(item["layers"]) if "scope" in item else [item]

    return json.dumps(list(walk(json.loads(network.to_json())["layers"])))


@unittest.skipUnless(TORCH, "torch is not installed")
class Runs(unittest.TestCase):
    def taken_in_a_run(self, question, x, *, no_grad):
        module = Branches(question)
        with torch.set_grad_enabled(not no_grad):
            module(x)
        return module.taken

    def branch_is_that_of_a_run(self, question, **options):
        """options: those of from_module()"""
        x = torch.rand(4, 16)
        no_grad = options.get("mode") == "inference"
        network = memmodel.torch.from_module(Branches(question), (x,), **options)
        found = operations(network)
        taken = self.taken_in_a_run(question, x, no_grad=no_grad)
        self.assertEqual(["sin" in found, "exp" in found], [taken == "sin", taken == "exp"])

    def test_questions_about_tracing_are_answered_as_in_a_run(self):
        for name, question in QUESTIONS.items():
            with self.subTest(name):
                self.branch_is_that_of_a_run(question)
                self.branch_is_that_of_a_run(question, mode="inference", symbolic=False)

    def test_the_functions_that_were_asked_are_as_they_were(self):
        before = [function.__code__ for function, _ in _torch_questions.IN_A_RUN]
        memmodel.torch.from_module(Branches(QUESTIONS["a proxy"]), (torch.rand(4, 16),))
        self.assertEqual([function.__code__ for function, _ in _torch_questions.IN_A_RUN], before)

    def test_predictions_are_made_without_gradients_by_default(self):
        for name, question in ABOUT_GRADIENTS.items():
            for options in ({}, {"mode": "inference"}, {"mode": "forward"}):
                with self.subTest(name, options=options):
                    self.branch_is_that_of_a_run(question, **options)

    def test_sizes_that_values_decide_are_those_of_a_run(self):
        torch.manual_seed(0)
        module, x = Experts(), torch.rand(64, 16)
        rows = [(module.route(x).topk(2, -1).indices == number).sum().item() for number in range(3)]
        report = memmodel.torch.estimate(module, (x,), loss=lambda y: y.sum())
        experts = [layer for layer in report.layers if layer.name.startswith("experts") and layer.multiply_adds]
        counts = [layer.multiply_adds // (16 * 16) for layer in experts]
        self.assertEqual(counts, rows)

    def test_what_a_run_calls_and_no_graph_has_is_named(self):
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
        with self.assertWarnsRegex(UserWarning, "a run calls aten._transformer_encoder_layer_fwd"):
            network = memmodel.torch.from_module(layer, (torch.rand(2, 8, 16),), mode="inference", symbolic=False)
        report = memmodel.estimate(network, mode="inference")
        name = "unlike a run: aten._transformer_encoder_layer_fwd.default"
        self.assertIn(name, [part.op for part in report.unmodelled])
        self.assertIn(name, repr(report))

    def unmodelled(self, function, **options):
        options = options or {"loss": lambda y: y.sum()}
        options = {"mode": "training", "target": None} | options
        network = memmodel.torch.from_module(Does(function), (torch.rand(4, 16),), symbolic=False, **options)
        return [part.op for part in memmodel.estimate(network, mode=options["mode"]).unmodelled]

    def test_what_no_answer_for_every_step_has_is_named(self):
        for function, name in CHANGING.items():
            with self.subTest(function.__name__), warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                self.assertIn(name, self.unmodelled(function))
                self.assertTrue([each for each in warned if "memmodel.torch: " in str(each.message)])

    def test_steps_that_are_all_alike_are_not_warned_of(self):
        for function in (writes_into_a_buffer, holds_the_last_result, notes_what_it_was_handed):
            with self.subTest(function.__name__):
                self.assertEqual(self.unmodelled(function), [])

    def test_a_step_under_autocast_casts_its_parameters_anew(self):
        options = {"loss": lambda y: y.sum(), "precision": "bfloat16"}
        self.assertEqual(self.unmodelled(lambda module, x: module.first(x), **options), [])

    def test_zeros_that_a_spectrum_is_written_into_are_complex(self):
        def keeps_low_frequencies(module, x):
            kept = torch.zeros(4, 9, dtype=torch.complex64)
            kept[:, :4] = torch.fft.rfft(module.first(x))[:, :4]
            return torch.fft.irfft(kept, n=16)

        self.assertEqual(self.unmodelled(keeps_low_frequencies), [])

    def test_losses_that_count_are_named(self):
        counters = {
            CountedLoss(): "loss.calls",
            CountedLoss().method: "loss.calls",
            functools.partial(CountedLoss()): "loss.calls",
            enclosing(): "enclosing.<locals>.loss.calls",
            of_the_file: f"{__name__}.CALLS",
        }
        for loss, name in counters.items():
            with self.subTest(name), self.assertWarnsRegex(UserWarning, "changes in each step: 3 were looked at"):
                self.assertEqual(self.unmodelled(lambda module, x: module.first(x), loss=loss),
                                 [f"changes in each step: {name}"])  # fmt: skip

    def test_a_counter_in_a_part_is_named_by_its_path(self):
        model = nn.Sequential(nn.Linear(16, 16), Does(other_from_the_fourth_call))
        with self.assertWarnsRegex(UserWarning, "1.calls changes in each step"):
            memmodel.torch.estimate(model, (torch.rand(4, 16),), loss=lambda y: y.sum())

    def test_predictions_do_not_change_what_decides_about_them(self):
        self.assertEqual(self.unmodelled(decided_by_weights, mode="inference"), [])

    def test_one_hot_is_made_as_in_a_run(self):
        network = memmodel.torch.from_module(
            Does(lambda module, x: module.first(x) * functional.one_hot(torch.full((4,), 3), 16)), (torch.rand(4, 16),)
        )
        self.assertIn("aten.scatter_", operations(network))

    def test_attributes_are_left_as_they_were(self):
        module = Counts()
        memmodel.torch.from_module(module, (torch.rand(4, 16),), loss=functional.mse_loss, target=torch.rand(4, 16))
        self.assertEqual((module.calls, module.kept), (0, []))


if __name__ == "__main__":
    if not TORCH:
        print("skipped: torch is not installed")
        sys.exit(77)
    unittest.main()
