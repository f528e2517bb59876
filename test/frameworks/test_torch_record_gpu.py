"""memmodel.torch.record(gpu=...): a training loop on a GPU that is not there, with any build of PyTorch."""

import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TORCH = importlib.util.find_spec("torch") is not None

if TORCH:
    import memmodel.torch
    import torch
    from compare_gpu_loops import MEASURED, on_gpu
    from loops import LOOPS
    from torch import nn

EACH = 3  # of the loops one in so many: compare_gpu_loops.py goes through all of them
KIB = 1 << 10


def trained(**options):
    with memmodel.torch.record(gpu="h100", **options) as recording:
        model = nn.Linear(1024, 1024).cuda()
        optimizer = torch.optim.Adam(model.parameters())
        while True:
            model(torch.randn(64, 1024).to("cuda")).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    return recording


@unittest.skipUnless(TORCH, "torch is not installed")
class Loops(unittest.TestCase):
    def test_peaks_are_those_of_torch_cuda(self):
        """Of PyTorch's CUDA build on a simulated GPU, torch.cuda.max_memory_allocated()."""
        measured = json.loads(MEASURED.read_text())
        off = {}
        for name, peaks in list(measured["peaks"].items())[::EACH]:
            torch.manual_seed(0)
            with self.subTest(name), contextlib.redirect_stdout(io.StringIO()):
                options = {"gpu": measured["gpu"], "framework_version": measured["torch"], "steps": 0}
                with memmodel.torch.record(**options) as recording, on_gpu():
                    LOOPS[name]()
                mine = recording.report().step_peaks[: len(peaks)]
                if (mine == peaks) == (name in measured["off"]):
                    off[name] = mine
        self.assertEqual(off, {})


@unittest.skipUnless(TORCH, "torch is not installed")
class Reports(unittest.TestCase):
    def test_a_report_has_what_one_of_the_cpu_has(self):
        recording = trained()
        report = recording.report()
        parameters = 4 * (1024 * 1024 + 1024)
        self.assertEqual(report.categories["parameters"], parameters)
        self.assertEqual(report.categories["optimizer state"], 2 * parameters)
        self.assertEqual(report.verdict, "fits")
        self.assertEqual(report.budget, 85045936128)  # of an H100: lib/device/profile.c
        self.assertGreater(report.peak.process, report.peak.reserved)
        self.assertIn(Path(__file__).name, report.peak_location)
        self.assertEqual(len(report.step_peaks), 3)
        self.assertEqual(recording.gpu, "NVIDIA H100 80GB HBM3")

    def test_memory_of_the_host_is_not_of_the_gpu(self):
        with memmodel.torch.record(gpu="h100") as recording:
            kept = torch.zeros(1 << 20)
            there = kept.to("cuda")
            back = there.cpu()
        self.assertEqual(recording.report().peak.live, 4 << 20)
        self.assertEqual((kept.device.type, back.device.type), ("cpu", "cpu"))

    def test_a_budget_of_its_own(self):
        self.assertEqual(trained(budget="1MiB").report().verdict, "exceeds")


@unittest.skipUnless(TORCH, "torch is not installed")
class Names(unittest.TestCase):
    def test_programs_find_a_gpu(self):
        with memmodel.torch.record(gpu="a100"):
            self.assertTrue(torch.cuda.is_available())
            self.assertEqual(torch.cuda.device_count(), 1)
            self.assertEqual(torch.cuda.get_device_name(), "NVIDIA A100-SXM4-40GB")
            self.assertEqual(torch.cuda.get_device_capability("cuda:0"), (8, 0))
            self.assertEqual(torch.cuda.get_device_properties(0).total_memory, torch.cuda.mem_get_info()[1])
            found = torch.cuda.get_device_properties(0)  # NVIDIA A100 Tensor Core GPU Architecture, table 5
            self.assertEqual((found.L2_cache_size, found.shared_memory_per_multiprocessor), (40 * KIB**2, 164 * KIB))
            self.assertEqual(found.shared_memory_per_block_optin, 163 * KIB)
            before = torch.cuda.memory_allocated()
            x = torch.empty(100, device="cuda")
            self.assertEqual(torch.cuda.memory_allocated() - before, 512)
            y = torch.empty(4 * KIB, device="cuda")
            del y
            self.assertEqual(torch.cuda.max_memory_allocated() - before, 512 + 16 * KIB)
            torch.cuda.reset_peak_memory_stats()
            self.assertEqual(torch.cuda.max_memory_allocated() - before, 512)
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            with torch.cuda.stream(torch.cuda.Stream()), torch.cuda.device(0):
                x.record_stream(torch.cuda.current_stream())
            end.record()
            torch.cuda.synchronize()
            self.assertEqual(begin.elapsed_time(end), 0.0)
            self.assertIsInstance(torch.Generator("cuda"), torch.Generator)
            self.assertEqual(x.pin_memory().shape, (100,))
            with self.assertRaisesRegex(TypeError, "Use Tensor.cpu()"):
                x.numpy()

    def test_values_are_known_as_on_the_cpu(self):
        with memmodel.torch.record(gpu="h100") as recording:
            mask = torch.arange(6, device="cuda") % 2 == 0
            self.assertEqual(torch.arange(6, device="cuda")[mask].tolist(), [0, 2, 4])
        self.assertEqual(recording.assumed, [])

    def test_mixed_precision_and_a_scaler(self):
        with memmodel.torch.record(gpu="h100", steps=3) as recording:
            model = nn.Linear(64, 64, device="cuda")
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            scaler = torch.amp.GradScaler("cuda")
            while True:
                with torch.autocast("cuda", torch.float16):
                    y = model(torch.randn(8, 64, device="cuda"))
                self.assertEqual(y.dtype, torch.float16)
                scaler.scale(y.float().mean()).backward()
                scaler.step(optimizer)
                scaler.update()
                self.assertEqual(scaler.get_scale(), 65536.0)  # gradients are taken to be finite
        self.assertEqual(recording.steps, 3)
        self.assertEqual(recording.report().unmodelled, [])

    def test_weights_of_recurrent_layers_lie_in_one_buffer(self):
        with memmodel.torch.record(gpu="h100") as recording:
            model = nn.GRU(32, 64, 2).to("cuda")
            self.assertEqual(len({weight.untyped_storage()._cdata for weight in model.parameters()}), 1)
            y, state = model(torch.randn(21, 8, 32, device="cuda"))
            y.sum().backward()
            self.assertEqual(model.weight_ih_l0.grad.shape, (3 * 64, 32))
            self.assertEqual(state.shape, (2, 8, 64))
        self.assertGreater(recording.report().peak.live, 0)

    def test_workspaces_of_cublas_are_those_that_the_loop_sets(self):
        """8 buffers of 16 KiB beside two tensors, as on a simulated GPU: test/cuda/test_torch.py."""
        options = {"gpu": "h100", "framework_version": "2.15"}
        for given, size in (({}, 16), ({"cublas_workspace": ":32:8"}, 32)):
            with mock.patch.dict(os.environ), memmodel.torch.record(**options, **given) as recording:
                os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":16:8"
                x = torch.empty(64, 64, device="cuda")
                x @ x
            self.assertEqual(recording.report().peak.live, 2 * 64 * 64 * 4 + 8 * size * KIB)

    def test_what_does_not_fit_raises_where_that_is_asked_for(self):
        """Of a GPU of 1 GiB, with its context: 96 MiB fit, and 4096 MiB do not."""
        for asked in (True, False):
            tried = []
            with memmodel.torch.record(gpu="rtx4060", budget="1GiB", steps=0, out_of_memory=asked) as recording:
                for size in (4 << 30, 96 << 20):
                    try:
                        torch.empty(size, dtype=torch.uint8, device="cuda")
                    except torch.OutOfMemoryError as error:
                        tried.append(str(error))
            self.assertEqual(len(tried), asked)
            self.assertEqual(recording.report().peak.live, 96 << 20 if asked else 4 << 30)

    def test_a_device_beyond_those_there_is_refused(self):
        refused = self.assertRaisesRegex(RuntimeError, "invalid device ordinal")
        for ask in (lambda: torch.ones(1, device="cuda:1"), lambda: torch.ones(1).to("cuda:3"),
                    lambda: torch.cuda.set_device(1), lambda: torch.cuda.get_device_name(7)):  # fmt: skip
            with refused, memmodel.torch.record(gpu="h100"):
                ask()

    def test_an_unknown_gpu_lists_those_there_are(self):
        with self.assertRaisesRegex(NotImplementedError, "v100.*h100"), memmodel.torch.record(gpu="h1000"):
            pass


@unittest.skipUnless(TORCH, "torch is not installed")
class Afterwards(unittest.TestCase):
    def test_torch_is_what_it_was_also_after_an_error(self):
        owners = torch, torch.cuda, torch.cuda.memory, torch.cuda.random, torch.accelerator
        before = [dict(vars(owner)) for owner in owners]
        with self.assertRaisesRegex(ValueError, "mine"), memmodel.torch.record(gpu="h100"):
            torch.ones(3, device="cuda", requires_grad=True).sum().backward()
            raise ValueError("mine")
        for owner, names in zip(owners, before):
            self.assertEqual({name: value for name, value in vars(owner).items() if name in names}, names)
        x = torch.ones(3, requires_grad=True)
        (2 * x).sum().backward()
        self.assertEqual(x.grad.tolist(), [2.0, 2.0, 2.0])
        if not torch.backends.cuda.is_built():
            self.assertIsNone(torch._C._accelerator_getAccelerator())
            with self.assertRaises(AssertionError):
                torch.ones(1, device="cuda")


SCRIPT = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(1024, 1024).to(device)
optimizer = torch.optim.Adam(model.parameters())
for step in range(10):
    loss = model(torch.randn(64, 1024).to(device)).pow(2).mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    print("step", step, device)
"""


@unittest.skipUnless(TORCH, "torch is not installed")
class Scripts(unittest.TestCase):
    def run_script(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "train.py").write_text(SCRIPT)
            done = subprocess.run(
                [sys.executable, "-m", "memmodel.torch", *options, "train.py"], cwd=folder, capture_output=True,
                text=True, check=False, env=os.environ, timeout=300,
            )  # fmt: skip
            written = {path.name: path.read_text() for path in Path(folder).glob("report.*")}
        return done, written

    def test_an_unchanged_script_ends_in_the_verdict(self):
        done, written = self.run_script("--gpu", "h100", "--json", "report.json", "--html", "report.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("step 1 cuda", done.stdout)
        self.assertIn("3 steps on NVIDIA H100 80GB HBM3 (tensors without memory)", done.stdout)
        self.assertIn("fits", done.stdout)
        self.assertEqual(len(json.loads(written["report.json"])["step_peaks"]), 3)
        self.assertIn("<html", written["report.html"])

    def test_a_script_that_does_not_fit_ends_with_3(self):
        done, _ = self.run_script("--gpu", "h100", "--budget", "100MiB")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("does not fit", done.stdout)
        self.assertIn("--out-of-memory", done.stdout)

    def test_an_unknown_gpu_lists_those_there_are(self):
        done, _ = self.run_script("--gpu", "h1000")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("h200", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
