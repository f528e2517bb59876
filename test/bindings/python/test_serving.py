"""Language models that answer, from Python."""

import json
import pathlib
import sys
import unittest

import memmodel

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "data" / "serving" / "configs"


class Serving(unittest.TestCase):
    def test_a_model_is_read_from_its_file(self):
        model = memmodel.LanguageModel.load(CONFIGS / "llama31-8b.json")
        self.assertEqual((model.model_type, model.dtype, model.quantization), ("llama", "bfloat16", "none"))
        self.assertEqual((model.layer_count, model.attention_count, model.hidden_size), (32, 32, 4096))
        self.assertEqual((model.vocabulary_size, model.max_length), (128256, 131072))
        self.assertEqual(model.parameter_count, 8030261248)  # as its card says: 8.03 billion
        self.assertIn("32 layers", repr(model))

    def test_tokens_are_what_an_engine_logged(self):
        # 4da3101500df of test/data/serving: 58.15 GiB, "GPU KV cache size: 476,336 tokens", "14.54x"
        found = memmodel.serve(CONFIGS / "llama31-8b.json", cache_bytes="58.15GiB", max_length=32768)
        self.assertAlmostEqual(found.token_count, 476336, delta=0.005 * 2**30 / 131072)
        self.assertAlmostEqual(found.concurrency, 14.54, delta=0.01)
        self.assertEqual(found.request_count, 14)
        self.assertEqual([pool.kind for pool in found.pools], ["full"])
        self.assertEqual(found.verdict, "fits")

    def test_a_mesh_is_a_dictionary_or_a_text(self):
        model = memmodel.LanguageModel.load(CONFIGS / "llama33-70b.json")
        whole = memmodel.serve(model, mesh={"tp": 2, "pp": 2})
        self.assertEqual(whole.weight_bytes, memmodel.serve(model, mesh="tp=2,pp=2").weight_bytes)
        self.assertLess(whole.weight_bytes, memmodel.serve(model).weight_bytes / 3.5)

    def test_the_least_number_of_gpus_is_found(self):
        # 141 GB of weights: half of it leaves an H100 nothing for a pass
        self.assertEqual(memmodel.serve_min(CONFIGS / "llama33-70b.json", gpu="h100", max_length=32768), 4)

    def test_what_is_not_counted_is_named(self):
        found = memmodel.serve(CONFIGS / "gemma3-12b.json", gpu="h100")
        self.assertIn("encoding of images", found.unmodelled)

    def test_the_answer_is_json_with_the_same_names(self):
        found = memmodel.serve(CONFIGS / "qwen3-8b.json", gpu="a100-80gb", kv="fp8")
        told = json.loads(found.to_json())
        for name in ("token_count", "weight_bytes", "cache_bytes", "request_count", "verdict", "concurrency"):
            self.assertEqual(told[name], getattr(found, name))

    def test_a_generation_peaks_where_transformers_do(self):
        # test/data/serving/generations.jsonl, "llama;b=2;p=64;n=32"
        found = memmodel.generate(CONFIGS / "tiny-llama.json", batch=2, prompt_tokens=64, new_tokens=32)
        self.assertEqual((found.prefill_peak, found.first_peak, found.last_peak), (17067176, 15533096, 15672296))
        self.assertEqual((found.peak, found.verdict, found.headroom), (17067176, "none", None))
        self.assertIsNone(memmodel.generate(CONFIGS / "tiny-llama.json", new_tokens=1).first_peak)

    def test_a_model_that_is_not_known_is_refused_by_name(self):
        with self.assertRaisesRegex(memmodel.UnsupportedError, "bert"):
            memmodel.LanguageModel.from_json('{"model_type": "bert"}')
        with self.assertRaisesRegex(memmodel.ParseError, "hidden_size"):
            memmodel.LanguageModel.from_json('{"model_type": "llama"}')


class Meshes(unittest.TestCase):
    def test_rows_of_a_mesh_say_how_it_is_trained(self):
        rows = memmodel.advise_mesh(CONFIGS / "llama31-8b.json", 8, length=4096)
        self.assertTrue(rows[0].fits)
        self.assertTrue(all(row.dp * row.tp * row.pp == 8 and row.passes * row.batch * row.dp == 8 for row in rows))
        with self.assertRaisesRegex(memmodel.InvalidArgumentError, "gpu_count"):
            memmodel.advise_mesh(CONFIGS / "llama31-8b.json", 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
