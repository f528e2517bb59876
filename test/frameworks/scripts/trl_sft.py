"""SFTTrainer of trl: a small Qwen, a dataset of texts, a tokenizer made here."""

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import SFTConfig, SFTTrainer

words = ["<pad>", "<unk>", "<eos>", *(f"word{i}" for i in range(100))]
inner = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
inner.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=inner, pad_token="<pad>", unk_token="<unk>", eos_token="<eos>", model_max_length=64
)

dataset = Dataset.from_list(
    [{"text": " ".join(f"word{(i * 7 + j * 3) % 100}" for j in range(10 + i % 20))} for i in range(40)]
)
model = Qwen2ForCausalLM(
    Qwen2Config(
        vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, pad_token_id=0, eos_token_id=2, bos_token_id=None,
    )
)  # fmt: skip
trainer = SFTTrainer(
    model=model, train_dataset=dataset, processing_class=tokenizer,
    args=SFTConfig(
        output_dir="sft", max_length=32, per_device_train_batch_size=4, max_steps=4, logging_steps=1, report_to="none",
        save_strategy="no", use_cpu=True, bf16=False,
    ),
)  # fmt: skip
trainer.train()
