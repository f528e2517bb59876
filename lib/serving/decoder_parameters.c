/* Parameters of a decoder that is trained, in the order of transformers' modules. */
#include "base/text.h"
#include "serving/decoder.h"

#include <string.h>

enum { NONE = MEMMODEL_TENSOR_NONE };

/* peft wraps the model. */
static const char *
prefix(const struct decoder *decoder)
{
    return decoder->lora_rank ? "base_model.model." : "";
}

/* Each is called as its module is. */
memmodel_tensor
decoder_tensor(struct decoder *decoder, const char *module, const char *role, const struct memmodel_shape *shape,
               bool trainable)
{
    struct text name = TEXT_INIT(decoder->llm->context);
    memmodel_tensor tensor = MEMMODEL_ERROR_NO_MEMORY;

    text_printf(&name, "%s%s.%s", prefix(decoder), module, role);
    if (!name.failed)
        tensor =
            memmodel_network_parameter(decoder->network, name.bytes, shape->dtype, shape->rank, shape->dims, trainable);
    decoder->failed = decoder->failed || name.failed;
    text_release(&name);
    return tensor;
}

static memmodel_tensor
parameter(struct decoder *decoder, const char *module, const char *role, int dtype, int rank, const memmodel_dim *dims,
          bool trainable)
{
    struct memmodel_shape shape = {.rank = rank, .dtype = dtype};

    memcpy(shape.dims, dims, (size_t)rank * sizeof *dims);
    return decoder_tensor(decoder, module, role, &shape, trainable);
}

memmodel_tensor
decoder_parameter(struct decoder *decoder, const char *module, const char *role, int rank, const memmodel_dim *dims)
{
    return parameter(decoder, module, role, decoder->dtype, rank, dims, decoder->lora_rank == 0);
}

memmodel_tensor
decoder_buffer(struct decoder *decoder, const char *module, const char *role, int64_t size)
{
    return parameter(decoder, module, role, MEMMODEL_DTYPE_FLOAT32, 1, (memmodel_dim[]){size}, false);
}

/* What peft makes beside a layer: in float32, whatever the layer is in (autocast_adapter_dtype). */
static void
declare_adapter(struct decoder *decoder, const char *module, struct decoder_projection *projection)
{
    int64_t rank = decoder->lora_rank;

    projection->lora_a = parameter(decoder, module, "lora_A.default.weight", MEMMODEL_DTYPE_FLOAT32, 2,
                                   (memmodel_dim[]){rank, projection->inputs}, true);
    projection->lora_b = parameter(decoder, module, "lora_B.default.weight", MEMMODEL_DTYPE_FLOAT32, 2,
                                   (memmodel_dim[]){projection->units, rank}, true);
}

struct decoder_projection
decoder_declare_projection(struct decoder *decoder, const char *module, int64_t units, int64_t inputs, bool has_bias,
                           memmodel_tensor shared)
{
    struct decoder_projection projection = {shared, NONE, NONE, NONE, NONE, NONE, .units = units, .inputs = inputs};
    bool adapted = decoder_is_adapted(decoder, module);

    if (decoder->packed && strcmp(module, "lm_head") != 0)
        decoder_declare_packed(decoder, module, adapted, &projection);
    else if (shared < 0)
        projection.weight = decoder_parameter(decoder, module, adapted ? "base_layer.weight" : "weight", 2,
                                              (memmodel_dim[]){units, inputs});
    if (has_bias)
        projection.bias =
            decoder_parameter(decoder, module, adapted ? "base_layer.bias" : "bias", 1, (memmodel_dim[]){units});
    if (adapted)
        declare_adapter(decoder, module, &projection);
    return projection;
}

static struct decoder_projection
declare_projection(struct decoder *decoder, const char *module, int64_t units, int64_t inputs, bool has_bias)
{
    return decoder_declare_projection(decoder, module, units, inputs, has_bias, NONE);
}

static const char *
module_name(struct text *text, size_t layer, const char *module)
{
    text->length = 0;
    text_printf(text, "model.layers.%zu.%s", layer, module);
    return text->failed ? "" : text->bytes;
}

static void
declare_attention(struct decoder *decoder, struct text *name, struct decoder_block *block)
{
    const struct llm_layer *layer = &decoder->llm->layers[decoder->layer];
    const struct llm_tensors *tensors = &decoder->llm->tensors;
    int64_t hidden = decoder->llm->hidden, queries = layer->heads * layer->head_size,
            keys = layer->kv_heads * layer->head_size;

    block->query = declare_projection(decoder, module_name(name, decoder->layer, "self_attn.q_proj"), queries, hidden,
                                      tensors->qkv_bias);
    block->key = declare_projection(decoder, module_name(name, decoder->layer, "self_attn.k_proj"), keys, hidden,
                                    tensors->qkv_bias);
    block->value = declare_projection(decoder, module_name(name, decoder->layer, "self_attn.v_proj"), keys, hidden,
                                      tensors->qkv_bias);
    block->output = declare_projection(decoder, module_name(name, decoder->layer, "self_attn.o_proj"), hidden, queries,
                                       tensors->output_bias);
    block->query_norm = block->key_norm = NONE;
    if (tensors->query_norm == 0)
        return;
    block->query_norm = decoder_parameter(decoder, module_name(name, decoder->layer, "self_attn.q_norm"), "weight", 1,
                                          (memmodel_dim[]){layer->head_size});
    block->key_norm = decoder_parameter(decoder, module_name(name, decoder->layer, "self_attn.k_norm"), "weight", 1,
                                        (memmodel_dim[]){layer->head_size});
}

/* Routers come first where weights are not cast: in the order of the modules. */
static void
declare_experts(struct decoder *decoder, struct text *name, struct decoder_block *block)
{
    const struct llm_experts *experts = &decoder->llm->experts;
    int64_t hidden = decoder->llm->hidden;
    memmodel_dim router[] = {experts->count, hidden}, up[] = {experts->count, 2 * experts->intermediate, hidden},
                 down[] = {experts->count, hidden, experts->intermediate};

    if (!experts->casts_weights)
        block->router = decoder_parameter(decoder, module_name(name, decoder->layer, "mlp.gate"), "weight", 2, router);
    block->gate_up =
        decoder_parameter(decoder, module_name(name, decoder->layer, "mlp.experts"), "gate_up_proj", 3, up);
    block->down_rows =
        decoder_parameter(decoder, module_name(name, decoder->layer, "mlp.experts"), "down_proj", 3, down);
    if (experts->casts_weights)
        block->router = decoder_parameter(decoder, module_name(name, decoder->layer, "mlp.gate"), "weight", 2, router);
}

static void
declare_feed_forward(struct decoder *decoder, struct text *name, struct decoder_block *block)
{
    const struct llm_layer *layer = &decoder->llm->layers[decoder->layer];
    bool bias = decoder->llm->tensors.mlp_bias;
    int64_t hidden = decoder->llm->hidden, inner = layer->intermediate;

    if (layer->feed == FEED_EXPERTS) {
        declare_experts(decoder, name, block);
        return;
    }
    block->gate = declare_projection(decoder, module_name(name, decoder->layer, "mlp.gate_proj"), inner, hidden, bias);
    block->up = declare_projection(decoder, module_name(name, decoder->layer, "mlp.up_proj"), inner, hidden, bias);
    block->down = declare_projection(decoder, module_name(name, decoder->layer, "mlp.down_proj"), hidden, inner, bias);
}

void
decoder_declare_block(struct decoder *decoder, struct decoder_block *block)
{
    struct text text = TEXT_INIT(decoder->llm->context), *name = &text;
    int64_t hidden = decoder->llm->hidden;

    declare_attention(decoder, name, block);
    declare_feed_forward(decoder, name, block);
    block->input_norm = decoder_parameter(decoder, module_name(name, decoder->layer, "input_layernorm"), "weight", 1,
                                          (memmodel_dim[]){hidden});
    block->post_norm = decoder_parameter(decoder, module_name(name, decoder->layer, "post_attention_layernorm"),
                                         "weight", 1, (memmodel_dim[]){hidden});
    decoder->failed = decoder->failed || text.failed;
    text_release(&text);
}
