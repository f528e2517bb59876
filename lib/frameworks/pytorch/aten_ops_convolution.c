/*
 * Convolutions by name: those whose weight was computed, too. PyTorch: aten/src/ATen/native/Convolution.cpp.
 */
#include "frameworks/pytorch/convolution.h"
#include "frameworks/pytorch/aten_ops.h"

/* What a row says besides the spatial dims; ANY_KIND: the call itself says both. */
enum { DIMS = 3, TRANSPOSED = 4, ANY_KIND = 8 };

/* A number along an axis: of a list, or one for all axes. */
static void
read_axes(const struct layer *layer, const char *name, int64_t otherwise, int dims, int64_t *values)
{
    int64_t list[CONVOLUTION_DIMS];
    int count = attribute_list(layer, name, list, CONVOLUTION_DIMS);

    for (int i = 0; i < dims; i++)
        values[i] = count == 0 ? otherwise : list[i < count ? i : 0];
}

static bool
is_transposed(const struct layer *layer, int detail)
{
    return detail == ANY_KIND ? attribute_integer(layer, "transposed", 0) != 0 : (detail & TRANSPOSED) != 0;
}

static void
problem_init(struct convolution *problem, const struct layer *layer, int detail, struct value *const inputs[3])
{
    const struct shape *input = &inputs[0]->shape, *weight = &inputs[1]->shape;

    *problem = (struct convolution){.dims = input->rank - 2,
                                    .transposed = is_transposed(layer, detail),
                                    .bias = inputs[2] != NULL,
                                    .element = dtype_bytes(input->dtype),
                                    .batch = input->dims[0],
                                    .in_channels = input->dims[1],
                                    .groups = attribute_integer(layer, "groups", 1)};
    problem->out_channels =
        problem->transposed ? multiply_saturating(weight->dims[1], max_i64(problem->groups, 0)) : weight->dims[0];
    for (int i = 0; i < problem->dims; i++) {
        problem->input[i] = input->dims[2 + i];
        problem->kernel[i] = weight->dims[2 + i];
    }
    read_axes(layer, "stride", 1, problem->dims, problem->stride);
    read_axes(layer, "dilation", 1, problem->dims, problem->dilation);
    if (!attribute_is(layer, "padding", "same") && !attribute_is(layer, "padding", "valid"))
        read_axes(layer, "padding", 0, problem->dims, problem->padding);
    if (problem->transposed)
        read_axes(layer, "output_padding", 0, problem->dims, problem->output_padding);
}

/* In a type without rules it is estimated. */
static bool
has_rule(struct step *step, const struct value *x, const struct value *weight, int detail)
{
    int dims = x->shape.rank - 2;

    return convolution_is_listed(step, x) && x->shape.dtype == weight->shape.dtype && weight->shape.rank == dims + 2 &&
           dims >= 1 && dims <= CONVOLUTION_DIMS && (detail == ANY_KIND || dims == (detail & DIMS));
}

static void
run_convolution(struct step *step, const struct layer *layer, int detail, struct value *inputs[3], bool batched)
{
    struct convolution *problem = step_arena_allocate(step, sizeof *problem);
    struct shape shape = step_output_shape(step, layer, 0);
    struct value *result;

    if (!problem)
        return;
    problem_init(problem, layer, detail, inputs);
    result = aten_convolution(step, problem, inputs, attribute_is(layer, "padding", "same"));
    if (!batched && value_elements(result) == shape_elements(&shape)) {
        step_output(step, layer, 0, aten_reshape(step, result, &shape));
        value_drop(step, result);
    } else {
        step_output(step, layer, 0, result);
    }
}

/* One image is a batch of one. Convolution.cpp, batchify */
static struct value *
as_batch(struct step *step, struct value *x)
{
    struct shape shape = {.dims = {1}, .rank = x->shape.rank + 1, .dtype = x->shape.dtype};

    for (int i = 0; i < x->shape.rank; i++)
        shape.dims[1 + i] = x->shape.dims[i];
    return aten_reshape(step, x, &shape);
}

static void
convolution_forward_by_name(struct step *step, const struct layer *layer, int detail)
{
    struct value *inputs[] = {step_input(step, layer, 0), step_input(step, layer, 1), step_input(step, layer, 2)};
    bool batched = inputs[0]->shape.rank >= inputs[1]->shape.rank;

    inputs[0] = batched ? value_keep(inputs[0]) : as_batch(step, inputs[0]);
    if (has_rule(step, inputs[0], inputs[1], detail))
        run_convolution(step, layer, detail, inputs, batched);
    else
        aten_op_estimate(step, layer);
    value_drop(step, inputs[0]);
}

static const struct aten_op_rule convolutions[] = {
    {"aten.conv1d.default", convolution_forward_by_name, 1, "23"},
    {"aten.conv1d.padding", convolution_forward_by_name, 1, "23"},
    {"aten.conv2d.default", convolution_forward_by_name, 2, "34"},
    {"aten.conv2d.padding", convolution_forward_by_name, 2, "34"},
    {"aten.conv3d.default", convolution_forward_by_name, 3, "45"},
    {"aten.conv3d.padding", convolution_forward_by_name, 3, "45"},
    {"aten.conv_transpose1d.default", convolution_forward_by_name, TRANSPOSED | 1, "23"},
    {"aten.conv_transpose2d.input", convolution_forward_by_name, TRANSPOSED | 2, "34"},
    {"aten.conv_transpose3d.input", convolution_forward_by_name, TRANSPOSED | 3, "45"},
    {"aten.convolution.default", convolution_forward_by_name, ANY_KIND, "33"},
};

const struct aten_ops aten_op_convolution = ATEN_OPS(convolutions);
