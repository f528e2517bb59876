"""A search whose trials must fit a GPU: those that cannot are pruned before they run.

usage: search.py [--gpu NAME] [--trials N]

What a trial would train is a convolutional network in memmodel's own words; memmodel.torch.estimate() is the same for a
module. In place of a training stands a function that likes width and large batches.
"""

import argparse
import math

import memmodel
import optuna
from memmodel.integrations.optuna import MemoryPruner


def network(width, depth):
    net = memmodel.Network()
    batch = net.symbol("batch")
    x = net.input("image", (batch, 3, 224, 224))
    truth = net.input("truth", (batch,), "int64")
    for level in range(depth):
        x = net.conv(x, filters=width << level, kernel=3, auto_pad="same")
        x = net.batch_norm(x)
        x = net.activation(x, kind="relu")
        x = net.pool(x, kernel=2)
    x = net.global_pool(x, kind="average")
    net.loss(net.linear(x, units=10), truth, kind="cross_entropy")
    return net


def train(width, depth, batch):
    """The loss of a training that is not made here."""
    return 1 / math.log2(width * depth) + abs(math.log2(batch) - 9) / 20


def objective(trial):
    width = trial.suggest_categorical("width", [16, 32, 64, 128])
    depth = trial.suggest_int("depth", 2, 4)
    batch = trial.suggest_categorical("batch", [32, 128, 512, 2048])
    if trial.should_prune():
        raise optuna.TrialPruned
    return train(width, depth, batch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default="l4")
    parser.add_argument("--trials", type=int, default=20)
    given = parser.parse_args()

    def estimate(params):
        net = network(params["width"], params["depth"])
        return memmodel.estimate(net, optimizer="adamw", gpu=given.gpu, batch=params["batch"])

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    pruner = MemoryPruner(estimate)
    study = optuna.create_study(pruner=pruner, sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(objective, n_trials=given.trials)
    for trial in study.trials:
        words = ", ".join(f"{name} {value}" for name, value in trial.params.items())
        print(f"{trial.number:2} {trial.state.name.lower():9} {words}: {pruner.summaries[trial.number]}")
    print(f"best of those that fit: {study.best_params}")


if __name__ == "__main__":
    main()
