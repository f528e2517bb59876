/*
 * Losses as Keras 3 computes them: on the logits where the model's last layer is the sigmoid or softmax that the loss
 * is made for (src/backend/tensorflow/nn.py, binary_crossentropy, sparse_categorical_crossentropy).
 */
#include "frameworks/tensorflow/build.h"

enum { FLAGS_SHARE = 4 }; /* a byte an element */

static bool
is_activation(const struct layer *layer, int kind)
{
    return layer->op == OP_ACTIVATION && ((const struct memmodel_activation *)layer->options)->kind == kind;
}

/* Layer whose values the loss reads, in whatever shape. */
static const struct layer *
predicting_layer(const struct memmodel_network *network, const struct layer *loss)
{
    const struct layer *layer = &network->layers[network->tensors[loss->inputs[0]].layer];

    while (layer->op == OP_FLATTEN || layer->op == OP_RESHAPE)
        layer = &network->layers[network->tensors[layer->inputs[0]].layer];
    return layer;
}

memmodel_tensor
loss_logits(const struct memmodel_network *network, const struct layer *loss)
{
    int kind = ((const struct memmodel_loss *)loss->options)->kind;
    const struct layer *last = predicting_layer(network, loss);

    if ((kind == MEMMODEL_LOSS_BINARY_CROSS_ENTROPY && is_activation(last, MEMMODEL_ACTIVATION_SIGMOID)) ||
        (kind == MEMMODEL_LOSS_CROSS_ENTROPY && last->op == OP_SOFTMAX))
        return last->inputs[0];
    return loss->inputs[0];
}

bool
loss_bypasses(const struct memmodel_network *network, const struct layer *loss, const struct layer *layer)
{
    return predicting_layer(network, loss) == layer && loss_logits(network, loss) != loss->inputs[0];
}

static bool
is_binary(const struct layer *loss)
{
    int kind = ((const struct memmodel_loss *)loss->options)->kind;

    return kind == MEMMODEL_LOSS_BINARY_CROSS_ENTROPY || kind == MEMMODEL_LOSS_BINARY_CROSS_ENTROPY_WITH_LOGITS;
}

/*
 * Constants of the gradient of the mean: that of each sample, and what folding makes of it on the way to the logits.
 * The zeros that the logits are compared with are one however large they are.
 */
int
loss_constants(const struct layer *loss, int64_t bytes)
{
    bool folded = bytes <= FOLDED_BYTES;

    if (is_binary(loss))
        return folded ? 3 : 1;
    return folded && ((const struct memmodel_loss *)loss->options)->kind == MEMMODEL_LOSS_MEAN_SQUARED_ERROR ? 1 : 0;
}

/*
 * The gradient of the mean over the last axis and of that over the others, which wait for nothing. Where it was folded
 * the tiles still run, and nobody reads them: NOTHING.
 */
static int32_t
mean_gradient(struct build *build, int64_t n, int64_t width)
{
    int32_t tile = build_new(build, "Tile", n / width, NULL, 0);

    if (width > 1)
        tile = build_new(build, "Tile_1", n, READS(tile));
    return n > FOLDED_BYTES ? build_forward(build, "truediv", n, READS(tile)) : NOTHING;
}

/* ---- binary cross-entropy on logits: max(x, 0) - x y + log(1 + exp(-|x|)), python/ops/nn_impl.py ---- */

static int32_t
binary_cross_entropy(struct build *build, int32_t x, int32_t target, int64_t n, int64_t width)
{
    int32_t mean = mean_gradient(build, n, width);
    int32_t opposite = mean == NOTHING ? NOTHING : build_new(build, "sub/Neg", n, READS(mean));
    int32_t of_product = build_forward(build, "mul/Mul", n, READS(opposite, target));
    int32_t negative = build_new(build, "Neg", n, READS(x));
    int32_t positive = build_new(build, "GreaterEqual", n / FLAGS_SHARE, READS(x));
    int32_t max = build_new(build, "Select", n, READS(positive, x));
    int32_t min = build_new(build, "Select_1", n, READS(positive, negative, x));
    int32_t logarithm = build_new(build, "Log1p", n, READS(min));
    int32_t reciprocal, selected, other;

    build_new(build, "Mean", n / width, READS(max, logarithm, target, x));
    reciprocal = build_forward(build, "add", n, READS(min, mean));
    selected = build_new(build, "Select_grad", n, READS(positive, reciprocal));
    other = build_new(build, "Select_3", n, READS(positive, reciprocal, selected));
    return build_forward(build, "AddN", n, READS(of_product, selected, other, negative));
}

static int32_t
squared_error(struct build *build, int32_t x, int32_t target, int64_t n, int64_t width)
{
    int32_t mean = mean_gradient(build, n, width);
    int32_t difference = build_forward(build, "sub", n, READS(x, target));
    int32_t gradient = build_new(build, "Mul", n, READS(difference, mean));

    build_new(build, "Mean", n / width, READS(build_new(build, "Square", n, READS(difference))));
    return gradient;
}

static int32_t
gradient_of(struct build *build, const struct layer *layer, int32_t x, int32_t target, int64_t n)
{
    const struct tensor *prediction = &build->network->tensors[layer->inputs[0]];
    int64_t width = build_dim(build, prediction->dims[prediction->rank - 1]);

    if (is_binary(layer))
        return binary_cross_entropy(build, x, target, n, width);
    if (((const struct memmodel_loss *)layer->options)->kind == MEMMODEL_LOSS_MEAN_SQUARED_ERROR)
        return squared_error(build, x, target, n, width);
    return build_forward(build, "gradient", n, READS(x, target)); /* over the logits: core/kernels/xent_op.cc */
}

static void
loss_forward(struct build *build, const struct layer *layer)
{
    build_output(build, layer, NOTHING);
}

static void
loss_backward(struct build *build, const struct layer *layer, int32_t unused)
{
    memmodel_tensor logits = loss_logits(build->network, layer);
    int64_t n = build_bytes(build, logits);
    int32_t gradient = gradient_of(build, layer, build->outputs[logits], build_input(build, layer, 1), n);

    (void)unused;
    build_contribute(build, logits, gradient);
}

const struct rule tensorflow_loss = {OP_LOSS, loss_forward, loss_backward};
