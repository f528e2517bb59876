"""Networks whose peaks on GPUs others have measured, as files: torchvision's, timm's and those of transformers.

    python test/frameworks/cuda_networks.py FOLDER xmem schedtune       # all networks of these tables
    python test/frameworks/cuda_networks.py FOLDER timm --table PATH    # all models that a table names
    python test/frameworks/cuda_networks.py FOLDER xmem --only vgg16

Modules are built without weights on the device "meta" and exported once, with the batch as a symbol. What is exported
is a module with its loss, so that the labels belong to its inputs. Needs the packages of requirements-vision.txt, and
torchvision and timm, installed with --no-deps.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

Make = Callable[[], nn.Module]
Given = tuple[tuple[Any, ...], dict[str, Any]]  # arguments and keyword arguments
Inputs = Callable[[nn.Module], Given]

BATCH = 4
OPERATORS = (  # torchvision's own, which its meta registrations need: none is called here
    *("roi_align", "_roi_align_backward", "ps_roi_align", "_ps_roi_align_backward", "roi_pool", "_roi_pool_backward"),
    *("ps_roi_pool", "_ps_roi_pool_backward", "nms", "qnms", "qroi_align", "deform_conv2d", "_deform_conv2d_backward"),
)
_declared: list[Any] = []


def operators_are_there() -> bool:
    """Whether torchvision's extension loads, which declares them; one that was built for another torch does not."""
    spec = find_spec("torchvision")
    if spec is None or spec.origin is None:
        return False
    try:
        for extension in Path(spec.origin).parent.glob("_C*.so"):
            torch.ops.load_library(extension)
    except OSError:
        return False
    return hasattr(torch.ops.torchvision, "nms")


def declare_operators() -> None:
    """torchvision imports on a torch that its extension was not built for, if its operators have names."""
    if not _declared and not operators_are_there():
        library = torch.library.Library("torchvision", "DEF")
        for name in OPERATORS:
            library.define(f"{name}() -> ()")
        _declared.append(library)


class WithLoss(nn.Module):
    """A classifier of images as a training loop calls it: its result, and how far that is from the labels."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, image: Tensor, label: Tensor) -> dict[str, Tensor]:
        outputs = self.model(image)
        loss = nn.functional.cross_entropy(outputs, label)
        return {"outputs": outputs, "loss": loss}


# ---- torchvision ----


def torchvision_model(name: str, **settings: Any) -> Make:
    def make() -> nn.Module:
        declare_operators()
        from torchvision import models

        return WithLoss(getattr(models, name)(weights=None, **settings))

    return make


def image(size: int) -> Inputs:
    return lambda module: ((torch.empty(BATCH, 3, size, size), torch.zeros(BATCH, dtype=torch.int64)), {})


# ---- transformers: configurations as their authors published them ----


class Never:
    """A probability that no number drawn is below, without a look at the number."""

    def __gt__(self, drawn: object) -> bool:
        return False


def transformer(model: str, config: str, **settings: Any) -> Make:
    def make() -> nn.Module:
        declare_operators()
        import transformers

        made: nn.Module = getattr(transformers, model)(getattr(transformers, config)(**settings))
        for part in made.modules():
            if hasattr(part, "layerdrop"):
                part.layerdrop = Never()
        return made

    return make


def text(length: int) -> Inputs:
    def inputs(module: nn.Module) -> Given:
        ids = torch.zeros(BATCH, length, dtype=torch.int64)
        return (), {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": torch.zeros_like(ids)}

    return inputs


gpt2 = partial(transformer, "GPT2LMHeadModel", "GPT2Config")
opt = partial(transformer, "OPTForCausalLM", "OPTConfig")
t5 = partial(transformer, "T5ForConditionalGeneration", "T5Config", decoder_start_token_id=0)

LENGTH = 128  # of a line of the text, at most
SIDE = 86  # of xMem's images

XMEM: dict[str, tuple[Make, Inputs]] = {
    "ConvNeXtBase": (torchvision_model("convnext_base"), image(SIDE)),
    "ConvNeXtTiny": (torchvision_model("convnext_tiny"), image(SIDE)),
    "MnasNet": (torchvision_model("mnasnet1_0", num_classes=10), image(SIDE)),
    "MobeNetV3Large": (torchvision_model("mobilenet_v3_large", num_classes=10), image(SIDE)),
    "MobeNetV3Small": (torchvision_model("mobilenet_v3_small", num_classes=10), image(SIDE)),
    "MobileNetV2": (torchvision_model("mobilenet_v2"), image(SIDE)),
    "RegNetX400MF": (torchvision_model("regnet_x_400mf"), image(SIDE)),
    "RegNetY400MF": (torchvision_model("regnet_y_400mf"), image(SIDE)),
    "ResNet101": (torchvision_model("resnet101"), image(SIDE)),
    "ResNet152": (torchvision_model("resnet152"), image(SIDE)),
    "VGG16": (torchvision_model("vgg16"), image(SIDE)),
    "VGG19": (torchvision_model("vgg19"), image(SIDE)),
    "openai-community/gpt2": (gpt2(), text(LENGTH)),
    "distilbert/distilgpt2": (gpt2(n_layer=6), text(LENGTH)),
    "cerebras/Cerebras-GPT-111M": (
        gpt2(
            n_layer=10,
            n_positions=2048,
            n_inner=3072,
            activation_function="gelu",
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
        ),
        text(LENGTH),
    ),
    "EleutherAI/gpt-neo-125M": (
        transformer(
            "GPTNeoForCausalLM",
            "GPTNeoConfig",
            hidden_size=768,
            num_layers=12,
            num_heads=12,
            attention_types=[[["global", "local"], 6]],
        ),
        text(LENGTH),
    ),
    "facebook/opt-125m": (opt(), text(LENGTH)),
    "facebook/opt-350m": (
        opt(
            hidden_size=1024,
            ffn_dim=4096,
            num_hidden_layers=24,
            num_attention_heads=16,
            word_embed_proj_dim=512,
            do_layer_norm_before=False,
        ),
        text(LENGTH),
    ),
    "T5-small": (t5(), text(LENGTH)),
    "t5-base": (t5(d_model=768, d_ff=3072, num_layers=12, num_heads=12), text(LENGTH)),
}

SCHEDTUNE: dict[str, tuple[Make, Inputs]] = {
    name: (torchvision_model(name), image(224))
    for name in (
        *("resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "vgg11", "vgg13", "vgg16", "vgg19"),
        *("densenet121", "densenet169", "densenet201"),
    )
}

bert = partial(transformer, "BertForMaskedLM", "BertConfig")
llama = partial(transformer, "LlamaForCausalLM", "LlamaConfig", vocab_size=32000)

USUAL: dict[str, tuple[Make, Inputs]] = {
    name: (torchvision_model(name), image(224))
    for name in (
        *("vit_b_16", "swin_t", "swin_v2_t", "convnext_tiny", "efficientnet_b0", "efficientnet_v2_s", "googlenet"),
        *("shufflenet_v2_x1_0", "squeezenet1_1", "alexnet", "wide_resnet50_2", "resnext50_32x4d", "maxvit_t"),
    )
} | {
    "bert-base": (bert(), text(128)),
    "bert-base-512": (bert(), text(512)),
    "roberta-base": (transformer("RobertaForMaskedLM", "RobertaConfig", vocab_size=50265), text(256)),
    "gpt2-256": (gpt2(), text(256)),
    "llama-6-layers": (
        llama(
            hidden_size=1024,
            intermediate_size=2816,
            num_hidden_layers=6,
            num_attention_heads=8,
            num_key_value_heads=2,
        ),
        text(512),
    ),
    "bart-base": (
        transformer(
            "BartForConditionalGeneration",
            "BartConfig",
            d_model=768,
            encoder_layers=6,
            decoder_layers=6,
            encoder_attention_heads=12,
            decoder_attention_heads=12,
            encoder_ffn_dim=3072,
            decoder_ffn_dim=3072,
        ),
        text(128),
    ),
    "t5-small": (t5(), text(128)),
    "distilbert-base": (transformer("DistilBertForMaskedLM", "DistilBertConfig"), text(256)),
}


# ---- timm ----


def timm_model(name: str) -> Make:
    def make() -> nn.Module:
        declare_operators()
        import timm

        return WithLoss(timm.create_model(name, pretrained=False))

    return make


def image_of_timm(module: nn.Module) -> Given:
    """Of the size that the model has been made for."""
    size = module.model.pretrained_cfg["input_size"]
    return (torch.empty(BATCH, *size), torch.zeros(BATCH, dtype=torch.int64)), {}


def timm_networks(table: Path) -> dict[str, tuple[Make, Inputs]]:
    with table.open() as lines:
        names = dict.fromkeys(row["model"] for row in csv.DictReader(lines))
    return {name: (timm_model(name), image_of_timm) for name in names}


# ---- files ----


def file_of(folder: Path, name: str) -> Path:
    return folder / f"{name.replace('/', '_')}.json.gz"


def compressed(network: Any) -> bytes:
    text = json.dumps(json.loads(network.to_json()), separators=(",", ":")) + "\n"
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def on_meta(make: Make) -> nn.Module:
    """Without memory, where its making does not look at numbers that it computes."""
    try:
        with torch.device("meta"):
            return make()
    except (NotImplementedError, RuntimeError):
        return make().to("meta")


def network_of(make: Make, inputs: Inputs) -> Any:
    import memmodel.torch

    module = on_meta(make)
    with torch.device("meta"):
        args, kwargs = inputs(module)
    module.train()
    return memmodel.torch.from_module(module, args, kwargs)


def networks_of(options: argparse.Namespace) -> Iterator[tuple[Path, str, Make, Inputs]]:
    tables: dict[str, Callable[[], dict[str, tuple[Make, Inputs]]]] = {
        "xmem": lambda: XMEM,
        "schedtune": lambda: SCHEDTUNE,
        "usual": lambda: USUAL,
        "timm": lambda: timm_networks(options.table),
    }
    for table in options.tables:
        for name, (make, inputs) in tables[table]().items():
            if not options.only or name in options.only:
                yield options.folder / table, name, make, inputs


def keep(folder: Path, name: str, make: Make, inputs: Inputs) -> str:
    """Export a network into its file; what went wrong, or its symbols and operators without a rule."""
    began = time.monotonic()
    try:
        network = network_of(make, inputs)
    except Exception as error:  # whatever a model says: the others go on
        return f"REFUSED {type(error).__name__}: {str(error).strip()[:200]!r}"
    folder.mkdir(parents=True, exist_ok=True)
    file_of(folder, name).write_bytes(compressed(network))
    batch = "" if network.symbols == ["batch"] else f" SYMBOLS {network.symbols}"
    return f"{time.monotonic() - began:.1f} s{batch}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("tables", nargs="+", choices=("xmem", "schedtune", "usual", "timm"))
    parser.add_argument("--table", type=Path, help="of timm's models: a CSV file with a column `model`")
    parser.add_argument("--only", nargs="+", default=())
    parser.add_argument("--again", action="store_true", help="also what is there already")
    options = parser.parse_args()
    refused = 0
    for folder, name, make, inputs in networks_of(options):
        if file_of(folder, name).exists() and not options.again:
            continue
        said = keep(folder, name, make, inputs)
        refused += said.startswith("REFUSED")
        print(f"{name}: {said}", flush=True)
    return int(refused > 0)


if __name__ == "__main__":
    sys.exit(main())
