"""Eight threads at once, and children of fork."""

import contextlib
import os
import threading
import time
import unittest

import memmodel
import networks

THREADS = 8


def together(work):
    """Runs work(number) in threads that start at the same moment; their exceptions."""
    barrier, problems = threading.Barrier(THREADS), []

    def run(number):
        try:
            barrier.wait()
            work(number)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return problems


class Threads(unittest.TestCase):
    def test_each_thread_with_networks_of_its_own(self):
        def work(number):
            for filters in range(1, 6):
                net = memmodel.Network()
                x = net.input("x", (net.symbol("batch"), 3, 8, 8))
                net.conv(x, filters=filters, kernel=3)
                report = memmodel.estimate(net, batch=number + 1, framework="textbook", textbook_rule="outputs")
                # filters * (27 + 1) parameters; outputs of 6 * 6 elements a filter and image
                expected = 4 * (28 * filters + (number + 1) * 36 * filters)
                assert report.peak.live == expected, (report.peak, expected)

        self.assertEqual(together(work), [])

    def test_all_threads_with_one_network(self):
        net = networks.classifier()
        expected = {batch: memmodel.estimate(net, batch=batch).peak for batch in range(1, THREADS + 1)}

        def work(number):
            for _ in range(10):
                assert memmodel.estimate(net, batch=number + 1).peak == expected[number + 1]

        self.assertEqual(together(work), [])

    def test_a_network_that_grows_while_it_is_estimated(self):
        net = memmodel.Network()
        batch = net.symbol("batch")
        x = net.input("x", (batch, 4))

        def work(number):
            for _ in range(50):
                if number % 2:
                    net.linear(x, units=4)
                    net.symbol(f"batch_{number}")
                else:
                    sizes = dict.fromkeys(net.symbols, 1)
                    with contextlib.suppress(memmodel.UnboundError):  # a symbol came in between
                        memmodel.estimate(net, symbols=sizes)

        self.assertEqual(together(work), [])
        self.assertEqual(len(net), 1 + THREADS // 2 * 50)

    def test_all_threads_with_one_model(self):
        model = networks.model()
        expected = [model.predict(dim=dim, batch=2) for dim in range(1, THREADS + 1)]

        def work(number):
            for _ in range(2000):
                assert model.predict(dim=number + 1, batch=2) == expected[number]
                assert model(dim=number + 1, batch=2) == expected[number].value

        self.assertEqual(together(work), [])

    def test_errors_stay_with_their_threads(self):
        net = memmodel.Network()
        net.input("x", (net.symbol("batch"), 4))

        def work(number):
            for _ in range(200):
                name = f"wrong_{number}"
                try:
                    memmodel.estimate(net, symbols={"batch": 1, name: 1})
                except memmodel.NotFoundError as problem:
                    assert problem.object == name, (problem.object, name)
                try:
                    net.input(f"bad name {number}", (1,))
                except memmodel.MemmodelError as problem:
                    assert str(number) in str(problem), (problem, number)

        self.assertEqual(together(work), [])

    def test_all_threads_with_one_table(self):
        samples = memmodel.Samples(["n", "peak"])
        for number in range(1, 6):
            samples.add_row([number, 2 * number])

        def work(number):
            for row in range(100):
                samples.add_row([number, row + 1])
                assert len(samples["n"]) >= 6
            if number == 0:
                memmodel.fit(samples, "peak")

        self.assertEqual(together(work), [])
        self.assertEqual(len(samples), 5 + THREADS * 100)

    def test_a_long_call_lets_other_threads_run(self):
        net, counted, done = networks.unet3d(), 0, threading.Event()

        def estimates():
            for _ in range(5):
                memmodel.estimate(net, batch=1, dim=64)
            done.set()

        thread = threading.Thread(target=estimates)
        thread.start()
        while not done.is_set():
            counted += 1
            time.sleep(0.0005)
        thread.join()
        self.assertGreater(counted, 3)

    def test_an_object_closed_during_a_call_lives_until_it_ends(self):
        context = memmodel.ffi.context_new(None)
        monitor = memmodel.ffi.monitor_new(context, os.getpid(), None)
        started = threading.Event()

        def observer(_):
            started.set()
            return 0

        thread = threading.Thread(target=memmodel.ffi.monitor_run, args=(monitor, observer))
        thread.start()
        started.wait()
        memmodel.ffi.monitor_stop(monitor)
        monitor.close()
        thread.join()
        with self.assertRaises(ValueError):
            memmodel.ffi.monitor_read(monitor)


@unittest.skipUnless(hasattr(os, "fork"), "fork")
class Fork(unittest.TestCase):
    def in_child(self, work):
        """Whether work() succeeds in a forked child within ten seconds."""
        child = os.fork()
        if child == 0:
            try:
                work()
                os._exit(0)
            except BaseException:
                os._exit(1)
        end = time.monotonic() + 10
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return status == 0
            time.sleep(0.01)
        os.kill(child, 9)
        os.waitpid(child, 0)
        return False

    def test_a_child_uses_what_was_made_before(self):
        net, model = networks.classifier(), networks.model()
        peak, prediction = memmodel.estimate(net, batch=2).peak, model.predict(dim=64, batch=2)
        samples = memmodel.Samples({"n": [1, 2, 3, 4], "peak": [1, 2, 3, 5]})

        def work():
            assert memmodel.estimate(net, batch=2).peak == peak
            assert model.predict(dim=64, batch=2) == prediction
            net.symbol("more")
            samples.add_row([5, 6])
            memmodel.fit(samples, "peak")

        self.assertTrue(self.in_child(work))

    def test_a_child_uses_what_another_thread_held(self):
        net, stop = networks.unet3d(), threading.Event()

        def estimates():
            while not stop.is_set():
                memmodel.estimate(net, batch=1, dim=64)

        thread = threading.Thread(target=estimates)
        thread.start()
        time.sleep(0.05)
        try:
            self.assertTrue(all(self.in_child(lambda: net.symbol("more")) for _ in range(5)))
        finally:
            stop.set()
            thread.join()

    def test_a_child_monitors_itself(self):
        with memmodel.Monitor() as monitor:
            self.assertTrue(self.in_child(lambda: monitor.peak and memmodel.Monitor().read()))


if __name__ == "__main__":
    unittest.main()
