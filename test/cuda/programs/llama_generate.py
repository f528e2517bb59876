"""Llama with grouped heads in bfloat16: three steps with checkpointing, then generate(): greedy, sampled, beams."""
# bytes: 122962944 parameters x 8 (all four in bfloat16; tied weights)

import torch
from transformers import LlamaConfig, LlamaForCausalLM

config = LlamaConfig(
    vocab_size=32000,
    hidden_size=1024,
    intermediate_size=2816,
    num_hidden_layers=8,
    num_attention_heads=16,
    num_key_value_heads=4,
    tie_word_embeddings=True,
)
model = LlamaForCausalLM(config).to("cuda", torch.bfloat16)
print(model.num_parameters())
model.gradient_checkpointing_enable()
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    ids = torch.randint(3, 32000, (4, 512), device="cuda")
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
model.eval()
prompt = torch.tensor([[0, 0, 1, 5, 9], [1, 2, 3, 4, 5]], device="cuda")
mask = prompt.ne(0).long()
for options in (
    {"do_sample": False},
    {"do_sample": True, "top_p": 0.9},
    {"num_beams": 3},
    {"cache_implementation": "static"},
):
    out = model.generate(prompt, attention_mask=mask, max_new_tokens=12, pad_token_id=0, **options)
    print(options, out.shape)
