"""LoRA by peft: a small Llama whose adapters alone are trained, a loop by hand."""

import torch
from peft import LoraConfig, TaskType, get_peft_model
from torch.utils.data import DataLoader
from tqdm import tqdm
from transformers import LlamaConfig, LlamaForCausalLM, get_linear_schedule_with_warmup

config = LlamaConfig(
    vocab_size=400, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=128,
)  # fmt: skip
model = LlamaForCausalLM(config)
lora = LoraConfig(
    task_type=TaskType.CAUSAL_LM, r=8, lora_alpha=16, lora_dropout=0.05, target_modules=["q_proj", "v_proj"]
)
model = get_peft_model(model, lora)
model.print_trainable_parameters()

tokens = torch.randint(0, 400, (40, 32))
loader = DataLoader(tokens, batch_size=8, shuffle=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = get_linear_schedule_with_warmup(optimizer, 2, len(loader))
device = "cpu"
model = model.to(device)
for epoch in range(1):
    model.train()
    total_loss = 0
    for batch in tqdm(loader):
        batch = batch.to(device)
        outputs = model(input_ids=batch, labels=batch)
        loss = outputs.loss
        total_loss += loss.detach().float()
        loss.backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
    print(f"{epoch=}: {total_loss / len(loader):.3f}")
    model.save_pretrained("adapter")
