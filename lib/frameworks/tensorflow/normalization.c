/*
 * Normalisations, which Keras writes out in elementary operators. Keras 3.15: src/layers/normalization/
 * batch_normalization.py, layer_normalization.py; gradients: tensorflow/python/ops/math_grad.py, nn_grad.py.
 */
#include "frameworks/tensorflow/build.h"

/* A parameter's gradient is a sum over all else; small. */
static void
affine_gradients(struct build *build, const struct layer *layer, int32_t gradient)
{
    static const char *const roles[] = {"weight", "bias"};

    for (int i = 0; i < 2; i++) {
        int32_t parameter = build_parameter(layer, roles[i]);
        struct operation sum = {.what = "Sum", .category = MEMMODEL_CATEGORY_GRADIENTS};

        if (parameter == NOTHING)
            continue;
        sum.bytes = build_parameter_bytes(build, parameter);
        build_parameter_gradient(build, parameter, build_operation(build, &sum, READS(gradient)), NOTHING);
    }
}

/* ---- batch ---- */

static void
batch_norm(struct build *build, const struct layer *layer)
{
    int64_t n = build_output_bytes(build, layer);
    int32_t x = build_input(build, layer, 0), variance = NOTHING;

    if (!build->job->mode)
        variance = build_new(build, "moments", 0, READS(build_new(build, "SquaredDifference", n, READS(x))));
    build_kept(build, layer)->x = x;
    build_output(build, layer, build_forward(build, "batchnorm/mul_1", n, READS(x, variance)));
}

/* The gradient of a mean: that of the result for each element, divided by their number. */
static int32_t
mean_gradient(struct build *build, const char *tile, const char *quotient, int64_t n, int32_t gradient)
{
    return build_forward(build, quotient, n, READS(build_new(build, tile, n, READS(gradient))));
}

static void
batch_norm_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    int64_t n = build_output_bytes(build, layer);
    int32_t x = build_kept(build, layer)->x;
    int32_t of_shift = build_new(build, "Sum_1", 0, READS(gradient));
    int32_t scaled = build_forward(build, "mul_1/Mul", n, READS(gradient));
    int32_t of_scale = build_new(build, "Sum", 0, READS(build_forward(build, "mul_1/Mul_1", n, READS(gradient, x))));
    int32_t of_mean = mean_gradient(build, "moments/Tile", "moments/truediv", n, of_shift);
    int32_t of_variance = mean_gradient(build, "moments/Tile_1", "moments/truediv_1", n, of_scale);
    int32_t twice = build_forward(build, "moments/Mul", n, READS(of_variance));
    int32_t difference = build_forward(build, "moments/sub", n, READS(x, twice));
    int32_t change = build_forward(build, "moments/mul_1", n, READS(twice, difference));

    affine_gradients(build, layer, of_shift);
    build_gradient(build, layer, 0, build_forward(build, "AddN", n, READS(scaled, change, of_mean)));
}

/*
 * ---- layer: mean * -inverse + x * inverse, whose scale is in the inverse ----
 * The inverse is as large as the input; statistics have a number for each row.
 */

static int64_t
row_bytes(struct build *build, const struct layer *layer)
{
    const struct tensor *x = &build->network->tensors[layer->inputs[0]];

    return build_output_bytes(build, layer) / build_dim(build, x->dims[x->rank - 1]);
}

static void
layer_norm(struct build *build, const struct layer *layer)
{
    int64_t n = build_output_bytes(build, layer), row = row_bytes(build, layer);
    int32_t x = build_input(build, layer, 0);
    int32_t mean = build_new(build, "moments/mean", row, READS(x));
    int32_t negative = build_new(build, "Neg", row, READS(mean));
    int32_t square = build_new(build, "SquaredDifference", n, READS(x, mean));
    int32_t variance = build_new(build, "moments/variance", row, READS(square));
    int32_t inverse = build_new(build, "mul", n, READS(variance));
    int32_t shift = build_new(build, "mul_1", n, READS(negative, inverse));
    int32_t scaled = build_new(build, "mul_2", n, READS(x, inverse));
    struct kept *kept = build_kept(build, layer);

    kept->x = x;
    kept->others[0] = inverse;
    kept->others[1] = negative;
    kept->others[2] = variance;
    build_output(build, layer, build_forward(build, "add", n, READS(shift, scaled)));
}

static void
layer_norm_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    int64_t n = build_output_bytes(build, layer), row = row_bytes(build, layer);
    const struct kept *kept = build_kept(build, layer);
    int32_t by_input = build_new(build, "mul_2/Mul_1", n, READS(gradient, kept->x));
    int32_t by_mean = build_new(build, "mul_1/Mul_1", n, READS(gradient, kept->others[1]));
    int32_t scaled = build_forward(build, "mul_2/Mul", n, READS(gradient, kept->others[0]));
    int32_t sum = build_new(build, "mul_1/Sum", row, READS(scaled));
    int32_t of_mean = mean_gradient(build, "moments/Tile", "moments/truediv", n, sum);
    int32_t of_inverse = build_forward(build, "AddN", n, READS(by_mean, by_input));
    int32_t of_scale = build_new(build, "mul/Mul_1", n, READS(of_inverse, kept->others[2]));
    int32_t of_root = build_new(build, "mul/Sum", row, READS(build_forward(build, "mul/Mul", n, READS(of_inverse))));
    int32_t of_variance = mean_gradient(build, "moments/Tile_1", "moments/truediv_1", n, of_root);
    int32_t twice = build_forward(build, "moments/Mul", n, READS(of_variance));
    int32_t difference = build_forward(build, "moments/sub", n, READS(kept->x, twice));
    int32_t change = build_forward(build, "moments/mul_1", n, READS(twice, difference));

    affine_gradients(build, layer, of_scale);
    /* its name keeps it from sums.c: in two transformers above the bound no such sum was made a temporary variable */
    build_gradient(build, layer, 0, build_forward(build, "moments/AddN", n, READS(scaled, change, of_mean)));
}

const struct rule tensorflow_batch_norm = {OP_BATCH_NORM, batch_norm, batch_norm_backward};
const struct rule tensorflow_layer_norm = {OP_LAYER_NORM, layer_norm, layer_norm_backward};
