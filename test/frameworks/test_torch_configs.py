"""Configurations of launchers, as arguments of memmodel.torch.estimate()."""

import importlib.util
import json
import tempfile
import unittest
from pathlib import Path

TORCH, YAML = (importlib.util.find_spec(name) is not None for name in ("torch", "yaml"))

if TORCH:
    import memmodel.torch
    import torch
    from parallel_models import MODELS, loss

CASES = Path(__file__).parents[1] / "data" / "pytorch_parallel" / "cases.json"

ACCELERATE = """
distributed_type: FSDP
fsdp_config:
  fsdp_version: 2
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_transformer_layer_cls_to_wrap: TitanBlock
  fsdp_reshard_after_forward: true
  fsdp_state_dict_type: SHARDED_STATE_DICT
mixed_precision: 'no'
num_processes: 4
"""

DEEPSPEED_BY_ACCELERATE = """
distributed_type: DEEPSPEED
deepspeed_config:
  zero_stage: 3
  gradient_accumulation_steps: 2
  offload_optimizer_device: cpu
  offload_param_device: none
  zero3_init_flag: true
mixed_precision: bf16
num_processes: 4
"""

DEEPSPEED = {
    "train_micro_batch_size_per_gpu": 4,
    "zero_optimization": {"stage": 2, "reduce_bucket_size": 1000000, "allgather_bucket_size": 1e6},
    "optimizer": {"type": "AdamW", "params": {"torch_adam": True}},
}

TORCHTITAN = """
[training]
mixed_precision_param = "float32"
[parallelism]
tensor_parallel_degree = 2
disable_loss_parallel = true
[activation_checkpoint]
mode = "none"
[optimizer]
name = "Adam"
implementation = "for-loop"
"""


def titan():
    torch.manual_seed(0)
    make, batch = MODELS["titan"]
    return make().train(), batch(2)


def load(text, suffix, **given):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"config{suffix}")
        path.write_text(text)
        return memmodel.torch.load_config(path, titan()[0], **given)


@unittest.skipUnless(TORCH and YAML, "torch or PyYAML is not installed")
class Configs(unittest.TestCase):
    def test_torchtitan_takes_what_the_same_ranks_took_when_recorded(self):
        rows = json.loads(CASES.read_text())["cases"]
        name = "titan_b2_adam_dp2tp2_tensor_vocab_sequence_fsdp"
        recorded = next(row for row in rows if row["name"] == name)
        module, batch = titan()
        arguments = load(TORCHTITAN, ".toml", ranks=4)
        report = memmodel.torch.estimate(
            module, batch, loss=loss, isa="avx2", intra_op_threads=1, backend="gloo", rank=recorded["rank"], **arguments
        )
        self.assertEqual(report.step_peaks, recorded["peaks"])

    def test_torchtitan_keeps_every_second_product(self):
        selective = TORCHTITAN.replace('mode = "none"', 'mode = "selective"\nselective_ac_option = "op"')
        self.assertEqual(load(selective, ".toml", ranks=4)["checkpoint"], "layers.*(save=matmul/2)")

    def test_torchtitan_replicates_by_ddp_and_casts_by_autocast(self):
        replicated = TORCHTITAN.replace("tensor_parallel_degree = 2", "data_parallel_replicate_degree = 4")
        replicated = replicated.replace("[parallelism]", "[parallelism]\ndata_parallel_shard_degree = 1")
        arguments = load(replicated.replace('"float32"', '"bfloat16"'), ".toml")
        self.assertEqual(
            (arguments["mesh"], arguments["data"], arguments["precision"]),
            ({"dp": 4}, "ddp(bucket_cap_mb=100)", "bfloat16"),
        )

    def test_torchtitan_shares_sequences_over_what_data_leaves(self):
        parallelism = "[parallelism]\ncontext_parallel_degree = 4\n"
        given = load(TORCHTITAN.replace("[parallelism]\n", parallelism), ".toml", ranks=16)
        self.assertEqual(given["mesh"], {"dp": 2, "cp": 4, "tp": 2})
        self.assertNotIn("context", given)
        rotated = parallelism + 'context_parallel_rotate_method = "alltoall"\n'
        given = load(TORCHTITAN.replace("[parallelism]\n", rotated), ".toml", ranks=16)
        self.assertEqual(given["context"], "ring(rotate_method=alltoall)")

    def test_torchtitan_cuts_the_loss_unless_told(self):
        self.assertNotIn("loss_parallel", load(TORCHTITAN, ".toml", ranks=8)["tensor"])
        cut = load(TORCHTITAN.replace("disable_loss_parallel = true", ""), ".toml", ranks=8)
        self.assertTrue(cut["tensor"].endswith("sequence, loss_parallel"))

    def test_accelerate_names_the_modules_of_a_class(self):
        arguments = load(ACCELERATE, ".yaml")
        self.assertEqual(arguments, {"mesh": {"dp": 4}, "data": "fsdp(layers.*, reshard_after_forward=True)"})

    def test_accelerate_says_what_deepspeed_is_given(self):
        data = "deepspeed(stage=3, offload_optimizer=cpu, bf16=True)"
        self.assertEqual(
            load(DEEPSPEED_BY_ACCELERATE, ".yaml"), {"mesh": {"dp": 4}, "data": data, "gradient_accumulation": 2}
        )

    def test_deepspeed_takes_what_the_same_ranks_took_when_recorded(self):
        rows = json.loads(CASES.with_name("deepspeed.json").read_text())["cases"]
        name = "gpt_b4_adamw_w2_zero2_rb1000000_ab1000000"
        recorded = next(row for row in rows if row["name"] == name and row["rank"] == 0)
        make, batch = MODELS["gpt"]
        arguments = load(json.dumps(DEEPSPEED), ".json", ranks=2)
        report = memmodel.torch.estimate(
            make().train(), batch(4), loss=loss, isa="avx2", intra_op_threads=1, backend="gloo", **arguments
        )
        for peak, measured in zip(report.step_peaks, recorded["peaks"], strict=True):
            self.assertAlmostEqual(peak, measured, delta=32)  # scalars of DeepSpeed's own code

    def test_auto_is_filled_in_as_the_trainer_does(self):
        module = titan()[0]
        module.config = type("Config", (), {"hidden_size": 256})()
        given = {"zero_optimization": {"stage": 3, "reduce_bucket_size": "auto", "stage3_prefetch_bucket_size": "auto"}}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "ds.json")
            path.write_text(json.dumps(given))
            found = memmodel.torch.load_config(path, module, ranks=8)
        self.assertEqual(
            found["data"], "deepspeed(stage=3, reduce_bucket_size=65536, stage3_prefetch_bucket_size=58982)"
        )

    def test_what_matters_and_is_not_modelled_is_named(self):
        for text, suffix, key in (
            (ACCELERATE.replace("fsdp_version: 2", "fsdp_version: 1"), ".yaml", "fsdp_config.fsdp_version"),
            (ACCELERATE.replace("TitanBlock", "LlamaDecoderLayer"), ".yaml", "layer_cls_to_wrap.*has no LlamaDecoder"),
            (ACCELERATE.replace("'no'", "bf16"), ".yaml", "mixed_precision: 'bf16' is not modelled"),
            ("distributed_type: DEEPSPEED\nmixed_precision: fp8", ".yaml", "mixed_precision: 'fp8' is not modelled"),
            ("distributed_type: HOROVOD", ".yaml", "distributed_type"),
            ("num_procs: 4", ".yaml", "num_procs: nobody knows this key"),
            ('{"zero_optimization": {"stage": 0}}', ".json", "zero_optimization.stage: 0 is not modelled"),
            ('{"zero_optimization": {"stag": 2}}', ".json", "zero_optimization.stag: nobody knows this key"),
            ('{"zero_optimization": {"stage": 3, "zero_hpz_partition_size": 8}}', ".json", "zero_hpz_partition_siz"),
            ('{"zero_optimization": {"stage": 2, "reduce_bucket_size": "auto"}}', ".json", "reduce_bucket_size: 'au"),
            ('{"zero_optimization": {"stage": 3, "offload_param": {"device": "nvme"}}}', ".json", "offload_param: the"),
            ('{"zero_optimization": {"stage": 2}, "fp8": {}}', ".json", "fp8: nobody knows this key"),
            ('{"zero_optimization": {"stage": 2}, "optimizer": {"type": "Lamb"}}', ".json", "optimizer.type: 'Lamb'"),
            ('{"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"}}', ".json", "bf16.enabled: 'auto'"),
            (TORCHTITAN.replace('mode = "none"', ""), ".toml", "activation_checkpoint.selective_ac_option: '2', every"),
            (TORCHTITAN.replace("[parallelism]", "[paralelism]"), ".toml", "paralelism: nobody knows this section"),
            (TORCHTITAN + "[model]\nconverters = ['float8']", ".toml", "model.converters: .'float8'. replaces modules"),
            (TORCHTITAN + "[model]\nconvertors = []", ".toml", "model.convertors: nobody knows this key"),
            (TORCHTITAN + "[float8]\nenable_float8_linear = true", ".toml", "float8: enable_float8_linear = True"),
            (TORCHTITAN + "early_step_in_backward = true", ".toml", "optimizer.early_step_in_backward"),
            (TORCHTITAN.replace('"Adam"', '"SGD"'), ".toml", "optimizer.name: 'SGD' is not modelled"),
            (TORCHTITAN + "[fault_tolerance]\nenable = true", ".toml", "fault_tolerance: enable = True"),
            (TORCHTITAN + "[validation]\nenable = true", ".toml", "validation: enable = True"),
            (
                TORCHTITAN + "[experimental]\ncontext_parallel_degree = 2",
                ".toml",
                "experimental: context_parallel_degr",
            ),
            (ACCELERATE + "fp8_config: {backend: TE}", ".yaml", "fp8_config: float8 is not modelled"),
            (DEEPSPEED_BY_ACCELERATE.replace("zero_stage", "zero_stag"), ".yaml", "deepspeed_config.zero_stag: nobody"),
        ):
            with self.subTest(key), self.assertRaisesRegex(memmodel.torch.ConfigError, key):
                load(text, suffix, ranks=4)
        with self.assertRaisesRegex(memmodel.torch.ConfigError, "say ranks=8"):
            load(TORCHTITAN, ".toml")


if __name__ == "__main__":
    unittest.main()
