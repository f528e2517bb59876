/* Tiles along one axis. */
#include "inference/partition.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* Of the input: what lies under all of the output. */
static int64_t
covered(const struct receptive_field *reach, int32_t axis)
{
    const struct receptive_field_ratio *ratio = &reach->tensors[reach->output].ratio[axis];

    return min_i64(ceil_divide(reach->output_extent[axis], ratio->numerator) * ratio->denominator,
                   ceil_divide(reach->extent[axis], reach->alignment[axis]) * reach->alignment[axis]);
}

struct memmodel_tiling_range
partition_range(const struct receptive_field *reach, int32_t axis, const struct partition *cut, int64_t index)
{
    const struct receptive_field_ratio *ratio = &reach->tensors[reach->output].ratio[axis];
    int64_t alignment = reach->alignment[axis], begin = index * cut->step, stop = begin + cut->step;
    struct memmodel_tiling_range range = {
        .size = sizeof range,
        .input_start = max_i64(floor_divide(begin - reach->before[axis], alignment) * alignment, 0),
        .input_stop = min_i64(ceil_divide(stop + reach->after[axis], alignment) * alignment, reach->extent[axis]),
        .output_start = begin / ratio->denominator * ratio->numerator,
        .output_stop = stop / ratio->denominator * ratio->numerator,
    };

    if (index == cut->count - 1) {
        range.input_stop = reach->extent[axis];
        range.output_stop = reach->output_extent[axis];
    }
    range.crop = range.output_start - range.input_start / ratio->denominator * ratio->numerator;
    return range;
}

/* What convolutions spread is counted by their input, as their work is. */
static int64_t
work_extent(const struct receptive_field *reach, const struct layer *layer, int32_t axis, const int64_t *extents)
{
    int32_t tensor = layer->op == OP_CONV_TRANSPOSE ? layer->inputs[0] : layer->first_output;

    (void)axis;
    return reach->tensors[tensor].fixed ? 1 : extents[tensor];
}

/* How many tiles from `index` on read as much as it does: all that lie between the ends, where none is cut off. */
static int64_t
alike(const struct receptive_field *reach, int32_t axis, const struct partition *cut, int64_t index)
{
    int64_t alignment = reach->alignment[axis], begin = index * cut->step;
    int64_t room = reach->extent[axis] / alignment * alignment - ceil_divide(reach->after[axis], alignment) * alignment;
    int64_t last = min_i64(floor_divide(room, cut->step) - 1, cut->count - 2);

    return begin >= reach->before[axis] && last > index ? last - index + 1 : 1;
}

/* false: a tile would be too small for the network. */
static bool
weigh(const struct receptive_field *reach, int32_t axis, struct partition *cut, int64_t *extents)
{
    const struct memmodel_network *network = reach->binding->network;
    int64_t extent = 0;

    cut->largest = 0;
    for (size_t i = 0; i < network->layer_count; i++)
        cut->work[i] = 0;
    for (int64_t index = 0, tiles; index < cut->count; index += tiles) {
        struct memmodel_tiling_range range = partition_range(reach, axis, cut, index);

        tiles = alike(reach, axis, cut, index);
        if (range.input_stop - range.input_start != extent &&
            !receptive_field_extents(reach, axis, range.input_stop - range.input_start, extents))
            return false;
        extent = range.input_stop - range.input_start;
        cut->largest = max_i64(cut->largest, extent);
        for (size_t i = 0; i < network->layer_count; i++)
            cut->work[i] += (double)tiles * (double)work_extent(reach, &network->layers[i], axis, extents);
    }
    return true;
}

static int
weigh_all(const struct receptive_field *reach, int32_t axis, struct partitions *cuts)
{
    size_t layers = reach->binding->network->layer_count, kept = 0;
    int64_t *extents =
        memory_allocate_zeroed(reach->context, reach->binding->network->tensor_count + 1, sizeof *extents);
    double *whole = memory_allocate_zeroed(reach->context, layers + 1, sizeof *whole);

    for (size_t i = 0; i < cuts->count && extents && whole; i++) {
        if (!weigh(reach, axis, &cuts->cuts[i], extents))
            continue;
        if (i == 0)
            memcpy(whole, cuts->cuts[0].work, layers * sizeof *whole);
        for (size_t layer = 0; layer < layers; layer++)
            cuts->cuts[i].work[layer] /= whole[layer];
        if (kept != i) {
            double *work = cuts->cuts[kept].work;

            cuts->cuts[kept] = cuts->cuts[i];
            cuts->cuts[i].work = work;
        }
        kept++;
    }
    memory_release(reach->context, extents);
    memory_release(reach->context, whole);
    for (size_t i = kept; i < cuts->count; i++)
        memory_release(reach->context, cuts->cuts[i].work);
    cuts->count = kept;
    return extents && whole ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

/* The step that is needed for so many tiles at most. */
static int64_t
step_for(const struct receptive_field *reach, int32_t axis, int64_t count)
{
    return ceil_divide(ceil_divide(covered(reach, axis), count), reach->alignment[axis]) * reach->alignment[axis];
}

static int
add_cut(const struct receptive_field *reach, struct partitions *cuts, size_t *capacity, int64_t step, int64_t count)
{
    int status = array_reserve(reach->context, &cuts->cuts, capacity, cuts->count + 1, sizeof *cuts->cuts);
    struct partition cut = {.step = step, .count = count};

    if (status)
        return status;
    cut.work = memory_allocate_zeroed(reach->context, reach->binding->network->layer_count + 1, sizeof *cut.work);
    if (!cut.work)
        return MEMMODEL_ERROR_NO_MEMORY;
    cuts->cuts[cuts->count++] = cut;
    return 0;
}

int
partitions_new(const struct receptive_field *reach, int32_t axis, struct partitions *cuts)
{
    int64_t all = covered(reach, axis), most = ceil_divide(all, reach->alignment[axis]), count = 1;
    size_t capacity = 0;
    int status = 0;

    *cuts = (struct partitions){0};
    while (count <= most && !status) {
        int64_t step = step_for(reach, axis, count);

        status = add_cut(reach, cuts, &capacity, step, ceil_divide(all, step));
        if (step == reach->alignment[axis])
            break;
        count = ceil_divide(all, step - reach->alignment[axis]); /* the fewest that have a smaller one */
    }
    if (!status)
        status = weigh_all(reach, axis, cuts);
    if (status)
        partitions_release(reach->context, cuts);
    return status;
}

void
partitions_release(memmodel_context *context, struct partitions *cuts)
{
    for (size_t i = 0; i < cuts->count; i++)
        memory_release(context, cuts->cuts[i].work);
    memory_release(context, cuts->cuts);
    *cuts = (struct partitions){0};
}
