"""DeepSpeed's JSON, and Accelerate's words for it, as arguments of estimate().

Sources: deepspeed/runtime/config.py and zero/config.py; accelerate/utils/dataclasses.py (DeepSpeedPlugin);
transformers/integrations/deepspeed.py, which fills in "auto".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from memmodel._torch_config_rules import OFF, ONE, Rule, Table, anything, check, fail, only

SIZES = (
    "reduce_bucket_size",
    "allgather_bucket_size",
    "sub_group_size",
    "stage3_prefetch_bucket_size",
    "stage3_param_persistence_threshold",
    "stage3_max_live_parameters",
    "stage3_max_reuse_distance",
)
FLAGS = ("overlap_comm", "contiguous_gradients", "reduce_scatter")
HALVES = {"bf16": "bf16", "fp16": "fp16", "bfloat16": "bf16"}


def _off(*switches: str) -> Rule:
    """A section that changes memory where one of its switches is on."""

    def checked(value: Any) -> str | None:
        on = [switch for switch in switches if isinstance(value, Mapping) and value.get(switch)]
        return f"{on[0]} = {value[on[0]]!r} is not modelled; leave it out" if on else None

    return checked


def _device(value: Any) -> str | None:
    device = value.get("device", "none") if isinstance(value, Mapping) else value
    return (
        None if str(device) in ("cpu", "none", "None") else f"the device {device!r} is not modelled; cpu and none are"
    )


ZERO: Mapping[str, Rule] = {
    **dict.fromkeys((*SIZES, *FLAGS), anything),
    "stage": only(1, 2, 3),
    "offload_optimizer": _device,
    "offload_param": _device,
    "allgather_partitions": only(True),
    "load_from_fp32_weights": anything,
    "elastic_checkpoint": anything,
    "ignore_unused_parameters": anything,
    "round_robin_gradients": OFF,
    "stage3_gather_16bit_weights_on_model_save": anything,
    "stage3_gather_fp16_weights_on_model_save": anything,
    "memory_efficient_linear": anything,
    "zero_hpz_partition_size": ONE,
    "zero_quantized_weights": OFF,
    "zero_quantized_nontrainable_weights": OFF,
    "zero_quantized_gradients": OFF,
    "mics_shard_size": only(-1),
    "mics_hierarchical_params_gather": OFF,
    "use_multi_rank_bucket_allreduce": only(True),
    "stage3_module_granularity_threshold": only(0),
    "stage3_use_all_reduce_for_fetch_params": OFF,
    "log_trace_cache_warnings": anything,
}

DEEPSPEED: Mapping[str, Rule] = {
    "zero_optimization": anything,
    "train_batch_size": anything,
    "train_micro_batch_size_per_gpu": anything,
    "gradient_accumulation_steps": anything,
    "optimizer": anything,
    "scheduler": anything,
    "fp16": anything,
    "bf16": anything,
    "bfloat16": anything,
    "data_types": anything,
    "gradient_clipping": anything,
    "prescale_gradients": OFF,
    "gradient_predivide_factor": only(1, 1.0),
    "communication_data_type": only(None),
    "sparse_gradients": OFF,
    "amp": _off("enabled"),
    "torch_autocast": _off("enabled"),
    "activation_checkpointing": _off("partition_activations", "cpu_checkpointing", "contiguous_memory_optimization"),
    "sparse_attention": lambda value: "it is not modelled" if value else None,
    "compile": _off("deepcompile"),
    "tensor_parallel": lambda value: "it is not modelled; give mesh and tensor" if value else None,
    "compression_training": lambda value: "it is not modelled" if value else None,
    "quantize_training": lambda value: "it is not modelled" if value else None,
    "curriculum_learning": _off("enabled"),
    "data_efficiency": _off("enabled"),
    "elasticity": _off("enabled"),
    "autotuning": anything,
    "aio": anything,
    "checkpoint": anything,
    "comms_logger": anything,
    "csv_monitor": anything,
    "dump_state": anything,
    "flops_profiler": anything,
    "memory_breakdown": anything,
    "steps_per_print": anything,
    "tensorboard": anything,
    "wall_clock_breakdown": anything,
    "wandb": anything,
    "zero_allow_untested_optimizer": anything,
    "zero_force_ds_cpu_optimizer": anything,
}

# FusedAdam takes as much as torch's: no temporaries; deepspeed/ops/adam/fused_adam.py
OPTIMIZERS = {"adam": "adam(fused)", "adamw": "adamw(fused)", "sgd": "sgd", "adagrad": "adagrad"}


def _sizes_of_trainer(module: nn.Module) -> dict[str, int]:
    config = getattr(module, "config", None)
    width = getattr(config, "hidden_size", None) or max(getattr(config, "hidden_sizes", None) or [0])
    if not width:
        return {}
    return {
        "reduce_bucket_size": width * width,
        "stage3_prefetch_bucket_size": int(0.9 * width * width),
        "stage3_param_persistence_threshold": 10 * width,
    }


def _data(zero: Table, module: nn.Module) -> list[str]:
    options = [f"stage={int(zero['stage'])}"]
    filled = _sizes_of_trainer(module)
    for name in SIZES:
        value = filled.get(name, "auto") if zero.get(name) == "auto" else zero.get(name)
        if value == "auto":
            fail(f"zero_optimization.{name}", "'auto' is filled in from config.hidden_size, which the module lacks")
        if value is not None:
            options.append(f"{name}={int(float(value))}")
    options += [f"{name}={bool(zero[name])}" for name in FLAGS if zero.get(name) not in (None, "auto")]
    for name in ("offload_optimizer", "offload_param"):
        given = zero.get(name)
        if isinstance(given, Mapping) and str(given.get("device", "none")) == "cpu":
            if float(given.get("ratio", 1)) != 1:
                fail(f"zero_optimization.{name}.ratio", "a part is not modelled; 1 is")
            options.append(f"{name}=cpu")
    return options


def _half(config: Table) -> list[str]:
    found = []
    for section, name in HALVES.items():
        on = (config.get(section) or {}).get("enabled", False)
        if on == "auto":
            fail(f"{section}.enabled", "'auto' is what the Trainer was given: write true or false")
        if on:
            found.append(f"{name}=True")
    accumulated = (config.get("data_types") or {}).get("grad_accum_dtype")
    types = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
    if accumulated and accumulated not in types:
        fail("data_types.grad_accum_dtype", f"{accumulated!r} is not known; {', '.join(types)} are")
    return found + ([f"grad_accum_dtype={types[accumulated]}"] if accumulated else [])


def _optimizer(config: Table) -> dict[str, str]:
    given = config.get("optimizer")
    if not given:
        return {}
    kind, parameters = str(given.get("type", "")), given.get("params") or {}
    if kind.lower() not in OPTIMIZERS:
        fail("optimizer.type", f"{kind!r} is not modelled; {', '.join(OPTIMIZERS)} are")
    if kind.lower() == "sgd" and parameters.get("momentum"):
        return {"optimizer": "sgd(momentum)"}
    return {"optimizer": kind.lower() if parameters.get("torch_adam") else OPTIMIZERS[kind.lower()]}


def arguments_of(config: Table, module: nn.Module, ranks: int | None) -> dict[str, Any]:
    check(config, DEEPSPEED, "")
    zero = config.get("zero_optimization") or {}
    check(zero, ZERO, "zero_optimization.")
    check({"stage": zero.get("stage", 0)}, ZERO, "zero_optimization.")
    if not ranks:
        fail("zero_optimization", "all processes take part: say ranks=8")
    steps = config.get("gradient_accumulation_steps", 1)
    if steps == "auto":
        fail("gradient_accumulation_steps", "'auto' is what the Trainer was given: write the number")
    options = _data(zero, module) + _half(config)
    arguments: dict[str, Any] = {
        "mesh": {"dp": ranks},
        "data": f"deepspeed({', '.join(options)})",
        **_optimizer(config),
    }
    if int(steps) > 1:
        arguments["gradient_accumulation"] = int(steps)
    return arguments


# ---- Accelerate ----

PLUGIN: Mapping[str, Rule] = {
    "zero_stage": only(1, 2, 3),
    "gradient_accumulation_steps": anything,
    "gradient_clipping": anything,
    "offload_optimizer_device": _device,
    "offload_param_device": _device,
    "offload_optimizer_nvme_path": anything,
    "offload_param_nvme_path": anything,
    "zero3_init_flag": anything,
    "zero3_save_16bit_model": anything,
    "deepspeed_config_file": anything,
    "deepspeed_hostfile": anything,
    "deepspeed_exclusion_filter": anything,
    "deepspeed_inclusion_filter": anything,
    "deepspeed_multinode_launcher": anything,
    "deepspeed_moe_layer_cls_names": lambda value: "experts are not modelled" if value else None,
}


def of_accelerate(config: Table, module: nn.Module, ranks: int, read: Callable[[str], Any]) -> dict[str, Any]:
    """What DeepSpeedPlugin makes of its section, or the file that it names; mixed_precision is bf16 or fp16."""
    given = config.get("deepspeed_config") or {}
    check(given, PLUGIN, "deepspeed_config.")
    if given.get("deepspeed_config_file"):
        return arguments_of(read(str(given["deepspeed_config_file"])), module, ranks)
    check({"zero_stage": 2, **given}, PLUGIN, "deepspeed_config.")
    precision = str(config.get("mixed_precision") or "no").lower()
    if precision not in ("no", "bf16", "fp16"):
        fail("mixed_precision", f"{precision!r} is not modelled; no, bf16 and fp16 are")
    made: dict[str, Any] = {
        "zero_optimization": {"stage": int(given.get("zero_stage", 2))},
        "gradient_accumulation_steps": given.get("gradient_accumulation_steps", 1),
    }
    for name in ("offload_optimizer", "offload_param"):
        made["zero_optimization"][name] = {"device": str(given.get(f"{name}_device", "none"))}
    if precision != "no":
        made[precision] = {"enabled": True}
    return arguments_of(made, module, ranks)
