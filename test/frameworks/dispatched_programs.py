"""Programs whose operators record_dispatched.py records: each runs something forward and backward."""

from __future__ import annotations

import itertools

TRAINED = "x = torch.randn({shape}, requires_grad=True); m = {module}; y = m(x); (y * y).sum().backward()"
APPLIED = "x = torch.randn({shape}, requires_grad=True); y = {call}; (y * y).sum().backward()"


def trained(module: str, *shapes: str) -> list[str]:
    return [TRAINED.format(module=module, shape=shape) for shape in shapes]


def applied(call: str, *shapes: str) -> list[str]:
    return [APPLIED.format(call=call, shape=shape) for shape in shapes]


def convolutions() -> list[str]:
    programs = []
    images = {1: "2, 6, 50", 2: "2, 6, 20, 18", 3: "2, 6, 9, 10, 8"}
    for dims, kind in itertools.product((1, 2, 3), ("Conv", "ConvTranspose")):
        for options in (
            "8, 3",
            "8, 3, padding=1",
            "8, 3, stride=2, bias=False",
            "6, 3, groups=6",
            "12, 3, groups=2",
            "8, 3, dilation=2",
            "8, 1",
            "48, 5, padding=2",
        ):
            programs += trained(f"nn.{kind}{dims}d(6, {options})", images[dims])
    for layer, shape in (
        ("nn.Conv2d(3, 64, 7, stride=2, padding=3)", "2, 3, 64, 64"),
        ("nn.Conv2d(64, 64, 3, padding=1)", "4, 64, 16, 16"),
        ("nn.Conv2d(64, 128, 1)", "4, 64, 16, 16"),
        ("nn.Conv2d(3, 96, 16, stride=16)", "2, 3, 96, 96"),
        ("nn.Conv2d(32, 32, 3, groups=32)", "4, 32, 28, 28"),
        ("nn.Conv3d(1, 16, 3, padding=1)", "1, 1, 32, 32, 32"),
        ("nn.Conv3d(16, 32, 3, padding=1)", "1, 16, 16, 16, 16"),
        ("nn.Conv1d(80, 256, 3, padding=1)", "2, 80, 200"),
        ("nn.ConvTranspose2d(64, 32, 2, stride=2)", "2, 64, 14, 14"),
        ("nn.ConvTranspose3d(32, 16, 2, stride=2)", "1, 32, 8, 8, 8"),
        ("nn.Conv1d(256, 256, 5)", "8, 256, 64"),
        ("nn.Conv2d(256, 256, 3, padding=1)", "8, 256, 14, 14"),
        ("nn.Conv2d(17, 19, 3)", "3, 17, 21, 23"),
        ("nn.Conv1d(64, 1, 1)", "4, 64, 100"),
        ("nn.Conv2d(8, 8, 3).double()", "2, 8, 12, 12, dtype=torch.float64"),
    ):
        programs += trained(layer, shape)
        programs.append(TRAINED.format(module=layer, shape=shape).replace("requires_grad=True", "requires_grad=False"))
        if "2d" in layer:
            programs.append(
                f"x = torch.randn({shape}).to(memory_format=torch.channels_last).requires_grad_(); "
                f"m = {layer}.to(memory_format=torch.channels_last); y = m(x); (y * y).sum().backward()"
            )
    return programs


def recurrent() -> list[str]:
    programs = []
    for kind in ("LSTM", "GRU", "RNN"):
        for options, shape in (
            ("12, 20", "7, 3, 12"),
            ("32, 32", "5, 4, 32"),
            ("16, 24, batch_first=True", "4, 6, 16"),
            ("16, 24, num_layers=2", "6, 4, 16"),
            ("16, 24, bidirectional=True", "6, 4, 16"),
            ("64, 128, num_layers=2, dropout=0.1", "20, 8, 64"),
            ("12, 20, bias=False", "7, 3, 12"),
        ):
            text = f"m = nn.{kind}({options}); y, h = m(x); (y * y).sum().backward()"
            programs.append(f"x = torch.randn({shape}, requires_grad=True); {text}")
            programs.append(f"x = torch.randn({shape}); {text}")
            programs.append(f"x = torch.randn({shape}); m = nn.{kind}({options}).eval()\nwith torch.no_grad(): m(x)")
    programs.append("m = nn.LSTMCell(6, 9); h, c = m(torch.randn(4, 6)); (h * c).sum().backward()")
    programs.append("m = nn.GRUCell(6, 9); h = m(torch.randn(4, 6)); (h * h).sum().backward()")
    return programs


def attention() -> list[str]:
    call = (
        "q, k, v = (torch.randn({q}, requires_grad=True) for _ in range(3)); "
        "y = F.scaled_dot_product_attention(q, k, v{o}); (y * y).sum().backward()"
    )
    programs = [
        call.format(q=shape, o=options)
        for shape in ("2, 4, 16, 8", "2, 4, 65, 64", "1, 12, 128, 64", "2, 2, 300, 32", "3, 1, 520, 80", "2, 3, 7, 5")
        for options in (
            "",
            ", is_causal=True",
            ", attn_mask=torch.zeros(q.size(2), k.size(2))",
            ", attn_mask=torch.ones(q.size(2), k.size(2), dtype=torch.bool)",
            ", dropout_p=0.1",
        )
    ]
    programs += trained("nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)", "2, 10, 32")
    programs.append(
        "m = nn.MultiheadAttention(32, 4, batch_first=True); x = torch.randn(2, 9, 32); y, w = m(x, x, x); "
        "(y * y).sum().backward()"
    )
    programs.append(
        "q = torch.randn(2, 33, 4, 16, requires_grad=True); "
        "y = F.scaled_dot_product_attention(*(q.transpose(1, 2),) * 3); (y * y).sum().backward()"
    )
    return programs


def normalizations() -> list[str]:
    programs = []
    for dims, shape in ((1, "4, 6, 20"), (2, "4, 6, 9, 11"), (3, "2, 6, 5, 4, 7")):
        for options in ("6", "6, affine=False", "6, track_running_stats=False"):
            programs += trained(f"nn.BatchNorm{dims}d({options})", shape)
        programs += trained(f"nn.BatchNorm{dims}d(6).eval()", shape)
        programs += trained(f"nn.InstanceNorm{dims}d(6, affine=True)", shape)
        programs += trained(f"nn.InstanceNorm{dims}d(6)", shape)
        programs += trained("nn.GroupNorm(3, 6)", shape) + trained("nn.GroupNorm(2, 6, affine=False)", shape)
    programs.append(
        "x = torch.randn(4, 6, 9, 11).to(memory_format=torch.channels_last).requires_grad_(); m = nn.BatchNorm2d(6); "
        "y = m(x); (y * y).sum().backward()"
    )
    programs.append(
        "x = torch.randn(4, 6, 9, 11).to(memory_format=torch.channels_last).requires_grad_(); m = nn.GroupNorm(3, 6); "
        "y = m(x); (y * y).sum().backward()"
    )
    programs += trained("nn.BatchNorm1d(30)", "16, 30")
    programs += trained("nn.LayerNorm(24)", "4, 7, 24") + trained("nn.LayerNorm(24, bias=False)", "4, 7, 24")
    programs += trained("nn.LayerNorm((7, 24), elementwise_affine=False)", "4, 7, 24")
    programs += trained("nn.LayerNorm(768)", "8, 128, 768") + trained("nn.RMSNorm(24)", "4, 7, 24")
    programs += applied("F.layer_norm(x.transpose(1, 2), (7,))", "4, 7, 24")
    programs += applied("F.local_response_norm(x, 3)", "4, 7, 9, 9") + applied("F.normalize(x)", "4, 7")
    programs += trained("nn.utils.weight_norm(nn.Linear(6, 5))", "4, 6")
    programs += trained("nn.utils.parametrizations.weight_norm(nn.Conv1d(6, 5, 3))", "4, 6, 20")
    programs += trained("nn.utils.spectral_norm(nn.Linear(6, 5))", "4, 6")
    return programs


def pooling() -> list[str]:
    programs = []
    for dims, shape in ((1, "4, 6, 24"), (2, "4, 6, 12, 14"), (3, "2, 6, 8, 8, 10")):
        for layer in (
            f"MaxPool{dims}d(2)",
            f"MaxPool{dims}d(3, 2, 1)",
            f"AvgPool{dims}d(2)",
            f"AvgPool{dims}d(3, 2, 1)",
            f"AdaptiveAvgPool{dims}d(3)",
            f"AdaptiveAvgPool{dims}d(1)",
            f"AdaptiveMaxPool{dims}d(3)",
        ):
            programs += trained(f"nn.{layer}", shape)
    for layer in (
        "MaxPool2d(2)",
        "AvgPool2d(2)",
        "AdaptiveAvgPool2d(3)",
        "AdaptiveAvgPool2d(1)",
        "AdaptiveMaxPool2d(2)",
    ):
        programs.append(
            f"x = torch.randn(4, 6, 12, 14).to(memory_format=torch.channels_last).requires_grad_(); y = nn.{layer}(x); "
            "(y * y).sum().backward()"
        )
    programs += trained("nn.FractionalMaxPool2d(2, output_size=5)", "2, 3, 12, 12") + trained(
        "nn.LPPool2d(2, 2)", "2, 3, 8, 8"
    )
    return programs


def resampling() -> list[str]:
    programs = []
    for mode, shape in (
        ("nearest", "2, 3, 9"),
        ("linear", "2, 3, 9"),
        ("nearest", "2, 3, 9, 7"),
        ("bilinear", "2, 3, 9, 7"),
        ("bicubic", "2, 3, 9, 7"),
        ("nearest", "2, 3, 5, 6, 7"),
        ("trilinear", "2, 3, 5, 6, 7"),
        ("nearest-exact", "2, 3, 9, 7"),
        ("area", "2, 3, 9, 7"),
    ):
        programs += applied(f"F.interpolate(x, scale_factor=2, mode='{mode}')", shape)
    programs.append(
        "x = torch.randn(2, 4, 9, 7).to(memory_format=torch.channels_last).requires_grad_(); "
        "y = F.interpolate(x, scale_factor=2, mode='bilinear'); (y * y).sum().backward()"
    )
    programs += applied("F.interpolate(x, size=(5, 5), mode='bilinear', antialias=True)", "2, 3, 11, 12")
    for mode in ("constant", "reflect", "replicate", "circular"):
        programs += applied(f"F.pad(x, (1, 2), mode='{mode}')", "2, 3, 9")
        programs += applied(f"F.pad(x, (1, 2, 2, 1), mode='{mode}')", "2, 3, 9, 7")
        programs += applied(f"F.pad(x, (1, 2, 2, 1, 1, 1), mode='{mode}')", "2, 3, 6, 6, 7")
    programs += applied("F.grid_sample(x, torch.rand(2, 5, 6, 2), align_corners=False)", "2, 3, 9, 7")
    programs += applied("F.grid_sample(x, torch.rand(2, 4, 5, 6, 3), align_corners=True)", "2, 3, 9, 7, 5")
    programs += applied("F.pixel_shuffle(x, 2)", "2, 8, 5, 5") + applied("F.pixel_unshuffle(x, 2)", "2, 2, 6, 6")
    programs += applied("F.unfold(x, 3, padding=1)", "2, 3, 8, 8") + applied(
        "F.fold(x, (8, 8), 2, stride=2)", "2, 12, 16"
    )
    programs += applied("F.affine_grid(x, (2, 3, 5, 6), align_corners=False)", "2, 2, 3")
    return programs


def losses() -> list[str]:
    programs = []
    for shape, target in (("16, 10", "16,"), ("4, 7, 20", "4, 20"), ("2, 5, 30, 40", "2, 30, 40")):
        for options in (
            "",
            ", label_smoothing=0.1",
            ", reduction='sum'",
            ", weight=torch.rand(x.size(1))",
            ", reduction='none'",
        ):
            programs += applied(f"F.cross_entropy(x, torch.randint(0, 5, ({target})){options})", shape)
    programs += applied("F.cross_entropy(x, torch.rand(16, 10))", "16, 10")
    for name in (
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
        "binary_cross_entropy_with_logits",
        "soft_margin_loss",
        "poisson_nll_loss",
    ):
        for reduction in ("mean", "none"):
            programs += applied(f"F.{name}(x, torch.rand(x.shape), reduction='{reduction}')", "16, 10", "300, 200")
    programs += applied("F.binary_cross_entropy(x.sigmoid(), torch.rand(x.shape))", "16, 10")
    programs += applied("F.kl_div(F.log_softmax(x, 1), torch.rand(x.shape), reduction='batchmean')", "16, 10")
    programs += applied("F.multi_margin_loss(x, torch.randint(0, 10, (16,)))", "16, 10")
    programs += applied("F.multilabel_margin_loss(x, torch.randint(0, 10, (16, 10)))", "16, 10")
    programs += applied(
        "F.ctc_loss(F.log_softmax(x, 2), torch.randint(1, 20, (16, 8)), torch.full((16,), 30), torch.full((16,), 8))",
        "30, 16, 20",
    )
    programs += applied("F.cosine_similarity(x, torch.randn(x.shape))", "16, 10")
    programs += applied("F.triplet_margin_loss(x, torch.randn(x.shape), torch.randn(x.shape))", "16, 10")
    programs += applied("F.gaussian_nll_loss(x, torch.randn(x.shape), torch.rand(x.shape))", "16, 10")
    programs += applied("F.hinge_embedding_loss(x, torch.ones(x.shape))", "16, 10")
    return programs


ACTIVATIONS = (
    "relu",
    "gelu",
    "silu",
    "elu",
    "celu",
    "selu",
    "leaky_relu",
    "hardswish",
    "hardtanh",
    "hardsigmoid",
    "relu6",
    "mish",
    "softplus",
    "softsign",
    "softshrink",
    "hardshrink",
    "tanhshrink",
    "logsigmoid",
    "sigmoid",
    "tanh",
    "rrelu",
)


def activations() -> list[str]:
    programs = []
    for name in ACTIVATIONS:
        programs += applied(f"F.{name}(x)", "4, 33") + applied(f"F.{name}(x.t())", "40, 33")
    programs += applied("F.gelu(x, approximate='tanh')", "4, 33") + applied("F.glu(x)", "4, 34")
    programs += applied("F.relu(x * 1, inplace=True)", "4, 33") + applied("F.silu(x * 1, inplace=True)", "4, 33")
    programs += trained("nn.PReLU()", "4, 6, 9") + trained("nn.PReLU(6)", "4, 6, 9")
    for axis in (0, 1, 2, 3):
        programs += applied(f"F.softmax(x, {axis})", "3, 5, 7, 40") + applied(
            f"F.log_softmax(x, {axis})", "3, 5, 7, 40"
        )
        programs += applied(f"F.softmax(x.transpose(1, 2), {axis})", "3, 5, 7, 40")
    programs += applied("F.softmax(x, -1)", "200, 300") + applied("F.log_softmax(x, 0)", "200, 300")
    programs += applied("F.dropout(x, 0.1)", "20, 33") + applied("F.dropout2d(x, 0.1)", "2, 4, 5, 5")
    programs += applied("F.gumbel_softmax(x)", "20, 33") + applied("F.alpha_dropout(x, 0.1, True)", "20, 33")
    return programs


CALLS = """\
x.sum()
x.sum(0)
x.sum(1)
x.sum((0, 1))
x.mean()
x.mean(1, keepdim=True)
x.amax(1)
x.max(1)[0]
x.max()
x.min(0)[0]
x.std()
x.var(1)
x.norm()
x.norm(dim=1)
x.prod(1)
x.logsumexp(1)
x.median(1)[0]
x.cumsum(1)
x.cumsum(0)
(x.abs() + 1).cumprod(1)
x.sort(1)[0]
x.sort(0)[0]
x.topk(5, 1)[0]
x.kthvalue(2, 1)[0]
x.argsort(1) * x
x.gather(1, torch.randint(0, 20, (x.size(0), 7)))
x.scatter(1, torch.randint(0, 20, (x.size(0), 7)), 1.0)
x.scatter_add(0, torch.zeros(4, 20, dtype=torch.int64), torch.randn(4, 20))
x.index_select(0, torch.tensor([0, 2, 2]))
x[torch.tensor([0, 3, 3])]
x[:, torch.tensor([1, 2])]
x[x > 0]
x.index_add(0, torch.tensor([0, 1]), torch.randn(2, 20))
x.index_put((torch.tensor([0, 1]),), torch.zeros(()))
x.masked_fill(x > 0, 0.0)
x.masked_select(x > 0)
torch.where(x > 0, x, 0.5 * x)
x.clamp(-1, 1)
x.clamp(min=0)
x.roll(1, 0)
x.flip(1)
x.repeat(2, 3)
x.repeat_interleave(2, 0)
x.tril()
x.triu(1)
x.diagonal()
x.unfold(1, 4, 2)
x.t().contiguous()
x.t() @ x
x @ x.t()
x.t() @ torch.randn(x.size(0), 5)
torch.addmm(torch.randn(5), x, torch.randn(20, 5))
torch.einsum('ij,kj->ik', x, torch.randn(6, 20))
torch.einsum('ij,ik->jk', x, x)
x.mv(torch.randn(20))
F.linear(x, torch.randn(5, 20))
torch.cat((x, x), 1)
torch.stack((x, x))
torch.cat(x.chunk(2, 1), 0)
x.split(7, 1)[1]
x.narrow(1, 2, 5)
x[::2]
x ** 2
x.abs() ** 0.5
2.0 ** x
x.exp()
(x.abs() + 1).log()
(x.abs() + 1).sqrt()
(x.abs() + 1).rsqrt()
x.sin() + x.cos()
x.erf()
torch.lerp(x, x * 2, 0.3)
torch.addcmul(x, x, x)
torch.addcdiv(x, x, x.abs() + 1)
x / (x.abs() + 1)
x - x.mean(0)
x * torch.randn(20)
1 / (x.abs() + 1)
torch.maximum(x, -x)
x.half().float()
x.double()
x.to(torch.bfloat16)
x + torch.arange(20)
torch.fft.rfft(x).abs()
torch.fft.fft(x).real
torch.linalg.norm(x)
torch.cdist(x, x + 1)
torch.outer(x[0], x[1])
x.bernoulli() + x
x.expand(3, *x.shape).contiguous()
x.view(-1)[:10]
torch.nn.utils.rnn.pad_sequence([x, x[:2]])
x.cummax(1)[0]
x.histc() + x.sum()
x.nan_to_num()
F.one_hot(x.long().abs()).float() + 0 * x.sum()
""".splitlines()


def others() -> list[str]:
    programs = []
    for call in CALLS:
        programs += applied(call, "24, 20", "300, 200")
    for shape in ("40, 50", "70000,", "64, 33, 40"):
        for call in ("x.sum()", "x.mean()", "x.norm()", "x.std()", "x.amax()"):
            programs += applied(call, shape)
    programs += applied("x.sum((1, 3))", "4, 5, 60, 70") + applied("x.mean((2, 3))", "4, 5, 60, 70")
    programs += applied("torch.bmm(x, x.transpose(1, 2))", "4, 5, 60") + applied("x @ torch.randn(60, 7)", "4, 5, 60")
    programs += applied("torch.baddbmm(x, x, torch.randn(4, 60, 60))", "4, 5, 60")
    programs += applied("x.transpose(1, 2) @ x", "4, 50, 60") + applied(
        "x.permute(2, 0, 1) @ torch.randn(4, 5)", "3, 4, 6"
    )
    programs += applied("F.bilinear(x, x, torch.randn(3, 6, 6))", "5, 6") + applied(
        "torch.linalg.inv(x @ x.t() + torch.eye(6))", "6, 6"
    )
    programs += applied("torch.linalg.cholesky(x @ x.t() + 6 * torch.eye(6))", "6, 6")
    programs += applied("torch.linalg.solve(x + 6 * torch.eye(6), torch.randn(6, 2))", "6, 6")
    for options in ("", ", padding_idx=0", ", scale_grad_by_freq=True", ", max_norm=1.0", ", sparse=True"):
        programs.append(
            f"m = nn.Embedding(50, 12{options}); y = m(torch.randint(0, 50, (4, 9))); (y * y).sum().backward()"
        )
    programs.append("m = nn.Embedding(30000, 64); y = m(torch.randint(0, 30000, (8, 128))); (y * y).sum().backward()")
    for mode in ("sum", "mean", "max"):
        programs.append(
            f"m = nn.EmbeddingBag(50, 12, mode='{mode}'); y = m(torch.randint(0, 50, (4, 9))); (y * y).sum().backward()"
        )
    return programs


OPTIMIZERS = (
    "SGD(p, 0.1)",
    "SGD(p, 0.1, momentum=0.9, nesterov=True)",
    "Adam(p)",
    "AdamW(p)",
    "Adam(p, amsgrad=True)",
    "RMSprop(p)",
    "Adagrad(p)",
    "Adadelta(p)",
    "Adamax(p)",
    "NAdam(p)",
    "RAdam(p)",
    "ASGD(p)",
    "Rprop(p)",
    "Adafactor(p)",
)


def optimizers() -> list[str]:
    text = (
        "p = [nn.Parameter(torch.randn(30, 20)), nn.Parameter(torch.randn(7))]\no = torch.optim.{}\n"
        "for _ in range(2):\n  o.zero_grad(); sum((q * q).sum() for q in p).backward(); "
        "torch.nn.utils.clip_grad_norm_(p, 1.0); o.step()"
    )
    programs = [text.format(call) for call in OPTIMIZERS]
    return (
        programs
        + [text.format(call.replace(")", ", foreach=True)")) for call in OPTIMIZERS if "Adafactor" not in call]
        + [text.format("Adam(p, fused=True)"), text.format("SGD(p, 0.1, fused=True)")]
    )


def autocast() -> list[str]:
    text = (
        "x = torch.randn({}, requires_grad=True); m = {}\n"
        "with torch.autocast('cpu', torch.bfloat16): y = m(x).float().sum()\ny.backward()"
    )
    return [
        text.format("8, 20", "nn.Sequential(nn.Linear(20, 30), nn.GELU(), nn.LayerNorm(30), nn.Linear(30, 5))"),
        text.format("2, 3, 16, 16", "nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))"),
        text.format("2, 9, 32", "nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)"),
        text.format("64, 256", "nn.Linear(256, 512)"),
    ]


PROGRAMS = [
    *convolutions(),
    *recurrent(),
    *attention(),
    *normalizations(),
    *pooling(),
    *resampling(),
    *losses(),
    *activations(),
    *others(),
    *optimizers(),
    *autocast(),
]
