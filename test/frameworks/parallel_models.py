"""Small models that are trained by several processes, the batches that each of them gets, and their loss."""

import torch
from torch import nn
from torch.nn import functional


class Mlp(nn.Module):
    def __init__(self, width=256, hidden=1024, classes=10, count=3):
        super().__init__()
        self.layers = nn.ModuleList(
            [nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width)) for _ in range(count)]
        )
        self.out = nn.Linear(width, classes)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.out(x)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.n1, self.n2, self.heads = nn.LayerNorm(width), nn.LayerNorm(width), heads
        self.q, self.k = nn.Linear(width, width), nn.Linear(width, width)
        self.v, self.o = nn.Linear(width, width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        h = self.n1(x)
        b, t = h.shape[0], h.shape[1]
        q, k, v = self.q(h), self.k(h), self.v(h)
        size = x.shape[-1] // self.heads
        q = q.view(b, -1, q.shape[-1] // size, size).transpose(1, 2)
        k = k.view(b, -1, k.shape[-1] // size, size).transpose(1, 2)
        v = v.view(b, -1, v.shape[-1] // size, size).transpose(1, 2)
        a = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        a = a.transpose(1, 2).reshape(b, t, -1)
        x = x + self.o(a)
        return x + self.down(functional.gelu(self.up(self.n2(x))))


class Gpt(nn.Module):
    """A decoder with its norms first and an output layer of its own."""

    def __init__(self, width=256, layers=4, heads=4, vocabulary=1003, context=64):
        super().__init__()
        self.emb, self.pos = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.layers = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, x):
        p = torch.arange(x.shape[1], device=x.device)
        h = self.emb(x) + self.pos(p)
        for layer in self.layers:
            h = layer(h)
        return self.head(self.norm(h))


class Conv(nn.Module):
    def __init__(self, channels=16):
        super().__init__()
        sizes = ((3, channels), (channels, 2 * channels), (2 * channels, 4 * channels))
        self.layers = nn.ModuleList(
            [nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU()) for i, o in sizes]
        )
        self.pool, self.out = nn.MaxPool2d(2), nn.Linear(4 * channels, 10)

    def forward(self, x):
        for layer in self.layers:
            x = self.pool(layer(x))
        return self.out(x.mean((2, 3)))


class Unused(nn.Module):
    """A branch that takes no part in the loss."""

    def __init__(self):
        super().__init__()
        self.a, self.dead, self.b = nn.Linear(100, 200), nn.Linear(100, 300), nn.Linear(200, 10)

    def forward(self, x):
        return self.b(functional.relu(self.a(x)))


class Attention(nn.Module):
    def __init__(self, width, heads, groups):
        super().__init__()
        self.size = width // heads
        self.wq, self.wk = nn.Linear(width, width, bias=False), nn.Linear(width, groups * self.size, bias=False)
        self.wv, self.wo = nn.Linear(width, groups * self.size, bias=False), nn.Linear(width, width, bias=False)

    def forward(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        b, t = q.shape[0], q.shape[1]
        q = q.view(b, t, q.shape[-1] // self.size, self.size).transpose(1, 2)
        k = k.view(b, t, k.shape[-1] // self.size, self.size).transpose(1, 2)
        v = v.view(b, t, v.shape[-1] // self.size, self.size).transpose(1, 2)
        a = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.wo(a.transpose(1, 2).reshape(b, t, -1))


class FeedForward(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.w1, self.w2 = nn.Linear(width, inner, bias=False), nn.Linear(inner, width, bias=False)
        self.w3 = nn.Linear(width, inner, bias=False)

    def forward(self, x):
        return self.w2(functional.silu(self.w1(x)) * self.w3(x))


class TitanBlock(nn.Module):
    def __init__(self, width, heads, groups, inner):
        super().__init__()
        self.attention, self.feed_forward = Attention(width, heads, groups), FeedForward(width, inner)
        self.attention_norm, self.ffn_norm = nn.RMSNorm(width), nn.RMSNorm(width)

    def forward(self, x):
        h = x + self.attention(self.attention_norm(x))
        return h + self.feed_forward(self.ffn_norm(h))


class Titan(nn.Module):
    """A decoder in parts as torchtitan's plans name them, without positions."""

    def __init__(self, width=256, layers=4, heads=8, groups=4, inner=688, vocabulary=1000):
        super().__init__()
        self.tok_embeddings = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList([TitanBlock(width, heads, groups, inner) for _ in range(layers)])
        self.norm, self.output = nn.RMSNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        h = self.tok_embeddings(tokens)
        for layer in self.layers:
            h = layer(h)
        return self.output(self.norm(h))


def llama(width=256, layers=4, heads=8, groups=2, vocabulary=1003, inner=688):
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(
        LlamaConfig(
            hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=groups,
            vocab_size=vocabulary, intermediate_size=inner, max_position_embeddings=256, tie_word_embeddings=False,
            use_cache=False,
        )
    )  # fmt: skip


def gpt2(width=256, layers=4, heads=4, vocabulary=1003):
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(n_embd=width, n_layer=layers, n_head=heads, vocab_size=vocabulary, n_positions=128)
    config.use_cache = False
    return GPT2LMHeadModel(config)


def _words(length, vocabulary=1003):
    return lambda batch: (torch.randint(0, vocabulary, (batch, length)),)


def _numbers(*sizes):
    return lambda batch: (torch.randn(batch, *sizes),)


# name: (how it is made, what a batch of so many is)
MODELS = {
    "mlp": (Mlp, _numbers(256)),
    "mlp2": (lambda: Mlp(200, 700, 7, 5), _numbers(200)),
    "gpt": (Gpt, _words(64)),
    "gpt6": (lambda: Gpt(384, 6, 6, 2001, 48), _words(48, 2001)),
    "conv": (Conv, _numbers(3, 32, 32)),
    "conv2": (lambda: Conv(24), _numbers(3, 40, 40)),
    "llama": (llama, _words(64)),
    "llama6": (lambda: llama(384, 6, 6, 3, 1501, 1000), _words(40, 1501)),
    "gpt2": (gpt2, _words(64)),
    "gpt2b": (lambda: gpt2(320, 5, 5, 1201), _words(48, 1201)),
    "titan": (Titan, _words(64, 1000)),
    "titan3": (lambda: Titan(192, 3, 6, 3, 501, 999), _words(48, 999)),
    "unused": (Unused, _numbers(100)),
}


def blocks(model):
    """Names of the repeated modules, each of which is a unit of fully_shard()."""
    for path in ("layers", "model.layers", "transformer.h"):
        try:
            return [f"{path}.{i}" for i in range(len(model.get_submodule(path)))]
        except AttributeError:
            continue
    return []


def loss(output):
    y = output if isinstance(output, torch.Tensor) else output.logits
    return y.pow(2).mean()
