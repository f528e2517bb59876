"""T5-small, encoder and decoder, Adafactor, labels that are padded, then generation."""
# bytes: 60506624 parameters x 8

import torch
from transformers import Adafactor, T5Config, T5ForConditionalGeneration

config = T5Config(d_model=512, d_ff=2048, num_layers=6, num_heads=8, decoder_start_token_id=0)
model = T5ForConditionalGeneration(config).cuda()
optimizer = Adafactor(model.parameters(), scale_parameter=True, relative_step=True, warmup_init=True, lr=None)
for _ in range(3):
    ids = torch.randint(2, 32000, (4, 128), device="cuda")
    labels = torch.randint(2, 32000, (4, 64), device="cuda")
    labels[:, 50:] = -100
    loss = model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=labels).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
print(model.generate(ids, max_new_tokens=8, num_beams=2).shape)
