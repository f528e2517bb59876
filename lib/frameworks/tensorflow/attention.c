/*
 * Products of activations. The gradient of an operand that was broadcast over the batch (the weights of Keras'
 * EinsumDense) is computed for each sample and then summed. TensorFlow: python/ops/math_grad.py, _BatchMatMulV2Grad;
 * attention: Keras 3.15, src/layers/attention/multi_head_attention.py.
 */
#include "frameworks/tensorflow/build.h"

#define WORK_PER_BYTE 5.0

static double
work(struct build *build, const struct layer *layer)
{
    int64_t count = 0;

    return binding_multiply_adds(build->binding, layer, &count) ? (double)count / WORK_PER_BYTE + 1 : 1;
}

static int32_t
product(struct build *build, const char *what, int64_t bytes, double duration, const int32_t *reads, int32_t count)
{
    return build_operation(build, &(struct operation){.what = what, .bytes = bytes, .duration = duration}, reads,
                           count);
}

/* ---- matrix product ---- */

static void
matmul(struct build *build, const struct layer *layer)
{
    build_output(build, layer,
                 product(build, "BatchMatMulV2", build_output_bytes(build, layer), work(build, layer),
                         READS(build_input(build, layer, 0), build_input(build, layer, 1))));
}

/* Matrices of the product that share this operand. */
static int64_t
copies(struct build *build, const struct layer *layer, int input)
{
    const struct tensor *x = &build->network->tensors[layer->inputs[input]],
                        *y = &build->network->tensors[layer->first_output];
    int64_t count = 1;

    for (int i = 0; i < y->rank - 2; i++) {
        int axis = x->rank - y->rank + i;
        int64_t own = axis < 0 ? 1 : build_dim(build, x->dims[axis]);

        if (own == 1)
            count = build_times(build, count, build_dim(build, y->dims[i]));
    }
    return count;
}

static void
matmul_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    for (int i = 0; i < 2; i++) {
        int64_t bytes = build_bytes(build, layer->inputs[i]), shared = copies(build, layer, i);
        int32_t own;

        if (!build_wants_gradient(build, layer, i))
            continue;
        own = product(build, "BatchMatMulV2", build_times(build, bytes, shared), work(build, layer),
                      READS(gradient, build_input(build, layer, 1 - i)));
        if (shared > 1)
            own = build_new(build, "Sum", bytes, READS(own));
        build_gradient(build, layer, i, own);
    }
}

/*
 * ---- attention of query, key and value [batch, heads, length, width] ----
 * A factor of the softmax's gradient depends on its output alone: it is computed at once, and kept besides the shares.
 */

static int64_t
score_bytes(struct build *build, const struct layer *layer)
{
    const struct tensor *query = &build->network->tensors[layer->inputs[0]],
                        *key = &build->network->tensors[layer->inputs[1]];
    int64_t bytes = dtype_bytes(query->dtype);

    for (int i = 0; i < 3; i++)
        bytes = build_times(build, bytes, build_dim(build, query->dims[i]));
    return build_times(build, bytes, build_dim(build, key->dims[2]));
}

static void
attention(struct build *build, const struct layer *layer)
{
    int64_t n = score_bytes(build, layer), out = build_output_bytes(build, layer);
    double duration = work(build, layer) / 2;
    int32_t query = build_input(build, layer, 0), key = build_input(build, layer, 1),
            value = build_input(build, layer, 2);
    int32_t scaled = build_forward(build, "Mul", build_bytes(build, layer->inputs[0]), READS(query));
    int32_t scores = product(build, "Einsum", n, duration, READS(scaled, key));
    int32_t shares = build_forward(build, "Softmax", n, READS(scores));
    int32_t heads = product(build, "Einsum_1", out, duration, READS(shares, value));
    struct kept *kept = build_kept(build, layer);

    kept->others[0] = scaled;
    kept->others[1] = shares;
    kept->others[2] = build->job->mode ? NOTHING : build_new(build, "mul_2", n, READS(shares)); /* of the gradient */
    build_output(build, layer, heads);
}

static void
attention_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    const struct kept *kept = build_kept(build, layer);
    int64_t n = score_bytes(build, layer);
    double duration = work(build, layer) / 2;
    int32_t shares = kept->others[1];
    int32_t of_shares = product(build, "Einsum", n, duration, READS(gradient, build_input(build, layer, 2)));
    int32_t of_value =
        product(build, "Einsum_1", build_bytes(build, layer->inputs[2]), duration, READS(gradient, shares));
    int32_t sum = build_new(build, "Sum", 0, READS(build_new(build, "mul", n, READS(of_shares, shares))));
    int32_t less = build_forward(build, "sub", n, READS(of_shares, sum));
    int32_t of_scores = build_forward(build, "mul_1", n, READS(less, kept->others[2]));
    int32_t of_query = product(build, "Einsum_2", build_bytes(build, layer->inputs[0]), duration,
                               READS(of_scores, build_input(build, layer, 1)));

    build_gradient(build, layer, 0, build_forward(build, "Mul", build_bytes(build, layer->inputs[0]), READS(of_query)));
    build_gradient(
        build, layer, 1,
        product(build, "Einsum_3", build_bytes(build, layer->inputs[1]), duration, READS(of_scores, kept->others[0])));
    build_gradient(build, layer, 2, of_value);
}

const struct rule tensorflow_matmul = {OP_MATMUL, matmul, matmul_backward};
const struct rule tensorflow_attention = {OP_ATTENTION, attention, attention_backward};
