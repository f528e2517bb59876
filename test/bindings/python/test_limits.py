"""What calls may use: memmodel.limits()."""

import math
import unittest

import memmodel


def chain(layers):
    net = memmodel.Network()
    x = net.input("x", (net.symbol("batch"), 8))
    for _ in range(layers):
        x = net.linear(x, units=8)
    net.loss(x, net.input("target", (net.symbol("batch"), 8)), kind="mean_squared_error")
    return net


class Limits(unittest.TestCase):
    def test_a_call_beyond_a_limit_raises_and_says_which(self):
        net = chain(20)
        for given in ({"nodes": 100}, {"memory_bytes": "100KiB"}, {"seconds": 1e-9}):
            with self.subTest(given), memmodel.limits(**given), self.assertRaises(memmodel.LimitError) as caught:
                memmodel.estimate(net, batch=4, steps=500)
            self.assertEqual(caught.exception.object, next(iter(given)))
        self.assertGreater(memmodel.estimate(net, batch=4).peak.live, 0)

    def test_networks_made_within_have_the_limits(self):
        with memmodel.limits(layers=5), self.assertRaises(memmodel.LimitError):
            chain(6)
        with memmodel.limits(layers=math.inf):
            chain(6)
        text = chain(6).to_json()
        with memmodel.limits(input_bytes=100), self.assertRaises(memmodel.LimitError):
            memmodel.Network.from_json(text)

    def test_limits_below_zero_are_refused(self):
        with self.assertRaises(memmodel.InvalidArgumentError), memmodel.limits(seconds=-1):
            pass

    def test_blocks_end_also_by_an_exception(self):
        with self.assertRaises(KeyError), memmodel.limits(nodes=1):
            raise KeyError
        self.assertGreater(memmodel.estimate(chain(2), batch=4).peak.live, 0)


if __name__ == "__main__":
    unittest.main()
