/*
 * Language models that answer: what weights, caches and passes of a transformer take on a GPU, from the config.json of its
 * checkpoint alone.
 *
 * A model is read from a configuration as Hugging Face's hub has it. memmodel_serve() then says how many tokens and
 * requests an engine (vLLM, SGLang, llama.cpp) holds at once on a kind of GPU, by the engine's own rules. What a
 * configuration says too little about, such as the tower of a vision model, is named in the answer.
 * doc/guide/serving.md has the rules and their sources.
 */
#ifndef MEMMODEL_LLM_H
#define MEMMODEL_LLM_H

#include "memmodel/context.h"
#include "memmodel/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A language model as its config.json describes it, immutable. @since 0.1 */
typedef struct memmodel_llm memmodel_llm;

/** What an engine holds of a model on one GPU, immutable. @since 0.1 */
typedef struct memmodel_serving memmodel_serving;

/** How transformers' generate() is called. Zero means the default for every field. @since 0.1 */
struct memmodel_generate_options {
    size_t size;           /**< sizeof(struct memmodel_generate_options) */
    const char *dtype;     /**< of weights and activations, such as "float32". @nullable @default the configuration's */
    const char *cache;     /**< "dynamic", or "static": made for all tokens at once. @nullable @default "dynamic" */
    int64_t batch;         /**< sequences. @default 1 */
    int64_t prompt_tokens; /**< of each, 1 or more. @default 128 */
    int64_t new_tokens;    /**< that are generated, 1 or more. @default 128 */
    int64_t budget;        /**< bytes of tensors that it may take, for a verdict. @unit bytes @default no verdict */
};

/** What a generation takes. @since 0.1 */
struct memmodel_generate_result {
    size_t size;          /**< sizeof(struct memmodel_generate_result), set by the caller */
    int64_t weight_bytes; /**< parameters and buffers. @unit bytes */
    int64_t cache_bytes;  /**< keys and values of all tokens but the last. @unit bytes */
    int64_t token_bytes;  /**< that the cache grows by with the last token. @unit bytes */
    int64_t peak;         /**< of tensors, weights included. @unit bytes */
    int64_t prefill_peak; /**< in the pass over the prompt. @unit bytes */
    int64_t first_peak;   /**< in the pass of the second token, the first over one alone; 0: there is none.
                                @unit bytes */
    int64_t last_peak;    /**< in the pass of the last token; 0: there is none. @unit bytes */
    int64_t headroom;     /**< budget less the peak, where there is a budget. @unit bytes */
    int32_t verdict;      /**< enum memmodel_verdict */
    int32_t reserved;     /**< 0 */
};

/** How the network of a model is built. Zero means the default for every field. @since 0.1 */
struct memmodel_llm_build_options {
    size_t size;          /**< sizeof(struct memmodel_llm_build_options) */
    const char *dtype;    /**< of weights and activations, such as "float32". @nullable @default the configuration's */
    int32_t without_loss; /**< 1: the network returns logits; else the cross entropy with "labels" */
    /** of adapters as peft's LoraConfig makes them (LoRA), which are trained alone, in float32: layers are called as peft calls
     *  them, such as "base_model.model.model.layers.0.self_attn.q_proj". @default 0: all weights are trained */
    int32_t lora_rank;
    /** linear layers that have an adapter, as peft's target_modules: names, or ends of names after a dot, with commas between,
     *  such as "q_proj,v_proj", or "all-linear". @nullable @default those of peft for the model_type */
    const char *lora_targets;
    /** of the weights of linear layers but the head, which are frozen: "nf4", as bitsandbytes' Linear4bit has them, or "none".
     *  @nullable @default the configuration's */
    const char *quantization;
    /** 1: of "nf4", the scales of weights are quantized as well: bnb_4bit_use_double_quant */
    int32_t double_quantization;
    /** 1: peft's prepare_model_for_kbit_training() has prepared it, quantized and with adapters: what is not packed is in
     *  float32, and each layer is recomputed in the backward pass */
    int32_t prepare_kbit;
    /** 1: use_gradient_checkpointing=False: no layer is recomputed */
    int32_t without_gradient_checkpointing;
    int32_t reserved; /**< 0 */
    /** in which packed weights are multiplied, bnb_4bit_compute_dtype. @nullable @default `dtype` */
    const char *compute_dtype;
};

/** A model in numbers. @since 0.1 */
struct memmodel_llm_result {
    size_t size;              /**< sizeof(struct memmodel_llm_result), set by the caller */
    const char *model_type;   /**< such as "llama"; lives as long as the model. @transfer none */
    const char *dtype;        /**< of its weights, such as "bfloat16"; a static string. @transfer none */
    const char *quantization; /**< such as "awq", "none" where there is none; a static string. @transfer none */
    int64_t layer_count;      /**< decoder layers */
    int64_t attention_count;  /**< of those, layers with a cache of keys and values of their own */
    int64_t hidden_size;      /**< elements of a token between layers */
    int64_t vocabulary_size;  /**< tokens that there are */
    int64_t parameter_count;  /**< elements of all weights that are modelled, tied ones once */
    int64_t max_length;       /**< positions that it was trained for, scaling of rotary embeddings included */
};

/** How a model is served. Zero means the default for every field. @since 0.1 */
struct memmodel_serve_options {
    size_t size;                /**< sizeof(struct memmodel_serve_options) */
    const char *engine;         /**< "vllm", "sglang" or "llamacpp". @nullable @default "vllm" */
    const char *engine_version; /**< such as "0.11"; newer ones count tokens of hybrid models in another way. @nullable
                                     @default the newest */
    /** kind of GPU, as in struct memmodel_job, such as "h100"; not needed where `gpu_bytes` or `cache_bytes` is given.
     *  @nullable */
    const char *gpu;
    const char *mesh;         /**< tensor, pipeline, data and expert parallel, such as "tp=2,pp=1". @nullable
                                   @default one GPU */
    const char *dtype;        /**< of weights and activations, such as "float16". @nullable
                                   @default the configuration's */
    const char *quantization; /**< of the weights of linear layers, such as "fp8", "int8", "nf4", "awq", "gptq",
                                   "nvfp4", "mxfp4" or "none". @nullable @default the configuration's */
    const char *kv;         /**< elements of the cache: "auto", "bfloat16", "float16", "float32", "fp8", "nvfp4", and of
                         llama.cpp such as "q8_0" and "q4_0". @nullable @default "auto" */
    double utilization;     /**< of the GPU's memory, above 0, at most 1: vLLM's gpu_memory_utilization, SGLang's
                                 mem_fraction_static. @default 0.9 */
    double sliding_ratio;   /**< of SGLang: tokens of sliding layers' pool to that of full ones, above 0.
                                 @default 0.8 */
    int64_t gpu_bytes;      /**< of the GPU; of SGLang what is free before the model is loaded. @unit bytes
                                 @default that of the GPU */
    int64_t weight_bytes;   /**< that the engine takes for weights, where they are known, as from its log. @unit bytes
                                 @default computed */
    int64_t cache_bytes;    /**< that the engine gives the cache, where they are known; the GPU is not asked then.
                                 @unit bytes @default computed */
    int64_t max_length;     /**< tokens of a request; of llama.cpp the context, which `max_sequences` share.
                                 @default the model's */
    int64_t max_sequences;  /**< requests at most at once. @default the engine's */
    int64_t batched_tokens; /**< tokens of one pass: vLLM's max_num_batched_tokens, llama.cpp's n_ubatch.
                                 @default the engine's */
    int64_t block_size;     /**< tokens of a block or page of the cache. @default the engine's */
    int64_t draft_layers;   /**< more layers of the same kind, of a draft model. @default 0 */
    int32_t kv_unified;     /**< 1: of llama.cpp, one cache that all sequences share */
    /** 1: what sees or hears is not loaded, as by vLLM's option of that name */
    int32_t language_model_only;
};

/** What an engine holds. Bytes are of the fullest GPU. @since 0.1 */
struct memmodel_serving_result {
    size_t size;              /**< sizeof(struct memmodel_serving_result), set by the caller */
    int64_t gpu_bytes;        /**< of the GPU; 0 where it is not known. @unit bytes */
    int64_t budget;           /**< of those, for the engine. @unit bytes */
    int64_t weight_bytes;     /**< weights, as the engine's allocator rounds them. @unit bytes */
    int64_t activation_bytes; /**< most that a pass of `batched_tokens` takes besides. @unit bytes */
    int64_t context_bytes;    /**< besides the framework's tensors: kernels, communicators. @unit bytes */
    int64_t cache_bytes;      /**< for the cache, what is left of the budget; below 0 where nothing is. @unit bytes */
    int64_t token_bytes;      /**< of the cache, one more token of one long request, sliding layers left out.
                                    @unit bytes */
    int64_t request_bytes;    /**< of the cache, one request of `max_length`. @unit bytes */
    int64_t block_count;      /**< blocks or pages of the cache */
    int64_t block_size;       /**< tokens of one */
    int64_t group_count;      /**< groups of layers that share the blocks */
    int64_t token_count;      /**< tokens of the cache, as the engine reports them */
    int64_t request_count;    /**< requests of `max_length` at once, by the cache and by `max_sequences` */
    int64_t max_length;       /**< tokens of a request that was asked for */
    int64_t longest;          /**< tokens of the longest request that fits, of at most `max_length`; 0: none */
    int64_t max_sequences;    /**< that the engine allows at once */
    int64_t batched_tokens;   /**< of one pass */
    double concurrency;       /**< requests of `max_length` that the cache holds, as vLLM reports it */
    int32_t verdict;          /**< enum memmodel_verdict: whether weights and one request of `max_length` fit */
    int32_t reserved;         /**< 0 */
};

/** A part of the cache: layers that are alike. @since 0.1 */
struct memmodel_serving_pool {
    size_t size;         /**< sizeof(struct memmodel_serving_pool), set by the caller */
    const char *kind;    /**< "full", "sliding", "latent", "recurrent" or "index"; a static string. @transfer none */
    int64_t layer_count; /**< layers of one GPU */
    int64_t token_count; /**< tokens, cells or, of recurrent layers, requests that it holds */
    int64_t key_bytes;   /**< keys; all of a latent or recurrent pool. @unit bytes */
    int64_t value_bytes; /**< values. @unit bytes */
    int64_t block_size;  /**< tokens of a block; 0 where there are none */
};

/**
 * Read a model from its config.json.
 *
 * @param[in]  context  the model keeps a reference
 * @param[in]  path     the file, or the folder that it lies in
 * @param[out] llm      new model with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_IO, MEMMODEL_ERROR_PARSE (with the key that is missing or
 *          wrong, and its line), MEMMODEL_ERROR_UNSUPPORTED (a "model_type" that is not known, with those that are),
 *          MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_llm_load(memmodel_context *context, const char *path, memmodel_llm **llm);

/**
 * As memmodel_llm_load(), from memory.
 *
 * @param[in]  context  the model keeps a reference
 * @param[in]  name     what to call the text in errors
 * @param[in]  text     `length` characters. @length length
 * @param[in]  length   of `text`
 * @param[out] llm      new model with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_PARSE, MEMMODEL_ERROR_UNSUPPORTED, MEMMODEL_ERROR_OVERFLOW,
 *          MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads the context's
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_llm_from_json(memmodel_context *context, const char *name, const char *text, size_t length,
                       memmodel_llm **llm);

/**
 * The network of a training step, as transformers has the modules of Llama and of what is built alike: decoders with
 * attention to all tokens, rotated positions and gated feed-forward parts, or experts as Mixtral and Qwen3-MoE have them,
 * whose rows are multiplied in groups. Layers are called as the modules are, such as "model.layers.0.self_attn.q_proj"; the
 * symbols "batch" and "length" are the sequences and the tokens of each. With a `lora_rank` adapters are trained over weights
 * that are frozen.
 *
 * @param[in]  llm      model
 * @param[in]  options  how it is built. @nullable
 * @param[in]  context  limits and errors of this call, and what the network keeps a reference to; NULL: the model's. @nullable
 * @param[out] network  new network with one reference, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (such as a target that no linear layer is called by), MEMMODEL_ERROR_UNSUPPORTED
 *          (what the model has that is not known), MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_OVERFLOW,
 *          MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads any: the model is only read
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_llm_build(const memmodel_llm *llm, const struct memmodel_llm_build_options *options, memmodel_context *context,
                   memmodel_network **network);

/**
 * The model in numbers.
 *
 * @param[in]     llm     model
 * @param[in,out] result  its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_llm_get_result(const memmodel_llm *llm, struct memmodel_llm_result *result);

/**
 * What transformers' generate() takes with a model: peaks of the passes, and the cache.
 *
 * Peaks are of live tensors on a CPU; on a GPU those of the same layers are there, and workspaces of its libraries besides.
 *
 * @param[in]     llm      model
 * @param[in]     options  NULL: all defaults. @nullable
 * @param[in]     context  errors of this call; NULL: the model's own. @nullable
 * @param[in,out] result   its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (an unknown type or cache, more tokens than the model has positions),
 *          MEMMODEL_ERROR_UNSUPPORTED (recurrent layers, packed weights), MEMMODEL_ERROR_OVERFLOW,
 *          MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED
 * @threads any, each with a context of its own
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_generate(const memmodel_llm *llm, const struct memmodel_generate_options *options, memmodel_context *context,
                  struct memmodel_generate_result *result);

/** Take one more reference. @param[in] llm  not NULL @returns `llm` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_llm *
memmodel_llm_ref(memmodel_llm *llm);

/** Drop one reference. @param[in] llm  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_llm_unref(memmodel_llm *llm);

/**
 * How many tokens and requests an engine holds at once.
 *
 * A model that does not fit is no error: the result's verdict says so, and what is missing.
 *
 * @param[in]  llm      model
 * @param[in]  options  NULL: all defaults. @nullable
 * @param[in]  context  limits and errors of this call; NULL: the model's own. @nullable
 * @param[out] serving  the answer, untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT (an unknown engine, type or axis; an axis that does not divide heads,
 *          layers or experts), MEMMODEL_ERROR_UNSUPPORTED (a GPU without a profile, an engine that has no such cache),
 *          MEMMODEL_ERROR_OVERFLOW, MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT,
 *          MEMMODEL_ERROR_CANCELLED
 * @threads any, each with a context of its own
 * @complexity O(layers * log(layers))
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_serve(const memmodel_llm *llm, const struct memmodel_serve_options *options, memmodel_context *context,
               memmodel_serving **serving);

/**
 * How many GPUs it takes: the least size of an axis of the mesh with which the model and one request of `max_length` fit.
 *
 * @param[in]  llm      model
 * @param[in]  options  as memmodel_serve() takes them; the axis's own size in `mesh` is ignored. NULL: all defaults.
 *                      @nullable
 * @param[in]  axis     "tp" or "pp"
 * @param[in]  context  limits and errors of this call; NULL: the model's own. @nullable
 * @param[out] min      1, 2, 4, ... up to 1,024; 0 if none that the model can be cut into fits. Untouched on error.
 * @returns 0, what memmodel_serve() returns
 * @threads any, each with a context of its own
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_serve_min(const memmodel_llm *llm, const struct memmodel_serve_options *options, const char *axis,
                   memmodel_context *context, int64_t *min);

/**
 * What the engine holds.
 *
 * @param[in]     serving  answer
 * @param[in,out] result   its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_serving_get_result(const memmodel_serving *serving, struct memmodel_serving_result *result);

/**
 * Number of parts of the cache.
 *
 * @param[in] serving  answer
 * @returns parts
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API size_t
memmodel_serving_pool_count(const memmodel_serving *serving);

/**
 * A part of the cache.
 *
 * @param[in]     serving  answer
 * @param[in]     index    from 0
 * @param[in,out] pool     its size is set by the caller
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_STRUCT_SIZE
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_serving_get_pool(const memmodel_serving *serving, size_t index, struct memmodel_serving_pool *pool);

/**
 * What takes memory and is not in the answer, such as "vision tower".
 *
 * @param[in] serving  answer
 * @param[in] index    from 0
 * @returns a text that lives as long as the answer; NULL past the last one. @transfer none @nullable
 * @threads any
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API const char *
memmodel_serving_unmodelled(const memmodel_serving *serving, size_t index);

/**
 * All of the answer as JSON, whose members are called as the fields.
 *
 * @param[in]  serving  answer
 * @param[in]  context  limits and errors of this call; NULL: the model's own. @nullable
 * @param[out] text     memmodel_free() it. Untouched on error. @transfer full
 * @returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT
 * @threads any, each with a context of its own
 * @stability testing
 * @since 0.1
 */
MEMMODEL_API int
memmodel_serving_to_json(const memmodel_serving *serving, memmodel_context *context, char **text);

/** Take one more reference. @param[in] serving  not NULL @returns `serving` @transfer full @threads any
 *  @stability testing @since 0.1 */
MEMMODEL_API memmodel_serving *
memmodel_serving_ref(memmodel_serving *serving);

/** Drop one reference. @param[in] serving  may be NULL @nullable @threads any @stability testing @since 0.1 */
MEMMODEL_API void
memmodel_serving_unref(memmodel_serving *serving);

#ifdef __cplusplus
}
#endif

#endif
