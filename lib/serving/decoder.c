/*
 * A layer of a decoder that is trained: Llama's and what is built alike, operator by operator as torch.export sees it. Source:
 * transformers 5.23, models/llama/modeling_llama.py.
 */
#include "base/text.h"
#include "serving/decoder.h"

enum { NONE = MEMMODEL_TENSOR_NONE };

static memmodel_tensor
project_alone(struct decoder *decoder, const char *scope, memmodel_tensor x,
              const struct decoder_projection *projection)
{
    memmodel_tensor result = decoder_project(decoder, scope, x, projection);

    memmodel_network_pop_scope(decoder->network);
    return result;
}

static memmodel_tensor
norm_alone(struct decoder *decoder, const char *scope, memmodel_tensor x, memmodel_tensor weight)
{
    memmodel_tensor result = decoder_norm(decoder, scope, x, weight, decoder->llm->hidden);

    memmodel_network_pop_scope(decoder->network);
    return result;
}

/* ---- attention ---- */

struct heads {
    memmodel_tensor flat, split, turned, rotated;
};

static struct heads
split_heads(struct decoder *decoder, const char *scope, memmodel_tensor x, const struct decoder_projection *projection,
            const char *norm, memmodel_tensor weight)
{
    int64_t size = decoder->llm->layers[decoder->layer].head_size;
    struct heads heads;

    heads.flat = project_alone(decoder, scope, x, projection);
    heads.split =
        memmodel_network_reshape(decoder->network, heads.flat, 4,
                                 (memmodel_dim[]){decoder->batch, decoder->length, projection->units / size, size});
    if (weight >= 0) {
        heads.split =
            decoder_norm_heads(decoder, norm, heads.flat, heads.split, weight, projection->units / size, size);
        heads.flat = NONE;
        memmodel_network_pop_scope(decoder->network);
    }
    heads.turned = memmodel_network_permute(decoder->network, heads.split, 4, (int[]){0, 2, 1, 3});
    heads.rotated = heads.turned;
    return heads;
}

/* rotate_half(x) */
static memmodel_tensor
rotate_half(struct decoder *decoder, memmodel_tensor x)
{
    int64_t size = decoder->llm->layers[decoder->layer].head_size, half = size / 2;
    memmodel_tensor first = memmodel_network_slice(decoder->network, x, MEMMODEL_SLICE(.stop = half, .axis = 3));
    memmodel_tensor second =
        memmodel_network_slice(decoder->network, x, MEMMODEL_SLICE(.start = half, .stop = size, .axis = 3));
    memmodel_tensor negative =
        memmodel_network_activation(decoder->network, second, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_NEGATE));
    memmodel_tensor result =
        memmodel_network_concat(decoder->network, (memmodel_tensor[]){negative, first}, 2, MEMMODEL_CONCAT(.axis = -1));

    decoder_end(decoder, second);
    return result;
}

/* apply_rotary_pos_emb() */
static memmodel_tensor
rotate(struct decoder *decoder, memmodel_tensor x, memmodel_tensor cosine, memmodel_tensor sine)
{
    memmodel_tensor plain = decoder_binary(decoder, MEMMODEL_BINARY_MULTIPLY, x, cosine);
    memmodel_tensor turned = decoder_binary(decoder, MEMMODEL_BINARY_MULTIPLY, rotate_half(decoder, x), sine);

    return decoder_binary(decoder, MEMMODEL_BINARY_ADD, plain, turned);
}

static memmodel_tensor
one_head(struct decoder *decoder, memmodel_tensor table)
{
    int64_t size = decoder->llm->layers[decoder->layer].head_size;

    return memmodel_network_reshape(decoder->network, table, 4, (memmodel_dim[]){1, 1, decoder->length, size});
}

/* What the function's names hold of a projection that is rotated. */
static void
end_heads(struct decoder *decoder, const struct heads *heads)
{
    if (heads->flat != NONE)
        decoder_end(decoder, heads->flat);
    decoder_end(decoder, heads->split);
    decoder_end(decoder, heads->turned);
}

static memmodel_tensor
attend(struct decoder *decoder, const struct decoder_block *block, memmodel_tensor x)
{
    const struct llm_layer *layer = &decoder->llm->layers[decoder->layer];
    struct heads query = split_heads(decoder, "q_proj", x, &block->query, "q_norm", block->query_norm),
                 key = split_heads(decoder, "k_proj", x, &block->key, "k_norm", block->key_norm),
                 value = split_heads(decoder, "v_proj", x, &block->value, NULL, NONE);
    memmodel_tensor cosine = one_head(decoder, decoder->cosine), sine = one_head(decoder, decoder->sine);
    memmodel_tensor attended, same, turned, flat, result;

    query.rotated = rotate(decoder, query.turned, cosine, sine);
    key.rotated = rotate(decoder, key.turned, cosine, sine);
    end_heads(decoder, &query);
    end_heads(decoder, &key);
    decoder_end(decoder, cosine);
    decoder_end(decoder, sine);
    attended =
        memmodel_network_attention(decoder->network, query.rotated, key.rotated, value.turned, NONE,
                                   MEMMODEL_ATTENTION(.causal = 1, .grouped_query = layer->kv_heads != layer->heads));
    same = memmodel_network_reshape(decoder->network, attended, 4,
                                    (memmodel_dim[]){decoder->batch, layer->heads, decoder->length, layer->head_size});
    turned = memmodel_network_permute(decoder->network, same, 4, (int[]){0, 2, 1, 3});
    flat = memmodel_network_reshape(decoder->network, turned, 3,
                                    (memmodel_dim[]){decoder->batch, decoder->length, layer->heads * layer->head_size});
    result = decoder_project(decoder, "o_proj", flat, &block->output);
    decoder_end(decoder, x);
    end_heads(decoder, &value);
    decoder_end(decoder, query.rotated);
    decoder_end(decoder, key.rotated);
    decoder_end(decoder, attended);
    decoder_end(decoder, same);
    decoder_end(decoder, turned);
    memmodel_network_pop_scope(decoder->network);
    return result;
}

static memmodel_tensor
feed_forward(struct decoder *decoder, const struct decoder_block *block, memmodel_tensor x)
{
    memmodel_tensor gate = project_alone(decoder, "gate_proj", x, &block->gate), up, result;

    memmodel_network_push_scope(decoder->network, "act_fn");
    gate = memmodel_network_activation(decoder->network, gate, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_SILU));
    memmodel_network_pop_scope(decoder->network);
    up = project_alone(decoder, "up_proj", x, &block->up);
    result = decoder_project(decoder, "down_proj", decoder_binary(decoder, MEMMODEL_BINARY_MULTIPLY, gate, up),
                             &block->down);
    decoder_end(decoder, x);
    memmodel_network_pop_scope(decoder->network);
    return result;
}

/*
 * GradientCheckpointingLayer.__call__(): what is no positional argument is bound to the function that is called again, and
 * lives as long as that.
 */
static void
recompute(struct decoder *decoder)
{
    const struct memmodel_shape nothing = {{0}, 1, MEMMODEL_DTYPE_UINT8};
    const memmodel_tensor bound[] = {decoder->cosine, decoder->sine, decoder->rows};

    memmodel_network_checkpoint_scope(decoder->network, MEMMODEL_CHECKPOINT_REENTRANT);
    memmodel_network_custom(decoder->network, bound, sizeof bound / sizeof bound[0],
                            MEMMODEL_CUSTOM(.outputs = &nothing, .output_count = 1, .operation = "memmodel.hold"));
}

/* LlamaDecoderLayer */
memmodel_tensor
decoder_block(struct decoder *decoder, const struct decoder_block *block, memmodel_tensor x)
{
    struct text name = TEXT_INIT(decoder->llm->context);
    memmodel_tensor normed, attended, between, fed, result;

    text_printf(&name, "%zu", decoder->layer);
    decoder->failed = decoder->failed || name.failed;
    memmodel_network_push_scope(decoder->network, name.failed ? "layer" : name.bytes);
    text_release(&name);
    if (decoder->recomputed)
        recompute(decoder);
    normed = norm_alone(decoder, "input_layernorm", x, block->input_norm);
    memmodel_network_push_scope(decoder->network, "self_attn");
    attended = attend(decoder, block, normed);
    memmodel_network_pop_scope(decoder->network);
    between = decoder_binary(decoder, MEMMODEL_BINARY_ADD, x, attended);
    decoder_end(decoder, attended);
    normed = norm_alone(decoder, "post_attention_layernorm", between, block->post_norm);
    memmodel_network_push_scope(decoder->network, "mlp");
    if (decoder->llm->layers[decoder->layer].feed == FEED_EXPERTS) {
        fed = decoder_experts(decoder, block, normed);
    } else {
        fed = feed_forward(decoder, block, normed);
        memmodel_network_pop_scope(decoder->network);
    }
    result = decoder_binary(decoder, MEMMODEL_BINARY_ADD, between, fed);
    if (decoder->layer > 0)
        decoder_end(decoder, x);
    decoder_end(decoder, between);
    decoder_end(decoder, fed);
    memmodel_network_pop_scope(decoder->network);
    return result;
}
