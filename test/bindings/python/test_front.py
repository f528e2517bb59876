"""Networks by a name: hf:ORG/MODEL, train.py:Net, folders of checkpoints; with the real packages where they are."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = os.environ["MEMMODEL_TOOL"]
SCRIPT = """import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(x)

class Broken(nn.Module):
    def __init__(self):
        self.head = nn.Linear(nothing, 4)
"""
LLAMA = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 1000, "hidden_size": 64,
    "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 16, "max_position_embeddings": 256, "rms_norm_eps": 1e-5, "hidden_act": "silu",
    "tie_word_embeddings": False, "torch_dtype": "float32",
}  # fmt: skip


def needs(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"this Python has no {', '.join(missing)}")


class Front(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def run_tool(self, *words, **environment):
        usual = {"MEMMODEL_PYTHON": sys.executable, "HF_HUB_CACHE": str(self.folder), "HF_HUB_OFFLINE": "1"}
        return subprocess.run(
            [TOOL, "estimate", *words], capture_output=True, text=True, check=False, cwd=self.folder,
            env=os.environ | usual | environment,
        )  # fmt: skip

    def report(self, *words):
        made = self.run_tool(*words, "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        return json.loads(made.stdout)

    def snapshot(self):
        path = self.folder / "models--me--tiny" / "snapshots" / "abc"
        path.mkdir(parents=True)
        (path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
        return path

    @needs("torch")
    def test_a_class_of_a_script_is_asked_with_its_input(self):
        (self.folder / "train.py").write_text(SCRIPT, encoding="utf-8")
        # 8 x 4 weights and 4 biases; the batch is that of the input, unless --set says otherwise
        found = self.report("train.py:Net", "--input", "16,8", "--loss", "mse")
        self.assertEqual((found["parameter_count"], found["job"]["symbols"]), (36, {"batch": 16}))
        found = self.report("train.py:Net", "--input", "16,8", "--loss", "mse", "--set", "batch=32")
        self.assertEqual(found["job"]["symbols"], {"batch": 32})

    @needs("torch")
    def test_what_a_script_prints_is_no_size(self):
        prints = 'print("length=7")\nprint("x" * 100000)\n'
        (self.folder / "train.py").write_text(SCRIPT + prints, encoding="utf-8")
        found = self.report("train.py:Net", "--input", "16,8", "--loss", "mse")
        self.assertEqual(found["job"]["symbols"], {"batch": 16})

    @needs("torch")
    def test_mistakes_are_one_line_with_the_place_in_the_script(self):
        (self.folder / "train.py").write_text(SCRIPT, encoding="utf-8")
        for words, told in (
            (("train.py:Broken", "--input", "1"), "memmodel: train.py:14: NameError: name 'nothing' is not defined\n"),
            (("train.py:Net",), "memmodel: train.py:Net is called with what? Add --input 8,3,224,224\n"),
            (("train.py:None",), "memmodel: train.py has no None\n"),
            (("train.py:Net", "--input", "a"), "memmodel: --input a is no shape such as 8,3,224,224 or 8,128:int64\n"),
        ):
            made = self.run_tool(*words)
            self.assertEqual((made.returncode, made.stdout, made.stderr), (1, "", told))

    def test_what_no_python_can_answer_is_told(self):
        made = self.run_tool("hf:me/tiny", MEMMODEL_PYTHON="/nowhere/python")
        self.assertEqual(made.returncode, 1)
        self.assertIn("/nowhere/python cannot be started", made.stderr)
        made = self.run_tool("hf:me/tiny", PYTHONPATH="")
        self.assertEqual(made.returncode, 1)
        self.assertIn("this needs the Python package memmodel", made.stderr)
        self.assertEqual(len(made.stderr.splitlines()), 1)

    def test_a_model_of_the_hub_is_found_in_the_cache_without_a_download(self):
        config = self.snapshot() / "config.json"
        by_name = self.report("hf:me/tiny", "--set", "batch=2,length=32")
        self.assertEqual(by_name, self.report(str(config), "--set", "batch=2,length=32"))
        self.assertEqual(by_name, self.report(str(config.parent), "--set", "batch=2,length=32"))
        made = self.run_tool("hf:me/other")
        self.assertEqual((made.returncode, len(made.stderr.splitlines())), (1, 1))
        self.assertIn("hf:me/other is not in", made.stderr)

    def test_adapters_of_a_configuration_need_no_package(self):
        config = self.snapshot() / "config.json"
        words = ("--lora", "8", "--lora-targets", "q_proj,v_proj", "--set", "batch=2,length=32")
        by_name = self.report("hf:me/tiny", *words)
        # 8 x (64 + 64) of q_proj and 8 x (64 + 32) of v_proj, in two layers
        self.assertEqual(by_name["total"]["trainable_count"], 2 * 8 * (64 + 64 + 64 + 32))
        self.assertEqual(by_name, self.report(str(config), *words))
        made = self.run_tool(str(config), "--lora", "8", "--lora-targets", "nothing")
        self.assertEqual((made.returncode, len(made.stderr.splitlines())), (1, 1))
        self.assertIn('lora_targets: "nothing" is no linear layer of this model', made.stderr)

    def test_adapters_over_packed_weights_come_from_a_configuration(self):
        config = self.snapshot() / "config.json"
        words = ("--quantization", "nf4", "--lora", "8", "--lora-targets", "q_proj,v_proj")
        by_name = self.report("hf:me/tiny", *words, "--set", "batch=2,length=32")
        self.assertEqual(by_name, self.report(str(config), *words, "--set", "batch=2,length=32"))
        self.assertEqual(by_name["total"]["trainable_count"], 2 * 8 * (64 + 64 + 64 + 32))
        self.assertEqual(by_name["unmodelled"], [])
        words += ("--prepare-kbit", "--compute-dtype", "float32", "--set", "batch=2,length=32")
        prepared = self.report("hf:me/tiny", *words)
        self.assertEqual(prepared, self.report(str(config), *words))
        self.assertNotEqual(prepared, self.report(str(config), *words, "--no-gradient-checkpointing"))
        for name in (str(config), "hf:me/tiny"):
            made = self.run_tool(name, "--quantization", "awq")
            self.assertEqual((made.returncode, len(made.stderr.splitlines())), (1, 1))
            self.assertIn('packed as "awq"', made.stderr)

    @needs("torch", "transformers", "peft")
    def test_adapters_are_trained_alone(self):
        self.snapshot()
        words = ("hf:me/tiny", "--lora", "8", "--lora-targets", "q_proj,v_proj", "--input", "2,32:int64")
        # 8 x (64 + 64) of q_proj and 8 x (64 + 32) of v_proj, in two layers
        self.assertEqual(self.report(*words)["total"]["trainable_count"], 2 * 8 * (64 + 64 + 64 + 32))
        made = self.run_tool("hf:me/tiny", "--lora", "8", "--lora-targets", "nothing", "--input", "2,32:int64")
        self.assertEqual((made.returncode, len(made.stderr.splitlines())), (1, 1))
        self.assertIn("--lora-targets: ", made.stderr)


if __name__ == "__main__":
    unittest.main()
