/*
 * DistributedDataParallel is constructed: ranks compare their parameters, and get those of the first. PyTorch:
 * torch/nn/parallel/distributed.py, torch/csrc/distributed/c10d/comm.cpp.
 */
#include "base/checked.h"
#include "frameworks/pytorch/ddp.h"
#include "frameworks/pytorch/tensor.h"

enum {
    BROADCAST_PIECE = 250 << 20, /* distributed.py, broadcast_bucket_size */
    INDEX_BYTES = 4,             /* an int32 of each parameter */
    COUNT_BYTES = 8,             /* an int64 */
};

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
        if (data_is_buffer(step, i) != buffers || !data_is_own(step, i))
            continue;
        if (step->network->parameters[i].dtype == dtype)
            add_tensor(step, broadcast, data_parameter_bytes(step, i));
        if (dtype == MEMMODEL_DTYPE_INT64 && step->variables[i].counter)
            add_tensor(step, broadcast, COUNT_BYTES);
    }
}

void
ddp_broadcast(struct step *step, bool parameters, bool buffers)
{
    struct broadcast broadcast = {.bytes = 0};

    for (int dtype = 0; dtype < DDP_TYPES; dtype++) {
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
        if (step->network->parameters[i].trainable && data_is_own(step, i))
            ddp->parameters[ddp->count++] = (int32_t)i;
    return !step->status;
}

void
ddp_construct(struct step *step)
{
    const struct data_options *options = &step->parallel.options;
    const struct ddp *ddp;

    if (!make_room(step))
        return;
    ddp = step->data_state;
    compare_parameters(step);
    ddp_broadcast(step, true, options->broadcast_buffers);
    ddp_make_buckets(step);
    if (!options->find_unused_parameters && !options->static_graph)
        return;
    step->what = "ddp used parameters"; /* reducer.cpp, initialize_local_used_map: they stay */
    value_vector_on_host(step, MEMMODEL_DTYPE_UINT8, INDEX_BYTES * (int64_t)ddp->count);
    value_buffer(step, INDEX_BYTES * (int64_t)ddp->count);
}
