/*
 * The buckets that DistributedDataParallel averages gradients in. PyTorch: torch/csrc/distributed/c10d/reducer.cpp,
 * compute_bucket_assignment_by_size, _rebuild_buckets.
 */
#include "base/checked.h"
#include "frameworks/pytorch/ddp.h"
#include "frameworks/pytorch/tensor.h"

enum {
    MIB = 1 << 20,
    DEFAULT_BUCKET = 25 * MIB, /* distributed.py, bucket_cap_mb */
    FIRST_BUCKET = MIB,        /* kDefaultFirstBucketBytes */
    INDEX_BYTES = 4,           /* an int32 that ranks send each other */
};

/* The bucket of one type that takes more tensors; the tensor that brings it to its limit is its last. */
struct open_bucket {
    int32_t number; /* counted from 1; 0: none is open */
    int64_t bytes;
    bool later; /* one was closed before it */
};

/* Puts each of `list` into a bucket, in their order. */
static void
assign(struct step *step, const int32_t *list, size_t count, int64_t first, int64_t rest)
{
    struct ddp *ddp = step->data_state;
    struct open_bucket open[DDP_TYPES] = {{0}};

    ddp->bucket_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct open_bucket *bucket = &open[step->network->parameters[list[i]].dtype];

        if (!bucket->number)
            bucket->number = (int32_t)++ddp->bucket_count;
        ddp->bucket_of[list[i]] = bucket->number - 1;
        bucket->bytes = add_saturating(bucket->bytes, data_parameter_bytes(step, (size_t)list[i]));
        if (bucket->bytes >= (bucket->later ? rest : first))
            *bucket = (struct open_bucket){.later = true};
    }
}

static int64_t
bucket_bytes(const struct step *step, const int32_t *list, size_t count, size_t bucket)
{
    const struct ddp *ddp = step->data_state;
    int64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        if (ddp->bucket_of[list[i]] == (int32_t)bucket)
            bytes = add_saturating(bytes, data_parameter_bytes(step, (size_t)list[i]));
    return bytes;
}

void
ddp_move_gradient(struct step *step, int32_t parameter)
{
    struct ddp *ddp = step->data_state;
    struct variable *variable = &step->variables[parameter];
    struct value *bucket = ddp->buckets[ddp->bucket_of[parameter]], *gradient = variable->gradient;

    if (!step->parallel.options.gradient_as_bucket_view || gradient->storage == bucket->storage)
        return;
    variable->gradient = value_within(step, bucket, &gradient->shape, gradient->strides);
    value_drop(step, gradient);
}

/* Gradients that were kept, as by zero_grad(set_to_none=False), move into it: initialize_bucket_views. */
static void
make_bucket(struct step *step, const int32_t *list, size_t count, size_t bucket)
{
    struct ddp *ddp = step->data_state;

    ddp->buckets[bucket] = data_buffer(step, "ddp bucket", bucket_bytes(step, list, count, bucket));
    value_becomes(step, ddp->buckets[bucket], MEMMODEL_CATEGORY_GRADIENTS);
    for (size_t i = 0; i < count; i++)
        if (ddp->bucket_of[list[i]] == (int32_t)bucket && step->variables[list[i]].gradient)
            ddp_move_gradient(step, list[i]);
}

void
ddp_make_buckets(struct step *step)
{
    struct ddp *ddp = step->data_state;
    const struct data_options *options = &step->parallel.options;
    bool is_last = options->find_unused_parameters && !options->static_graph;
    int64_t given = options->bucket_bytes;

    if (is_last)
        assign(step, ddp->parameters, ddp->count, given ? given : FIRST_BUCKET, given ? given : DEFAULT_BUCKET);
    else
        assign(step, ddp->parameters, ddp->count, INT64_MAX, INT64_MAX);
    for (size_t i = ddp->bucket_count; i-- > 0;)
        make_bucket(step, ddp->parameters, ddp->count, i);
}

/* All old buckets go before the new ones come; sync_bucket_indices() comes before. */
void
ddp_rebuild_buckets(struct step *step)
{
    struct ddp *ddp = step->data_state;
    int64_t given = step->parallel.options.bucket_bytes;
    int64_t bytes = INDEX_BYTES * ((int64_t)ddp->ordered + 1);
    struct value *indices[4];
    size_t old = ddp->bucket_count;

    assign(step, ddp->order, ddp->ordered, given ? given : FIRST_BUCKET, given ? given : DEFAULT_BUCKET);
    step->what = "ddp bucket indices";
    indices[0] = value_vector_on_host(step, MEMMODEL_DTYPE_UINT8, bytes);
    indices[1] = value_buffer(step, bytes);
    indices[2] = value_vector_on_host(step, MEMMODEL_DTYPE_UINT8, INDEX_BYTES * (int64_t)ddp->bucket_count);
    indices[3] = value_buffer(step, INDEX_BYTES * (int64_t)ddp->bucket_count);
    value_drop_all(step, indices + 2, 2);
    value_drop_all(step, indices, 2);
    for (size_t i = 0; i < old; i++)
        value_drop_all(step, &ddp->buckets[i], 1);
    for (size_t i = 0; i < ddp->bucket_count; i++)
        make_bucket(step, ddp->order, ddp->ordered, i);
    ddp->rebuilt = true;
}
