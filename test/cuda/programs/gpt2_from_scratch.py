"""A GPT by hand, as nanoGPT: fused attention, tied weights, gradient accumulation, times by events, sampling."""

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).split(width, 2)
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        y = functional.scaled_dot_product_attention(q, k, v, dropout_p=0.1 if self.training else 0, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, words=50304, width=768, layers=12, length=256):
        super().__init__()
        self.word, self.place = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, 12) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.head.weight = self.word.weight

    def forward(self, ids, targets=None):
        x = self.word(ids) + self.place(torch.arange(ids.size(1), device=ids.device))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return logits, targets is not None and functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


model = GPT().to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, betas=(0.9, 0.95), fused=True)
begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
for step in range(3):
    begin.record()
    for _ in range(4):
        data = torch.randint(50257, (4, 257)).pin_memory().to("cuda", non_blocking=True)
        with torch.autocast("cuda", torch.bfloat16):
            logits, loss = model(data[:, :-1], data[:, 1:])
        (loss / 4).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    end.record()
    torch.cuda.synchronize()
    print(f"step {step}: loss {loss.item():.4f}, {begin.elapsed_time(end):.1f} ms")
ids = torch.zeros(1, 1, dtype=torch.long, device="cuda")
model.eval()
with torch.no_grad():
    for _ in range(8):
        scores = model(ids)[0][:, -1] / 0.8
        best, _ = torch.topk(scores, 40)
        scores[scores < best[:, [-1]]] = -float("inf")
        ids = torch.cat([ids, torch.multinomial(scores.softmax(-1), 1)], 1)
print(ids.tolist())
