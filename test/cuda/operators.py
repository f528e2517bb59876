"""
Operators of torch on small known values: the simulated GPU gives what the CPU gives, for torch's own samples of each.

    memmodel run --gpu h100 -- python operators.py [NAME ...]

Wants the package expecttest, as torch's own tests do. Takes four minutes.
"""

import itertools
import sys
import warnings
from collections import Counter

import torch
from memmodel_cuda import knowledge
from torch.utils._pytree import tree_leaves, tree_map

SAMPLES = 3  # of each operator and type
ALIKE = {"rtol": 1e-3, "atol": 1e-4, "equal_nan": True}
DIFFER_BY_DESIGN = {"_native_batch_norm_legit"}  # cuDNN's results have other shapes than the CPU's


def on_device(value):
    if isinstance(value, torch.Tensor):
        return value.to("cuda")
    return "cuda" if value == "cpu" or isinstance(value, torch.device) else value


def run(operator, sample, move=lambda value: value):
    """The result, or None where the operator refuses the sample."""
    parts = tree_map(move, (sample.input, sample.args, sample.kwargs))
    try:
        return operator(parts[0], *parts[1], **parts[2])
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        return None


def compare(expected, found):
    """How one tensor of the device is against the CPU's."""
    if expected.shape != found.shape:
        return "has another shape"
    level = knowledge.level(found)
    if level != knowledge.KNOWN:
        return "made up" if level else "unknown"
    return "equal" if torch.allclose(wide(expected), wide(found.cpu()), **ALIKE) else "differs"


def wide(tensor):
    return tensor.detach().to(torch.complex128 if tensor.is_complex() else torch.float64)


def outcomes(operator, dtype):
    samples = operator.sample_inputs("cpu", dtype)
    for sample in itertools.islice(samples, 0, 2 * SAMPLES, 2):
        expected, found = run(operator, sample), run(operator, sample, on_device)
        if expected is None or found is None:
            yield "refused"
            continue
        for left, right in zip(tree_leaves(expected), tree_leaves(found)):
            if isinstance(right, torch.Tensor) and right.is_cuda and right.layout == torch.strided:
                yield compare(left, right)


def main(names):
    from torch.testing._internal.common_methods_invocations import op_db

    warnings.simplefilter("ignore")
    seen, wrong = Counter(), 0
    for operator in op_db:
        if names and operator.name not in names:
            continue
        for dtype in {torch.float32, torch.int64} & set(operator.dtypes):
            of_it = Counter(outcomes(operator, dtype))
            seen += of_it
            if (of_it["differs"] or of_it["has another shape"]) and operator.name not in DIFFER_BY_DESIGN:
                wrong += 1
                print(operator.name, dtype, dict(of_it))
    print(dict(seen))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
