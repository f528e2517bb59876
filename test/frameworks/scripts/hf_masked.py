"""Trainer of transformers: masked language model, datasets.map in the script, TensorBoard, RoBERTa from a config."""

import math

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    DataCollatorForLanguageModeling,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    Trainer,
    TrainingArguments,
)


def main():
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    vocabulary = {word: i for i, word in enumerate(specials + [f"t{i}" for i in range(150)])}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>", mask_token="<mask>"
    )
    lines = [{"text": " ".join(f"t{(i * 13 + j * 5) % 150}" for j in range(40))} for i in range(60)]
    data = Dataset.from_list(lines).map(
        lambda batch: tokenizer(batch["text"], return_special_tokens_mask=True), batched=True, remove_columns=["text"]
    )
    data = data.train_test_split(test_size=0.2, seed=1)
    model = RobertaForMaskedLM(
        RobertaConfig(vocab_size=len(vocabulary), hidden_size=64, num_hidden_layers=2, num_attention_heads=2,
                      intermediate_size=128, max_position_embeddings=80)
    )  # fmt: skip
    trainer = Trainer(
        model=model, processing_class=tokenizer,
        args=TrainingArguments(
            output_dir="mlm", report_to=["tensorboard"], per_device_train_batch_size=6, max_steps=6,
            eval_strategy="steps", eval_steps=3, save_steps=3, logging_steps=1, bf16=True, use_cpu=True, seed=5,
        ),
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15),
        train_dataset=data["train"], eval_dataset=data["test"],
    )  # fmt: skip
    trainer.train()
    trainer.save_model()
    print("perplexity", math.exp(min(20, trainer.evaluate()["eval_loss"])))


if __name__ == "__main__":
    main()
