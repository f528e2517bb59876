/* From a configuration to the network of a training step: memmodel_llm_build(). */
#include "base/choice.h"
#include "base/environment.h"
#include "base/text.h"
#include "network/network.h"
#include "serving/decoder.h"

#include <string.h>

/* ---- what is known ---- */

/* Why a layer cannot be built, or NULL. */
static const char *
unlike(const memmodel_llm *llm, const struct llm_layer *layer)
{
    const struct llm_tensors *tensors = &llm->tensors;

    if (layer->mixer != MIXER_FULL)
        return "attention that is not to all tokens";
    if (layer->feed == FEED_EXPERTS &&
        (llm->experts.shared || llm->experts.has_correction ||
         (strcmp(llm->model_type, "mixtral") != 0 && strcmp(llm->model_type, "qwen3_moe") != 0)))
        return "experts that are not those of Mixtral or Qwen3-MoE";
    if ((layer->feed != FEED_DENSE && layer->feed != FEED_EXPERTS) || tensors->plain_mlp)
        return "a feed-forward part that is not one gated projection";
    if (layer->shares_cache || tensors->gated_query || tensors->sinks || tensors->query_norm > 1)
        return "queries, keys or values with more than a projection";
    if (tensors->positions > 0 || tensors->rotary_size != layer->head_size)
        return "positions that are no rotation of whole heads";
    if (tensors->norm_count != 2 || tensors->norm_bias || tensors->per_layer_size > 0 || tensors->no_head)
        return "other norms, embeddings or heads";
    return NULL;
}

static int
check(const memmodel_llm *llm, memmodel_context *context)
{
    for (size_t i = 0; i < llm->layer_count; i++) {
        const char *what = unlike(llm, &llm->layers[i]);

        if (what)
            return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "model_type",
                                 "training a \"%s\" is not modelled from its configuration: it has %s; export the "
                                 "module by memmodel.torch",
                                 llm->model_type, what);
    }
    return 0;
}

/* ---- the model ---- */

static memmodel_tensor
named_whole(struct decoder *decoder, const char *operation, memmodel_tensor x, const struct memmodel_shape *shape,
            const char *attributes)
{
    memmodel_tensor inputs[] = {x, MEMMODEL_TENSOR_NONE};
    size_t count = x < 0 ? 0 : attributes ? 2 : 1;

    return memmodel_network_custom(
        decoder->network, inputs, count,
        MEMMODEL_CUSTOM(.outputs = shape, .output_count = 1, .operation = operation, .attributes = attributes));
}

static void
set_grad(struct decoder *decoder, const char *enabled)
{
    const struct memmodel_shape nothing = {{0}, 1, MEMMODEL_DTYPE_UINT8};

    named_whole(decoder, "memmodel.set_grad_enabled", MEMMODEL_TENSOR_NONE, &nothing, enabled);
}

/* A table of angles' sines or cosines, scaled, in the model's type. */
static memmodel_tensor
table(struct decoder *decoder, const char *operation, memmodel_tensor angles)
{
    int64_t size = decoder->llm->layers[0].head_size;
    const struct memmodel_shape wide = {{1, decoder->length, size}, 3, MEMMODEL_DTYPE_FLOAT32},
                                narrow = {{1, decoder->length, size}, 3, decoder->dtype};
    memmodel_tensor made = named_whole(decoder, operation, angles, &wide, NULL);
    memmodel_tensor scaled = named_whole(decoder, "aten.mul.Tensor", made, &wide, "other=1.0");

    return decoder->dtype == MEMMODEL_DTYPE_FLOAT32 ? scaled : decoder_cast(decoder, scaled, &narrow);
}

/* LlamaRotaryEmbedding, of positions that are counted. */
static void
rotary(struct decoder *decoder, memmodel_tensor frequencies)
{
    const struct memmodel_shape counted = {{decoder->length}, 1, MEMMODEL_DTYPE_INT64},
                                floats = {{1, decoder->length, 1}, 3, MEMMODEL_DTYPE_FLOAT32};
    memmodel_tensor angles, column;

    decoder->positions = named_whole(decoder, "aten.arange.default", MEMMODEL_TENSOR_NONE, &counted, NULL);
    decoder->positions = named_whole(decoder, "aten.add.Tensor", decoder->positions, &counted, "other=0");
    decoder->rows =
        memmodel_network_reshape(decoder->network, decoder->positions, 2, (memmodel_dim[]){1, decoder->length});
    set_grad(decoder, "enabled=0");
    memmodel_network_push_scope(decoder->network, "rotary_emb");
    column = memmodel_network_reshape(decoder->network, decoder->rows, 3, (memmodel_dim[]){1, decoder->length, 1});
    column = decoder_cast(decoder, column, &floats);
    angles = decoder_binary(decoder, MEMMODEL_BINARY_MULTIPLY, column, frequencies);
    angles =
        memmodel_network_concat(decoder->network, (memmodel_tensor[]){angles, angles}, 2, MEMMODEL_CONCAT(.axis = -1));
    decoder->cosine = table(decoder, "aten.cos.default", angles);
    decoder->sine = table(decoder, "aten.sin.default", angles);
    memmodel_network_pop_scope(decoder->network);
    set_grad(decoder, "enabled=1");
}

/* enable_input_require_grads(): so that checkpoints have a gradient to compute. */
static memmodel_tensor
ask_for_gradient(struct decoder *decoder, memmodel_tensor x)
{
    const struct memmodel_shape shape = {{decoder->batch, decoder->length, decoder->llm->hidden}, 3, decoder->dtype};

    return named_whole(decoder, "memmodel.requires_grad", x, &shape, NULL);
}

/* LlamaModel: what its names hold goes when it returns. */
static memmodel_tensor
model(struct decoder *decoder, memmodel_tensor words, memmodel_tensor embedding, memmodel_tensor frequencies,
      const struct decoder_block *blocks, memmodel_tensor last_norm)
{
    memmodel_tensor x;

    memmodel_network_push_scope(decoder->network, "model");
    memmodel_network_push_scope(decoder->network, "embed_tokens");
    memmodel_network_use_parameter(decoder->network, "weight", embedding);
    decoder->embedded = x =
        memmodel_network_embedding(decoder->network, words,
                                   MEMMODEL_EMBEDDING(.num_embeddings = decoder->llm->vocabulary,
                                                      .embedding_dim = decoder->llm->hidden, .dtype = decoder->dtype));
    memmodel_network_pop_scope(decoder->network);
    if (decoder->recomputed)
        decoder->embedded = x = ask_for_gradient(decoder, x);
    rotary(decoder, frequencies);
    memmodel_network_push_scope(decoder->network, "layers");
    for (decoder->layer = 0; decoder->layer < decoder->llm->layer_count; decoder->layer++)
        x = decoder_block(decoder, &blocks[decoder->layer], x);
    memmodel_network_pop_scope(decoder->network);
    words = decoder_norm(decoder, "norm", x, last_norm, decoder->llm->hidden);
    decoder_end(decoder, decoder->embedded);
    decoder_end(decoder, decoder->positions);
    decoder_end(decoder, decoder->rows);
    decoder_end(decoder, decoder->cosine);
    decoder_end(decoder, decoder->sine);
    decoder_end(decoder, x);
    memmodel_network_pop_scope(decoder->network);
    memmodel_network_pop_scope(decoder->network);
    return words;
}

/* The cross entropy of all tokens, computed in float32, of which the caller keeps the number alone. */
static void
add_loss(struct decoder *decoder, memmodel_tensor logits, memmodel_tensor labels)
{
    int64_t words = decoder->llm->vocabulary;
    const struct memmodel_shape wide = {{decoder->batch, decoder->length, words}, 3, MEMMODEL_DTYPE_FLOAT32};
    memmodel_tensor loss;

    if (decoder->dtype != MEMMODEL_DTYPE_FLOAT32)
        logits = decoder_cast(decoder, logits, &wide);
    logits = memmodel_network_reshape(decoder->network, logits, 2, (memmodel_dim[]){MEMMODEL_DIM_INFER, words});
    labels = memmodel_network_reshape(decoder->network, labels, 1, (memmodel_dim[]){MEMMODEL_DIM_INFER});
    loss = memmodel_network_loss(decoder->network, logits, labels, MEMMODEL_LOSS(.kind = MEMMODEL_LOSS_CROSS_ENTROPY));
    memmodel_network_mark_output(decoder->network, loss);
}

static void
build(struct decoder *decoder, struct decoder_block *blocks, bool with_loss)
{
    const memmodel_llm *llm = decoder->llm;
    memmodel_network *network = decoder->network;
    memmodel_dim table[] = {llm->vocabulary, llm->hidden}, tokens[] = {decoder->batch, decoder->length};
    struct decoder_projection head;
    memmodel_tensor embedding = decoder_parameter(decoder, "model.embed_tokens", "weight", 2, table), last_norm;
    memmodel_tensor frequencies, words, labels = MEMMODEL_TENSOR_NONE, logits;

    for (decoder->layer = 0; decoder->layer < llm->layer_count; decoder->layer++)
        decoder_declare_block(decoder, &blocks[decoder->layer]);
    last_norm = decoder_parameter(decoder, "model.norm", "weight", 1, (memmodel_dim[]){llm->hidden});
    head = decoder_declare_projection(decoder, "lm_head", llm->vocabulary, llm->hidden, false,
                                      llm->tensors.tied ? embedding : MEMMODEL_TENSOR_NONE);
    frequencies = decoder_buffer(decoder, "model.rotary_emb", "inv_freq", llm->layers[0].head_size / 2);
    decoder_buffer(decoder, "model.rotary_emb", "original_inv_freq", llm->layers[0].head_size / 2);
    words = memmodel_network_input(network, "input_ids", MEMMODEL_DTYPE_INT64, 2, tokens);
    if (with_loss)
        labels = memmodel_network_input(network, "labels", MEMMODEL_DTYPE_INT64, 2, tokens);
    if (decoder->lora_rank)
        memmodel_network_push_scope(network, "base_model.model");
    words = model(decoder, words, embedding, frequencies, blocks, last_norm);
    logits = decoder_project(decoder, "lm_head", words, &head);
    decoder_end(decoder, words);
    if (!with_loss)
        decoder_end(decoder, logits);
    memmodel_network_pop_scope(network);
    if (with_loss)
        add_loss(decoder, logits, labels);
    else
        memmodel_network_mark_output(network, logits);
    if (decoder->lora_rank)
        memmodel_network_pop_scope(network);
}

static const int types[] = {[ELEMENT_FLOAT32] = MEMMODEL_DTYPE_FLOAT32,
                            [ELEMENT_FLOAT16] = MEMMODEL_DTYPE_FLOAT16,
                            [ELEMENT_BFLOAT16] = MEMMODEL_DTYPE_BFLOAT16};

int
decoder_type_of(memmodel_context *context, const char *option, const char *name, int *dtype)
{
    enum element element;

    if (!element_of_name(name, &element))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, option,
                             "\"%s\" is no type of weights; write bfloat16, float16 or float32", name);
    *dtype = types[element];
    return 0;
}

static int
build_type(const struct memmodel_llm_build_options *options, memmodel_context *context, const memmodel_llm *llm,
           int *dtype)
{
    *dtype = types[llm->dtype];
    return options->dtype && *options->dtype ? decoder_type_of(context, "dtype", options->dtype, dtype) : 0;
}

static int
build_all(const memmodel_llm *llm, const struct memmodel_llm_build_options *options, memmodel_context *context,
          memmodel_network **network)
{
    struct decoder decoder = {.llm = llm};
    struct decoder_block *blocks = memory_allocate_zeroed(context, llm->layer_count + 1, sizeof *blocks);
    int status = blocks ? build_type(options, context, llm, &decoder.dtype) : MEMMODEL_ERROR_NO_MEMORY;

    if (!status)
        status = check(llm, context);
    if (!status)
        status = decoder_read_quantization(&decoder, options, context);
    if (!status)
        status = decoder_read_adapters(&decoder, options, context);
    if (!status && llm->experts.count > 0 && (decoder.packed || decoder.lora_rank))
        status = context_error(context, MEMMODEL_ERROR_UNSUPPORTED, decoder.packed ? "quantization" : "lora_rank",
                               "adapters and packed weights are not modelled where there are experts");
    if (!status)
        status = memmodel_network_new(context, &decoder.network);
    if (!status) {
        decoder.batch = memmodel_network_symbol(decoder.network, "batch");
        decoder.length = memmodel_network_symbol(decoder.network, "length");
        build(&decoder, blocks, !options->without_loss);
        status = decoder.failed ? context_error(context, MEMMODEL_ERROR_NO_MEMORY, NULL, "no memory for a layer's name")
                                : network_check(decoder.network, context);
    }
    memory_release(context, blocks);
    if (status)
        memmodel_network_unref(decoder.network);
    else
        *network = decoder.network;
    return status;
}

int
memmodel_llm_build(const memmodel_llm *llm, const struct memmodel_llm_build_options *options, memmodel_context *context,
                   memmodel_network **network)
{
    OWN_ENVIRONMENT;
    struct memmodel_llm_build_options own = {0};
    int status;

    if (!llm || !network)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : llm->context;
    status = options ? options_copy(context, "memmodel_llm_build_options", options, &own, sizeof own) : 0;
    if (!status)
        status = flag_check(context, "without_loss", "without_loss", own.without_loss);
    if (!status)
        status = flag_check(context, "double_quantization", "double_quantization", own.double_quantization);
    if (!status)
        status = flag_check(context, "prepare_kbit", "prepare_kbit", own.prepare_kbit);
    if (!status)
        status = flag_check(context, "without_gradient_checkpointing", "without_gradient_checkpointing",
                            own.without_gradient_checkpointing);
    if (!status && own.reserved)
        status = context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "reserved", "it must be 0");
    return status ? status : build_all(llm, &own, context, network);
}
