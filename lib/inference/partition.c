/* Tiles along one axis. */
#include "inference/partition.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* Of the input: what lies under all of the output. */
static int64_t
covered(const struct receptive_field *field, int32_t axis)
{
    const struct receptive_field_ratio *ratio = &field->tensors[field->output].ratio[axis];

    return min_i64(ceil_divide(field->output_extent[axis], ratio->numerator) * ratio->denominator,
                   round_up(field->extent[axis], field->alignment[axis]));
}

struct memmodel_tiling_range
partition_range(const struct receptive_field *field, int32_t axis, const struct partition *partition, int64_t index)
{
    const struct receptive_field_ratio *ratio = &field->tensors[field->output].ratio[axis];
    int64_t alignment = field->alignment[axis], begin = index * partition->step, stop = begin + partition->step;
    struct memmodel_tiling_range range = {
        .size = sizeof range,
        .input_start = max_i64(floor_divide(begin - field->before[axis], alignment) * alignment, 0),
        .input_stop = min_i64(round_up(stop + field->after[axis], alignment), field->extent[axis]),
        .output_start = begin / ratio->denominator * ratio->numerator,
        .output_stop = stop / ratio->denominator * ratio->numerator,
    };

    if (index == partition->count - 1) {
        range.input_stop = field->extent[axis];
        range.output_stop = field->output_extent[axis];
    }
    range.crop = range.output_start - range.input_start / ratio->denominator * ratio->numerator;
    return range;
}

/* What convolutions spread is counted by their input, as their work is. */
static int64_t
work_extent(const struct receptive_field *field, const struct layer *layer, int32_t axis, const int64_t *extents)
{
    int32_t tensor = layer->op == OP_CONV_TRANSPOSE ? layer->inputs[0] : layer->first_output;

    (void)axis;
    return field->tensors[tensor].fixed ? 1 : extents[tensor];
}

/* How many tiles from `index` on read as much as it does: all that lie between the ends, where none is cut off. */
static int64_t
alike(const struct receptive_field *field, int32_t axis, const struct partition *partition, int64_t index)
{
    int64_t alignment = field->alignment[axis], begin = index * partition->step;
    int64_t room = field->extent[axis] / alignment * alignment - round_up(field->after[axis], alignment);
    int64_t last = min_i64(floor_divide(room, partition->step) - 1, partition->count - 2);

    return begin >= field->before[axis] && last > index ? last - index + 1 : 1;
}

/* false: a tile would be too small for the network. */
static bool
measure_work(const struct receptive_field *field, int32_t axis, struct partition *partition, int64_t *extents)
{
    const struct memmodel_network *network = field->binding->network;
    int64_t extent = 0;

    partition->largest = 0;
    for (size_t i = 0; i < network->layer_count; i++)
        partition->work[i] = 0;
    for (int64_t index = 0, tiles; index < partition->count; index += tiles) {
        struct memmodel_tiling_range range = partition_range(field, axis, partition, index);

        tiles = alike(field, axis, partition, index);
        if (range.input_stop - range.input_start != extent &&
            !receptive_field_extents(field, axis, range.input_stop - range.input_start, extents))
            return false;
        extent = range.input_stop - range.input_start;
        partition->largest = max_i64(partition->largest, extent);
        for (size_t i = 0; i < network->layer_count; i++)
            partition->work[i] += (double)tiles * (double)work_extent(field, &network->layers[i], axis, extents);
    }
    return true;
}

static int
measure_all(const struct receptive_field *field, int32_t axis, struct partitions *partitions)
{
    size_t layers = field->binding->network->layer_count, kept = 0;
    int64_t *extents =
        memory_allocate_zeroed(field->context, field->binding->network->tensor_count + 1, sizeof *extents);
    double *whole = memory_allocate_zeroed(field->context, layers + 1, sizeof *whole);

    for (size_t i = 0; i < partitions->count && extents && whole; i++) {
        if (!measure_work(field, axis, &partitions->partitions[i], extents))
            continue;
        if (i == 0)
            memcpy(whole, partitions->partitions[0].work, layers * sizeof *whole);
        for (size_t layer = 0; layer < layers; layer++)
            partitions->partitions[i].work[layer] /= whole[layer];
        if (kept != i) {
            double *work = partitions->partitions[kept].work;

            partitions->partitions[kept] = partitions->partitions[i];
            partitions->partitions[i].work = work;
        }
        kept++;
    }
    memory_release(field->context, extents);
    memory_release(field->context, whole);
    for (size_t i = kept; i < partitions->count; i++)
        memory_release(field->context, partitions->partitions[i].work);
    partitions->count = kept;
    return extents && whole ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

/* The step that is needed for so many tiles at most. */
static int64_t
step_for(const struct receptive_field *field, int32_t axis, int64_t count)
{
    return round_up(ceil_divide(covered(field, axis), count), field->alignment[axis]);
}

static int
add_partition(const struct receptive_field *field, struct partitions *partitions, size_t *capacity, int64_t step,
              int64_t count)
{
    int status = array_reserve(field->context, &partitions->partitions, capacity, partitions->count + 1,
                               sizeof *partitions->partitions);
    struct partition partition = {.step = step, .count = count};

    if (status)
        return status;
    partition.work =
        memory_allocate_zeroed(field->context, field->binding->network->layer_count + 1, sizeof *partition.work);
    if (!partition.work)
        return MEMMODEL_ERROR_NO_MEMORY;
    partitions->partitions[partitions->count++] = partition;
    return 0;
}

int
partitions_new(const struct receptive_field *field, int32_t axis, struct partitions *partitions)
{
    int64_t all = covered(field, axis), max = ceil_divide(all, field->alignment[axis]), count = 1;
    size_t capacity = 0;
    int status = 0;

    *partitions = (struct partitions){0};
    while (count <= max && !status) {
        int64_t step = step_for(field, axis, count);

        status = add_partition(field, partitions, &capacity, step, ceil_divide(all, step));
        if (step == field->alignment[axis])
            break;
        count = ceil_divide(all, step - field->alignment[axis]); /* the fewest that have a smaller one */
    }
    if (!status)
        status = measure_all(field, axis, partitions);
    if (status)
        partitions_release(field->context, partitions);
    return status;
}

void
partitions_release(memmodel_context *context, struct partitions *partitions)
{
    for (size_t i = 0; i < partitions->count; i++)
        memory_release(context, partitions->partitions[i].work);
    memory_release(context, partitions->partitions);
    *partitions = (struct partitions){0};
}
