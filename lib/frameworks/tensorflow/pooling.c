/*
 * Pooling. oneDNN's maximum keeps, besides input and output, a workspace with one byte an element.
 * TensorFlow 2.21: core/kernels/mkl/mkl_maxpooling_op.cc, mkl_avgpooling_op.cc.
 */
#include "frameworks/tensorflow/build.h"

enum { WORKSPACE_SHARE = 4 };

static void
maximum(struct build *build, const struct layer *layer)
{
    int64_t n = build_output_bytes(build, layer);
    int32_t x = build_input(build, layer, 0);
    struct kept *kept = build_kept(build, layer);
    struct operation workspace = {.what = "MaxPool:workspace", .bytes = n / WORKSPACE_SHARE, .hidden = true};

    build_output(build, layer, build_new(build, "MaxPool", n, READS(x)));
    kept->x = x;
    kept->others[0] = build_operation(build, &workspace, READS(x));
}

static void
pool(struct build *build, const struct layer *layer)
{
    if (((const struct memmodel_pool *)layer->options)->kind == MEMMODEL_POOL_MAX)
        maximum(build, layer);
    else
        build_copy(build, layer);
}

/* The maximum's reads what it kept; NOTHING is left out. */
static void
pool_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    const struct kept *kept = build_kept(build, layer);
    bool kept_any = kept->others[0] != NOTHING;

    build_gradient(build, layer, 0,
                   build_new(build, "PoolGrad", build_bytes(build, layer->inputs[0]),
                             READS(kept->x, kept_any ? kept->y : NOTHING, kept->others[0], gradient)));
}

const struct rule tensorflow_pool = {OP_POOL, pool, pool_backward};
const struct rule tensorflow_adaptive_pool = {OP_ADAPTIVE_POOL, build_copy, pool_backward};
const struct rule tensorflow_global_pool = {OP_GLOBAL_POOL, build_copy, pool_backward};
