/* Outputs that have the bytes of an input: the same elements in the same order, or a run of them. Tensors are dense. */
#include "inference/graph.h"

/* Which elements of an input an output has: along each axis `size` of them from `start` on. */
struct window {
    int64_t start[MEMMODEL_MAX_RANK], size[MEMMODEL_MAX_RANK];
};

static int64_t
dim_of(const struct binding *binding, const struct tensor *tensor, int32_t axis)
{
    return binding_dim(binding, tensor->dims[axis]);
}

/* They are a run if all axes but one are whole behind it and of one element before it. Products were checked. */
static bool
is_run(const struct binding *binding, const struct tensor *x, const struct window *window, int64_t *displacement)
{
    int64_t stride = dtype_bytes(x->dtype), into = 0;
    bool whole = true;

    for (int32_t axis = x->rank - 1; axis >= 0; axis--) {
        int64_t size = dim_of(binding, x, axis);

        if (!whole && window->size[axis] != 1)
            return false;
        whole = whole && window->size[axis] == size;
        into += window->start[axis] * stride;
        stride *= size;
    }
    *displacement = into;
    return true;
}

static struct window
all_of(const struct binding *binding, const struct tensor *x)
{
    struct window window = {{0}, {0}};

    for (int32_t axis = 0; axis < x->rank; axis++)
        window.size[axis] = dim_of(binding, x, axis);
    return window;
}

static const struct tensor *
input_of(const struct binding *binding, const struct layer *layer)
{
    return &binding->network->tensors[layer->inputs[0]];
}

static const struct tensor *
output_of(const struct binding *binding, const struct layer *layer, int32_t output)
{
    return &binding->network->tensors[layer->first_output + output];
}

/* ---- layers ---- */

static bool
always(const struct binding *binding, const struct layer *layer, int32_t output, int64_t *displacement)
{
    (void)binding, (void)layer, (void)output;
    *displacement = 0;
    return true;
}

static bool
view_activation(const struct binding *binding, const struct layer *layer, int32_t output, int64_t *displacement)
{
    const struct memmodel_activation *activation = layer->options;

    return activation->kind == MEMMODEL_ACTIVATION_NONE && always(binding, layer, output, displacement);
}

/* Nothing is repeated, or added. */
static bool
view_of_same_elements(const struct binding *binding, const struct layer *layer, int32_t output, int64_t *displacement)
{
    const struct tensor *x = input_of(binding, layer), *y = output_of(binding, layer, output);
    int64_t before, after;

    return binding_elements(binding, x->dims, x->rank, &before) &&
           binding_elements(binding, y->dims, y->rank, &after) && before == after &&
           always(binding, layer, output, displacement);
}

/* Axes of one element may go anywhere. */
static bool
view_permute(const struct binding *binding, const struct layer *layer, int32_t output, int64_t *displacement)
{
    const struct permute_options *permute = layer->options;
    const struct tensor *x = input_of(binding, layer);
    int32_t last = -1;

    for (int32_t i = 0; i < permute->rank; i++) {
        if (dim_of(binding, x, permute->axes[i]) == 1)
            continue;
        if (permute->axes[i] < last)
            return false;
        last = permute->axes[i];
    }
    return always(binding, layer, output, displacement);
}

static bool
view_crop(const struct binding *binding, const struct layer *layer, int32_t output, int64_t *displacement)
{
    const struct memmodel_pad *crop = layer->options;
    const struct tensor *x = input_of(binding, layer);
    struct window window = all_of(binding, x);

    (void)output;
    for (int32_t axis = 0; axis < x->rank; axis++) {
        window.start[axis] = crop->before[axis];
        window.size[axis] -= crop->before[axis] + crop->after[axis];
    }
    return is_run(binding, x, &window, displacement);
}

/* Elements that are not neighbours are no run, unless there is only one. */
static bool
view_slice(const struct binding *binding, const struct layer *layer, int32_t output, int64_t *displacement)
{
    const struct memmodel_slice *slice = layer->options;
    const struct tensor *x = input_of(binding, layer), *y = output_of(binding, layer, output);
    struct window window = all_of(binding, x);

    window.start[slice->axis] = binding_dim(binding, slice->start);
    window.size[slice->axis] = slice->squeeze ? 1 : dim_of(binding, y, slice->axis);
    return (slice->step == 1 || window.size[slice->axis] == 1) && is_run(binding, x, &window, displacement);
}

static bool
view_split(const struct binding *binding, const struct layer *layer, int32_t output, int64_t *displacement)
{
    const struct memmodel_split *split = layer->options;
    const struct tensor *x = input_of(binding, layer);
    struct window window = all_of(binding, x);

    for (int32_t i = 0; i < output; i++)
        window.start[split->axis] += dim_of(binding, output_of(binding, layer, i), split->axis);
    window.size[split->axis] = dim_of(binding, output_of(binding, layer, output), split->axis);
    return is_run(binding, x, &window, displacement);
}

static bool
view_concat(const struct binding *binding, const struct layer *layer, int32_t output, int64_t *displacement)
{
    return layer->input_count == 1 && always(binding, layer, output, displacement);
}

/* Without a row: what it makes is new. */
static bool (*const views[OP_COUNT])(const struct binding *, const struct layer *, int32_t, int64_t *) = {
    [OP_RESHAPE] = always,
    [OP_FLATTEN] = always,
    [OP_DROPOUT] = always, /* nothing is dropped but in training */
    [OP_ACTIVATION] = view_activation,
    [OP_EXPAND] = view_of_same_elements,
    [OP_PAD] = view_of_same_elements,
    [OP_PERMUTE] = view_permute,
    [OP_CROP] = view_crop,
    [OP_SLICE] = view_slice,
    [OP_SPLIT] = view_split,
    [OP_CONCAT] = view_concat,
};

bool
view_of_input(const struct binding *binding, const struct layer *layer, int32_t output, int64_t *displacement)
{
    return views[layer->op] && views[layer->op](binding, layer, output, displacement);
}

bool
axis_is_outermost(const struct binding *binding, const struct tensor *tensor, int32_t axis)
{
    for (int32_t i = 0; i < axis; i++)
        if (dim_of(binding, tensor, i) != 1)
            return false;
    return true;
}
