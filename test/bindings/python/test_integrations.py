"""Callbacks in real, short trainings with the real packages; skipped where a package is missing."""

import csv
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

import memmodel


def needs(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"this Python has no {', '.join(missing)}")


class Told(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.lines = []

    def rows(self):
        with (self.folder / "runs.csv").open() as lines:
            return list(csv.DictReader(lines))

    def check_told(self, budget="16 GiB"):
        """The prediction and its verdict come before the first step, the measurement after it."""
        self.assertRegex(self.lines[0], "^memmodel: the training takes .* at ")
        self.assertRegex(self.lines[1], f"^memmodel: takes .* of {budget}, fits with ")
        self.assertRegex(self.lines[2], "^memmodel: predicted .*, measured ")
        self.assertEqual(len(self.lines), 3)


@needs("torch", "transformers", "accelerate")
class Transformers(Told):
    def trainer(self, callback, lengths=(16,) * 8):
        import torch
        import transformers

        config = transformers.LlamaConfig(
            vocab_size=100, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
            num_key_value_heads=2, use_cache=False,
        )  # fmt: skip
        rows = [torch.randint(0, 100, (length,)) for length in lengths]
        settings = transformers.TrainingArguments(
            str(self.folder), max_steps=len(rows) // 2, per_device_train_batch_size=2, report_to=[], use_cpu=True,
            disable_tqdm=True, save_strategy="no", logging_strategy="no", train_sampling_strategy="sequential",
        )  # fmt: skip
        return transformers.Trainer(
            transformers.LlamaForCausalLM(config), settings, callbacks=[callback],
            train_dataset=[{"input_ids": row, "labels": row} for row in rows],
        )  # fmt: skip

    def test_a_training_has_its_prediction_and_its_row(self):
        from memmodel.integrations.transformers import MemoryCallback

        callback = MemoryCallback(budget="16GiB", samples=self.folder / "runs.csv", log=self.lines.append)
        self.trainer(callback).train()
        self.check_told()
        row = self.rows()[0]
        self.assertEqual((row["batch"], row["elements"]), ("2", "32"))
        self.assertEqual(int(row["predicted_bytes"]), callback.report.peak.process)
        self.assertGreater(int(row["peak_bytes"]), 50 << 20)

    def test_a_batch_that_is_longer_than_what_fits_is_warned_of(self):
        from memmodel.integrations.transformers import MemoryCallback, MemoryWarning

        callback = MemoryCallback(budget="16GiB", log=self.lines.append)
        trainer = self.trainer(callback, (16, 16, 16, 16, 100, 100, 16, 16))
        hook = callback.watcher.needed
        callback.watcher.needed = lambda elements: hook(elements) + (1 << 40) * (elements > 100)
        with self.assertWarnsRegex(MemoryWarning, "a batch of 2 with 200 elements takes about .* of 16.00 GiB"):
            trainer.train()

    def test_an_error_of_its_own_is_one_warning_and_the_training_goes_on(self):
        from memmodel.integrations.transformers import MemoryCallback, MemoryWarning

        callback = MemoryCallback(budget="16GiB", isa="6502", log=self.lines.append)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            state = self.trainer(callback).train()
        told = [str(one.message) for one in caught if issubclass(one.category, MemoryWarning)]
        self.assertEqual(len(told), 1, told)
        self.assertIn("6502", told[0])
        self.assertEqual(state.global_step, 4)


@needs("torch", "lightning")
class Lightning(Told):
    def test_a_training_has_its_prediction_and_its_row(self):
        import lightning
        import torch
        from memmodel.integrations.lightning import MemoryCallback

        class Module(lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.net = torch.nn.Linear(8, 2)

            def training_step(self, batch, batch_idx):
                x, y = batch
                loss = torch.nn.functional.cross_entropy(self.net(x), y)
                self.log("loss", loss)
                return loss

            def configure_optimizers(self):
                return torch.optim.AdamW(self.parameters())

        data = torch.utils.data.TensorDataset(torch.randn(16, 8), torch.randint(0, 2, (16,)))
        callback = MemoryCallback(budget="16GiB", samples=self.folder / "runs.csv", log=self.lines.append)
        trainer = lightning.Trainer(
            max_steps=4, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
            enable_model_summary=False, callbacks=[callback], default_root_dir=self.folder,
        )  # fmt: skip
        trainer.fit(Module(), torch.utils.data.DataLoader(data, batch_size=4))
        self.check_told()
        self.assertEqual((self.rows()[0]["batch"], trainer.global_step), ("4", 4))


@needs("torch", "accelerate")
class Accelerate(Told):
    def loop(self, **options):
        import accelerate
        import torch
        from memmodel.integrations.accelerate import watch

        accelerator = accelerate.Accelerator(cpu=True)
        model = torch.nn.Linear(64, 8)
        model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters()))
        with watch(model, optimizer, log=self.lines.append, **options) as watcher:
            for _ in range(4):
                accelerator.backward(model(torch.randn(4, 64)).square().mean())
                optimizer.step()
                optimizer.zero_grad()
        return watcher

    def test_a_loop_has_its_prediction_and_its_row(self):
        self.loop(budget="16GiB", samples=self.folder / "runs.csv")
        self.check_told()
        self.assertEqual(self.rows()[0]["batch"], "4")

    def test_a_step_is_watched_in_less_than_a_millisecond(self):
        import torch

        watcher = self.loop(budget="16GiB")
        batch, model = torch.randn(4, 64), torch.nn.Linear(64, 8)
        began = time.perf_counter()
        for _ in range(1000):
            watcher.before(model, (batch,))
            watcher.after()
        self.assertLess((time.perf_counter() - began) / 1000, 1e-3)

    def test_a_batch_is_found_as_accelerate_finds_it(self):
        from accelerate.utils import find_executable_batch_size

        found = []
        for find in (memmodel.find_batch, find_executable_batch_size):

            @find(starting_batch_size=64)
            def train(batch_size):
                if batch_size > 10:
                    raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
                return batch_size

            found.append(train())
        self.assertEqual(found, [9, 9])


class FindBatch(unittest.TestCase):
    def test_sizes_that_do_not_fit_are_not_tried(self):
        tried = []

        @memmodel.find_batch(starting_batch_size=256, fits=lambda batch: batch <= 40)
        def train(batch_size, more):
            tried.append(batch_size)
            return more

        # 256, 230, 207, 186, 167, 150, 135, 121, 108, 97, 87, 78, 70, 63, 56, 50, 45, 40
        self.assertEqual((train("done"), tried), ("done", [40]))

    def test_other_errors_are_the_callers_and_nothing_that_fits_is_one(self):
        def broken(batch_size):
            raise RuntimeError("shapes differ")

        with self.assertRaisesRegex(RuntimeError, "shapes differ"):
            memmodel.find_batch(broken)()
        with self.assertRaisesRegex(RuntimeError, "No executable batch size found"):
            memmodel.find_batch(broken, fits=lambda batch: False)()
        with self.assertRaisesRegex(TypeError, "takes no batch size"):
            memmodel.find_batch(lambda: None)


@needs("torch", "pytest")
class Plugin(unittest.TestCase):
    def test_a_test_beyond_its_budget_fails(self):
        text = """import pytest, torch

@pytest.mark.memory_budget("16GiB")
def test_small():
    torch.nn.Linear(8, 8)(torch.randn(2, 8)).sum().backward()

@pytest.mark.memory_budget("1MiB", metric="live")
def test_large():
    torch.nn.Linear(1024, 1024)(torch.randn(2, 1024)).sum().backward()
"""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "test_budget.py").write_text(text, encoding="utf-8")
            words = [sys.executable, "-m", "pytest", "-q", "-p", "memmodel.pytest_plugin", folder]
            made = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
        self.assertIn("1 failed, 1 passed", made.stdout)
        self.assertRegex(made.stdout, r"test_large: takes .* MiB of 1 MiB \(live bytes\), does not fit")


if __name__ == "__main__":
    unittest.main()
