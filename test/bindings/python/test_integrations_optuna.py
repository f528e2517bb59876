"""The pruner in a real study of Optuna, and the example; skipped where Optuna is missing (./run frameworks optuna)."""

import importlib.util
import pathlib
import subprocess
import sys
import types
import unittest
import warnings

import memmodel

MISSING = importlib.util.find_spec("optuna") is None
SEARCH = pathlib.Path(__file__).parents[3] / "examples/optuna/search.py"
GIB = 1 << 30


def linear(rows):
    """A report of inference with so many rows of 1 GiB, and 1 GiB of weights."""
    net = memmodel.Network()
    x = net.input("rows", (net.symbol("batch"), GIB // 4))
    net.linear(x, units=1, no_bias=True)
    return memmodel.estimate(net, mode="inference", isa="avx2", budget="16GiB", batch=rows)


@unittest.skipIf(MISSING, "this Python has no optuna")
class Study(unittest.TestCase):
    def run_study(self, pruner, rows=(1, 32, 2, 64)):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.trained = []

        def objective(trial):
            batch = trial.suggest_categorical("batch", list(rows))
            if trial.should_prune():
                raise optuna.TrialPruned
            self.trained.append(batch)
            return batch

        sampler = optuna.samplers.GridSampler({"batch": list(rows)}, seed=0)
        study = optuna.create_study(sampler=sampler, pruner=pruner)
        study.optimize(objective, n_trials=len(rows))
        return study

    def test_trials_that_cannot_fit_are_not_trained(self):
        from memmodel.integrations.optuna import MemoryPruner

        pruner = MemoryPruner(lambda params: linear(params["batch"]))
        study = self.run_study(pruner)
        self.assertEqual(sorted(self.trained), [1, 2])
        for trial in study.trials:
            pruned = trial.state.name == "PRUNED"
            self.assertEqual(pruned, trial.params["batch"] > 16)
            self.assertEqual("does not fit" in pruner.summaries[trial.number], pruned)

    def test_another_pruner_goes_on_with_those_that_fit(self):
        from memmodel.integrations.optuna import MemoryPruner

        always = types.SimpleNamespace(prune=lambda study, trial: True)
        self.run_study(MemoryPruner(lambda params: linear(params["batch"]), then=always))
        self.assertEqual(self.trained, [])

    def test_a_trial_is_estimated_once(self):
        from memmodel.integrations.optuna import MemoryPruner

        asked = []

        def estimate(params):
            asked.append(params["batch"])
            return linear(params["batch"])

        pruner = MemoryPruner(estimate)
        study = self.run_study(pruner)
        for trial in study.trials:
            pruner.prune(study, trial)
        self.assertEqual(sorted(asked), [1, 2, 32, 64])

    def test_an_error_of_the_estimate_is_one_warning_and_trials_run(self):
        from memmodel.integrations.optuna import MemoryPruner

        def estimate(params):
            raise ValueError("which GPU?")

        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.run_study(MemoryPruner(estimate))
        self.assertEqual([str(each.message) for each in told], ["trials are not estimated: which GPU?"])
        self.assertEqual(len(self.trained), 4)

    def test_the_example_prunes_some_trials_and_finds_one_that_fits(self):
        words = [sys.executable, SEARCH, "--gpu", "l4", "--trials", "12"]
        made = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        lines = made.stdout.splitlines()
        self.assertEqual(len(lines), 13)
        for line in lines[:-1]:
            self.assertEqual(" pruned " in line, "does not fit" in line, line)
        self.assertTrue(any(" pruned " in line for line in lines))
        self.assertIn("best of those that fit: ", lines[-1])


if __name__ == "__main__":
    unittest.main()
