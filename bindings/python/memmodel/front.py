"""Networks by a name: of Hugging Face's hub, of a class in a script, of a Keras file: what the tool asks of Python.

    python -m memmodel.front OUTPUT hf:ORG/MODEL [--lora 16 --lora-targets q_proj,v_proj --input 1,512:int64]
    python -m memmodel.front OUTPUT hf:ORG/MODEL --quantization nf4 [--lora 16 --double-quantization --prepare-kbit]
    python -m memmodel.front OUTPUT train.py:Net --input 8,3,224,224 [--loss cross_entropy]
    python -m memmodel.front OUTPUT model.keras

OUTPUT becomes the network as JSON; what is printed are values of its symbols, "batch=8", that the inputs have.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from memmodel import serving
from memmodel.errors import MemmodelError
from memmodel.network import Network

HUB = "hf:"
CONFIG = "config.json"


class FrontError(RuntimeError):
    """What was asked for cannot be had; one line says why, and what would do."""


def _need(module: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise FrontError(f"{what} needs the package {module}, which {sys.executable} does not have") from None


# ---- Hugging Face ----


def _cache() -> Path:
    """Where the hub's own package keeps what it has loaded."""
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    return Path(os.environ.get("HF_HUB_CACHE", home / "hub"))


def _downloaded(name: str) -> Path:
    hub = _need("huggingface_hub", f"{HUB}{name} is not in {_cache()}; to load it")
    try:
        return Path(hub.hf_hub_download(name, CONFIG))
    except Exception as error:  # of many kinds: no network, no such model, a token that is missing
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise FrontError(f"{HUB}{name} is not in {_cache()}, and cannot be loaded: {first}") from None


def config_of(name: str) -> Path:
    """The config.json of a model: of a folder, or of the newest snapshot in the hub's cache; else it is loaded, where
    the hub's package is there and may (HF_HUB_OFFLINE)."""
    path = Path(name)
    if path.is_file():
        return path
    if (path / CONFIG).is_file():
        return path / CONFIG
    kept = sorted(
        _cache().glob(f"models--{name.replace('/', '--')}/snapshots/*/{CONFIG}"), key=lambda each: each.stat().st_mtime
    )
    return kept[-1] if kept else _downloaded(name)


def _with_adapter(module: Any, rank: int, targets: Sequence[str]) -> Any:
    peft = _need("peft", "--lora")
    all_linear = list(targets) == ["all-linear"]  # peft knows it as a text alone
    config = peft.LoraConfig(r=rank, target_modules=targets[0] if all_linear else list(targets) or None)
    try:
        return peft.get_peft_model(module, config)
    except ValueError as error:
        raise FrontError(f"--lora-targets: {str(error).splitlines()[0]}") from None


def _causal_model(config: Path) -> Any:
    torch, transformers = _need("torch", HUB), _need("transformers", f"{HUB} with --lora, or of this model,")
    settings = transformers.AutoConfig.from_pretrained(config.parent)
    settings.use_cache = False
    with torch.device("meta"):
        return transformers.AutoModelForCausalLM.from_config(settings)


def _built(model: serving.LanguageModel, options: argparse.Namespace) -> Network:
    return model.network(
        lora_rank=options.lora,
        lora_targets=options.lora_targets,
        quantization=options.quantization,
        double_quantization=options.double_quantization,
        prepare_kbit=options.prepare_kbit,
        gradient_checkpointing=not options.no_gradient_checkpointing,
        compute_dtype=options.compute_dtype,
    )


def _of_hub(name: str, options: argparse.Namespace) -> tuple[Network, dict[str, int]]:
    config = config_of(name)
    if not options.input:
        try:
            model = serving.LanguageModel.load(config)
            return _built(model, options), {}
        except MemmodelError as error:
            if options.quantization or options.prepare_kbit:
                raise
            raise FrontError(f"{error}; with --input 1,512:int64 transformers' own model is exported") from None
    torch, models = _need("torch", HUB), _need("memmodel.torch", HUB)
    module = _causal_model(config).train()
    if options.lora:
        module = _with_adapter(module, options.lora, options.lora_targets)
    ids = tensors_of(options.input, torch)[0]
    network = models.from_module(module, (), {"input_ids": ids, "labels": ids})
    return network, _defaults(network, [ids])


# ---- scripts ----


def tensors_of(inputs: Iterable[str], torch: Any) -> list[Any]:
    """Of texts such as "8,3,224,224" or "8,128:int64"."""
    made = []
    for text in inputs:
        sizes, _, dtype = text.partition(":")
        try:
            shape, kind = [int(size) for size in sizes.split(",")], getattr(torch, dtype or "float32")
            made.append(torch.empty(shape, dtype=kind, device="meta"))
        except (ValueError, AttributeError, RuntimeError, TypeError):
            raise FrontError(f"--input {text} is no shape such as 8,3,224,224 or 8,128:int64") from None
    return made


def _module_of(path: Path) -> Any:
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FrontError(f"{path}: no such script")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _defaults(network: Network, tensors: Sequence[Any]) -> dict[str, int]:
    return {"batch": int(tensors[0].shape[0])} if network.symbols == ["batch"] and tensors else {}


def _of_script(path: Path, name: str, options: argparse.Namespace) -> tuple[Network, dict[str, int]]:
    torch, models = _need("torch", "a class of a script"), _need("memmodel.torch", "a class of a script")
    made = getattr(_module_of(path), name, None)
    if made is None:
        raise FrontError(f"{path} has no {name}")
    if not options.input:
        raise FrontError(f"{path}:{name} is called with what? Add --input 8,3,224,224")
    with torch.device("meta"):
        module = made if isinstance(made, torch.nn.Module) else made()
    module = module.to("meta")
    tensors = tensors_of(options.input, torch)
    network = models.from_module(module, tensors, loss=options.loss)
    return network, _defaults(network, tensors)


# ---- the front ----


def network_of(source: str, options: argparse.Namespace) -> tuple[Network, dict[str, int]]:
    """The network, and values of its symbols that its inputs have."""
    if options.quantization and (options.input or not source.startswith(HUB)):
        raise FrontError("--quantization is for a config.json and hf:ORG/MODEL without --input")
    if source.startswith(HUB):
        return _of_hub(source.removeprefix(HUB), options)
    script, _, name = source.rpartition(":")
    if script.endswith(".py"):
        return _of_script(Path(script), name, options)
    keras = _need("keras", source)
    return _need("memmodel.keras", source).from_model(keras.saving.load_model(source)), {}


def _place_of(error: Exception, source: str) -> str:
    """The last line of the script that it passed."""
    script = Path(source.rpartition(":")[0]).resolve()
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == script]
    return f"{script.name}:{lines[-1]}: " if lines else ""


def _targets(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m memmodel.front", description=__doc__)
    parser.add_argument("output")
    parser.add_argument("source")
    parser.add_argument("--input", action="append")
    parser.add_argument("--loss")
    parser.add_argument("--lora", type=int, default=0)
    parser.add_argument("--lora-targets", type=_targets, default=[])
    parser.add_argument("--quantization")
    parser.add_argument("--double-quantization", action="store_true")
    parser.add_argument("--prepare-kbit", action="store_true")
    parser.add_argument("--no-gradient-checkpointing", action="store_true")
    parser.add_argument("--compute-dtype")
    options = parser.parse_args(words)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what a script prints is none of the symbols
            network, symbols = network_of(options.source, options)
    except (FrontError, MemmodelError) as error:
        print(f"memmodel: {error}", file=sys.stderr)
        return 1
    except Exception as error:  # of the user's code, or of export: its place, and no inside of ours
        print(f"memmodel: {_place_of(error, options.source)}{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    network.save(options.output)
    for name, value in symbols.items():
        print(f"{name}={value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
