"""Factorisations of unknown matrices succeed: what says whether they did, the last result, is zero."""

import torch

from memmodel_cuda import beside, knowledge

_NAMES = ("linalg_inv_ex", "linalg_cholesky_ex", "linalg_lu_factor_ex", "linalg_ldl_factor_ex", "_linalg_solve_ex")


def _succeed(operator, args, kwargs, result):
    info = result[-1]
    if isinstance(info, torch.Tensor) and info.numel() and knowledge.is_small(info):
        beside.alias(info).zero_()
        knowledge.written(info, knowledge.PLAUSIBLE)
    return result


UNKNOWN = dict.fromkeys(_NAMES, _succeed)
