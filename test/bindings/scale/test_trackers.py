"""MLflow and Weights & Biases have what callbacks report, by the real packages, without a network."""

import importlib.util
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import memmodel
from memmodel.integrations._reporter import Reporter

GIB = 1 << 30
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # of mlflow-skinny, which has no database


def needs(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"this Python has no {', '.join(missing)}")


def report():
    net = memmodel.Network()
    net.linear(net.input("x", (net.symbol("batch"), 16)), units=8)
    return memmodel.estimate(net, batch=4, budget=16 * GIB)


class Trackers(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.lines = []
        self.reporter = Reporter(budget=16 * GIB, log=self.lines.append)

    def train(self):
        self.reporter.announce(report())
        self.reporter.compare(report().peak.process, 123456789, batch=4)

    @needs("mlflow")
    def test_the_active_run_of_mlflow_has_them(self):
        import mlflow

        mlflow.set_tracking_uri((self.folder / "mlruns").as_uri())
        with mlflow.start_run() as run:
            self.train()
        data = mlflow.get_run(run.info.run_id).data
        self.assertEqual(data.metrics["memmodel/measured_bytes"], 123456789)
        self.assertEqual(data.metrics["memmodel/predicted_bytes"], report().peak.process)
        self.assertEqual(data.metrics["memmodel/budget_bytes"], 16 * GIB)
        self.assertEqual(data.tags["memmodel.verdict"], report().summary)

    @needs("mlflow")
    def test_without_an_active_run_none_is_begun(self):
        import mlflow

        mlflow.set_tracking_uri((self.folder / "mlruns").as_uri())
        self.train()
        self.assertIsNone(mlflow.active_run())
        self.assertEqual(len(self.lines), 3)

    @needs("wandb")
    def test_the_run_of_weights_and_biases_has_them_offline(self):
        import wandb

        with wandb.init(mode="offline", dir=self.folder, project="memory", settings=wandb.Settings(silent=True)) as run:
            run.log({"loss": 1.0})
            self.train()
            run.log({"loss": 0.5})
            summary = dict(run.summary)
            steps = run.step
        self.assertEqual(summary["memmodel/measured_bytes"], 123456789)
        self.assertEqual(summary["memmodel/verdict"], report().summary)
        self.assertEqual(steps, 2)
        wandb.teardown()  # its service writes the file
        written = b"".join(path.read_bytes() for path in self.folder.rglob("run-*.wandb"))
        self.assertIn(b"123456789", written)

    def test_one_that_fails_is_one_warning_and_the_training_goes_on(self):
        broken = mock.Mock()
        broken.active_run.side_effect = ConnectionError("no route to host")
        with mock.patch.dict(sys.modules, {"mlflow": broken}), self.assertWarnsRegex(UserWarning, "mlflow .*no route"):
            self.train()
        self.assertEqual(len(self.lines), 3)

    def test_what_the_training_does_not_use_is_not_imported(self):
        code = (
            "import sys, memmodel.integrations._reporter as r; r.Reporter(log=print).compare(1, 2); "
            "assert not {'mlflow', 'wandb'} & set(sys.modules)"
        )
        self.assertEqual(os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]), 0)


if __name__ == "__main__":
    sys.exit(int(not unittest.main(exit=False).result.wasSuccessful()))  # wandb wants a number when it ends
