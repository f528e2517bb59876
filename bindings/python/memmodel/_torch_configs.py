"""Configurations of launchers as arguments of estimate(): Accelerate's YAML, DeepSpeed's JSON, torchtitan's TOML.

Sources: accelerate/utils/dataclasses.py (FullyShardedDataParallelPlugin), torchtitan/config/job_config.py and
torchtitan/models/llama3/infra/parallelize.py. A key that matters and is not modelled is an error, as is one that nobody
knows; keys that change no memory are skipped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import nn

from memmodel import _torch_deepspeed_configs as deepspeed
from memmodel._torch_config_rules import OFF, ONE, Rule, Table, anything, check, fail, only
from memmodel._torch_config_rules import ConfigError as ConfigError
from memmodel._torch_patterns import pattern_of

# ---- modules ----


def _modules_of_classes(module: nn.Module, classes: list[str], key: str) -> str:
    names = [name for name, part in module.named_modules() if type(part).__name__ in classes and name]
    if not names:
        fail(key, f"the module has no {' or '.join(classes)}")
    return pattern_of(names, module)


# ---- Accelerate ----

FSDP: Mapping[str, Rule] = {
    "fsdp_version": lambda value: None if int(value) == 2 else "FSDP1 is not modelled; write fsdp_version: 2",
    "fsdp_auto_wrap_policy": only("transformer_based_wrap", "no_wrap"),
    "fsdp_transformer_layer_cls_to_wrap": anything,
    "fsdp_reshard_after_forward": only(True, False),
    "fsdp_offload_params": OFF,
    "fsdp_activation_checkpointing": anything,
    "fsdp_state_dict_type": anything,
    "fsdp_cpu_ram_efficient_loading": anything,
    "fsdp_sync_module_states": anything,
    "fsdp_use_orig_params": anything,
    "fsdp_forward_prefetch": OFF,
    "fsdp_backward_prefetch": anything,
    "fsdp_backward_prefetch_policy": anything,
}

ACCELERATE: Mapping[str, Rule] = {
    "distributed_type": only("no", "multi_gpu", "multi_cpu", "fsdp", "deepspeed"),
    "num_processes": anything,
    "fsdp_config": anything,
    "mixed_precision": anything,
    "dynamo_config": lambda value: "compiled graphs are not modelled" if value else None,
    "gradient_accumulation_steps": anything,
    "use_cpu": anything,
    "compute_environment": anything,
    "debug": anything,
    "downcast_bf16": OFF,
    "enable_cpu_affinity": anything,
    "machine_rank": anything,
    "main_training_function": anything,
    "main_process_ip": anything,
    "main_process_port": anything,
    "num_machines": anything,
    "rdzv_backend": anything,
    "same_network": anything,
    "tpu_env": anything,
    "tpu_use_cluster": OFF,
    "tpu_use_sudo": OFF,
    "gpu_ids": anything,
    "deepspeed_config": anything,
    "megatron_lm_config": lambda value: "Megatron-LM is not modelled" if value else None,
    "parallelism_config": lambda value: "it is not read; give mesh, data and tensor" if value else None,
    "fp8_config": lambda value: "float8 is not modelled" if value else None,
    "ipex_config": lambda value: "Intel's extension is not modelled" if value else None,
    "mpirun_config": anything,
}


def _accelerate_fsdp(config: Table, module: nn.Module, arguments: dict[str, Any]) -> str:
    fsdp = config.get("fsdp_config") or {}
    check({"fsdp_version": 1, **fsdp}, FSDP, "fsdp_config.")
    classes = fsdp.get("fsdp_transformer_layer_cls_to_wrap") or getattr(module, "_no_split_modules", None) or []
    classes = [name.strip() for name in classes.split(",")] if isinstance(classes, str) else list(classes)
    wrap = str(fsdp.get("fsdp_auto_wrap_policy", "NO_WRAP")).upper() == "TRANSFORMER_BASED_WRAP"
    units = _modules_of_classes(module, classes, "fsdp_config.fsdp_transformer_layer_cls_to_wrap") if wrap else ""
    options = [f"reshard_after_forward={bool(fsdp.get('fsdp_reshard_after_forward', True))}"]
    if fsdp.get("fsdp_activation_checkpointing"):
        if not units:
            fail("fsdp_config.fsdp_activation_checkpointing", "no units are wrapped")
        arguments["checkpoint"] = units
    return f"fsdp({', '.join(filter(None, [units, *options]))})"


def _accelerate(config: Table, module: nn.Module, folder: Path) -> dict[str, Any]:
    check(config, ACCELERATE, "")
    kind, count = str(config.get("distributed_type", "NO")).upper(), int(config.get("num_processes", 1))
    if kind == "DEEPSPEED":
        return deepspeed.of_accelerate(config, module, count, lambda name: _read(folder / name))
    check({"mixed_precision": config.get("mixed_precision")}, {"mixed_precision": only("no", None)}, "")
    arguments: dict[str, Any] = {}
    if int(config.get("gradient_accumulation_steps", 1)) > 1:
        arguments["gradient_accumulation"] = int(config["gradient_accumulation_steps"])
    if kind != "NO" and count > 1:
        arguments["mesh"] = {"dp": count}
        arguments["data"] = _accelerate_fsdp(config, module, arguments) if kind == "FSDP" else "ddp"
    return arguments


# ---- torchtitan ----

DTYPES = only("bfloat16", "float32")

TITAN_TRAINING: Mapping[str, Rule] = {
    "batch_size": anything,
    "local_batch_size": anything,
    "global_batch_size": only(-1),
    "seq_len": anything,
    "steps": anything,
    "max_norm": anything,
    "dataset": anything,
    "dataset_path": anything,
    "compile": OFF,
    "enable_cpu_offload": OFF,
    "dtype": only("float32"),
    "mixed_precision_param": DTYPES,
    "mixed_precision_reduce": DTYPES,
    "gc_freq": anything,
    "gc_debug": anything,
    "seed": anything,
    "deterministic": anything,
    "warmup_steps": anything,
    "dataloader": anything,
}

TITAN_PARALLELISM: Mapping[str, Rule] = {
    "data_parallel_replicate_degree": anything,
    "data_parallel_shard_degree": anything,
    "tensor_parallel_degree": anything,
    "fsdp_reshard_after_forward": only("default", "always", "never"),
    "disable_loss_parallel": anything,
    "enable_async_tensor_parallel": OFF,
    "enable_compiled_autograd": OFF,
    "pipeline_parallel_degree": ONE,
    "pipeline_parallel_schedule": anything,
    "pipeline_parallel_microbatch_size": anything,
    "pipeline_parallel_split_points": anything,
    "pipeline_parallel_layers_per_stage": anything,
    "context_parallel_degree": anything,
    "context_parallel_rotate_method": only("allgather", "alltoall"),
    "expert_parallel_degree": ONE,
    "expert_tensor_parallel_degree": ONE,
    "expert_parallel_comm_backend": anything,
    "module_fqns_per_model_part": anything,
    "pipeline_parallel_first_stage_less_layers": anything,
    "pipeline_parallel_last_stage_less_layers": anything,
    "pipeline_parallel_schedule_csv": anything,
    "pipeline_parallel_expert_parallel_overlap": anything,
    "context_parallel_load_balancer": anything,
}

TITAN_OPTIMIZER = ("lr", "eps", "beta1", "beta2", "weight_decay", "implementation")

TITAN_MODEL = ("name", "flavor", "hf_assets_path", "tokenizer_path", "norm_type", "print_after_conversion")

TITAN_RECOMPUTATION = ("selective_ac_option", "per_op_sac_force_recompute_mm_shapes_by_fqns", "preserve_rng_state")


def _no_converters(value: Any) -> str | None:
    return f"{value!r} replaces modules, which is not modelled (float8, mx); [] is" if value else None


def _disabled(*switches: str) -> Rule:
    """A section that changes memory where one of its switches is on."""

    def checked(value: Any) -> str | None:
        on = [switch for switch in switches if value.get(switch)]
        return f"{on[0]} = {value[on[0]]!r} is not modelled; leave it out" if on else None

    return checked


TITAN: Mapping[str, Mapping[str, Rule] | Rule] = {
    "training": TITAN_TRAINING,
    "parallelism": TITAN_PARALLELISM,
    "activation_checkpoint": {
        **dict.fromkeys(TITAN_RECOMPUTATION, anything),
        "mode": only("none", "full", "selective"),
        "early_stop": OFF,
        "memory_budget": anything,
        "visualize_memory_budget_pareto": anything,
        "determinism_check": anything,
        "debug": OFF,
    },
    "optimizer": {
        **dict.fromkeys(TITAN_OPTIMIZER, anything),
        "name": only("adam", "adamw"),
        "early_step_in_backward": OFF,
    },
    "compile": {"enable": OFF, "components": anything, "model": anything, "loss": anything, "backend": anything},
    "float8": _disabled("enable_float8_linear"),
    "mx": anything,
    "quantize": anything,
    "model": {
        **dict.fromkeys(TITAN_MODEL, anything),
        "converters": _no_converters,
        "use_flex_attn": OFF,
        "attn_mask_type": anything,
    },
    "debug": anything,
    "job": anything,
    "profiling": anything,
    "metrics": anything,
    "lr_scheduler": anything,
    "checkpoint": anything,
    "comm": anything,
    "validation": _disabled("enable", "enabled"),
    "experimental": _disabled(
        "custom_import",
        "custom_args_module",
        "context_parallel_degree",
        "pipeline_parallel_degree",
        "enable_async_tensor_parallel",
        "enable_compiled_autograd",
    ),
    "memory_estimation": anything,
    "fault_tolerance": _disabled("enable"),
}

OPTIMIZER_FORMS = {"fused": "fused", "foreach": "foreach", "for-loop": "foreach=False"}

TITAN_PLAN = (
    "colwise=layers.*.attention.w(q|k|v), layers.*.feed_forward.w(1|3), rowwise=layers.*.attention.wo, "
    "layers.*.feed_forward.w2, vocab=tok_embeddings, output, gather=layers.*.(attention|feed_forward), sequence"
)


def _titan_mesh(parallelism: Table, ranks: int | None) -> dict[str, int]:
    replicate, shard = (
        int(parallelism.get(f"data_parallel_{name}_degree", otherwise))
        for name, otherwise in (("replicate", 1), ("shard", -1))
    )
    tensor, context = (int(parallelism.get(f"{name}_parallel_degree", 1)) for name in ("tensor", "context"))
    if context > 1 and replicate > 1 and shard == 1:
        fail("parallelism.context_parallel_degree", "shards of cp alone that dp replicates are not modelled")
    if shard == -1 and not ranks:
        fail("parallelism.data_parallel_shard_degree", "-1 takes all processes that are left: say ranks=8")
    if shard == -1 and ranks:
        shard = ranks // (replicate * tensor * context)
    if ranks and replicate * shard * tensor * context != ranks:
        fail("parallelism", f"{replicate} * {shard} * {context} * {tensor} are not {ranks} processes")
    sizes = {"dp": replicate, "fsdp": shard} if replicate > 1 else {"dp": shard}
    sizes |= {"cp": context, "tp": tensor}
    return {axis: size for axis, size in sizes.items() if size > 1}


def _titan_data(training: Table, parallelism: Table, mesh: Mapping[str, int]) -> dict[str, str]:
    """fully_shard(), else replicate() and autocast; torchtitan leaves mixed precision out for tensor plans alone."""
    param, reduce = (
        training.get(f"mixed_precision_{name}", otherwise)
        for name, otherwise in (("param", "bfloat16"), ("reduce", "float32"))
    )
    replicated = int(parallelism.get("data_parallel_replicate_degree", 1)) > 1 and "fsdp" not in mesh
    if not mesh.keys() & {"dp", "fsdp", "cp"} or replicated:
        if replicated and "tp" in mesh:
            fail("parallelism.data_parallel_replicate_degree", "torchtitan has no DDP of tensor-parallel modules")
        data = {"data": "ddp(bucket_cap_mb=100)"} if replicated else {}
        return data | ({"precision": param} if param != "float32" and "tp" not in mesh else {})
    reshard = parallelism.get("fsdp_reshard_after_forward", "default") != "never"
    types = f", param_dtype={param}, reduce_dtype={reduce}" if param != "float32" else ""
    return {"data": f"fsdp(layers.*, reshard_after_forward={reshard}{types})"}


def _torchtitan(config: Table, ranks: int | None) -> dict[str, Any]:
    for section, given in config.items():
        known = TITAN.get(section)
        if known is None:
            fail(section, f"nobody knows this section; known are {', '.join(sorted(TITAN))}")
        if isinstance(known, Mapping):
            check(given, known, f"{section}.")
        else:
            check({section: given}, {section: known}, "")
    training, parallelism = config.get("training", {}), config.get("parallelism", {})
    mesh = _titan_mesh(parallelism, ranks)
    optimizer = config.get("optimizer", {})
    form = OPTIMIZER_FORMS.get(optimizer.get("implementation", "fused"))
    if form is None:
        fail("optimizer.implementation", f"known are {', '.join(OPTIMIZER_FORMS)}")
    arguments: dict[str, Any] = {
        "mesh": mesh,
        "meta_device": True,
        "optimizer": f"{str(optimizer.get('name', 'AdamW')).lower()}({form})",
        **_titan_data(training, parallelism, mesh),
    }
    if "cp" in mesh and parallelism.get("context_parallel_rotate_method") == "alltoall":
        arguments["context"] = "ring(rotate_method=alltoall)"
    if "tp" in mesh:
        cut = not parallelism.get("disable_loss_parallel", False)
        arguments["tensor"] = TITAN_PLAN + (", loss_parallel" if cut else "")
    mode = config.get("activation_checkpoint", {}).get("mode", "selective")
    if mode == "selective":
        option = str(config.get("activation_checkpoint", {}).get("selective_ac_option", "2"))
        if option not in ("op", "1"):
            fail(
                "activation_checkpoint.selective_ac_option",
                f"{option!r}, every so many layers, is not modelled; 'op' is",
            )
        arguments["checkpoint"] = "layers.*(save=matmul/2)" if option == "op" else "layers.*"
    if mode == "full":
        arguments["checkpoint"] = "layers.*"
    return arguments


# ---- files ----


def _read(path: Path) -> Any:
    if path.suffix == ".json":
        return json.loads(path.read_text())
    if path.suffix == ".toml":
        try:
            import tomllib
        except ImportError as error:  # Python 3.10
            raise ConfigError(f"{path}: TOML is read by Python 3.11 and newer") from error
        return tomllib.loads(path.read_text())
    try:
        import yaml
    except ImportError as error:
        raise ConfigError(f"{path}: PyYAML is needed to read YAML") from error
    return yaml.safe_load(path.read_text())


def load_config(path: str | os.PathLike[str], module: nn.Module, *, ranks: int | None = None) -> dict[str, Any]:
    """Arguments of estimate() from a configuration that people have: Accelerate's YAML (FSDP2, DDP,
    DeepSpeed), DeepSpeed's JSON, torchtitan's TOML.

    module: which the configuration names modules of. ranks: all processes, where the file leaves them open. A key that
    matters and is not modelled, or that nobody knows, raises ConfigError, which names it.

    >>> memmodel.torch.estimate(model, (tokens,), **memmodel.torch.load_config("accelerate.yaml", model))
    """
    file = Path(path)
    config = _read(file)
    if not isinstance(config, Mapping):
        raise ConfigError(f"{file}: no table of keys")
    if "zero_optimization" in config or "train_micro_batch_size_per_gpu" in config:
        return deepspeed.arguments_of(config, module, ranks)
    return _torchtitan(config, ranks) if file.suffix == ".toml" else _accelerate(config, module, file.parent)
