"""memmodel run --gpu: programs of PyTorch's CUDA build on simulated GPUs.

Arguments: the tool, and the directory of a virtual environment with test/cuda/requirements.txt, which may be absent;
further ones name the tests to run.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL, VENV = Path(sys.argv[1]).absolute(), Path(sys.argv[2])  # also from a script's folder
HERE = Path(__file__).parent
MIB = 1 << 20
GIB = 1 << 30

# 3 steps of Adam: 2 layers of 1024 x 1024 with biases, 4 bytes each.
TRAINING = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1024)).cuda()
print("parameters", torch.cuda.memory_allocated())
optimizer = torch.optim.Adam(model.parameters())
for step in range(3):
    loss = model(torch.zeros(64, 1024, device="cuda")).square().mean()
    loss.backward()
    optimizer.step()
    print("step", step)
    optimizer.zero_grad()
    del loss
torch._C._cuda_clearCublasWorkspaces()  # which PyTorch before 2.15 keeps
print("state", torch.cuda.memory_allocated())
"""

FULL = """
import torch
held = []
try:
    while True:
        held.append(torch.empty(1 << 30, dtype=torch.uint8, device="cuda"))
except torch.OutOfMemoryError as error:
    print(len(held), "GiB;", error)
    raise SystemExit(1)
"""

TWO = """
import torch
a = torch.empty(3 << 20, dtype=torch.uint8, device="cuda:0")
b = torch.empty(5 << 20, dtype=torch.uint8, device="cuda:1")
print(torch.cuda.device_count(), a.to("cuda:1").device, torch.cuda.get_device_name(1))
"""

RANKS = """
import os, torch, torch.distributed as dist
rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 256).cuda())
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(2):
    model(torch.zeros(8, 256, device="cuda")).sum().backward()
    optimizer.step()
print(f"rank {rank} of {dist.get_world_size()}\\n", end="")
dist.destroy_process_group()
"""


# The parameters of 4 layers of 1024 x 1024 with biases, cut in 64.
ONE_OF_MANY = """
import torch, torch.distributed as dist
from torch.distributed.fsdp import fully_shard
torch.cuda.set_device(0)
dist.init_process_group("nccl")
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(4)])
for layer in model:
    fully_shard(layer)
fully_shard(model)
model.cuda()
print("held", torch.cuda.memory_allocated())
optimizer = torch.optim.AdamW(model.parameters())
model(torch.zeros(8, 1024, device="cuda")).sum().backward()
optimizer.step()
print("rank", dist.get_rank(), "of", dist.get_world_size())
dist.destroy_process_group()
"""

MESH = """
import torch, torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
torch.cuda.set_device(0)
dist.init_process_group("nccl")
mesh = init_device_mesh("cuda", (2, 4), mesh_dim_names=("dp", "tp"))
for axis in mesh.mesh_dim_names:
    group = mesh[axis].get_group()
    gathered = torch.zeros(4 * group.size(), device="cuda")
    dist.all_gather_into_tensor(gathered, torch.zeros(4, device="cuda"), group=group)
    print(axis, group.rank(), "of", dist.get_process_group_ranks(group))
"""

READING = """import torch
x = torch.rand(4096, 4096, device="cuda")
(x @ x).sum().item()
"""


# 8 buffers of 16 KiB, as the variable says, beside two tensors of 64 x 64 float32.
WORKSPACE = """
import os
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":16:8"
import torch
x = torch.empty(64, 64, device="cuda")
y = x @ x
print("peak", torch.cuda.max_memory_allocated())
"""

# The third of four GPUs has four times the layer of the first.
SPREAD = """
import torch
layers = torch.nn.Linear(512, 1024, device="cuda:0"), torch.nn.Linear(1024, 2048, device="cuda:2")
optimizer = torch.optim.AdamW([*layers[0].parameters(), *layers[1].parameters()])
for step in range(3):
    layers[1](layers[0](torch.randn(8, 512, device="cuda:0")).to("cuda:2")).square().mean().backward()
    if step == 2:
        optimizer.register_step_post_hook(lambda *_: print("peaks", *map(torch.cuda.max_memory_allocated, range(4))))
    optimizer.step()
    optimizer.zero_grad()
"""

# Of 4 GiB with the context: a batch of 2048 rows of 1 MiB does not fit beside its square, one of 1024 does.
SMALLER = """
import torch
weight = torch.nn.Parameter(torch.ones(1, device="cuda"))
optimizer, batch = torch.optim.SGD([weight], 0.1), 2048
while True:
    try:
        (torch.empty(batch, 1 << 18, device="cuda") * weight).sum().backward()
        print("went on with", batch)
        optimizer.step()
    except torch.OutOfMemoryError:
        batch //= 2
"""

# In units of 16 MiB, which each tensor is. The third lies where the first was; the pool goes with both graphs.
GRAPHS = """
import torch
unit = 16 << 20
x = torch.zeros(unit, dtype=torch.uint8, device="cuda")
before = torch.cuda.memory_reserved()
held = lambda: (torch.cuda.memory_reserved() - before) // unit
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    y = x + 1
    z = y * 2
    del y
    w = z + 3
first.replay()
pools = {tuple(segment["segment_pool_id"]) for segment in torch.cuda.memory_snapshot()} - {(0, 0)}
print("captured", held(), "in", len(pools), "pool")
del z, w
torch.cuda.empty_cache()
print("kept", held())
with torch.cuda.graph(second, pool=first.pool()):
    v = x + 1
print("shared", held())
del v
first.reset()
second.reset()
torch.cuda.empty_cache()
print("left", held())
"""


NO_TORCH = "no CUDA build of PyTorch: ./run nightly cuda sets it up"


class OnGpus(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_file(self, file, *options, launcher=("python",), code=0):
        command = [TOOL, "run", "--json", *options, "--", VENV / "bin" / launcher[0], *launcher[1:], file]
        own = {**os.environ, "HF_HUB_OFFLINE": "1", "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}"}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=900, check=False, env=own, cwd=self.folder
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done, json.loads(done.stdout.splitlines()[-1])

    def run_text(self, text, *options, **more):
        file = self.folder / "program.py"
        file.write_text(text)
        return self.run_file(file, *(options or ("--gpu", "h100")), **more)


@unittest.skipUnless((VENV / "bin/python").exists(), NO_TORCH)
class Torch(OnGpus):
    def test_parameters_and_state_are_what_arithmetic_says(self):
        done, result = self.run_text(TRAINING)
        layers = 2 * (4 * MIB + 4 * 1024)
        self.assertIn(f"parameters {layers}", done.stdout)
        # Adam's two moments, and a step count of 4 bytes for each of the 4 parameters lies on the host
        self.assertIn(f"state {3 * layers}", done.stdout)
        self.assertGreaterEqual(result["gpus"][0]["allocated"], 4 * layers)
        self.assertTrue(result["gpus"][0]["fits"])

    def test_the_allocator_raises_its_own_error(self):
        done, result = self.run_text(FULL, "--gpu", "rtx3060", code=3)
        self.assertIn("11 GiB; CUDA out of memory. Tried to allocate 1024.00 MiB.", done.stdout)
        self.assertFalse(result["gpus"][0]["fits"])

    def test_two_devices(self):
        done, result = self.run_text(TWO, "--gpu", "a100-80gb:2")
        self.assertIn("2 cuda:1 NVIDIA A100-SXM4-80GB", done.stdout)
        self.assertTrue(all(gpu["allocator"] >= 2 * MIB for gpu in result["gpus"]))

    def test_a_program_is_ended_after_steps(self):
        done, _ = self.run_text(TRAINING, "--gpu", "h100", "--stop-after", "2")
        self.assertIn("step 0", done.stdout)
        self.assertNotIn("step 2", done.stdout)

    def test_strict_names_the_line(self):
        done, _ = self.run_text(READING, "--gpu", "h100", "--strict", code=1)
        self.assertIn("program.py:3", done.stderr)

    def test_ranks_share_the_devices(self):
        done, result = self.run_text(RANKS, "--gpu", "h100:2", launcher=("torchrun", "--nproc-per-node=2"))
        self.assertIn("rank 0 of 2", done.stdout)
        self.assertIn("rank 1 of 2", done.stdout)
        self.assertTrue(all(gpu["peak"] > 0 for gpu in result["gpus"]))

    def test_one_rank_of_many_runs_alone(self):
        done, _ = self.run_text(ONE_OF_MANY, "--gpu", "h100", "--world-size", "64", "--rank", "3")
        # a weight's shard is 16 rows of 4 KiB, a bias's 64 bytes in a block of 512
        self.assertIn(f"held {4 * (16 * 4096 + 512)}", done.stdout)
        self.assertIn("rank 3 of 64", done.stdout)

    def test_the_environment_says_what_products_work_in(self):
        done, _ = self.run_text(WORKSPACE)
        self.assertIn(f"peak {8 * 16 * 1024 + 2 * 64 * 64 * 4}\n", done.stdout)

    def test_a_graph_keeps_its_private_pool(self):
        done, _ = self.run_text(GRAPHS)
        self.assertIn("captured 2 in 1 pool\nkept 2\nshared 2\nleft 0\n", done.stdout)

    def test_groups_of_a_mesh_have_their_ranks(self):
        done, _ = self.run_text(MESH, "--gpu", "h100", "--world-size", "8", "--rank", "5")
        self.assertIn("dp 1 of [1, 5]", done.stdout)
        self.assertIn("tp 1 of [4, 5, 6, 7]", done.stdout)

    def test_values(self):
        self.run_file(HERE / "values.py", "--gpu", "h100")


@unittest.skipUnless((VENV / "bin/python").exists(), NO_TORCH)
class RecordedLoops(OnGpus):
    def test_what_recordings_are_held_to_is_measured_again(self):
        """A few of the loops that memmodel.torch.record(gpu="h100") is compared on."""
        frameworks = HERE.parent / "frameworks"
        names = ("zero_grad_first", "scaled_attention", "u_net")
        words = ["compare_gpu_loops.py", "--measure", str(self.folder / "peaks.json"), *names]
        self.run_text(f"import sys; sys.argv = {words!r}; sys.path.insert(0, {str(frameworks)!r})\n"
                      "import compare_gpu_loops; compare_gpu_loops.main()\n")  # fmt: skip
        kept = json.loads((HERE.parent / "data/pytorch_loops/gpu_peaks.json").read_text())
        found = json.loads((self.folder / "peaks.json").read_text())
        if found["torch"] != kept["torch"]:
            self.skipTest(f"the kept peaks are of PyTorch {kept['torch']}, not {found['torch']}")
        self.assertEqual(found["peaks"], {name: kept["peaks"][name] for name in names})

    def test_a_recording_on_the_device_has_the_peaks_of_its_allocator(self):
        frameworks = HERE.parent / "frameworks"
        names = ("accumulation_of_four", "scaled_attention", "u_net")
        words = ["compare_gpu_loops.py", "--against", str(self.folder / "peaks.json")]
        begin = f"import sys; sys.path.insert(0, {str(frameworks)!r}); import compare_gpu_loops\n"
        self.run_text(f"{begin}sys.argv = {[*words[:1], '--measure', words[2], *names]!r}; compare_gpu_loops.main()\n")
        done, _ = self.run_text(f"{begin}sys.argv = {[*words, *names]!r}; compare_gpu_loops.main()\n")
        self.assertIn("3 of 3 exact", done.stdout)

    def reported(self, text, *options, gpu="h100"):
        """What is printed, and the report."""
        script, report = self.folder / "script.py", self.folder / "report.json"
        script.write_text(text)
        command = [VENV / "bin/python", "-m", "memmodel.torch", "--gpu", gpu, "--json", report, *options, script]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout, json.loads(report.read_text())

    def test_a_rank_of_many_ends_in_a_report(self):
        output, found = self.reported(ONE_OF_MANY, "--world-size", "64", "--rank", "3", "--steps", "1")
        self.assertIn("1 step on", output)
        # of four layers 16 rows of a weight and 16 numbers of a bias, float32
        shards = 4 * 4 * (16 * 1024 + 16)
        self.assertEqual(found["categories"]["parameters"], shards)
        self.assertEqual(found["total"]["peak_by_category"]["parameters"], shards)
        self.assertGreater(found["peak"]["live"], 4 * 4 * 1024 * 1024)

    def test_several_gpus_have_reports_of_which_the_fullest_counts(self):
        output, found = self.reported(SPREAD, gpu="h100:4")
        said = [int(peak) for peak in re.search(r"peaks (.*)", output)[1].split()]
        self.assertEqual(max(found["step_peaks"]), said[2])
        self.assertIn("that is gpu 2, the fullest of 2 that the script used", output)
        self.assertIn(f"gpu 0: {said[0] / MIB:.2f} MiB live at most", output)

    def test_a_script_that_catches_out_of_memory_goes_on_as_on_the_gpu(self):
        output, found = self.reported(SMALLER, "--out-of-memory", "--budget", "4GiB", "--steps", "1")
        self.assertIn("went on with 1024", output)
        self.assertLess(found["peak"]["process"], 4 << 30)

    def test_a_script_ends_in_a_report(self):
        output, found = self.reported(TRAINING)
        self.assertIn("3 steps on NVIDIA H100 80GB HBM3 (simulated GPU)", output)
        self.assertEqual(found["engine"], "simulated GPU")
        layers = 2 * (4 * MIB + 4 * 1024)
        self.assertEqual(found["categories"]["parameters"], layers)
        self.assertEqual(found["categories"]["optimizer state"], 2 * layers)


@unittest.skipUnless((VENV / "bin/python").exists(), NO_TORCH)
class Programs(OnGpus):
    """Each of programs/ as it is; comments in it say how it is started and what it holds at least."""

    def run_program(self, file):
        text = file.read_text()
        self.skip_if_a_package_is_missing(text)
        gpus, launcher = said(text, "gpus", "1"), said(text, "run", "python").split()
        _, result = self.run_file(file, "--gpu", "h100:" + gpus, launcher=launcher)
        self.assertEqual([note for note in result["notes"] if note["kind"] == "unanswered"], [])
        parameters, bytes_of_each = re.match(r"(\d+) parameters x (\d+)|", said(text, "bytes", "")).groups(0)
        for gpu in result["gpus"]:
            self.assertGreater(gpu["allocated"], int(parameters) * int(bytes_of_each))
            self.assertTrue(gpu["fits"])

    def skip_if_a_package_is_missing(self, text):
        find = "import sys, importlib.util as u; print(*[n for n in sys.argv[1:] if not u.find_spec(n)])"
        command = [VENV / "bin/python", "-c", find, *sorted(packages(text))]
        missing = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        if missing:
            self.skipTest(f"the virtual environment has no {missing}")


# Models with weights of zeros, one after the other, on inputs of zeros; how many ran.
ONNX_MODELS = """
import os, pathlib, shutil, sys
import numpy, onnxruntime
types = {"tensor(float)": numpy.float32, "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32}
models = sorted(pathlib.Path("MODELS").glob("*.onnx"))
with open("weights", "wb") as weights:
    weights.truncate(3 << 30)
for model in models:
    session = onnxruntime.InferenceSession(shutil.copy(model, "."), providers=["CUDAExecutionProvider"])
    assert session.get_providers()[0] == "CUDAExecutionProvider"
    inputs = {given.name: numpy.zeros([size if isinstance(size, int) else 2 for size in given.shape], types[given.type])
              for given in session.get_inputs()}
    session.run(None, inputs)
print("ran", len(models))
"""

JAX_PRODUCT = """
import jax, jax.numpy as jnp
x = jnp.ones((1024, 1024))
print(jax.devices()[0].platform, jax.jit(lambda x: x @ x)(x).shape)
print("peak", jax.devices()[0].memory_stats()["peak_bytes_in_use"])
"""


@unittest.skipUnless((VENV / "bin/python").exists(), NO_TORCH)
class OtherFrameworks(OnGpus):
    """Those that the virtual environment happens to have: pip install onnxruntime-gpu nvidia-curand; "jax[cuda13]"."""

    def skip_without(self, *modules):
        find = "import sys, importlib.util as u; sys.exit(not all(u.find_spec(name) for name in sys.argv[1:]))"
        if subprocess.run([VENV / "bin/python", "-c", find, *modules], check=False).returncode:
            self.skipTest(f"the virtual environment has no {' or no '.join(modules)}")

    def test_onnxruntime_runs_every_model_of_the_corpus(self):
        self.skip_without("onnxruntime", "nvidia.cu13")
        models = HERE.parent / "data/onnxruntime"
        done, result = self.run_text(ONNX_MODELS.replace("MODELS", str(models.resolve())))
        self.assertIn(f"ran {len(list(models.glob('*.onnx')))}", done.stdout)
        self.assertEqual([note for note in result["notes"] if note["kind"] == "unanswered"], [])
        self.assertGreater(result["gpus"][0]["peak"], 800 * MIB)  # the context, and an arena of cuDNN's weights

    def test_jax_multiplies_on_the_gpu(self):
        self.skip_without("jax", "jax_plugins.xla_cuda13")
        done, result = self.run_text(JAX_PRODUCT)
        self.assertIn("gpu (1024, 1024)", done.stdout)
        self.assertGreaterEqual(int(re.search(r"peak (\d+)", done.stdout)[1]), 2 * 4 * MIB)  # the operand, the product
        self.assertEqual([note for note in result["notes"] if note["kind"] == "unanswered"], [])


def said(text, what, default):
    found = re.search(rf"^# {what}: (.*)$", text, re.MULTILINE)
    return found[1] if found else default


def packages(text):
    """That it imports, and those that it needs without importing them."""
    found = set(said(text, "needs", "").split())
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        found.update(name.partition(".")[0] for name in names)
    return found


for program in sorted((HERE / "programs").glob("*.py")):
    setattr(Programs, "test_" + program.stem, lambda self, file=program: self.run_program(file))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
