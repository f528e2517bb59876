"""Extra-P on one split: JSON with columns, x, y and test_x on standard input; formula and predictions on the output."""

import json
import logging
import re
import sys

from extrap.entities.callpath import Callpath
from extrap.entities.coordinate import Coordinate
from extrap.entities.experiment import Experiment
from extrap.entities.measurement import Measurement
from extrap.entities.metric import Metric
from extrap.entities.parameter import Parameter
from extrap.modelers.model_generator import ModelGenerator


def as_usual(formula: str) -> str:
    """Without powers of 1, and with fractions as numbers."""
    formula = formula.replace("^(1)", "")
    return re.sub(r"\((-?\d+)/(\d+)\)", lambda fraction: str(int(fraction[1]) / int(fraction[2])), formula)


def main() -> None:
    given = json.load(sys.stdin)
    logging.disable(logging.CRITICAL)
    experiment, path, metric = Experiment(), Callpath("step"), Metric("peak")
    for name in given["columns"]:
        experiment.add_parameter(Parameter(name))
    experiment.add_callpath(path)
    experiment.add_metric(metric)
    for row, value in zip(given["x"], given["y"]):
        coordinate = Coordinate(*row)
        experiment.add_coordinate(coordinate)
        experiment.add_measurement(Measurement(coordinate, path, metric, [value]))
    generator = ModelGenerator(experiment)
    generator.model_all()
    function = generator.models[path, metric].hypothesis.function
    predictions = [float(function.evaluate(row)) for row in given["test_x"]]
    json.dump({"formula": as_usual(function.to_string()), "predictions": predictions}, sys.stdout)


if __name__ == "__main__":
    main()
