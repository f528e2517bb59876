"""Whatever is wrong with an argument: an exception that names it, never a crash, and nothing wrapped silently."""

import copy
import ctypes
import gc
import pickle
import unittest

import memmodel
import networks
from memmodel import ffi

try:
    import numpy
except ImportError:
    numpy = None


class Names(unittest.TestCase):
    """The idiomatic layer."""

    def setUp(self):
        self.net = memmodel.Network()
        self.batch = self.net.symbol("batch")
        self.x = self.net.input("x", (self.batch, 3, 8, 8))

    def refused(self, error, name, call):
        with self.assertRaisesRegex(error, f"^{name}: "):
            call()

    def test_integers_are_checked_before_they_wrap(self):
        for value in (2**63, -(2**63) - 1, 2**200):
            self.refused(OverflowError, "filters", lambda value=value: self.net.conv(self.x, filters=value, kernel=1))
            self.refused(OverflowError, "batch", lambda value=value: memmodel.estimate(self.net, batch=value))
        self.refused(OverflowError, "steps", lambda: memmodel.estimate(self.net, batch=1, steps=2**31))
        self.refused(OverflowError, "budget", lambda: memmodel.estimate_max(self.net, "batch", 2**63))
        self.refused(OverflowError, "kernel", lambda: self.net.conv(self.x, filters=1, kernel=(1, 2**64)))
        self.refused(OverflowError, "first", lambda: self.net.flatten(self.x, 2**31, 1))
        self.refused(OverflowError, "max_terms", lambda: memmodel.fit({"a": [1], "b": [1]}, max_terms=2**40))

    def test_types_are_named(self):
        for value in (None, "8", 8.0, [8], object(), b"8"):
            self.refused(TypeError, "filters", lambda value=value: self.net.conv(self.x, filters=value, kernel=1))
        for value in (None, 7, "x", self.batch, [self.x], object):
            self.refused(TypeError, "x", lambda value=value: self.net.conv(value, filters=1, kernel=1))
        for value in (7, b"name", ["name"], self.x):
            self.refused(TypeError, "name", lambda value=value: self.net.linear(self.x, units=1, name=value))
        for value in (None, 7, "net", memmodel.Network):
            self.refused(TypeError, "network", lambda value=value: memmodel.estimate(value, batch=1))
        self.refused(TypeError, "tensors", lambda: self.net.concat(self.x))
        self.refused(TypeError, r"tensors\[1\]", lambda: self.net.concat([self.x, None]))
        self.refused(TypeError, "shape", lambda: self.net.input("y", 7))
        self.refused(TypeError, r"shape\[0\]", lambda: self.net.input("y", ("batch",)))
        self.refused(TypeError, "rate", lambda: self.net.dropout(self.x, rate="half"))
        self.refused(TypeError, "path", lambda: memmodel.Network.load(7))
        self.refused(TypeError, "table", lambda: memmodel.fit(7))
        self.refused(TypeError, "callback", lambda: self.net.custom([self.x], [(1,)], callback=7))

    def test_names_of_enums_are_checked(self):
        self.refused(ValueError, "auto_pad", lambda: self.net.conv(self.x, filters=1, kernel=1, auto_pad="some"))
        self.refused(ValueError, "auto_pad", lambda: self.net.conv(self.x, filters=1, kernel=1, auto_pad=77))
        wrong = ffi.LossKind.DICE
        self.refused(ValueError, "auto_pad", lambda: self.net.conv(self.x, filters=1, kernel=1, auto_pad=wrong))
        self.refused(TypeError, "kind", lambda: self.net.activation(self.x, kind=None))

    def test_zeros_inside_texts_are_refused(self):
        self.refused(ValueError, "name", lambda: self.net.symbol("bat\0ch"))
        self.refused(ValueError, "path", lambda: self.net.save("a\0b"))
        self.refused(ValueError, "framework", lambda: memmodel.estimate(self.net, batch=1, framework="py\0torch"))
        self.refused(ValueError, "text", lambda: memmodel.Network.from_json("{}\0"))
        self.refused(ValueError, "name", lambda: self.net.symbol("\ud800"))

    def test_what_belongs_to_another_network_is_refused(self):
        other = memmodel.Network()
        y, size = other.input("y", (1,)), other.symbol("n")
        self.refused(ValueError, "x", lambda: self.net.flatten(y, 0, -1))
        self.refused(ValueError, "b", lambda: self.x + y)
        self.refused(ValueError, r"shape\[1\]", lambda: self.net.input("z", (self.batch, size)))
        self.refused(ValueError, "saved_bytes", lambda: self.net.custom([self.x], [(1,)], saved_bytes=size))
        with self.assertRaisesRegex(ValueError, "another network"):
            self.batch + size

    def test_negative_sizes_are_nobodys_symbol(self):
        self.refused(ValueError, r"shape\[0\]", lambda: self.net.input("y", (-2, 3)))
        self.refused(ValueError, "start", lambda: self.net.slice(self.x, start=-3, axis=0))

    def test_too_much_is_refused(self):
        self.refused(ValueError, "kernel", lambda: self.net.conv(self.x, filters=1, kernel=(1, 1, 1, 1)))
        self.refused(ValueError, "before", lambda: self.net.pad(self.x, before=[1] * 9))
        self.refused(ValueError, "axes", lambda: self.net.reduce(self.x, axes=range(9)))
        self.refused(ValueError, "parts", lambda: self.net.split(self.x, sizes=[1, 2], parts=3, axis=1))
        with self.assertRaises(memmodel.MemmodelError):
            self.net.input("y", [1] * 9)
        with self.assertRaises(memmodel.MemmodelError):
            self.net.permute(self.x, (0, 1))

    def test_unknown_keywords_are_refused(self):
        with self.assertRaisesRegex(TypeError, "filtres"):
            self.net.conv(self.x, filtres=1)

    def test_symbols_must_be_texts(self):
        self.refused(TypeError, "symbols", lambda: memmodel.estimate(self.net, symbols={7: 1}))
        self.refused(TypeError, "symbols", lambda: memmodel.estimate(self.net, symbols=["batch"]))


class Low(unittest.TestCase):
    """The generated layer takes memory as it is, or not at all."""

    def setUp(self):
        self.context = ffi.context_new(None)
        self.network = ffi.network_new(self.context)
        self.model = networks.model()._handle

    def test_closed_handles_say_so(self):
        ffi.network_unref(self.network)
        for call in (
            lambda: ffi.network_symbol(self.network, "n"), lambda: ffi.network_layer_count(self.network),
            lambda: ffi.network_ref(self.network), lambda: ffi.estimate(self.network, None, None),
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, "network: this network is closed"):
                call()
        ffi.network_unref(self.network)
        ffi.network_unref(None)

    def test_handles_stay_in_their_process(self):
        for take in (pickle.dumps, copy.copy, copy.deepcopy):
            with self.assertRaisesRegex(TypeError, "network .* cannot be pickled"):
                take(self.network)

    def test_a_reference_more_keeps_the_object(self):
        more = ffi.network_ref(self.network)
        self.network.close()
        self.assertLess(ffi.network_symbol(more, "n"), 0)

    def test_handles_of_other_kinds_are_refused(self):
        for wrong in (None, self.context, self.model, 7, "network", object(), ctypes.c_void_p(7)):
            with self.assertRaisesRegex(TypeError, "^network: "):
                ffi.network_symbol_count(wrong)
            with self.assertRaisesRegex(TypeError, "^network: "):
                ffi.network_unref(wrong if wrong is not None else 0)

    def test_an_object_outlives_its_context(self):
        ffi.context_unref(self.context)
        gc.collect()
        self.assertLess(ffi.network_symbol(self.network, "n"), 0)

    def test_structs_are_checked_when_they_are_filled(self):
        options = ffi.Conv(filters=3)
        for name, value, error in (
            ("filters", 2**64, OverflowError), ("filters", "3", TypeError), ("kernel", [1, 2, 3, 4], ValueError),
            ("auto_pad", "around", ValueError), ("name", "a\0", ValueError), ("no_bias", 2**31, OverflowError),
        ):  # fmt: skip
            with self.assertRaisesRegex(error, f"^{name}"):
                setattr(options, name, value)
        for name in ("size", "nonsense"):
            with self.assertRaises(AttributeError):
                setattr(options, name, 1)
        self.assertEqual((options.filters, options.size), (3, ctypes.sizeof(ffi.Conv)))

    def test_counts_go_with_their_arrays(self):
        self.assertEqual(ffi.FitOptions(inputs=["a", "b"]).input_count, 2)
        with self.assertRaisesRegex(ValueError, "^input_count"):
            ffi.FitOptions(inputs=["a", "b"], input_count=3)
        with self.assertRaisesRegex(ValueError, "^sizes"):
            ffi.Split(parts=3, sizes=[1, 2])

    def test_structs_of_other_kinds_are_refused(self):
        for wrong in (None, ffi.Linear(), {}, 7):
            with self.assertRaisesRegex(TypeError, "^options: "):
                ffi.network_conv(self.network, 0, wrong)

    def test_tensors_that_are_none_are_refused_by_the_library(self):
        for tensor in (-1, 0, 2**31 - 1, -(2**31)):
            with self.assertRaises(memmodel.MemmodelError):
                ffi.network_linear(self.network, tensor, ffi.Linear(units=1))

    def test_arrays_have_the_length_that_is_read(self):
        for wrong in ([1.0], [1.0, 2.0, 3.0], [], (ctypes.c_double * 3)()):
            with self.assertRaisesRegex(ValueError, "^inputs: .*2 values"):
                ffi.model_evaluate(self.model, wrong)
        for wrong in ([], ["1"], ["1", "2", "3"]):
            with self.assertRaisesRegex(ValueError, "^values: .*2 values"):
                ffi.samples_append_to_file(self.context, "/nowhere/at/all", ["a", "b"], wrong)
        with self.assertRaisesRegex(ValueError, "^columns: "):
            ffi.model_evaluate_many(self.model, [[1.0], [1.0, 2.0]])
        for wrong in (None, "12", 7, {1: 2}, ["a", "b"], [None, 1]):
            with self.assertRaisesRegex(TypeError, "^inputs"):
                ffi.model_evaluate(self.model, wrong)

    def test_bytes_are_no_numbers(self):
        for wrong in (b"1234567812345678", bytearray(16), memoryview(b"1234567812345678")):
            with self.assertRaisesRegex((TypeError, ValueError), "^inputs"):
                ffi.model_evaluate(self.model, wrong)

    @unittest.skipUnless(numpy, "numpy")
    def test_numpy_memory_is_used_as_it_is_or_refused(self):
        good = numpy.array([64.0, 2.0])
        self.assertEqual(ffi.model_evaluate(self.model, good), ffi.model_evaluate(self.model, [64, 2]))
        frozen = good.copy()
        frozen.flags.writeable = False
        self.assertEqual(ffi.model_evaluate(self.model, frozen), ffi.model_evaluate(self.model, good))
        for wrong in (
            good.astype("f4"), good.astype(int), good.astype(">f8"), good.astype(object), numpy.array(["a", "b"]),
            numpy.zeros(4)[::2], numpy.zeros(2)[::-1], numpy.zeros((2, 1)), numpy.zeros((1, 2)), numpy.zeros(3),
            numpy.float64(3), numpy.zeros(2, dtype=complex), numpy.broadcast_to(1.0, 2),
        ):  # fmt: skip
            with self.assertRaisesRegex((TypeError, ValueError), "^inputs: "):
                ffi.model_evaluate(self.model, wrong)

    def test_huge_counts_are_refused(self):
        with self.assertRaises((OverflowError, MemoryError, ValueError, LookupError)):
            ffi.monitor_processes(ffi.monitor_new(self.context, __import__("os").getpid(), None), 2**61)

    def test_what_came_back_stays_when_its_object_is_closed(self):
        network = networks.classifier()._handle
        options = ffi.Job(framework="textbook", symbols=[ffi.SymbolValue(name="batch", value=1)])
        report = ffi.estimate(network, options, None)
        layer = ffi.report_get_layer(report, 1)
        samples = ffi.samples_new(self.context, ["a"])
        ffi.samples_add_row(samples, [7.0])
        column = ffi.samples_column(samples, "a")
        with self.assertRaises(memmodel.MemmodelError):
            ffi.network_symbol(self.network, "no name")
        error = ffi.context_error(self.context)
        for handle in (report, samples, self.network, self.context):
            handle.close()
        self.assertEqual((layer.name, layer.parameter_count, list(column)), (b"conv_1", 896, [7.0]))
        self.assertEqual(error.status, ffi.Status.ERROR_INVALID_ARGUMENT)
        self.assertIn(b"no name", error.message)

    def test_a_struct_holds_the_objects_it_names(self):
        candidates = ffi.samples_from_csv(ffi.context_new(None), "mine", "a,b\n1,2\n2,3\n")
        options = ffi.AdviseOptions(candidates=candidates, count=1)
        candidates.close()
        _, design = ffi.advise(None, options, self.context)
        self.assertEqual(ffi.samples_column_name(design, 0), "a")
        with self.assertRaisesRegex(ValueError, "candidates: this samples is closed"):
            ffi.AdviseOptions(candidates=candidates)

    def test_a_context_that_is_left_out_is_that_of_the_object(self):
        with self.assertRaisesRegex(memmodel.UnsupportedError, "abacus"):
            ffi.estimate(self.network, ffi.Job(framework="abacus"), None)
        self.assertIs(ffi.fit(self.samples(), None, None).context.__class__, ffi.ContextHandle)

    def samples(self):
        return ffi.samples_from_csv(self.context, "mine", "a,b\n1,2\n2,3\n3,4\n4,5\n")

    def test_a_field_that_points_to_one_struct_takes_no_sequence(self):
        plan = ffi.PlanOptions(max_nodes=7)
        self.assertEqual(ffi.ScheduleOptions(plan=plan).plan.contents.max_nodes, 7)
        for wrong in ([], [plan], ffi.ChainOptions(), 7):
            with self.assertRaisesRegex(TypeError, "^plan: PlanOptions is needed"):
                ffi.ScheduleOptions(plan=wrong)

    def test_what_a_callback_was_given_may_be_kept(self):
        kept = []

        def callback(inputs, requirements):
            kept.append((inputs, requirements))
            requirements.saved_bytes = 5
            return 0

        network = memmodel.Network()
        x = network.input("x", (3,))
        shape = ffi.Shape(dims=[3], rank=1)
        ffi.network_custom(network._handle, [x.code], ffi.Custom(outputs=[shape], callback=callback))
        memmodel.estimate(network)
        kept[0][1].saved_bytes = 7
        self.assertEqual((kept[0][0][0].dims[0], kept[0][1].saved_bytes), (3, 7))

    def test_callbacks_must_be_callable(self):
        with self.assertRaisesRegex(TypeError, "^log: "):
            ffi.context_set_log(self.context, 7)
        ffi.context_set_log(self.context, None)

    def test_what_an_observer_raises_ends_the_run(self):
        monitor = ffi.monitor_new(self.context, __import__("os").getpid(), None)

        def observer(_):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            ffi.monitor_run(monitor, observer)
        readings = []
        ffi.monitor_run(monitor, lambda reading: readings.append(reading.rss) or len(readings) == 3)
        self.assertEqual(len(readings), 3)


if __name__ == "__main__":
    unittest.main()
