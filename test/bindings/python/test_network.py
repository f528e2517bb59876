"""Networks described from Python."""

import pickle
import tempfile
import unittest
from pathlib import Path

import memmodel
import networks


class Building(unittest.TestCase):
    def setUp(self):
        self.net = memmodel.Network()
        self.batch = self.net.symbol("batch")
        self.x = self.net.input("image", (self.batch, 3, 32, 32))

    def test_options_are_keyword_arguments_and_enums_have_names(self):
        by_name = self.net.conv(self.x, filters=8, kernel=(3, 5), auto_pad="same", activation="relu")
        by_member = self.net.conv(self.x, filters=8, kernel=3, auto_pad=memmodel.ffi.AutoPad.SAME)
        self.assertEqual(by_name.shape, (self.batch, 8, 32, 32))
        self.assertEqual(by_member.shape, by_name.shape)

    def test_a_single_number_is_for_every_spatial_dimension(self):
        # 32 + 2 * 2 - 3 + 1 = 34 along both axes
        self.assertEqual(self.net.conv(self.x, filters=1, kernel=3, padding=2).shape, (self.batch, 1, 34, 34))

    def test_dimensions_can_be_computed_with(self):
        half = self.batch // 2
        self.assertEqual(str(half), "floor(batch/2)")
        self.assertEqual(2 * self.batch + 1, self.net.expression("1 + batch * 2"))
        self.assertEqual((self.batch + 3) - self.batch, 3)
        self.assertEqual((self.batch**2).text, "batch^2")
        self.assertEqual(self.net.reshape(self.x, (self.batch, -1)).shape, (self.batch, 3 * 32 * 32))

    def test_tensors_can_be_computed_with(self):
        y = self.net.conv(self.x, filters=3, kernel=1)
        self.assertEqual((self.x + y).shape, self.x.shape)
        self.assertEqual((self.x * y - y / self.x).shape, self.x.shape)
        self.assertEqual((self.x @ y).shape, (self.batch, 3, 32, 32))

    def test_further_outputs_and_axes(self):
        first = self.net.split(self.x, parts=3, axis=1)
        self.assertEqual(first.layer_output(2).shape, (self.batch, 1, 32, 32))
        uneven = self.net.split(self.x, sizes=[1, 2], axis=1)
        self.assertEqual(uneven.layer_output(1).shape, (self.batch, 2, 32, 32))
        self.assertEqual(self.net.permute(self.x, (0, 2, 3, 1)).shape, (self.batch, 32, 32, 3))
        self.assertEqual(self.net.reduce(self.x, axes=(2, 3), kind="mean").shape, (self.batch, 3))
        self.assertEqual(self.net.reduce(self.x, axes=1).shape, (self.batch, 32, 32))

    def test_scopes_name_their_layers_and_end_after_an_exception(self):
        with self.net.scope("a"):
            self.net.conv(self.x, filters=1, kernel=1, name="inner")
        with self.assertRaises(KeyError), self.net.scope("b"):
            raise KeyError
        self.net.conv(self.x, filters=1, kernel=1, name="outer")
        names = [layer.name for layer in memmodel.estimate(self.net, batch=1).layers]
        self.assertEqual(names, ["image", "a.inner", "outer"])

    def test_an_error_names_the_layer_and_is_a_builtin_one_too(self):
        with self.assertRaises(memmodel.ShapeError) as caught:
            self.net.conv(self.x, filters=1, kernel=33, name="big")
        self.assertIsInstance(caught.exception, ValueError)
        self.assertEqual(caught.exception.object, "big")
        self.assertEqual(caught.exception.status, memmodel.ffi.Status.ERROR_SHAPE)
        self.assertIn("33", caught.exception.message)
        self.assertEqual(str(caught.exception), f"big: {caught.exception.message}")

    def test_a_failed_call_leaves_the_network_as_it_was(self):
        before = self.net.to_json()
        for wrong in (
            lambda: self.net.conv(self.x, filters=1, kernel=33),
            lambda: self.net.expression("1 +"),
            lambda: self.net.symbol("no name"),
            lambda: self.net.permute(self.x, (0, 1)),
        ):
            with self.assertRaises(memmodel.MemmodelError):
                wrong()
        self.assertEqual(self.net.to_json(), before)

    def test_an_exception_can_be_pickled(self):
        problem = memmodel.ShapeError("text", object="layer", line=3, column=4)
        again = pickle.loads(pickle.dumps(problem))
        self.assertEqual((str(again), again.status), (str(problem), problem.status))

    def test_repr_helps(self):
        self.assertEqual(repr(self.net), "<Network of 1 layers in batch>")
        self.assertEqual(repr(self.x), "<Tensor float32 [batch, 3, 32, 32]>")
        self.assertEqual(repr(self.batch), "<Dim batch>")


class Files(unittest.TestCase):
    def test_json_and_files_and_pickles_make_the_same_network(self):
        net = networks.unet3d(depth=2)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "unet.json"
            net.save(path)
            copies = [memmodel.Network.load(path), memmodel.Network.load(str(path))]
        copies += [memmodel.Network.from_json(net.to_json()), pickle.loads(pickle.dumps(net))]
        for copy in copies:
            self.assertEqual(copy.to_json(), net.to_json())

    def test_what_is_wrong_in_a_file_is_placed(self):
        with self.assertRaises(memmodel.ParseError) as caught:
            memmodel.Network.from_json('{\n "format": nonsense}', name="mine.json")
        self.assertEqual((caught.exception.object, caught.exception.line), ("mine.json", 2))
        with self.assertRaises(OSError) as caught:
            memmodel.Network.load("/nowhere/at/all.json")
        self.assertIsInstance(caught.exception, memmodel.IoError)


class CustomOperators(unittest.TestCase):
    def network(self, callback):
        net = memmodel.Network()
        batch = net.symbol("batch")
        x = net.input("x", (batch, 10))
        y = net.custom([x], [(batch, 20)], name="mine", parameter_count=7, saved_bytes=4 * batch, callback=callback)
        net.loss(y, net.input("target", (batch, 20)), kind="mean_squared_error")
        return net

    def saved(self, callback, batch):
        """Bytes that the operator kept in the first step."""
        trace = memmodel.estimate(self.network(callback), batch=batch).trace
        return [
            event.bytes for event in trace
            if event.layer == "mine" and event.step == 1 and event.phase == "forward" and event.bytes > 0
        ]  # fmt: skip

    def test_a_callback_in_python_corrects_what_was_declared(self):
        shapes = []

        def callback(inputs):
            shapes.extend(inputs)
            return {"saved_bytes": 1000 * inputs[0][0]}

        self.assertEqual(self.saved(None, 5), [5 * 20 * 4, 4 * 5])
        self.assertEqual(self.saved(callback, 5), [5 * 20 * 4, 5000])
        self.assertEqual(shapes, [(5, 10)])

    def test_an_exception_in_a_callback_is_the_cause(self):
        def callback(_):
            raise ZeroDivisionError("mine")

        with self.assertRaises(memmodel.CallbackError) as caught:
            memmodel.estimate(self.network(callback), batch=1)
        self.assertIsInstance(caught.exception.__cause__, ZeroDivisionError)
        self.assertEqual(caught.exception.object, "mine")

    def test_what_a_callback_returns_is_checked(self):
        for wrong, cause in (
            (lambda _: {"nonsense": 1}, AttributeError),
            (lambda _: {"saved_bytes": 2**64}, OverflowError),
            (lambda _: {"saved_bytes": "much"}, TypeError),
            (lambda _: None, AttributeError),
            (lambda: {}, TypeError),
        ):
            with self.assertRaises(memmodel.CallbackError) as caught:
                memmodel.estimate(self.network(wrong), batch=1)
            self.assertIsInstance(caught.exception.__cause__, cause)

    def test_a_keyboard_interrupt_in_a_callback_comes_through(self):
        def callback(_):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            memmodel.estimate(self.network(callback), batch=1)

    def test_a_callback_may_not_change_its_network(self):
        def callback(_):
            net.symbol("more")

        net = self.network(callback)
        with self.assertRaises(memmodel.CallbackError) as caught:
            memmodel.estimate(net, batch=1)
        self.assertIsInstance(caught.exception.__cause__, RuntimeError)
        net.symbol("more")


if __name__ == "__main__":
    unittest.main()
