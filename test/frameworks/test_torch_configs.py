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

    def test_accelerate_names_the_modules_of_a_class(self):
        arguments = load(ACCELERATE, ".yaml")
        self.assertEqual(arguments, {"mesh": {"dp": 4}, "data": "fsdp(layers.*, reshard_after_forward=True)"})

    def test_what_matters_and_is_not_modelled_is_named(self):
        for text, suffix, key in (
            (ACCELERATE.replace("fsdp_version: 2", "fsdp_version: 1"), ".yaml", "fsdp_config.fsdp_version"),
            (ACCELERATE.replace("TitanBlock", "LlamaDecoderLayer"), ".yaml", "layer_cls_to_wrap.*has no LlamaDecoder"),
            (ACCELERATE.replace("'no'", "bf16"), ".yaml", "mixed_precision: 'bf16' is not modelled"),
            ("distributed_type: DEEPSPEED", ".yaml", "distributed_type"),
            ("num_procs: 4", ".yaml", "num_procs: nobody knows this key"),
            ('{"zero_optimization": {"stage": 2}}', ".json", "zero_optimization"),
            (TORCHTITAN.replace("disable_loss_parallel = true", ""), ".toml", "parallelism.disable_loss_parallel"),
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
            (ACCELERATE + "deepspeed_config: {zero_stage: 2}", ".yaml", "deepspeed_config: DeepSpeed's ZeRO"),
        ):
            with self.subTest(key), self.assertRaisesRegex(memmodel.torch.ConfigError, key):
                load(text, suffix, ranks=4)
        with self.assertRaisesRegex(memmodel.torch.ConfigError, "say ranks=8"):
            load(TORCHTITAN, ".toml")


if __name__ == "__main__":
    unittest.main()
