"""memmodel.torch itself: what Python keeps alive; and, where torch is, modules that become networks."""

import functools
import importlib.util
import json
import sys
import unittest
import warnings

TORCH = importlib.util.find_spec("torch") is not None
GROUPS = False

if TORCH:
    import memmodel.torch
    import torch
    from memmodel import _torch_export, _torch_lifetimes
    from torch import nn
    from torch.nn import functional
    from torch.utils.checkpoint import checkpoint

    GROUPS = hasattr(torch, "_grouped_mm") and torch._C._dispatch_has_computed_kernel_for_dispatch_key(
        "aten::_grouped_mm", "CPU"
    )

    class Small(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3, padding=1)
            self.norm = nn.BatchNorm2d(8)
            self.head = nn.Linear(8, 10)

        def forward(self, x):
            x = functional.relu(self.norm(self.conv(x)))
            return self.head(x.mean((2, 3)))

    class Squares(nn.Module):
        def forward(self, y):
            return (y * y).mean()

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

    class Decides(nn.Module):
        """Whether the second layer is called depends on what is in a tensor."""

        def __init__(self, limit):
            super().__init__()
            self.first, self.second = nn.Linear(16, 16), nn.Linear(16, 16)
            self.norm = nn.BatchNorm1d(16)
            self.register_buffer("limit", torch.tensor(limit))

        def forward(self, x):
            x = self.norm(self.first(x))
            return self.second(x) if self.limit > 0 else x

    class Helped(nn.Module):
        """A method of another name has names of its own."""

        def half(self, x):
            scaled = x * 0.5
            power = scaled.exp()
            return power.sin()

        def forward(self, x):
            return self.half(x)

    @functools.lru_cache(maxsize=1)
    def squares(x):
        return (x * x).t()

    class Cached(nn.Module):
        """What a function has returned stays in its cache when the names are gone."""

        def __init__(self, function):
            super().__init__()
            self.function = function

        def forward(self, x):
            return self.function(x + 1).sum()

    class Data(nn.Module):
        def forward(self, x):
            return x.exp().data + 1

    class Stack(nn.Module):
        """Two blocks, each called by way of `call`."""

        def __init__(self, call):
            super().__init__()
            self.blocks = nn.ModuleList(
                nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32)) for _ in range(2)
            )
            self.call = call

        def forward(self, x):
            for block in self.blocks:
                x = self.call(block, x)
            return x

    class Curve(torch.autograd.Function):
        """x tanh(x) sigmoid(x), of which only x is kept."""

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * torch.tanh(x) * torch.sigmoid(x)

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return gradient * torch.tanh(x)

    class Curved(nn.Module):
        def __init__(self, curve):
            super().__init__()
            self.first = nn.Linear(16, 64)
            self.second = nn.Linear(64, 4)
            self.curve = curve

        def forward(self, x):
            return self.second(self.curve(self.first(x)))

    class Groups(nn.Module):
        """Rows of each group times a matrix of its own, as mixtures of experts have it."""

        def __init__(self, dtype):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(4, 32, 64, dtype=dtype))

        def forward(self, x, ends):
            return torch._grouped_mm(x, self.weight, offs=ends)

    class Asks(nn.Module):
        def forward(self, x):
            if not torch.compiler.is_compiling():
                raise RuntimeError("a run ends here")
            return x + 1

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(50, 16)
            self.head = nn.Linear(16, 50, bias=False)
            self.head.weight = self.table.weight

        def forward(self, x):
            return self.head(self.table(x))


def layers_of(network):
    """All of them, whatever scope they are in."""

    def walk(items):
        for item in items:
            if "scope" in item:
                yield from walk(item["layers"])
            else:
                yield item

    return list(walk(json.loads(network.to_json())["layers"]))


@unittest.skipUnless(TORCH, "torch is not installed")
class FromModule(unittest.TestCase):
    def test_the_batch_is_a_symbol(self):
        network = memmodel.torch.from_module(Small(), (torch.rand(4, 3, 16, 16),))
        self.assertEqual(network.symbols, ["batch"])
        fixed = memmodel.torch.from_module(Small(), (torch.rand(4, 3, 16, 16),), symbolic=False)
        self.assertEqual(fixed.symbols, [])
        self.assertEqual(memmodel.estimate(network, batch=4).step_peaks, memmodel.estimate(fixed).step_peaks)

    def test_the_target_of_a_loss_has_as_many_rows_as_the_batch(self):
        x, classes = torch.rand(4, 3, 16, 16), torch.zeros(4, dtype=torch.int64)
        own = {"loss": functional.cross_entropy, "target": classes}
        for options in ({"loss": "cross_entropy"}, {"loss": "mse"}, own):
            network = memmodel.torch.from_module(Small(), (x,), **options)
            self.assertEqual(network.symbols, ["batch"], options)
            for batch in (4, 6):
                larger = memmodel.torch.from_module(Small(), (torch.rand(batch, 3, 16, 16),), loss=options["loss"],
                    target=classes.new_zeros(batch) if "target" in options else None, symbolic=False)  # fmt: skip
                peaks = memmodel.estimate(network, batch=batch).step_peaks
                self.assertEqual(peaks, memmodel.estimate(larger).step_peaks, options)

    def test_a_target_is_made_without_running_the_module(self):
        model = Small()
        before = {name: buffer.clone() for name, buffer in model.named_buffers()}
        memmodel.torch.from_module(model, (torch.rand(4, 3, 16, 16),), loss="cross_entropy")
        for name, buffer in model.named_buffers():
            self.assertTrue(torch.equal(buffer, before[name]), name)
        with torch.device("meta"):
            nowhere, x = Small(), torch.rand(4, 3, 16, 16)
        self.assertEqual(memmodel.torch.from_module(nowhere, (x,), loss="cross_entropy").symbols, ["batch"])

    def test_what_it_returns_is_held_whether_the_batch_is_a_symbol_or_not(self):
        network = memmodel.torch.from_module(Returns(), (torch.rand(4, 8, 16),))
        fixed = memmodel.torch.from_module(Returns(), (torch.rand(4, 8, 16),), symbolic=False)
        self.assertEqual(network.symbols, ["batch"])
        self.assertEqual(memmodel.estimate(network, batch=4).step_peaks, memmodel.estimate(fixed).step_peaks)

    def test_a_function_keeps_what_it_saves_and_no_more(self):
        report = memmodel.torch.estimate(Curved(Curve.apply), (torch.rand(8, 16),), loss=torch.sum, optimizer="none")
        events = [event.bytes for event in report.trace]
        # after parameters and input, as PyTorch 2.13.0 allocates on CPU: linear, tanh, x tanh(x), sigmoid, result
        self.assertEqual(events[5:13], [2048, 2048, 2048, -2048, 2048, 2048, -2048, -2048])
        # x, two temporaries, the incoming gradient; parameters, input, two gradients, y's 128, loss, root
        self.assertEqual(report.step_peaks[0], 4 * 2048 + 5392 + 512 + 1024 + 16 + 128 + 4 + 4)
        self.assertEqual([entry.op for entry in report.unmodelled], [])

    def test_a_function_scales_with_a_symbolic_batch(self):
        network = memmodel.torch.from_module(Curved(Curve.apply), (torch.rand(8, 16),))
        fixed = memmodel.torch.from_module(Curved(Curve.apply), (torch.rand(4, 16),), symbolic=False)
        self.assertEqual(network.symbols, ["batch"])
        self.assertEqual(memmodel.estimate(network, batch=4).step_peaks, memmodel.estimate(fixed).step_peaks)

    def test_casts_that_depend_on_a_type_are_those_of_a_run_under_autocast(self):
        class Shares(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(16, 8)

            def forward(self, x):
                y = self.linear(x)
                return torch.softmax(y, -1, dtype=torch.float32).to(y.dtype)

        plain = memmodel.torch.from_module(Shares(), (torch.rand(4, 16),))
        under = memmodel.torch.from_module(Shares(), (torch.rand(4, 16),), precision="bfloat16")
        self.assertNotIn("aten.to.dtype", plain.to_json())
        self.assertIn("aten.to.dtype", under.to_json())

    def test_the_instruction_set_is_this_machines_by_default(self):
        module, x = nn.Conv2d(17, 40, 3), (torch.rand(2, 17, 20, 20),)
        own = memmodel.torch.estimate(module, x).step_peaks
        by_isa = {isa: memmodel.torch.estimate(module, x, isa=isa).step_peaks for isa in ("avx2", "avx512")}
        self.assertNotEqual(by_isa["avx2"], by_isa["avx512"])
        capability = torch.backends.cpu.get_cpu_capability().lower()
        if capability not in by_isa:
            self.skipTest(f"rules for {capability}")
        self.assertEqual(own, by_isa[capability])

    def test_tied_weights_are_one(self):
        report = memmodel.torch.estimate(Tied(), (torch.randint(0, 50, (2, 5)),))
        self.assertEqual(report.total.parameter_count, 50 * 16)

    def test_frozen_parameters_are_not_trained(self):
        model = Small()
        for parameter in model.conv.parameters():
            parameter.requires_grad_(False)
        report = memmodel.torch.estimate(model, (torch.rand(2, 3, 16, 16),))
        self.assertEqual(report.total.trainable_count, 8 + 8 + 8 * 10 + 10)

    def test_layers_have_the_names_of_modules(self):
        report = memmodel.torch.estimate(Small(), (torch.rand(2, 3, 16, 16),))
        names = [layer.name for layer in report.layers]
        self.assertIn("conv.conv2d", names)
        self.assertIn("head.linear", names)

    def test_a_loss_that_is_a_module_is_none_of_the_models(self):
        model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 64))
        network = memmodel.torch.from_module(model, (torch.zeros(32, 64),), loss=Squares())
        layers = json.loads(network.to_json())["layers"]
        scopes = [layer["scope"] for layer in layers if "scope" in layer]
        self.assertEqual(scopes[-1], "(loss)")
        for name in scopes[:-1]:
            model.get_submodule(name)

    def test_where_a_value_decides_the_calls_are_those_of_its_answer(self):
        counts = {}
        for limit in (1.0, -1.0):
            module = Decides(limit)
            network = memmodel.torch.from_module(module, (torch.rand(4, 16),))
            counts[limit] = sum(part.get("op") == "linear" for part in layers_of(network))
            self.assertEqual(module.norm.running_mean.abs().max(), 0)
            self.assertEqual(module.norm.num_batches_tracked, 0)
        self.assertEqual(counts, {1.0: 2, -1.0: 1})
        self.assertTrue(torch.ones(1))

    @unittest.skipUnless(GROUPS, "this torch has no aten._grouped_mm on the CPU")
    def test_products_of_groups_are_those_of_a_run(self):
        x, ends = torch.zeros(64, 32), torch.tensor([16, 32, 48, 64], dtype=torch.int32)
        Groups(torch.float32)(x, ends)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            report = memmodel.torch.estimate(Groups(torch.float32), (x, ends), loss=lambda y: y.pow(2).sum())
        self.assertEqual(report.unmodelled, [])
        self.assertIn("_grouped_mm", str([layer.name for layer in report.layers]))

    def test_products_of_bfloat16_in_kernels_that_are_not_modelled_are_named(self):
        for rows, isa, named in ((64, "amx", True), (2, "amx", False), (64, "avx512", False), (64, "avx2", False)):
            x = torch.zeros(rows, 64, dtype=torch.bfloat16)  # times 16 columns: more than 4096 multiplications, or less
            report = memmodel.torch.estimate(nn.Linear(64, 16, dtype=torch.bfloat16), (x,), isa=isa)
            self.assertEqual([part.op for part in report.unmodelled], ["product of bfloat16"] * named)

    @unittest.skipUnless(GROUPS, "this torch has no aten._grouped_mm on the CPU")
    def test_groups_of_products_of_bfloat16_are_named(self):
        x, ends = torch.zeros(64, 32, dtype=torch.bfloat16), torch.tensor([16, 32, 48, 64], dtype=torch.int32)
        report = memmodel.torch.estimate(Groups(torch.bfloat16), (x, ends), mode="inference", isa="avx512")
        self.assertEqual([part.op for part in report.unmodelled], ["product of bfloat16"])

    def test_another_branch_than_that_of_a_run_is_reported(self):
        with self.assertWarnsRegex(UserWarning, "another branch"):
            memmodel.torch.from_module(Asks(), (torch.rand(4, 16),), mode="inference")

    def test_a_function_that_forward_calls_holds_its_names_until_it_returns(self):
        x = torch.rand(256, 256)
        report = memmodel.torch.estimate(Helped(), (x,), mode="inference")
        self.assertGreaterEqual(report.step_peaks[0], 4 * x.nbytes)  # x, scaled, power and its sine
        self.assertLess(report.step_peaks[0], 4 * x.nbytes + 64)

    def test_what_a_cache_keeps_is_there_until_it_is_filled_anew(self):
        x = torch.rand(256, 256)
        cached, plain = (
            memmodel.torch.estimate(Cached(function), (x,), mode="inference").step_peaks
            for function in (squares, squares.__wrapped__)
        )
        self.assertLess(cached[0] - plain[0], 64)  # x, x + 1 and its square, both times
        self.assertAlmostEqual(cached[1] - plain[1], 2 * x.nbytes, delta=64)
        self.assertEqual(squares.cache_info().currsize, 0)  # none that have no memory

    def test_data_is_a_tensor_without_gradient(self):
        x = torch.rand(256, 256)
        report = memmodel.torch.estimate(Data(), (x,), mode="inference")
        self.assertAlmostEqual(report.step_peaks[0], 3 * x.nbytes, delta=64)

    def test_the_module_is_left_as_it_was(self):
        model = Small()
        before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        model.eval()
        memmodel.torch.estimate(model, (torch.rand(2, 3, 16, 16),), mode="inference")
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

    def peaks_with(self, optimizer):
        """optimizer: a function of the module"""
        module = Small()
        return memmodel.torch.estimate(module, (torch.rand(2, 3, 16, 16),), optimizer=optimizer(module)).step_peaks

    def test_an_optimizer_may_be_an_instance(self):
        peaks = self.peaks_with(lambda module: torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9))
        self.assertEqual(peaks, self.estimate(optimizer="momentum").step_peaks)

    def test_an_optimizer_has_the_parameters_that_it_was_given(self):
        peaks = self.peaks_with(lambda module: torch.optim.Adam(module.head.parameters()))
        self.assertEqual(peaks, self.estimate(optimizer="adam: head.*").step_peaks)
        self.assertNotEqual(peaks, self.estimate(optimizer="adam").step_peaks)
        groups = self.peaks_with(lambda module: torch.optim.SGD([
            {"params": [p for p in module.parameters() if p.dim() > 1], "momentum": 0.9},
            {"params": [p for p in module.parameters() if p.dim() < 2]},
        ], lr=0.1))  # fmt: skip
        self.assertEqual(groups, self.estimate(optimizer="momentum: conv.weight, head.weight; sgd").step_peaks)

    def test_an_optimizer_of_another_model_is_refused(self):
        with self.assertRaisesRegex(ValueError, "6 of its 6 parameters are none of the module's"):
            self.peaks_with(lambda _: torch.optim.Adam(Small().parameters()))
        with self.assertRaisesRegex(ValueError, "2 of its 8 parameters are none of the module's"):
            self.peaks_with(lambda module: torch.optim.Adam([*module.parameters(), *Small().head.parameters()]))

    def test_what_is_not_supported_is_said(self):
        for options, part in (
            ({"loss": "hinge"}, "hinge"),
            ({"target": torch.zeros(2)}, "target"),
            ({"precision": "float8"}, "float8"),
            ({"device": "mps"}, "mps"),
            ({"device": "cuda", "gpu": "voodoo"}, "voodoo"),
            ({"optimizer": torch.optim.LBFGS(Small().parameters())}, "LBFGS"),
        ):
            with self.assertRaisesRegex((ValueError, memmodel.MemmodelError), part):
                self.estimate(**options)

    def test_arguments_of_another_kind_are_named(self):
        x = (torch.rand(2, 3, 16, 16),)
        for arguments, part in ((("Small", x), "module"), ((Small(), "x"), "args"), ((Small(), 1), "args")):
            with self.assertRaisesRegex(TypeError, part):
                memmodel.torch.estimate(*arguments)

    def test_foreach_and_fused_instances_are_theirs(self):
        for options, job in (({"foreach": True}, "adam(foreach)"), ({"fused": True}, "adam(fused)")):
            peaks = self.peaks_with(lambda module, options=options: torch.optim.Adam(module.parameters(), **options))
            self.assertEqual(peaks, self.estimate(optimizer=job).step_peaks)

    def test_a_gpu_has_a_kind_and_an_allocator(self):
        ampere, hopper = (self.estimate(device="cuda", gpu=gpu, loss="cross_entropy") for gpu in ("a100", "h200"))
        self.assertFalse(ampere.validated)
        self.assertEqual(hopper.peak.live - ampere.peak.live, 2 * ((32 << 20) - (8192 + 128) * 1024))
        with self.assertRaises(memmodel.MemmodelError):
            self.estimate(device="cuda", allocator_settings="backend:cudaMallocAsync")

    def test_kept_gradients_are_there_when_the_next_step_begins(self):
        kept, released = self.estimate(keep_gradients=True, optimizer="sgd"), self.estimate(optimizer="sgd")
        self.assertGreater(kept.step_peaks[1], released.step_peaks[1])
        self.assertEqual(kept.step_peaks[0], released.step_peaks[0])

    def test_accumulated_gradients_are_there_in_the_second_batch(self):
        self.assertEqual(
            self.estimate(gradient_accumulation=2, optimizer="sgd", steps=1).step_peaks[0],
            self.estimate(keep_gradients=True, optimizer="sgd", steps=2).step_peaks[1],
        )

    def test_predictions_with_autograd_keep_what_a_backward_pass_needs(self):
        plain, graph = self.estimate(mode="inference"), self.estimate(mode="forward")
        self.assertGreater(graph.step_peaks[1], plain.step_peaks[1])


@unittest.skipUnless(TORCH, "torch is not installed")
class Checkpoints(unittest.TestCase):
    """What a module puts into torch.utils.checkpoint is seen, and the same as what the job names."""

    def names(self, network):
        def walk(items, before):
            for item in items:
                if "scope" in item:
                    if item.get("checkpoint"):
                        yield before + item["scope"]
                    yield from walk(item["layers"], before + item["scope"] + ".")

        return list(walk(json.loads(network.to_json())["layers"], ""))

    def test_a_module_that_is_called_through_checkpoint(self):
        x = (torch.rand(8, 32),)
        for reentrant in (False, True):
            module = Stack(lambda block, x, how=reentrant: checkpoint(block, x, use_reentrant=how))
            given = torch.rand(8, 32, requires_grad=reentrant)  # else no loss requires a gradient
            self.assertEqual(self.names(memmodel.torch.from_module(module, (given,))), ["blocks.0", "blocks.1"])
        marked = memmodel.torch.estimate(Stack(lambda block, x: checkpoint(block, x, use_reentrant=False)), x)
        named = memmodel.torch.estimate(Stack(lambda block, x: block(x)), x, checkpoint="blocks.*")
        listed = memmodel.torch.estimate(Stack(lambda block, x: block(x)), x, checkpoint=["blocks.0", "blocks.1"])
        self.assertEqual(marked.step_peaks, named.step_peaks)
        self.assertEqual(marked.step_peaks, listed.step_peaks)

    def test_a_function_that_is_called_through_checkpoint_is_a_scope_of_its_own(self):
        module = Stack(lambda block, x: checkpoint(lambda x: block(x) + 1, x, use_reentrant=False))
        names = self.names(memmodel.torch.from_module(module, (torch.rand(8, 32),)))
        self.assertEqual(names, ["checkpoint", "checkpoint"])

    def test_checkpoint_is_as_it_was(self):
        before = torch.utils.checkpoint.CheckpointFunction
        memmodel.torch.from_module(Stack(lambda block, x: block(x)), (torch.rand(8, 32),))
        self.assertIs(torch.utils.checkpoint.CheckpointFunction, before)

    def test_what_is_wrapped_learns_the_same_and_keeps_less(self):
        def saved(wrapped):
            torch.manual_seed(0)
            module, x = nn.Sequential(*(nn.Linear(8, 8) for _ in range(5))), torch.rand(4, 8)
            memmodel.torch.apply_checkpointing(module, wrapped)
            kept = []
            with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
                loss = module(x).square().mean()
                count = len(kept)
                loss.backward()
            return loss, [p.grad for p in module.parameters()], count

        plain, wrapped = saved(()), saved((("1", "2", "3"), ("4",)))
        torch.testing.assert_close(wrapped[:2], plain[:2], rtol=0, atol=0)
        self.assertLess(wrapped[2], plain[2])

    def test_a_module_to_wrap_that_is_none_is_said_and_nothing_wrapped(self):
        module = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
        with self.assertRaisesRegex(AttributeError, "7"):
            memmodel.torch.apply_checkpointing(module, [("0",), ("7",)])
        self.assertNotIn("forward", vars(module[0]))

    def test_a_name_that_is_none_is_said(self):
        with self.assertRaisesRegex(memmodel.MemmodelError, "layer.x"):
            memmodel.torch.estimate(Stack(lambda block, x: block(x)), (torch.rand(8, 32),), checkpoint="layer.x")


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
        program = _torch_export.export(_torch_export.Step(model, None), ((torch.rand(2, 4),), {}))
        frames = _torch_lifetimes.frames_of(program.calls)
        loop = next(frame for frame in frames if len(frame.statements) == 3)
        self.assertEqual([statement.names for statement in loop.statements], [("input",)] * 3)


if __name__ == "__main__":
    if not TORCH:
        print("skipped: torch is not installed")
        sys.exit(77)
    unittest.main()
