"""
Peaks of three training steps on a simulated H100, as PyTorch's own allocator has them, beside those that
memmodel.torch.estimate() predicts.

    memmodel run --gpu h100 -- python compare_core.py run [MODEL...] > run.jsonl
    python compare_core.py predict [MODEL...] > predicted.jsonl      # `import memmodel` works, see ./run python
    python compare_core.py compare run.jsonl predicted.jsonl
"""

import gc
import json
import sys
from pathlib import Path

import torch
import torchvision
import transformers
from torch import nn


class Classifier(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, nn.CrossEntropyLoss()

    def forward(self, x, target):
        return self.loss(self.model(x), target)


class LanguageModel(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, labels):
        return self.model(input_ids=ids, labels=labels).loss


def perceptron():
    return nn.Sequential(nn.Linear(1024, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 1000))


def llama():
    sizes = {"hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 6, "num_attention_heads": 8}
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes, num_key_value_heads=2, vocab_size=32000))


def t5():
    return transformers.T5ForConditionalGeneration(transformers.T5Config(decoder_start_token_id=0))


def indices(*shape):
    return torch.zeros(*shape, dtype=torch.long)


def images(count):
    return torch.zeros(count, 3, 224, 224), indices(count)


VISION = torchvision.models
# name: module, inputs, optimizer
MODELS = {
    "mlp": (lambda: Classifier(perceptron()), lambda: (torch.zeros(256, 1024), indices(256)), "adam"),
    "bert": (
        lambda: LanguageModel(transformers.BertForSequenceClassification(transformers.BertConfig())),
        lambda: (indices(8, 128), indices(8)),
        "adamw",
    ),
    "gpt2": (
        lambda: LanguageModel(transformers.GPT2LMHeadModel(transformers.GPT2Config())),
        lambda: (indices(4, 256), indices(4, 256)),
        "adamw",
    ),
    "llama": (lambda: LanguageModel(llama()), lambda: (indices(2, 256), indices(2, 256)), "adamw"),
    "t5": (lambda: LanguageModel(t5()), lambda: (indices(4, 128), indices(4, 128)), "adamw"),
    "vit": (lambda: Classifier(VISION.vit_b_16()), lambda: images(8), "adamw"),
    "convnext": (lambda: Classifier(VISION.convnext_tiny()), lambda: images(8), "adamw"),
    "resnet50": (lambda: Classifier(VISION.resnet50()), lambda: images(16), "sgd"),
    "vgg16": (lambda: Classifier(VISION.vgg16()), lambda: images(16), "adam"),
    "mobilenet": (lambda: Classifier(VISION.mobilenet_v3_large()), lambda: images(32), "adam"),
    "densenet": (lambda: Classifier(VISION.densenet121()), lambda: images(16), "adam"),
    "swin": (lambda: Classifier(VISION.swin_t()), lambda: images(8), "adamw"),
    "regnet": (lambda: Classifier(VISION.regnet_x_400mf()), lambda: images(32), "sgd"),
}
OPTIMIZERS = {
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": lambda parameters: torch.optim.SGD(parameters, 1e-2, momentum=0.9),
}


def run(name):
    make, inputs, optimizer = MODELS[name]
    model = make().cuda()
    step = OPTIMIZERS[optimizer](model.parameters())
    given = [tensor.cuda() for tensor in inputs()]
    for _ in range(3):
        model(*given).backward()
        step.step()
        step.zero_grad()
    peaks = torch.cuda.memory_stats()
    del model, step, given
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    return {"live": peaks["allocated_bytes.all.peak"], "reserved": peaks["reserved_bytes.all.peak"]}


def predict(name):
    import memmodel.torch  # noqa: PLC0415 - only here

    make, inputs, optimizer = MODELS[name]
    model = make()
    report = memmodel.torch.estimate(
        model,
        inputs(),
        loss=None,
        device="cuda",
        gpu="h100",
        steps=3,
        optimizer=OPTIMIZERS[optimizer](model.parameters()),
    )
    return {"live": report.peak.live, "reserved": report.peak.reserved}


def rows(path):
    return {row["model"]: row for row in map(json.loads, Path(path).read_text().splitlines())}


def compare(measured, predicted):
    for name, row in rows(predicted).items():
        of = rows(measured)[name]
        off = {key: 100 * (row[key] / of[key] - 1) for key in ("live", "reserved")}
        print(f"{name:10} live {off['live']:+.2f} %, {row['live'] - of['live']:+d} bytes; ", end="")
        print(f"reserved {off['reserved']:+.2f} %")


if __name__ == "__main__":
    word, *given = sys.argv[1:]
    if word == "compare":
        compare(*given)
    else:
        for chosen in given or MODELS:
            result = run(chosen) if word == "run" else predict(chosen)
            print(json.dumps({"model": chosen, **result}), flush=True)
