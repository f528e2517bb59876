"""memmodel.torch.record(): what a training loop takes as it is written, and what it leaves as it was."""

import contextlib
import functools
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TORCH, TRANSFORMERS = (importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))
MEASURED = Path(__file__).resolve().parents[1] / "data/pytorch_loops/peaks.json"

if TORCH:
    import memmodel.torch
    import numpy
    import torch
    import torch.nn.functional as F
    from compare_loops import peaks, real_events
    from loops import LOOPS
    from memmodel._record_mode import Recorder
    from memmodel._torch_eager import with_module
    from memmodel.torch import UnknownOperator, UnknownValue
    from sparse_loops import SPARSE_LOOPS
    from torch import nn
    from torch.nn import functional
    from torch.nn.utils import rnn
    from torch.utils.checkpoint import checkpoint
    from torch.utils.data import DataLoader

EACH = 3  # of the loops one in so many: compare_loops.py goes through all of them


def train(model, optimizer, batches, after=lambda loss: None):
    for x, y in batches:
        loss = functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        after(loss)


def batches(count=5):
    for _ in range(count):
        yield torch.randn(8, 16), torch.randint(0, 4, (8,))


def trained(after=lambda loss: None, **options):
    with memmodel.torch.record(**options) as recording:
        model = nn.Linear(16, 4)
        train(model, torch.optim.SGD(model.parameters(), 0.1), batches(), after)
    return recording


@unittest.skipUnless(TORCH, "torch is not installed")
class Loops(unittest.TestCase):
    def test_peaks_are_those_of_pytorch(self):
        measured = json.loads(MEASURED.read_text())
        off = {}
        for name, peaks in list(measured["peaks"].items())[::EACH]:
            torch.manual_seed(0)
            with self.subTest(name), contextlib.redirect_stdout(io.StringIO()):
                with memmodel.torch.record(steps=0, isa=measured["isa"], intra_op_threads=2) as recording:
                    LOOPS[name]()
                mine = recording.report().step_peaks[: len(peaks)]
                if mine != peaks:
                    off[name] = mine
        self.assertEqual(off, {})

    def test_results_lie_as_those_that_are_computed(self):
        """Whether they are in rows decides on copies; operators without memory give some of them otherwise."""

        def laid_out():
            rows, others = torch.rand(4, 6, 8), torch.rand(4, 8, 6).transpose(1, 2)
            last = torch.rand(2, 6, 5, 4).to(memory_format=torch.channels_last)
            norm = nn.BatchNorm1d(6)
            found = [F.logsigmoid(others), last.roll(1, 0), F.channel_shuffle(last, 2)]
            for of, given in [
                (norm, others), (norm, rows), (lambda x: F.mse_loss(x, rows), others),
                (lambda x: F.smooth_l1_loss(x, rows), others), (lambda x: F.huber_loss(x, rows), others),
                (F.elu, others), (F.hardswish, others), (F.softplus, others), (F.hardtanh, others),
                (F.hardsigmoid, others), (lambda x: F.glu(x, 1), last),
                (lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"), last),
                (lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"), last),
            ]:  # fmt: skip
                x = given.detach().requires_grad_()
                y = of(x)
                found += y, *torch.autograd.grad(y, x, torch.ones(y.shape))
            return [tensor.stride() for tensor in found]

        with memmodel.torch.record():
            mine = laid_out()
        self.assertEqual(mine, laid_out())

    def test_functions_of_whole_numbers_cast_them_first(self):
        with memmodel.torch.record() as recording:
            torch.arange(1, 1001).log()
        self.assertEqual(recording.report().peak.live, 8 * 1000 + 4 * 1000 + 4 * 1000)

    def test_a_backward_pass_that_the_program_writes_is_not_written_in_place(self):
        class Slope(torch.autograd.Function):
            @staticmethod
            def forward(context, x):
                context.save_for_backward(x)
                return x.clone()

            @staticmethod
            def backward(context, gradient):
                (x,) = context.saved_tensors
                return 1 + x * gradient

        with memmodel.torch.record(steps=1) as recording:
            x = nn.Parameter(torch.zeros(1000))
            optimizer = torch.optim.SGD([x], 0.1)
            while True:
                Slope.apply(x).backward(torch.zeros(1000))
                optimizer.step()
        # x, its copy, that one's gradient, the product, the sum, and the number 1 as an int64 and as a float
        self.assertEqual(recording.report().step_peaks, [5 * 4000 + 8 + 4])


@unittest.skipUnless(TORCH, "torch is not installed")
class CallsThatAreAlike(unittest.TestCase):
    """PyTorch's mode of fakes is asked once what an operator gives; that is what it gives from then on."""

    @staticmethod
    def asked(loop):
        """Names of the operators that the mode is asked."""
        names = []

        def ask(recorder, operator, args, kwargs):
            names.append(operator._overloadpacket.__name__)
            return operator(*args, **kwargs)

        with mock.patch.object(Recorder, "_ask", ask), memmodel.torch.record(steps=0):
            loop()
        return names

    def test_pytorch_is_asked_once_for_each_of_their_shapes(self):
        def loop():
            x, y = torch.randn(64, 8), torch.randn(32, 8)
            for _ in range(5):
                x.exp(), x.t(), y.exp()

        names = self.asked(loop)
        self.assertEqual((names.count("exp"), names.count("t")), (2, 1))

    def test_a_number_of_another_type_is_another_call(self):
        def loop():
            x = torch.ones(4, dtype=torch.int64)
            self.assertEqual([(x * number).dtype for number in (2, 2.0, 2, True)],
                             [torch.int64, torch.float32, torch.int64, torch.int64])  # fmt: skip

        self.assertEqual(self.asked(loop).count("mul"), 3)

    def test_another_default_type_is_another_call(self):
        def loop():
            made = []
            for dtype in (torch.float32, torch.float64, torch.float32):
                torch.set_default_dtype(dtype)
                made.append(torch.full((3,), 1.0).dtype)
            self.assertEqual(made, [torch.float32, torch.float64, torch.float32])

        self.addCleanup(torch.set_default_dtype, torch.get_default_dtype())
        self.asked(loop)

    def test_a_view_lies_in_the_storage_of_its_own_tensor(self):
        with memmodel.torch.record(steps=0):
            for _ in range(3):
                x = torch.randn(6, 4)
                views = [x[1:], x.t(), *x.split(2), x.view(torch.int32), x.unsqueeze(0).expand(5, 6, 4)]
                self.assertEqual({view.untyped_storage()._cdata for view in views}, {x.untyped_storage()._cdata})
                self.assertEqual([view.storage_offset() for view in views], [4, 0, 0, 8, 16, 0, 0])
                self.assertEqual([tuple(view.shape) for view in views],
                                 [(5, 4), (4, 6), (2, 4), (2, 4), (2, 4), (6, 4), (5, 6, 4)])  # fmt: skip

    def test_what_is_written_in_place_is_the_tensor_itself(self):
        with memmodel.torch.record(steps=0):
            a, b, c = (torch.randn(1000, 300) for _ in range(3))
            self.assertIs(torch.add(a, b, out=a), a)
            self.assertIs(torch.add(a, b, out=c), c)  # of the same shapes, and nowhere the same tensor
            self.assertIs(a.add_(a), a)
            self.assertIs(b.add_(a), b)

    def test_a_tensor_that_gets_another_shape_is_asked_each_time(self):
        def loop():
            for _ in range(3):
                x = torch.randn(6, 4)
                x.t_()
                self.assertEqual(tuple(x.shape), (4, 6))

        self.assertEqual(self.asked(loop).count("t_"), 3)

    def test_conjugates_stay_conjugates(self):
        with memmodel.torch.record(steps=0):
            for _ in range(2):
                x = torch.randn(200, 4, dtype=torch.complex64)
                self.assertTrue(x.conj().is_conj())
                self.assertTrue(x.conj().imag.is_neg())
                self.assertFalse(x.conj().conj().is_conj())


@unittest.skipUnless(TORCH, "torch is not installed")
class Tables(unittest.TestCase):
    def test_modules_have_their_parameters_gradients_and_states(self):
        with memmodel.torch.record(steps=3) as recording:
            model, critic = nn.Sequential(nn.Linear(16, 8), nn.Linear(8, 4)), nn.Sequential(nn.Linear(4, 2))
            both = [*model.parameters(), *critic.parameters()]
            optimizer = torch.optim.Adam(both)
            while True:
                critic(model(torch.randn(2, 16))).sum().backward()
                optimizer.step()
        layers = {layer.name: layer for layer in recording.report().layers}
        sizes = {"0": 4 * (16 * 8 + 8), "1": 4 * (8 * 4 + 4), "Sequential_2.0": 4 * (4 * 2 + 2)}
        for name, size in sizes.items():
            self.assertEqual(layers[name].parameter_bytes, size)
            self.assertEqual(layers[name].peak_by_category["gradients"], size)
            self.assertEqual(layers[name].peak_by_category["optimizer state"], 2 * size + 2 * 4)  # and two step counts

    def test_a_line_where_memory_grows_is_named(self):
        losses, last = [], []

        def kept_twice(loss):
            losses.append(loss.detach().clone())
            last[:] = last[-1:] + [loss.detach().clone()]

        report = trained(kept_twice, steps=5).report()
        grows = [line for line in report.lines if line.growth_bytes]
        self.assertEqual([line.growth_bytes for line in grows], [4])
        code = kept_twice.__code__
        self.assertEqual(grows[0].line, f"{Path(__file__).name}:{code.co_firstlineno + 1}")


@unittest.skipUnless(TORCH, "torch is not installed")
class Steps(unittest.TestCase):
    def test_it_ends_after_the_steps_that_are_asked_for(self):
        self.assertEqual(trained(steps=2).steps, 2)
        self.assertEqual(trained(steps=0).steps, 5)

    def test_a_step_may_be_said(self):
        with memmodel.torch.record(steps=2) as recording:
            model = nn.Linear(4, 4)
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            while True:
                with recording.step():
                    for _ in range(3):
                        model(torch.randn(2, 4)).sum().backward()
                        optimizer.step()
        self.assertEqual(recording.steps, 2)

    def test_the_first_step_begins_when_there_is_an_optimizer(self):
        with memmodel.torch.record(steps=2) as recording:
            weight = nn.Parameter(torch.zeros(4))
            optimizer = torch.optim.SGD([weight], 0.1)
            while True:
                noise = torch.zeros(1000)
                weight.grad = noise[:4].clone()
                del noise
                optimizer.step()
        # the weight, the noise and a gradient; from the second step on the one before, too
        self.assertEqual(recording.report().step_peaks, [16 + 4000 + 16, 16 + 4000 + 16 + 16])

    def test_the_report_names_the_optimizers_that_made_steps(self):
        job = json.loads(trained().report().to_json())["job"]
        self.assertEqual(job["optimizer"], "sgd")
        with memmodel.torch.record() as recording:
            nn.Linear(16, 4)(torch.randn(8, 16))
        self.assertEqual(json.loads(recording.report().to_json())["job"]["optimizer"], "")

    def test_there_is_no_report_before_the_end(self):
        with memmodel.torch.record() as recording, self.assertRaisesRegex(RuntimeError, "goes on"):
            recording.report()

    def test_a_report_has_layers_categories_and_lines(self):
        report = trained(budget="1GiB").report()
        self.assertEqual(report.verdict, "fits")
        # a weight of 16 x 4 and a bias of 4, of 4 bytes each
        self.assertEqual(report.categories["parameters"], 272)
        self.assertEqual(report.categories["gradients"], 272)
        self.assertIn(Path(__file__).name, report.peak_location)

    def test_sparse_tensors_take_what_their_parts_take_in_pytorch(self):
        for name, loop in list(SPARSE_LOOPS.items())[::EACH]:
            with self.subTest(name):
                with memmodel.torch.record(steps=0) as recording:
                    loop()
                real = peaks(real_events(loop))
                self.assertEqual(recording.report().step_peaks[: len(real)], real)

    def test_of_indices_that_are_not_known_all_are_counted(self):
        with memmodel.torch.record(steps=1) as recording:
            model = nn.Embedding(9, 4, sparse=True)
            model(model.weight.argmax(0)).sum().backward()
            self.assertEqual(model.weight.grad.coalesce()._nnz(), 4)
        self.assertEqual([value.what for value in recording.assumed if value.sized], ["_coalesce()"])


@unittest.skipUnless(TORCH and TRANSFORMERS, "torch or transformers is not installed")
class Generation(unittest.TestCase):
    def test_each_token_takes_what_it_takes_in_pytorch(self):
        import compare_generation

        kept = json.loads(compare_generation.MEASURED.read_text())
        for name in ("llama", "mistral", "t5"):
            with self.subTest(name):
                mine = compare_generation.recorded(name, kept["isa"]).step_peaks
                self.assertEqual(compare_generation.decoded(mine), compare_generation.decoded(kept["peaks"][name]))

    def test_a_text_has_as_many_tokens_as_it_may(self):
        with memmodel.torch.record() as recording:
            tokens, end = torch.empty(4, 1000000, dtype=torch.int64), torch.tensor([2])
            self.assertFalse(torch.isin(tokens.amax(-1), end).any())
            self.assertTrue(torch.isin(tokens.amax(-1), end, invert=True).all())
        self.assertEqual([value.what for value in recording.assumed], ["isin()", "isin()"])


def packed(kind):
    torch.manual_seed(0)
    net = kind(6, 10, num_layers=2, bidirectional=True, dropout=0.2, batch_first=True)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(2):
        texts = rnn.pack_padded_sequence(torch.randn(4, 9, 6), torch.tensor([9, 7, 7, 3]), batch_first=True)
        rnn.pad_packed_sequence(net(texts)[0], batch_first=True)[0].pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def gradients_of_samples():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 3))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)

    def loss_of(parameters, x, y):
        return functional.cross_entropy(torch.func.functional_call(net, parameters, (x[None],)), y[None])

    for _ in range(2):
        parameters = {name: parameter.detach() for name, parameter in net.named_parameters()}
        x, y = torch.randn(32, 20), torch.randint(0, 3, (32,))
        of_samples = torch.vmap(torch.func.grad(loss_of), (None, 0, 0))(parameters, x, y)
        for name, parameter in net.named_parameters():
            parameter.grad = of_samples[name].mean(0)
        optimizer.step()
        optimizer.zero_grad()


@unittest.skipUnless(TORCH, "torch is not installed")
class BelowOperators(unittest.TestCase):
    """What torch does below the operators that a recording sees: it takes what it takes in a run."""

    def assert_as_in_a_run(self, loop):
        with memmodel.torch.record(steps=0) as recording:
            loop()
        self.assertEqual(recording.report().step_peaks[:2], peaks(real_events(loop))[:2])

    def test_packed_sequences(self):
        for kind in (nn.LSTM, nn.GRU, nn.RNN):
            with self.subTest(kind.__name__):
                self.assert_as_in_a_run(functools.partial(packed, kind))

    def test_recurrent_layers_keep_a_workspace_where_gradients_are_enabled_also_in_evaluation(self):
        for training, enabled in ((True, True), (True, False), (False, True), (False, False)):
            lstm = nn.LSTM(8, 6).train(training)

            def loop(lstm=lstm, enabled=enabled):
                with torch.set_grad_enabled(enabled):
                    for _ in range(2):
                        y = lstm(torch.zeros(10, 4, 8))  # noqa: F841 -- the name is what keeps it alive

            with self.subTest(training=training, enabled=enabled):
                with memmodel.torch.record(steps=0) as recording:
                    loop()
                held = sum(parameter.nbytes for parameter in lstm.parameters())
                self.assertEqual(recording.report().peak.live - held, max(peaks(real_events(loop))))

    def test_functions_write_into_what_they_computed(self):
        mask, projection = torch.zeros(2, 1, 64, 64), nn.Linear(64, 256)

        def attention():
            query = torch.zeros(2, 4, 64, 8, requires_grad=True)
            functional.scaled_dot_product_attention(query, query, query, attn_mask=mask, dropout_p=0.1)

        def linear():
            with torch.no_grad():
                projection(torch.zeros(64, 32, 16).transpose(0, 2))

        for loop, held in ((attention, mask.nbytes), (linear, 4 * (64 * 256 + 256))):
            with self.subTest(loop.__name__):
                with memmodel.torch.record(steps=0) as recording:
                    loop()
                self.assertEqual(recording.report().peak.live - held, max(peaks(real_events(loop))))

    def test_gradients_lie_as_in_a_run(self):
        norm = nn.LayerNorm(32)

        def attention():
            key = torch.zeros(4, 4, 32, 8, requires_grad=True)
            made = functional.scaled_dot_product_attention(torch.zeros(4, 4, 6, 8), key, key)
            return torch.autograd.grad(made.sum(), key)[0]

        def normalized():
            x = torch.zeros(4, 64, 32, requires_grad=True)
            pooled = functional.adaptive_avg_pool1d(norm(x).transpose(1, 2), 1)
            return torch.autograd.grad(pooled.sum(), x)[0]

        for loop in (attention, normalized):
            with self.subTest(loop.__name__):
                real = loop().stride()
                with memmodel.torch.record(steps=0):
                    self.assertEqual(loop().stride(), real)

    def test_a_gradient_of_gather_is_written_where_its_zeros_are(self):
        def loop():
            x = torch.zeros(64, 64, requires_grad=True)
            places = torch.zeros(64, 8, dtype=torch.int64)
            x.clone().gather(1, places).sum().backward()

        with memmodel.torch.record(steps=0) as recording:
            loop()
        self.assertEqual(recording.report().peak.live, max(peaks(real_events(loop))))

    def test_checkpoints_keep_the_state_of_the_generator(self):
        def loop():
            model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 8), nn.Dropout(0.5))
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            for _ in range(3):
                h = torch.randn(4, 8)
                for part in model:
                    h = checkpoint(part, h, use_reentrant=False)
                h.sum().backward()
                optimizer.step()

        with memmodel.torch.record() as recording:
            loop()
        self.assertEqual(recording.report().step_peaks, peaks(real_events(loop)))
        self.assertGreater(max(recording.report().step_peaks), 4 * 5056)  # aten/src/ATen/CPUGeneratorImpl.cpp

    def test_a_state_of_the_generator_is_restored(self):
        with memmodel.torch.record(steps=0):
            torch.manual_seed(7)
            state = torch.get_rng_state()
            numbers = torch.rand(3).tolist()
            torch.set_rng_state(state)
            again = torch.rand(3).tolist()
        self.assertEqual(again, numbers)

    def test_gradients_of_each_sample(self):
        self.assert_as_in_a_run(gradients_of_samples)

    def test_padding_stays_where_torch_would_leave_it_out(self):
        with memmodel.torch.record() as recording, torch.inference_mode():
            net = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2).eval()
            padding = torch.arange(20)[None] >= torch.tensor([20, 14, 9])[:, None]
            self.assertEqual(net(torch.randn(3, 20, 64), src_key_padding_mask=padding).shape, (3, 20, 64))
        self.assertEqual([value.what for value in recording.assumed], ["sequences without padding"])


@unittest.skipUnless(TORCH, "torch is not installed")
class Extensions(unittest.TestCase):
    def test_an_operator_without_shapes_is_refused_until_it_has_them(self):
        library = torch.library.Library("mine", "FRAGMENT")
        library.define("widened(Tensor x, int columns) -> Tensor")
        library.impl("widened", lambda x, columns: x.expand(-1, columns).clone(), "CPU")
        torch.library.custom_op("mine::halved", lambda x: x / 2, mutates_args=(), schema="(Tensor x) -> Tensor")
        operators = {"mine::widened": (torch.ops.mine.widened, 100), "mine::halved": (torch.ops.mine.halved,)}
        for name, (operator, *more) in operators.items():
            refused = self.assertRaisesRegex(UnknownOperator, f'register."{name}"')
            with self.subTest(name), refused, memmodel.torch.record():
                operator(torch.empty(1000, 1), *more)
        memmodel.torch.register("mine::widened", lambda x, columns: x.new_empty(len(x), columns))
        with memmodel.torch.record() as recording:
            torch.ops.mine.widened(torch.empty(1000, 1), 100)
        report = recording.report()
        self.assertEqual(report.peak.live, 4 * 1000 + 4 * 1000 * 100)
        self.assertIn("widened", " ".join(item.op for item in report.unmodelled))


@unittest.skipUnless(TORCH, "torch is not installed")
class Imports(unittest.TestCase):
    def test_a_module_that_the_program_imports_is_handed_on(self):
        """A script imports transformers while it is recorded."""
        seen = []
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(sys, "path", [folder, *sys.path]):
            (Path(folder) / "imported_while_recorded.py").write_text("answer = 1\n")
            with with_module("imported_while_recorded", seen.append):
                self.assertEqual(seen, [])
                module = importlib.import_module("imported_while_recorded")
                self.assertEqual(module.answer, 1)
            self.assertEqual(seen, [module])
            with with_module("imported_while_recorded", seen.append):  # it is there already
                self.assertEqual(seen, [module, module])
            del sys.modules["imported_while_recorded"]
            self.assertFalse([finder for finder in sys.meta_path if "memmodel" in type(finder).__module__])


@unittest.skipUnless(TORCH, "torch is not installed")
class Values(unittest.TestCase):
    def test_what_was_made_up_is_listed_with_its_line(self):
        with memmodel.torch.record() as recording:
            for _ in range(5):
                torch.rand(1000, 1000).mean().item()
        assumed = recording.assumed
        self.assertEqual([(value.what, value.count, value.sized) for value in assumed], [("a number", 5, False)])
        self.assertRegex(assumed[0].line, r"^test_torch_record.py:\d+$")

    def test_loops_until_values_are_as_they_should_be_end(self):
        with memmodel.torch.record() as recording:
            nn.init.trunc_normal_(torch.empty(1000, 1000), std=0.02, a=-0.04, b=0.04)
            x = torch.rand(1000, 1000)
            while x.mean().item() > 0.1:
                x = x * 0.9
        self.assertEqual({value.what for value in recording.assumed}, {"any()", "a number"})

    def test_small_values_that_are_written_in_place_are_known(self):
        with memmodel.torch.record() as recording:
            self.assertEqual(torch.empty(3).fill_(2).sum().item(), 6)
            self.assertEqual(torch.zeros(4).copy_(torch.arange(4.0)).tolist(), [0, 1, 2, 3])
        self.assertEqual(recording.assumed, [])

    def test_buffers_and_parameters_of_a_real_model_have_their_values(self):
        model, read = nn.Sequential(nn.Linear(16, 4), nn.BatchNorm1d(4)), []
        weight = model[0].weight.detach().clone()
        with memmodel.torch.record() as recording:
            for x, _ in batches(2):
                model(x)
            read.append(model[1].num_batches_tracked.item())
            read.append(model[0].weight[0, 0].item())
            with torch.no_grad():
                model[0].weight.mul_(2)
            read.append(model[0].weight[0, 0].item())
        self.assertEqual(recording.assumed, [])
        self.assertEqual(read, [2, weight[0, 0].item(), 2 * weight[0, 0].item()])
        self.assertTrue(torch.equal(model[0].weight, weight), "the recording writes into copies")
        self.assertEqual(model[1].num_batches_tracked.item(), 0)

    def test_nothing_is_made_up_for_which_the_program_raises(self):
        def check(x):
            if (x > 5).any():
                raise ValueError("too large")
            if not (x < 5).all():
                raise ValueError("too large")
            assert (x < 5).all()

        with memmodel.torch.record() as recording:
            for _ in range(100):
                check(torch.rand(1000, 1000))
                torch.distributions.Normal(torch.rand(1000, 1000), torch.rand(1000, 1000))
        self.assertEqual([value.value for value in recording.assumed], ["False", "True", "True", "True"])

    def test_strict_stops_there(self):
        with self.assertRaisesRegex(UnknownValue, r"test_torch_record.py:\d+"), memmodel.torch.record(strict=True):
            torch.rand(1000, 1000).mean().item()

    def test_recurrent_layers_whose_weights_are_known_are_recorded(self):
        with memmodel.torch.record(steps=1) as recording:
            lstm = nn.LSTM(8, 8)
            for parameter in lstm.parameters():
                nn.init.constant_(parameter, 0.1)
            optimizer = torch.optim.SGD(lstm.parameters(), 0.1)
            while True:
                lstm(torch.randn(4, 2, 8))[0].sum().backward()
                optimizer.step()
        self.assertEqual(recording.steps, 1)

    def test_sizes_that_come_of_known_values_are_right(self):
        with memmodel.torch.record() as recording:
            lengths = torch.tensor([3, 1, 2])
            self.assertEqual(torch.arange(6)[torch.arange(6) % 2 == 0].shape, (3,))
            self.assertEqual(int(lengths.max()), 3)
            self.assertEqual(torch.repeat_interleave(torch.arange(3), lengths).shape, (6,))
            self.assertEqual(torch.linspace(0, 1, 3).tolist(), [0.0, 0.5, 1.0])
        self.assertEqual(recording.assumed, [])

    def test_a_size_that_comes_of_an_unknown_value_is_marked(self):
        with memmodel.torch.record() as recording:
            x = torch.randn(1000, 1000)
            self.assertEqual(x[x > 0].shape, (1000000,))
        self.assertTrue(any(value.sized for value in recording.assumed))

    def test_batches_of_workers_have_their_sizes(self):
        with memmodel.torch.record(steps=0):
            data = list(zip(torch.randn(10, 16), range(10)))
            sizes = [len(x) for x, _ in DataLoader(data, batch_size=4, num_workers=2)]
        self.assertEqual(sizes, [4, 4, 2])

    def test_a_loader_keeps_the_number_of_its_workers(self):
        """Who makes another loader of it, as accelerate does, asks for it: its batches are of workers as well."""
        with memmodel.torch.record(steps=0) as recording:
            first = DataLoader(list(range(4)), batch_size=4, num_workers=2)
            again = DataLoader(first.dataset, batch_sampler=first.batch_sampler, num_workers=first.num_workers)
            (batch,) = again
            del batch
        self.assertEqual(first.num_workers, 2)
        made = [event.bytes for event in recording.trace if event.bytes > 0]
        self.assertEqual(made, [4 * 8])  # the batch that arrives, and nothing of how it was made


@unittest.skipUnless(TORCH, "torch is not installed")
class Afterwards(unittest.TestCase):
    def test_a_real_model_is_what_it_was(self):
        model = nn.Sequential(nn.Linear(16, 8), nn.BatchNorm1d(8), nn.Linear(8, 4))
        before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        with memmodel.torch.record():
            train(model, torch.optim.AdamW(model.parameters(), weight_decay=0.1), batches())
        for name, tensor in model.state_dict().items():
            self.assertIs(type(tensor), torch.Tensor)
            self.assertTrue(torch.equal(tensor, before[name]), name)
        self.assertTrue(all(parameter.grad is None for parameter in model.parameters()))
        self.assertEqual(model(torch.randn(2, 16)).shape, (2, 4))

    def test_torch_is_what_it_was_also_after_an_error(self):
        names = [(torch, "save"), (torch.UntypedStorage, "resize_"), (DataLoader, "__init__"), (torch.Tensor, "numpy"),
                 (torch.utils, "swap_tensors")]  # fmt: skip
        before = [getattr(owner, name) for owner, name in names]
        state = torch.get_rng_state()
        with self.assertRaisesRegex(ValueError, "mine"), memmodel.torch.record():
            torch.randn(3)
            raise ValueError("mine")
        self.assertEqual([getattr(owner, name) for owner, name in names], before)
        self.assertTrue(torch.equal(torch.get_rng_state(), state))
        self.assertEqual(torch.ones(2).sum().item(), 2.0)


@unittest.skipUnless(TORCH, "torch is not installed")
class Saved(unittest.TestCase):
    def test_what_is_saved_is_loaded_and_no_file_is_left(self):
        with tempfile.TemporaryDirectory() as folder, memmodel.torch.record(steps=0) as recording:
            path = Path(folder) / "model.pt"
            model = nn.Sequential(nn.Linear(400, 400), nn.BatchNorm1d(400))
            optimizer = torch.optim.Adam(model.parameters())
            for _ in range(2):
                optimizer.zero_grad()
                model(torch.randn(8, 400)).sum().backward()
                optimizer.step()
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 2}, path)
            buffer = io.BytesIO()
            torch.save(model, buffer)
            self.assertLess(len(buffer.getvalue()), 400 * 400)
            buffer.seek(0)
            loaded = torch.load(path)
            model.load_state_dict(loaded["model"])
            optimizer.load_state_dict(loaded["optimizer"])
            self.assertEqual(loaded["epoch"], 2)
            self.assertEqual(loaded["model"]["1.num_batches_tracked"].item(), 2)
            self.assertEqual(torch.load(buffer)[0].weight.shape, (400, 400))
            torch.save(torch.get_rng_state(), path)  # a real one
            self.assertEqual(loaded["model"]["0.weight"].device.type, "cpu")
            self.assertEqual(list(Path(folder).iterdir()), [])
        self.assertEqual(recording.assumed, [])

    def test_what_is_loaded_goes_when_nobody_has_it(self):
        with memmodel.torch.record(steps=0) as recording:
            buffer = io.BytesIO()
            torch.save(torch.randn(1000), buffer)
            for _ in range(5):
                buffer.seek(0)
                torch.load(buffer)
        self.assertLess(recording.report().peak.live, 3 * 4000)

    def test_lazy_modules_get_their_shapes(self):
        with memmodel.torch.record(steps=0) as recording:
            model = nn.Sequential(nn.LazyConv2d(8, 3), nn.Flatten(), nn.LazyLinear(5))
            self.assertEqual(model(torch.zeros(2, 3, 8, 8)).shape, (2, 5))
            self.assertEqual(model[2].weight.shape, (5, 8 * 6 * 6))
        self.assertGreater(recording.report().categories["parameters"], 4 * 5 * 8 * 6 * 6)

    def test_memory_of_numpy_is_not_pytorchs(self):
        array = numpy.ones(100000, dtype=numpy.float32)
        with memmodel.torch.record(steps=0) as recording:
            torch.from_numpy(array).sum()
        self.assertLess(recording.report().peak.live, array.nbytes)


SCRIPT = """
import sys, torch
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.Adam(model.parameters())
for step in range(10):
    loss = model(torch.randn(32, 64)).pow(2).mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    torch.save(model.state_dict(), "model.pt")
    print("step", step, f"{loss.item():.2f}", *sys.argv[1:])
    if "raise" in sys.argv: raise ValueError("from the script")
    if "exit" in sys.argv: sys.exit(7)
"""


@unittest.skipUnless(TORCH, "torch is not installed")
class Scripts(unittest.TestCase):
    def run_script(self, *options, arguments=()):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "train.py"
            script.write_text(SCRIPT)
            done = subprocess.run(
                [sys.executable, "-m", "memmodel.torch", *options, script.name, *arguments],
                cwd=folder, capture_output=True, text=True, check=False, env=os.environ, timeout=300,
            )  # fmt: skip
            self.assertEqual((Path(folder) / "model.pt").exists(), "--write-files" in options)
        return done

    def test_an_unchanged_script_ends_in_the_verdict(self):
        done = self.run_script("--budget", "8GiB", arguments=["--lr", "1"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("step 1", done.stdout)
        self.assertIn("--lr 1", done.stdout)
        self.assertNotIn("step 3", done.stdout)
        self.assertIn("fits", done.stdout)

    def test_exit_codes(self):
        self.assertEqual(self.run_script("--budget", "1MiB").returncode, 3)
        self.assertEqual(self.run_script(arguments=["exit"]).returncode, 7)
        raised = self.run_script(arguments=["raise"])
        self.assertEqual(raised.returncode, 1)
        self.assertIn("from the script", raised.stderr)
        self.assertNotIn("_record_script", raised.stderr)
        self.assertIn("1 step", raised.stdout)

    def test_mistakes_are_named(self):
        for options, said in (
            (["no.py"], "no such script: no.py"),
            (["--budget", "16GX", __file__], "'16GX' is no size"),
            (["--steps", "few", __file__], "few: a whole number"),
            (["--world-size", "4", __file__], "with --gpu"),
            (["--gpu", "h100", "--device", "cpu", __file__], "--device cpu"),
            (["--device", "cuda", __file__], "which GPU?"),
            (["--gpu", "h100:0", __file__], "how many of it, 1 to 16"),
            (["--gpu", "h100:2x", __file__], "how many of it, 1 to 16"),
        ):
            command = [sys.executable, "-m", "memmodel.torch", *options]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
