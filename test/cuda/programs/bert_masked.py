"""BERT-base, masked language model: padding of different lengths, the collator's own masks, linear warm-up."""
# bytes: 109514298 parameters x 16

import torch
from transformers import BertConfig, BertForMaskedLM, get_linear_schedule_with_warmup

torch.manual_seed(0)
model = BertForMaskedLM(BertConfig()).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
scheduler = get_linear_schedule_with_warmup(optimizer, 1, 3)
for step in range(3):
    ids = torch.randint(1000, 30000, (8, 128))
    mask = (torch.arange(128) < torch.tensor([[128], [100], [90], [80], [70], [60], [50], [40]])).long()
    labels = ids.clone()
    chosen = torch.bernoulli(torch.full(ids.shape, 0.15)).bool() & mask.bool()
    labels[~chosen] = -100
    ids[chosen] = 103
    batch = {"input_ids": ids, "attention_mask": mask, "labels": labels}
    out = model(**{name: value.to("cuda", non_blocking=True) for name, value in batch.items()})
    out.loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
    accuracy = (out.logits.argmax(-1).cpu() == labels)[chosen].float().mean()
    print(step, out.loss.item(), accuracy.item())
