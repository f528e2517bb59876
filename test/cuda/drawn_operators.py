"""Operators of PyTorch with drawn sizes: reductions, sorts, indices, losses, norms, attention, linear algebra, ..."""

# ruff: noqa: B023 - each is called before the next sizes are drawn

import math
import random

import torch
import torch.nn.functional as F
from torch import nn


def operators():
    rng = random.Random(11)
    weights = {kind: list(getattr(nn, kind.upper())(32, 64, 2).cuda().parameters()) for kind in ("lstm", "gru")}
    parameters = [nn.Parameter(torch.zeros(100, 100, device="cuda")) for _ in range(20)]
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    dev = dict(device="cuda")

    def shape(n=None):
        n = n or rng.choice([1, 2, 3, 4])
        return tuple(
            rng.choice([1, 3, 7, 8, 17, 32, 64, 100, 128, 255, 512, 1000][: 12 if n < 3 else 9]) for _ in range(n)
        )

    def t(sh, dtype=torch.float32, grad=True):
        x = torch.zeros(sh, dtype=dtype, **dev)
        return x.requires_grad_(grad) if dtype.is_floating_point else x

    def ids(sh, hi):
        return torch.arange(math.prod(sh), **dev).remainder(hi).view(sh)

    for i in range(30):
        dt = rng.choice([torch.float32, torch.bfloat16, torch.float16, torch.float64])
        a = shape()
        d = rng.randrange(len(a))
        v = rng.choice([100, 1000, 30522, 50257])
        e = rng.choice([16, 64, 256, 768])
        q = rng.choice([8, 64, 512, 4096])
        b = rng.choice([1, 2, 8, 32])
        c = rng.choice([8, 32, 64, 96, 256])
        hw = rng.choice([4, 7, 16, 32, 56])
        r = rng.choice([100, 5000, 70000, 1 << 20])
        mode = rng.choice(["sum", "mean", "max"])
        few = rng.choice([10, 500])
        ops = {
            "sum": lambda: t(a, dt).sum(d),
            "sum all": lambda: t(a, dt).sum(),
            "mean": lambda: t(a, dt).mean(d),
            "var": lambda: t(a, dt).var(d),
            "norm": lambda: t(a, dt).norm(),
            "max": lambda: t(a, dt).max(d),
            "amax": lambda: t(a, dt).amax(d),
            "argmax": lambda: t(a, dt).argmax(d),
            "prod": lambda: t(a, dt).prod(d),
            "sum big": lambda: t((r,), dt).sum(),
            "var big": lambda: t((r,), dt).var(),
            "logsumexp": lambda: t(a, dt).logsumexp(d),
            "softmax": lambda: t(a, dt).softmax(d),
            "log_softmax": lambda: t(a, dt).log_softmax(-1),
            "cumsum": lambda: t(a, dt).cumsum(d),
            "cumprod": lambda: t(a, dt).cumprod(d),
            "logcumsumexp": lambda: t(a, dt).logcumsumexp(d),
            "cummax": lambda: t(a, dt).cummax(d),
            "cumsum 1d": lambda: t((r,), dt).cumsum(0),
            "sort": lambda: t(a, dt).sort(d),
            "sort 1d": lambda: t((r,), dt).sort(),
            "argsort stable": lambda: ids((r,), 7).argsort(stable=True),
            "topk": lambda: t(a, dt).topk(1, d),
            "topk big": lambda: t((b, r), dt).topk(50),
            "kthvalue": lambda: t(a, dt).kthvalue(1, d),
            "median": lambda: t(a, dt).median(d),
            "median all": lambda: t((r,), dt).median(),
            "quantile": lambda: t((r,), torch.float32).quantile(0.5),
            "unique": lambda: ids((r,), 97).unique(),
            "unique counts": lambda: ids((r,), 97).unique(return_counts=True, return_inverse=True),
            "unique dim": lambda: ids((few, 4), 5).unique(dim=0),
            "bincount": lambda: ids((r,), 97).bincount(),
            "histc": lambda: t((r,), torch.float32, False).histc(64),
            "nonzero": lambda: ids((r,), 2).nonzero(),
            "masked_select": lambda: t((r,), dt).masked_select(ids((r,), 2).bool()),
            "mask index": lambda: t((r,), dt)[ids((r,), 2).bool()],
            "embedding": lambda: F.embedding(ids((b, q), v), t((v, e), dt)),
            "embedding padded": lambda: F.embedding(ids((b, q), v), t((v, e), dt), padding_idx=0),
            "embedding sparse": lambda: F.embedding(ids((b, q), v), t((v, e)), sparse=True),
            "embedding_bag": lambda: F.embedding_bag(ids((b, q), v), t((v, e), dt), mode=mode),
            "index put acc": lambda: t((v, e), dt).index_put((ids((q,), v),), t((q, e), dt), accumulate=True),
            "index": lambda: t((v, e), dt)[ids((q,), v)],
            "index two": lambda: t((v, e), dt)[ids((q,), v), ids((q,), e)],
            "index_select": lambda: t((v, e), dt).index_select(0, ids((q,), v)),
            "gather": lambda: t((b, v), dt).gather(1, ids((b, q), v)),
            "scatter_add": lambda: t((v, e), dt).scatter_add(0, ids((q, e), v), t((q, e), dt)),
            "index_add": lambda: t((v, e), dt).index_add(0, ids((q,), v), t((q, e), dt)),
            "scatter_reduce": lambda: t((v, e), dt).scatter_reduce(0, ids((q, e), v), t((q, e), dt), "amax"),
            "cross_entropy": lambda: F.cross_entropy(t((b * q, v if b * q < 3000 else 100), dt), ids((b * q,), 100)),
            "ce smooth": lambda: F.cross_entropy(t((b, 100, hw, hw), dt), ids((b, hw, hw), 100), label_smoothing=0.1),
            "nll2d": lambda: F.nll_loss(t((b, 10, hw, hw), dt), ids((b, hw, hw), 10)),
            "bce": lambda: F.binary_cross_entropy_with_logits(t(a, dt), t(a, dt, False)),
            "kl": lambda: F.kl_div(t(a, dt), t(a, dt, False)),
            "ctc": lambda: F.ctc_loss(
                t((hw, b, 30), torch.float32).log_softmax(2),
                ids((b, 3), 29) + 1,
                torch.full((b,), hw),
                torch.full((b,), 3),
            ),
            "layer_norm": lambda: F.layer_norm(t((b, q, e), dt), (e,), t((e,), dt), t((e,), dt)),
            "rms_norm": lambda: F.rms_norm(t((b, q, e), dt), (e,), t((e,), dt)),
            "group_norm": lambda: F.group_norm(t((b, c, hw, hw), dt), 4, t((c,), dt), t((c,), dt)),
            "instance_norm": lambda: F.instance_norm(t((b, c, hw, hw), dt)),
            "batch_norm": lambda: F.batch_norm(
                t((b, c, hw, hw), dt), torch.zeros(c, **dev), torch.ones(c, **dev), t((c,)), t((c,)), training=True
            ),
            "batch_norm cl": lambda: F.batch_norm(
                t((b, hw, hw, c), dt).permute(0, 3, 1, 2),
                torch.zeros(c, **dev),
                torch.ones(c, **dev),
                t((c,)),
                t((c,)),
                training=True,
            ),
            "batch_norm eval": lambda: F.batch_norm(
                t((b, c, hw, hw), dt), torch.zeros(c, **dev), torch.ones(c, **dev), t((c,)), t((c,))
            ),
            "batch_norm 1d": lambda: F.batch_norm(
                t((max(b, 2), c), dt), torch.zeros(c, **dev), torch.ones(c, **dev), t((c,)), t((c,)), training=True
            ),
            "batch_norm 3d": lambda: F.batch_norm(
                t((b, c, hw, hw, 4), dt), torch.zeros(c, **dev), torch.ones(c, **dev), t((c,)), t((c,)), training=True
            ),
            "max_pool": lambda: F.max_pool2d(t((b, c, hw, hw), dt), 2),
            "avg_pool": lambda: F.avg_pool2d(t((b, c, hw, hw), dt), 2),
            "adaptive": lambda: F.adaptive_avg_pool2d(t((b, c, hw, hw), dt), 1),
            "adaptive 3": lambda: F.adaptive_avg_pool2d(t((b, c, hw, hw), dt), 3),
            "adaptive max": lambda: F.adaptive_max_pool2d(t((b, c, hw, hw), dt), 2),
            "max_pool3d": lambda: F.max_pool3d(t((b, c, 8, hw, hw), dt), 2),
            "bilinear": lambda: F.interpolate(t((b, c, hw, hw), dt), scale_factor=2, mode="bilinear"),
            "nearest": lambda: F.interpolate(t((b, c, hw, hw), dt), scale_factor=2),
            "bicubic": lambda: F.interpolate(t((b, c, hw, hw), dt), scale_factor=2, mode="bicubic"),
            "trilinear": lambda: F.interpolate(t((b, c, 4, hw, hw), dt), scale_factor=2, mode="trilinear"),
            "grid_sample": lambda: F.grid_sample(t((b, c, hw, hw)), t((b, hw, hw, 2))),
            "pad reflect": lambda: F.pad(t((b, c, hw, hw), dt), (1, 1, 1, 1), mode="reflect"),
            "unfold": lambda: F.unfold(t((b, c, hw, hw), dt), 3),
            "fold": lambda: F.fold(t((b, 9 * c, (hw - 2) ** 2), dt), (hw, hw), 3),
            "pixel_shuffle": lambda: F.pixel_shuffle(t((b, 4 * c, hw, hw), dt), 2),
            "dropout": lambda: F.dropout(t(a, dt), 0.1),
            "gelu": lambda: F.gelu(t(a, dt)),
            "silu": lambda: F.silu(t(a, dt)),
            "glu": lambda: F.glu(t((b, 2 * e), dt)),
            "prelu": lambda: F.prelu(t((b, c, hw), dt), t((c,), dt)),
            "linear": lambda: F.linear(t((b, q, e), dt), t((c, e), dt), t((c,), dt)),
            "matmul": lambda: t((b, q, e), dt) @ t((e, c), dt),
            "bmm": lambda: t((b, q, e), dt) @ t((b, e, c), dt),
            "addmm": lambda: torch.addmm(t((c,), dt), t((q, e), dt), t((e, c), dt)),
            "einsum": lambda: torch.einsum("bqe,bke->bqk", t((b, min(q, 512), e), dt), t((b, min(q, 512), e), dt)),
            "mv": lambda: t((q, e), dt) @ t((e,), dt),
            "bilinear layer": lambda: F.bilinear(t((b, 8), dt), t((b, 8), dt), t((4, 8, 8), dt)),
            "sdpa": lambda: F.scaled_dot_product_attention(*(t((b, 4, min(q, 512), 64), dt) for _ in range(3))),
            "sdpa causal": lambda: F.scaled_dot_product_attention(
                *(t((b, 4, min(q, 512), 64), dt) for _ in range(3)), is_causal=True
            ),
            "sdpa mask": lambda: F.scaled_dot_product_attention(
                *(t((b, 4, min(q, 512), 32), dt) for _ in range(3)),
                attn_mask=torch.zeros(b, 1, min(q, 512), min(q, 512), dtype=dt, **dev),
            ),
            "sdpa 128 drop": lambda: F.scaled_dot_product_attention(
                *(t((b, 4, min(q, 512), 128), dt) for _ in range(3)), dropout_p=0.1
            ),
            "sdpa odd": lambda: F.scaled_dot_product_attention(*(t((b, 3, 77, 40), dt) for _ in range(3))),
            "sdpa gqa": lambda: F.scaled_dot_product_attention(
                t((b, 8, 64, 64), dt), t((b, 2, 64, 64), dt), t((b, 2, 64, 64), dt), enable_gqa=True
            ),
            "lstm": lambda: torch.lstm(
                t((hw, b, 32)),
                (torch.zeros(2, b, 64, **dev), torch.zeros(2, b, 64, **dev)),
                weights["lstm"],
                True,
                2,
                0.0,
                True,
                False,
                False,
            ),
            "gru": lambda: torch.gru(
                t((hw, b, 32)), torch.zeros(2, b, 64, **dev), weights["gru"], True, 2, 0.0, True, False, False
            ),
            "fft": lambda: torch.fft.fft(t(a)),
            "rfft2": lambda: torch.fft.irfft2(torch.fft.rfft2(t((b, c, hw, hw)))),
            "fftn": lambda: torch.fft.fftn(t((b, hw, hw, hw) if hw < 40 else (b, hw))),
            "stft": lambda: torch.stft(t((b, 4096)), 256, return_complex=True, window=torch.ones(256, **dev)),
            "svd": lambda: torch.linalg.svd(
                torch.eye(hw, **dev).expand(b, hw, hw).contiguous().requires_grad_(), full_matrices=False
            ),
            "qr": lambda: torch.linalg.qr(torch.eye(hw, **dev).expand(b, hw, hw).contiguous().requires_grad_()),
            "cholesky": lambda: torch.linalg.cholesky(
                torch.eye(hw, **dev).expand(b, hw, hw).contiguous().requires_grad_()
            ),
            "eigh": lambda: torch.linalg.eigh(torch.eye(hw, **dev).expand(b, hw, hw).contiguous().requires_grad_()),
            "inv": lambda: torch.linalg.inv(torch.eye(hw, **dev).expand(b, hw, hw).contiguous().requires_grad_()),
            "solve": lambda: torch.linalg.solve(
                torch.eye(hw, **dev).expand(b, hw, hw).contiguous().requires_grad_(), t((b, hw, 3))
            ),
            "det": lambda: torch.linalg.det(torch.eye(hw, **dev).expand(b, hw, hw).contiguous().requires_grad_()),
            "lstsq": lambda: torch.linalg.lstsq(
                torch.eye(hw, **dev).expand(b, hw, hw).contiguous(), t((b, hw, 3), torch.float32, False)
            ),
            "triangular": lambda: torch.linalg.solve_triangular(
                torch.eye(hw, **dev).expand(b, hw, hw).contiguous().requires_grad_(), t((b, hw, 3)), upper=True
            ),
            "matrix_exp": lambda: torch.matrix_exp(t((b, hw, hw))),
            "cdist": lambda: torch.cdist(t((b, hw, 16)), t((b, hw + 1, 16))),
            "pairwise": lambda: F.pairwise_distance(t((q, e)), t((q, e))),
            "cosine": lambda: F.cosine_similarity(t((q, e), dt), t((q, e), dt)),
            "normalize": lambda: F.normalize(t((q, e), dt)),
            "cat": lambda: torch.cat([t((b, e), dt), t((b, c), dt)], 1),
            "stack": lambda: torch.stack([t((b, e), dt)] * 3),
            "multinomial": lambda: torch.ones(b, 100, **dev).multinomial(5),
            "randperm": lambda: torch.randperm(r, **dev),
            "searchsorted": lambda: torch.searchsorted(torch.arange(100.0, **dev), t((r,), torch.float32, False)),
            "roll": lambda: t(a, dt).roll(1, 0),
            "flip": lambda: t(a, dt).flip(0),
            "where": lambda: torch.where(ids(a, 2).bool(), t(a, dt), t(a, dt)),
            "repeat_interleave": lambda: t((q, e), dt).repeat_interleave(2, 0),
            "sparse mm": lambda: torch.sparse.mm(torch.eye(q, **dev).to_sparse(), t((q, 8))),
            "sparse csr": lambda: torch.eye(q, **dev).to_sparse_csr() @ t((q, 8)),
            "clip grad": lambda: nn.utils.clip_grad_norm_(parameters, 1.0),
            "int4": lambda: t(a, torch.float32, False).char(),
        }
        for key, call in ops.items():
            name = f"{key} {i} {str(dt)[6:]} a={a} d={d} v={v} e={e} q={q} b={b} c={c} hw={hw} r={r}"
            yield name, (lambda call=call: call)
