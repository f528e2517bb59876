/*
 * torch.nn.parallel.DistributedDataParallel: gradients are averaged in buckets. PyTorch:
 * torch/nn/parallel/distributed.py, torch/csrc/distributed/c10d/reducer.cpp, torch/csrc/distributed/c10d/comm.cpp.
 *
 * A backend reduces a bucket in place.
 */
#include "frameworks/pytorch/data_parallel.h"
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/tensor.h"

enum {
    MIB = 1 << 20,
    DEFAULT_BUCKET = 25 * MIB,   /* distributed.py, _DEFAULT_FIRST_BUCKET_BYTES is the first's */
    FIRST_BUCKET = MIB,          /* kDefaultFirstBucketBytes */
    BROADCAST_PIECE = 250 * MIB, /* distributed.py, broadcast_bucket_size */
    INDEX_BYTES = 4,             /* an int32 of that ranks send each other */
    COUNT_BYTES = 8,             /* an int64 */
};

struct ddp {
    int32_t *parameters; /* with gradients, in the order of the module */
    int32_t *order;      /* the same in the order in which their gradients were there first */
    int32_t *bucket_of;  /* of each of the network's parameters */
    struct value **buckets;
    size_t count, ordered, bucket_count;
    int synchronized; /* backward passes */
    bool rebuilt;
};

static const struct data_options *
options_of(const struct step *step)
{
    return &step->parallel.options;
}

/* ---- buckets: reducer.cpp, compute_bucket_assignment_by_size ---- */

/* The bucket of one type that takes more tensors; the tensor that brings it to its limit is its last. */
struct open_bucket {
    int32_t number; /* counted from 1; 0: none is open */
    int64_t bytes;
    bool later; /* one was closed before it */
};

enum { TYPES = DTYPE_COMPLEX64 + 1 };

/* Puts each of `list` into a bucket, in their order. */
static void
assign(struct step *step, const int32_t *list, size_t count, int64_t first, int64_t rest)
{
    struct ddp *ddp = step->data_state;
    struct open_bucket open[TYPES] = {{0}};

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

static void
make_bucket(struct step *step, const int32_t *list, size_t count, size_t bucket)
{
    struct ddp *ddp = step->data_state;

    ddp->buckets[bucket] = data_buffer(step, "ddp bucket", bucket_bytes(step, list, count, bucket));
    value_becomes(step, ddp->buckets[bucket], MEMMODEL_CATEGORY_GRADIENTS);
}

/* Before the first backward pass the order of gradients is not known: one bucket, unless it must not change later. */
static void
make_first_buckets(struct step *step)
{
    struct ddp *ddp = step->data_state;
    const struct data_options *options = options_of(step);
    bool is_last = options->find_unused_parameters && !options->static_graph;
    int64_t given = options->bucket_bytes;

    if (is_last)
        assign(step, ddp->parameters, ddp->count, given ? given : FIRST_BUCKET, given ? given : DEFAULT_BUCKET);
    else
        assign(step, ddp->parameters, ddp->count, INT64_MAX, INT64_MAX);
    for (size_t i = ddp->bucket_count; i-- > 0;)
        make_bucket(step, ddp->parameters, ddp->count, i);
}

/* All old buckets go, then the new ones come: reducer.cpp, _rebuild_buckets; sync_bucket_indices before. */
static void
rebuild_buckets(struct step *step)
{
    struct ddp *ddp = step->data_state;
    int64_t given = options_of(step)->bucket_bytes;
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

/* ---- construction ---- */

/* How many parameters each rank has, then the sizes and strides of all: _verify_param_shape_across_processes. */
static void
compare_parameters(struct step *step)
{
    const struct ddp *ddp = step->data_state;
    size_t ranks = (size_t)step->parallel.world;
    struct value **counts = step_pool_take(step, (ranks + 1) * sizeof *counts), *sizes[2];
    int64_t dims = 0;

    if (!counts)
        return;
    for (size_t i = 0; i < ddp->count; i++)
        dims += step->network->parameters[ddp->parameters[i]].rank;
    for (size_t i = 0; i <= ranks; i++)
        counts[i] = data_buffer(step, "ddp parameter count", COUNT_BYTES);
    for (int i = 0; i < 2; i++)
        value_drop(step, data_buffer(step, "ddp parameter counts", COUNT_BYTES * (int64_t)ranks));
    step->what = "ddp parameter sizes";
    sizes[0] = value_vector_on_host(step, MEMMODEL_DTYPE_INT64, 2 * dims);
    sizes[1] = value_vector(step, MEMMODEL_DTYPE_INT64, 2 * dims);
    value_drop_all(step, sizes, 2);
    for (size_t i = 0; i <= ranks; i++)
        value_drop(step, counts[i]);
    object_pool_give(&step->pool, counts, (ranks + 1) * sizeof *counts);
}

/* Tensors of one type are sent in flat pieces, two at a time: comm.cpp, broadcast_coalesced. */
struct broadcast {
    struct value *before; /* piece that is on its way */
    int64_t bytes;        /* of the piece that is open */
};

static void
send(struct step *step, struct broadcast *broadcast)
{
    struct value *piece;

    if (broadcast->bytes == 0)
        return;
    piece = data_buffer(step, "ddp broadcast", broadcast->bytes);
    value_drop(step, broadcast->before);
    *broadcast = (struct broadcast){.before = piece};
}

static void
add_tensor(struct step *step, struct broadcast *broadcast, int64_t bytes)
{
    broadcast->bytes = add_saturating(broadcast->bytes, bytes);
    if (broadcast->bytes >= BROADCAST_PIECE)
        send(step, broadcast);
}

/* A batch norm's counter belongs to its running_var: residents.c. */
static void
add_tensors(struct step *step, struct broadcast *broadcast, bool buffers, int dtype)
{
    for (size_t i = 0; i < step->network->parameter_count; i++) {
        if (data_is_buffer(step, i) != buffers)
            continue;
        if (step->network->parameters[i].dtype == dtype)
            add_tensor(step, broadcast, data_parameter_bytes(step, i));
        if (dtype == MEMMODEL_DTYPE_INT64 && step->variables[i].counter)
            add_tensor(step, broadcast, COUNT_BYTES);
    }
}

/* Of the parameters as well where all states are synchronised, else of the buffers alone. */
static void
broadcast_states(struct step *step, bool parameters, bool buffers)
{
    struct broadcast broadcast = {.bytes = 0};

    for (int dtype = 0; dtype < TYPES; dtype++) {
        if (parameters)
            add_tensors(step, &broadcast, false, dtype);
        if (buffers)
            add_tensors(step, &broadcast, true, dtype);
        send(step, &broadcast);
    }
    value_drop(step, broadcast.before);
}

static bool
make_room(struct step *step)
{
    size_t count = step->network->parameter_count + 1;
    struct ddp *ddp = step_arena_allocate(step, sizeof *ddp);

    if (!ddp)
        return false;
    *ddp = (struct ddp){
        .parameters = step_arena_allocate(step, count * sizeof *ddp->parameters),
        .order = step_arena_allocate(step, count * sizeof *ddp->order),
        .bucket_of = step_arena_allocate(step, count * sizeof *ddp->bucket_of),
        .buckets = step_arena_allocate(step, count * sizeof *ddp->buckets),
    };
    step->data_state = ddp;
    for (size_t i = 0; i + 1 < count && !step->status; i++)
        if (step->network->parameters[i].trainable)
            ddp->parameters[ddp->count++] = (int32_t)i;
    return !step->status;
}

static void
ddp_construct(struct step *step)
{
    const struct data_options *options = options_of(step);
    const struct ddp *ddp;

    if (!make_room(step))
        return;
    ddp = step->data_state;
    compare_parameters(step);
    broadcast_states(step, true, options->broadcast_buffers);
    make_first_buckets(step);
    if (!options->find_unused_parameters && !options->static_graph)
        return;
    step->what = "ddp used parameters"; /* reducer.cpp, initialize_local_used_map: they stay */
    value_vector_on_host(step, MEMMODEL_DTYPE_UINT8, INDEX_BYTES * (int64_t)ddp->count);
    value_buffer(step, INDEX_BYTES * (int64_t)ddp->count);
}

/* ---- a step ---- */

/* The gradients of the first backward pass, of a static graph of the second, give the order. */
static bool
must_rebuild(const struct step *step)
{
    const struct ddp *ddp = step->data_state;
    const struct data_options *options = options_of(step);

    if (ddp->rebuilt || (options->find_unused_parameters && !options->static_graph))
        return false;
    return ddp->synchronized >= (options->static_graph ? 2 : 1);
}

/* Of a static graph the first pass finds out which parameters are used, and reduces when it is over. */
static bool
is_delayed(const struct step *step)
{
    const struct ddp *ddp = step->data_state;

    return options_of(step)->static_graph && ddp->synchronized == 0;
}

/* Each tensor that the model returns is copied: distributed.py, _DDPSink. */
static void
ddp_forward_end(struct step *step)
{
    const struct data_options *options = options_of(step);

    if (is_delayed(step) || (options->find_unused_parameters && !options->static_graph))
        data_copy_outputs(step);
}

static void
ddp_forward_begin(struct step *step)
{
    if (must_rebuild(step))
        rebuild_buckets(step);
    if (options_of(step)->broadcast_buffers)
        broadcast_states(step, false, true);
}

/* The whole gradient of a parameter, averaged, in its place in the bucket: mark_variable_ready_dense. */
static void
reduce(struct step *step, int32_t parameter)
{
    struct ddp *ddp = step->data_state;
    struct variable *variable = &step->variables[parameter];
    struct value *bucket = ddp->buckets[ddp->bucket_of[parameter]], *gradient = variable->gradient;

    step->what = "ddp average";
    number_in_place(step, gradient->shape.dtype);
    if (!options_of(step)->gradient_as_bucket_view || gradient->storage == bucket->storage)
        return;
    variable->gradient = value_within(step, bucket, &gradient->shape, gradient->strides);
    value_drop(step, gradient);
}

static void
ddp_gradient(struct step *step, int32_t parameter)
{
    struct ddp *ddp = step->data_state;

    if (!data_is_synchronized(step) || !step->variables[parameter].gradient)
        return;
    if (!is_delayed(step))
        reduce(step, parameter);
    if (ddp->synchronized == (options_of(step)->static_graph ? 1 : 0))
        ddp->order[ddp->ordered++] = parameter;
}

/* What the second forward pass of PyTorch stops at. */
static void
check_all_used(struct step *step)
{
    const struct ddp *ddp = step->data_state;
    const struct data_options *options = options_of(step);

    if (options->find_unused_parameters || options->static_graph)
        return;
    for (size_t i = 0; i < ddp->count && !step->status; i++) {
        const struct parameter *parameter = &step->network->parameters[ddp->parameters[i]];

        if (!step->variables[ddp->parameters[i]].gradient)
            step->status = context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT,
                                         step->network->layers[parameter->layer].name,
                                         "the parameter gets no gradient, and ddp stops there; give "
                                         "ddp(find_unused_parameters=True)");
    }
}

static void
ddp_backward_end(struct step *step)
{
    struct ddp *ddp = step->data_state;

    if (!data_is_synchronized(step))
        return;
    for (size_t i = 0; i < ddp->count && is_delayed(step); i++)
        if (step->variables[ddp->parameters[i]].gradient)
            reduce(step, ddp->parameters[i]);
    check_all_used(step);
    ddp->synchronized++;
}

const struct data_strategy pytorch_ddp = {
    .construct = ddp_construct,
    .forward_begin = ddp_forward_begin,
    .forward_end = ddp_forward_end,
    .gradient = ddp_gradient,
    .backward_end = ddp_backward_end,
};
