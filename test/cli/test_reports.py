"""memmodel estimate --layers, --html and --perfetto, as a shell sees them. usage: test_reports.py TOOL NETWORKS

NETWORKS: a folder of networks (*.network.json.gz), those of real models with long names of layers.
"""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

MOST_COLUMNS = 100
TOOL, NETWORKS = sys.argv[1], pathlib.Path(sys.argv[2])
LONGEST = ("t5_2_adamw", "albert_2_adam", "whisper", "swin")

LINEAR = {
    "format": "memmodel-network",
    "version": 1,
    "symbols": ["batch"],
    "layers": [
        {"op": "input", "name": "rows", "dims": ["batch", 8], "dtype": "float32"},
        {"op": "linear", "name": "linear_1", "inputs": ["rows"], "units": 4},
    ],
}


def estimate(*words):
    return subprocess.run([TOOL, "estimate", *words], capture_output=True, text=True, check=False)


class Reports(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def network(self, name):
        """Path of the first network of that name, unpacked; None if there is none."""
        packed = sorted(NETWORKS.glob(f"{name}*.network.json.gz"))
        if not packed:
            return None
        path = self.folder / f"{name}.json"
        path.write_bytes(gzip.decompress(packed[0].read_bytes()))
        return str(path)

    def test_the_table_of_layers_fits_100_columns(self):
        tried = [path for path in map(self.network, LONGEST) if path]
        self.assertTrue(tried)
        for path in tried:
            made = estimate(path, "--layers")
            self.assertEqual(made.returncode, 0, made.stderr)
            table = made.stdout.split("\nlayer ")[1]
            self.assertLessEqual(max(map(len, table.splitlines())), MOST_COLUMNS, path)

    def test_modules_come_largest_first_and_keep_their_numbers(self):
        made = estimate(self.network("t5_2_adamw"), "--depth", "2")
        self.assertEqual(made.returncode, 0, made.stderr)
        rows = [line.split() for line in made.stdout.split("\nlayer ")[1].splitlines()[1:-1]]
        names = [row[0] for row in rows]
        self.assertIn("encoder.block.0", names)
        self.assertIn("decoder.block.1", names)
        unit = {"bytes": 1, "KiB": 2**10, "MiB": 2**20}
        sizes = [float(row[-2]) * unit[row[-1]] for row in rows]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        live = json.loads(estimate(self.network("t5_2_adamw"), "--json").stdout)["peak"]["live"]
        self.assertAlmostEqual(sum(sizes), live, delta=6 * len(rows))  # each is rounded to 0.01 KiB
        self.assertEqual(estimate(self.network("t5_2_adamw"), "--depth", "-1").returncode, 2)

    def test_names_that_are_shortened_keep_their_numbers(self):
        for name, numbers in (
            ("t5_2_adamw", r"^enc\S*\.1\.\S*\.0\.\S+ "), ("albert_2_adam", r"^alb\S*\.0\.\S*\.0\.\S+ "),
        ):  # fmt: skip
            self.assertRegex(estimate(self.network(name), "--layers").stdout, f"(?m){numbers}")

    def test_the_page_and_the_trace_are_written(self):
        page, trace = self.folder / "report.html", self.folder / "trace.json"
        made = estimate(self.network("t5_2_adamw"), "--html", str(page), "--perfetto", str(trace))
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("what if", made.stdout)
        self.assertLess(page.stat().st_size, 2_000_000)
        self.assertIn("<canvas", page.read_text(encoding="utf-8"))
        self.assertTrue(json.loads(trace.read_text(encoding="utf-8"))["traceEvents"])

    def test_a_folder_that_is_not_there_is_an_error(self):
        made = estimate(self.network("t5_2_adamw"), "--html", str(self.folder / "none" / "report.html"))
        self.assertEqual(made.returncode, 1)
        self.assertIn("report.html", made.stderr)

    def test_the_textbook_has_no_trace(self):
        trace = str(self.folder / "trace.json")
        made = estimate(self.network("t5_2_adamw"), "--framework", "textbook", "--perfetto", trace)
        self.assertEqual(made.returncode, 2)

    def test_a_budget_gives_a_verdict_and_the_headroom(self):
        # inference of one linear layer of 8 x 4: 32 + 4 parameters, 2 x 8 and 2 x 4 numbers of 4 bytes: 240 bytes
        words = ("-s", "batch=2", "--mode", "inference", "--framework", "textbook")
        for budget, line, code, verdict, headroom in (
            ("1000B", "takes 240 B of 1000 B (live bytes), fits with 760 B left", 0, "fits", 760),
            ("240B", "takes 240 B of 240 B (live bytes), fits with 0 B left", 0, "fits", 0),
            # a batch of 1 takes 36 x 4 + 12 x 4 = 192
            ("200B", "takes 240 B of 200 B (live bytes), does not fit, 40 B over; largest batch that fits: 1; "
             "no single change makes it fit", 3, "does not fit", -40),
            ("191B", "takes 240 B of 191 B (live bytes), does not fit, 49 B over; no batch fits; "
             "no single change makes it fit", 3, "does not fit", -49),
        ):  # fmt: skip
            made = estimate(self.linear(), *words, "--budget", budget)
            self.assertTrue(made.stdout.endswith(f"\n\n{line}\n"), made.stdout)
            answer = estimate(self.linear(), *words, "--budget", budget, "--json")
            self.assertEqual((made.returncode, answer.returncode), (code, code))
            report = json.loads(answer.stdout)
            self.assertEqual((report["verdict"], report["headroom"], report["summary"]), (verdict, headroom, line))

    def test_a_gpu_alone_has_a_verdict_for_its_memory(self):
        # test/data/pytorch_cuda: what CUDA can use of an H100 is 85,045,936,128 bytes, 79.21 GiB
        small = estimate(self.linear(), "-s", "batch=2", "--mode", "inference", "--gpu", "h100")
        self.assertRegex(small.stdout, r"\ntakes 7[67]\d\.?\d* MiB of 79\.21 GiB, fits with 78\.\d+ GiB left\n$")
        large = estimate(self.linear(), "-s", "batch=3000000000", "--mode", "inference", "--gpu", "h100")
        self.assertEqual((small.returncode, large.returncode), (0, 3), large.stderr)
        self.assertRegex(large.stdout, r" of 79\.21 GiB, does not fit, [\d.]+ GiB over; largest batch that fits: \d+; ")
        most = estimate(self.linear(), "--max", "batch", "--mode", "inference", "--gpu", "h100")
        self.assertIn("max batch within 79.21 GiB of process bytes", most.stdout)
        self.assertNotIn("takes", estimate(self.linear(), "-s", "batch=2", "--gpu", "h100", "--metric", "live").stdout)

    def test_words_are_understood_as_people_write_them(self):
        words = ("--optimizer", "torch.optim.AdamW", "--framework", "PyTorch", "--device", "cuda:0", "--json")
        written = estimate(self.linear(), "--set", "batch=2", *words, "--gpu", "NVIDIA H100 80GB HBM3", "-b", "16 GB")
        plain = ("-s", "batch=2", "--optimizer", "adamw", "--gpu", "h100", "--budget", "16000000000", "--json")
        self.assertEqual(written.returncode, 0, written.stderr)
        self.assertEqual(written.stdout, estimate(self.linear(), *plain).stdout)

    def test_several_values_may_stand_in_one_set(self):
        network = {**LINEAR, "symbols": ["batch", "rows"], "layers": [
            {"op": "input", "name": "rows", "dims": ["batch", "rows", 8], "dtype": "float32"}, LINEAR["layers"][1],
        ]}  # fmt: skip
        path = self.folder / "two.json"
        path.write_text(json.dumps(network), encoding="utf-8")
        words = ("--mode", "inference", "--json")
        at_once = estimate(str(path), "--set", "batch=2,rows=3", *words)
        self.assertEqual(at_once.returncode, 0, at_once.stderr)
        self.assertEqual(at_once.stdout, estimate(str(path), "-s", "batch=2", "-s", "rows=3", *words).stdout)
        self.assertIn("'2,3' is no whole number", estimate(str(path), "--set", "batch=2,3").stderr)

    def test_a_budget_without_a_unit_proposes_one(self):
        made = estimate(self.linear(), "--set", "batch=2", "--budget", "16")
        self.assertEqual((made.returncode, made.stdout), (2, ""))
        told = "memmodel estimate: option '--budget': '16' has no unit; write 16GiB, or 16B for bytes\n"
        self.assertTrue(made.stderr.startswith(told), made.stderr)

    def test_where_not_even_1_fits_the_exit_code_is_3(self):
        made = estimate(self.linear(), "--mode", "inference", "--framework", "textbook", "--max", "batch", "-b", "100B")
        self.assertEqual((made.returncode, made.stderr), (3, ""))
        self.assertEqual(made.stdout, "max batch within 100 bytes of live bytes: 0; not even 1 fits\n")
        self.assertEqual(estimate(self.linear(), "--max", "batch").returncode, 2)

    def test_a_whole_number_beyond_63_bits_is_called_that(self):
        for value, told in (("9223372036854775808", "does not fit in 63 bits"), ("1.5", "is no whole number")):
            made = estimate(self.network("t5_2_adamw"), "--set", f"batch={value}")
            self.assertEqual((made.returncode, made.stdout), (2, ""))
            self.assertIn(f"'{value}' {told}", made.stderr)

    def test_all_gpus_stand_in_one_table(self):
        words = [TOOL, "gpus", self.linear(), "--set", "batch=2"]
        made = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertRegex(made.stdout, r"(?m)^h100 +79\.21 GiB +\S+ MiB  fits +[\d,]+ +1$")
        prices = self.folder / "prices.csv"
        prices.write_text("gpu,price_per_hour\nh100,3\nt4,0.5\n", encoding="utf-8")
        priced = subprocess.run([*words, "--prices", str(prices)], capture_output=True, text=True, check=True)
        rows = priced.stdout.splitlines()
        self.assertRegex(rows[1], "^t4 .* 0.50$")
        self.assertRegex(rows[2], "^h100 .* 3.00$")
        as_json = subprocess.run([*words, "--json"], capture_output=True, text=True, check=True)
        self.assertEqual(len(json.loads(as_json.stdout)), len(made.stdout.splitlines()) - 4)  # head and note
        prices.write_text("gpu,price_per_hour\nh100,3\nh1000,0.5\n", encoding="utf-8")
        wrong = subprocess.run([*words, "--prices", str(prices)], capture_output=True, text=True, check=False)
        self.assertEqual((wrong.returncode, wrong.stdout), (1, ""))
        self.assertIn(f"{prices}:3:1: 'h1000' is no GPU", wrong.stderr)

    def commands(self):
        lines = subprocess.run([TOOL, "--help"], capture_output=True, text=True, check=True).stdout.splitlines()
        return [line.split()[0] for line in lines if line.startswith("  ") and line[2].isalpha()]

    def test_help_keeps_to_80_columns(self):
        for words in ([], *([command] for command in self.commands())):
            lines = subprocess.run([TOOL, *words, "--help"], capture_output=True, text=True, check=True).stdout
            for line in lines.splitlines():
                self.assertLessEqual(len(line), 80, line)
                self.assertEqual(line, line.rstrip())

    def test_shells_complete_commands_and_options(self):
        self.assertIn("gpus", self.commands())
        for shell in ("bash", "zsh", "fish"):
            made = subprocess.run([TOOL, "completion", shell], capture_output=True, text=True, check=True).stdout
            for command in self.commands():
                self.assertIn(command, made)
        self.assertEqual(subprocess.run([TOOL, "completion", "tcsh"], capture_output=True, check=False).returncode, 2)
        script = """source <("$0" completion bash)
            COMP_WORDS=(memmodel estimate --saf); COMP_CWORD=2; _memmodel; echo "${COMPREPLY[@]}"
            COMP_WORDS=(memmodel gp); COMP_CWORD=1; _memmodel; echo ${COMPREPLY[@]}"""
        done = subprocess.run(["bash", "-c", script, TOOL], capture_output=True, text=True, check=True)
        self.assertEqual((done.stdout, done.stderr), ("--safety\ngpus\n", ""))

    def linear(self):
        path = self.folder / "linear.json"
        path.write_text(json.dumps(LINEAR), encoding="utf-8")
        return str(path)

    def test_an_option_of_another_framework_is_refused(self):
        only = "is simulated without it; only"
        for framework, option, value, told in (
            ("pytorch", "--graph-optimization", "basic", f"graph_optimization: pytorch {only} onnxruntime"),
            ("textbook", "--graph-optimization", "3", f"graph_optimization: textbook {only} onnxruntime"),
            ("pytorch", "--base-bytes", "1GB", f"base_bytes: pytorch {only} tensorflow"),
        ):
            made = estimate(self.linear(), "-s", "batch=2", "--framework", framework, option, value)
            self.assertEqual((made.returncode, made.stdout), (1, ""), option)
            self.assertIn(told, made.stderr)

    def test_where_pools_grow_in_jumps_more_than_the_max_may_fit(self):
        words = (self.linear(), "--max", "batch", "--budget", "1GiB", "--mode", "inference")
        for framework, metric, jumps in (
            ("onnxruntime", "process", True), ("tensorflow", "reserved", True),
            ("onnxruntime", "live", False), ("pytorch", "process", False),
        ):  # fmt: skip
            asked = (*words, "--framework", framework, "--metric", metric)
            self.assertEqual(f"the pool of {framework} grows in jumps" in estimate(*asked).stdout, jumps, asked)
            self.assertEqual(json.loads(estimate(*asked, "--json").stdout)["estimate_max"]["larger_may_fit"], jumps)

    def test_every_command_says_that_a_device_is_not_validated(self):
        path = self.folder / "trained.json"
        loss = {"op": "loss", "name": "loss", "inputs": ["linear_1", "truth"], "kind": "mean_squared_error"}
        truth = {"op": "input", "name": "truth", "dims": ["batch", 4], "dtype": "float32"}
        network = {**LINEAR, "layers": [LINEAR["layers"][0], truth, LINEAR["layers"][1], loss]}
        path.write_text(json.dumps(network), encoding="utf-8")
        for command in ("estimate", "layers", "recompute", "plan --mode training"):
            for device, told in ((("--gpu", "h100", "--framework", "pytorch"), 1), (("--framework", "pytorch"), 0)):
                words = [TOOL, *command.split(), str(path), "-s", "batch=2", *device]
                made = subprocess.run(words, capture_output=True, text=True, check=False)
                self.assertEqual(made.returncode, 0, made.stderr)
                self.assertEqual(made.stdout.count("\nnot validated: "), told, words)
                made = subprocess.run([*words, "--json"], capture_output=True, text=True, check=True)
                self.assertEqual(json.loads(made.stdout)["validated"], not told, words)

    def test_a_metric_that_a_framework_lacks_is_named(self):
        words = ("--framework", "textbook", "--max", "batch", "--budget", "1GiB", "--metric", "process")
        made = estimate(self.linear(), *words)
        self.assertEqual((made.returncode, made.stdout), (1, ""))
        self.assertIn("process bytes are not modelled for this framework; live ones are", made.stderr)
        made = estimate(
            self.linear(), "-s", "batch=2", "--framework", "textbook", "--budget", "200B", "--metric", "process"
        )
        self.assertEqual((made.returncode, made.stderr), (1, ""))
        line = "whether it fits 200 B is unknown: process bytes are not modelled for textbook\n"
        self.assertTrue(made.stdout.endswith(line), made.stdout)
        self.assertNotIn("what if", made.stdout)
        self.assertNotIn("-1 bytes", made.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
