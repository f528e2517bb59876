"""DPOTrainer of trl: preferences, a reference model, a small GPT-NeoX."""

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM, PreTrainedTokenizerFast
from trl import DPOConfig, DPOTrainer

vocabulary = {word: i for i, word in enumerate(["<pad>", "<unk>", "<eos>", *(f"a{i}" for i in range(60))])}
core = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
core.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", unk_token="<unk>", eos_token="<eos>")


def words(start, count):
    return " ".join(f"a{(start + 7 * i) % 60}" for i in range(count))


data = Dataset.from_dict({
    "prompt": [words(i, 6) for i in range(24)],
    "chosen": [" " + words(i + 3, 8) for i in range(24)],
    "rejected": [" " + words(i + 11, 5 + i % 4) for i in range(24)],
})  # fmt: skip


def network():
    return GPTNeoXForCausalLM(
        GPTNeoXConfig(vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                      intermediate_size=64, max_position_embeddings=64, pad_token_id=0, eos_token_id=2)
    )  # fmt: skip


trainer = DPOTrainer(
    model=network(), ref_model=network(), train_dataset=data, processing_class=tokenizer,
    args=DPOConfig(
        output_dir="dpo", per_device_train_batch_size=4, max_steps=4, beta=0.1, logging_steps=1, report_to="none",
        save_strategy="no", use_cpu=True, bf16=False, max_length=32,
    ),
)  # fmt: skip
trainer.train()
