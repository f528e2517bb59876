"""A character model as nanoGPT trains it: tokens in a memory-mapped file, its own blocks, estimated losses, gradients
accumulated, weight decay by groups, checkpoints, configuration by globals."""

import inspect
import math
import os
import pickle
import time
from contextlib import nullcontext
from dataclasses import asdict, dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.nn import functional as F

out_dir, eval_interval, eval_iters, log_interval = "out-char", 2, 2, 1
gradient_accumulation_steps, batch_size, block_size = 2, 8, 32
n_layer, n_head, n_embd, dropout = 2, 4, 64, 0.1
learning_rate, max_iters, weight_decay, grad_clip = 1e-3, 6, 1e-1, 1.0
device, dtype = "cpu", "bfloat16"
config_keys = [k for k, v in globals().items() if not k.startswith("_") and isinstance(v, (int, float, bool, str))]
config = {k: globals()[k] for k in config_keys}

os.makedirs("data", exist_ok=True)
text = "the quick brown fox jumps over the lazy dog. " * 100
chars = sorted(set(text))
stoi = {ch: i for i, ch in enumerate(chars)}
np.array([stoi[c] for c in text[:4000]], dtype=np.uint16).tofile("data/train.bin")
np.array([stoi[c] for c in text[4000:]], dtype=np.uint16).tofile("data/val.bin")
with open("data/meta.pkl", "wb") as f:
    pickle.dump({"vocab_size": len(chars), "stoi": stoi}, f)


@dataclass
class GPTConfig:
    block_size: int = block_size
    vocab_size: int = 0
    n_layer: int = n_layer
    n_head: int = n_head
    n_embd: int = n_embd
    dropout: float = dropout


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.n_head, self.n_embd, self.p = c.n_head, c.n_embd, c.dropout
        self.ln_1, self.ln_2 = nn.LayerNorm(c.n_embd, bias=False), nn.LayerNorm(c.n_embd, bias=False)
        self.c_attn, self.c_proj = nn.Linear(c.n_embd, 3 * c.n_embd, bias=False), nn.Linear(c.n_embd, c.n_embd, bias=False)
        self.mlp = nn.Sequential(nn.Linear(c.n_embd, 4 * c.n_embd), nn.GELU(), nn.Linear(4 * c.n_embd, c.n_embd))
        self.resid = nn.Dropout(c.dropout)

    def attend(self, x):
        B, T, C = x.size()
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in self.c_attn(x).split(self.n_embd, 2))
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p if self.training else 0, is_causal=True)
        return self.resid(self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C)))

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        return x + self.resid(self.mlp(self.ln_2(x)))


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(c.vocab_size, c.n_embd), "wpe": nn.Embedding(c.block_size, c.n_embd),
            "drop": nn.Dropout(c.dropout), "h": nn.ModuleList([Block(c) for _ in range(c.n_layer)]),
            "ln_f": nn.LayerNorm(c.n_embd),
        })  # fmt: skip
        self.lm_head = nn.Linear(c.n_embd, c.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        for name, p in self.named_parameters():
            if p.dim() > 1:
                nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * c.n_layer) if name.endswith("c_proj.weight") else 0.02)
        print(f"number of parameters: {sum(p.numel() for p in self.parameters()) / 1e6:.2f}M")

    def forward(self, idx, targets=None):
        pos = torch.arange(0, idx.size(1), dtype=torch.long, device=idx.device)
        x = self.transformer.drop(self.transformer.wte(idx) + self.transformer.wpe(pos))
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        if targets is None:
            return self.lm_head(x[:, [-1], :]), None
        logits = self.lm_head(x)
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)


def get_batch(split):
    data = np.memmap(os.path.join("data", f"{split}.bin"), dtype=np.uint16, mode="r")
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([torch.from_numpy((data[i : i + block_size]).astype(np.int64)) for i in ix])
    y = torch.stack([torch.from_numpy((data[i + 1 : i + 1 + block_size]).astype(np.int64)) for i in ix])
    return x.to(device), y.to(device)


@torch.no_grad()
def estimate_loss():
    out = {}
    model.eval()
    for split in ["train", "val"]:
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            with ctx:
                _, loss = model(*get_batch(split))
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


os.makedirs(out_dir, exist_ok=True)
torch.manual_seed(1337)
ctx = nullcontext() if dtype == "float32" else torch.amp.autocast(device_type=device, dtype=getattr(torch, dtype))
with open("data/meta.pkl", "rb") as f:
    meta = pickle.load(f)
gptconf = GPTConfig(vocab_size=meta["vocab_size"])
model = GPT(gptconf).to(device)
params = {n: p for n, p in model.named_parameters() if p.requires_grad}
groups = [
    {"params": [p for p in params.values() if p.dim() >= 2], "weight_decay": weight_decay},
    {"params": [p for p in params.values() if p.dim() < 2], "weight_decay": 0.0},
]
fused = "fused" in inspect.signature(torch.optim.AdamW).parameters and device == "cuda"
optimizer = torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.95), **({"fused": True} if fused else {}))
scaler = torch.amp.GradScaler(enabled=dtype == "float16")
X, Y = get_batch("train")
t0, best_val_loss = time.time(), 1e9
for iter_num in range(max_iters):
    if iter_num % eval_interval == 0:
        losses = estimate_loss()
        print(f"step {iter_num}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")
        if losses["val"] < best_val_loss and iter_num > 0:
            best_val_loss = losses["val"]
            checkpoint = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "args": asdict(gptconf)}
            torch.save(checkpoint, os.path.join(out_dir, "ckpt.pt"))
    for _ in range(gradient_accumulation_steps):
        with ctx:
            logits, loss = model(X, Y)
            loss = loss / gradient_accumulation_steps
        X, Y = get_batch("train")
        scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    print(f"iter {iter_num}: loss {loss.item() * gradient_accumulation_steps:.4f}, time {(time.time() - t0) * 1000:.2f}ms")
