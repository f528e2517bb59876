/* memmodel_tiling: the tiles of least overhead within a budget. */
#include "base/environment.h"
#include "base/checked.h"
#include "frameworks/job.h"
#include "inference/partition.h"
#include "inference/inference.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct memmodel_tiling {
    memmodel_context *context;
    atomic_int references;
    memmodel_schedule *schedule; /* of the largest tile */
    struct memmodel_tiling_result result;
    struct memmodel_tiling_axis axes[MAX_AXES];
    struct memmodel_tiling_range *ranges[MAX_AXES];
    size_t axis_count;
};

/* A way to cut each axis. */
struct combination {
    int32_t partitions[MAX_AXES];
    int64_t tiles;
    double overhead;
};

struct search {
    struct receptive_field field;
    const struct memmodel_schedule_options *how;
    int64_t budget;
    struct partitions partitions[MAX_AXES];
    double *work; /* of each layer of the whole */
    struct combination *combinations, *misfits;
    size_t count, misfit_count;
};

/* ---- what they cost ---- */

static int
count_layers_work(struct search *search)
{
    const struct binding *binding = search->field.binding;
    const struct memmodel_network *network = binding->network;

    search->work = memory_allocate_zeroed(search->field.context, network->layer_count + 1, sizeof *search->work);
    for (size_t i = 0; i < network->layer_count && search->work; i++) {
        int64_t count = 0;

        binding_multiply_adds(binding, &network->layers[i], &count);
        search->work[i] = (double)count;
    }
    return search->work ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static struct combination
combine(const struct search *search, const size_t *partitions)
{
    size_t layers = search->field.binding->network->layer_count;
    struct combination combination = {.tiles = 1};
    double all = 0, whole = 0;

    for (size_t i = 0; i < layers; i++) {
        double work = search->work[i];

        whole += work;
        for (int32_t axis = 0; axis < search->field.axes; axis++)
            work *= search->partitions[axis].partitions[partitions[axis]].work[i];
        all += work;
    }
    combination.overhead = whole > 0 ? all / whole - 1 : 0;
    for (int32_t axis = 0; axis < search->field.axes; axis++) {
        combination.partitions[axis] = (int32_t)partitions[axis];
        combination.tiles *= search->partitions[axis].partitions[partitions[axis]].count;
    }
    return combination;
}

static int
compare_combinations(const void *a, const void *b)
{
    const struct combination *x = a, *y = b;

    if (x->overhead != y->overhead)
        return x->overhead < y->overhead ? -1 : 1;
    if (x->tiles != y->tiles)
        return x->tiles < y->tiles ? -1 : 1;
    return memcmp(x->partitions, y->partitions, sizeof x->partitions);
}

static int
combine_all(struct search *search)
{
    memmodel_context *context = search->field.context;
    size_t all = 1, partitions[MAX_AXES] = {0};

    for (int32_t axis = 0; axis < search->field.axes; axis++)
        if (!checked_size(all, search->partitions[axis].count, &all))
            return context_error(context, MEMMODEL_ERROR_OVERFLOW, NULL,
                                 "more ways to cut the input than can be counted");
    search->combinations = memory_allocate_zeroed(context, all + 1, sizeof *search->combinations);
    search->misfits = memory_allocate_zeroed(context, all + 1, sizeof *search->misfits);
    if (!search->combinations || !search->misfits)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < all; i++) {
        size_t rest = i;

        for (int32_t axis = 0; axis < search->field.axes; axis++) {
            partitions[axis] = rest % search->partitions[axis].count;
            rest /= search->partitions[axis].count;
        }
        search->combinations[search->count++] = combine(search, partitions);
    }
    qsort(search->combinations, search->count, sizeof *search->combinations, compare_combinations);
    return 0;
}

/* ---- a tile's network ---- */

/* The network with all sizes in numbers, and its spatial ones those of an input of these extents. */
static int
resize(const struct search *search, const int64_t *largest, struct tensor *tensors, int64_t *extents)
{
    const struct receptive_field *field = &search->field;
    const struct memmodel_network *network = field->binding->network;

    for (size_t i = 0; i < network->tensor_count; i++) {
        tensors[i] = network->tensors[i];
        for (int32_t axis = 0; axis < tensors[i].rank; axis++)
            tensors[i].dims[axis] = binding_dim(field->binding, tensors[i].dims[axis]);
    }
    for (int32_t axis = 0; axis < field->axes; axis++) {
        if (!receptive_field_extents(field, axis, largest[axis], extents))
            return MEMMODEL_ERROR_SHAPE;
        for (size_t i = 0; i < network->tensor_count; i++)
            if (!field->tensors[i].fixed)
                tensors[i].dims[field->first + axis] = extents[i];
    }
    return 0;
}

static int
schedule_tile(const struct search *search, const struct combination *combination, memmodel_schedule **schedule)
{
    const struct receptive_field *field = &search->field;
    struct memmodel_network network = *field->binding->network;
    struct binding binding = *field->binding;
    size_t count = network.tensor_count + 1;
    struct tensor *tensors = memory_allocate_zeroed(field->context, count, sizeof *tensors);
    int64_t *extents = memory_allocate_zeroed(field->context, count, sizeof *extents), largest[MAX_AXES] = {0};
    int status = MEMMODEL_ERROR_NO_MEMORY;

    for (int32_t axis = 0; axis < field->axes; axis++)
        largest[axis] = search->partitions[axis].partitions[combination->partitions[axis]].largest;
    if (tensors && extents)
        status = resize(search, largest, tensors, extents);
    network.tensors = tensors;
    binding.network = &network;
    if (!status)
        status = schedule_of_binding(field->context, &binding, search->how, schedule);
    memory_release(field->context, tensors);
    memory_release(field->context, extents);
    return status;
}

/* ---- the first that fits ---- */

/* Whether the tiles of `x` are nowhere smaller than those of `y`. */
static bool
is_larger(const struct search *search, const struct combination *x, const struct combination *y)
{
    for (int32_t axis = 0; axis < search->field.axes; axis++) {
        const struct partition *partitions = search->partitions[axis].partitions;

        if (partitions[x->partitions[axis]].largest < partitions[y->partitions[axis]].largest)
            return false;
    }
    return true;
}

/* Tiles that are nowhere smaller than those that did not fit do not either. */
static bool
is_hopeless(const struct search *search, const struct combination *combination)
{
    for (size_t i = 0; i < search->misfit_count; i++)
        if (is_larger(search, combination, &search->misfits[i]))
            return true;
    return false;
}

/* Of those that did not fit, only the smallest are asked. */
static void
add_misfit(struct search *search, const struct combination *combination)
{
    size_t kept = 0;

    for (size_t i = 0; i < search->misfit_count; i++)
        if (!is_larger(search, &search->misfits[i], combination))
            search->misfits[kept++] = search->misfits[i];
    search->misfits[kept++] = *combination;
    search->misfit_count = kept;
}

static int64_t
peak_of(const memmodel_schedule *schedule)
{
    struct memmodel_schedule_result summary = {.size = sizeof summary};

    memmodel_schedule_get_result(schedule, &summary);
    return summary.peak;
}

/* The tiling of the least overhead that is within the budget; where none is, that of the least peak. */
static int
find(struct search *search, struct combination *found, memmodel_schedule **schedule)
{
    for (size_t i = 0; i < search->count; i++) {
        memmodel_schedule *tile;
        int status;

        if (is_hopeless(search, &search->combinations[i]))
            continue;
        status = schedule_tile(search, &search->combinations[i], &tile);
        if (status)
            return status;
        if (*schedule && peak_of(tile) >= peak_of(*schedule)) {
            memmodel_schedule_unref(tile);
        } else {
            memmodel_schedule_unref(*schedule);
            *schedule = tile;
            *found = search->combinations[i];
        }
        if (!search->budget || peak_of(*schedule) <= search->budget)
            return 0;
        add_misfit(search, &search->combinations[i]);
    }
    return 0;
}

/* ---- the tiling ---- */

static int
describe_axis(const struct search *search, int32_t axis, const struct partition *partition, memmodel_tiling *tiling)
{
    const struct receptive_field *field = &search->field;

    tiling->axes[axis] = (struct memmodel_tiling_axis){
        .size = sizeof tiling->axes[axis],
        .extent = field->extent[axis],
        .alignment = field->alignment[axis],
        .halo_before = field->before[axis],
        .halo_after = field->after[axis],
        .stride = partition->step,
        .tile_count = partition->count,
        .max_extent = partition->largest,
    };
    tiling->ranges[axis] =
        memory_allocate_zeroed(tiling->context, (size_t)partition->count, sizeof *tiling->ranges[axis]);
    for (int64_t i = 0; i < partition->count && tiling->ranges[axis]; i++)
        tiling->ranges[axis][i] = partition_range(field, axis, partition, i);
    return tiling->ranges[axis] ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static int
describe_whole(const struct search *search, memmodel_tiling *tiling)
{
    struct memmodel_schedule_result summary = {.size = sizeof summary};
    memmodel_schedule *whole;
    int status = schedule_of_binding(tiling->context, search->field.binding, search->how, &whole);

    if (status)
        return status;
    memmodel_schedule_get_result(whole, &summary);
    tiling->result.peak_untiled = summary.peak;
    tiling->result.tensor_bytes = summary.tensor_bytes;
    memmodel_schedule_unref(whole);
    return 0;
}

static int
describe(const struct search *search, const struct combination *found, memmodel_schedule *schedule,
         memmodel_tiling *tiling)
{
    int status = describe_whole(search, tiling);

    tiling->axis_count = (size_t)search->field.axes;
    for (int32_t axis = 0; axis < search->field.axes && !status; axis++)
        status = describe_axis(search, axis, &search->partitions[axis].partitions[found->partitions[axis]], tiling);
    tiling->schedule = memmodel_schedule_ref(schedule);
    tiling->result.peak = peak_of(schedule);
    tiling->result.verdict = verdict_of(search->budget, peak_of(schedule));
    tiling->result.tile_count = found->tiles;
    tiling->result.overhead = found->overhead;
    return status;
}

static int
make(struct search *search, memmodel_tiling *tiling)
{
    struct combination found = {.tiles = 0};
    memmodel_schedule *schedule = NULL;
    int status = count_layers_work(search);

    for (int32_t axis = 0; axis < search->field.axes && !status; axis++)
        status = partitions_new(&search->field, axis, &search->partitions[axis]);
    if (!status)
        status = combine_all(search);
    if (!status)
        status = find(search, &found, &schedule);
    if (!status)
        status = describe(search, &found, schedule, tiling);
    memmodel_schedule_unref(schedule);
    return status;
}

static int
tiling_of_binding(memmodel_context *context, const struct binding *binding, const struct memmodel_schedule_options *how,
                  int64_t budget, memmodel_tiling **tiling)
{
    struct search search = {.how = how, .budget = budget};
    memmodel_tiling *new = memory_allocate_zeroed(context, 1, sizeof *new);
    int status = new ? receptive_field_new(context, binding, &search.field) : MEMMODEL_ERROR_NO_MEMORY;

    if (status) {
        memory_release(context, new);
        return status;
    }
    new->context = memmodel_context_ref(context);
    new->result.size = sizeof new->result;
    atomic_init(&new->references, 1);
    status = make(&search, new);
    for (int32_t axis = 0; axis < MAX_AXES; axis++)
        partitions_release(context, &search.partitions[axis]);
    memory_release(context, search.work);
    memory_release(context, search.combinations);
    memory_release(context, search.misfits);
    receptive_field_release(&search.field);
    if (status)
        memmodel_tiling_unref(new);
    else
        *tiling = new;
    return status;
}

int
memmodel_network_tile(const memmodel_network *network, const struct memmodel_schedule_options *options, int64_t budget,
                      memmodel_context *context, memmodel_tiling **tiling)
{
    OWN_ENVIRONMENT;
    struct memmodel_schedule_options own;
    struct binding binding;
    int status;

    if (!network || !tiling)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : network->context;
    status = inference_bind(context, network, options, &own, &binding);
    if (status)
        return status;
    if (budget < 0)
        status = context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "budget",
                               "%" PRId64 " bytes are less than none", budget);
    else
        status = tiling_of_binding(context, &binding, &own, budget, tiling);
    return inference_end(context, &binding, status);
}

/* ---- asking ---- */

int
memmodel_tiling_get_result(const memmodel_tiling *tiling, struct memmodel_tiling_result *result)
{
    if (!tiling || !result)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    return result_copy(&tiling->result, sizeof tiling->result, result);
}

size_t
memmodel_tiling_axis_count(const memmodel_tiling *tiling)
{
    return tiling ? tiling->axis_count : 0;
}

int
memmodel_tiling_get_axis(const memmodel_tiling *tiling, size_t axis, struct memmodel_tiling_axis *about)
{
    if (!tiling || !about)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (axis >= tiling->axis_count)
        return context_error(tiling->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "there is no spatial axis %zu",
                             axis);
    return result_copy(&tiling->axes[axis], sizeof tiling->axes[axis], about);
}

int
memmodel_tiling_get_range(const memmodel_tiling *tiling, size_t axis, int64_t index,
                          struct memmodel_tiling_range *range)
{
    if (!tiling || !range)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    if (axis >= tiling->axis_count || index < 0 || index >= tiling->axes[axis].tile_count)
        return context_error(tiling->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "there is no tile %" PRId64 " along spatial axis %zu", index, axis);
    return result_copy(&tiling->ranges[axis][index], sizeof tiling->ranges[axis][index], range);
}

const memmodel_plan *
memmodel_tiling_plan(const memmodel_tiling *tiling)
{
    return tiling ? memmodel_schedule_plan(tiling->schedule) : NULL;
}

DEFINE_REF(memmodel_tiling)

void
memmodel_tiling_unref(memmodel_tiling *tiling)
{
    memmodel_context *context;

    if (!tiling || atomic_fetch_sub(&tiling->references, 1) > 1)
        return;
    context = tiling->context;
    memmodel_schedule_unref(tiling->schedule);
    for (int32_t axis = 0; axis < MAX_AXES; axis++)
        memory_release(context, tiling->ranges[axis]);
    memory_release(context, tiling);
    memmodel_context_unref(context);
}
