"""Nothing leaks and nothing waits for the garbage collector.

MEMMODEL_CALLS sets how often each call is made (a million shows that nothing leaks; less is enough to notice).
"""

import contextlib
import gc
import os
import unittest
import weakref

import memmodel
import networks

CALLS = int(os.environ.get("MEMMODEL_CALLS", "20000"))
# Of resident memory: what the allocators of Python and C keep in reserve. One object of 100 bytes that leaks with every
# call would be 2 MB after 20,000.
ALLOWED = 1_500_000


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Cycles(unittest.TestCase):
    def setUp(self):
        gc.collect()
        gc.disable()

    def tearDown(self):
        gc.enable()

    def test_objects_go_with_their_last_name(self):
        net = networks.classifier()
        report = memmodel.estimate(net, batch=1)
        report.layers, report.total, report.formulas, repr(report)  # noqa: B018
        model = networks.model()
        objects = {
            "report": report, "trace": report.trace, "network": net, "model": model,
            "handle": net._handle, "context": net._handle.context, "samples": memmodel.Samples({"a": [1]}),
            "monitor": memmodel.Monitor(), "lock": net._lock,
        }  # fmt: skip
        references = {name: weakref.ref(thing) for name, thing in objects.items()}
        del objects, net, report, model
        self.assertEqual({name for name, reference in references.items() if reference() is not None}, set())

    def test_a_network_with_a_callback_goes_too(self):
        net = memmodel.Network()
        net.custom([net.input("x", (1,))], [(1,)], callback=lambda _: {})
        memmodel.estimate(net)
        reference = weakref.ref(net)
        del net
        self.assertIsNone(reference())

    def test_an_exception_holds_nothing(self):
        net = networks.classifier()
        reference = weakref.ref(net)
        try:
            memmodel.estimate(net, batch=-1)
        except memmodel.MemmodelError as problem:
            problem.with_traceback(None)
        del net
        self.assertIsNone(reference())

    def test_a_monitor_that_watched_goes(self):
        with memmodel.Monitor() as monitor:
            pass
        reference = weakref.ref(monitor)
        del monitor
        self.assertIsNone(reference())

    def test_collecting_finds_nothing(self):
        for _ in range(3):
            net = networks.classifier()
            memmodel.estimate(net, batch=1).layers  # noqa: B018
            networks.model().predict(dim=1, batch=1)
            del net
        self.assertEqual(gc.collect(), 0)


@unittest.skipIf("libasan" in os.environ.get("LD_PRELOAD", ""), "AddressSanitizer keeps what is freed")
@unittest.skipUnless(os.path.exists("/proc/self/statm"), "/proc")  # noqa: PTH110
class Leaks(unittest.TestCase):
    def assert_no_leak(self, call, calls=CALLS):
        for _ in range(calls // 10):
            call()
        before = resident()
        for _ in range(calls):
            call()
        self.assertLess(resident() - before, ALLOWED)

    def test_predictions(self):
        model = networks.model()
        self.assert_no_leak(lambda: model(dim=64, batch=2))
        self.assert_no_leak(lambda: model.predict(dim=64, batch=2))
        self.assert_no_leak(model.formula)

    def test_errors(self):
        model, net = networks.model(), memmodel.Network()

        def fail():
            for wrong in (lambda: model(dim=1), lambda: net.symbol("no name"), lambda: memmodel.Network.from_json("{")):
                with contextlib.suppress(TypeError, memmodel.MemmodelError):
                    wrong()

        self.assert_no_leak(fail, CALLS // 4)

    def test_networks_and_estimates(self):
        def use():
            net = memmodel.Network()
            batch = net.symbol("batch")
            x = net.input("x", (batch, 3))
            net.custom([net.linear(x, units=4)], [(batch, 2)], callback=lambda _: {"saved_bytes": 8})
            report = memmodel.estimate(net, batch=2, steps=1)
            return report.layers, report.trace[0], report.to_json(), report.unmodelled, repr(x)

        self.assert_no_leak(use, CALLS // 20)

    def test_samples_and_fits(self):
        def use():
            samples = memmodel.Samples({"n": [1, 2, 3, 4], "peak": [2, 4, 6, 9]})
            return memmodel.fit(samples.filter(n=1).select([0]) and samples, "peak").scores, samples["n"]

        self.assert_no_leak(use, CALLS // 20)


if __name__ == "__main__":
    unittest.main()
