/*
 * The feed-forward part of a decoder that is trained where it is a mixture of experts, with their matrices in one parameter and
 * rows in groups. Source: transformers 5.23, integrations/moe.py (grouped_mm_experts_forward), models/mixtral/
 * modeling_mixtral.py, models/qwen3_moe/modeling_qwen3_moe.py.
 */
#include "serving/decoder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NONE = MEMMODEL_TENSOR_NONE, TEXT = 64 };

/* An operator by PyTorch's name, of one result. */
static memmodel_tensor
call(struct decoder *decoder, const char *operation, const memmodel_tensor *inputs, size_t count,
     const struct memmodel_shape *shape, const char *attributes)
{
    return memmodel_network_custom(
        decoder->network, inputs, count,
        MEMMODEL_CUSTOM(.outputs = shape, .output_count = 1, .operation = operation, .attributes = attributes));
}

/* Of two results of one shape, the second behind the first. */
static memmodel_tensor
call_for_two(struct decoder *decoder, const char *operation, memmodel_tensor x, const struct memmodel_shape shapes[2],
             const char *attributes)
{
    return memmodel_network_custom(
        decoder->network, &x, 1,
        MEMMODEL_CUSTOM(.outputs = shapes, .output_count = 2, .operation = operation, .attributes = attributes));
}

static memmodel_tensor
second(struct decoder *decoder, memmodel_tensor first)
{
    return first < 0 ? first : memmodel_network_layer_output(decoder->network, first, 1);
}

static struct memmodel_shape
shape_of(struct decoder *decoder, memmodel_tensor tensor)
{
    struct memmodel_shape shape = {.rank = 1};

    memmodel_network_get_shape(decoder->network, tensor, &shape);
    return shape;
}

static struct memmodel_shape
typed(struct memmodel_shape shape, int dtype)
{
    shape.dtype = dtype;
    return shape;
}

static memmodel_tensor
reshape(struct decoder *decoder, memmodel_tensor x, int rank, const memmodel_dim *dims)
{
    return memmodel_network_reshape(decoder->network, x, rank, dims);
}

/* What a router gives: weights of the chosen experts, and which they are. */
struct routes {
    memmodel_tensor logits, chosen, weights;
};

static memmodel_tensor
shares_of(struct decoder *decoder, memmodel_tensor logits)
{
    struct memmodel_shape wide = typed(shape_of(decoder, logits), MEMMODEL_DTYPE_FLOAT32);

    if (decoder->llm->experts.casts_weights)
        return call(decoder, "aten.softmax.int", &logits, 1, &wide, "dim=-1 dtype=float32");
    if (decoder->dtype != MEMMODEL_DTYPE_FLOAT32)
        logits = decoder_cast(decoder, logits, &wide);
    return memmodel_network_softmax(decoder->network, logits, MEMMODEL_SOFTMAX(.axis = -1));
}

/* MixtralTopKRouter, Qwen3MoeTopKRouter */
static struct routes
route(struct decoder *decoder, const struct decoder_block *block, memmodel_tensor x)
{
    const struct llm_experts *experts = &decoder->llm->experts;
    char attributes[TEXT];
    struct memmodel_shape kept[2];
    struct routes routes;
    memmodel_tensor rows, shares, sum;

    memmodel_network_push_scope(decoder->network, "gate");
    rows = reshape(decoder, x, 2, (memmodel_dim[]){MEMMODEL_DIM_INFER, decoder->llm->hidden});
    memmodel_network_use_parameter(decoder->network, "weight", block->router);
    routes.logits =
        memmodel_network_linear(decoder->network, rows, MEMMODEL_LINEAR(.units = experts->count, .no_bias = 1));
    shares = shares_of(decoder, routes.logits);
    kept[0] = typed(shape_of(decoder, shares), MEMMODEL_DTYPE_FLOAT32);
    kept[0].dims[1] = experts->chosen;
    kept[1] = typed(kept[0], MEMMODEL_DTYPE_INT64);
    snprintf(attributes, sizeof attributes, "k=%" PRId64, experts->chosen);
    routes.chosen = call_for_two(decoder, "aten.topk.default", shares, kept, attributes);
    routes.weights = routes.chosen;
    if (experts->normalized) {
        sum = memmodel_network_reduce(
            decoder->network, routes.chosen,
            MEMMODEL_REDUCE(.axes = {-1}, .axis_count = 1, .kind = MEMMODEL_REDUCE_SUM, .keep_dims = 1));
        routes.weights = call(decoder, "aten.div_.Tensor", (memmodel_tensor[]){routes.chosen, sum}, 2, &kept[0], NULL);
    }
    if (experts->casts_weights && decoder->dtype != MEMMODEL_DTYPE_FLOAT32) {
        struct memmodel_shape narrow = typed(kept[0], decoder->dtype);

        routes.weights = decoder_cast(decoder, routes.weights, &narrow);
    }
    decoder_end(decoder, rows);
    decoder_end(decoder, shares);
    memmodel_network_pop_scope(decoder->network);
    return routes;
}

/* Rows in the order of their experts, and where each expert's end. */
struct groups {
    memmodel_tensor weights, chosen, sorted, rows, own_weights, numbers, counts, ends;
};

static struct groups
group(struct decoder *decoder, memmodel_tensor x, const struct routes *routes)
{
    const struct llm_experts *experts = &decoder->llm->experts;
    struct memmodel_shape words[2], rows = shape_of(decoder, x), counts = {{experts->count}, 1, MEMMODEL_DTYPE_FLOAT32};
    struct memmodel_shape ends = typed(counts, MEMMODEL_DTYPE_INT32), numbers;
    char attributes[TEXT];
    struct groups groups;
    memmodel_tensor tokens;

    groups.weights = reshape(decoder, routes->weights, 1, (memmodel_dim[]){MEMMODEL_DIM_INFER});
    groups.chosen = reshape(decoder, second(decoder, routes->chosen), 1, (memmodel_dim[]){MEMMODEL_DIM_INFER});
    words[0] = words[1] = shape_of(decoder, groups.chosen);
    groups.sorted = call_for_two(decoder, "aten.sort.default", groups.chosen, words, NULL);
    snprintf(attributes, sizeof attributes, "other=%" PRId64, experts->chosen);
    tokens = call(decoder, "aten.floor_divide.default", (memmodel_tensor[]){second(decoder, groups.sorted), NONE}, 2,
                  &words[0], attributes);
    rows.dims[0] = words[0].dims[0];
    groups.rows = call(decoder, "aten.index.Tensor", (memmodel_tensor[]){x, tokens}, 2, &rows, NULL);
    numbers = shape_of(decoder, groups.weights);
    groups.own_weights = call(decoder, "aten.index.Tensor",
                              (memmodel_tensor[]){groups.weights, second(decoder, groups.sorted)}, 2, &numbers, NULL);
    numbers = typed(words[0], MEMMODEL_DTYPE_FLOAT32);
    groups.numbers = call(decoder, "aten.to.dtype", &groups.sorted, 1, &numbers, "dtype=float32");
    snprintf(attributes, sizeof attributes, "bins=%" PRId64 " max=%" PRId64, experts->count, experts->count - 1);
    groups.counts = call(decoder, "aten.histc.default", &groups.numbers, 1, &counts, attributes);
    groups.ends = call(decoder, "aten.cumsum.default", &groups.counts, 1, &ends, "dim=0 dtype=int32");
    return groups;
}

static memmodel_tensor
multiply(struct decoder *decoder, memmodel_tensor rows, memmodel_tensor matrices, memmodel_tensor ends, int64_t width)
{
    memmodel_tensor turned = memmodel_network_permute(decoder->network, matrices, 3, (int[]){0, 2, 1});
    struct memmodel_shape shape = shape_of(decoder, rows);

    shape.dims[1] = width;
    return call(decoder, "aten._grouped_mm.default", (memmodel_tensor[]){rows, turned, ends}, 3, &shape, NULL);
}

/* Gate and up beside each other, their product, and down. */
static memmodel_tensor
compute(struct decoder *decoder, const struct decoder_block *block, const struct groups *groups)
{
    int64_t inner = decoder->llm->experts.intermediate;
    memmodel_tensor both = multiply(decoder, groups->rows, block->gate_up, groups->ends, 2 * inner), gate, product,
                    result;
    memmodel_tensor halves = memmodel_network_split(decoder->network, both, MEMMODEL_SPLIT(.parts = 2, .axis = -1));

    memmodel_network_push_scope(decoder->network, "act_fn");
    gate = memmodel_network_activation(decoder->network, halves, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_SILU));
    memmodel_network_pop_scope(decoder->network);
    product = decoder_binary(decoder, MEMMODEL_BINARY_MULTIPLY, gate, second(decoder, halves));
    decoder_end(decoder, both);
    decoder_end(decoder, halves);
    result = multiply(decoder, product, block->down_rows, groups->ends, decoder->llm->hidden);
    decoder_end(decoder, product);
    return result;
}

/* Rows times their weights, which may be in a wider type. */
static memmodel_tensor
weigh(struct decoder *decoder, memmodel_tensor rows, memmodel_tensor weights)
{
    memmodel_tensor column = reshape(decoder, weights, 2, (memmodel_dim[]){MEMMODEL_DIM_INFER, 1});
    struct memmodel_shape wide = typed(shape_of(decoder, rows), shape_of(decoder, weights).dtype);

    if (shape_of(decoder, rows).dtype == wide.dtype)
        return decoder_binary(decoder, MEMMODEL_BINARY_MULTIPLY, rows, column);
    return call(decoder, "aten.mul.Tensor", (memmodel_tensor[]){rows, column}, 2, &wide, NULL);
}

/* Back in the order of the tokens, and added up. */
static memmodel_tensor
add_up(struct decoder *decoder, memmodel_tensor rows, const struct groups *groups)
{
    struct memmodel_shape words = shape_of(decoder, groups->chosen), shape = shape_of(decoder, rows), narrow;
    memmodel_tensor order = second(decoder, groups->sorted), back, numbers, put, ordered, apart, sum, none = NONE;

    back = call(decoder, "aten.empty_like.default", &order, 1, &words, "pin_memory=0");
    numbers = call(decoder, "aten.arange.default", &none, 1, &words, "pin_memory=0");
    put = call(decoder, "aten.index_put_.default", (memmodel_tensor[]){back, order, numbers}, 3, &words, NULL);
    ordered = call(decoder, "aten.index.Tensor", (memmodel_tensor[]){rows, put}, 2, &shape, NULL);
    apart = reshape(decoder, ordered, 3,
                    (memmodel_dim[]){MEMMODEL_DIM_INFER, decoder->llm->experts.chosen, decoder->llm->hidden});
    sum = memmodel_network_reduce(decoder->network, apart,
                                  MEMMODEL_REDUCE(.axes = {1}, .axis_count = 1, .kind = MEMMODEL_REDUCE_SUM));
    narrow = typed(shape_of(decoder, sum), decoder->dtype);
    if (shape.dtype != decoder->dtype)
        sum = decoder_cast(decoder, sum, &narrow);
    decoder_end(decoder, back);
    decoder_end(decoder, put);
    decoder_end(decoder, ordered);
    decoder_end(decoder, apart);
    return sum;
}

static void
end_groups(struct decoder *decoder, const struct groups *groups)
{
    const memmodel_tensor tensors[] = {
        groups->weights, groups->chosen,      groups->sorted,  second(decoder, groups->sorted),
        groups->rows,    groups->own_weights, groups->numbers, groups->counts,
        groups->ends};

    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        decoder_end(decoder, tensors[i]);
}

memmodel_tensor
decoder_experts(struct decoder *decoder, const struct decoder_block *block, memmodel_tensor x)
{
    int64_t hidden = decoder->llm->hidden;
    memmodel_tensor rows = reshape(decoder, x, 2, (memmodel_dim[]){MEMMODEL_DIM_INFER, hidden}), computed, sum, result;
    struct routes routes = route(decoder, block, rows);
    struct groups groups;

    memmodel_network_push_scope(decoder->network, "experts");
    groups = group(decoder, rows, &routes);
    computed = compute(decoder, block, &groups);
    sum = add_up(decoder, weigh(decoder, computed, groups.own_weights), &groups);
    end_groups(decoder, &groups);
    decoder_end(decoder, computed);
    memmodel_network_pop_scope(decoder->network);
    result = reshape(decoder, sum, 3, (memmodel_dim[]){decoder->batch, decoder->length, hidden});
    decoder_end(decoder, x);
    decoder_end(decoder, rows);
    decoder_end(decoder, routes.logits);
    decoder_end(decoder, routes.chosen);
    decoder_end(decoder, second(decoder, routes.chosen));
    if (routes.weights != routes.chosen)
        decoder_end(decoder, routes.weights);
    memmodel_network_pop_scope(decoder->network);
    decoder_end(decoder, sum);
    return result;
}
