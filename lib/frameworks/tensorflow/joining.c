/* Concatenation, splitting, and two tensors element by element. TensorFlow: python/ops/array_grad.py, math_grad.py. */
#include "frameworks/tensorflow/build.h"

static void
concat(struct build *build, const struct layer *layer)
{
    int32_t *inputs = memory_allocate_zeroed(build->context, (size_t)layer->input_count, sizeof *inputs);

    if (!inputs) {
        build_fail(build, MEMMODEL_ERROR_NO_MEMORY);
        return;
    }
    for (int32_t i = 0; i < layer->input_count; i++)
        inputs[i] = build_input(build, layer, i);
    build_output(build, layer,
                 build_new(build, "ConcatV2", build_output_bytes(build, layer), inputs, layer->input_count));
    memory_release(build->context, inputs);
}

/* A slice for each input, also where nobody asks for it; the gradient goes after the last. */
static void
concat_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    for (int32_t i = 0; i < layer->input_count; i++)
        build_gradient(build, layer, i,
                       build_new(build, "Slice", build_bytes(build, layer->inputs[i]), READS(gradient)));
}

static void
split(struct build *build, const struct layer *layer)
{
    int32_t x = build_input(build, layer, 0);

    for (int32_t i = 0; i < layer->output_count; i++)
        build->outputs[layer->first_output + i] =
            build_new(build, op_name(layer->op), build_bytes(build, layer->first_output + i), READS(x));
    build_kept(build, layer)->y = build->outputs[layer->first_output];
}

/* One tensor of the input's size, filled from the gradients of the parts. */
static void
split_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    int32_t whole = build_new(build, "gradient", build_bytes(build, layer->inputs[0]), READS(gradient));

    build_gradient(build, layer, 0, whole);
}

/* ---- binary ---- */

static bool
keeps_inputs(const struct layer *layer)
{
    int kind = ((const struct memmodel_binary *)layer->options)->kind;

    return kind != MEMMODEL_BINARY_ADD && kind != MEMMODEL_BINARY_SUBTRACT;
}

static void
binary(struct build *build, const struct layer *layer)
{
    build_output(build, layer,
                 build_forward(build, "binary", build_output_bytes(build, layer),
                               READS(build_input(build, layer, 0), build_input(build, layer, 1))));
}

/* A sum passes its gradient on; else, or where an input was broadcast, each input's is computed. */
static void
binary_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    int64_t n = build_output_bytes(build, layer);

    for (int i = 0; i < 2; i++) {
        int64_t bytes = build_bytes(build, layer->inputs[i]);
        int32_t own = gradient;

        if (!build_wants_gradient(build, layer, i))
            continue;
        if (keeps_inputs(layer))
            own = build_forward(build, "Mul", n, READS(gradient, build_input(build, layer, 1 - i)));
        if (bytes != n)
            own = build_new(build, "Sum", bytes, READS(own));
        build_gradient(build, layer, i, own);
    }
}

const struct rule tensorflow_concat = {OP_CONCAT, concat, concat_backward};
const struct rule tensorflow_split = {OP_SPLIT, split, split_backward};
const struct rule tensorflow_slice = {OP_SLICE, split, split_backward};
const struct rule tensorflow_binary = {OP_BINARY, binary, binary_backward};
