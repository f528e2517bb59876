"""trl: supervised fine-tuning with packing of tokenized texts, bf16, by its SFTTrainer."""

import tempfile

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

words = {word: place for place, word in enumerate(["<pad>", "<eos>", "<unk>", *"abcdefghijklmnopqrstuvwxyz"])}
tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
config = LlamaConfig(vocab_size=32, hidden_size=512, intermediate_size=1024, num_hidden_layers=4, num_attention_heads=8)
texts = Dataset.from_dict({"text": ["a b c d e f g h " * (1 + place % 8) for place in range(64)]})
with tempfile.TemporaryDirectory() as folder:
    arguments = SFTConfig(
        folder,
        max_length=128,
        per_device_train_batch_size=4,
        max_steps=3,
        logging_steps=1,
        bf16=True,
        report_to=[],
        save_strategy="no",
    )
    trainer = SFTTrainer(
        LlamaForCausalLM(config).to(torch.bfloat16), arguments, train_dataset=texts, processing_class=tokenizer
    )
    print(trainer.train().metrics)
