"""Memory of a Megatron-LM training of a GPT, from its arguments: what the last rank keeps and takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memmodel import _ffi, _limits
from memmodel.errors import MemmodelError

REFUSED = {
    "encoder_num_layers": "encoders",
    "experimental_attention_variant": "it",
    "export_kd_cfg": "a teacher",
    "fine_grained_activation_offloading": "it",
    "fp4_format": "float4",
    "fp8_recipe": "another recipe than delayed, tensorwise and blockwise",
    "fp8": "float8 by this name",
    "is_hybrid_model": "hybrid models",
    "optimizer": "an optimizer besides Adam and Muon",
    "optimizer_cpu_offload": "it",
    "use_torch_fsdp2": "FSDP2",
}
KNOWN = {"optimizer": ("adam", "muon"), "fp8_recipe": ("delayed", "tensorwise", "blockwise")}

NUMBERS = (
    "num_layers", "hidden_size", "ffn_hidden_size", "num_attention_heads", "num_query_groups", "kv_channels",
    "vocab_size", "make_vocab_size_divisible_by", "seq_length", "max_position_embeddings", "micro_batch_size",
    "global_batch_size", "tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size",
    "expert_model_parallel_size", "expert_tensor_parallel_size", "num_layers_per_virtual_pipeline_stage",
    "num_distributed_optimizer_instances", "num_experts", "moe_ffn_hidden_size", "moe_router_topk",
    "recompute_num_layers", "num_virtual_stages_per_pipeline_rank", "decoder_first_pipeline_num_layers",
    "decoder_last_pipeline_num_layers", "moe_shared_expert_intermediate_size", "mtp_num_layers", "q_lora_rank",
    "kv_lora_rank", "qk_head_dim", "qk_pos_emb_head_dim", "v_head_dim", "wgrad_deferral_limit",
)  # fmt: skip

FLAGS = (
    "bf16", "fp16", "swiglu", "untie_embeddings_and_output_weights", "use_distributed_optimizer", "sequence_parallel",
    "disable_bias_linear", "cross_entropy_loss_fusion", "account_for_embedding_in_pipeline_split",
    "account_for_loss_in_pipeline_split", "multi_latent_attention", "qk_layernorm", "moe_grouped_gemm",
    "defer_embedding_wgrad_compute", "tp_comm_overlap", "fp8_param_gather",
)  # fmt: skip

TEXTS = ("moe_layer_freq", "pipeline_model_parallel_layout", "recompute_modules")

SHARDING = {"": 0, "no_shard": 0, "optim": 1, "optim_grads": 2, "optim_grads_params": 3}
RECOMPUTE = {"": 0, "selective": 1, "uniform": 2, "block": 3}


class MegatronError(ValueError):
    """Arguments that ask for what is not modelled, or that do not fit together."""


class MegatronMemory(NamedTuple):
    """Bytes of PyTorch's allocator: between steps, and at most; then the parts of the peak."""

    resident: int
    peak: int
    weights: int  # with gradients and the optimizer's states
    activations: int
    logits: int
    workspace: int


class _Arguments:
    """Of Megatron's command line, by their names with or without dashes."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = {name.lstrip("-").replace("-", "_"): value for name, value in given.items()}
        for name, what in REFUSED.items():
            if self.flag(name) and self.text(name) not in KNOWN.get(name, ()):
                raise MegatronError(f"{name}: {what} is not modelled; leave it out")

    def number(self, name: str) -> int:
        value = self._given.get(name)
        if value is None or value == "":
            return 0
        try:
            number = int(value)
        except (TypeError, ValueError):
            raise MegatronError(f"{name}: {value!r} is no whole number") from None
        if not 0 < number < 1 << 31:
            raise MegatronError(f"{name}: {number} is not positive, or too large")
        return number

    def flag(self, name: str) -> bool:
        return str(self._given.get(name, "")).lower() not in ("", "false", "none", "0")

    def text(self, name: str) -> str:
        return str(self._given.get(name) or "").lower()

    def letters(self, name: str) -> str | None:
        return str(self._given[name]) if self.flag(name) else None

    def is_zero(self, name: str) -> bool:
        try:
            return float(self._given.get(name, 0.1)) == 0
        except (TypeError, ValueError):
            raise MegatronError(f"{name}: {self._given[name]!r} is no number") from None

    def sharding(self) -> int:
        if not self.flag("use_megatron_fsdp"):
            return 0
        strategy = self.text("data_parallel_sharding_strategy").strip('"')
        if strategy not in SHARDING:
            known = ", ".join(SHARDING)
            raise MegatronError(f"data_parallel_sharding_strategy: {strategy!r} is not known; {known} are")
        return SHARDING[strategy]

    def recompute(self) -> int:
        granularity = self.text("recompute_granularity")
        return RECOMPUTE[granularity if granularity != "full" else self.text("recompute_method") or "uniform"]


def estimate(
    arguments: Mapping[str, Any], ranks: int, *, gpu: str = "h100", cublas_workspace: str | None = None
) -> MegatronMemory:
    """Memory of the last of so many ranks of pretrain_gpt.py.

    arguments: Megatron-LM's, by their names as on its command line. gpu: its kind. cublas_workspace: as in
    CUBLAS_WORKSPACE_CONFIG. Experts get equally many tokens, which is an assumption. What is not modelled raises
    MegatronError, which names the argument.

    >>> memmodel.megatron.estimate({"num-layers": 12, "hidden-size": 512, "num-attention-heads": 8, "seq-length": 1024,
    ...     "micro-batch-size": 4, "vocab-size": 50257, "bf16": True, "use-distributed-optimizer": True}, 8).peak
    """
    given = _Arguments(arguments)
    group = given.number("microbatch_group_size_per_virtual_pipeline_stage")
    try:
        recompute = given.recompute()
    except KeyError as error:
        raise MegatronError(f"recompute_granularity: {error} is not known; selective and full are") from None
    options = _ffi.MegatronOptions(
        gpu=gpu, cublas_workspace=cublas_workspace, ranks=ranks, microbatch_group_size=group, recompute=recompute,
        rotary_positions=given.text("position_embedding_type") not in ("", "learned_absolute")
        or given.flag("use_rotary_position_embeddings"),
        unfused_attention=given.text("attention_backend") in ("unfused", "local"),
        local_transformer=given.text("transformer_impl") == "local",
        no_attention_dropout=given.is_zero("attention_dropout"), no_hidden_dropout=given.is_zero("hidden_dropout"),
        rms_norm=given.text("normalization") == "rmsnorm", muon=given.text("optimizer") == "muon",
        fp8=given.flag("fp8_format"), sharding=given.sharding(),
        no_layer_wise_param_layout=given.flag("no_use_layer_wise_param_layout"),
        **{name: given.letters(name) for name in TEXTS},
        **{name: given.number(name) for name in NUMBERS}, **{name: given.flag(name) for name in FLAGS},
    )  # fmt: skip
    try:
        found = _ffi.estimate_megatron(options, _limits.new_context())
    except MemmodelError as error:
        raise MegatronError(str(error)) from None
    parts = (getattr(found, name) for name in MegatronMemory._fields)
    return MegatronMemory(*parts)
