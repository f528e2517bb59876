/* Table lookup. */
#include "network/builder.h"

static const struct field embedding_fields[] = {
    FIELD_ARRAY(memmodel_embedding, num_embeddings, 1),   FIELD_ARRAY(memmodel_embedding, embedding_dim, 1),
    FIELD_CHOICE(memmodel_embedding, dtype, dtype_names), FIELD(memmodel_embedding, reserved, FIELD_RESERVED),
    FIELD(memmodel_embedding, tied_to, FIELD_LAYER),      FIELDS_END,
};

static int
infer_embedding(struct draft *draft)
{
    struct memmodel_embedding *embedding = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0);

    if (draft_require_rank(draft, 0, 0, MEMMODEL_MAX_RANK - 1))
        return draft->status;
    if (!dtype_is_whole(x.dtype))
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "looks up integers, but the input is %s",
                           memmodel_dtype_name(x.dtype));
    if (embedding->num_embeddings == 0 || embedding->embedding_dim == 0)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "rows or width is 0");
    if (embedding->dtype == MEMMODEL_DTYPE_DEFAULT)
        embedding->dtype = MEMMODEL_DTYPE_FLOAT32;
    draft_parameter(draft, "weight", true,
                    &(struct memmodel_shape){.dims = {embedding->num_embeddings, embedding->embedding_dim},
                                             .rank = 2,
                                             .dtype = embedding->dtype});
    x.dims[x.rank++] = embedding->embedding_dim;
    x.dtype = embedding->dtype;
    return draft_output(draft, &x);
}

const struct op_description op_embedding = {
    .name = "embedding",
    OPTIONS(memmodel_embedding, embedding_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .shared = offsetof(struct memmodel_embedding, tied_to),
    .infer = infer_embedding,
};

memmodel_tensor
memmodel_network_embedding(memmodel_network *network, memmodel_tensor x, const struct memmodel_embedding *options)
{
    return network_add(network, OP_EMBEDDING, &x, 1, options);
}
