/* Scaled dot-product attention: torch.nn.functional.scaled_dot_product_attention. */
#include "network/builder.h"

static const struct field attention_fields[] = {
    FIELD(memmodel_attention, dropout, FIELD_RATE),
    FIELD(memmodel_attention, causal, FIELD_FLAG),
    FIELD(memmodel_attention, grouped_query, FIELD_FLAG),
    FIELDS_END,
};

enum { BATCH, HEADS, LENGTH, WIDTH, RANK };
enum { QUERY, KEY, VALUE, MASK };

static void
match(struct draft *draft, int axis, int given, int needed)
{
    struct memmodel_shape g = draft_shape(draft, (size_t)given), n = draft_shape(draft, (size_t)needed);

    draft_require_equal(draft, axis, g.dims[axis], draft->inputs[given], n.dims[axis], draft->inputs[needed]);
}

/* Grouped: each head of key and value serves as many heads of the query. */
static void
match_heads(struct draft *draft)
{
    const struct memmodel_attention *attention = draft->options;
    struct memmodel_shape query = draft_shape(draft, QUERY), key = draft_shape(draft, KEY);

    match(draft, HEADS, VALUE, KEY);
    if (!attention->grouped_query)
        match(draft, HEADS, KEY, QUERY);
    else if (key.dims[HEADS] > 0)
        dim_divide_exactly(draft, HEADS, query.dims[HEADS], key.dims[HEADS]);
}

/* The mask broadcasts to [batch, heads, length, keys]. */
static int
match_mask(struct draft *draft)
{
    struct memmodel_shape mask, query = draft_shape(draft, QUERY), key = draft_shape(draft, KEY);
    const memmodel_dim scores[RANK] = {query.dims[BATCH], query.dims[HEADS], query.dims[LENGTH], key.dims[LENGTH]};

    if (draft->input_count <= MASK || draft->inputs[MASK] == MEMMODEL_TENSOR_NONE)
        return 0;
    mask = draft_shape(draft, MASK);
    if (mask.rank > RANK)
        return draft_require_rank(draft, MASK, 0, RANK);
    for (int i = 0; i < mask.rank; i++)
        if (mask.dims[i] != 1)
            draft_require_equal(draft, i, mask.dims[i], draft->inputs[MASK], scores[RANK - mask.rank + i],
                                MEMMODEL_TENSOR_NONE);
    return draft->status;
}

static int
infer_attention(struct draft *draft)
{
    struct memmodel_shape y = draft_shape(draft, QUERY), value = draft_shape(draft, VALUE);

    for (size_t i = QUERY; i <= VALUE; i++)
        if (draft_require_rank(draft, i, RANK, RANK))
            return draft->status;
    match(draft, BATCH, KEY, QUERY);
    match(draft, BATCH, VALUE, QUERY);
    match(draft, WIDTH, KEY, QUERY);
    match(draft, LENGTH, VALUE, KEY);
    match_heads(draft);
    if (match_mask(draft))
        return draft->status;
    y.dims[WIDTH] = value.dims[WIDTH];
    return draft_output(draft, &y);
}

/* Scores, and their product with the values. */
static int
multiply_adds(const memmodel_network *network, const struct layer *layer, struct product *products)
{
    const memmodel_dim *query = network->tensors[layer->inputs[QUERY]].dims,
                       *value = network->tensors[layer->inputs[VALUE]].dims;

    for (int i = 0; i < 2; i++)
        products[i] = (struct product){
            .factors = {query[BATCH], query[HEADS], query[LENGTH], value[LENGTH], i == 0 ? query[WIDTH] : value[WIDTH]},
            .count = 5,
        };
    return 2;
}

const struct op_description op_attention = {
    .name = "attention",
    OPTIONS(memmodel_attention, attention_fields),
    INPUTS(3, 4),
    .optional_input = MASK,
    .infer = infer_attention,
    .multiply_adds = multiply_adds,
};

memmodel_tensor
memmodel_network_attention(memmodel_network *network, memmodel_tensor query, memmodel_tensor key, memmodel_tensor value,
                           memmodel_tensor mask, const struct memmodel_attention *options)
{
    return network_add(network, OP_ATTENTION, (memmodel_tensor[]){query, key, value, mask}, 4, options);
}
