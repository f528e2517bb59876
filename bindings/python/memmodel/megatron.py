"""Memory of a Megatron-LM training of a GPT, from its arguments: what the last rank keeps and takes.

A closed formula, by what Megatron-LM and Transformer Engine keep: megatron/core/distributed/param_and_grad_buffer.py,
optimizer/distrib_optimizer.py, tensor_parallel/cross_entropy.py and pipeline_parallel/schedules.py; activations of a
layer as in Korthikanti and others 2022, without its scores where attention is fused. The last rank has the last stage
of the pipeline, and writes the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

KIB, MIB = 1 << 10, 1 << 20
HOPPER = ("h100", "h200", "b200", "gb200", "gb300")

REFUSED = {
    "account_for_embedding_in_pipeline_split": "stages of unlike layers",
    "account_for_loss_in_pipeline_split": "stages of unlike layers",
    "data_parallel_sharding_strategy": "Megatron-FSDP",
    "decoder_first_pipeline_num_layers": "stages of unlike layers",
    "decoder_last_pipeline_num_layers": "stages of unlike layers",
    "defer_embedding_wgrad_compute": "what waits for gradients of the embedding",
    "encoder_num_layers": "encoders",
    "fine_grained_activation_offloading": "it",
    "fp4_format": "float4",
    "fp8": "float8",
    "fp8_format": "float8",
    "is_hybrid_model": "hybrid models",
    "moe_layer_freq": "a dense layer between experts",
    "moe_shared_expert_intermediate_size": "an expert of all tokens",
    "mtp_num_layers": "multi-token prediction",
    "multi_latent_attention": "latent attention",
    "optimizer": "an optimizer besides Adam",
    "optimizer_cpu_offload": "it",
    "overlap_moe_expert_parallel_comm": "it",
    "pipeline_model_parallel_layout": "it",
    "use_megatron_fsdp": "Megatron-FSDP",
    "use_torch_fsdp2": "FSDP2",
}


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
            if self.flag(name) and (name, self.text(name)) != ("optimizer", "adam"):
                raise MegatronError(f"{name}: {what} is not modelled; leave it out")

    def number(self, name: str, otherwise: int | None = None) -> int:
        value = self._given.get(name)
        if value is None or value == "":
            if otherwise is None:
                raise MegatronError(f"{name}: give it, as on Megatron-LM's command line")
            return otherwise
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


@dataclass(frozen=True)
class _Model:
    """The arguments as numbers of one rank."""

    layers: int  # of the stage
    width: int
    inner: int
    heads: int
    query_key_value: int
    vocabulary: int
    length: int
    batch: int
    tensor: int
    stages: int
    context: int
    data: int
    sequence: int  # ranks that share what is replicated along tp otherwise
    gated: bool
    fused_attention: bool
    engine: bool  # Transformer Engine
    experts: int  # of this rank in each layer; 0: there are none
    expert_inner: int
    all_experts: int
    chosen: int  # experts of a token
    expert_tensor: int
    expert_data: int


def _divide(what: int, by: int, name: str) -> int:
    if what % by:
        raise MegatronError(f"{name}: {what} is not divided by {by}")
    return what // by


def _model_of(given: _Arguments, ranks: int) -> _Model:
    width, heads = given.number("hidden_size"), given.number("num_attention_heads")
    tensor, stages = given.number("tensor_model_parallel_size", 1), given.number("pipeline_model_parallel_size", 1)
    context = given.number("context_parallel_size", 1)
    head = given.number("kv_channels", _divide(width, heads, "hidden_size"))
    groups = given.number("num_query_groups", heads)
    gated = given.flag("swiglu")
    inner = given.number("ffn_hidden_size", int(4 * width * 2 / 3) // 64 * 64 if gated else 4 * width)
    unit = given.number("make_vocab_size_divisible_by", 128) * tensor
    vocabulary = -(-given.number("vocab_size") // unit) * unit
    engine = given.text("transformer_impl") != "local"
    experts = given.number("num_experts", 1) if given.flag("num_experts") else 0
    expert_ranks = given.number("expert_model_parallel_size", 1) if experts else 1
    expert_tensor = given.number("expert_tensor_parallel_size", tensor)
    return _Model(
        layers=_divide(given.number("num_layers"), stages, "num_layers"),
        width=width,
        inner=inner,
        heads=heads,
        query_key_value=head * (heads + 2 * groups),
        vocabulary=vocabulary,
        length=given.number("seq_length"),
        batch=given.number("micro_batch_size", 1),
        tensor=tensor,
        stages=stages,
        context=context,
        data=_divide(ranks, tensor * stages * context, "ranks"),
        sequence=tensor if given.flag("sequence_parallel") else 1,
        gated=gated,
        fused_attention=engine and given.text("attention_backend") not in ("unfused", "local"),
        engine=engine,
        experts=_divide(experts, expert_ranks, "num_experts"),
        expert_inner=given.number("moe_ffn_hidden_size", inner),
        all_experts=experts,
        chosen=given.number("moe_router_topk", 2),
        expert_tensor=expert_tensor,
        expert_data=_divide(ranks, stages * expert_tensor * expert_ranks, "ranks") if experts else 1,
    )


def _parameters(given: _Arguments, model: _Model) -> tuple[float, float]:
    """Of the last stage, whose output layer is a copy of the embedding; then those of its experts."""
    h, t, inner = model.width, model.tensor, model.inner * (2 if model.gated else 1)
    biased = not given.flag("disable_bias_linear")
    attention = (model.query_key_value + h) * h / t + (model.query_key_value / t + h if biased else 0)
    dense = (inner + model.inner) * h / t + (inner / t + h if biased else 0)
    one = model.expert_inner * (2 if model.gated else 1)
    experts = model.experts * ((one + model.expert_inner) * h + (one if biased else 0)) / model.expert_tensor
    layer = attention + 4 * h + (model.all_experts * h if model.experts else dense)
    count = model.layers * layer + 2 * h + model.vocabulary * h / t
    if model.stages == 1:
        count += model.vocabulary * h / t if given.flag("untie_embeddings_and_output_weights") else 0
        if given.text("position_embedding_type") in ("", "learned_absolute"):
            count += given.number("max_position_embeddings", model.length) * h
    return count, model.layers * experts


def _bytes_of_parameter(given: _Arguments, shared_by: int) -> float:
    """Weight, gradient, which bfloat16 has in float32, and the states of Adam: master weight and two more, which a
    distributed optimizer shares out."""
    bf16, fp16 = given.flag("bf16"), given.flag("fp16")
    shared_by = shared_by if given.flag("use_distributed_optimizer") else 1
    if not bf16 and not fp16:
        return 8 + 8 / shared_by
    shared = (12 if bf16 else 16) * given.number("num_distributed_optimizer_instances", 1) / shared_by
    return (6 if bf16 else 4) + min(shared, 12 if bf16 else 16)  # fp16 has gradients in both types


def _weights(given: _Arguments, model: _Model) -> float:
    dense, experts = _parameters(given, model)
    found = dense * _bytes_of_parameter(given, model.data * model.context)
    return found + experts * _bytes_of_parameter(given, model.expert_data)


def _experts(model: _Model) -> float:
    """Of tokens that are shared out evenly: as they are sent and as they come, what products get, what they give."""
    tokens = model.length * model.batch / model.context / model.sequence * model.chosen
    inner = model.expert_inner * (4 if model.gated else 2) + 2 * model.expert_inner
    return tokens * (3 * 2 * model.width + inner)


def _layer(model: _Model) -> float:
    """Activations of a layer for one microbatch: inputs of norms and of products, what GELU or SwiGLU gets, masks of
    dropout; without a kernel for attention its scores, too, in two copies with a mask."""
    h, t, one = model.width, model.tensor, model.sequence
    tokens = model.length * model.batch / model.context
    inner = model.inner * (4 if model.gated else 2) + 2 * model.inner
    found = tokens * (10 * h / one + (2 * model.query_key_value + 2 * h + (0 if model.experts else inner)) / t)
    found += _experts(model) if model.experts else 0
    if not model.fused_attention:
        found += 5 * model.heads / t * model.length * model.length * model.batch
    return found


def _in_flight(given: _Arguments, model: _Model) -> int:
    """Layers of the stage that wait for their backward passes: the last stage has one microbatch, interleaved stages
    all that were run ahead of the last part of the model."""
    if model.stages == 1 or not given.flag("num_layers_per_virtual_pipeline_stage"):
        return model.layers
    part = given.number("num_layers_per_virtual_pipeline_stage")
    parts = _divide(model.layers, part, "num_layers_per_virtual_pipeline_stage")
    group = given.number("microbatch_group_size_per_virtual_pipeline_stage", model.stages)
    batches = given.number("global_batch_size") // (model.batch * model.data) or 1
    return part * min((parts - 1) * group + 1, parts * batches)


def _activations(given: _Arguments, model: _Model) -> float:
    layer, waiting = _layer(model), _in_flight(given, model)
    tokens = model.length * model.batch / model.context
    granularity = given.text("recompute_granularity")
    if granularity == "full":
        kept = 2 * tokens * model.width / model.sequence
        if given.text("recompute_method") == "block":
            some = min(given.number("recompute_num_layers", model.layers), model.layers)
            return waiting / model.layers * (some * kept + (model.layers - some) * layer) + layer
        together = given.number("recompute_num_layers", 1)
        return waiting * kept / together + layer * together
    if granularity == "selective" and not model.fused_attention:
        scores = 5 * model.heads / model.tensor * model.length * model.length * model.batch
        return waiting * (layer - scores) + scores
    return waiting * layer


def _logits(given: _Arguments, model: _Model) -> float:
    """In float32 from the forward pass of the cross entropy on, and the gradient in bfloat16; fused in both types."""
    each = 10 if given.flag("cross_entropy_loss_fusion") else 6
    return model.length * model.batch / model.context * model.vocabulary / model.tensor * each


def _workspace(model: _Model, gpu: str, cublas_workspace: str | None) -> int:
    """Of cuBLAS for two threads, and of Transformer Engine: transformer_engine/pytorch/module/base.py."""
    newer = gpu.lower() in HOPPER
    cublas = 32 * MIB if newer else 8 * MIB + 128 * KIB
    if cublas_workspace:
        parts = cublas_workspace.strip(":").split(":")
        if len(parts) % 2 or not all(part.isdecimal() for part in parts):
            raise MegatronError(f"cublas_workspace: {cublas_workspace!r} is not written as :4096:8")
        cublas = sum(int(size) * KIB * int(count) for size, count in zip(parts[::2], parts[1::2], strict=True))
    return 2 * cublas + ((32 if newer else 4) * MIB if model.engine else 0)


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
    if ranks < 1:
        raise MegatronError(f"ranks: {ranks} is not positive")
    given = _Arguments(arguments)
    model = _model_of(given, ranks)
    weights = _weights(given, model)
    activations, logits = _activations(given, model), _logits(given, model)
    workspace = _workspace(model, gpu, cublas_workspace)
    return MegatronMemory(
        resident=round(weights + workspace),
        peak=round(weights + workspace + activations + logits),
        weights=round(weights),
        activations=round(activations),
        logits=round(logits),
        workspace=workspace,
    )
