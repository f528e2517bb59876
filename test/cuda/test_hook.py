"""The hook of simulated GPUs in Python, as far as it needs no torch: caches of kernels, compilers, autotuning."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, sys.argv.pop(1))  # bindings/cuda/python

from memmodel_cuda import autotune, caches, deep_gemm, uncompiled  # noqa: E402


class Hook(unittest.TestCase):
    def setUp(self):
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        os.environ.pop("MEMMODEL_CUDA_CACHE", None)
        os.environ["XDG_CACHE_HOME"] = folder.name

    def test_caches_are_apart_and_the_program_may_choose_others(self):
        caches.keep_apart()
        self.assertTrue(os.environ["TRITON_CACHE_DIR"].startswith(str(self.folder / "memmodel")))
        os.environ["TRITON_CACHE_DIR"] = "mine"
        caches.keep_apart()
        self.assertEqual(os.environ["TRITON_CACHE_DIR"], "mine")

    def test_a_script_stands_for_nvcc(self):
        caches.keep_apart()
        deep_gemm.before()
        compiler = os.environ["DG_JIT_NVCC_COMPILER"]
        version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
        self.assertRegex(version.stdout, r"release \d+\.\d+")
        output = self.folder / "kernel.cubin"
        subprocess.run([compiler, "kernel.cu", "--cubin", "--output-file", str(output)], check=True)
        self.assertGreater(output.stat().st_size, 0)

    def test_what_an_uncompiled_kernel_returns_is_handed_on_but_has_no_value(self):
        module = uncompiled.Uncompiled("module")
        plan = module.plan(1, 2)
        self.assertIsInstance(module.run(plan, plan[0]), uncompiled.Uncompiled)
        for read in (int, bool, list, float, len):
            with self.assertRaisesRegex(RuntimeError, "module.plan"):
                read(plan)

    def test_what_was_built_before_is_loaded(self):
        core = SimpleNamespace(JitSpec=type("JitSpec", (), {"name": "sampling", "try_load": lambda self: self.built}))
        uncompiled.flashinfer(core)
        spec = core.JitSpec()
        spec.built = "module"
        self.assertEqual(spec.build_and_load(), "module")
        spec.built = None
        self.assertIsInstance(spec.build_and_load(), uncompiled.Uncompiled)


class Autotuner:
    """As far as Triton's: of its configurations, the first does not fit."""

    def __init__(self):
        self.ran = []

    def prune_configs(self, configs):
        return configs

    def _bench(self, config):
        self.ran.append(config)
        return [float("inf")] * 3 if config == "too large" else [1.0] * 3


class Autotuning(unittest.TestCase):
    def test_the_first_configuration_that_runs_is_taken(self):
        autotune.take_first(SimpleNamespace(Autotuner=Autotuner))
        tuner = Autotuner()
        for _ in range(2):
            configs = tuner.prune_configs(["too large", "good", "better"])
            times = {config: tuner._bench(config)[0] for config in configs}
            self.assertEqual(min(times, key=times.get), "good")
        self.assertEqual(tuner.ran, ["too large", "good"] * 2)


if __name__ == "__main__":
    unittest.main()
