/* Parameters of a decoder that is trained, in the order of transformers' modules. */
#include "base/text.h"
#include "serving/decoder.h"

enum { NONE = MEMMODEL_TENSOR_NONE };

/* Each is called as its module is. */
memmodel_tensor
decoder_parameter(struct decoder *decoder, const char *module, const char *role, int rank, const memmodel_dim *dims)
{
    struct text name = TEXT_INIT(decoder->llm->context);
    memmodel_tensor tensor = MEMMODEL_ERROR_NO_MEMORY;

    text_printf(&name, "%s.%s", module, role);
    if (!name.failed)
        tensor = memmodel_network_parameter(decoder->network, name.bytes, decoder->dtype, rank, dims, 1);
    decoder->failed = decoder->failed || name.failed;
    text_release(&name);
    return tensor;
}

static struct decoder_projection
declare_projection(struct decoder *decoder, const char *module, int64_t units, int64_t inputs, bool has_bias)
{
    struct decoder_projection projection = {.bias = NONE, .units = units};

    projection.weight = decoder_parameter(decoder, module, "weight", 2, (memmodel_dim[]){units, inputs});
    if (has_bias)
        projection.bias = decoder_parameter(decoder, module, "bias", 1, (memmodel_dim[]){units});
    return projection;
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

void
decoder_declare_block(struct decoder *decoder, struct decoder_block *block)
{
    struct text text = TEXT_INIT(decoder->llm->context), *name = &text;
    const struct llm_layer *layer = &decoder->llm->layers[decoder->layer];
    bool bias = decoder->llm->tensors.mlp_bias;
    int64_t hidden = decoder->llm->hidden, inner = layer->intermediate;

    declare_attention(decoder, name, block);
    block->gate = declare_projection(decoder, module_name(name, decoder->layer, "mlp.gate_proj"), inner, hidden, bias);
    block->up = declare_projection(decoder, module_name(name, decoder->layer, "mlp.up_proj"), inner, hidden, bias);
    block->down = declare_projection(decoder, module_name(name, decoder->layer, "mlp.down_proj"), hidden, inner, bias);
    block->input_norm = decoder_parameter(decoder, module_name(name, decoder->layer, "input_layernorm"), "weight", 1,
                                          (memmodel_dim[]){hidden});
    block->post_norm = decoder_parameter(decoder, module_name(name, decoder->layer, "post_attention_layernorm"),
                                         "weight", 1, (memmodel_dim[]){hidden});
    decoder->failed = decoder->failed || text.failed;
    text_release(&text);
}
