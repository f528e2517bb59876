"""Language models that answer: what an engine holds of one, from the config.json of its checkpoint."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from memmodel import _call, _ffi, _limits
from memmodel.network import Network
from memmodel.quantity import format_bytes, parse_bytes


class LanguageModel:
    """A model as its config.json describes it.

    >>> model = memmodel.LanguageModel.load("llama-3.1-8b/config.json")
    >>> model.parameter_count

    quantization: of its weights, "none" where there is none. attention_count: layers with a cache of keys and values of
    their own. max_length: positions that it was trained for.
    """

    __slots__ = ("__weakref__", "_handle", "_result")
    _handle: _ffi.LlmHandle
    _result: _ffi.LlmResult

    def __init__(self) -> None:
        raise TypeError("LanguageModel: load() or from_json() makes one")

    @classmethod
    def _of(cls, handle: _ffi.LlmHandle) -> LanguageModel:
        self = cls.__new__(cls)
        self._handle = handle
        self._result = _ffi.llm_get_result(handle)
        return self

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LanguageModel:
        """Reads a config.json, or that of a folder."""
        return cls._of(_ffi.llm_load(_limits.new_context(), os.fspath(path)))

    @classmethod
    def from_json(cls, text: str, name: str = "config.json") -> LanguageModel:
        """Reads its text. name: what errors call it."""
        return cls._of(_ffi.llm_from_json(_limits.new_context(), name, text))

    def network(
        self,
        *,
        dtype: str | None = None,
        loss: bool = True,
        lora_rank: int = 0,
        lora_targets: str | Iterable[str] | None = None,
        quantization: str | None = None,
        double_quantization: bool = False,
        prepare_kbit: bool = False,
        gradient_checkpointing: bool = True,
        compute_dtype: str | None = None,
    ) -> Network:
        """The network of a training step, with the symbols "batch" and "length", in `dtype` ("bfloat16", "float32") or
        the configuration's own; without `loss` it returns logits. Decoders that are built as Llama is, or as Mixtral
        and Qwen3-MoE with experts.

        lora_rank: of adapters as peft's LoraConfig makes them, which are trained alone. lora_targets: linear layers
        that have one, such as "q_proj,v_proj" or "all-linear"; those of peft for the model unless given.
        quantization: of the weights of linear layers but the head, "nf4" of bitsandbytes or "none", the configuration's
        unless given; with double_quantization of their scales too, multiplied in `compute_dtype`, else in `dtype`.
        prepare_kbit: as peft's prepare_model_for_kbit_training() leaves it, with its gradient_checkpointing or without.

        >>> memmodel.estimate(memmodel.LanguageModel.load("config.json").network(), batch=1, length=4096).peak
        """
        targets = ",".join(lora_targets) if lora_targets and not isinstance(lora_targets, str) else lora_targets
        options = _ffi.LlmBuildOptions(
            dtype=dtype, without_loss=not loss, lora_rank=lora_rank, lora_targets=targets or None,
            quantization=quantization, double_quantization=double_quantization, prepare_kbit=prepare_kbit,
            without_gradient_checkpointing=prepare_kbit and not gradient_checkpointing, compute_dtype=compute_dtype,
        )  # fmt: skip
        return Network._of(_ffi.llm_build(self._handle, options, _limits.new_context()))

    @property
    def model_type(self) -> str:
        return _call.decoded(self._result.model_type)

    @property
    def dtype(self) -> str:
        return _call.decoded(self._result.dtype)

    @property
    def quantization(self) -> str:
        return _call.decoded(self._result.quantization)

    @property
    def layer_count(self) -> int:
        return int(self._result.layer_count)

    @property
    def attention_count(self) -> int:
        return int(self._result.attention_count)

    @property
    def hidden_size(self) -> int:
        return int(self._result.hidden_size)

    @property
    def vocabulary_size(self) -> int:
        return int(self._result.vocabulary_size)

    @property
    def parameter_count(self) -> int:
        return int(self._result.parameter_count)

    @property
    def max_length(self) -> int:
        return int(self._result.max_length)

    def __repr__(self) -> str:
        return f"<LanguageModel {self.model_type}: {self.layer_count} layers, {self.parameter_count:,} parameters>"


def _handle(model: LanguageModel | str | os.PathLike[str]) -> _ffi.LlmHandle:
    return (model if isinstance(model, LanguageModel) else LanguageModel.load(model))._handle


class CachePool(NamedTuple):
    """Layers of a cache that are alike.

    kind: "full", "sliding", "latent" or "recurrent". token_count: tokens that it holds, of a recurrent pool requests.
    key_bytes: keys, all of a latent pool.
    """

    kind: str
    layer_count: int
    token_count: int
    key_bytes: int
    value_bytes: int
    block_size: int


class Serving:
    """What serve() found. Bytes are of the fullest GPU.

    verdict: "fits", "exceeds", or "none" where neither a GPU nor bytes were given. request_count: requests of
    max_length at once. token_count: tokens as the engine reports them. concurrency: requests that the cache holds.
    longest: tokens of the longest request that fits. unmodelled: what takes memory and is not counted.
    """

    def __init__(self, handle: _ffi.ServingHandle) -> None:
        result = _ffi.serving_get_result(handle)
        self._handle = handle
        self.verdict = _call.word(_ffi.Verdict, result.verdict)
        self.gpu_bytes: int = result.gpu_bytes
        self.budget: int = result.budget
        self.weight_bytes: int = result.weight_bytes
        self.activation_bytes: int = result.activation_bytes
        self.context_bytes: int = result.context_bytes
        self.cache_bytes: int = result.cache_bytes
        self.token_bytes: int = result.token_bytes
        self.request_bytes: int = result.request_bytes
        self.block_count: int = result.block_count
        self.block_size: int = result.block_size
        self.group_count: int = result.group_count
        self.token_count: int = result.token_count
        self.request_count: int = result.request_count
        self.max_length: int = result.max_length
        self.longest: int = result.longest
        self.max_sequences: int = result.max_sequences
        self.batched_tokens: int = result.batched_tokens
        self.concurrency: float = result.concurrency
        count = _ffi.serving_pool_count(handle)
        self.pools = tuple(_pool(_ffi.serving_get_pool(handle, index)) for index in range(count))
        self.unmodelled = tuple(_notes(handle))

    def to_json(self) -> str:
        return _ffi.serving_to_json(self._handle, _limits.new_context())

    def __repr__(self) -> str:
        weights, cache = format_bytes(self.weight_bytes), format_bytes(self.cache_bytes)
        return f"<Serving: {weights} weights, {cache} cache, {self.token_count:,} tokens, {self.verdict}>"


def _pool(pool: _ffi.ServingPool) -> CachePool:
    return CachePool(
        _call.decoded(pool.kind), pool.layer_count, pool.token_count, pool.key_bytes, pool.value_bytes, pool.block_size
    )


def _notes(handle: _ffi.ServingHandle) -> list[str]:
    notes: list[str] = []
    while (note := _ffi.serving_unmodelled(handle, len(notes))) is not None:
        notes.append(note)
    return notes


def _mesh(mesh: str | dict[str, int] | None) -> str | None:
    return ",".join(f"{axis}={size}" for axis, size in mesh.items()) if isinstance(mesh, dict) else mesh


def _options(
    *, mesh: str | dict[str, int] | None = None, gpu_bytes: int | str = 0, weight_bytes: int | str = 0,
    cache_bytes: int | str = 0, kv_unified: bool = False, language_model_only: bool = False, **others: Any,
) -> _ffi.ServeOptions:  # fmt: skip
    """Of what serve() takes."""
    for name in others.keys() - _ffi.ServeOptions.__annotations__.keys():
        raise TypeError(f"there is no option {name!r}")
    return _ffi.ServeOptions(
        mesh=_mesh(mesh), gpu_bytes=parse_bytes(gpu_bytes, "gpu_bytes"),
        weight_bytes=parse_bytes(weight_bytes, "weight_bytes"), cache_bytes=parse_bytes(cache_bytes, "cache_bytes"),
        kv_unified=int(kv_unified), language_model_only=int(language_model_only), **others,
    )  # fmt: skip


def serve(
    model: LanguageModel | str | os.PathLike[str],
    *,
    engine: str | None = None,
    engine_version: str | None = None,
    gpu: str | None = None,
    mesh: str | dict[str, int] | None = None,
    dtype: str | None = None,
    quantization: str | None = None,
    kv: str | None = None,
    utilization: float = 0.0,
    sliding_ratio: float = 0.0,
    gpu_bytes: int | str = 0,
    weight_bytes: int | str = 0,
    cache_bytes: int | str = 0,
    max_length: int = 0,
    max_sequences: int = 0,
    batched_tokens: int = 0,
    block_size: int = 0,
    draft_layers: int = 0,
    kv_unified: bool = False,
    language_model_only: bool = False,
) -> Serving:
    """How many tokens and requests an engine holds at once of a language model.

    model: a LanguageModel, or the path of its config.json. engine: "vllm" (unless given), "sglang" or "llamacpp". gpu:
    kind of GPU, such as "h100". mesh: such as {"tp": 2} or "tp=2,pp=1". kv: elements of the cache, such as "fp8".
    utilization: part of the GPU's memory for the engine, 0.9 unless given. weight_bytes, cache_bytes: what an engine's
    log says they are, in place of what is computed. The others are named as in the command line `memmodel serve`.

    >>> memmodel.serve("llama-3.1-8b/config.json", gpu="h100", max_length=32768).request_count
    """
    options = _options(
        engine=engine, engine_version=engine_version, gpu=gpu, mesh=mesh, dtype=dtype, quantization=quantization, kv=kv,
        utilization=utilization, sliding_ratio=sliding_ratio, gpu_bytes=gpu_bytes, weight_bytes=weight_bytes,
        cache_bytes=cache_bytes, max_length=max_length, max_sequences=max_sequences, batched_tokens=batched_tokens,
        block_size=block_size, draft_layers=draft_layers, kv_unified=kv_unified,
        language_model_only=language_model_only,
    )  # fmt: skip
    return Serving(_ffi.serve(_handle(model), options, _limits.new_context()))


def serve_min(model: LanguageModel | str | os.PathLike[str], axis: str = "tp", **options: Any) -> int:
    """How many GPUs it takes: the least of 1, 2, 4, ... along an axis of the mesh, "tp" or "pp", with which the model
    and one request fit; 0 if none does. Takes what serve() takes.

    >>> memmodel.serve_min("llama-3.3-70b/config.json", gpu="h100", max_length=32768)
    """
    return _ffi.serve_min(_handle(model), _options(**options), axis, _limits.new_context())


class Generation(NamedTuple):
    """What generate() found, in bytes.

    prefill_peak: of the pass over the prompt; first_peak, last_peak: of the first and last pass over one token, None
    where there is none. cache_bytes: keys and values in the end. token_bytes: that the cache grows by with the last
    token.
    """

    weight_bytes: int
    cache_bytes: int
    token_bytes: int
    peak: int
    prefill_peak: int
    first_peak: int | None
    last_peak: int | None
    verdict: str
    headroom: int | None


def generate(
    model: LanguageModel | str | os.PathLike[str],
    *,
    batch: int = 0,
    prompt_tokens: int = 0,
    new_tokens: int = 0,
    dtype: str | None = None,
    cache: str | None = None,
    budget: int | str = 0,
) -> Generation:
    """What transformers' generate() takes with a language model: weights, cache, and peaks of live tensors.

    model: a LanguageModel, or the path of its config.json. batch: sequences, 1 unless given. prompt_tokens,
    new_tokens: 128 unless given. cache: "dynamic" unless given, or "static". budget: bytes for a verdict, or a text
    such as "24GiB".

    >>> memmodel.generate("llama-3.1-8b/config.json", batch=8, prompt_tokens=2048, new_tokens=512).peak
    """
    options = _ffi.GenerateOptions(
        dtype=dtype,
        cache=cache,
        batch=batch,
        prompt_tokens=prompt_tokens,
        new_tokens=new_tokens,
        budget=parse_bytes(budget, "budget"),
    )
    result = _ffi.generate(_handle(model), options, _limits.new_context())
    return Generation(
        result.weight_bytes,
        result.cache_bytes,
        result.token_bytes,
        result.peak,
        result.prefill_peak,
        result.first_peak or None,
        result.last_peak or None,
        _call.word(_ffi.Verdict, result.verdict),
        result.headroom if budget else None,
    )
