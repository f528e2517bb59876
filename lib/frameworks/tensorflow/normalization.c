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
        struct operation sum = {.what = "Sum", .category = MEMMODEL_GRADIENTS};

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

    if (!build->job->inference)
        variance = build_new(build, "moments", 0, READS(build_new(build, "SquaredDifference", n, READS(x))));
    build_kept(build, layer)->x = x;
    build_output(build, layer, build_forward(build, "batchnorm/mul_1", n, READS(x, variance)));
}

/* Its sum of three may become a temporary variable, see sums.c. */
static int32_t
sum_of_three(struct build *build, const struct layer *layer, int64_t n, int32_t a, int32_t b, int32_t c)
{
    bool rewritten = build->rewritten[layer - build->network->layers];
    struct operation sum = {.what = "AddN", .bytes = n, .place = rewritten ? PLACE_NEW : PLACE_FORWARD};

    return build_operation(build, &sum, READS(a, b, c));
}

static void
batch_norm_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    int64_t n = build_output_bytes(build, layer);
    int32_t x = build_kept(build, layer)->x;
    int32_t scaled = build_forward(build, "mul_1/Mul", n, READS(gradient));
    int32_t product = build_forward(build, "mul_1/Mul_1", n, READS(gradient, x));
    int32_t of_scale = build_new(build, "Sum", 0, READS(product)),
            of_shift = build_new(build, "Sum_1", 0, READS(gradient));
    int32_t of_variance = build_new(build, "moments/Tile_1", n, READS(of_scale));
    int32_t of_mean = build_new(build, "moments/Tile", n, READS(of_scale, of_shift));
    int32_t difference = build_forward(build, "moments/Sub", n, READS(x, of_variance));
    int32_t change = build_forward(build, "moments/Mul", n, READS(of_variance, difference));

    affine_gradients(build, layer, of_shift);
    build_gradient(build, layer, 0, sum_of_three(build, layer, n, scaled, change, of_mean));
}

/* ---- layer, and the others that Keras writes alike ---- */

static void
layer_norm(struct build *build, const struct layer *layer)
{
    int64_t n = build_output_bytes(build, layer);
    int32_t x = build_input(build, layer, 0);
    int32_t variance = build_new(build, "moments", 0, READS(build_new(build, "SquaredDifference", n, READS(x))));
    int32_t scaled = build_new(build, "mul", n, READS(x, variance));
    int32_t mean = build_new(build, "mul_1", n, READS(variance));
    struct kept *kept = build_kept(build, layer);

    kept->x = x;
    kept->others[0] = scaled;
    build_output(build, layer, build_forward(build, "add", n, READS(mean, scaled)));
    kept->others[1] = kept->y;
}

static void
layer_norm_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    int64_t n = build_output_bytes(build, layer);
    const struct kept *kept = build_kept(build, layer);
    int32_t scaled = build_new(build, "mul/Mul", n, READS(gradient, kept->others[0]));
    int32_t sums = build_new(build, "Sum", 0, READS(build_new(build, "mul/Mul_1", n, READS(gradient, kept->x))));
    int32_t tile = build_new(build, "moments/Tile", n, READS(sums));
    int32_t difference = build_forward(build, "moments/Sub", n, READS(kept->x, sums));
    int32_t change = build_forward(build, "moments/Mul", n, READS(tile, difference));

    affine_gradients(build, layer, sums);
    build_gradient(build, layer, 0, build_forward(build, "AddN", n, READS(scaled, change)));
}

const struct rule tensorflow_batch_norm = {OP_BATCH_NORM, batch_norm, batch_norm_backward};
const struct rule tensorflow_layer_norm = {OP_LAYER_NORM, layer_norm, layer_norm_backward};
