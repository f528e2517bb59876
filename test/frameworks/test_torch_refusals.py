"""What PyTorch would refuse, or run in another way than eagerly on one device, memmodel.torch refuses as well."""

import importlib.util
import sys
import unittest

TORCH = importlib.util.find_spec("torch") is not None

if TORCH:
    import memmodel.torch
    import torch
    from torch import nn
    from torch.nn import functional

    class Product(nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = nn.Parameter(torch.zeros(8, 16))

        def forward(self, x):
            return self.factor @ x.double().t()

    class Gives(nn.Module):
        """What the function makes of 8 rows of 4, and of what else it is handed."""

        def __init__(self, function):
            super().__init__()
            self.linear, self.function = nn.Linear(16, 4), function

        def forward(self, x, *others):
            return self.function(self.linear(x), *others)

    def written(y, index):
        y[index] = 0
        return y

    def all_of(number, *shape):
        return torch.full(shape, number)

    # What a kernel looks at, by torch's own words: functions of 8 rows of 4, and an index that is not there.
    INDICES = [
        ("index 8 is out of bounds for dimension 0 with size 8", lambda y, i: y[i], all_of(8, 1)),
        ("index -5 is out of bounds for dimension [01] with size 4", lambda y, i: y[:, i], all_of(-5, 1)),
        ("index 8 is out of bounds for dimension 0 with size 8", written, all_of(8, 1)),
        ("index 4 is out of bounds for dimension 1 with size 4", lambda y, i: y.gather(1, i), all_of(4, 8, 1)),
        ("index 4 is out of bounds for dimension 1 with size 4",
         lambda y, i: y.scatter_reduce(1, i, torch.zeros(8, 1), "sum"), all_of(4, 8, 1)),
        ("index 8 is out of bounds for dimension 0 with size 8", lambda y, i: y.index_add(0, i, y[:1]), all_of(8, 1)),
        ("index 8 is out of bounds for dimension 0 with size 8", lambda y, i: y.index_copy(0, i, y[:1]), all_of(8, 1)),
        ("index 8 is out of bounds for dimension 0 with size 8", lambda y, i: y.index_fill(0, i, 0.0), all_of(8, 1)),
        ("index out of range in self", lambda y, i: y.index_select(0, i), all_of(8, 1)),
        ("tried to access index 32 on a tensor of 32 elements", lambda y, i: y.take(i), all_of(32, 1)),
    ]  # fmt: skip
    NUMBERS = [
        ("all elements of input should be between 0 and 1",
         lambda y, p: functional.binary_cross_entropy(p, torch.zeros(8, 4)) + y.sum(), all_of(2.0, 8, 4)),
        ("Expected p_in >= 0 && p_in <= 1", lambda y, p: y * torch.bernoulli(p), all_of(2.0, 8, 4)),
        ("contains either `inf`, `nan` or element < 0", lambda y, p: y * torch.multinomial(p, 1), all_of(-1.0, 8, 4)),
        ("sum of probabilities <= 0", lambda y, p: y * torch.multinomial(p, 1), all_of(0.0, 8, 4)),
        ("n_sample > prob_dist.size\\(-1\\)", lambda y, p: y[:, :1] * torch.multinomial(p, 5), all_of(1.0, 8, 4)),
        ("all elements of std >= 0.0", lambda y, p: y * torch.normal(torch.zeros(8, 4), p), all_of(-1.0, 8, 4)),
        ("expected rate to be non-negative", lambda y, p: y * torch.poisson(p), all_of(-1.0, 8, 4)),
        ("elements of source < number of ones in mask", lambda y, m: y.masked_scatter(m, torch.zeros(1)),
         all_of(True, 8, 4)),
        ("linalg.inv: The diagonal element 1 is zero", lambda y, a: y @ torch.linalg.inv(a), all_of(0.0, 4, 4)),
        ("not positive-definite", lambda y, a: y @ torch.linalg.cholesky(a), all_of(-1.0, 4, 4)),
        ("Found an invalid max index: 80", lambda y, i: functional.max_unpool1d(y[None], i[None], 2), all_of(80, 8, 4)),
    ]  # fmt: skip

    @torch.compile
    def doubled(x):
        return 2 * x

    class Doubled(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(16, 4)

        def forward(self, x):
            return doubled(self.linear(x))


def whole(*shape):
    return torch.zeros(*shape, dtype=torch.int64)


def total(y):
    return y.sum()


@unittest.skipUnless(TORCH, "torch is not installed")
class Refusals(unittest.TestCase):
    def refused(self, text, module, *args, error=RuntimeError, **options):
        """By estimate() and by from_module(), whose batch is a symbol."""
        with self.assertRaisesRegex(error, text):
            memmodel.torch.estimate(module, args, **options)
        with self.assertRaisesRegex(error, text):
            memmodel.torch.from_module(module, args, **options)

    def refused_by_both(self, text, module, *args, loss=None, target=None):
        """With the words of torch's own error."""
        with self.assertRaisesRegex(Exception, text):
            y = module(*args)
            (loss(y) if target is None else loss(y, target)).backward()
        self.refused(text, module, *args, loss=loss, target=target)

    def test_tensors_of_types_that_a_kernel_does_not_take(self):
        self.refused_by_both("mat1 and mat2 must have the same dtype, but got Long and Float",
                             nn.Linear(16, 4), whole(8, 16), loss=total)  # fmt: skip
        self.refused_by_both("mat1 and mat2 must have the same dtype, but got Double and Float",
                             nn.Linear(16, 4), torch.zeros(8, 16, dtype=torch.float64), loss=total)  # fmt: skip
        self.refused_by_both("expected m1 and m2 to have the same dtype, but got: float != double",
                             Product(), torch.zeros(8, 16), loss=total)  # fmt: skip
        with self.assertRaisesRegex(RuntimeError, "not implemented for 'Long'"):
            nn.GELU()(whole(8, 16))
        self.refused("not implemented for 'Long'", nn.GELU(), whole(8, 16), mode="inference")

    def test_targets_of_another_type(self):
        x, linear = torch.zeros(8, 16), nn.Linear(16, 4)
        self.refused_by_both("(target dtype to be Long or Byte, but got|type Long but found) Int|dtype int64 for index",
                             linear, x, loss=functional.cross_entropy, target=whole(8).int())  # fmt: skip
        self.refused_by_both("Found dtype Long but expected Float", nn.Sequential(linear, nn.Sigmoid()), x,
                             loss=functional.binary_cross_entropy, target=whole(8, 4))  # fmt: skip

    def test_a_message_names_the_operator_the_types_and_the_line(self):
        said = r"matmul .*float32\[8, 16\], float64\[16, 8\].*self.factor @ x.double\(\)"
        with self.assertRaisesRegex(RuntimeError, said):
            memmodel.torch.estimate(Product(), (torch.zeros(8, 16),), mode="inference")

    def test_tensors_of_several_types_that_kernels_take_are_taken(self):
        x = torch.zeros(8, 16)
        memmodel.torch.estimate(nn.Linear(16, 4), (x,), loss=functional.mse_loss, target=whole(8, 4))
        memmodel.torch.estimate(nn.Embedding(9, 4), (whole(8, 2).int(),), loss=total)
        memmodel.torch.estimate(nn.Linear(16, 4), (x,), loss="cross_entropy", precision="bfloat16")

    def test_a_loss_that_has_no_backward_pass(self):
        x, frozen = torch.zeros(8, 16), nn.Linear(16, 4).requires_grad_(False)
        self.refused_by_both("grad can be implicitly created only for scalar outputs",
                             nn.Linear(16, 4), x, loss=lambda y: y)  # fmt: skip
        without = "element 0 of tensors does not require grad and does not have a grad_fn"
        self.refused_by_both(without, frozen, x, loss=total)
        self.refused_by_both(without, nn.Linear(16, 4), x, loss=lambda y: y.detach().sum())
        self.refused_by_both(without, nn.Linear(16, 4), x, loss=lambda y: y.argmax())
        for nothing in (None, 3.0):
            self.refused("loss: a tensor is needed", nn.Linear(16, 4), x, loss=lambda y, nothing=nothing: nothing)
        self.assertGreater(memmodel.torch.estimate(frozen, (x,), mode="inference").peak.live, 0)

    def test_classes_and_indices_that_are_not_there(self):
        x, linear = torch.zeros(8, 16), nn.Linear(16, 4)
        for target in (4, -1):
            self.refused_by_both(f"Target {target} is out of bounds", linear, x, loss=functional.cross_entropy,
                                 target=torch.full((8,), target))  # fmt: skip
        ignored = torch.full((8,), -100)
        memmodel.torch.estimate(linear, (x,), loss=functional.cross_entropy, target=ignored)
        self.refused_by_both("index out of range in self", nn.Embedding(9, 4), torch.full((8, 2), 9), loss=total)
        self.refused("index out of range in self", nn.Embedding(9, 4, max_norm=1.0), torch.full((8, 2), 9), loss=total)
        self.refused_by_both("all elements of target should be between 0 and 1", nn.Sequential(linear, nn.Sigmoid()), x,
                             loss=functional.binary_cross_entropy, target=torch.full((8, 4), 2.0))  # fmt: skip

    def test_targets_of_losses_with_margins(self):
        x, linear = torch.zeros(8, 16), nn.Linear(16, 4)
        self.refused_by_both("target out of range", linear, x, loss=functional.multi_margin_loss, target=all_of(4, 8))
        self.refused_by_both("'target' is out of range", linear, x, loss=functional.multilabel_margin_loss,
                             target=all_of(4, 8, 4))  # fmt: skip
        ended = torch.tensor([[0, -1, -1, -1]]).repeat(8, 1)
        memmodel.torch.estimate(linear, (x,), loss=functional.multilabel_margin_loss, target=ended)

    def test_bags_of_embeddings(self):
        bag, words = nn.EmbeddingBag(9, 4), whole(8)
        self.refused("takes value 9 which is not in the valid range", bag, all_of(9, 8, 2), loss=total)
        self.refused_by_both("offsets.0. has to be 0", bag, words, torch.tensor([1, 2]), loss=total)
        self.refused_by_both("can not be greater than input's length 8", bag, words, torch.tensor([0, 20]), loss=total)
        self.assertEqual(memmodel.torch.estimate(bag, (words, torch.tensor([0, 8])), loss=total).unmodelled, [])

    def test_values_that_a_kernel_looks_at(self):
        for text, function, value in [*INDICES, *NUMBERS]:
            with self.subTest(text):
                self.refused_by_both(text, Gives(function), torch.zeros(8, 16), value, loss=total)

    def test_indices_from_the_end_are_taken(self):
        for function in (lambda y, i: y[i], written, lambda y, i: y.index_fill(0, i, 0.0), lambda y, i: y.take(i)):
            module = Gives(function)
            report = memmodel.torch.estimate(module, (torch.zeros(8, 16), torch.tensor([-8])), loss=total)
            self.assertEqual([part.op for part in report.unmodelled if "." not in part.op], [])

    def test_what_the_model_computes_is_no_probability(self):
        x, above = torch.zeros(8, 16), Gives(lambda y: y.abs() + 1.5)
        self.refused_by_both("all elements of input should be between 0 and 1", above, x,
                             loss=functional.binary_cross_entropy, target=torch.zeros(8, 4))  # fmt: skip

    def probabilities(self, function, device="cpu"):
        loss, target = functional.binary_cross_entropy, torch.zeros(8, 4, device=device)
        module = Gives(function).to(device)
        report = memmodel.torch.estimate(module, (torch.zeros(8, 16, device=device),), loss=loss, target=target)
        return [part.op for part in report.unmodelled]

    def test_what_may_leave_0_to_1_is_named(self):
        named = ["values may be refused: binary_cross_entropy"]
        with self.assertWarnsRegex(UserWarning, "binary_cross_entropy ends a run with an error"):
            self.assertEqual(self.probabilities(lambda y: y * 0 + 0.5), named)
            self.assertEqual(self.probabilities(lambda y: y, device="meta"), named)

    def test_what_a_sigmoid_or_a_softmax_made_is_between_0_and_1(self):
        for function in (torch.sigmoid, lambda y: y.softmax(-1).clone().flatten().view(8, 4),
                         lambda y: y.clamp(0, 1), lambda y: torch.cat([y.sigmoid(), y.sigmoid()])[:8]):  # fmt: skip
            self.assertEqual(self.probabilities(function), [])
            self.assertEqual(self.probabilities(function, device="meta"), [])

    def test_writing_into_what_the_backward_pass_needs(self):
        class Writes(nn.Sequential):
            def forward(self, x):
                y = super().forward(x).sigmoid()
                y += 1
                return y

        module, x = Writes(nn.Linear(16, 4)), torch.zeros(8, 16)
        self.refused_by_both("modified by an inplace operation", module, x, loss=total)

    def test_a_graph_that_the_next_step_goes_through_again(self):
        class Remembers(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear, self.memory = nn.Linear(16, 16), torch.zeros(8, 16)

            def forward(self, x):
                self.memory = self.linear(x + self.memory)
                return self.memory

        self.refused("backward through the graph a second time", Remembers(), torch.zeros(8, 16), loss=total)

    def test_parameters_that_have_no_size_yet(self):
        module = nn.Sequential(nn.Linear(16, 4), nn.LazyLinear(8))
        self.refused("1.weight has no size yet", module, torch.zeros(8, 16), error=ValueError)

    def test_a_loss_that_is_complex(self):
        module, x = nn.Linear(16, 4, dtype=torch.complex64), torch.zeros(8, 16, dtype=torch.complex64)
        self.refused_by_both("grad can be implicitly created only for real scalar outputs", module, x, loss=total)

    def test_arguments_are_left_as_they_were(self):
        x = torch.zeros(8, 16)
        before = dict(vars(x))
        self.refused("scalar", nn.Linear(16, 4), x, loss=lambda y: y)
        self.assertEqual(vars(x), before)

    def test_modules_that_are_compiled(self):
        def model():
            return nn.Sequential(nn.Linear(16, 4), nn.GELU())

        x, in_place, own_forward = torch.zeros(8, 16), model(), model()
        in_place[1].compile()
        own_forward.forward = torch.compile(own_forward.forward)
        refused = "compiled by torch.compile.*not modelled"
        self.refused(refused, torch.compile(model()), x, error=ValueError)
        self.refused("module: 1 is " + refused, in_place, x, error=ValueError)
        self.refused(refused, own_forward, x)
        self.refused(r"doubled\(\) is " + refused, Doubled(), x)
        self.refused(refused, model(), x, loss=torch.compile(total))
        self.refused("TorchScript", torch.jit.trace(model(), x), x, error=ValueError)

    def test_modules_of_several_devices(self):
        inner, x = nn.Sequential(nn.Linear(16, 4), nn.GELU()), torch.zeros(8, 16)
        for module in (nn.DataParallel(inner), nn.Sequential(nn.DataParallel(inner))):
            self.refused("DataParallel, which splits each batch.*not modelled", module, x, error=ValueError)
        for name in ("DistributedDataParallel", "FullyShardedDataParallel", "FSDPModule"):
            wrapped = type(name, (nn.Sequential,), {})(inner)
            self.refused(f"module: it is a {name}.*not modelled", wrapped, x, error=ValueError)


if __name__ == "__main__":
    if not TORCH:
        print("skipped: torch is not installed")
        sys.exit(77)
    unittest.main()
