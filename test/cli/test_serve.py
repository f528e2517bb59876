"""memmodel serve, generate and advise-mesh, as a shell sees them.

usage: test_serve.py TOOL FOLDER_OF_CONFIGS
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL, CONFIGS = sys.argv[1], pathlib.Path(sys.argv[2])
LLAMA = CONFIGS / "llama31-8b.json"


def run(*words):
    return subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, check=False)


class Serve(unittest.TestCase):
    def test_what_fits_is_said_with_how_many_requests(self):
        made = run("serve", LLAMA, "--cache-bytes", "58.15GiB", "--max-length", 32768)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertRegex(made.stdout, r"tokens +476,\d\d\d  in the cache\n")  # 4da3101500df: 476,336
        self.assertIn("verdict: fits, 14 requests at once\n", made.stdout)

    def test_a_request_that_does_not_fit_is_an_exit_code_of_its_own(self):
        made = run("serve", LLAMA, "--cache-bytes", "1GiB", "--max-length", 32768)
        self.assertEqual((made.returncode, made.stderr), (3, ""))
        # 1 GiB has 8,192 tokens of 131,072 bytes
        self.assertIn("one request takes 4.00 GiB of 1.00 GiB; the longest that fits has 8,192 tokens", made.stdout)

    def test_weights_that_do_not_fit_are_another_reason(self):
        made = run("serve", CONFIGS / "llama33-70b.json", "--gpu", "h100")
        self.assertEqual(made.returncode, 3)
        self.assertIn("verdict: does not fit, weights and a pass take", made.stdout)

    def test_the_answer_is_json(self):
        made = run("serve", LLAMA, "--gpu", "h100", "--mesh", "tp=2", "--kv", "fp8", "--json")
        answer = json.loads(made.stdout)
        self.assertEqual((answer["format"], answer["engine"], answer["verdict"]), ("memmodel-serving", "vllm", "fits"))
        self.assertEqual(answer["token_bytes"], 2 * 4 * 128 * 32)
        self.assertEqual(answer["pools"][0]["kind"], "full")

    def test_a_folder_has_its_config(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(LLAMA, pathlib.Path(folder) / "config.json")
            self.assertEqual(run("serve", folder, "--json").stdout, run("serve", LLAMA, "--json").stdout)
        missing = run("serve", "/nowhere")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("/nowhere/config.json", missing.stderr)

    def test_without_a_gpu_there_is_no_verdict_and_no_cache(self):
        for engine in "vllm", "sglang":
            made = run("serve", LLAMA, "--engine", engine)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            self.assertRegex(made.stdout, r"weights +14\.99 GiB\n")
            self.assertNotIn("-1", made.stdout)
            self.assertNotIn("requests", made.stdout)
            self.assertIn("no verdict: which GPU? --gpu, --gpu-bytes or --cache-bytes says", made.stdout)

    def test_a_configuration_may_come_through_a_pipe_or_have_another_name(self):
        expected = run("serve", LLAMA, "--gpu", "h100").stdout
        with tempfile.TemporaryDirectory() as folder:
            named = pathlib.Path(folder) / "config"
            shutil.copy(LLAMA, named)
            self.assertEqual(run("serve", named, "--gpu", "h100").stdout, expected)
        with subprocess.Popen(["cat", LLAMA], stdout=subprocess.PIPE) as cat:
            line = [TOOL, "serve", "/dev/stdin", "--gpu", "h100"]
            made = subprocess.run(line, stdin=cat.stdout, capture_output=True, text=True, check=False)
        self.assertEqual((made.stdout, made.stderr), (expected, ""))

    def test_tables_stay_within_80_columns(self):
        for words in (
            ["advise-mesh", CONFIGS / "llama33-70b.json", "--gpus", 1024, "--all"],
            ["gpus", CONFIGS / "llama33-70b.json", "--set", "batch=8,length=4096", "--precision", "bf16"],
        ):
            with self.subTest(words=words[0]):
                made = run(*words)
                self.assertIn(made.returncode, (0, 3), made.stderr)
                self.assertGreater(made.stdout.count("\n"), 15)
                self.assertLessEqual(max(map(len, made.stdout.splitlines())), 80)

    def test_zero_is_no_count(self):
        for command, option in (
            ("generate", "--new-tokens"), ("generate", "--batch"), ("serve", "--max-length"),
            ("advise-mesh", "--length"), ("gpus", "--max-gpus"),
        ):  # fmt: skip
            for value in "0", "-1":
                made = run(command, LLAMA, option, value)
                self.assertEqual(made.returncode, 2)
                self.assertIn(f"option '{option}' needs a whole number above 0, not '{value}'", made.stderr)

    def test_what_is_wrong_is_named(self):
        for words, part in (
            (["--gpu", "h9"], "there are t4"),
            (["--mesh", "tp=3"], "tp=3 does not divide"),
            (["--engine", "tgi"], "vllm, sglang and llamacpp"),
        ):
            made = run("serve", LLAMA, *words)
            self.assertEqual(made.returncode, 1)
            self.assertIn(part, made.stderr)
        self.assertEqual(run("serve").returncode, 2)

    def test_a_generation_has_peaks_and_a_verdict(self):
        made = run(
            "generate", CONFIGS / "tiny-llama.json", "--batch", 2, "--prompt-tokens", 64, "--new-tokens", 32, "--json"
        )
        self.assertEqual(json.loads(made.stdout)["prefill_peak"], 17067176)  # generations.jsonl
        made = run("generate", CONFIGS / "tiny-llama.json", "--budget", "10MiB")
        self.assertEqual(made.returncode, 3)
        self.assertIn("does not fit", made.stdout)


class AdviseMesh(unittest.TestCase):
    def test_meshes_that_fit_come_first_and_others_are_an_exit_code(self):
        made = run("advise-mesh", LLAMA, "--gpus", 8, "--length", 4096, "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        rows = json.loads(made.stdout)
        fits = [row["verdict"] == "fits" for row in rows]
        self.assertEqual(fits, sorted(fits, reverse=True))
        sent = [row["traffic"] for row in rows if row["verdict"] == "fits"]
        self.assertEqual(sent, sorted(sent))
        self.assertTrue(all(row["dp"] * row["tp"] * row["pp"] == 8 for row in rows))
        made = run("advise-mesh", LLAMA, "--gpus", 8, "--length", 4096, "--budget", "1GiB")
        self.assertEqual(made.returncode, 3)
        self.assertNotIn(" fits\n", made.stdout)

    def test_what_is_sent_by_data_ranks_alone_is_gathered_twice_and_scattered(self):
        made = run("advise-mesh", LLAMA, "--gpus", 8, "--length", 4096, "--json")
        row = next(row for row in json.loads(made.stdout) if (row["dp"], row["batch"]) == (8, 1))
        # 8,030,261,248 parameters, 7 of 8 parts: 2 bytes each twice, 4 bytes once
        self.assertEqual(row["traffic"], 8030261248 * (2 + 2 + 4) * 7 // 8)

    def test_no_mesh_and_no_number_of_gpus_say_what_would_do(self):
        made = run("advise-mesh", LLAMA, "--gpus", 7, "--global-batch", 6)
        self.assertEqual(made.returncode, 1)
        self.assertIn(
            "no mesh divides 7 GPUs, 32 layers and a global batch of 6", made.stderr
        )
        made = run("advise-mesh", LLAMA)
        self.assertEqual(made.returncode, 2)
        self.assertIn("write --gpus 64", made.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
