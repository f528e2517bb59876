"""Ranks that train together, from Python."""

import json
import unittest

import memmodel


def network():
    """Weights of 10 x 4 and 4 x 10 numbers."""
    net = memmodel.Network()
    x = net.input("x", (2, 4))
    with net.scope("block"):
        x = net.linear(net.linear(x, units=10, name="up"), units=4, name="down")
    net.reduce(x, kind="sum")
    return net


class Ranks(unittest.TestCase):
    def test_a_mesh_is_a_mapping_or_a_text(self):
        peaks = {
            memmodel.estimate(network(), mesh=mesh, data="ddp", metric="live").peak.live for mesh in ({"dp": 4}, "dp=4")
        }
        self.assertEqual(len(peaks), 1)

    def test_a_bucket_is_as_large_as_the_gradients(self):
        alone = memmodel.estimate(network(), metric="live")
        rank = memmodel.estimate(network(), mesh={"dp": 4}, data="ddp", metric="live")
        parameters = 4 * (10 * 4 + 10 + 4 * 10 + 4)
        self.assertEqual(rank.step_peaks[-1] - alone.step_peaks[-1], parameters)

    def test_ranks_have_a_report_for_each_class(self):
        # 10 and 4 rows over 4 ranks: 3, 3, 3, 1 and one each
        found = memmodel.estimate_ranks(network(), mesh={"dp": 4}, data="fsdp(block)", metric="live")
        self.assertEqual([(ranks.first_rank, ranks.rank_count) for ranks in found], [(0, 3), (3, 1)])
        self.assertLess(found[1].report.peak.live, found[0].report.peak.live)

    def test_half_of_the_weights_are_half_the_states_of_an_optimizer(self):
        plan = "colwise=block.up, rowwise=block.down"
        alone = memmodel.estimate(network(), metric="live", optimizer="adam").categories["optimizer state"]
        rank = memmodel.estimate(network(), metric="live", optimizer="adam", mesh={"tp": 2}, tensor=plan)
        # a rank has 5 of 10 rows, and the second bias whole, in two moments each; the counters are all there
        self.assertEqual(alone - rank.categories["optimizer state"], 2 * 4 * (5 * 4 + 5 + 4 * 5))

    def test_a_report_says_how_the_ranks_share(self):
        plan = "colwise=block.up, rowwise=block.down"
        report = memmodel.estimate(network(), metric="live", mesh={"tp": 2}, tensor=plan, rank=1)
        said = json.loads(report.to_json())["job"]["parallel"]
        unasked = dict.fromkeys(("data", "pipeline", "context", "experts", "backend"), "")
        self.assertEqual(said, {"mesh": "tp=2", "tensor": plan, "rank": 1} | unasked)
        cut = "gpipe(microbatches=2, cut=block.down)"
        report = memmodel.estimate(network(), metric="live", mesh={"pp": 2}, pipeline=cut)
        self.assertEqual(json.loads(report.to_json())["job"]["parallel"]["pipeline"], cut)

    def test_what_cannot_be_shared_is_an_error_that_names_it(self):
        with self.assertRaisesRegex(memmodel.MemmodelError, "nothing says how"):
            memmodel.estimate(network(), mesh={"dp": 4})
        with self.assertRaisesRegex(memmodel.MemmodelError, "no module of the network is called"):
            memmodel.estimate(network(), mesh={"dp": 4}, data="fsdp(layers.*)")
        with self.assertRaisesRegex(TypeError, "mesh"):
            memmodel.estimate(network(), mesh=4, data="ddp")


if __name__ == "__main__":
    unittest.main()
