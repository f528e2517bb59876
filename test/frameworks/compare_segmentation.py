"""Recorded steps of MMSegmentation's zoo against what its trainings took: test/data/published_segmentation.

    python test/frameworks/compare_segmentation.py [--results FILE] [--seconds S] [PART OF A CONFIGURATION'S NAME...]

In an environment with torch, memmodel and, by `pip install --no-deps -r test/frameworks/requirements-segmentation.txt`,
the packages of OpenMMLab. Each row is its own configuration's model, loss and optimizer, three steps on a GPU that is
not there, without weights of others. As in PyTorch before 1.11 no attention is fused, the input of a softmax is kept
for the backward pass, and of ReLU6 in place the result alone. Synchronised normalisations are plain ones, and what
DistributedDataParallel's buckets hold is one tensor of all gradients. Prints a line a row, in thousands of MiB, and
errors of each kind. With --results rows go into a file of JSON lines, and those that are there are not done again.
"""

from __future__ import annotations

import functools
import logging
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recorded_rows import compare

DATA = Path(__file__).resolve().parents[1] / "data" / "published_segmentation" / "rows.json"
GPU = "v100-32gb"
MIB = 1 << 20


class MissingOperators(types.ModuleType):
    """mmcv.ops without its compiled operators: they can be named, not called."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def without_weights(config: Any) -> None:
    """Everything below `config` begins at random, with normalisations of one process."""
    if isinstance(config, dict):
        config.pop("init_cfg", None)
        if config.get("type") == "SyncBN":
            config["type"] = "BN"
    for value in config.values() if isinstance(config, dict) else config if isinstance(config, (list, tuple)) else ():
        without_weights(value)


def keeping_its_input(function: Callable[..., Any]) -> Callable[..., Any]:
    """Autograd lets the input go when the result's backward has run."""

    @functools.wraps(function)
    def call(given: Any, *arguments: Any, **options: Any) -> Any:
        result = function(given, *arguments, **options)
        if result.grad_fn is not None:
            kept = result.grad_fn.metadata
            kept["input"] = given
            result.grad_fn.register_hook(lambda *_: kept.clear())
        return result

    return call


def clamping_in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keeps what it made, as hardtanh_() did, not a copy of what it was given."""
    import torch

    class Clamp(torch.autograd.Function):
        @staticmethod
        def forward(context: Any, given: Any, low: float, high: float) -> Any:
            context.mark_dirty(given)
            context.save_for_backward(given.clamp_(low, high))
            context.ends = low, high
            return given

        @staticmethod
        def backward(context: Any, *gradients: Any) -> Any:
            (result,) = context.saved_tensors
            return torch.ops.aten.hardtanh_backward(gradients[0], result, *context.ends), None, None

    @functools.wraps(function)
    def call(given: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
        return Clamp.apply(given, min_val, max_val) if inplace else function(given, min_val, max_val)

    return call


def be_older() -> None:
    """PyTorch before 1.11: github.com/pytorch/pytorch/pull/65242 let go of the inputs, 2.0 fused attention."""
    import torch

    torch.backends.cuda.enable_flash_sdp(False)
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    torch.backends.cuda.enable_cudnn_sdp(False)
    functional = torch.nn.functional
    functional.hardtanh = clamping_in_place(functional.hardtanh)
    for owner, name in (
        (torch, "softmax"),
        (torch.Tensor, "softmax"),
        (functional, "softmax"),
        (functional, "log_softmax"),
        (functional, "cross_entropy"),
    ):
        setattr(owner, name, keeping_its_input(getattr(owner, name)))


def batch_of(row: dict[str, Any], classes: int) -> dict[str, Any]:
    import torch
    from mmengine.structures import PixelData
    from mmseg.structures import SegDataSample

    size = (row["height"], row["width"])
    samples = []
    for _ in range(row["batch"]):
        sample = SegDataSample(metainfo={"img_shape": size, "ori_shape": size, "pad_shape": size})
        sample.gt_sem_seg = PixelData(data=torch.randint(0, classes, (1, *size)))
        sample.gt_edge_map = PixelData(data=torch.randint(0, 2, (1, *size)))
        samples.append(sample)
    images = [torch.randint(0, 255, (3, *size), dtype=torch.uint8) for _ in samples]
    return {"inputs": images, "data_samples": samples}


def classes_of(heads: Any) -> int:
    found = [head["num_classes"] for head in (heads if isinstance(heads, list) else [heads]) if "num_classes" in head]
    return found[-1] if found else 19


def record(row: dict[str, Any]) -> int:
    """Largest peak of three steps, in bytes."""
    import memmodel.torch
    import mmengine.device.utils
    import mmseg
    import torch
    from mmengine.config import Config
    from mmengine.optim import build_optim_wrapper
    from mmseg.registry import MODELS
    from mmseg.utils import register_all_modules

    logging.disable(logging.WARNING)
    register_all_modules()
    mmengine.device.utils.DEVICE = "cuda"  # chosen when it is imported
    be_older()
    config = Config.fromfile(Path(mmseg.__file__).parent / ".mim" / row["config"])
    config.model.pretrained = None
    without_weights(config.model)
    with memmodel.torch.record(gpu=GPU, steps=3) as recording:
        model = MODELS.build(config.model).cuda().train()
        optimizer = build_optim_wrapper(model, config.optim_wrapper)
        gradients = sum(p.numel() for p in model.parameters() if p.requires_grad)
        model.buckets = torch.empty(gradients, device="cuda")
        while True:
            model.train_step(batch_of(row, classes_of(config.model.get("decode_head", {}))), optimizer)
    return max(recording.report().step_peaks)


def kind_of(row: dict[str, Any]) -> str:
    return Path(row["config"]).parent.name


def main() -> None:
    sys.modules["mmcv.ops"] = MissingOperators("mmcv.ops")
    compare(__doc__.splitlines()[0], DATA, "config", record, 1000 * MIB, lambda row: Path(row["config"]).stem, kind_of)


if __name__ == "__main__":
    main()
