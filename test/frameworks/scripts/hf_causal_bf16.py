"""Trainer of transformers: GPT-2 in bfloat16, gradients accumulated and checkpointed, a collator of language models."""

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    DataCollatorForLanguageModeling,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
)

words = [f"w{i}" for i in range(200)]
vocabulary = {word: i for i, word in enumerate(["<pad>", "<unk>", "</s>", *words])}
inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
inner.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=inner, pad_token="<pad>", unk_token="<unk>", eos_token="</s>", model_max_length=64
)

torch.manual_seed(1)
texts = [" ".join(words[i] for i in torch.randint(0, 200, (20 + n % 30,)).tolist()) for n in range(64)]
data = [tokenizer(text, truncation=True) for text in texts]

model = GPT2LMHeadModel(GPT2Config(vocab_size=len(vocabulary), n_positions=64, n_embd=64, n_layer=2, n_head=4))
model.config.use_cache = False
trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="gpt2", per_device_train_batch_size=4, gradient_accumulation_steps=2, gradient_checkpointing=True,
        bf16=True, max_steps=5, logging_steps=1, save_strategy="no", report_to=[], use_cpu=True, max_grad_norm=1.0,
        lr_scheduler_type="cosine",
    ),
    train_dataset=data, data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
)  # fmt: skip
result = trainer.train()
print("loss", result.training_loss)
