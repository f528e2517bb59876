"""Modules that DistributedDataParallel or fully_shard() has wrapped already, in memmodel.torch.estimate()."""

import importlib.util
import unittest

TORCH = importlib.util.find_spec("torch") is not None

if TORCH:
    import memmodel.torch
    import torch
    import torch.distributed as dist
    from parallel_models import MODELS, loss
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    from torch.nn.parallel import DistributedDataParallel
    from torch.testing._internal.distributed.fake_pg import FakeStore

RANK, RANKS = 1, 4


def made():
    torch.manual_seed(0)
    make, batch = MODELS["gpt"]
    return make().train(), batch(2)


def peaks(module, batch, **job):
    return memmodel.torch.estimate(module, batch, loss=loss, optimizer="adamw", backend="gloo", **job).step_peaks


def sharded(**options):
    module, batch = made()
    for layer in module.layers:
        fully_shard(layer, **options)
    return fully_shard(module, **options), batch


@unittest.skipUnless(TORCH, "torch is not installed")
class Wrapped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        dist.init_process_group("fake", store=FakeStore(), rank=RANK, world_size=RANKS)

    @classmethod
    def tearDownClass(cls):
        dist.destroy_process_group()

    def test_ddp_says_its_ranks_and_options(self):
        for options, text in (
            ({}, "ddp"),
            (
                {"gradient_as_bucket_view": True, "bucket_cap_mb": 2},
                "ddp(bucket_cap_mb=2, gradient_as_bucket_view=True)",
            ),
        ):
            with self.subTest(text):
                module, batch = made()
                told = peaks(*made(), mesh={"dp": RANKS}, data=text)
                self.assertEqual(peaks(DistributedDataParallel(module, **options), batch), told)

    def test_fsdp_says_its_units_and_options_and_is_as_it_was_afterwards(self):
        for options, text in (
            ({}, "fsdp(layers.*)"),
            ({"reshard_after_forward": False}, "fsdp(layers.*, reshard_after_forward=False)"),
        ):
            with self.subTest(text):
                module, batch = sharded(**options)
                kept = [(type(part), len(part._forward_pre_hooks)) for part in module.modules()]
                found = peaks(module, batch)
                self.assertEqual(found, peaks(*made(), mesh={"dp": RANKS}, data=text, rank=RANK))
                self.assertEqual([(type(part), len(part._forward_pre_hooks)) for part in module.modules()], kept)
                self.assertTrue(all(type(parameter).__name__ == "DTensor" for parameter in module.parameters()))

    def test_mixed_precision_is_said_too(self):
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        text = "fsdp(layers.*, param_dtype=bfloat16, reduce_dtype=float32)"
        told = peaks(*made(), mesh={"dp": RANKS}, data=text, rank=RANK)
        self.assertEqual(peaks(*sharded(mp_policy=policy)), told)

    def test_a_second_mesh_is_an_error(self):
        module, batch = sharded()
        with self.assertRaisesRegex(ValueError, "mesh: the module says its own"):
            peaks(module, batch, mesh={"dp": 8})


if __name__ == "__main__":
    unittest.main()
