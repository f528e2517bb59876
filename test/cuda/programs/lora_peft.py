"""LoRA by peft on Llama: a frozen trunk in bfloat16, small matrices that learn, merged in the end."""
# bytes: 122962944 parameters x 2

import torch
from peft import LoraConfig, get_peft_model
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
model = get_peft_model(
    model,
    LoraConfig(r=16, lora_alpha=32, lora_dropout=0.05, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"),
)
model.print_trainable_parameters()
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4)
for _ in range(3):
    ids = torch.randint(32000, (2, 512), device="cuda")
    loss = model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=ids).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
model = model.merge_and_unload()
print(model(ids).logits.shape)
