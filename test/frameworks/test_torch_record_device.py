"""Recordings on a simulated GPU, as far as they need none: the history of an allocator, and where a program is."""

import importlib.util
import types
import unittest
from contextlib import ExitStack
from unittest import mock

TORCH = importlib.util.find_spec("torch") is not None

if TORCH:
    import torch
    from memmodel._ffi import Category
    from memmodel._record_device import History, MarkedModules
    from memmodel._record_modules import BACKWARD, FORWARD, OPTIMIZER, Place
    from memmodel.estimation import job_of
    from memmodel.trace import Trace
    from torch import nn


class Allocator:
    """What PyTorch's says of itself: counts of its events, and their history; those of a second GPU besides."""

    def __init__(self):
        self.history = []
        self.second = []

    def allocate(self, address, size, *frames):
        named = [{"filename": file, "line": line, "name": name} for file, line, name in frames]
        self.history.append({"action": "alloc", "addr": address, "size": size, "stream": 0, "frames": named})

    def release(self, address):
        for action in ("free_requested", "free_completed"):
            self.history.append({"action": action, "addr": address, "size": 1, "stream": 0})

    def stats(self, device):
        actions = [entry["action"] for entry in (self.second if device else self.history)]
        counts = {"allocated": actions.count("alloc"), "freed": actions.count("free_requested")}
        return {"allocation": {"all": counts}}

    def snapshot(self):
        segments = [{"action": "segment_alloc", "addr": 1 << 20, "size": 1 << 21, "stream": 0}]
        return {"device_traces": [[*segments, *self.history], self.second]}


def at(address, gpu=0):
    """A tensor of a GPU."""
    storage = types.SimpleNamespace(data_ptr=lambda: address)
    return types.SimpleNamespace(
        device=torch.device("cuda", gpu), layout=torch.strided, untyped_storage=lambda: storage
    )  # fmt: skip


@unittest.skipUnless(TORCH, "torch is not installed")
class Histories(unittest.TestCase):
    def setUp(self):
        self.gpu, self.modules = Allocator(), MarkedModules()
        stack = ExitStack()
        self.addCleanup(stack.close)
        for name, found in (
            ("torch.cuda.is_initialized", lambda: True),
            ("torch.cuda.device_count", lambda: 2),
            ("torch._C._cuda_memoryStats", self.gpu.stats),
            ("torch.cuda.memory._snapshot", self.gpu.snapshot),
        ):
            stack.enter_context(mock.patch(name, found, create=True))
        job = job_of(None, {"framework": "pytorch", "device": "cuda", "gpu": "h100", "steps": 1})
        self.history = History(job, self.modules)
        self.modules.mark = self.history.mark

    def go(self, phase, layer="", line=""):
        self.modules._go(phase, Place(layer, line))

    def events(self):
        (trace,) = self.history.finish().values()
        return list(Trace(trace))

    def test_events_belong_to_what_went_on(self):
        self.gpu.allocate(0x1000, 400, ("train.py", 3, "to"))
        self.history.begin()
        self.history.set_owner(at(0x1000), Category.PARAMETERS, "net")
        self.go(FORWARD, "net.0")
        self.gpu.allocate(0x2000, 100, ("train.py", 7, "<module>"))
        self.go(BACKWARD, "net.0", "train.py:8")
        self.gpu.allocate(0x3000, 400)
        self.gpu.release(0x2000)
        self.go(OPTIMIZER)
        self.gpu.allocate(0x2000, 60)
        self.gpu.release(0x2000)
        self.history.set_owner(at(0x3000), Category.GRADIENTS, "net")
        found = [
            (event.bytes, event.step, event.phase, event.category, event.layer, event.line) for event in self.events()
        ]  # fmt: skip
        self.assertEqual(found[:3], [
            (400, 0, "setup", "parameters", "net", "train.py:3"),
            (100, 1, "forward", "saved activations", "net.0", "train.py:7"),
            (400, 1, "backward", "gradients", "net", "train.py:8"),
        ])  # fmt: skip
        self.assertEqual([event[0] for event in found], [400, 100, 400, -100, 60, -60])
        self.assertEqual(found[4][2:4], ("optimizer", "workspace"))

    def test_an_address_that_is_used_again_is_another_block(self):
        self.history.begin()
        self.gpu.allocate(0x1000, 100)
        self.gpu.release(0x1000)
        self.gpu.allocate(0x1000, 200)
        self.history.set_owner(at(0x1000), Category.OPTIMIZER_STATE, "net")
        self.assertEqual(
            [(event.bytes, event.category) for event in self.events()],
            [(100, "temporary activations"), (-100, "temporary activations"), (200, "optimizer state")],
        )

    def test_each_gpu_has_its_own_history(self):
        """Of two tensors at the same address, one on each."""
        self.history.begin()
        self.gpu.allocate(0x1000, 100)
        self.gpu.second.append({"action": "alloc", "addr": 0x1000, "size": 300, "stream": 0, "frames": []})
        self.history.set_owner(at(0x1000, 1), Category.PARAMETERS, "net")
        self.go(BACKWARD)
        self.gpu.second.append({"action": "free_requested", "addr": 0x1000, "size": 300, "stream": 0})
        first, second = (list(Trace(trace)) for trace in self.history.finish().values())
        self.assertEqual([(event.bytes, event.category) for event in first], [(100, "temporary activations")])
        self.assertEqual(
            [(event.bytes, event.phase, event.category) for event in second],
            [(300, "forward", "parameters"), (-300, "backward", "parameters")],
        )

    def test_counts_that_the_program_sets_back_go_on(self):
        """torch.cuda.reset_accumulated_memory_stats()."""
        self.history.begin()
        self.gpu.allocate(0x1000, 100)
        before = list(self.gpu.history)
        with ExitStack() as stack:
            reset = mock.Mock(side_effect=lambda _: self.gpu.history.clear())
            stack.enter_context(mock.patch("torch._C._cuda_resetAccumulatedMemoryStats", reset, create=True))
            stack.enter_context(mock.patch("torch.cuda._lazy_call"))
            self.history.start(stack)
            torch._C._cuda_resetAccumulatedMemoryStats(0)
        self.go(BACKWARD)
        self.gpu.allocate(0x2000, 200)
        self.gpu.history[:0] = before
        self.assertEqual([event.phase for event in self.events()], ["forward", "backward"])


@unittest.skipUnless(TORCH, "torch is not installed")
class Places(unittest.TestCase):
    def test_the_backward_pass_goes_through_the_modules_again(self):
        modules, seen = MarkedModules(), []
        modules.found = lambda _: None
        modules.mark = lambda: seen.append((modules.phase, modules.place.layer))
        model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        with ExitStack() as stack:
            modules.follow(stack)
            model(torch.ones(2, 3)).sum().backward()
            optimizer.step()
        layers = [layer for phase, layer in seen if phase == BACKWARD]
        self.assertEqual(layers, ["", "2", "1", "0"])
        self.assertEqual(seen[0], (FORWARD, "Sequential"))
        self.assertEqual(seen[-1], (OPTIMIZER, ""))

    def test_gradients_are_the_same(self):
        """Hooks of nodes change nothing of what is computed."""
        def gradients():
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
            model(torch.ones(2, 3)).sum().backward()
            return [parameter.grad for parameter in model.parameters()]

        plain, modules = gradients(), MarkedModules()
        modules.found, modules.mark = (lambda _: None), (lambda: None)
        with ExitStack() as stack:
            modules.follow(stack)
            followed = gradients()
        self.assertTrue(all(map(torch.equal, plain, followed)))


if __name__ == "__main__":
    unittest.main()
