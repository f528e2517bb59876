"""How to train a language model on many GPUs: which meshes fit."""

from __future__ import annotations

import os
from typing import NamedTuple

from memmodel import _ffi, _limits
from memmodel.quantity import parse_bytes
from memmodel.serving import LanguageModel, _handle

MAX_ROWS = 4096


class MeshAdvice(NamedTuple):
    """A way to train a model: ranks along dp, tp and pp, `batch` sequences in each of `passes` forward passes.

    recomputed: each layer is recomputed in the backward pass. peak: live bytes of the fullest rank. process: what it
    takes of its GPU, the allocator's bytes and the context, 0 where live bytes alone are too many. traffic: bytes that
    a rank sends in a step.
    """

    dp: int
    tp: int
    pp: int
    batch: int
    passes: int
    recomputed: bool
    peak: int
    process: int
    traffic: int
    fits: bool


def advise_mesh(
    model: LanguageModel | str | os.PathLike[str],
    gpus: int,
    *,
    gpu: str | None = None,
    length: int = 0,
    global_batch: int = 0,
    optimizer: str | None = None,
    max_tensor: int = 0,
    max_pipeline: int = 0,
    budget: int | str = 0,
) -> list[MeshAdvice]:
    """Meshes of so many GPUs of a kind that train a dense decoder, those that fit first, by what ranks send.

    model: a LanguageModel, or the path of its config.json. gpu: "h100" unless given. length: tokens of a sequence,
    8,192 unless given. global_batch: sequences of a step over all GPUs, one for each unless given. max_tensor,
    max_pipeline: 8 and 16 unless given. budget: bytes of each GPU with its context, all of its memory unless given.

    >>> memmodel.advise_mesh("llama-3.1-70b/config.json", 64, gpu="h100")[0]
    """
    options = _ffi.MeshOptions(
        gpu=gpu, optimizer=optimizer, gpu_count=gpus, length=length, global_batch=global_batch, max_tensor=max_tensor,
        max_pipeline=max_pipeline, budget=parse_bytes(budget, "budget"),
    )  # fmt: skip
    rows, count = _ffi.estimate_meshes(_handle(model), options, _limits.new_context(), MAX_ROWS)
    return [
        MeshAdvice(
            row.data,
            row.tensor,
            row.pipeline,
            row.batch,
            row.passes,
            bool(row.recomputed),
            row.peak,
            row.process,
            row.traffic,
            row.verdict == _ffi.Verdict.FITS,
        )  # fmt: skip
        for row in rows[: min(count, MAX_ROWS)]
    ]
